//! The server that the official conformance suite asks for, both eras from one process.
//!
//! ```text
//! cargo run -p embacle_tool_host --example conformance_server -- --port 8080
//! ```
//! With `--newest 2025-06-18` the offer ends there; with `--attached` the server ends with its input.

mod asking;
mod content;
mod surfaces;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};

use embacle_tool_host::ir::ProtocolVersion;
use embacle_tool_host::{HostConfig, Service, ToolHost};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut port, mut newest, mut attached) = (0, ProtocolVersion::LATEST, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("expected a value");
        match argument.as_str() {
            "--port" => port = value()?.parse()?,
            "--newest" => newest = value()?.parse()?,
            "--attached" => attached = true,
            other => return Err(format!("unknown argument {other:?}").into()),
        }
    }
    let mut versions = ProtocolVersion::ALL.to_vec();
    versions.retain(|version| *version <= newest);
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let host = ToolHost::bind(HostConfig { listen, versions, ..HostConfig::default() }).await?;
    let changes = surfaces::Changes::default();
    let service = Service::new("conformance", asking::tools(content::tools(&changes)?)?)
        .instructions("Tools, resources and prompts that the conformance suite asks for.")
        .resources(surfaces::Resources)
        .prompts(surfaces::Prompts)
        .completer(surfaces::Completions);
    let session = host.open_public(service)?;
    changes.announce_with(session.announcer());
    println!("{}", host.url());
    if !attached {
        std::future::pending::<()>().await;
    }
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await?;
    Ok(())
}
