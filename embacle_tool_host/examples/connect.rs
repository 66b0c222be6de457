//! An endpoint over HTTP as a server on stdio, as `droid connect` does it.
//!
//! ```text
//! cargo run -p embacle_tool_host --features connect --example connect
//! ```

use std::error::Error;

use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome, connect, tool};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let nod = tool("nod", "Agrees.", r#"{"type":"object"}"#)?;
    let tools = StaticSurface::new().with(nod, |_, _| async { ToolOutcome::text("yes") })?;
    let host = ToolHost::bind(HostConfig::default()).await?;
    let session = host.open_session(tools)?;

    // What an agent holds of the command that it starts: its input and its output.
    let (agent, command) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(command);
    let serving = connect(session.url(), session.bearer(), read, write);
    let asking = async move {
        let (answers, mut requests) = tokio::io::split(agent);
        requests.write_all(INITIALIZE).await?;
        let mut answer = String::new();
        BufReader::new(answers).read_line(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    let (served, answer) = tokio::join!(serving, asking);
    served?;
    print!("{}", answer?);
    Ok(())
}
