//! The typed methods, one line each: what a request takes and returns, what a notification says.
//!
//! The enums of this module and the codecs are made from the same two lists.

use crate::completion::*;
use crate::elicitation::*;
use crate::feature::FeatureSet;
use crate::lifecycle::*;
use crate::logging::*;
use crate::lower::{Lower, LowerError, Lowering};
use crate::message::*;
use crate::page::*;
use crate::progress::*;
use crate::prompt::*;
use crate::resource::*;
use crate::result::*;
use crate::roots::*;
use crate::sampling::*;
use crate::subscription::*;
use crate::task::*;
use crate::task_extension::*;
use crate::text::Text;
use crate::tool::*;

/// Calls a macro with the typed requests: `"method" => Variant: Parameters -> Result`.
#[doc(hidden)]
#[macro_export]
macro_rules! requests {
    ($callback:ident) => {
        $callback! {
            "completion/complete" => Complete: Box<CompleteParams> => CompleteResult,
            "elicitation/create" => Elicit: Box<ElicitParams> => ElicitResult,
            "initialize" => Initialize: Box<InitializeParams> => Box<InitializeResult>,
            "logging/setLevel" => SetLevel: SetLevelParams => EmptyResult,
            "ping" => Ping: EmptyParams => EmptyResult,
            "prompts/get" => GetPrompt: GetPromptParams => GetPromptResult,
            "prompts/list" => ListPrompts: PaginatedParams => ListPromptsResult,
            "resources/list" => ListResources: PaginatedParams => ListResourcesResult,
            "resources/read" => ReadResource: ReadResourceParams => ReadResourceResult,
            "resources/subscribe" => Subscribe: SubscribeParams => EmptyResult,
            "resources/templates/list" => ListResourceTemplates: PaginatedParams => ListResourceTemplatesResult,
            "resources/unsubscribe" => Unsubscribe: SubscribeParams => EmptyResult,
            "roots/list" => ListRoots: EmptyParams => ListRootsResult,
            "sampling/createMessage" => CreateMessage: Box<CreateMessageParams> => Box<CreateMessageResult>,
            "server/discover" => Discover: EmptyParams => Box<DiscoverResult>,
            "subscriptions/listen" => SubscriptionsListen: SubscriptionsListenParams => SubscriptionsListenResult,
            "tasks/cancel" => CancelTask: TaskParams => Box<Task>,
            "tasks/get" => GetTask: TaskParams => Box<Task>,
            "tasks/list" => ListTasks: PaginatedParams => ListTasksResult,
            "tasks/result" => GetTaskPayload: TaskParams => GetTaskPayloadResult,
            "tasks/update" => UpdateTask: UpdateTaskParams => EmptyResult,
            "tools/call" => CallTool: CallToolParams => ToolResult,
            "tools/list" => ListTools: PaginatedParams => ListToolsResult,
        }
    };
}

/// Calls a macro with the typed notifications: `"method" => Variant: Parameters`.
#[doc(hidden)]
#[macro_export]
macro_rules! notifications {
    ($callback:ident) => {
        $callback! {
            "notifications/cancelled" => Cancelled: CancelledParams,
            "notifications/elicitation/complete" => ElicitationComplete: ElicitationCompleteParams,
            "notifications/initialized" => Initialized: EmptyNotificationParams,
            "notifications/message" => LoggingMessage: LoggingMessageParams,
            "notifications/progress" => Progress: ProgressParams,
            "notifications/prompts/list_changed" => PromptsListChanged: EmptyNotificationParams,
            "notifications/resources/list_changed" => ResourcesListChanged: EmptyNotificationParams,
            "notifications/resources/updated" => ResourceUpdated: ResourceUpdatedParams,
            "notifications/roots/list_changed" => RootsListChanged: EmptyNotificationParams,
            "notifications/subscriptions/acknowledged" => SubscriptionsAcknowledged: SubscriptionsAcknowledgedParams,
            "notifications/tasks" => ExtensionTask: Box<ExtensionTask>,
            "notifications/tasks/status" => TaskStatus: Box<Task>,
            "notifications/tools/list_changed" => ToolsListChanged: EmptyNotificationParams,
        }
    };
}

macro_rules! declare_requests {
    ($( $method:literal => $variant:ident: $params:ty => $result:ty, )*) => {
        /// The parameters of a request, by its method.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Params {
            $(
                #[doc = concat!("Of `", $method, "`.")]
                $variant($params),
            )*
            /// Of any other method, carried as text.
            Other(OtherParams),
        }

        impl Params {
            /// The method that takes these parameters.
            pub fn method(&self) -> Text {
                match self {
                    $( Self::$variant(_) => $method.into(), )*
                    Self::Other(params) => params.method.clone(),
                }
            }
        }

        dispatch_lower!(Params { $( $variant, )* Other });

        /// A result, by the method of its request and, since 2026-07-28, by its `resultType`.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum ResultBody {
            $(
                #[doc = concat!("Of `", $method, "`.")]
                $variant($result),
            )*
            /// Of a request that a task was made of; 2025-11-25 only.
            CreateTask(Box<CreateTaskResult>),
            /// Of a request that a task was made of, or a task's state; since 2026-07-28, by an
            /// extension.
            ExtensionTask(Box<ExtensionTask>),
            /// Of a request that needs input first; since 2026-07-28.
            InputRequired(InputRequiredResult),
            /// Of any other method or kind, carried as text.
            Other(OtherResult),
        }

        dispatch_lower!(ResultBody { $( $variant, )* CreateTask, ExtensionTask, InputRequired, Other });

        impl ResultFields for ResultBody {
            fn result_type(&mut self) -> Option<&mut Option<Text>> {
                match self {
                    $( Self::$variant(result) => result.result_type(), )*
                    Self::CreateTask(result) => result.result_type(),
                    Self::ExtensionTask(result) => result.result_type(),
                    Self::InputRequired(result) => result.result_type(),
                    Self::Other(result) => result.result_type(),
                }
            }

            fn cache_hints(&mut self) -> Option<(&mut Option<u64>, &mut Option<Text>)> {
                match self {
                    $( Self::$variant(result) => result.cache_hints(), )*
                    Self::CreateTask(result) => result.cache_hints(),
                    Self::ExtensionTask(result) => result.cache_hints(),
                    Self::InputRequired(result) => result.cache_hints(),
                    Self::Other(result) => result.cache_hints(),
                }
            }
        }
    };
}

macro_rules! declare_notifications {
    ($( $method:literal => $variant:ident: $params:ty, )*) => {
        /// The parameters of a notification, by its method.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum NotificationParams {
            $(
                #[doc = concat!("Of `", $method, "`.")]
                $variant($params),
            )*
            /// Of any other method, carried as text.
            Other(OtherNotificationParams),
        }

        impl NotificationParams {
            /// The method that these are the parameters of.
            pub fn method(&self) -> Text {
                match self {
                    $( Self::$variant(_) => $method.into(), )*
                    Self::Other(params) => params.method.clone(),
                }
            }
        }

        dispatch_lower!(NotificationParams { $( $variant, )* Other });
    };
}

macro_rules! dispatch_lower {
    ($enum:ident { $( $variant:ident ),* }) => {
        impl $enum {
            /// The features a target must have to express this losslessly.
            pub fn required_features(&self) -> FeatureSet {
                let mut set = FeatureSet::empty();
                self.add_features(&mut set);
                set
            }
        }

        impl Lower for $enum {
            fn add_features(&self, set: &mut FeatureSet) {
                match self { $( Self::$variant(value) => value.add_features(set), )* }
            }

            fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
                match self { $( Self::$variant(value) => value.lower(cx), )* }
            }
        }
    };
}

requests!(declare_requests);
notifications!(declare_notifications);

/// The members that results have in common, where they have them.
pub trait ResultFields {
    /// `resultType`.
    fn result_type(&mut self) -> Option<&mut Option<Text>> {
        None
    }

    /// `ttlMs` and `cacheScope`.
    fn cache_hints(&mut self) -> Option<(&mut Option<u64>, &mut Option<Text>)> {
        None
    }
}

/// Says which of the common members a result has.
macro_rules! result_fields {
    ($type:ty: result_type $( , $ttl_ms:ident, $cache_scope:ident )?) => {
        impl $crate::methods::ResultFields for $type {
            fn result_type(&mut self) -> Option<&mut Option<Text>> {
                Some(&mut self.result_type)
            }

            $( fn cache_hints(&mut self) -> Option<(&mut Option<u64>, &mut Option<Text>)> {
                Some((&mut self.$ttl_ms, &mut self.$cache_scope))
            } )?
        }
    };
}

impl<T: ResultFields> ResultFields for Box<T> {
    fn result_type(&mut self) -> Option<&mut Option<Text>> {
        (**self).result_type()
    }

    fn cache_hints(&mut self) -> Option<(&mut Option<u64>, &mut Option<Text>)> {
        (**self).cache_hints()
    }
}

pub(crate) use result_fields;
