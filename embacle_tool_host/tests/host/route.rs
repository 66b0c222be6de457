//! A surface behind a route: client, host, route, provider, and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use embacle_tool_host::{
    Address, HostConfig, Limits, RouteProvider, RouteSurface, StaticSurface, ToolHost, ToolOutcome,
    ToolSession, ToolSurface, tool,
};
use serde_json::json;

use crate::support::{Client, Seen, surface};

pub(crate) fn address() -> Address {
    Address::new(3, 1).unwrap()
}

/// Joins the two by a route that stands until what is returned is aborted.
pub(crate) fn join(surface: &RouteSurface, provider: &RouteProvider) -> tokio::task::AbortHandle {
    let (one, two) = tokio::io::duplex(1 << 16);
    let (surface, provider) = (surface.clone(), provider.clone());
    let task = tokio::spawn(async move {
        let (read, write) = tokio::io::split(one);
        let (theirs, ours) = tokio::io::split(two);
        tokio::select! {
            _ = surface.attach(read, write) => {}
            _ = provider.serve(theirs, ours) => {}
        }
    });
    task.abort_handle()
}

pub(crate) fn slow(runs: &Arc<AtomicUsize>) -> StaticSurface {
    let runs = runs.clone();
    let slow = tool("slow", "Takes a while.", r#"{"type":"object"}"#).unwrap();
    StaticSurface::new()
        .with(slow, move |arguments, _| {
            runs.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_millis(300)).await;
                ToolOutcome::text(arguments.as_str())
            }
        })
        .unwrap()
}

/// A client of a host whose tools are behind a route.
pub(crate) struct Routed {
    pub(crate) provider: RouteProvider,
    pub(crate) route: RouteSurface,
    pub(crate) client: Client,
    pub(crate) _host: ToolHost,
    pub(crate) _session: ToolSession,
}

impl Routed {
    pub(crate) async fn to(tools: StaticSurface) -> Self {
        let route = RouteSurface::new(address(), tools.list_tools().await);
        let host = ToolHost::bind(HostConfig::default()).await.unwrap();
        let session = host.open_session(route.clone()).unwrap();
        let provider = RouteProvider::new(tools, Limits::default());
        Self { provider, route, client: Client::of(&session), _host: host, _session: session }
    }
}

#[tokio::test]
async fn a_call_goes_all_the_way_and_back_to_the_byte() {
    let seen = Seen::default();
    let Routed { provider, route, client, _host, _session } = Routed::to(surface(&seen)).await;
    let _joined = join(&route, &provider);
    let arguments =
        r#"{"z":1.50,"a":[1E+2,-0,123456789012345678901234567890],"é":"\u0041\"","b":{}}"#;
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{arguments},"_meta":{meta}}}}}"#
    );
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    let response = client.send("POST", &headers, body).await;
    assert_eq!(response.json()["result"]["content"][0]["text"], arguments, "{response:?}");

    let params = json!({"name": "steps", "_meta": {"progressToken": "t"}});
    let events = client.modern("tools/call", params).await.events();
    assert_eq!(events.len(), 4);
    assert_eq!(
        (&events[1]["params"]["progress"], &events[1]["params"]["progressToken"]),
        (&json!(2), &json!("t"))
    );

    let either = client.modern("tools/call", json!({"name": "either"})).await.json();
    assert_eq!(either["result"]["structuredContent"], json!({"a": 1.0}));
    let panicked = client.modern("tools/call", json!({"name": "panic"})).await.json();
    assert_eq!(panicked["result"]["isError"], true, "{panicked}");
    let unknown = client.modern("tools/call", json!({"name": "no"})).await;
    assert_eq!(unknown.code(), -32602);
}

#[tokio::test]
async fn a_cancelled_call_stops_the_provider() {
    let seen = Seen::default();
    let Routed { provider, route, client, _host, _session } = Routed::to(surface(&seen)).await;
    let _joined = join(&route, &provider);
    let calling =
        tokio::spawn(async move { client.modern("tools/call", json!({"name": "hang"})).await });
    seen.until(|seen| seen.started() == 1).await;
    calling.abort();
    seen.until(|seen| seen.dropped() == 1).await;
    while provider.calls_at_work() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_call_that_a_cut_interrupts_runs_once() {
    let runs = Arc::new(AtomicUsize::new(0));
    let Routed { provider, route, client, _host, _session } = Routed::to(slow(&runs)).await;
    // It waits for a route, loses one while it runs and another after it is done.
    let calling = tokio::spawn(async move {
        client.modern("tools/call", json!({"name": "slow", "arguments": {"x": 1}})).await
    });
    for wait in [100, 20, 400] {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let joined = join(&route, &provider);
        tokio::time::sleep(Duration::from_millis(wait)).await;
        joined.abort();
    }
    let response = tokio::time::timeout(Duration::from_secs(5), calling).await.unwrap().unwrap();
    assert_eq!(response.json()["result"]["content"][0]["text"], r#"{"x":1}"#);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}
