//! The table of the design's section 5, row by row: what comes out, and the exact report.

use protocol_droid_codecs::{Expect, TranslateError, codec, translate_as};
use protocol_droid_ir::{Action, Feature, Policy};
use protocol_droid_tests::closed::{REVISIONS, assert_closed, is_modern};
use protocol_droid_tests::frames::{error, list_result, request, response, tool_result};
use protocol_droid_tests::json::Json;

use Action::{Dropped, Fallback};

/// An entry of a report: where, for want of what, what was done.
type Change = (&'static str, Feature, Action);

#[track_caller]
fn translate(
    input: &str,
    method: Option<&str>,
    (from, to): (&str, &str),
    policy: &Policy,
) -> Result<(Json, Vec<(String, Option<Feature>, Action)>), TranslateError> {
    let expect = Expect { method, ..Expect::default() };
    let (from, to) = (codec(from).expect("compiled in"), codec(to).expect("compiled in"));
    let done = translate_as(input.as_bytes(), expect, from, to, policy)?;
    let changes = done.report.iter().map(|e| (e.path.clone(), e.feature, e.action)).collect();
    Ok((Json::read(&done.bytes), changes))
}

/// Fails unless `input` becomes `output` with a report of exactly `changes`.
#[track_caller]
fn assert_becomes(
    input: &str,
    method: Option<&str>,
    pair: (&str, &str),
    output: &str,
    changes: &[Change],
) {
    let (found, report) = translate(input, method, pair, &Policy::faithful())
        .unwrap_or_else(|error| panic!("{pair:?}: {error}: {input}"));
    let expected = Json::read(output);
    assert!(found == expected, "{pair:?}:\n{input}\nbecame   {found}\nexpected {expected}");
    let changes: Vec<_> = changes.iter().map(|(p, f, a)| ((*p).to_owned(), Some(*f), *a)).collect();
    assert_eq!(report, changes, "{pair:?}: {input}");
}

/// A tool result as it is at the revisions on either side.
#[track_caller]
fn result_becomes(
    (content, rest): (&str, &[&str]),
    pair: (&str, &str),
    (new_content, new_rest): (&str, &[&str]),
    changes: &[Change],
) {
    let input = response("1", &tool_result(pair.0, content, rest));
    let output = response("1", &tool_result(pair.1, new_content, new_rest));
    assert_closed(pair.1, "CallToolResultResponse", output.as_bytes());
    assert_becomes(&input, Some("tools/call"), pair, &output, changes);
}

/// A list of one tool as it is at the revisions on either side.
#[track_caller]
fn tool_becomes(tool: &str, pair: (&str, &str), new_tool: &str, changes: &[Change]) {
    let input = response("1", &list_result(pair.0, tool, &[]));
    let output = response("1", &list_result(pair.1, new_tool, &[]));
    assert_closed(pair.1, "ListToolsResultResponse", output.as_bytes());
    let hints: &[Change] = if is_modern(pair.0) && !is_modern(pair.1) {
        &[
            ("/result/ttlMs", Feature::CacheHints, Dropped),
            ("/result/cacheScope", Feature::CacheHints, Dropped),
        ]
    } else {
        &[]
    };
    let (found, mut report) = translate(&input, Some("tools/list"), pair, &Policy::faithful())
        .unwrap_or_else(|error| panic!("{pair:?}: {error}: {input}"));
    let expected = Json::read(&output);
    assert!(found == expected, "{pair:?}:\n{input}\nbecame   {found}\nexpected {expected}");
    let changes = [changes, hints].concat();
    let mut changes: Vec<_> =
        changes.iter().map(|(p, f, a)| ((*p).to_owned(), Some(*f), *a)).collect();
    changes.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    report.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    assert_eq!(report, changes, "{pair:?}: {input}");
}

fn all_but(revisions: &[&str]) -> Vec<&'static str> {
    REVISIONS.into_iter().filter(|revision| !revisions.contains(revision)).collect()
}

const A: &str = "2024-11-05";
const B: &str = "2025-03-26";
const C: &str = "2025-06-18";
const D: &str = "2025-11-25";
const E: &str = "2026-07-28";

const STRUCTURED: Change = ("/result/structuredContent", Feature::StructuredContent, Fallback);

#[test]
fn structured_content_becomes_a_text_block_with_the_exact_bytes() {
    let structured = r#""structuredContent":{"b": 1.0,"a":[ 1e2 ]}"#;
    let text = r#"{"type":"text","text":"{\"b\": 1.0,\"a\":[ 1e2 ]}"}"#;
    let block = r#"{"type":"text","text":"two"}"#;
    for from in [C, D, E, "draft"] {
        for to in [A, B] {
            result_becomes(("", &[structured]), (from, to), (text, &[]), &[STRUCTURED]);
            let both = format!("{block},{text}");
            result_becomes((block, &[structured]), (from, to), (&both, &[]), &[STRUCTURED]);
        }
    }
}

#[test]
fn structured_content_that_a_text_block_holds_already_adds_none() {
    for held in [
        r#"{\"a\":[100],\"b\":1}"#,
        r#"{\"b\": 1.0,\"a\":[ 1e2 ]}"#,
        r#" { \"b\":1e0, \"a\":[1.00e2]}"#,
    ] {
        let block = format!(r#"{{"type":"text","text":"{held}"}}"#);
        let structured = r#""structuredContent":{"b": 1.0,"a":[ 1e2 ]}"#;
        for (from, to) in [(C, A), (D, B), (E, A)] {
            result_becomes((&block, &[structured]), (from, to), (&block, &[]), &[STRUCTURED]);
        }
    }
    // One digit off is something else.
    let block = r#"{"type":"text","text":"{\"n\":9007199254740992}"}"#;
    let added = r#"{"type":"text","text":"{\"n\":9007199254740993}"}"#;
    let both = format!("{block},{added}");
    let structured = r#""structuredContent":{"n":9007199254740993}"#;
    result_becomes((block, &[structured]), (D, A), (&both, &[]), &[STRUCTURED]);
}

#[test]
fn structured_content_that_is_no_object_is_wrapped_and_a_text_block_added() {
    for value in ["[1.0, 2]", "7", r#""seven""#, "null", "false"] {
        let structured = format!(r#""structuredContent":{value}"#);
        let wrapped = format!(r#""structuredContent":{{"result":{value}}}"#);
        let text = format!(r#"{{"type":"text","text":"{}"}}"#, value.replace('"', "\\\""));
        for (from, to) in [(E, C), (E, D), ("draft", D)] {
            let change = ("/result/structuredContent", Feature::AnyStructuredContent, Fallback);
            result_becomes(("", &[&structured]), (from, to), (&text, &[&wrapped]), &[change]);
        }
        for to in [A, B] {
            result_becomes(("", &[&structured]), (E, to), (&text, &[]), &[STRUCTURED]);
        }
    }
}

#[test]
fn an_output_schema_that_is_no_object_schema_is_wrapped_and_its_references_follow() {
    let change = ("/result/tools/0/outputSchema", Feature::AnyOutputSchema, Fallback);
    let tool = |schema: &str| {
        format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#)
    };
    for (schema, wrapped) in [
        (
            r##"{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#"}}}"##,
            r##"{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result/$defs/a"},"$defs":{"a":{"$ref":"#/properties/result"}}}},"required":["result"]}"##,
        ),
        (
            r#"{"type":["object","null"]}"#,
            r#"{"type":"object","properties":{"result":{"type":["object","null"]}},"required":["result"]}"#,
        ),
        ("{}", r#"{"type":"object","properties":{"result":{}},"required":["result"]}"#),
    ] {
        for to in [C, D] {
            tool_becomes(&tool(schema), (E, to), &tool(wrapped), &[change]);
        }
        for to in [A, B] {
            let gone = ("/result/tools/0/outputSchema", Feature::OutputSchema, Dropped);
            let without = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
            tool_becomes(&tool(schema), (E, to), without, &[gone]);
        }
    }
}

#[test]
fn members_of_a_tool_are_dropped_where_they_do_not_exist() {
    const ICON: &str = r#""icons":[{"src":"data:,"}]"#;
    const HINTS: &str = r#""annotations":{"readOnlyHint":true,"title":"A"}"#;
    const SCHEMA: &str = r#""outputSchema":{"type":"object"}"#;
    const RUN: &str = r#""execution":{"taskSupport":"optional"}"#;
    let rows: &[(&str, &[&str], &[&str], Change)] = &[
        (
            HINTS,
            &[B, C, D, E],
            &[A],
            ("/result/tools/0/annotations", Feature::ToolAnnotations, Dropped),
        ),
        (
            SCHEMA,
            &[C, D, E],
            &[A, B],
            ("/result/tools/0/outputSchema", Feature::OutputSchema, Dropped),
        ),
        (ICON, &[D, E], &[A, B, C], ("/result/tools/0/icons", Feature::Icons, Dropped)),
        (
            RUN,
            &[D],
            &[A, B, C, E, "draft"],
            ("/result/tools/0/execution", Feature::ToolExecution, Dropped),
        ),
    ];
    for (member, from, to, change) in rows {
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
            let tool = format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},{member}}}"#);
            let without = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
            tool_becomes(&tool, (from, to), without, &[*change]);
        }
    }
}

#[test]
fn a_title_of_a_tool_moves_to_its_annotations_where_only_they_have_one() {
    let tool = |rest: &str| format!(r#"{{"name":"a","inputSchema":{{"type":"object"}}{rest}}}"#);
    let titled = tool(r#","title":"T""#);
    let hinted = tool(r#","title":"T","annotations":{"readOnlyHint":true}"#);
    let doubly = tool(r#","title":"T","annotations":{"title":"U"}"#);
    let at = "/result/tools/0/title";
    for from in [C, D, E] {
        let moved = &[(at, Feature::Title, Fallback)];
        tool_becomes(&titled, (from, B), &tool(r#","annotations":{"title":"T"}"#), moved);
        let both = tool(r#","annotations":{"readOnlyHint":true,"title":"T"}"#);
        tool_becomes(&hinted, (from, B), &both, moved);
        let kept = tool(r#","annotations":{"title":"U"}"#);
        let dropped = (at, Feature::Title, Dropped);
        tool_becomes(&doubly, (from, B), &kept, &[dropped]);
        tool_becomes(&titled, (from, A), &tool(""), &[dropped]);
        let hints = ("/result/tools/0/annotations", Feature::ToolAnnotations, Dropped);
        tool_becomes(&doubly, (from, A), &tool(""), &[hints, dropped]);
    }
}

#[test]
fn last_modified_is_dropped_before_2025_06_18() {
    let block = r#"{"type":"text","text":"a","annotations":{"lastModified":"2025","priority":1}}"#;
    let without = r#"{"type":"text","text":"a","annotations":{"priority":1}}"#;
    let at = "/result/content/0/annotations/lastModified";
    for (from, to) in [(C, A), (C, B), (D, A), (E, B)] {
        let change = (at, Feature::LastModified, Dropped);
        result_becomes((block, &[]), (from, to), (without, &[]), &[change]);
    }
}

#[test]
fn audio_becomes_an_embedded_blob_with_its_mime_type() {
    let audio = r#"{"type":"audio","data":"UklG","mimeType":"audio/wav","annotations":{"priority":0.5},"_meta":{"a":1},"x-vendor":2}"#;
    for from in [B, C, D, E] {
        let input = response("1", &tool_result(from, audio, &[]));
        let (output, changes) =
            translate(&input, Some("tools/call"), (from, A), &Policy::faithful()).expect("lowered");
        let change = ("/result/content/0".to_owned(), Some(Feature::AudioContent), Fallback);
        assert_eq!(changes, [change]);
        let block = output.at("/result/content/0").expect("a block");
        let resource = block.get("resource").expect("a resource");
        let uri = resource.get("uri").and_then(Json::as_str).expect("a URI");
        assert!(uri.contains(':') && !uri.contains(' '), "{uri}");
        let expected = r#"{"blob":"UklG","mimeType":"audio/wav"}"#;
        assert_eq!(resource.without("uri"), Json::read(expected));
        let rest =
            r#"{"type":"resource","annotations":{"priority":0.5},"_meta":{"a":1},"x-vendor":2}"#;
        assert_eq!(block.without("resource"), Json::read(rest));
    }
}

#[test]
fn two_audio_blocks_become_resources_of_different_uris() {
    let audio = r#"{"type":"audio","data":"UklG","mimeType":"audio/wav"}"#;
    let input = response("1", &tool_result(B, &format!("{audio},{audio}"), &[]));
    let (output, _) =
        translate(&input, Some("tools/call"), (B, A), &Policy::faithful()).expect("lowered");
    let uri = |at: usize| output.at(&format!("/result/content/{at}/resource/uri"));
    assert!(uri(0).is_some() && uri(0) != uri(1), "{output}");
}

#[test]
fn a_resource_link_becomes_text_that_names_it() {
    let plain = r#"{"type":"resource_link","uri":"file:///a","name":"a.txt"}"#;
    let full = r#"{"type":"resource_link","uri":"file:///a","name":"a.txt","title":"The A","mimeType":"text/plain","description":"d","size":3,"annotations":{"audience":["user"]}}"#;
    for from in [C, D, E] {
        for to in [A, B] {
            for (link, words, absent) in [
                (plain, &["a.txt", "file:///a"][..], &[][..]),
                (full, &["The A", "file:///a", "text/plain"], &["a.txt"]),
            ] {
                let input = response("1", &tool_result(from, link, &[]));
                let (output, changes) =
                    translate(&input, Some("tools/call"), (from, to), &Policy::faithful())
                        .expect("lowered");
                let change =
                    ("/result/content/0".to_owned(), Some(Feature::ResourceLink), Fallback);
                assert_eq!(changes, [change]);
                let block = output.at("/result/content/0").expect("a block");
                assert_eq!(block.get("type").and_then(Json::as_str), Some("text"));
                let text = block.get("text").and_then(Json::as_str).expect("text");
                assert!(words.iter().all(|word| text.contains(word)), "{text}");
                assert!(!absent.iter().any(|word| text.contains(word)), "{text}");
                assert!(!text.contains('\n'), "{text}");
                let annotations = Json::read(link).get("annotations").cloned();
                assert_eq!(block.get("annotations").cloned(), annotations);
            }
        }
    }
}

#[test]
fn the_vocabulary_of_2026_07_28_is_removed_for_older_peers() {
    let server = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
    let alone = format!(r#""_meta":{{{server}}}"#);
    let among = format!(r#""_meta":{{"a/b": 1.0,{server}}}"#);
    for to in [A, B, C, D] {
        result_becomes(("", &[]), (E, to), ("", &[]), &[]);
        result_becomes(("", &[&alone]), (E, to), ("", &[]), &[]);
        result_becomes(("", &[&among]), (E, to), ("", &[r#""_meta":{"a/b": 1.0}"#]), &[]);
        tool_becomes("", (E, to), "", &[]);
    }
}

#[test]
fn what_2026_07_28_requires_is_added_for_it() {
    for from in [A, B, C, D] {
        for to in [E, "draft"] {
            result_becomes(("", &[]), (from, to), ("", &[]), &[]);
            tool_becomes("", (from, to), "", &[]);
        }
    }
}

#[test]
fn boolean_schemas_are_spelled_out_for_older_peers() {
    let tool = |a: &str, b: &str| {
        format!(
            r#"{{"name":"n","inputSchema":{{"type":"object","properties":{{"a":{a},"b":{b},"c":{{"not":true}}}},"additionalProperties":false}}}}"#
        )
    };
    let at = "/result/tools/0/inputSchema";
    for to in [A, B, C, D] {
        let spelled = tool("{}", r#"{"not":{}}"#);
        tool_becomes(
            &tool("true", "false"),
            (E, to),
            &spelled,
            &[(at, Feature::BooleanSchemas, Fallback)],
        );
        tool_becomes(&spelled, (E, to), &spelled, &[]);
    }
}

#[test]
fn a_task_is_not_asked_for_where_there_are_none() {
    let input = request(D, "1", "tools/call", &[r#""name":"a""#, r#""task":{"ttl":1}"#], &[]);
    for to in [A, B, C] {
        let output = request(to, "1", "tools/call", &[r#""name":"a""#], &[]);
        let change = ("/params/task", Feature::TaskAugmentation, Dropped);
        assert_becomes(&input, None, (D, to), &output, &[change]);
    }
}

#[test]
fn a_request_gets_and_loses_the_metadata_of_2026_07_28() {
    let token = r#""progressToken":1.0"#;
    let trace = r#""traceparent":"00""#;
    let info = r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":"C"}"#;
    for legacy in [A, B, C, D] {
        let old = request(legacy, "1", "tools/list", &[], &[token, trace]);
        let new = request(E, "1", "tools/list", &[], &[info, token, trace]);
        assert_becomes(&new, None, (E, legacy), &old, &[]);
        let at = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
        let change = (at, Feature::RequestMetadata, Fallback);
        let new = request(E, "1", "tools/list", &[], &[token, trace]);
        assert_becomes(&old, None, (legacy, E), &new, &[change]);
        let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_becomes(
            bare,
            None,
            (legacy, E),
            &request(E, "1", "tools/list", &[], &[]),
            &[change],
        );
    }
}

#[test]
fn a_resource_that_is_not_there_is_told_in_the_code_of_the_revision() {
    let change = ("/error/code", Feature::ResourceNotFoundCode, Fallback);
    for from in [A, B, C, D] {
        for (members, code) in [
            (r#""code":-32002,"message":"gone""#, "/error/data/code"),
            (r#""code":-32002,"message":"gone","data":{"uri":"file:///a"}"#, "/error/data/code"),
            (r#""code":-32002,"message":"gone","data":"file:///a""#, "/error/data/code"),
        ] {
            let input = error("1", members);
            let (output, changes) =
                translate(&input, None, (from, E), &Policy::faithful()).expect("lowered");
            assert_eq!(output.at("/error/code"), Some(&Json::read("-32602")));
            assert_eq!(output.at(code), Some(&Json::read("-32002")), "{output}");
            assert_eq!(changes, [(change.0.to_owned(), Some(change.1), change.2)]);
            let uri = |json: &Json| json.to_string().contains("file:///a");
            assert_eq!(uri(&Json::read(&input)), uri(&output), "{output}");
        }
        for to in all_but(&[E, "draft"]) {
            let same = error("1", r#""code":-32002,"message":"gone""#);
            assert_becomes(&same, None, (from, to), &same, &[]);
        }
    }
}

#[test]
fn codes_that_mean_something_else_to_the_peer_are_replaced_and_kept_in_data() {
    let modern = [-32020, -32021, -32022];
    let private = [-32023, -32050, -32099];
    let rows =
        [(E, &[A, B, C, D][..], &modern[..]), (D, &[E, "draft"], &private), (D, &[E], &[-32042])];
    for (from, to, codes) in rows {
        for (to, code) in to.iter().flat_map(|to| codes.iter().map(move |code| (*to, *code))) {
            let input = error("1", &format!(r#""code":{code},"message":"m","data":{{"a":1.0}}"#));
            let (output, changes) =
                translate(&input, None, (from, to), &Policy::faithful()).expect("lowered");
            let Some(Json::Number(new)) = output.at("/error/code") else { panic!("{output}") };
            let new: i64 = new.parse().expect("a code");
            assert!(!(-32099..=-32020).contains(&new), "{from} to {to}: {code} became {new}");
            assert_eq!(output.at("/error/data/code"), Some(&Json::read(code.to_string())));
            assert_eq!(output.at("/error/data/a"), Some(&Json::read("1.0")));
            assert!(matches!(&changes[..], [(at, Some(_), Fallback)] if at == "/error/code"));
        }
    }
}

#[test]
fn a_member_of_a_newer_revision_does_not_reach_a_peer_that_lacks_it() {
    let base = r#""name":"a","inputSchema":{"type":"object"}"#;
    for (member, at, revisions) in [
        (r#""title":"T""#, "/result/tools/0/title", &[A, B][..]),
        (r#""icons":[]"#, "/result/tools/0/icons", &[A, B, C]),
        (r#""outputSchema":{"type":"object"}"#, "/result/tools/0/outputSchema", &[A, B]),
        (r#""execution":{}"#, "/result/tools/0/execution", &[A, B, C]),
        (r#""title":5"#, "/result/tools/0/title", &[A, B]),
    ] {
        for (from, to) in revisions.iter().flat_map(|a| revisions.iter().map(move |b| (*a, *b))) {
            let input = response("1", &list_result(from, &format!("{{{base},{member}}}"), &[]));
            let (output, changes) =
                translate(&input, Some("tools/list"), (from, to), &Policy::faithful())
                    .expect("translated");
            if from == to {
                assert_eq!(output, Json::read(&input));
            } else {
                assert_eq!(output.at(at), None, "{from} to {to}: {output}");
                assert!(changes.iter().any(|(path, ..)| path == at), "{changes:?}");
            }
        }
    }
}

#[test]
fn policies_refuse_and_drop_what_they_are_told_to() {
    let call = Some("tools/call");
    let input = response("1", &tool_result(D, "", &[r#""structuredContent":{"a":1}"#]));
    let lossless = response("1", &tool_result(D, "", &[]));

    let refused = translate(&input, call, (D, A), &Policy::strict());
    let Err(TranslateError::Lower(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.feature, Feature::StructuredContent);
    assert_eq!(error.pointer, "/result/structuredContent");
    assert!(error.path.starts_with("result.structuredContent"), "{}", error.path);
    assert!(translate(&lossless, call, (D, E), &Policy::strict()).is_ok());
    assert!(translate(&input, call, (D, E), &Policy::strict()).is_ok());

    let refuse = Policy::faithful().refuse(Feature::StructuredContent);
    assert!(translate(&input, call, (D, A), &refuse).is_err());
    let drop = Policy::faithful().drop(Feature::StructuredContent);
    let (output, changes) = translate(&input, call, (D, A), &drop).expect("dropped");
    assert_eq!(output, Json::read(&lossless));
    let change =
        ("/result/structuredContent".to_owned(), Some(Feature::StructuredContent), Dropped);
    assert_eq!(changes, [change]);

    let broken = response("1", r#"{"isError":true}"#);
    let refused = translate(&broken, call, (D, A), &Policy::strict());
    assert!(
        matches!(refused, Err(TranslateError::Repaired { path, .. }) if path == "/result/content")
    );
}
