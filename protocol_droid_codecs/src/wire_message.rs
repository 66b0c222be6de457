//! The JSON-RPC envelope.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{
    ErrorObject, ErrorResponse, Extensions, Feature, Message, Notification, Params, Reason,
    Request, RequestContext, RequestId, Response, ResultBody, Text,
};

use crate::error::DecodeError;
use crate::pending::Expect;
use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table::{self, Member};
use crate::wire::{Wire, wire};
use crate::wire_params::{
    read_notification, read_params, requires_params, write_notification, write_params,
};
use crate::wire_result::{read_result, write_result};
use crate::writer::{Writer, Written};

wire! {
    ErrorObject = "Error" {
        req code: "code",
        req message: "message",
        any data: "data",
    }
}

/// What is found of an envelope before its kind is known.
#[derive(Default)]
struct Envelope {
    jsonrpc: bool,
    id: Option<RequestId>,
    /// The id is there, and is `null`.
    null_id: bool,
    method: Option<Text>,
    /// Where the parameters stand.
    params: Option<usize>,
    /// The parameters, where it was clear that they are a request's.
    request: Option<(Params, RequestContext)>,
    /// Where the result stands.
    result: Option<usize>,
    /// The result, where it was clear whose it is.
    body: Option<ResultBody>,
    error: Option<ErrorObject>,
    extensions: Extensions,
}

/// Reads a message; a response is typed by the method that `expect` has for its id.
pub(crate) fn read_message(r: &mut Reader<'_>, expect: Expect<'_>) -> Read<Message> {
    if r.kind()? == Kind::Array {
        return Err(Box::new(DecodeError::Batch));
    }
    let mut envelope = Envelope::default();
    let mut seen = 0;
    r.object(|r, key| {
        let (name, bit) = match key.name() {
            "jsonrpc" => ("jsonrpc", 1),
            "id" => ("id", 2),
            "method" => ("method", 4),
            "params" => ("params", 8),
            "result" => ("result", 16),
            "error" => ("error", 32),
            _ => return r.extension(key, &mut envelope.extensions),
        };
        r.once(name, &mut seen, bit)?;
        r.at(name, |r| envelope.read_member(r, name, expect))
    })?;
    if !envelope.jsonrpc {
        return Err(r.missing("jsonrpc"));
    }
    let kinds = [envelope.method.is_some(), envelope.error.is_some(), envelope.result.is_some()];
    match kinds.map(u8::from).iter().sum() {
        0u8 => Err(r.mismatch("a member method, result or error", "none of them")),
        1 => envelope.finish(r, expect),
        _ => Err(r.mismatch("one of method, result and error", "several of them")),
    }
}

impl Envelope {
    /// Reads one member. What depends on another member is read at once if that one came first,
    /// as it nearly always does, and passed over for now if not.
    fn read_member(
        &mut self,
        r: &mut Reader<'_>,
        name: &'static str,
        expect: Expect<'_>,
    ) -> Read<()> {
        match name {
            "jsonrpc" => {
                r.expect_text("2.0")?;
                self.jsonrpc = true;
            }
            "id" if r.kind()? == Kind::Null => {
                r.json()?;
                self.null_id = true;
            }
            "id" => self.id = Some(RequestId::read(r)?),
            "method" => self.method = Some(r.text()?),
            "params" if r.kind()? == Kind::Null => {
                r.optional(Reader::json)?;
            }
            "params" => {
                self.params = Some(r.pos());
                match &self.method {
                    Some(method) if self.id.is_some() || is_request(method) => {
                        self.request = Some(read_params(r, method)?);
                    }
                    _ => drop(r.json()?),
                }
            }
            "result" => {
                self.result = Some(r.pos());
                let method = match (&self.id, expect.pending) {
                    (Some(id), _) => expect.method_of(id),
                    (None, None) => expect.method,
                    (None, Some(_)) => None,
                };
                match method {
                    Some(method) => self.body = Some(read_result(r, method)?),
                    None => drop(r.json()?),
                }
            }
            _ => self.error = Some(ErrorObject::read(r)?),
        }
        Ok(())
    }

    fn finish(mut self, r: &mut Reader<'_>, expect: Expect<'_>) -> Read<Message> {
        if self.method.is_none() && self.params.is_some() {
            return Err(r.at("params", |r| r.mismatch("a method beside it", "none")));
        }
        if let Some(error) = self.error.take() {
            return self.finish_error(r, error);
        }
        let Some(method) = self.method.take() else {
            let id = self.required_id(r)?;
            let result = match (self.body.take(), self.result) {
                (Some(body), _) => body,
                (None, Some(pos)) => {
                    let method = expect.method_of(&id).ok_or(DecodeError::Untyped)?;
                    r.back(pos, |r| r.at("result", |r| read_result(r, method)))?
                }
                (None, None) => return Err(r.missing("result")),
            };
            return Ok(Message::Response(Response { id, result, extensions: self.extensions }));
        };
        if self.id.is_none() && !self.null_id && !is_request(&method) {
            let read = |r: &mut Reader<'_>| r.at("params", |r| read_notification(r, &method));
            let params = self.params.map(|pos| r.back(pos, read)).transpose()?;
            let extensions = self.extensions;
            return Ok(Message::Notification(Notification { method, params, extensions }));
        }
        if is_notification(&method) {
            return Err(r.at("id", |r| r.mismatch("no id on a notification", "one")));
        }
        let id = self.required_id(r)?;
        let (params, context) = match (self.request.take(), self.params) {
            (Some((params, context)), _) => (Some(params), context),
            (None, Some(pos)) => {
                let (params, context) =
                    r.back(pos, |r| r.at("params", |r| read_params(r, &method)))?;
                (Some(params), context)
            }
            (None, None) if requires_params(&method, r) => return Err(r.missing("params")),
            (None, None) => (None, RequestContext::default()),
        };
        Ok(Message::Request(Request { id, method, params, context, extensions: self.extensions }))
    }

    fn finish_error(self, r: &mut Reader<'_>, error: ErrorObject) -> Read<Message> {
        if self.null_id {
            r.at("id", |r| r.null_read_as_absent());
        } else if self.id.is_none() && !r.defines(NO_ID) {
            r.at("id", |r| r.repaired(None, Reason::Missing, "required, read without"));
        }
        Ok(Message::Error(ErrorResponse { id: self.id, error, extensions: self.extensions }))
    }

    fn required_id(&mut self, r: &mut Reader<'_>) -> Read<RequestId> {
        match self.id.take() {
            Some(id) => Ok(id),
            None if self.null_id => {
                r.at("id", |r| Err(r.mismatch("a string or a whole number", "null")))
            }
            None => Err(r.missing("id")),
        }
    }
}

const NO_ID: u8 = feature_mask(Feature::ErrorWithoutId);

/// Whether some revision has `method` as a request: without an id it is one that lacks its id, and
/// no notification.
fn is_request(method: &Text) -> bool {
    table::find_method(method.as_bytes()).is_some_and(|m| m.client_request | m.server_request != 0)
}

/// Whether some revision has `method` as a notification, and none has it as a request.
fn is_notification(method: &Text) -> bool {
    let known = table::find_method(method.as_bytes());
    known.is_some_and(|m| m.client_notification | m.server_notification != 0) && !is_request(method)
}

pub(crate) fn write_message(message: &Message, w: &mut Writer<'_>) -> Written {
    w.object(|w| {
        w.out().extend_from_slice(br#""jsonrpc":"2.0""#);
        match message {
            Message::Request(request) => {
                w.member("id", |w| request.id.write(w))?;
                w.member("method", |w| request.method.write(w))?;
                write_params(request, w)?;
                w.extensions(&request.extensions, ENVELOPE)
            }
            Message::Notification(notification) => {
                w.member("method", |w| notification.method.write(w))?;
                if let Some(params) = &notification.params {
                    w.member("params", |w| write_notification(params, w))?;
                }
                w.extensions(&notification.extensions, ENVELOPE)
            }
            Message::Response(response) => {
                w.member("id", |w| response.id.write(w))?;
                w.member("result", |w| write_result(&response.result, w))?;
                w.extensions(&response.extensions, ENVELOPE)
            }
            Message::Error(error) => {
                match &error.id {
                    Some(id) => w.member("id", |w| id.write(w))?,
                    None if w.defines(NO_ID) => {}
                    // What JSON-RPC demands of whoever could not read the id, and what is read back.
                    None => w.member("id", |w| {
                        w.out().extend_from_slice(b"null");
                        Ok(())
                    })?,
                }
                w.member("error", |w| error.error.write(w))?;
                w.extensions(&error.extensions, ENVELOPE)
            }
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    })
}

/// The names that an envelope's extensions cannot bear.
const ENVELOPE: &[Member] = &[
    table::member("JSONRPCRequest", "jsonrpc"),
    table::member("JSONRPCRequest", "id"),
    table::member("JSONRPCRequest", "method"),
    table::member("JSONRPCRequest", "params"),
    table::member("JSONRPCResultResponse", "result"),
    table::member("JSONRPCErrorResponse", "error"),
];
