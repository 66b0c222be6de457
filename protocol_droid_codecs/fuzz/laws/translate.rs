//! The first byte picks the revisions; the second a method, whether the rest is a message or a bare
//! result, and a kind of policy; the third the feature that the policy is about.

use std::borrow::Cow;

use protocol_droid_codecs::{
    Codec, EncodeError, Expect, MessageKind, TranslateError, Translation, translate_as,
    translate_result,
};
use protocol_droid_ir::{Feature, Policy, TranslationReport, same_json};
use protocol_droid_tests::account::{lossy, unaccounted};
use serde_json::value::RawValue;

use crate::input::{Choices, shown, tree};

pub fn check(input: &[u8]) {
    let Some((mut choices, rest)) = Choices::split(input) else { return };
    let (from, to) = (choices.codec(), choices.codec());
    let Some((mut choices, rest)) = Choices::split(rest) else { return };
    let method = choices.method();
    let bare = choices.pick(&[false, true]);
    let policy_of = choices.pick(POLICIES);
    let Some((mut choices, text)) = Choices::split(rest) else { return };
    let policy = policy_of(choices.pick(Feature::ALL));
    Case { from, to, method, bare, policy }.check(text);
}

const POLICIES: &[fn(Feature) -> Policy] = &[
    |_| Policy::faithful(),
    |_| Policy::strict(),
    |feature| Policy::faithful().drop(feature),
    |feature| Policy::faithful().refuse(feature),
];

struct Case {
    from: &'static dyn Codec,
    to: &'static dyn Codec,
    method: Option<&'static str>,
    bare: bool,
    policy: Policy,
}

impl Case {
    fn check(&self, text: &[u8]) {
        let there = match self.translate(text, self.from, self.to, &self.policy) {
            Ok(there) => there,
            Err(TranslateError::Encode(error)) => {
                let collision = matches!(error, EncodeError::Collision { .. });
                return assert!(collision, "{}: {error}", self.pair());
            }
            Err(_) => return,
        };
        if let Cow::Borrowed(bytes) = there.bytes {
            assert_eq!(bytes, text);
            assert!(there.report.is_empty());
        }
        assert!(!self.policy.is_strict() || there.report.is_empty(), "{:?}", there.report);
        self.is_of_target(&there);
        self.is_accounted_for(text, &there);
    }

    fn translate<'a>(
        &self,
        text: &'a [u8],
        from: &dyn Codec,
        to: &dyn Codec,
        policy: &Policy,
    ) -> Result<Translation<'a>, TranslateError> {
        match self.method {
            Some(method) if self.bare => translate_result(text, method, from, to, policy),
            method => translate_as(text, Expect { method, ..Expect::default() }, from, to, policy),
        }
    }

    fn pair(&self) -> String {
        format!("{} to {}", self.from.name(), self.to.name())
    }

    /// The target reads the translation without repairs, and has nothing to change in it.
    fn is_of_target(&self, there: &Translation<'_>) {
        let (pair, text) = (self.pair(), shown(&there.bytes));
        serde_json::from_str::<&RawValue>(&text).expect("JSON");
        let (report, kind) = self.read(&there.bytes);
        let kept = |entry: Option<Feature>| {
            entry == Some(Feature::UnknownContent) && self.from.name() == self.to.name()
        };
        assert!(report.iter().all(|entry| kept(entry.feature)), "{pair}: {report:?}\n{text}");
        assert_eq!(kind, there.kind, "{pair}: {text}");

        let again = self.translate(&there.bytes, self.to, self.to, &Policy::faithful());
        let again = again.unwrap_or_else(|error| panic!("{pair}: {error}\n{text}"));
        assert_eq!(shown(&again.bytes), text, "{pair}");
    }

    fn read(&self, text: &[u8]) -> (TranslationReport, MessageKind) {
        let fail = |error| panic!("{}: {error}\n{}", self.pair(), shown(text));
        match self.method {
            Some(method) if self.bare => {
                let read = self.to.decode_result(text, method).unwrap_or_else(fail);
                (read.report, MessageKind::BareResult)
            }
            method => {
                let expect = Expect { method, ..Expect::default() };
                let read = self
                    .to
                    .decode(text, expect)
                    .unwrap_or_else(|error| panic!("{}: {error}\n{}", self.pair(), shown(text)));
                (read.report, (&read.value).into())
            }
        }
    }

    /// The report names every difference, and where there is none the way back loses nothing.
    fn is_accounted_for(&self, text: &[u8], there: &Translation<'_>) {
        let (Some(before), Some(after)) = (tree(text), tree(&there.bytes)) else { return };
        let mut silent = unaccounted(&before, &after, &there.report);
        // A repair need not show, and numbers that are modelled may be spelled anew.
        silent.retain(|fault| !fault.starts_with("reported, but") && !is_respelled(fault));
        let (pair, text) = (self.pair(), shown(text));
        assert!(silent.is_empty(), "{pair}: {silent:#?}\n{text}\n{}", shown(&there.bytes));
        if !there.report.is_lossless() {
            return;
        }
        let back = match self.translate(&there.bytes, self.to, self.from, &Policy::faithful()) {
            Ok(back) => back,
            // A method that the sender's own revision does not have passes one way.
            Err(TranslateError::Method { .. }) => return,
            Err(error) => panic!("{pair} and back: {error}\n{text}"),
        };
        let mut lost = tree(&back.bytes).map(|back| lossy(&before, &back)).unwrap_or_default();
        // Codes of 2026-07-28 have no other way back than as data.
        if lost.contains_key("/error/code") {
            lost.retain(|at, _| !at.starts_with("/error"));
        }
        assert!(lost.is_empty(), "{pair} and back: {lost:?}\n{text}");
    }
}

fn is_respelled(fault: &str) -> bool {
    let sides = fault.rsplit_once(": ").and_then(|(_, sides)| sides.split_once(" became "));
    sides.is_some_and(|(a, b)| same_json(a, b) || a == "-0.0" && b == "0")
}
