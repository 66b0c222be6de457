//! Tools that ask the client, written once for both eras.

use embacle_tool_host::ir::{Content, ElicitResult, ElicitValue, Item, JsonText, Text};
use embacle_tool_host::{
    Answer, AskError, CallContext, Failure, Question, StaticSurface, ToolError, ToolOutcome,
    form_of_json, roots, sample, tool,
};

const NOTHING: &str = r#"{"type":"object"}"#;
const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const USER: &str = r#"{"type":"object","properties":{"username":{"type":"string","description":"The user's name"},"email":{"type":"string","description":"The user's address"}},"required":["username","email"]}"#;
const DEFAULTS: &str = r#"{"type":"object","properties":{
    "name":{"type":"string","default":"John Doe"},
    "age":{"type":"integer","default":30},
    "score":{"type":"number","default":95.5},
    "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
    "verified":{"type":"boolean","default":true}}}"#;
const ENUMS: &str = r#"{"type":"object","properties":{
    "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
    "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},
    "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},
    "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
    "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}}}"#;

fn ask_form(message: &str, schema: &str) -> Result<Question, Failure> {
    form_of_json(message, schema).map_err(|error| Failure::Internal(error.to_string()))
}

fn refused(error: AskError) -> Failure {
    Failure::Tool(error.to_string())
}

fn name_in(answer: &Answer) -> Option<&Text> {
    let Answer::Elicit(ElicitResult { content, .. }) = answer else { return None };
    content.iter().flatten().find_map(|(key, value)| match value {
        Item::Known(ElicitValue::Text(text)) if key == "name" => Some(text),
        _ => None,
    })
}

async fn ask_name(context: &CallContext) -> Result<String, Failure> {
    let question = ask_form("What is your name?", NAME)?;
    let answer = context.ask("user_name", question).await.map_err(refused)?;
    let name = name_in(&answer).map_or("nobody".to_owned(), ToString::to_string);
    Ok(name)
}

fn spoken(answer: &Answer) -> String {
    let Answer::CreateMessage(result) = answer else { return String::new() };
    let text = result.content.blocks().iter().find_map(|block| match block {
        Content::Text(block) => Some(block.text.to_string()),
        _ => None,
    });
    text.unwrap_or_default()
}

fn done(result: Result<String, Failure>) -> ToolOutcome {
    result.map_or_else(ToolOutcome::from, ToolOutcome::text)
}

pub(crate) fn tools(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    let required = |name: &str| {
        format!(
            r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]}}"#
        )
    };
    let mut surface = surface
        .with(
            tool("test_sampling", "Asks a model.", &required("prompt"))?,
            |arguments, context| async move {
                let prompt = arguments.get("prompt").and_then(|text| text.parse::<String>().ok());
                let question = sample(prompt.unwrap_or_default(), 100);
                let answer = context.ask("answer", question).await.map_err(refused);
                done(answer.map(|answer| format!("LLM response: {}", spoken(&answer))))
            },
        )?
        .with(
            tool("test_missing_capability", "Needs a client with a model.", NOTHING)?,
            |_, context| async move {
                let answer = context.ask("answer", sample("Hello", 10)).await.map_err(refused);
                done(answer.map(|answer| spoken(&answer)))
            },
        )?;
    for (name, schema, input) in [
        ("test_elicitation", USER, required("message")),
        ("test_elicitation_sep1034_defaults", DEFAULTS, NOTHING.to_owned()),
        ("test_elicitation_sep1330_enums", ENUMS, NOTHING.to_owned()),
        ("test_streaming_elicitation", USER, NOTHING.to_owned()),
    ] {
        surface = surface.with(
            tool(name, "Asks the user to fill a form.", &input)?,
            move |arguments, context| async move {
                let message = arguments.get("message").and_then(|m| m.parse::<String>().ok());
                let message = message.as_deref().unwrap_or("Please fill this form.");
                done(fill(message, schema, &context).await)
            },
        )?;
    }
    rounds(surface)
}

async fn fill(message: &str, schema: &str, context: &CallContext) -> Result<String, Failure> {
    let answer = context.ask("form", ask_form(message, schema)?).await.map_err(refused)?;
    let Answer::Elicit(result) = answer else { return Ok(String::new()) };
    Ok(format!("User response: {}", result.action))
}

fn rounds(surface: StaticSurface) -> Result<StaticSurface, ToolError> {
    let tool = |name: &str| {
        tool(&format!("test_input_required_result_{name}"), "Asks before it answers.", NOTHING)
    };
    surface
        .with(tool("elicitation")?, |_, context| async move {
            done(ask_name(&context).await.map(|name| format!("Hello, {name}!")))
        })?
        .with(tool("sampling")?, |_, context| async move {
            let question = sample("What is the capital of France?", 100);
            let answer = context.ask("capital_question", question).await.map_err(refused);
            done(answer.map(|answer| spoken(&answer)))
        })?
        .with(tool("list_roots")?, |_, context| async move {
            let answer = context.ask("client_roots", roots()).await.map_err(refused);
            done(answer.map(|answer| match answer {
                Answer::ListRoots(result) => format!("{} roots", result.roots.len()),
                _ => String::new(),
            }))
        })?
        .with(tool("request_state")?, |_, context| async move {
            let step = Text::from("asked");
            context.keep("step", &step);
            let name = ask_name(&context).await;
            let kept = context.kept("step").is_some_and(|step| step.as_str() == "\"asked\"");
            let word = if kept { "state-ok" } else { "state-lost" };
            done(name.map(|name| format!("{word} {name}")))
        })?
        .with(tool("multiple_inputs")?, |_, context| async move { done(ask_all(&context).await) })?
        .with(tool("multi_round")?, |_, context| async move { done(ask_twice(&context).await) })?
        .with(tool("tampered_state")?, |_, context| async move {
            done(ask_name(&context).await.map(|name| format!("Hello, {name}!")))
        })?
        .with(tool("capabilities")?, |_, context| async move {
            done(ask_what_can_be_asked(&context).await)
        })
}

async fn ask_all(context: &CallContext) -> Result<String, Failure> {
    let questions = vec![
        ("user_name".into(), ask_form("What is your name?", NAME)?),
        ("greeting".into(), sample("Greet somebody.", 50)),
        ("client_roots".into(), roots()),
    ];
    let answers = context.ask_all(questions).await.map_err(refused)?;
    Ok(format!("{} answers", answers.len()))
}

async fn ask_twice(context: &CallContext) -> Result<String, Failure> {
    let name = ask_name(context).await?;
    let rounds = JsonText::new("1").map_err(|error| Failure::Internal(error.to_string()))?;
    context.keep("rounds", rounds);
    let color = ask_form("What is your favorite color?", NAME)?;
    context.ask("color", color).await.map_err(refused)?;
    Ok(format!("Thank you, {name}."))
}

async fn ask_what_can_be_asked(context: &CallContext) -> Result<String, Failure> {
    let mut questions = Vec::new();
    for (key, question) in [
        ("greeting", sample("Greet somebody.", 50)),
        ("user_name", ask_form("What is your name?", NAME)?),
    ] {
        if context.can_ask(&question) {
            questions.push((key.into(), question));
        }
    }
    let answers = context.ask_all(questions).await.map_err(refused)?;
    Ok(format!("{} answers", answers.len()))
}
