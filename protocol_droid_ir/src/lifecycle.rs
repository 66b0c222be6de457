//! How client and server get to know each other: the handshake, and since 2026-07-28 discovery.

use crate::capability::{ClientCapabilities, ServerCapabilities};
use crate::content::Icon;
use crate::feature::Feature;
use crate::json::{Extensions, JsonObject};
use crate::lower::{ResultHead, SERVER_INFO, lowering, strip_member};
use crate::methods::{ResultFields, result_fields};
use crate::result::demand_cache_hints;
use crate::text::Text;

/// A client or server by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Implementation {
    /// The identifier.
    pub name: Text,
    /// The version, in whatever form it has.
    pub version: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What it is; since 2025-11-25.
    pub description: Option<Text>,
    /// Where to read about it; since 2025-11-25.
    pub website_url: Option<Text>,
    /// Pictures for it; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl Implementation {
    /// An implementation with what every revision demands of one.
    pub fn new(name: impl Into<Text>, version: impl Into<Text>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

lowering! {
    Implementation {
        "title": title => Title,
        "description": description => ImplementationDetails,
        "websiteUrl": website_url => ImplementationDetails,
        "icons": icons => Icons,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// What `initialize` takes; removed in 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitializeParams {
    /// The revision that the client proposes. Translation leaves it as it is: who opens a session
    /// of another revision proposes that one.
    pub protocol_version: Text,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// The client.
    pub client_info: Implementation,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    InitializeParams {}
    features(this, set) {
        *set = set.with(Feature::Handshake);
        this.capabilities.add_features(set);
        this.client_info.add_features(set);
    }
    lower(this, cx) {
        cx.demand(Feature::Handshake)?;
        cx.member("capabilities", |cx| this.capabilities.lower(cx))?;
        cx.member("clientInfo", |cx| this.client_info.lower(cx))?;
    }
}

/// What `initialize` returns; removed in 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitializeResult {
    /// The revision that the session is held in, if the client takes it.
    pub protocol_version: Text,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// The server.
    pub server_info: Implementation,
    /// How to use the server, for the model.
    pub instructions: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    InitializeResult {}
    features(this, set) {
        *set = set.with(Feature::Handshake);
        this.capabilities.add_features(set);
        this.server_info.add_features(set);
    }
    lower(this, cx) {
        cx.demand(Feature::Handshake)?;
        cx.member("capabilities", |cx| this.capabilities.lower(cx))?;
        cx.member("serverInfo", |cx| this.server_info.lower(cx))?;
        strip_member(&mut this.meta, SERVER_INFO, Feature::ServerInfoMetadata, cx);
    }
}

impl ResultFields for InitializeResult {}

/// What `server/discover` returns; since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiscoverResult {
    /// The revisions that the server speaks, older ones included.
    pub supported_versions: Vec<Text>,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for the model.
    pub instructions: Option<Text>,
    /// Milliseconds for which the answer may be taken as current.
    pub ttl_ms: Option<u64>,
    /// Who may share the answer: `public` or `private`.
    pub cache_scope: Option<Text>,
    /// The kind of the result: `complete`.
    pub result_type: Option<Text>,
    /// `_meta`, which names the server.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines; `serverInfo` stood here in the release candidate.
    pub extensions: Extensions,
}

lowering! {
    DiscoverResult {}
    features(this, set) {
        *set = set.with(Feature::Discovery);
        this.capabilities.add_features(set);
    }
    lower(this, cx) {
        cx.demand(Feature::Discovery)?;
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        demand_cache_hints(&mut this.ttl_ms, &mut this.cache_scope, cx);
        cx.member("capabilities", |cx| this.capabilities.lower(cx))?;
    }
}

result_fields!(DiscoverResult: result_type, ttl_ms, cache_scope);
