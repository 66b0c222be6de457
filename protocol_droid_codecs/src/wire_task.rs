//! Tasks: those of 2025-11-25, and those of the extension of 2026-07-28.

use protocol_droid_ir::{
    CreateTaskResult, ExtensionTask, GetTaskPayloadResult, ListTasksResult, Task, TaskMetadata,
    TaskParams, UpdateTaskParams,
};

use crate::wire::wire;
use crate::wire_value::map;

wire! {
    TaskMetadata = "TaskMetadata" if TaskAugmentation {
        opt ttl: "ttl",
    }
}

wire! {
    Task = "GetTaskResult" if TaskAugmentation {
        req task_id: "taskId",
        req status: "status",
        opt status_message: "statusMessage",
        req created_at: "createdAt",
        req last_updated_at: "lastUpdatedAt",
        nul ttl: "ttl",
        opt poll_interval: "pollInterval",
        bag meta: "_meta",
    }
}

wire! {
    CreateTaskResult = "CreateTaskResult" if TaskAugmentation {
        req task: "task",
        bag meta: "_meta",
    }
}

wire! {
    ListTasksResult = "ListTasksResult" if TaskAugmentation {
        req tasks: "tasks",
        opt next_cursor: "nextCursor",
        bag meta: "_meta",
    }
}

wire! {
    GetTaskPayloadResult = "GetTaskPayloadResult" if TaskAugmentation {
        bag meta: "_meta",
    }
}

wire! {
    TaskParams = "ext-tasks/TaskParams" if Tasks {
        req task_id: "taskId",
    }
}

wire! {
    UpdateTaskParams = "ext-tasks/UpdateTaskParams" if TaskExtension {
        req task_id: "taskId",
        req input_responses: "inputResponses",
    }
}

wire! {
    ExtensionTask = "ext-tasks/DetailedTask" if TaskExtension {
        opt result_type: "resultType",
        req task_id: "taskId",
        req status: "status",
        opt status_message: "statusMessage",
        req created_at: "createdAt",
        req last_updated_at: "lastUpdatedAt",
        nul ttl_ms: "ttlMs",
        opt poll_interval_ms: "pollIntervalMs",
        opt input_requests: "inputRequests" via map,
        opt result: "result",
        opt error: "error",
        bag meta: "_meta",
    }
}

#[cfg(test)]
mod tests {
    use crate::table::find_type;

    fn names(name: &str) -> Vec<(&'static str, u8)> {
        let found = find_type(name).expect("the schemas have this type");
        found.members.iter().map(|member| (member.name, member.required)).collect()
    }

    #[test]
    fn what_has_the_shape_of_a_task_has_its_members() {
        let task = names("GetTaskResult");
        assert_eq!(names("CancelTaskResult"), task);
        assert_eq!(names("TaskStatusNotificationParams"), task);
        let plain: Vec<_> = task.into_iter().filter(|(name, _)| *name != "_meta").collect();
        assert_eq!(names("Task"), plain);
    }

    #[test]
    fn what_names_a_task_has_the_same_members() {
        for params in
            ["GetTaskRequestParams", "GetTaskPayloadRequestParams", "CancelTaskRequestParams"]
        {
            let names: Vec<_> = names(params).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["_meta", "taskId"], "{params}");
        }
    }
}
