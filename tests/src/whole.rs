//! Whole messages against the closed schemas, by their methods.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::closed::{REVISIONS, faults, is_modern, types_by_method};
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

/// The type of a message of the revision, and the part of it that is one; none of a vendor's, and of
/// what is in no schema. A result is of the method it answers.
pub fn type_of<'m>(
    revision: &str,
    method: Option<&str>,
    message: &'m Json,
) -> Option<(String, &'m Json)> {
    if let Some(error) = message.get("error") {
        let code = error.get("code").map(Json::to_string);
        return Some((
            error_type(revision, code.as_deref().unwrap_or_default()).to_owned(),
            message,
        ));
    }
    let sends = TYPES[revision].get(method?)?;
    match message.get("result") {
        None => Some((sends.clone(), message)),
        Some(result) if result.get("resultType").and_then(Json::as_str) == Some("task") => None,
        Some(result) => Some((result_type(sends, result), result)),
    }
}

/// The types of all that can be sent at the revision.
pub fn all_types(revision: &str) -> BTreeSet<String> {
    let mut types: BTreeSet<_> = TYPES[revision].values().cloned().collect();
    // What servers ask at a modern revision is part of their results.
    if is_modern(revision) {
        types.retain(|name| !QUESTIONS.contains(&name.as_str()));
        types.insert("InputRequiredResult".to_owned());
    }
    let empty = Json::Object(vec![]);
    let requests = types.iter().filter(|name| name.ends_with("Request"));
    let results: Vec<_> = requests.map(|name| result_type(name, &empty)).collect();
    types.extend(results);
    if revision == "2025-11-25" {
        types.insert("CreateTaskResult".to_owned());
    }
    let codes =
        ["-32700", "-32600", "-32601", "-32602", "-32603", "-32042", "-32020", "-32021", "-32022"];
    types.extend(codes.map(|code| error_type(revision, code).to_owned()));
    types
}

const QUESTIONS: [&str; 3] = ["CreateMessageRequest", "ElicitRequest", "ListRootsRequest"];

/// The type of an error response; some codes have one of their own.
fn error_type(revision: &str, code: &str) -> &'static str {
    match (revision, code) {
        ("2025-11-25", "-32042") => "URLElicitationRequiredError",
        ("2026-07-28" | "draft", "-32020") => "HeaderMismatchError",
        ("2026-07-28" | "draft", "-32021") => "MissingRequiredClientCapabilityError",
        ("2026-07-28" | "draft", "-32022") => "UnsupportedProtocolVersionError",
        _ => "JSONRPCErrorResponse",
    }
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
