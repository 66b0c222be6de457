//! JSON of an application over several lines, where a message is one.

use embacle_tool_host::ir::JsonText;
use embacle_tool_host::{
    CallContext, HostConfig, StaticSurface, ToolHost, ToolOutcome, serve_lines, tool,
};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::support::{Client, modern};

const DATA: &str = "{\r\n  \"a\": 1.50,\n  \"b\": \"x\\ny\"\n}";
const ONE_LINE: &str = r#"{  "a": 1.50,  "b": "x\ny"}"#;

fn surface() -> StaticSurface {
    let tool = tool("t", "Over several lines.", "{\n  \"type\": \"object\"\n}").unwrap();
    StaticSurface::new()
        .with(tool, |_, context: CallContext| async move {
            context.log("info", None, JsonText::new(DATA).unwrap()).await;
            ToolOutcome::structured(JsonText::new(DATA).unwrap())
        })
        .unwrap()
}

#[tokio::test]
async fn a_line_stays_one() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve_lines(read, write, surface(), HostConfig::default()));
    let (output, mut input) = tokio::io::split(ours);
    let mut output = BufReader::new(output).lines();
    let level = json!({"io.modelcontextprotocol/logLevel": "info"});
    let mut lines = Vec::new();
    for (request, count) in [
        (modern("tools/list", json!({})), 1),
        (modern("tools/call", json!({"name": "t", "_meta": level})), 2),
    ] {
        input.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        for _ in 0..count {
            lines.push(output.next_line().await.unwrap().unwrap());
        }
    }
    for (line, part) in lines.iter().zip([r#"{  "type": "object"}"#, ONE_LINE, ONE_LINE]) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
        assert!(line.contains(part), "{line}");
    }
}

#[tokio::test]
async fn an_event_stays_one() {
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(surface()).unwrap();
    let level = json!({"io.modelcontextprotocol/logLevel": "info"});
    let client = Client::of(&session);
    let streamed = client.modern("tools/call", json!({"name": "t", "_meta": level})).await;
    let events = streamed.events();
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["params"]["data"], json!({"a": 1.5, "b": "x\ny"}));
    assert_eq!(streamed.body.matches(ONE_LINE).count(), 2, "{}", streamed.body);
}
