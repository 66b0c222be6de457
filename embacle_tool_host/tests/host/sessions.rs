//! Sessions: who is let in, and what ends with them.

use std::time::Duration;

use embacle_tool_host::{CallOutcome, HostConfig, ToolHost};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, Seen, call, hosted, modern, surface};

#[tokio::test]
async fn only_the_bearer_lets_in_and_nobody_shows_it() {
    let (host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let bearer = session.bearer().unwrap();
    assert!(bearer.len() >= 43, "256 bits");
    assert!(!format!("{session:?}{host:?}").contains(bearer));
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
    for other in [None, Some("wrong".to_owned()), Some(bearer[1..].to_owned())] {
        let stranger = Client { bearer: other, ..client.clone() };
        let response = stranger.modern("tools/list", json!({})).await;
        assert_eq!((response.status, response.body.as_str()), (401, ""));
        assert_eq!(response.header("www-authenticate"), Some("Bearer"));
    }
    // Two sessions are two worlds.
    let second = host.open_session(surface(&Seen::default())).unwrap();
    assert_ne!(second.bearer(), session.bearer());
    drop(session);
    assert_eq!(client.modern("tools/list", json!({})).await.status, 401);
    assert_eq!(Client::of(&second).modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn dropping_a_session_cancels_its_calls_and_withholds_their_results() {
    let (host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({})).await;
    let (one, two) = (client.clone(), client.clone());
    let calling =
        tokio::spawn(async move { one.modern("tools/call", json!({"name": "hang"})).await });
    let legacy = tokio::spawn(async move { two.legacy(&id, &call(1, "hang")).await });
    seen.until(|seen| seen.started() == 2).await;
    assert_eq!(session.calls_at_work(), 2);
    drop(session);
    seen.until(|seen| seen.dropped() == 2).await;
    for response in [calling.await.unwrap(), legacy.await.unwrap()] {
        assert!(response.status >= 400, "{response:?}");
        assert!(!response.body.contains("result"), "{response:?}");
    }
    host.shutdown(Duration::from_secs(2)).await;
    assert!(tokio::net::TcpStream::connect(&client.address).await.is_err(), "the listener ends");
}

#[tokio::test]
async fn closing_a_session_waits_for_its_calls_and_tells_what_was_called() {
    let (_host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let slow = client.clone();
    let calling =
        tokio::spawn(async move { slow.modern("tools/call", json!({"name": "sleep"})).await });
    while session.calls_at_work() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let closing = tokio::spawn(session.close(Duration::from_secs(5)));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(client.modern("tools/list", json!({})).await.status, 401, "closed to new requests");
    let closed = closing.await.unwrap();
    assert_eq!(closed.cancelled, 0);
    assert_eq!(calling.await.unwrap().json()["result"]["content"][0]["text"], "slept");
    assert_eq!(closed.calls.len(), 1);
    assert_eq!(
        (closed.calls[0].tool.as_str(), closed.calls[0].outcome),
        ("sleep", CallOutcome::Succeeded)
    );
    assert!(closed.calls[0].duration >= Duration::from_secs(1));
    drop(seen);
}

#[tokio::test]
async fn closing_gives_up_on_what_does_not_end() {
    let (_host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    tokio::spawn(async move { client.modern("tools/call", json!({"name": "hang"})).await });
    seen.until(|seen| seen.started() == 1).await;
    let closed = session.close(Duration::from_millis(50)).await;
    assert_eq!(closed.cancelled, 1);
    seen.until(|seen| seen.dropped() == 1).await;
}

#[tokio::test]
async fn streams_end_with_their_session() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let body = modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
        .to_string();
    let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")];
    let mut request = client.head("POST", "/mcp", &headers);
    request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let mut stream = client.connect().await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains("acknowledged") {
        let read = stream.read(&mut buffer).await.unwrap();
        seen += std::str::from_utf8(&buffer[..read]).unwrap();
    }
    session.announcer().tools_changed();
    while !seen.contains("tools/list_changed") {
        let read = stream.read(&mut buffer).await.unwrap();
        seen += std::str::from_utf8(&buffer[..read]).unwrap();
    }
    assert!(seen.matches("io.modelcontextprotocol/subscriptionId").count() >= 2);
    drop(session);
    let rest = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut buffer));
    rest.await.expect("the stream ends").unwrap();
}

#[tokio::test]
async fn nothing_outlives_the_host() {
    let (host, session, seen) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let idle = client.connect().await;
    let hung = client.clone();
    let hanging =
        tokio::spawn(async move { hung.modern("tools/call", json!({"name": "hang"})).await });
    seen.until(|seen| seen.started() == 1).await;
    assert!(host.live_tasks() > 1);
    let started = std::time::Instant::now();
    host.shutdown(Duration::from_secs(1)).await;
    assert!(started.elapsed() < Duration::from_secs(2));
    seen.until(|seen| seen.dropped() == 1).await;
    hanging.abort();
    drop((idle, session));
    assert!(tokio::net::TcpStream::connect(&client.address).await.is_err());
}

#[tokio::test]
async fn one_public_session_needs_no_bearer() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_public(surface(&Seen::default())).unwrap();
    assert!(session.bearer().is_none());
    assert!(host.open_public(surface(&Seen::default())).is_err());
    let client = Client::of(&session);
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
    let stranger = Client { bearer: Some("any".to_owned()), ..client.clone() };
    assert_eq!(
        stranger.modern("tools/list", json!({})).await.status,
        401,
        "a wrong bearer is wrong"
    );
    drop(session);
    assert_eq!(client.modern("tools/list", json!({})).await.status, 401);
}
