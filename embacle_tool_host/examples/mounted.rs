//! A host inside an axum application, with HTTP+SSE for the oldest clients, and tools whose arguments
//! are types.
//!
//! ```text
//! cargo run -p embacle_tool_host --features axum,schemars --example mounted
//! ```

use std::error::Error;

use axum::routing::get;
use embacle_tool_host::{HostConfig, StaticSurface, ToolHost, ToolOutcome};
use tokio::io::AsyncReadExt;

#[derive(schemars::JsonSchema, serde::Deserialize)]
struct Sum {
    /// The first number.
    a: f64,
    /// What is added to it.
    b: f64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let surface =
        StaticSurface::new().with_typed("add", "Adds two numbers.", |sum: Sum, _| async move {
            ToolOutcome::text((sum.a + sum.b).to_string())
        })?;
    let config = HostConfig { http_sse: true, ..HostConfig::default() };
    let host = ToolHost::unbound(config);
    let session = host.open_session(surface)?;
    let application = axum::Router::new().route("/", get(|| async { "the application" }));

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}{}", listener.local_addr()?, session.url());
    println!("{}", session.agent_config().at(url).vs_code());
    let (mut input, mut enter) = (tokio::io::stdin(), [0]);
    tokio::select! {
        served = axum::serve(listener, application.merge(host.router())) => served?,
        // Enter ends it, and so does the end of the input.
        read = input.read(&mut enter) => drop(read?),
    }
    host.shutdown(std::time::Duration::from_secs(5)).await;
    Ok(())
}
