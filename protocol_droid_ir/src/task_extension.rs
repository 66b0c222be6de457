//! Tasks as the extension `io.modelcontextprotocol/tasks` has them (SEP-2663), since 2026-07-28.
//!
//! The extension is in no core schema. Its shapes are written here by hand from its specification
//! and `schema.ts` in `modelcontextprotocol/ext-tasks`; no generated table holds against them, and
//! neither side's declaration of the extension is checked, which is the host's business.
//!
//! They are not those of 2025-11-25, and one cannot be turned into the other message by message: a
//! task there gives its result by a request of its own, here it holds it. So translation refuses
//! the messages of the one to a peer of the other, and whoever keeps the state between them, a
//! bridge, maps the shapes with [`ExtensionTask::from_task`] and [`ExtensionTask::into_task`].

use thiserror::Error;

use crate::feature::Feature;
use crate::interaction::{InputRequests, add_requests, lower_requests};
use crate::json::{Extensions, JsonObject};
use crate::lower::{lowering, lowering_whole};
use crate::message::strip_subscription;
use crate::methods::result_fields;
use crate::task::Task;
use crate::text::Text;

/// The name under which both sides declare the extension in their `extensions`.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A task and how it stands: the `DetailedTask` of the extension.
///
/// It is a result of type `task` instead of that of a tool call, the result of `tasks/get`, of type
/// `complete`, and what `notifications/tasks` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtensionTask {
    /// The identifier.
    pub task_id: Text,
    /// `working`, `input_required`, `completed`, `failed`, `cancelled`, or what a later revision
    /// adds. Only what ended in a JSON-RPC error has failed.
    pub status: Text,
    /// More on the status, in words for a person.
    pub status_message: Option<Text>,
    /// ISO 8601 time of its making.
    pub created_at: Text,
    /// ISO 8601 time of the last change.
    pub last_updated_at: Text,
    /// Milliseconds from its making for which it is kept; `None`, on the wire `null`, for no limit.
    pub ttl_ms: Option<u64>,
    /// Milliseconds to let pass between two looks at it.
    pub poll_interval_ms: Option<u64>,
    /// What is asked, by the key that the answer will bear, while input is required.
    pub input_requests: Option<InputRequests>,
    /// The result of the request that the task was made of, once completed.
    pub result: Option<JsonObject>,
    /// The JSON-RPC error that the request ended in, once failed.
    pub error: Option<JsonObject>,
    /// The kind of the result: `task` of a tool call's, `complete` of `tasks/get`'s; absent from a
    /// notification.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that the extension does not define.
    pub extensions: Extensions,
}

lowering! {
    ExtensionTask {}
    features(this, set) {
        *set = set.with(Feature::TaskExtension);
        add_requests(this.input_requests.iter().flatten(), set);
    }
    lower(this, cx) {
        if !cx.has(Feature::TaskExtension) {
            let reason = "a task of the extension has no form at a revision without it: only a \
                          bridge with state can map it, with ExtensionTask::into_task";
            return Err(cx.refused(Feature::TaskExtension, reason));
        }
        if let Some(requests) = &mut this.input_requests {
            lower_requests(requests, cx)?;
        }
        strip_subscription(&mut this.meta, cx)?;
    }
}

result_fields!(ExtensionTask: result_type);

/// What `tasks/update` takes: answers to what a task asks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateTaskParams {
    /// The task.
    pub task_id: Text,
    /// Answers by the keys of the questions.
    pub input_responses: JsonObject,
    /// Members that the extension does not define.
    pub extensions: Extensions,
}

lowering_whole!(UpdateTaskParams, TaskExtension);

/// What a task has besides its state: inside it here, to be had by other messages at 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TaskOutcome {
    /// The result of the request, which `tasks/result` returns at 2025-11-25. It is of the form of
    /// its own revision: translate it as the result that it is.
    Result(JsonObject),
    /// The JSON-RPC error that the request ended in, with which `tasks/result` fails at 2025-11-25.
    Error(JsonObject),
    /// What the task asks, which arrives as requests of the server's own at 2025-11-25.
    Input(InputRequests),
}

/// A task of 2025-11-25 whose status asks for an outcome of another kind.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("a task that is {status:?} needs {needed}")]
pub struct OutcomeError {
    /// The status.
    pub status: String,
    /// What goes with it.
    pub needed: &'static str,
}

impl ExtensionTask {
    /// The extension's form of a task of 2025-11-25, with what a bridge has got of it by other
    /// messages.
    ///
    /// A task that has failed with a result has completed here: the extension keeps `failed` for
    /// JSON-RPC errors. An outcome that does not go with the status is left out while the task is
    /// `working` or `cancelled`.
    ///
    /// # Errors
    /// When the status is `completed`, `failed` or `input_required`, and the outcome does not go
    /// with it.
    pub fn from_task(task: Task, outcome: Option<TaskOutcome>) -> Result<Self, OutcomeError> {
        let mut mapped = Self {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl_ms: task.ttl,
            poll_interval_ms: task.poll_interval,
            meta: task.meta,
            extensions: task.extensions,
            ..Self::default()
        };
        let needed = match (mapped.status.as_str(), outcome) {
            ("completed", Some(TaskOutcome::Result(result))) => {
                mapped.result = Some(result);
                return Ok(mapped);
            }
            ("failed", Some(TaskOutcome::Result(result))) => {
                mapped.status = "completed".into();
                mapped.result = Some(result);
                return Ok(mapped);
            }
            ("failed", Some(TaskOutcome::Error(error))) => {
                mapped.error = Some(error);
                return Ok(mapped);
            }
            ("input_required", Some(TaskOutcome::Input(requests))) => {
                mapped.input_requests = Some(requests);
                return Ok(mapped);
            }
            ("completed", _) => "its result",
            ("failed", _) => "its error, or its result",
            ("input_required", _) => "what it asks",
            _ => return Ok(mapped),
        };
        Err(OutcomeError { status: mapped.status.into(), needed })
    }

    /// The 2025-11-25 form of the task, and what that revision says by other messages.
    ///
    /// A task that has completed with a result that says it is an error has failed there.
    pub fn into_task(self) -> (Task, Option<TaskOutcome>) {
        let failed = self.status == "completed" && self.result.as_ref().is_some_and(is_error);
        let task = Task {
            task_id: self.task_id,
            status: if failed { "failed".into() } else { self.status },
            status_message: self.status_message,
            created_at: self.created_at,
            last_updated_at: self.last_updated_at,
            ttl: self.ttl_ms,
            poll_interval: self.poll_interval_ms,
            meta: self.meta,
            extensions: self.extensions,
        };
        let result = self.result.map(TaskOutcome::Result);
        let error = self.error.map(TaskOutcome::Error);
        let outcome = result.or(error).or(self.input_requests.map(TaskOutcome::Input));
        (task, outcome)
    }
}

fn is_error(result: &JsonObject) -> bool {
    result.get("isError").is_some_and(|flag| flag.as_str() == "true")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(status: &str) -> Task {
        Task {
            task_id: "t".into(),
            status: status.into(),
            created_at: "2025-11-25T10:30:00Z".into(),
            last_updated_at: "2025-11-25T10:40:00Z".into(),
            ttl: Some(60_000),
            poll_interval: Some(5_000),
            ..Task::default()
        }
    }

    fn object(text: &str) -> JsonObject {
        JsonObject::new(text).expect("an object")
    }

    #[test]
    fn a_state_without_an_outcome_is_the_same_under_other_names() {
        for status in ["working", "cancelled", "x-vendor"] {
            let mapped = ExtensionTask::from_task(task(status), None).expect("nothing is missing");
            assert_eq!((mapped.ttl_ms, mapped.poll_interval_ms), (Some(60_000), Some(5_000)));
            assert_eq!(mapped.into_task(), (task(status), None));
        }
    }

    #[test]
    fn a_tool_that_failed_has_failed_there_and_completed_here() {
        let result = TaskOutcome::Result(object(r#"{"content":[],"isError":true}"#));
        let mapped = ExtensionTask::from_task(task("failed"), Some(result.clone()));
        let mapped = mapped.expect("the result goes with it");
        assert_eq!(mapped.status, "completed");
        assert_eq!(mapped.into_task(), (task("failed"), Some(result)));
    }

    #[test]
    fn outcomes_go_with_their_status_both_ways() {
        for (status, outcome) in [
            ("completed", TaskOutcome::Result(object(r#"{"content":[]}"#))),
            ("failed", TaskOutcome::Error(object(r#"{"code":-32603,"message":""}"#))),
            ("input_required", TaskOutcome::Input(vec![])),
        ] {
            let mapped = ExtensionTask::from_task(task(status), Some(outcome.clone()));
            let mapped = mapped.expect("the outcome goes with it");
            assert_eq!(mapped.into_task(), (task(status), Some(outcome)));
            let error = ExtensionTask::from_task(task(status), None).expect_err("it is missing");
            assert_eq!(error.status, status);
        }
    }
}
