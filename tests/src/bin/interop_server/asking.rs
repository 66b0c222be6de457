//! Tools that ask the client, and answer with what it said.

use std::error::Error;

use embacle_tool_host::ir::{Content, CreateMessageParams, ElicitValue, Item, Schema, Tool};
use embacle_tool_host::{
    Answer, Question, StaticSurface, ToolOutcome, form_of_json, roots, sample, url,
};

use crate::tools::plain;

const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

pub(crate) fn asking(surface: StaticSurface) -> Result<StaticSurface, Box<dyn Error>> {
    let mut surface = surface;
    for (name, question) in [
        ("form", form_of_json("Who?", NAME)?),
        ("page", url("Look.", "https://example.com/look")),
        ("model", sample("Hello", 10)),
        ("modelWithTools", with_a_tool(sample("Hello", 10))?),
        ("roots", roots()),
    ] {
        surface = surface.with(plain(name)?, move |_, context| {
            let question = question.clone();
            async move {
                match context.ask("question", question).await {
                    Ok(answer) => ToolOutcome::text(said(&answer)),
                    Err(error) => ToolOutcome::failed(error.to_string()),
                }
            }
        })?;
    }
    Ok(surface)
}

/// A question that takes a capability which no client of the suite declares.
fn with_a_tool(question: Question) -> Result<Question, Box<dyn Error>> {
    let Question::CreateMessage(params) = question else { return Ok(question) };
    let tool = Tool::new("dial", Schema::new(r#"{"type":"object"}"#)?);
    let tools = Some(vec![Item::Known(tool)]);
    Ok(Question::CreateMessage(Box::new(CreateMessageParams { tools, ..*params })))
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Elicit(result) => {
            let values = result.content.iter().flatten().map(|(name, value)| match value {
                Item::Known(ElicitValue::Text(text)) => format!(" {name}={text}"),
                _ => format!(" {name} of another kind"),
            });
            result.action.to_string() + &values.collect::<String>()
        }
        Answer::CreateMessage(result) => match result.content.blocks() {
            [Content::Text(block)] => format!("{} of {}", block.text, result.model),
            _ => "something else".to_owned(),
        },
        Answer::ListRoots(result) => {
            let uris = result.roots.iter().map(|root| match root {
                Item::Known(root) => root.uri.as_str(),
                Item::Unknown(_) => "something else",
            });
            uris.collect::<Vec<_>>().join(" ")
        }
        _ => "something else".to_owned(),
    }
}
