//! The envelope: what a frame is made of and how its header is laid out.

use std::{fmt, num::NonZeroU16};

use crate::body::Body;

/// The version of the envelope that this crate speaks.
pub const VERSION: u8 = 2;

/// The length of a header in bytes.
pub const HEADER_LEN: usize = 21;

/// A frame that the decoder accepts: it comes from the decoder, or from a constructor that can make
/// no other.
///
/// All numbers are little-endian:
///
/// | at | field | |
/// |---:|---|---|
/// | 0 | `len` u32 | bytes of body after the header, at most [`MAX_BODY_LEN`](crate::MAX_BODY_LEN) |
/// | 4 | `ver` u8 | [`VERSION`] |
/// | 5 | `type` u8 | [`FrameType`] |
/// | 6 | `flags` u8 | [`Flags`] |
/// | 7 | `channel` u16 | 0 is the daemon's control channel |
/// | 9 | `epoch` u32 | 0 on channel 0 |
/// | 13 | `corr` u64 | pairs answers with requests |
///
/// The first five bytes keep place and meaning in every version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Frame {
    pub(crate) frame_type: FrameType,
    pub(crate) flags: Flags,
    pub(crate) address: Address,
    pub(crate) corr: u64,
    pub(crate) body: Body,
}

impl Frame {
    /// What the frame is for.
    pub fn frame_type(&self) -> FrameType {
        self.frame_type
    }

    /// How the frame wants to be treated.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Where the frame goes, or comes from.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The correlation number: answers bear that of their request.
    pub fn corr(&self) -> u64 {
        self.corr
    }

    /// The body; empty for the types that have none.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The body, without the rest.
    pub fn into_body(self) -> Body {
        self.body
    }

    /// The header, as it goes on the wire.
    pub fn header(&self) -> [u8; HEADER_LEN] {
        let mut header = [0; HEADER_LEN];
        header[0..4].copy_from_slice(&self.body.wire_len().to_le_bytes());
        header[4] = VERSION;
        header[5] = self.frame_type.to_byte();
        header[6] = self.flags.to_byte();
        header[7..9].copy_from_slice(&self.address.channel().to_le_bytes());
        header[9..13].copy_from_slice(&self.address.epoch().to_le_bytes());
        header[13..21].copy_from_slice(&self.corr.to_le_bytes());
        header
    }

    /// Appends the whole frame to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(HEADER_LEN + self.body.len());
        out.extend_from_slice(&self.header());
        out.extend_from_slice(self.body.as_bytes());
    }

    /// The whole frame, as it goes on the wire.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_into(&mut out);
        out
    }
}

/// What a frame is for; the discriminant is the byte on the wire.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
#[repr(u8)]
pub enum FrameType {
    /// Asks for an answer; on a bound route, a [`ToolCallRequest`](crate::ToolCallRequest).
    Request = 0,
    /// Answers a request.
    Response = 1,
    /// Tells something that nobody asked for.
    Push = 2,
    /// A piece of a stream.
    StreamData = 3,
    /// The end of a stream.
    StreamEnd = 4,
    /// Refuses a request or ends a stream, with an [`ErrorBody`](crate::ErrorBody).
    Error = 5,
    /// Withdraws a request. No body.
    Cancel = 6,
    /// Asks for a sign of life. No body.
    Ping = 7,
    /// Gives a sign of life. No body.
    Pong = 8,
    /// Opens a connection.
    Hello = 9,
    /// Accepts a connection.
    HelloAck = 10,
    /// Closes a connection. No body.
    Goodbye = 11,
}

impl FrameType {
    /// All types, in the order of their bytes.
    pub const ALL: [Self; 12] = [
        Self::Request,
        Self::Response,
        Self::Push,
        Self::StreamData,
        Self::StreamEnd,
        Self::Error,
        Self::Cancel,
        Self::Ping,
        Self::Pong,
        Self::Hello,
        Self::HelloAck,
        Self::Goodbye,
    ];

    /// The type with this byte, if there is one.
    pub fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    /// The byte on the wire.
    pub fn to_byte(self) -> u8 {
        self as u8
    }

    /// Whether such frames may have a body.
    pub fn has_body(self) -> bool {
        !matches!(self, Self::Cancel | Self::Ping | Self::Pong | Self::Goodbye)
    }

    /// Whether such frames may be [`Admission::Sheddable`].
    pub fn may_shed(self) -> bool {
        matches!(self, Self::Push | Self::StreamData)
    }
}

impl fmt::Display for FrameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// How a frame wants to be treated: the flags byte. The default is all zeros.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub struct Flags {
    /// Bit 0: the body is not JSON.
    pub binary: bool,
    /// Bits 1 and 2.
    pub priority: Priority,
    /// Bit 3: no other frame of this correlation follows.
    pub last: bool,
    /// Bits 4 and 5.
    pub admission: Admission,
    /// Bit 6: the daemon itself made the frame.
    pub daemon_origin: bool,
    /// Bit 7: the frame belongs to a subscription.
    pub subscription: bool,
}

impl Flags {
    /// The byte on the wire.
    pub fn to_byte(self) -> u8 {
        u8::from(self.binary)
            | (self.priority as u8) << 1
            | u8::from(self.last) << 3
            | (self.admission as u8) << 4
            | u8::from(self.daemon_origin) << 6
            | u8::from(self.subscription) << 7
    }

    /// The flags of a byte, with `None` in place of a priority or admission of 3.
    pub(crate) fn read(byte: u8) -> (Option<Priority>, Option<Admission>, Self) {
        let bit = |n: u8| byte >> n & 1 == 1;
        let priority = match byte >> 1 & 3 {
            0 => Some(Priority::Passive),
            1 => Some(Priority::Interactive),
            2 => Some(Priority::Background),
            _ => None,
        };
        let admission = match byte >> 4 & 3 {
            0 => Some(Admission::Normal),
            1 => Some(Admission::Expedite),
            2 => Some(Admission::Sheddable),
            _ => None,
        };
        let flags = Self {
            binary: bit(0),
            priority: priority.unwrap_or_default(),
            last: bit(3),
            admission: admission.unwrap_or_default(),
            daemon_origin: bit(6),
            subscription: bit(7),
        };
        (priority, admission, flags)
    }
}

/// How urgent a frame is. The value 3 is refused.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Priority {
    /// Nobody said.
    #[default]
    Passive = 0,
    /// Somebody waits for it.
    Interactive = 1,
    /// Nobody waits for it.
    Background = 2,
}

/// What happens to a frame under load. The value 3 is refused.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Admission {
    /// It queues.
    #[default]
    Normal = 0,
    /// It goes first.
    Expedite = 1,
    /// It may be dropped; only a push and stream data may say so.
    Sheddable = 2,
}

/// Where a frame goes, or comes from.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Address {
    /// The daemon's control channel: channel 0, which has no epochs.
    Control,
    /// A bound route.
    Route {
        /// The channel of the route.
        channel: NonZeroU16,
        /// Which binding of the channel is meant.
        epoch: u32,
    },
}

impl Address {
    /// The address with these numbers; `None` for an epoch other than 0 on channel 0.
    pub fn new(channel: u16, epoch: u32) -> Option<Self> {
        match (NonZeroU16::new(channel), epoch) {
            (Some(channel), epoch) => Some(Self::Route { channel, epoch }),
            (None, 0) => Some(Self::Control),
            (None, _) => None,
        }
    }

    /// The channel; 0 for the control channel.
    pub fn channel(self) -> u16 {
        match self {
            Self::Control => 0,
            Self::Route { channel, .. } => channel.get(),
        }
    }

    /// The epoch; 0 for the control channel.
    pub fn epoch(self) -> u32 {
        match self {
            Self::Control => 0,
            Self::Route { epoch, .. } => epoch,
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn types_sit_at_their_byte() {
        for (byte, frame_type) in FrameType::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(frame_type.to_byte()), byte);
        }
        assert_eq!(FrameType::from_byte(12), None);
    }

    #[test]
    fn every_flags_byte_is_refused_or_read_and_written_alike() {
        for byte in 0..=u8::MAX {
            let (priority, admission, flags) = Flags::read(byte);
            assert_eq!(priority.is_none(), byte >> 1 & 3 == 3);
            assert_eq!(admission.is_none(), byte >> 4 & 3 == 3);
            if priority.is_some() && admission.is_some() {
                assert_eq!(flags.to_byte(), byte);
            }
        }
    }
}
