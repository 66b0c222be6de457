//! Headers that repeat arguments: `Mcp-Param-*` and `Mcp-Name`.

use embacle_tool_host::ir::JsonText;
use embacle_tool_host::{
    HostConfig, McpToolDefinition, StaticSurface, ToolHost, ToolOutcome, ToolSurface, Value,
    async_trait, tool,
};
use serde_json::json;

use crate::support::{Client, modern};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},
    "n":{"type":"integer","x-mcp-header":"N"},
    "in":{"type":"object","properties":{"deep":{"type":"boolean","x-mcp-header":"Deep"}}},
    "free":{"type":"string"}}}"#;

/// The tool by the surface of closures.
fn kept() -> StaticSurface {
    let said = |arguments: embacle_tool_host::ir::JsonObject, _| async move {
        ToolOutcome::text(arguments.as_str())
    };
    let headed = tool("headed", "For tests.", SCHEMA).unwrap();
    let named = tool("größe", "For tests.", r#"{"type":"object"}"#).unwrap();
    StaticSurface::new().with(headed, said).unwrap().with(named, said).unwrap()
}

/// The same by a surface without a version.
struct Changing;

#[async_trait]
impl ToolSurface for Changing {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        kept().list_tools().await
    }

    async fn call(&self, _: &str, arguments: &Value) -> ToolOutcome {
        ToolOutcome::text(arguments.to_string())
    }
}

/// The answer to a call with these arguments to the byte: the status, and the code of the error or 0.
async fn called(client: &Client, arguments: &str, params: &[(&str, &str)]) -> (u16, i64) {
    const PLACE: &str = "\"arguments\":0";
    let body = modern("tools/call", json!({"name": "headed", "arguments": 0})).to_string();
    assert!(body.contains(PLACE));
    let body = body.replace(PLACE, &format!("\"arguments\":{arguments}"));
    let mut headers = vec![
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "headed"),
    ];
    headers.extend(params);
    let response = client.send("POST", &headers, body).await;
    let answer = response.json();
    if let Some(text) = answer["result"]["content"][0]["text"].as_str() {
        let same = |text: &str| JsonText::new(text).unwrap().parse::<Value>().unwrap();
        assert_eq!(same(text), same(arguments));
    }
    (response.status, answer["error"]["code"].as_i64().unwrap_or_default())
}

#[tokio::test]
async fn arguments_are_held_against_the_headers_that_repeat_them() {
    const R: &str = "Mcp-Param-Region";
    const N: &str = "Mcp-Param-N";
    const DEEP: &str = "Mcp-Param-Deep";
    const OK: (u16, i64) = (200, 0);
    const MISMATCH: (u16, i64) = (400, -32020);
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], (u16, i64));
    let rows: &[Row<'_>] = &[
        ("{}", &[], OK),
        (r#"{"free":"x"}"#, &[], OK),
        (r#"{"free":"x"}"#, &[("Mcp-Param-Other", "y")], OK),
        (r#"{"region":"eu"}"#, &[(R, "eu")], OK),
        (r#"{"region":"eu"}"#, &[("MCP-PARAM-REGION", "\teu ")], OK),
        (r#"{"\u0072egion":"\u0065u"}"#, &[(R, "eu")], OK),
        (r#"{"region":"größe"}"#, &[(R, "=?base64?Z3LDtsOfZQ==?=")], OK),
        (r#"{"region":"eu"}"#, &[(R, "=?base64?ZXU=?=")], OK),
        (r#"{"region":" eu"}"#, &[(R, "=?base64?IGV1?=")], OK),
        (r#"{"region":""}"#, &[(R, "")], OK),
        (r#"{"n":12}"#, &[(N, "12")], OK),
        (r#"{"n":12.0}"#, &[(N, "12")], OK),
        (r#"{"in":{"deep":true}}"#, &[(DEEP, "true")], OK),
        (
            r#"{"region":"eu","n":-1,"in":{"deep":false}}"#,
            &[(DEEP, "false"), (N, "-1"), (R, "eu")],
            OK,
        ),
        (r#"{"region":"eu"}"#, &[], MISMATCH),
        (r#"{"in":{"deep":true}}"#, &[], MISMATCH),
        (r#"{"in":{"deep":true}}"#, &[(DEEP, "false")], MISMATCH),
        (r#"{"in":{"deep":true}}"#, &[(DEEP, "True")], MISMATCH),
        ("{}", &[(R, "eu")], MISMATCH),
        (r#"{"in":{}}"#, &[(DEEP, "true")], MISMATCH),
        (r#"{"region":"us"}"#, &[(R, "eu")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "EU")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "eu"), (R, "us")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "eu"), (R, "eu")], MISMATCH),
        (r#"{"region":"größe"}"#, &[(R, "größe")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "=?base64?ZXU?=")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "=?base64?Z!XU=?=")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "=?base64?/w==?=")], MISMATCH),
        (r#"{"region":"eu"}"#, &[(R, "ZXU=")], MISMATCH),
        (r#"{"n":12}"#, &[(N, "13")], MISMATCH),
        (r#"{"n":9007199254740993}"#, &[(N, "9007199254740992")], MISMATCH),
        (r#"{"region":"eu","region":"us"}"#, &[(R, "eu")], (200, -32602)),
        (r#"{"region":"eu","region":"us"}"#, &[(R, "us")], (200, -32602)),
        (r#"{"region":"eu","\u0072egion":"us"}"#, &[(R, "eu")], (200, -32602)),
        (r#"{"in":{"deep":true,"deep":false}}"#, &[(DEEP, "true")], (200, -32602)),
        (r#"{"in":{"deep":true},"in":{}}"#, &[(DEEP, "true")], (200, -32602)),
    ];
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let sessions = [host.open_session(kept()).unwrap(), host.open_session(Changing).unwrap()];
    for session in &sessions {
        let client = Client::of(session);
        for (arguments, headers, expected) in rows {
            let found = called(&client, arguments, headers).await;
            assert_eq!(found, *expected, "{arguments} {headers:?}");
        }
    }
}

#[tokio::test]
async fn a_header_means_nothing_on_a_legacy_revision() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(kept()).unwrap();
    let client = Client::of(&session);
    let id = client.initialize("2025-11-25", json!({})).await;
    let mut call = crate::support::call(1, "headed");
    call["params"]["arguments"] = json!({"region": "eu"});
    for region in ["eu", "us"] {
        let headers = [("Mcp-Session-Id", id.as_str()), ("Mcp-Param-Region", region)];
        let called = client.post(&headers, &call).await.json();
        assert_eq!(called["result"]["content"][0]["text"], r#"{"region":"eu"}"#);
    }
}

#[tokio::test]
async fn a_name_beyond_ascii_is_repeated_encoded() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(kept()).unwrap();
    let client = Client::of(&session);
    let body = modern("tools/call", json!({"name": "größe"}));
    for (name, status) in
        [("=?base64?Z3LDtsOfZQ==?=", 200), ("größe", 400), ("=?base64?Z3LDtsOfZQ?=", 400)]
    {
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        let response = client.post(&headers, &body).await;
        assert_eq!(response.status, status, "{name} {response:?}");
        if status == 400 {
            assert_eq!(response.code(), -32020, "{name}");
        }
    }
}
