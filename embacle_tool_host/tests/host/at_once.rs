//! Calls that say something and answer without ever having waited.

use embacle_tool_host::ir::Text;
use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome, ToolSession, tool};
use serde_json::{Value, json};

use crate::support::{Client, call};

async fn hosted() -> (ToolHost, ToolSession) {
    let tool = tool("quick", "For tests.", r#"{"type":"object"}"#).unwrap();
    let surface = StaticSurface::new().with(tool, |_, context| async move {
        context.log("warning", None, &Text::from("careful")).await;
        context.release_stream().await;
        context.progress(1.0, None, None).await;
        ToolOutcome::text("done")
    });
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface.unwrap()).unwrap();
    (host, session)
}

fn meta() -> Value {
    json!({"progressToken": 7, "io.modelcontextprotocol/logLevel": "info"})
}

fn assert_all_is_said(messages: &[Value]) {
    let [log, progress, answer] = messages else { panic!("{messages:?}") };
    assert_eq!(log["params"]["data"], "careful");
    assert_eq!(progress["params"]["progress"], 1);
    assert_eq!(answer["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn what_was_said_comes_before_the_answer_of_2026_07_28() {
    let (_host, session) = hosted().await;
    let client = Client::of(&session);
    let params = json!({"name": "quick", "_meta": meta()});
    assert_all_is_said(&client.modern("tools/call", params).await.events());
    // Nothing to say, no stream.
    let silent = client.modern("tools/call", json!({"name": "quick"})).await;
    assert_eq!(silent.json()["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn what_was_said_comes_before_the_answer_of_a_session() {
    let (_host, session) = hosted().await;
    let client = Client::of(&session);
    let mut quick = call(1, "quick");
    quick["params"]["_meta"] = meta();
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let id = client.initialize(version, json!({})).await;
        assert_all_is_said(&client.legacy(&id, &quick).await.events());
        if version == "2025-03-26" {
            assert_all_is_said(&client.legacy(&id, &json!([quick])).await.events());
        }
        let headers = [("Mcp-Session-Id", id.as_str()), ("Accept", "application/json")];
        let whole = client.post(&headers, &quick).await.json();
        assert_eq!(whole["result"]["content"][0]["text"], "done");
    }
}
