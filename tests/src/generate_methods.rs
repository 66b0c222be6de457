//! Whole messages to test with: every request, result and notification that the model has.

use proptest::option;
use proptest::prelude::*;
use proptest::strategy::Union;
use protocol_droid_codecs::{Codec, method};
use protocol_droid_ir::{
    CallToolParams, EmptyParams, Extensions, Feature, JsonText, Message, Notification,
    NotificationParams, OtherNotificationParams, OtherParams, OtherResult, PaginatedParams, Params,
    ReadResourceParams, Request, RequestContext, Response, ResultBody, SubscribeParams,
    notifications, requests,
};

use crate::generate::{Able, extensions, id, json_object, text, uri};
use crate::generate_clientside::{create_message_params, create_message_result, list_roots_result};
use crate::generate_errors::error;
use crate::generate_form::{elicit_params, elicit_result};
use crate::generate_lifecycle::*;
use crate::generate_message::*;
use crate::generate_serverside::*;
use crate::generate_tasks::*;

macro_rules! names {
    ($( $method:literal => $variant:ident: $params:ty $( => $result:ty )?, )*) => {
        &[$($method),*]
    };
}

/// The methods of all typed requests.
pub const REQUESTS: &[&str] = requests!(names);

macro_rules! variants {
    ($( $method:literal => $variant:ident: $params:ty => $result:ty, )*) => {
        &[$(stringify!($variant)),*]
    };
}

/// The names of the results of all typed requests.
pub const RESULTS: &[&str] = requests!(variants);

/// The methods of all typed notifications.
pub const NOTIFICATIONS: &[&str] = notifications!(names);

/// A request that no revision has.
pub const VENDOR: &str = "x-vendor/do";

/// A notification that no revision has.
pub const VENDOR_NOTIFICATION: &str = "notifications/x-vendor";

/// The methods of the tasks extension, which stand in no schema.
const TASKS_EXTENSION: &[&str] =
    &["notifications/tasks", "tasks/cancel", "tasks/get", "tasks/update"];

/// Whether peers at the revision may send `name`: it has it, or nobody has, or it is of the tasks
/// extension and the revision may have that.
pub fn has(codec: &dyn Codec, name: &str) -> bool {
    if TASKS_EXTENSION.contains(&name) && codec.features().contains(Feature::TaskExtension) {
        return true;
    }
    match method(name) {
        Some(known) => known.is_in(codec.revision()),
        None => !TASKS_EXTENSION.contains(&name),
    }
}

/// Whether `name` means the same at both revisions, so that its messages can be translated.
pub fn passes(name: &str, from: &dyn Codec, to: &dyn Codec) -> bool {
    let extends = |codec: &dyn Codec| codec.features().contains(Feature::TaskExtension);
    has(to, name) && (!TASKS_EXTENSION.contains(&name) || extends(from) == extends(to))
}

/// A message, and the method that it sends or answers.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The method; none of an error.
    pub method: Option<&'static str>,
    /// The message.
    pub message: Message,
}

impl Sample {
    /// The method that the message answers.
    pub fn answers(&self) -> Option<&'static str> {
        self.method.filter(|_| matches!(self.message, Message::Response(_)))
    }
}

impl Able {
    fn may_send(self, name: &str) -> bool {
        let codec = self.revision.and_then(|name| protocol_droid_codecs::codec(name).ok());
        codec.is_none_or(|codec| has(codec, name))
    }

    fn extends(self) -> bool {
        self.has(Feature::TaskExtension)
    }
}

/// Every kind of message that can be sent: what it is, and its samples.
pub fn kinds(able: Able) -> Vec<(String, BoxedStrategy<Sample>)> {
    let mut kinds = vec![("error".to_owned(), errors(able))];
    let requests = REQUESTS.iter().copied().chain([VENDOR]);
    for name in requests.filter(|name| able.may_send(name)) {
        kinds.push((name.to_owned(), request(able, name)));
        for (at, result) in results(able, name).into_iter().enumerate() {
            kinds.push((format!("{name} {at}"), response(name, result)));
        }
    }
    let notifications = NOTIFICATIONS.iter().copied().chain([VENDOR_NOTIFICATION]);
    for name in notifications.filter(|name| able.may_send(name)) {
        kinds.push((name.to_owned(), notification(able, name)));
    }
    kinds
}

/// A message of any kind.
pub fn message(able: Able) -> BoxedStrategy<Sample> {
    Union::new(kinds(able).into_iter().map(|(_, samples)| samples)).boxed()
}

fn errors(able: Able) -> BoxedStrategy<Sample> {
    error(able).prop_map(|error| Sample { method: None, message: Message::Error(error) }).boxed()
}

fn request(able: Able, name: &'static str) -> BoxedStrategy<Sample> {
    let retried = matches!(name, "prompts/get" | "resources/read" | "tools/call");
    let whole = (params(able, name).prop_map(Some), context(able, retried)).boxed();
    // Modern revisions demand parameters of any request.
    let bare = nothing(name).is_some() && !able.complete;
    let whole = match bare {
        true => prop_oneof![6 => whole, 1 => Just((None, RequestContext::default()))].boxed(),
        false => whole,
    };
    (id(), whole, extensions())
        .prop_map(move |(id, (params, context), extensions)| {
            let request = Request { id, method: name.into(), params, context, extensions };
            Sample { method: Some(name), message: Message::Request(request) }
        })
        .boxed()
}

fn response(name: &'static str, result: BoxedStrategy<ResultBody>) -> BoxedStrategy<Sample> {
    (id(), result, extensions())
        .prop_map(move |(id, result, extensions)| {
            let response = Response { id, result, extensions };
            Sample { method: Some(name), message: Message::Response(response) }
        })
        .boxed()
}

fn notification(able: Able, name: &'static str) -> BoxedStrategy<Sample> {
    let empty = matches!(name, "notifications/initialized") || name.ends_with("list_changed");
    let params = notification_params(able, name);
    let params = if empty { option::of(params).boxed() } else { params.prop_map(Some).boxed() };
    (params, extensions())
        .prop_map(move |(params, extensions)| {
            let notification = Notification { method: name.into(), params, extensions };
            Sample { method: Some(name), message: Message::Notification(notification) }
        })
        .boxed()
}

/// What an object with members of a vendor holds.
fn open() -> BoxedStrategy<Extensions> {
    (extensions(), json_object())
        .prop_map(|(mut members, json)| {
            members.push("x-vendor", JsonText::from(json));
            members
        })
        .boxed()
}

/// What the request `name` takes.
///
/// # Panics
/// When a method was added to the model and not here.
pub fn params(able: Able, name: &str) -> BoxedStrategy<Params> {
    let empty = || extensions().prop_map(|extensions| EmptyParams { extensions });
    let page = || {
        (option::of(text()), extensions())
            .prop_map(|(cursor, extensions)| PaginatedParams { cursor, extensions })
    };
    let subscribe =
        || (uri(), extensions()).prop_map(|(uri, extensions)| SubscribeParams { uri, extensions });
    match name {
        "completion/complete" => {
            complete_params(able).prop_map(Box::new).prop_map(Params::Complete).boxed()
        }
        "elicitation/create" => {
            elicit_params(able).prop_map(Box::new).prop_map(Params::Elicit).boxed()
        }
        "initialize" => {
            initialize_params(able).prop_map(Box::new).prop_map(Params::Initialize).boxed()
        }
        "logging/setLevel" => set_level_params().prop_map(Params::SetLevel).boxed(),
        "ping" => empty().prop_map(Params::Ping).boxed(),
        "prompts/get" => get_prompt_params().prop_map(Params::GetPrompt).boxed(),
        "prompts/list" => page().prop_map(Params::ListPrompts).boxed(),
        "resources/list" => page().prop_map(Params::ListResources).boxed(),
        "resources/read" => (uri(), extensions())
            .prop_map(|(uri, extensions)| ReadResourceParams { uri, extensions })
            .prop_map(Params::ReadResource)
            .boxed(),
        "resources/subscribe" => subscribe().prop_map(Params::Subscribe).boxed(),
        "resources/templates/list" => page().prop_map(Params::ListResourceTemplates).boxed(),
        "resources/unsubscribe" => subscribe().prop_map(Params::Unsubscribe).boxed(),
        "roots/list" => empty().prop_map(Params::ListRoots).boxed(),
        "sampling/createMessage" => {
            create_message_params(able).prop_map(Box::new).prop_map(Params::CreateMessage).boxed()
        }
        "server/discover" => empty().prop_map(Params::Discover).boxed(),
        "subscriptions/listen" => {
            subscriptions_listen_params().prop_map(Params::SubscriptionsListen).boxed()
        }
        "tasks/cancel" => task_params().prop_map(Params::CancelTask).boxed(),
        "tasks/get" => task_params().prop_map(Params::GetTask).boxed(),
        "tasks/list" => page().prop_map(Params::ListTasks).boxed(),
        "tasks/result" => task_params().prop_map(Params::GetTaskPayload).boxed(),
        "tasks/update" => update_task_params().prop_map(Params::UpdateTask).boxed(),
        "tools/call" => call_tool_params(able).prop_map(Params::CallTool).boxed(),
        "tools/list" => page().prop_map(Params::ListTools).boxed(),
        VENDOR => open()
            .prop_map(|extensions| Params::Other(OtherParams { method: VENDOR.into(), extensions }))
            .boxed(),
        other => panic!("nothing makes parameters of {other}"),
    }
}

/// The parameters of a request that can do without, if there are none.
pub fn nothing(name: &str) -> Option<Params> {
    let (empty, page) = (EmptyParams::default, PaginatedParams::default);
    Some(match name {
        "ping" => Params::Ping(empty()),
        "prompts/list" => Params::ListPrompts(page()),
        "resources/list" => Params::ListResources(page()),
        "resources/templates/list" => Params::ListResourceTemplates(page()),
        "roots/list" => Params::ListRoots(empty()),
        "tasks/list" => Params::ListTasks(page()),
        "tools/list" => Params::ListTools(page()),
        VENDOR => {
            let extensions = Extensions::new();
            Params::Other(OtherParams { method: VENDOR.into(), extensions })
        }
        _ => return None,
    })
}

/// A message as it is once read: what is written to hold `_meta` is there.
pub fn settled(mut message: Message) -> Message {
    if let Message::Request(request) = &mut message {
        settle(&mut request.context);
        if request.params.is_none() && request.context != RequestContext::default() {
            request.params = nothing(&request.method);
        }
    }
    message
}

fn call_tool_params(able: Able) -> BoxedStrategy<CallToolParams> {
    let task = able.gated(Feature::TaskAugmentation, task_metadata());
    (text(), option::of(json_object()), task, extensions())
        .prop_map(|(name, arguments, task, extensions)| CallToolParams {
            name,
            arguments,
            task,
            extensions,
        })
        .boxed()
}

/// What the request `name` returns: one entry a type.
///
/// # Panics
/// When a method was added to the model and not here.
pub fn results(able: Able, name: &'static str) -> Vec<BoxedStrategy<ResultBody>> {
    let mut results = match name {
        // The two kinds of tasks have methods of the same names.
        "tasks/cancel" | "tasks/get" => vec![],
        name => vec![result(able, name)],
    };
    if able.has(Feature::TaskAugmentation) {
        match name {
            "tasks/cancel" => {
                results.push(task(able).prop_map(Box::new).prop_map(ResultBody::CancelTask).boxed())
            }
            "tasks/get" => {
                results.push(task(able).prop_map(Box::new).prop_map(ResultBody::GetTask).boxed())
            }
            "elicitation/create" | "sampling/createMessage" | "tools/call" => {
                results.push(
                    create_task_result(able)
                        .prop_map(Box::new)
                        .prop_map(ResultBody::CreateTask)
                        .boxed(),
                );
            }
            _ => {}
        }
    }
    if able.extends() {
        let task = |kind| {
            extension_task(able, Some(kind)).prop_map(Box::new).prop_map(ResultBody::ExtensionTask)
        };
        match name {
            // Where other revisions have the method too, this result would be none of theirs.
            "tasks/cancel" if able.revision.is_some() => results.push(other_result(able, name)),
            "tasks/get" => results.push(task("complete").boxed()),
            "tools/call" => results.push(task("task").boxed()),
            _ => {}
        }
    }
    if able.has(Feature::InputRequired)
        && matches!(name, "prompts/get" | "resources/read" | "tools/call")
    {
        results.push(input_required(able).prop_map(ResultBody::InputRequired).boxed());
    }
    results
}

fn result(able: Able, name: &'static str) -> BoxedStrategy<ResultBody> {
    match name {
        "completion/complete" => complete_result(able).prop_map(ResultBody::Complete).boxed(),
        "elicitation/create" => elicit_result(able).prop_map(ResultBody::Elicit).boxed(),
        "initialize" => {
            initialize_result(able).prop_map(Box::new).prop_map(ResultBody::Initialize).boxed()
        }
        "logging/setLevel" => empty_result(able).prop_map(ResultBody::SetLevel).boxed(),
        "ping" => empty_result(able).prop_map(ResultBody::Ping).boxed(),
        "prompts/get" => get_prompt_result(able).prop_map(ResultBody::GetPrompt).boxed(),
        "prompts/list" => list_prompts_result(able).prop_map(ResultBody::ListPrompts).boxed(),
        "resources/list" => list_resources_result(able).prop_map(ResultBody::ListResources).boxed(),
        "resources/read" => read_resource_result(able).prop_map(ResultBody::ReadResource).boxed(),
        "resources/subscribe" => empty_result(able).prop_map(ResultBody::Subscribe).boxed(),
        "resources/templates/list" => {
            list_resource_templates_result(able).prop_map(ResultBody::ListResourceTemplates).boxed()
        }
        "resources/unsubscribe" => empty_result(able).prop_map(ResultBody::Unsubscribe).boxed(),
        "roots/list" => list_roots_result(able).prop_map(ResultBody::ListRoots).boxed(),
        "sampling/createMessage" => create_message_result(able)
            .prop_map(Box::new)
            .prop_map(ResultBody::CreateMessage)
            .boxed(),
        "server/discover" => {
            discover_result(able).prop_map(Box::new).prop_map(ResultBody::Discover).boxed()
        }
        "subscriptions/listen" => {
            subscriptions_listen_result(able).prop_map(ResultBody::SubscriptionsListen).boxed()
        }
        "tasks/list" => list_tasks_result(able).prop_map(ResultBody::ListTasks).boxed(),
        "tasks/result" => task_payload(able).prop_map(ResultBody::GetTaskPayload).boxed(),
        "tasks/update" => empty_result(able).prop_map(ResultBody::UpdateTask).boxed(),
        "tools/call" => tool_result(able).prop_map(ResultBody::CallTool).boxed(),
        "tools/list" => list_tools_result(able).prop_map(ResultBody::ListTools).boxed(),
        VENDOR => other_result(able, VENDOR),
        other => panic!("nothing makes a result of {other}"),
    }
}

fn other_result(able: Able, name: &'static str) -> BoxedStrategy<ResultBody> {
    (kind(able), result_meta(able), open())
        .prop_map(move |(result_type, meta, extensions)| {
            let method = name.into();
            let result =
                OtherResult { method, result_type, meta, extensions, ..Default::default() };
            ResultBody::Other(result)
        })
        .boxed()
}

/// What the notification `name` says.
///
/// # Panics
/// When a method was added to the model and not here.
pub fn notification_params(able: Able, name: &str) -> BoxedStrategy<NotificationParams> {
    use NotificationParams as N;
    let empty = || empty_notification(able);
    match name {
        "notifications/cancelled" => cancelled(able).prop_map(N::Cancelled).boxed(),
        "notifications/elicitation/complete" => {
            elicitation_complete(able).prop_map(N::ElicitationComplete).boxed()
        }
        "notifications/initialized" => empty().prop_map(N::Initialized).boxed(),
        "notifications/message" => logging_message(able).prop_map(N::LoggingMessage).boxed(),
        "notifications/progress" => progress(able).prop_map(N::Progress).boxed(),
        "notifications/prompts/list_changed" => empty().prop_map(N::PromptsListChanged).boxed(),
        "notifications/resources/list_changed" => empty().prop_map(N::ResourcesListChanged).boxed(),
        "notifications/resources/updated" => {
            resource_updated(able).prop_map(N::ResourceUpdated).boxed()
        }
        "notifications/roots/list_changed" => empty().prop_map(N::RootsListChanged).boxed(),
        "notifications/subscriptions/acknowledged" => {
            subscriptions_acknowledged(able).prop_map(N::SubscriptionsAcknowledged).boxed()
        }
        "notifications/tasks" => {
            extension_task(able, None).prop_map(Box::new).prop_map(N::ExtensionTask).boxed()
        }
        "notifications/tasks/status" => {
            task_status(able).prop_map(Box::new).prop_map(N::TaskStatus).boxed()
        }
        "notifications/tools/list_changed" => empty().prop_map(N::ToolsListChanged).boxed(),
        VENDOR_NOTIFICATION => (notification_meta(able), open())
            .prop_map(|(meta, extensions)| {
                let method = VENDOR_NOTIFICATION.into();
                N::Other(OtherNotificationParams { method, meta, extensions })
            })
            .boxed(),
        other => panic!("nothing makes parameters of {other}"),
    }
}
