//! The official SDK, serving what the host serves in `embacle_tool_host/benches/calls`: the tools
//! `tool_0` and on, each of which answers a text block of so many `x`. One thread, as the host has.
//!
//! `rmcp_server http TOOLS SIZE` prints its URL and a line for the bearer, which it has not;
//! `rmcp_server stdio TOOLS SIZE` speaks on standard input and output. As first words also:
//!
//! - `http-plain`, `stdio-plain`: written as the SDK's own documentation shows.
//! - `http-sessionless`: as `http`, but legacy clients get no session, which costs less.
//!
//! Clients of 2026-07-28 have no session with any of them.

#![forbid(unsafe_code)]

mod best;
mod plain;

use tokio::net::TcpListener;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, tools, size] = arguments.as_slice() else {
        panic!("expected a way to serve, a number of tools and a size");
    };
    let names = names(tools.parse().expect("a number of tools"));
    let text = "x".repeat(size.parse().expect("a size"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime.block_on(async {
        match way.as_str() {
            "http" => best::http(names, text, true).await,
            "http-sessionless" => best::http(names, text, false).await,
            "stdio" => best::stdio(names, text).await,
            "http-plain" => plain::http(names, text).await,
            "stdio-plain" => plain::stdio(names, text).await,
            _ => panic!("no way to serve: {way}"),
        }
    });
}

/// As static as those that the SDK's macros write, so that to clone one allocates nothing.
fn names(tools: usize) -> Vec<&'static str> {
    (0..tools).map(|index| &*format!("tool_{index}").leak()).collect()
}

/// A listener whose address has been told.
async fn listen() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp\n-", listener.local_addr().expect("an address"));
    listener
}
