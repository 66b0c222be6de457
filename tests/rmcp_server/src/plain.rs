//! The SDK as its documentation shows it: macros, the default configuration, axum, and a handler
//! that the factory makes for each session or, of 2026-07-28, for each request.

use std::sync::OnceLock;

use axum::serve::ListenerExt;
use rmcp::handler::server::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler};

/// The names and the text, which a server of a fixed number of tools has in its code.
static TOOLS: OnceLock<(Vec<&'static str>, String)> = OnceLock::new();

fn tools() -> &'static (Vec<&'static str>, String) {
    TOOLS.get().expect("set before anything is served")
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "the arguments are read, and not used")]
struct Say {
    /// What to say.
    text: String,
    /// How often.
    n: Option<f64>,
}

#[derive(Clone)]
struct Plain;

impl Plain {
    #[tool(description = "Says something.")]
    fn say(&self, Parameters(_): Parameters<Say>) -> String {
        tools().1.clone()
    }

    /// What `#[tool_router]` writes for as many tools; the macro counts them when it compiles.
    /// `#[tool_handler]` calls this wherever it wants the router, as it does by default.
    fn tool_router() -> ToolRouter<Self> {
        tools().0.iter().fold(ToolRouter::new(), |router, name| {
            let mut tool = Self::say_tool_attr();
            tool.name = (*name).into();
            router.with_route((tool, Self::say))
        })
    }
}

#[tool_handler]
impl ServerHandler for Plain {}

pub(crate) async fn stdio(names: Vec<&'static str>, text: String) {
    TOOLS.set((names, text)).expect("set once");
    let service = Plain.serve(rmcp::transport::stdio()).await.expect("a client");
    service.waiting().await.expect("the pipes hold");
}

pub(crate) async fn http(names: Vec<&'static str>, text: String) {
    TOOLS.set((names, text)).expect("set once");
    let service = StreamableHttpService::new(
        || Ok(Plain),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = crate::listen().await.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, router).await.expect("the listener holds");
}
