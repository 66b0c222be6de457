//! Requests of 2026-07-28.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use embacle_tool_host::{CallOutcome, Clock, HostConfig, Limits};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::{Client, Seen, hosted, modern, request, surface};

#[tokio::test]
async fn arguments_reach_the_tool_to_the_byte() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let arguments =
        r#"{ "z":1.0,"a":[1E+2,-0,123456789012345678901234567890],"\u0062":"\ud83d\ude00"}"#;
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{{"name":"echo","arguments":{arguments},"_meta":{meta}}}}}"#
    );
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("MCP-NAME", " echo "),
    ];
    let response = client.send("POST", &headers, body).await;
    assert_eq!(response.json()["result"]["content"][0]["text"], arguments, "{response:?}");
    assert_eq!(response.json()["id"], "x");
}

#[tokio::test]
async fn wrong_requests_get_the_error_of_the_specification() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let list = modern("tools/list", json!({}));
    let with = |pointer: &str, value: Value| {
        let mut message = list.clone();
        *message.pointer_mut(pointer).unwrap() = value;
        message.to_string()
    };
    const VERSION: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    let v = ("MCP-Protocol-Version", "2026-07-28");
    let m = ("Mcp-Method", "tools/list");
    type Row<'a> = (Vec<(&'a str, &'a str)>, String, u16, i64);
    let rows: Vec<Row<'_>> = vec![
        (vec![v, m], "{".to_owned(), 400, -32700),
        (vec![v, m], "\u{1}".to_owned(), 400, -32700),
        (vec![v, m], format!("[{list}]"), 400, -32600),
        (vec![v, m], with("/id", json!(1.5)), 400, -32600),
        (vec![v, m], with("/id", json!(null)), 400, -32600),
        (vec![v, m], with("/jsonrpc", json!("1.0")), 400, -32600),
        (vec![v, m], with("/params/_meta", json!({})), 400, -32602),
        (vec![v, m], with("/params", json!([])), 400, -32602),
        (vec![v], list.to_string(), 400, -32020),
        (vec![v, ("Mcp-Method", "Tools/List")], list.to_string(), 400, -32020),
        (vec![v, m], with(VERSION, json!("2025-11-25")), 400, -32020),
        (vec![m], list.to_string(), 400, -32020),
        (vec![("MCP-Protocol-Version", "v9"), m], with(VERSION, json!("v9")), 400, -32022),
        (vec![v, ("Mcp-Method", "x/y")], with("/method", json!("x/y")), 404, -32601),
        (vec![v, ("Mcp-Method", "ping")], with("/method", json!("ping")), 404, -32601),
        (
            vec![v, ("Mcp-Method", "prompts/list")],
            with("/method", json!("prompts/list")),
            404,
            -32601,
        ),
    ];
    for (headers, body, status, code) in rows {
        let response = client.send("POST", &headers, &body).await;
        assert_eq!((response.status, response.code()), (status, code), "{headers:?} {body}");
    }
    let unknown = client.modern("tools/call", json!({"name": "nothing"})).await;
    assert_eq!((unknown.status, unknown.code()), (200, -32602));
    let bad = client.modern("tools/call", json!({"name": "echo", "arguments": [1]})).await;
    assert_eq!((bad.status, bad.code(), bad.json()["id"].clone()), (200, -32602, json!(1)));
    assert_eq!(client.send("GET", &[v], "").await.status, 405);
    assert_eq!(client.send("DELETE", &[v], "").await.status, 405);
    assert_eq!(client.send("PUT", &[v], "").await.status, 405);
    let bytes = client.send("POST", &[v, m], b"\xff\xfe").await;
    assert_eq!((bytes.status, bytes.code()), (400, -32700));
}

#[tokio::test]
async fn a_closed_connection_cancels_the_call() {
    let (_host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let body = modern("tools/call", json!({"name": "hang"})).to_string();
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "hang"),
    ];
    let mut stream = client.connect().await;
    let mut request = client.head("POST", "/mcp", &headers);
    request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    seen.until(|seen| seen.started() == 1).await;
    drop(stream);
    seen.until(|seen| seen.dropped() == 1).await;
    while session.calls().is_empty() || session.calls_at_work() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(session.calls()[0].outcome, CallOutcome::Cancelled);
}

#[tokio::test]
async fn a_panic_stays_with_its_call() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let response = client.modern("tools/call", json!({"name": "panic"})).await;
    assert_eq!(response.code(), -32603);
    assert!(!response.body.contains("as asked"), "what broke is nobody's business");
    assert_eq!(client.modern("tools/call", json!({"name": "echo"})).await.status, 200);
    let outcomes: Vec<_> = session.calls().iter().map(|call| call.outcome).collect();
    assert_eq!(outcomes, [CallOutcome::Panicked, CallOutcome::Succeeded]);
}

#[tokio::test]
async fn progress_makes_a_stream_of_the_answer() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let params = json!({"name": "steps", "_meta": {"progressToken": "t"}});
    let response = client.modern("tools/call", params).await;
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    assert_eq!(response.header("x-accel-buffering"), Some("no"));
    let events = response.events();
    assert_eq!(events.len(), 4);
    for (index, event) in events[..3].iter().enumerate() {
        assert_eq!(event["params"]["progress"], index + 1);
        assert_eq!(event["params"]["progressToken"], "t");
    }
    assert_eq!(events[3]["result"]["content"][0]["text"], "stepped");
}

fn answered(state: &Value, name: &str) -> Value {
    json!({
        "name": "ask",
        "inputResponses": {"who": {"action": "accept", "content": {"name": name}}},
        "requestState": state,
    })
}

#[tokio::test]
async fn a_question_ends_the_round_and_the_retry_resumes_it() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let asked = client.modern("tools/call", json!({"name": "ask"})).await.json();
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["who"]["method"], "elicitation/create");
    let state = &asked["result"]["requestState"];
    let done = client.modern("tools/call", answered(state, "Ada")).await.json();
    assert_eq!(done["result"]["content"][0]["text"], "true", "{done}");
    for wrong in [json!({}), json!({"other": {"action": "accept"}}), json!({"who": 5})] {
        let again = json!({"name": "ask", "inputResponses": wrong, "requestState": state});
        let again = client.modern("tools/call", again).await.json();
        assert_eq!(again["result"]["resultType"], "input_required", "{again}");
    }
    let mut poor = json!({"name": "ask"});
    poor["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let poor = client.modern("tools/call", poor).await;
    assert_eq!((poor.status, poor.code()), (400, -32021));
    assert_eq!(poor.json()["error"]["data"]["requiredCapabilities"], json!({"elicitation": {}}));
}

#[tokio::test]
async fn a_state_is_of_its_request_its_holder_and_its_time() {
    let seconds = Arc::new(AtomicU64::new(1_000_000));
    let told = seconds.clone();
    let clock = Clock::new(move || UNIX_EPOCH + Duration::from_secs(told.load(Ordering::SeqCst)));
    let limits = Limits { state: Duration::from_secs(60), ..Limits::default() };
    let (host, session, _) = hosted(HostConfig { clock, limits, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let asked = client.modern("tools/call", json!({"name": "ask"})).await.json();
    let state = asked["result"]["requestState"].clone();
    let refused = |response: crate::support::Response| {
        assert_eq!(response.code(), -32602, "{response:?}");
        assert!(response.body.contains("requestState"), "{response:?}");
    };
    let text = state.as_str().unwrap();
    for changed in [format!("{text}A"), text[1..].to_owned(), String::new(), "x".repeat(5000)] {
        refused(client.modern("tools/call", answered(&json!(changed), "Ada")).await);
    }
    let mut other = answered(&state, "Ada");
    other["arguments"] = json!({"x": 1});
    refused(client.modern("tools/call", other).await);
    other = answered(&state, "Ada");
    other["name"] = json!("echo");
    refused(client.modern("tools/call", other).await);
    let stranger = host.open_session(surface(&Seen::default())).unwrap();
    refused(Client::of(&stranger).modern("tools/call", answered(&state, "Ada")).await);
    seconds.fetch_add(61, Ordering::SeqCst);
    refused(client.modern("tools/call", answered(&state, "Ada")).await);
    seconds.fetch_sub(61, Ordering::SeqCst);
    let done = client.modern("tools/call", answered(&state, "Ada")).await.json();
    assert_eq!(done["result"]["content"][0]["text"], "true");
}

#[tokio::test]
async fn who_names_another_host_or_comes_from_another_page_stays_out() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let body = modern("tools/list", json!({}));
    for headers in [
        [("Host", "evil.example.com"), ("Accept", "*/*")],
        [("Origin", "https://evil.example.com"), ("Accept", "*/*")],
        [("Host", "localhost"), ("Accept", "*/*")],
    ] {
        assert_eq!(client.post(&headers, &body).await.status, 403, "{headers:?}");
    }
    let ping = request(1, "ping", json!({}));
    assert_eq!(client.post(&[("Accept", "image/png")], &ping).await.status, 406);
}
