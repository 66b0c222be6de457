//! What the extension `io.modelcontextprotocol/tasks` adds, which is in no core schema: its types
//! and methods, written by hand from its specification and checked against nothing.

use protocol_droid_ir::{Feature, Text};

use crate::reader::Reader;
use crate::revision::feature_mask;
use crate::table::{Member, Type, find_method};

/// The revisions that may have the extension.
pub(crate) const REVISIONS: u8 = feature_mask(Feature::TaskExtension);

/// The methods of the extension, sorted; `tasks/cancel` and `tasks/get` bear the names of methods
/// of 2025-11-25 that return something else.
pub(crate) const METHODS: &[&str] =
    &["notifications/tasks", "tasks/cancel", "tasks/get", "tasks/update"];

/// Where a method stands at a revision.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Standing {
    /// The core has it, or it is none of a task.
    Core,
    /// The extension may have it, and it takes and returns what the extension says.
    Extension,
    /// It is one of a task that this revision cannot have.
    Unknown,
}

/// Where `method` stands at the revision that is read.
pub(crate) fn standing(method: &str, r: &Reader<'_>) -> Standing {
    if !method.starts_with("tasks/") && !method.starts_with("notifications/tasks") {
        return Standing::Core;
    }
    if find_method(method).is_some_and(|known| r.defines(known.defined())) {
        Standing::Core
    } else if METHODS.contains(&method) && r.defines(REVISIONS) {
        Standing::Extension
    } else {
        Standing::Unknown
    }
}

/// The name by which the parameters of `method` are typed at the revision that is read: none if the
/// revision does not have the method, so that no fault of theirs hides that.
pub(crate) fn typed<'m>(method: &'m Text, r: &Reader<'_>) -> &'m str {
    if let Some(known) = find_method(method.as_bytes())
        && r.defines(known.defined())
    {
        return known.name;
    }
    let is_foreign = match standing(method, r) {
        Standing::Core => {
            find_method(method.as_bytes()).is_some_and(|known| !r.defines(known.defined()))
        }
        Standing::Extension => false,
        Standing::Unknown => true,
    };
    if is_foreign { "" } else { method }
}

/// The types of the extension, and of what it has in common with 2025-11-25.
pub(crate) const TYPES: &[Type] = &[
    Type {
        name: "ext-tasks/DetailedTask",
        members: &[
            optional("_meta"),
            required("createdAt"),
            optional("error"),
            optional("inputRequests"),
            required("lastUpdatedAt"),
            optional("pollIntervalMs"),
            optional("result"),
            optional("resultType"),
            required("status"),
            optional("statusMessage"),
            required("taskId"),
            required("ttlMs"),
        ],
    },
    Type {
        name: "ext-tasks/TaskParams",
        members: &[Member { name: "taskId", defined: TASKS, required: TASKS }],
    },
    Type {
        name: "ext-tasks/UpdateTaskParams",
        members: &[required("inputResponses"), required("taskId")],
    },
];

const TASKS: u8 = feature_mask(Feature::Tasks);

const fn required(name: &'static str) -> Member {
    Member { name, defined: REVISIONS, required: REVISIONS }
}

const fn optional(name: &'static str) -> Member {
    Member { name, defined: REVISIONS, required: 0 }
}
