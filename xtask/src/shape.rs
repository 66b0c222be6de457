//! What a schema says, once every object, union and enum has a name.

use std::{collections::BTreeMap, fmt};

/// The shape of a value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// A list, with its limits as text.
    Array(Box<Shape>, String),
    /// One value, as JSON text.
    Const(String),
    /// One of some strings.
    Enum(Vec<String>),
    /// An object without named members.
    Map(Box<Shape>),
    /// An object with named members.
    Object(BTreeMap<String, Field>),
    /// A definition.
    Ref(String),
    /// A string, number, boolean or null, with its limits as text.
    Scalar(String, String),
    /// One of some shapes.
    Union(Vec<Shape>),
}

/// A named member of an object.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Field {
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What it holds.
    pub(crate) shape: Shape,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Array(item, limits) => write!(f, "{item}[]{limits}"),
            Self::Const(value) => f.write_str(value),
            Self::Enum(values) => write!(f, "\"{}\"", values.join("\"|\"")),
            Self::Map(value) if **value == Self::Any => f.write_str("map"),
            Self::Map(value) => write!(f, "map<{value}>"),
            Self::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, field)| format!("{name}{}", if field.required { "" } else { "?" }))
                    .collect();
                write!(f, "{{{}}}", members.join(", "))
            }
            Self::Ref(name) => f.write_str(name),
            Self::Scalar(name, limits) => write!(f, "{name}{limits}"),
            Self::Union(arms) => {
                let arms: Vec<String> = arms.iter().map(Self::to_string).collect();
                f.write_str(&arms.join("|"))
            }
        }
    }
}
