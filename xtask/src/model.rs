//! A revision's definitions under today's names, with every inline object, union and enum named.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{
    corrections::{NAMES, RENAMES},
    error::Error,
    revision::{REVISIONS, bit},
    shape::{Field, Shape},
};

/// The unions that say which message goes which way.
pub(crate) const DIRECTIONS: [&str; 4] = [
    "ClientRequest",
    "ServerRequest",
    "ClientNotification",
    "ServerNotification",
];

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

/// A reduced schema.
pub(crate) struct Source<'a> {
    /// The index of its revision.
    pub(crate) revision: usize,
    /// The schema.
    pub(crate) schema: &'a Value,
}

impl<'a> Source<'a> {
    /// The definitions, under the names the schema gives them.
    fn definitions(&self) -> Result<&'a Map<String, Value>, Error> {
        ["$defs", "definitions"]
            .iter()
            .find_map(|key| self.schema.get(key)?.as_object())
            .ok_or_else(|| self.fault("#", "`$defs` or `definitions`", "neither"))
    }

    /// What a reference names, under its own name.
    fn target(&self, reference: &'a str) -> Result<(&'a str, &'a Value), Error> {
        reference
            .strip_prefix("#/$defs/")
            .or_else(|| reference.strip_prefix("#/definitions/"))
            .and_then(|name| Some((name, self.definitions().ok()?.get(name)?)))
            .ok_or_else(|| self.fault("$ref", "the name of a definition", reference))
    }

    /// Today's name of a definition.
    fn name(&self, name: &str) -> String {
        RENAMES
            .iter()
            .find(|rename| rename.from == name && rename.revisions & bit(self.revision) != 0)
            .map_or(name, |rename| rename.to)
            .to_owned()
    }

    /// The error that names this revision.
    fn fault(&self, place: &str, expected: &'static str, found: impl ToString) -> Error {
        Error::Schema {
            file: format!("{}.json", REVISIONS[self.revision]),
            place: place.to_owned(),
            expected,
            found: found.to_string(),
        }
    }
}

/// Builds the models of all `sources`, which are in the order of their revisions.
pub(crate) fn build(sources: &[Source<'_>]) -> Result<Models, Error> {
    let params = params(sources)?;
    let revisions = sources
        .iter()
        .map(|source| {
            let mut builder = Builder {
                model: Model::default(),
                params: &params,
                source,
            };
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
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return Ok(Shape::Ref(
                self.source.name(self.source.target(reference)?.0),
            ));
        }
        if has_members(schema) {
            let mut properties = BTreeMap::new();
            self.merge(schema, &mut properties)?;
            let mut fields = BTreeMap::new();
            for (member, (schema, required)) in properties {
                let shape = self.child(format!("{name}.{member}"), schema)?;
                fields.insert(member.to_owned(), Field { required, shape });
            }
            return Ok(Shape::Object(fields));
        }
        if let Some(arms) = ["anyOf", "oneOf"]
            .iter()
            .find_map(|key| schema.get(key)?.as_array())
        {
            let mut shapes = Vec::new();
            for arm in arms {
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
        let name = match inline_name(&place) {
            Some(name) if has_members(schema) => name.to_owned(),
            _ => own
                .clone()
                .filter(|_| has_members(schema))
                .unwrap_or_else(|| place.clone()),
        };
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

    /// The properties of an object, and of all it merges; of two with one name the later wins.
    fn merge(
        &self,
        schema: &'a Value,
        properties: &mut BTreeMap<&'a str, (&'a Value, bool)>,
    ) -> Result<(), Error> {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.merge(self.source.target(reference)?.1, properties);
        }
        for part in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.merge(part, properties)?;
        }
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let required = properties
                .get(name.as_str())
                .is_some_and(|(_, required)| *required);
            properties.insert(name, (property, required));
        }
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Some((_, required)) = name.as_str().and_then(|name| properties.get_mut(name)) {
                *required = true;
            }
        }
        Ok(())
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
            let original = definitions
                .iter()
                .find(|(other, shape)| *other != name && *shape == copy);
            if let Some((original, _)) = original {
                let original = Shape::Ref(original.clone());
                self.model.definitions.insert(name.to_owned(), original);
            }
        }
    }
}

/// Whether the schema is an object with named members.
fn has_members(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    schema.get("allOf").is_some() || properties.is_some_and(|properties| !properties.is_empty())
}

/// The limits of a string, number or list, as text.
fn limits(schema: &Value) -> String {
    let mut limits: Vec<String> = schema
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "default" | "items" | "type"))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    limits.sort();
    if limits.is_empty() {
        String::new()
    } else {
        format!(" ({})", limits.join(", "))
    }
}
