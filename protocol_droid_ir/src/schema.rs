//! JSON Schemas of tools: carried as text, with the two facts that translation turns on.

use crate::json::{JsonObject, JsonObjectError, JsonText};
use crate::lex::{Kind, Lexer, SyntaxError};
use crate::schema_move::{Dialect, moved};
use crate::text::{Buffer, Text, unescape};

/// A JSON Schema, as text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Schema {
    json: JsonObject,
    facts: Facts,
}

/// What must be known of a schema without keeping it parsed.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Facts {
    /// The root says `"type": "object"`.
    object_root: bool,
    /// Some property of the root has `true` or `false` for its schema.
    boolean_property: bool,
}

impl Schema {
    /// Checks that `text` is a JSON object.
    ///
    /// # Errors
    /// When it is not.
    pub fn new(text: impl Into<String>) -> Result<Self, JsonObjectError> {
        JsonObject::new(text).map(Self::from)
    }

    /// Reads the schema object at the cursor of `lexer`, which runs over `buffer`, in one pass.
    ///
    /// # Errors
    /// When no well-formed object stands there.
    pub fn read(buffer: &Buffer, lexer: &mut Lexer<'_>) -> Result<Self, SyntaxError> {
        let (range, booleans) = lexer.value_with_booleans()?;
        let text = &lexer.text()[range.clone()];
        // Nearly every schema tells its facts at a glance.
        let facts = if !booleans && text.starts_with(r#"{"type":"object""#) {
            Facts { object_root: true, boolean_property: false }
        } else {
            facts(&mut Lexer::new(text))?
        };
        let json = JsonText::from_range(buffer, range.start, range.end);
        let json = JsonObject::try_from(json).map_err(|_| lexer.error("an object"))?;
        Ok(Self { json, facts })
    }

    /// The schema's text.
    pub fn as_str(&self) -> &str {
        self.json.as_str()
    }

    /// The schema as an object.
    pub fn as_object(&self) -> &JsonObject {
        &self.json
    }

    /// Whether the root says `"type": "object"`.
    pub fn has_object_root(&self) -> bool {
        self.facts.object_root
    }

    /// Whether some property of the root has `true` or `false` for its schema.
    pub fn has_boolean_property(&self) -> bool {
        self.facts.boolean_property
    }

    /// The same schema with `{}` for `true` and `{"not":{}}` for `false` among the root's
    /// properties.
    #[must_use]
    pub fn without_boolean_properties(&self) -> Self {
        let members = self.json.members().map(|(key, value)| {
            let properties = if key == "properties" { JsonObject::new(value).ok() } else { None };
            (key, properties.map_or_else(|| value.to_owned(), |p| spelled_out(&p)))
        });
        let members: Vec<(Text, String)> = members.collect();
        let members = members.iter().map(|(key, value)| (key.clone(), value.as_str()));
        Self::from(JsonObject::from_members(members))
    }

    /// A schema of objects whose one member `result` is what this schema describes.
    ///
    /// References into the document follow their target to its new place, but for those inside a
    /// schema with an identifier of its own, which is their base as before; `$schema` stays at the
    /// root, where readers look for it.
    #[must_use]
    pub fn wrapped(&self) -> Self {
        let dialect = self.json.get("$schema");
        let inner = self.json.without(&["$schema"]);
        let moved = moved(inner.as_str(), "/properties/result", Dialect::of(dialect.as_ref()));
        let dialect = dialect.map(|d| format!(r#""$schema":{d},"#)).unwrap_or_default();
        let wrapped = format!(
            r#"{{{dialect}"type":"object","properties":{{"result":{moved}}},"required":["result"]}}"#
        );
        let facts = Facts { object_root: true, boolean_property: false };
        Self { json: trusted(wrapped), facts }
    }
}

impl From<JsonObject> for Schema {
    fn from(json: JsonObject) -> Self {
        let facts = facts(&mut Lexer::new(json.as_str())).unwrap_or_default();
        Self { json, facts }
    }
}

impl From<Schema> for JsonObject {
    fn from(schema: Schema) -> Self {
        schema.json
    }
}

fn trusted(text: String) -> JsonObject {
    JsonObject::try_from(JsonText::trusted(text)).expect("starts with a brace")
}

/// Passes over the object at the cursor and notes its facts.
fn facts(lexer: &mut Lexer<'_>) -> Result<Facts, SyntaxError> {
    let mut facts = Facts::default();
    let mut typed = false;
    each_member(lexer, |lexer, name| {
        match (name, lexer.peek()?) {
            // The first of two has its say, as it does where it is told at a glance.
            ("type", Kind::String) if !std::mem::replace(&mut typed, true) => {
                let token = lexer.string()?;
                facts.object_root = token.text(lexer.text()) == "object";
            }
            ("properties", Kind::Object) => each_member(lexer, |lexer, _| {
                facts.boolean_property |= matches!(lexer.peek()?, Kind::True | Kind::False);
                lexer.value().map(|_| ())
            })?,
            (name, _) => {
                typed |= name == "type";
                return lexer.value().map(|_| ());
            }
        }
        Ok(())
    })?;
    Ok(facts)
}

/// Reads an object, calling `read` with the cursor at each value; names come without escapes.
fn each_member(
    lexer: &mut Lexer<'_>,
    mut read: impl FnMut(&mut Lexer<'_>, &str) -> Result<(), SyntaxError>,
) -> Result<(), SyntaxError> {
    lexer.expect(b'{', "an object")?;
    if lexer.take(b'}') {
        return Ok(());
    }
    loop {
        let token = lexer.string()?;
        lexer.expect(b':', "a colon")?;
        let name = &lexer.text()[token.range];
        if token.escaped {
            read(lexer, &unescape(name))?
        } else {
            read(lexer, name)?
        }
        if !lexer.take(b',') {
            return lexer.expect(b'}', "a comma or a closing brace");
        }
    }
}

fn spelled_out(properties: &JsonObject) -> String {
    let members = properties.members().map(|(key, value)| match value {
        "true" => (key, "{}"),
        "false" => (key, r#"{"not":{}}"#),
        _ => (key, value),
    });
    JsonObject::from_members(members).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_those_of_the_root() {
        let schema = |text: &str| Schema::new(text).unwrap();
        assert!(schema(r#"{"type":"object"}"#).has_object_root());
        assert!(!schema(r#"{"type":["object"],"not":{"type":"object"}}"#).has_object_root());
        assert!(schema(r#"{"x":true,"type":"obj\u0065ct"}"#).has_object_root());
        for odd in [r#"{"type":"object","type":"array"}"#, r#"{ "type":"object","type":1}"#] {
            assert!(schema(odd).has_object_root(), "the first says it: {odd}");
        }
        assert!(!schema(r#"{"type":1,"type":"object"}"#).has_object_root());
        assert!(schema(r#"{"properties":{"a":{},"b":true}}"#).has_boolean_property());
        assert!(
            !schema(
                r#"{"properties":{"a":{"properties":{"b":true}}},"additionalProperties":false}"#
            )
            .has_boolean_property()
        );
    }

    #[test]
    fn boolean_properties_are_spelled_out() {
        let schema =
            Schema::new(r#"{ "x":1.0, "properties": {"a":true,"b":false,"c":{"d":1e2}} }"#);
        assert_eq!(
            schema.unwrap().without_boolean_properties().as_str(),
            r#"{"x":1.0,"properties":{"a":{},"b":{"not":{}},"c":{"d":1e2}}}"#
        );
    }
}
