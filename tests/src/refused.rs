//! Which values are refused, and for want of what: the tables of the design (sections 5 and 7), by
//! other means than the code under test.

use protocol_droid_ir::{
    CompleteParams, CompletionReference, Content, CreateMessageParams, CreateMessageResult,
    ElicitParams, ElicitResult, ElicitValue, Feature, FeatureSet, InputParams, InputRequests, Item,
    Message, NotificationParams, Params, PrimitiveSchema, PromptMessage, RequestContext,
    RequestedSchema, ResultBody, SamplingContent, Text, ToolResultContent,
};

/// What a target may lack that a value has no other form without.
#[derive(Debug)]
pub struct Needs {
    target: FeatureSet,
    missing: FeatureSet,
}

/// What `target` lacks and `value` is refused for; nothing if the value is not refused.
pub fn refusals<T: Refused + ?Sized>(value: &T, target: FeatureSet) -> FeatureSet {
    let mut needs = Needs { target, missing: FeatureSet::empty() };
    value.needs(&mut needs);
    needs.missing
}

/// A value that may have no form at some target.
pub trait Refused {
    /// Names what the value has no other form without.
    fn needs(&self, needs: &mut Needs);
}

impl Needs {
    fn feature(&mut self, feature: Feature) {
        if !self.target.contains(feature) {
            self.missing = self.missing.with(feature);
        }
    }

    fn feature_if(&mut self, is_set: bool, feature: Feature) {
        if is_set {
            self.feature(feature);
        }
    }

    /// No target has this.
    fn nowhere(&mut self, feature: Feature) {
        self.missing = self.missing.with(feature);
    }

    fn complete(&mut self, result_type: Option<&Text>) {
        let other = result_type.is_some_and(|kind| kind != "complete");
        self.feature_if(other, Feature::ToolResultType);
    }
}

impl Refused for Message {
    fn needs(&self, needs: &mut Needs) {
        match self {
            Self::Request(request) => {
                request.context.needs(needs);
                request.params.iter().for_each(|params| params.needs(needs));
            }
            Self::Notification(notification) => {
                notification.params.iter().for_each(|params| params.needs(needs));
            }
            Self::Response(response) => response.result.needs(needs),
            Self::Error(error) => needs.feature_if(error.id.is_none(), Feature::ErrorWithoutId),
            other => panic!("nothing is known of {other:?}"),
        }
    }
}

impl Refused for RequestContext {
    fn needs(&self, needs: &mut Needs) {
        let answers = self.input_responses.is_some() || self.request_state.is_some();
        needs.feature_if(answers, Feature::InputResponses);
    }
}

impl Refused for Params {
    fn needs(&self, needs: &mut Needs) {
        match self {
            Self::Complete(params) => params.needs(needs),
            Self::Elicit(params) => params.needs(needs),
            Self::Initialize(_) => needs.feature(Feature::Handshake),
            Self::SetLevel(_) => needs.feature(Feature::SetLevel),
            Self::Subscribe(_) | Self::Unsubscribe(_) => {
                needs.feature(Feature::ResourceSubscriptions);
            }
            Self::CreateMessage(params) => params.needs(needs),
            Self::SubscriptionsListen(_) => needs.feature(Feature::Subscriptions),
            Self::CancelTask(_) | Self::GetTask(_) | Self::GetTaskPayload(_) => {
                needs.feature(Feature::Tasks);
            }
            Self::UpdateTask(_) => needs.feature(Feature::TaskExtension),
            // A call without its task is a call still.
            Self::CallTool(_) => {}
            Self::Discover(_)
            | Self::GetPrompt(_)
            | Self::ListPrompts(_)
            | Self::ListResourceTemplates(_)
            | Self::ListResources(_)
            | Self::ListRoots(_)
            | Self::ListTasks(_)
            | Self::ListTools(_)
            | Self::Other(_)
            | Self::Ping(_)
            | Self::ReadResource(_) => {}
            other => panic!("nothing is known of {other:?}"),
        }
    }
}

impl Refused for ResultBody {
    fn needs(&self, needs: &mut Needs) {
        match self {
            Self::CallTool(result) => {
                needs.complete(result.result_type.as_ref());
                result.content.needs(needs);
            }
            Self::GetPrompt(result) => {
                needs.complete(result.result_type.as_ref());
                let messages = result.messages.iter().filter_map(Item::known);
                messages.for_each(|message| message.needs(needs));
            }
            Self::Complete(result) => needs.complete(result.result_type.as_ref()),
            Self::ListPrompts(result) => needs.complete(result.result_type.as_ref()),
            Self::ListResourceTemplates(result) => needs.complete(result.result_type.as_ref()),
            Self::ListResources(result) => needs.complete(result.result_type.as_ref()),
            Self::ListTools(result) => needs.complete(result.result_type.as_ref()),
            Self::Other(result) => needs.complete(result.result_type.as_ref()),
            Self::ReadResource(result) => needs.complete(result.result_type.as_ref()),
            Self::Ping(result)
            | Self::SetLevel(result)
            | Self::Subscribe(result)
            | Self::Unsubscribe(result)
            | Self::UpdateTask(result) => needs.complete(result.result_type.as_ref()),
            Self::CreateMessage(result) => result.needs(needs),
            Self::Elicit(result) => result.needs(needs),
            Self::Initialize(_) => needs.feature(Feature::Handshake),
            Self::ListRoots(_) => {}
            Self::Discover(_) => needs.feature(Feature::Discovery),
            Self::SubscriptionsListen(_) => needs.feature(Feature::Subscriptions),
            Self::CancelTask(_)
            | Self::CreateTask(_)
            | Self::GetTask(_)
            | Self::GetTaskPayload(_)
            | Self::ListTasks(_) => needs.feature(Feature::TaskAugmentation),
            Self::ExtensionTask(task) => {
                needs.feature(Feature::TaskExtension);
                task.input_requests.iter().for_each(|requests| requests.needs(needs));
            }
            Self::InputRequired(result) => {
                needs.feature(Feature::InputRequired);
                result.input_requests.iter().for_each(|requests| requests.needs(needs));
            }
            other => panic!("nothing is known of {other:?}"),
        }
    }
}

impl Refused for NotificationParams {
    fn needs(&self, needs: &mut Needs) {
        match self {
            Self::Cancelled(params) => {
                needs.feature_if(params.request_id.is_none(), Feature::CancelledWithoutRequest);
            }
            Self::ElicitationComplete(_) => needs.feature(Feature::ElicitationId),
            Self::ExtensionTask(task) => {
                needs.feature(Feature::TaskExtension);
                task.input_requests.iter().for_each(|requests| requests.needs(needs));
            }
            Self::SubscriptionsAcknowledged(_) => needs.feature(Feature::Subscriptions),
            Self::TaskStatus(_) => needs.feature(Feature::TaskAugmentation),
            Self::Initialized(_)
            | Self::LoggingMessage(_)
            | Self::Other(_)
            | Self::Progress(_)
            | Self::PromptsListChanged(_)
            | Self::ResourceUpdated(_)
            | Self::ResourcesListChanged(_)
            | Self::RootsListChanged(_)
            | Self::ToolsListChanged(_) => {}
            other => panic!("nothing is known of {other:?}"),
        }
    }
}

/// Blocks of a tool result or prompt: calls of tools have no place there.
impl Refused for Content {
    fn needs(&self, needs: &mut Needs) {
        if matches!(self, Self::ToolUse(_) | Self::ToolResult(_)) {
            needs.nowhere(Feature::MisplacedContent);
        }
    }
}

impl Refused for Vec<Content> {
    fn needs(&self, needs: &mut Needs) {
        self.iter().for_each(|block| block.needs(needs));
    }
}

impl Refused for PromptMessage {
    fn needs(&self, needs: &mut Needs) {
        self.content.needs(needs);
    }
}

impl Refused for ToolResultContent {
    fn needs(&self, needs: &mut Needs) {
        needs.feature(Feature::ToolResultContent);
        self.content.needs(needs);
    }
}

/// Blocks of a message to or from a model.
impl Refused for SamplingContent {
    fn needs(&self, needs: &mut Needs) {
        for block in self.blocks() {
            match block {
                Content::Audio(_) => needs.feature(Feature::AudioContent),
                Content::Resource(_) | Content::ResourceLink(_) => {
                    needs.nowhere(Feature::MisplacedContent);
                }
                Content::ToolUse(_) => needs.feature(Feature::ToolUseContent),
                Content::ToolResult(block) => block.needs(needs),
                _ => {}
            }
        }
    }
}

impl Refused for CreateMessageParams {
    fn needs(&self, needs: &mut Needs) {
        let tools = self.tools.is_some() || self.tool_choice.is_some();
        needs.feature_if(tools, Feature::SamplingTools);
        let messages = self.messages.iter().filter_map(Item::known);
        messages.for_each(|message| message.content.needs(needs));
    }
}

impl Refused for CreateMessageResult {
    fn needs(&self, needs: &mut Needs) {
        self.content.needs(needs);
        if let SamplingContent::List(blocks) = &self.content {
            // What is not known becomes text.
            let is_text = |block: &Content| matches!(block, Content::Text(_) | Content::Unknown(_));
            let one = blocks.len() == 1 || blocks.iter().all(is_text);
            needs.feature_if(!one, Feature::SamplingContentList);
        }
    }
}

impl Refused for CompleteParams {
    fn needs(&self, needs: &mut Needs) {
        if matches!(self.reference, CompletionReference::Unknown(_)) {
            needs.nowhere(Feature::UnknownContent);
        }
    }
}

impl Refused for ElicitParams {
    fn needs(&self, needs: &mut Needs) {
        match self {
            Self::Form(form) => {
                needs.feature(Feature::Elicitation);
                form.requested_schema.needs(needs);
            }
            Self::Url(url) => {
                needs.feature(Feature::UrlElicitation);
                if url.elicitation_id.is_none() && needs.target.contains(Feature::ElicitationId) {
                    needs.nowhere(Feature::ElicitationId);
                }
            }
            _ => needs.nowhere(Feature::UnknownContent),
        }
    }
}

impl Refused for RequestedSchema {
    fn needs(&self, needs: &mut Needs) {
        let properties = self.properties.iter().filter_map(|(_, property)| property.known());
        for property in properties {
            let many = matches!(property, PrimitiveSchema::MultiSelect(_));
            needs.feature_if(many, Feature::MultiSelectEnum);
        }
    }
}

impl Refused for ElicitResult {
    fn needs(&self, needs: &mut Needs) {
        needs.feature(Feature::Elicitation);
        for (_, value) in self.content.iter().flatten() {
            let many = matches!(value, Item::Known(ElicitValue::List(_)));
            needs.feature_if(many, Feature::MultiSelectEnum);
        }
    }
}

impl Refused for InputRequests {
    fn needs(&self, needs: &mut Needs) {
        for (_, request) in self {
            match request.known().map(|request| &request.params) {
                Some(InputParams::CreateMessage(params)) => params.needs(needs),
                Some(InputParams::Elicit(params)) => params.needs(needs),
                Some(_) => {}
                None => needs.nowhere(Feature::UnknownContent),
            }
        }
    }
}
