//! The official schemas, closed to members that their revision does not define.
//!
//! The schemas are open everywhere, so that a member of another revision would pass unseen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use crate::json::Json;

/// The names of the revisions, oldest first, the draft last.
pub const REVISIONS: [&str; 6] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "draft"];

/// Whether the revision is stateless: since 2026-07-28.
pub fn is_modern(revision: &str) -> bool {
    revision >= "2026"
}

/// The `_meta` members that 2026-07-28 reserves, and that no older peer may see.
pub const RESERVED: [&str; 6] = [
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/subscriptionId",
];

/// What is wrong with `text` as a `name` of the revision; nothing if it is one.
///
/// `name` is a type of the newest schema that has it. The responses to `tools/call` and
/// `tools/list` are `CallToolResultResponse` and `ListToolsResultResponse` at every revision.
pub fn faults(revision: &str, name: &str, text: &[u8]) -> Vec<String> {
    let value = Json::read(text).to_value();
    let Some(validator) = validator(revision, name) else {
        return vec![format!("{revision} has no {name}")];
    };
    let fault =
        |error: jsonschema::ValidationError<'_>| format!("{}: {error}", error.instance_path());
    validator.iter_errors(&value).map(fault).collect()
}

/// Fails unless `text` is a `name` of the revision and has no member that the revision lacks.
///
/// # Panics
/// When it is not.
#[track_caller]
pub fn assert_closed(revision: &str, name: &str, text: &[u8]) {
    let faults = faults(revision, name, text);
    let text = String::from_utf8_lossy(text);
    assert!(faults.is_empty(), "no {name} of {revision}: {faults:#?}\n{text}");
}

/// Whether the revision has the type `name`.
pub fn has_type(revision: &str, name: &str) -> bool {
    validator(revision, name).is_some()
}

/// The types of the messages of the revision, such as `CallToolRequest`, by their methods.
pub(crate) fn types_by_method(revision: &str) -> HashMap<String, String> {
    let method = |def: &Value| Some(def["properties"]["method"]["const"].as_str()?.to_owned());
    let defs = Schema::load(revision).defs.into_iter();
    defs.filter_map(|(name, def)| Some((method(&def)?, name))).collect()
}

/// A member of a type.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Whether the type is not without it.
    pub required: bool,
    /// Some JSON that is not of its type, unless it may be anything.
    pub wrong: Option<&'static str>,
}

/// The members of the type `name`, if it is an object.
pub fn members(revision: &str, name: &str) -> Vec<Member> {
    let schema = Schema::load(revision);
    let def = definition(&schema, name).unwrap_or_default();
    let required = |name: &str| {
        def["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    let members = def["properties"].as_object().into_iter().flatten();
    members
        .map(|(name, of)| Member {
            name: name.clone(),
            required: required(name),
            wrong: schema.not_of(of),
        })
        .collect()
}

/// The validator of the closed form of the type `name`, if the revision has it.
pub fn validator(revision: &str, name: &str) -> Option<Arc<Validator>> {
    type Cache = Mutex<HashMap<(String, String), Option<Arc<Validator>>>>;
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let mut cache = CACHE.get_or_init(Default::default).lock().expect("no test panics in here");
    let key = (revision.to_owned(), name.to_owned());
    cache.entry(key).or_insert_with(|| build(revision, name).map(Arc::new)).clone()
}

fn build(revision: &str, name: &str) -> Option<Validator> {
    let mut schema = Schema::load(revision);
    let mut closing = Closing { modern: is_modern(revision) };
    closing.relax(&mut schema.defs);
    let mut root = definition(&schema, name)?;
    let mut defs = schema.defs.clone();
    for (name, def) in &mut defs {
        merge_all_of(&schema, def);
        closing.close(name, def);
    }
    merge_all_of(&schema, &mut root);
    closing.close(name, &mut root);
    let document = json!({ schema.container: defs, "allOf": [root] });
    let options = jsonschema::options().with_draft(schema.draft).should_validate_formats(false);
    Some(options.build(&document).expect("a closed schema is a schema"))
}

/// A schema as it is published, without its prose.
pub(crate) struct Schema {
    container: &'static str,
    defs: Map<String, Value>,
    draft: Draft,
}

impl Schema {
    pub(crate) fn load(revision: &str) -> Self {
        let text = match revision {
            "2024-11-05" => include_str!("../../protocol_droid_codecs/schema/2024-11-05.json"),
            "2025-03-26" => include_str!("../../protocol_droid_codecs/schema/2025-03-26.json"),
            "2025-06-18" => include_str!("../../protocol_droid_codecs/schema/2025-06-18.json"),
            "2025-11-25" => include_str!("../../protocol_droid_codecs/schema/2025-11-25.json"),
            "2026-07-28" => include_str!("../../protocol_droid_codecs/schema/2026-07-28.json"),
            "draft" => include_str!("../../protocol_droid_codecs/schema/draft.json"),
            other => panic!("no schema of {other}"),
        };
        let mut document: Value = serde_json::from_str(text).expect("a schema is JSON");
        let (container, draft) = match document.get("$defs") {
            Some(_) => ("$defs", Draft::Draft202012),
            None => ("definitions", Draft::Draft7),
        };
        let Value::Object(defs) = document[container].take() else { panic!("no definitions") };
        Self { container, defs, draft }
    }

    /// Some JSON that `member` does not describe.
    fn not_of(&self, member: &Value) -> Option<&'static str> {
        let member = self.resolve(member);
        if member["anyOf"].is_array() {
            return Some("17.5");
        }
        match member["type"].as_str() {
            Some("integer" | "number") => Some(r#""12""#),
            Some(_) => Some("17.5"),
            None if member["type"].is_array() => Some("[]"),
            None => None,
        }
    }

    fn reference(&self, name: &str) -> Value {
        json!({ "$ref": format!("#/{}/{name}", self.container) })
    }

    /// What a reference refers to; anything else as it is.
    pub(crate) fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let target = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        target.map_or(schema, |name| &self.defs[name])
    }
}

/// The definition of `name`, whole messages with their envelope.
pub(crate) fn definition(schema: &Schema, name: &str) -> Option<Value> {
    match name {
        "CallToolResultResponse" => {
            Some(response(schema, &["CallToolResult", "InputRequiredResult", "CreateTaskResult"]))
        }
        _ if name.ends_with("ResultResponse") => {
            let result = name.strip_suffix("Response")?;
            schema.defs.get(result)?;
            Some(response(schema, &[result, "InputRequiredResult"]))
        }
        _ if is_message(schema, name) => Some(with_envelope(schema, name)),
        "Annotations" if !schema.defs.contains_key(name) => {
            let annotated = schema.defs.get("Annotated")?;
            Some(annotated["properties"]["annotations"].clone())
        }
        "ContentBlock" if !schema.defs.contains_key(name) => {
            Some(schema.defs["CallToolResult"]["properties"]["content"]["items"].clone())
        }
        "Error" if !schema.defs.contains_key(name) => {
            Some(schema.defs["JSONRPCError"]["properties"]["error"].clone())
        }
        "JSONRPCErrorResponse" if !schema.defs.contains_key(name) => {
            schema.defs.get("JSONRPCError").cloned()
        }
        // The older schemas describe parameters with their request or notification alone.
        _ if !schema.defs.contains_key(name) => {
            let whole = schema.defs.get(name.strip_suffix("Params")?)?;
            Some(whole["properties"]["params"].clone())
        }
        _ => schema.defs.get(name).cloned(),
    }
}

/// Whether `name` is a request or notification that the schema describes without its envelope. One
/// that lacks it where others have it is a question inside a result.
fn is_message(schema: &Schema, name: &str) -> bool {
    if schema.defs["ListToolsRequest"]["properties"].get("jsonrpc").is_some() {
        return false;
    }
    let named = name.ends_with("Request") || name.ends_with("Notification");
    named
        && schema.defs.get(name).is_some_and(|def| def["properties"]["method"]["const"].is_string())
}

/// The older schemas describe a request or notification without the members of its envelope.
fn with_envelope(schema: &Schema, name: &str) -> Value {
    let mut request = schema.defs[name].clone();
    request["properties"]["jsonrpc"] = json!({ "const": "2.0" });
    if name.ends_with("Request") {
        request["properties"]["id"] = schema.reference("RequestId");
    }
    let required = request["required"].as_array_mut().expect("a message requires its method");
    required.push("jsonrpc".into());
    if name.ends_with("Request") {
        required.push("id".into());
    }
    required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    required.dedup();
    request
}

fn response(schema: &Schema, results: &[&str]) -> Value {
    let known = results.iter().filter(|name| schema.defs.contains_key(**name));
    let arms: Vec<_> = known.map(|name| schema.reference(name)).collect();
    json!({
        "properties": {
            "id": schema.reference("RequestId"),
            "jsonrpc": { "const": "2.0" },
            "result": { "anyOf": arms },
        },
        "required": ["id", "jsonrpc", "result"],
        "type": "object",
    })
}

/// Makes one object of the parts of an `allOf`, which could not be closed each on its own.
fn merge_all_of(schema: &Schema, node: &mut Value) {
    match node {
        Value::Object(map) => {
            if let Some(Value::Array(parts)) = map.remove("allOf") {
                let mut merged = json!({ "properties": {}, "required": [], "type": "object" });
                for part in parts.iter().map(|part| schema.resolve(part)) {
                    for (name, member) in part["properties"].as_object().into_iter().flatten() {
                        merged["properties"][name] = member.clone();
                    }
                    let required = merged["required"].as_array_mut().expect("made above");
                    required.extend(part["required"].as_array().into_iter().flatten().cloned());
                    required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                    required.dedup();
                }
                *node = merged;
            } else {
                map.values_mut().for_each(|child| merge_all_of(schema, child));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|child| merge_all_of(schema, child)),
        _ => {}
    }
}

struct Closing {
    modern: bool,
}

/// Whether `name` stands for messages of any method.
fn is_base(name: &str) -> bool {
    matches!(name, "JSONRPCNotification" | "JSONRPCRequest" | "Notification" | "Request")
}

impl Closing {
    /// Takes back what the published schema forbids by mistake (numbers that must be whole, JSON
    /// without `null`), and states what it leaves to prose (which result has which `resultType`).
    fn relax(&self, defs: &mut Map<String, Value>) {
        for (name, def) in defs.iter_mut().filter(|(name, _)| !is_base(name)) {
            // Said to be open, as all are.
            let open = if name == "Result" { "" } else { "/properties/params" };
            if let Some(Value::Object(open)) = def.pointer_mut(open) {
                open.remove("additionalProperties");
            }
        }
        for (name, instead) in [("JSONValue", json!({})), ("JSONObject", json!({"type": "object"}))]
        {
            if let Some(def) = defs.get_mut(name) {
                *def = instead;
            }
        }
        for side in ["ClientCapabilities", "ServerCapabilities"] {
            let offered = &mut defs[side]["properties"]["extensions"];
            if offered.is_null() {
                // Seen on the wire before the schema named it; but not with tasks.
                let tasks = json!({ "io.modelcontextprotocol/tasks": false });
                *offered = json!({ "type": "object", "properties": tasks });
            }
        }
        if let Some(elicited) = defs.get_mut("ElicitResult") {
            elicited["properties"]["content"] = json!({ "type": "object" });
        }
        if !self.modern {
            return;
        }
        for (name, kind) in [
            ("CallToolResult", "complete"),
            ("InputRequiredResult", "input_required"),
            ("ListToolsResult", "complete"),
        ] {
            defs[name]["properties"]["resultType"] = json!({ "const": kind });
        }
    }

    /// Closes the schema of what is called `name`, and all that is in it.
    fn close(&mut self, name: &str, node: &mut Value) {
        match node {
            Value::Object(map) => {
                for (keyword, child) in map.iter_mut() {
                    if keyword == "properties" {
                        self.close_members(child);
                    } else {
                        self.close(keyword, child);
                    }
                }
                let has_members =
                    map.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
                if name == "_meta" || name.ends_with("MetaObject") {
                    self.open_meta(map);
                } else if has_members || name == "params" && !map.contains_key("$ref") {
                    let members = map.entry("properties").or_insert_with(|| json!({}));
                    if members["_meta"].is_null() {
                        let mut meta = Map::from_iter([("type".to_owned(), json!("object"))]);
                        self.open_meta(&mut meta);
                        members["_meta"] = meta.into();
                    }
                    if !map.contains_key("additionalProperties") {
                        map.insert("additionalProperties".to_owned(), json!(false));
                        map.insert("patternProperties".to_owned(), json!({ "^x-vendor": {} }));
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|child| self.close("", child)),
            _ => {}
        }
    }

    fn close_members(&mut self, members: &mut Value) {
        for (name, member) in members.as_object_mut().into_iter().flatten() {
            match name.as_str() {
                // What is in these is not the protocol's.
                "arguments" | "data" | "experimental" | "extensions" | "inputSchema"
                | "outputSchema" | "structuredContent" => {}
                name => self.close(name, member),
            }
        }
    }

    /// `_meta` holds whatever peers put in, but the reserved names belong to 2026-07-28.
    fn open_meta(&self, meta: &mut Map<String, Value>) {
        if !self.modern {
            let members = meta.entry("properties").or_insert_with(|| json!({}));
            for name in RESERVED {
                members[name] = json!(false);
            }
        }
    }
}
