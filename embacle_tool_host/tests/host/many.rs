//! Many of everything, and for long.

use std::time::{Duration, Instant};

use embacle_tool_host::ir::{
    Completion, CompletionArgument, CompletionReference, Resource, ResourceContents, Text,
    TextResourceContents,
};
use embacle_tool_host::{
    CallContext, Completer, Failure, HostConfig, Limits, ResourceSurface, Service, ToolHost,
    async_trait,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, Seen, call, hosted, modern, request, surface};

/// The resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

async fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < deadline, "it does not come to pass");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn idle_connections_hold_nobody_up() {
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    // Each takes two descriptors of this process.
    let mut idle = Vec::new();
    while idle.len() < 10_000 {
        match tokio::net::TcpStream::connect(&client.address).await {
            Ok(stream) => idle.push(stream),
            Err(_) => break,
        }
    }
    idle.truncate(idle.len().saturating_sub(50));
    assert!(idle.len() > 300, "{} connections", idle.len());
    let started = Instant::now();
    for _ in 0..20 {
        assert_eq!(client.modern("tools/call", json!({"name": "echo"})).await.status, 200);
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(idle);
    until(|| host.live_tasks() <= 1).await;
}

#[tokio::test]
async fn legacy_sessions_cost_nothing_while_they_are_idle() {
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let mut ids = Vec::new();
    let mut stream = client.connect().await;
    while ids.len() < 10_000 {
        ids.push(client.initialize_on(&mut stream).await);
    }
    assert_eq!(host.remembered_clients(), 0);
    for id in [&ids[0], &ids[5000], &ids[9999]] {
        assert_eq!(client.legacy(id, &call(1, "echo")).await.status, 200);
    }
}

#[tokio::test]
async fn what_is_there_twice_is_refused() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    for (params, ok) in [
        (r#""name":"echo","arguments":{}"#, true),
        (r#""name":"echo","name":"hang""#, false),
        (r#""name":"echo","n\u0061me":"hang""#, false),
        (r#""name":"echo","arguments":{},"arguments":{"x":1}"#, false),
        (r#""Name":"hang","name":"echo""#, true),
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params},"_meta":{meta}}}}}"#
        );
        let response = client.send("POST", &headers, body).await;
        assert_eq!(response.json().get("result").is_some(), ok, "{params} {response:?}");
    }
    let body = modern("tools/call", json!({"name": "echo"})).to_string();
    for twice in [
        [("Mcp-Method", "tools/call"), ("Mcp-Method", "tools/list"), headers[0], headers[2]],
        [("Mcp-Name", "echo"), ("Mcp-Name", "hang"), headers[0], headers[1]],
    ] {
        let response = client.send("POST", &twice, &body).await;
        assert_eq!((response.status, response.code()), (400, -32020), "{twice:?}");
    }
    let bearer = format!("Bearer {}", session.bearer().unwrap());
    let twice = [("Authorization", bearer.as_str()), headers[0], headers[1], headers[2]];
    assert_eq!(client.send("POST", &twice, &body).await.status, 401);
    let smuggled = client.head("POST", "/mcp", &headers)
        + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n";
    assert!(client.raw(smuggled.as_bytes()).await.status >= 400);
}

struct Notes;

#[async_trait]
impl ResourceSurface for Notes {
    async fn list_resources(&self) -> Vec<Resource> {
        (0..5).map(|n| Resource::new(format!("note://{n}"), format!("Note {n}"))).collect()
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContents>, Failure> {
        match uri.strip_prefix("note://") {
            Some("9") => Err(Failure::Internal("broken".into())),
            Some(n) => Ok(vec![ResourceContents::Text(TextResourceContents::new(uri, n))]),
            None => Err(Failure::NotFound("no such note".into())),
        }
    }
}

#[async_trait]
impl Completer for Notes {
    async fn complete(
        &self,
        _: &CompletionReference,
        argument: &CompletionArgument,
        _: &[(Text, Text)],
    ) -> Result<Completion, Failure> {
        let values = (0..150).map(|n| Text::from(format!("{}{n}", argument.value))).collect();
        Ok(Completion { values, ..Completion::default() })
    }
}

#[tokio::test]
async fn resources_are_paged_read_watched_and_completed() {
    let limits = Limits { page: Some(2), ..Limits::default() };
    let host = ToolHost::bind(HostConfig { limits, ..HostConfig::default() }).await.unwrap();
    let service =
        Service::new("notes", surface(&Seen::default())).resources(Notes).completer(Notes);
    let session = host.open_session(service).unwrap();
    let client = Client::of(&session);
    let mut names = Vec::new();
    let mut cursor = None;
    loop {
        let params = cursor.map_or(json!({}), |cursor: Value| json!({"cursor": cursor}));
        let page = client.modern("resources/list", params).await.json()["result"].clone();
        names.extend(page["resources"].as_array().unwrap().iter().map(|r| r["uri"].clone()));
        cursor = page.get("nextCursor").cloned();
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(names.len(), 5);
    for bad in ["x", "99", "-1"] {
        assert_eq!(client.modern("resources/list", json!({"cursor": bad})).await.code(), -32602);
    }
    let id = client.initialize("2025-06-18", json!({})).await;
    let read = |uri: &str| request(1, "resources/read", json!({"uri": uri}));
    assert_eq!(
        client.legacy(&id, &read("note://3")).await.json()["result"]["contents"][0]["text"],
        "3"
    );
    let missing = client.legacy(&id, &read("other://3")).await;
    assert_eq!(
        (missing.code(), missing.json()["error"]["data"]["uri"].clone()),
        (-32002, json!("other://3"))
    );
    assert_eq!(client.legacy(&id, &read("note://9")).await.code(), -32603);
    let complete = json!({"ref": {"type": "ref/resource", "uri": "note://{n}"}, "argument": {"name": "n", "value": "a"}});
    let completed = client.modern("completion/complete", complete).await.json();
    assert_eq!(completed["result"]["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(completed["result"]["completion"]["hasMore"], true);

    // Only what is watched is told of, on the stream that is open for it.
    let watch = request(2, "resources/subscribe", json!({"uri": "note://1"}));
    assert_eq!(client.legacy(&id, &watch).await.json()["result"], json!({}));
    let head =
        client.head("GET", "/mcp", &[("Mcp-Session-Id", &id), ("Accept", "text/event-stream")]);
    let mut stream = client.connect().await;
    stream.write_all((head + "\r\n").as_bytes()).await.unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains("keep-alive") {
        let count = stream.read(&mut buffer).await.unwrap();
        seen += std::str::from_utf8(&buffer[..count]).unwrap();
    }
    session.announcer().resource_updated("note://0");
    session.announcer().resource_updated("note://1");
    while !seen.contains("notifications/resources/updated") {
        let count = stream.read(&mut buffer).await.unwrap();
        seen += std::str::from_utf8(&buffer[..count]).unwrap();
    }
    assert!(seen.contains("note://1") && !seen.contains("note://0"), "{seen}");
}

/// Full load for `SOAK_SECONDS` (600 if unset): memory and tasks stay as they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes ten minutes"]
async fn a_soak_leaves_nothing() {
    let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(600);
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let round = |client: Client| async move {
        let id = client.initialize("2025-11-25", json!({"elicitation": {}})).await;
        client.legacy(&id, &call(1, "echo")).await;
        client.legacy(&id, &call(2, "steps")).await;
        client
            .modern("tools/call", json!({"name": "echo", "arguments": {"x": "y".repeat(10_000)}}))
            .await;
        client.modern("tools/call", json!({"name": "panic"})).await;
        client.modern("tools/call", json!({"name": "ask"})).await;
        client.send("POST", &[], "nonsense").await;
        let mut stream = client.connect().await;
        let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: half").await;
    };
    for _ in 0..200 {
        round(client.clone()).await;
    }
    let (before, deadline) = (resident(), Instant::now() + Duration::from_secs(seconds));
    let mut rounds = 0;
    while Instant::now() < deadline {
        let at_once = (0..8).map(|_| round(client.clone()));
        futures(at_once).await;
        rounds += 8;
    }
    let after = resident();
    println!("{rounds} rounds, {before} KiB before, {after} KiB after");
    assert!(after < before + (16 << 10), "{before} KiB before, {after} KiB after {rounds} rounds");
    until(|| host.live_tasks() <= 1 && session.calls_at_work() == 0).await;
}

async fn futures(work: impl Iterator<Item = impl Future<Output = ()> + Send + 'static>) {
    let tasks: Vec<_> = work.map(tokio::spawn).collect();
    for task in tasks {
        task.await.unwrap();
    }
}
