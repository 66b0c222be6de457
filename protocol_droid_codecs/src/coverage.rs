//! The wire tables against the schemas: what a type has and no table carries.

use protocol_droid_ir::*;

use crate::table::find_type;
use crate::wire::Covered;

/// Members that are carried by other means than a line of their type's table.
const ELSEWHERE: &[(&str, &[&str])] = &[
    // The context of a request reads and writes these for every method.
    ("CallToolRequestParams", &["_meta", "inputResponses", "requestState"]),
    ("PaginatedRequestParams", &["_meta"]),
    ("InitializeRequestParams", &["_meta"]),
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
        CreateMessageParams,
        CreateMessageResult,
        ElicitFormParams,
        ElicitResult,
        ElicitUrlParams,
        ElicitationCompleteParams,
        ClientCapabilities,
        ClientTaskRequests,
        ClientTasksCapability,
        DiscoverResult,
        ElicitationCapability,
        ElicitationTasks,
        EmbeddedResource,
        EmptyNotificationParams,
        EmptyParams,
        EmptyResult,
        EnumOption,
        EnumSchema,
        ErrorObject,
        Icon,
        ImageContent,
        Implementation,
        InitializeParams,
        InitializeResult,
        InputRequiredResult,
        ListRootsResult,
        ListToolsParams,
        ListToolsResult,
        ModelHint,
        ModelPreferences,
        MultiSelectSchema,
        NumberSchema,
        RequestedSchema,
        ResourceLinkContent,
        Root,
        SamplingMessage,
        StringSchema,
        LoggingMessageParams,
        PromptsCapability,
        ResourcesCapability,
        RootsCapability,
        SamplingCapability,
        SamplingTasks,
        ServerCapabilities,
        ServerTaskRequests,
        ServerTasksCapability,
        SetLevelParams,
        SubscriptionFilter,
        SubscriptionsAcknowledgedParams,
        SubscriptionsListenParams,
        SubscriptionsListenResult,
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
        UntitledItems,
        ToolsCapability,
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
