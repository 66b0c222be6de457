//! Questions to the clients of legacy sessions: their ids, and who can be asked.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use embacle_tool_host::{
    AskError, HostConfig, Limits, StaticSurface, ToolHost, ToolOutcome, roots, tool,
};
use serde_json::{Value, json};

use crate::support::{Client, call, hosted, request};
use crate::wire::Wire;

fn answer(id: &Value, name: &str) -> Value {
    let content = json!({"action": "accept", "content": {"name": name}});
    json!({"jsonrpc": "2.0", "id": id, "result": content})
}

#[tokio::test]
async fn ids_of_questions_and_events_never_repeat_in_a_session() {
    // One client more and what is known of the first is forgotten.
    let limits = Limits { legacy_sessions: 1, ..Limits::default() };
    let (_host, session, _) = hosted(HostConfig { limits, ..HostConfig::default() }).await;
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({"elicitation": {}})).await;
    let other = client.initialize("2025-11-25", json!({})).await;
    let (mut events, mut questions) = (Vec::new(), Vec::<Value>::new());
    for round in 0..3 {
        let mut stream = Wire::legacy(&client, &id, &call(round, "ask")).await;
        stream.until("elicitation/create").await;
        let question = stream.events()[0]["id"].clone();
        // Late answers to earlier questions answer nothing.
        for earlier in &questions {
            assert_eq!(client.legacy(&id, &answer(earlier, "Bob")).await.status, 202);
        }
        assert_eq!(client.legacy(&id, &answer(&question, "Ada")).await.status, 202);
        stream.rest().await;
        assert_eq!(stream.events()[1]["result"]["content"][0]["text"], "true");
        questions.push(question);
        events.extend(stream.ids());
        let mut changes = Wire::get(&client, &id, None).await;
        changes.until("keep-alive").await;
        session.announcer().tools_changed();
        changes.until("list_changed").await;
        events.extend(changes.ids());
        drop(changes);
        tokio::time::sleep(Duration::from_millis(20)).await;
        let ping = request(0, "ping", json!({}));
        assert_eq!(client.legacy(&other, &ping).await.status, 200);
    }
    assert_eq!((questions.len(), events.len()), (3, 12));
    questions.sort_by_key(ToString::to_string);
    questions.dedup();
    events.sort();
    events.dedup();
    assert_eq!((questions.len(), events.len()), (3, 12));
}

#[tokio::test]
async fn who_takes_no_events_is_not_asked() {
    let ask = tool("roots", "For tests.", r#"{"type":"object"}"#).unwrap();
    let surface = StaticSurface::new().with(ask, |_, context| async move {
        assert!(!context.can_ask(&roots()));
        match context.ask("where", roots()).await {
            Ok(_) => ToolOutcome::text("answered"),
            Err(error) => ToolOutcome::text(error.to_string()),
        }
    });
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface.unwrap()).unwrap();
    let client = Client::of(&session);
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let id = client.initialize(version, json!({"roots": {}})).await;
        let headers = [("Mcp-Session-Id", id.as_str()), ("Accept", "application/json")];
        let whole = client.post(&headers, &call(1, "roots")).await.json();
        let batch = match version {
            "2025-03-26" => client.post(&headers, &json!([call(2, "roots")])).await.json(),
            _ => json!([whole]),
        };
        for answer in [&whole, &batch[0]] {
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("takes no questions"), "{text}");
        }
    }
    assert_eq!((session.calls_at_work(), host.remembered_clients()), (0, 0));
}

#[tokio::test]
async fn who_has_gone_is_not_asked() {
    let (told, gate) = (Arc::new(Mutex::new(Vec::new())), Arc::new(tokio::sync::Notify::new()));
    let started = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let ask = tool("late", "For tests.", r#"{"type":"object"}"#).unwrap();
    let own = (told.clone(), gate.clone(), started.clone());
    let surface = StaticSurface::new().with(ask, move |_, context| {
        let (told, gate, started) = own.clone();
        async move {
            started.fetch_add(1, Ordering::SeqCst);
            gate.notified().await;
            let answer = context.ask("where", roots()).await;
            told.lock().unwrap().push(answer.unwrap_err());
            ToolOutcome::text("done")
        }
    });
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface.unwrap()).unwrap();
    let client = Client::of(&session);
    let id = client.initialize("2025-06-18", json!({"roots": {}})).await;
    let stream = Wire::legacy(&client, &id, &call(1, "late")).await;
    let until = async |done: &dyn Fn() -> bool| {
        for _ in 0..1000 {
            if done() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("it does not come to pass");
    };
    until(&|| started.load(Ordering::SeqCst) == 1).await;
    drop(stream);
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.notify_one();
    until(&|| session.calls_at_work() == 0).await;
    assert_eq!(told.lock().unwrap()[..], [AskError::Gone]);
}
