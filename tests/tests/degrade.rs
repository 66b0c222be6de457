//! One odd item costs itself alone: it is carried as it came and reported, and its neighbours are
//! translated.

use std::borrow::Cow;

use protocol_droid_codecs::{Codec, Expect, TranslateError, codec, compiled, translate_as};
use protocol_droid_ir::{
    Action, Content, Entry, Feature, Item, Message, Policy, ResultBody, TranslationReport,
};
use protocol_droid_tests::closed::assert_closed;
use protocol_droid_tests::frames::{list_result, pairs, response, tool_result};
use protocol_droid_tests::json::Json;

/// Blocks that no revision can read as what they say they are, in a tool result.
const ODD_BLOCKS: [&str; 20] = [
    r#"{"type":"hologram","beams":[1.0, 2]}"#,
    r#"{"type":"text","text":5}"#,
    r#"{"type":"text"}"#,
    r#"{"type":"text","text":null}"#,
    r#"{"type":"text","text":"a","text":"b"}"#,
    r#"{"type":"text","type":"text","text":"a"}"#,
    r#"{"type":"text","text":"a","annotations":[]}"#,
    r#"{"type":"text","text":"a","annotations":{"audience":"user"}}"#,
    r#"{"type":"text","text":"a","annotations":{"priority":"high"}}"#,
    r#"{"type":"image","data":"","mimeType":7}"#,
    r#"{"type":"resource","resource":{"uri":"a:b"}}"#,
    r#"{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}"#,
    r#"{"type":"Text","text":"a"}"#,
    r#"{"text":"a"}"#,
    r#"{"type":["text"],"text":"a"}"#,
    r#"{"type":"tool_use","id":"1","name":"a","input":{}}"#,
    "[]",
    "{}",
    "null",
    r#""text""#,
];

/// Links that no revision with links can read.
const ODD_LINKS: [&str; 4] = [
    r#"{"type":"resource_link","uri":"a:b","name":"a","size":-1}"#,
    r#"{"type":"resource_link","uri":"a:b","name":"a","size":1.5}"#,
    r#"{"type":"resource_link","uri":"a:b","name":"a","size":18446744073709551616}"#,
    r#"{"type":"resource_link","name":"a"}"#,
];

const ODD_TOOLS: [&str; 10] = [
    r#"{"name":"odd"}"#,
    r#"{"inputSchema":{"type":"object"}}"#,
    r#"{"name":5,"inputSchema":{"type":"object"}}"#,
    r#"{"name":"odd","inputSchema":[]}"#,
    r#"{"name":"odd","inputSchema":true}"#,
    r#"{"name":"odd","name":"even","inputSchema":{"type":"object"}}"#,
    r#"{"name":"odd","description":{},"inputSchema":{"type":"object"}}"#,
    "{}",
    "[1.0]",
    "null",
];

const GOOD_BLOCK: &str = r#"{"type":"text","text":"good"}"#;
const GOOD_TOOL: &str = r#"{"name":"good","inputSchema":{"type":"object"}}"#;

const CALL: Expect<'static> = Expect { pending: None, method: Some("tools/call") };
const LIST: Expect<'static> = Expect { pending: None, method: Some("tools/list") };

fn odd_blocks(codec: &dyn Codec) -> Vec<&'static str> {
    let mut blocks = ODD_BLOCKS.to_vec();
    if codec.features().contains(Feature::ResourceLink) {
        blocks.extend(ODD_LINKS);
    }
    blocks
}

/// A response with `odd` between two good items.
fn with_block(codec: &dyn Codec, odd: &str) -> String {
    let blocks = format!("{GOOD_BLOCK}, {odd} ,{GOOD_BLOCK}");
    response("1", &tool_result(codec.name(), &blocks, &[]))
}

fn with_tool(codec: &dyn Codec, odd: &str) -> String {
    let tools = format!("{GOOD_TOOL}, {odd} ,{GOOD_TOOL}");
    response("1", &list_result(codec.name(), &tools, &[]))
}

fn result_of(
    codec: &dyn Codec,
    input: &str,
    expect: Expect<'_>,
) -> (ResultBody, TranslationReport) {
    let decoded = codec.decode(input.as_bytes(), expect);
    let decoded = decoded.unwrap_or_else(|error| panic!("{codec:?}: {error}: {input}"));
    let Message::Response(response) = decoded.value else { panic!("{input}") };
    (response.result, decoded.report)
}

/// The one entry of a report, which says that the item at `path` could not be read.
#[track_caller]
fn assert_one(report: &TranslationReport, path: &str) {
    let repaired = |entry: &Entry| entry.path == path && entry.action == Action::Repaired;
    assert!(report.len() == 1 && report.iter().all(repaired), "{path}: {report:?}");
}

#[test]
fn an_odd_block_is_carried_as_unknown_and_reported_and_its_neighbours_are_read() {
    for &codec in compiled() {
        for odd in odd_blocks(codec) {
            let input = with_block(codec, odd);
            let (result, report) = result_of(codec, &input, CALL);
            let ResultBody::CallTool(result) = result else { panic!("{input}") };
            let [Content::Text(_), Content::Unknown(unknown), Content::Text(_)] =
                &result.content[..]
            else {
                panic!("{codec:?}: {odd}: {:?}", result.content)
            };
            assert_eq!(unknown.json.as_str(), odd);
            assert_eq!(unknown.origin, Some(codec.version()));
            assert_one(&report, "/result/content/1");
        }
    }
}

#[test]
fn an_odd_tool_is_carried_as_unknown_and_reported_and_its_neighbours_are_read() {
    for &codec in compiled() {
        for odd in ODD_TOOLS {
            let input = with_tool(codec, odd);
            let (result, report) = result_of(codec, &input, LIST);
            let ResultBody::ListTools(result) = result else { panic!("{input}") };
            let [Item::Known(_), Item::Unknown(unknown), Item::Known(_)] = &result.tools[..] else {
                panic!("{codec:?}: {odd}: {:?}", result.tools)
            };
            assert_eq!(unknown.json.as_str(), odd);
            assert_one(&report, "/result/tools/1");
        }
    }
}

/// Every odd item in a response of every revision.
fn each_odd() -> impl Iterator<Item = (&'static dyn Codec, &'static str, String, Expect<'static>)> {
    compiled().iter().flat_map(|&codec| {
        let blocks = odd_blocks(codec).into_iter();
        let blocks = blocks.map(move |odd| (codec, odd, with_block(codec, odd), CALL));
        blocks.chain(ODD_TOOLS.map(|odd| (codec, odd, with_tool(codec, odd), LIST)))
    })
}

#[test]
fn an_odd_item_goes_back_to_its_own_revision_as_it_came() {
    for (codec, odd, input, expect) in each_odd() {
        let value = codec.decode(input.as_bytes(), expect).expect("read above").value;
        let mut out = Vec::new();
        codec.encode(&value, &mut out).expect("it goes back to its own revision");
        assert_eq!(Json::read(&out), Json::read(&input));
        let out = String::from_utf8(out).expect("JSON is UTF-8");
        assert!(out.contains(odd), "{odd} is not in {out}");
    }
}

#[test]
fn a_message_with_an_odd_item_stays_as_it_is_where_it_is() {
    for (codec, _, input, expect) in each_odd() {
        let same = translate_as(input.as_bytes(), expect, codec, codec, &Policy::faithful());
        let same = same.expect("it stays where it is");
        assert_eq!(String::from_utf8_lossy(&same.bytes), input);
        assert!(matches!(same.bytes, Cow::Borrowed(_)));
    }
}

#[test]
fn a_small_odd_block_goes_to_another_revision_as_the_text_of_its_json() {
    for (from, to) in pairs().filter(|(from, to)| from.version() != to.version()) {
        for odd in odd_blocks(from) {
            let input = with_block(from, odd);
            let policy = Policy::faithful();
            let output = translate_as(input.as_bytes(), CALL, from, to, &policy);
            let output =
                output.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {odd}: {error}"));
            assert_closed(to.name(), "CallToolResultResponse", &output.bytes);
            let content = Json::read(&output.bytes).at("/result/content").cloned();
            let block = Json::read(r#"{"type":"text"}"#).with("text", Json::String(odd.to_owned()));
            let good = Json::read(GOOD_BLOCK);
            assert_eq!(content, Some(Json::Array(vec![good.clone(), block, good])));
            assert_lowered(&output.report, "/result/content/1", Action::Fallback);
        }
    }
}

#[test]
fn a_large_odd_block_goes_to_another_revision_as_a_placeholder_of_its_type_and_size() {
    let odd = format!(r#"{{"type":"hologram","beams":"{}"}}"#, "x".repeat(100_000));
    for (from, to) in pairs().filter(|(from, to)| from.version() != to.version()) {
        let input = with_block(from, &odd);
        let output = translate_as(input.as_bytes(), CALL, from, to, &Policy::faithful());
        let output = output.expect("translated");
        assert_closed(to.name(), "CallToolResultResponse", &output.bytes);
        let json = Json::read(&output.bytes);
        let text = json.at("/result/content/1/text").and_then(Json::as_str).expect("text");
        assert!(text.contains("hologram") && text.contains(&odd.len().to_string()), "{text}");
        assert!(text.len() < 200, "{text}");
        assert_eq!(json.at("/result/content/2"), Some(&Json::read(GOOD_BLOCK)));
        assert_lowered(&output.report, "/result/content/1", Action::Dropped);
    }
}

#[test]
fn an_odd_tool_does_not_go_to_another_revision_and_the_others_do() {
    for (from, to) in pairs().filter(|(from, to)| from.version() != to.version()) {
        for odd in ODD_TOOLS {
            let input = with_tool(from, odd);
            let output = translate_as(input.as_bytes(), LIST, from, to, &Policy::faithful());
            let output =
                output.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {odd}: {error}"));
            assert_closed(to.name(), "ListToolsResultResponse", &output.bytes);
            let tools = Json::read(&output.bytes).at("/result/tools").cloned();
            let good = Json::read(GOOD_TOOL);
            assert_eq!(tools, Some(Json::Array(vec![good.clone(), good])));
            assert_lowered(&output.report, "/result/tools/1", Action::Dropped);
        }
    }
}

/// The report says why the item could not be read, and what became of it.
#[track_caller]
fn assert_lowered(report: &TranslationReport, path: &str, action: Action) {
    let of = |entry: &&Entry| entry.path == path;
    let repaired = report.iter().filter(of).any(|entry| entry.action == Action::Repaired);
    let lowered = report
        .iter()
        .filter(of)
        .any(|entry| entry.action == action && entry.feature == Some(Feature::UnknownContent));
    assert!(repaired && lowered, "{path}: {report:?}");
}

#[test]
fn a_block_of_another_revision_is_unknown_to_those_that_do_not_define_it() {
    let audio = r#"{"type":"audio","data":"","mimeType":"audio/wav"}"#;
    let link = r#"{"type":"resource_link","uri":"a:b","name":"a"}"#;
    for (block, feature) in [(audio, Feature::AudioContent), (link, Feature::ResourceLink)] {
        for &codec in compiled() {
            let (result, report) = result_of(codec, &with_block(codec, block), CALL);
            let ResultBody::CallTool(result) = result else { panic!("a tool result") };
            let known = codec.features().contains(feature);
            assert_eq!(!matches!(result.content[1], Content::Unknown(_)), known, "{codec:?}");
            assert_eq!(report.is_empty(), known, "{codec:?}: {report:?}");
        }
        // Where it leads to a revision that does define it, it may be either; but it is valid.
        for (from, to) in pairs() {
            let input = with_block(from, block);
            let output = translate_as(input.as_bytes(), CALL, from, to, &Policy::faithful());
            assert_closed(to.name(), "CallToolResultResponse", &output.expect("translated").bytes);
        }
    }
}

#[test]
fn strict_refuses_what_had_to_be_repaired() {
    for (from, to) in pairs() {
        let blocks = odd_blocks(from).into_iter().map(|odd| (with_block(from, odd), CALL));
        let tools = ODD_TOOLS.into_iter().map(|odd| (with_tool(from, odd), LIST));
        for (input, expect) in blocks.chain(tools) {
            let refused = translate_as(input.as_bytes(), expect, from, to, &Policy::strict());
            let named = matches!(
                &refused,
                Err(TranslateError::Repaired { path, .. }) if path.ends_with("/1")
            );
            assert!(named, "{from:?} to {to:?}: {input}: {refused:?}");
        }
    }
}

#[test]
fn open_enums_keep_what_they_do_not_know() {
    let block = r#"{"type":"text","text":"","annotations":{"audience":["user","robot",""]}}"#;
    for &codec in compiled() {
        let input = response("1", &tool_result(codec.name(), block, &[]));
        let (_, report) = result_of(codec, &input, CALL);
        assert!(report.is_empty(), "{codec:?}: {report:?}");
        for &to in compiled() {
            let output = translate_as(input.as_bytes(), CALL, codec, to, &Policy::faithful());
            let output = Json::read(output.expect("translated").bytes);
            assert_eq!(output.at("/result/content/0"), Some(&Json::read(block)));
        }
    }
    let icon = r#"{"name":"a","inputSchema":{"type":"object"},"icons":[{"src":"data:,","theme":"sepia"}]}"#;
    let run =
        r#"{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"always"}}"#;
    for (revision, tool) in [("2025-11-25", icon), ("2026-07-28", icon), ("2025-11-25", run)] {
        let codec = codec(revision).expect("compiled in");
        let input = response("1", &list_result(revision, tool, &[]));
        let (result, report) = result_of(codec, &input, LIST);
        assert!(report.is_empty(), "{revision}: {report:?}");
        let mut out = Vec::new();
        codec.encode_result(&result, &mut out).expect("encodes where it was read");
        assert_eq!(Json::read(out).at("/tools/0"), Some(&Json::read(tool)));
    }
    let scoped = r#"{"tools":[],"resultType":"complete","ttlMs":1,"cacheScope":"family"}"#;
    let (result, report) = result_of(compiled()[4], &response("1", scoped), LIST);
    assert!(report.is_empty(), "{report:?}");
    let mut out = Vec::new();
    compiled()[4].encode_result(&result, &mut out).expect("encodes where it was read");
    assert_eq!(Json::read(out), Json::read(scoped));
}

#[test]
fn a_size_is_any_spelling_of_a_whole_number() {
    let codec = compiled()[4];
    for (token, size) in [
        ("12", Some(12)),
        ("12.0", Some(12)),
        ("1.2e1", Some(12)),
        ("0", Some(0)),
        ("-0", Some(0)),
        ("18446744073709551615", Some(u64::MAX)),
        ("-1", None),
        ("-12.0", None),
        ("12.5", None),
        ("1e400", None),
        (r#""12""#, None),
    ] {
        let link = format!(r#"{{"type":"resource_link","uri":"a:b","name":"a","size":{token}}}"#);
        let input = with_block(codec, &link);
        let (ResultBody::CallTool(result), _) = result_of(codec, &input, CALL) else {
            panic!("{input}")
        };
        let found = match &result.content[1] {
            Content::ResourceLink(link) => link.size,
            Content::Unknown(_) => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(found, size, "{token}");
    }
}
