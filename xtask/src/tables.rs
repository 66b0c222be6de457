//! The models of all revisions, merged into tables of masks.

use std::collections::BTreeMap;

use crate::{
    corrections::{CORRECTIONS, Correction},
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
    /// Merges all revisions and adds what the schemas leave out.
    pub(crate) fn new(models: &Models) -> Result<Self, Error> {
        let mut tables = Self::merge(models)?;
        tables.correct(CORRECTIONS, models)?;
        Ok(tables)
    }

    /// Merges all revisions as the schemas have them.
    pub(crate) fn merge(models: &Models) -> Result<Self, Error> {
        let mut tables = Self::default();
        check_names(models)?;
        for (revision, model) in models.revisions.iter().enumerate() {
            for name in model.definitions.keys() {
                tables.add_definition(name, revision, models);
            }
        }
        tables.unions.retain(|_, arms| !arms.keys().all(|arm| is_scalar(arm)));
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
    fn correct(&mut self, corrections: &[Correction], models: &Models) -> Result<(), Error> {
        for correction in corrections {
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

/// Fails if an object is inline at one revision and has a name at another: it would be two types.
fn check_names(models: &Models) -> Result<(), Error> {
    for (revision, model) in models.revisions.iter().enumerate() {
        for (place, target) in &model.references {
            let mut others = models.revisions.iter();
            let inline = others.any(|other| is_object(other, place));
            if inline && place != target && is_object(model, target) {
                return Err(Error::Schema {
                    file: format!("{}.json", REVISIONS[revision]),
                    place: place.clone(),
                    expected: "an inline object as at another revision, or its name in corrections.rs",
                    found: target.clone(),
                });
            }
        }
    }
    Ok(())
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
pub(crate) fn arms(model: &Model, name: &str) -> Vec<String> {
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
    let mut shapes = models.revisions.iter().map(|model| model.definitions.get(name));
    shapes.any(|shape| matches!(shape, Some(Shape::Union(_)))) || DIRECTIONS.contains(&name)
}

/// Whether the definition is an object with named members.
fn is_object(model: &Model, name: &str) -> bool {
    matches!(resolve(model, name), Some(Shape::Object(_)))
}

/// Whether an arm is a plain value.
fn is_scalar(arm: &str) -> bool {
    matches!(arm, "boolean" | "integer" | "null" | "number" | "string")
}

/// The definition that `name` leads to.
pub(crate) fn resolve<'a>(model: &'a Model, name: &str) -> Option<&'a Shape> {
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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;
    use crate::workspace::models;

    #[test]
    fn a_union_keeps_its_arms_when_it_gets_a_name() {
        let old = json!({ "definitions": {
            "A": { "type": "object" },
            "Result": { "properties": { "content": {
                "items": { "anyOf": [{ "$ref": "#/definitions/A" }] }, "type": "array"
            } } }
        } });
        let new = json!({ "$defs": {
            "A": { "type": "object" },
            "B": { "type": "object" },
            "Block": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }] },
            "Result": { "properties": { "content": {
                "items": { "$ref": "#/$defs/Block" }, "type": "array"
            } } }
        } });
        let tables = Tables::merge(&models(&[old, new]).unwrap()).unwrap();
        let masks = |name: &str| tables.unions[name].clone().into_iter().collect::<Vec<_>>();
        let arm = |name: &str, mask| (name.to_owned(), mask);
        assert_eq!(masks("Block"), [arm("A", 0b10), arm("B", 0b10)]);
        assert_eq!(masks("Result.content[]"), [arm("A", 0b11), arm("B", 0b10)]);
    }

    #[test]
    fn refuses_an_object_that_gets_a_name_unseen() {
        let old = json!({ "definitions": {
            "Tool": { "properties": { "icon": { "properties": { "src": {} } } } }
        } });
        let new = json!({ "$defs": {
            "Icon": { "properties": { "src": {} } },
            "Tool": { "properties": { "icon": { "$ref": "#/$defs/Icon" } } }
        } });
        let error = Tables::merge(&models(&[old, new]).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2025-03-26.json: Tool.icon: expected an inline object as at another revision, \
             or its name in corrections.rs, found Icon"
        );
    }

    #[test]
    fn refuses_a_message_without_a_method() {
        let schema = json!({ "definitions": {
            "ClientRequest": { "anyOf": [{ "$ref": "#/definitions/PingRequest" }] },
            "PingRequest": { "properties": { "method": { "type": "string" } } }
        } });
        let error = Tables::merge(&models(&[schema]).unwrap()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2024-11-05.json: PingRequest: expected an object whose `method` is a const, \
             found another shape"
        );
    }

    #[test]
    fn refuses_a_correction_that_does_not_apply() {
        let schema = json!({ "definitions": { "Params": { "properties": { "_meta": {} } } } });
        let models = models(&[schema]).unwrap();
        let correct = |types: &'static [&'static str], member| {
            let correction = Correction { types, member, revisions: 0b11 };
            let mut tables = Tables::merge(&models)?;
            tables.correct(&[correction], &models)?;
            Ok::<_, Error>(tables.types["Params"][member].defined)
        };
        assert_eq!(correct(&["Params"], "extra").unwrap(), 0b1);
        assert_eq!(
            correct(&["Params"], "_meta").unwrap_err().to_string(),
            "correction of `Params._meta`: expected it to be missing there at 2024-11-05, \
             but the schema has it; review the table in corrections.rs"
        );
        assert_eq!(
            correct(&["Other"], "_meta").unwrap_err().to_string(),
            "correction of `Other._meta`: expected it to be missing there at 2024-11-05, \
             but the schema has no such type; review the table in corrections.rs"
        );
    }
}
