//! The first byte picks a codec; the second a method, and whether the rest is a message or a bare
//! result.

use std::fmt::Debug;

use protocol_droid_codecs::{Codec, DecodeError, Decoded, EncodeError, Expect};
use protocol_droid_ir::{Entry, Feature, same_json};
use protocol_droid_tests::json::{Json, differences};

use crate::input::{Choices, shown, tree};

pub fn check(input: &[u8]) {
    let Some(&[codec, method]) = input.first_chunk() else { return };
    let (codec, mut method, text) = (Choices(codec).codec(), Choices(method), &input[2..]);
    let (method, bare) = (method.method(), method.pick(&[false, true]));
    match method.filter(|_| bare) {
        Some(method) => round_trip(
            codec,
            text,
            |text| codec.decode_result(text, method),
            |value, out| codec.encode_result(value, out),
        ),
        None => round_trip(
            codec,
            text,
            |text| codec.decode(text, Expect { method, ..Expect::default() }),
            |value, out| codec.encode(value, out),
        ),
    }
}

fn round_trip<T: Debug + PartialEq>(
    codec: &dyn Codec,
    text: &[u8],
    decode: impl Fn(&[u8]) -> Result<Decoded<T>, DecodeError>,
    encode: impl Fn(&T, &mut Vec<u8>) -> Result<(), EncodeError>,
) {
    let Ok(read) = decode(text) else { return };
    let mut out = Vec::new();
    encode(&read.value, &mut out).unwrap_or_else(|error| panic!("{codec:?}: {error}"));
    if read.report.is_empty() {
        assert_same(text, &out);
    }

    let again =
        decode(&out).unwrap_or_else(|error| panic!("{codec:?}: {error} in {}", shown(&out)));
    assert_eq!(again.value, read.value, "{codec:?}: {}", shown(&out));
    // What could not be read is carried as it came, and is no better the second time; nor is an error
    // without an id where one is demanded.
    let stays =
        |entry: &Entry| entry.feature == Some(Feature::UnknownContent) || entry.path == "/id";
    assert!(again.report.iter().all(stays), "{codec:?}: {again:?}");
    let mut twice = Vec::new();
    encode(&again.value, &mut twice).expect("it was written before");
    assert_eq!(shown(&twice), shown(&out));
}

/// Fails if the two texts do not say the same; numbers that are modelled may be spelled anew.
fn assert_same(before: &[u8], after: &[u8]) {
    let (Some(a), Some(b)) = (tree(before), tree(after)) else { return };
    let mut found = differences(&a, &b, &Default::default());
    found.retain(|_, sides| match sides {
        (Some(Json::Number(a)), Some(Json::Number(b))) => !same_json(a, b) && a != "-0",
        _ => true,
    });
    assert!(found.is_empty(), "{found:?}\n{}\n{}", shown(before), shown(after));
}
