//! Translations with the report that they are expected to make.

use protocol_droid_codecs::{Expect, TranslateError, codec, translate_as};
use protocol_droid_ir::{Action, Feature, Message, Policy};

use crate::closed::{assert_closed, is_modern};
use crate::frames::{list_result, response, tool_result};
use crate::json::Json;

/// The revisions by their letters, as the matrix of revisions has them.
pub const A: &str = "2024-11-05";
/// See [`A`].
pub const B: &str = "2025-03-26";
/// See [`A`].
pub const C: &str = "2025-06-18";
/// See [`A`].
pub const D: &str = "2025-11-25";
/// See [`A`].
pub const E: &str = "2026-07-28";

/// An entry of a report that is expected: where, for want of what, what was done.
pub type Change = (&'static str, Feature, Action);

/// An entry of a report that was made.
pub type Made = (String, Option<Feature>, Action);

/// What becomes of `input` on the way between two revisions, and the report in order of places.
///
/// # Errors
/// When it does not get there.
pub fn translate(
    input: &str,
    method: Option<&str>,
    (from, to): (&str, &str),
    policy: &Policy,
) -> Result<(Json, Vec<Made>), TranslateError> {
    let expect = Expect { method, ..Expect::default() };
    let (from, to) = (codec(from).expect("compiled in"), codec(to).expect("compiled in"));
    let done = translate_as(input.as_bytes(), expect, from, to, policy)?;
    let report = done.report.iter();
    let mut made: Vec<_> = report.map(|e| (e.path.clone(), e.feature, e.action)).collect();
    made.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    Ok((Json::read(&done.bytes), made))
}

/// Like [`translate`], of what gets there.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn translated(input: &str, method: Option<&str>, pair: (&str, &str)) -> (Json, Vec<Made>) {
    let done = translate(input, method, pair, &Policy::faithful());
    done.unwrap_or_else(|error| panic!("{pair:?}: {error}: {input}"))
}

/// The message as its own codec reads and writes it, without a report.
///
/// # Panics
/// When it is not.
#[track_caller]
pub fn again(revision: &str, method: Option<&str>, input: &str) -> Message {
    let codec = codec(revision).expect("compiled in");
    let decoded = codec.decode(input.as_bytes(), Expect { method, ..Expect::default() });
    let decoded = decoded.unwrap_or_else(|error| panic!("{revision}: {error}: {input}"));
    assert!(decoded.report.is_empty(), "{revision}: {:?}", decoded.report);
    let mut out = Vec::new();
    codec.encode(&decoded.value, &mut out).expect("written");
    assert_eq!(Json::read(&out), Json::read(input), "{revision}");
    decoded.value
}

/// Fails unless `input` becomes `output` with a report of exactly `changes`.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn assert_becomes(
    input: &str,
    method: Option<&str>,
    pair: (&str, &str),
    output: &str,
    changes: &[Change],
) {
    let (found, made) = translated(input, method, pair);
    let expected = Json::read(output);
    assert!(found == expected, "{pair:?}:\n{input}\nbecame   {found}\nexpected {expected}");
    let changes = changes.iter().map(|(path, f, action)| ((*path).to_owned(), Some(*f), *action));
    let mut changes: Vec<Made> = changes.collect();
    changes.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    assert_eq!(made, changes, "{pair:?}: {input}");
}

/// Fails unless the target lacks the method of `input`, or the one that it answers.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn assert_no_method(input: &str, answers: Option<&str>, pair: (&str, &str)) {
    match translate(input, answers, pair, &Policy::faithful()) {
        Err(TranslateError::Method { target, .. }) => assert_eq!(target, pair.1),
        other => panic!("{pair:?}: {other:?}: {input}"),
    }
}

/// Fails unless a tool result of these blocks and further members becomes one of those.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn result_becomes(
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

/// Fails unless a list of this tool becomes a list of that one.
///
/// # Panics
/// When it does not.
#[track_caller]
pub fn tool_becomes(tool: &str, pair: (&str, &str), new_tool: &str, changes: &[Change]) {
    let input = response("1", &list_result(pair.0, tool, &[]));
    let output = response("1", &list_result(pair.1, new_tool, &[]));
    assert_closed(pair.1, "ListToolsResultResponse", output.as_bytes());
    let hints: &[Change] = if is_modern(pair.0) && !is_modern(pair.1) {
        &[
            ("/result/ttlMs", Feature::CacheHints, Action::Dropped),
            ("/result/cacheScope", Feature::CacheHints, Action::Dropped),
        ]
    } else {
        &[]
    };
    assert_becomes(&input, Some("tools/list"), pair, &output, &[changes, hints].concat());
}
