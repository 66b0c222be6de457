//! What holds for every message and every pair of revisions.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestCaseResult;
use protocol_droid_codecs::{Codec, EncodeError, Expect, TranslateError, compiled, translate_as};
use protocol_droid_ir::{Action, Feature, FeatureSet, Message, Policy, lower};
use protocol_droid_tests::account::{lossy, unaccounted};
use protocol_droid_tests::generate::{Able, deterministic, few};
use protocol_droid_tests::generate_methods::{
    NOTIFICATIONS, REQUESTS, RESULTS, Sample, VENDOR, VENDOR_NOTIFICATION, has, kinds, passes,
    settled,
};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::laws::{
    Subject, check, feature_model_is_exact, lowering_suffices, shown,
};
use protocol_droid_tests::parts::{Parts, Whole};
use protocol_droid_tests::refused::refusals;
use protocol_droid_tests::whole::{all_types, type_of, whole_faults};

/// Features that no message needs and no report of one names: several messages in one array, what is
/// taken away without a loss, and what a request loses that becomes a question.
const UNSEEN: [Feature; 4] = [
    Feature::Batch,
    Feature::ServerInfoMetadata,
    Feature::SubscriptionMetadata,
    Feature::InteractionMetadata,
];

/// What a peer may lack of its revision, because it did not declare it.
const NARROWED: &[Feature] = &[
    Feature::ManyCompletions,
    Feature::AudioContent,
    Feature::ProgressMessage,
    Feature::ToolAnnotations,
    Feature::Completions,
    Feature::Title,
    Feature::ResourceLink,
    Feature::StructuredContent,
    Feature::OutputSchema,
    Feature::CompletionContext,
    Feature::LastModified,
    Feature::Elicitation,
    Feature::Icons,
    Feature::ImplementationDetails,
    Feature::ToolExecution,
    Feature::TaskAugmentation,
    Feature::ToolUseContent,
    Feature::ToolResultContent,
    Feature::SamplingTools,
    Feature::SamplingContentList,
    Feature::FormDetails,
    Feature::ElicitationDefaults,
    Feature::TitledEnum,
    Feature::MultiSelectEnum,
    Feature::UrlElicitation,
    Feature::ElicitationModes,
    Feature::SamplingCapabilities,
    Feature::TasksCapability,
    Feature::InputRequired,
    Feature::InputResponses,
    Feature::TaskExtension,
    Feature::Subscriptions,
    Feature::TasksExtension,
    Feature::AnyStructuredContent,
    Feature::AnyOutputSchema,
    Feature::BooleanSchemas,
];

/// How many messages of each kind a deterministic run has at most.
const ROUNDS: usize = 400;

/// Messages that send or answer a method.
struct Messages {
    method: Option<&'static str>,
    answers: Option<&'static str>,
}

impl Subject for Messages {
    type Value = Message;

    fn is_had(&self, codec: &dyn Codec) -> bool {
        self.method.is_none_or(|method| has(codec, method))
    }

    fn encode(
        &self,
        codec: &dyn Codec,
        value: &Message,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        codec.encode(value, out)
    }

    fn decode(&self, codec: &dyn Codec, input: &[u8]) -> (Message, bool) {
        let decoded = codec.decode(input, Expect { method: self.answers, ..Expect::default() });
        let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {}", shown(input)));
        (decoded.value, !decoded.report.is_empty())
    }

    fn faults(&self, codec: &dyn Codec, text: &str) -> Vec<String> {
        whole_faults(codec.name(), self.method, text)
    }

    fn refusals(&self, value: &Message, target: FeatureSet) -> FeatureSet {
        refusals(value, target)
    }

    fn settled(&self, value: Message) -> Message {
        settled(value)
    }
}

#[test]
fn messages_need_what_they_have_and_can_be_lowered_to_any_revision() {
    for (_, samples) in kinds(Able::anything()) {
        check(few(), samples, |sample| {
            let messages = Messages { method: sample.method, answers: sample.answers() };
            feature_model_is_exact(&messages, &sample.message)?;
            lowering_suffices(&messages, &sample.message)
        });
    }
}

#[test]
fn a_message_can_be_lowered_to_a_peer_that_has_less_than_its_revision() {
    for (_, samples) in kinds(Able::anything()) {
        let lacking = prop::sample::subsequence(NARROWED, 0..NARROWED.len());
        check(few(), (samples, lacking), |(sample, lacking)| {
            let had = |codec: &&&dyn Codec| sample.method.is_none_or(|method| has(**codec, method));
            for &codec in compiled().iter().filter(had) {
                let target = lacking.iter().fold(codec.features(), |set, lost| set.without(*lost));
                let refused = refusals(&sample.message, target);
                let mut value = sample.message.clone();
                if let Err(error) = lower(&mut value, target, &Policy::faithful()) {
                    prop_assert!(refused.contains(error.feature), "{codec:?}: {error}");
                    continue;
                }
                prop_assert!(refused.is_empty(), "{codec:?}: not refused for want of {refused:?}");
                let required = value.required_features();
                prop_assert!(required.is_subset(target), "{codec:?}: {required:?} of {target:?}");
                let mut out = Vec::new();
                let encoded = codec.encode(&value, &mut out);
                prop_assert!(encoded.is_ok(), "{codec:?}: {encoded:?}");
                let faults = whole_faults(codec.name(), sample.method, &shown(&out));
                prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {}", shown(&out));
            }
            Ok(())
        });
    }
}

#[test]
fn every_member_and_value_of_every_revision_is_generated() {
    for &codec in compiled() {
        let whole = Whole::of(codec.name());
        let (mut all, mut seen) = (Parts::new(), Parts::new());
        all_types(codec.name()).iter().for_each(|name| whole.add_parts(name, &mut all));
        let mut runner = deterministic();
        // A kind of message is made until all that it can say was said; errors are of many types.
        let mut kinds = kinds(Able::of(codec));
        for _ in 0..ROUNDS {
            kinds.retain(|(kind, samples)| {
                let sample = samples.new_tree(&mut runner).expect("a sample").current();
                let mut out = Vec::new();
                codec.encode(&sample.message, &mut out).expect("of its revision");
                let message = Json::read(&out);
                let typed = type_of(codec.name(), sample.method, &message);
                typed.is_some_and(|(name, part)| {
                    let mut own = Parts::new();
                    whole.add_parts(&name, &mut own);
                    whole.add_used(&name, part, &mut seen);
                    kind == "error" || !seen.is_superset(&own)
                })
            });
        }
        let never: Vec<_> = all.difference(&seen).collect();
        assert!(never.is_empty(), "{}: {} of {}: {never:#?}", codec.name(), never.len(), all.len());
    }
}

#[test]
fn every_method_and_every_feature_is_generated() {
    let mut runner = deterministic();
    let mut seen = FeatureSet::empty();
    let (mut sent, mut returned) = (BTreeSet::new(), BTreeSet::new());
    for (_, samples) in std::iter::repeat_n(kinds(Able::anything()), 120).flatten() {
        let Sample { method, message } = samples.new_tree(&mut runner).expect("a sample").current();
        match &message {
            Message::Request(request) => {
                let takes = request.params.as_ref().map(|params| params.method());
                assert!(takes.is_none_or(|takes| takes == request.method), "{message:?}");
                sent.extend(method);
            }
            Message::Notification(notification) => {
                let says = notification.params.as_ref().map(|params| params.method());
                assert!(says.is_none_or(|says| says == notification.method), "{message:?}");
                sent.extend(method);
            }
            Message::Response(response) => {
                let variant = format!("{:?}", response.result);
                returned.insert(variant.split('(').next().unwrap_or_default().to_owned());
            }
            Message::Error(error) => seen.extend(Feature::of_error_code(error.error.code)),
            other => panic!("{other:?}"),
        }
        seen = seen.union(message.required_features());
        for codec in compiled() {
            match lower(&mut message.clone(), codec.features(), &Policy::faithful()) {
                Ok(report) => seen.extend(report.iter().filter_map(|entry| entry.feature)),
                Err(error) => seen.extend([error.feature]),
            }
        }
    }
    let never: Vec<_> = Feature::ALL.iter().filter(|f| !seen.contains(**f)).collect();
    assert_eq!(never, UNSEEN.iter().collect::<Vec<_>>());
    let vendor = [VENDOR, VENDOR_NOTIFICATION];
    assert_eq!(sent, REQUESTS.iter().chain(NOTIFICATIONS).chain(&vendor).copied().collect());
    let others = ["CreateTask", "ExtensionTask", "InputRequired", "Other"];
    let variants = RESULTS.iter().chain(&others).map(|name| (*name).to_owned());
    assert_eq!(returned, variants.collect());
}

#[test]
fn a_message_of_any_revision_reaches_any_other_and_the_report_names_every_difference() {
    for &from in compiled() {
        for (_, samples) in kinds(Able::of(from)) {
            check(few(), samples, |sample| {
                let mut input = Vec::new();
                let encoded = from.encode(&sample.message, &mut input);
                prop_assert!(encoded.is_ok(), "{from:?}: {encoded:?}");
                let faults = whole_faults(from.name(), sample.method, &shown(&input));
                prop_assert!(faults.is_empty(), "{from:?}: {faults:?} in {}", shown(&input));
                compiled().iter().try_for_each(|to| reaches(&input, &sample, from, *to))
            });
        }
    }
}

fn reaches(input: &[u8], sample: &Sample, from: &dyn Codec, to: &dyn Codec) -> TestCaseResult {
    let pair = format!("{} to {}", from.name(), to.name());
    let expect = Expect { method: sample.answers(), ..Expect::default() };
    let passes = sample.method.is_none_or(|method| passes(method, from, to));
    let stays = from.name() == to.name();
    let refused = match stays {
        true => FeatureSet::empty(),
        false => refusals(&sample.message, to.features()),
    };
    let there = match translate_as(input, expect, from, to, &Policy::faithful()) {
        Ok(translation) => translation,
        Err(TranslateError::Method { method, target, .. }) => {
            prop_assert_eq!(Some(method.as_str()), sample.method, "{}", pair);
            prop_assert_eq!(target, to.name());
            prop_assert!(!passes, "{pair}: no {method}");
            return Ok(());
        }
        Err(TranslateError::Lower(error)) => {
            prop_assert!(passes && refused.contains(error.feature), "{pair}: {error}: {refused:?}");
            return Ok(());
        }
        Err(error) => return Err(TestCaseError::fail(format!("{pair}: {error}"))),
    };
    prop_assert!(passes, "{pair}: passed {}", shown(input));
    prop_assert!(refused.is_empty(), "{pair}: not refused for want of {refused:?}");
    let faults = whole_faults(to.name(), sample.method, &shown(&there.bytes));
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
    if stays {
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

/// What a modern result must have, and may be read without.
const TOLERATED: [&str; 3] = ["cacheScope", "resultType", "ttlMs"];

#[test]
fn what_a_modern_result_leaves_out_is_repaired_and_costs_an_older_peer_nothing() {
    let from = compiled().iter().find(|codec| codec.version().is_modern()).expect("compiled in");
    let kinds = kinds(Able::of(*from)).into_iter();
    for (_, samples) in kinds.filter(|(name, _)| name.contains(" 0") && !name.contains("tasks/")) {
        check(few(), samples, |sample| {
            let mut out = Vec::new();
            from.encode(&sample.message, &mut out).expect("of its revision");
            let message = Json::read(&out);
            let whole = message.to_string();
            let result = message.get("result").expect("a response");
            let bare = TOLERATED.iter().fold(result.clone(), |result, name| result.without(name));
            let bare = message.with("result", bare).to_string();
            let missing = TOLERATED.iter().filter(|name| result.get(name).is_some());
            let missing: BTreeSet<_> = missing.map(|name| format!("/result/{name}")).collect();
            let expect = Expect { method: sample.answers(), ..Expect::default() };
            for to in compiled().iter().filter(|codec| !codec.version().is_modern()) {
                let done = |text: &str| {
                    let input = text.as_bytes().to_vec();
                    let done = translate_as(&input, expect, *from, *to, &Policy::faithful());
                    done.map(|done| (Json::read(&done.bytes), done.report))
                };
                let (expected, found) = match (done(&whole), done(&bare)) {
                    (Ok(expected), Ok(found)) => (expected, found),
                    (expected, found) => {
                        prop_assert_eq!(expected, found);
                        continue;
                    }
                };
                prop_assert_eq!(found.0, expected.0);
                let (repaired, others): (Vec<_>, Vec<_>) =
                    found.1.iter().partition(|entry| entry.action == Action::Repaired);
                let repaired: BTreeSet<_> = repaired.iter().map(|e| e.path.clone()).collect();
                prop_assert_eq!(&repaired, &missing, "{:?}", to);
                let expected = expected.1.iter().filter(|entry| !missing.contains(&entry.path));
                prop_assert_eq!(others, expected.collect::<Vec<_>>(), "{:?}", to);
            }
            Ok(())
        });
    }
}
