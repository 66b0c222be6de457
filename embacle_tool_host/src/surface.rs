//! What an application implements: tools, and beside them resources, prompts and completion.

use std::sync::Arc;

use async_trait::async_trait;
use protocol_droid_ir::{
    Completion, CompletionArgument, CompletionReference, GetPromptResult, JsonObject, Prompt,
    Resource, ResourceContents, ResourceTemplate, Text,
};
use serde_json::Value;

use crate::context::CallContext;
use crate::list::fault;
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
    /// Arguments in which an object has a name twice, and those that a `Value` cannot be (half a
    /// surrogate pair, more than 127 levels, `1e400`), are refused before.
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
    /// request to list, and a call looks its tool up by [`has_tool`](Self::has_tool) or
    /// [`find_tool`](Self::find_tool).
    fn list_version(&self) -> Option<u64> {
        None
    }

    /// The tool of that name, if it is listed now.
    ///
    /// Asked without a [`list_version`](Self::list_version), for calls that are held against the
    /// tool's schemas: those of 2026-07-28 over HTTP that have arguments (some may have to be
    /// repeated in headers), all with the feature `validation`, and those whose results may have to
    /// be wrapped. Worth implementing where a look-up is cheaper than the list; the answer must be
    /// that of the list, which this asks unless it is implemented.
    async fn find_tool(&self, tool_name: &str) -> Option<McpToolDefinition> {
        let fits = |tool: &McpToolDefinition| tool.name == tool_name && fault(tool).is_none();
        self.list_tools().await.into_iter().find(fits)
    }

    /// Whether [`find_tool`](Self::find_tool) would find the tool, asked where that is all there is
    /// to know. Worth implementing where it is cheaper still.
    async fn has_tool(&self, tool_name: &str) -> bool {
        self.find_tool(tool_name).await.is_some()
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

    async fn find_tool(&self, tool_name: &str) -> Option<McpToolDefinition> {
        (**self).find_tool(tool_name).await
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
