//! The parts that a revision's schema is made of, and which of them messages use: each member of
//! each type, and each value of each enum.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::closed::{Schema, definition};
use crate::json::Json;

/// Names such as `Tool.title` and `Role=user`.
pub type Parts = BTreeSet<String>;

/// A schema whose parts are looked for.
pub struct Whole {
    schema: Schema,
}

impl Whole {
    /// The schema of a revision.
    pub fn of(revision: &str) -> Self {
        Self { schema: Schema::load(revision) }
    }

    /// Adds the parts of the type `name` and of all it refers to.
    ///
    /// # Panics
    /// When the revision has no such type.
    pub fn add_parts(&self, name: &str, parts: &mut Parts) {
        let root = definition(&self.schema, name).unwrap_or_else(|| panic!("no {name}"));
        self.walk(name, &root, None, &mut BTreeSet::new(), parts);
    }

    /// Adds the parts of the type `name` that `value` uses.
    ///
    /// # Panics
    /// When the revision has no such type.
    pub fn add_used(&self, name: &str, value: &Json, parts: &mut Parts) {
        let root = definition(&self.schema, name).unwrap_or_else(|| panic!("no {name}"));
        self.walk(name, &root, Some(value), &mut BTreeSet::new(), parts);
    }

    /// Walks all of `node`, or as much of it as there is in `value`.
    fn walk(
        &self,
        name: &str,
        node: &Value,
        value: Option<&Json>,
        within: &mut BTreeSet<String>,
        parts: &mut Parts,
    ) {
        if !node.is_object() {
            return;
        }
        if let Some(target) = node["$ref"].as_str() {
            let name = target.rsplit('/').next().unwrap_or_default();
            // A whole type is walked once; a value is as deep as it is.
            if value.is_some() || within.insert(name.to_owned()) {
                self.walk(name, self.schema.resolve(node), value, within, parts);
            }
        }
        for arm in ["allOf", "anyOf", "oneOf"].iter().flat_map(|union| list(&node[union])) {
            if value.is_none_or(|value| self.may_be(arm, value)) {
                self.walk(name, arm, value, within, parts);
            }
        }
        for option in list(&node["enum"]) {
            if value.is_none_or(|value| value.as_str() == option.as_str()) {
                parts.insert(format!("{name}={}", option.as_str().unwrap_or_default()));
            }
        }
        for (member, of) in node["properties"].as_object().into_iter().flatten() {
            let part = format!("{name}.{member}");
            match value.map(|value| value.get(member)) {
                Some(None) => {}
                held => {
                    self.walk(&part, of, held.flatten(), within, parts);
                    parts.insert(part);
                }
            }
        }
        let others = value.filter(|_| node["additionalProperties"].is_object());
        if let Some(Json::Object(members)) = others {
            let known = |member: &str| node["properties"].get(member).is_some();
            for (_, value) in members.iter().filter(|(member, _)| !known(member)) {
                self.walk(name, &node["additionalProperties"], Some(value), within, parts);
            }
        }
        match value {
            None => {
                for of in [&node["items"], &node["additionalProperties"]] {
                    self.walk(name, of, None, within, parts);
                }
            }
            Some(value) => {
                for item in value.items() {
                    self.walk(name, &node["items"], Some(item), within, parts);
                }
            }
        }
    }

    /// Whether `value` looks like one of `node`: of its kind, with what it requires and its tags.
    fn may_be(&self, node: &Value, value: &Json) -> bool {
        let node = self.schema.resolve(node);
        let kind = match value {
            Json::Array(_) => "array",
            Json::Object(_) => "object",
            Json::String(_) => "string",
            Json::Word(_) | Json::Number(_) => "",
        };
        let required = list(&node["required"]);
        let arms = ["anyOf", "oneOf"].iter().flat_map(|union| list(&node[union]));
        (kind.is_empty() || node["type"].as_str().is_none_or(|expected| expected == kind))
            && required.iter().filter_map(Value::as_str).all(|name| value.get(name).is_some())
            && node["properties"].as_object().into_iter().flatten().all(|(name, of)| {
                let tag = of["const"].as_str();
                tag.is_none_or(|tag| value.get(name).is_none_or(|v| v.as_str() == Some(tag)))
            })
            && list(&node["allOf"]).iter().all(|part| self.may_be(part, value))
            && (arms.clone().next().is_none() || arms.clone().any(|arm| self.may_be(arm, value)))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
