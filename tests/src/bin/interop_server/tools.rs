//! A tool for each thing that differs between revisions, transports or SDKs.

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use embacle_tool_host::ir::{
    AudioContent, Content, ElicitValue, EmbeddedResource, ImageContent, Item, JsonText,
    ResourceContents, ResourceLinkContent, Schema, Text, TextResourceContents, ToolAnnotations,
};
use embacle_tool_host::{
    Announcer, Answer, McpToolDefinition, Question, StaticSurface, ToolError, ToolOutcome,
    form_of_json, roots, sample, tool,
};

const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const OBJECT: &str = r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#;
const ARRAY: &str = r#"{"type":"array","items":{"type":"integer"}}"#;

fn plain(name: &str) -> Result<McpToolDefinition, ToolError> {
    tool(name, "For tests.", r#"{"type":"object"}"#)
}

pub(crate) fn tools(announcer: Arc<OnceLock<Announcer>>) -> Result<StaticSurface, Box<dyn Error>> {
    let surface = asking(hanging(telling(answering(StaticSurface::new())?)?)?)?;
    let surface = surface.with(plain("change")?, move |_, _| {
        if let Some(announcer) = announcer.get() {
            announcer.tools_changed();
        }
        async { ToolOutcome::text("told") }
    })?;
    Ok(surface)
}

/// Tools that answer with all kinds of content.
fn answering(surface: StaticSurface) -> Result<StaticSurface, Box<dyn Error>> {
    let mut object = plain("object")?;
    object.title = Some("An object".into());
    object.output_schema = Some(Schema::new(OBJECT)?);
    object.annotations =
        Some(ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::default() });
    let mut array = plain("array")?;
    array.output_schema = Some(Schema::new(ARRAY)?);
    let mut link = ResourceLinkContent::new("test://note", "note");
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
    ] {
        surface = surface.with(tool, move |_, _| {
            let outcome = outcome.clone();
            async move { outcome }
        })?;
    }
    Ok(surface)
}

/// Tools that tell something before they answer, and one that tells who asks.
fn telling(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    surface
        .with(plain("who")?, |_, context| async move {
            ToolOutcome::text(context.revision().to_string())
        })?
        .with(plain("steps")?, |_, context| async move {
            for step in 1..=3 {
                context.progress(f64::from(step), Some(3.0), Some("on")).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            ToolOutcome::text("stepped")
        })?
        .with(plain("logs")?, |_, context| async move {
            context.log("info", None, &Text::from("idle")).await;
            context.log("warning", None, &Text::from("careful")).await;
            ToolOutcome::text("logged")
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

/// Tools that ask the client, and answer with what it said.
fn asking(surface: StaticSurface) -> Result<StaticSurface, Box<dyn Error>> {
    let mut surface = surface;
    for (name, question) in
        [("form", form_of_json("Who?", NAME)?), ("model", sample("Hello", 10)), ("roots", roots())]
    {
        surface = surface.with(plain(name)?, move |_, context| {
            let question: Question = question.clone();
            async move {
                match context.ask("question", question).await {
                    Ok(answer) => ToolOutcome::text(said(&answer).unwrap_or_default()),
                    Err(error) => ToolOutcome::failed(error.to_string()),
                }
            }
        })?;
    }
    Ok(surface)
}

fn said(answer: &Answer) -> Option<Text> {
    match answer {
        Answer::Elicit(result) => match &result.content.as_ref()?.first()?.1 {
            Item::Known(ElicitValue::Text(text)) => Some(text.clone()),
            _ => None,
        },
        Answer::CreateMessage(result) => match result.content.blocks().first()? {
            Content::Text(block) => Some(block.text.clone()),
            _ => None,
        },
        Answer::ListRoots(result) => match result.roots.first()? {
            Item::Known(root) => Some(root.uri.clone()),
            Item::Unknown(_) => None,
        },
        _ => None,
    }
}
