//! What a client and a server declare they can do.
//!
//! An absent capability is not declared, an empty one is: neither is made of the other. The set is
//! open at every revision, so unknown capabilities pass.

use crate::feature::Feature;
use crate::json::{Extensions, JsonObject};
use crate::lower::{Lower, LowerError, Lowering, has_member, lowering, lowering_whole};

/// What a client can do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientCapabilities {
    /// It takes requests for its roots.
    pub roots: Option<RootsCapability>,
    /// It takes requests for a model's answer.
    pub sampling: Option<SamplingCapability>,
    /// It takes questions for its user; since 2025-06-18.
    pub elicitation: Option<ElicitationCapability>,
    /// It runs requests of the server as tasks; 2025-11-25 only.
    pub tasks: Option<ClientTasksCapability>,
    /// Capabilities outside the standard, by name.
    pub experimental: Option<JsonObject>,
    /// Protocol extensions by their identifiers: the member `extensions`. In the schema since
    /// 2026-07-28, and let through at every revision.
    pub protocol_extensions: Option<JsonObject>,
    /// Other capabilities, and those that could not be read.
    pub extensions: Extensions,
}

lowering! {
    ClientCapabilities {
        "elicitation": elicitation => Elicitation,
        "tasks": tasks => TasksCapability,
    }
    features(this, set) {
        add_optional(this.roots.as_ref(), set);
        add_optional(this.sampling.as_ref(), set);
        add_optional(this.elicitation.as_ref(), set);
        if has_member(this.protocol_extensions.as_ref(), TASKS_EXTENSION) {
            *set = set.with(Feature::TasksExtension);
        }
    }
    lower(this, cx) {
        lower_optional("roots", &mut this.roots, cx)?;
        lower_optional("sampling", &mut this.sampling, cx)?;
        lower_elicitation(&mut this.elicitation, cx)?;
        lower_extensions(&mut this.protocol_extensions, cx)?;
        let names = ["roots", "sampling", "experimental", "extensions"];
        drop_unreadable(&mut this.extensions, &names, cx)?;
    }
}

/// What a server can do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerCapabilities {
    /// It has prompts.
    pub prompts: Option<PromptsCapability>,
    /// It has resources.
    pub resources: Option<ResourcesCapability>,
    /// It has tools.
    pub tools: Option<ToolsCapability>,
    /// It sends log messages.
    pub logging: Option<JsonObject>,
    /// It completes arguments; since 2025-03-26. Servers on 2024-11-05 may do so unasked.
    pub completions: Option<JsonObject>,
    /// It runs requests of the client as tasks; 2025-11-25 only.
    pub tasks: Option<ServerTasksCapability>,
    /// Capabilities outside the standard, by name.
    pub experimental: Option<JsonObject>,
    /// Protocol extensions by their identifiers: the member `extensions`. In the schema since
    /// 2026-07-28, and let through at every revision.
    pub protocol_extensions: Option<JsonObject>,
    /// Other capabilities, and those that could not be read.
    pub extensions: Extensions,
}

lowering! {
    ServerCapabilities {
        "completions": completions => Completions,
        "tasks": tasks => TasksCapability,
    }
    features(this, set) {
        if has_member(this.protocol_extensions.as_ref(), TASKS_EXTENSION) {
            *set = set.with(Feature::TasksExtension);
        }
    }
    lower(this, cx) {
        lower_extensions(&mut this.protocol_extensions, cx)?;
        let names = ["prompts", "resources", "tools", "logging", "experimental", "extensions"];
        drop_unreadable(&mut this.extensions, &names, cx)?;
    }
}

/// The identifier of the tasks extension, which is no part of 2025-11-25 and older (SEP-2663).
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// What a client can do with its roots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RootsCapability {
    /// It tells when its list of roots changes; removed in 2026-07-28.
    pub list_changed: Option<bool>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    RootsCapability {
        "listChanged": list_changed => RootsListChanged,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// What a client's model can do for a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SamplingCapability {
    /// It takes `includeContext` other than `none`; since 2025-11-25.
    pub context: Option<JsonObject>,
    /// It takes tools; since 2025-11-25.
    pub tools: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    SamplingCapability {
        "context": context => SamplingCapabilities,
        "tools": tools => SamplingCapabilities,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// How a client can ask its user. Without a member it means forms, as it did in 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitationCapability {
    /// By a form; since 2025-11-25.
    pub form: Option<JsonObject>,
    /// By sending the user to a URL; since 2025-11-25.
    pub url: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ElicitationCapability {
    /// Whether the client takes forms.
    pub fn takes_forms(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }
}

lowering! {
    ElicitationCapability {
        "form": form => ElicitationModes,
        "url": url => ElicitationModes,
    }
    features(_this, _set) {}
    lower(this, cx) {
        let lacking = !cx.has(Feature::ElicitationModes);
        if lacking && this.form.is_some() && !cx.policy().drops(Feature::ElicitationModes) {
            this.form = None;
            cx.member("form", |cx| {
                cx.fallback(Feature::ElicitationModes, "the capability alone means forms there")
            })?;
        }
    }
}

/// What is no form at all has no place at a revision that knows forms alone.
fn lower_elicitation(
    capability: &mut Option<ElicitationCapability>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    let Some(elicitation) = capability else { return Ok(()) };
    if !cx.has(Feature::Elicitation) {
        return Ok(());
    }
    if !cx.has(Feature::ElicitationModes) && !elicitation.takes_forms() {
        *capability = None;
        return cx.member("elicitation", |cx| {
            cx.dropped(Feature::ElicitationModes, "asks by URL alone, where it would mean forms")
        });
    }
    cx.member("elicitation", |cx| elicitation.lower(cx))
}

/// Drops the tasks extension where the core has tasks of its own, or none: the two do not mix.
fn lower_extensions(
    extensions: &mut Option<JsonObject>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    match extensions {
        Some(object) if !cx.has(Feature::TasksExtension) => {
            if !has_member(Some(&*object), TASKS_EXTENSION) {
                return Ok(());
            }
            *object = object.without(&[TASKS_EXTENSION]);
            let note = "the tasks extension is no part of 2025-11-25 and older";
            cx.member("extensions", |cx| {
                cx.member(TASKS_EXTENSION, |cx| cx.dropped(Feature::TasksExtension, note))
            })
        }
        _ => Ok(()),
    }
}

/// Drops capabilities that their own revision could not read; those that not every revision has are
/// dropped like all members of such names.
fn drop_unreadable(
    extensions: &mut Extensions,
    names: &[&'static str],
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    for &name in names {
        if !extensions.is_empty() && extensions.remove(name).is_some() {
            let note = "a capability that its own revision cannot read has no form in another";
            cx.member(name, |cx| cx.dropped(Feature::UnknownContent, note))?;
        }
    }
    Ok(())
}

fn add_optional<T: Lower>(capability: Option<&T>, set: &mut crate::FeatureSet) {
    if let Some(capability) = capability {
        capability.add_features(set);
    }
}

fn lower_optional<T: Lower>(
    name: &'static str,
    capability: &mut Option<T>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    match capability {
        Some(capability) => cx.member(name, |cx| capability.lower(cx)),
        None => Ok(()),
    }
}

/// A capability whose members every revision has.
macro_rules! capability {
    ($(#[$doc:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_doc])* pub $field: Option<bool>, )*
            /// Members that no revision defines.
            pub extensions: Extensions,
        }

        lowering! {
            $name {}
            features(_this, _set) {}
            lower(_this, _cx) {}
        }
    };
}

capability! {
    /// What a server can do with its prompts.
    PromptsCapability {
        /// It tells when the list changes.
        list_changed,
    }
}

capability! {
    /// What a server can do with its resources.
    ResourcesCapability {
        /// It tells when a resource changes, to those who asked for it.
        subscribe,
        /// It tells when the list changes.
        list_changed,
    }
}

capability! {
    /// What a server can do with its tools.
    ToolsCapability {
        /// It tells when the list changes.
        list_changed,
    }
}

/// A part of the tasks capability, which 2025-11-25 alone has.
macro_rules! tasks_capability {
    ($(#[$doc:meta])* $name:ident { $( $(#[$field_doc:meta])* $field:ident: $type:ty, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_doc])* pub $field: Option<$type>, )*
            /// Members that no revision defines.
            pub extensions: Extensions,
        }

        lowering_whole!($name, TasksCapability);
    };
}

tasks_capability! {
    /// What a client can do with tasks; 2025-11-25 only.
    ClientTasksCapability {
        /// It lists them.
        list: JsonObject,
        /// It cancels them.
        cancel: JsonObject,
        /// Which requests it runs as tasks.
        requests: ClientTaskRequests,
    }
}

tasks_capability! {
    /// Which requests a client runs as tasks; 2025-11-25 only.
    ClientTaskRequests {
        /// Those of elicitation.
        elicitation: ElicitationTasks,
        /// Those of sampling.
        sampling: SamplingTasks,
    }
}

tasks_capability! {
    /// Which requests of elicitation a client runs as tasks; 2025-11-25 only.
    ElicitationTasks {
        /// `elicitation/create`.
        create: JsonObject,
    }
}

tasks_capability! {
    /// Which requests of sampling a client runs as tasks; 2025-11-25 only.
    SamplingTasks {
        /// `sampling/createMessage`.
        create_message: JsonObject,
    }
}

tasks_capability! {
    /// What a server can do with tasks; 2025-11-25 only.
    ServerTasksCapability {
        /// It lists them.
        list: JsonObject,
        /// It cancels them.
        cancel: JsonObject,
        /// Which requests it runs as tasks.
        requests: ServerTaskRequests,
    }
}

tasks_capability! {
    /// Which requests a server runs as tasks; 2025-11-25 only.
    ServerTaskRequests {
        /// Those of tools.
        tools: ToolTasks,
    }
}

tasks_capability! {
    /// Which requests of tools a server runs as tasks; 2025-11-25 only.
    ToolTasks {
        /// `tools/call`.
        call: JsonObject,
    }
}
