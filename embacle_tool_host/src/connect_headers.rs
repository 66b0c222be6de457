//! What the headers of a request to an endpoint say, and where that is learned.

use http::{HeaderMap, HeaderName, HeaderValue};
use protocol_droid_ir::{JsonObject, Schema};

use crate::connect_link::{Link, Session};
use crate::connect_message::{Head, encoded, items};
use crate::context::lock;
use crate::engine::headers::{SESSION_HEADER, VERSION_HEADER, argument_text, mirrored_params};

impl Link {
    /// Learns what later requests need: the version agreed on, the headers of tools.
    pub(crate) fn learn(&self, head: Option<&Head>, result: &JsonObject) {
        match head.and_then(|head| head.method.as_deref()) {
            Some("initialize") => {
                let version = result.get("protocolVersion").and_then(|v| v.parse::<String>().ok());
                let version = version.and_then(|version| HeaderValue::try_from(version).ok());
                lock(&self.session).version = version;
            }
            Some("tools/list") => {
                let tools: Vec<_> = result.get("tools").map(items).unwrap_or_default();
                let mut known = lock(&self.tools);
                for tool in tools {
                    let name = tool.get("name").and_then(|name| name.parse::<String>().ok());
                    let schema = tool.get("inputSchema");
                    let schema = schema.and_then(|schema| Schema::new(schema.as_str()).ok());
                    if let (Some(name), Some(schema)) = (name, schema) {
                        known.insert(name, mirrored_params(&schema));
                    }
                }
            }
            _ => {}
        }
    }

    /// Says of which session a request is.
    pub(crate) fn identify(&self, headers: &mut HeaderMap) {
        let Session { id, version } = lock(&self.session).clone();
        for (name, value) in [(SESSION_HEADER, id), (VERSION_HEADER, version)] {
            if let Some(value) = value {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }

    /// Repeats in headers what a request of 2026-07-28 says.
    pub(crate) fn repeat(&self, head: &Head, headers: &mut HeaderMap) {
        let mut insert = |name: &str, value: &str| {
            let name = HeaderName::try_from(name).ok();
            if let (Some(name), Some(value)) = (name, encoded(value)) {
                headers.insert(name, value);
            }
        };
        insert(VERSION_HEADER, head.modern.as_deref().unwrap_or_default());
        let method = head.method.as_deref().unwrap_or_default();
        insert("mcp-method", method);
        let member = match method {
            "tools/call" | "prompts/get" => Some("name"),
            "resources/read" => Some("uri"),
            "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
            _ => None,
        };
        let name = member.and_then(|member| head.param(member));
        if let Some(name) = &name {
            insert("mcp-name", name);
        }
        if method == "tools/call"
            && let Some(params) = lock(&self.tools).get(name.as_deref().unwrap_or_default())
        {
            let arguments = head.params.as_ref().and_then(|params| params.get("arguments"));
            let arguments = arguments.and_then(|arguments| JsonObject::try_from(arguments).ok());
            for param in params {
                if let Some(value) = argument_text(arguments.as_ref(), param) {
                    insert(&param.header, &value);
                }
            }
        }
    }
}
