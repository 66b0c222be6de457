//! What one revision changes of another, as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

use crate::{
    corrections::RENAMES,
    error::Error,
    model::{DIRECTIONS, Model, Models},
    revision::{REVISIONS, bit},
    shape::{Field, Shape},
    tables::{Tables, arms, resolve},
};

/// Lists what `to` adds (`+`), removes (`-`) and changes (`~`).
pub(crate) fn diff(models: &Models, from: usize, to: usize) -> Result<String, Error> {
    let (old, new) = (&models.revisions[from], &models.revisions[to]);
    let mut lines = Vec::new();
    rename_lines(models, from, to, &mut lines);
    let names: BTreeSet<&String> = old.definitions.keys().chain(new.definitions.keys()).collect();
    for name in names {
        definition_lines(name, old, new, &mut lines);
    }
    method_lines(&Tables::merge(models)?, from, to, &mut lines);
    if lines.is_empty() {
        lines.push("no difference".to_owned());
    }
    let title = format!("{} -> {}", REVISIONS[from], REVISIONS[to]);
    Ok(format!("{title}\n{}\n", lines.join("\n")))
}

/// The definitions that change their name; all other lines use the newest.
fn rename_lines(models: &Models, from: usize, to: usize, lines: &mut Vec<String>) {
    for rename in RENAMES {
        let name = |revision: usize| {
            let known = models.revisions[revision].definitions.contains_key(rename.to);
            let renamed = rename.revisions & bit(revision) != 0;
            known.then_some(if renamed { rename.from } else { rename.to })
        };
        if let (Some(old), Some(new)) = (name(from), name(to))
            && old != new
        {
            lines.push(format!("~ name {old} -> {new}"));
        }
    }
}

/// The lines of one definition.
fn definition_lines(name: &str, old: &Model, new: &Model, lines: &mut Vec<String>) {
    let (before, after) = match (old.definitions.get(name), new.definitions.get(name)) {
        (Some(before), Some(after)) if before != after => (before, after),
        (Some(shape), None) if !is_inline(name, shape) => {
            return lines.push(format!("- {}", definition(old, name, shape)));
        }
        (None, Some(shape)) if !is_inline(name, shape) => {
            return lines.push(format!("+ {}", definition(new, name, shape)));
        }
        // The same on both sides, or inline and told by the member that holds it.
        _ => return,
    };
    let mut kind = kind(after);
    let changes = match (resolve(old, name), resolve(new, name)) {
        (Some(Shape::Object(before)), Some(Shape::Object(after))) => {
            member_lines((old, before), (new, after))
        }
        (Some(Shape::Enum(before)), Some(Shape::Enum(after))) => name_lines(before, after),
        _ if [before, after].iter().any(|shape| matches!(shape, Shape::Union(_))) => {
            kind = "union";
            name_lines(&arms(old, name), &arms(new, name))
        }
        _ => vec![format!("    ~ {} -> {}", describe(old, before), describe(new, after))],
    };
    if !changes.is_empty() {
        lines.push(format!("~ {kind} {name}"));
        lines.extend(changes);
    }
}

/// The lines of an object's members.
fn member_lines(
    (old, before): (&Model, &BTreeMap<String, Field>),
    (new, after): (&Model, &BTreeMap<String, Field>),
) -> Vec<String> {
    let mut lines = Vec::new();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        match (before.get(name), after.get(name)) {
            (Some(field), None) => lines.push(format!("    - {}", member(old, name, field))),
            (None, Some(field)) => lines.push(format!("    + {}", member(new, name, field))),
            (Some(before), Some(after)) => {
                let need = |field: &Field| {
                    if field.required { "required" } else { "optional" }
                };
                if before.required != after.required {
                    lines.push(change(name, need(before), need(after)));
                }
                if before.shape != after.shape {
                    let (before, after) =
                        (describe(old, &before.shape), describe(new, &after.shape));
                    lines.push(change(name, before, after));
                }
            }
            (None, None) => {}
        }
    }
    lines
}

/// The lines of a union's arms or an enum's values.
fn name_lines(before: &[String], after: &[String]) -> Vec<String> {
    let names: BTreeSet<&String> = before.iter().chain(after).collect();
    names
        .into_iter()
        .filter_map(|name| match (before.contains(name), after.contains(name)) {
            (true, false) => Some(format!("    - {name}")),
            (false, true) => Some(format!("    + {name}")),
            _ => None,
        })
        .collect()
}

/// The lines of the methods, each with the directions that it gains or loses.
fn method_lines(tables: &Tables, from: usize, to: usize, lines: &mut Vec<String>) {
    for (name, method) in &tables.methods {
        let directions = |wanted: &dyn Fn(bool, bool) -> bool| {
            let masks = method.directions.iter().zip(DIRECTIONS);
            let names =
                masks.filter(|(mask, _)| wanted(*mask & bit(from) != 0, *mask & bit(to) != 0));
            names.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
        };
        for (sign, text) in [
            ("-", directions(&|before, after| before && !after)),
            ("+", directions(&|before, after| !before && after)),
        ] {
            if !text.is_empty() {
                lines.push(format!("{sign} method {name}: {text}"));
            }
        }
    }
}

/// A definition with its shape.
fn definition(model: &Model, name: &str, shape: &Shape) -> String {
    format!("{} {name}: {}", kind(shape), describe(model, shape))
}

/// A member with its shape: `title?: string`.
fn member(model: &Model, name: &str, field: &Field) -> String {
    let optional = if field.required { "" } else { "?" };
    format!("{name}{optional}: {}", describe(model, &field.shape))
}

/// A change of a member.
fn change(name: &str, before: impl Display, after: impl Display) -> String {
    format!("    ~ {name}: {before} -> {after}")
}

/// A shape as text, with inline unions and enums written out.
fn describe(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::Ref(name) => match model.definitions.get(name) {
            Some(shape) if is_inline(name, shape) => shape.to_string(),
            _ => name.clone(),
        },
        Shape::Array(item, limits) => {
            let text = describe(model, item);
            if text.contains('|') {
                format!("({text})[]{limits}")
            } else {
                format!("{text}[]{limits}")
            }
        }
        Shape::Map(value) if **value != Shape::Any => format!("map<{}>", describe(model, value)),
        shape => shape.to_string(),
    }
}

/// Whether the shape is a union or enum that the schema does not name.
fn is_inline(name: &str, shape: &Shape) -> bool {
    matches!(shape, Shape::Enum(_) | Shape::Union(_)) && name.contains(['.', '[', '{'])
}

/// What a definition is.
fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Enum(_) => "enum",
        Shape::Union(_) => "union",
        _ => "type",
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;
    use crate::workspace::models;

    #[test]
    fn tells_every_kind_of_change() {
        let old = json!({ "definitions": {
            "ClientRequest": { "anyOf": [{ "$ref": "#/definitions/PingRequest" }] },
            "Gone": { "type": "array", "items": { "type": "string" } },
            "Level": { "enum": ["info", "trace"], "type": "string" },
            "PingRequest": {
                "properties": { "method": { "const": "ping", "type": "string" } },
                "required": ["method"],
                "type": "object"
            },
            "Tool": {
                "properties": {
                    "content": { "anyOf": [{ "$ref": "#/definitions/Gone" }, { "type": "string" }] },
                    "name": { "type": "string" },
                    "size": { "minimum": 0, "type": "integer" },
                    "theme": { "enum": ["dark"], "type": "string" }
                },
                "required": ["name"],
                "type": "object"
            }
        } });
        let new = json!({ "$defs": {
            "Block": { "type": "object" },
            "ClientRequest": { "anyOf": [{ "$ref": "#/$defs/ListRequest" }] },
            "Level": { "enum": ["info", "error"], "type": "string" },
            "ListRequest": {
                "properties": { "method": { "const": "list", "type": "string" } },
                "required": ["method"],
                "type": "object"
            },
            "Tool": {
                "properties": {
                    "content": { "$ref": "#/$defs/Block" },
                    "name": { "type": "string" },
                    "size": { "minimum": 1, "type": "integer" },
                    "theme": { "enum": ["dark", "light"], "type": "string" },
                    "title": { "type": "string" }
                },
                "required": ["size"],
                "type": "object"
            }
        } });
        let models = models(&[old, new]).unwrap();
        assert_eq!(
            diff(&models, 0, 1).unwrap(),
            "\
2024-11-05 -> 2025-03-26
+ type Block: map
~ union ClientRequest
    + ListRequest
    - PingRequest
- type Gone: string[]
~ enum Level
    + error
    - trace
+ type ListRequest: {method}
- type PingRequest: {method}
~ type Tool
    ~ content: Gone|string -> Block
    ~ name: required -> optional
    ~ size: optional -> required
    ~ size: integer (minimum 0) -> integer (minimum 1)
    + title?: string
~ enum Tool.theme
    + light
+ method list: ClientRequest
- method ping: ClientRequest
"
        );
        assert_eq!(diff(&models, 1, 1).unwrap(), "2025-03-26 -> 2025-03-26\nno difference\n");
    }
}
