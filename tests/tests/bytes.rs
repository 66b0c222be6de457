//! Any bytes at all: no panic, and an error that says where.

use proptest::collection::vec;
use proptest::prelude::*;
use protocol_droid_codecs::{
    DecodeError, Expect, compiled, decode_value, one_line, split_batch, translate_as,
};
use protocol_droid_ir::{Content, Policy, Tool};
use protocol_droid_tests::fixtures::{Fixture, fixtures};
use protocol_droid_tests::frames::{list_result, request, response, tool_result};
use protocol_droid_tests::generate::config;
use protocol_droid_tests::json::Json;

/// Puts bytes through all that takes bytes.
fn put_through(input: &[u8]) {
    for method in [None, Some("tools/call"), Some("tools/list"), Some("prompts/get")] {
        let expect = Expect { method, ..Expect::default() };
        for &from in compiled() {
            let decoded = from.decode(input, expect);
            if let Ok(decoded) = decoded {
                let mut out = Vec::new();
                let _ = from.encode(&decoded.value, &mut out);
            }
            for &to in compiled() {
                let _ = translate_as(input, expect, from, to, &Policy::faithful());
            }
        }
    }
    for &codec in compiled() {
        let _ = codec.decode_result(input, "tools/call");
        let _ = codec.decode_result(input, "tools/list");
        let _ = decode_value::<Tool>(codec, input);
        let _ = decode_value::<Content>(codec, input);
    }
    let _ = split_batch(input);
    let _ = one_line(input.into());
}

/// A fixture in a whole message, if it can be in one.
fn whole(fixture: &Fixture) -> String {
    let (revision, text) = (fixture.codec.name(), fixture.text.as_str());
    match fixture.kind.name() {
        "CallToolResult" | "InputRequiredResult" | "ListToolsResult" => response("1", text),
        "Tool" => response("1", &list_result(revision, text, &[])),
        "CallToolRequest" | "ListToolsRequest" | "JSONRPCErrorResponse" => text.to_owned(),
        _ => response("1", &tool_result(revision, text, &[])),
    }
}

/// A fixture with some bytes changed, taken out or cut off.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let all = fixtures();
    let all: Vec<_> = all.iter().map(whole).chain(all.iter().map(|f| f.text.clone())).collect();
    let damage = (any::<prop::sample::Index>(), 0..3u8, any::<u8>());
    (prop::sample::select(all), vec(damage, 1..4)).prop_map(|(fixture, damages)| {
        let mut bytes = fixture.into_bytes();
        for (at, how, byte) in damages {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases * 16, ..config() })]

    #[test]
    fn no_bytes_make_a_panic(input in vec(any::<u8>(), 0..200)) {
        put_through(&input);
    }

    #[test]
    fn no_text_makes_a_panic(input in "[\\[\\]{}\":,0-9a-z\\\\ \n.eE+-]{0,200}") {
        put_through(input.as_bytes());
    }

    #[test]
    fn no_damage_to_a_message_makes_a_panic(input in damaged()) {
        put_through(&input);
    }
}

#[test]
fn what_is_no_json_is_an_error_that_says_where() {
    let good = request("2024-11-05", "1", "tools/list", &[], &[]);
    let bare: &[u8] = good.as_bytes();
    for &codec in &compiled()[..4] {
        let decode = |input: &[u8]| codec.decode(input, Expect::default()).map(|d| d.value);
        assert!(decode(bare).is_ok());
        assert!(decode(&[b" \t\r\n", bare, b"\n"].concat()).is_ok());
        for end in 0..bare.len() {
            let error = decode(&bare[..end]).expect_err("it is cut off");
            assert!(error.is_syntax(), "{end}: {error}");
        }
        for (input, at) in [
            ([bare, b"x"].concat(), bare.len()),
            ([bare, bare].concat(), bare.len()),
            ([b"\xef\xbb\xbf", bare].concat(), 0),
            ([b"\x0b", bare].concat(), 0),
        ] {
            match decode(&input) {
                Err(DecodeError::Syntax(error)) => assert_eq!(error.offset, at),
                other => panic!("{other:?}"),
            }
        }
        for (input, at) in [
            ([bare, b"\xff"].concat(), bare.len()),
            ([b"\xc0\xaf", bare].concat(), 0),
            ([b"{\"\xed\xa0\x80\":1,".as_slice(), &bare[1..]].concat(), 2),
        ] {
            assert_eq!(decode(&input), Err(DecodeError::Utf8 { offset: at }));
        }
    }
}

#[test]
fn half_a_surrogate_pair_is_an_error_or_comes_out_as_it_came() {
    for &codec in compiled() {
        for (input, method) in [
            (request(codec.name(), r#""\ud800""#, "tools/list", &[], &[]), None),
            (request(codec.name(), "1", "tools/call", &[r#""name":"\udc00a""#], &[]), None),
            (request(codec.name(), "1", "tools/list", &[r#""cursor":"\ud800\u0041""#], &[]), None),
            (
                request(codec.name(), "1", "tools/list", &[r#""\ud800":1"#, r#""\udbff":2"#], &[]),
                None,
            ),
            (
                response(
                    "1",
                    &tool_result(codec.name(), r#"{"type":"text","text":"\ud83d"}"#, &[]),
                ),
                Some("tools/call"),
            ),
        ] {
            let expect = Expect { method, ..Expect::default() };
            let Ok(decoded) = codec.decode(input.as_bytes(), expect) else { continue };
            let mut out = Vec::new();
            codec.encode(&decoded.value, &mut out).expect("encodes where it was read");
            assert_eq!(Json::read(&out), Json::read(&input), "{codec:?}");
        }
    }
}

#[test]
fn one_line_takes_out_line_breaks_and_nothing_else() {
    let message = "{\n  \"a\\n\" : [ 1 ,\r\n\t2 ],\r\"b\":\"c d\"\n}\n";
    let line = one_line(message.as_bytes().into());
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'), "{line:?}");
    assert_eq!(Json::read(&line), Json::read(message));
    let already = b"{\"a\": [1,\t2]}";
    assert!(matches!(one_line(already[..].into()), std::borrow::Cow::Borrowed(_)));
}
