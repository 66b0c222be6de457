//! A tool for each thing that differs between revisions, transports or SDKs.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use embacle_tool_host::ir::{
    AudioContent, Content, EmbeddedResource, ImageContent, JsonText, ResourceContents,
    ResourceLinkContent, Schema, Text, TextResourceContents, ToolAnnotations,
};
use embacle_tool_host::{
    Announcer, Failure, McpToolDefinition, StaticSurface, ToolError, ToolOutcome, tool,
};
use tokio::sync::Notify;

use crate::asking::asking;
use crate::icon;
use crate::surfaces::NOTE;

const OBJECT: &str = r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
const ARRAY: &str = r#"{"type":"array","items":{"type":"integer"}}"#;
/// The text goes into a header too, over HTTP since 2026-07-28.
const ECHO: &str =
    r#"{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}}"#;

pub(crate) fn plain(name: &str) -> Result<McpToolDefinition, ToolError> {
    tool(name, "For tests.", r#"{"type":"object"}"#)
}

pub(crate) fn tools(announcer: Arc<OnceLock<Announcer>>) -> Result<StaticSurface, Box<dyn Error>> {
    let surface = asking(hanging(telling(answering(StaticSurface::new())?)?)?)?;
    let announced = announcer.clone();
    let surface = surface
        .with(plain("change")?, move |_, _| {
            if let Some(announcer) = announced.get() {
                announcer.tools_changed();
                announcer.resources_changed();
                announcer.prompts_changed();
            }
            async { ToolOutcome::text("told") }
        })?
        .with(plain("update")?, move |_, _| {
            if let Some(announcer) = announcer.get() {
                announcer.resource_updated(NOTE);
                announcer.resource_updated("test://unwatched");
            }
            async { ToolOutcome::text("told") }
        })?;
    Ok(surface)
}

/// Tools that answer with all kinds of content.
fn answering(surface: StaticSurface) -> Result<StaticSurface, Box<dyn Error>> {
    let mut object = plain("object")?;
    object.title = Some("An object".into());
    object.icons = Some(vec![icon()]);
    object.output_schema = Some(Schema::new(OBJECT)?);
    object.annotations =
        Some(ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::default() });
    let mut array = plain("array")?;
    array.output_schema = Some(Schema::new(ARRAY)?);
    let mut link = ResourceLinkContent::new(NOTE, "note");
    link.mime_type = Some("text/plain".into());
    let embedded = TextResourceContents::new("test://embedded", "embedded");
    let blocks = vec![
        Content::Image(ImageContent::new("aW1hZ2U=", "image/png")),
        Content::Audio(AudioContent::new("YXVkaW8=", "audio/wav")),
        Content::Resource(EmbeddedResource::new(ResourceContents::Text(embedded))),
        Content::ResourceLink(link),
    ];
    let mut surface = surface;
    for (tool, outcome) in [
        (object, ToolOutcome::structured(JsonText::new(r#"{"n":1.50}"#)?)),
        (array, ToolOutcome::structured(JsonText::new("[1,2]")?)),
        (plain("blocks")?, ToolOutcome::content(blocks)),
        (plain("declines")?, ToolOutcome::declined("no")),
        (plain("fails")?, ToolOutcome::failed("out of order")),
        (plain("breaks")?, Failure::Internal("in pieces".to_owned()).into()),
    ] {
        surface = surface.with(tool, move |_, _| {
            let outcome = outcome.clone();
            async move { outcome }
        })?;
    }
    Ok(surface)
}

/// Tools that tell something before they answer, and two that tell who asks, and what.
fn telling(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    let enough = Arc::new(Notify::new());
    let awaited = enough.clone();
    surface
        .with(plain("who")?, |_, context| async move {
            ToolOutcome::text(context.revision().to_string())
        })?
        .with(tool("echo", "For tests.", ECHO)?, |arguments, _| async move {
            ToolOutcome::text(arguments.as_str())
        })?
        .with(plain("steps")?, move |_, context| {
            let enough = awaited.clone();
            async move {
                for step in 1..=3 {
                    context.progress(f64::from(step), Some(3.0), Some("on")).await;
                }
                // SDKs pass over progress that comes together with the answer.
                let _ = tokio::time::timeout(Duration::from_secs(10), enough.notified()).await;
                ToolOutcome::text("stepped")
            }
        })?
        .with(plain("enough")?, move |_, _| {
            enough.notify_one();
            async { ToolOutcome::text("told") }
        })?
        .with(plain("logs")?, |_, context| async move {
            context.log("info", None, &Text::from("idle")).await;
            context.log("warning", Some("interop"), &Text::from("careful")).await;
            ToolOutcome::text("logged")
        })?
        .with(plain("releases")?, |_, context| async move {
            context.release_stream().await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            ToolOutcome::text("come back")
        })
}

/// A tool that never answers, and one that tells how often that one was started and dropped.
fn hanging(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    let started = Arc::new(AtomicUsize::new(0));
    let dropped = Arc::new(AtomicUsize::new(0));
    let (starts, drops) = (started.clone(), dropped.clone());
    surface
        .with(plain("hang")?, move |_, _| {
            starts.fetch_add(1, Ordering::SeqCst);
            let dropped = Dropped(drops.clone());
            async move {
                let _dropped = dropped;
                std::future::pending().await
            }
        })?
        .with(plain("counts")?, move |_, _| {
            let [started, dropped] = [&started, &dropped].map(|count| count.load(Ordering::SeqCst));
            async move { ToolOutcome::text(format!("{started} started, {dropped} dropped")) }
        })
}
