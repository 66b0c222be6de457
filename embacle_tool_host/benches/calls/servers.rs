//! The servers that are measured, each in a process of its own with one thread.

use std::io::{BufRead, Write};

use axum::body::Bytes;
use embacle_tool_host::ir::Text;
use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome, serve_stdio, tool};

pub(crate) fn serve(arguments: &[String]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let number = |index: usize| arguments[index].parse::<usize>().expect("a number");
    match arguments[0].as_str() {
        "host" => runtime.block_on(host(number(1), number(2))),
        "floor" => runtime.block_on(floor()),
        "stdio" => runtime.block_on(async {
            serve_stdio(surface(number(1), number(2))).await.expect("the pipes hold");
        }),
        _ => echo(),
    }
}

fn surface(tools: usize, size: usize) -> StaticSurface {
    const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"What to say."},"n":{"type":"number","description":"How often."}},"required":["text"]}"#;
    let text: Text = "x".repeat(size).into();
    (0..tools).fold(StaticSurface::new(), |surface, index| {
        let text = text.clone();
        let tool = tool(&format!("tool_{index}"), "Says something.", SCHEMA).expect("a tool");
        let called = move |_, _| {
            let text = text.clone();
            async move { ToolOutcome::text(text) }
        };
        surface.with(tool, called).expect("a tool")
    })
}

async fn host(tools: usize, size: usize) {
    let host = ToolHost::bind(HostConfig::default()).await.expect("a port");
    let surface = surface(tools, size);
    let session = host.open_session(surface.clone()).expect("a session");
    println!("{}\n{}", host.url(), session.bearer().expect("a bearer"));
    let (sender, mut wanted) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines() {
            let _ = sender.send(());
        }
    });
    let mut sessions = Vec::new();
    while wanted.recv().await.is_some() {
        sessions.push(host.open_session(surface.clone()).expect("a session"));
        println!();
    }
    std::future::pending::<()>().await;
}

/// Reads each request, and answers with the same bytes always.
async fn floor() {
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).expect("an answer");
    let answer = Bytes::from(answer.trim_end().to_owned());
    let route = axum::routing::post(move |_: Bytes| {
        let answer = answer.clone();
        async move { ([("content-type", "application/json")], answer) }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp\n-", listener.local_addr().expect("an address"));
    let router = axum::Router::new().route("/mcp", route);
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.expect("the listener holds");
}

/// Every line back as it came.
fn echo() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        output.write_all(&line).and_then(|()| output.flush()).expect("the pipes hold");
        line.clear();
    }
}
