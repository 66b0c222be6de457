//! Tools that answer by themselves.

use std::time::Duration;

use embacle_tool_host::ir::{
    AudioContent, Content, EmbeddedResource, ImageContent, ResourceContents, TextResourceContents,
};
use embacle_tool_host::{Failure, StaticSurface, ToolError, ToolOutcome, tool};

use crate::surfaces::Changes;

/// A picture of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Half a sample of silence.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const NOTHING: &str = r#"{"type":"object"}"#;

const VOCABULARY: &str = r##"{
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "home", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"}
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false
}"##;

pub(crate) fn image() -> Content {
    Content::Image(ImageContent::new(PNG, "image/png"))
}

pub(crate) fn resource(uri: &str, mime_type: &str, text: &str) -> Content {
    let mut contents = TextResourceContents::new(uri, text);
    contents.mime_type = Some(mime_type.into());
    Content::Resource(EmbeddedResource::new(ResourceContents::Text(contents)))
}

pub(crate) fn tools(changes: &Changes) -> Result<StaticSurface, ToolError> {
    let fixed = |name: &str, description: &str, outcome: fn() -> ToolOutcome| {
        let tool = tool(name, description, NOTHING);
        move |surface: StaticSurface| surface.with(tool?, move |_, _| async move { outcome() })
    };
    let mut surface = StaticSurface::new();
    for add in [
        fixed("test_simple_text", "Answers with text.", || {
            ToolOutcome::text("This is a simple text response for testing.")
        }),
        fixed("test_image_content", "Answers with an image.", || {
            ToolOutcome::content(vec![image()])
        }),
        fixed("test_audio_content", "Answers with audio.", || {
            ToolOutcome::content(vec![Content::Audio(AudioContent::new(WAV, "audio/wav"))])
        }),
        fixed("test_embedded_resource", "Answers with a resource.", || {
            let text = "This is an embedded resource content.";
            ToolOutcome::content(vec![resource("test://embedded-resource", "text/plain", text)])
        }),
        fixed("test_multiple_content_types", "Answers with blocks of several types.", || {
            let json = r#"{"test":"data","value":123}"#;
            ToolOutcome::content(vec![
                Content::text("Multiple content types test:"),
                image(),
                resource("test://mixed-content-resource", "application/json", json),
            ])
        }),
        fixed("test_error_handling", "Fails.", || {
            ToolOutcome::declined("This tool intentionally returns an error for testing")
        }),
    ] {
        surface = add(surface)?;
    }
    reporting(changing(surface, changes)?)
}

fn changing(surface: StaticSurface, changes: &Changes) -> Result<StaticSurface, ToolError> {
    let (tools, prompts) = (changes.clone(), changes.clone());
    surface
        .with(
            tool("test_trigger_tool_change", "Tells that the tools have changed.", NOTHING)?,
            move |_, _| {
                tools.tools_changed();
                async { ToolOutcome::text("told") }
            },
        )?
        .with(
            tool("test_trigger_prompt_change", "Tells that the prompts have changed.", NOTHING)?,
            move |_, _| {
                prompts.prompts_changed();
                async { ToolOutcome::text("told") }
            },
        )?
        .with(
            tool("json_schema_2020_12_tool", "Has a schema with all of 2020-12.", VOCABULARY)?,
            |_, _| async { ToolOutcome::text("ok") },
        )?
        .with(
            tool(
                "test_x_mcp_header",
                "Has an argument that a header repeats.",
                r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#,
            )?,
            |arguments, _| async move {
                match arguments.get("region") {
                    Some(region) => ToolOutcome::structured(region),
                    None => Failure::InvalidParams("region: missing".into()).into(),
                }
            },
        )
}

fn reporting(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    const STEP: Duration = Duration::from_millis(50);
    let log = |name, description| tool(name, description, NOTHING);
    let mut surface = surface.with(
        tool("test_tool_with_progress", "Tells of its progress.", NOTHING)?,
        |_, context| async move {
            for done in [0.0, 50.0, 100.0] {
                context.progress(done, Some(100.0), Some("working")).await;
                tokio::time::sleep(STEP).await;
            }
            ToolOutcome::text("done")
        },
    )?;
    for tool in [
        log("test_tool_with_logging", "Logs what it does."),
        log("test_logging_tool", "Logs what it does, if asked to."),
    ] {
        surface = surface.with(tool?, |_, context| async move {
            for step in ["started", "processing data", "execution completed"] {
                let text = match step {
                    "started" => "Tool execution started".to_owned(),
                    step => format!("Tool {step}"),
                };
                let text = embacle_tool_host::ir::Text::from(text);
                context.log("info", None, &text).await;
                tokio::time::sleep(STEP).await;
            }
            ToolOutcome::text("logged")
        })?;
    }
    surface.with(
        tool("test_reconnection", "Lets its stream go before it answers.", NOTHING)?,
        |_, context| async move {
            context.release_stream().await;
            tokio::time::sleep(2 * STEP).await;
            ToolOutcome::text("Reconnection test completed")
        },
    )
}
