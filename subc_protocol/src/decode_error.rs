//! What the decoder refuses.

use crate::{
    body::MAX_BODY_LEN,
    frame::{FrameType, VERSION},
};

/// Why bytes are not a frame.
///
/// `at` is the place in the stream of the field at fault, in bytes from 0. When a header has several
/// faults, the one listed first here is told.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The version is another.
    #[error("version {found} at byte {at}, expected {VERSION}")]
    Version {
        /// Where the version is.
        at: u64,
        /// The version.
        found: u8,
    },
    /// The body is longer than allowed. Nothing was allocated for it.
    #[error("a body of {found} bytes at byte {at}, expected at most {MAX_BODY_LEN}")]
    BodyTooLong {
        /// Where the length is.
        at: u64,
        /// The length in bytes.
        found: u32,
    },
    /// No type has this byte.
    #[error("type {found} at byte {at}, expected 0 to 11")]
    UnknownType {
        /// Where the type is.
        at: u64,
        /// The type.
        found: u8,
    },
    /// The priority bits are both set.
    #[error("flags {found:#010b} at byte {at}, expected a priority of 0 to 2")]
    RefusedPriority {
        /// Where the flags are.
        at: u64,
        /// The flags.
        found: u8,
    },
    /// The admission bits are both set.
    #[error("flags {found:#010b} at byte {at}, expected an admission of 0 to 2")]
    RefusedAdmission {
        /// Where the flags are.
        at: u64,
        /// The flags.
        found: u8,
    },
    /// A type that must not be shed is sheddable.
    #[error("a sheddable {frame_type} at byte {at}, expected only Push or StreamData")]
    MustKeep {
        /// Where the flags are.
        at: u64,
        /// The type.
        frame_type: FrameType,
    },
    /// The control channel has an epoch.
    #[error("epoch {found} on the control channel at byte {at}, expected 0")]
    ControlEpoch {
        /// Where the epoch is.
        at: u64,
        /// The epoch.
        found: u32,
    },
    /// A type without a body has one.
    #[error("a {frame_type} with a body of {found} bytes at byte {at}, expected 0")]
    UnexpectedBody {
        /// Where the length is.
        at: u64,
        /// The type.
        frame_type: FrameType,
        /// The length in bytes.
        found: u32,
    },
    /// The stream ended inside a frame. Only [`FrameDecoder::finish`](crate::FrameDecoder::finish) says so.
    #[error("the stream ended {found} bytes into the frame at byte {at}, expected {expected}")]
    Truncated {
        /// Where the frame begins.
        at: u64,
        /// The length of the frame in bytes, or of its header as long as that is all that is known.
        expected: u64,
        /// How many bytes of it came.
        found: u64,
    },
}

impl DecodeError {
    /// The name of the error, which the test vectors use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Version { .. } => "Version",
            Self::BodyTooLong { .. } => "BodyTooLong",
            Self::UnknownType { .. } => "UnknownType",
            Self::RefusedPriority { .. } => "RefusedPriority",
            Self::RefusedAdmission { .. } => "RefusedAdmission",
            Self::MustKeep { .. } => "MustKeep",
            Self::ControlEpoch { .. } => "ControlEpoch",
            Self::UnexpectedBody { .. } => "UnexpectedBody",
            Self::Truncated { .. } => "Truncated",
        }
    }

    /// The place in the stream of what is at fault, in bytes from 0.
    pub fn at(&self) -> u64 {
        match *self {
            Self::Version { at, .. }
            | Self::BodyTooLong { at, .. }
            | Self::UnknownType { at, .. }
            | Self::RefusedPriority { at, .. }
            | Self::RefusedAdmission { at, .. }
            | Self::MustKeep { at, .. }
            | Self::ControlEpoch { at, .. }
            | Self::UnexpectedBody { at, .. }
            | Self::Truncated { at, .. } => at,
        }
    }
}
