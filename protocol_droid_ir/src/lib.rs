//! One revision-neutral model of the Model Context Protocol.
//!
//! A value of this crate can hold what any revision says, knows [what it needs](FeatureSet) of a
//! peer to be said losslessly, and can be [lowered](lower()) to a peer that has less, with a
//! [report](TranslationReport) of every change that was not lossless. What the protocol does not
//! interpret is carried [as text](JsonText), to the byte.
//!
//! ```
//! use protocol_droid_ir::{Content, JsonObject, Policy, ProtocolVersion, ToolResult, lower};
//!
//! let rows = JsonObject::new(r#"{"rows": [1.0, 2e3]}"#)?;
//! let mut result = ToolResult::text("two rows").with_structured(rows);
//! let target = ProtocolVersion::V2025_03_26.features();
//! let report = lower(&mut result, target, &Policy::faithful())?;
//!
//! assert_eq!(report.entries[0].path, "/structuredContent");
//! let Content::Text(added) = &result.content[1] else { panic!("a text block") };
//! assert_eq!(added.text, r#"{"rows": [1.0, 2e3]}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No wire shapes and no IO live here: see `protocol_droid_codecs` for the former.

pub mod capability;
pub mod completion;
pub mod content;
pub mod context;
pub mod elicitation;
pub mod era;
pub mod error_data;
pub mod feature;
pub mod form;
pub mod interaction;
pub mod json;
pub mod lex;
pub mod lifecycle;
pub mod logging;
pub mod lower;
pub mod message;
pub mod methods;
pub mod negotiation;
pub mod number;
pub mod page;
pub mod path;
pub mod policy;
pub mod progress;
pub mod prompt;
pub mod report;
pub mod resource;
pub mod result;
pub mod roots;
mod same;
pub mod sampling;
pub mod schema;
mod schema_move;
mod structured;
pub mod subscription;
pub mod task;
pub mod task_extension;
pub mod text;
pub mod tool;
pub mod unknown;
pub mod version;

pub use capability::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability,
    ElicitationTasks, PromptsCapability, ResourcesCapability, RootsCapability, SamplingCapability,
    SamplingTasks, ServerCapabilities, ServerTaskRequests, ServerTasksCapability, ToolTasks,
    ToolsCapability,
};
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use content::{
    Annotations, AudioContent, BlobResourceContents, Content, EmbeddedResource, Icon, ImageContent,
    ResourceContents, ResourceLinkContent, TextContent, TextResourceContents, ToolResultContent,
    ToolUseContent,
};
pub use context::RequestContext;
pub use elicitation::{
    ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, ElicitValue,
    ElicitationCompleteParams, OtherElicitParams,
};
pub use era::{Answer, Era, Opening};
pub use error_data::{
    ERROR_MEANINGS, ErrorDataError, ErrorMeaning, MissingRequiredClientCapability,
    UnsupportedProtocolVersion, UrlElicitationRequired,
};
pub use feature::{Feature, FeatureSet};
pub use form::{
    BooleanSchema, EnumOption, EnumSchema, MultiSelectItems, MultiSelectSchema, NumberSchema,
    PrimitiveSchema, RequestedSchema, StringSchema, TitledEnumSchema, TitledItems, UntitledItems,
};
pub use interaction::{InputParams, InputRequest, InputRequests, InputResponse};
pub use json::{Extensions, JsonObject, JsonObjectError, JsonText};
pub use lifecycle::{DiscoverResult, Implementation, InitializeParams, InitializeResult};
pub use logging::{LoggingMessageParams, SetLevelParams};
pub use lower::{Lower, LowerError, Lowering, lower};
pub use message::{
    EmptyNotificationParams, EmptyParams, ErrorObject, ErrorResponse, Message, Notification,
    OtherNotificationParams, OtherParams, ProgressToken, Request, RequestId, Response,
};
pub use methods::{NotificationParams, Params, ResultBody, ResultFields};
pub use number::Number;
pub use page::PaginatedParams;
pub use path::Path;
pub use policy::Policy;
pub use progress::{CancelledParams, ProgressParams};
pub use prompt::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use report::{Action, Entry, Misfit, Reason, TranslationReport};
pub use resource::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};
pub use result::{Downgrade, EmptyResult, InputRequiredResult, OtherResult, ToolResult};
pub use roots::{ListRootsResult, Root};
pub use same::{canonical_json, same_json};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, ModelHint, ModelPreferences, SamplingContent,
    SamplingMessage, ToolChoice,
};
pub use schema::Schema;
pub use subscription::{
    SubscriptionChanges, SubscriptionFilter, SubscriptionsAcknowledgedParams,
    SubscriptionsListenParams, SubscriptionsListenResult,
};
pub use task::{
    CreateTaskResult, GetTaskPayloadResult, ListTasksResult, Task, TaskMetadata, TaskParams,
};
pub use task_extension::{ExtensionTask, OutcomeError, TaskOutcome, UpdateTaskParams};
pub use text::{Buffer, Slice, Text};
pub use tool::{
    CallToolParams, ListToolsParams, ListToolsResult, Tool, ToolAnnotations, ToolExecution,
};
pub use unknown::{Item, Unknown};
pub use version::{ProtocolVersion, UnknownVersion};
