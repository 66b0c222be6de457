//! Whole messages against the closed schemas, by their methods.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::closed::{REVISIONS, faults, types_by_method};
use crate::json::Json;

/// The types of the messages of each revision, by their methods.
static TYPES: LazyLock<HashMap<&str, HashMap<String, String>>> =
    LazyLock::new(|| REVISIONS.map(|name| (name, types_by_method(name))).into());

/// What is wrong with what a message that sends or answers `method` says; nothing is known of a
/// vendor's.
///
/// # Panics
/// When a notification is answered.
pub fn message_faults(revision: &str, method: Option<&str>, text: &str) -> Vec<String> {
    let message = Json::read(text);
    if message.get("error").is_some() {
        return faults(revision, "JSONRPCErrorResponse", text.as_bytes());
    }
    let Some(sends) = method.and_then(|method| TYPES[revision].get(method)) else { return vec![] };
    let (name, part) = match (message.get("params"), message.get("result")) {
        (Some(params), _) => (format!("{sends}Params"), params),
        (None, Some(result)) => (result_type(sends, result), result),
        (None, None) => return vec![],
    };
    let mut faults = faults(revision, &name, part.to_string().as_bytes());
    // Capabilities are no closed set.
    faults.retain(|fault| !fault.contains("('example.com/custom' was unexpected)"));
    faults
}

/// Like [`message_faults`], of the message with its envelope: what the revision requires of one, and
/// no member that JSON-RPC does not define.
///
/// # Panics
/// When a notification is answered.
pub fn whole_faults(revision: &str, method: Option<&str>, text: &str) -> Vec<String> {
    let message = Json::read(text);
    if message.get("error").is_some() {
        return faults(revision, "JSONRPCErrorResponse", text.as_bytes());
    }
    let mut found = envelope_faults(&message);
    let Some(sends) = method.and_then(|method| TYPES[revision].get(method)) else { return found };
    match message.get("result") {
        None => found.extend(faults(revision, sends, text.as_bytes())),
        // A task of the extension, which is in no schema.
        Some(result) if result.get("resultType").and_then(Json::as_str) == Some("task") => {}
        Some(result) => {
            let text = result.to_string();
            found.extend(faults(revision, &result_type(sends, result), text.as_bytes()));
        }
    }
    found
}

/// What is wrong with the envelope of a request, notification or response.
fn envelope_faults(message: &Json) -> Vec<String> {
    let Json::Object(members) = message else { return vec!["no object".to_owned()] };
    let version = message.get("jsonrpc").and_then(Json::as_str);
    let fault = |(name, value): &(String, Json)| match name.as_str() {
        "jsonrpc" | "method" => !matches!(value, Json::String(_)),
        "id" => !matches!(value, Json::String(_) | Json::Number(_)),
        "params" | "result" => !matches!(value, Json::Object(_)),
        name => !name.starts_with("x-vendor"),
    };
    let faults = members.iter().filter(|member| fault(member));
    let faults = faults.map(|(name, value)| format!("{name}: {value}"));
    faults.chain((version != Some("2.0")).then(|| "jsonrpc".to_owned())).collect()
}

fn result_type(request: &str, result: &Json) -> String {
    let stem = request.strip_suffix("Request").expect("only requests are answered");
    if result.get("resultType").and_then(Json::as_str) == Some("input_required") {
        return "InputRequiredResult".to_owned();
    }
    match stem {
        "Ping" | "SetLevel" | "Subscribe" | "Unsubscribe" => "EmptyResult".to_owned(),
        "CallTool" | "CreateMessage" | "Elicit" if result.get("task").is_some() => {
            "CreateTaskResult".to_owned()
        }
        _ => format!("{stem}Result"),
    }
}
