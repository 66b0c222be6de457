//! Clients of the public SDKs, of every revision, against the host: what each of them sees.
//!
//! The SDKs are installed by name into the target folder, from npm and PyPI. Where that cannot be the
//! suite says so and passes, unless `CI_REQUIRE_CLIENTS` is set.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use protocol_droid_tests::sdks::{Sdk, Sdks, Transport};
use serde_json::{Value, json};

use Transport::{Http, Sse, Stdio};

/// An SDK, the mode it is told, the revision it comes to, and what carries it.
struct Row {
    sdk: Sdk,
    mode: Option<&'static str>,
    revision: &'static str,
    over: [Transport; 2],
}

const fn row(
    sdk: Sdk,
    mode: Option<&'static str>,
    revision: &'static str,
    over: [Transport; 2],
) -> Row {
    Row { sdk, mode, revision, over }
}

const ROWS: &[Row] = &[
    row(Sdk::TypeScript("1.9.0"), None, "2024-11-05", [Stdio, Sse]),
    row(Sdk::TypeScript("1.12.3"), None, "2025-03-26", [Stdio, Http]),
    row(Sdk::TypeScript("1.23.1"), None, "2025-06-18", [Stdio, Http]),
    row(Sdk::TypeScript("1.32.2"), None, "2025-11-25", [Stdio, Http]),
    row(Sdk::TypeScript("2.4.0"), Some("legacy"), "2025-11-25", [Stdio, Http]),
    row(Sdk::TypeScript("2.4.0"), Some("auto"), "2026-07-28", [Stdio, Http]),
    row(Sdk::TypeScript("2.4.0"), Some("2026-07-28"), "2026-07-28", [Stdio, Http]),
    row(Sdk::Python("1.6.0"), None, "2024-11-05", [Stdio, Sse]),
    row(Sdk::Python("1.9.4"), None, "2025-03-26", [Stdio, Http]),
    row(Sdk::Python("1.22.0"), None, "2025-06-18", [Stdio, Http]),
    row(Sdk::Python("1.30.0"), None, "2025-11-25", [Stdio, Http]),
    row(Sdk::Python("2.3.0"), Some("legacy"), "2025-11-25", [Stdio, Http]),
    row(Sdk::Python("2.3.0"), Some("auto"), "2026-07-28", [Stdio, Http]),
    row(Sdk::Python("2.3.0"), Some("2026-07-28"), "2026-07-28", [Stdio, Http]),
];

/// What a client sees, by the step.
type Seen = BTreeMap<String, Value>;

/// What a client of a revision sees of the server.
fn expected(row: &Row) -> Seen {
    let since = |revision| row.revision >= revision;
    let result = |content: Value, structured: Value| json!({"content": content, "structured": structured, "error": false});
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut seen = vec![
        // Of its transports, the first TypeScript SDK tells only some what was agreed on.
        ("revision of the client", json!(row.revision)),
        ("revision of the server", json!(row.revision)),
        (
            "names",
            json!(
                "object array blocks declines who steps logs hang counts form model roots change"
            ),
        ),
        ("declines", json!({"content": [text("no")], "structured": null, "error": true})),
        ("no such tool", json!(-32602)),
        ("progress", json!([1, 2, 3])),
        ("logs", json!(["careful"])),
        ("starts", json!(true)),
        ("stops", json!(true)),
        ("form", json!(if since("2025-06-18") { "Ada" } else { "declined" })),
        ("model", json!("Hi")),
        ("roots", json!("file:///work")),
        ("resources", json!([{"uri": "test://note", "name": "note"}])),
        ("resource", json!([{"uri": "test://note", "text": "noted"}])),
        ("prompts", json!([{"name": "greet", "arguments": [{"name": "name", "required": true}]}])),
        ("prompt", json!([{"role": "user", "content": text("Greet Ada.")}])),
        ("completion", json!(["Ada"])),
        ("change", json!(true)),
    ];

    let mut tool =
        json!({"name": "object", "description": "For tests.", "inputSchema": {"type": "object"}});
    if since("2025-06-18") {
        tool["title"] = json!("An object");
        tool["annotations"] = json!({"readOnlyHint": true});
        tool["outputSchema"] =
            json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    } else if since("2025-03-26") {
        tool["annotations"] = json!({"title": "An object", "readOnlyHint": true});
    }
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let (object, array, schema) = if since("2026-07-28") {
        (json!({"n": 1.5}), json!([1, 2]), schema)
    } else if since("2025-06-18") {
        let wrapped =
            json!({"type": "object", "properties": {"result": schema}, "required": ["result"]});
        (json!({"n": 1.5}), json!({"result": [1, 2]}), wrapped)
    } else {
        (Value::Null, Value::Null, Value::Null)
    };
    let audio = if since("2025-03-26") {
        json!({"type": "audio", "data": "YXVkaW8=", "mimeType": "audio/wav"})
    } else {
        let uri = "urn:protocol-droid:audio:1";
        let resource = json!({"uri": uri, "mimeType": "audio/wav", "blob": "YXVkaW8="});
        json!({"type": "resource", "resource": resource})
    };
    let link = if since("2025-06-18") {
        json!({"type": "resource_link", "uri": "test://note", "name": "note", "mimeType": "text/plain"})
    } else {
        text("note: test://note (text/plain)")
    };
    let blocks = json!([
        {"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png"},
        audio,
        {"type": "resource", "resource": {"uri": "test://embedded", "text": "embedded"}},
        link,
    ]);
    // The second TypeScript SDK reads the older code as the newer one.
    let lenient = row.sdk == Sdk::TypeScript("2.4.0");
    let missing = if since("2026-07-28") || lenient { -32602 } else { -32002 };
    seen.extend([
        ("tool", tool),
        ("schema of an array", schema),
        ("object", result(json!([text(r#"{"n":1.50}"#)]), object)),
        ("array", result(json!([text("[1,2]")]), array)),
        ("blocks", result(blocks, Value::Null)),
        ("no such resource", json!(missing)),
    ]);
    seen.into_iter().map(|(step, saw)| (step.to_owned(), saw)).collect()
}

#[test]
fn clients_of_every_revision_see_what_they_can() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    let sdks = match Sdks::install(&folder, ROWS.iter().map(|row| row.sdk)) {
        Ok(sdks) => sdks,
        Err(why) => {
            assert!(std::env::var_os("CI_REQUIRE_CLIENTS").is_none(), "no clients: {why}");
            // Not `eprintln`, which is heard of failures only.
            let _ = writeln!(io::stderr(), "\nSKIPPED: no client could be installed: {why}");
            return;
        }
    };
    let cases = ROWS.iter().flat_map(|row| row.over.map(|over| (row, over)));
    let queue = Mutex::new(cases.collect::<Vec<_>>());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let next = || queue.lock().expect("no thread panics").pop();
                while let Some((row, over)) = next() {
                    let faults = check(&sdks, row, over);
                    wrong.lock().expect("no thread panics").extend(faults);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is not as it should be, a line each.
fn check(sdks: &Sdks, row: &Row, over: Transport) -> Vec<String> {
    let (lines, errors) = sdks.run(row.sdk, row.mode, over, env!("CARGO_BIN_EXE_interop_server"));
    let steps = lines.iter().filter_map(|line| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        Some((line["step"].as_str()?.to_owned(), whole(line["saw"].take())))
    });
    let (seen, mut expected): (Seen, _) = (steps.collect(), expected(row));
    if matches!(row.sdk, Sdk::TypeScript(version) if version.starts_with('1')) {
        let version = "revision of the client";
        if seen.get(version) == Some(&Value::Null) {
            expected.insert(version.to_owned(), Value::Null);
        }
    }
    let mut faults = Vec::new();
    for (step, expected) in &expected {
        let found = seen.get(step).map_or("nothing".to_owned(), Value::to_string);
        if seen.get(step) != Some(expected) {
            faults.push(format!("{step}: expected {expected}, found {found}"));
        }
    }
    if seen.len() < expected.len() {
        faults.push(format!("it ended early: {errors}"));
    }
    let case = format!("{:?} {:?} over {over:?}", row.sdk, row.mode);
    faults.iter().map(|fault| format!("{case}: {fault}")).collect()
}

/// Progress without fractions: Python has `1.0` where TypeScript has `1`.
fn whole(saw: Value) -> Value {
    let number = |value: Value| match value.as_f64() {
        Some(number) if number.fract() == 0.0 => json!(number as i64),
        _ => value,
    };
    match saw {
        Value::Array(values) => values.into_iter().map(number).collect(),
        saw => saw,
    }
}
