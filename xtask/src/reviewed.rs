//! What no wire table carries, reviewed by hand, and why that is right.

/// Types that share the wire table of another: the first is read and written as the second.
pub(crate) const SAME: &[(&str, &str)] = &[
    ("HeaderMismatchError.error", "Error"),
    ("InternalError", "Error"),
    ("InvalidParamsError", "Error"),
    ("InvalidRequestError", "Error"),
    ("MethodNotFoundError", "Error"),
    ("MissingRequiredClientCapabilityError.error", "Error"),
    ("ParseError", "Error"),
    ("Result", "EmptyResult"),
    ("Task", "GetTaskResult"),
    ("TitledMultiSelectEnumSchema", "UntitledMultiSelectEnumSchema"),
    ("TitledMultiSelectEnumSchema.items.anyOf[]", "TitledSingleSelectEnumSchema.oneOf[]"),
    ("URLElicitationRequiredError.error", "Error"),
    ("UnsupportedProtocolVersionError.error", "Error"),
    ("UntitledSingleSelectEnumSchema", "LegacyTitledEnumSchema"),
];

/// Parts of the schemas that are carried by other means than a wire table.
#[derive(Debug)]
pub(crate) struct Review {
    /// Their names; what is in them is meant too.
    pub(crate) of: &'static [&'static str],
    /// What carries them, or why nothing has to.
    pub(crate) reason: &'static str,
}

/// All reviews.
pub(crate) const REVIEWED: &[Review] = &[
    Review {
        of: &[
            "Annotated",
            "BaseMetadata",
            "CacheableResult",
            "Icons",
            "InputResponseRequestParams",
            "Notification",
            "PaginatedResult",
            "Request",
            "ResourceContents",
            "ResourceRequestParams",
            "TaskAugmentedRequestParams",
        ],
        reason: "Only a base: what extends it repeats its members, and they are counted there.",
    },
    Review {
        of: &["Cursor", "ResultType"],
        reason: "A name for text that no member refers to: those that hold it say `string`.",
    },
    Review {
        of: &[
            "NotificationMetaObject",
            "RelatedTaskMetadata",
            "ResultMetaObject",
            "SubscriptionsListenResultMetaObject",
        ],
        reason: "In a `_meta` that is carried whole, as the JSON of each member by name.",
    },
    Review {
        of: &[
            "MissingRequiredClientCapabilityError.error.data",
            "URLElicitationRequiredError.error.data",
            "UnsupportedProtocolVersionError.error.data",
        ],
        reason: "The `data` of an error is carried as its JSON; a type of `error_data.rs` reads it.",
    },
    Review {
        of: &["JSONArray", "JSONValue", "Tool.inputSchema", "Tool.outputSchema"],
        reason: "Any JSON, or a JSON Schema, is carried as it.",
    },
    Review {
        of: &["ElicitResult.content{}"],
        reason: "`ElicitValue` has a variant for each kind of value.",
    },
    Review {
        of: &[
            "JSONRPCBatchRequest",
            "JSONRPCBatchResponse",
            "JSONRPCMessage | JSONRPCBatchRequest",
            "JSONRPCMessage | JSONRPCBatchResponse",
        ],
        reason: "`split_batch` takes a batch apart before its messages are read.",
    },
];
