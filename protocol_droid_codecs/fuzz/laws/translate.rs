//! The first two bytes pick the revisions; the third a method, and whether the rest is a message or a
//! bare result; the fourth a kind of policy and the feature that it is about.

use std::borrow::Cow;

use protocol_droid_codecs::{
    Codec, EncodeError, Expect, MessageKind, TranslateError, Translation, methods, translate_as,
    translate_result,
};
use protocol_droid_ir::{Action, Feature, Policy, TranslationReport, same_json};
use protocol_droid_tests::account::{lossy, unaccounted};
use serde_json::value::RawValue;

use crate::input::{Choices, shown, tree};

pub fn check(input: &[u8]) {
    let Some(&[from, to, method, policy]) = input.first_chunk() else { return };
    let (mut method, mut policy) = (Choices(method), Choices(policy));
    let policy_of = policy.pick(POLICIES);
    let case = Case {
        from: Choices(from).codec(),
        to: Choices(to).codec(),
        method: method.method(),
        bare: method.pick(&[false, true]),
        policy: policy_of(policy.pick(Feature::ALL)),
    };
    case.check(&input[4..]);
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
        // Nobody can have asked a peer for what its revision does not have.
        let has = |codec: &dyn Codec, method| {
            methods().any(|known| known.name == method && known.is_in(codec.revision()))
        };
        if self.method.is_some_and(|method| has(self.to, method) && !has(self.from, method)) {
            return;
        }
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
            let stays = there.report.iter().all(|entry| entry.action == Action::Repaired);
            assert!(there.report.is_empty() || stays && self.stays(), "{:?}", there.report);
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

    fn stays(&self) -> bool {
        self.from.name() == self.to.name()
    }

    fn pair(&self) -> String {
        format!("{} to {}", self.from.name(), self.to.name())
    }

    /// The target reads the translation without repairs, and has nothing to change in it.
    fn is_of_target(&self, there: &Translation<'_>) {
        let (pair, text) = (self.pair(), shown(&there.bytes));
        serde_json::from_str::<&RawValue>(&text).expect("JSON");
        let (report, kind) = self.read(&there.bytes);
        // What stays at its revision may stay as faulty as it came.
        let faulty = matches!(there.bytes, Cow::Borrowed(_)) && report == there.report;
        let unknown = report.iter().all(|entry| entry.feature == Some(Feature::UnknownContent));
        let kept = report.is_empty() || self.stays() && (faulty || unknown);
        assert!(kept, "{pair}: {report:?}\n{text}");
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
        // A repair need not show, a text may hold the same number in another spelling, a form is what
        // is asked for where no mode says so, numbers that are modelled may be spelled anew, and a
        // list that an item was dropped from moves up.
        let gaps = there.report.iter().filter(|entry| entry.action == Action::Dropped);
        let gaps: Vec<_> = gaps.filter_map(|gap| gap.path.rsplit_once('/')).collect();
        silent.retain(|fault| {
            let moved = |(list, item): &(&str, &str)| {
                item.parse::<usize>().is_ok() && fault.starts_with(&format!("{list}/"))
            };
            !fault.starts_with("reported, but")
                && !fault.starts_with("no text block holds it")
                && !fault.ends_with("/mode: \"form\" became nothing")
                && !is_respelled(fault)
                && !gaps.iter().any(moved)
        });
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
    sides.is_some_and(|(a, b)| same_json(a, b) || a == "-0" && b == "0")
}
