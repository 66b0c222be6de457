//! A member that bears a name of another revision: it never reaches a peer that does not define it,
//! and reaches one that does as what it defines, or not at all.

use std::collections::BTreeSet;

use protocol_droid_codecs::TranslateError;
use protocol_droid_ir::Policy;
use protocol_droid_tests::closed::{REVISIONS, faults, is_modern};
use protocol_droid_tests::fixtures::assert_none;
use protocol_droid_tests::frames::{list_result, request, response, tool_result};
use protocol_droid_tests::json::{Json, differences};
use protocol_droid_tests::translated::{A, B, C, D, E, translate, translated};

/// What a member is of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Of {
    Call,
    List,
    Params,
    Tool,
    Text,
}

impl Of {
    /// A whole message with the member.
    fn message(self, revision: &str, member: &str) -> String {
        let call =
            |content: &str, rest: &[&str]| response("1", &tool_result(revision, content, rest));
        let list = |tools: &str, rest: &[&str]| response("1", &list_result(revision, tools, rest));
        match self {
            Self::Call => call("", &[member]),
            Self::List => list("", &[member]),
            Self::Params => request(revision, "1", "tools/call", &[r#""name":"a""#, member], &[]),
            Self::Tool => {
                list(&format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},{member}}}"#), &[])
            }
            Self::Text => {
                call(&format!(r#"{{"type":"text","text":"","annotations":{{{member}}}}}"#), &[])
            }
        }
    }

    /// The method that the message answers, its type, and the place of what has the member.
    fn about(self) -> (Option<&'static str>, &'static str, &'static str) {
        const CALL: (Option<&str>, &str) = (Some("tools/call"), "CallToolResultResponse");
        const LIST: (Option<&str>, &str) = (Some("tools/list"), "ListToolsResultResponse");
        let ((method, kind), place) = match self {
            Self::Call => (CALL, "/result"),
            Self::List => (LIST, "/result"),
            Self::Params => ((None, "CallToolRequest"), "/params"),
            Self::Tool => (LIST, "/result/tools/0"),
            Self::Text => (CALL, "/result/content/0/annotations"),
        };
        (method, kind, place)
    }
}

/// A member by its name, values of it that are right and wrong, and the revisions that define it.
type Row = (Of, &'static str, &'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    (Of::Tool, "title", &[r#""T""#, "5", "null"], &[C, D, E, "draft"]),
    (
        Of::Tool,
        "annotations",
        &[r#"{"readOnlyHint":true}"#, "{}", "[]", r#"{"title":5}"#],
        &[B, C, D, E, "draft"],
    ),
    (Of::Tool, "outputSchema", &[r#"{"type":"object"}"#, "{}", "true"], &[C, D, E, "draft"]),
    (Of::Tool, "icons", &["[]", r#"[{"src":"a:b"}]"#, "[{}]", "{}"], &[D, E, "draft"]),
    (Of::Tool, "execution", &[r#"{"taskSupport":"optional"}"#, "{}", "5"], &[D]),
    (Of::Text, "lastModified", &[r#""now""#, "7"], &[C, D, E, "draft"]),
    (Of::Call, "structuredContent", &[r#"{"a":1.0}"#, "[]", "null"], &[C, D, E, "draft"]),
    (
        Of::Call,
        "resultType",
        &[r#""complete""#, r#""input_required""#, r#""odd""#, "1"],
        &[E, "draft"],
    ),
    (Of::List, "resultType", &[r#""complete""#, r#""odd""#, "1"], &[E, "draft"]),
    (Of::List, "ttlMs", &["0", "60000", "-1", r#""1""#], &[E, "draft"]),
    (Of::List, "cacheScope", &[r#""public""#, "[]"], &[E, "draft"]),
    (Of::Params, "task", &[r#"{"ttl":1}"#, "{}", "[]"], &[D]),
    (Of::Params, "requestState", &[r#""s""#, "{}"], &[E, "draft"]),
    (Of::Params, "inputResponses", &["{}", r#"{"a":{"action":"decline"}}"#, "[]"], &[E, "draft"]),
];

/// Each row with a value at the revisions of a pair, of which the first lacks the member.
fn each_case() -> impl Iterator<Item = (&'static Row, &'static str, &'static str, &'static str)> {
    ROWS.iter().flat_map(|row| {
        let lacking = REVISIONS.into_iter().filter(|revision| !row.3.contains(revision));
        lacking.flat_map(move |from| {
            let pairs = REVISIONS.into_iter().map(move |to| (from, to));
            pairs.flat_map(move |(from, to)| row.2.iter().map(move |value| (row, *value, from, to)))
        })
    })
}

#[test]
fn a_member_of_another_revision_never_reaches_a_peer_that_lacks_it_and_is_reported() {
    let wrong = each_case().filter_map(|((of, name, _, defining), value, from, to)| {
        let input = of.message(from, &format!(r#""{name}":{value}"#));
        let (method, kind, place) = of.about();
        if defining.contains(&to) {
            return None;
        }
        let (output, paths) = arrived(&input, method, (from, to))?;
        if from == to {
            return (output != Json::read(&input)).then(|| format!("{from}: {input}"));
        }
        let at = format!("{place}/{name}");
        let faults = faults(to, kind, output.to_string().as_bytes());
        let right = output.at(&at).is_none() && paths.contains(&at) && faults.is_empty();
        (!right).then(|| format!("{from} to {to}: {input}\nbecame {output}\n{paths:?}"))
    });
    assert_none(wrong.collect());
}

#[test]
fn a_member_that_only_the_receiver_defines_is_valid_there_or_gone_and_reported() {
    let wrong = each_case().filter_map(|((of, name, _, defining), value, from, to)| {
        let input = of.message(from, &format!(r#""{name}":{value}"#));
        let (method, kind, place) = of.about();
        if !defining.contains(&to) {
            return None;
        }
        let (output, paths) = arrived(&input, method, (from, to))?;
        let at = format!("{place}/{name}");
        let faults = faults(to, kind, output.to_string().as_bytes());
        let found = differences(&Json::read(&input), &output, &BTreeSet::new());
        let changed = found.keys().any(|pointer| pointer.starts_with(&at));
        let reported = paths.iter().any(|path| at.starts_with(path.as_str()));
        let right = faults.is_empty() && (!changed || reported);
        (!right).then(|| format!("{from} to {to}: {input}\nbecame {output}\n{paths:?} {faults:?}"))
    });
    assert_none(wrong.collect());
}

fn each_pair<'a>(
    from: &'a [&'a str],
    to: &'a [&'a str],
) -> impl Iterator<Item = (&'a str, &'a str)> {
    from.iter().flat_map(move |from| to.iter().map(move |to| (*from, *to)))
}

/// What came out and the places of the report; nothing if the message was refused.
fn arrived(input: &str, method: Option<&str>, pair: (&str, &str)) -> Option<(Json, Vec<String>)> {
    match translate(input, method, pair, &Policy::faithful()) {
        Ok((output, made)) => Some((output, made.into_iter().map(|(path, ..)| path).collect())),
        Err(TranslateError::Lower(_)) => None,
        Err(error) => panic!("{pair:?}: {error}: {input}"),
    }
}

#[test]
fn a_legacy_result_cannot_pass_for_a_question() {
    let input = response(
        "1",
        r#"{"content":[],"resultType":"input_required","requestState":"s","inputRequests":{}}"#,
    );
    for (from, to) in each_pair(&[A, B, C, D], &[E, "draft"]) {
        let Some((output, _)) = arrived(&input, Some("tools/call"), (from, to)) else { continue };
        let kind = output.at("/result/resultType").and_then(Json::as_str);
        assert_eq!(kind, Some("complete"), "{from} to {to}: {output}");
    }
}

#[test]
fn what_becomes_a_block_of_another_type_brings_no_member_of_that_type_with_it() {
    let audio = r#"{"type":"audio","data":"","mimeType":"a/b","resource":5}"#;
    let link = r#"{"type":"resource_link","uri":"a:b","name":"a","text":5,"data":6}"#;
    for (from, to, block) in [(B, A, audio), (E, A, audio), (C, B, link), (D, A, link)] {
        let input = response("1", &tool_result(from, block, &[]));
        let (output, made) = translated(&input, Some("tools/call"), (from, to));
        let faults = faults(to, "CallToolResultResponse", output.to_string().as_bytes());
        assert!(faults.is_empty(), "{from} to {to}: {output}: {faults:?}");
        assert!(made.iter().all(|(path, ..)| path.starts_with("/result/content/0")), "{made:?}");
    }
}

#[test]
fn reserved_metadata_never_reaches_an_older_peer() {
    const SERVER: &str =
        r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"},"a":1}"#;
    const CLIENT: &[&str] = &[
        r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}"#,
        r#""io.modelcontextprotocol/logLevel":"info""#,
        r#""a":1"#,
    ];
    for (from, to) in each_pair(&REVISIONS, &REVISIONS) {
        if is_modern(to) || from == to {
            continue;
        }
        for (input, method, at) in [
            (response("1", &tool_result(from, "", &[SERVER])), Some("tools/call"), "/result"),
            (response("1", &list_result(from, "", &[SERVER])), Some("tools/list"), "/result"),
            (request(from, "1", "tools/list", &[], CLIENT), None, "/params"),
        ] {
            let (output, _) = translated(&input, method, (from, to));
            let meta = output.at(&format!("{at}/_meta"));
            assert_eq!(meta, Some(&Json::read(r#"{"a":1}"#)), "{from} to {to}: {output}");
        }
    }
}
