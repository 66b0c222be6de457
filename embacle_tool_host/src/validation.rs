//! Arguments checked against the input schema before a tool is called.

use jsonschema::{Retrieve, Uri};
use protocol_droid_ir::JsonObject;
use serde_json::Value;

use crate::served::Served;

/// A compiled input schema.
pub(crate) type Validator = jsonschema::Validator;

/// The largest schema that is compiled; arguments of tools with a larger one are not checked.
const MAX_SCHEMA: usize = 256 << 10;

/// How many faults the model is told of at once.
const MAX_FAULTS: usize = 10;

/// What is wrong with the arguments, in words for the model; `None` if nothing is, or if the
/// schema cannot be used.
pub(crate) async fn fault(served: &Served, name: &str, arguments: &JsonObject) -> Option<String> {
    let list = served.tools.list().await;
    let listed = list.get(name)?;
    let compiled = listed.validator.get_or_init(|| {
        let compiled = compile(list.tool(listed).input_schema.as_str());
        if let Err(error) = &compiled {
            tracing::warn!(tool = name, error, "arguments are not checked");
        }
        compiled.ok()
    });
    let instance: Value = arguments.parse().ok()?;
    let faults: Vec<_> = compiled
        .as_ref()?
        .iter_errors(&instance)
        .take(MAX_FAULTS)
        .map(|error| format!("arguments{}: {error}", error.instance_path()))
        .collect();
    (!faults.is_empty())
        .then(|| format!("the arguments do not fit the tool:\n{}", faults.join("\n")))
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
