//! Captures that say who sent which message.

use crate::{LIST, LOWERED, STRUCTURED, droid};

const CALL_BY_CLIENT: &str = r#"{"direction":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}}"#;
const ROOTS_BY_SERVER: &str =
    r#"{"direction":"server","message":{"jsonrpc":"2.0","id":1,"method":"roots/list"}}"#;
const ROOTS_FROM_CLIENT: &str =
    r#"{"direction":"client","message":{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}}"#;

fn from_server(message: &str) -> String {
    format!(r#"{{"direction":"server","message":{message}}}"#)
}

fn translate(input: impl AsRef<[u8]>) -> (i32, String, String) {
    let run = droid(&["translate", "--from", "2025-06-18", "--to", "2024-11-05"], input);
    (run.status, run.stdout, run.stderr)
}

#[test]
fn a_message_comes_out_in_the_form_it_came() {
    let input = [CALL_BY_CLIENT, &from_server(STRUCTURED), LIST].join("\n");
    let expected = [CALL_BY_CLIENT, &from_server(LOWERED), LIST].join("\n") + "\n";
    let (status, stdout, stderr) = translate(input);
    assert_eq!((status, stdout), (0, expected));
    assert!(stderr.contains("line 2  /message/result/structuredContent  fallback"), "{stderr}");
}

#[test]
fn what_else_a_line_says_is_kept_on_one_line() {
    let input = format!(
        "{{ \"at\": 1.50,\n \"message\": {STRUCTURED},\n \"direction\": \"server\" }}\n{LIST}"
    );
    let input = format!("{CALL_BY_CLIENT}\n{input}");
    let line = format!(r#"{{ "at": 1.50, "message": {LOWERED}, "direction": "server" }}"#);
    let (status, stdout, _) = translate(input);
    assert_eq!((status, stdout), (0, format!("{CALL_BY_CLIENT}\n{line}\n{LIST}\n")));
}

#[test]
fn the_same_id_of_two_sides_does_not_mix() {
    // The server asks first, and its own answer comes before the client's.
    let input =
        [ROOTS_BY_SERVER, CALL_BY_CLIENT, &from_server(STRUCTURED), ROOTS_FROM_CLIENT].join("\n");
    let expected =
        [ROOTS_BY_SERVER, CALL_BY_CLIENT, &from_server(LOWERED), ROOTS_FROM_CLIENT].join("\n");
    let (status, stdout, stderr) = translate(input);
    assert_eq!((status, stdout), (0, expected + "\n"), "{stderr}");
    // A side does not answer itself.
    let (status, _, stderr) = translate(format!("{ROOTS_BY_SERVER}\n{}", from_server(STRUCTURED)));
    assert_eq!(status, 2);
    assert!(stderr.contains("error: line 2: /message/result: "), "{stderr}");
}

#[test]
fn a_batch_in_a_line_comes_out_as_lines() {
    let input = format!(r#"{{"direction":"client","message":[{LIST},{LIST}]}}"#);
    let run = droid(&["translate", "--from", "2025-03-26", "--to", "2024-11-05"], input);
    let line = format!(r#"{{"direction":"client","message":{LIST}}}"#);
    assert_eq!((run.status, run.stdout), (0, format!("{line}\n{line}\n")));
}

#[test]
fn a_direction_that_is_none_is_named_and_left_out() {
    let input = format!("{{\"direction\":\"up\",\"message\":{LIST}}}\n{LIST}");
    let (status, stdout, stderr) = translate(input);
    assert_eq!((status, stdout), (2, format!("{LIST}\n")));
    let error = "error: line 1: /direction: expected client or server, found \"up\"";
    assert!(stderr.contains(error), "{stderr}");
}
