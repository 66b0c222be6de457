//! The forms of elicitation: flat objects of primitive properties.

use crate::feature::{Feature, FeatureSet};
use crate::json::Extensions;
use crate::lower::{Lower, LowerError, Lowering, lowering, lowering_whole};
use crate::number::Number;
use crate::text::Text;
use crate::unknown::Item;

/// What a form asks for; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestedSchema {
    /// `$schema`; since 2025-11-25.
    pub dialect: Option<Text>,
    /// The properties by name, in order. One that could not be read is carried as it came.
    pub properties: Vec<(Text, Item<PrimitiveSchema>)>,
    /// The names of those that must be filled in.
    pub required: Option<Vec<Text>>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl RequestedSchema {
    /// Lowers every property on its own; one that is dropped is not required either.
    fn lower_properties(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        let mut dropped = Vec::new();
        cx.member("properties", |cx| {
            for (name, property) in &mut self.properties {
                cx.named(name, |cx| match property {
                    Item::Known(property) => property.lower(cx),
                    Item::Unknown(_) => {
                        dropped.push(name.clone());
                        let note = "a property that its own revision cannot read has no form in \
                                    another";
                        cx.dropped(Feature::UnknownContent, note)
                    }
                })?;
            }
            Ok(())
        })?;
        self.properties.retain(|(_, property)| matches!(property, Item::Known(_)));
        let Some(required) = &mut self.required else { return Ok(()) };
        if required.iter().any(|name| dropped.contains(name)) {
            required.retain(|name| !dropped.contains(name));
            let note = "a property that is dropped cannot be required";
            return cx.member("required", |cx| cx.dropped(Feature::UnknownContent, note));
        }
        Ok(())
    }
}

lowering! {
    RequestedSchema {
        "$schema": dialect => FormDetails,
    }
    features(this, set) {
        *set = set.with(Feature::Elicitation);
        for (_, property) in &this.properties {
            match property {
                Item::Known(property) => property.add_features(set),
                Item::Unknown(_) => *set = set.with(Feature::UnknownContent),
            }
        }
    }
    lower(this, cx) {
        cx.demand(Feature::Elicitation)?;
        if this.dialect.is_some() && !cx.has(Feature::FormDetails) {
            // The properties of a form mean the same in every dialect.
            this.dialect = None;
            cx.changed();
        }
        this.lower_properties(cx)?;
    }
}

/// A property of a form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One choice of several.
    Enum(EnumSchema),
    /// One choice of several that have titles; since 2025-11-25.
    TitledEnum(TitledEnumSchema),
    /// Any choices of several; since 2025-11-25.
    MultiSelect(MultiSelectSchema),
}

impl PrimitiveSchema {
    /// The features a target must have to express this losslessly.
    pub fn required_features(&self) -> FeatureSet {
        let mut set = FeatureSet::empty();
        self.add_features(&mut set);
        set
    }
}

impl Lower for PrimitiveSchema {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::String(schema) => schema.add_features(set),
            Self::Number(schema) => schema.add_features(set),
            Self::Boolean(schema) => schema.add_features(set),
            Self::Enum(schema) => schema.add_features(set),
            Self::TitledEnum(schema) => schema.add_features(set),
            Self::MultiSelect(schema) => schema.add_features(set),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::TitledEnum(titled) if !cx.has(Feature::TitledEnum) => {
                let mut named = titled.named();
                if cx.policy().drops(Feature::TitledEnum) {
                    cx.dropped(Feature::TitledEnum, "the titles of the choices left out")?;
                    named.enum_names = None;
                } else {
                    cx.fallback(Feature::TitledEnum, "oneOf carried as enum and enumNames")?;
                }
                // The new schema has members of these names.
                let taken = [("enum", Feature::TitledEnum), ("enumNames", Feature::TitledEnum)];
                cx.extensions(&mut named.extensions, &taken)?;
                named.lower(cx)?;
                *self = Self::Enum(named);
                Ok(())
            }
            Self::String(schema) => schema.lower(cx),
            Self::Number(schema) => schema.lower(cx),
            Self::Boolean(schema) => schema.lower(cx),
            Self::Enum(schema) => schema.lower(cx),
            Self::TitledEnum(schema) => schema.lower(cx),
            Self::MultiSelect(schema) => schema.lower(cx),
        }
    }
}

/// Lowering of a property whose default not every revision can say.
macro_rules! lower_primitive {
    ($type:ty { $( $name:literal: $field:ident => $feature:ident, )* }) => {
        lowering! {
            $type { $( $name: $field => $feature, )* }
            features(_this, set) {
                *set = set.with(Feature::Elicitation);
            }
            lower(_this, cx) {
                cx.demand(Feature::Elicitation)?;
            }
        }
    };
}

/// Text to be filled in; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringSchema {
    /// The name to show.
    pub title: Option<Text>,
    /// What to fill in.
    pub description: Option<Text>,
    /// The least length, in characters.
    pub min_length: Option<u64>,
    /// The greatest length, in characters.
    pub max_length: Option<u64>,
    /// `email`, `uri`, `date`, `date-time`, or what a later revision adds.
    pub format: Option<Text>,
    /// What stands there at first; since 2025-11-25.
    pub default: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lower_primitive!(StringSchema {
    "default": default => ElicitationDefaults,
});

/// A number to be filled in; since 2025-06-18.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberSchema {
    /// `number` or `integer`.
    pub kind: Text,
    /// The name to show.
    pub title: Option<Text>,
    /// What to fill in.
    pub description: Option<Text>,
    /// The least value.
    pub minimum: Option<Number>,
    /// The greatest value.
    pub maximum: Option<Number>,
    /// What stands there at first; since 2025-11-25.
    pub default: Option<Number>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lower_primitive!(NumberSchema {
    "default": default => ElicitationDefaults,
});

/// A box to be ticked; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BooleanSchema {
    /// The name to show.
    pub title: Option<Text>,
    /// What ticking it says.
    pub description: Option<Text>,
    /// Whether it is ticked at first.
    pub default: Option<bool>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lower_primitive!(BooleanSchema {});

/// One choice of several; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumSchema {
    /// The name to show.
    pub title: Option<Text>,
    /// What to choose.
    pub description: Option<Text>,
    /// The choices.
    pub values: Vec<Text>,
    /// The names to show for the choices, in the same order.
    pub enum_names: Option<Vec<Text>>,
    /// What is chosen at first; since 2025-11-25.
    pub default: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lower_primitive!(EnumSchema {
    "default": default => ElicitationDefaults,
});

/// One choice of several that have titles; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TitledEnumSchema {
    /// The name to show.
    pub title: Option<Text>,
    /// What to choose.
    pub description: Option<Text>,
    /// The choices.
    pub one_of: Vec<EnumOption>,
    /// What is chosen at first.
    pub default: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl TitledEnumSchema {
    /// The same choices in the older form.
    fn named(&mut self) -> EnumSchema {
        let Self { title, description, one_of, default, extensions } = std::mem::take(self);
        let (values, names) = one_of.into_iter().map(|o| (o.value, o.title)).unzip();
        EnumSchema { title, description, values, enum_names: Some(names), default, extensions }
    }
}

lowering_whole!(TitledEnumSchema, TitledEnum);

/// A choice and its title; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumOption {
    /// What is answered.
    pub value: Text,
    /// What is shown.
    pub title: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

/// Any choices of several; since 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
pub struct MultiSelectSchema {
    /// The name to show.
    pub title: Option<Text>,
    /// What to choose.
    pub description: Option<Text>,
    /// The least number of choices.
    pub min_items: Option<u64>,
    /// The greatest number of choices.
    pub max_items: Option<u64>,
    /// The choices.
    pub items: MultiSelectItems,
    /// What is chosen at first.
    pub default: Option<Vec<Text>>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(MultiSelectSchema, MultiSelectEnum);

/// The choices of which any may be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MultiSelectItems {
    /// By their values.
    Untitled(UntitledItems),
    /// By values and titles.
    Titled(TitledItems),
}

/// Choices without titles; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UntitledItems {
    /// The choices.
    pub values: Vec<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

/// Choices with titles; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TitledItems {
    /// The choices.
    pub any_of: Vec<EnumOption>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}
