//! The public SDKs of other projects, as clients: installed by name, run as scripts.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A client takes a second or two, and a step of it gives up after ten.
const PATIENCE: Duration = Duration::from_secs(60);

/// An SDK by its version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sdk {
    /// `mcp` of PyPI.
    Python(&'static str),
    /// `@modelcontextprotocol/sdk` of npm, since its second version `@modelcontextprotocol/client`.
    TypeScript(&'static str),
}

/// What carries the messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transport {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
    /// The client starts the server.
    Stdio,
}

/// The SDKs that are installed in a folder.
#[derive(Clone)]
pub struct Sdks {
    folder: PathBuf,
    patience: Duration,
}

impl Sdks {
    /// Installs the SDKs, unless they are there.
    ///
    /// # Errors
    /// With what stands in the way.
    pub fn install(folder: &Path, sdks: impl Iterator<Item = Sdk>) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        let installed = Self { folder: folder.to_owned(), patience: PATIENCE };
        let (mut packages, mut pythons) = (Vec::new(), Vec::new());
        for sdk in sdks {
            match sdk {
                Sdk::TypeScript(version) => {
                    let name = if version.starts_with('1') { "sdk" } else { "client" };
                    let package = format!("@npm:@modelcontextprotocol/{name}@{version}");
                    packages.push(alias(version) + &package);
                }
                Sdk::Python(version) => pythons.push(version),
            }
        }
        packages.dedup();
        pythons.dedup();
        installed.once("typescript", &packages.join("\n"), || {
            let manifest = fs::write(folder.join("package.json"), "{\"private\":true}\n");
            manifest.map_err(|error| error.to_string())?;
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).args(&packages);
            finish(npm.current_dir(folder))
        })?;
        for version in pythons {
            let mut packages = vec![format!("mcp=={version}")];
            if matches!(version, "1.6.0" | "1.9.4") {
                packages.push("pydantic<2.12".to_owned());
            }
            let name = format!("python-{version}");
            installed.once(&name, &packages.join("\n"), || {
                let mut venv = Command::new("python3");
                finish(venv.args(["-m", "venv"]).arg(folder.join(&name)))?;
                let mut pip = Command::new(installed.python(version));
                pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
                finish(pip.args(packages))
            })?;
        }
        Ok(installed)
    }

    /// The same, but a client that takes longer is stopped.
    #[must_use]
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// Runs the script of an SDK against a server, which is a command; returns the lines it says,
    /// and its errors.
    pub fn run(
        &self,
        sdk: Sdk,
        mode: Option<&str>,
        over: Transport,
        server: &[&str],
    ) -> (Vec<String>, String) {
        self.try_run(sdk, mode, over, server)
            .unwrap_or_else(|error| (Vec::new(), error.to_string()))
    }

    fn try_run(
        &self,
        sdk: Sdk,
        mode: Option<&str>,
        over: Transport,
        server: &[&str],
    ) -> io::Result<(Vec<String>, String)> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients");
        let mut command = match sdk {
            Sdk::TypeScript(version) => {
                let mut node = Command::new("node");
                node.arg(scripts.join(format!("typescript{}.mjs", &version[..1])));
                node.arg(self.folder.join("node_modules").join(alias(version)));
                node
            }
            Sdk::Python(version) => {
                let mut python = Command::new(self.python(version));
                python.arg("-B").arg(scripts.join(format!("python{}.py", &version[..1])));
                python
            }
        };
        let running = match over {
            Transport::Stdio => {
                command.args(mode).arg("stdio").args(server).arg("--stdio");
                None
            }
            Transport::Http | Transport::Sse => {
                let (running, url, bearer) = Running::start(server)?;
                let (name, path) =
                    if over == Transport::Http { ("http", "") } else { ("sse", "/sse") };
                command.args(mode).args([name, &format!("{url}{path}"), &bearer]);
                Some(running)
            }
        };
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        let log = |kind: &str| self.folder.join(format!("{run}.{kind}"));
        let (output, errors) = (log("out"), log("err"));
        command.stdin(Stdio::null()).stdout(File::create(&output)?).stderr(File::create(&errors)?);
        let ended = Running(command.spawn()?).ends_in(self.patience)?;
        drop(running);
        let lines = fs::read_to_string(output)?.lines().map(str::to_owned).collect();
        let mut errors = fs::read_to_string(errors)?;
        if !ended {
            errors += &format!("it was stopped after {:?}", self.patience);
        }
        Ok((lines, errors))
    }

    fn python(&self, version: &str) -> PathBuf {
        self.folder.join(format!("python-{version}/bin/python"))
    }

    /// Does what has not been done of this content before.
    fn once(
        &self,
        name: &str,
        content: &str,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let marker = self.folder.join(format!("{name}.installed"));
        if fs::read_to_string(&marker).is_ok_and(|done| done == content) {
            return Ok(());
        }
        work()?;
        fs::write(marker, content).map_err(|error| error.to_string())
    }
}

/// A process, stopped when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts a server over HTTP; returns its URL and bearer too.
    fn start(server: &[&str]) -> io::Result<(Self, String, String)> {
        let (program, arguments) = server.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = Self(command.spawn()?);
        let silent = || io::Error::other("the server does not tell its URL");
        let mut lines = BufReader::new(server.0.stdout.take().ok_or_else(silent)?).lines();
        let mut line = || lines.next().unwrap_or_else(|| Err(silent()));
        let (url, bearer) = (line()?, line()?);
        Ok((server, url, bearer))
    }

    fn ends_in(&mut self, patience: Duration) -> io::Result<bool> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            if self.0.try_wait()?.is_some() {
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }
}

fn alias(version: &str) -> String {
    format!("typescript-{version}")
}

fn finish(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
