//! Sampling, roots and questions inside results to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol_droid_ir::{
    Content, CreateMessageParams, CreateMessageResult, EmptyParams, Feature, InputParams,
    InputRequest, Item, ListRootsResult, ModelHint, ModelPreferences, Root, SamplingContent,
    SamplingMessage, ToolChoice, Unknown,
};

use crate::generate::{
    Able, extensions, json_object, json_text, meta, one_of, priority, text, uri,
};
use crate::generate_content::{
    any_content, audio_content, image_content, text_content, tool_item, tool_result, tool_use,
};
use crate::generate_form::{elicit_params, number, task};

/// A block where messages to and from models have one.
fn block(able: Able) -> BoxedStrategy<Content> {
    let mut kinds = vec![
        (4, text_content(able).prop_map(Content::Text).boxed()),
        (2, image_content(able).prop_map(Content::Image).boxed()),
    ];
    if able.has(Feature::AudioContent) {
        kinds.push((1, audio_content(able).prop_map(Content::Audio).boxed()));
    }
    if able.has(Feature::ToolUseContent) {
        kinds.push((1, tool_use().prop_map(Content::ToolUse).boxed()));
    }
    if able.has(Feature::ToolResultContent) {
        kinds.push((1, tool_result(able).prop_map(Content::ToolResult).boxed()));
    }
    if able.odd {
        kinds.push((1, any_content(able)));
    }
    proptest::strategy::Union::new_weighted(kinds).boxed()
}

/// The content of a message to or from a model.
pub fn sampling_content(able: Able) -> BoxedStrategy<SamplingContent> {
    let single = block(able).prop_map(SamplingContent::Single);
    if !able.has(Feature::SamplingContentList) {
        return single.boxed();
    }
    let texts = vec(text_content(able).prop_map(Content::Text), 0..3);
    let list = prop_oneof![vec(block(able), 0..4), texts].prop_map(SamplingContent::List);
    prop_oneof![single, list].boxed()
}

/// A message to a model.
pub fn sampling_message(able: Able) -> BoxedStrategy<SamplingMessage> {
    (one_of(&["user", "assistant"]), sampling_content(able), meta(), extensions())
        .prop_map(|(role, content, meta, extensions)| SamplingMessage {
            role,
            content,
            meta,
            extensions,
        })
        .boxed()
}

/// What a server would like of a model.
pub fn model_preferences() -> BoxedStrategy<ModelPreferences> {
    let hint = (option::of(text()), extensions())
        .prop_map(|(name, extensions)| Item::Known(ModelHint { name, extensions }));
    let priorities = (option::of(priority()), option::of(priority()), option::of(priority()));
    (option::of(vec(hint, 0..3)), priorities, extensions())
        .prop_map(|(hints, priorities, extensions)| ModelPreferences {
            hints,
            cost_priority: priorities.0,
            speed_priority: priorities.1,
            intelligence_priority: priorities.2,
            extensions,
        })
        .boxed()
}

/// How a model may call tools.
pub fn tool_choice() -> BoxedStrategy<ToolChoice> {
    (option::of(one_of(&["auto", "none", "required"])), extensions())
        .prop_map(|(mode, extensions)| ToolChoice { mode, extensions })
        .boxed()
}

/// What `sampling/createMessage` takes.
pub fn create_message_params(able: Able) -> BoxedStrategy<CreateMessageParams> {
    let known = sampling_message(able).prop_map(Item::Known);
    let message = match able.odd {
        true => {
            let odd = Just(Item::Unknown(Unknown::new("{}".parse().expect("JSON"))));
            prop_oneof![8 => known, 1 => odd].boxed()
        }
        false => known.boxed(),
    };
    let tools = (
        able.gated(Feature::SamplingTools, vec(tool_item(able), 0..3)),
        able.gated(Feature::SamplingTools, tool_choice()),
        task(able),
    );
    let texts = (
        option::of(text()),
        option::of(one_of(&["none", "thisServer", "allServers"])),
        option::of(vec(text(), 0..3)),
    );
    let numbers = (option::of(number()), any::<u64>());
    let rest = (option::of(json_object()), extensions());
    (vec(message, 0..4), option::of(model_preferences()), texts, numbers, tools, rest)
        .prop_map(|(messages, model_preferences, texts, numbers, tools, rest)| {
            CreateMessageParams {
                messages,
                model_preferences,
                system_prompt: texts.0,
                include_context: texts.1,
                stop_sequences: texts.2,
                temperature: numbers.0,
                max_tokens: numbers.1,
                tools: tools.0,
                tool_choice: tools.1,
                task: tools.2,
                metadata: rest.0,
                extensions: rest.1,
            }
        })
        .boxed()
}

/// What a model said.
pub fn create_message_result(able: Able) -> BoxedStrategy<CreateMessageResult> {
    let stop_reason = option::of(prop_oneof![one_of(&["endTurn", "toolUse"]), text()]);
    (sampling_message(able), text(), stop_reason)
        .prop_map(|(message, model, stop_reason)| CreateMessageResult {
            role: message.role,
            content: message.content,
            model,
            stop_reason,
            meta: message.meta,
            extensions: message.extensions,
        })
        .boxed()
}

/// A root.
pub fn root() -> BoxedStrategy<Root> {
    (uri(), option::of(text()), meta(), extensions())
        .prop_map(|(uri, name, meta, extensions)| Root { uri, name, meta, extensions })
        .boxed()
}

/// The roots of a client.
pub fn list_roots_result(able: Able) -> BoxedStrategy<ListRootsResult> {
    let known = root().prop_map(Item::Known);
    let root = match able.odd {
        true => {
            let odd = json_text().prop_map(|json| Item::Unknown(Unknown::new(json)));
            prop_oneof![6 => known, 1 => odd].boxed()
        }
        false => known.boxed(),
    };
    (vec(root, 0..4), meta(), extensions())
        .prop_map(|(roots, meta, extensions)| ListRootsResult { roots, meta, extensions })
        .boxed()
}

/// A question inside a result.
pub fn input_request(able: Able) -> BoxedStrategy<Item<InputRequest>> {
    let bare = (Just(InputParams::ListRoots(None)), Just(None));
    let roots = extensions()
        .prop_map(|extensions| InputParams::ListRoots(Some(EmptyParams { extensions })));
    let params = prop_oneof![
        roots,
        elicit_params(able).prop_map(Box::new).prop_map(InputParams::Elicit),
        create_message_params(able).prop_map(Box::new).prop_map(InputParams::CreateMessage),
    ];
    (prop_oneof![1 => bare, 4 => (params, meta())], extensions())
        .prop_map(|((params, meta), extensions)| {
            Item::Known(InputRequest { params, meta, extensions })
        })
        .boxed()
}
