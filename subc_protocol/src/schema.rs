//! JSON Schemas of the bodies.

use schemars::{Schema, schema_for};

use crate::{ErrorBody, ToolCallRequest};

/// The schemas of all bodies, each with its name: the stem of the file it is written to.
///
/// They describe what decodes: unknown members are allowed, and the arguments may be any value,
/// as only [`ToolCallRequest::validate`] asks for an object.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("error_body", schema_for!(ErrorBody)),
        ("tool_call_request", schema_for!(ToolCallRequest)),
    ]
}
