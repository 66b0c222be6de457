//! The forms of elicitation.

use protocol_droid_ir::{
    BooleanSchema, EnumOption, EnumSchema, Feature, MultiSelectItems, MultiSelectSchema,
    NumberSchema, PrimitiveSchema, RequestedSchema, StringSchema, TitledEnumSchema, TitledItems,
    UntitledItems,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table;
use crate::wire::{Wire, wire};
use crate::wire_value::map;
use crate::writer::{Writer, Written};

wire! {
    RequestedSchema = "ElicitRequestFormParams.requestedSchema" if Elicitation tag "type" = "object" {
        opt dialect: "$schema" if FormDetails,
        req properties: "properties" via map,
        opt required: "required",
    }
}

wire! {
    StringSchema = "StringSchema" if Elicitation tag "type" = "string" {
        opt title: "title",
        opt description: "description",
        opt min_length: "minLength",
        opt max_length: "maxLength",
        opt format: "format",
        opt default: "default" if ElicitationDefaults,
    }
}

wire! {
    NumberSchema = "NumberSchema" if Elicitation {
        req kind: "type",
        opt title: "title",
        opt description: "description",
        opt minimum: "minimum",
        opt maximum: "maximum",
        opt default: "default" if ElicitationDefaults,
    }
}

wire! {
    BooleanSchema = "BooleanSchema" if Elicitation tag "type" = "boolean" {
        opt title: "title",
        opt description: "description",
        opt default: "default",
    }
}

// An untitled enum is one of these without `enumNames`: the schemas accept each for the other.
wire! {
    EnumSchema = "LegacyTitledEnumSchema" if Elicitation tag "type" = "string" {
        opt title: "title",
        opt description: "description",
        req values: "enum",
        opt enum_names: "enumNames",
        opt default: "default" if ElicitationDefaults,
    }
}

wire! {
    TitledEnumSchema = "TitledSingleSelectEnumSchema" if TitledEnum tag "type" = "string" {
        opt title: "title",
        opt description: "description",
        req one_of: "oneOf",
        opt default: "default",
    }
}

// The choices of `anyOf` have the same members.
wire! {
    EnumOption = "TitledSingleSelectEnumSchema.oneOf[]" if TitledEnum {
        req value: "const",
        req title: "title",
    }
}

// What is told apart by its items is otherwise alike.
wire! {
    MultiSelectSchema = "UntitledMultiSelectEnumSchema" if MultiSelectEnum tag "type" = "array" {
        opt title: "title",
        opt description: "description",
        opt min_items: "minItems",
        opt max_items: "maxItems",
        req items: "items",
        opt default: "default",
    }
}

wire! {
    UntitledItems = "UntitledMultiSelectEnumSchema.items" if MultiSelectEnum tag "type" = "string" {
        req values: "enum",
    }
}

wire! {
    TitledItems = "TitledMultiSelectEnumSchema.items" if MultiSelectEnum {
        req any_of: "anyOf",
    }
}

/// The choices are told by which of `anyOf` and `enum` is there.
impl Wire for MultiSelectItems {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        if r.has("anyOf")? {
            return Wire::read(r).map(Self::Titled);
        }
        Wire::read(r).map(Self::Untitled)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Untitled(items) => items.write(w),
            Self::Titled(items) => items.write(w),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}

const PROPERTY: &str = "PrimitiveSchemaDefinition";
const TITLED: u8 = table::arm(PROPERTY, "TitledSingleSelectEnumSchema");
const MULTI: u8 = table::arm(PROPERTY, "UntitledMultiSelectEnumSchema");

const _: () = assert!(TITLED == feature_mask(Feature::TitledEnum));
const _: () = assert!(MULTI == feature_mask(Feature::MultiSelectEnum));
const _: () = assert!(MULTI == table::arm(PROPERTY, "TitledMultiSelectEnumSchema"));

/// A property is told by its `type`; where that is `string`, by which of `oneOf` and `enum` is
/// there.
impl Wire for PrimitiveSchema {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        let Some(kind) = r.tag("type")? else { return Err(r.missing("type")) };
        match &*kind {
            "string" if r.has("oneOf")? && r.allows(TITLED) => Wire::read(r).map(Self::TitledEnum),
            "string" if r.has("enum")? => Wire::read(r).map(Self::Enum),
            "string" => Wire::read(r).map(Self::String),
            "number" | "integer" => Wire::read(r).map(Self::Number),
            "boolean" => Wire::read(r).map(Self::Boolean),
            "array" if r.allows(MULTI) => Wire::read(r).map(Self::MultiSelect),
            other => Err(r.unknown_kind("type", "property", other)),
        }
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::String(schema) => schema.write(w),
            Self::Number(schema) => schema.write(w),
            Self::Boolean(schema) => schema.write(w),
            Self::Enum(schema) => schema.write(w),
            Self::TitledEnum(schema) => schema.write(w),
            Self::MultiSelect(schema) => schema.write(w),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}
