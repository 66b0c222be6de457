//! The SDK at its cheapest: one handler with its tools made once, no router, no axum, and nothing
//! configured that a client can do without.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};

const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","description":"What to say."},"n":{"type":"number","description":"How often."}},"required":["text"]}"#;

struct Best {
    info: ServerConfig,
    list: Vec<Tool>,
    tools: HashMap<&'static str, Tool>,
    text: String,
}

impl Best {
    fn new(names: Vec<&'static str>, text: String) -> Arc<Self> {
        let schema: JsonObject = serde_json::from_str(SCHEMA).expect("an object");
        let schema = Arc::new(schema);
        let tool = |name: &&'static str| Tool::new(*name, "Says something.", Arc::clone(&schema));
        let list: Vec<Tool> = names.iter().map(tool).collect();
        let tools = names.into_iter().zip(list.iter().cloned()).collect();
        let info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        Arc::new(Self { info, list, tools, text })
    }
}

impl ServerHandler for Best {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.get(name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.tools.contains_key(&*request.name) {
            return Err(ErrorData::invalid_params("tool not found", None));
        }
        Ok(CallToolResult::success(vec![ContentBlock::text(self.text.clone())]).into())
    }
}

pub(crate) async fn stdio(names: Vec<&'static str>, text: String) {
    let service = Best::new(names, text).serve(stdio_pipes()).await.expect("a client");
    service.waiting().await.expect("the pipes hold");
}

pub(crate) async fn http(names: Vec<&'static str>, text: String, sessions: bool) {
    let handler = Best::new(names, text);
    // A call in a session is answered by an event stream, whatever `json_response` says.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(["127.0.0.1"])
        .with_legacy_session_mode(sessions)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None);
    let mut of_session = SessionConfig::default();
    of_session.sse_retry = None;
    let mut manager = LocalSessionManager::default();
    manager.session_config = of_session;
    let service =
        StreamableHttpService::new(move || Ok(Arc::clone(&handler)), Arc::new(manager), config);
    // Shared, since a clone of the service clones the configuration.
    let service = Arc::new(service);
    let listener = crate::listen().await;
    loop {
        let (stream, _) = listener.accept().await.expect("the listener holds");
        stream.set_nodelay(true).expect("a socket");
        let service = Arc::clone(&service);
        let answer = service_fn(move |request| {
            let service = Arc::clone(&service);
            async move { Ok::<_, Infallible>(service.handle(request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}
