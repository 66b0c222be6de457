//! A host with one tool, and one call of it. With `--serve` it stays, for an agent to use.
//!
//! ```text
//! cargo run -p embacle_tool_host --example host -- --serve
//! ```

use std::error::Error;

use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome, ToolSession, tool};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let surface = StaticSurface::new().with(
        tool(
            "say",
            "Says it back.",
            r#"{"type":"object","properties":{"what":{"type":"string"}}}"#,
        )?,
        |arguments, _| async move { ToolOutcome::text(format!("you said {arguments}")) },
    )?;
    let host = ToolHost::bind(HostConfig::default()).await?;
    let session = host.open_session(surface)?;
    println!("{} {}", session.name(), session.url());
    if std::env::args().any(|argument| argument == "--serve") {
        println!("Authorization: Bearer {}", session.bearer().unwrap_or_default());
        std::future::pending::<()>().await;
    }
    println!("{}", ask(&session).await?);
    for call in session.calls() {
        println!("{}: {:?}", call.tool, call.outcome);
    }
    Ok(())
}

/// What an agent would do, by hand.
async fn ask(session: &ToolSession) -> Result<String, Box<dyn Error>> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"what":1.0},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let rest = session.url().strip_prefix("http://").ok_or("a URL")?;
    let (address, path) = rest.split_once('/').ok_or("a path")?;
    let bearer = session.bearer().ok_or("a bearer")?;
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {bearer}\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: say\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer.lines().last().unwrap_or_default().to_owned())
}
