//! Resources, their lists and their contents.

use protocol_droid_ir::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};

use crate::wire::wire;

wire! {
    Resource = "Resource" {
        req uri: "uri",
        req name: "name",
        opt title: "title" if Title,
        opt description: "description",
        opt mime_type: "mimeType",
        opt size: "size",
        opt icons: "icons" if Icons,
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    ResourceTemplate = "ResourceTemplate" {
        req uri_template: "uriTemplate",
        req name: "name",
        opt title: "title" if Title,
        opt description: "description",
        opt mime_type: "mimeType",
        opt icons: "icons" if Icons,
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    ListResourcesResult = "ListResourcesResult" {
        new result_type: "resultType" if ToolResultType,
        req resources: "resources",
        opt next_cursor: "nextCursor",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    ListResourceTemplatesResult = "ListResourceTemplatesResult" {
        new result_type: "resultType" if ToolResultType,
        req resource_templates: "resourceTemplates",
        opt next_cursor: "nextCursor",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    ReadResourceParams = "ReadResourceRequestParams" {
        req uri: "uri",
    }
}

wire! {
    ReadResourceResult = "ReadResourceResult" {
        new result_type: "resultType" if ToolResultType,
        req contents: "contents",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    SubscribeParams = "SubscribeRequestParams" if ResourceSubscriptions {
        req uri: "uri",
    }
}

wire! {
    ResourceUpdatedParams = "ResourceUpdatedNotificationParams" {
        req uri: "uri",
        bag meta: "_meta",
    }
}
