//! The parameters of requests and notifications, and the `_meta` that goes with them.

use protocol_droid_ir::{
    CallToolParams, EmptyNotificationParams, EmptyParams, Extensions, Feature, NotificationParams,
    OtherNotificationParams, OtherParams, PaginatedParams, Params, Request, RequestContext, Text,
    notifications, requests,
};

use crate::reader::{Key, Read, Reader};
use crate::revision::feature_mask;
use crate::table::{self, Member, Type};
use crate::task_extension;
use crate::wire::{AlsoWrite, Object, Wire, wire};
use crate::writer::{Writer, Written};

wire! {
    EmptyParams = "RequestParams" {}
}

wire! {
    EmptyNotificationParams = "NotificationParams" {
        bag meta: "_meta",
    }
}

wire! {
    PaginatedParams = "PaginatedRequestParams" {
        opt cursor: "cursor",
    }
}

wire! {
    CallToolParams = "CallToolRequestParams" {
        req name: "name",
        opt arguments: "arguments",
        opt task: "task" if TaskAugmentation,
    }
}

const META: &str = "RequestMetaObject";
const PROGRESS_TOKEN: Member = table::member(META, "progressToken");
const PROTOCOL_VERSION: Member = table::member(META, "io.modelcontextprotocol/protocolVersion");
const CLIENT_INFO: Member = table::member(META, "io.modelcontextprotocol/clientInfo");
const CAPABILITIES: Member = table::member(META, "io.modelcontextprotocol/clientCapabilities");
const LOG_LEVEL: Member = table::member(META, "io.modelcontextprotocol/logLevel");
const METADATA: &[Member] =
    &[PROGRESS_TOKEN, PROTOCOL_VERSION, CLIENT_INFO, CAPABILITIES, LOG_LEVEL];

const _: () = assert!(PROTOCOL_VERSION.defined == feature_mask(Feature::RequestMetadata));

/// A context, as the `_meta` of a request.
impl Wire for RequestContext {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let mut context = Self::default();
        let mut bag = Extensions::new();
        let mut seen = 0;
        r.object(|r, key| {
            for (at, member) in METADATA.iter().enumerate() {
                if key.name() == member.name && r.defines(member.defined) {
                    r.once(member.name, &mut seen, 1 << at)?;
                    return r.at(member.name, |r| context.read_reserved(r, member));
                }
            }
            r.extension(key, &mut bag)
        })?;
        // Where the reserved members are required, they alone say that `_meta` was there.
        let modern = r.defines(PROTOCOL_VERSION.required);
        if modern && context.protocol_version.is_none() {
            return Err(r.missing(PROTOCOL_VERSION.name));
        }
        if modern && context.client_capabilities.is_none() {
            return Err(r.missing(CAPABILITIES.name));
        }
        context.meta = (!modern || !bag.is_empty()).then_some(bag);
        Ok(context)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        const FEATURE: Feature = Feature::RequestMetadata;
        w.object(|w| {
            let Self { protocol_version, client_info, client_capabilities, log_level, .. } = self;
            w.optional(&PROTOCOL_VERSION, FEATURE, protocol_version.as_ref(), |w, v| v.write(w))?;
            w.optional(&CLIENT_INFO, FEATURE, client_info.as_ref(), |w, v| v.write(w))?;
            w.optional(&CAPABILITIES, FEATURE, client_capabilities.as_ref(), |w, v| v.write(w))?;
            w.optional(&LOG_LEVEL, FEATURE, log_level.as_ref(), |w, v| v.write(w))?;
            if let Some(token) = &self.progress_token {
                w.member(PROGRESS_TOKEN.name, |w| token.write(w))?;
            }
            match &self.meta {
                Some(bag) => w.extensions(bag, METADATA),
                None => Ok(()),
            }
        })
    }
}

trait Reserved {
    fn read_reserved(&mut self, r: &mut Reader<'_>, member: &Member) -> Read<()>;
}

impl Reserved for RequestContext {
    fn read_reserved(&mut self, r: &mut Reader<'_>, member: &Member) -> Read<()> {
        match member.name {
            name if name == PROGRESS_TOKEN.name => self.progress_token = r.optional(Wire::read)?,
            name if name == PROTOCOL_VERSION.name => self.protocol_version = Some(r.text()?),
            name if name == CLIENT_INFO.name => self.client_info = r.optional(Wire::read)?,
            name if name == CAPABILITIES.name => self.client_capabilities = Some(Wire::read(r)?),
            _ => self.log_level = r.optional(Wire::read)?,
        }
        Ok(())
    }
}

/// Members of parameters that belong to the context.
const SHARED: &str = "CallToolRequestParams";
const INPUT_RESPONSES: Member = table::member(SHARED, "inputResponses");
const REQUEST_STATE: Member = table::member(SHARED, "requestState");

/// The context being read beside the parameters of a method.
struct ContextReader<'m> {
    context: RequestContext,
    method: &'m Text,
    seen: u32,
}

impl<'m> ContextReader<'m> {
    fn new(method: &'m Text) -> Self {
        Self { context: RequestContext::default(), method, seen: 0 }
    }

    fn read<'b>(&mut self, r: &mut Reader<'b>, key: &Key<'b>) -> Read<bool> {
        let method = self.method;
        let defined = |name| params_type(method).member(name).is_some_and(|m| r.defines(m.defined));
        match key.name() {
            "_meta" => {
                r.once("_meta", &mut self.seen, 1)?;
                if let Some(read) = r.at("_meta", |r| r.optional(RequestContext::read))? {
                    let context = &mut self.context;
                    let input_responses = context.input_responses.take();
                    let request_state = context.request_state.take();
                    *context = RequestContext { input_responses, request_state, ..read };
                }
            }
            "inputResponses" if defined("inputResponses") => {
                r.once("inputResponses", &mut self.seen, 2)?;
                self.context.input_responses =
                    r.at("inputResponses", |r| r.optional(Wire::read))?;
            }
            "requestState" if defined("requestState") => {
                r.once("requestState", &mut self.seen, 4)?;
                self.context.request_state = r.at("requestState", |r| r.optional(Wire::read))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self, r: &mut Reader<'_>) -> Read<RequestContext> {
        if r.defines(PROTOCOL_VERSION.required) && self.context.protocol_version.is_none() {
            return Err(r.missing("_meta"));
        }
        Ok(self.context)
    }
}

/// The type of the parameters; methods that no schema has take what all requests do.
fn params_type(method: &str) -> &'static Type {
    const BASE: &Type = match table::find_type("RequestParams") {
        Some(found) => found,
        None => panic!("the schemas have this type"),
    };
    let params = table::find_method(method).map(|method| method.params);
    params.and_then(table::find_type_or_arm).unwrap_or(BASE)
}

/// Whether a request of `method` cannot do without parameters.
pub(crate) fn requires_params(method: &str, r: &Reader<'_>) -> bool {
    let required = |member: &Member| r.defines(member.required);
    required(&PROTOCOL_VERSION) || params_type(method).members.iter().any(required)
}

/// Makes the reader and the writer of parameters from the list of typed requests.
macro_rules! params_by_method {
    ($( $method:literal => $variant:ident: $params:ty => $result:ty, )*) => {
        /// Reads the parameters of a request and its context.
        pub(crate) fn read_params(
            r: &mut Reader<'_>,
            method: &Text,
        ) -> Read<(Params, RequestContext)> {
            let mut context = ContextReader::new(method);
            let params = match task_extension::typed(method, r) {
                $( $method => {
                    Params::$variant(Object::read_with(r, &mut |r, key| context.read(r, key))?)
                } )*
                _ => {
                    let mut extensions = Extensions::new();
                    r.object(|r, key| match context.read(r, key)? {
                        true => Ok(()),
                        false => r.extension(key, &mut extensions),
                    })?;
                    Params::Other(OtherParams { method: method.clone(), extensions })
                }
            };
            Ok((params, context.finish(r)?))
        }

        fn write_with(
            params: &Params,
            w: &mut Writer<'_>,
            also: AlsoWrite<'_>,
        ) -> Written {
            match params {
                $( Params::$variant(params) => params.write_with(w, also), )*
                Params::Other(params) => w.object(|w| {
                    also(w)?;
                    w.extensions(&params.extensions, NAMES)
                }),
                _ => Err(w.inexpressible(Feature::UnknownContent)),
            }
        }
    };
}

requests!(params_by_method);

/// Writes the `params` of a request, if it has any.
pub(crate) fn write_params(request: &Request, w: &mut Writer<'_>) -> Written {
    let context = &request.context;
    let of = params_type(&request.method);
    let also = |w: &mut Writer<'_>| {
        write_shared(&INPUT_RESPONSES, of, context.input_responses.as_ref(), w)?;
        write_shared(&REQUEST_STATE, of, context.request_state.as_ref(), w)?;
        if context.has_meta() || w.defines(PROTOCOL_VERSION.required) {
            w.member("_meta", |w| context.write(w))?;
        }
        Ok(())
    };
    let absent = request.params.is_none()
        && !context.has_meta()
        && context.input_responses.is_none()
        && context.request_state.is_none()
        && !w.defines(PROTOCOL_VERSION.required);
    if absent {
        return Ok(());
    }
    w.member("params", |w| match &request.params {
        Some(params) => write_with(params, w, &also),
        None => w.object(also),
    })
}

/// The names that are the context's in the parameters of every request.
const NAMES: &[Member] = &[table::member("RequestParams", "_meta")];

/// Writes a member of the context that stands beside the parameters, where the method has it.
fn write_shared<T: Wire>(
    member: &Member,
    of: &Type,
    value: Option<&T>,
    w: &mut Writer<'_>,
) -> Written {
    let member = Member { defined: of.member(member.name).map_or(0, |m| m.defined), ..*member };
    w.optional(&member, Feature::InputResponses, value, |w, value| value.write(w))
}

/// Makes the reader and the writer of notifications from the list of typed ones.
macro_rules! notifications_by_method {
    ($( $method:literal => $variant:ident: $params:ty, )*) => {
        /// Reads the parameters of a notification.
        pub(crate) fn read_notification(
            r: &mut Reader<'_>,
            method: &Text,
        ) -> Read<NotificationParams> {
            match task_extension::typed(method, r) {
                $( $method => Wire::read(r).map(NotificationParams::$variant), )*
                _ => read_other(r, method).map(NotificationParams::Other),
            }
        }

        pub(crate) fn write_notification(
            params: &NotificationParams,
            w: &mut Writer<'_>,
        ) -> Written {
            match params {
                $( NotificationParams::$variant(params) => params.write(w), )*
                NotificationParams::Other(params) => write_other(params, w),
                _ => Err(w.inexpressible(Feature::UnknownContent)),
            }
        }
    };
}

notifications!(notifications_by_method);

fn read_other(r: &mut Reader<'_>, method: &Text) -> Read<OtherNotificationParams> {
    let mut params = OtherNotificationParams { method: method.clone(), ..Default::default() };
    let mut seen = 0;
    r.object(|r, key| {
        if key.name() != "_meta" {
            return r.extension(key, &mut params.extensions);
        }
        r.once("_meta", &mut seen, 1)?;
        params.meta = r.at("_meta", |r| r.optional(Wire::read))?;
        Ok(())
    })?;
    Ok(params)
}

fn write_other(params: &OtherNotificationParams, w: &mut Writer<'_>) -> Written {
    w.object(|w| {
        if let Some(meta) = &params.meta {
            w.member("_meta", |w| meta.write(w))?;
        }
        w.extensions(&params.extensions, NAMES)
    })
}
