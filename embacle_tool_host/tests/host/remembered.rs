//! What is remembered of legacy clients, for how long, and who may ask for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use embacle_tool_host::ir::Text;
use embacle_tool_host::{
    CallOutcome, Clock, HostConfig, Keys, Limits, StaticSurface, ToolHost, ToolOutcome,
    ToolSession, tool,
};
use serde_json::{Value, json};

use crate::support::{Client, Seen, call, hosted, request, surface};
use crate::wire::Wire;

/// A host with a tool that logs, and seconds that the test has pass.
async fn logging(limits: Limits) -> (ToolHost, ToolSession, Arc<AtomicU64>) {
    let log = tool("log", "For tests.", r#"{"type":"object"}"#).unwrap();
    let surface = StaticSurface::new().with(log, |_, context| async move {
        context.log("info", None, &Text::from("careful")).await;
        ToolOutcome::text("done")
    });
    let seconds = Arc::new(AtomicU64::new(1_000_000_000));
    let own = seconds.clone();
    let clock = Clock::new(move || {
        SystemTime::UNIX_EPOCH + Duration::from_secs(own.load(Ordering::SeqCst))
    });
    let host = ToolHost::bind(HostConfig { limits, clock, ..HostConfig::default() }).await.unwrap();
    let session = host.open_session(surface.unwrap()).unwrap();
    (host, session, seconds)
}

fn ping() -> Value {
    request(0, "ping", json!({}))
}

async fn quieten(client: &Client, id: &str) {
    let level = request(0, "logging/setLevel", json!({"level": "emergency"}));
    assert_eq!(client.legacy(id, &level).await.json()["result"], json!({}));
}

async fn is_quiet(client: &Client, id: &str) -> bool {
    !client.legacy(id, &call(1, "log")).await.body.contains("careful")
}

/// Has the time pass after which the host looks for what to forget.
async fn pass() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_level_lasts_as_long_as_its_session() {
    let day = Duration::from_secs(24 * 60 * 60);
    let limits = Limits { idle: Duration::from_secs(1), session: day, ..Limits::default() };
    let (host, session, seconds) = logging(limits).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({})).await;
    let other = client.initialize("2025-06-18", json!({})).await;
    assert!(!is_quiet(&client, &id).await);
    quieten(&client, &id).await;
    for _ in 0..3 {
        pass().await;
        assert_eq!(client.legacy(&other, &ping()).await.status, 200);
        assert!(is_quiet(&client, &id).await);
    }
    assert_eq!(host.remembered_clients(), 1);
    seconds.fetch_add(day.as_secs(), Ordering::SeqCst);
    assert_eq!(client.legacy(&id, &ping()).await.status, 200);
    seconds.fetch_add(1, Ordering::SeqCst);
    assert_eq!(client.legacy(&id, &ping()).await.status, 404, "too old");
    pass().await;
    let new = client.initialize("2025-06-18", json!({})).await;
    assert_eq!(client.legacy(&new, &ping()).await.status, 200);
    assert_eq!(host.remembered_clients(), 0);
}

#[tokio::test]
async fn so_many_clients_are_remembered() {
    let (host, session, _) = logging(Limits { legacy_sessions: 3, ..Limits::default() }).await;
    let client = Client::of(&session);
    let mut ids = Vec::new();
    for _ in 0..4 {
        ids.push(client.initialize("2025-06-18", json!({})).await);
    }
    for id in &ids[..3] {
        quieten(&client, id).await;
    }
    // What is left of the first goes, since it has been idle for longest; its session stays.
    assert_eq!(client.legacy(&ids[3], &ping()).await.status, 200);
    assert_eq!(host.remembered_clients(), 2);
    assert!(is_quiet(&client, &ids[1]).await && is_quiet(&client, &ids[2]).await);
    assert!(!is_quiet(&client, &ids[0]).await);
}

#[tokio::test]
async fn no_session_comes_back_that_was_ended() {
    let limits = Limits { legacy_sessions: 2, ..Limits::default() };
    let (_host, session, _) = hosted(HostConfig { limits, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let mut ids = Vec::new();
    for _ in 0..6 {
        let id = client.initialize("2025-06-18", json!({})).await;
        assert_eq!(client.legacy(&id, &ping()).await.status, 200);
        assert_eq!(client.send("DELETE", &[("Mcp-Session-Id", &id)], "").await.status, 204);
        ids.push(id);
    }
    // So many others have come that the host has nothing more of those but that they have ended.
    for _ in 0..4 {
        let young = client.initialize("2025-06-18", json!({})).await;
        assert_eq!(client.legacy(&young, &ping()).await.status, 200);
    }
    for id in &ids {
        assert_eq!(client.legacy(id, &ping()).await.status, 404);
    }
}

#[tokio::test]
async fn a_session_outlives_a_change_of_keys() {
    let host = async |keys: Keys| {
        let host = ToolHost::bind(HostConfig { keys, ..HostConfig::default() }).await.unwrap();
        let session = host.open_public(surface(&Seen::default())).unwrap();
        (host, session)
    };
    let before = host(Keys::new(&[1; 32])).await;
    let id = Client::of(&before.1).initialize("2025-06-18", json!({})).await;
    let after = host(Keys::new(&[2; 32]).with_previous(&[1; 32])).await;
    let client = Client::of(&after.1);
    assert_eq!(client.legacy(&id, &call(1, "echo")).await.status, 200);
    // What is opened since is sealed by the new key.
    let new = client.initialize("2025-06-18", json!({})).await;
    let later = host(Keys::new(&[2; 32])).await;
    let client = Client::of(&later.1);
    assert_eq!(client.legacy(&new, &call(1, "echo")).await.status, 200);
    assert_eq!(client.legacy(&id, &call(1, "echo")).await.status, 404);
}

#[tokio::test]
async fn what_waits_for_its_turn_outlives_its_connection_and_can_be_cancelled() {
    let limits = Limits { running_calls: 1, queued_calls: 1, ..Limits::default() };
    let (_host, session, seen) = hosted(HostConfig { limits, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({})).await;
    let cancel = |number: u64| {
        let params = json!({"requestId": number});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    };
    let mut first = Wire::legacy(&client, &id, &call(1, "hang")).await;
    seen.until(|seen| seen.started() == 1).await;
    // One that waits is cancelled, and gives its place to the next that waits.
    let mut second = Wire::legacy(&client, &id, &call(2, "echo")).await;
    while client.legacy(&id, &call(3, "echo")).await.status != 503 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(client.legacy(&id, &cancel(2)).await.status, 202);
    second.until("202 Accepted").await;
    let third = Wire::legacy(&client, &id, &call(4, "echo")).await;
    while client.legacy(&id, &call(5, "echo")).await.status != 503 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Its client goes, and it is worked on all the same.
    drop(third);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(session.call_count(), 0);
    assert_eq!(client.legacy(&id, &cancel(1)).await.status, 202);
    first.until("202 Accepted").await;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
    while session.call_count() < 2 {
        assert!(tokio::time::Instant::now() < deadline, "{:?}", session.calls());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let calls = session.calls();
    let calls: Vec<_> = calls.iter().map(|call| (call.tool.as_str(), call.outcome)).collect();
    assert_eq!(calls, [("hang", CallOutcome::Cancelled), ("echo", CallOutcome::Succeeded)]);
}

#[tokio::test]
async fn a_header_of_a_session_that_is_there_twice_is_refused() {
    let (_host, session, _) = hosted(HostConfig::default()).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({})).await;
    let other = client.initialize("2025-06-18", json!({})).await;
    let version = ("MCP-Protocol-Version", "2025-06-18");
    let own = ("Mcp-Session-Id", id.as_str());
    for method in ["POST", "GET", "DELETE"] {
        for headers in [
            vec![own, own],
            vec![own, ("Mcp-Session-Id", &other)],
            vec![("Mcp-Session-Id", "nonsense"), own],
            vec![own, version, version],
            vec![own, version, ("MCP-Protocol-Version", "2025-11-25")],
        ] {
            let response = client.send(method, &headers, call(1, "echo").to_string()).await;
            assert_eq!((response.status, response.code()), (400, -32600), "{method} {headers:?}");
        }
    }
    assert_eq!(client.legacy(&id, &call(1, "echo")).await.status, 200, "nothing was ended");
}
