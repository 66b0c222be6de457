//! What holds for every value at every revision.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use protocol_droid_codecs::{Codec, EncodeError, compiled};
use protocol_droid_ir::{Action, Feature, FeatureSet, Lower, Policy, TranslationReport, lower};

use crate::closed::RESERVED;
use crate::json::Json;

/// How a kind of values is written and read, and what its schemas say of it.
pub trait Subject {
    /// The values.
    type Value: Clone + Debug + Lower + PartialEq;

    /// Whether the revision has such values at all.
    fn is_had(&self, codec: &dyn Codec) -> bool;

    /// Appends the value.
    fn encode(
        &self,
        codec: &dyn Codec,
        value: &Self::Value,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError>;

    /// Reads the value, and says whether it was repaired.
    fn decode(&self, codec: &dyn Codec, input: &[u8]) -> (Self::Value, bool);

    /// What is wrong with the written value.
    fn faults(&self, codec: &dyn Codec, text: &str) -> Vec<String>;

    /// What the target lacks and the value is refused for.
    fn refusals(&self, value: &Self::Value, target: FeatureSet) -> FeatureSet;

    /// The value as it is once read.
    fn settled(&self, value: Self::Value) -> Self::Value {
        value
    }
}

/// Tests `law` on `config.cases` values of `strategy`.
///
/// # Panics
/// When the law does not hold.
#[track_caller]
pub fn check<S>(config: ProptestConfig, strategy: S, law: impl Fn(S::Value) -> TestCaseResult)
where
    S: Strategy,
    S::Value: Debug,
{
    let outcome = TestRunner::new(config).run(&strategy, law);
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// A value needs a feature if and only if its form would have what the schema of a revision
/// without the feature does not have.
///
/// # Errors
/// When that does not hold.
pub fn feature_model_is_exact<S: Subject>(subject: &S, value: &S::Value) -> TestCaseResult {
    let mut required = FeatureSet::empty();
    value.add_features(&mut required);
    for &codec in compiled() {
        let missing = required.difference(codec.features());
        // JSON-RPC has a form for it, which these revisions' schemas have not.
        let no_id = missing.contains(Feature::ErrorWithoutId);
        let missing = missing.without(Feature::ErrorWithoutId);
        let mut out = Vec::new();
        match subject.encode(codec, value, &mut out) {
            Ok(()) => {
                prop_assert!(missing.is_empty(), "{codec:?} wrote what needs {missing:?}");
                if !subject.is_had(codec) || no_id {
                    continue;
                }
                // `_meta` is open at every revision: it is lowering that takes reserved names out.
                let mut written = Json::read(&out);
                if !codec.version().is_modern() {
                    written = written.without_everywhere(&RESERVED);
                }
                let faults = subject.faults(codec, &written.to_string());
                prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {}", shown(&out));
            }
            Err(EncodeError::Inexpressible { feature, .. }) => {
                prop_assert!(missing.contains(feature), "{codec:?}: {feature} of {missing:?}");
                prop_assert!(out.is_empty());
            }
            // A revision demands what no other has: the newest of most, 2025-11-25 of visits.
            Err(EncodeError::Missing { .. }) if codec.version().is_modern() => {}
            Err(EncodeError::Missing { .. }) => {
                let refused = subject.refusals(value, codec.features());
                prop_assert!(!refused.is_empty(), "{codec:?} misses something");
            }
            Err(error) => prop_assert!(false, "{codec:?}: {error}"),
        }
    }
    Ok(())
}

/// Lowered to any revision that has it, a value is written as its schema says, and read as it was
/// written; and it is refused for nothing but what the design says.
///
/// # Errors
/// When that does not hold.
pub fn lowering_suffices<S: Subject>(subject: &S, original: &S::Value) -> TestCaseResult {
    for &codec in compiled().iter().filter(|codec| subject.is_had(**codec)) {
        let mut value = original.clone();
        let refused = subject.refusals(original, codec.features());
        let lowered = lower(&mut value, codec.features(), &Policy::faithful());
        let strict = lower(&mut original.clone(), codec.features(), &Policy::strict());
        let report = match lowered {
            Ok(report) => report,
            Err(error) => {
                prop_assert!(refused.contains(error.feature), "{codec:?}: {error}: {refused:?}");
                prop_assert!(strict.is_err());
                continue;
            }
        };
        prop_assert!(refused.is_empty(), "{codec:?}: not refused for want of {refused:?}");
        prop_assert_eq!(strict.is_ok(), report.is_lossless(), "{:?}: {:?}", codec, report);
        policies_are_obeyed(original, codec.features(), &report)?;
        let mut required = FeatureSet::empty();
        value.add_features(&mut required);
        prop_assert!(required.is_subset(codec.features()), "{codec:?}: still {required:?}");

        let mut out = Vec::new();
        let encoded = subject.encode(codec, &value, &mut out);
        prop_assert!(encoded.is_ok(), "{codec:?}: {encoded:?}");
        let faults = subject.faults(codec, &shown(&out));
        prop_assert!(faults.is_empty(), "{codec:?}: {faults:?} in {}", shown(&out));

        let (read, repaired) = subject.decode(codec, &out);
        prop_assert!(!repaired, "{codec:?}: repaired {}", shown(&out));
        let (read, settled) = (subject.settled(read), subject.settled(value.clone()));
        prop_assert_eq!(&read, &settled, "{:?}: {}", codec, shown(&out));

        let again = lower(&mut value.clone(), codec.features(), &Policy::strict());
        prop_assert!(again.is_ok_and(|report| report.is_empty()), "{codec:?}: lowered twice");
    }
    Ok(())
}

/// Features without which something stays in another form whatever a policy says, since it cannot be
/// absent: the code of an error, the content of an answer, the capabilities of a client, the schema of
/// a property, the values of a completion.
const UNDROPPED: [Feature; 8] = [
    Feature::BooleanSchemas,
    Feature::ManyCompletions,
    Feature::ModernErrorCodes,
    Feature::PrivateErrorCodes,
    Feature::RequestMetadata,
    Feature::ResourceNotFoundCode,
    Feature::SamplingContentList,
    Feature::UrlElicitationRequiredCode,
];

/// What a policy says of a feature is done wherever lowering has to do with it.
fn policies_are_obeyed<T: Clone + Lower>(
    original: &T,
    target: FeatureSet,
    report: &TranslationReport,
) -> TestCaseResult {
    let lowered = |policy: Policy| lower(&mut original.clone(), target, &policy);
    let mut features = report.iter().filter_map(|entry| entry.feature);
    if let Some(first) = features.next() {
        let error = lowered(Policy::faithful().refuse(first)).map_err(|error| error.feature);
        prop_assert_eq!(error, Err(first));
    }
    let features: FeatureSet = report.iter().filter_map(|entry| entry.feature).collect();
    for feature in features.iter().filter(|feature| !UNDROPPED.contains(feature)) {
        let dropped = lowered(Policy::faithful().drop(feature));
        let dropped = dropped.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let kept = dropped
            .iter()
            .find(|entry| entry.feature == Some(feature) && entry.action == Action::Fallback);
        prop_assert!(kept.is_none(), "{kept:?}");
    }
    Ok(())
}

/// The text of what was written.
///
/// # Panics
/// When it is not UTF-8.
pub fn shown(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("JSON is UTF-8")
}
