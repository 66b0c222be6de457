//! What the revisions say oddly, or differently in two places: see `TRAPS.md`.

use std::fs;
use std::path::Path;

use protocol_droid_ir::{Message, ProtocolVersion, ResultBody};
use protocol_droid_tests::closed::is_modern;
use protocol_droid_tests::frames::{
    cacheable_result, error, notification, object, pairs, plain_result, request, response,
};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{A, B, C, D, E, again, translated};

#[test]
fn what_was_added_after_a_release_is_part_of_it() {
    for revision in [A, B] {
        let listed = r#""resources":[{"uri":"a:b","name":"a","size":3}]"#;
        let listed = response("1", &cacheable_result(revision, &[listed]));
        again(revision, Some("resources/list"), &listed);
        again(revision, None, &request(revision, "1", "resources/templates/list", &[], &[]));
    }
    for revision in [C, D] {
        let schema = r#"{"type":"object","properties":{"n":{"type":"number","minimum":0.5}}}"#;
        let params = [r#""message":"""#, &format!(r#""requestedSchema":{schema}"#)];
        again(revision, None, &request(revision, "1", "elicitation/create", &params, &[]));
    }
    let task = r#"{"taskId":"t","status":"working","createdAt":"","lastUpdatedAt":"","ttl":null}"#;
    again(D, Some("tasks/get"), &response("1", task));
}

#[test]
fn versions_that_are_none_of_ours_are_carried_in_a_handshake() {
    for version in ["DRAFT-2025-v3", "2024-10-07", "2099-01-01", ""] {
        assert!(version.parse::<ProtocolVersion>().is_err());
        let named = format!(r#""protocolVersion":"{version}""#);
        let rest = r#""capabilities":{},"clientInfo":{"name":"c","version":"1"}"#;
        for (from, to) in pairs().filter(|(a, b)| !is_modern(a.name()) && !is_modern(b.name())) {
            let input = request(from.name(), "1", "initialize", &[&named, rest], &[]);
            let (out, _) = translated(&input, None, (from.name(), to.name()));
            assert_eq!(out, Json::read(&input));
        }
    }
}

#[test]
fn free_objects_hold_null_and_fractions_whatever_their_schema_says() {
    const FREE: &str = r#"{"a":null,"b":[1.5,null],"c":{"d":-0.5}}"#;
    for from in [A, B, C, D] {
        for members in [
            format!(r#"{{"experimental":{{"x":{FREE}}}}}"#),
            format!(r#"{{"sampling":{{"x-vendor":{FREE}}}}}"#),
        ] {
            let rest = r#""clientInfo":{"name":"c","version":"1"}"#;
            let params = [r#""protocolVersion":"""#, &format!(r#""capabilities":{members}"#), rest];
            again(from, None, &request(from, "1", "initialize", &params, &[]));
        }
        let metadata = format!(r#""messages":[],"maxTokens":1,"metadata":{FREE}"#);
        again(from, None, &request(from, "1", "sampling/createMessage", &[&metadata], &[]));
    }
    let capabilities = format!(
        r#""capabilities":{{"logging":{FREE},"completions":{FREE},"extensions":{{"a/b":{FREE}}}}}"#
    );
    let discovery = cacheable_result(E, &[r#""supportedVersions":[]"#, &capabilities]);
    again(E, Some("server/discover"), &response("1", &discovery));
}

#[test]
fn a_result_may_ask_for_input_and_name_nothing() {
    let asked = response("1", r#"{"resultType":"input_required"}"#);
    for method in ["tools/call", "prompts/get", "resources/read"] {
        let Message::Response(read) = again(E, Some(method), &asked) else { panic!("{asked}") };
        assert!(matches!(read.result, ResultBody::InputRequired(_)), "{method}");
    }
    // Of another method it is a kind of result that is not known.
    let Message::Response(read) = again(E, Some("tools/list"), &asked) else { panic!("{asked}") };
    assert!(matches!(read.result, ResultBody::Other(_)));
}

#[test]
fn a_subscription_ends_by_a_result_or_by_a_cancellation() {
    let meta = r#""_meta":{"io.modelcontextprotocol/subscriptionId":1}"#;
    let ended = response("1", &plain_result(E, &[meta]));
    again(E, Some("subscriptions/listen"), &ended);
    again(E, None, &notification("cancelled", r#"{"requestId":1}"#));
}

#[test]
fn members_that_only_the_prose_has_pass() {
    let pattern = r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^a"}}}"#;
    let schema = format!(r#""requestedSchema":{pattern}"#);
    for pair in [(C, D), (D, C)] {
        let input = request(pair.0, "1", "elicitation/create", &[r#""message":"""#, &schema], &[]);
        assert_eq!(translated(&input, None, pair), (Json::read(&input), vec![]));
    }
    let resource = r#"{"uri":"a:b","text":"","annotations":{"priority":1.0}}"#;
    let content = format!(r#""content":[{{"type":"resource","resource":{resource}}}]"#);
    for (from, to) in pairs() {
        let input = response("1", &plain_result(from.name(), &[&content]));
        let (out, report) = translated(&input, Some("tools/call"), (from.name(), to.name()));
        assert_eq!(out.at("/result/content/0/resource"), Some(&Json::read(resource)));
        assert!(report.is_empty(), "{report:?}");
    }
}

#[test]
fn metadata_passes_where_a_schema_leaves_it_out() {
    let meta = r#""_meta":{"a":1.0}"#;
    again(
        D,
        None,
        &notification("elicitation/complete", &object(&[r#""elicitationId":"e""#, meta])),
    );
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        again(D, None, &request(D, "1", method, &[r#""taskId":"t""#], &[r#""a":1.0"#]));
    }
    for from in [A, B, C] {
        again(
            from,
            None,
            &request(from, "1", "logging/setLevel", &[r#""level":"info""#], &[r#""a":1"#]),
        );
    }
}

#[test]
fn codes_that_anybody_may_use_are_left_alone() {
    for code in ["-32000", "-32001", "-32019", "-1", "0", "-32100"] {
        let input = error("1", &format!(r#""code":{code},"message":"""#));
        for (from, to) in pairs() {
            let pair = (from.name(), to.name());
            assert_eq!(translated(&input, None, pair), (Json::read(&input), vec![]), "{code}");
        }
    }
}

#[test]
fn an_empty_cursor_is_a_cursor() {
    for (from, to) in pairs() {
        let pair = (from.name(), to.name());
        let asked = request(pair.0, "1", "tools/list", &[r#""cursor":"""#], &[]);
        let (out, _) = translated(&asked, None, pair);
        assert_eq!(out.at("/params/cursor").and_then(Json::as_str), Some(""), "{pair:?}");
        let page = cacheable_result(pair.0, &[r#""tools":[]"#, r#""nextCursor":"""#]);
        let (out, _) = translated(&response("1", &page), Some("tools/list"), pair);
        assert_eq!(out.at("/result/nextCursor").and_then(Json::as_str), Some(""), "{pair:?}");
    }
}

#[test]
fn what_a_user_declined_may_have_content_and_what_was_accepted_none() {
    for text in [r#"{"action":"accept"}"#, r#"{"action":"decline","content":{"a":1}}"#] {
        for from in [C, D] {
            again(from, Some("elicitation/create"), &response("1", text));
        }
    }
}

#[test]
fn what_is_deprecated_is_spoken_still() {
    let log = notification("message", r#"{"level":"info","data":null}"#);
    let question = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"includeContext":"allServers"}}"#;
    let asked = format!(r#"{{"resultType":"input_required","inputRequests":{{"q":{question}}}}}"#);
    for revision in [E, "draft"] {
        again(revision, None, &log);
        again(revision, Some("tools/call"), &response("1", &asked));
        let level = r#""io.modelcontextprotocol/logLevel":"debug""#;
        again(revision, None, &request(revision, "1", "tools/list", &[], &[level]));
    }
}

/// Names a test as `suite::test` or, of another crate, `path/to/file.rs::test`.
#[test]
fn every_test_that_the_list_of_traps_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("TRAPS.md")).expect("the list");
    let named: Vec<_> = list.split('`').filter_map(|code| code.split_once("::")).collect();
    assert!(named.len() > 40, "{named:?}");
    for (suite, test) in named {
        let file = match suite.ends_with(".rs") {
            true => root.join("..").join(suite),
            false => root.join(format!("tests/{suite}.rs")),
        };
        let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(text.contains(&format!("fn {test}(")), "no {test} in {}", file.display());
    }
}
