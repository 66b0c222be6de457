//! Moving a JSON Schema to another place of its document.

use std::ops::Range;

use crate::json::JsonText;
use crate::lex::{Kind, Lexer};
use crate::text::{escape_into, unescape};

/// What a schema's `$schema` says of identifiers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Dialect {
    /// Draft 4 and older: `id` is the identifier.
    Old,
    /// Drafts 6 and 7: `$id` is, and means nothing beside `$ref`.
    Middle,
    /// Since 2019-09, and where nothing is said.
    New,
}

impl Dialect {
    pub(crate) fn of(schema: Option<&JsonText>) -> Self {
        let uri: String = schema.and_then(|json| json.parse().ok()).unwrap_or_default();
        let is_one_of = |drafts: &[&str]| drafts.iter().any(|draft| uri.contains(draft));
        match () {
            () if is_one_of(&["draft-03", "draft-04"]) => Self::Old,
            () if is_one_of(&["draft-06", "draft-07"]) => Self::Middle,
            () => Self::New,
        }
    }

    fn identifier(self) -> &'static str {
        if self == Self::Old { "id" } else { "$id" }
    }
}

/// The schema with every reference into its own document led to where the schema stands from now on:
/// at the pointer `to`.
///
/// References inside a schema that has an identifier are relative to that, and stay. Anchors keep
/// their names. `$recursiveRef` becomes a `$ref` to the root: all that leads to it is in this
/// document, so that the outermost schema it may mean is the root.
pub(crate) fn moved(schema: &str, to: &str, dialect: Dialect) -> String {
    let mut edits = Edits { schema, to, dialect, found: Vec::new(), open: Vec::new() };
    edits.walk(&mut Lexer::new(schema));
    let mut out = String::with_capacity(schema.len() + 32);
    let mut copied = 0;
    for (range, text) in edits.found {
        out.push_str(&schema[copied..range.start]);
        out.push_str(&text);
        copied = range.end;
    }
    out.push_str(&schema[copied..]);
    out
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

/// A container that is being read.
struct Open {
    /// What its values are.
    place: Place,
    is_object: bool,
    /// How many edits there were before it.
    edits: usize,
    /// Whether it has an identifier, and a `$ref`.
    is_identified: bool,
    refers: bool,
}

/// The next value of a container.
struct Next {
    place: Place,
    /// Its name, where that is a keyword, and where the name stands.
    keyword: Option<(String, Range<usize>)>,
}

/// The edits that move a schema. One pass, and no look ahead: an identifier takes back what was found
/// in its schema before it.
struct Edits<'s> {
    schema: &'s str,
    to: &'s str,
    dialect: Dialect,
    found: Vec<(Range<usize>, String)>,
    open: Vec<Open>,
}

impl Edits<'_> {
    /// Walks the document; one that is not well-formed is left as it is from there on.
    fn walk(&mut self, lexer: &mut Lexer<'_>) {
        let mut next = Next { place: Place::Schema, keyword: None };
        while let Ok(kind) = lexer.peek() {
            match kind {
                Kind::Object | Kind::Array => {
                    let is_object = kind == Kind::Object;
                    lexer.take(if is_object { b'{' } else { b'[' });
                    let (place, edits) = (next.place, self.found.len());
                    self.open.push(Open {
                        place,
                        is_object,
                        edits,
                        is_identified: false,
                        refers: false,
                    });
                    if !lexer.take(if is_object { b'}' } else { b']' }) {
                        next = self.enter(lexer);
                        continue;
                    }
                    self.leave();
                }
                Kind::String => {
                    let Ok(token) = lexer.string() else { return };
                    if let Some((name, at)) = &next.keyword {
                        self.keyword(name, at, token.range);
                    }
                }
                _ => drop(lexer.value()),
            }
            // Leave what ends here, then step to the next value of what does not.
            while let Some(open) = self.open.last() {
                if lexer.take(b',') {
                    next = self.enter(lexer);
                    break;
                }
                lexer.take(if open.is_object { b'}' } else { b']' });
                self.leave();
            }
            if self.open.is_empty() {
                return;
            }
        }
    }

    /// Steps to the next value of the innermost container.
    fn enter(&self, lexer: &mut Lexer<'_>) -> Next {
        let nothing = Next { place: Place::Data, keyword: None };
        let Some(open) = self.open.last() else { return nothing };
        if !open.is_object {
            return Next { place: open.place, keyword: None };
        }
        let Ok(token) = lexer.string() else { return nothing };
        let name = unescape(&lexer.text()[token.range.clone()]);
        lexer.take(b':');
        let place = open.place.of(&name);
        let keyword = (open.place == Place::Schema).then_some((name, token.range));
        Next { place, keyword }
    }

    /// Leaves the innermost container.
    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let is_base = open.is_identified && !(self.dialect == Dialect::Middle && open.refers);
        if is_base {
            self.found.truncate(open.edits);
        }
    }

    /// Notes what a keyword with a text for its value says.
    fn keyword(&mut self, name: &str, at: &Range<usize>, value: Range<usize>) {
        let target = unescape(&self.schema[value.clone()]);
        let Some(open) = self.open.last_mut() else { return };
        match name {
            "$ref" | "$dynamicRef" => open.refers |= name == "$ref",
            "$recursiveRef" if target == "#" => self.found.push((at.clone(), "$ref".to_owned())),
            _ => {
                // A fragment by itself is an anchor, and no base.
                let is_base = !target.is_empty() && !target.starts_with('#');
                open.is_identified |= name == self.dialect.identifier() && is_base;
                return;
            }
        }
        if let Some(pointer) = target
            .strip_prefix('#')
            .filter(|pointer| pointer.is_empty() || pointer.starts_with('/'))
        {
            let mut text = Vec::new();
            escape_into(&format!("#{}{pointer}", self.to), &mut text);
            self.found.push((value, String::from_utf8_lossy(&text).into_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

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
    fn references_stay_inside_what_has_an_identifier() {
        let draft = |draft: &str| {
            JsonText::new(format!(r#""http://json-schema.org/{draft}/schema#""#)).unwrap()
        };
        let [old, middle] = ["draft-04", "draft-07"].map(|name| Dialect::of(Some(&draft(name))));
        for (dialect, before, after) in [
            (Dialect::New, r##"{"$ref":"#/a","$id":"x"}"##, r##"{"$ref":"#/a","$id":"x"}"##),
            (middle, r##"{"$ref":"#/a","$id":"x"}"##, r##"{"$ref":"#/to/a","$id":"x"}"##),
            (middle, r##"{"not":{"$ref":"#"},"$id":"x"}"##, r##"{"not":{"$ref":"#"},"$id":"x"}"##),
            (
                middle,
                r##"{"not":{"$ref":"#"},"$id":"#x"}"##,
                r##"{"not":{"$ref":"#/to"},"$id":"#x"}"##,
            ),
            (old, r##"{"id":"x","not":{"$ref":"#"}}"##, r##"{"id":"x","not":{"$ref":"#"}}"##),
            (
                Dialect::New,
                r##"{"id":"x","properties":{"$id":{"$ref":"#"}},"not":{"$id":"x","not":{"$ref":"#/a"}},"if":{"$ref":"#"}}"##,
                r##"{"id":"x","properties":{"$id":{"$ref":"#/to"}},"not":{"$id":"x","not":{"$ref":"#/a"}},"if":{"$ref":"#/to"}}"##,
            ),
            (
                Dialect::New,
                r##"{"const":{"$id":"x"},"not":{"$ref":"#"}}"##,
                r##"{"const":{"$id":"x"},"not":{"$ref":"#/to"}}"##,
            ),
            (Dialect::New, r##"{"not":{"$recursiveRef":"#"}}"##, r##"{"not":{"$ref":"#/to"}}"##),
            (
                Dialect::New,
                r##"{"not":{"$dynamicRef":"#a","$anchor":"b"}}"##,
                r##"{"not":{"$dynamicRef":"#a","$anchor":"b"}}"##,
            ),
        ] {
            assert_eq!(moved(before, "/to", dialect), after, "{before}");
        }
    }
}
