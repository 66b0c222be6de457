//! Tasks as the core of 2025-11-25 has them; see [`task_extension`](crate::task_extension) for
//! those of 2026-07-28, which are of other shapes.

use crate::feature::Feature;
use crate::json::{Extensions, JsonObject};
use crate::lower::{lowering, lowering_whole};
use crate::methods::ResultFields;
use crate::text::Text;
use crate::unknown::{Item, add_items, lower_items};

/// What asks for a task instead of a result, as `task` in the parameters of a request; 2025-11-25
/// only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskMetadata {
    /// Milliseconds from its making for which the task shall be kept.
    pub ttl: Option<u64>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(TaskMetadata, TaskAugmentation);

/// A task and how it stands; 2025-11-25 only.
///
/// It is the result of `tasks/get` and `tasks/cancel`, what `notifications/tasks/status` says, a
/// member of a [`CreateTaskResult`] and an item of a [`ListTasksResult`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// The identifier.
    pub task_id: Text,
    /// `working`, `input_required`, `completed`, `failed`, `cancelled`, or what a later revision
    /// adds. A tool call whose result says that it is an error has failed.
    pub status: Text,
    /// More on the status, in words for a person.
    pub status_message: Option<Text>,
    /// ISO 8601 time of its making.
    pub created_at: Text,
    /// ISO 8601 time of the last change.
    pub last_updated_at: Text,
    /// Milliseconds from its making for which it is kept; `None`, on the wire `null`, for no limit.
    pub ttl: Option<u64>,
    /// Milliseconds to let pass between two looks at it.
    pub poll_interval: Option<u64>,
    /// `_meta` of the result or notification that the task is.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(Task, TaskAugmentation);

impl ResultFields for Task {}

/// A task that was made instead of a result, which is to be had by `tasks/result`; 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateTaskResult {
    /// The task.
    pub task: Task,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CreateTaskResult {}
    features(_this, set) {
        *set = set.with(Feature::TaskAugmentation);
    }
    lower(_this, cx) {
        if !cx.has(Feature::TaskAugmentation) {
            let reason = "a task stands for a result that the peer would wait for in vain";
            return cx.member("task", |cx| Err(cx.refused(Feature::TaskAugmentation, reason)));
        }
    }
}

impl ResultFields for CreateTaskResult {}

/// What `tasks/get`, `tasks/result` and `tasks/cancel` take; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskParams {
    /// The task.
    pub task_id: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(TaskParams, Tasks);

/// The result of the request that a task was made of, as `tasks/result` returns it, carried as text;
/// 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GetTaskPayloadResult {
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// All other members.
    pub extensions: Extensions,
}

lowering_whole!(GetTaskPayloadResult, TaskAugmentation);

impl ResultFields for GetTaskPayloadResult {}

/// A page of the tasks that a peer has; 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListTasksResult {
    /// The tasks.
    pub tasks: Vec<Item<Task>>,
    /// Where the next page starts; absent on the last.
    pub next_cursor: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ListTasksResult {}
    features(this, set) {
        *set = set.with(Feature::TaskAugmentation);
        add_items(&this.tasks, set);
    }
    lower(this, cx) {
        cx.demand(Feature::TaskAugmentation)?;
        lower_items("tasks", &mut this.tasks, cx)?;
    }
}

impl ResultFields for ListTasksResult {}
