//! A reduced schema, and how to read it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    corrections::RENAMES,
    error::Error,
    revision::{REVISIONS, bit},
};

/// A reduced schema.
pub(crate) struct Source<'a> {
    /// The index of its revision.
    pub(crate) revision: usize,
    /// The schema.
    pub(crate) schema: &'a Value,
}

impl<'a> Source<'a> {
    /// The definitions, under the names the schema gives them.
    pub(crate) fn definitions(&self) -> Result<&'a Map<String, Value>, Error> {
        ["$defs", "definitions"]
            .iter()
            .find_map(|key| self.schema.get(key)?.as_object())
            .ok_or_else(|| self.fault("#", "`$defs` or `definitions`", "neither"))
    }

    /// What a reference names, under its own name.
    pub(crate) fn target(&self, reference: &'a str) -> Result<(&'a str, &'a Value), Error> {
        reference
            .strip_prefix("#/$defs/")
            .or_else(|| reference.strip_prefix("#/definitions/"))
            .and_then(|name| Some((name, self.definitions().ok()?.get(name)?)))
            .ok_or_else(|| self.fault("$ref", "the name of a definition", reference))
    }

    /// Today's name of a definition.
    pub(crate) fn name(&self, name: &str) -> String {
        RENAMES
            .iter()
            .find(|rename| rename.from == name && rename.revisions & bit(self.revision) != 0)
            .map_or(name, |rename| rename.to)
            .to_owned()
    }

    /// The properties of an object, and of all it merges; of two with one name the later wins.
    pub(crate) fn merge(
        &self,
        schema: &'a Value,
        properties: &mut BTreeMap<&'a str, (&'a Value, bool)>,
    ) -> Result<(), Error> {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.merge(self.target(reference)?.1, properties);
        }
        for part in array(schema, "allOf") {
            self.merge(part, properties)?;
        }
        let own = schema.get("properties").and_then(Value::as_object);
        for (name, property) in own.into_iter().flatten() {
            let merged = properties.get(name.as_str());
            let required = merged.is_some_and(|(_, required)| *required);
            properties.insert(name, (property, required));
        }
        for name in array(schema, "required").iter().filter_map(Value::as_str) {
            if let Some((_, required)) = properties.get_mut(name) {
                *required = true;
            }
        }
        Ok(())
    }

    /// The error that names this revision.
    pub(crate) fn fault(&self, place: &str, expected: &'static str, found: impl ToString) -> Error {
        Error::Schema {
            file: format!("{}.json", REVISIONS[self.revision]),
            place: place.to_owned(),
            expected,
            found: found.to_string(),
        }
    }
}

/// The list under a keyword, empty if there is none.
pub(crate) fn array<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    let values = schema.get(keyword).and_then(Value::as_array);
    values.map(Vec::as_slice).unwrap_or_default()
}

/// Whether the schema is an object with named members.
pub(crate) fn has_members(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    schema.get("allOf").is_some() || properties.is_some_and(|properties| !properties.is_empty())
}

/// The limits of a string, number or list, as text.
pub(crate) fn limits(schema: &Value) -> String {
    let mut limits: Vec<String> = schema
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "default" | "items" | "type"))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    limits.sort();
    if limits.is_empty() { String::new() } else { format!(" ({})", limits.join(", ")) }
}
