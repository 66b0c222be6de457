//! What input may get wrong, and what it may not: for every member of every covered type, from the
//! schemas.

use protocol_droid_codecs::{DecodeError, codec, compiled};
use protocol_droid_ir::{Action, Path, TranslationReport};
use protocol_droid_tests::closed::{Member, is_modern, members};
use protocol_droid_tests::fixtures::{Fixture, assert_none, fixtures};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::kinds::{Body, Kind, Stop, Whole};

/// The members that each type defines, each with a fixture that has it if there is one.
fn each_member() -> Vec<(Fixture, Member)> {
    let all = fixtures();
    let mut each = Vec::new();
    for base in all.iter().filter(|fixture| fixture.line == 1) {
        for member in members(base.codec.name(), base.kind.name()) {
            let has = |f: &&Fixture| {
                f.codec.name() == base.codec.name()
                    && f.kind.name() == base.kind.name()
                    && Json::read(&f.text).get(&member.name).is_some()
            };
            let fixture = all.iter().find(has).unwrap_or(base).clone();
            each.push((fixture, member));
        }
    }
    each
}

fn read(fixture: &Fixture, json: &Json) -> Result<(Json, TranslationReport), Stop> {
    let (out, report) = fixture.kind.rewrite(fixture.codec, json.to_string().as_bytes())?;
    Ok((Json::read(out), report))
}

/// Whether `report` has a repair of the member at `pointer`, and nothing else.
fn is_repair_of(report: &TranslationReport, pointer: &str) -> bool {
    matches!(&report.entries[..], [entry]
        if entry.path == pointer && entry.action == Action::Repaired)
}

#[test]
fn null_for_an_optional_member_is_read_as_absent_and_reported() {
    let wrong = each_member().into_iter().filter_map(|(fixture, member)| {
        // What may be anything may be null.
        if member.required || member.wrong.is_none() {
            return None;
        }
        let absent = Json::read(&fixture.text).without(&member.name);
        let nulled = absent.with(&member.name, Json::read("null"));
        let pointer = format!("/{}", member.name);
        match read(&fixture, &nulled) {
            Ok((out, report)) if out == absent && is_repair_of(&report, &pointer) => None,
            other => Some(format!("{}: {nulled}: {other:?}", fixture.place())),
        }
    });
    assert_none(wrong.collect());
}

#[test]
fn a_member_of_another_type_is_an_error_that_says_where() {
    let wrong = each_member().into_iter().filter_map(|(fixture, member)| {
        let json = Json::read(&fixture.text).with(&member.name, Json::read(member.wrong?));
        match read(&fixture, &json) {
            Err(Stop::Unreadable(DecodeError::Unexpected { path, .. })) if path == *member.name => {
                None
            }
            other => Some(format!("{}: {json}: {other:?}", fixture.place())),
        }
    });
    assert_none(wrong.collect());
}

#[test]
fn an_absent_member_that_is_required_is_an_error_that_says_where() {
    let wrong = each_member().into_iter().filter_map(|(fixture, member)| {
        let tolerated = matches!(member.name.as_str(), "content" | "resultType");
        // Without these a message is one of another kind.
        let telling = matches!(member.name.as_str(), "error" | "id" | "method");
        if !member.required || tolerated || telling {
            return None;
        }
        let json = Json::read(&fixture.text).without(&member.name);
        let pointer = format!("/{}", member.name);
        match read(&fixture, &json) {
            Err(Stop::Unreadable(DecodeError::Missing { path })) if path == *member.name => None,
            // The specification gives a client something to assume, so that a report will do.
            Ok((_, report))
                if CACHE_HINTS.contains(&member.name.as_str())
                    && is_repair_of(&report, &pointer) =>
            {
                None
            }
            other => Some(format!("{}: {json}: {other:?}", fixture.place())),
        }
    });
    assert_none(wrong.collect());
}

const CACHE_HINTS: [&str; 2] = ["cacheScope", "ttlMs"];

#[test]
fn a_member_that_is_there_twice_is_an_error_that_says_where() {
    let wrong = each_member().into_iter().flat_map(|(fixture, member)| {
        let Some(value) = Json::read(&fixture.text).get(&member.name).cloned() else {
            return vec![format!("{}: no fixture has {}", fixture.place(), member.name)];
        };
        let open = fixture.text.trim_end().strip_suffix('}').expect("an object");
        // The same name, plain and with its first letter spelled as an escape.
        let escaped = format!("\\u{:04x}{}", member.name.as_bytes()[0], &member.name[1..]);
        let spellings = [member.name.clone(), escaped];
        let wrong = spellings.into_iter().filter_map(|name| {
            let text = format!("{open},\"{name}\":{value}}}");
            match fixture.kind.rewrite(fixture.codec, text.as_bytes()) {
                Err(Stop::Unreadable(DecodeError::Duplicate { path })) if path == *member.name => {
                    None
                }
                other => Some(format!("{}: {text}: {other:?}", fixture.place())),
            }
        });
        wrong.collect()
    });
    assert_none(wrong.collect());
}

#[test]
fn names_are_case_sensitive() {
    let wrong = each_member().into_iter().filter_map(|(fixture, member)| {
        if !member.required || member.name != "name" {
            return None;
        }
        let json = Json::read(&fixture.text).without("name").with("Name", Json::read(r#""a""#));
        let read = read(&fixture, &json);
        let missing = DecodeError::Missing { path: Path::from("name") };
        (read != Err(Stop::Unreadable(missing))).then(|| format!("{}: {read:?}", fixture.place()))
    });
    assert_none(wrong.collect());
}

#[test]
fn a_tool_result_without_content_has_none_and_that_is_reported() {
    for &codec in compiled() {
        let kind = if is_modern(codec.name()) { r#""resultType":"complete","# } else { "" };
        let input = format!(r#"{{{kind}"isError":true}}"#);
        let (out, report) = Body("CallToolResult", "tools/call")
            .rewrite(codec, input.as_bytes())
            .expect("tolerated");
        assert!(is_repair_of(&report, "/content"), "{codec:?}: {report:?}");
        assert_eq!(Json::read(out), Json::read(input).with("content", Json::read("[]")));
    }
}

#[test]
fn an_absent_result_type_is_complete_and_reported_where_it_is_required() {
    for (name, method, rest) in [
        ("CallToolResult", "tools/call", r#""content":[]"#),
        ("ListToolsResult", "tools/list", r#""tools":[],"ttlMs":0,"cacheScope":"private""#),
    ] {
        for revision in ["2026-07-28", "draft"] {
            let input = format!("{{{rest}}}");
            let (out, report) = Body(name, method)
                .rewrite(codec(revision).expect("compiled in"), input.as_bytes())
                .expect("tolerated");
            assert!(is_repair_of(&report, "/resultType"), "{revision}: {report:?}");
            let complete = Json::read(input).with("resultType", Json::read(r#""complete""#));
            assert_eq!(Json::read(out), complete);
        }
    }
}

const LEGACY: &str = "2024-11-05 2025-03-26 2025-06-18 2025-11-25";
const MODERN: &str = "2026-07-28 draft";

#[test]
fn null_for_an_optional_member_of_a_request_is_read_as_absent_and_reported() {
    const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
    let modern = |rest: &str| format!(r#""_meta":{{{META}{rest}}}"#);
    let rows = [
        (LEGACY, "tools/list", r#""cursor":null"#.to_owned(), "/params/cursor"),
        (LEGACY, "tools/list", r#""_meta":null"#.to_owned(), "/params/_meta"),
        (LEGACY, "tools/call", r#""name":"a","arguments":null"#.to_owned(), "/params/arguments"),
        (
            LEGACY,
            "tools/call",
            r#""name":"a","_meta":{"progressToken":null}"#.to_owned(),
            "/params/_meta/progressToken",
        ),
        ("2025-11-25", "tools/call", r#""name":"a","task":null"#.to_owned(), "/params/task"),
        (MODERN, "tools/list", modern("") + r#","cursor":null"#, "/params/cursor"),
        (MODERN, "tools/call", modern("") + r#","name":"a","arguments":null"#, "/params/arguments"),
        (
            MODERN,
            "tools/call",
            modern("") + r#","name":"a","inputResponses":null"#,
            "/params/inputResponses",
        ),
        (
            MODERN,
            "tools/call",
            modern("") + r#","name":"a","requestState":null"#,
            "/params/requestState",
        ),
        (
            MODERN,
            "tools/list",
            modern(r#","io.modelcontextprotocol/clientInfo":null"#),
            "/params/_meta/io.modelcontextprotocol~1clientInfo",
        ),
        (
            MODERN,
            "tools/list",
            modern(r#","io.modelcontextprotocol/logLevel":null"#),
            "/params/_meta/io.modelcontextprotocol~1logLevel",
        ),
        (MODERN, "tools/list", modern(r#","progressToken":null"#), "/params/_meta/progressToken"),
    ];
    for (revisions, method, params, pointer) in rows {
        for revision in revisions.split(' ') {
            let input = request(method, &format!("{{{params}}}"));
            let kind = Whole("CallToolRequest", None);
            let read = kind.rewrite(codec(revision).expect("compiled in"), input.as_bytes());
            let repaired = read.as_ref().is_ok_and(|(out, report)| {
                is_repair_of(report, pointer) && Json::read(out).at(pointer).is_none()
            });
            assert!(repaired, "{revision}: {input}: {read:?}");
        }
    }
}

fn request(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

#[test]
fn a_modern_request_without_its_metadata_is_an_error_that_says_where() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    for (params, missing) in [
        (r#"{"name":"a"}"#.to_owned(), "params._meta"),
        (
            format!(r#"{{"name":"a","_meta":{{{version}}}}}"#),
            r#"params._meta["io.modelcontextprotocol/clientCapabilities"]"#,
        ),
        (
            format!(r#"{{"name":"a","_meta":{{{capabilities}}}}}"#),
            r#"params._meta["io.modelcontextprotocol/protocolVersion"]"#,
        ),
        (format!(r#"{{"_meta":{{{version},{capabilities}}}}}"#), "params.name"),
    ] {
        for revision in MODERN.split(' ') {
            let input = request("tools/call", &params);
            let kind = Whole("CallToolRequest", None);
            let read = kind.rewrite(codec(revision).expect("compiled in"), input.as_bytes());
            let named = matches!(&read, Err(Stop::Unreadable(DecodeError::Missing { path }))
                if *path == *missing);
            assert!(named, "{input}: {read:?}");
        }
    }
}

#[test]
fn an_error_in_a_message_has_the_whole_way_to_its_place() {
    let codec = codec("2025-11-25").expect("compiled in");
    let result = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{members}}}}}"#);
    let error = |members: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{{members}}}}}"#);
    for (input, method, path) in [
        (request("tools/call", r#"{"name":5}"#), None, "params.name"),
        (request("tools/call", r#"{"name":"a","arguments":[]}"#), None, "params.arguments"),
        (request("tools/list", r#"{"cursor":1}"#), None, "params.cursor"),
        (
            request("tools/list", r#"{"_meta":{"progressToken":1.5}}"#),
            None,
            "params._meta.progressToken",
        ),
        (request("tools/list", "[]"), None, "params"),
        (result(r#""content":{}"#), Some("tools/call"), "result.content"),
        (result(r#""content":[],"isError":"no""#), Some("tools/call"), "result.isError"),
        (
            result(r#""content":[],"structuredContent":[]"#),
            Some("tools/call"),
            "result.structuredContent",
        ),
        (result(r#""tools":"none""#), Some("tools/list"), "result.tools"),
        (result(r#""tools":[],"nextCursor":0"#), Some("tools/list"), "result.nextCursor"),
        (result(r#""tools":[],"_meta":[]"#), Some("tools/list"), "result._meta"),
        (error(r#""code":"1","message":"""#), None, "error.code"),
        (error(r#""code":1.5,"message":"""#), None, "error.code"),
        (error(r#""code":1e30,"message":"""#), None, "error.code"),
        (error(r#""code":1"#), None, "error.message"),
        (error(r#""code":1,"message":null"#), None, "error.message"),
    ] {
        match Whole("", method).rewrite(codec, input.as_bytes()) {
            Err(Stop::Unreadable(error)) => assert_eq!(error.path().to_string(), path, "{input}"),
            other => panic!("{input}: {other:?}"),
        }
    }
}
