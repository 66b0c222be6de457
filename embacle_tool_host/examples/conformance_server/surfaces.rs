//! Resources, prompts and completion.

use std::sync::{Arc, OnceLock};

use embacle_tool_host::ir::{
    BlobResourceContents, Completion, CompletionArgument, CompletionReference, Content,
    GetPromptResult, Item, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents,
    ResourceTemplate, Text, TextResourceContents,
};
use embacle_tool_host::{
    Announcer, Answer, CallContext, Completer, Failure, PromptSurface, ResourceSurface,
    async_trait, form_of_json,
};

use crate::content::{PNG, image, resource};

/// Tells of changes, once there is somebody to tell.
#[derive(Clone, Default)]
pub(crate) struct Changes(Arc<OnceLock<Announcer>>);

impl Changes {
    pub(crate) fn announce_with(&self, announcer: Announcer) {
        let _ = self.0.set(announcer);
    }

    pub(crate) fn tools_changed(&self) {
        self.0.get().inspect(|announcer| announcer.tools_changed());
    }

    pub(crate) fn prompts_changed(&self) {
        self.0.get().inspect(|announcer| announcer.prompts_changed());
    }
}

pub(crate) struct Resources;

fn text(uri: &str, mime_type: &str, text: impl Into<Text>) -> ResourceContents {
    let mut contents = TextResourceContents::new(uri, text);
    contents.mime_type = Some(mime_type.into());
    ResourceContents::Text(contents)
}

#[async_trait]
impl ResourceSurface for Resources {
    async fn list_resources(&self) -> Vec<Resource> {
        let resource = |uri: &str, name: &str, mime_type: &str| {
            let mut resource = Resource::new(uri, name);
            resource.mime_type = Some(mime_type.into());
            resource.description = Some("A resource for tests.".into());
            resource
        };
        vec![
            resource("test://static-text", "Static text", "text/plain"),
            resource("test://static-binary", "Static image", "image/png"),
            resource("test://watched-resource", "Watched", "text/plain"),
        ]
    }

    async fn list_templates(&self) -> Vec<ResourceTemplate> {
        let mut template = ResourceTemplate::new("test://template/{id}/data", "Data by id");
        template.mime_type = Some("application/json".into());
        vec![template]
    }

    async fn read(&self, uri: &str, _: &CallContext) -> Result<Vec<ResourceContents>, Failure> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text", _) => {
                text(uri, "text/plain", "This is the content of the static text resource.")
            }
            ("test://static-binary", _) => {
                let mut contents = BlobResourceContents::new(uri, PNG);
                contents.mime_type = Some("image/png".into());
                ResourceContents::Blob(contents)
            }
            ("test://watched-resource", _) => text(uri, "text/plain", "Watched."),
            (_, Some(id)) if !id.contains('/') => {
                let json =
                    format!(r#"{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}"#);
                text(uri, "application/json", json)
            }
            _ => return Err(Failure::NotFound(format!("there is no resource {uri:?}"))),
        };
        Ok(vec![contents])
    }
}

pub(crate) struct Prompts;

fn user(content: Content) -> Item<PromptMessage> {
    Item::Known(PromptMessage::new("user", content))
}

#[async_trait]
impl PromptSurface for Prompts {
    async fn list_prompts(&self) -> Vec<Prompt> {
        let prompt = |name: &str, arguments: &[&str]| {
            let arguments = arguments.iter().map(|name| PromptArgument {
                name: (*name).into(),
                description: Some("An argument for tests.".into()),
                required: Some(true),
                ..PromptArgument::default()
            });
            let mut prompt = Prompt::new(name);
            prompt.description = Some("A prompt for tests.".into());
            prompt.arguments = Some(arguments.collect());
            prompt
        };
        vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
            prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_input_required_result_prompt", &[]),
        ]
    }

    async fn get(
        &self,
        name: &str,
        arguments: &[(Text, Text)],
        context: &CallContext,
    ) -> Result<GetPromptResult, Failure> {
        let argument = |name: &str| {
            arguments.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str())
        };
        let messages = match name {
            "test_simple_prompt" => {
                vec![user(Content::text("This is a simple prompt for testing."))]
            }
            "test_prompt_with_arguments" => {
                let (arg1, arg2) = (argument("arg1"), argument("arg2"));
                let text = format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'");
                vec![user(Content::text(text))]
            }
            "test_prompt_with_embedded_resource" => {
                let text = "Embedded resource content for testing.";
                vec![
                    user(resource(argument("resourceUri"), "text/plain", text)),
                    user(Content::text("Please process the embedded resource above.")),
                ]
            }
            "test_prompt_with_image" => {
                vec![user(image()), user(Content::text("Please analyze the image above."))]
            }
            _ => {
                let schema = r#"{"type":"object","properties":{"context":{"type":"string"}}}"#;
                let question = form_of_json("What is this about?", schema)
                    .map_err(|error| Failure::Internal(error.to_string()))?;
                let answer = context
                    .ask("user_context", question)
                    .await
                    .map_err(|error| Failure::Internal(error.to_string()))?;
                let Answer::Elicit(result) = answer else {
                    return Err(Failure::Internal("another answer".into()));
                };
                vec![user(Content::text(format!("The user's answer: {}", result.action)))]
            }
        };
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
        let known = ["paris", "park", "party", "testing"];
        let typed = argument.value.as_str();
        let values = known.iter().filter(|value| value.starts_with(typed));
        Ok(Completion { values: values.map(|v| (*v).into()).collect(), ..Completion::default() })
    }
}
