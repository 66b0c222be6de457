//! Capabilities.

use protocol_droid_ir::capability::TASKS_EXTENSION;
use protocol_droid_ir::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability,
    ElicitationTasks, Feature, JsonObject, PromptsCapability, ResourcesCapability, RootsCapability,
    SamplingCapability, SamplingTasks, ServerCapabilities, ServerTaskRequests,
    ServerTasksCapability, ToolTasks, ToolsCapability,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::wire::{Wire, wire};
use crate::writer::{Writer, Written};

wire! {
    ClientCapabilities = "ClientCapabilities" each apart {
        opt roots: "roots",
        opt sampling: "sampling",
        opt elicitation: "elicitation" if Elicitation,
        opt tasks: "tasks" if TasksCapability,
        opt experimental: "experimental",
        bag protocol_extensions: "extensions" via protocol_extensions,
    }
}

wire! {
    ServerCapabilities = "ServerCapabilities" each apart {
        opt prompts: "prompts",
        opt resources: "resources",
        opt tools: "tools",
        opt logging: "logging",
        opt completions: "completions" if Completions,
        opt tasks: "tasks" if TasksCapability,
        opt experimental: "experimental",
        bag protocol_extensions: "extensions" via protocol_extensions,
    }
}

/// Extensions of the protocol: let through at every revision, but for tasks at those that have
/// tasks of their own, or none.
mod protocol_extensions {
    use super::*;

    pub(super) fn read(r: &mut Reader<'_>) -> Read<JsonObject> {
        Wire::read(r)
    }

    pub(super) fn write(extensions: &JsonObject, w: &mut Writer<'_>) -> Written {
        const TASKS: u8 = feature_mask(Feature::TasksExtension);
        if !w.defines(TASKS) && extensions.get(TASKS_EXTENSION).is_some() {
            return w.at(TASKS_EXTENSION, |w| Err(w.inexpressible(Feature::TasksExtension)));
        }
        extensions.write(w)
    }
}

wire! {
    RootsCapability = "ClientCapabilities.roots" {
        opt list_changed: "listChanged" if RootsListChanged,
    }
}

wire! {
    SamplingCapability = "ClientCapabilities.sampling" {
        opt context: "context" if SamplingCapabilities,
        opt tools: "tools" if SamplingCapabilities,
    }
}

wire! {
    ElicitationCapability = "ClientCapabilities.elicitation" {
        opt form: "form" if ElicitationModes,
        opt url: "url" if ElicitationModes,
    }
}

wire! {
    PromptsCapability = "ServerCapabilities.prompts" {
        opt list_changed: "listChanged",
    }
}

wire! {
    ResourcesCapability = "ServerCapabilities.resources" {
        opt subscribe: "subscribe",
        opt list_changed: "listChanged",
    }
}

wire! {
    ToolsCapability = "ServerCapabilities.tools" {
        opt list_changed: "listChanged",
    }
}

wire! {
    ClientTasksCapability = "ClientCapabilities.tasks" if TasksCapability {
        opt list: "list",
        opt cancel: "cancel",
        opt requests: "requests",
    }
}

wire! {
    ClientTaskRequests = "ClientCapabilities.tasks.requests" if TasksCapability {
        opt elicitation: "elicitation",
        opt sampling: "sampling",
    }
}

wire! {
    ElicitationTasks = "ClientCapabilities.tasks.requests.elicitation" if TasksCapability {
        opt create: "create",
    }
}

wire! {
    SamplingTasks = "ClientCapabilities.tasks.requests.sampling" if TasksCapability {
        opt create_message: "createMessage",
    }
}

wire! {
    ServerTasksCapability = "ServerCapabilities.tasks" if TasksCapability {
        opt list: "list",
        opt cancel: "cancel",
        opt requests: "requests",
    }
}

wire! {
    ServerTaskRequests = "ServerCapabilities.tasks.requests" if TasksCapability {
        opt tools: "tools",
    }
}

wire! {
    ToolTasks = "ServerCapabilities.tasks.requests.tools" if TasksCapability {
        opt call: "call",
    }
}
