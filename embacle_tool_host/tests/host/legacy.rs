//! Clients with sessions: 2025-03-26 to 2025-11-25.

use std::time::Duration;

use embacle_tool_host::ir::ProtocolVersion;
use embacle_tool_host::{HostConfig, Keys, ToolHost};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::{Client, Seen, call, hosted, request, surface};
use crate::wire::Wire;

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

#[tokio::test]
async fn a_session_is_opened_used_and_ended() {
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    for version in REVISIONS {
        let id = client.initialize(version, json!({})).await;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.legacy(&id, &initialized).await.status, 202);
        let listed = client.legacy(&id, &request(1, "tools/list", json!({}))).await.json();
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
        assert!(listed["result"].get("resultType").is_none(), "{listed}");
        let echo = client.legacy(&id, &call(2, "echo")).await.json();
        assert_eq!(echo["result"]["content"][0]["text"], "{}");
        assert_eq!(
            client.legacy(&id, &request(3, "ping", json!({}))).await.json()["result"],
            json!({})
        );
        let foreign = client.legacy(&id, &request(4, "server/discover", json!({}))).await;
        assert_eq!((foreign.status, foreign.code()), (200, -32601));
        let ended = client.send("DELETE", &[("Mcp-Session-Id", &id)], "").await;
        assert_eq!(ended.status, 204);
        assert_eq!(client.legacy(&id, &call(5, "echo")).await.status, 404);
    }
    let without = client.post(&[], &call(1, "echo")).await;
    assert_eq!((without.status, without.json()["id"].clone()), (400, json!(1)));
    assert_eq!(client.legacy("nonsense", &call(1, "echo")).await.status, 404);
    let id = client.initialize("2025-06-18", json!({})).await;
    let odd = client
        .post(&[("Mcp-Session-Id", &id), ("MCP-Protocol-Version", "2024-11-05")], &call(1, "echo"))
        .await;
    assert_eq!(odd.status, 200, "a revision that is offered");
    assert_eq!(host.remembered_clients(), 0, "an idle client needs nothing remembered");
}

#[tokio::test]
async fn a_result_goes_with_its_schema() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    for (version, expected) in [
        ("2025-03-26", Value::Null),
        ("2025-06-18", json!({"result": {"a": 1.0}})),
        ("2025-11-25", json!({"result": {"a": 1.0}})),
    ] {
        let id = client.initialize(version, json!({})).await;
        let result = client.legacy(&id, &call(1, "either")).await.json()["result"].clone();
        assert_eq!(result.get("structuredContent").cloned().unwrap_or_default(), expected);
        assert_eq!(result["content"][0]["text"], r#"{"a":1.0}"#, "{version}");
        let listed = client.legacy(&id, &request(2, "tools/list", json!({}))).await.json();
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        let tool = tools.iter().find(|tool| tool["name"] == "either").unwrap();
        let is_wrapped = tool["outputSchema"]["properties"]["result"]["anyOf"].is_array();
        assert_eq!(is_wrapped, version != "2025-03-26", "{tool}");
    }
    let modern = client.modern("tools/call", json!({"name": "either"})).await.json();
    assert_eq!(modern["result"]["structuredContent"], json!({"a": 1.0}));
}

#[tokio::test]
async fn any_replica_with_the_keys_serves_a_session() {
    let config = || HostConfig { keys: Keys::new(&[7; 32]), ..HostConfig::default() };
    let open = |host: &ToolHost| host.open_public(surface(&Seen::default())).unwrap();
    let (one, two) =
        (ToolHost::bind(config()).await.unwrap(), ToolHost::bind(config()).await.unwrap());
    let (first, second) = (open(&one), open(&two));
    let id = Client::of(&first).initialize("2025-06-18", json!({})).await;
    let echo = Client::of(&second).legacy(&id, &call(1, "echo")).await.json();
    assert_eq!(echo["result"]["content"][0]["text"], "{}");
    let (host, stranger, _) = hosted(config()).await;
    assert_eq!(Client::of(&stranger).legacy(&id, &call(1, "echo")).await.status, 404);
    drop(host);
}

#[tokio::test]
async fn odd_messages_get_an_answer() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    for version in REVISIONS {
        let id = client.initialize(version, json!({})).await;
        let headers = [("Mcp-Session-Id", id.as_str())];
        let rows: [(&str, u16, i64, Value); 7] = [
            ("{", 400, -32700, Value::Null),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, 200, -32602, json!(1)),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":1}}"#,
                200,
                -32602,
                json!("a"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"\ud800"}}"#,
                200,
                -32602,
                json!(2),
            ),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, 400, -32600, Value::Null),
            (r#"{"jsonrpc":"2.0","id":3,"method":"ping","id":4}"#, 400, -32600, json!(3)),
            (r#"{"jsonrpc":"2.0","id":4,"method":"no/such"}"#, 200, -32601, json!(4)),
        ];
        for (body, status, code, id) in rows {
            let response = client.send("POST", &headers, body).await;
            assert_eq!((response.status, response.code()), (status, code), "{version} {body}");
            let found = response.json().get("id").cloned().unwrap_or_default();
            assert_eq!(found, id, "{version} {body}");
        }
    }
}

#[tokio::test]
async fn batches_are_of_2025_03_26_alone() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let batch =
        json!([call(1, "echo"), note, call(2, "sleep"), request(3, "no/such", json!({})), 5]);
    for version in REVISIONS {
        let id = client.initialize(version, json!({})).await;
        let response = client.legacy(&id, &batch).await;
        if version != "2025-03-26" {
            assert_eq!((response.status, response.code()), (400, -32600));
            continue;
        }
        let answers = response.json();
        let mut ids: Vec<_> = answers.as_array().unwrap().iter().map(|a| a["id"].clone()).collect();
        ids.sort_by_key(ToString::to_string);
        assert_eq!(ids, [json!(1), json!(2), json!(3), Value::Null]);
        assert_eq!(client.legacy(&id, &json!([note])).await.status, 202);
        assert_eq!(client.legacy(&id, &json!([])).await.status, 400);
    }
}

#[tokio::test]
async fn a_client_that_goes_away_comes_back_for_the_answer() {
    let (_host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({})).await;
    let mut steps = call(1, "steps");
    steps["params"]["_meta"] = json!({"progressToken": 7});
    // The tool lets the stream go after its first step.
    let first = client.legacy(&id, &steps).await;
    let (primer, rest) = first.body.split_once("\nretry: 500\ndata: \n\n").unwrap();
    assert!(primer.starts_with("id: ") && !rest.is_empty(), "{first:?}");
    let last = first.body.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let headers =
        [("Mcp-Session-Id", id.as_str()), ("Last-Event-ID", last), ("Accept", "text/event-stream")];
    let rest = client.send("GET", &headers, "").await;
    let events = rest.events();
    assert_eq!(events.last().unwrap()["result"]["content"][0]["text"], "stepped", "{rest:?}");
    assert_eq!(first.events().len() + events.len(), 4);

    // Going away is no cancellation before 2026-07-28.
    let body = call(2, "hang").to_string();
    let mut stream = client.connect().await;
    let mut head = client.head("POST", "/mcp", &[("Mcp-Session-Id", &id)]);
    head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).await.unwrap();
    seen.until(|seen| seen.started() == 1).await;
    drop(stream);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!((seen.dropped(), session.calls_at_work()), (0, 1));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2.0}});
    assert_eq!(client.legacy(&id, &cancel).await.status, 202);
    seen.until(|seen| seen.dropped() == 1).await;
}

#[tokio::test]
async fn a_question_is_a_request_on_the_stream_of_its_call() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let poor = client.initialize("2025-06-18", json!({})).await;
    let declined = client.legacy(&poor, &call(1, "ask")).await.json();
    assert_eq!(declined["result"]["isError"], true, "{declined}");

    let id = client.initialize("2025-06-18", json!({"elicitation": {}})).await;
    let mut calling = Wire::legacy(&client, &id, &call(1, "ask")).await;
    calling.until("elicitation/create").await;
    let question = calling.events()[0]["id"].clone();
    // Answers to nothing are passed over; ids are made by the host, so the client must read them.
    let stray = json!({"jsonrpc": "2.0", "id": "question-99", "result": {"action": "accept"}});
    assert_eq!(client.legacy(&id, &stray).await.status, 202);
    let answer = json!({"jsonrpc": "2.0", "id": question, "result": {"action": "accept", "content": {"name": "Ada"}}});
    assert_eq!(client.legacy(&id, &answer).await.status, 202);
    calling.rest().await;
    let answer = &calling.events()[1]["result"];
    assert_eq!(answer["content"][0]["text"], "true", "{answer}");
}

#[tokio::test]
async fn a_host_without_a_handshake_says_what_it_offers() {
    let versions = vec![ProtocolVersion::V2026_07_28];
    let (_host, session, _) = hosted(HostConfig { versions, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let proposal = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let response = client.post(&[], &request(0, "initialize", proposal.clone())).await;
    let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
    let error = response.json()["error"].take();
    assert_eq!((response.status, &error["code"], &error["data"]), (400, &json!(-32022), &data));
    // Who needs no handshake, and asks for one all the same, is told nothing of revisions.
    let odd = client.modern("initialize", proposal).await;
    assert_eq!((odd.status, odd.code()), (404, -32601));
}

#[tokio::test]
async fn http_with_sse_is_behind_its_flag() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let get = |path: &str| client.head("GET", path, &[("Connection", "close")]) + "\r\n";
    assert_eq!(client.raw(get("/mcp/sse").as_bytes()).await.status, 404);

    let (_host, session, _) = hosted(HostConfig { http_sse: true, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let mut stream = client.connect().await;
    stream.write_all((client.head("GET", "/mcp/sse", &[]) + "\r\n").as_bytes()).await.unwrap();
    let mut seen = String::new();
    read_until(&mut stream, &mut seen, "sessionId=").await;
    let path = seen.lines().find_map(|line| line.strip_prefix("data: ")).unwrap().to_owned();
    for message in [
        request(
            0,
            "initialize",
            json!({"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        ),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "echo"),
    ] {
        let body = message.to_string();
        let head = client.head("POST", &path, &[("Connection", "close")]);
        let response = client
            .raw(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .await;
        assert_eq!(response.status, 202);
    }
    read_until(&mut stream, &mut seen, r#""text":"{}""#).await;
    assert!(seen.contains(r#""protocolVersion":"2024-11-05""#));
}

async fn read_until(stream: &mut tokio::net::TcpStream, seen: &mut String, end: &str) {
    use tokio::io::AsyncReadExt;
    let mut buffer = [0; 4096];
    while !seen.contains(end) {
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut buffer));
        let read = read.await.expect("it comes").unwrap();
        assert!(read > 0, "{seen}");
        *seen += std::str::from_utf8(&buffer[..read]).unwrap();
    }
}
