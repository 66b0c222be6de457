//! Tasks of either kind, progress, cancellation and other notifications to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol_droid_ir::{
    CancelledParams, CreateTaskResult, ElicitationCompleteParams, ExtensionTask, Feature,
    GetTaskPayloadResult, JsonObject, ListTasksResult, ProgressParams, ResourceUpdatedParams,
    SubscriptionsListenParams, Task, TaskMetadata, TaskParams, Text, UpdateTaskParams,
};

use crate::generate::{Able, extensions, id, json_object, one_of, text, uri};
use crate::generate_form::number;
use crate::generate_lifecycle::subscription_filter;
use crate::generate_message::{input_requests, notification_meta, result_meta};
use crate::generate_serverside::item;

const STATUS: &[&str] = &["working", "input_required", "completed", "failed", "cancelled"];
const TIMES: &[&str] = &["2025-11-25T10:30:00Z", "2026-07-28T00:00:00.123+02:00", ""];

/// What asks for a task.
pub fn task_metadata() -> BoxedStrategy<TaskMetadata> {
    (any::<Option<u64>>(), extensions())
        .prop_map(|(ttl, extensions)| TaskMetadata { ttl, extensions })
        .boxed()
}

/// `_meta` of a result that no modern revision has.
fn core_meta(able: Able) -> BoxedStrategy<Option<JsonObject>> {
    result_meta(Able { features: able.features.without(Feature::ServerInfoMetadata), ..able })
}

/// A task of 2025-11-25, with the `_meta` of a result.
pub fn task(able: Able) -> BoxedStrategy<Task> {
    (bare_task(), core_meta(able)).prop_map(|(task, meta)| Task { meta, ..task }).boxed()
}

/// The same inside something else.
fn bare_task() -> BoxedStrategy<Task> {
    let texts = (text(), one_of(STATUS), option::of(text()), one_of(TIMES), one_of(TIMES));
    (texts, any::<Option<u64>>(), any::<Option<u64>>(), extensions())
        .prop_map(|(texts, ttl, poll_interval, extensions)| Task {
            task_id: texts.0,
            status: texts.1,
            status_message: texts.2,
            created_at: texts.3,
            last_updated_at: texts.4,
            ttl,
            poll_interval,
            meta: None,
            extensions,
        })
        .boxed()
}

/// What a notification says of a task of 2025-11-25.
pub fn task_status(able: Able) -> BoxedStrategy<Task> {
    let able = Able {
        features: able
            .features
            .without(Feature::SubscriptionMetadata)
            .without(Feature::RequestMetadata),
        ..able
    };
    (bare_task(), notification_meta(able)).prop_map(|(task, meta)| Task { meta, ..task }).boxed()
}

/// A task of 2025-11-25 that stands for a result.
pub fn create_task_result(able: Able) -> BoxedStrategy<CreateTaskResult> {
    (bare_task(), core_meta(able), extensions())
        .prop_map(|(task, meta, extensions)| CreateTaskResult { task, meta, extensions })
        .boxed()
}

/// What names a task.
pub fn task_params() -> BoxedStrategy<TaskParams> {
    (text(), extensions())
        .prop_map(|(task_id, extensions)| TaskParams { task_id, extensions })
        .boxed()
}

/// What `tasks/list` returns.
pub fn list_tasks_result(able: Able) -> BoxedStrategy<ListTasksResult> {
    (vec(item(able, bare_task()), 0..3), option::of(text()), core_meta(able), extensions())
        .prop_map(|(tasks, next_cursor, meta, extensions)| ListTasksResult {
            tasks,
            next_cursor,
            meta,
            extensions,
        })
        .boxed()
}

/// What `tasks/result` returns.
pub fn task_payload(able: Able) -> BoxedStrategy<GetTaskPayloadResult> {
    (core_meta(able), extensions())
        .prop_map(|(meta, extensions)| GetTaskPayloadResult { meta, extensions })
        .boxed()
}

/// A task of the extension; `kind` is its `resultType` where it is a result.
pub fn extension_task(able: Able, kind: Option<&'static str>) -> BoxedStrategy<ExtensionTask> {
    let meta = match kind {
        Some(_) => result_meta(able),
        None => notification_meta(able),
    };
    let outcome =
        (option::of(input_requests(able)), option::of(json_object()), option::of(json_object()));
    (bare_task(), outcome, meta)
        .prop_map(move |(task, (input_requests, result, error), meta)| ExtensionTask {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl_ms: task.ttl,
            poll_interval_ms: task.poll_interval,
            input_requests,
            result,
            error,
            result_type: kind.map(Text::from),
            meta,
            extensions: task.extensions,
        })
        .boxed()
}

/// What `tasks/update` takes.
pub fn update_task_params() -> BoxedStrategy<UpdateTaskParams> {
    (text(), json_object(), extensions())
        .prop_map(|(task_id, input_responses, extensions)| UpdateTaskParams {
            task_id,
            input_responses,
            extensions,
        })
        .boxed()
}

/// What `subscriptions/listen` takes.
pub fn subscriptions_listen_params() -> BoxedStrategy<SubscriptionsListenParams> {
    (subscription_filter(), extensions())
        .prop_map(|(notifications, extensions)| SubscriptionsListenParams {
            notifications,
            extensions,
        })
        .boxed()
}

/// The progress of a request.
pub fn progress(able: Able) -> BoxedStrategy<ProgressParams> {
    let message = able.gated(Feature::ProgressMessage, text());
    (id(), number(), option::of(number()), message, notification_meta(able), extensions())
        .prop_map(|(progress_token, progress, total, message, meta, extensions)| ProgressParams {
            progress_token,
            progress,
            total,
            message,
            meta,
            extensions,
        })
        .boxed()
}

/// The cancellation of a request.
pub fn cancelled(able: Able) -> BoxedStrategy<CancelledParams> {
    let id = match able.has(Feature::CancelledWithoutRequest) {
        true => option::weighted(0.7, id()).boxed(),
        false => id().prop_map(Some).boxed(),
    };
    (id, option::of(text()), notification_meta(able), extensions())
        .prop_map(|(request_id, reason, meta, extensions)| CancelledParams {
            request_id,
            reason,
            meta,
            extensions,
        })
        .boxed()
}

/// The update of a resource.
pub fn resource_updated(able: Able) -> BoxedStrategy<ResourceUpdatedParams> {
    (uri(), notification_meta(able), extensions())
        .prop_map(|(uri, meta, extensions)| ResourceUpdatedParams { uri, meta, extensions })
        .boxed()
}

/// The end of a visit.
pub fn elicitation_complete(able: Able) -> BoxedStrategy<ElicitationCompleteParams> {
    (text(), notification_meta(able), extensions())
        .prop_map(|(elicitation_id, meta, extensions)| ElicitationCompleteParams {
            elicitation_id,
            meta,
            extensions,
        })
        .boxed()
}
