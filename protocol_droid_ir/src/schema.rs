//! JSON Schemas of tools: carried as text, with the two facts that translation turns on.

use crate::json::{JsonObject, JsonObjectError, JsonText};
use crate::lex::{Kind, Lexer, SyntaxError};
use crate::text::{Buffer, Text, escape_into, unescape};

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
    /// References into the document follow their target to its new place; `$schema` stays at the
    /// root, where readers look for it.
    #[must_use]
    pub fn wrapped(&self) -> Self {
        let dialect = self.json.get("$schema");
        let inner = self.json.without(&["$schema"]);
        // A root with a base URI of its own stays the base of the references inside it.
        let rebased = if inner.get("$id").is_some() || inner.get("id").is_some() {
            inner.as_str().to_owned()
        } else {
            rebase(inner.as_str())
        };
        let dialect = dialect.map(|d| format!(r#""$schema":{d},"#)).unwrap_or_default();
        let wrapped = format!(
            r#"{{{dialect}"type":"object","properties":{{"result":{rebased}}},"required":["result"]}}"#
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

/// What a value inside a schema is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A schema, or a list of schemas.
    Schema,
    /// An object whose names are free and whose values are schemas.
    Map,
    /// An instance: nothing in it is a keyword.
    Data,
}

impl Place {
    /// The place of the value of `name` in an object at this place.
    fn of(self, name: &str) -> Self {
        match (self, name) {
            (Self::Map, _) => Self::Schema,
            (Self::Data, _) => Self::Data,
            (_, "const" | "default" | "enum" | "examples") => Self::Data,
            (
                _,
                "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
                | "properties",
            ) => Self::Map,
            _ => Self::Schema,
        }
    }
}

/// The schema with every reference into its own document moved below `properties/result`.
fn rebase(schema: &str) -> String {
    let mut out = String::with_capacity(schema.len() + 32);
    let mut copied = 0;
    // Each open container: what its values are, and whether it is an object.
    let mut open: Vec<(Place, bool)> = Vec::new();
    let mut place = Place::Schema;
    let mut is_reference = false;
    let mut lexer = Lexer::new(schema);
    while let Ok(kind) = lexer.peek() {
        match kind {
            Kind::Object | Kind::Array => {
                lexer.take(if kind == Kind::Object { b'{' } else { b'[' });
                open.push((place, kind == Kind::Object));
                if !lexer.take(if kind == Kind::Object { b'}' } else { b']' }) {
                    (place, is_reference) = enter(&mut lexer, &open);
                    continue;
                }
                open.pop();
            }
            Kind::String if is_reference => {
                let Ok(token) = lexer.string() else { break };
                let target = unescape(&schema[token.range.clone()]);
                if let Some(pointer) =
                    target.strip_prefix('#').filter(|p| p.is_empty() || p.starts_with('/'))
                {
                    out.push_str(&schema[copied..token.range.start]);
                    let mut moved = Vec::new();
                    escape_into(&format!("#/properties/result{pointer}"), &mut moved);
                    out.push_str(&String::from_utf8_lossy(&moved));
                    copied = token.range.end;
                }
            }
            _ => drop(lexer.value()),
        }
        // Leave what ends here, then step to the next value of what does not.
        while let Some(&(_, in_object)) = open.last() {
            if lexer.take(b',') {
                (place, is_reference) = enter(&mut lexer, &open);
                break;
            }
            lexer.take(if in_object { b'}' } else { b']' });
            open.pop();
        }
        if open.is_empty() {
            break;
        }
    }
    out.push_str(&schema[copied..]);
    out
}

/// The place of the next value in the innermost container, and whether it is a reference.
fn enter(lexer: &mut Lexer<'_>, open: &[(Place, bool)]) -> (Place, bool) {
    let (place, in_object) = open.last().copied().unwrap_or((Place::Schema, false));
    if !in_object {
        return (place, false);
    }
    let Ok(token) = lexer.string() else { return (place, false) };
    let name = unescape(&lexer.text()[token.range]);
    lexer.take(b':');
    let is_reference = place == Place::Schema && matches!(name.as_str(), "$dynamicRef" | "$ref");
    (place.of(&name), is_reference)
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

    #[test]
    fn wrapping_moves_references_and_nothing_else() {
        let schema = Schema::new(concat!(
            r##"{"$schema":"s","type":"array","items":{"$ref":"#/$defs/a"},"##,
            r##""$defs":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"other#/x"},{"$ref":"#anchor"}]},"##,
            r##""$ref":{"const":{"$ref":"#/no"}}},"properties":{"$ref":{"default":"#/no"}},"enum":[{"$ref":"#"}]}"##,
        ))
        .unwrap();
        let wrapped = schema.wrapped();
        assert!(wrapped.has_object_root());
        assert_eq!(
            wrapped.as_str(),
            concat!(
                r##"{"$schema":"s","type":"object","properties":{"result":{"type":"array","##,
                r##""items":{"$ref":"#/properties/result/$defs/a"},"##,
                r##""$defs":{"a":{"anyOf":[{"$ref":"#/properties/result"},{"$ref":"other#/x"},{"$ref":"#anchor"}]},"##,
                r##""$ref":{"const":{"$ref":"#/no"}}},"properties":{"$ref":{"default":"#/no"}},"enum":[{"$ref":"#"}]}},"##,
                r##""required":["result"]}"##,
            )
        );
        JsonText::new(wrapped.as_str()).unwrap();
    }

    #[test]
    fn a_root_with_a_base_uri_keeps_its_references() {
        let schema = Schema::new(r##"{"$id":"urn:x","items":{"$ref":"#/$defs/a"}}"##).unwrap();
        assert!(schema.wrapped().as_str().contains(r##"{"$ref":"#/$defs/a"}"##));
    }
}
