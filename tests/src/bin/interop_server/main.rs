//! A server with something for everything that foreign clients are asked to see: on stdio with
//! `--stdio`, else over HTTP, with the URL and the bearer as its first lines, until input ends.

mod surfaces;
mod tools;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use embacle_tool_host::{HostConfig, Service, ToolHost, serve_stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let announcer = Arc::new(OnceLock::new());
    let service = Service::new("interop", tools::tools(announcer.clone())?)
        .resources(surfaces::Resources)
        .prompts(surfaces::Prompts)
        .completer(surfaces::Completions);
    let _ = announcer.set(service.announcer());
    if std::env::args().any(|argument| argument == "--stdio") {
        serve_stdio(service).await?;
        return Ok(());
    }
    let config = HostConfig { http_sse: true, ..HostConfig::default() };
    let host = ToolHost::bind(config).await?;
    let session = host.open_session(service)?;
    println!("{}\n{}", session.url(), session.bearer().unwrap_or_default());
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop));
    ended.await?;
    host.shutdown(Duration::from_secs(1)).await;
    Ok(())
}
