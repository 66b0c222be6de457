//! A host, and the configuration by which a coding agent finds it.
//!
//! ```text
//! cargo run -p embacle_tool_host --example agent
//! ```

use std::error::Error;
use std::time::Duration;

use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome, tool, write_private};
use tokio::io::AsyncReadExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let schema = r#"{"type":"object","properties":{"what":{"type":"string"}}}"#;
    let say = tool("say", "Says it back.", schema)?;
    let surface = StaticSurface::new().with(say, |arguments, _| async move {
        ToolOutcome::text(format!("you said {arguments}"))
    })?;
    let host = ToolHost::bind(HostConfig::default()).await?;
    let session = host.open_session(surface)?;
    let file = std::env::temp_dir().join("droid-mcp.json");
    write_private(&file, &session.agent_config().claude_code().to_string())?;
    println!("claude --mcp-config {}\nEnter ends it.", file.display());
    tokio::io::stdin().read_u8().await.ok();
    println!("{:?}", session.close(Duration::from_secs(5)).await.calls);
    Ok(())
}
