//! The official examples of 2026-07-28: a folder a type. They are read where `MCP_EXAMPLES` says, or
//! beside the workspace, and skipped where neither is there.

use std::fs;
use std::path::{Path, PathBuf};

use protocol_droid_codecs::{Codec, codec, compiled};
use protocol_droid_ir::{
    AudioContent, EmbeddedResource, ErrorObject, ImageContent, ResourceContents,
    ResourceLinkContent, TextContent, Tool, ToolResultContent, ToolUseContent,
};
use protocol_droid_tests::closed::{assert_closed, faults};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::kinds::{Bare, Block, Body, Kind, Lowered, Stop, Whole};

/// The revision whose examples these are.
const REVISION: &str = "2026-07-28";

/// Where `$` stands, an example that is no message, result or value of its own goes.
const PARAMS: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":$}"#;
const PAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":$}"#;
const RESPONSES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","inputResponses":$,
    "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const CAPABILITIES: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
    "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":$}}}"#;
const REQUESTS: &str = r#"{"resultType":"input_required","inputRequests":$}"#;
const REQUEST: &str = r#"{"resultType":"input_required","inputRequests":{"a":$}}"#;

/// An example without the caching hints that the schema of its result requires.
const INCOMPLETE: &str = "ReadResourceResultResponse/read-resource-result-response.json";

/// How the examples of a type are read.
struct Way {
    folder: &'static str,
    frame: &'static str,
    kind: &'static dyn Kind,
}

const fn own(folder: &'static str, kind: &'static dyn Kind) -> Way {
    Way { folder, frame: "$", kind }
}

const fn framed(folder: &'static str, frame: &'static str, kind: &'static dyn Kind) -> Way {
    Way { folder, frame, kind }
}

/// The types that the model knows.
const COVERED: &[Way] = &[
    own("AudioContent", &Block::<AudioContent>::new("AudioContent")),
    own("BlobResourceContents", &Bare::<ResourceContents>::new("BlobResourceContents")),
    own("CallToolRequest", &Whole("CallToolRequest", None)),
    framed("CallToolRequestParams", PARAMS, &Whole("CallToolRequest", None)),
    own("CallToolResult", &Body("CallToolResult", "tools/call")),
    own("CallToolResultResponse", &Whole("CallToolResultResponse", Some("tools/call"))),
    framed("ClientCapabilities", CAPABILITIES, &Whole("ListToolsRequest", None)),
    framed("CreateMessageRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    framed("ElicitRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    own("EmbeddedResource", &Block::<EmbeddedResource>::new("EmbeddedResource")),
    own("HeaderMismatchError", &Whole("JSONRPCErrorResponse", None)),
    own("ImageContent", &Block::<ImageContent>::new("ImageContent")),
    framed("InputRequests", REQUESTS, &Body("InputRequiredResult", "tools/call")),
    own("InputRequiredResult", &Body("InputRequiredResult", "tools/call")),
    framed("InputResponses", RESPONSES, &Whole("CallToolRequest", None)),
    own("InternalError", &Bare::<ErrorObject>::new("Error")),
    own("InvalidParamsError", &Bare::<ErrorObject>::new("Error")),
    own("ListToolsRequest", &Whole("ListToolsRequest", None)),
    own("ListToolsResult", &Body("ListToolsResult", "tools/list")),
    own("ListToolsResultResponse", &Whole("ListToolsResultResponse", Some("tools/list"))),
    own("MethodNotFoundError", &Bare::<ErrorObject>::new("Error")),
    own("MissingRequiredClientCapabilityError", &Whole("JSONRPCErrorResponse", None)),
    framed("PaginatedRequestParams", PAGE, &Whole("ListToolsRequest", None)),
    own("ParseError", &Bare::<ErrorObject>::new("Error")),
    own("ResourceLink", &Block::<ResourceLinkContent>::new("ResourceLink")),
    own("TextContent", &Block::<TextContent>::new("TextContent")),
    own("TextResourceContents", &Bare::<ResourceContents>::new("TextResourceContents")),
    own("Tool", &Lowered::<Tool>::new("Tool")),
    own("ToolResultContent", &Bare::<ToolResultContent>::new("ToolResultContent")),
    own("ToolUseContent", &Bare::<ToolUseContent>::new("ToolUseContent")),
    own("UnsupportedProtocolVersionError", &Whole("JSONRPCErrorResponse", None)),
];

/// The messages and results whose bodies are carried as text.
const CARRIED: &[Way] = &[
    own("CancelledNotification", &Whole("", None)),
    own("CompleteRequest", &Whole("", None)),
    own("CompleteResult", &Body("", "completion/complete")),
    own("CompleteResultResponse", &Whole("", Some("completion/complete"))),
    own("DiscoverRequest", &Whole("", None)),
    own("DiscoverResult", &Body("", "server/discover")),
    own("DiscoverResultResponse", &Whole("", Some("server/discover"))),
    own("GetPromptRequest", &Whole("", None)),
    own("GetPromptResult", &Body("", "prompts/get")),
    own("GetPromptResultResponse", &Whole("", Some("prompts/get"))),
    own("ListPromptsRequest", &Whole("", None)),
    own("ListPromptsResult", &Body("", "prompts/list")),
    own("ListPromptsResultResponse", &Whole("", Some("prompts/list"))),
    own("ListResourceTemplatesRequest", &Whole("", None)),
    own("ListResourceTemplatesResult", &Body("", "resources/templates/list")),
    own("ListResourceTemplatesResultResponse", &Whole("", Some("resources/templates/list"))),
    own("ListResourcesRequest", &Whole("", None)),
    own("ListResourcesResult", &Body("", "resources/list")),
    own("ListResourcesResultResponse", &Whole("", Some("resources/list"))),
    // With an id, which its schema does not define.
    framed("ListRootsRequest", REQUEST, &Body("InputRequiredResult", "tools/call")),
    own("LoggingMessageNotification", &Whole("", None)),
    own("ProgressNotification", &Whole("", None)),
    own("PromptListChangedNotification", &Whole("", None)),
    own("ReadResourceRequest", &Whole("", None)),
    own("ReadResourceResult", &Body("", "resources/read")),
    own("ReadResourceResultResponse", &Whole("", Some("resources/read"))),
    own("ResourceListChangedNotification", &Whole("", None)),
    own("ResourceUpdatedNotification", &Whole("", None)),
    own("SubscriptionsAcknowledgedNotification", &Whole("", None)),
    own("SubscriptionsListenRequest", &Whole("", None)),
    own("SubscriptionsListenResult", &Body("", "subscriptions/listen")),
    own("SubscriptionsListenResultResponse", &Whole("", Some("subscriptions/listen"))),
    own("ToolListChangedNotification", &Whole("", None)),
];

/// The folder with the examples; none where there is none.
fn folder() -> Option<PathBuf> {
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
fn examples(folder: &Path, way: &Way) -> Vec<(String, String)> {
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

fn newest() -> [&'static dyn Codec; 2] {
    [REVISION, "draft"].map(|name| codec(name).expect("compiled in"))
}

#[test]
fn official_examples_are_read_without_a_report_and_written_unchanged() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for way in COVERED.iter().chain(CARRIED) {
        for (file, text) in examples(&folder, way) {
            for codec in newest() {
                let read = way.kind.rewrite(codec, text.as_bytes());
                let (out, report) = read.unwrap_or_else(|stop| panic!("{file}: {stop:?}"));
                if file.ends_with(INCOMPLETE) {
                    let repaired: Vec<_> = report.iter().map(|entry| &entry.path).collect();
                    assert_eq!(repaired, ["/result/ttlMs", "/result/cacheScope"], "{file}");
                } else {
                    assert_eq!(Json::read(&out), Json::read(&text), "{file}");
                    assert!(report.is_empty(), "{file}: {report:?}");
                }
            }
            count += 1;
        }
    }
    println!("{count} examples");
}

#[test]
fn official_examples_go_to_every_revision_as_what_its_schema_says() {
    let Some(folder) = folder() else { return };
    for way in COVERED {
        for (file, text) in examples(&folder, way) {
            assert_closed(REVISION, way.kind.name(), text.as_bytes());
            for &to in compiled() {
                let [from, _] = newest();
                match way.kind.carry(text.as_bytes(), from, to) {
                    Ok((out, _)) => {
                        let faults = faults(to.name(), way.kind.carried_name(), &out);
                        assert!(faults.is_empty(), "{file} to {to:?}: {faults:?}");
                    }
                    Err(Stop::Refused(_)) => {}
                    Err(stop) => panic!("{file} to {to:?}: {stop:?}"),
                }
            }
        }
    }
}

#[test]
fn no_message_and_no_covered_type_among_the_official_examples_is_left_out() {
    let Some(folder) = folder() else { return };
    let known = |name: &str| COVERED.iter().chain(CARRIED).any(|way| way.folder == name);
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let name = entry.expect("a readable folder").file_name();
        let name = name.to_str().expect("a type's name");
        let message = ["Request", "Notification", "Response", "Result", "Error"];
        assert!(
            known(name) || EMBEDDED.contains(&name) || !message.iter().any(|m| name.ends_with(m)),
            "{name} is a message"
        );
    }
}

/// Results that are parts of other messages, and never messages of their own.
const EMBEDDED: &[&str] = &["CreateMessageResult", "ElicitResult", "ListRootsResult"];
