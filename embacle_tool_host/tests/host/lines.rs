//! A message a line: stdio.

use std::time::Duration;

use embacle_tool_host::{HostConfig, Limits, ToolSurface, serve_lines};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use crate::support::{Seen, call, modern, request, surface};

/// A client at the other end of the lines.
pub(crate) struct Peer {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<std::io::Result<()>>,
    seen: Seen,
}

impl Peer {
    fn new(config: HostConfig) -> Self {
        let seen = Seen::default();
        Self { seen: seen.clone(), ..Self::of(surface(&seen), config) }
    }

    pub(crate) fn of(surface: impl ToolSurface + 'static, config: HostConfig) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let seen = Seen::default();
        let serving = tokio::spawn(serve_lines(read, write, surface, config));
        let (output, input) = tokio::io::split(ours);
        Self { input, output: BufReader::new(output).lines(), serving, seen }
    }

    pub(crate) async fn say(&mut self, line: impl AsRef<[u8]>) {
        self.input.write_all(line.as_ref()).await.unwrap();
        self.input.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(5), self.output.next_line());
        serde_json::from_str(&line.await.expect("a line").unwrap().unwrap()).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.say(message.to_string()).await;
        self.hear().await
    }

    async fn initialize(&mut self, version: &str) {
        self.initialize_with(version, json!({"elicitation": {}})).await;
    }

    pub(crate) async fn initialize_with(&mut self, version: &str, capabilities: Value) {
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.ask(&request(0, "initialize", params)).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
}

#[tokio::test]
async fn odd_lines_are_answered_and_the_host_lives_on() {
    let limits = Limits { message_bytes: 2000, ..Limits::default() };
    let mut peer = Peer::new(HostConfig { limits, ..HostConfig::default() });
    let rows: [(&[u8], i64); 8] = [
        (br#"{"jsonrpc":"2.0","id":1,"method":"server/anything"}"#, -32601),
        (br#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#, -32600),
        (b"{", -32700),
        (b"\xff", -32700),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (br#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600),
        (br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}"#, -32602),
        (&[b'x'; 3000], -32600),
    ];
    for (line, code) in rows {
        peer.say(line).await;
        let answer = peer.hear().await;
        assert_eq!(answer["error"]["code"], code, "{} {answer}", String::from_utf8_lossy(line));
    }
    peer.say("").await;
    assert_eq!(peer.ask(&request(5, "ping", json!({}))).await["result"], json!({}));
    peer.initialize("2025-11-25").await;
    assert_eq!(peer.ask(&call(6, "echo")).await["result"]["content"][0]["text"], "{}");
    let again = request(
        7,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
    );
    assert_eq!(peer.ask(&again).await["error"]["code"], -32600);
    peer.input.shutdown().await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), peer.serving).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn every_revision_is_served() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut peer = Peer::new(HostConfig::default());
        peer.initialize(version).await;
        let listed = peer.ask(&request(1, "tools/list", json!({}))).await;
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
        // Who speaks for itself is served so, whatever was agreed on before.
        let discovered = peer.ask(&modern("server/discover", json!({}))).await;
        assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
    }
}

#[tokio::test]
async fn calls_run_side_by_side_and_are_cancelled_by_their_ids() {
    let mut peer = Peer::new(HostConfig::default());
    peer.initialize("2025-06-18").await;
    peer.say(call(1, "hang").to_string()).await;
    let seen = peer.seen.clone();
    seen.until(|seen| seen.started() == 1).await;
    assert_eq!(peer.ask(&call(1, "echo")).await["error"]["code"], -32600, "the id is at work");
    assert_eq!(peer.ask(&call(2, "echo")).await["id"], 2);
    for id in [json!(99), json!("1"), json!(1)] {
        peer.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}).to_string()).await;
    }
    seen.until(|seen| seen.dropped() == 1).await;
    assert_eq!(peer.ask(&call(3, "echo")).await["id"], 3, "a cancelled call has no answer");
}

#[tokio::test]
async fn a_question_is_asked_in_the_way_of_each_era() {
    let mut peer = Peer::new(HostConfig::default());
    let asked = peer.ask(&modern("tools/call", json!({"name": "ask"}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    peer.initialize("2025-06-18").await;
    let question = peer.ask(&call(4, "ask")).await;
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"name": "Ada"}}});
    assert_eq!(peer.ask(&answer).await["result"]["content"][0]["text"], "true");
    // A question whose call is cancelled is withdrawn.
    let question = peer.ask(&call(5, "ask")).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
    let withdrawn = peer.ask(&cancel).await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
}

#[tokio::test]
async fn the_end_of_input_ends_everything() {
    let mut peer = Peer::new(HostConfig::default());
    peer.initialize("2025-11-25").await;
    peer.say(call(2, "hang").to_string()).await;
    let listen =
        modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let mut taken = listen.clone();
    taken["id"] = json!(2);
    assert_eq!(peer.ask(&taken).await["error"]["code"], -32600, "the id is at work");
    let acknowledged = peer.ask(&listen).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    peer.input.shutdown().await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), peer.serving).await.unwrap().unwrap().unwrap();
    assert_eq!(peer.seen.dropped(), 1);
}

#[tokio::test]
async fn what_a_call_says_comes_before_its_answer() {
    let mut peer = Peer::new(HostConfig::default());
    peer.initialize("2025-11-25").await;
    let mut call = call(1, "steps");
    call["params"]["_meta"] = json!({"progressToken": "p"});
    let said = peer.ask(&call).await;
    assert_eq!(said["method"], "notifications/progress", "{said}");
    while peer.hear().await["id"] != 1 {}
}

#[tokio::test]
async fn a_client_that_reads_no_more_does_not_keep_the_host() {
    let limits = Limits { write: Duration::from_millis(200), ..Limits::default() };
    let mut peer = Peer::new(HostConfig { limits, ..HostConfig::default() });
    peer.initialize("2025-11-25").await;
    let long = "x".repeat(1 << 20);
    let mut call = call(1, "echo");
    call["params"]["arguments"] = json!({"text": long});
    peer.say(call.to_string()).await;
    peer.input.shutdown().await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), peer.serving).await;
    assert_eq!(ended.unwrap().unwrap().unwrap_err().kind(), std::io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn who_does_not_read_is_not_read_from() {
    let mut peer = Peer::new(HostConfig::default());
    peer.initialize("2025-11-25").await;
    let mut call = call(1, "echo");
    call["params"]["arguments"] = json!({"text": "x".repeat(1 << 16)});
    let line = format!("{call}\n");
    let mut taken = 0;
    let flood = async {
        while taken < 100 {
            peer.input.write_all(line.as_bytes()).await.unwrap();
            taken += 1;
        }
    };
    let flooded = tokio::time::timeout(Duration::from_millis(500), flood).await;
    assert!(flooded.is_err(), "as many as there are bytes to hold them");
    // It waits for its client, and serves it once that reads.
    for _ in 0..taken {
        assert_eq!(peer.hear().await["id"], 1);
    }
}
