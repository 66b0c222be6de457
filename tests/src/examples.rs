//! The official examples of 2026-07-28: a folder a type. They are read where `MCP_EXAMPLES` says, or
//! beside the workspace, and skipped where neither is there.

use std::fs;
use std::path::{Path, PathBuf};

use protocol_droid_ir::{
    AudioContent, ClientCapabilities, CreateMessageResult, ElicitResult, EmbeddedResource,
    ErrorObject, ImageContent, ListRootsResult, Resource, ResourceContents, ResourceLinkContent,
    Root, ServerCapabilities, TextContent, Tool, ToolResultContent, ToolUseContent,
};

use crate::kinds::{Bare, Block, Body, Kind, Lowered, Whole};

/// The revision whose examples these are.
pub const REVISION: &str = "2026-07-28";

/// Where `$` stands, an example that is no message, result or value of its own goes.
const PARAMS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":$}"#;
const PAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":$}"#;
const RESPONSES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","inputResponses":$,
    "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const REQUESTS: &str = r#"{"resultType":"input_required","inputRequests":$}"#;
const REQUEST: &str = r#"{"resultType":"input_required","inputRequests":{"a":$}}"#;

const PROPERTY: &str = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create",
    "params":{"message":"m","requestedSchema":{"type":"object","properties":{"p":$}}}}}}"#;
const ELICITATION: &str = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create",
    "params":$}}}"#;
const SAMPLING: &str = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage",
    "params":$}}}"#;
const MESSAGE: &str = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage",
    "params":{"maxTokens":1,"messages":[$]}}}}"#;
const PREFERENCES: &str = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"sampling/createMessage",
    "params":{"maxTokens":1,"messages":[],"modelPreferences":$}}}}"#;
const COMPLETE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":$}"#;
const PROMPT: &str = r#"{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":$}"#;
const CANCELLED: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":$}"#;
const LOGGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/message","params":$}"#;
const PROGRESS: &str = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":$}"#;
const UPDATED: &str = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":$}"#;

/// How the examples of a type are read.
#[derive(Debug)]
pub struct Way {
    /// The type, after which the folder is named.
    pub folder: &'static str,
    /// What an example stands in.
    pub frame: &'static str,
    /// What it is then.
    pub kind: &'static dyn Kind,
}

const fn own(folder: &'static str, kind: &'static dyn Kind) -> Way {
    Way { folder, frame: "$", kind }
}

const fn framed(folder: &'static str, frame: &'static str, kind: &'static dyn Kind) -> Way {
    Way { folder, frame, kind }
}

/// Every type that has examples.
pub const COVERED: &[Way] = &[
    own("AudioContent", &Block::<AudioContent>::new("AudioContent")),
    own("BlobResourceContents", &Bare::<ResourceContents>::new("BlobResourceContents")),
    framed("BooleanSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    own("CallToolRequest", &Whole("CallToolRequest", None)),
    framed("CallToolRequestParams", PARAMS, &Whole("CallToolRequest", None)),
    own("CallToolResult", &Body("CallToolResult", "tools/call")),
    own("CallToolResultResponse", &Whole("CallToolResultResponse", Some("tools/call"))),
    own("CancelledNotification", &Whole("CancelledNotification", None)),
    framed("CancelledNotificationParams", CANCELLED, &Whole("CancelledNotification", None)),
    own("ClientCapabilities", &Lowered::<ClientCapabilities>::new("ClientCapabilities")),
    own("CompleteRequest", &Whole("CompleteRequest", None)),
    framed("CompleteRequestParams", COMPLETE, &Whole("CompleteRequest", None)),
    own("CompleteResult", &Body("CompleteResult", "completion/complete")),
    own("CompleteResultResponse", &Whole("CompleteResultResponse", Some("completion/complete"))),
    framed("CreateMessageRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    framed("CreateMessageRequestParams", SAMPLING, &Body("InputRequiredResult", "tools/call")),
    own("CreateMessageResult", &Lowered::<CreateMessageResult>::new("CreateMessageResult")),
    own("DiscoverRequest", &Whole("DiscoverRequest", None)),
    own("DiscoverResult", &Body("DiscoverResult", "server/discover")),
    own("DiscoverResultResponse", &Whole("DiscoverResultResponse", Some("server/discover"))),
    framed("ElicitRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    framed("ElicitRequestFormParams", ELICITATION, &Body("InputRequiredResult", "tools/call")),
    framed("ElicitRequestURLParams", ELICITATION, &Body("InputRequiredResult", "tools/call")),
    own("ElicitResult", &Lowered::<ElicitResult>::new("ElicitResult")),
    own("EmbeddedResource", &Block::<EmbeddedResource>::new("EmbeddedResource")),
    own("GetPromptRequest", &Whole("GetPromptRequest", None)),
    framed("GetPromptRequestParams", PROMPT, &Whole("GetPromptRequest", None)),
    own("GetPromptResult", &Body("GetPromptResult", "prompts/get")),
    own("GetPromptResultResponse", &Whole("GetPromptResultResponse", Some("prompts/get"))),
    own("HeaderMismatchError", &Whole("JSONRPCErrorResponse", None)),
    own("ImageContent", &Block::<ImageContent>::new("ImageContent")),
    framed("InputRequests", REQUESTS, &Body("InputRequiredResult", "tools/call")),
    own("InputRequiredResult", &Body("InputRequiredResult", "tools/call")),
    framed("InputResponses", RESPONSES, &Whole("CallToolRequest", None)),
    own("InternalError", &Bare::<ErrorObject>::new("Error")),
    own("InvalidParamsError", &Bare::<ErrorObject>::new("Error")),
    own("ListPromptsRequest", &Whole("ListPromptsRequest", None)),
    own("ListPromptsResult", &Body("ListPromptsResult", "prompts/list")),
    own("ListPromptsResultResponse", &Whole("ListPromptsResultResponse", Some("prompts/list"))),
    own("ListResourceTemplatesRequest", &Whole("ListResourceTemplatesRequest", None)),
    own(
        "ListResourceTemplatesResult",
        &Body("ListResourceTemplatesResult", "resources/templates/list"),
    ),
    own(
        "ListResourceTemplatesResultResponse",
        &Whole("ListResourceTemplatesResultResponse", Some("resources/templates/list")),
    ),
    own("ListResourcesRequest", &Whole("ListResourcesRequest", None)),
    own("ListResourcesResult", &Body("ListResourcesResult", "resources/list")),
    own(
        "ListResourcesResultResponse",
        &Whole("ListResourcesResultResponse", Some("resources/list")),
    ),
    framed("ListRootsRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    own("ListRootsResult", &Lowered::<ListRootsResult>::new("ListRootsResult")),
    own("ListToolsRequest", &Whole("ListToolsRequest", None)),
    own("ListToolsResult", &Body("ListToolsResult", "tools/list")),
    own("ListToolsResultResponse", &Whole("ListToolsResultResponse", Some("tools/list"))),
    own("LoggingMessageNotification", &Whole("LoggingMessageNotification", None)),
    framed("LoggingMessageNotificationParams", LOGGED, &Whole("LoggingMessageNotification", None)),
    own("MethodNotFoundError", &Bare::<ErrorObject>::new("Error")),
    own("MissingRequiredClientCapabilityError", &Whole("JSONRPCErrorResponse", None)),
    framed("ModelPreferences", PREFERENCES, &Body("InputRequiredResult", "tools/call")),
    framed("NumberSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    framed("PaginatedRequestParams", PAGE, &Whole("ListToolsRequest", None)),
    own("ParseError", &Bare::<ErrorObject>::new("Error")),
    own("ProgressNotification", &Whole("ProgressNotification", None)),
    framed("ProgressNotificationParams", PROGRESS, &Whole("ProgressNotification", None)),
    own("PromptListChangedNotification", &Whole("PromptListChangedNotification", None)),
    own("ReadResourceRequest", &Whole("ReadResourceRequest", None)),
    own("ReadResourceResult", &Body("ReadResourceResult", "resources/read")),
    own("ReadResourceResultResponse", &Whole("ReadResourceResultResponse", Some("resources/read"))),
    own("Resource", &Lowered::<Resource>::new("Resource")),
    own("ResourceLink", &Block::<ResourceLinkContent>::new("ResourceLink")),
    own("ResourceListChangedNotification", &Whole("ResourceListChangedNotification", None)),
    own("ResourceUpdatedNotification", &Whole("ResourceUpdatedNotification", None)),
    framed(
        "ResourceUpdatedNotificationParams",
        UPDATED,
        &Whole("ResourceUpdatedNotification", None),
    ),
    own("Root", &Bare::<Root>::new("Root")),
    framed("SamplingMessage", MESSAGE, &Body("InputRequiredResult", "tools/call")),
    own("ServerCapabilities", &Lowered::<ServerCapabilities>::new("ServerCapabilities")),
    framed("StringSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    own(
        "SubscriptionsAcknowledgedNotification",
        &Whole("SubscriptionsAcknowledgedNotification", None),
    ),
    own("SubscriptionsListenRequest", &Whole("SubscriptionsListenRequest", None)),
    own("SubscriptionsListenResult", &Body("SubscriptionsListenResult", "subscriptions/listen")),
    own(
        "SubscriptionsListenResultResponse",
        &Whole("SubscriptionsListenResultResponse", Some("subscriptions/listen")),
    ),
    own("TextContent", &Block::<TextContent>::new("TextContent")),
    own("TextResourceContents", &Bare::<ResourceContents>::new("TextResourceContents")),
    framed("TitledMultiSelectEnumSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    framed("TitledSingleSelectEnumSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    own("Tool", &Lowered::<Tool>::new("Tool")),
    own("ToolListChangedNotification", &Whole("ToolListChangedNotification", None)),
    own("ToolResultContent", &Bare::<ToolResultContent>::new("ToolResultContent")),
    own("ToolUseContent", &Bare::<ToolUseContent>::new("ToolUseContent")),
    own("UnsupportedProtocolVersionError", &Whole("JSONRPCErrorResponse", None)),
    framed("UntitledMultiSelectEnumSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
    framed("UntitledSingleSelectEnumSchema", PROPERTY, &Body("InputRequiredResult", "tools/call")),
];

/// The folder with the examples; none where there is none.
pub fn folder() -> Option<PathBuf> {
    let beside = || {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../shared/mcp-schema")
            .join(REVISION)
            .join("examples")
    };
    let folder = std::env::var_os("MCP_EXAMPLES").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no official examples at {}; MCP_EXAMPLES may name them", folder.display());
    None
}

/// The examples of a type by their file names, each in its frame.
///
/// # Panics
/// When there are none.
pub fn examples(folder: &Path, way: &Way) -> Vec<(String, String)> {
    let files = fs::read_dir(folder.join(way.folder));
    let files = files.unwrap_or_else(|error| panic!("{}: {error}", way.folder));
    let mut examples: Vec<_> = files
        .map(|file| file.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable file");
            (path.display().to_string(), way.frame.replace('$', &text))
        })
        .collect();
    examples.sort();
    assert!(!examples.is_empty(), "no examples of {}", way.folder);
    examples
}
