//! The same tools on standard input and output, for agents that start their servers.
//!
//! ```text
//! cargo run -p embacle_tool_host --example stdio
//! ```

use std::error::Error;

use embacle_tool_host::{McpToolDefinition, ToolOutcome, ToolSurface, Value, async_trait, tool};

/// A surface of one's own: a gate that opens with the first call.
#[derive(Default)]
struct Interview {
    is_open: std::sync::atomic::AtomicBool,
}

#[async_trait]
impl ToolSurface for Interview {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        let is_open = self.is_open.load(std::sync::atomic::Ordering::SeqCst);
        let names: &[&str] = if is_open { &["next", "stop"] } else { &["start"] };
        let tool = |name: &&str| tool(name, "Goes on.", r#"{"type":"object"}"#).ok();
        names.iter().filter_map(tool).collect()
    }

    async fn call(&self, tool_name: &str, arguments: &Value) -> ToolOutcome {
        self.is_open.store(tool_name != "stop", std::sync::atomic::Ordering::SeqCst);
        ToolOutcome::text(format!("{tool_name} {arguments}"))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    embacle_tool_host::serve_stdio(Interview::default()).await?;
    Ok(())
}
