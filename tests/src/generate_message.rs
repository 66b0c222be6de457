//! Results and whole messages to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use protocol_droid_ir::{
    CallToolParams, Content, EmptyNotificationParams, ErrorObject, ErrorResponse, Extensions,
    Feature, InputRequiredResult, JsonObject, JsonText, ListToolsParams, ListToolsResult, Message,
    Notification, NotificationParams, OtherParams, Params, ProtocolVersion, ReadResourceParams,
    Request, RequestContext, Response, ResultBody, TaskMetadata, Text, ToolResult,
};

use crate::generate::{Able, extensions, id, json, json_object, json_text, meta, one_of, text};
use crate::generate_clientside::input_request;
use crate::generate_content::{any_content, implementation, structured, tool_item};
use crate::generate_lifecycle::client_capabilities;

/// A result of `tools/call`.
pub fn tool_result(able: Able) -> BoxedStrategy<ToolResult> {
    let content = vec(any_content(able), 0..4);
    let kind = able.demanded(Feature::ToolResultType, Just(Text::from("complete")));
    let meta = result_meta(able);
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
    let hints = (
        able.demanded(Feature::CacheHints, prop_oneof![Just(0), any::<u64>()]),
        able.demanded(Feature::CacheHints, one_of(&["public", "private"])),
        able.demanded(Feature::ToolResultType, Just(Text::from("complete"))),
    );
    let tools = vec(tool_item(able), 0..4);
    (tools, option::of(text()), hints, result_meta(able), extensions())
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

/// A result that asks for input.
pub fn input_required(able: Able) -> BoxedStrategy<InputRequiredResult> {
    let requests = vec((text(), input_request(able)), 0..3).prop_map(|mut requests| {
        requests.sort_by(|(a, _), (b, _)| a.cmp(b));
        requests.dedup_by(|(a, _), (b, _)| a == b);
        requests
    });
    (option::of(requests), option::of(text()), result_meta(able), extensions())
        .prop_map(|(input_requests, request_state, meta, extensions)| InputRequiredResult {
            input_requests,
            request_state,
            meta,
            extensions,
        })
        .boxed()
}

/// A result of a tool method.
pub fn result(able: Able) -> BoxedStrategy<ResultBody> {
    let call = tool_result(able).prop_map(ResultBody::CallTool);
    let list = list_tools_result(able).prop_map(ResultBody::ListTools);
    if !able.has(Feature::InputRequired) {
        return prop_oneof![call, list].boxed();
    }
    let input = input_required(able).prop_map(ResultBody::InputRequired);
    prop_oneof![4 => call, 3 => list, 1 => input].boxed()
}

/// The method of the request that a result answers.
pub fn method_of(result: &ResultBody) -> &'static str {
    match result {
        ResultBody::ListTools(_) => "tools/list",
        _ => "tools/call",
    }
}

/// `_meta` of a result.
pub fn result_meta(able: Able) -> BoxedStrategy<Option<JsonObject>> {
    const NAMED: &str = r#"{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
    const MIXED: &str =
        r#"{"a/b":1.0,"io.modelcontextprotocol/serverInfo":{"version":"","name":""},"c":[]}"#;
    if !able.has(Feature::ServerInfoMetadata) {
        return meta();
    }
    let server = select(&[NAMED, MIXED][..]).prop_map(|text| Some(object(text)));
    prop_oneof![2 => meta(), 1 => server].boxed()
}

/// What goes with a request; `retried` says whether it may answer an input-required result.
pub fn context(able: Able, retried: bool) -> BoxedStrategy<RequestContext> {
    const LEVELS: &[&str] = &["debug", "info", "warning", "error", "emergency"];
    const RESPONSES: &[&str] =
        &["{}", r#"{"q":{"action":"decline"}}"#, r#"{"r":{"roots":[{"uri":"file:///x"}]}}"#];
    let metadata = (
        able.demanded(Feature::RequestMetadata, Just(ProtocolVersion::LATEST.as_str().into())),
        able.gated(Feature::RequestMetadata, implementation(able)),
        able.demanded(Feature::RequestMetadata, client_capabilities(able)),
        able.gated(Feature::RequestMetadata, one_of(LEVELS)),
    );
    let answers = if retried {
        let responses = select(RESPONSES).prop_map(object);
        let all = able.gated(Feature::InputResponses, (option::of(responses), option::of(text())));
        proptest::option::weighted(0.3, all)
            .prop_map(|all| all.flatten().unwrap_or_default())
            .boxed()
    } else {
        Just((None, None)).boxed()
    };
    let named = (select(&["traceparent", "x-vendor/a", "progress"][..]), json_text());
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
                client_info,
                client_capabilities,
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
fn settle(context: &mut RequestContext) {
    if context.has_meta() {
        context.meta.get_or_insert_default();
    }
}

/// A message as it is once read: what is written to hold `_meta` is there.
pub fn settled(mut message: Message) -> Message {
    if let Message::Request(request) = &mut message {
        settle(&mut request.context);
        if request.params.is_none() && request.context != RequestContext::default() {
            request.params = Some(empty_params(&request.method));
        }
    }
    message
}

fn empty_params(method: &Text) -> Params {
    match method.as_str() {
        "tools/list" => Params::ListTools(ListToolsParams::default()),
        _ => Params::Other(OtherParams { method: method.clone(), extensions: Extensions::new() }),
    }
}

/// What asks for a task.
pub fn task_metadata() -> BoxedStrategy<TaskMetadata> {
    (any::<Option<u64>>(), extensions())
        .prop_map(|(ttl, extensions)| TaskMetadata { ttl, extensions })
        .boxed()
}

/// A request.
pub fn request(able: Able) -> BoxedStrategy<Request> {
    let list = (option::of(text()), extensions())
        .prop_map(|(cursor, extensions)| Params::ListTools(ListToolsParams { cursor, extensions }));
    let task = able.gated(Feature::TaskAugmentation, task_metadata());
    let call = (text(), option::of(json_object()), task, extensions()).prop_map(
        |(name, arguments, task, extensions)| {
            Params::CallTool(CallToolParams { name, arguments, task, extensions })
        },
    );
    let other = json().prop_map(|json| {
        let mut extensions = Extensions::new();
        extensions.push("x-vendor-a", JsonText::new(json).expect("generated JSON"));
        Params::ReadResource(ReadResourceParams { uri: "file:///x".into(), extensions })
    });
    let params = prop_oneof![
        3 => (call, context(able, true)),
        2 => (list, context(able, false)),
        1 => (other, context(able, true)),
    ];
    (id(), params, extensions())
        .prop_map(|(id, (params, context), extensions)| Request {
            id,
            method: params.method(),
            params: Some(params),
            context,
            extensions,
        })
        .boxed()
}

/// An error.
pub fn error(able: Able) -> BoxedStrategy<ErrorResponse> {
    let gated = [
        (Feature::ResourceNotFoundCode, -32002),
        (Feature::UrlElicitationRequiredCode, -32042),
        (Feature::ModernErrorCodes, -32020),
        (Feature::ModernErrorCodes, -32021),
        (Feature::ModernErrorCodes, -32022),
        (Feature::PrivateErrorCodes, -32023),
        (Feature::PrivateErrorCodes, -32050),
        (Feature::PrivateErrorCodes, -32099),
    ];
    let mut codes = vec![-32700, -32601, -32602, -32000, -32019, -32100, 0, 1, i64::MIN, i64::MAX];
    codes.extend(gated.iter().filter(|(feature, _)| able.has(*feature)).map(|(_, code)| code));
    let error = (select(codes), text(), option::of(json_text()), extensions()).prop_map(
        |(code, message, data, extensions)| ErrorObject { code, message, data, extensions },
    );
    let id = if able.has(Feature::ErrorWithoutId) {
        option::weighted(0.8, id()).boxed()
    } else {
        id().prop_map(Some).boxed()
    };
    (id, error, extensions())
        .prop_map(|(id, error, extensions)| ErrorResponse { id, error, extensions })
        .boxed()
}

fn notification(able: Able) -> BoxedStrategy<Notification> {
    const SUBSCRIBED: &str = r#"{"io.modelcontextprotocol/subscriptionId":7,"a":1.0}"#;
    let meta = if able.has(Feature::SubscriptionMetadata) {
        prop_oneof![meta(), Just(Some(object(SUBSCRIBED)))].boxed()
    } else {
        meta()
    };
    let params = (meta, extensions()).prop_map(|(meta, extensions)| {
        NotificationParams::ToolsListChanged(EmptyNotificationParams { meta, extensions })
    });
    (option::of(params), extensions())
        .prop_map(|(params, extensions)| Notification {
            method: "notifications/tools/list_changed".into(),
            params,
            extensions,
        })
        .boxed()
}

/// A message of any kind.
pub fn message(able: Able) -> BoxedStrategy<Message> {
    let response = (id(), result(able), extensions()).prop_map(|(id, result, extensions)| {
        Message::Response(Response { id, result, extensions })
    });
    prop_oneof![
        4 => request(able).prop_map(Message::Request),
        4 => response,
        2 => error(able).prop_map(Message::Error),
        1 => notification(able).prop_map(Message::Notification),
    ]
    .boxed()
}

fn object(text: &str) -> JsonObject {
    JsonObject::new(text).expect("an object")
}
