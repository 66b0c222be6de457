//! Hosts an application's tools for any client of any revision of the Model Context Protocol.

#![forbid(unsafe_code)]

mod announce;
mod ask;
mod calling;
mod calls;
mod config;
#[cfg(feature = "connect")]
mod connect;
#[cfg(feature = "connect")]
mod connect_headers;
#[cfg(feature = "connect")]
mod connect_link;
#[cfg(feature = "connect")]
mod connect_mend;
#[cfg(feature = "connect")]
mod connect_message;
#[cfg(feature = "connect")]
mod connect_reach;
#[cfg(feature = "connect")]
mod connect_stream;
#[cfg(feature = "tls")]
mod connect_tls;
mod context;
mod dispatch;
mod duplex;
mod emit;
mod engine;
mod host;
mod http;
mod keys;
mod lines;
mod list;
mod outcome;
mod outlet;
mod pages;
mod peer;
mod questions;
mod route;
mod route_call;
mod route_push;
mod route_surface;
mod served;
mod service;
mod session;
mod static_surface;
mod stdio;
mod subscription;
mod surface;
mod tool_call;
#[cfg(feature = "validation")]
mod validation;

pub use announce::Announcer;
pub use ask::{Answer, AskError, Question, form, form_of_json, roots, sample, url};
pub use async_trait::async_trait;
pub use calls::{CallOutcome, CallRecord};
pub use config::{HostConfig, Limits};
#[cfg(feature = "connect")]
pub use connect::{ConnectError, Remote, connect};
pub use context::CallContext;
pub use emit::{AgentConfig, write_private};
pub use host::{HostError, ToolHost};
pub use http::ResponseBody;
pub use keys::{Clock, Keys};
pub use outcome::{Failure, ToolOutcome};
pub use protocol_droid_ir as ir;
pub use route::{RouteProvider, serve_route};
pub use route_surface::RouteSurface;
pub use serde_json::{self, Value};
pub use service::Service;
pub use session::{Closed, ToolSession};
pub use static_surface::{StaticSurface, ToolError, tool};
pub use stdio::{serve_lines, serve_stdio};
pub use subc_protocol::{Address, CallId};
pub use surface::{Completer, McpToolDefinition, PromptSurface, ResourceSurface, ToolSurface};
