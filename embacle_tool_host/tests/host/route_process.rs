//! A route to a provider in a process of its own.

use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use embacle_tool_host::{
    HostConfig, Limits, RouteProvider, RouteSurface, StaticSurface, ToolHost, ToolOutcome,
    ToolSurface, tool,
};
use tokio::net::{UnixListener, UnixStream};

use crate::route::address;
use crate::support::Client;

const SOCKET: &str = "ROUTE_PROCESS_SOCKET";

/// Says its arguments and how often it ran, after a while.
fn tools() -> StaticSurface {
    let runs = Arc::new(AtomicUsize::new(0));
    let slow = tool("slow", "Takes a while.", r#"{"type":"object"}"#).unwrap();
    let called = move |arguments: embacle_tool_host::ir::JsonObject, _| {
        let run = runs.fetch_add(1, SeqCst) + 1;
        async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            ToolOutcome::text(format!("{} {run} {arguments}", std::process::id()))
        }
    };
    StaticSurface::new().with(slow, called).unwrap()
}

#[tokio::test]
#[ignore = "the provider of the test below, which starts it"]
async fn provider() {
    let Ok(socket) = std::env::var(SOCKET) else { return };
    let provider = RouteProvider::new(tools(), Limits::default());
    while let Ok(stream) = UnixStream::connect(&socket).await {
        let (read, write) = stream.into_split();
        let _ = provider.serve(read, write).await;
    }
}

/// The other process, killed in the end.
struct Provider(Child);

impl Provider {
    fn start(socket: &std::path::Path) -> Self {
        let own = std::env::current_exe().unwrap();
        let child = Command::new(own)
            .args(["--exact", "route_process::provider", "--ignored"])
            .env(SOCKET, socket)
            .stdout(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_call_goes_to_another_process_and_runs_there_once_whatever_is_cut() {
    let folder = std::env::temp_dir().join(format!("route-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let socket = folder.join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let provider = Provider::start(&socket);

    let route = RouteSurface::new(address(), tools().list_tools().await);
    let host = ToolHost::bind(HostConfig::default()).await.unwrap();
    let session = host.open_session(route.clone()).unwrap();
    let client = Client::of(&session);
    let arguments = r#"{"z":1.50,"a":[1E+2,-0,123456789012345678901234567890],"é":"\u0041\""}"#;
    let calling = tokio::spawn(async move {
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"slow","arguments":{arguments},"_meta":{meta}}}}}"#
        );
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "slow"),
        ];
        client.send("POST", &headers, body).await
    });
    // Twice it is cut off at work; the third route brings the answer, from the fence.
    for wait in [60, 20, 5000] {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, write) = stream.into_split();
        let attached = route.attach(read, write);
        let over = async {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        };
        tokio::select! {
            _ = attached => {}
            () = over => {}
            () = async { while !calling.is_finished() { tokio::time::sleep(Duration::from_millis(5)).await } } => break,
        }
    }
    let response = calling.await.unwrap();
    let text = format!("{} 1 {arguments}", provider.0.id());
    assert_eq!(response.json()["result"]["content"][0]["text"], text, "{response:?}");
    std::fs::remove_dir_all(folder).unwrap();
}
