//! What holds for every message and every pair of revisions.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use protocol_droid_codecs::{Codec, EncodeError, Expect, TranslateError, compiled, translate_as};
use protocol_droid_ir::{FeatureSet, Message, Policy};
use protocol_droid_tests::account::{lossy, unaccounted};
use protocol_droid_tests::generate::{Able, few};
use protocol_droid_tests::generate_methods::{Sample, has, kinds, passes, settled};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::laws::{
    Subject, check, feature_model_is_exact, lowering_suffices, shown,
};
use protocol_droid_tests::refused::refusals;
use protocol_droid_tests::whole::whole_faults;

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
