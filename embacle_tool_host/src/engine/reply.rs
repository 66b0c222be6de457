//! Messages of the host as bytes of the revision that the client speaks.

use protocol_droid_codecs::Codec;
use protocol_droid_ir::error_data::INTERNAL_ERROR;
use protocol_droid_ir::{
    ErrorObject, ErrorResponse, Extensions, Lower, Lowering, Message, Notification, Policy,
    Request, RequestId, ResultBody, ToolResult, TranslationReport,
};

use super::written::Written;

const POLICY: Policy = Policy::faithful();

/// What is answered to a request.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A result.
    Result(ResultBody),
    /// A result that is text of the client's revision already.
    Encoded(std::sync::Arc<[u8]>),
    /// An error.
    Error(ErrorObject),
}

impl Answer {
    pub(crate) fn error(code: i64, message: impl Into<protocol_droid_ir::Text>) -> Self {
        Self::Error(ErrorObject::new(code, message))
    }
}

/// The response to the request `id`, and what the client will not see of the answer.
pub(crate) fn response(
    id: &RequestId,
    answer: Answer,
    codec: &dyn Codec,
) -> (Written, TranslationReport) {
    let bytes = match answer {
        Answer::Result(result) => return result_response(id, result, codec),
        Answer::Encoded(result) => framed(id, result.len(), |out| {
            out.extend_from_slice(&result);
            true
        }),
        Answer::Error(error) => Some(self::error(Some(id), error, codec)),
    };
    (bytes.unwrap_or_default().into(), TranslationReport::new())
}

fn result_response(
    id: &RequestId,
    mut result: ResultBody,
    codec: &dyn Codec,
) -> (Written, TranslationReport) {
    let mut lowering = Lowering::new(codec.features(), &POLICY);
    let is_tool = matches!(result, ResultBody::CallTool(_));
    if let Err(error) = result.lower(&mut lowering) {
        // The model can read why in the result of a tool; elsewhere only an error says it.
        let reason = format!("the answer cannot be told to this client: {error}");
        return match is_tool {
            true => result_response(id, ResultBody::CallTool(ToolResult::error(reason)), codec),
            false => response(id, Answer::error(INTERNAL_ERROR, reason), codec),
        };
    }
    let report = lowering.into_report();
    let mut cuts = Vec::new();
    let encode = |out: &mut Vec<u8>| codec.encode_result_cut(&result, out, &mut cuts).is_ok();
    match framed(id, 256, encode) {
        Some(bytes) => (Written { bytes, cuts }, report),
        None => {
            let error = Answer::error(INTERNAL_ERROR, "the answer has no form in this revision");
            response(id, error, codec)
        }
    }
}

/// The envelope of a result, the same at every revision.
fn framed(
    id: &RequestId,
    size: usize,
    result: impl FnOnce(&mut Vec<u8>) -> bool,
) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(size + 64);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.write_json(&mut out);
    out.extend_from_slice(br#","result":"#);
    if !result(&mut out) {
        return None;
    }
    out.push(b'}');
    Some(out)
}

/// A result without its envelope, lowered; for what is kept encoded.
pub(crate) fn result(mut result: ResultBody, codec: &dyn Codec) -> Option<Vec<u8>> {
    let mut lowering = Lowering::new(codec.features(), &POLICY);
    result.lower(&mut lowering).ok()?;
    let mut out = Vec::new();
    codec.encode_result(&result, &mut out).ok()?;
    Some(out)
}

/// An error; without an id where none could be read.
pub(crate) fn error(id: Option<&RequestId>, mut error: ErrorObject, codec: &dyn Codec) -> Vec<u8> {
    let mut lowering = Lowering::new(codec.features(), &POLICY);
    let _ = error.lower(&mut lowering);
    let message =
        Message::Error(ErrorResponse { id: id.cloned(), error, extensions: Extensions::new() });
    let mut out = Vec::new();
    match codec.encode(&message, &mut out) {
        Ok(()) => out,
        // A revision that demands an id has no word for this; JSON-RPC says null.
        Err(_) => without_id(message),
    }
}

fn without_id(message: Message) -> Vec<u8> {
    let Message::Error(ErrorResponse { error, .. }) = message else { return Vec::new() };
    let mut out = br#"{"jsonrpc":"2.0","id":null,"error":{"code":"#.to_vec();
    out.extend_from_slice(error.code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    error.message.write_json(&mut out);
    out.extend_from_slice(b"}}");
    out
}

/// Answers in one array, as a batch of 2025-03-26 has them.
pub(crate) fn batch(answers: &[Vec<u8>]) -> Vec<u8> {
    [b"[", &answers.join(&b',')[..], b"]"].concat()
}

/// A notification; `None` if the client's revision has none such.
pub(crate) fn notification(notification: Notification, codec: &dyn Codec) -> Option<Vec<u8>> {
    message(Message::Notification(notification), codec)
}

/// A request; `None` if the client's revision has none such.
pub(crate) fn request(request: Request, codec: &dyn Codec) -> Option<Vec<u8>> {
    message(Message::Request(request), codec)
}

fn message(mut message: Message, codec: &dyn Codec) -> Option<Vec<u8>> {
    let mut lowering = Lowering::new(codec.features(), &POLICY);
    message.lower(&mut lowering).ok()?;
    let mut out = Vec::new();
    codec.encode(&message, &mut out).ok()?;
    Some(out)
}
