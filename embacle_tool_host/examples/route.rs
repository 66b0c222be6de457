//! Tools in another process: this one serves them, and starts itself once more as their provider.
//!
//! ```text
//! cargo run -p embacle_tool_host --example route
//! ```

use std::error::Error;
use std::process::Stdio;

use embacle_tool_host::{
    Address, HostConfig, RouteSurface, StaticSurface, ToolOutcome, ToolSurface, serve_lines,
    serve_route, tool,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
"#;

fn tools() -> Result<StaticSurface, Box<dyn Error>> {
    let whoami = tool("whoami", "Says which process it is.", r#"{"type":"object"}"#)?;
    let answer = || ToolOutcome::text(format!("process {}", std::process::id()));
    Ok(StaticSurface::new().with(whoami, move |_, _| async move { answer() })?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|argument| argument == "provider") {
        return Ok(serve_route(tokio::io::stdin(), tokio::io::stdout(), tools()?).await?);
    }
    let mut provider = Command::new(std::env::current_exe()?)
        .arg("provider")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let read = provider.stdout.take().ok_or("the provider's output")?;
    let write = provider.stdin.take().ok_or("the provider's input")?;

    let address = Address::new(1, 1).ok_or("an address")?;
    let surface = RouteSurface::new(address, tools()?.list_tools().await);
    let route = surface.clone();
    tokio::spawn(async move { route.attach(read, write).await });

    // The surface is like any other: here one client is served it, which calls the tool.
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    tokio::spawn(serve_lines(read, write, surface, HostConfig::default()));
    let (answers, mut calls) = tokio::io::split(client);
    calls.write_all(CALL).await?;
    let mut answer = String::new();
    BufReader::new(answers).read_line(&mut answer).await?;
    println!("process {} asked: {answer}", std::process::id());
    Ok(provider.kill().await?)
}
