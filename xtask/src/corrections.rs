//! What is decided by hand: names that changed, names of inline schemas, and what the schemas omit.

use crate::revision::Mask;

/// A definition that a later revision calls something else.
pub(crate) struct Rename {
    /// The name at `revisions`.
    pub(crate) from: &'static str,
    /// The newest name.
    pub(crate) to: &'static str,
    /// The revisions with the old name.
    pub(crate) revisions: Mask,
}

/// Definitions under the name they have today, by the name they had.
pub(crate) const RENAMES: &[Rename] = &[
    // Became the union of single- and multi-select schemas; the old shape lives on as its last arm.
    Rename { from: "EnumSchema", to: "LegacyTitledEnumSchema", revisions: 0b000100 },
    Rename { from: "JSONRPCError", to: "JSONRPCErrorResponse", revisions: 0b000111 },
    // Since 2025-11-25 the old name is the union of results and errors.
    Rename { from: "JSONRPCResponse", to: "JSONRPCResultResponse", revisions: 0b000111 },
    Rename { from: "ResourceReference", to: "ResourceTemplateReference", revisions: 0b000011 },
];

/// Inline objects that a later revision defines under a name: by place, or by member alone.
pub(crate) const NAMES: &[(&str, &str)] = &[
    // 2024-11-05 repeats it in everything that can be annotated.
    (".annotations", "Annotations"),
    // Only that of requests has named members.
    ("._meta", "RequestMetaObject"),
    // The newest params are the union of both modes; before 2025-11-25 there was only the form.
    ("ElicitRequest.params", "ElicitRequestFormParams"),
    ("JSONRPCErrorResponse.error", "Error"),
    // The params that all messages share.
    ("JSONRPCNotification.params", "NotificationParams"),
    ("JSONRPCRequest.params", "RequestParams"),
    ("Notification.params", "NotificationParams"),
    ("Request.params", "RequestParams"),
];

/// An optional member that the prose allows and the schemas leave out.
pub(crate) struct Correction {
    /// The types that lack it.
    pub(crate) types: &'static [&'static str],
    /// The member.
    pub(crate) member: &'static str,
    /// The revisions at which it is added, wherever the type exists.
    pub(crate) revisions: Mask,
}

/// Members to add.
pub(crate) const CORRECTIONS: &[Correction] = &[
    // The base `Request` and `Notification` allow `_meta` on all params; these do not repeat it.
    Correction {
        types: &[
            "CallToolRequestParams",
            "CancelledNotificationParams",
            "CompleteRequestParams",
            "CreateMessageRequestParams",
            "ElicitRequestFormParams",
            "GetPromptRequestParams",
            "InitializeRequestParams",
            "LoggingMessageNotificationParams",
            "PaginatedRequestParams",
            "ProgressNotificationParams",
            "ReadResourceRequestParams",
            "ResourceUpdatedNotificationParams",
            "SetLevelRequestParams",
            "SubscribeRequestParams",
            "UnsubscribeRequestParams",
        ],
        member: "_meta",
        revisions: 0b000111,
    },
    // The prose requires the related task in `_meta` here; the inline params do not list it.
    Correction {
        types: &[
            "CancelTaskRequestParams",
            "ElicitationCompleteNotificationParams",
            "GetTaskPayloadRequestParams",
            "GetTaskRequestParams",
        ],
        member: "_meta",
        revisions: 0b001000,
    },
];
