//! What the wire tables carry, for the report that holds it against the schemas.
//!
//! Nothing else reads this; a program that does not either is linked without it.

use protocol_droid_ir::*;

use crate::table;

/// A wire table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The type of the schemas.
    pub of: &'static str,
    /// The members.
    pub members: &'static [Member],
}

/// A member, with the name of the Rust type that holds it; that of a tag is `tag`.
pub type Member = (&'static str, fn() -> &'static str);

/// A type with a wire table.
pub(crate) trait Tabled {
    const TABLE: Table;
}

impl<T: Tabled> Tabled for Box<T> {
    const TABLE: Table = T::TABLE;
}

/// Either mode is a type by itself; the tag tells which.
impl Tabled for ElicitParams {
    const TABLE: Table = Table { of: "ElicitRequestParams", members: &[] };
}

/// The table of a type that is read and written by hand.
macro_rules! by_hand {
    ($type:ident = $of:literal $( tag $tag:literal )? { $( $field:ident: $name:literal, )* }) => {{
        $( const _: table::Member = table::member($of, $tag); )?
        $( const _: table::Member = table::member($of, $name); )*
        Table {
            of: $of,
            members: &[
                $( ($tag, || "tag"), )?
                $( ($name, || type_name(|value: &$type| &value.$field)) ),*
            ],
        }
    }};
}

/// What the context of a request holds of its parameters.
pub const CONTEXT: Table = by_hand! {
    RequestContext = "CallToolRequestParams" {
        meta: "_meta",
        input_responses: "inputResponses",
        request_state: "requestState",
    }
};

/// What the context of a request holds of `_meta`.
pub const METADATA: Table = by_hand! {
    RequestContext = "RequestMetaObject" {
        client_capabilities: "io.modelcontextprotocol/clientCapabilities",
        client_info: "io.modelcontextprotocol/clientInfo",
        log_level: "io.modelcontextprotocol/logLevel",
        protocol_version: "io.modelcontextprotocol/protocolVersion",
        progress_token: "progressToken",
    }
};

/// The envelopes of messages.
pub const ENVELOPES: [Table; 4] = [
    by_hand! {
        Request = "JSONRPCRequest" tag "jsonrpc" { id: "id", method: "method", params: "params", }
    },
    by_hand! {
        Notification = "JSONRPCNotification" tag "jsonrpc" { method: "method", params: "params", }
    },
    by_hand! {
        Response = "JSONRPCResultResponse" tag "jsonrpc" { id: "id", result: "result", }
    },
    by_hand! {
        ErrorResponse = "JSONRPCErrorResponse" tag "jsonrpc" { id: "id", error: "error", }
    },
];

/// The name of the type of a field.
pub(crate) fn type_name<T, F>(_: fn(&T) -> &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The wire tables of parameters and, of a request, of the result, by method.
pub fn methods() -> Vec<(&'static str, Vec<Table>)> {
    macro_rules! tables_by_method {
        ($( $method:literal => $variant:ident: $params:ty $( => $result:ty )?, )*) => {
            [$( ($method, vec![<$params>::TABLE $(, <$result>::TABLE )?]) ),*]
        };
    }
    let mut methods = Vec::from(requests!(tables_by_method));
    methods.extend(notifications!(tables_by_method));
    methods
}

macro_rules! tables {
    ($( $type:ident, )*) => {
        /// The tables that `wire!` makes.
        pub const TABLES: &[Table] = &[$( $type::TABLE ),*];
    };
}

tables! {
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
}
