//! The wire tables against the schemas: what a type has and no table carries.

use protocol_droid_ir::*;

use crate::table::find_type;
use crate::wire::Covered;

/// Members that are carried by other means than a line of their type's table.
const ELSEWHERE: &[(&str, &[&str])] = &[
    // The context of a request reads and writes these for every method.
    ("CallToolRequestParams", &["_meta", "inputResponses", "requestState"]),
    ("CompleteRequestParams", &["_meta"]),
    ("GetPromptRequestParams", &["_meta", "inputResponses", "requestState"]),
    ("PaginatedRequestParams", &["_meta"]),
    ("InitializeRequestParams", &["_meta"]),
    ("ReadResourceRequestParams", &["_meta", "inputResponses", "requestState"]),
    ("SubscribeRequestParams", &["_meta"]),
    ("RequestParams", &["_meta"]),
    ("CreateMessageRequestParams", &["_meta"]),
    ("ElicitRequestFormParams", &["_meta"]),
    ("ElicitRequestURLParams", &["_meta"]),
    ("SetLevelRequestParams", &["_meta"]),
    ("SubscriptionsListenRequestParams", &["_meta"]),
];

fn missing<T: Covered>(out: &mut Vec<String>) {
    let elsewhere = ELSEWHERE.iter().find(|(name, _)| *name == T::TYPE);
    let elsewhere = elsewhere.map_or(&[][..], |(_, members)| members);
    for member in find_type(T::TYPE).expect("a covered type").members {
        if !T::MEMBERS.contains(&member.name) && !elsewhere.contains(&member.name) {
            out.push(format!("{}.{}", T::TYPE, member.name));
        }
    }
}

#[test]
fn every_member_of_a_covered_type_is_carried() {
    macro_rules! missing_of {
        ($( $type:ty ),* $(,)?) => {{
            let mut out = Vec::new();
            $( missing::<$type>(&mut out); )*
            out
        }};
    }
    let missing = missing_of!(
        Annotations,
        AudioContent,
        BlobResourceContents,
        BooleanSchema,
        CallToolParams,
        CancelledParams,
        ClientCapabilities,
        ClientTaskRequests,
        ClientTasksCapability,
        CompleteParams,
        CompleteResult,
        Completion,
        CompletionArgument,
        CompletionContext,
        CreateMessageParams,
        CreateMessageResult,
        CreateTaskResult,
        DiscoverResult,
        ElicitFormParams,
        ElicitResult,
        ElicitUrlParams,
        ElicitationCapability,
        ElicitationCompleteParams,
        ElicitationTasks,
        EmbeddedResource,
        EmptyNotificationParams,
        EmptyParams,
        EmptyResult,
        EnumOption,
        EnumSchema,
        ErrorObject,
        ExtensionTask,
        GetPromptParams,
        GetPromptResult,
        GetTaskPayloadResult,
        Icon,
        ImageContent,
        Implementation,
        InitializeParams,
        InitializeResult,
        InputRequiredResult,
        ListPromptsResult,
        ListResourceTemplatesResult,
        ListResourcesResult,
        ListRootsResult,
        ListTasksResult,
        ListToolsResult,
        LoggingMessageParams,
        ModelHint,
        ModelPreferences,
        MultiSelectSchema,
        NumberSchema,
        PaginatedParams,
        ProgressParams,
        Prompt,
        PromptArgument,
        PromptMessage,
        PromptReference,
        PromptsCapability,
        ReadResourceParams,
        ReadResourceResult,
        RequestedSchema,
        Resource,
        ResourceLinkContent,
        ResourceTemplate,
        ResourceTemplateReference,
        ResourceUpdatedParams,
        ResourcesCapability,
        Root,
        RootsCapability,
        SamplingCapability,
        SamplingMessage,
        SamplingTasks,
        ServerCapabilities,
        ServerTaskRequests,
        ServerTasksCapability,
        SetLevelParams,
        StringSchema,
        SubscribeParams,
        SubscriptionFilter,
        SubscriptionsAcknowledgedParams,
        SubscriptionsListenParams,
        SubscriptionsListenResult,
        Task,
        TaskMetadata,
        TaskParams,
        TextContent,
        TextResourceContents,
        TitledEnumSchema,
        TitledItems,
        Tool,
        ToolAnnotations,
        ToolChoice,
        ToolExecution,
        ToolResult,
        ToolResultContent,
        ToolTasks,
        ToolUseContent,
        ToolsCapability,
        UntitledItems,
        UpdateTaskParams,
    );
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_member_listed_as_carried_elsewhere_exists() {
    for (name, members) in ELSEWHERE {
        let found = find_type(name).expect("a covered type");
        for member in *members {
            assert!(found.member(member).is_some(), "{name}.{member}");
        }
    }
}
