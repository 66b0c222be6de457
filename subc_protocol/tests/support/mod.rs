//! What the tests and the fuzz target check alike.
#![allow(dead_code)] // Each of them uses a part.

use subc_protocol::{
    Address, Admission, Body, DecodeError, Flags, Frame, FrameDecoder, FrameType, Priority,
};

/// The frames of a stream, and how it ended.
pub(crate) type Outcome = (Vec<Frame>, Result<(), DecodeError>);

/// Decodes `stream` in pieces of the given lengths, taken round and round; all at once if there are
/// none or one is 0.
pub(crate) fn decode(stream: &[u8], pieces: &[u8]) -> Outcome {
    let (mut decoder, mut frames, mut rest) = (FrameDecoder::new(), Vec::new(), stream);
    let mut pieces = pieces.iter().cycle();
    while !rest.is_empty() {
        let piece = match pieces.next() {
            None | Some(0) => rest.len(),
            Some(&piece) => rest.len().min(piece.into()),
        };
        decoder.push(&rest[..piece]);
        rest = &rest[piece..];
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => {
                    decoder.push(b"more");
                    assert_eq!(decoder.next_frame(), Err(error.clone()), "stays failed");
                    assert_eq!(decoder.finish(), Err(error.clone()), "stays failed");
                    return (frames, Err(error));
                }
            }
        }
    }
    let end = decoder.finish();
    (frames, end)
}

/// Checks one input of the fuzz target: a count of pieces, their lengths, and the stream.
pub(crate) fn check_input(input: &[u8]) {
    let Some((&count, rest)) = input.split_first() else {
        return;
    };
    let (pieces, stream) = rest.split_at(rest.len().min(count.into()));
    check_stream(stream, pieces);
}

/// Checks that pieces make no difference, and that frames are written as they were read, by the
/// encoder and by the builder.
pub(crate) fn check_stream(stream: &[u8], pieces: &[u8]) {
    let (frames, end) = decode(stream, &[]);
    assert_eq!(decode(stream, pieces), (frames.clone(), end.clone()));
    assert_eq!(decode(stream, &[1]), (frames.clone(), end.clone()));

    let mut written = Vec::new();
    for frame in &frames {
        frame.encode_into(&mut written);
        assert_eq!(&rebuild(frame), frame);
    }
    assert!(stream.starts_with(&written));
    match end {
        Ok(()) => assert_eq!(written.len(), stream.len()),
        Err(error) => assert!(
            (written.len() as u64..=stream.len() as u64).contains(&error.at()),
            "{error} is told where it is"
        ),
    }
}

/// The frame that the builder makes of the parts of another.
pub(crate) fn rebuild(frame: &Frame) -> Frame {
    build(frame.frame_type(), frame.flags(), frame.address(), frame.corr(), frame.body().clone())
        .expect("the builder makes every frame that decodes")
}

/// What the builder makes of these parts; `None` if it cannot.
pub(crate) fn build(
    frame_type: FrameType,
    flags: Flags,
    address: Address,
    corr: u64,
    body: Body,
) -> Option<Frame> {
    macro_rules! flagged {
        ($builder:expr) => {{
            let builder = $builder
                .binary(flags.binary)
                .priority(flags.priority)
                .last(flags.last)
                .daemon_origin(flags.daemon_origin)
                .subscription(flags.subscription);
            match flags.admission {
                Admission::Expedite => builder.expedite(),
                _ => builder,
            }
        }};
    }
    let sheddable = flags.admission == Admission::Sheddable;
    if sheddable && !frame_type.may_shed() || !body.is_empty() && !frame_type.has_body() {
        return None;
    }
    Some(match frame_type {
        FrameType::Push | FrameType::StreamData => {
            let make = match frame_type {
                FrameType::Push => Frame::push,
                _ => Frame::stream_data,
            };
            let builder = flagged!(make(address, corr, body));
            match sheddable {
                true => builder.sheddable().build(),
                false => builder.build(),
            }
        }
        FrameType::Request => flagged!(Frame::request(address, corr, body)).build(),
        FrameType::Response => flagged!(Frame::response(address, corr, body)).build(),
        FrameType::StreamEnd => flagged!(Frame::stream_end(address, corr, body)).build(),
        FrameType::Error => flagged!(Frame::error(address, corr, body)).build(),
        FrameType::Cancel => flagged!(Frame::cancel(address, corr)).build(),
        FrameType::Ping => flagged!(Frame::ping(address, corr)).build(),
        FrameType::Pong => flagged!(Frame::pong(address, corr)).build(),
        FrameType::Hello => flagged!(Frame::hello(address, corr, body)).build(),
        FrameType::HelloAck => flagged!(Frame::hello_ack(address, corr, body)).build(),
        FrameType::Goodbye => flagged!(Frame::goodbye(address, corr)).build(),
        other => panic!("{other} has no constructor here"),
    })
}

/// All priorities.
pub(crate) const PRIORITIES: [Priority; 3] =
    [Priority::Passive, Priority::Interactive, Priority::Background];

/// All admissions.
pub(crate) const ADMISSIONS: [Admission; 3] =
    [Admission::Normal, Admission::Expedite, Admission::Sheddable];
