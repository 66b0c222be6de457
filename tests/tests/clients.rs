//! Clients of the public SDKs, of every revision, against the host: what each of them sees.
//!
//! The SDKs are installed by name into the target folder, from npm and PyPI. Where that cannot be the
//! suite says so and passes, unless `CI_REQUIRE_CLIENTS` is set.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;

use serde_json::{Value, json};

/// The SDK, what else it needs, the mode it is told, the revision it comes to, and what carries it.
struct Row {
    language: &'static str,
    version: &'static str,
    mode: Option<&'static str>,
    revision: &'static str,
    over: &'static [&'static str],
}

const fn row(
    language: &'static str,
    version: &'static str,
    mode: Option<&'static str>,
    revision: &'static str,
    over: &'static [&'static str],
) -> Row {
    Row { language, version, mode, revision, over }
}

const BOTH: &[&str] = &["stdio", "http"];
const OLD: &[&str] = &["stdio", "sse"];

const ROWS: &[Row] = &[
    row("typescript", "1.9.0", None, "2024-11-05", OLD),
    row("typescript", "1.12.3", None, "2025-03-26", BOTH),
    row("typescript", "1.23.1", None, "2025-06-18", BOTH),
    row("typescript", "1.32.2", None, "2025-11-25", BOTH),
    row("typescript", "2.4.0", Some("legacy"), "2025-11-25", BOTH),
    row("typescript", "2.4.0", Some("auto"), "2026-07-28", BOTH),
    row("typescript", "2.4.0", Some("2026-07-28"), "2026-07-28", BOTH),
    row("python", "1.6.0", None, "2024-11-05", OLD),
    row("python", "1.9.4", None, "2025-03-26", BOTH),
    row("python", "1.22.0", None, "2025-06-18", BOTH),
    row("python", "1.30.0", None, "2025-11-25", BOTH),
    row("python", "2.3.0", Some("legacy"), "2025-11-25", BOTH),
    row("python", "2.3.0", Some("auto"), "2026-07-28", BOTH),
    row("python", "2.3.0", Some("2026-07-28"), "2026-07-28", BOTH),
];

/// What a client of a revision sees of the tools of the server.
fn expected(row: &Row) -> Value {
    let at_least = |revision| row.revision >= revision;
    let block = |kind: &str, structured: Value| json!({"types": [kind], "structured": structured});
    let object = if at_least("2025-06-18") { json!({"n": 1.5}) } else { Value::Null };
    let array = match row.revision {
        "2026-07-28" => json!([1, 2]),
        _ if at_least("2025-06-18") => json!({"result": [1, 2]}),
        _ => Value::Null,
    };
    let audio = if at_least("2025-03-26") { "audio" } else { "resource" };
    json!({
        "version": row.revision,
        "tools": 9,
        "object": block("text", object),
        "array": block("text", array),
        "image": block("image", Value::Null),
        "audio": block(audio, Value::Null),
        "progress": [1, 2, 3],
        "hang": "cancelled",
        "dropped": "1",
        "ask": {"text": if at_least("2025-06-18") { "true" } else { "declined" }},
        "change": true,
    })
}

#[test]
fn clients_of_every_revision_see_what_they_can() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients");
    if let Err(why) = install(&folder) {
        assert!(std::env::var_os("CI_REQUIRE_CLIENTS").is_none(), "no clients: {why}");
        println!("SKIPPED, no clients: {why}");
        return;
    }
    let cases = ROWS.iter().flat_map(|row| row.over.iter().map(move |over| (row, *over)));
    let queue = Mutex::new(cases.collect::<Vec<_>>());
    let wrong = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((row, over)) = queue.lock().ok().and_then(|mut queue| queue.pop()) {
                    if let Err(why) = check(&folder, row, over) {
                        let Row { language, version, mode, .. } = row;
                        let case = format!("{language} {version} {mode:?} over {over}: {why}");
                        wrong.lock().expect("no thread panics").push(case);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn check(folder: &Path, row: &Row, over: &str) -> Result<(), String> {
    let mut seen = run(folder, row, over)?;
    let mut expected = expected(row);
    // Not every SDK says its revision, or reads progress.
    for member in ["version", "progress"] {
        if seen.get(member).is_none_or(Value::is_null) {
            seen[member] = Value::Null;
            expected[member] = Value::Null;
        }
    }
    if let Some(progress) = seen["progress"].as_array_mut() {
        let whole = |value: &Value| value.as_f64().map_or(Value::Null, |n| json!(n as i64));
        *progress = progress.iter().map(whole).collect();
    }
    match expected == seen {
        true => Ok(()),
        false => Err(format!("expected {expected}, found {seen}")),
    }
}

/// A server over HTTP, stopped when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(folder: &Path, row: &Row, over: &str) -> Result<Value, String> {
    let text = |error: std::io::Error| error.to_string();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
    let server = env!("CARGO_BIN_EXE_interop_server");
    let major = &row.version[..1];
    let mut command = match row.language {
        "typescript" => {
            let mut command = Command::new("node");
            let script = scripts.join(format!("typescript{major}.mjs"));
            command.arg(script).arg(folder.join("node_modules").join(alias(row.version)));
            command
        }
        _ => {
            let mut command = Command::new(python(folder, row.version));
            command.arg(scripts.join(format!("python{major}.py")));
            command
        }
    };
    command.args(row.mode).arg(over);
    let mut running = None;
    if over == "stdio" {
        command.arg(server);
    } else {
        let child = Command::new(server).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = Server(child.map_err(text)?);
        let output = child.0.stdout.take().ok_or("no output")?;
        let mut lines = BufReader::new(output).lines();
        let mut line = || lines.next().and_then(Result::ok).ok_or("the server says nothing");
        let (url, bearer) = (line()?, line()?);
        command.arg(if over == "sse" { format!("{url}/sse") } else { url }).arg(bearer);
        running = Some(child);
    }
    let output = command.stdin(Stdio::null()).output().map_err(text)?;
    drop(running);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = stdout.lines().last().unwrap_or_default();
    serde_json::from_str(last)
        .map_err(|_| format!("no answer: {stdout}{}", String::from_utf8_lossy(&output.stderr)))
}

fn alias(version: &str) -> String {
    format!("typescript-{version}")
}

fn python(folder: &Path, version: &str) -> PathBuf {
    folder.join(format!("python-{version}/bin/python"))
}

/// Installs the SDKs, unless they are there.
fn install(folder: &Path) -> Result<(), String> {
    let versions = |language: &str| {
        let mut versions: Vec<_> =
            ROWS.iter().filter(|row| row.language == language).map(|row| row.version).collect();
        versions.dedup();
        versions
    };
    let packages: Vec<_> = versions("typescript")
        .iter()
        .map(|version| {
            let package = if version.starts_with('1') { "sdk" } else { "client" };
            format!("{}@npm:@modelcontextprotocol/{package}@{version}", alias(version))
        })
        .collect();
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    once(folder, "npm", &packages.join("\n"), || {
        fs::write(folder.join("package.json"), "{\"private\":true}\n")
            .map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).args(&packages);
        finish(npm.current_dir(folder))
    })?;
    for version in versions("python") {
        let place = folder.join(format!("python-{version}"));
        once(folder, &format!("python-{version}.done"), version, || {
            finish(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
            let mut pip = Command::new(python(folder, version));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip.arg(format!("mcp=={version}"));
            if matches!(version, "1.6.0" | "1.9.4") {
                pip.arg("pydantic<2.12");
            }
            finish(&mut pip)
        })?;
    }
    Ok(())
}

/// Does what has not been done of this content before.
fn once(
    folder: &Path,
    name: &str,
    content: &str,
    work: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let marker = folder.join(format!(".{name}"));
    if fs::read_to_string(&marker).is_ok_and(|done| done == content) {
        return Ok(());
    }
    work()?;
    fs::write(marker, content).map_err(|error| error.to_string())
}

fn finish(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
