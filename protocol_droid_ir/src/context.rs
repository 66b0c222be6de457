//! What goes with a request beside its own parameters.

use crate::capability::ClientCapabilities;
use crate::feature::Feature;
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lifecycle::Implementation;
use crate::lower::{Lower, LowerError, Lowering, RELATED_TASK};
use crate::message::ProgressToken;
use crate::text::Text;
use crate::version::ProtocolVersion;

/// Who asks, in which revision, and what it can do: filled from the session on legacy revisions,
/// from the request's `_meta` on modern ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestContext {
    /// The revision that the request is made in; on the wire since 2026-07-28.
    pub protocol_version: Option<Text>,
    /// The client; on the wire since 2026-07-28.
    pub client_info: Option<Box<Implementation>>,
    /// What the client can do; on the wire since 2026-07-28.
    pub client_capabilities: Option<Box<ClientCapabilities>>,
    /// The least level of the log messages wanted; on the wire since 2026-07-28.
    pub log_level: Option<Text>,
    /// What progress notifications about this request shall bear.
    pub progress_token: Option<ProgressToken>,
    /// Answers to what an input-required result asked, by its keys; since 2026-07-28.
    pub input_responses: Option<JsonObject>,
    /// The state of an input-required result, byte for byte; since 2026-07-28.
    pub request_state: Option<Text>,
    /// The other members of `_meta`, trace context included; `Some` if `_meta` was there at all.
    pub meta: Option<Extensions>,
}

impl RequestContext {
    /// A member of `_meta` that is not among the fields, such as `traceparent`.
    pub fn meta_member(&self, name: &str) -> Option<&JsonText> {
        self.meta.as_ref()?.get(name)
    }

    /// Whether `_meta` has anything to hold.
    pub fn has_meta(&self) -> bool {
        self.meta.is_some()
            || self.protocol_version.is_some()
            || self.client_info.is_some()
            || self.client_capabilities.is_some()
            || self.log_level.is_some()
            || self.progress_token.is_some()
    }

    pub(crate) fn add_features(&self, set: &mut crate::FeatureSet) {
        let named = self.protocol_version.is_some()
            || self.client_info.is_some()
            || self.client_capabilities.is_some()
            || self.log_level.is_some();
        if named {
            *set = set.with(Feature::RequestMetadata);
        }
        if let Some(client) = &self.client_info {
            client.add_features(set);
        }
        if let Some(capabilities) = &self.client_capabilities {
            capabilities.add_features(set);
        }
        if self.input_responses.is_some() || self.request_state.is_some() {
            *set = set.with(Feature::InputResponses);
        }
    }

    pub(crate) fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        for (name, set) in [
            ("inputResponses", self.input_responses.is_some()),
            ("requestState", self.request_state.is_some()),
        ] {
            if set && !cx.has(Feature::InputResponses) {
                let reason = "an older peer has asked nothing that this could answer";
                return cx.member(name, |cx| Err(cx.refused(Feature::InputResponses, reason)));
            }
        }
        cx.member("_meta", |cx| self.lower_meta(cx))
    }

    fn lower_meta(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        const TASK: Feature = Feature::TaskAugmentation;
        if let Some(meta) = self.meta.as_mut().filter(|_| !cx.has(TASK))
            && meta.remove(RELATED_TASK).is_some()
        {
            cx.member(RELATED_TASK, |cx| cx.dropped(TASK, TASK.absence()))?;
        }
        if !cx.has(Feature::RequestMetadata) {
            // The session of a legacy peer says these once and for all; a level per request has
            // no place there.
            let said = [
                self.protocol_version.take().is_some(),
                self.client_info.take().is_some(),
                self.client_capabilities.take().is_some(),
            ];
            let mut stripped = said.contains(&true);
            if let Some(meta) = &mut self.meta {
                cx.extensions(meta, &[(LOG_LEVEL, Feature::RequestMetadata)])?;
                for (name, _) in RESERVED {
                    stripped |= meta.remove(name).is_some();
                }
            }
            if stripped {
                cx.changed();
            }
            return cx.gate(LOG_LEVEL, Feature::RequestMetadata, &mut self.log_level);
        }
        if let Some(meta) = &mut self.meta {
            cx.extensions(meta, RESERVED)?;
        }
        if let Some(client) = &mut self.client_info {
            cx.member(CLIENT_INFO, |cx| client.lower(cx))?;
        }
        if self.protocol_version.is_none() {
            self.protocol_version = Some(ProtocolVersion::LATEST.as_str().into());
            cx.changed();
        }
        let Some(capabilities) = &mut self.client_capabilities else {
            self.client_capabilities = Some(Box::default());
            let note = "the client's capabilities are not known here: none declared";
            return cx
                .member(CLIENT_CAPABILITIES, |cx| cx.fallback(Feature::RequestMetadata, note));
        };
        cx.member(CLIENT_CAPABILITIES, |cx| capabilities.lower(cx))
    }
}

const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Members that stand beside the parameters of some methods, and belong to the context.
pub(crate) const INPUT_MEMBERS: &[(&str, Feature)] =
    &[("inputResponses", Feature::InputResponses), ("requestState", Feature::InputResponses)];

/// What a modern request says of its client.
pub(crate) const RESERVED: &[(&str, Feature)] = &[
    (CLIENT_CAPABILITIES, Feature::RequestMetadata),
    (CLIENT_INFO, Feature::RequestMetadata),
    (LOG_LEVEL, Feature::RequestMetadata),
    ("io.modelcontextprotocol/protocolVersion", Feature::RequestMetadata),
];
