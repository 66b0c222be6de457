//! A server with something for everything that foreign clients are asked to see: on stdio with
//! `--stdio`, else over HTTP, with the URL and the bearer as its first lines, until input ends.
//! It offers the revisions that come after `--versions`, between commas, or all of them.

mod asking;
mod surfaces;
mod tools;

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use embacle_tool_host::ir::{Icon, Implementation};
use embacle_tool_host::{HostConfig, Service, ToolHost, serve_lines, serve_stdio};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().collect();
    let announcer = Arc::new(OnceLock::new());
    let mut server = Implementation::new("interop", "1");
    server.title = Some("Interop".into());
    server.icons = Some(vec![icon()]);
    let service = Service::new("interop", tools::tools(announcer.clone())?)
        .server(server)
        .instructions("Call who first.")
        .resources(surfaces::Resources)
        .prompts(surfaces::Prompts)
        .completer(surfaces::Completions);
    let _ = announcer.set(service.announcer());
    let named = arguments.iter().skip_while(|argument| *argument != "--versions").nth(1);
    let mut config = HostConfig { http_sse: true, ..HostConfig::default() };
    if let Some(named) = named {
        config.versions = named.split(',').map(str::parse).collect::<Result<_, _>>()?;
    }
    if arguments.iter().any(|argument| argument == "--stdio") {
        match named {
            None => serve_stdio(service).await?,
            Some(_) => {
                serve_lines(tokio::io::stdin(), tokio::io::stdout(), service, config).await?
            }
        }
        return Ok(());
    }
    let host = ToolHost::bind(config).await?;
    let session = host.open_session(service)?;
    println!("{}\n{}", session.url(), session.bearer().unwrap_or_default());
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop));
    ended.await?;
    host.shutdown(Duration::from_secs(1)).await;
    Ok(())
}

/// What clients since 2025-11-25 can show beside anything.
fn icon() -> Icon {
    Icon { src: "data:image/png;base64,aWNvbg==".into(), ..Icon::default() }
}
