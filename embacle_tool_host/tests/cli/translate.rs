//! `droid translate`.

use std::fs;
use std::io::{BufRead, BufReader, Write};

use serde_json::Value;

use crate::{CALL, LIST, LOWERED, Run, STRUCTURED, capture, command, droid, scratch};

/// `droid translate --from <from> --to <to>`, and more arguments.
fn translate(from: &str, to: &str, more: &[&str], input: impl AsRef<[u8]>) -> Run {
    droid(&[&["translate", "--from", from, "--to", to], more].concat(), input)
}

const OLDEST: &[&str] = &["translate", "--from", "2025-06-18", "--to", "2024-11-05"];

#[test]
fn a_response_is_typed_by_its_request() {
    let run = translate("2025-06-18", "2024-11-05", &[], format!("{CALL}\n{STRUCTURED}\n"));
    assert_eq!(run.stdout, format!("{CALL}\n{LOWERED}\n"));
    assert_eq!(run.status, 0);
    let head = "2 messages from 2025-06-18 to 2024-11-05: 1 unchanged, 1 translated\n";
    assert!(run.stderr.starts_with(head), "{}", run.stderr);
    let loss = "line 2  /result/structuredContent  fallback  StructuredContent  ";
    assert!(run.stderr.contains(loss), "{}", run.stderr);
    assert!(!run.stderr.contains('\x1b'));
}

#[test]
fn a_response_is_typed_by_the_method_given() {
    let run = translate("2025-06-18", "2024-11-05", &["--method", "tools/call"], STRUCTURED);
    assert_eq!((run.status, run.stdout), (0, format!("{LOWERED}\n")));
    // The request in the input goes first.
    let input = format!("{CALL}{STRUCTURED}");
    let run = translate("2025-06-18", "2024-11-05", &["--method", "tools/list"], input);
    assert_eq!((run.status, run.stdout), (0, format!("{CALL}\n{LOWERED}\n")));
    let run = translate("2025-06-18", "2024-11-05", &[], STRUCTURED);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("error: line 1: /result: "), "{}", run.stderr);
    assert!(run.stderr.contains("--method names it"), "{}", run.stderr);
}

#[test]
fn a_bare_result_comes_out_bare() {
    let bare = "{\"content\": [],\n \"structuredContent\": {\"n\": 1.50}}\n";
    let run = translate("2025-06-18", "2024-11-05", &["--method", "tools/call", "-"], bare);
    let expected = "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\": 1.50}\"}]}\n";
    assert_eq!((run.status, run.stdout.as_str()), (0, expected));
    assert!(run.stderr.contains("line 1  /structuredContent  fallback"), "{}", run.stderr);
    let run = translate("2025-06-18", "2024-11-05", &[], bare);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("error: line 1: /jsonrpc: "), "{}", run.stderr);
    assert!(run.stderr.contains("a result without its envelope needs --method"), "{}", run.stderr);
}

#[test]
fn documents_over_several_lines_come_out_on_one_each() {
    let pretty = "{\r\n  \"jsonrpc\": \"2.0\",\r\n\r\n  \"method\": \"a/b\"\r\n}";
    let input = format!("\u{feff}{pretty}\r\n\r\n{pretty} {LIST}\r\n");
    let run = translate("2025-06-18", "2025-06-18", &[], input);
    let line = "{  \"jsonrpc\": \"2.0\",  \"method\": \"a/b\"}\n";
    assert_eq!((run.status, run.stdout), (0, format!("{line}{line}{LIST}\n")));
    assert_eq!(run.stderr, "3 messages from 2025-06-18 to 2025-06-18: 3 unchanged\n");
}

#[test]
fn no_messages_are_no_fault() {
    let run = translate("2025-06-18", "2024-11-05", &[], "\n \r\n");
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
}

#[test]
fn a_batch_comes_out_as_its_messages() {
    let report = scratch("batch");
    let more = ["--report", report.to_str().unwrap()];
    let tools = r#"{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{}}]}}"#;
    let input = format!("\n[{LIST},\n{tools}]\n{CALL}");
    let run = translate("2025-03-26", "2024-11-05", &more, &input);
    let lowered = tools.replace(r#","annotations":{}"#, "");
    assert_eq!((run.status, run.stdout), (0, format!("{LIST}\n{lowered}\n{CALL}\n")));
    let line = fs::read_to_string(&report).unwrap();
    let head = r#"{"line":2,"path":"/1/result/tools/0/annotations","feature":"ToolAnnotations","action":"dropped","note":""#;
    assert!(line.starts_with(head), "{line}");

    for from in ["2024-11-05", "2025-06-18", "2026-07-28", "draft"] {
        let run = translate(from, "2025-11-25", &[], format!("[{LIST}]\n"));
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains("batches exist at 2025-03-26 alone"), "{}", run.stderr);
    }
    let run = translate("2025-03-26", "2024-11-05", &[], format!("[]\n[7,[],{LIST}]\n"));
    assert_eq!((run.status, run.stdout), (2, format!("{LIST}\n")));
    for error in ["line 1: the message: ", "line 2: /0: expected an object", "line 2: /1: "] {
        assert!(run.stderr.contains(&format!("error: {error}")), "{}", run.stderr);
    }
}

#[test]
fn a_refused_message_leaves_nothing_and_the_next_is_translated() {
    let report = scratch("refused");
    let more = ["--report", report.to_str().unwrap()];
    let elicit = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}"#;
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"action":"decline"}}"#;
    let input = format!("{elicit}\n{LIST}\n{answer}\n");
    let run = translate("2025-06-18", "2025-03-26", &more, input);
    assert_eq!((run.status, run.stdout), (1, format!("{LIST}\n")));
    assert!(run.stderr.contains("1 unchanged, 2 refused"), "{}", run.stderr);
    let lines = fs::read_to_string(&report).unwrap();
    let lines: Vec<_> = lines.lines().collect();
    let refusal = |line, path| {
        format!(
            r#"{{"line":{line},"path":"{path}","feature":null,"action":"refused","note":"2025-03-26 does not have elicitation/create"}}"#
        )
    };
    assert_eq!(lines, [refusal(1, "/method"), refusal(3, "")]);
}

#[test]
fn strict_refuses_what_faithful_reports() {
    let report = scratch("strict");
    let more = ["--policy", "strict", "--report", report.to_str().unwrap()];
    let run = translate("2025-06-18", "2024-11-05", &more, format!("{CALL}\n{STRUCTURED}\n{LIST}"));
    assert_eq!((run.status, run.stdout), (1, format!("{CALL}\n{LIST}\n")));
    let line = fs::read_to_string(&report).unwrap();
    let head = r#"{"line":2,"path":"/result/structuredContent","feature":"StructuredContent","action":"refused","note":""#;
    assert!(line.starts_with(head) && line.lines().count() == 1, "{line}");
    assert!(run.stderr.contains("1 refused"), "{}", run.stderr);
}

#[test]
fn a_report_line_has_its_members_in_order() {
    let report = scratch("order");
    fs::write(&report, "what was there before, longer than what comes now".repeat(100)).unwrap();
    let more = ["--report", report.to_str().unwrap()];
    let session = capture("everything-2025-11-25.jsonl");
    let more = [&more[..], &[session.to_str().unwrap()]].concat();
    let run = translate("2025-11-25", "2024-11-05", &more, "");
    assert_eq!(run.status, 1, "{}", run.stderr);
    let lines = fs::read_to_string(&report).unwrap();
    for line in lines.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let names = ["line", "path", "feature", "action", "note"];
        let places: Vec<_> =
            names.iter().map(|name| line.find(&format!("\"{name}\":")).unwrap()).collect();
        assert!(places.is_sorted() && value.as_object().unwrap().len() == names.len(), "{line}");
        let action = value["action"].as_str().unwrap();
        assert!(["fallback", "dropped", "repaired", "refused"].contains(&action), "{line}");
    }
    // A long list is cut on standard error, and complete in the report.
    let rest =
        format!("… and {} more changes; all are in {}", lines.lines().count() - 2 - 20, more[1]);
    assert!(run.stderr.contains(&rest), "{rest}\n{}", run.stderr);
}

#[test]
fn a_captured_session_reaches_every_revision() {
    let session = capture("everything-2025-11-25.jsonl");
    let whole = fs::read_to_string(&session).unwrap();
    for (to, refused) in [
        ("2024-11-05", 2),
        ("2025-03-26", 2),
        // A form with a multi-select enum has no other form there.
        ("2025-06-18", 1),
        ("2025-11-25", 0),
        ("2026-07-28", 11),
        ("draft", 11),
    ] {
        let run = translate("2025-11-25", to, &[session.to_str().unwrap()], "");
        assert_eq!(run.status, i32::from(refused > 0), "{}", run.stderr);
        assert_eq!(run.stdout.lines().count(), whole.lines().count() - refused);
        if to == "2025-11-25" {
            assert_eq!(run.stdout, whole);
        }
    }
}

#[test]
fn what_is_no_message_is_named_and_left_out() {
    let report = scratch("bad");
    let more = ["--report", report.to_str().unwrap()];
    let unnamed = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#;
    // A response is typed by its request even where the request is no good.
    let answer = STRUCTURED.replace(":1,", ":3,");
    let input = format!("17 \"a\"\n\n{unnamed}\n{answer}\n{LIST}");
    let run = translate("2025-06-18", "2024-11-05", &more, input);
    let lowered = LOWERED.replace(":1,", ":3,");
    assert_eq!((run.status, run.stdout), (2, format!("{lowered}\n{LIST}\n")));
    for error in [
        "line 1: the message: expected an object, found a number",
        "line 3: /params/name: required, found nothing",
    ] {
        assert!(run.stderr.contains(&format!("error: {error}")), "{}", run.stderr);
    }
    let lines = fs::read_to_string(&report).unwrap();
    let last = r#"{"line":3,"path":"/params/name","feature":null,"action":"refused","note":"required, found nothing"}"#;
    assert_eq!((lines.lines().count(), lines.lines().nth(2)), (4, Some(last)));
}

#[test]
fn what_is_no_json_ends_the_translation() {
    for (bad, error) in [
        ("{\"jsonrpc\":\n 2.O}", "line 3, column 4, in the value that starts on line 2: expected "),
        ("oops", "line 2, column 1: expected a JSON value, found 'o'"),
        (
            "{\"jsonrpc\":\"2.0\"",
            "line 3, column 1, in the value that starts on line 2: expected a comma, ",
        ),
    ] {
        let run = translate("2025-06-18", "2024-11-05", &[], format!("{LIST}\n{bad}\n{LIST}\n"));
        assert_eq!((run.status, run.stdout), (2, format!("{LIST}\n")), "{bad}");
        assert!(run.stderr.contains(&format!("error: {error}")), "{}", run.stderr);
    }
    let run = translate("2025-06-18", "2024-11-05", &[], format!("{LIST}\n[\n[\n7"));
    assert_eq!((run.status, run.stdout), (2, format!("{LIST}\n")));
    let error = "error: line 4, column 2, in the value that starts on line 2: expected ";
    assert!(run.stderr.contains(error), "{}", run.stderr);
    let run = translate("2025-06-18", "2024-11-05", &[], b"{\"a\":\"\xFF\"}");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("line 1, column 7: expected UTF-8"), "{}", run.stderr);
}

#[test]
fn bad_usage_and_bad_files_write_nothing() {
    let (report, missing) = (scratch("usage"), scratch("missing"));
    let (report_path, missing_path) = (report.to_str().unwrap(), missing.to_str().unwrap());
    let nowhere = format!("{missing_path}/report");
    for more in [
        &["--report", report_path, missing_path][..],
        &["--report", report_path, env!("CARGO_MANIFEST_DIR")],
        &["--report", &nowhere],
        &["--policy", "lenient"],
        &["one", "two"],
    ] {
        let run = translate("2025-06-18", "2024-11-05", more, LIST);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{more:?}");
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(!report.exists(), "{more:?}");
    }
    for revision in ["2025-06-19", "latest", ""] {
        let run = translate(revision, "2024-11-05", &[], LIST);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""));
        assert!(run.stderr.contains("unknown revision"), "{}", run.stderr);
    }
    assert_eq!(droid(&["translate", "--from", "draft"], "").status, 2);
    assert_eq!(droid(&[], "").status, 2);
}

#[test]
fn the_report_never_overwrites_the_input() {
    let input = scratch("same");
    fs::write(&input, CALL).unwrap();
    let path = input.to_str().unwrap();
    let run = translate("2025-06-18", "2024-11-05", &["--report", path, path], "");
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("would overwrite the input"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&input).unwrap(), CALL);
}

#[test]
fn a_method_that_the_revision_lacks_is_noted() {
    let run = translate("2025-06-18", "2024-11-05", &["--method", "tool/call"], "{\"a\":1}");
    assert_eq!((run.status, run.stdout.as_str()), (0, "{\"a\":1}\n"));
    assert!(run.stderr.contains("note: 2025-06-18 has no method tool/call"), "{}", run.stderr);
}

#[test]
fn colour_is_for_terminals_and_for_those_who_force_it() {
    for (variables, coloured) in [
        (&[("CLICOLOR_FORCE", "1")][..], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[("CLICOLOR_FORCE", "0")], false),
    ] {
        let mut command = command(OLDEST);
        command.envs(variables.iter().copied());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.stderr.contains(&0x1b), coloured, "{variables:?}");
    }
}

#[test]
fn a_terminal_is_told_nothing_it_would_obey() {
    let error = translate("2025-06-18", "2024-11-05", &["\u{1b}[2J"], "").stderr;
    assert!(!error.contains('\x1b') && error.contains(r"\u{1b}[2J"), "{error}");
}

#[test]
fn messages_come_out_while_the_input_goes_on() {
    let mut child = command(OLDEST).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(stdin, "{CALL}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{CALL}\n"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let mut child = command(OLDEST).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    while writeln!(stdin, "{CALL}").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

/// Linux alone tells how much memory another process had at most; elsewhere there is no such test.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_number_of_lines() {
    let mut child = command(OLDEST).spawn().unwrap();
    let id = child.id();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut peaks = Vec::new();
    for pairs in [1_000, 99_000] {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..pairs {
                    writeln!(stdin, "{CALL}\n{STRUCTURED}").unwrap();
                }
            });
            let mut line = String::new();
            for _ in 0..2 * pairs {
                line.clear();
                stdout.read_line(&mut line).unwrap();
            }
            assert_eq!(line, format!("{LOWERED}\n"));
        });
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peaks.push(peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap());
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert!(peaks[1] < peaks[0] + 2048, "{} kB, then {} kB", peaks[0], peaks[1]);
}
