//! Making frames, such that the types leave nothing for the decoder to refuse.

use std::marker::PhantomData;

use crate::{
    body::Body,
    frame::{Address, Admission, Flags, Frame, FrameType, Priority},
};

/// A frame in the making, from one of the constructors of [`Frame`]. Its flags start as zeros.
///
/// Nothing can fail here: a [`Body`] is never too long, an [`Address`] never has an epoch on the
/// control channel, the types without a body take none, and only `FrameBuilder<MayShed>` can be
/// sheddable.
///
/// ```
/// use subc_protocol::{Address, Body, Frame, Priority};
///
/// let frame = Frame::push(Address::Control, 7, Body::new("{}")?)
///     .priority(Priority::Background)
///     .sheddable()
///     .build();
/// assert_eq!(frame.flags().to_byte(), 0b10_0100);
/// # Ok::<(), subc_protocol::BodyError>(())
/// ```
///
/// ```compile_fail,E0599
/// # use subc_protocol::{Address, Frame};
/// Frame::ping(Address::Control, 7).sheddable();
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder makes its frame when built"]
pub struct FrameBuilder<S = MustKeep> {
    frame: Frame,
    shedding: PhantomData<S>,
}

/// Marks a [`FrameBuilder`] of a type that must not be shed.
#[derive(Clone, Copy, Debug)]
pub enum MustKeep {}

/// Marks a [`FrameBuilder`] of a type that may be shed.
#[derive(Clone, Copy, Debug)]
pub enum MayShed {}

impl Frame {
    /// A frame that asks for an answer.
    pub fn request(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::Request, address, corr, body)
    }

    /// A frame that answers a request.
    pub fn response(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::Response, address, corr, body)
    }

    /// A frame that tells something that nobody asked for.
    pub fn push(address: Address, corr: u64, body: Body) -> FrameBuilder<MayShed> {
        FrameBuilder::new(FrameType::Push, address, corr, body)
    }

    /// A piece of a stream.
    pub fn stream_data(address: Address, corr: u64, body: Body) -> FrameBuilder<MayShed> {
        FrameBuilder::new(FrameType::StreamData, address, corr, body)
    }

    /// The end of a stream.
    pub fn stream_end(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::StreamEnd, address, corr, body)
    }

    /// A frame that refuses a request or ends a stream; [`ErrorBody`](crate::ErrorBody) is its body.
    pub fn error(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::Error, address, corr, body)
    }

    /// A frame that withdraws a request.
    pub fn cancel(address: Address, corr: u64) -> FrameBuilder {
        FrameBuilder::new(FrameType::Cancel, address, corr, Body::default())
    }

    /// A frame that asks for a sign of life.
    pub fn ping(address: Address, corr: u64) -> FrameBuilder {
        FrameBuilder::new(FrameType::Ping, address, corr, Body::default())
    }

    /// A frame that gives a sign of life.
    pub fn pong(address: Address, corr: u64) -> FrameBuilder {
        FrameBuilder::new(FrameType::Pong, address, corr, Body::default())
    }

    /// A frame that opens a connection.
    pub fn hello(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::Hello, address, corr, body)
    }

    /// A frame that accepts a connection.
    pub fn hello_ack(address: Address, corr: u64, body: Body) -> FrameBuilder {
        FrameBuilder::new(FrameType::HelloAck, address, corr, body)
    }

    /// A frame that closes a connection.
    pub fn goodbye(address: Address, corr: u64) -> FrameBuilder {
        FrameBuilder::new(FrameType::Goodbye, address, corr, Body::default())
    }
}

impl<S> FrameBuilder<S> {
    fn new(frame_type: FrameType, address: Address, corr: u64, body: Body) -> Self {
        Self {
            frame: Frame { frame_type, flags: Flags::default(), address, corr, body },
            shedding: PhantomData,
        }
    }

    /// Whether the body is something other than JSON.
    pub fn binary(mut self, binary: bool) -> Self {
        self.frame.flags.binary = binary;
        self
    }

    /// How urgent the frame is.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.frame.flags.priority = priority;
        self
    }

    /// Whether no other frame of this correlation follows.
    pub fn last(mut self, last: bool) -> Self {
        self.frame.flags.last = last;
        self
    }

    /// Lets the frame go first under load.
    pub fn expedite(mut self) -> Self {
        self.frame.flags.admission = Admission::Expedite;
        self
    }

    /// Whether the daemon itself makes the frame.
    pub fn daemon_origin(mut self, daemon_origin: bool) -> Self {
        self.frame.flags.daemon_origin = daemon_origin;
        self
    }

    /// Whether the frame belongs to a subscription.
    pub fn subscription(mut self, subscription: bool) -> Self {
        self.frame.flags.subscription = subscription;
        self
    }

    /// The frame.
    pub fn build(self) -> Frame {
        self.frame
    }
}

impl FrameBuilder<MayShed> {
    /// Lets the frame be dropped under load.
    pub fn sheddable(mut self) -> Self {
        self.frame.flags.admission = Admission::Sheddable;
        self
    }
}
