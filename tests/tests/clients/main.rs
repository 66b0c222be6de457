//! Clients of the public SDKs, of every revision, against the host: what each of them sees.
//!
//! The SDKs are installed by name into the target folder, from npm and PyPI. Where that cannot be the
//! suite says so and passes, unless `CI_REQUIRE_CLIENTS` is set.

mod expected;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use protocol_droid_tests::sdks::{Sdk, Sdks, Transport};
use serde_json::{Value, json};

use Sdk::{Python, TypeScript};
use Transport::{Http, Sse, Stdio};

const SERVER: &str = env!("CARGO_BIN_EXE_interop_server");

/// An SDK, the mode it is told, what the host offers, the revision they come to, and what carries it.
struct Row {
    sdk: Sdk,
    mode: Option<&'static str>,
    /// Revisions between commas, or every one.
    offered: Option<&'static str>,
    revision: &'static str,
    over: &'static [Transport],
}

/// A row of a host that offers every revision: the newest that the client knows is agreed on.
const fn row(
    sdk: Sdk,
    mode: Option<&'static str>,
    revision: &'static str,
    over: &'static [Transport],
) -> Row {
    Row { sdk, mode, offered: None, revision, over }
}

/// A row of a client of every revision: the newest that the host offers is agreed on.
const fn host(sdk: Sdk, offered: &'static str, revision: &'static str) -> Row {
    Row { sdk, mode: Some("auto"), offered: Some(offered), revision, over: &[Stdio, Http] }
}

const ALL: &[Transport] = &[Stdio, Http, Sse];
/// Streamable HTTP came with 2025-03-26: the SDKs of the revision before it have none.
const OLD: &[Transport] = &[Stdio, Sse];

const ROWS: &[Row] = &[
    row(TypeScript("1.9.0"), None, "2024-11-05", OLD),
    row(TypeScript("1.12.3"), None, "2025-03-26", ALL),
    row(TypeScript("1.23.1"), None, "2025-06-18", ALL),
    row(TypeScript("1.32.2"), None, "2025-11-25", ALL),
    row(TypeScript("2.4.0"), Some("legacy"), "2025-11-25", ALL),
    row(TypeScript("2.4.0"), Some("auto"), "2026-07-28", ALL),
    row(TypeScript("2.4.0"), Some("2026-07-28"), "2026-07-28", ALL),
    row(Python("1.6.0"), None, "2024-11-05", OLD),
    row(Python("1.9.4"), None, "2025-03-26", ALL),
    row(Python("1.22.0"), None, "2025-06-18", ALL),
    row(Python("1.30.0"), None, "2025-11-25", ALL),
    row(Python("2.3.0"), Some("legacy"), "2025-11-25", ALL),
    row(Python("2.3.0"), Some("auto"), "2026-07-28", ALL),
    row(Python("2.3.0"), Some("2026-07-28"), "2026-07-28", ALL),
    host(TypeScript("2.4.0"), "2024-11-05", "2024-11-05"),
    host(TypeScript("2.4.0"), "2024-11-05,2025-03-26", "2025-03-26"),
    host(TypeScript("2.4.0"), "2025-03-26,2025-06-18", "2025-06-18"),
    host(TypeScript("2.4.0"), "2025-06-18,2025-11-25", "2025-11-25"),
    host(Python("2.3.0"), "2024-11-05", "2024-11-05"),
    host(Python("2.3.0"), "2024-11-05,2025-03-26", "2025-03-26"),
    host(Python("2.3.0"), "2025-03-26,2025-06-18", "2025-06-18"),
    host(Python("2.3.0"), "2025-06-18,2025-11-25", "2025-11-25"),
];

/// What a client sees, by the step.
type Seen = BTreeMap<String, Value>;

/// The SDKs; `None`, said aloud, where they cannot be had and need not be.
fn sdks() -> Option<&'static Sdks> {
    static SDKS: LazyLock<Result<Sdks, String>> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
        Sdks::install(&folder, ROWS.iter().map(|row| row.sdk))
    });
    let why = match &*SDKS {
        Ok(sdks) => return Some(sdks),
        Err(why) => why,
    };
    assert!(std::env::var_os("CI_REQUIRE_CLIENTS").is_none(), "no clients: {why}");
    // Not `eprintln`, which is heard of failures only.
    let _ = writeln!(io::stderr(), "\nSKIPPED: no client could be installed: {why}");
    None
}

#[test]
fn clients_of_every_revision_see_what_they_can() {
    let Some(sdks) = sdks() else { return };
    let cases = ROWS.iter().flat_map(|row| row.over.iter().map(move |over| (row, *over)));
    let queue = Mutex::new(cases.collect::<Vec<_>>());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let next = || queue.lock().expect("no thread panics").pop();
                while let Some((row, over)) = next() {
                    let faults = check(sdks, row, over);
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
    let mut server = vec![SERVER];
    server.extend(row.offered.iter().flat_map(|offered| ["--versions", offered]));
    let (lines, errors) = sdks.run(row.sdk, row.mode, over, &server);
    let (mut seen, expected) = (steps(&lines), expected::expected(row, over));
    let id = seen.get_mut("page asked").and_then(|page| page.get_mut("elicitationId"));
    if let Some(Value::String(id)) = id
        && id.len() >= 12
    {
        *id = "unlike any other".to_owned();
    }
    let told =
        |seen: &Seen, step: &str| seen.get(step).map_or("nothing".to_owned(), Value::to_string);
    let all: BTreeSet<_> = seen.keys().chain(expected.keys()).collect();
    let wrong = all.into_iter().filter(|step| seen.get(*step) != expected.get(*step));
    let mut faults: Vec<_> = wrong
        .map(|step| {
            format!("{step}: expected {}, found {}", told(&expected, step), told(&seen, step))
        })
        .collect();
    if seen.len() < expected.len() {
        faults.push(format!("it ended early: {errors}"));
    }
    let Row { sdk, mode, offered, .. } = row;
    let case = format!("{sdk:?} {mode:?} of {offered:?} over {over:?}");
    faults.iter().map(|fault| format!("{case}: {fault}")).collect()
}

fn steps(lines: &[String]) -> Seen {
    let steps = lines.iter().filter_map(|line| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        Some((line["step"].as_str()?.to_owned(), line["saw"].take()))
    });
    steps.collect()
}

#[test]
fn clients_that_share_no_revision_with_the_host_are_told_so() {
    let Some(sdks) = sdks() else { return };
    let newer = "this revision is not offered, but 2025-11-25, 2025-06-18";
    let older = "this revision is not offered, but 2026-07-28";
    for (sdk, mode, offered, why) in [
        (
            TypeScript("1.9.0"),
            None,
            "2025-03-26,2025-06-18",
            "Server's protocol version is not supported: 2025-06-18",
        ),
        (
            Python("1.6.0"),
            None,
            "2025-03-26,2025-06-18",
            "Unsupported protocol version from the server: 2025-06-18",
        ),
        (TypeScript("2.4.0"), Some("2026-07-28"), "2025-06-18,2025-11-25", newer),
        (Python("2.3.0"), Some("2026-07-28"), "2025-06-18,2025-11-25", newer),
        (TypeScript("1.32.2"), None, "2026-07-28", older),
        (Python("1.30.0"), None, "2026-07-28", older),
    ] {
        let server = [SERVER, "--versions", offered];
        let (lines, errors) = sdks.run(sdk, mode, Stdio, &server);
        let refused = Seen::from([("refused".to_owned(), json!(why))]);
        assert_eq!(steps(&lines), refused, "{sdk:?} {mode:?}: {errors}");
    }
}

#[test]
fn a_client_that_hangs_is_stopped() {
    let Some(sdks) = sdks() else { return };
    let sdks = sdks.with_patience(Duration::from_secs(3));
    let silent = ["sh", "-c", "cat >/dev/null"];
    for sdk in [TypeScript("1.32.2"), Python("1.30.0")] {
        let (lines, errors) = sdks.run(sdk, None, Stdio, &silent);
        assert!(lines.is_empty(), "{sdk:?}: {lines:?}");
        assert!(errors.ends_with("it was stopped after 3s"), "{sdk:?}: {errors}");
    }
}
