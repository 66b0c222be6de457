//! Properties of encoder, builder and decoder.

use proptest::{collection::vec, option, prelude::*, sample::select};
use subc_protocol::{
    Address, Body, DecodeError, Flags, Frame, FrameType, HEADER_LEN, MAX_BODY_LEN,
};

mod support;

fn flags() -> impl Strategy<Value = Flags> {
    (any::<[bool; 4]>(), select(&support::PRIORITIES[..]), select(&support::ADMISSIONS[..]))
        .prop_map(|([binary, last, daemon_origin, subscription], priority, admission)| Flags {
            binary,
            priority,
            last,
            admission,
            daemon_origin,
            subscription,
        })
}

fn address() -> impl Strategy<Value = Address> {
    option::of((1..=u16::MAX, any::<u32>())).prop_map(|route| match route {
        Some((channel, epoch)) => Address::new(channel, epoch).expect("a route"),
        None => Address::Control,
    })
}

fn frame() -> impl Strategy<Value = Frame> {
    let types = select(&FrameType::ALL[..]);
    (types, flags(), address(), any::<u64>(), vec(any::<u8>(), 0..80)).prop_map(
        |(frame_type, mut flags, address, corr, mut body)| {
            if !frame_type.has_body() {
                body.clear();
            }
            if !frame_type.may_shed() {
                flags.admission = support::ADMISSIONS[usize::from(body.len() % 2 == 1)];
            }
            let body = Body::new(body).expect("short");
            support::build(frame_type, flags, address, corr, body).expect("lawful parts")
        },
    )
}

/// A header that is often lawful, with as much body as it says at most.
fn header_and_some_body() -> impl Strategy<Value = Vec<u8>> {
    let len = prop_oneof![4 => 0..4u32, 1 => any::<u32>()];
    let version = prop_oneof![9 => Just(2u8), 1 => any::<u8>()];
    let frame_type = prop_oneof![9 => 0..12u8, 1 => any::<u8>()];
    let channel = prop_oneof![Just(0u16), any::<u16>()];
    let epoch = prop_oneof![Just(0u32), any::<u32>()];
    let head = (len, version, frame_type, any::<u8>(), channel, epoch, any::<u64>());
    (head, vec(any::<u8>(), 4)).prop_map(|((len, ver, ty, flags, channel, epoch, corr), body)| {
        let mut bytes = len.to_le_bytes().to_vec();
        bytes.extend([ver, ty, flags]);
        bytes.extend(channel.to_le_bytes());
        bytes.extend(epoch.to_le_bytes());
        bytes.extend(corr.to_le_bytes());
        bytes.extend(&body[..body.len().min(len as usize)]);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_the_builder_makes_decodes_to_itself(
        frames in vec(frame(), 0..6),
        pieces in vec(any::<u8>(), 0..8),
    ) {
        let stream: Vec<u8> = frames.iter().flat_map(Frame::encode).collect();
        prop_assert_eq!(support::decode(&stream, &pieces), (frames, Ok(())));
    }

    #[test]
    fn what_decodes_is_what_the_builder_makes(
        headers in vec(header_and_some_body(), 0..6),
        pieces in vec(any::<u8>(), 0..8),
    ) {
        support::check_stream(&headers.concat(), &pieces);
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(stream in vec(any::<u8>(), 0..200), pieces in vec(any::<u8>(), 0..8)) {
        support::check_stream(&stream, &pieces);
    }

    #[test]
    fn a_cut_frame_is_truncated(frame in frame(), cut in any::<prop::sample::Index>()) {
        let bytes = frame.encode();
        let cut = cut.index(bytes.len());
        let (frames, end) = support::decode(&bytes[..cut], &[]);
        prop_assert!(frames.is_empty());
        let truncated = DecodeError::Truncated {
            at: 0,
            expected: if cut < 5 { HEADER_LEN } else { bytes.len() } as u64,
            found: cut as u64,
        };
        prop_assert_eq!(end, if cut == 0 { Ok(()) } else { Err(truncated) });
    }
}

/// Every type, flags byte and kind of address: the decoder takes it exactly if the builder can make it.
#[test]
fn decoder_and_builder_allow_the_same() {
    let mut taken = 0;
    for frame_type in 0..=u8::MAX {
        for flags in 0..=u8::MAX {
            for (channel, epoch) in [(0u16, 0u32), (0, 1), (1, 0), (1, 1)] {
                for body in [&b""[..], b"x"] {
                    let mut bytes = (body.len() as u32).to_le_bytes().to_vec();
                    bytes.extend([2, frame_type, flags]);
                    bytes.extend(channel.to_le_bytes());
                    bytes.extend(epoch.to_le_bytes());
                    bytes.extend(7u64.to_le_bytes());
                    bytes.extend(body);
                    let lawful = frame_type < 12
                        && flags >> 1 & 3 != 3
                        && flags >> 4 & 3 != 3
                        && (flags >> 4 & 3 != 2 || [2, 3].contains(&frame_type))
                        && (channel, epoch) != (0, 1)
                        && (body.is_empty() || ![6, 7, 8, 11].contains(&frame_type));
                    let (frames, _) = support::decode(&bytes, &[]);
                    assert_eq!(frames.len() == 1, lawful, "{bytes:?}");
                    if let [frame] = &frames[..] {
                        assert_eq!(support::rebuild(frame).encode(), bytes);
                        taken += 1;
                    }
                }
            }
        }
    }
    // Flags without admission, addresses, and for each kind of type its number, admissions, bodies.
    assert_eq!(taken, 48 * 3 * (6 * 2 * 2 + 2 * 3 * 2 + 4 * 2));
}

#[test]
fn the_largest_body_passes() {
    let body = Body::new(vec![b' '; MAX_BODY_LEN]).expect("at the cap");
    let frame = Frame::stream_data(Address::Control, 1, body).build();
    let (frames, end) = support::decode(&frame.encode(), &[]);
    assert!(frames == [frame] && end.is_ok());
}
