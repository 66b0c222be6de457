//! The first two bytes pick the revisions; the third a method, and whether the rest is a message or a
//! bare result; the fourth a kind of policy and the feature that it is about.

use std::borrow::Cow;

use protocol_droid_codecs::{
    Codec, EncodeError, Expect, MessageKind, TranslateError, Translation, methods, translate_as,
    translate_result,
};
use protocol_droid_ir::{Action, Feature, Policy, TranslationReport, same_json};
use protocol_droid_tests::account::{lossy, unaccounted};
use protocol_droid_tests::whole::message_faults;
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
        self.is_accounted_for(text, &there);
        if !self.is_adopted(&there.kind) {
            self.is_of_target(&there);
            self.keeps_to_schema(text, &there);
            self.comes_back(text, &there);
        }
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

    /// The method of the message, or of what it answers.
    fn method_of<'a>(&self, kind: &'a MessageKind) -> Option<&'a str> {
        match kind {
            MessageKind::Request { method, .. } | MessageKind::Notification { method } => {
                Some(method)
            }
            _ => self.method,
        }
    }

    /// Whether the method is one of the target's alone. No peer of the sender's revision can have
    /// meant that, so what its revision does not demand may be wanting.
    fn is_adopted(&self, kind: &MessageKind) -> bool {
        let method = self.method_of(kind);
        has(self.to, method) && !has(self.from, method)
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
        let read = match self.method {
            Some(method) if self.bare => self
                .to
                .decode_result(text, method)
                .map(|read| (read.report, MessageKind::BareResult)),
            method => self
                .to
                .decode(text, Expect { method, ..Expect::default() })
                .map(|read| (read.report, (&read.value).into())),
        };
        read.unwrap_or_else(|error| panic!("{}: {error}\n{}", self.pair(), shown(text)))
    }

    /// What is a message of its revision becomes one of the target, with no member that it lacks.
    fn keeps_to_schema(&self, text: &[u8], there: &Translation<'_>) {
        let method = self.method_of(&there.kind);
        let known = has(self.from, method) && has(self.to, method);
        let open = method.is_some_and(|method| {
            method.ends_with("list_changed") || matches!(method, "ping" | "roots/list")
        });
        if self.bare || !known || tree(text).is_none() {
            return;
        }
        let faults = |codec: &dyn Codec, text: &str| {
            let mut faults = message_faults(codec.name(), method, text);
            // What is no schema at any revision, and parameters that older schemas leave open.
            faults.retain(|fault| {
                !fault.contains("Schema/properties") && (!open || !fault.starts_with(": "))
            });
            faults
        };
        let (before, after) = (shown(text), shown(&there.bytes));
        if faults(self.from, &before).is_empty() {
            let faults = faults(self.to, &after);
            assert!(faults.is_empty(), "{}: {faults:?}\n{before}\n{after}", self.pair());
        }
    }

    /// The report names every difference.
    fn is_accounted_for(&self, text: &[u8], there: &Translation<'_>) {
        let (Some(before), Some(after)) = (tree(text), tree(&there.bytes)) else { return };
        let mut silent = unaccounted(&before, &after, &there.report);
        silent.retain(|fault| !is_meant(fault, &there.report));
        let (pair, text) = (self.pair(), shown(text));
        assert!(silent.is_empty(), "{pair}: {silent:#?}\n{text}\n{}", shown(&there.bytes));
    }

    /// Where nothing was reported, the way back loses nothing.
    fn comes_back(&self, text: &[u8], there: &Translation<'_>) {
        let Some(before) = tree(text).filter(|_| there.report.is_lossless()) else { return };
        let (pair, text) = (self.pair(), shown(text));
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

fn has(codec: &dyn Codec, method: Option<&str>) -> bool {
    methods().any(|known| Some(known.name) == method && known.is_in(codec.revision()))
}

/// Whether a difference is none to a peer, or is reported at another place.
fn is_meant(fault: &str, report: &TranslationReport) -> bool {
    let sides = fault.split_once(": ").and_then(|(at, sides)| {
        let (a, b) = sides.split_once(" became ")?;
        Some((at, a, b))
    });
    // A repair need not show, and a text may hold the same number in another spelling.
    let Some((at, a, b)) = sides else { return true };
    // Numbers that are modelled may be spelled anew, and what has no mode is a form.
    same_json(a, b)
        || a == "-0" && b == "0"
        || at.ends_with("/mode") && a == "\"form\""
        || report.iter().any(|entry| {
            // A list that an item was dropped from moves up; the report may name a part alone; and a
            // name that is no text has no path.
            let (list, item) = entry.path.rsplit_once('/').unwrap_or_default();
            item.parse::<usize>().is_ok() && at.starts_with(&format!("{list}/"))
                || entry.path.starts_with(&format!("{at}/"))
                || entry.path.contains(char::REPLACEMENT_CHARACTER)
        })
}
