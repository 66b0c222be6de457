//! What features add, and lists that are checked.

#[cfg(any(feature = "validation", feature = "schemars"))]
use embacle_tool_host::StaticSurface;
#[cfg(feature = "validation")]
use embacle_tool_host::tool;
use embacle_tool_host::{
    HostConfig, McpToolDefinition, ToolHost, ToolOutcome, ToolSurface, Value, async_trait,
};
use serde_json::json;

use crate::support::Client;

#[cfg(feature = "validation")]
#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":9},"far":{"$ref":"https://example.com/schema.json"}},"required":["n"]}"#;
    let near = schema.replace(r#","far":{"$ref":"https://example.com/schema.json"}"#, "");
    let echo = |name: &str, schema: &str| tool(name, "Says it back.", schema).unwrap();
    let surface =
        StaticSurface::new()
            .with(echo("near", &near), |arguments, _| async move {
                ToolOutcome::text(arguments.as_str())
            })
            .unwrap()
            .with(echo("far", schema), |arguments, _| async move {
                ToolOutcome::text(arguments.as_str())
            })
            .unwrap();
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface).unwrap();
    let client = Client::of(&session);
    let ask = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        client.modern("tools/call", params).await.json()["result"].clone()
    };
    assert_eq!(ask("near", json!({"n": 3})).await.get("isError"), None);
    for (wrong, place) in [
        (json!({}), "\"n\""),
        (json!({"n": 10}), "arguments/n"),
        (json!({"n": "3"}), "arguments/n"),
    ] {
        let result = ask("near", wrong.clone()).await;
        assert_eq!(result["isError"], true, "{wrong}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(place), "{text}");
    }
    // Nothing is fetched: a schema that refers elsewhere checks nothing.
    assert_eq!(ask("far", json!({})).await.get("isError"), None);
}

#[cfg(feature = "schemars")]
#[tokio::test]
async fn a_closure_takes_arguments_of_its_type() {
    #[derive(schemars::JsonSchema, serde::Deserialize)]
    struct Sum {
        /// The first.
        a: i64,
        /// The second.
        b: i64,
    }
    let surface = StaticSurface::new()
        .with_typed("sum", "Adds.", |sum: Sum, _| async move {
            ToolOutcome::text((sum.a + sum.b).to_string())
        })
        .unwrap();
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface).unwrap();
    let client = Client::of(&session);
    let listed = client.modern("tools/list", json!({})).await.json();
    let schema = &listed["result"]["tools"][0]["inputSchema"];
    assert_eq!(schema["properties"]["a"]["description"], "The first.");
    let sum =
        client.modern("tools/call", json!({"name": "sum", "arguments": {"a": 1, "b": 2}})).await;
    assert_eq!(sum.json()["result"]["content"][0]["text"], "3");
    let wrong = client.modern("tools/call", json!({"name": "sum", "arguments": {"a": 1}})).await;
    assert_eq!(wrong.json()["result"]["isError"], true);
}

#[cfg(feature = "axum")]
#[tokio::test]
async fn a_host_is_mounted_in_a_router() {
    let host = ToolHost::unbound(HostConfig::default());
    let seen = crate::support::Seen::default();
    let session = host.open_session(crate::support::surface(&seen)).unwrap();
    let router = axum::Router::new()
        .route("/health", axum::routing::get(async || "well"))
        .merge(host.router());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let client = Client { address, bearer: session.bearer().map(str::to_owned) };
    let echo = client.modern("tools/call", json!({"name": "echo"})).await.json();
    assert_eq!(echo["result"]["content"][0]["text"], "{}");
    let id = client.initialize("2025-06-18", json!({})).await;
    assert_eq!(client.legacy(&id, &crate::support::call(1, "echo")).await.status, 200);
    let health = client
        .raw((client.head("GET", "/health", &[("Connection", "close")]) + "\r\n").as_bytes())
        .await;
    assert_eq!((health.status, health.body.as_str()), (200, "well"));
    let stranger = client.post(&[("Host", "evil.example.com")], &json!({})).await;
    assert_eq!(stranger.status, 403);
}

/// A surface whose list has faults, and changes with each call.
#[derive(Default)]
struct Faulty(std::sync::atomic::AtomicUsize);

#[async_trait]
impl ToolSurface for Faulty {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        let schema = |text: &str| embacle_tool_host::ir::Schema::new(text).unwrap();
        let object = || schema(r#"{"type":"object"}"#);
        let mut tools = vec![
            McpToolDefinition::new("good", object()),
            McpToolDefinition::new("good", object()),
            McpToolDefinition::new("", object()),
            McpToolDefinition::new("a b", object()),
            McpToolDefinition::new("x".repeat(200), object()),
            McpToolDefinition::new("list", schema(r#"{"type":"array"}"#)),
        ];
        if self.0.load(std::sync::atomic::Ordering::SeqCst) > 0 {
            tools.push(McpToolDefinition::new("later", object()));
        }
        tools
    }

    async fn call(&self, tool_name: &str, _: &Value) -> ToolOutcome {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        ToolOutcome::text(tool_name)
    }
}

#[tokio::test]
async fn a_faulty_tool_costs_only_itself_and_a_gate_is_asked_each_time() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(Faulty::default()).unwrap();
    let client = Client::of(&session);
    let names = async || {
        let listed = client.modern("tools/list", json!({})).await.json();
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["good"]);
    assert_eq!(client.modern("tools/call", json!({"name": "later"})).await.code(), -32602);
    assert_eq!(client.modern("tools/call", json!({"name": "list"})).await.code(), -32602);
    assert_eq!(client.modern("tools/call", json!({"name": "good"})).await.status, 200);
    assert_eq!(names().await, ["good", "later"]);
    let later = client.modern("tools/call", json!({"name": "later"})).await.json();
    assert_eq!(later["result"]["content"][0]["text"], "later");
    let mut lines = crate::lines::Peer::of(Faulty::default(), HostConfig::default());
    lines.initialize_with("2025-11-25", json!({})).await;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let id = client.initialize(version, json!({})).await;
        for name in ["", "a b", &"x".repeat(200), "list", "nothing"] {
            let refused = client.legacy(&id, &crate::support::call(1, name)).await;
            assert_eq!(refused.code(), -32602, "{version} {name}");
            let refused = lines.ask(&crate::support::call(1, name)).await;
            assert_eq!(refused["error"]["code"], -32602, "{name}");
        }
        for name in ["good", "later"] {
            let called = client.legacy(&id, &crate::support::call(1, name)).await.json();
            assert_eq!(called["result"]["content"][0]["text"], name, "{version}");
        }
    }
}
