//! The body of an error frame.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::object::Object;

/// The body of an [`Error`](crate::FrameType::Error) frame.
///
/// Codes are open: a reader treats one it does not know as any other failure. Unknown members are
/// ignored, and a modelled member that comes twice is an error. A detail of `Some(Value::Null)`
/// reads back as `None`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, thiserror::Error)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schemars",
    schemars(!from, description = "The body of an error frame.")
)]
#[error("{code}: {message}")]
#[serde(from = "Object<Members>")]
pub struct ErrorBody {
    /// What failed, for programs.
    pub code: String,
    /// What failed, for people.
    pub message: String,
    /// More about it, in a shape that the code's owner defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

impl ErrorBody {
    /// An error without detail.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), detail: None }
    }
}

impl From<Object<Members>> for ErrorBody {
    fn from(Object(members): Object<Members>) -> Self {
        Self { code: members.code, message: members.message, detail: members.detail }
    }
}

/// The members of the body as they are read.
#[derive(Deserialize)]
struct Members {
    code: String,
    message: String,
    detail: Option<Value>,
}
