//! Tools, their lists and their results.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{
    Feature, ListToolsResult, Reason, Schema, Tool, ToolAnnotations, ToolExecution, ToolResult,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::wire::{Wire, wire};
use crate::wire_content::structured;
use crate::writer::{Writer, Written};

wire! {
    Tool = "Tool" {
        req name: "name",
        opt title: "title" if Title,
        opt description: "description",
        req input_schema: "inputSchema" via input_schema,
        opt output_schema: "outputSchema" if OutputSchema via output_schema,
        opt annotations: "annotations" if ToolAnnotations,
        opt execution: "execution" if ToolExecution,
        opt icons: "icons" if Icons,
        bag meta: "_meta",
    }
}

wire! {
    ToolAnnotations = "ToolAnnotations" if ToolAnnotations {
        opt title: "title",
        opt read_only_hint: "readOnlyHint",
        opt destructive_hint: "destructiveHint",
        opt idempotent_hint: "idempotentHint",
        opt open_world_hint: "openWorldHint",
    }
}

wire! {
    ToolExecution = "ToolExecution" if ToolExecution {
        opt task_support: "taskSupport",
    }
}

wire! {
    ListToolsResult = "ListToolsResult" {
        new result_type: "resultType" if ToolResultType,
        req tools: "tools",
        opt next_cursor: "nextCursor",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    ToolResult = "CallToolResult" {
        new result_type: "resultType" if ToolResultType,
        arr content: "content",
        any structured_content: "structuredContent" if StructuredContent via structured,
        opt is_error: "isError",
        bag meta: "_meta",
    }
}

const BOOLEANS: u8 = feature_mask(Feature::BooleanSchemas);
const ANY_ROOT: u8 = feature_mask(Feature::AnyOutputSchema);
const OUTPUT: u8 = feature_mask(Feature::OutputSchema);

/// The schema of arguments: its root says `"type": "object"`.
mod input_schema {
    use super::*;

    pub(super) fn read(r: &mut Reader<'_>) -> Read<Schema> {
        read_schema(r, true)
    }

    pub(super) fn write(schema: &Schema, w: &mut Writer<'_>) -> Written {
        if !schema.has_object_root() {
            return Err(w.missing("type"));
        }
        write_schema(schema, w)
    }
}

/// The schema of structured content: of any root since 2026-07-28.
mod output_schema {
    use super::*;

    pub(super) fn read(r: &mut Reader<'_>) -> Read<Schema> {
        let any = if r.defines(OUTPUT) { r.defines(ANY_ROOT) } else { r.target_defines(ANY_ROOT) };
        read_schema(r, !any)
    }

    pub(super) fn write(schema: &Schema, w: &mut Writer<'_>) -> Written {
        if !schema.has_object_root() && !w.defines(ANY_ROOT) {
            return Err(w.inexpressible(Feature::AnyOutputSchema));
        }
        write_schema(schema, w)
    }
}

fn read_schema(r: &mut Reader<'_>, object_root: bool) -> Read<Schema> {
    r.expect(Kind::Object)?;
    let (buffer, lexer) = r.lexer();
    let schema = Schema::read(buffer, lexer)?;
    if object_root && !schema.has_object_root() {
        return match schema.as_object().get("type") {
            None => Err(r.missing("type")),
            Some(found) => r.at("type", |r| Err(r.mismatch("\"object\"", found.as_str()))),
        };
    }
    if schema.has_boolean_property() && !r.defines(BOOLEANS) {
        let note = "true and false read as {} and {\"not\":{}}";
        r.repaired(Some(Feature::BooleanSchemas), Reason::Disallowed, note);
        return Ok(schema.without_boolean_properties());
    }
    Ok(schema)
}

fn write_schema(schema: &Schema, w: &mut Writer<'_>) -> Written {
    if schema.has_boolean_property() && !w.defines(BOOLEANS) {
        return Err(w.inexpressible(Feature::BooleanSchemas));
    }
    schema.as_object().write(w)
}
