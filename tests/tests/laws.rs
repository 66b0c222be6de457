//! What holds for every value and every pair of revisions.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use protocol_droid_codecs::{
    Codec, EncodeError, Expect, TranslateError, Wire, compiled, decode_value, encode_value,
    translate_as,
};
use protocol_droid_ir::{Content, Feature, FeatureSet, Lower, Message, Policy, ResultBody, lower};
use protocol_droid_tests::account::{lossy, unaccounted};
use protocol_droid_tests::closed::{RESERVED, faults, has_type};
use protocol_droid_tests::generate::{Able, config};
use protocol_droid_tests::generate_clientside::{
    create_message_result, list_roots_result, model_preferences, root, tool_choice,
};
use protocol_droid_tests::generate_content::{
    annotations, any_content, audio_content, embedded_resource, icons, image_content,
    implementation, resource_link, text_content, tool, tool_annotations, tool_result, tool_use,
};
use protocol_droid_tests::generate_form::{
    boolean_schema, elicit_result, enum_schema, multi_select_schema, number_schema, string_schema,
    titled_enum_schema,
};
use protocol_droid_tests::generate_lifecycle::{
    client_capabilities, discover_result, empty_notification, empty_result, initialize_params,
    initialize_result, logging_message, server_capabilities, set_level_params, subscription_filter,
    subscriptions_acknowledged, subscriptions_listen_result,
};
use protocol_droid_tests::generate_message::{self, message, method_of, result, settled};
use protocol_droid_tests::json::Json;

/// Why a message may have no form at an older revision, or at another one.
const REFUSALS: [Feature; 13] = [
    Feature::Elicitation,
    Feature::ErrorWithoutId,
    Feature::InputRequired,
    Feature::InputResponses,
    Feature::MisplacedContent,
    Feature::MultiSelectEnum,
    Feature::SamplingContentList,
    Feature::SamplingTools,
    Feature::TaskAugmentation,
    Feature::ToolResultContent,
    Feature::ToolResultType,
    Feature::ToolUseContent,
    Feature::UrlElicitation,
];

/// Tests `law` on many values of `strategy`.
fn check<S: Strategy>(strategy: S, law: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Debug,
{
    let outcome = TestRunner::new(config()).run(&strategy, law);
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// How a value is written, and what its schema calls it.
type Encode<T> = fn(&dyn Codec, &T, &mut Vec<u8>) -> Result<(), EncodeError>;

/// A value needs a feature if and only if its form would have what the schema of a revision
/// without the feature does not have.
fn feature_model_is_exact<T: Lower>(
    value: &T,
    name: &str,
    encode: Encode<T>,
) -> Result<(), TestCaseError> {
    let mut required = FeatureSet::empty();
    value.add_features(&mut required);
    for &codec in compiled() {
        let missing = required.difference(codec.features());
        let mut out = Vec::new();
        match encode(codec, value, &mut out) {
            Ok(()) => {
                prop_assert!(missing.is_empty(), "{codec:?} wrote what needs {missing:?}");
                // `_meta` is open at every revision: it is lowering that takes reserved names out.
                let mut written = Json::read(&out);
                if !codec.version().is_modern() {
                    written = written.without_everywhere(&RESERVED);
                }
                let faults = faults(codec.name(), name, written.to_string().as_bytes());
                prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {}", shown(&out));
            }
            Err(EncodeError::Inexpressible { feature, .. }) => {
                prop_assert!(missing.contains(feature), "{codec:?}: {feature} of {missing:?}");
                prop_assert!(out.is_empty());
            }
            // The newest revision demands what no other has.
            Err(EncodeError::Missing { .. }) if codec.version().is_modern() => {}
            Err(error) => prop_assert!(false, "{codec:?}: {error}"),
        }
    }
    Ok(())
}

/// Lowered to any revision, a value is written as its schema says, and read as it was written.
fn lowering_suffices<T: Clone + Debug + Lower + PartialEq>(
    original: &T,
    name: &str,
    encode: Encode<T>,
    decode: impl Fn(&dyn Codec, &[u8]) -> (T, bool),
    settle: impl Fn(T) -> T,
) -> Result<(), TestCaseError> {
    for &codec in compiled() {
        let mut value = original.clone();
        let lowered = lower(&mut value, codec.features(), &Policy::faithful());
        let strict = lower(&mut original.clone(), codec.features(), &Policy::strict());
        let report = match lowered {
            Ok(report) => report,
            Err(error) => {
                let whole = !has_type(codec.name(), name);
                prop_assert!(whole || REFUSALS.contains(&error.feature), "{codec:?}: {error}");
                prop_assert!(strict.is_err());
                continue;
            }
        };
        prop_assert_eq!(strict.is_ok(), report.is_lossless(), "{:?}: {:?}", codec, report);
        let mut required = FeatureSet::empty();
        value.add_features(&mut required);
        prop_assert!(required.is_subset(codec.features()), "{codec:?}: still {required:?}");

        let mut out = Vec::new();
        let encoded = encode(codec, &value, &mut out);
        prop_assert!(encoded.is_ok(), "{codec:?}: {encoded:?}");
        let faults = faults(codec.name(), name, &out);
        prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {}", shown(&out));

        let (read, repaired) = decode(codec, &out);
        prop_assert!(!repaired, "{codec:?}: repaired {}", shown(&out));
        prop_assert_eq!(&settle(read), &settle(value.clone()), "{:?}: {}", codec, shown(&out));

        let again = lower(&mut value.clone(), codec.features(), &Policy::strict());
        prop_assert!(again.is_ok_and(|report| report.is_empty()), "{codec:?}: lowered twice");
    }
    Ok(())
}

/// Both laws, for values that stand by themselves.
fn laws_of_values<T>(name: &str, strategy: BoxedStrategy<T>)
where
    T: Clone + Debug + Lower + PartialEq + Wire,
{
    check(strategy, |value| {
        feature_model_is_exact(&value, name, encode_value::<T>)?;
        lowering_suffices(&value, name, encode_value::<T>, decode_alone::<T>, |value| value)
    });
}

fn decode_alone<T: Wire>(codec: &dyn Codec, input: &[u8]) -> (T, bool) {
    let decoded = decode_value::<T>(codec, input);
    let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {}", shown(input)));
    (decoded.value, !decoded.report.is_empty())
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn tools_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("Tool", tool(Able::anything()));
}

#[test]
fn content_blocks_need_what_they_have_and_can_be_lowered_to_any_revision() {
    laws_of_values("ContentBlock", any_content(Able::anything()));
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
    laws_of_values("LoggingMessageNotificationParams", logging_message());
    laws_of_values("NotificationParams", empty_notification());
    laws_of_values("SetLevelRequestParams", set_level_params());
    laws_of_values("SubscriptionFilter", subscription_filter());
    laws_of_values("SubscriptionsAcknowledgedNotificationParams", subscriptions_acknowledged());
    laws_of_values("SubscriptionsListenResult", subscriptions_listen_result(able));
}

#[test]
fn results_need_what_they_have_and_can_be_lowered_to_any_revision() {
    check(result(Able::anything()), |value| {
        let name = match &value {
            ResultBody::CallTool(_) => "CallToolResult",
            ResultBody::ListTools(_) => "ListToolsResult",
            _ => "InputRequiredResult",
        };
        let method = method_of(&value);
        let encode: Encode<ResultBody> = |codec, value, out| codec.encode_result(value, out);
        let decode = |codec: &dyn Codec, input: &[u8]| {
            let decoded = codec.decode_result(input, method);
            let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {}", shown(input)));
            (decoded.value, !decoded.report.is_empty())
        };
        feature_model_is_exact(&value, name, encode)?;
        lowering_suffices(&value, name, encode, decode, |value| value)
    });
}

#[test]
fn messages_need_what_they_have_and_can_be_lowered_to_any_revision() {
    check(message(Able::anything()), |value| {
        let (name, method) = name_and_method(&value);
        let encode: Encode<Message> = |codec, value, out| codec.encode(value, out);
        let decode = |codec: &dyn Codec, input: &[u8]| {
            let decoded = codec.decode(input, Expect { method, ..Expect::default() });
            let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {}", shown(input)));
            (decoded.value, !decoded.report.is_empty())
        };
        feature_model_is_exact(&value, name, encode)?;
        lowering_suffices(&value, name, encode, decode, settled)
    });
}

/// The type of a message in the schemas, and the method that a response answers.
fn name_and_method(message: &Message) -> (&'static str, Option<&'static str>) {
    match message {
        Message::Request(request) => match request.method.as_str() {
            "tools/call" => ("CallToolRequest", None),
            "tools/list" => ("ListToolsRequest", None),
            _ => ("JSONRPCRequest", None),
        },
        Message::Notification(_) => ("JSONRPCNotification", None),
        Message::Response(response) => match &response.result {
            ResultBody::ListTools(_) => ("ListToolsResultResponse", Some("tools/list")),
            _ => ("CallToolResultResponse", Some("tools/call")),
        },
        Message::Error(_) => ("JSONRPCErrorResponse", None),
        other => panic!("no type for {other:?}"),
    }
}

#[test]
fn a_message_of_any_revision_reaches_any_other_and_the_report_names_every_difference() {
    for &from in compiled() {
        check(message(Able::only(from.features())), |message| {
            let (name, method) = name_and_method(&message);
            let mut input = Vec::new();
            let encoded = from.encode(&message, &mut input);
            prop_assert!(encoded.is_ok(), "{from:?}: {encoded:?}");
            let faults = faults(from.name(), name, &input);
            prop_assert!(faults.is_empty(), "{from:?}: {faults:?} in {}", shown(&input));
            for &to in compiled() {
                reaches(&input, (name, method), from, to)?;
            }
            Ok(())
        });
    }
}

fn reaches(
    input: &[u8],
    (name, method): (&str, Option<&str>),
    from: &dyn Codec,
    to: &dyn Codec,
) -> Result<(), TestCaseError> {
    let pair = format!("{} to {}", from.name(), to.name());
    let expect = Expect { method, ..Expect::default() };
    let there = match translate_as(input, expect, from, to, &Policy::faithful()) {
        Ok(translation) => translation,
        Err(TranslateError::Lower(error)) if REFUSALS.contains(&error.feature) => return Ok(()),
        Err(error) => return Err(TestCaseError::fail(format!("{pair}: {error}"))),
    };
    let faults = faults(to.name(), name, &there.bytes);
    prop_assert!(faults.is_empty(), "{pair}: {faults:?} in {}", shown(&there.bytes));

    let (before, after) = (Json::read(input), Json::read(&there.bytes));
    let unaccounted = unaccounted(&before, &after, &there.report);
    prop_assert!(
        unaccounted.is_empty(),
        "{pair}: {unaccounted:#?}\n{}\n{}\n{:?}",
        shown(input),
        shown(&there.bytes),
        there.report,
    );
    if from.name() == to.name() {
        prop_assert_eq!(input, &*there.bytes, "{}", &pair);
    }
    if there.report.is_lossless() {
        let back = translate_as(&there.bytes, expect, to, from, &Policy::faithful());
        let back =
            back.map_err(|error| TestCaseError::fail(format!("{pair} and back: {error}")))?;
        let lost = lossy(&before, &Json::read(&back.bytes));
        prop_assert!(lost.is_empty(), "{pair} and back: {lost:?}");
    }
    Ok(())
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
    laws_of_values("ToolResultContent", tool_result(able));
    laws_of_values("ToolUseContent", tool_use());
    let icon = icons().prop_filter_map("no icon", |mut icons| icons.pop());
    laws_of_values("Icon", icon.boxed());
}

/// What a peer may lack of its revision, because it did not declare it.
const NARROWED: [Feature; 11] = [
    Feature::AnyOutputSchema,
    Feature::AnyStructuredContent,
    Feature::AudioContent,
    Feature::BooleanSchemas,
    Feature::Icons,
    Feature::LastModified,
    Feature::OutputSchema,
    Feature::ResourceLink,
    Feature::StructuredContent,
    Feature::Title,
    Feature::ToolAnnotations,
];

#[test]
fn a_result_can_be_lowered_to_a_peer_that_has_less_than_its_revision() {
    let lacking = prop::sample::subsequence(NARROWED.to_vec(), 0..=NARROWED.len());
    check((result(Able::anything()), lacking), |(original, lacking)| {
        for &codec in compiled() {
            let target = lacking.iter().fold(codec.features(), |set, lost| set.without(*lost));
            let mut value = original.clone();
            let Ok(_) = lower(&mut value, target, &Policy::faithful()) else { continue };
            let required = value.required_features();
            prop_assert!(required.is_subset(target), "{codec:?}: {required:?} of {target:?}");
            let mut out = Vec::new();
            let encoded = codec.encode_result(&value, &mut out);
            prop_assert!(encoded.is_ok(), "{codec:?}: {encoded:?}");
        }
        Ok(())
    });
}

#[test]
fn structured_content_is_moved_to_a_text_block_once_and_to_the_byte() {
    check(generate_message::tool_result(Able::anything()), |original| {
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
    // Sound has no form in a message to a model before there was sound.
    let silent = Able { features: able.features.without(Feature::AudioContent), ..able };
    laws_of_values("BooleanSchema", boolean_schema());
    laws_of_values("CreateMessageResult", create_message_result(silent));
    laws_of_values("ElicitResult", elicit_result(able));
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
