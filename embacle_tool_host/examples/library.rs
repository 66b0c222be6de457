//! Resources, prompts and completion beside tools, and changes told to whoever listens.
//!
//! ```text
//! cargo run -p embacle_tool_host --example library
//! ```

use std::error::Error;

use embacle_tool_host::ir::{
    Completion, CompletionArgument, CompletionReference, Content, GetPromptResult, Item, Prompt,
    PromptArgument, PromptMessage, Resource, ResourceContents, Text, TextResourceContents,
};
use embacle_tool_host::{
    Announcer, CallContext, Completer, Failure, PromptSurface, ResourceSurface, Service,
    StaticSurface, ToolOutcome, async_trait, serve_stdio, tool,
};

const BOOKS: [(&str, &str); 2] = [("book:1", "It was a dark night."), ("book:2", "The end.")];

struct Library;

#[async_trait]
impl ResourceSurface for Library {
    async fn list_resources(&self) -> Vec<Resource> {
        BOOKS.iter().map(|(uri, _)| Resource::new(*uri, *uri)).collect()
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContents>, Failure> {
        let book = BOOKS.iter().find(|(known, _)| *known == uri);
        let (_, text) = book.ok_or_else(|| Failure::NotFound(format!("there is no {uri}")))?;
        Ok(vec![ResourceContents::Text(TextResourceContents::new(uri, *text))])
    }
}

#[async_trait]
impl PromptSurface for Library {
    async fn list_prompts(&self) -> Vec<Prompt> {
        let book = PromptArgument {
            name: "book".into(),
            required: Some(true),
            ..PromptArgument::default()
        };
        vec![Prompt { arguments: Some(vec![book]), ..Prompt::new("summarize") }]
    }

    async fn get(
        &self,
        _name: &str,
        arguments: &[(Text, Text)],
        _: &CallContext,
    ) -> Result<GetPromptResult, Failure> {
        let book = arguments.first().map_or("", |(_, book)| book.as_str());
        let text = Content::text(format!("Summarize {book} in one sentence."));
        let messages = vec![Item::Known(PromptMessage::new("user", text))];
        Ok(GetPromptResult { messages, ..GetPromptResult::default() })
    }
}

#[async_trait]
impl Completer for Library {
    async fn complete(
        &self,
        _: &CompletionReference,
        argument: &CompletionArgument,
        _resolved: &[(Text, Text)],
    ) -> Result<Completion, Failure> {
        let fits = |uri: &&str| uri.starts_with(argument.value.as_str());
        let values = BOOKS.iter().map(|(uri, _)| *uri).filter(fits).map(Text::from).collect();
        Ok(Completion { values, ..Completion::default() })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let announcer = Announcer::new();
    let changes = announcer.clone();
    let lend = tool("lend", "Lends the first book.", r#"{"type":"object"}"#)?;
    let tools = StaticSurface::new().with(lend, move |_, _| {
        changes.resource_updated(BOOKS[0].0);
        async { ToolOutcome::text("bring it back") }
    })?;
    let service = Service::new("library", tools).announced_by(announcer);
    serve_stdio(service.resources(Library).prompts(Library).completer(Library)).await?;
    Ok(())
}
