//! Arguments checked against the input schema before a tool is called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jsonschema::{Retrieve, Uri};
use protocol_droid_ir::{JsonObject, ResultBody, Schema, Tool, ToolResult};
use serde_json::Value;

use crate::context::lock;
use crate::dispatch::invalid;
use crate::engine::reply::Answer;
use crate::list::ToolList;

/// A compiled input schema.
pub(crate) type Validator = jsonschema::Validator;

/// The largest schema that is compiled; arguments of tools with a larger one are not checked.
const MAX_SCHEMA: usize = 256 << 10;

/// How many faults the model is told of at once.
const MAX_FAULTS: usize = 10;

/// What is answered to arguments that do not fit the schema of a tool in the list: words for the
/// model, or an error if they are nothing that could be checked. `None` if they fit, or the schema
/// cannot be used. Numbers are checked as doubles where they are no whole ones of 64 bits.
pub(crate) fn refusal(
    validators: &Validators,
    list: &ToolList,
    name: &str,
    arguments: &JsonObject,
) -> Option<Answer> {
    let listed = list.get(name)?;
    let validator = listed.validator.get_or_init(|| validators.of(list.tool(listed)));
    let validator = validator.as_ref()?;
    let instance: Value = match arguments.parse() {
        Ok(instance) => instance,
        Err(error) => return Some(Answer::Error(invalid(format!("arguments: {error}")))),
    };
    let faults: Vec<_> = validator
        .iter_errors(&instance)
        .take(MAX_FAULTS)
        .map(|error| format!("arguments{}: {error}", error.instance_path()))
        .collect();
    if faults.is_empty() {
        return None;
    }
    let reason = format!("the arguments do not fit the tool:\n{}", faults.join("\n"));
    Some(ResultBody::CallTool(ToolResult::error(reason)).into())
}

/// Validators by the names of tools: a list made anew brings most schemas again.
#[derive(Default)]
pub(crate) struct Validators(Mutex<HashMap<String, Known>>);

/// A schema, and what it was compiled to, if it could be.
type Known = (Schema, Option<Arc<Validator>>);

/// How many are known: beyond it all are forgotten, since names may come and go for ever.
const MAX_KNOWN: usize = 1024;

impl Validators {
    fn of(&self, tool: &Tool) -> Option<Arc<Validator>> {
        let (name, schema) = (tool.name.as_str(), &tool.input_schema);
        if let Some((known, validator)) = lock(&self.0).get(name)
            && known.as_str() == schema.as_str()
        {
            return validator.clone();
        }
        let compiled = compile(schema.as_str());
        if let Err(error) = &compiled {
            tracing::warn!(tool = name, error, "arguments are not checked");
        }
        let validator = compiled.ok().map(Arc::new);
        let mut known = lock(&self.0);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(name.to_owned(), (schema.clone(), validator.clone()));
        validator
    }
}

fn compile(schema: &str) -> Result<Validator, String> {
    if schema.len() > MAX_SCHEMA {
        return Err(format!("the schema has more than {MAX_SCHEMA} bytes"));
    }
    let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
    jsonschema::options()
        .with_retriever(NoNetwork)
        .build(&schema)
        .map_err(|error| error.to_string())
}

/// Refuses to fetch what a schema refers to.
struct NoNetwork;

impl Retrieve for NoNetwork {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is not fetched").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_compiled_once_until_it_changes() {
        let tool = |name: &str, schema: &str| Tool::new(name, Schema::new(schema).unwrap());
        let validators = Validators::default();
        let of = |schema: &str| validators.of(&tool("t", schema));
        let first = of(r#"{"type":"object"}"#).unwrap();
        assert!(Arc::ptr_eq(&first, &of(r#"{"type":"object"}"#).unwrap()));
        let changed = of(r#"{"type":"object","required":["a"]}"#).unwrap();
        assert!(!changed.is_valid(&Value::Object(serde_json::Map::new())));
        assert!(of(r#"{"type":"object","$ref":"https://example.com/"}"#).is_none());
        for index in 0..MAX_KNOWN + 10 {
            validators.of(&tool(&index.to_string(), r#"{"type":"array"}"#));
        }
        assert!(lock(&validators.0).len() <= MAX_KNOWN);
    }
}
