//! How a call can end.

use protocol_droid_ir::error_data::{INTERNAL_ERROR, INVALID_PARAMS};
use protocol_droid_ir::{Content, ErrorObject, JsonText, Text, ToolResult};
use thiserror::Error;

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolOutcome {
    /// It worked.
    Succeeded(ToolResult),
    /// The tool ran and said no: the model reads why, and may do better.
    Declined(ToolResult),
    /// It could not be done.
    Failed(Failure),
}

impl ToolOutcome {
    /// Success with one text block.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Succeeded(ToolResult::text(text))
    }

    /// Success with content blocks.
    pub fn content(content: Vec<Content>) -> Self {
        Self::Succeeded(ToolResult::new(content))
    }

    /// Success with structured content, any JSON value, and the same as text for clients that do
    /// not read structured content.
    pub fn structured(structured: impl Into<JsonText>) -> Self {
        let structured = structured.into();
        let mut result = ToolResult::text(structured.as_str());
        result.structured_content = Some(structured);
        Self::Succeeded(result)
    }

    /// The tool says no; `reason` is for the model.
    pub fn declined(reason: impl Into<Text>) -> Self {
        Self::Declined(ToolResult::error(reason))
    }

    /// The tool broke; `reason` reaches the model as a tool error.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(Failure::Tool(reason.into()))
    }

    /// The word for records: `succeeded`, `declined` or `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Declined(_) => "declined",
            Self::Failed(_) => "failed",
        }
    }
}

impl From<ToolResult> for ToolOutcome {
    /// Declined if the result says that it is an error, else succeeded.
    fn from(result: ToolResult) -> Self {
        match result.is_error {
            Some(true) => Self::Declined(result),
            _ => Self::Succeeded(result),
        }
    }
}

impl From<Failure> for ToolOutcome {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl<E: Into<Failure>> From<Result<ToolResult, E>> for ToolOutcome {
    fn from(result: Result<ToolResult, E>) -> Self {
        result.map_or_else(|failure| Self::Failed(failure.into()), Self::from)
    }
}

/// Why something could not be done, and so what the client is told.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The parameters are wrong: JSON-RPC error -32602.
    #[error("{0}")]
    InvalidParams(String),
    /// There is no such thing: -32602, for a resource of a legacy revision -32002.
    #[error("{0}")]
    NotFound(String),
    /// Something broke that is nobody's business: -32603.
    #[error("{0}")]
    Internal(String),
    /// A tool broke, and the model should read how: a result with `isError`. Of anything but a
    /// tool it is -32603.
    #[error("{0}")]
    Tool(String),
    /// This very error.
    #[error("{}", .0.message)]
    Rpc(ErrorObject),
}

impl Failure {
    /// The JSON-RPC error that says so.
    pub(crate) fn into_error(self) -> ErrorObject {
        match self {
            Self::InvalidParams(reason) | Self::NotFound(reason) => {
                ErrorObject::new(INVALID_PARAMS, reason)
            }
            Self::Internal(reason) | Self::Tool(reason) => ErrorObject::new(INTERNAL_ERROR, reason),
            Self::Rpc(error) => error,
        }
    }
}
