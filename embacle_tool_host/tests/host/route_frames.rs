//! Routes by hand: what the provider and the surface make of each frame.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use embacle_tool_host::{
    CallContext, Limits, McpToolDefinition, RouteProvider, RouteSurface, StaticSurface,
    ToolOutcome, ToolSurface, Value, async_trait, serve_route, tool,
};
use serde_json::json;
use subc_protocol::{Address, Body, ErrorBody, Frame, FrameDecoder, FrameType, RawToolCallRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::route::{address, slow};
use crate::support::{Seen, surface};

/// A consumer by hand.
pub(crate) struct Consumer {
    stream: DuplexStream,
    decoder: FrameDecoder,
}

impl Consumer {
    pub(crate) fn new(provider: &RouteProvider) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let provider = provider.clone();
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            provider.serve(read, write).await
        });
        Self { stream: ours, decoder: FrameDecoder::new() }
    }

    async fn say(&mut self, frame: Frame) {
        self.stream.write_all(&frame.encode()).await.unwrap();
    }

    async fn hear(&mut self) -> Frame {
        let mut buffer = [0; 4096];
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                return frame;
            }
            let read = tokio::time::timeout(Duration::from_secs(5), self.stream.read(&mut buffer));
            let read = read.await.unwrap().unwrap();
            assert!(read > 0, "the route stands");
            self.decoder.push(&buffer[..read]);
        }
    }

    pub(crate) async fn ask(&mut self, corr: u64, body: impl Into<Vec<u8>>) -> Frame {
        let body = Body::new(body.into()).unwrap();
        self.say(Frame::request(address(), corr, body).build()).await;
        self.hear().await
    }
}

fn call(name: &str, id: &str, arguments: &str) -> RawToolCallRequest {
    let arguments = serde_json::value::RawValue::from_string(arguments.to_owned()).unwrap();
    let mut request = RawToolCallRequest::new(name, arguments);
    request.tool_call_id = Some(id.to_owned());
    request
}

fn with_progress(name: &str, id: &str) -> Vec<u8> {
    let mut request = call(name, id, "{}");
    request.progress_token = Some(serde_json::value::to_raw_value("t").unwrap());
    serde_json::to_vec(&request).unwrap()
}

fn request(id: &str) -> Vec<u8> {
    serde_json::to_vec(&call("slow", id, "{\"n\":1.0}")).unwrap()
}

async fn soon<T>(done: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(5), done).await.unwrap()
}

#[tokio::test]
async fn a_repeated_id_is_answered_from_memory() {
    let runs = Arc::new(AtomicUsize::new(0));
    let provider = RouteProvider::new(slow(&runs), Limits::default());
    let mut first = Consumer::new(&provider);
    let answer = first.ask(1, request("c1")).await;
    assert_eq!(answer.frame_type(), FrameType::Response);
    let result: serde_json::Value = answer.body().parse().unwrap();
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["content"][0]["text"], r#"{"n":1.0}"#);
    drop(first);
    let mut second = Consumer::new(&provider);
    assert_eq!(second.ask(9, request("c1")).await.body(), answer.body());
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    second.ask(10, request("c2")).await;
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_is_no_request_is_an_error_and_the_route_stands() {
    let provider = RouteProvider::new(slow(&Arc::default()), Limits::default());
    let mut consumer = Consumer::new(&provider);
    for (body, code) in [
        ("nonsense", "bad_request"),
        (r#"{"name":"","arguments":{}}"#, "bad_request"),
        (r#"{"name":"slow","arguments":[]}"#, "bad_request"),
        (r#"{"name":"other","arguments":{}}"#, "unknown_tool"),
    ] {
        let answer = consumer.ask(1, body).await;
        assert_eq!(answer.frame_type(), FrameType::Error, "{body}");
        assert_eq!(answer.body().parse::<ErrorBody>().unwrap().code, code, "{body}");
    }
    consumer.say(Frame::cancel(address(), 77).build()).await;
    consumer.say(Frame::ping(Address::Control, 5).build()).await;
    assert_eq!(consumer.hear().await.frame_type(), FrameType::Pong);
}

#[tokio::test]
async fn an_id_is_that_of_one_call_and_of_no_other() {
    let runs = Arc::new(AtomicUsize::new(0));
    let provider = RouteProvider::new(slow(&runs), Limits::default());
    let mut consumer = Consumer::new(&provider);
    let other = serde_json::to_vec(&call("slow", "c1", "{\"n\":1}")).unwrap();
    // While it runs, and when it is done.
    consumer.say(Frame::request(address(), 1, Body::new(request("c1")).unwrap()).build()).await;
    for _ in 0..2 {
        let answer = consumer.ask(2, other.clone()).await;
        assert_eq!(answer.corr(), 2);
        assert_eq!(answer.body().parse::<ErrorBody>().unwrap().code, "id_reused");
        while provider.calls_at_work() > 0 {
            assert_eq!(soon(consumer.hear()).await.corr(), 1);
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// Lists its tool when it is told to.
struct Late(Arc<AtomicBool>);

#[async_trait]
impl ToolSurface for Late {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        match self.0.load(Ordering::SeqCst) {
            true => vec![tool("slow", "Late.", r#"{"type":"object"}"#).unwrap()],
            false => Vec::new(),
        }
    }

    async fn call(&self, _: &str, _: &Value) -> ToolOutcome {
        ToolOutcome::text("late")
    }
}

#[tokio::test]
async fn a_refused_call_may_be_repeated() {
    let listed = Arc::new(AtomicBool::new(false));
    let provider = RouteProvider::new(Late(listed.clone()), Limits::default());
    let mut consumer = Consumer::new(&provider);
    let refused = consumer.ask(1, request("c1")).await;
    assert_eq!(refused.body().parse::<ErrorBody>().unwrap().code, "unknown_tool");
    listed.store(true, Ordering::SeqCst);
    assert_eq!(consumer.ask(2, request("c1")).await.frame_type(), FrameType::Response);
}

/// Tells of a hundred steps at once, and of one more a little later.
fn stepping() -> StaticSurface {
    let steps = tool("steps", "Steps.", r#"{"type":"object"}"#).unwrap();
    StaticSurface::new()
        .with(steps, |_, context: CallContext| async move {
            for step in 1..=100 {
                context.progress(f64::from(step), None, None).await;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            context.progress(101.0, Some(101.0), Some("last")).await;
            ToolOutcome::text("stepped")
        })
        .unwrap()
}

#[tokio::test]
async fn progress_comes_in_order_and_to_whoever_asked_last() {
    let provider = RouteProvider::new(stepping(), Limits::default());
    let mut first = Consumer::new(&provider);
    let mut push = first.ask(1, with_progress("steps", "c1")).await;
    for step in 1..=100 {
        assert_eq!(push.frame_type(), FrameType::Push);
        assert_eq!(push.body().parse::<Value>().unwrap(), json!({"progress": f64::from(step)}));
        if step < 100 {
            push = first.hear().await;
        }
    }
    drop(first);
    let mut second = Consumer::new(&provider);
    let push = second.ask(7, with_progress("steps", "c1")).await;
    let expected = json!({"progress": 101.0, "total": 101.0, "message": "last"});
    assert_eq!((push.corr(), push.body().parse::<Value>().unwrap()), (7, expected));
    assert_eq!(second.hear().await.frame_type(), FrameType::Response);
}

#[tokio::test]
async fn a_route_ends_though_calls_are_at_work() {
    let seen = Seen::default();
    for goodbye in [true, false] {
        let (mut ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let served = tokio::spawn(serve_route(read, write, surface(&seen)));
        let started = seen.started();
        let body = Body::json(&call("hang", "c1", "{}")).unwrap();
        ours.write_all(&Frame::request(address(), 1, body).build().encode()).await.unwrap();
        seen.until(|seen| seen.started() == started + 1).await;
        match goodbye {
            true => ours.write_all(&Frame::goodbye(address(), 2).build().encode()).await.unwrap(),
            false => drop(ours),
        }
        soon(served).await.unwrap().unwrap();
        seen.until(|seen| seen.dropped() == started + 1).await;
    }
}

#[tokio::test]
async fn what_is_no_frame_ends_the_route_with_an_error() {
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let served = tokio::spawn(serve_route(read, write, surface(&Seen::default())));
    ours.write_all(&[0xff; 64]).await.unwrap();
    assert!(soon(served).await.unwrap().is_err());
}

#[tokio::test]
async fn a_provider_that_says_goodbye_is_left() {
    let route = RouteSurface::new(address(), Vec::new());
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let attached = tokio::spawn(async move {
        let (read, write) = tokio::io::split(theirs);
        route.attach(read, write).await
    });
    ours.write_all(&Frame::goodbye(address(), 1).build().encode()).await.unwrap();
    soon(attached).await.unwrap().unwrap();
    let mut rest = Vec::new();
    soon(ours.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"", "and the stream is closed");
}
