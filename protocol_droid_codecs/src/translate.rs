//! From the bytes of one revision to the bytes of another.

use std::borrow::Cow;

use protocol_droid_ir::lex::{Kind, Lexer};
use protocol_droid_ir::{
    Buffer, Lower, Lowering, Message, Policy, RequestId, ResultBody, Text, TranslationReport,
};

use crate::codec::{Codec, Decoded, buffer, read_all, write_all};
use crate::error::{DecodeError, TranslateError};
use crate::methods;
use crate::pending::Expect;
use crate::wire_message::{read_message, write_message};
use crate::wire_result::{read_result, write_result};
use crate::writer::{Writer, Written};

/// A translated message.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it holds the message and the report of what was lost"]
pub struct Translation<'a> {
    /// The message; the input itself where nothing had to change.
    pub bytes: Cow<'a, [u8]>,
    /// Every change that was not lossless.
    pub report: TranslationReport,
    /// What kind of message it is.
    pub kind: MessageKind,
}

/// What a message is, and what ties it to others.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A request.
    Request {
        /// Its id.
        id: RequestId,
        /// Its method.
        method: Text,
    },
    /// A notification.
    Notification {
        /// Its method.
        method: Text,
    },
    /// A response with a result.
    Response {
        /// The id of the request.
        id: RequestId,
    },
    /// A response without one.
    Error {
        /// The id of the request, if it could be read.
        id: Option<RequestId>,
    },
    /// A result without its envelope.
    BareResult,
}

impl From<&Message> for MessageKind {
    fn from(message: &Message) -> Self {
        match message {
            Message::Request(request) => {
                Self::Request { id: request.id.clone(), method: request.method.clone() }
            }
            Message::Notification(notification) => {
                Self::Notification { method: notification.method.clone() }
            }
            Message::Response(response) => Self::Response { id: response.id.clone() },
            Message::Error(error) => Self::Error { id: error.id.clone() },
            _ => Self::BareResult,
        }
    }
}

/// Translates a request, a notification or an error.
///
/// A response with a result needs to know what it answers: see [`translate_as`].
///
/// # Errors
/// When the input is no message of `from`, or has no form at `to`; nothing is written then.
pub fn translate<'a>(
    input: &'a [u8],
    from: &dyn Codec,
    to: &dyn Codec,
    policy: &Policy,
) -> Result<Translation<'a>, TranslateError> {
    translate_as(input, Expect::default(), from, to, policy)
}

/// Translates any message; a response is typed by `expect`.
///
/// # Errors
/// As for [`translate`].
pub fn translate_as<'a>(
    input: &'a [u8],
    expect: Expect<'_>,
    from: &dyn Codec,
    to: &dyn Codec,
    policy: &Policy,
) -> Result<Translation<'a>, TranslateError> {
    let text = buffer(input)?;
    let decoded = read_all(&text, from.revision(), target(from, to), |r| read_message(r, expect))?;
    methods::check(&decoded.value, expect, to.revision())?;
    let kind = MessageKind::from(&decoded.value);
    let (written, report) = carry(decoded, &text, from, to, policy, write_message)?;
    Ok(Translation { bytes: written.map_or(Cow::Borrowed(input), Cow::Owned), report, kind })
}

/// Translates a result without its envelope, which answers a request of `method`.
///
/// # Errors
/// As for [`translate`].
pub fn translate_result<'a>(
    input: &'a [u8],
    method: &str,
    from: &dyn Codec,
    to: &dyn Codec,
    policy: &Policy,
) -> Result<Translation<'a>, TranslateError> {
    methods::check_name(method, to.revision())?;
    let text = buffer(input)?;
    let decoded: Decoded<ResultBody> =
        read_all(&text, from.revision(), target(from, to), |r| read_result(r, method))?;
    let (written, report) = carry(decoded, &text, from, to, policy, write_result)?;
    let bytes = written.map_or(Cow::Borrowed(input), Cow::Owned);
    Ok(Translation { bytes, report, kind: MessageKind::BareResult })
}

/// The revision whose members are read early; none where there is nothing to translate.
fn target(from: &dyn Codec, to: &dyn Codec) -> u8 {
    if from.revision().bit == to.revision().bit { 0 } else { to.revision().bit }
}

/// Lowers what was read and writes it, unless the input will do as it is.
fn carry<T: Lower>(
    decoded: Decoded<T>,
    input: &Buffer,
    from: &dyn Codec,
    to: &dyn Codec,
    policy: &Policy,
    write: impl FnOnce(&T, &mut Writer<'_>) -> Written,
) -> Result<(Option<Vec<u8>>, TranslationReport), TranslateError> {
    let Decoded { mut value, mut report } = decoded;
    if policy.is_strict()
        && let Some(entry) = report.entries.first()
    {
        let (path, note) = (entry.path.clone(), entry.note.to_string());
        return Err(TranslateError::Repaired { path, note });
    }
    let mut changed = !report.is_empty();
    if from.revision().bit != to.revision().bit {
        let mut lowering = Lowering::new(to.features(), policy);
        value.lower(&mut lowering)?;
        changed |= lowering.has_changed();
        report.append(lowering.into_report());
    }
    if !changed {
        return Ok((None, report));
    }
    let mut out = Vec::with_capacity(input.as_str().len() + 256);
    write_all(&mut out, to.revision(), |w| write(&value, w))?;
    Ok((Some(out), report))
}

/// The messages of a JSON array, each as its own slice: a batch, as 2025-03-26 has them.
///
/// # Errors
/// When the input is no JSON array, or an empty one.
pub fn split_batch(input: &[u8]) -> Result<Vec<&[u8]>, DecodeError> {
    let text = std::str::from_utf8(input)
        .map_err(|error| DecodeError::Utf8 { offset: error.valid_up_to() })?;
    let mut lexer = Lexer::new(text);
    let unexpected = |expected: &str, found: &str| DecodeError::Unexpected {
        path: "the message".to_owned(),
        expected: expected.to_owned(),
        found: found.to_owned(),
    };
    let kind = lexer.peek()?;
    if kind != Kind::Array {
        return Err(unexpected("an array", kind.name()));
    }
    lexer.take(b'[');
    let mut messages = Vec::new();
    while !lexer.take(b']') {
        if !messages.is_empty() {
            lexer.expect(b',', "a comma or a closing bracket")?;
        }
        messages.push(&input[lexer.value()?]);
    }
    lexer.end()?;
    if messages.is_empty() {
        return Err(unexpected("at least one message", "an empty array"));
    }
    Ok(messages)
}

/// Removes the line breaks of a JSON text, so that it fits on a line: in a string they only stand
/// escaped.
pub fn one_line(json: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    if !json.iter().any(is_break) {
        return json;
    }
    Cow::Owned(json.iter().copied().filter(|b| !is_break(b)).collect())
}
