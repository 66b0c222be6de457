//! From the bytes of one revision to the bytes of another.

use std::borrow::Cow;

use protocol_droid_ir::{
    Buffer, Entry, Feature, Lower, LowerError, Lowering, Message, Policy, RequestId, Text,
    TranslationReport,
};

use crate::codec::{Codec, Decoded, bounded, buffer, read_all, write_all};
use crate::error::{DecodeError, TranslateError};
use crate::methods;
use crate::pending::Expect;
use crate::reader::{Read, Reader};
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

impl MessageKind {
    /// The same, sharing nothing with the message.
    fn detached(self) -> Self {
        let text = |text: Text| Text::from(text.as_str());
        match self {
            Self::Request { id, method } => {
                Self::Request { id: id.detached(), method: text(method) }
            }
            Self::Notification { method } => Self::Notification { method: text(method) },
            Self::Response { id } => Self::Response { id: id.detached() },
            Self::Error { id } => Self::Error { id: id.map(|id| id.detached()) },
            Self::BareResult => Self::BareResult,
        }
    }
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
    let (text, hop) = (buffer(input)?, Hop { from, to, policy });
    let decoded = hop.read(&text, |r| read_message(r, expect))?;
    methods::check(&decoded.value, expect, from.revision(), to.revision())?;
    let kind = MessageKind::from(&decoded.value);
    let (written, report) = hop.carry(decoded, &text, |_, _| Ok(()), write_message)?;
    Ok(Translation { bytes: written.map_or(Cow::Borrowed(input), Cow::Owned), report, kind })
}

/// Like [`translate_as`], without a copy of the input: at its peak it takes the memory of input and
/// output together. Where nothing had to change, the input itself comes back.
///
/// # Errors
/// As for [`translate`].
pub fn translate_buffer(
    input: Buffer,
    expect: Expect<'_>,
    from: &dyn Codec,
    to: &dyn Codec,
    policy: &Policy,
) -> Result<Translation<'static>, TranslateError> {
    bounded(input.as_str().len())?;
    let hop = Hop { from, to, policy };
    let decoded = hop.read(&input, |r| read_message(r, expect))?;
    methods::check(&decoded.value, expect, from.revision(), to.revision())?;
    let kind = MessageKind::from(&decoded.value).detached();
    let (written, report) = hop.carry(decoded, &input, |_, _| Ok(()), write_message)?;
    let bytes = Cow::Owned(written.unwrap_or_else(|| input.into_string().into_bytes()));
    Ok(Translation { bytes, report, kind })
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
    methods::check_name(method, from.revision(), to.revision())?;
    let (text, hop) = (buffer(input)?, Hop { from, to, policy });
    let decoded = hop.read(&text, |r| read_result(r, method))?;
    let (written, report) = hop.carry(decoded, &text, |_, _| Ok(()), write_result)?;
    let bytes = written.map_or(Cow::Borrowed(input), Cow::Owned);
    Ok(Translation { bytes, report, kind: MessageKind::BareResult })
}

/// The way of a message from one revision to another.
#[derive(Clone, Copy)]
pub(crate) struct Hop<'c> {
    pub(crate) from: &'c dyn Codec,
    pub(crate) to: &'c dyn Codec,
    pub(crate) policy: &'c Policy,
}

impl Hop<'_> {
    /// Whether the message stays at its revision, and so has nothing to lose.
    fn stays(&self) -> bool {
        self.from.revision().bit == self.to.revision().bit
    }

    /// Reads what is to be carried.
    pub(crate) fn read<T>(
        &self,
        text: &Buffer,
        read: impl FnOnce(&mut Reader<'_>) -> Read<T>,
    ) -> Result<Decoded<T>, DecodeError> {
        let target = if self.stays() { 0 } else { self.to.revision().bit };
        read_all(text, self.from.revision(), target, read)
    }

    /// Lowers what was read and writes it, unless the text will do as it is; `prepare` may change
    /// the value first.
    pub(crate) fn carry<T: Lower>(
        &self,
        decoded: Decoded<T>,
        text: &Buffer,
        prepare: impl FnOnce(&mut T, &mut Lowering<'_>) -> Result<(), LowerError>,
        write: impl FnOnce(&T, &mut Writer<'_>) -> Written,
    ) -> Result<(Option<Vec<u8>>, TranslationReport), TranslateError> {
        let Decoded { mut value, mut report } = decoded;
        if self.policy.is_strict()
            && let Some(entry) = report.entries.first()
        {
            let (path, note) = (entry.path.clone(), entry.note.to_string());
            return Err(TranslateError::Repaired { path, note });
        }
        let mut lowering =
            Lowering::new(self.to.features(), self.policy).with_source(self.from.features());
        prepare(&mut value, &mut lowering)?;
        if !self.stays() {
            value.lower(&mut lowering)?;
        }
        // An item carried as unknown stands as it came.
        let as_it_came = |entry: &Entry| entry.feature == Some(Feature::UnknownContent);
        if report.iter().all(as_it_came) && !lowering.has_changed() {
            return Ok((None, report));
        }
        report.append(lowering.into_report());
        // Room for what is carried as text grows by its escapes; what is not used costs nothing.
        let mut out = Vec::with_capacity(text.as_str().len() * 3 / 2 + 256);
        match write_all(&mut out, self.to.revision(), |w| write(&value, w)) {
            Ok(()) => Ok((Some(out), report)),
            // A fault that its own revision has no better form for stays as it came.
            Err(_) if self.stays() => Ok((None, report)),
            Err(error) => Err(error.into()),
        }
    }
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
