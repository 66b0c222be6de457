//! `droid validate`.

use serde_json::Value;

use crate::{CALL, LIST, Run, STRUCTURED, capture, droid};

fn validate(revision: &str, more: &[&str], input: impl AsRef<[u8]>) -> Run {
    droid(&[&["validate", "--revision", revision], more].concat(), input)
}

/// The faults of `input`, which is at fault if there are any.
fn faults(revision: &str, more: &[&str], input: &str) -> String {
    let run = validate(revision, more, input);
    assert_eq!(run.status, i32::from(!run.stdout.is_empty()), "{}", run.stderr);
    run.stdout
}

#[test]
fn a_captured_session_keeps_to_its_revision() {
    let session = capture("everything-2025-11-25.jsonl");
    let run = validate("2025-11-25", &[session.to_str().unwrap()], "");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert_eq!(run.stderr, "58 messages of 2025-11-25: 58 valid\n");
    let run = validate("2026-07-28", &[session.to_str().unwrap()], "");
    assert_eq!(run.status, 1);
    let first = "line 1: /method: expected a method of 2026-07-28, found initialize; every request";
    assert!(run.stdout.lines().any(|line| line.starts_with(first)), "{}", run.stdout);
}

#[test]
fn every_fault_of_a_result_is_named() {
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a","_meta":null},{"type":"text"},{"type":"text","text":7}],"isError":null}}"#;
    assert_eq!(
        faults("2025-06-18", &[], &format!("{CALL}\n{result}")),
        "line 2: /result/content/0/_meta: expected a value or no member, found null\n\
         line 2: /result/content/1: expected a required member, found nothing; at /result/content/1/text\n\
         line 2: /result/content/2: expected a string, found a number; at /result/content/2/text\n\
         line 2: /result/isError: expected a value or no member, found null\n"
    );
}

#[test]
fn what_cannot_be_read_does_not_hide_what_should_not_be_sent() {
    let input = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#;
    assert_eq!(
        faults("2025-06-18", &["--direction", "server"], input),
        "line 1: /params/name: expected a required member, found nothing\n\
         line 1: /method: expected a method that a server may send at 2025-06-18, found tools/call; only a client may\n"
    );
}

#[test]
fn a_method_of_another_revision_is_at_fault_and_a_vendors_is_not() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#;
    let vendor = r#"{"jsonrpc":"2.0","id":2,"method":"acme/anything","params":{}}"#;
    assert_eq!(
        faults("2025-11-25", &["--direction", "client"], &format!("{ping}\n{vendor}")),
        "line 1: /method: expected a method of 2025-11-25, found server/discover; initialize asks for the server's capabilities\n"
    );
}

#[test]
fn the_direction_of_a_line_goes_before_that_of_the_command() {
    let line = format!(r#"{{"direction":"client","message":{LIST}}}"#);
    let fault = |path: &str| {
        format!(
            "{path}: expected a method that a server may send at 2025-06-18, found tools/list; only a client may\n"
        )
    };
    assert_eq!(faults("2025-06-18", &["--direction", "server"], &line), "");
    assert_eq!(
        faults("2025-06-18", &[], &line.replace("client", "server")),
        fault("line 1: /message/method")
    );
    assert_eq!(faults("2025-06-18", &["--direction", "server"], LIST), fault("line 1: /method"));
    assert_eq!(faults("2025-06-18", &[], LIST), "");
}

#[test]
fn a_modern_server_asks_nothing_and_a_modern_client_answers_nothing() {
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#;
    let found = faults("2026-07-28", &["--direction", "server"], ask);
    let expected = "line 1: (message): expected no request of a server at 2026-07-28, found roots/list; the server asks by a result of type input_required\n";
    assert!(found.ends_with(expected), "{found}");
    assert_eq!(faults("2025-11-25", &["--direction", "server"], ask), "");
    let answer = r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#;
    assert_eq!(
        faults("draft", &["--direction", "client"], answer),
        "line 1: (message): expected no response of a client at draft, found one; a server sends no requests there\n"
    );
}

#[test]
fn batches_belong_to_one_revision_and_hold_no_handshake() {
    let batch = format!("[{LIST}]");
    assert_eq!(faults("2025-03-26", &[], &batch), "");
    assert_eq!(
        faults("2025-06-18", &[], &batch),
        "line 1: (message): expected one message, found an array of them; batches exist at 2025-03-26 alone\n"
    );
    let open = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
    let error = r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}"#;
    assert_eq!(
        faults("2025-03-26", &[], &format!("[{LIST},{open},{error}]")),
        "line 1: /1/method: expected initialize on its own, found it in a batch\n\
         line 1: /2: expected a request or a notification, as the batch began, found a response\n"
    );
    let empty = faults("2025-03-26", &[], "[]");
    assert_eq!(empty, "line 1: (message): expected at least one message, found an empty array\n");
}

#[test]
fn a_response_to_nothing_is_a_note() {
    let run = validate("2025-06-18", &[], STRUCTURED);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    let note = "note: line 1: /result: it answers no request of this capture";
    assert!(run.stderr.starts_with("1 message of 2025-06-18: 1 valid\n"), "{}", run.stderr);
    assert!(run.stderr.contains(note), "{}", run.stderr);
    let run = validate("2025-06-18", &["--json"], STRUCTURED);
    let json: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, json["path"].as_str()), (0, Some("/result")));
    assert!(json["note"].is_string() && json.get("expected").is_none());
    // What all results have in common is checked all the same.
    let expected = "line 1: /result/resultType: expected a required member, found nothing\n";
    assert_eq!(faults("2026-07-28", &[], STRUCTURED), expected);
    assert_eq!(
        validate("2025-06-18", &["--method", "tools/call"], STRUCTURED).stderr.lines().count(),
        1
    );
}

#[test]
fn a_bare_result_needs_its_method() {
    let bare = r#"{"content":[{"type":"text"}]}"#;
    let expected =
        "line 1: /content/0: expected a required member, found nothing; at /content/0/text\n";
    assert_eq!(faults("2025-06-18", &["--method", "tools/call"], bare), expected);
    let found = faults("2025-06-18", &[], bare);
    assert!(found.contains("/jsonrpc: ") && found.contains("needs --method"), "{found}");
}

#[test]
fn json_has_a_fault_a_line() {
    let input = format!("{LIST}\n\n{}", CALL.replace(r#""name":"t""#, ""));
    let line =
        r#"{"line":3,"path":"/params/name","expected":"a required member","found":"nothing"}"#;
    assert_eq!(faults("2025-06-18", &["--json"], &input), format!("{line}\n"));
}

#[test]
fn bad_input_and_bad_usage() {
    let run = validate("2025-06-18", &[], format!("7\n{LIST}\noops"));
    let expected = "line 1: (message): expected an object, found a number\n";
    assert_eq!((run.status, run.stdout.as_str()), (2, expected));
    let error = "error: line 3, column 1: expected a JSON value, found 'o'\n";
    assert!(run.stderr.ends_with(error), "{}", run.stderr);
    for more in [&["--direction", "up"][..], &["one", "two"], &["no-such-file"]] {
        let run = validate("2025-06-18", more, LIST);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{more:?}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    }
    assert_eq!(droid(&["validate"], LIST).status, 2);
}
