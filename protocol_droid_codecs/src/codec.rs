//! The codecs by name, and what they have in common.

use std::fmt::Debug;

use protocol_droid_ir::{
    Buffer, FeatureSet, Message, ProtocolVersion, ResultBody, TranslationReport,
};

use crate::error::{CodecError, DecodeError, EncodeError};
use crate::pending::Expect;
use crate::reader::{Read, Reader};
use crate::revision::Revision;
use crate::wire::Wire;
use crate::wire_message::{read_message, write_message};
use crate::wire_result::{read_result, write_result};
use crate::writer::{Cut, Writer, Written};

/// A value read from bytes, and what had to be repaired or carried as unknown to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded<T> {
    /// The value.
    pub value: T,
    /// Tolerances on input; empty for input that keeps to its revision.
    pub report: TranslationReport,
}

/// Reads and writes the messages of one revision.
pub trait Codec: Debug + Send + Sync {
    /// What sets this revision apart.
    fn revision(&self) -> &'static Revision;

    /// The name: a date, or `draft`.
    fn name(&self) -> &'static str {
        self.revision().name
    }

    /// The version that peers on this revision declare. The draft declares that of the newest
    /// dated revision.
    fn version(&self) -> ProtocolVersion {
        self.revision().version
    }

    /// Everything this revision can say that some other cannot.
    fn features(&self) -> FeatureSet {
        self.revision().features()
    }

    /// Reads a message. A response is typed by `expect`; it cannot be read without.
    ///
    /// # Errors
    /// When the input is no message of this revision; the error says where.
    fn decode(&self, input: &[u8], expect: Expect<'_>) -> Result<Decoded<Message>, DecodeError> {
        self.decode_buffer(buffer(input)?, expect)
    }

    /// Like [`decode`](Self::decode), without a copy of the input.
    ///
    /// # Errors
    /// As for `decode`.
    fn decode_buffer(
        &self,
        input: Buffer,
        expect: Expect<'_>,
    ) -> Result<Decoded<Message>, DecodeError> {
        bounded(input.as_str().len())?;
        read_all(&input, self.revision(), 0, |r| read_message(r, expect))
    }

    /// Reads a bare result of `method`.
    ///
    /// # Errors
    /// When the input is no such result at this revision.
    fn decode_result(
        &self,
        input: &[u8],
        method: &str,
    ) -> Result<Decoded<ResultBody>, DecodeError> {
        read_all(&buffer(input)?, self.revision(), 0, |r| read_result(r, method))
    }

    /// Appends a message to `out`.
    ///
    /// # Errors
    /// When this revision cannot express it; `out` is then as it was.
    fn encode(&self, message: &Message, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_all(out, self.revision(), |w| write_message(message, w))
    }

    /// Appends a bare result to `out`.
    ///
    /// # Errors
    /// When this revision cannot express it; `out` is then as it was.
    fn encode_result(&self, result: &ResultBody, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_all(out, self.revision(), |w| write_result(result, w))
    }

    /// Like [`encode_result`](Self::encode_result), but text of 32 KiB and more is not copied: it
    /// comes in `cuts`, in order, with where in `out` it belongs.
    ///
    /// # Errors
    /// As for `encode_result`; `cuts` is then as it was, too.
    fn encode_result_cut(
        &self,
        result: &ResultBody,
        out: &mut Vec<u8>,
        cuts: &mut Vec<Cut>,
    ) -> Result<(), EncodeError> {
        let (start, known) = (out.len(), cuts.len());
        write_result(result, &mut Writer::new(out, self.revision()).cutting(cuts)).map_err(
            |error| {
                out.truncate(start);
                cuts.truncate(known);
                *error
            },
        )
    }
}

/// Reads a value that has a form of its own on the wire, such as a tool or a content block.
///
/// # Errors
/// When the input is no such value at the codec's revision.
pub fn decode_value<T: Wire>(codec: &dyn Codec, input: &[u8]) -> Result<Decoded<T>, DecodeError> {
    read_all(&buffer(input)?, codec.revision(), 0, T::read)
}

/// Appends a value that has a form of its own on the wire to `out`.
///
/// # Errors
/// When the codec's revision cannot express it; `out` is then as it was.
pub fn encode_value<T: Wire>(
    codec: &dyn Codec,
    value: &T,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    write_all(out, codec.revision(), |w| value.write(w))
}

/// The codecs of this build: the dated revisions, oldest first, then the draft.
pub fn compiled() -> &'static [&'static dyn Codec] {
    const COMPILED: &[&dyn Codec] = &[
        #[cfg(feature = "v2024_11_05")]
        &crate::V2024_11_05,
        #[cfg(feature = "v2025_03_26")]
        &crate::V2025_03_26,
        #[cfg(feature = "v2025_06_18")]
        &crate::V2025_06_18,
        #[cfg(feature = "v2025_11_25")]
        &crate::V2025_11_25,
        #[cfg(feature = "v2026_07_28")]
        &crate::V2026_07_28,
        #[cfg(feature = "draft")]
        &crate::Draft,
    ];
    COMPILED
}

/// The codec of a revision by its name: a date, or `draft`.
///
/// # Errors
/// When there is no such revision, or it is not compiled into this build.
pub fn codec(name: &str) -> Result<&'static dyn Codec, CodecError> {
    if let Some(codec) = compiled().iter().find(|codec| codec.name() == name) {
        return Ok(*codec);
    }
    let known = name == "draft" || name.parse::<ProtocolVersion>().is_ok();
    let error = if known { CodecError::NotCompiled } else { CodecError::Unknown };
    Err(error(name.to_owned()))
}

/// Values keep their places in a message in 32 bits; half of that leaves room for what is rewritten.
const MAX_LEN: usize = 1 << 31;

pub(crate) fn bounded(len: usize) -> Result<(), DecodeError> {
    if len > MAX_LEN { Err(DecodeError::TooLong { len, max: MAX_LEN }) } else { Ok(()) }
}

pub(crate) fn buffer(input: &[u8]) -> Result<Buffer, DecodeError> {
    bounded(input.len())?;
    Buffer::try_from(input).map_err(|error| DecodeError::Utf8 { offset: error.valid_up_to() })
}

/// Reads all of `input` as one value; `target` is the bit of the revision it goes to, or 0.
pub(crate) fn read_all<T>(
    input: &Buffer,
    revision: &'static Revision,
    target: u8,
    read: impl FnOnce(&mut Reader<'_>) -> Read<T>,
) -> Result<Decoded<T>, DecodeError> {
    let mut reader = Reader::new(input, revision, target);
    let value = read(&mut reader).map_err(|error| *error)?;
    let report = reader.finish().map_err(|error| *error)?;
    Ok(Decoded { value, report })
}

pub(crate) fn write_all(
    out: &mut Vec<u8>,
    revision: &'static Revision,
    write: impl FnOnce(&mut Writer<'_>) -> Written,
) -> Result<(), EncodeError> {
    let start = out.len();
    write(&mut Writer::new(out, revision)).map_err(|error| {
        out.truncate(start);
        *error
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "v2025_11_25")]
    #[test]
    fn what_is_cut_belongs_where_it_is_said_to() {
        use protocol_droid_ir::{JsonObject, Text, ToolResult};

        let long = |c: &str| c.repeat(40_000);
        for (text, escaped) in
            [(long("x"), 0), (long("é"), 0), ("short".into(), 0), (long("\""), 1)]
        {
            let json = format!(r#"{{"a":"{}"}}"#, long("y"));
            let result = ToolResult::text(Text::from(text.as_str()))
                .with_structured(JsonObject::new(json).expect("an object"));
            let result = ResultBody::CallTool(result);
            let (mut whole, mut out, mut cuts) = (Vec::new(), b"before".to_vec(), Vec::new());
            crate::V2025_11_25.encode_result(&result, &mut whole).expect("a result");
            crate::V2025_11_25.encode_result_cut(&result, &mut out, &mut cuts).expect("a result");
            let expected = usize::from(text.len() > 100 && escaped == 0) + 1;
            assert_eq!(cuts.len(), expected, "{}", &text[..2]);
            for cut in cuts.iter().rev() {
                out.splice(cut.at..cut.at, cut.text.as_ref().iter().copied());
            }
            assert_eq!(out, [b"before", &whole[..]].concat());
        }
    }

    #[test]
    fn what_is_longer_than_any_message_is_refused_unread() {
        let long = vec![0; MAX_LEN + 1];
        let error = DecodeError::TooLong { len: MAX_LEN + 1, max: MAX_LEN };
        assert_eq!(buffer(&long).err(), Some(error));
        assert_eq!(bounded(MAX_LEN), Ok(()));
    }
}
