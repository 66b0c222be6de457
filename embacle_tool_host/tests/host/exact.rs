//! Arguments that mean the same to whoever reads them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use embacle_tool_host::{
    HostConfig, Limits, McpToolDefinition, RouteProvider, StaticSurface, ToolHost, ToolOutcome,
    ToolSurface, Value, async_trait, form_of_json, tool,
};
use serde_json::json;

use crate::lines::Peer;
use crate::route_frames::Consumer;
use crate::support::{Client, NAME, Response};

const LIMITED: &str = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}"#;

/// `exact` gets the text of its arguments, `ask` asks for a name with them; both count their runs.
fn surface(runs: &Arc<AtomicUsize>) -> StaticSurface {
    let (exact, ask) = (runs.clone(), runs.clone());
    StaticSurface::new()
        .with(tool("exact", "For tests.", LIMITED).unwrap(), move |arguments, _| {
            exact.fetch_add(1, Ordering::SeqCst);
            async move { ToolOutcome::text(arguments.as_str()) }
        })
        .unwrap()
        .with(tool("ask", "Asks.", r#"{"type":"object"}"#).unwrap(), move |_, context| {
            let runs = ask.clone();
            async move {
                let answer = context.ask("who", form_of_json("Who?", NAME).unwrap()).await;
                runs.fetch_add(1, Ordering::SeqCst);
                ToolOutcome::text(answer.is_ok().to_string())
            }
        })
        .unwrap()
}

/// A call of 2026-07-28 with these arguments to the byte; `more` are members beside them.
fn message(name: &str, arguments: &str, more: &str) -> String {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments},{more}"_meta":{meta}}}}}"#
    )
}

async fn post(client: &Client, name: &str, arguments: &str, more: &str) -> Response {
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
    client.send("POST", &headers, message(name, arguments, more)).await
}

/// Arguments in which `n` is there twice.
const TWICE: [&str; 6] = [
    r#"{"n":1,"n":1}"#,
    r#"{"n":10,"n":3}"#,
    r#"{"n":3, "m":0, "\u006e" : 10}"#,
    r#"{"o":{"n":1,"n":2}}"#,
    r#"{"o":[[],[{"n":1},{"m":{},"n":1,"n":2}]]}"#,
    r#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":{},"k":1,"l":1,"n":1,"p":1,"q":1,"r":1,"s":1,"n":2}"#,
];

const ONCE: &str = r#"{"n":1,"o":{"n":"\"n\":"},"l":[{"n":1},{"n":1,"\\u006e":1}]}"#;

#[tokio::test]
async fn a_name_that_is_there_twice_is_refused_on_every_way_in() {
    let runs = Arc::default();
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface(&runs)).unwrap();
    let client = Client::of(&session);
    let mut lines = Peer::of(surface(&runs), HostConfig::default());
    lines.initialize_with("2025-11-25", json!({})).await;
    let mut legacy = Vec::new();
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        legacy.push(client.initialize(version, json!({})).await);
    }
    let old = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"exact","arguments":{arguments}}}}}"#
        )
    };
    let refused = |answer: Value| {
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert_eq!(answer["error"]["message"], r#"arguments: the name "n" is there twice"#);
    };
    for twice in TWICE {
        let modern = post(&client, "exact", twice, "").await;
        assert_eq!(modern.status, 200);
        refused(modern.json());
        for id in &legacy {
            let headers = [("Mcp-Session-Id", id.as_str())];
            refused(client.send("POST", &headers, old(twice)).await.json());
        }
        for line in [message("exact", twice, ""), old(twice)] {
            lines.say(line).await;
            refused(lines.hear().await);
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0, "nothing of it reaches a tool");
    let passed = post(&client, "exact", ONCE, "").await.json();
    assert_eq!(passed["result"]["content"][0]["text"], ONCE);
}

#[tokio::test]
async fn a_provider_refuses_a_name_that_is_there_twice() {
    let runs = Arc::default();
    let provider = RouteProvider::new(surface(&runs), Limits::default());
    let mut consumer = Consumer::new(&provider);
    for (corr, twice) in (1..).zip(TWICE) {
        let body =
            format!(r#"{{"name":"exact","tool_call_id":"call-{corr}","arguments":{twice}}}"#);
        let answer = consumer.ask(corr, body).await;
        let error: Value = answer.body().parse().unwrap();
        assert_eq!(error["code"], "bad_arguments", "{error}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[cfg(feature = "validation")]
#[tokio::test]
async fn what_cannot_be_checked_does_not_run() {
    let runs = Arc::default();
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface(&runs)).unwrap();
    let client = Client::of(&session);
    let deep = format!(r#"{{"n":10,"x":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    for arguments in [
        r#"{"n":10,"x":"\ud800"}"#,
        r#"{"n":10,"\udfff":1}"#,
        r#"{"n":10,"x":1e400}"#,
        r#"{"n":1e400}"#,
        &deep,
    ] {
        let response = post(&client, "exact", arguments, "").await;
        assert_eq!(response.code(), -32602, "{arguments}");
        assert!(response.body.contains("arguments: "), "{response:?}");
    }
    for arguments in [r#"{"n":10}"#, r#"{"n":1.5}"#, r#"{"n":10000000000000000000000000001}"#] {
        let response = post(&client, "exact", arguments, "").await.json();
        assert_eq!(response["result"]["isError"], true, "{arguments}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    assert_eq!(post(&client, "exact", r#"{"n":9}"#, "").await.status, 200);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_state_is_that_of_the_exact_arguments() {
    let runs = Arc::default();
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface(&runs)).unwrap();
    let client = Client::of(&session);
    let state = async |arguments: &str| {
        let asked = post(&client, "ask", arguments, "").await.json();
        let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
        format!(
            r#""requestState":"{state}","inputResponses":{{"who":{{"action":"accept","content":{{"name":"Ada"}}}}}},"#
        )
    };
    let one = state(r#"{"n":1,"o":{"a":1,"b":[1.0]}}"#).await;
    let long = state(r#"{"n":10000000000000000000000001}"#).await;
    for (state, other) in [
        (&one, r#"{"n":2,"n":1,"o":{"a":1,"b":[1]}}"#),
        (&one, r#"{"n":1,"o":{"a":2,"a":1,"b":[1]}}"#),
        (&one, r#"{"n":1,"o":{"a":1,"b":[1.0000000000000000000001]}}"#),
        (&long, r#"{"n":10000000000000000000000002}"#),
        (&long, r#"{"n":1e25}"#),
        (&long, "{}"),
    ] {
        assert_eq!(post(&client, "ask", other, state).await.code(), -32602, "{other}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    for (state, same) in [
        (&one, r#"{ "o": {"b": [1e0], "\u0061": 1}, "n": 1.0 }"#),
        (&long, r#"{"n":10000000000000000000000001.0}"#),
    ] {
        let done = post(&client, "ask", same, state).await.json();
        assert_eq!(done["result"]["content"][0]["text"], "true", "{same} {done}");
    }
}

/// A surface without a version that counts what it is asked.
#[derive(Default)]
struct Counting {
    lists: AtomicUsize,
    finds: AtomicUsize,
    looks: AtomicUsize,
}

impl Counting {
    fn take(&self) -> [usize; 3] {
        [&self.lists, &self.finds, &self.looks].map(|count| count.swap(0, Ordering::SeqCst))
    }

    fn listed() -> Vec<McpToolDefinition> {
        vec![tool("exact", "For tests.", LIMITED).unwrap()]
    }
}

#[async_trait]
impl ToolSurface for Counting {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        Self::listed()
    }

    async fn call(&self, _: &str, arguments: &Value) -> ToolOutcome {
        ToolOutcome::text(arguments.to_string())
    }

    async fn find_tool(&self, tool_name: &str) -> Option<McpToolDefinition> {
        self.finds.fetch_add(1, Ordering::SeqCst);
        Self::listed().into_iter().find(|tool| tool.name == tool_name)
    }

    async fn has_tool(&self, tool_name: &str) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst);
        tool_name == "exact"
    }
}

#[tokio::test]
async fn a_call_asks_for_its_tool_and_not_for_the_list() {
    let surface = Arc::new(Counting::default());
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface.clone()).unwrap();
    let client = Client::of(&session);
    let (look, find) = ([0, 0, 1], [0, 1, 0]);
    let least = if cfg!(feature = "validation") { find } else { look };
    let id = client.initialize("2025-11-25", json!({})).await;
    surface.take();
    for (arguments, asked) in [("{}", least), (r#"{"n":1}"#, find)] {
        let called = post(&client, "exact", arguments, "").await.json();
        assert_eq!(called["result"]["content"][0]["text"], arguments);
        assert_eq!(surface.take(), asked, "{arguments}");
    }
    let mut call = crate::support::call(1, "exact");
    call["params"]["arguments"] = json!({"n": 1});
    assert_eq!(client.legacy(&id, &call).await.json()["result"]["content"][0]["text"], "{\"n\":1}");
    assert_eq!(surface.take(), least);
    for name in ["other", "a b"] {
        assert_eq!(post(&client, name, r#"{"n":1}"#, "").await.code(), -32602);
    }
    assert_eq!(surface.take(), find, "no tool can have the second name");
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
    assert_eq!(surface.take(), [1, 0, 0]);
}
