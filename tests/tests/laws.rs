//! What holds for every value and every pair of revisions.

use std::fmt::Debug;
use std::marker::PhantomData;

use proptest::prelude::*;
use protocol_droid_codecs::{Codec, EncodeError, Wire, compiled, decode_value, encode_value};
use protocol_droid_ir::{Content, FeatureSet, Lower, Policy, lower};
use protocol_droid_tests::closed::{faults, has_type};
use protocol_droid_tests::generate::{Able, config};
use protocol_droid_tests::generate_clientside::*;
use protocol_droid_tests::generate_content::*;
use protocol_droid_tests::generate_form::*;
use protocol_droid_tests::generate_lifecycle::*;
use protocol_droid_tests::generate_message;
use protocol_droid_tests::generate_serverside::*;
use protocol_droid_tests::generate_tasks::task_metadata;
use protocol_droid_tests::json::Json;
use protocol_droid_tests::laws::{
    Subject, check, feature_model_is_exact, lowering_suffices, shown,
};
use protocol_droid_tests::refused::{Refused, refusals};

/// Values that stand by themselves, by their name in the schemas.
struct Values<T, R> {
    name: &'static str,
    refused: R,
    of: PhantomData<T>,
}

impl<T, R> Subject for Values<T, R>
where
    T: Clone + Debug + Lower + PartialEq + Wire,
    R: Fn(&T, FeatureSet) -> FeatureSet,
{
    type Value = T;

    fn is_had(&self, codec: &dyn Codec) -> bool {
        has_type(codec.name(), self.name)
    }

    fn encode(&self, codec: &dyn Codec, value: &T, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_value(codec, value, out)
    }

    fn decode(&self, codec: &dyn Codec, input: &[u8]) -> (T, bool) {
        let decoded = decode_value::<T>(codec, input);
        let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {}", shown(input)));
        (decoded.value, !decoded.report.is_empty())
    }

    fn faults(&self, codec: &dyn Codec, text: &str) -> Vec<String> {
        faults(codec.name(), self.name, text.as_bytes())
    }

    fn refusals(&self, value: &T, target: FeatureSet) -> FeatureSet {
        (self.refused)(value, target)
    }
}

/// The laws, for values that are refused nowhere where their type is had.
fn laws_of_values<T>(name: &'static str, strategy: BoxedStrategy<T>)
where
    T: Clone + Debug + Lower + PartialEq + Wire,
{
    laws(name, strategy, |_, _| FeatureSet::empty());
}

/// The laws, for values that may be refused.
fn laws_of_refused<T>(name: &'static str, strategy: BoxedStrategy<T>)
where
    T: Clone + Debug + Lower + PartialEq + Refused + Wire,
{
    laws(name, strategy, refusals::<T>);
}

fn laws<T>(
    name: &'static str,
    strategy: BoxedStrategy<T>,
    refused: impl Fn(&T, FeatureSet) -> FeatureSet,
) where
    T: Clone + Debug + Lower + PartialEq + Wire,
{
    let values = Values { name, refused, of: PhantomData };
    check(config(), strategy, |value| {
        feature_model_is_exact(&values, &value)?;
        lowering_suffices(&values, &value)?;
        for &codec in compiled().iter().filter(|codec| !values.is_had(**codec)) {
            let lowered = lower(&mut value.clone(), codec.features(), &Policy::faithful());
            let error = lowered.expect_err("no form where there is no such type");
            prop_assert!(!codec.features().contains(error.feature), "{codec:?}: {error}");
        }
        Ok(())
    });
}

#[test]
fn tools_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("Tool", tool(Able::anything()));
}

#[test]
fn content_blocks_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_refused("ContentBlock", any_content(Able::anything()));
}

#[test]
fn implementations_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("Implementation", implementation(Able::anything()));
}

#[test]
fn annotations_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("Annotations", annotations(Able::anything()));
}

#[test]
fn capabilities_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("ClientCapabilities", client_capabilities(Able::anything()));
    laws_of_values("ServerCapabilities", server_capabilities(Able::anything()));
}

#[test]
fn the_lifecycle_needs_what_it_has_and_can_be_lowered_where_it_exists() {
    let able = Able::anything();
    laws_of_values("DiscoverResult", discover_result(able));
    laws_of_values("EmptyResult", empty_result(able));
    laws_of_values("InitializeRequestParams", initialize_params(able));
    laws_of_values("InitializeResult", initialize_result(able));
    laws_of_values("LoggingMessageNotificationParams", logging_message(able));
    laws_of_values("NotificationParams", empty_notification(able));
    laws_of_values("SetLevelRequestParams", set_level_params());
    laws_of_values("TaskMetadata", task_metadata());
    laws_of_values("SubscriptionFilter", subscription_filter());
    laws_of_values("SubscriptionsAcknowledgedNotificationParams", subscriptions_acknowledged(able));
    laws_of_values("SubscriptionsListenResult", subscriptions_listen_result(able));
}

#[test]
fn parts_need_what_they_have_and_can_be_lowered_to_the_revisions_that_define_them() {
    let able = Able::anything();
    laws_of_values("TextContent", text_content(able));
    laws_of_values("ImageContent", image_content(able));
    laws_of_values("EmbeddedResource", embedded_resource(able));
    laws_of_values("AudioContent", audio_content(able));
    laws_of_values("ResourceLink", resource_link(able));
    laws_of_values("ToolAnnotations", tool_annotations());
    laws_of_refused("ToolResultContent", tool_result(able));
    laws_of_values("ToolUseContent", tool_use());
    let icon = icons().prop_filter_map("no icon", |mut icons| icons.pop());
    laws_of_values("Icon", icon.boxed());
}

#[test]
fn structured_content_is_moved_to_a_text_block_once_and_to_the_byte() {
    check(config(), generate_message::tool_result(Able::anything()), |original| {
        let mut result = original.clone();
        let downgrade = result.downgrade_structured_output();
        prop_assert_eq!(downgrade.is_some(), original.structured_content.is_some());
        prop_assert!(result.structured_content.is_none());
        let Some(structured) = original.structured_content else {
            prop_assert_eq!(result.content, original.content);
            return Ok(());
        };
        let (kept, added) = result.content.split_at(original.content.len());
        prop_assert_eq!(kept, &original.content[..]);
        let texts = |blocks: &[Content]| -> Vec<String> {
            let text = |block: &Content| match block {
                Content::Text(block) => Some(block.text.as_str().to_owned()),
                _ => None,
            };
            blocks.iter().filter_map(text).collect()
        };
        if added.is_empty() {
            let same = Json::read(structured.as_str());
            let held = texts(kept).iter().any(|text| Json::try_read(text).as_ref() == Some(&same));
            prop_assert!(held);
        } else {
            prop_assert_eq!(added.len(), 1);
            prop_assert_eq!(texts(added), [structured.as_str()]);
        }
        let before = result.clone();
        prop_assert!(result.downgrade_structured_output().is_none());
        prop_assert_eq!(result, before);
        Ok(())
    });
}

#[test]
fn what_clients_are_asked_and_answer_needs_what_it_has_and_can_be_lowered() {
    let able = Able::anything();
    laws_of_values("BooleanSchema", boolean_schema());
    laws_of_refused("CreateMessageResult", create_message_result(able));
    laws_of_refused("ElicitResult", elicit_result(able));
    laws_of_values("ListRootsResult", list_roots_result(able));
    laws_of_values("ModelPreferences", model_preferences());
    laws_of_values("NumberSchema", number_schema(able));
    laws_of_values("Root", root());
    laws_of_values("StringSchema", string_schema(able));
    laws_of_values("TitledSingleSelectEnumSchema", titled_enum_schema());
    laws_of_values("ToolChoice", tool_choice());
    laws_of_values("MultiSelectEnumSchema", multi_select_schema());
    laws_of_values("PrimitiveSchemaDefinition", enum_schema(able));
}

#[test]
fn what_servers_offer_needs_what_it_has_and_can_be_lowered() {
    let able = Able::anything();
    laws_of_values("Resource", resource(able));
    laws_of_values("ResourceTemplate", resource_template(able));
    laws_of_values("Prompt", prompt(able));
    laws_of_refused("PromptMessage", prompt_message(able));
}
