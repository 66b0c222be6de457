//! A fixed list of tools, each a closure.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use protocol_droid_ir::{JsonObject, Schema};
use serde_json::Value;
use thiserror::Error;

use crate::context::CallContext;
use crate::list::fault;
use crate::outcome::{Failure, ToolOutcome};
use crate::surface::{McpToolDefinition, ToolSurface};

/// A [`ToolSurface`] with a fixed list of tools, each a closure. Cheap to clone.
///
/// ```
/// use embacle_tool_host::{StaticSurface, ToolOutcome, tool};
///
/// let surface = StaticSurface::new().with(
///     tool("greet", "Greets somebody.", r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?,
///     |arguments, _| async move {
///         let name = arguments.get("name").and_then(|name| name.parse::<String>().ok());
///         ToolOutcome::text(format!("Hello, {}!", name.as_deref().unwrap_or("world")))
///     },
/// )?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct StaticSurface {
    inner: Arc<Inner>,
}

#[derive(Clone, Default)]
struct Inner {
    tools: Vec<McpToolDefinition>,
    by_name: HashMap<String, Handler>,
}

type Handler = Arc<
    dyn Fn(JsonObject, CallContext) -> Pin<Box<dyn Future<Output = ToolOutcome> + Send>>
        + Send
        + Sync,
>;

/// Why a tool cannot be listed.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("tool {name:?}: {fault}")]
pub struct ToolError {
    /// The tool.
    pub name: String,
    /// What is wrong with it.
    pub fault: String,
}

/// A tool with a description for the model, and the JSON Schema of its arguments.
///
/// # Errors
/// When the schema is not one of objects.
pub fn tool(
    name: &str,
    description: &str,
    input_schema: &str,
) -> Result<McpToolDefinition, ToolError> {
    let schema = Schema::new(input_schema)
        .map_err(|error| ToolError { name: name.to_owned(), fault: error.to_string() })?;
    let mut tool = McpToolDefinition::new(name, schema);
    tool.description = Some(description.into());
    match fault(&tool) {
        None => Ok(tool),
        Some(fault) => Err(ToolError { name: name.to_owned(), fault: fault.to_owned() }),
    }
}

impl StaticSurface {
    /// No tools yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more tool, which gets the exact arguments and what belongs to the call.
    ///
    /// # Errors
    /// When another tool bears the name, or clients could not use the tool.
    pub fn with<F>(
        mut self,
        tool: McpToolDefinition,
        call: impl Fn(JsonObject, CallContext) -> F + Send + Sync + 'static,
    ) -> Result<Self, ToolError>
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        let name = tool.name.to_string();
        let inner = Arc::make_mut(&mut self.inner);
        let taken = inner.by_name.contains_key(&name).then_some("another tool bears the name");
        if let Some(fault) = fault(&tool).or(taken) {
            return Err(ToolError { name, fault: fault.to_owned() });
        }
        let handler = move |arguments, context| -> Pin<Box<dyn Future<Output = _> + Send>> {
            Box::pin(call(arguments, context))
        };
        inner.by_name.insert(name, Arc::new(handler));
        inner.tools.push(tool);
        Ok(self)
    }

    /// One more tool, with arguments of a type: their schema is made from it, and arguments that do
    /// not fit are answered with a tool error that the model can correct.
    ///
    /// # Errors
    /// As for [`with`](Self::with).
    #[cfg(feature = "schemars")]
    pub fn with_typed<T, F>(
        self,
        name: &str,
        description: &str,
        call: impl Fn(T, CallContext) -> F + Send + Sync + 'static,
    ) -> Result<Self, ToolError>
    where
        T: serde::de::DeserializeOwned + schemars::JsonSchema + Send,
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        let schema = schemars::schema_for!(T);
        let tool = tool(name, description, &schema.as_value().to_string())?;
        self.with(tool, move |arguments, context| {
            let called = arguments.parse::<T>().map(|arguments| call(arguments, context));
            async move {
                match called {
                    Ok(call) => call.await,
                    Err(error) => ToolOutcome::declined(format!("arguments: {error}")),
                }
            }
        })
    }
}

#[async_trait]
impl ToolSurface for StaticSurface {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        self.inner.tools.clone()
    }

    async fn call(&self, tool_name: &str, _arguments: &Value) -> ToolOutcome {
        Failure::Internal(format!("{tool_name} is called with its exact arguments")).into()
    }

    // Written out, since a handler's future is boxed already.
    fn call_exact<'a, 'b, 'c, 'd, 'e>(
        &'a self,
        tool_name: &'b str,
        arguments: &'c JsonObject,
        context: &'d CallContext,
    ) -> Pin<Box<dyn Future<Output = ToolOutcome> + Send + 'e>>
    where
        'a: 'e,
        'b: 'e,
        'c: 'e,
        'd: 'e,
    {
        match self.inner.by_name.get(tool_name) {
            Some(call) => call(arguments.clone(), context.clone()),
            None => {
                let failure = Failure::NotFound(format!("there is no tool {tool_name:?} here"));
                Box::pin(std::future::ready(failure.into()))
            }
        }
    }

    fn list_version(&self) -> Option<u64> {
        Some(0)
    }

    async fn has_tool(&self, tool_name: &str) -> bool {
        self.inner.by_name.contains_key(tool_name)
    }
}
