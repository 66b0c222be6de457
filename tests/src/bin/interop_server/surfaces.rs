//! A resource, a prompt and completion.

use embacle_tool_host::ir::{
    Completion, CompletionArgument, CompletionReference, Content, GetPromptResult, Item, Prompt,
    PromptArgument, PromptMessage, Resource, ResourceContents, Text, TextResourceContents,
};
use embacle_tool_host::{
    CallContext, Completer, Failure, PromptSurface, ResourceSurface, async_trait,
};

const NOTE: &str = "test://note";

pub(crate) struct Resources;

#[async_trait]
impl ResourceSurface for Resources {
    async fn list_resources(&self) -> Vec<Resource> {
        vec![Resource::new(NOTE, "note")]
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContents>, Failure> {
        match uri {
            NOTE => Ok(vec![ResourceContents::Text(TextResourceContents::new(uri, "noted"))]),
            _ => Err(Failure::NotFound(format!("there is no resource {uri:?}"))),
        }
    }
}

pub(crate) struct Prompts;

#[async_trait]
impl PromptSurface for Prompts {
    async fn list_prompts(&self) -> Vec<Prompt> {
        let mut prompt = Prompt::new("greet");
        let name = PromptArgument { name: "name".into(), ..PromptArgument::default() };
        prompt.arguments = Some(vec![PromptArgument { required: Some(true), ..name }]);
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
    async fn complete(
        &self,
        _: &CompletionReference,
        argument: &CompletionArgument,
        _: &[(Text, Text)],
    ) -> Result<Completion, Failure> {
        let values = vec![Text::from(format!("{}a", argument.value))];
        Ok(Completion { values, ..Completion::default() })
    }
}
