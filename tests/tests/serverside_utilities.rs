//! Completion, progress, cancellation and tasks, from bytes to bytes.

use protocol_droid_codecs::{Expect, TranslateError, codec};
use protocol_droid_ir::{Action, Feature, Policy};
use protocol_droid_tests::closed::assert_closed;
use protocol_droid_tests::frames::{
    cacheable_result, notification, object, plain_result, request, response,
};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{
    A, B, C, Change, D, E, assert_becomes, assert_no_method, translate, translated,
};

use Action::{Dropped, Fallback};

const ALL: [&str; 5] = [A, B, C, D, E];

/// Fails unless a result of this member becomes one of that.
#[track_caller]
fn completion_becomes(pair: (&str, &str), [member, new]: [&str; 2], changes: &[Change]) {
    let output = plain_result(pair.1, &[new]);
    assert_closed(pair.1, "CompleteResult", output.as_bytes());
    let (input, output) = (response("1", &plain_result(pair.0, &[member])), response("1", &output));
    assert_becomes(&input, Some("completion/complete"), pair, &output, changes);
}

#[track_caller]
fn is_refused(input: &str, method: Option<&str>, pair: (&str, &str), feature: Feature, at: &str) {
    match translate(input, method, pair, &Policy::faithful()) {
        Err(TranslateError::Lower(error)) => {
            assert_eq!((error.feature, error.pointer.as_str()), (feature, at), "{error}");
        }
        other => panic!("{pair:?}: {other:?}: {input}"),
    }
}

#[test]
fn a_completion_loses_its_context_before_2025_06_18() {
    let asked = |revision: &str, title: &str, context: &[&str]| {
        let reference = format!(r#""ref":{{"type":"ref/prompt","name":"p"{title}}}"#);
        let argument = r#""argument":{"name":"a","value":""}"#;
        let params = [&[reference.as_str(), argument], context].concat();
        request(revision, "1", "completion/complete", &params, &[r#""x/y":1.0"#])
    };
    let context = [r#""context":{"arguments":{"b":"\u0031","c":"2"}}"#];
    let full = |revision: &str| asked(revision, r#","title":"P""#, &context);
    let changes = [
        ("/params/context", Feature::CompletionContext, Dropped),
        ("/params/ref/title", Feature::Title, Dropped),
    ];
    for from in [C, D, E] {
        for to in [A, B] {
            let output = asked(to, "", &[]);
            assert_becomes(&full(from), None, (from, to), &output, &changes);
        }
    }
    for pair in [(C, D), (D, C), (E, C), (E, D)] {
        assert_becomes(&full(pair.0), None, pair, &full(pair.1), &[]);
    }
    let odd = r#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/tool"},"argument":{"name":"a","value":""}}}"#;
    is_refused(odd, None, (D, C), Feature::UnknownContent, "/params/ref");
}

#[test]
fn more_than_a_hundred_values_are_cut_for_2026_07_28() {
    let values = |count: usize| (0..count).map(|n| format!(r#""{n}""#)).collect::<Vec<_>>();
    let completion = |count: usize, rest: &str| {
        format!(r#""completion":{{"values":[{}],"total":200{rest}}}"#, values(count).join(","))
    };
    let cut = ("/result/completion/values", Feature::ManyCompletions, Fallback);
    let told = ("/result/completion/hasMore", Feature::ManyCompletions, Fallback);
    for from in [A, B, C, D] {
        let (more, all) = (completion(100, r#","hasMore":true"#), completion(100, ""));
        let false_more = completion(101, r#","hasMore":false"#);
        completion_becomes((from, E), [&completion(101, ""), &more], &[cut]);
        completion_becomes((from, E), [&false_more, &more], &[cut, told]);
        completion_becomes((from, E), [&all, &all], &[]);
        completion_becomes((E, from), [&more, &more], &[]);
    }
    let many = completion(101, "");
    completion_becomes((D, A), [&many, &many], &[]);
}

#[test]
fn progress_loses_its_message_before_2025_03_26() {
    let says = |message: &str| {
        let params = r#"{"progressToken":"\u0031","progress":1.50,"total":2e1"#;
        notification("progress", &format!("{params}{message}}}"))
    };
    let (told, mute) = (says(r#","message":"half""#), says(""));
    for from in [B, C, D, E] {
        let change = [("/params/message", Feature::ProgressMessage, Dropped)];
        assert_becomes(&told, None, (from, A), &mute, &change);
        assert_becomes(&mute, None, (A, from), &mute, &[]);
    }
    for pair in [(E, B), (B, E), (D, C)] {
        assert_becomes(&told, None, pair, &told, &[]);
    }
}

#[test]
fn what_cancels_no_request_reaches_only_2025_11_25() {
    let nothing = notification("cancelled", r#"{"reason":"no longer"}"#);
    let one = notification("cancelled", r#"{"requestId":"\u0031","reason":"no longer"}"#);
    for from in ALL {
        for to in ALL.into_iter().filter(|to| *to != from) {
            assert_becomes(&one, None, (from, to), &one, &[]);
        }
    }
    let feature = Feature::CancelledWithoutRequest;
    for to in [A, B, C, E] {
        is_refused(&nothing, None, (D, to), feature, "/params/requestId");
        assert!(codec(to).unwrap().decode(nothing.as_bytes(), Expect::default()).is_err());
    }
    assert_becomes(&nothing, None, (D, D), &nothing, &[]);
}

const TASK: &str = r#""taskId":"t","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:40:00Z","status":"working""#;

#[test]
fn tasks_are_refused_across_eras() {
    let legacy = format!(r#"{{{TASK},"ttl":null}}"#);
    let made = response("1", &format!(r#"{{"task":{legacy}}}"#));
    let modern = response("1", &format!(r#"{{"resultType":"task",{TASK},"ttlMs":null}}"#));
    for to in [A, B, C, E] {
        is_refused(&made, Some("tools/call"), (D, to), Feature::TaskAugmentation, "/result/task");
        let id = r#""taskId":"t""#;
        for (method, member, answer) in [
            ("tasks/get", id, legacy.as_str()),
            ("tasks/result", id, r#"{"content":[]}"#),
            ("tasks/cancel", id, &legacy),
            ("tasks/list", r#""cursor":"""#, r#"{"tasks":[]}"#),
        ] {
            assert_no_method(&request(D, "1", method, &[member], &[]), None, (D, to));
            assert_no_method(&response("1", answer), Some(method), (D, to));
        }
        assert_no_method(&notification("tasks/status", &legacy), None, (D, to));
    }
    for to in [A, B, C, D] {
        is_refused(&modern, Some("tools/call"), (E, to), Feature::TaskExtension, "/result");
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let members = [r#""taskId":"t""#, r#""inputResponses":{}"#];
            assert_no_method(&request(E, "1", method, &members, &[]), None, (E, to));
        }
        let state = format!(r#"{{{TASK},"ttlMs":null}}"#);
        assert_no_method(&notification("tasks", &state), None, (E, to));
    }
}

#[test]
fn the_task_that_something_belongs_to_is_dropped_where_there_are_none() {
    let related = r#""io.modelcontextprotocol/related-task":{"taskId":"t"}"#;
    let kept = r#""x/y":1.0"#;
    let asked_at = "/params/_meta/io.modelcontextprotocol~1related-task";
    let read_at = "/result/_meta/io.modelcontextprotocol~1related-task";
    let change = |at: &'static str| [(at, Feature::TaskAugmentation, Dropped)];
    for to in [A, B, C, E] {
        let asked = |revision: &str, meta: &[&str]| {
            request(revision, "1", "resources/read", &[r#""uri":"file:///a""#], meta)
        };
        let (found, made) = translated(&asked(D, &[related, kept]), None, (D, to));
        assert_eq!(found, Json::read(asked(to, &[kept])));
        let place = (asked_at.to_owned(), Some(Feature::TaskAugmentation), Dropped);
        assert!(made.contains(&place), "{made:?}");
        let told = |meta: &str| {
            notification(
                "progress",
                &format!(r#"{{"progressToken":1,"progress":1,"_meta":{meta}}}"#),
            )
        };
        let both = object(&[related, kept]);
        assert_becomes(&told(&both), None, (D, to), &told(&object(&[kept])), &change(asked_at));
        let read = |revision: &str, meta: &[&str]| {
            let meta = format!(r#""_meta":{}"#, object(meta));
            response("1", &cacheable_result(revision, &[r#""contents":[]"#, &meta]))
        };
        let (input, output) = (read(D, &[related, kept]), read(to, &[kept]));
        assert_becomes(&input, Some("resources/read"), (D, to), &output, &change(read_at));
    }
}
