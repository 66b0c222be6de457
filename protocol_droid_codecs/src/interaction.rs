//! The answers of a repeated request, typed by the questions that they answer.

use protocol_droid_ir::interaction::InputRequests;
use protocol_droid_ir::{
    InputParams, InputRequest, InputResponse, Item, JsonObject, JsonText, Path, Text,
};

use crate::codec::{Codec, Decoded, decode_value, write_all};
use crate::error::{DecodeError, EncodeError};
use crate::wire::Wire;

/// What a client answered, held against what it was asked.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "answers may be missing or wrong"]
pub struct Answers {
    /// The answers by key, in the order of the questions, with the tolerances on each.
    pub given: Vec<(Text, Decoded<InputResponse>)>,
    /// Answers that are not what their question asks for, by key, and why.
    pub wrong: Vec<(Text, DecodeError)>,
    /// The keys of questions without an answer: the server asks again.
    pub missing: Vec<Text>,
    /// The keys that answer no question: the specification says to pass over them.
    pub extra: Vec<Text>,
}

/// Types `responses` by the questions they answer: an answer alone does not say of which kind it
/// is. The answer to a question that could not be read stays as it came.
pub fn typed_responses(
    codec: &dyn Codec,
    responses: &JsonObject,
    requests: &InputRequests,
) -> Answers {
    let mut answers = Answers::default();
    for (key, request) in requests {
        let mut found = responses.members().filter(|(name, _)| name == key);
        match (found.next(), found.next()) {
            (None, _) => answers.missing.push(key.clone()),
            (Some(_), Some(_)) => {
                let error = DecodeError::Duplicate { path: Path::from(key.as_str()) };
                answers.wrong.push((key.clone(), error));
            }
            (Some((_, value)), None) => match typed(codec, value, request) {
                Ok(answer) => answers.given.push((key.clone(), answer)),
                Err(error) => answers.wrong.push((key.clone(), error)),
            },
        }
    }
    let asked = |name: &Text| requests.iter().any(|(key, _)| key == name);
    answers.extra = responses.members().map(|(name, _)| name).filter(|name| !asked(name)).collect();
    answers
}

fn typed(
    codec: &dyn Codec,
    value: &str,
    request: &Item<InputRequest>,
) -> Result<Decoded<InputResponse>, DecodeError> {
    fn read<T: Wire>(
        codec: &dyn Codec,
        value: &str,
        into: fn(T) -> InputResponse,
    ) -> Result<Decoded<InputResponse>, DecodeError> {
        let Decoded { value, report } = decode_value(codec, value.as_bytes())?;
        Ok(Decoded { value: into(value), report })
    }
    match request.known().map(|request| &request.params) {
        Some(InputParams::CreateMessage(_)) => read(codec, value, InputResponse::CreateMessage),
        Some(InputParams::Elicit(_)) => read(codec, value, InputResponse::Elicit),
        Some(InputParams::ListRoots(_)) => read(codec, value, InputResponse::ListRoots),
        _ => read::<JsonText>(codec, value, InputResponse::Other),
    }
}

/// The `inputResponses` that give these answers by their keys.
///
/// # Errors
/// When the codec's revision cannot express one of them.
pub fn untyped_responses(
    codec: &dyn Codec,
    answers: &[(Text, InputResponse)],
) -> Result<JsonObject, EncodeError> {
    let mut out = Vec::new();
    write_all(&mut out, codec.revision(), |w| crate::wire_value::map::write(answers, w))?;
    let text = String::from_utf8(out).expect("written as text");
    Ok(JsonObject::new(text).expect("written as an object"))
}
