//! An encoder that is handed what its revision cannot express says what and where, and writes
//! nothing.

use protocol_droid_codecs::{Codec, EncodeError, Expect, codec, compiled, encode_value};
use protocol_droid_ir::{
    Annotations, AudioContent, CallToolParams, Content, ErrorObject, ErrorResponse, Feature, Icon,
    Implementation, InputRequiredResult, JsonObject, JsonText, ListToolsResult, Message, Params,
    Request, ResourceLinkContent, Response, ResultBody, Schema, TaskMetadata, TextContent, Tool,
    ToolAnnotations, ToolExecution, ToolResult, ToolUseContent, Unknown,
};

const A: &str = "2024-11-05";
const B: &str = "2025-03-26";
const C: &str = "2025-06-18";
const D: &str = "2025-11-25";
const E: &str = "2026-07-28";

fn object(text: &str) -> JsonObject {
    JsonObject::new(text).expect("an object")
}

fn json(text: &str) -> JsonText {
    JsonText::new(text).expect("JSON")
}

fn tool(change: impl FnOnce(&mut Tool)) -> Message {
    let mut tool = Tool::new("a", Schema::new(r#"{"type":"object"}"#).expect("a schema"));
    change(&mut tool);
    let plain = Tool::new("b", Schema::new(r#"{"type":"object"}"#).expect("a schema"));
    let tools = vec![plain.into(), tool.into()];
    response(ResultBody::ListTools(ListToolsResult { tools, ..ListToolsResult::default() }))
}

fn result(change: impl FnOnce(&mut ToolResult)) -> Message {
    let mut result = ToolResult::text("a");
    change(&mut result);
    response(ResultBody::CallTool(result))
}

fn block(block: Content) -> Message {
    result(|result| result.content.push(block))
}

fn response(result: ResultBody) -> Message {
    Message::Response(Response { id: 1.into(), result, extensions: Default::default() })
}

fn call(change: impl FnOnce(&mut Request)) -> Message {
    let params = CallToolParams { name: "a".into(), ..CallToolParams::default() };
    let mut request = Request::new(1, Params::CallTool(params));
    change(&mut request);
    Message::Request(request)
}

fn annotated() -> Content {
    let annotations = Annotations { last_modified: Some("now".into()), ..Annotations::default() };
    Content::Text(TextContent { annotations: Some(annotations), ..TextContent::new("a") })
}

fn linked() -> ResourceLinkContent {
    ResourceLinkContent { icons: Some(vec![]), ..ResourceLinkContent::new("a:b", "a") }
}

fn schema(text: &str) -> Schema {
    Schema::new(text).expect("a schema")
}

/// A message, the revisions that cannot say it, for want of what, and where that stands.
type Row = (Message, &'static [&'static str], Feature, &'static str);

fn rows() -> Vec<Row> {
    vec![
        (
            block(Content::Audio(AudioContent::new("", "a/b"))),
            &[A],
            Feature::AudioContent,
            "result.content[1]",
        ),
        (
            block(Content::ResourceLink(ResourceLinkContent::new("a:b", "a"))),
            &[A, B],
            Feature::ResourceLink,
            "result.content[1]",
        ),
        (block(Content::ResourceLink(linked())), &[C], Feature::Icons, "result.content[1].icons"),
        (
            block(annotated()),
            &[A, B],
            Feature::LastModified,
            "result.content[1].annotations.lastModified",
        ),
        (
            block(Content::ToolUse(ToolUseContent::default())),
            &[A, B, C, D],
            Feature::MisplacedContent,
            "result.content[1]",
        ),
        (
            block(Content::Unknown(Unknown::new(json("{}")))),
            &[A, B, C, D],
            Feature::UnknownContent,
            "result.content[1]",
        ),
        (
            result(|r| r.structured_content = Some(json("{}"))),
            &[A, B],
            Feature::StructuredContent,
            "result.structuredContent",
        ),
        (
            result(|r| r.structured_content = Some(json("[]"))),
            &[C, D],
            Feature::AnyStructuredContent,
            "result.structuredContent",
        ),
        (
            result(|r| r.result_type = Some("complete".into())),
            &[A, B, C, D],
            Feature::ToolResultType,
            "result.resultType",
        ),
        (
            tool(|t| t.annotations = Some(ToolAnnotations::default())),
            &[A],
            Feature::ToolAnnotations,
            "result.tools[1].annotations",
        ),
        (tool(|t| t.title = Some("".into())), &[A, B], Feature::Title, "result.tools[1].title"),
        (
            tool(|t| t.output_schema = Some(schema(r#"{"type":"object"}"#))),
            &[A, B],
            Feature::OutputSchema,
            "result.tools[1].outputSchema",
        ),
        (
            tool(|t| t.output_schema = Some(schema("{}"))),
            &[C, D],
            Feature::AnyOutputSchema,
            "result.tools[1].outputSchema",
        ),
        (
            tool(|t| t.input_schema = schema(r#"{"type":"object","properties":{"a":true}}"#)),
            &[A, B, C, D],
            Feature::BooleanSchemas,
            "result.tools[1].inputSchema",
        ),
        (tool(|t| t.icons = Some(vec![])), &[A, B, C], Feature::Icons, "result.tools[1].icons"),
        (
            tool(|t| t.execution = Some(ToolExecution::default())),
            &[A, B, C],
            Feature::ToolExecution,
            "result.tools[1].execution",
        ),
        (
            call(|r| r.context.request_state = Some("s".into())),
            &[A, B, C, D],
            Feature::InputResponses,
            "params.requestState",
        ),
        (
            call(|r| r.context.input_responses = Some(object("{}"))),
            &[A, B, C, D],
            Feature::InputResponses,
            "params.inputResponses",
        ),
        (
            call(|r| r.context.log_level = Some("info".into())),
            &[A, B, C, D],
            Feature::RequestMetadata,
            "params._meta[\"io.modelcontextprotocol/logLevel\"]",
        ),
        (
            call(|r| r.context.client_capabilities = Some(Box::default())),
            &[A, B, C, D],
            Feature::RequestMetadata,
            "params._meta[\"io.modelcontextprotocol/clientCapabilities\"]",
        ),
        (call(task), &[A, B, C], Feature::TaskAugmentation, "params.task"),
        (
            response(ResultBody::InputRequired(InputRequiredResult::default())),
            &[A, B, C, D],
            Feature::InputRequired,
            "result",
        ),
    ]
}

fn task(request: &mut Request) {
    if let Some(Params::CallTool(params)) = &mut request.params {
        params.task = Some(TaskMetadata::default());
    }
}

#[test]
fn what_a_revision_lacks_is_named_with_its_place() {
    for (message, revisions, feature, path) in rows() {
        assert!(message.required_features().contains(feature), "{feature}");
        for revision in revisions {
            let mut out = b"before".to_vec();
            let refused = codec(revision).expect("compiled in").encode(&message, &mut out);
            let expected = format!("{path}: {revision} has no {feature}");
            assert_eq!(refused.expect_err(&expected).to_string(), expected);
            assert_eq!(out, b"before");
        }
        let able = |codec: &&dyn Codec| message.required_features().is_subset(codec.features());
        for codec in compiled().iter().copied().filter(able).filter(|c| !c.version().is_modern()) {
            assert_eq!(codec.encode(&message, &mut Vec::new()), Ok(()), "{codec:?}: {feature}");
        }
    }
}

#[test]
fn what_a_revision_requires_is_named_with_its_place() {
    let metadata = |name| format!("params._meta[\"io.modelcontextprotocol/{name}\"]");
    let list = ["cacheScope", "resultType", "ttlMs"].map(|name| format!("result.{name}"));
    for (message, paths) in [
        (result(|_| ()), vec!["result.resultType".to_owned()]),
        (tool(|_| ()), list.to_vec()),
        (call(|_| ()), ["protocolVersion", "clientCapabilities"].map(metadata).to_vec()),
    ] {
        let refused = codec(E).expect("compiled in").encode(&message, &mut Vec::new());
        let named = matches!(&refused, Err(EncodeError::Missing { path, revision: E })
            if paths.contains(&path.to_string()));
        assert!(named, "{refused:?}, not one of {paths:?}");
    }
}

#[test]
fn details_of_an_implementation_are_refused_before_they_existed() {
    let plain =
        Implementation { name: "a".into(), version: "1".into(), ..Implementation::default() };
    let rows: [(Implementation, &[&str], Feature, &str); 4] = [
        (
            Implementation { title: Some("A".into()), ..plain.clone() },
            &[A, B],
            Feature::Title,
            "title",
        ),
        (
            Implementation { description: Some("".into()), ..plain.clone() },
            &[A, B, C],
            Feature::ImplementationDetails,
            "description",
        ),
        (
            Implementation { website_url: Some("a:b".into()), ..plain.clone() },
            &[A, B, C],
            Feature::ImplementationDetails,
            "websiteUrl",
        ),
        (
            Implementation { icons: Some(vec![Icon::default()]), ..plain.clone() },
            &[A, B, C],
            Feature::Icons,
            "icons",
        ),
    ];
    for (value, revisions, feature, path) in rows {
        for revision in revisions {
            let refused =
                encode_value(codec(revision).expect("compiled in"), &value, &mut Vec::new());
            let expected = format!("{path}: {revision} has no {feature}");
            assert_eq!(refused.expect_err(&expected).to_string(), expected);
        }
    }
}

#[test]
fn an_extension_that_bears_the_name_of_a_member_is_refused() {
    let extended = tool(|tool| tool.extensions.push("name", json("5")));
    for &codec in &compiled()[..4] {
        let refused = codec.encode(&extended, &mut Vec::new());
        let collision = matches!(&refused, Err(EncodeError::Collision { path, revision })
            if *path == *"result.tools[1].name" && *revision == codec.name());
        assert!(collision, "{refused:?}");
    }
}

#[test]
fn an_error_without_an_id_can_be_read_back_at_every_revision() {
    let error = ErrorObject::new(1, "");
    let message = Message::Error(ErrorResponse { id: None, error, extensions: Default::default() });
    for codec in compiled() {
        let mut out = Vec::new();
        assert_eq!(codec.encode(&message, &mut out), Ok(()));
        assert_eq!(
            out.starts_with(br#"{"jsonrpc":"2.0","id":null"#),
            [A, B, C].contains(&codec.name())
        );
        assert_eq!(codec.decode(&out, Expect::default()).expect("its own").value, message);
    }
}
