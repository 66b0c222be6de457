//! What can go wrong between bytes and messages.

use protocol_droid_ir::lex::SyntaxError;
use protocol_droid_ir::{Feature, LowerError, Misfit, Path, ProtocolVersion};
use thiserror::Error;

/// Bytes that are no message of the revision.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The message is longer than any that is read.
    #[error("the message: expected at most {max} bytes, found {len}")]
    TooLong {
        /// How long it is.
        len: usize,
        /// How long it may be.
        max: usize,
    },
    /// The bytes are not UTF-8.
    #[error("byte {offset}: expected UTF-8, found a byte that is not")]
    Utf8 {
        /// Offset of the first bad byte.
        offset: usize,
    },
    /// The text is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A value is not of its member's type.
    #[error("{path}: expected {expected}, found {found}")]
    Unexpected {
        /// Where, as in `result.content[2].mimeType`.
        path: Path,
        /// What the revision allows there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A member that the revision requires is not there.
    #[error("{path}: required, found nothing")]
    Missing {
        /// Where it should be.
        path: Path,
    },
    /// A member that the revision defines is there twice.
    #[error("{path}: expected once, found a second time")]
    Duplicate {
        /// Where.
        path: Path,
    },
    /// A response whose request's method is not known: results have no tag of their own.
    #[error("result: the method of the request that this answers is not known")]
    Untyped,
    /// Several messages in one array; see [`split_batch`](crate::split_batch).
    #[error("the message: expected one message, found an array of them")]
    Batch,
}

impl DecodeError {
    /// Whether the input is no JSON at all, or too long to be looked at, so that nothing in it can be trusted.
    pub fn is_syntax(&self) -> bool {
        matches!(self, Self::Syntax(_) | Self::TooLong { .. } | Self::Utf8 { .. })
    }

    /// Where the fault is; the whole message for input that is not looked into.
    pub fn path(&self) -> Path {
        match self {
            Self::Unexpected { path, .. } | Self::Missing { path } | Self::Duplicate { path } => {
                path.clone()
            }
            Self::Untyped => Path::from("result"),
            _ => Path::new(),
        }
    }

    /// Where the fault is, what was expected there and what was found.
    pub fn misfit(&self) -> Misfit {
        let (expected, found) = match self {
            Self::Unexpected { expected, found, .. } => (expected.as_str(), found.clone()),
            Self::Missing { .. } => ("a required member", "nothing".to_owned()),
            Self::Duplicate { .. } => ("it once", "it a second time".to_owned()),
            Self::Batch => ("one message", "an array of them".to_owned()),
            other => ("a message", other.to_string()),
        };
        Misfit { path: self.path().pointer(), expected: expected.to_owned(), found }
    }
}

/// A value that the revision cannot express, because nobody lowered it.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum EncodeError {
    /// It needs something that the revision does not have.
    #[error("{path}: {revision} has no {feature}")]
    Inexpressible {
        /// Where, as in `result.content[2].title`.
        path: Path,
        /// What the revision lacks.
        feature: Feature,
        /// The revision.
        revision: &'static str,
    },
    /// It lacks what the revision requires.
    #[error("{path}: required at {revision}, found nothing")]
    Missing {
        /// Where it should be.
        path: Path,
        /// The revision.
        revision: &'static str,
    },
    /// An extension bears the name of a member that the revision defines.
    #[error("{path}: an extension bears the name of a member of {revision}")]
    Collision {
        /// Where.
        path: Path,
        /// The revision.
        revision: &'static str,
    },
}

impl EncodeError {
    /// Where the value is that the revision cannot express.
    pub fn path(&self) -> &Path {
        match self {
            Self::Inexpressible { path, .. }
            | Self::Missing { path, .. }
            | Self::Collision { path, .. } => path,
        }
    }
}

/// A message that could not be translated; nothing was written.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TranslateError {
    /// The input is no message of its revision.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The message has no form at the target, or the policy refuses it.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// The target does not have the method.
    #[error("method: {target} does not have {method}{}", .instead.map(|i| format!("; {i}")).unwrap_or_default())]
    Method {
        /// The method.
        method: String,
        /// The target's name.
        target: &'static str,
        /// What takes its place there, if anything does.
        instead: Option<&'static str>,
    },
    /// The policy is strict, and the input had to be repaired to be read.
    #[error("{path}: the policy refuses repairs: {note}")]
    Repaired {
        /// JSON Pointer to what was repaired.
        path: String,
        /// What was at fault.
        note: String,
    },
    /// The lowered message does not fit the target: a fault of this library, or an extension that
    /// collides with a member.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// A revision that this build has no codec for, or that does not exist.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum CodecError {
    /// The revision is known, but its Cargo feature is off.
    #[error("revision {0} is not compiled into this build")]
    NotCompiled(String),
    /// No such revision.
    #[error("unknown revision {0:?}: expected a date such as {latest}, or draft", latest = ProtocolVersion::LATEST)]
    Unknown(String),
}
