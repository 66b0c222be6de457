//! The stateless era: whether a request can be served, by its headers and its own words.

use memchr::memchr_iter;
use protocol_droid_codecs::{Codec, Sender, codec, method};
use protocol_droid_ir::error_data::{
    HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
};
use protocol_droid_ir::{
    Buffer, ErrorObject, Extensions, JsonObject, MissingRequiredClientCapability, ProtocolVersion,
    Request, UnsupportedProtocolVersion, negotiation,
};

use super::headers::{decoded, name_member};

/// The codec of requests that say their own revision. What names a version that is not known is
/// read by it too, so that the answer is the error that says so.
pub(crate) fn reader() -> &'static dyn Codec {
    codec(ProtocolVersion::LATEST.as_str()).expect("the codec is always compiled in")
}

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Whether a message may speak for itself: one look at its text, no more.
pub(crate) fn may_speak_for_itself(input: &Buffer) -> bool {
    let text = input.as_str();
    // The end of the name, as it looks however the slash before it is spelt; few texts have many Vs.
    memchr_iter(b'V', text.as_bytes())
        .any(|at| text[..at].ends_with("protocol") && text[at..].starts_with("Version\""))
}

/// Whether a message speaks for itself, as requests do since 2026-07-28.
pub(crate) fn speaks_for_itself(input: &Buffer) -> bool {
    let member = |object: JsonObject, name: &str| JsonObject::try_from(object.get(name)?).ok();
    may_speak_for_itself(input)
        && JsonObject::new(input.as_str())
            .ok()
            .and_then(|message| member(message, "params"))
            .and_then(|params| member(params, "_meta"))
            .is_some_and(|meta| meta.get(VERSION_KEY).is_some())
}

/// The headers of a request that repeat its body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repeated<'h> {
    pub(crate) version: Option<&'h [u8]>,
    pub(crate) method: Option<&'h [u8]>,
    pub(crate) name: Option<&'h [u8]>,
}

/// Checks the headers against the request.
///
/// # Errors
/// The first that is missing, malformed or says something else.
pub(crate) fn check_headers(request: &Request, headers: Repeated<'_>) -> Result<(), ErrorObject> {
    let mismatch = |text: String| ErrorObject::new(HEADER_MISMATCH, text);
    let check = |name: &str, header: Option<&[u8]>, body: &[u8]| {
        let Some(header) = header else { return Err(mismatch(format!("{name}: missing"))) };
        match decoded(header) {
            Ok(said) if said.as_bytes() == body => Ok(()),
            Ok(_) => Err(mismatch(format!("{name}: the body says something else"))),
            Err(error) => Err(mismatch(format!("{name}: {error}"))),
        }
    };
    let version = request.context.protocol_version.as_ref();
    check("MCP-Protocol-Version", headers.version, version.map_or(b"", |v| v.as_bytes()))?;
    check("Mcp-Method", headers.method, request.method.as_bytes())?;
    match request.params.as_ref().and_then(name_member) {
        Some(name) => check("Mcp-Name", headers.name, name.as_bytes()),
        None => Ok(()),
    }
}

/// Checks that the request is made in a revision that is offered, and has a method that it has.
///
/// # Errors
/// As the specification says.
pub(crate) fn check_request(
    request: &Request,
    offered: &[ProtocolVersion],
) -> Result<&'static dyn Codec, ErrorObject> {
    let requested = request.context.protocol_version.clone().unwrap_or_default();
    let Some(codec) = negotiation::serve(&requested, offered).and_then(|v| codec(v.as_str()).ok())
    else {
        return Err(unsupported(requested, offered));
    };
    if request.context.client_capabilities.is_none() {
        let text = "params._meta: the client's capabilities are required";
        return Err(ErrorObject::new(INVALID_PARAMS, text));
    }
    let known = method(&request.method)
        .is_some_and(|method| method.is_request(Sender::Client, codec.revision()));
    match known {
        true => Ok(codec),
        false => Err(no_method(&request.method)),
    }
}

/// The revision is not offered: the error names those that are.
pub(crate) fn unsupported(
    requested: protocol_droid_ir::Text,
    offered: &[ProtocolVersion],
) -> ErrorObject {
    let mut supported = offered.to_vec();
    supported.sort_by(|a, b| b.cmp(a));
    let supported: Vec<_> = supported.iter().map(|version| version.as_str()).collect();
    // Not every client shows more than the message.
    let text = format!("this revision is not offered, but {}", supported.join(", "));
    let supported = supported.into_iter().map(Into::into).collect();
    UnsupportedProtocolVersion { supported, requested, extensions: Extensions::new() }
        .into_error(text)
}

pub(crate) fn no_method(method: &str) -> ErrorObject {
    ErrorObject::new(METHOD_NOT_FOUND, format!("there is no method {method:?} here"))
}

/// The client has not declared what the call needs.
pub(crate) fn lacking(required: JsonObject) -> ErrorObject {
    MissingRequiredClientCapability {
        required_capabilities: required,
        extensions: Extensions::new(),
    }
    .into_error("the client has not declared what this needs")
}

/// The status of HTTP that goes with an answer.
pub(crate) fn status(error: &ErrorObject, is_metadata: bool) -> u16 {
    match error.code {
        METHOD_NOT_FOUND => 404,
        HEADER_MISMATCH | UNSUPPORTED_PROTOCOL_VERSION | INVALID_REQUEST => 400,
        protocol_droid_ir::error_data::PARSE_ERROR
        | protocol_droid_ir::error_data::MISSING_REQUIRED_CLIENT_CAPABILITY => 400,
        INVALID_PARAMS if is_metadata => 400,
        _ => 200,
    }
}
