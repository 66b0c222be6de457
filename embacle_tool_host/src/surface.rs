//! What an application implements: tools, and beside them resources, prompts and completion.

use std::sync::Arc;

use async_trait::async_trait;
use protocol_droid_ir::{
    Completion, CompletionArgument, CompletionReference, GetPromptResult, JsonObject, Prompt,
    Resource, ResourceContents, ResourceTemplate, Text,
};
use serde_json::Value;

use crate::context::CallContext;
use crate::outcome::{Failure, ToolOutcome};

/// A tool as it is listed: name, schemas, annotations.
pub type McpToolDefinition = protocol_droid_ir::Tool;

/// The tools of an application, asked anew for every request.
///
/// A tool that is not listed at the moment of a call is refused before the surface sees the call,
/// so that a list which depends on state (a role, a quota, a mode) is a gate that cannot be passed.
#[async_trait]
pub trait ToolSurface: Send + Sync {
    /// The tools there are now.
    async fn list_tools(&self) -> Vec<McpToolDefinition>;

    /// Calls a tool that is listed, with the arguments as a [`Value`]; `{}` if the client sent none.
    ///
    /// A `Value` keeps neither the order of members nor long numbers to the digit:
    /// [`call_exact`](Self::call_exact) gets the text as it was sent.
    async fn call(&self, tool_name: &str, arguments: &Value) -> ToolOutcome;

    /// Calls a tool that is listed, with the exact text of the arguments and what belongs to the
    /// call. Implement this one to tell of progress, to log or to ask the client.
    async fn call_exact(
        &self,
        tool_name: &str,
        arguments: &JsonObject,
        context: &CallContext,
    ) -> ToolOutcome {
        let _ = context;
        match arguments.parse::<Value>() {
            Ok(arguments) => self.call(tool_name, &arguments).await,
            Err(error) => Failure::InvalidParams(format!("arguments: {error}")).into(),
        }
    }

    /// A number that changes whenever what [`list_tools`](Self::list_tools) would return changes.
    ///
    /// With a number the list is asked for and encoded once a change; without (`None`) on every
    /// request that needs it.
    fn list_version(&self) -> Option<u64> {
        None
    }

    /// Whether `tool_name` is listed now. Worth implementing where a look-up is cheaper than the
    /// list and there is no [`list_version`](Self::list_version).
    async fn has_tool(&self, tool_name: &str) -> bool {
        self.list_tools().await.iter().any(|tool| tool.name == tool_name)
    }
}

#[async_trait]
impl<S: ToolSurface + ?Sized> ToolSurface for Arc<S> {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        (**self).list_tools().await
    }

    async fn call(&self, tool_name: &str, arguments: &Value) -> ToolOutcome {
        (**self).call(tool_name, arguments).await
    }

    async fn call_exact(
        &self,
        tool_name: &str,
        arguments: &JsonObject,
        context: &CallContext,
    ) -> ToolOutcome {
        (**self).call_exact(tool_name, arguments, context).await
    }

    fn list_version(&self) -> Option<u64> {
        (**self).list_version()
    }

    async fn has_tool(&self, tool_name: &str) -> bool {
        (**self).has_tool(tool_name).await
    }
}

/// Resources that clients may list, read and watch.
#[async_trait]
pub trait ResourceSurface: Send + Sync {
    /// The resources there are now.
    async fn list_resources(&self) -> Vec<Resource>;

    /// The templates of resources there are now.
    async fn list_templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// [`Failure::NotFound`] for a URI that there is not; any other failure as it is.
    async fn read(
        &self,
        uri: &str,
        context: &CallContext,
    ) -> Result<Vec<ResourceContents>, Failure>;
}

/// Prompts that clients may list and get.
#[async_trait]
pub trait PromptSurface: Send + Sync {
    /// The prompts there are now.
    async fn list_prompts(&self) -> Vec<Prompt>;

    /// Gets a prompt that is listed, with its arguments in the order sent; those that the list
    /// says are required are there.
    ///
    /// # Errors
    /// Whatever stands in the way.
    async fn get(
        &self,
        name: &str,
        arguments: &[(Text, Text)],
        context: &CallContext,
    ) -> Result<GetPromptResult, Failure>;
}

/// Completes the arguments of prompts and resource templates.
#[async_trait]
pub trait Completer: Send + Sync {
    /// The values that `argument` could take; `resolved` are arguments already known (since
    /// 2025-06-18). What is beyond 100 values is cut off for clients.
    ///
    /// # Errors
    /// Whatever stands in the way.
    async fn complete(
        &self,
        reference: &CompletionReference,
        argument: &CompletionArgument,
        resolved: &[(Text, Text)],
    ) -> Result<Completion, Failure>;
}
