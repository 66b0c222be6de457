//! What goes with messages to test with: contexts, `_meta`, errors, and results of more than one
//! method.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use protocol_droid_ir::{
    Content, Extensions, Feature, InputRequests, InputRequiredResult, Item, JsonObject,
    ListToolsResult, ProtocolVersion, RequestContext, ToolResult, Unknown,
};

use crate::generate::{Able, extensions, id, json_text, meta, one_of, text};
use crate::generate_clientside::input_request;
use crate::generate_content::{any_content, implementation, structured, tool_item};
use crate::generate_errors::input_responses;
use crate::generate_lifecycle::client_capabilities;
use crate::generate_serverside::{hints, kind};

/// A result of `tools/call`.
pub fn tool_result(able: Able) -> BoxedStrategy<ToolResult> {
    let content = vec(any_content(able), 0..4);
    let (kind, meta) = (kind(able), result_meta(able));
    let structured = (structured(able), any::<bool>());
    (content, structured, any::<Option<bool>>(), kind, meta, extensions())
        .prop_map(|(mut content, structured, is_error, result_type, meta, extensions)| {
            let (structured_content, held) = structured;
            // As the specification asks for, a text block may hold the same.
            let held = structured_content.as_ref().filter(|_| held);
            content.extend(held.map(|json| Content::text(json.as_str())));
            ToolResult { content, structured_content, is_error, result_type, meta, extensions }
        })
        .boxed()
}

/// A result of `tools/list`.
pub fn list_tools_result(able: Able) -> BoxedStrategy<ListToolsResult> {
    let tools = vec(tool_item(able), 0..4);
    (tools, option::of(text()), hints(able), result_meta(able), extensions())
        .prop_map(|(tools, next_cursor, hints, meta, extensions)| {
            let (ttl_ms, cache_scope, result_type) = hints;
            ListToolsResult {
                tools,
                next_cursor,
                ttl_ms,
                cache_scope,
                result_type,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// What is asked, by distinct keys.
pub fn input_requests(able: Able) -> BoxedStrategy<InputRequests> {
    let known = input_request(able);
    let request = match able.odd {
        true => {
            let odd = r#"{"method":"x-vendor/ask","params":{}}"#.parse().expect("JSON");
            prop_oneof![8 => known, 1 => Just(Item::Unknown(Unknown::new(odd)))].boxed()
        }
        false => known,
    };
    vec((text(), request), 0..3)
        .prop_map(|mut requests| {
            requests.sort_by(|(a, _), (b, _)| a.cmp(b));
            requests.dedup_by(|(a, _), (b, _)| a == b);
            requests
        })
        .boxed()
}

/// A result that asks for input.
pub fn input_required(able: Able) -> BoxedStrategy<InputRequiredResult> {
    (option::of(input_requests(able)), option::of(text()), result_meta(able), extensions())
        .prop_map(|(input_requests, request_state, meta, extensions)| InputRequiredResult {
            input_requests,
            request_state,
            meta,
            extensions,
        })
        .boxed()
}

/// The `_meta` member that names the task a message belongs to.
const TASK: &str = r#"{"io.modelcontextprotocol/related-task":{"taskId":"t"},"b":-0}"#;

/// `_meta` of a result.
pub fn result_meta(able: Able) -> BoxedStrategy<Option<JsonObject>> {
    const NAMED: &str = r#"{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
    const MIXED: &str =
        r#"{"a/b":1.0,"io.modelcontextprotocol/serverInfo":{"version":"","name":""},"c":[]}"#;
    reserved(
        able,
        &[
            (Feature::ServerInfoMetadata, NAMED),
            (Feature::ServerInfoMetadata, MIXED),
            (Feature::TaskAugmentation, TASK),
        ],
    )
}

/// `_meta` of a notification.
pub fn notification_meta(able: Able) -> BoxedStrategy<Option<JsonObject>> {
    const SUBSCRIBED: &str = r#"{"io.modelcontextprotocol/subscriptionId":7,"a":1.0}"#;
    const CLIENT: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}"#;
    reserved(
        able,
        &[
            (Feature::SubscriptionMetadata, SUBSCRIBED),
            (Feature::RequestMetadata, CLIENT),
            (Feature::TaskAugmentation, TASK),
        ],
    )
}

/// `_meta`, now and then with reserved names that only some revisions have.
fn reserved(able: Able, named: &[(Feature, &'static str)]) -> BoxedStrategy<Option<JsonObject>> {
    let named = named.iter().filter(|(feature, _)| able.has(*feature));
    let named: Vec<_> = named.map(|(_, text)| Some(object(text))).collect();
    if named.is_empty() {
        return meta();
    }
    prop_oneof![2 => meta(), 1 => select(named)].boxed()
}

/// What goes with a request; `retried` says whether it may answer an input-required result.
pub fn context(able: Able, retried: bool) -> BoxedStrategy<RequestContext> {
    const LEVELS: &[&str] = &["debug", "info", "warning", "error", "emergency"];
    let metadata = (
        able.demanded(Feature::RequestMetadata, Just(ProtocolVersion::LATEST.as_str().into())),
        able.gated(Feature::RequestMetadata, implementation(able)),
        able.demanded(Feature::RequestMetadata, client_capabilities(able)),
        able.gated(Feature::RequestMetadata, one_of(LEVELS)),
    );
    let answers = if retried {
        let given = (option::of(input_responses()), option::of(text()));
        let all = able.gated(Feature::InputResponses, given);
        proptest::option::weighted(0.3, all)
            .prop_map(|all| all.flatten().unwrap_or_default())
            .boxed()
    } else {
        Just((None, None)).boxed()
    };
    let mut names = vec!["traceparent", "x-vendor/a", "progress"];
    if able.has(Feature::TaskAugmentation) {
        names.push("io.modelcontextprotocol/related-task");
    }
    let named = (select(names), json_text());
    let others = named.prop_map(|(name, value)| {
        let mut others = Extensions::new();
        others.push(name, value);
        others
    });
    let others = option::of(prop_oneof![Just(Extensions::new()), others]);
    (metadata, option::of(id()), answers, others)
        .prop_map(|(metadata, progress_token, answers, meta)| {
            let (protocol_version, client_info, client_capabilities, log_level) = metadata;
            let mut context = RequestContext {
                protocol_version,
                client_info: client_info.map(Box::new),
                client_capabilities: client_capabilities.map(Box::new),
                log_level,
                progress_token,
                input_responses: answers.0,
                request_state: answers.1,
                meta,
            };
            settle(&mut context);
            context
        })
        .boxed()
}

/// `_meta` is there at all once it has anything to hold.
pub fn settle(context: &mut RequestContext) {
    if context.has_meta() {
        context.meta.get_or_insert_default();
    }
}

fn object(text: &str) -> JsonObject {
    JsonObject::new(text).expect("an object")
}
