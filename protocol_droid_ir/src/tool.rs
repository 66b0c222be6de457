//! Tools and their lists.

use crate::content::Icon;
use crate::context::INPUT_MEMBERS;
use crate::feature::Feature;
use crate::json::{Extensions, JsonObject};
use crate::lower::{LowerError, Lowering, add_named, lowering, lowering_whole};
use crate::page::{PaginatedParams, cacheable_list};
use crate::schema::Schema;
use crate::task::TaskMetadata;
use crate::text::Text;

/// A tool that a server offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The identifier, by which it is called. Never rewritten.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What it does, for the model.
    pub description: Option<Text>,
    /// The schema of its arguments; the root says `"type": "object"` at every revision.
    pub input_schema: Schema,
    /// The schema of its structured content; since 2025-06-18, of any root since 2026-07-28.
    pub output_schema: Option<Schema>,
    /// Hints on what it does; since 2025-03-26.
    pub annotations: Option<ToolAnnotations>,
    /// How it may be run; 2025-11-25 only.
    pub execution: Option<ToolExecution>,
    /// Pictures for it; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl Tool {
    /// A tool with what every revision demands of one.
    pub fn new(name: impl Into<Text>, input_schema: Schema) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema,
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extensions: Extensions::new(),
        }
    }

    /// A title that the target lacks goes to the annotations, where older clients look for it.
    fn lower_title(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        if cx.has(Feature::Title) || !cx.has(Feature::ToolAnnotations) {
            return Ok(());
        }
        let unset = self.annotations.as_ref().is_none_or(|a| a.title.is_none());
        if unset && !cx.policy().drops(Feature::Title) && self.title.is_some() {
            cx.member("title", |cx| cx.fallback(Feature::Title, "moved to annotations.title"))?;
            self.annotations.get_or_insert_default().title = self.title.take();
        }
        Ok(())
    }

    fn lower_schemas(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        cx.member("inputSchema", |cx| lower_booleans(&mut self.input_schema, cx))?;
        if !cx.has(Feature::OutputSchema) {
            return Ok(());
        }
        let Some(schema) = &mut self.output_schema else { return Ok(()) };
        if !schema.has_object_root() && cx.drops(Feature::AnyOutputSchema) {
            self.output_schema = None;
            let note = "its root is no object";
            return cx.member("outputSchema", |cx| cx.dropped(Feature::AnyOutputSchema, note));
        }
        cx.member("outputSchema", |cx| {
            if !schema.has_object_root() && !cx.has(Feature::AnyOutputSchema) {
                cx.fallback(Feature::AnyOutputSchema, "wrapped as the member result of an object")?;
                *schema = schema.wrapped();
            }
            lower_booleans(schema, cx)
        })
    }
}

fn lower_booleans(schema: &mut Schema, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
    if schema.has_boolean_property() && !cx.has(Feature::BooleanSchemas) {
        cx.fallback(Feature::BooleanSchemas, "true and false spelled out as {} and {\"not\":{}}")?;
        *schema = schema.without_boolean_properties();
    }
    Ok(())
}

lowering! {
    Tool {
        "title": title => Title,
        "outputSchema": output_schema => OutputSchema,
        "annotations": annotations => ToolAnnotations,
        "execution": execution => ToolExecution,
        "icons": icons => Icons,
    }
    features(this, set) {
        let output = this.output_schema.as_ref();
        if output.is_some_and(|schema| !schema.has_object_root()) {
            *set = set.with(Feature::AnyOutputSchema);
        }
        if this.input_schema.has_boolean_property()
            || output.is_some_and(Schema::has_boolean_property)
        {
            *set = set.with(Feature::BooleanSchemas);
        }
    }
    lower(this, cx) {
        this.lower_title(cx)?;
        this.lower_schemas(cx)?;
    }
}

/// Hints on what a tool does, not to be trusted from a server that is not; since 2025-03-26.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolAnnotations {
    /// The name to show.
    pub title: Option<Text>,
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    pub destructive_hint: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent_hint: Option<bool>,
    /// It deals with things outside the server.
    pub open_world_hint: Option<bool>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(ToolAnnotations, ToolAnnotations);

/// How a tool may be run; 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolExecution {
    /// Whether it runs as a task: `forbidden`, `optional` or `required`.
    pub task_support: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(ToolExecution, ToolExecution);

cacheable_list! {
    /// A page of a server's tools.
    ListToolsResult {
        /// The tools.
        "tools": tools => Tool
    }
}

/// What `tools/list` takes.
pub type ListToolsParams = PaginatedParams;

/// What `tools/call` takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallToolParams {
    /// The tool.
    pub name: Text,
    /// Its arguments, to the byte.
    pub arguments: Option<JsonObject>,
    /// Asks for a task instead of a result; 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CallToolParams {
        "task": task => TaskAugmentation,
    }
    features(this, set) {
        add_named(&this.extensions, INPUT_MEMBERS, set);
    }
    lower(this, cx) {
        cx.extensions(&mut this.extensions, INPUT_MEMBERS)?;
    }
}
