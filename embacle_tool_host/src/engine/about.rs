//! What a host says of itself.

use protocol_droid_codecs::bridge::{discover_result, stamp_server_info};
use protocol_droid_ir::{
    DiscoverResult, Implementation, InitializeResult, JsonObject, PromptsCapability,
    ProtocolVersion, ResourcesCapability, ServerCapabilities, Text, ToolsCapability,
};

/// Which surfaces there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offer {
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    pub(crate) completion: bool,
}

/// What a session says of itself.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) server: Implementation,
    pub(crate) instructions: Option<Text>,
    pub(crate) offer: Offer,
    pub(crate) versions: Vec<ProtocolVersion>,
    /// `_meta` with the server's name, as results bear it since 2026-07-28.
    pub(crate) meta: Option<JsonObject>,
}

impl About {
    pub(crate) fn new(
        server: Implementation,
        instructions: Option<Text>,
        offer: Offer,
        versions: Vec<ProtocolVersion>,
    ) -> Self {
        let mut meta = None;
        stamp_server_info(&mut meta, &server);
        Self { server, instructions, offer, versions, meta }
    }

    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let Offer { resources, prompts, completion } = self.offer;
        let changes = Some(true);
        ServerCapabilities {
            tools: Some(ToolsCapability { list_changed: changes, ..Default::default() }),
            resources: resources.then(|| ResourcesCapability {
                list_changed: changes,
                subscribe: Some(true),
                ..Default::default()
            }),
            prompts: prompts
                .then(|| PromptsCapability { list_changed: changes, ..Default::default() }),
            completions: completion.then(JsonObject::default),
            logging: Some(JsonObject::default()),
            ..ServerCapabilities::default()
        }
    }

    /// The answer to `initialize`.
    pub(crate) fn initialize(&self, version: ProtocolVersion) -> InitializeResult {
        InitializeResult {
            protocol_version: version.as_str().into(),
            capabilities: self.capabilities(),
            server_info: self.server.clone(),
            instructions: self.instructions.clone(),
            ..InitializeResult::default()
        }
    }

    /// The answer to `server/discover`.
    pub(crate) fn discover(&self) -> DiscoverResult {
        let mut versions = self.versions.clone();
        versions.sort_by(|a, b| b.cmp(a));
        discover_result(self.initialize(ProtocolVersion::LATEST), &versions)
    }
}
