//! The `droid` command as its users run it.

mod captures;
mod connect;
mod connect_tls;
mod connect_wire;
mod diff;
mod translate;
mod validate;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run came to.
struct Run {
    status: i32,
    stdout: String,
    stderr: String,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_droid"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
    command
}

fn droid(args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = command(args).spawn().expect("droid was built");
    // A command that does not read its input closes the pipe.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_ref());
    let output = child.wait_with_output().expect("droid runs");
    let text = |bytes| String::from_utf8(bytes).expect("droid writes UTF-8");
    Run {
        status: output.status.code().expect("droid ends by itself"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A fresh path for a file of the test named `test`.
fn scratch(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("droid-{test}"));
    let _ = fs::remove_file(&path);
    path
}

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("captures").join(name)
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
const STRUCTURED: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n": 1.50}}}"#;
const LOWERED: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"n\": 1.50}"}]}}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;

#[test]
fn help_and_version() {
    for (args, expected) in [
        (&["--help"][..], "droid translate --from"),
        (&["--help"], "droid validate --revision"),
        (&["translate", "--help"], "Exit status:"),
        (&["validate", "--help"], "--direction <SIDE>"),
        (&["diff", "--help"], "--markdown"),
        (&["revisions"], "2025-06-18  2025-06-18  yes       Title "),
        (&["revisions", "--json"], "\n{\"revision\":\"draft\",\"declares\":\"2026-07-28\","),
        (&["--version"], concat!("droid ", env!("CARGO_PKG_VERSION"), "\n")),
    ] {
        let run = droid(args, "");
        assert_eq!(run.status, 0);
        assert!(run.stdout.contains(expected), "{}", run.stdout);
    }
}
