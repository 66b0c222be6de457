//! The handshake, capabilities, log messages and subscriptions to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use protocol_droid_ir::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, DiscoverResult,
    ElicitationCapability, ElicitationTasks, EmptyNotificationParams, EmptyResult, Feature,
    InitializeParams, InitializeResult, JsonObject, LoggingMessageParams, PromptsCapability,
    ResourcesCapability, RootsCapability, SamplingCapability, SamplingTasks, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, SetLevelParams, SubscriptionFilter,
    SubscriptionsAcknowledgedParams, SubscriptionsListenResult, Text, ToolTasks, ToolsCapability,
};

use crate::generate::{Able, extensions, id, json_object, json_text, one_of, text, uri};
use crate::generate_content::implementation;
use crate::generate_message::{notification_meta, result_meta};

/// What a client can do.
pub fn client_capabilities(able: Able) -> BoxedStrategy<ClientCapabilities> {
    let roots = (able.gated(Feature::RootsListChanged, any::<bool>()), extensions())
        .prop_map(|(list_changed, extensions)| RootsCapability { list_changed, extensions });
    let parts = option::of((option::of(json_object()), option::of(json_object())));
    let sampling = (able.gated(Feature::SamplingCapabilities, parts.clone()), extensions())
        .prop_map(|(parts, extensions)| {
            let (context, tools) = parts.flatten().unwrap_or_default();
            SamplingCapability { context, tools, extensions }
        });
    let elicitation = (able.gated(Feature::ElicitationModes, parts), extensions()).prop_map(
        |(parts, extensions)| {
            let (form, url) = parts.flatten().unwrap_or_default();
            ElicitationCapability { form, url, extensions }
        },
    );
    (
        (option::of(roots), option::of(sampling)),
        able.gated(Feature::Elicitation, elicitation),
        able.gated(Feature::TasksCapability, client_tasks()),
        (experimental(), protocol_extensions(able)),
        extensions(),
    )
        .prop_map(|((roots, sampling), elicitation, tasks, open, extensions)| {
            let (experimental, protocol_extensions) = open;
            ClientCapabilities {
                roots,
                sampling,
                elicitation,
                tasks,
                experimental,
                protocol_extensions,
                extensions,
            }
        })
        .boxed()
}

fn client_tasks() -> BoxedStrategy<ClientTasksCapability> {
    let elicitation = (option::of(json_object()), extensions())
        .prop_map(|(create, extensions)| ElicitationTasks { create, extensions });
    let sampling = (option::of(json_object()), extensions())
        .prop_map(|(create_message, extensions)| SamplingTasks { create_message, extensions });
    let requests = (option::of(elicitation), option::of(sampling), extensions()).prop_map(
        |(elicitation, sampling, extensions)| ClientTaskRequests {
            elicitation,
            sampling,
            extensions,
        },
    );
    (option::of(json_object()), option::of(json_object()), option::of(requests), extensions())
        .prop_map(|(list, cancel, requests, extensions)| ClientTasksCapability {
            list,
            cancel,
            requests,
            extensions,
        })
        .boxed()
}

/// What a server can do.
pub fn server_capabilities(able: Able) -> BoxedStrategy<ServerCapabilities> {
    let flag = any::<Option<bool>>;
    let prompts = (flag(), extensions())
        .prop_map(|(list_changed, extensions)| PromptsCapability { list_changed, extensions });
    let resources =
        (flag(), flag(), extensions()).prop_map(|(subscribe, list_changed, extensions)| {
            ResourcesCapability { subscribe, list_changed, extensions }
        });
    let tools = (flag(), extensions())
        .prop_map(|(list_changed, extensions)| ToolsCapability { list_changed, extensions });
    (
        (option::of(prompts), option::of(resources), option::of(tools)),
        option::of(json_object()),
        able.gated(Feature::Completions, json_object()),
        able.gated(Feature::TasksCapability, server_tasks()),
        (experimental(), protocol_extensions(able)),
        extensions(),
    )
        .prop_map(|(lists, logging, completions, tasks, open, extensions)| {
            let (prompts, resources, tools_of) = lists;
            let (experimental, protocol_extensions) = open;
            ServerCapabilities {
                prompts,
                resources,
                tools: tools_of,
                logging,
                completions,
                tasks,
                experimental,
                protocol_extensions,
                extensions,
            }
        })
        .boxed()
}

fn server_tasks() -> BoxedStrategy<ServerTasksCapability> {
    let tools = (option::of(json_object()), extensions())
        .prop_map(|(call, extensions)| ToolTasks { call, extensions });
    let requests = (option::of(tools), extensions())
        .prop_map(|(tools, extensions)| ServerTaskRequests { tools, extensions });
    (option::of(json_object()), option::of(json_object()), option::of(requests), extensions())
        .prop_map(|(list, cancel, requests, extensions)| ServerTasksCapability {
            list,
            cancel,
            requests,
            extensions,
        })
        .boxed()
}

fn experimental() -> BoxedStrategy<Option<JsonObject>> {
    let texts = ["{}", r#"{ "a" : {"b":null, "n":1.50} }"#, r#"{"com.example/x":{}}"#];
    option::of(select(texts.to_vec()).prop_map(object)).boxed()
}

/// Protocol extensions, the one for tasks among them where the revision may have it.
fn protocol_extensions(able: Able) -> BoxedStrategy<Option<JsonObject>> {
    let mut texts = vec!["{}", r#"{ "com.example/x" : {"n":1e2, "z":null} }"#];
    if able.has(Feature::TasksExtension) {
        texts.push(r#"{"io.modelcontextprotocol/tasks":{}}"#);
        texts.push(r#"{"com.example/x":{"n":1.0},"io.modelcontextprotocol/tasks":{},"b/c":{}}"#);
    }
    option::of(select(texts).prop_map(object)).boxed()
}

/// What `initialize` takes.
pub fn initialize_params(able: Able) -> BoxedStrategy<InitializeParams> {
    (text(), client_capabilities(able), implementation(able), extensions())
        .prop_map(|(protocol_version, capabilities, client_info, extensions)| InitializeParams {
            protocol_version,
            capabilities,
            client_info,
            extensions,
        })
        .boxed()
}

/// What `initialize` returns.
pub fn initialize_result(able: Able) -> BoxedStrategy<InitializeResult> {
    (
        (text(), option::of(text())),
        server_capabilities(able),
        implementation(able),
        result_meta(able),
        extensions(),
    )
        .prop_map(
            |((protocol_version, instructions), capabilities, server_info, meta, extensions)| {
                InitializeResult {
                    protocol_version,
                    capabilities,
                    server_info,
                    instructions,
                    meta,
                    extensions,
                }
            },
        )
        .boxed()
}

/// What `server/discover` returns.
pub fn discover_result(able: Able) -> BoxedStrategy<DiscoverResult> {
    let head = (
        able.demanded(Feature::CacheHints, any::<u64>()),
        able.demanded(Feature::CacheHints, one_of(&["public", "private"])),
        able.demanded(Feature::ToolResultType, complete()),
    );
    let versions = vec(one_of(&["2026-07-28", "2025-11-25", "2099-01-01", ""]), 0..3);
    (
        (versions, option::of(text())),
        server_capabilities(able),
        head,
        result_meta(able),
        extensions(),
    )
        .prop_map(|((supported_versions, instructions), capabilities, head, meta, extensions)| {
            let (ttl_ms, cache_scope, result_type) = head;
            DiscoverResult {
                supported_versions,
                capabilities,
                instructions,
                ttl_ms,
                cache_scope,
                result_type,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// A result that says nothing.
pub fn empty_result(able: Able) -> BoxedStrategy<EmptyResult> {
    (able.demanded(Feature::ToolResultType, complete()), result_meta(able), extensions())
        .prop_map(|(result_type, meta, extensions)| EmptyResult { result_type, meta, extensions })
        .boxed()
}

/// What `logging/setLevel` takes.
pub fn set_level_params() -> BoxedStrategy<SetLevelParams> {
    (level(), extensions())
        .prop_map(|(level, extensions)| SetLevelParams { level, extensions })
        .boxed()
}

/// A log message.
pub fn logging_message(able: Able) -> BoxedStrategy<LoggingMessageParams> {
    (level(), option::of(text()), json_text(), notification_meta(able), extensions())
        .prop_map(|(level, logger, data, meta, extensions)| LoggingMessageParams {
            level,
            logger,
            data,
            meta,
            extensions,
        })
        .boxed()
}

/// The parameters of a notification that has none of its own.
pub fn empty_notification(able: Able) -> BoxedStrategy<EmptyNotificationParams> {
    (notification_meta(able), extensions())
        .prop_map(|(meta, extensions)| EmptyNotificationParams { meta, extensions })
        .boxed()
}

/// A filter of notifications.
pub fn subscription_filter() -> BoxedStrategy<SubscriptionFilter> {
    (any::<[Option<bool>; 3]>(), option::of(vec(uri(), 0..3)), extensions())
        .prop_map(|(lists, resource_subscriptions, extensions)| SubscriptionFilter {
            tools_list_changed: lists[0],
            prompts_list_changed: lists[1],
            resources_list_changed: lists[2],
            resource_subscriptions,
            extensions,
        })
        .boxed()
}

/// The end of a subscription.
pub fn subscriptions_listen_result(able: Able) -> BoxedStrategy<SubscriptionsListenResult> {
    (id(), result_meta(able), able.demanded(Feature::ToolResultType, complete()), extensions())
        .prop_map(|(id, meta, result_type, extensions)| {
            let named = SubscriptionsListenResult::new(&id).meta;
            let meta = match meta.filter(|meta| !meta.is_empty()) {
                Some(meta) => {
                    let named = named.as_str().strip_suffix('}').expect("an object");
                    object(&format!("{named},{}", &meta.as_str()[1..]))
                }
                None => named,
            };
            SubscriptionsListenResult { result_type, meta, extensions }
        })
        .boxed()
}

/// The start of a subscription.
pub fn subscriptions_acknowledged(able: Able) -> BoxedStrategy<SubscriptionsAcknowledgedParams> {
    (subscription_filter(), notification_meta(able), extensions())
        .prop_map(|(notifications, meta, extensions)| SubscriptionsAcknowledgedParams {
            notifications,
            meta,
            extensions,
        })
        .boxed()
}

fn level() -> BoxedStrategy<Text> {
    one_of(&["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
}

fn complete() -> Just<Text> {
    Just(Text::from("complete"))
}

fn object(text: &str) -> JsonObject {
    JsonObject::new(text).expect("an object")
}
