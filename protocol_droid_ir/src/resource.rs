//! Resources: their lists, their contents and subscriptions to them.

use crate::content::{
    Annotations, Icon, ResourceContents, add_annotations, lower_annotated, lower_annotations,
};
use crate::context::INPUT_MEMBERS;
use crate::feature::FeatureSet;
use crate::json::{Extensions, JsonObject};
use crate::lower::{Lower, LowerError, Lowering, ResultHead, add_named, lowering, lowering_whole};
use crate::message::strip_subscription;
use crate::methods::result_fields;
use crate::page::cacheable_list;
use crate::result::demand_cache_hints;
use crate::text::Text;
use crate::unknown::{Item, add_items, lower_items};

/// A resource that a server can read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// Its URI.
    pub uri: Text,
    /// The identifier. Never rewritten.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What it is, for the model.
    pub description: Option<Text>,
    /// Its MIME type.
    pub mime_type: Option<Text>,
    /// Its size in bytes, before any encoding.
    pub size: Option<u64>,
    /// Pictures for it; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl Resource {
    /// The resource at `uri`.
    pub fn new(uri: impl Into<Text>, name: impl Into<Text>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }
}

lower_annotated!(Resource {
    "title": title => Title,
    "icons": icons => Icons,
});

/// Resources that a server can read, by a template of their URIs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTemplate {
    /// The template of RFC 6570.
    pub uri_template: Text,
    /// The identifier. Never rewritten.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// What they are, for the model.
    pub description: Option<Text>,
    /// The MIME type of all of them.
    pub mime_type: Option<Text>,
    /// Pictures for them; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Whom they are for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ResourceTemplate {
    /// The resources of `uri_template`.
    pub fn new(uri_template: impl Into<Text>, name: impl Into<Text>) -> Self {
        Self { uri_template: uri_template.into(), name: name.into(), ..Self::default() }
    }
}

lower_annotated!(ResourceTemplate {
    "title": title => Title,
    "icons": icons => Icons,
});

cacheable_list! {
    /// A page of a server's resources.
    ListResourcesResult {
        /// The resources.
        "resources": resources => Resource
    }
}

cacheable_list! {
    /// A page of a server's resource templates.
    ListResourceTemplatesResult {
        /// The templates.
        "resourceTemplates": resource_templates => ResourceTemplate
    }
}

/// What `resources/read` takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadResourceParams {
    /// The resource's URI.
    pub uri: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ReadResourceParams {}
    features(this, set) {
        add_named(&this.extensions, INPUT_MEMBERS, set);
    }
    lower(this, cx) {
        cx.extensions(&mut this.extensions, INPUT_MEMBERS)?;
    }
}

/// The contents of a resource, or of several where its URI stands for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadResourceResult {
    /// The contents.
    pub contents: Vec<Item<ResourceContents>>,
    /// Milliseconds for which the contents may be taken as current; since 2026-07-28.
    pub ttl_ms: Option<u64>,
    /// Who may share the contents: `public` or `private`; since 2026-07-28.
    pub cache_scope: Option<Text>,
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ReadResourceResult {
        "ttlMs": ttl_ms => CacheHints,
        "cacheScope": cache_scope => CacheHints,
        "resultType": result_type => ToolResultType,
    }
    features(this, set) {
        add_items(&this.contents, set);
    }
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        demand_cache_hints(&mut this.ttl_ms, &mut this.cache_scope, cx);
        lower_items("contents", &mut this.contents, cx)?;
    }
}

result_fields!(ReadResourceResult: result_type, ttl_ms, cache_scope);

impl Lower for ResourceContents {
    fn add_features(&self, _set: &mut FeatureSet) {}

    fn lower(&mut self, _cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        Ok(())
    }
}

/// What `resources/subscribe` and `resources/unsubscribe` take; until 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubscribeParams {
    /// The resource's URI.
    pub uri: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(SubscribeParams, ResourceSubscriptions);

/// What `notifications/resources/updated` says: the resource, or one below it, has changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceUpdatedParams {
    /// The resource's URI.
    pub uri: Text,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ResourceUpdatedParams {}
    features(_this, _set) {}
    lower(this, cx) {
        strip_subscription(&mut this.meta, cx)?;
    }
}
