//! What is carried comes out to the byte: ids, tokens, and all that the protocol does not read.

use std::borrow::Cow;

use protocol_droid_codecs::{Codec, Expect, MessageKind, Translation, compiled, translate_as};
use protocol_droid_ir::{Feature, Message, Policy, RequestId};
use protocol_droid_tests::closed::is_modern;
use protocol_droid_tests::frames::{error, list_result, pairs, request, response, tool_result};
use protocol_droid_tests::json::Json;

fn translated<'a>(
    input: &'a str,
    method: Option<&str>,
    from: &dyn Codec,
    to: &dyn Codec,
) -> Translation<'a> {
    let expect = Expect { method, ..Expect::default() };
    let done = translate_as(input.as_bytes(), expect, from, to, &Policy::faithful());
    done.unwrap_or_else(|error| panic!("{} to {}: {error}: {input:.500}", from.name(), to.name()))
}

fn text<'a>(translation: &'a Translation<'_>) -> &'a str {
    std::str::from_utf8(&translation.bytes).expect("JSON is UTF-8")
}

/// Fails unless `part` of the input is in what every other revision gets.
fn assert_carried(input: impl Fn(&dyn Codec) -> String, method: Option<&str>, part: &str) {
    for (from, to) in pairs() {
        let input = input(from);
        assert!(input.contains(part), "{input:.500}");
        let output = translated(&input, method, from, to);
        let output = text(&output);
        let pair = format!("{} to {}", from.name(), to.name());
        assert!(output.contains(part), "{pair}: {part:.500} is not in {output:.500}");
    }
}

const IDS: [&str; 15] = [
    "0",
    "1",
    "-1",
    "9007199254740992",
    "9007199254740993",
    "18446744073709551615",
    "-9223372036854775808",
    "123456789012345678901234567890",
    r#""""#,
    r#""0""#,
    r#""1""#,
    r#"" 1""#,
    r#""9007199254740993""#,
    r#""é\"\\""#,
    "\"\u{202e}\u{10ffff}\"",
];

#[test]
fn ids_keep_their_token_and_their_difference() {
    for codec in compiled() {
        let ids: Vec<RequestId> = IDS
            .iter()
            .map(|id| {
                let input = request(codec.name(), id, "tools/list", &[], &[]);
                let decoded = codec.decode(input.as_bytes(), Expect::default());
                let Message::Request(request) = decoded.expect("a request").value else {
                    panic!("{input}")
                };
                assert_eq!(request.id.to_string(), *id);
                request.id
            })
            .collect();
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(ids.iter().position(|other| other == id), Some(at), "{codec:?}: {id}");
        }
    }
    for id in IDS.iter().chain(&["1.0", "1e2", r#""\u0031""#, r#""\/""#]) {
        let part = format!(r#""id":{id},"#);
        assert_carried(|from| request(from.name(), id, "tools/list", &[], &[]), None, &part);
        let result = |from: &dyn Codec| response(id, &tool_result(from.name(), "", &[]));
        assert_carried(result, Some("tools/call"), &part);
        assert_carried(|_| error(id, r#""code":-32601,"message":"""#), None, &part);
    }
}

#[test]
fn a_translation_says_which_message_it_was_with_its_id() {
    for (from, to) in pairs() {
        for id in IDS {
            let input = request(from.name(), id, "tools/list", &[], &[]);
            let MessageKind::Request { id: found, method } =
                translated(&input, None, from, to).kind
            else {
                panic!("{input}")
            };
            assert_eq!((found.to_string().as_str(), method.as_str()), (id, "tools/list"));
        }
    }
}

#[test]
fn progress_tokens_keep_their_token() {
    for token in IDS {
        let member = format!(r#""progressToken":{token}"#);
        let input = |from: &dyn Codec| {
            request(from.name(), "1", "tools/call", &[r#""name":"a""#], &[&member])
        };
        assert_carried(input, None, &member);
    }
}

/// Objects that careless software changes.
const OBJECTS: [&str; 9] = [
    "{}",
    "{ }",
    r#"{"b":1,"a":2,"b":3}"#,
    r#"{"x":1e2,"y":-0,"z":1.0,"w":1E+2,"v":-0.0,"u":1e400}"#,
    r#"{"big":123456789012345678901234567890123456789,"long":0.1234567890123456789012345678901}"#,
    "{ \"a\" :\t[ 1 ,\n2 ] , \"b\":{ } }",
    r#"{"\u0061":"\u00e9\/\ud83d\ude00","é":"\u0000","":null}"#,
    r#"{"name":5,"type":"text","_meta":[],"jsonrpc":"1.0"}"#,
    r#"{"lone":"\ud800"}"#,
];

#[test]
fn arguments_are_carried_to_the_byte() {
    for object in OBJECTS {
        let member = format!(r#""arguments":{object}"#);
        let input = |from: &dyn Codec| {
            request(from.name(), "1", "tools/call", &[r#""name":"a""#, &member], &[])
        };
        assert_carried(input, None, &member);
    }
}

#[test]
fn metadata_extensions_and_error_data_are_carried_to_the_byte() {
    for object in OBJECTS {
        let vendor = format!(r#""x-vendor":{object}"#);
        let data = format!(r#""data":{object}"#);
        let meta = format!(r#""com.example/m":{object}"#);
        assert_carried(
            |from| request(from.name(), "1", "tools/call", &[r#""name":"a""#, &vendor], &[&meta]),
            None,
            &vendor,
        );
        assert_carried(|from| request(from.name(), "1", "tools/list", &[], &[&meta]), None, &meta);
        let members = format!(r#""code":1,"message":"",{data},{vendor}"#);
        assert_carried(|_| error("1", &members), None, &data);
        assert_carried(|_| error("1", &members), None, &vendor);

        let metadata = format!(r#""_meta":{{{meta}}}"#);
        let block = format!(
            r#"{{"type":"text","text":"",{vendor},"annotations":{{"priority":1,{vendor}}},{metadata}}}"#
        );
        for part in [&vendor, &metadata] {
            let result = |from: &dyn Codec| {
                response("1", &tool_result(from.name(), &block, &[&vendor, &metadata]))
            };
            assert_carried(result, Some("tools/call"), part);
        }
    }
}

#[test]
fn a_member_that_no_revision_defines_may_be_there_twice() {
    let twice = r#""x-vendor":1.0,"x-vendor":{"a":2}"#;
    let call =
        |from: &dyn Codec| request(from.name(), "1", "tools/call", &[r#""name":"a""#, twice], &[]);
    assert_carried(call, None, twice);
    let block = format!(r#"{{"type":"text","text":"",{twice}}}"#);
    let result = |from: &dyn Codec| response("1", &tool_result(from.name(), &block, &[twice]));
    assert_carried(result, Some("tools/call"), twice);
    let tool = format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},{twice}}}"#);
    let list = |from: &dyn Codec| response("1", &list_result(from.name(), &tool, &[]));
    assert_carried(list, Some("tools/list"), twice);
}

#[test]
fn where_nothing_has_to_change_the_bytes_stay_as_they_are() {
    for &from in compiled() {
        let odd = |json: String| json.replace(':', " : ").replace(',', "\n,\t");
        let call = request(from.name(), "1", "tools/call", &[r#""name":"a""#], &[r#""x":1e0"#]);
        let block = r#"{"type":"text","text":"\u0061\/"}"#;
        let result = response("1", &tool_result(from.name(), block, &[r#""x-vendor":1.0"#]));
        let failed = error("1", r#""code":-32601,"message":"\u00e9""#);
        for (input, method) in
            [(odd(call), None), (odd(result), Some("tools/call")), (odd(failed), None)]
        {
            for &to in compiled() {
                if is_modern(from.name()) != is_modern(to.name()) && !input.contains("error") {
                    continue;
                }
                let same = translated(&input, method, from, to);
                let pair = format!("{} to {}", from.name(), to.name());
                assert_eq!(text(&same), input, "{pair}");
                assert!(matches!(same.bytes, Cow::Borrowed(_)), "{pair}");
            }
        }
    }
}

#[test]
fn schemas_are_carried_to_the_byte() {
    for (at, object) in OBJECTS.iter().enumerate() {
        let schema = format!(r#""inputSchema":{{ "x{at}":{object}, "type" : "object" }}"#);
        let tool = format!(r#"{{"name":"a",{schema}}}"#);
        let list = |from: &dyn Codec| response("1", &list_result(from.name(), &tool, &[]));
        assert_carried(list, Some("tools/list"), &schema);
    }
}

#[test]
fn structured_content_is_carried_to_the_byte_as_data_or_as_text() {
    for object in OBJECTS {
        let member = format!(r#""structuredContent":{object}"#);
        for (from, to) in pairs() {
            if !from.features().contains(Feature::StructuredContent) {
                continue;
            }
            let input = response("1", &tool_result(from.name(), "", &[&member]));
            let output = translated(&input, Some("tools/call"), from, to);
            let output = text(&output);
            if to.features().contains(Feature::StructuredContent) {
                assert!(output.contains(&member), "{output}");
            } else {
                let output = Json::read(output);
                let text = output.at("/result/content/0/text").and_then(Json::as_str);
                assert_eq!(text, Some(object), "{output}");
            }
        }
    }
}

#[test]
fn what_is_carried_may_nest_a_million_deep() {
    const DEPTH: usize = 1_000_000;
    let deep = format!("{}1{}", r#"[{"a":"#.repeat(DEPTH / 2), "}]".repeat(DEPTH / 2));
    let member = |name: &str| format!(r#""{name}":{deep}"#);
    let name = r#""name":"a""#;
    let arguments = format!(r#""arguments":{{"a":{deep}}}"#);
    let structured = format!(r#""structuredContent":{{"a":{deep}}}"#);
    let block = format!(r#"{{"type":"text","text":"","x-vendor":{deep}}}"#);
    let odd = format!(r#"{{"type":"odd","a":{deep}}}"#);
    let tool = format!(r#"{{"name":"a","inputSchema":{{"type":"object","a":{deep}}}}}"#);
    let [oldest, .., middle, from, _] = compiled() else { panic!("all are compiled in") };
    for to in [oldest, middle, from] {
        let call = |params: &str, meta: &[&str]| {
            request(from.name(), "1", "tools/call", &[name, params], meta)
        };
        let result =
            |content: &str, rest: &[&str]| response("1", &tool_result(from.name(), content, rest));
        for (input, method) in [
            (call(&arguments, &[]), None),
            (call(&member("x-vendor"), &[]), None),
            (call(r#""x-vendor":0"#, &[&member("x")]), None),
            (error("1", &format!(r#""code":1,"message":"","data":{deep}"#)), None),
            (error("1", &format!(r#""code":-32020,"message":"","data":{deep}"#)), None),
            (result("", &[&structured]), Some("tools/call")),
            (result("", &[&member("structuredContent")]), Some("tools/call")),
            (result(&block, &[]), Some("tools/call")),
            (result(&odd, &[]), Some("tools/call")),
            (response("1", &list_result(from.name(), &tool, &[])), Some("tools/list")),
            (response("1", &list_result(from.name(), &deep, &[])), Some("tools/list")),
        ] {
            let _ = translated(&input, method, *from, *to);
        }
    }
}

#[test]
fn depth_where_something_else_is_expected_is_an_error_and_no_overflow() {
    let deep = "[".repeat(1_000_000);
    for codec in compiled() {
        for input in [
            deep.clone(),
            format!("{deep}{}", "]".repeat(1_000_000)),
            format!(r#"{{"jsonrpc":"2.0","id":{deep}"#),
            r#"{"params":"#.repeat(1_000_000),
            r#"{"a":"#.repeat(1_000_000) + "1" + &"}".repeat(1_000_000),
        ] {
            assert!(codec.decode(input.as_bytes(), Expect::default()).is_err());
            let _ = codec.decode_result(input.as_bytes(), "tools/call");
        }
    }
}
