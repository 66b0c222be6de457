//! `droid connect`: an agent on stdio, a host over HTTP.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use embacle_tool_host::{
    Announcer, CallOutcome, HostConfig, StaticSurface, ToolHost, ToolOutcome, ToolSession,
    form_of_json, tool,
};
use serde_json::{Value, json};

pub(crate) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    pub(crate) fn start(url: &str, token: &str) -> Self {
        Self::run(&mut droid(url, token))
    }

    pub(crate) fn run(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub(crate) fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }

    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        self.say(message);
        self.hear()
    }

    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert!(self.ends().success());
    }

    pub(crate) fn ends(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }
}

/// `droid connect`, its bearer in the environment.
pub(crate) fn droid(url: &str, token: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_droid"));
    command.args(["connect", "--url", url, "--token-env", "TEST_TOKEN"]).env("TEST_TOKEN", token);
    command
}

pub(crate) fn surface() -> StaticSurface {
    let any = |name: &str| tool(name, "For tests.", r#"{"type":"object"}"#).unwrap();
    let region =
        r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    let name = r#"{"type":"object","properties":{"name":{"type":"string"}}}"#;
    StaticSurface::new()
        .with(tool("echo", "Says it back.", region).unwrap(), |arguments, _| async move {
            ToolOutcome::text(arguments.as_str())
        })
        .unwrap()
        .with(any("steps"), |_, context| async move {
            for step in 1..=2 {
                context.progress(f64::from(step), None, None).await;
                context.release_stream().await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            ToolOutcome::text("stepped")
        })
        .unwrap()
        .with(any("hang"), |_, _| std::future::pending())
        .unwrap()
        .with(any("ask"), move |_, context| async move {
            let question = form_of_json("Who?", name).unwrap();
            match context.ask("who", question).await {
                Ok(answer) => ToolOutcome::text(format!("{answer:?}").contains("Ada").to_string()),
                Err(error) => ToolOutcome::declined(error.to_string()),
            }
        })
        .unwrap()
}

pub(crate) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn modern(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    request(id, method, params)
}

/// Runs `test` beside a host.
async fn beside(test: impl FnOnce(Agent, Announcer) + Send + 'static) -> (ToolHost, ToolSession) {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface()).unwrap();
    let agent = Agent::start(session.url(), session.bearer().unwrap());
    let announcer = session.announcer();
    tokio::task::spawn_blocking(move || test(agent, announcer)).await.unwrap();
    (host, session)
}

pub(crate) async fn until(done: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    while !done() {
        assert!(std::time::Instant::now() < deadline, "it does not come to pass");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A whole session before 2026-07-28.
pub(crate) fn with_a_handshake(mut agent: Agent, announcer: Announcer) {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "a", "version": "1"}});
    let answer = agent.ask(&request(0, "initialize", params));
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let echo = agent.ask(&request(1, "tools/call", json!({"name": "echo", "arguments": {"é": 1}})));
    assert_eq!(echo["result"]["content"][0]["text"], r#"{"é":1}"#);
    // The stream is let go of twice, and taken up again.
    agent.say(&request(2, "tools/call", json!({"name": "steps", "_meta": {"progressToken": 1}})));
    let heard: Vec<_> = (0..3).map(|_| agent.hear()).collect();
    assert_eq!(heard[1]["params"]["progress"], 2);
    assert_eq!(heard[2]["result"]["content"][0]["text"], "stepped");
    let question = agent.ask(&request(3, "tools/call", json!({"name": "ask"})));
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}});
    assert_eq!(agent.ask(&answer)["result"]["content"][0]["text"], "true");
    announcer.tools_changed();
    assert_eq!(agent.hear()["method"], "notifications/tools/list_changed");
    agent.say(&request(4, "tools/call", json!({"name": "hang"})));
    agent.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}}),
    );
    assert_eq!(agent.ask(&request(5, "ping", json!({})))["result"], json!({}));
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_with_a_handshake_is_served() {
    let (host, session) = beside(with_a_handshake).await;
    until(|| session.calls().iter().any(|call| call.outcome == CallOutcome::Cancelled)).await;
    until(|| host.remembered_clients() == 0).await;
}

/// The same of 2026-07-28.
pub(crate) fn without_a_handshake(mut agent: Agent, announcer: Announcer) {
    assert_eq!(
        agent.ask(&modern(1, "server/discover", json!({})))["result"]["supportedVersions"][0],
        "2026-07-28"
    );
    let listed = agent.ask(&modern(2, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    for region in ["eu", "Ä ", "=?base64?x?="] {
        let params = json!({"name": "echo", "arguments": {"region": region}});
        let echo = agent.ask(&modern(3, "tools/call", params));
        let text =
            echo["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{echo}"));
        assert_eq!(serde_json::from_str::<Value>(text).unwrap()["region"], region);
    }
    agent.say(&modern(
        4,
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    ));
    assert_eq!(agent.hear()["method"], "notifications/subscriptions/acknowledged");
    announcer.tools_changed();
    assert_eq!(agent.hear()["method"], "notifications/tools/list_changed");
    agent.say(&modern(5, "tools/call", json!({"name": "hang"})));
    // At once, and as on stdio: it need not say of what revision it is.
    agent.say(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}),
    );
    assert_eq!(agent.ask(&modern(6, "no/such", json!({})))["error"]["code"], -32601);
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_speaks_for_itself_is_served() {
    let (_host, session) = beside(without_a_handshake).await;
    until(|| session.calls_at_work() == 0).await;
    assert!(session.calls().len() >= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_are_at_work_at_once() {
    let (_host, session) = beside(|mut agent, _| {
        for id in 1..=20 {
            agent.say(&modern(id, "tools/call", json!({"name": "hang"})));
        }
        for id in 101..=200 {
            agent.say(&modern(id, "tools/call", json!({"name": "echo"})));
        }
        let mut ids: Vec<_> = (0..100).map(|_| agent.hear()["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (101..=200).collect::<Vec<_>>());
        agent.end();
    })
    .await;
    until(|| session.calls_at_work() == 0).await;
    let ended = |outcome| session.calls().iter().filter(|call| call.outcome == outcome).count();
    assert_eq!(ended(CallOutcome::Succeeded), 100);
    assert_eq!(ended(CallOutcome::Cancelled), 20);
}

#[test]
fn an_endpoint_that_does_not_answer_is_told_for_each_request() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut agent = Agent::start(&format!("http://{free}/mcp"), "token");
    let answer = agent.ask(&request(7, "ping", json!({})));
    assert_eq!(answer["id"], 7);
    assert!(answer["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{answer}");
    agent.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_told_and_shown_nowhere() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let _session = host.open_session(surface()).unwrap();
    let mut agent = Agent::start(&host.url(), "wrong-token");
    let answer = tokio::task::spawn_blocking(move || {
        let answer = agent.ask(&request(1, "ping", json!({})));
        agent.end();
        answer
    });
    let answer = answer.await.unwrap();
    assert!(answer["error"]["message"].as_str().unwrap().contains("401"), "{answer}");
    assert!(!answer.to_string().contains("wrong-token"));
}

#[test]
fn wrong_arguments_are_said_at_once() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (arguments, words) in [
        (vec!["--url", "ftp://example.com/mcp"], "http:// or https://"),
        (vec!["--url", "nonsense"], "expected a URL"),
        (vec!["--url", "http://localhost/mcp", "--token-env", "NOT_SET_AT_ALL"], "NOT_SET_AT_ALL"),
        (vec!["--url", "https://localhost/mcp", "--ca-file", "/no/such"], "/no/such: "),
        (
            vec!["--url", "https://localhost/mcp", "--ca-file", manifest],
            "Cargo.toml: expected cert",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_droid"))
            .arg("connect")
            .args(&arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_bearer_that_others_could_read_is_warned_of() {
    for (url, is_warned) in [("http://192.0.2.1/mcp", true), ("http://127.0.0.1:1/mcp", false)] {
        let output = droid(url, "SECRET").stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.starts_with("warning: http://192.0.2.1/mcp: "), is_warned, "{error}");
        assert!(!error.contains("SECRET"));
    }
}
