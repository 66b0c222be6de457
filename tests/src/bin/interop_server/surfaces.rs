//! A resource, a template of resources, a prompt and completion.

use embacle_tool_host::ir::{
    Completion, CompletionArgument, CompletionReference, Content, GetPromptResult, Item, Prompt,
    PromptArgument, PromptMessage, Resource, ResourceContents, ResourceTemplate, Text,
    TextResourceContents,
};
use embacle_tool_host::{
    CallContext, Completer, Failure, PromptSurface, ResourceSurface, async_trait,
};

use crate::icon;

pub(crate) const NOTE: &str = "test://note";

pub(crate) struct Resources;

#[async_trait]
impl ResourceSurface for Resources {
    async fn list_resources(&self) -> Vec<Resource> {
        let mut note = Resource::new(NOTE, "note");
        note.title = Some("A note".into());
        note.mime_type = Some("text/plain".into());
        note.icons = Some(vec![icon()]);
        vec![note]
    }

    async fn list_templates(&self) -> Vec<ResourceTemplate> {
        let mut day = ResourceTemplate::new("test://day/{day}", "day");
        day.title = Some("A day".into());
        day.icons = Some(vec![icon()]);
        vec![day]
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContents>, Failure> {
        match uri {
            NOTE => Ok(vec![ResourceContents::Text(TextResourceContents::new(uri, "noted"))]),
            _ => Err(Failure::NotFound("it is not there".to_owned())),
        }
    }
}

pub(crate) struct Prompts;

#[async_trait]
impl PromptSurface for Prompts {
    async fn list_prompts(&self) -> Vec<Prompt> {
        let name = PromptArgument {
            name: "name".into(),
            title: Some("The name".into()),
            required: Some(true),
            ..PromptArgument::default()
        };
        let mut prompt = Prompt::new("greet");
        prompt.title = Some("A greeting".into());
        prompt.icons = Some(vec![icon()]);
        prompt.arguments = Some(vec![name]);
        vec![prompt]
    }

    async fn get(
        &self,
        _: &str,
        arguments: &[(Text, Text)],
        _: &CallContext,
    ) -> Result<GetPromptResult, Failure> {
        let name = arguments.first().map_or("", |(_, value)| value.as_str());
        let message = PromptMessage::new("user", Content::text(format!("Greet {name}.")));
        let messages = vec![Item::Known(message)];
        Ok(GetPromptResult { messages, ..GetPromptResult::default() })
    }
}

pub(crate) struct Completions;

#[async_trait]
impl Completer for Completions {
    /// Completes by what is known already, if anything is.
    async fn complete(
        &self,
        _: &CompletionReference,
        argument: &CompletionArgument,
        resolved: &[(Text, Text)],
    ) -> Result<Completion, Failure> {
        let rest = resolved.first().map_or("a", |(_, value)| value.as_str());
        let values = vec![Text::from(format!("{}{rest}", argument.value))];
        Ok(Completion { values, ..Completion::default() })
    }
}
