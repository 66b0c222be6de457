//! Streams of legacy sessions: what is read, missed, come back for, and how many there may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use embacle_tool_host::ir::Text;
use embacle_tool_host::{
    CallContext, HostConfig, Limits, StaticSurface, ToolHost, ToolOutcome, ToolSession,
    form_of_json, tool,
};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Semaphore};

use crate::support::{Client, NAME, call, request};
use crate::wire::Wire;

/// What tests and tools tell each other.
#[derive(Clone)]
struct Gates {
    started: Arc<AtomicUsize>,
    logged: Arc<AtomicUsize>,
    go: Arc<Semaphore>,
    both: Arc<Barrier>,
}

impl Gates {
    async fn until(&self, count: impl Fn(&Self) -> &AtomicUsize, number: usize) {
        let reached = async {
            while count(self).load(Ordering::SeqCst) < number {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), reached).await.expect("it comes to pass");
    }
}

const BLOCK: usize = 20_000;

async fn log(context: &CallContext, text: &str) {
    context.log("info", None, &Text::from(text)).await;
}

/// `log` logs forty blocks, `wait` logs once and waits to be let go, `both` logs once there are two,
/// `nap` says nothing for a while, `chat` asks and logs at once after it was let go.
async fn hosted(limits: Limits) -> (ToolHost, ToolSession, Gates) {
    let any = |name: &str| tool(name, "For tests.", r#"{"type":"object"}"#).unwrap();
    let gates = Gates {
        started: Arc::default(),
        logged: Arc::default(),
        go: Arc::new(Semaphore::new(0)),
        both: Arc::new(Barrier::new(2)),
    };
    let (wait, both, chat) = (gates.clone(), gates.clone(), gates.clone());
    let surface = StaticSurface::new()
        .with(any("log"), |_, context| async move {
            for number in 0..40 {
                log(&context, &format!("{number}:{}", "x".repeat(BLOCK))).await;
            }
            ToolOutcome::text("logged")
        })
        .unwrap()
        .with(any("wait"), move |_, context| {
            let gates = wait.clone();
            async move {
                gates.started.fetch_add(1, Ordering::SeqCst);
                log(&context, "waiting").await;
                gates.go.acquire().await.unwrap().forget();
                ToolOutcome::text("let go")
            }
        })
        .unwrap()
        .with(any("both"), move |_, context| {
            let gates = both.clone();
            async move {
                gates.both.wait().await;
                log(&context, "both").await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                ToolOutcome::text("both")
            }
        })
        .unwrap()
        .with(any("nap"), |_, _| async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            ToolOutcome::text("slept")
        })
        .unwrap()
        .with(any("chat"), move |_, context| {
            let gates = chat.clone();
            async move {
                gates.started.fetch_add(1, Ordering::SeqCst);
                log(&context, "chatting").await;
                gates.go.acquire().await.unwrap().forget();
                let question = form_of_json("Who?", NAME).unwrap();
                let logging = async {
                    for _ in 0..40 {
                        log(&context, &"x".repeat(BLOCK)).await;
                    }
                    gates.logged.fetch_add(1, Ordering::SeqCst);
                };
                let (answer, ()) = tokio::join!(context.ask("who", question), logging);
                ToolOutcome::text(format!("{answer:?}").contains("Ada").to_string())
            }
        })
        .unwrap();
    let host = ToolHost::bind(HostConfig { limits, ..HostConfig::default() }).await.unwrap();
    let session = host.open_session(surface).unwrap();
    (host, session, gates)
}

fn ping() -> Value {
    request(1000, "ping", json!({}))
}

#[tokio::test]
async fn a_client_that_reads_misses_nothing() {
    let limits = Limits { stored_bytes: 3 * BLOCK, ..Limits::default() };
    for limits in [limits, Limits { stored_in_all: BLOCK, ..limits }] {
        let (_host, session, _) = hosted(limits).await;
        let client = Client::of(&session);
        let id = client.initialize("2025-11-25", json!({})).await;
        let events = client.legacy(&id, &call(1, "log")).await.events();
        assert_eq!(events.len(), 41);
        for (number, event) in events[..40].iter().enumerate() {
            let data = event["params"]["data"].as_str().unwrap();
            assert!(data.starts_with(&format!("{number}:")), "in order");
        }
        assert_eq!(events[40]["result"]["content"][0]["text"], "logged");
    }
}

#[tokio::test]
async fn what_a_client_left_works_on_and_can_still_be_answered() {
    let limits = Limits { stored_bytes: 3 * BLOCK, ..Limits::default() };
    let (_host, session, gates) = hosted(limits).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({"elicitation": {}})).await;
    let mut first = Wire::legacy(&client, &id, &call(1, "chat")).await;
    first.until("chatting").await;
    let last = first.ids().pop().unwrap();
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    gates.go.add_permits(1);
    // Nobody reads, and it is not held up.
    gates.until(|gates| &gates.logged, 1).await;
    let mut second = Wire::get(&client, &id, Some(&last)).await;
    let seen = second.until("elicitation/create").await;
    assert!(seen.len() < 6 * BLOCK, "{} bytes are kept", seen.len());
    let events = second.events();
    let question = events.iter().find(|event| event["method"] == "elicitation/create").unwrap();
    let content = json!({"action": "accept", "content": {"name": "Ada"}});
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": content});
    assert_eq!(client.legacy(&id, &answer).await.status, 202);
    second.rest().await;
    let result = second.events().pop().unwrap()["result"].clone();
    assert_eq!(result["content"][0]["text"], "true", "{result}");
}

#[tokio::test]
async fn the_rest_of_a_stream_is_there_for_a_while_after_its_end() {
    // One client more and what is known of the first is forgotten.
    let limits =
        Limits { legacy_sessions: 1, stored: Duration::from_millis(300), ..Limits::default() };
    let (_host, session, gates) = hosted(limits).await;
    let client = Client::of(&session);
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let id = client.initialize(version, json!({})).await;
        let other = client.initialize(version, json!({})).await;
        let mut first = Wire::legacy(&client, &id, &call(1, "wait")).await;
        first.until("waiting").await;
        gates.go.add_permits(1);
        // The host has sent everything, and cannot know whether it has arrived.
        first.rest().await;
        let (ids, all) = (first.ids(), first.events());
        assert_eq!(all.last().unwrap()["result"]["content"][0]["text"], "let go");
        assert_eq!(client.legacy(&other, &ping()).await.status, 200);
        for _ in 0..2 {
            let mut rest = Wire::get(&client, &id, Some(&ids[0])).await;
            rest.rest().await;
            assert_eq!(rest.ids(), ids[1..], "{version}");
            assert_eq!(rest.events().last(), all.last(), "{version}");
        }
        let foreign = ids[0].replace('-', "-9");
        for unknown in [&foreign, "nonsense", "0-1", ""] {
            let headers = [("Mcp-Session-Id", id.as_str()), ("Last-Event-ID", unknown)];
            let response = client.send("GET", &headers, "").await;
            assert_eq!((response.status, response.code()), (400, -32600), "{unknown:?}");
        }
        let of_another = [("Mcp-Session-Id", other.as_str()), ("Last-Event-ID", &ids[0])];
        assert_eq!(client.send("GET", &of_another, "").await.status, 400);
        tokio::time::sleep(limits.stored).await;
        let late = [("Mcp-Session-Id", id.as_str()), ("Last-Event-ID", &ids[0])];
        assert_eq!(client.send("GET", &late, "").await.status, 400, "{version}");
    }
}

#[tokio::test]
async fn ended_streams_are_kept_as_far_as_there_is_room() {
    let limits = Limits { stored_in_all: 4000, ..Limits::default() };
    let (_host, session, gates) = hosted(limits).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({})).await;
    let mut firsts = Vec::new();
    for number in 0..30 {
        let mut stream = Wire::legacy(&client, &id, &call(number, "wait")).await;
        stream.until("waiting").await;
        gates.go.add_permits(1);
        stream.rest().await;
        firsts.push(stream.ids().remove(0));
    }
    let come_back = async |event: &str| {
        let headers = [("Mcp-Session-Id", id.as_str()), ("Last-Event-ID", event)];
        client.send("GET", &headers, "").await.status
    };
    assert_eq!(come_back(&firsts[0]).await, 400);
    assert_eq!(come_back(&firsts[29]).await, 200);
}

#[tokio::test]
async fn a_call_beyond_the_streams_is_refused_before_it_starts() {
    let (_host, session, gates) = hosted(Limits { streams: 2, ..Limits::default() }).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-03-26", json!({})).await;
    let mut streams = Vec::new();
    for number in 0..2 {
        streams.push(Wire::legacy(&client, &id, &call(number, "wait")).await);
        streams[number as usize].until("waiting").await;
    }
    let refused = client.legacy(&id, &call(7, "wait")).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!((refused.code(), refused.json()["id"].clone()), (-32000, json!(7)));
    let batch = client.legacy(&id, &json!([call(8, "wait"), ping()])).await.json();
    assert_eq!((&batch[0]["id"], &batch[0]["error"]["code"]), (&json!(8), &json!(-32000)));
    assert_eq!(batch[1]["result"], json!({}));
    assert_eq!(gates.started.load(Ordering::SeqCst), 2, "nothing was started");
    // Who needs no stream, and other sessions, are not held up.
    assert_eq!(client.legacy(&id, &ping()).await.status, 200);
    let headers = [("Mcp-Session-Id", id.as_str()), ("Accept", "application/json")];
    let whole = client.post(&headers, &call(9, "log")).await.json();
    assert_eq!(whole["result"]["content"][0]["text"], "logged");
    let other = client.initialize("2025-06-18", json!({})).await;
    let mut its = Wire::legacy(&client, &other, &call(0, "wait")).await;
    its.until("waiting").await;
    // A stream is taken over in its place, and one that nobody reads needs none.
    let last = streams[1].ids().pop().unwrap();
    let mut second = Wire::get(&client, &id, Some(&last)).await;
    streams[1].rest().await;
    assert!(!streams[1].seen.contains("result"), "the first reader is cut off");
    drop(streams.remove(0));
    gates.go.add_permits(10);
    second.until("let go").await;
    its.until("let go").await;
}

#[tokio::test]
async fn streams_that_their_clients_left_lock_nobody_out() {
    let (_host, session, gates) = hosted(Limits { streams: 2, ..Limits::default() }).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({})).await;
    for number in 0..10 {
        let mut stream = Wire::legacy(&client, &id, &call(number, "wait")).await;
        stream.until("waiting").await;
        drop(stream);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(session.calls_at_work(), 10);
    gates.go.add_permits(20);
    let last = client.legacy(&id, &call(10, "wait")).await;
    assert_eq!(last.status, 200, "{last:?}");
}

#[tokio::test]
async fn of_two_calls_for_one_stream_one_waits() {
    let (_host, session, _) = hosted(Limits { streams: 1, ..Limits::default() }).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({})).await;
    let (one, two) = (call(1, "both"), call(2, "both"));
    let (one, two) = tokio::join!(client.legacy(&id, &one), client.legacy(&id, &two));
    for response in [one, two] {
        let events = response.events();
        assert_eq!((response.status, events.len()), (200, 2), "{response:?}");
        assert_eq!(events[1]["result"]["content"][0]["text"], "both");
    }
}

#[tokio::test]
async fn a_silent_call_becomes_a_stream_that_is_kept_alive() {
    let limits = Limits { keep_alive: Duration::from_millis(40), ..Limits::default() };
    let (_host, session, _) = hosted(limits).await;
    let client = Client::of(&session);
    let mut responses = vec![client.modern("tools/call", json!({"name": "nap"})).await];
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let id = client.initialize(version, json!({})).await;
        let headers = [("Mcp-Session-Id", id.as_str()), ("Accept", "application/json")];
        let whole = client.post(&headers, &call(1, "nap")).await;
        assert_eq!(whole.json()["result"]["content"][0]["text"], "slept", "{version}");
        responses.push(client.legacy(&id, &call(2, "nap")).await);
        let mut changes = Wire::get(&client, &id, None).await;
        changes.until_times(": keep-alive", 3).await;
    }
    for response in responses {
        assert_eq!(response.header("content-type"), Some("text/event-stream"), "{response:?}");
        assert!(response.body.matches(": keep-alive\n\n").count() >= 2, "{response:?}");
        let answer = response.events().pop().unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "slept");
    }
}

#[tokio::test]
async fn the_stream_of_changes_passes_to_who_asks_last() {
    let (_host, session, _) = hosted(Limits::default()).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({})).await;
    let mut first = Wire::get(&client, &id, None).await;
    first.until("keep-alive").await;
    session.announcer().tools_changed();
    first.until("tools/list_changed").await;
    let mut second = Wire::get(&client, &id, None).await;
    second.until("keep-alive").await;
    assert_eq!(first.rest().await.matches("list_changed").count(), 1, "it ends");
    session.announcer().tools_changed();
    second.until("tools/list_changed").await;
    assert_ne!(first.ids(), second.ids());
    // After a break all can have been missed, whoever made the id.
    for last in [second.ids().pop().unwrap(), "changes-0-elsewhere".to_owned()] {
        let mut third = Wire::get(&client, &id, Some(&last)).await;
        third.until("tools/list_changed").await;
        assert!(!second.ids().contains(&third.ids()[0]));
    }
}
