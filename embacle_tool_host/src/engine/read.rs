//! Messages of clients, and what is answered to those that cannot be read.

use protocol_droid_codecs::{Codec, DecodeError, Expect, Sender};
use protocol_droid_ir::error_data::{INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};
use protocol_droid_ir::{Buffer, ErrorObject, JsonObject, Message, RequestId, Text};

use super::modern::{no_method, speaks_for_itself, unsupported};

/// What cannot be served, and the error that says so.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// The id, wherever one can be read.
    pub(crate) id: Option<RequestId>,
    pub(crate) error: ErrorObject,
    /// Whether the text is no message at all, rather than one with wrong parameters.
    pub(crate) is_malformed: bool,
    /// Whether what a request of 2026-07-28 must say of itself is missing or wrong.
    pub(crate) is_metadata: bool,
}

/// Reads one message of a client; `asked` knows the methods of the questions it may answer.
pub(crate) fn read(
    codec: &dyn Codec,
    input: &Buffer,
    asked: impl Fn(&RequestId) -> Option<&'static str>,
) -> Result<Message, Box<Unreadable>> {
    match codec.decode_buffer(input.clone(), Expect::default()) {
        Ok(decoded) => Ok(decoded.value),
        Err(DecodeError::Untyped) => {
            let id = id_of(input);
            let method = id.as_ref().and_then(asked);
            // An answer to nothing is read as one without a type, and passed over by whoever asked.
            let expect = Expect::method(method.unwrap_or("ping"));
            match codec.decode_buffer(input.clone(), expect) {
                Ok(decoded) => Ok(decoded.value),
                Err(error) => Err(unreadable(&error, input, codec)),
            }
        }
        Err(error) => Err(unreadable(&error, input, codec)),
    }
}

fn unreadable(error: &DecodeError, input: &Buffer, codec: &dyn Codec) -> Box<Unreadable> {
    let path = error.path().to_string();
    let in_params = path.starts_with("params") || path.starts_with("result");
    if in_params && let Some(method) = missing_method(input, codec) {
        // A handshake is read by a revision without one where none with one is offered.
        let is_handshake = method == "initialize" && !speaks_for_itself(input);
        let error = match is_handshake.then(|| proposal(input)) {
            Some(proposal) => unsupported(proposal, &[codec.version()]),
            None => no_method(&method),
        };
        return Box::new(Unreadable {
            id: id_of(input),
            error,
            is_malformed: false,
            is_metadata: false,
        });
    }
    let code = match error {
        error if error.is_syntax() => PARSE_ERROR,
        _ if in_params => INVALID_PARAMS,
        _ => INVALID_REQUEST,
    };
    let id = if error.is_syntax() { None } else { id_of(input) };
    Box::new(Unreadable {
        id,
        error: ErrorObject::new(code, error.to_string()),
        is_malformed: !in_params,
        is_metadata: path.starts_with("params._meta") || path == "params",
    })
}

/// The method of a request, if the revision does not have it: its parameters are then nobody's.
fn missing_method(input: &Buffer, codec: &dyn Codec) -> Option<String> {
    let method: String = JsonObject::new(input.as_str()).ok()?.get("method")?.parse().ok()?;
    let known = protocol_droid_codecs::method(&method)
        .is_some_and(|known| known.is_request(Sender::Client, codec.revision()));
    (!known).then_some(method)
}

/// The revision that `initialize` proposes.
fn proposal(input: &Buffer) -> Text {
    let member = |object: &str, name| JsonObject::new(object).ok()?.get(name);
    let params = member(input.as_str(), "params");
    let proposal = params.and_then(|params| member(params.as_str(), "protocolVersion"));
    proposal.and_then(|text| text.parse::<String>().ok()).unwrap_or_default().into()
}

/// The id of a message that need not be one otherwise.
fn id_of(input: &Buffer) -> Option<RequestId> {
    let object = JsonObject::new(input.as_str()).ok()?;
    RequestId::from_json(object.get("id")?)
}
