//! A revision's definitions under today's names, with every inline object, union and enum named.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    corrections::NAMES,
    error::Error,
    revision::REVISIONS,
    shape::{Field, Shape},
    source::{Source, array, has_members, limits},
};

/// The unions that say which message goes which way.
pub(crate) const DIRECTIONS: [&str; 4] =
    ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"];

/// The definitions of one revision.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// Shapes by name; a name such as `Icon.theme` is of an inline schema.
    pub(crate) definitions: BTreeMap<String, Shape>,
    /// Which definition a member refers to, by its place.
    pub(crate) references: BTreeMap<String, String>,
}

/// The models of all revisions.
#[derive(Debug)]
pub(crate) struct Models {
    /// One a revision, in their order.
    pub(crate) revisions: Vec<Model>,
    /// The type of each message's params, by place: `PingRequest.params` is `RequestParams`.
    pub(crate) params: BTreeMap<String, String>,
}

/// Builds the models of all `sources`, which are in the order of their revisions.
pub(crate) fn build(sources: &[Source<'_>]) -> Result<Models, Error> {
    let params = params(sources)?;
    let revisions = sources
        .iter()
        .map(|source| {
            let mut builder = Builder { model: Model::default(), params: &params, source };
            for (name, schema) in source.definitions()? {
                let name = source.name(name);
                let shape = builder.shape(&name, schema)?;
                builder.define(name, shape)?;
            }
            builder.unfold_single_arms();
            Ok(builder.model)
        })
        .collect::<Result<_, _>>()?;
    Ok(Models { revisions, params })
}

/// The type of each message's params, by place: the name in the newest revision that has them.
fn params(sources: &[Source<'_>]) -> Result<BTreeMap<String, String>, Error> {
    let mut params = BTreeMap::new();
    for source in sources {
        for (name, schema) in source.definitions()? {
            let Some(schema) = schema.pointer("/properties/params") else {
                continue;
            };
            let place = format!("{}.params", source.name(name));
            let name = match schema.get("$ref").and_then(Value::as_str) {
                Some(reference) => source.name(source.target(reference)?.0),
                None => inline_name(&place)
                    .map_or_else(|| place.replace(".params", "Params"), str::to_owned),
            };
            params.insert(place, name);
        }
    }
    Ok(params)
}

/// The name that a later revision gives to the object at `place`.
fn inline_name(place: &str) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(key, _)| *key == place || (key.starts_with('.') && place.ends_with(key)))
        .map(|(_, name)| *name)
}

/// Builds one model.
struct Builder<'a> {
    model: Model,
    params: &'a BTreeMap<String, String>,
    source: &'a Source<'a>,
}

impl<'a> Builder<'a> {
    /// The shape of `schema`, which is named `name`; what is inline in it is defined on the way.
    fn shape(&mut self, name: &str, schema: &'a Value) -> Result<Shape, Error> {
        let forms = ["$ref", "properties", "allOf", "anyOf", "oneOf", "enum"];
        let given = forms.iter().filter(|form| match schema.get(**form) {
            Some(Value::Object(properties)) => !properties.is_empty(),
            form => form.is_some(),
        });
        if given.count() > 1 {
            let expected = "one of `$ref`, `properties`, `allOf`, `anyOf`, `oneOf`, `enum`";
            return Err(self.source.fault(name, expected, schema));
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let (target, _) = self.source.target(reference)?;
            return Ok(Shape::Ref(self.source.name(target)));
        }
        if has_members(schema) {
            let mut properties = BTreeMap::new();
            self.source.merge(schema, &mut properties)?;
            let mut fields = BTreeMap::new();
            for (member, (schema, required)) in properties {
                let shape = self.child(format!("{name}.{member}"), schema)?;
                fields.insert(member.to_owned(), Field { required, shape });
            }
            return Ok(Shape::Object(fields));
        }
        if schema.get("anyOf").or(schema.get("oneOf")).is_some() {
            let mut shapes = Vec::new();
            for arm in array(schema, "anyOf").iter().chain(array(schema, "oneOf")) {
                match self.arm(name, arm)? {
                    Shape::Union(arms) => shapes.extend(arms),
                    shape => shapes.push(shape),
                }
            }
            return Ok(Shape::Union(shapes));
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let values = values.iter().map(|value| {
                let text = value.as_str().map(str::to_owned);
                text.ok_or_else(|| self.source.fault(name, "an enum of strings", value))
            });
            return Ok(Shape::Enum(values.collect::<Result<_, _>>()?));
        }
        if let Some(value) = schema.get("const") {
            return Ok(Shape::Const(value.to_string()));
        }
        Ok(match schema.get("type") {
            None => Shape::Any,
            Some(Value::Array(names)) => Shape::Union(
                names
                    .iter()
                    .filter_map(Value::as_str)
                    .map(|name| Shape::Scalar(name.to_owned(), String::new()))
                    .collect(),
            ),
            Some(Value::String(kind)) if kind == "array" => {
                let items = match schema.get("items") {
                    Some(items) => self.child(format!("{name}[]"), items)?,
                    None => Shape::Any,
                };
                Shape::Array(items.into(), limits(schema))
            }
            Some(Value::String(kind)) if kind == "object" => {
                let values = match schema.get("additionalProperties") {
                    Some(values) => self.child(format!("{name}{{}}"), values)?,
                    None => Shape::Any,
                };
                Shape::Map(values.into())
            }
            Some(Value::String(kind)) => Shape::Scalar(kind.clone(), limits(schema)),
            Some(other) => return Err(self.source.fault(name, "a type", other)),
        })
    }

    /// The shape at `place` inside another: objects, unions and enums are defined and referred to.
    fn child(&mut self, place: String, schema: &'a Value) -> Result<Shape, Error> {
        let own = self.params.get(&place).cloned();
        let known = inline_name(&place).or(own.as_deref());
        let name = known.filter(|_| has_members(schema)).unwrap_or(&place).to_owned();
        let shape = match self.shape(&name, schema)? {
            shape @ (Shape::Enum(_) | Shape::Object(_) | Shape::Union(_)) => {
                self.define(name.clone(), shape)?;
                Shape::Ref(name)
            }
            shape => shape,
        };
        if let Shape::Ref(target) = &shape {
            if let Some(own) = own.filter(|own| own != target) {
                self.define(own, shape.clone())?;
            }
            self.model.references.insert(place, target.clone());
        }
        Ok(shape)
    }

    /// The shape of an arm of the union `name`.
    fn arm(&mut self, name: &str, schema: &'a Value) -> Result<Shape, Error> {
        if schema.get("type").is_some_and(|kind| kind == "array") {
            let mut definitions = self.source.definitions()?.iter();
            if let Some((known, _)) = definitions.find(|(_, known)| *known == schema) {
                return Ok(Shape::Ref(self.source.name(known)));
            }
        }
        match self.shape(name, schema)? {
            Shape::Enum(_) | Shape::Object(_) => {
                Err(self.source.fault(name, "arms that are named", schema))
            }
            shape => Ok(shape),
        }
    }

    /// Adds a definition; one that is there already must be the same.
    fn define(&mut self, name: String, shape: Shape) -> Result<(), Error> {
        match self.model.definitions.get(&name) {
            Some(first) if *first != shape => Err(Error::Conflict {
                revision: REVISIONS[self.source.revision],
                name,
                first: first.to_string(),
                second: shape.to_string(),
            }),
            _ => {
                self.model.definitions.insert(name, shape);
                Ok(())
            }
        }
    }

    /// Turns a direction that has one message, which the schemas write as a copy, into a reference.
    fn unfold_single_arms(&mut self) {
        for name in DIRECTIONS {
            let definitions = &self.model.definitions;
            let Some(copy @ Shape::Object(_)) = definitions.get(name) else {
                continue;
            };
            let original =
                definitions.iter().find(|(other, shape)| *other != name && *shape == copy);
            if let Some((original, _)) = original {
                let original = Shape::Ref(original.clone());
                self.model.definitions.insert(name.to_owned(), original);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;
    use crate::workspace::models;

    /// The definitions of one schema as text.
    fn shapes(definitions: Value) -> Result<Vec<String>, Error> {
        let models = models(&[json!({ "definitions": definitions })])?;
        let definitions = models.revisions[0].definitions.iter();
        Ok(definitions.map(|(name, shape)| format!("{name}: {shape}")).collect())
    }

    #[test]
    fn names_what_is_inline() {
        let definitions = json!({ "Tool": { "properties": {
            "annotations": { "properties": { "priority": { "maximum": 1, "type": "number" } } },
            "icons": { "items": { "properties": { "theme": { "enum": ["dark"] } } }, "type": "array" },
            "meta": { "additionalProperties": {}, "properties": {}, "type": "object" },
            "size": { "type": ["integer", "null"] },
        } } });
        assert_eq!(
            shapes(definitions).unwrap(),
            [
                "Annotations: {priority?}",
                "Tool: {annotations?, icons?, meta?, size?}",
                "Tool.icons[]: {theme?}",
                "Tool.icons[].theme: \"dark\"",
                "Tool.size: integer|null",
            ]
        );
    }

    #[test]
    fn merges_what_an_object_extends() {
        let definitions = json!({
            "Base": { "properties": { "a": { "type": "string" }, "b": {} }, "required": ["a"] },
            "Derived": { "allOf": [
                { "$ref": "#/definitions/Base" },
                { "properties": { "a": { "const": "x" }, "c": {} }, "required": ["c"] }
            ] }
        });
        let models = models(&[json!({ "definitions": definitions })]).unwrap();
        let Shape::Object(fields) = &models.revisions[0].definitions["Derived"] else {
            panic!("expected an object");
        };
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, field)| format!("{name} {} {}", field.shape, field.required))
            .collect();
        assert_eq!(fields, ["a \"x\" true", "b any false", "c any true"]);
    }

    #[test]
    fn gives_params_and_definitions_their_newest_name() {
        let old = json!({ "definitions": {
            "JSONRPCError": { "properties": { "id": {} } },
            "ListRequest": { "properties": { "params": { "properties": { "cursor": {} } } } },
            "PingRequest": { "properties": { "params": { "properties": { "flag": {} } } } }
        } });
        let new = json!({ "$defs": {
            "ListRequest": { "properties": { "params": { "$ref": "#/$defs/PageParams" } } },
            "PageParams": { "properties": { "cursor": {} } }
        } });
        let models = models(&[old, new]).unwrap();
        let names: Vec<&String> = models.revisions[0].definitions.keys().collect();
        assert_eq!(
            names,
            [
                "JSONRPCErrorResponse",
                "ListRequest",
                "PageParams",
                "PingRequest",
                "PingRequestParams"
            ]
        );
    }

    #[test]
    fn knows_a_direction_of_one_message() {
        let message = json!({ "properties": { "method": { "const": "bye" } } });
        let definitions = json!({ "ByeNotification": message, "ClientNotification": message });
        assert_eq!(
            shapes(definitions).unwrap(),
            ["ByeNotification: {method?}", "ClientNotification: ByeNotification"]
        );
    }

    #[test]
    fn explains_what_it_cannot_read() {
        let file = "2024-11-05.json";
        for (definitions, text) in [
            (
                json!({ "A": { "$ref": "#/definitions/B" } }),
                format!("{file}: $ref: expected the name of a definition, found #/definitions/B"),
            ),
            (
                json!({ "A": { "enum": [1] } }),
                format!("{file}: A: expected an enum of strings, found 1"),
            ),
            (
                json!({ "A": { "anyOf": [{ "properties": { "b": {} } }] } }),
                format!(
                    "{file}: A: expected arms that are named, found {{\"properties\":{{\"b\":{{}}}}}}"
                ),
            ),
            (
                json!({ "A": { "anyOf": [], "enum": [] } }),
                format!(
                    "{file}: A: expected one of `$ref`, `properties`, `allOf`, `anyOf`, `oneOf`, \
                     `enum`, found {{\"anyOf\":[],\"enum\":[]}}"
                ),
            ),
            (
                json!({ "A": { "properties": { "annotations": { "properties": { "b": {} } } } },
                    "B": { "properties": { "annotations": { "properties": { "c": {} } } } } }),
                "2024-11-05: `Annotations` has two different shapes: {b?} and {c?}; \
                 name one of them in corrections.rs"
                    .to_owned(),
            ),
        ] {
            assert_eq!(shapes(definitions).unwrap_err().to_string(), text);
        }
        let error = models(&[json!({})]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{file}: #: expected `$defs` or `definitions`, found neither")
        );
    }
}
