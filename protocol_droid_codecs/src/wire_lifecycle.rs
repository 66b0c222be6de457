//! The handshake and discovery, log messages and subscriptions.

use protocol_droid_ir::{
    DiscoverResult, Implementation, InitializeParams, InitializeResult, JsonObject,
    LoggingMessageParams, RequestId, SetLevelParams, SubscriptionFilter,
    SubscriptionsAcknowledgedParams, SubscriptionsListenParams, SubscriptionsListenResult,
};

use crate::reader::{Read, Reader};
use crate::table::{self, Member};
use crate::wire::{Wire, wire};
use crate::writer::{Writer, Written};

wire! {
    Implementation = "Implementation" {
        req name: "name",
        req version: "version",
        opt title: "title" if Title,
        opt description: "description" if ImplementationDetails,
        opt website_url: "websiteUrl" if ImplementationDetails,
        opt icons: "icons" if Icons,
    }
}

wire! {
    InitializeParams = "InitializeRequestParams" if Handshake {
        req protocol_version: "protocolVersion",
        req capabilities: "capabilities",
        req client_info: "clientInfo",
    }
}

wire! {
    InitializeResult = "InitializeResult" if Handshake {
        req protocol_version: "protocolVersion",
        req capabilities: "capabilities",
        req server_info: "serverInfo",
        opt instructions: "instructions",
        bag meta: "_meta",
    }
}

wire! {
    DiscoverResult = "DiscoverResult" if Discovery {
        new result_type: "resultType" if ToolResultType,
        req supported_versions: "supportedVersions",
        req capabilities: "capabilities",
        opt instructions: "instructions",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    SetLevelParams = "SetLevelRequestParams" if SetLevel {
        req level: "level",
    }
}

wire! {
    LoggingMessageParams = "LoggingMessageNotificationParams" {
        req level: "level",
        opt logger: "logger",
        req data: "data",
        bag meta: "_meta",
    }
}

wire! {
    SubscriptionFilter = "SubscriptionFilter" if Subscriptions {
        opt tools_list_changed: "toolsListChanged",
        opt prompts_list_changed: "promptsListChanged",
        opt resources_list_changed: "resourcesListChanged",
        opt resource_subscriptions: "resourceSubscriptions",
    }
}

wire! {
    SubscriptionsListenParams = "SubscriptionsListenRequestParams" if Subscriptions {
        req notifications: "notifications",
    }
}

wire! {
    SubscriptionsListenResult = "SubscriptionsListenResult" if Subscriptions {
        new result_type: "resultType" if ToolResultType,
        req meta: "_meta" via listen_meta,
    }
}

wire! {
    SubscriptionsAcknowledgedParams = "SubscriptionsAcknowledgedNotificationParams" if Subscriptions {
        req notifications: "notifications",
        bag meta: "_meta",
    }
}

/// The `_meta` of the end of a subscription: it says which.
mod listen_meta {
    use super::*;

    const ID: Member = table::member(
        "SubscriptionsListenResultMetaObject",
        "io.modelcontextprotocol/subscriptionId",
    );

    pub(super) fn read(r: &mut Reader<'_>) -> Read<JsonObject> {
        let meta = JsonObject::read(r)?;
        match meta.get(ID.name) {
            None => Err(r.missing(ID.name)),
            Some(id) if RequestId::from_json(id.clone()).is_none() => {
                r.at(ID.name, |r| Err(r.mismatch("a string or a whole number", id.kind().name())))
            }
            Some(_) => Ok(meta),
        }
    }

    pub(super) fn write(meta: &JsonObject, w: &mut Writer<'_>) -> Written {
        if meta.get(ID.name).and_then(RequestId::from_json).is_none() {
            return Err(w.missing(ID.name));
        }
        meta.write(w)
    }
}
