//! Log messages of a tool behind a route, and its questions.

use std::time::Duration;

use embacle_tool_host::ir::JsonText;
use embacle_tool_host::{
    CallContext, Limits, RouteProvider, StaticSurface, ToolOutcome, Value, tool,
};
use serde::Deserialize;
use serde_json::json;
use subc_protocol::{Body, Frame, FrameDecoder, FrameType};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::route::{Routed, address, join};
use crate::route_frames::{Consumer, call, soon, with_progress};
use crate::support::{Client, Response, Seen, request, surface};

/// Data whose spelling a value would lose.
const DATA: &str = r#"{"z":1.50,"a":[1E+2,-0,12345678901234567890123],"é":"\u0041\"","a":{}}"#;

/// `log` logs at three levels around a step, `flood` 3000 lines.
fn logging() -> StaticSurface {
    let any = |name: &str| tool(name, "Logs.", r#"{"type":"object"}"#).unwrap();
    StaticSurface::new()
        .with(any("log"), |_, context: CallContext| async move {
            context.log("debug", None, JsonText::new(r#""début""#).unwrap()).await;
            context.progress(1.0, None, None).await;
            context.log("warning", Some("a \"b\""), JsonText::new(DATA).unwrap()).await;
            context.log("emergency", Some("é"), JsonText::new("null").unwrap()).await;
            ToolOutcome::text("logged")
        })
        .unwrap()
        .with(any("flood"), |_, context: CallContext| async move {
            for line in 0..LINES {
                let data = format!(r#"{{"line":{line},"pad":"{}"}}"#, "x".repeat(200));
                context.log("info", None, JsonText::new(data).unwrap()).await;
            }
            ToolOutcome::text("logged")
        })
        .unwrap()
}

const LINES: usize = 3000;

async fn modern(client: &Client, name: &str, level: Option<&str>) -> Response {
    let meta = match level {
        Some(level) => json!({"io.modelcontextprotocol/logLevel": level, "progressToken": 1}),
        None => json!({}),
    };
    client.modern("tools/call", json!({"name": name, "_meta": meta})).await
}

/// The levels of the log messages of a stream.
fn levels(response: &Response) -> Vec<String> {
    let logs = response.events().into_iter().filter(|e| e["method"] == "notifications/message");
    logs.map(|log| log["params"]["level"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_modern_client_gets_the_messages_that_its_request_wants() {
    let Routed { provider, route, client, _host, _session } = Routed::to(logging()).await;
    let _joined = join(&route, &provider);
    let all = modern(&client, "log", Some("debug")).await;
    assert_eq!(levels(&all), ["debug", "warning", "emergency"]);
    let events = all.events();
    assert_eq!(events[1]["params"]["progress"], 1, "in order");
    assert_eq!(
        events[2]["params"],
        json!({"level": "warning", "logger": "a \"b\"", "data": serde_json::from_str::<Value>(DATA).unwrap()})
    );
    assert!(all.body.contains(&format!(r#""data":{DATA}"#)), "to the byte: {}", all.body);
    assert_eq!(events[3]["params"], json!({"level": "emergency", "logger": "é", "data": null}));
    assert_eq!(events[4]["result"]["content"][0]["text"], "logged");
    assert_eq!(levels(&modern(&client, "log", Some("error")).await), ["emergency"]);
    let silent = modern(&client, "log", None).await;
    assert_eq!(silent.json()["result"]["content"][0]["text"], "logged", "and nothing else");
}

#[tokio::test]
async fn a_client_with_a_handshake_gets_the_messages_that_its_session_wants() {
    let Routed { provider, route, client, _host, _session } = Routed::to(logging()).await;
    let _joined = join(&route, &provider);
    let id = client.initialize("2025-06-18", json!({})).await;
    let log = request(1, "tools/call", json!({"name": "log"}));
    let all = client.legacy(&id, &log).await;
    assert_eq!(levels(&all), ["debug", "warning", "emergency"]);
    assert!(all.body.contains(&format!(r#""data":{DATA}"#)), "to the byte: {}", all.body);
    for (level, expected) in [("error", &["emergency"][..]), ("warning", &["warning", "emergency"])]
    {
        let set = request(2, "logging/setLevel", json!({"level": level}));
        assert_eq!(client.legacy(&id, &set).await.json()["result"], json!({}));
        assert_eq!(levels(&client.legacy(&id, &log).await), expected);
    }
}

#[tokio::test]
async fn a_consumer_tells_a_log_message_from_progress() {
    #[derive(Deserialize)]
    struct Progress {
        progress: f64,
    }
    let provider = RouteProvider::new(logging(), Limits::default());
    let mut consumer = Consumer::new(&provider);
    let mut frames = vec![consumer.ask(1, with_progress("log", "c1")).await];
    for _ in 0..4 {
        frames.push(consumer.hear().await);
    }
    assert!(frames[..4].iter().all(|f| f.frame_type() == FrameType::Push && f.corr() == 1));
    let bodies: Vec<_> = frames.iter().map(|frame| frame.body().as_bytes()).collect();
    assert_eq!(bodies[0], r#"{"level":"debug","data":"début"}"#.as_bytes());
    assert_eq!(bodies[1], br#"{"progress":1.0}"#);
    let warning = format!(r#"{{"level":"warning","logger":"a \"b\"","data":{DATA}}}"#);
    assert_eq!(String::from_utf8_lossy(bodies[2]), warning);
    let progress = frames[..4].iter().map(|f| f.body().parse::<Progress>().ok());
    let progress: Vec<_> = progress.map(|p| p.map(|p| p.progress)).collect();
    assert_eq!(progress, [None, Some(1.0), None, None]);
    // Without a token there is no progress, and what is logged comes all the same.
    let first = consumer.ask(2, serde_json::to_vec(&call("log", "c2", "{}")).unwrap()).await;
    assert_eq!(first.body(), frames[0].body());
    assert_eq!(consumer.hear().await.body(), frames[2].body());
}

#[tokio::test]
async fn a_push_that_is_neither_is_passed_over() {
    let Routed { route, client, _host, _session, .. } = Routed::to(logging()).await;
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        route.attach(read, write).await
    });
    let calling = tokio::spawn(async move { modern(&client, "log", Some("debug")).await });
    let (mut decoder, mut buffer) = (FrameDecoder::new(), [0; 4096]);
    let asked = loop {
        let read = soon(ours.read(&mut buffer)).await.unwrap();
        decoder.push(&buffer[..read]);
        if let Some(frame) = decoder.next_frame().unwrap() {
            break frame;
        }
    };
    for body in [
        "nonsense",
        "[]",
        r#"{"level":"info"}"#,
        r#"{"level":7,"data":1}"#,
        r#"{"data":{"progress":1,"level":"info"}}"#,
        r#"{"kind":"newer","data":[]}"#,
        r#"{"data":{"level":"x"},"logger":null,"level":"notice","newer":1}"#,
        r#"{"level":"info","data":1,"progress":2}"#,
    ] {
        let push = Frame::push(address(), asked.corr(), Body::new(body).unwrap());
        ours.write_all(&push.build().encode()).await.unwrap();
    }
    let stray = Frame::push(address(), 77, Body::new(r#"{"level":"info","data":1}"#).unwrap());
    ours.write_all(&stray.build().encode()).await.unwrap();
    let result = Body::new(r#"{"content":[]}"#).unwrap();
    ours.write_all(&Frame::response(address(), asked.corr(), result).build().encode())
        .await
        .unwrap();
    let events = soon(calling).await.unwrap().events();
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(events[0]["params"], json!({"level": "notice", "data": {"level": "x"}}));
    assert_eq!(events[1]["method"], "notifications/progress");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_messages_comes_whole_and_in_order() {
    let Routed { provider, route, client, _host, _session } = Routed::to(logging()).await;
    let _joined = join(&route, &provider);
    let events = modern(&client, "flood", Some("info")).await.events();
    assert_eq!(events.len(), LINES + 1);
    for (line, event) in events[..LINES].iter().enumerate() {
        assert_eq!(event["params"]["data"]["line"], line);
    }
}

#[tokio::test]
async fn a_route_that_nobody_reads_from_holds_up_no_call() {
    let provider = RouteProvider::new(logging(), Limits::default());
    let mut deaf = Consumer::new(&provider);
    let flood = serde_json::to_vec(&call("flood", "c1", "{}")).unwrap();
    deaf.say(Frame::request(address(), 1, Body::new(flood.clone()).unwrap()).build()).await;
    let done = async {
        while provider.calls_at_work() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    soon(done).await;
    let mut other = Consumer::new(&provider);
    assert_eq!(other.ask(2, flood).await.frame_type(), FrameType::Response);
}

#[tokio::test]
async fn a_question_over_a_route_is_refused_in_both_eras() {
    const REFUSED: &str = "this tool asks its client, and there is none on this route";
    let seen = Seen::default();
    let Routed { provider, route, client, _host, _session } = Routed::to(surface(&seen)).await;
    let _joined = join(&route, &provider);
    // Both could be asked.
    let modern = modern(&client, "ask", None).await.json();
    let id = client.initialize("2025-11-25", json!({"elicitation": {}})).await;
    let ask = request(1, "tools/call", json!({"name": "ask"}));
    let legacy = client.legacy(&id, &ask).await.json();
    for answer in [modern, legacy] {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], REFUSED, "{answer}");
    }
}
