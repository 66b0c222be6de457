//! The models of all revisions, merged into tables of masks.

use std::collections::BTreeMap;

use crate::{
    corrections::CORRECTIONS,
    error::Error,
    model::{DIRECTIONS, Model, Models},
    revision::{Mask, REVISIONS, bit},
    shape::Shape,
};

/// Masks by name.
pub(crate) type Masks = BTreeMap<String, Mask>;

/// All tables.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// Members by type.
    pub(crate) types: BTreeMap<String, BTreeMap<String, Member>>,
    /// Methods.
    pub(crate) methods: BTreeMap<String, Method>,
    /// Arms by union.
    pub(crate) unions: BTreeMap<String, Masks>,
    /// Values by enum.
    pub(crate) enums: BTreeMap<String, Masks>,
}

/// Where a member exists.
#[derive(Debug, Default)]
pub(crate) struct Member {
    /// The revisions that define it.
    pub(crate) defined: Mask,
    /// The revisions that require it.
    pub(crate) required: Mask,
}

/// Where a method exists.
#[derive(Debug, Default)]
pub(crate) struct Method {
    /// The revisions that have it, a mask for each of [`DIRECTIONS`].
    pub(crate) directions: [Mask; 4],
    /// The type of its params.
    pub(crate) params: String,
    /// The type of its result; empty for a notification.
    pub(crate) result: String,
}

impl Tables {
    /// Merges all revisions.
    pub(crate) fn new(models: &Models) -> Result<Self, Error> {
        let mut tables = Self::default();
        for (revision, model) in models.revisions.iter().enumerate() {
            for name in model.definitions.keys() {
                tables.add_definition(name, revision, models);
            }
        }
        tables
            .unions
            .retain(|_, arms| !arms.keys().all(|arm| is_scalar(arm)));
        tables.correct(models)?;
        for (revision, model) in models.revisions.iter().enumerate() {
            for (direction, union) in DIRECTIONS.iter().enumerate() {
                for message in arms(model, union) {
                    tables.add_method(&message, revision, direction, models)?;
                }
            }
        }
        Ok(tables)
    }

    /// Adds a definition as it is at one revision.
    fn add_definition(&mut self, name: &str, revision: usize, models: &Models) {
        let model = &models.revisions[revision];
        if is_union(name, models) {
            // A name that is a union anywhere is one everywhere, if only of one arm.
            for (revision, model) in models.revisions.iter().enumerate() {
                add(&mut self.unions, name, revision, arms(model, name));
            }
            return;
        }
        match resolve(model, name) {
            Some(Shape::Enum(values)) => {
                add(&mut self.enums, name, revision, values.iter().cloned());
            }
            Some(Shape::Object(fields)) => {
                let members = self.types.entry(name.to_owned()).or_default();
                for (name, field) in fields {
                    let member = members.entry(name.clone()).or_default();
                    member.defined |= bit(revision);
                    if field.required {
                        member.required |= bit(revision);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the members that the schemas leave out.
    fn correct(&mut self, models: &Models) -> Result<(), Error> {
        for correction in CORRECTIONS {
            for name in correction.types {
                let fault = |revision: usize, found| Error::Correction {
                    place: format!("{name}.{}", correction.member),
                    revision: REVISIONS[revision],
                    found,
                };
                let mut applied = false;
                for (revision, model) in models.revisions.iter().enumerate() {
                    if correction.revisions & bit(revision) == 0 || resolve(model, name).is_none() {
                        continue;
                    }
                    let members = self.types.entry((*name).to_owned()).or_default();
                    let member = members.entry(correction.member.to_owned()).or_default();
                    if member.defined & bit(revision) != 0 {
                        return Err(fault(revision, "the schema has it"));
                    }
                    member.defined |= bit(revision);
                    applied = true;
                }
                if !applied {
                    let first = correction.revisions.trailing_zeros() as usize;
                    return Err(fault(first, "the schema has no such type"));
                }
            }
        }
        Ok(())
    }

    /// Adds the method of `message`, sent in `direction` at one revision.
    fn add_method(
        &mut self,
        message: &str,
        revision: usize,
        direction: usize,
        models: &Models,
    ) -> Result<(), Error> {
        let fields = match resolve(&models.revisions[revision], message) {
            Some(Shape::Object(fields)) => fields,
            _ => return Err(no_method(message, revision)),
        };
        let name = match fields.get("method").map(|field| &field.shape) {
            Some(Shape::Const(name)) => name.trim_matches('"').to_owned(),
            _ => return Err(no_method(message, revision)),
        };
        let params = models.params.get(&format!("{message}.params"));
        let result = match message.strip_suffix("Request") {
            Some(stem) => Some(format!("{stem}Result"))
                .filter(|result| self.types.contains_key(result))
                .unwrap_or_else(|| "EmptyResult".to_owned()),
            None => String::new(),
        };
        let method = self.methods.entry(name).or_default();
        method.directions[direction] |= bit(revision);
        method.params = params.cloned().unwrap_or_default();
        method.result = result;
        Ok(())
    }
}

/// Adds `names`, as they are at one revision, to the entry `name`.
fn add(
    table: &mut BTreeMap<String, Masks>,
    name: &str,
    revision: usize,
    names: impl IntoIterator<Item = String>,
) {
    let masks = table.entry(name.to_owned()).or_default();
    for name in names {
        *masks.entry(name).or_default() |= bit(revision);
    }
}

/// The names of the arms of a union; a reference to another union stands for its arms.
fn arms(model: &Model, name: &str) -> Vec<String> {
    match model.definitions.get(name) {
        Some(Shape::Union(arms)) => arms.iter().flat_map(|arm| arm_names(model, arm)).collect(),
        Some(shape) => arm_names(model, shape),
        None => match model.references.get(name) {
            Some(target) => arm_names(model, &Shape::Ref(target.clone())),
            None => Vec::new(),
        },
    }
}

/// The names of one arm.
fn arm_names(model: &Model, arm: &Shape) -> Vec<String> {
    match arm {
        Shape::Ref(target) if matches!(model.definitions.get(target), Some(Shape::Union(_))) => {
            arms(model, target)
        }
        arm => vec![arm.to_string()],
    }
}

/// Whether the name is a union at any revision.
fn is_union(name: &str, models: &Models) -> bool {
    let mut shapes = models
        .revisions
        .iter()
        .map(|model| model.definitions.get(name));
    shapes.any(|shape| matches!(shape, Some(Shape::Union(_)))) || DIRECTIONS.contains(&name)
}

/// Whether an arm is a plain value.
fn is_scalar(arm: &str) -> bool {
    matches!(arm, "boolean" | "integer" | "null" | "number" | "string")
}

/// The definition that `name` leads to.
fn resolve<'a>(model: &'a Model, name: &str) -> Option<&'a Shape> {
    match model.definitions.get(name)? {
        Shape::Ref(target) => model.definitions.get(target),
        shape => Some(shape),
    }
}

/// The error of a message without a method.
fn no_method(message: &str, revision: usize) -> Error {
    Error::Schema {
        file: format!("{}.json", REVISIONS[revision]),
        place: message.to_owned(),
        expected: "an object whose `method` is a const",
        found: "another shape".to_owned(),
    }
}
