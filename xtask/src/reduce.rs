//! An official schema, reduced to its structure.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// The member that holds the digest of the official file.
pub(crate) const DIGEST: &str = "x-source-sha256";

/// What the value of a schema keyword is.
enum Keyword {
    /// Data, kept as it is.
    Data,
    /// Prose, dropped.
    Prose,
    /// A schema, or a plain boolean.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
}

/// Sorts a keyword; what is not listed here would be structure that the tables do not know.
fn keyword(name: &str) -> Option<Keyword> {
    Some(match name {
        "$comment" | "description" | "examples" | "title" => Keyword::Prose,
        "$defs" | "definitions" | "properties" => Keyword::Named,
        "additionalProperties" | "items" => Keyword::Schema,
        "allOf" | "anyOf" | "oneOf" => Keyword::List,
        "$ref" | "$schema" | "const" | "default" | "enum" | "exclusiveMaximum"
        | "exclusiveMinimum" | "format" | "maxItems" | "maxLength" | "maximum" | "minItems"
        | "minLength" | "minimum" | "pattern" | "required" | "type" | "uniqueItems" | DIGEST => {
            Keyword::Data
        }
        _ => return None,
    })
}

/// Reduces the text of an official schema; `file` is for errors.
pub(crate) fn reduce(file: &str, source: &[u8], schema: &Value) -> Result<Value, Error> {
    let mut reduced = reduce_schema(file, "#", schema)?;
    let digest: String = Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect();
    reduced[DIGEST] = Value::from(digest);
    Ok(reduced)
}

/// Reduces the schema at `place`.
pub(crate) fn reduce_schema(file: &str, place: &str, schema: &Value) -> Result<Value, Error> {
    let fault = |place: String, expected, found: &Value| Error::Schema {
        file: file.to_owned(),
        place,
        expected,
        found: found.to_string(),
    };
    if schema.is_boolean() && place != "#" {
        return Ok(schema.clone());
    }
    let keywords = schema.as_object().ok_or_else(|| fault(place.to_owned(), "a schema", schema))?;
    let mut reduced = Map::new();
    for (name, value) in keywords {
        let place = format!("{place}/{name}");
        let value = match keyword(name) {
            None => return Err(fault(place, "a known keyword", value)),
            Some(Keyword::Prose) => continue,
            Some(Keyword::Data) => value.clone(),
            Some(Keyword::Schema) => reduce_schema(file, &place, value)?,
            Some(Keyword::List) => value
                .as_array()
                .ok_or_else(|| fault(place.clone(), "a list of schemas", value))?
                .iter()
                .enumerate()
                .map(|(i, schema)| reduce_schema(file, &format!("{place}/{i}"), schema))
                .collect::<Result<Vec<_>, _>>()?
                .into(),
            Some(Keyword::Named) => value
                .as_object()
                .ok_or_else(|| fault(place.clone(), "schemas by name", value))?
                .iter()
                .map(|(name, schema)| {
                    let schema = reduce_schema(file, &format!("{place}/{name}"), schema)?;
                    Ok((name.clone(), schema))
                })
                .collect::<Result<Map<_, _>, _>>()?
                .into(),
        };
        reduced.insert(name.clone(), value);
    }
    Ok(reduced.into())
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn drops_prose_but_no_property_named_like_it() {
        let schema = json!({
            "$comment": "prose",
            "definitions": { "Tool": {
                "description": "prose",
                "properties": {
                    "description": { "description": "prose", "type": "string" },
                    "examples": { "examples": ["prose"], "items": { "title": "prose" } },
                    "title": { "default": { "title": "data" }, "title": "prose" }
                },
                "required": ["description", "title"]
            } }
        });
        assert_eq!(
            reduce("a.json", b"abc", &schema).unwrap(),
            json!({
                "definitions": { "Tool": {
                    "properties": {
                        "description": { "type": "string" },
                        "examples": { "items": {} },
                        "title": { "default": { "title": "data" } }
                    },
                    "required": ["description", "title"]
                } },
                "x-source-sha256":
                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            })
        );
    }

    #[test]
    fn reduces_twice_to_the_same() {
        let schema = json!({
            "$defs": { "A": { "additionalProperties": true, "anyOf": [{ "title": "prose" }] } }
        });
        let once = reduce("a.json", b"abc", &schema).unwrap();
        assert_eq!(reduce("a.json", b"abc", &once).unwrap(), once);
    }

    #[test]
    fn names_the_place_of_a_keyword_it_does_not_know() {
        let schema = json!({ "$defs": { "A": { "anyOf": [{}, { "if": {} }] } } });
        assert_eq!(
            reduce("a.json", b"", &schema).unwrap_err().to_string(),
            "a.json: #/$defs/A/anyOf/1/if: expected a known keyword, found {}"
        );
    }

    #[test]
    fn names_the_place_of_what_is_no_schema() {
        for (schema, text) in [
            (json!(true), "a.json: #: expected a schema, found true"),
            (json!({ "items": 1 }), "a.json: #/items: expected a schema, found 1"),
            (json!({ "allOf": {} }), "a.json: #/allOf: expected a list of schemas, found {}"),
            (
                json!({ "properties": [] }),
                "a.json: #/properties: expected schemas by name, found []",
            ),
        ] {
            let error = reduce("a.json", b"", &schema).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }
}
