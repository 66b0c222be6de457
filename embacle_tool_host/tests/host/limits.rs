//! Limits: whoever goes beyond is told so, and holds nobody else up.

use std::time::{Duration, Instant};

use embacle_tool_host::{CallOutcome, HostConfig, Limits};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, hosted, modern};

fn with(limits: Limits) -> HostConfig {
    HostConfig { limits, ..HostConfig::default() }
}

#[tokio::test]
async fn a_message_may_be_so_long() {
    let (_host, session, _) =
        hosted(with(Limits { message_bytes: 1000, ..Limits::default() })).await;
    let client = Client::of(&session);
    let long = client
        .modern("tools/call", json!({"name": "echo", "arguments": {"x": "y".repeat(1000)}}))
        .await;
    assert_eq!((long.status, long.code()), (413, -32600));
    let head =
        client.head("POST", "/mcp", &[("Transfer-Encoding", "chunked"), ("Connection", "close")]);
    let chunks = "400\r\n".to_owned() + &"x".repeat(1024) + "\r\n0\r\n\r\n";
    let chunked = client.raw(format!("{head}\r\n{chunks}").as_bytes()).await;
    assert_eq!(chunked.status, 413, "without its length said beforehand");
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_head_may_be_so_long() {
    let (_host, session, _) =
        hosted(with(Limits { header_bytes: 8192, ..Limits::default() })).await;
    let client = Client::of(&session);
    let long = client.send("POST", &[("X-Long", &"x".repeat(20_000))], "{}").await;
    assert_eq!(long.status, 431);
    let many: Vec<_> = (0..200).map(|_| ("X-Many", "x")).collect();
    assert_eq!(client.send("POST", &many, "{}").await.status, 431);
}

#[tokio::test]
async fn a_slow_client_is_given_up() {
    let limits = Limits {
        header_read: Duration::from_millis(200),
        body_read: Duration::from_millis(200),
        idle: Duration::from_millis(600),
        ..Limits::default()
    };
    let (_host, session, _) = hosted(with(limits)).await;
    let client = Client::of(&session);
    let body =
        client.head("POST", "/mcp", &[]) + "Content-Length: 100\r\nConnection: close\r\n\r\n{";
    let response = client.raw(body.as_bytes()).await;
    assert_eq!((response.status, response.code()), (408, -32600));

    for (start, most) in [(&b"POST /mcp HT"[..], 500), (&b""[..], 1000)] {
        let started = Instant::now();
        let mut stream = client.connect().await;
        stream.write_all(start).await.unwrap();
        let mut rest = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut rest)).await;
        assert!(end.is_ok(), "the host closes");
        assert!(started.elapsed() < Duration::from_millis(most), "{:?}", started.elapsed());
    }
}

#[tokio::test]
async fn a_call_may_take_so_long() {
    let limits = Limits { call: Duration::from_millis(100), ..Limits::default() };
    let (_host, session, seen) = hosted(with(limits)).await;
    let response = Client::of(&session).modern("tools/call", json!({"name": "hang"})).await.json();
    assert_eq!(response["result"]["isError"], true);
    assert_eq!(response["result"]["content"][0]["text"], "hang did not answer within 0.1 s");
    assert_eq!(seen.dropped(), 1);
    assert_eq!(session.calls()[0].outcome, CallOutcome::TimedOut);
}

#[tokio::test]
async fn so_many_calls_are_at_work_and_so_many_wait() {
    let limits = Limits { running_calls: 1, queued_calls: 1, ..Limits::default() };
    let (_host, session, seen) = hosted(with(limits)).await;
    let client = Client::of(&session);
    let (one, two) = (client.clone(), client.clone());
    let first =
        tokio::spawn(async move { one.modern("tools/call", json!({"name": "hang"})).await });
    seen.until(|seen| seen.started() == 1).await;
    let second =
        tokio::spawn(async move { two.modern("tools/call", json!({"name": "echo"})).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let third = client.modern("tools/call", json!({"name": "echo"})).await;
    assert_eq!((third.status, third.header("retry-after")), (503, Some("1")));
    first.abort();
    assert_eq!(second.await.unwrap().status, 200, "who waits has a turn");
}

#[tokio::test]
async fn so_many_requests_come_a_second() {
    let limits = Limits { requests_per_second: Some(5), ..Limits::default() };
    let (_host, session, _) = hosted(with(limits)).await;
    let client = Client::of(&session);
    let mut statuses = Vec::new();
    for _ in 0..10 {
        statuses.push(client.modern("tools/list", json!({})).await.status);
    }
    assert!(statuses[..5].iter().all(|status| *status == 200), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
}

#[tokio::test]
async fn so_many_sessions_are_open() {
    let (host, _first, _) = hosted(with(Limits { sessions: 2, ..Limits::default() })).await;
    let open = || host.open_session(crate::support::surface(&Default::default()));
    let second = open().unwrap();
    assert!(open().is_err());
    drop(second);
    assert!(open().is_ok());
}

#[tokio::test]
async fn a_client_that_goes_at_any_byte_leaves_nothing() {
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let body = modern("tools/call", json!({"name": "echo", "arguments": {}})).to_string();
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    let head = client.head("POST", "/mcp", &headers);
    let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
    for end in 0..request.len() {
        let mut stream = client.connect().await;
        stream.write_all(&request.as_bytes()[..end]).await.unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while host.live_tasks() > 1 {
        assert!(Instant::now() < deadline, "{} tasks are left", host.live_tasks());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!((session.calls_at_work(), host.remembered_clients()), (0, 0));
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
}
#[tokio::test]
async fn the_requests_of_a_batch_count_as_they_do_alone() {
    let batch = |method: &str, params: serde_json::Value| {
        let one = |id| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        json!((1..=10).map(one).collect::<Vec<_>>())
    };
    let calls = Limits { running_calls: 1, queued_calls: 1, ..Limits::default() };
    let rate = Limits { requests_per_second: Some(5), ..Limits::default() };
    let rows = [
        (calls, batch("tools/call", json!({"name": "sleep"})), 2, "wait"),
        (rate, batch("tools/list", json!({})), 4, "requests"),
    ];
    for (limits, batch, least, word) in rows {
        let (_host, session, _) = hosted(with(limits)).await;
        let client = Client::of(&session);
        let id = client.initialize("2025-03-26", json!({})).await;
        let answers = client.legacy(&id, &batch).await.json();
        let answers = answers.as_array().unwrap();
        assert_eq!(answers.len(), 10, "each has its answer");
        let (refused, done): (Vec<_>, Vec<_>) =
            answers.iter().partition(|a| a["error"].is_object());
        assert!((least..10).contains(&done.len()), "{answers:?}");
        for answer in refused {
            assert_eq!(answer["error"]["code"], -32000, "{answer}");
            assert!(answer["error"]["message"].as_str().unwrap().contains(word), "{answer}");
        }
    }
}
