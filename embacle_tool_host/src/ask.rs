//! Questions to the client: elicitation, sampling, roots.
//!
//! A handler asks with [`CallContext::ask`](crate::CallContext::ask), whatever the client speaks.
//! On a legacy revision the question is a request on the call's own stream, and the handler waits.
//! Since 2026-07-28 the question is the answer: the handler is dropped where it waits, the client
//! repeats its request with what it was asked, and the handler runs again from the start, its
//! earlier questions answered at once. So what comes before a question runs once a round; what it
//! must not do twice belongs behind the last question, or its outcome into
//! [`CallContext::keep`](crate::CallContext::keep).

use protocol_droid_codecs::{DecodeError, decode_value};
use protocol_droid_ir::{
    ClientCapabilities, Content, CreateMessageParams, ElicitFormParams, ElicitParams,
    ElicitUrlParams, ErrorObject, InputParams, InputResponse, Item, JsonObject, RequestedSchema,
    SamplingMessage, Text,
};
use thiserror::Error;

use crate::engine::modern::reader;

/// A question, by its method.
pub type Question = InputParams;

/// An answer, by what was asked.
pub type Answer = InputResponse;

/// Why a question has no answer.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// The client answered with an error, as when its user does not want a model to be asked.
    #[error("the client does not answer: {}", .0.message)]
    Refused(ErrorObject),
    /// The client answered with something else.
    #[error("the client answers something else than what it was asked: {0}")]
    Mismatch(String),
    /// The client has gone before it was asked.
    #[error("the client has gone, and was not asked")]
    Gone,
    /// The same key was asked twice at once.
    #[error("two questions bear the key {0:?}")]
    SameKey(String),
}

/// A form for the user to fill.
pub fn form(message: impl Into<Text>, requested_schema: RequestedSchema) -> Question {
    let params = ElicitFormParams {
        message: message.into(),
        requested_schema,
        ..ElicitFormParams::default()
    };
    InputParams::Elicit(Box::new(ElicitParams::Form(params)))
}

/// A form for the user to fill, by its JSON Schema: an object of primitive properties.
///
/// # Errors
/// When the schema is none that a form can have.
pub fn form_of_json(message: impl Into<Text>, schema: &str) -> Result<Question, DecodeError> {
    let schema = decode_value::<RequestedSchema>(reader(), schema.as_bytes())?;
    Ok(form(message, schema.value))
}

/// A message for a model to continue, of at most `max_tokens`.
pub fn sample(prompt: impl Into<Text>, max_tokens: u64) -> Question {
    let message = SamplingMessage::new("user", Content::text(prompt));
    let messages = vec![Item::Known(message)];
    let params = CreateMessageParams { messages, max_tokens, ..CreateMessageParams::default() };
    InputParams::CreateMessage(Box::new(params))
}

/// A page for the user to visit; since 2025-11-25.
pub fn url(message: impl Into<Text>, url: impl Into<Text>) -> Question {
    let params =
        ElicitUrlParams { message: message.into(), url: url.into(), ..ElicitUrlParams::default() };
    InputParams::Elicit(Box::new(ElicitParams::Url(params)))
}

/// The directories the client works in.
pub fn roots() -> Question {
    InputParams::ListRoots(None)
}

/// What of `capabilities` the question needs and lacks, as an object of capabilities.
pub(crate) fn lacking(
    question: &Question,
    capabilities: &ClientCapabilities,
) -> Option<JsonObject> {
    let needed = match question {
        InputParams::CreateMessage(params) => match &capabilities.sampling {
            None => r#"{"sampling":{}}"#,
            Some(sampling) if params.tools.is_some() && sampling.tools.is_none() => {
                r#"{"sampling":{"tools":{}}}"#
            }
            Some(_) => return None,
        },
        InputParams::Elicit(params) => match (&capabilities.elicitation, &**params) {
            (None, ElicitParams::Url(_)) => r#"{"elicitation":{"url":{}}}"#,
            (None, _) => r#"{"elicitation":{}}"#,
            (Some(elicitation), ElicitParams::Url(_)) if elicitation.url.is_none() => {
                r#"{"elicitation":{"url":{}}}"#
            }
            (Some(elicitation), ElicitParams::Form(_)) if !elicitation.takes_forms() => {
                r#"{"elicitation":{"form":{}}}"#
            }
            (Some(_), _) => return None,
        },
        InputParams::ListRoots(_) if capabilities.roots.is_none() => r#"{"roots":{}}"#,
        _ => return None,
    };
    JsonObject::new(needed).ok()
}

/// Whether an answer is of the kind that was asked for.
pub(crate) fn answers(question: &Question, answer: &Answer) -> bool {
    matches!(
        (question, answer),
        (InputParams::CreateMessage(_), InputResponse::CreateMessage(_))
            | (InputParams::Elicit(_), InputResponse::Elicit(_))
            | (InputParams::ListRoots(_), InputResponse::ListRoots(_))
    )
}
