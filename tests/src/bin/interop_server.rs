//! A server with a tool for everything that foreign clients are asked to see: on stdio with
//! `--stdio`, else over HTTP, with the URL and the bearer as its first lines, until input ends.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use embacle_tool_host::ir::{AudioContent, Content, ImageContent, JsonText, Text};
use embacle_tool_host::{
    Announcer, HostConfig, Service, StaticSurface, ToolError, ToolHost, ToolOutcome, form_of_json,
    serve_stdio, tool,
};

const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn fixed(
    surface: StaticSurface,
    name: &str,
    outcome: ToolOutcome,
) -> Result<StaticSurface, ToolError> {
    let tool = tool(name, "For tests.", r#"{"type":"object"}"#)?;
    surface.with(tool, move |_, _| {
        let outcome = outcome.clone();
        async move { outcome }
    })
}

fn surface(
    announcer: Arc<std::sync::OnceLock<Announcer>>,
) -> Result<StaticSurface, Box<dyn Error>> {
    let any = |name: &str| tool(name, "For tests.", r#"{"type":"object"}"#);
    let dropped = Arc::new(AtomicUsize::new(0));
    let (dropping, counted) = (dropped.clone(), dropped);
    let mut surface = StaticSurface::new();
    for (name, outcome) in [
        ("object", ToolOutcome::structured(JsonText::new(r#"{"n":1.5}"#)?)),
        ("array", ToolOutcome::structured(JsonText::new("[1,2]")?)),
        ("image", ToolOutcome::content(vec![Content::Image(ImageContent::new(PNG, "image/png"))])),
        ("audio", ToolOutcome::content(vec![Content::Audio(AudioContent::new(WAV, "audio/wav"))])),
    ] {
        surface = fixed(surface, name, outcome)?;
    }
    let surface = surface
        .with(any("steps")?, |_, context| async move {
            for step in 1..=3 {
                context.progress(f64::from(step), Some(3.0), Some("on")).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            ToolOutcome::text("stepped")
        })?
        .with(any("hang")?, move |_, _| {
            let dropped = Dropped(dropping.clone());
            async move {
                let _dropped = dropped;
                std::future::pending().await
            }
        })?
        .with(any("dropped")?, move |_, _| {
            let count: Text = counted.load(Ordering::SeqCst).to_string().into();
            async move { ToolOutcome::text(count) }
        })?
        .with(any("ask")?, |_, context| async move {
            let Ok(question) = form_of_json("Who?", NAME) else {
                return ToolOutcome::failed("the form is wrong");
            };
            match context.ask("who", question).await {
                Ok(answer) => ToolOutcome::text(format!("{answer:?}").contains("Ada").to_string()),
                Err(error) => ToolOutcome::declined(error.to_string()),
            }
        })?
        .with(any("change")?, move |_, _| {
            if let Some(announcer) = announcer.get() {
                announcer.tools_changed();
            }
            async { ToolOutcome::text("told") }
        })?;
    Ok(surface)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let announcer = Arc::new(std::sync::OnceLock::new());
    let service = Service::new("interop", surface(announcer.clone())?);
    let _ = announcer.set(service.announcer());
    if std::env::args().any(|argument| argument == "--stdio") {
        serve_stdio(service).await?;
        return Ok(());
    }
    let config = HostConfig { http_sse: true, ..HostConfig::default() };
    let host = ToolHost::bind(config).await?;
    let session = host.open_session(service)?;
    println!("{}\n{}", session.url(), session.bearer().unwrap_or_default());
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop));
    ended.await?;
    host.shutdown(Duration::from_secs(1)).await;
    Ok(())
}
