//! Lowering: changing a value until a target can say it, and reporting what that cost.

use std::borrow::Cow;

use thiserror::Error;

use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject};
use crate::path::Path;
use crate::policy::Policy;
use crate::report::{Action, Entry, Reason, TranslationReport};
use crate::text::Text;

/// A value that cannot be lowered: it would mislead the peer, or the policy refuses it.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{path}: {reason} ({feature})")]
#[non_exhaustive]
pub struct LowerError {
    /// Where the value stands, in words.
    pub path: String,
    /// Where the value stands, as a JSON Pointer.
    pub pointer: String,
    /// What the target lacks.
    pub feature: Feature,
    /// Why there is no other form.
    pub reason: String,
}

/// A value that knows what it needs of a target and can do with less.
pub trait Lower {
    /// Adds the features that a target must have to express this value losslessly.
    fn add_features(&self, set: &mut FeatureSet);

    /// Changes the value until `cx.target()` can express it, and until nothing is missing that the
    /// target demands.
    ///
    /// # Errors
    /// When that would mislead the peer, or the policy refuses it; the value may then be half done.
    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError>;
}

impl<T: Lower> Lower for Box<T> {
    fn add_features(&self, set: &mut FeatureSet) {
        (**self).add_features(set);
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        (**self).lower(cx)
    }
}

/// Lowers `value` to what a peer with the features of `target` can take.
///
/// # Errors
/// When the value has no form there, or the policy refuses it. The value may then be half changed:
/// lower a copy where the original is still needed.
pub fn lower<T: Lower + ?Sized>(
    value: &mut T,
    target: FeatureSet,
    policy: &Policy,
) -> Result<TranslationReport, LowerError> {
    let mut cx = Lowering::new(target, policy);
    value.lower(&mut cx)?;
    Ok(cx.report)
}

/// The state of one lowering: the target, the policy, the place in the message, and the report.
#[derive(Debug)]
pub struct Lowering<'a> {
    target: FeatureSet,
    policy: &'a Policy,
    path: Path,
    report: TranslationReport,
    changed: bool,
    /// What the sender's revision has, where it is known.
    source: Option<FeatureSet>,
}

impl<'a> Lowering<'a> {
    /// A lowering of a whole message to `target`.
    pub fn new(target: FeatureSet, policy: &'a Policy) -> Self {
        Self {
            target,
            policy,
            path: Path::new(),
            report: TranslationReport::new(),
            changed: false,
            source: None,
        }
    }

    /// The same lowering, of a value that was read at a revision with the features of `source`:
    /// some values mean another thing there.
    #[must_use]
    pub fn with_source(mut self, source: FeatureSet) -> Self {
        self.source = Some(source);
        self
    }

    /// Whether the value is known to come from a revision without `feature`.
    pub fn source_lacks(&self, feature: Feature) -> bool {
        self.source.is_some_and(|source| !source.contains(feature))
    }

    /// What the target can take.
    pub fn target(&self) -> FeatureSet {
        self.target
    }

    /// Whether the target has `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        self.target.contains(feature)
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        self.policy
    }

    /// Whether the target lacks `feature` and the policy has what needs it dropped rather than kept
    /// in another form.
    pub(crate) fn drops(&self, feature: Feature) -> bool {
        !self.has(feature) && self.policy.drops(feature)
    }

    /// Where the value being lowered stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a change that is lossless, and so in no report.
    pub fn changed(&mut self) {
        self.changed = true;
    }

    /// Whether anything was changed at all, losslessly or not.
    pub fn has_changed(&self) -> bool {
        self.changed || !self.report.is_empty()
    }

    /// Ends the lowering.
    pub fn into_report(self) -> TranslationReport {
        self.report
    }

    /// Does `step` inside the member `name`.
    pub fn member<R>(&mut self, name: &'static str, step: impl FnOnce(&mut Self) -> R) -> R {
        self.path.member(name);
        let result = step(self);
        self.path.leave();
        result
    }

    /// Does `step` inside a member whose name came from outside.
    pub fn named<R>(&mut self, name: &str, step: impl FnOnce(&mut Self) -> R) -> R {
        self.path.named(name);
        let result = step(self);
        self.path.leave();
        result
    }

    /// Does `step` inside the item at `index`.
    pub fn index<R>(&mut self, index: usize, step: impl FnOnce(&mut Self) -> R) -> R {
        self.path.index(index);
        let result = step(self);
        self.path.leave();
        result
    }

    /// Reports that the value here is kept in another form.
    ///
    /// # Errors
    /// When the policy refuses that.
    pub fn fallback(
        &mut self,
        feature: Feature,
        note: impl Into<Cow<'static, str>>,
    ) -> Result<(), LowerError> {
        self.entry(feature, Action::Fallback, note.into())
    }

    /// Reports that the value here is dropped.
    ///
    /// # Errors
    /// When the policy refuses that.
    pub fn dropped(
        &mut self,
        feature: Feature,
        note: impl Into<Cow<'static, str>>,
    ) -> Result<(), LowerError> {
        self.entry(feature, Action::Dropped, note.into())
    }

    /// The error of having no form for the value here.
    pub fn refused(&self, feature: Feature, reason: impl Into<String>) -> LowerError {
        LowerError {
            path: self.path.to_string(),
            pointer: self.path.pointer(),
            feature,
            reason: reason.into(),
        }
    }

    /// Refuses the value here if the target lacks `feature`.
    ///
    /// # Errors
    /// When it does.
    pub fn demand(&self, feature: Feature) -> Result<(), LowerError> {
        if self.has(feature) { Ok(()) } else { Err(self.refused(feature, feature.absence())) }
    }

    /// Drops `member` if it is set and the target lacks `feature`.
    ///
    /// # Errors
    /// When the policy refuses that.
    pub fn gate<T>(
        &mut self,
        name: &'static str,
        feature: Feature,
        member: &mut Option<T>,
    ) -> Result<(), LowerError> {
        if member.is_none() || self.has(feature) {
            return Ok(());
        }
        *member = None;
        self.member(name, |cx| cx.dropped(feature, feature.absence()))
    }

    /// Drops what bears the name of a member that some other revision defines.
    ///
    /// # Errors
    /// When the policy refuses that.
    pub fn extensions(
        &mut self,
        extensions: &mut Extensions,
        gated: &[(&'static str, Feature)],
    ) -> Result<(), LowerError> {
        if extensions.is_empty() {
            return Ok(());
        }
        for &(name, feature) in gated {
            if extensions.remove(name).is_some() {
                let note = "bears the name of a member that the sender's revision does not define";
                self.member(name, |cx| cx.dropped(feature, note))?;
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        feature: Feature,
        action: Action,
        note: Cow<'static, str>,
    ) -> Result<(), LowerError> {
        if self.policy.refuses(feature) {
            return Err(self.refused(feature, format!("the policy refuses: {note}")));
        }
        let reason = Reason::Inexpressible;
        let entry = Entry::new(self.path.pointer(), Some(feature), action, reason, note);
        self.report.entries.push(entry);
        Ok(())
    }
}

/// The name of the reserved `_meta` member that holds the server's name.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// What every result carries besides its body.
pub(crate) struct ResultHead<'a> {
    pub(crate) result_type: &'a mut Option<Text>,
    pub(crate) meta: &'a mut Option<JsonObject>,
}

impl ResultHead<'_> {
    /// An absent `resultType` means `complete`, so that one is set and removed without loss.
    pub(crate) fn lower(self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self.result_type {
            None if cx.has(Feature::ToolResultType) => {
                *self.result_type = Some("complete".into());
                cx.changed();
            }
            Some(kind) if !cx.has(Feature::ToolResultType) => {
                if *kind != "complete" {
                    let reason =
                        format!("a result of type {kind:?} cannot pass for a complete one");
                    return cx.member("resultType", |cx| {
                        Err(cx.refused(Feature::ToolResultType, reason))
                    });
                }
                *self.result_type = None;
                cx.changed();
            }
            _ => {}
        }
        strip_member(self.meta, SERVER_INFO, Feature::ServerInfoMetadata, cx);
        drop_related_task(self.meta, cx)
    }
}

/// The reserved `_meta` member that names the task a message belongs to; 2025-11-25 only.
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// Drops the name of the task that a message belongs to where the target has no such tasks.
pub(crate) fn drop_related_task(
    meta: &mut Option<JsonObject>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    if cx.has(Feature::TaskAugmentation) || !has_member(meta.as_ref(), RELATED_TASK) {
        return Ok(());
    }
    *meta = meta.take().map(|o| o.without(&[RELATED_TASK])).filter(|rest| !rest.is_empty());
    cx.member("_meta", |cx| {
        let feature = Feature::TaskAugmentation;
        cx.member(RELATED_TASK, |cx| cx.dropped(feature, feature.absence()))
    })
}

/// Lowers every value of a list on its own.
pub(crate) fn lower_list<T: Lower>(
    name: &'static str,
    values: &mut [T],
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    cx.member(name, |cx| {
        let mut values = values.iter_mut().enumerate();
        values.try_for_each(|(index, value)| cx.index(index, |cx| value.lower(cx)))
    })
}

/// Whether an optional object has a member named `name`.
pub(crate) fn has_member(object: Option<&JsonObject>, name: &str) -> bool {
    // A look for the name's end, short enough to be quick, spares most objects being read.
    let end = &name[name.len().saturating_sub(16)..];
    object.is_some_and(|object| {
        let text = object.as_str();
        (text.contains(end) || text.contains('\\')) && object.members().any(|(key, _)| key == name)
    })
}

/// Removes a member that the target lacks and its session says elsewhere, which loses nothing; an
/// object that held nothing else goes with it.
pub(crate) fn strip_member(
    object: &mut Option<JsonObject>,
    name: &str,
    feature: Feature,
    cx: &mut Lowering<'_>,
) {
    if !cx.has(feature) && has_member(object.as_ref(), name) {
        *object = object.take().map(|o| o.without(&[name])).filter(|rest| !rest.is_empty());
        cx.changed();
    }
}

/// Adds the features whose members' names extensions bear.
pub(crate) fn add_named(
    extensions: &Extensions,
    gated: &[(&'static str, Feature)],
    set: &mut FeatureSet,
) {
    if extensions.is_empty() {
        return;
    }
    let named = gated.iter().filter(|(name, _)| extensions.get(name).is_some());
    set.extend(named.map(|(_, feature)| *feature));
}

/// Gives a type its `required_features`, and a [`Lower`] by its gated members and a step of its own.
///
/// `GATED` lists the members that not every revision defines, each with its feature; they are
/// dropped where the target lacks it, after `lower` had its say.
macro_rules! lowering {
    (
        $type:ty {
            $( $name:literal: $field:ident => $feature:ident, )*
        }
        features($self:ident, $set:ident) $features:block
        lower($this:ident, $cx:ident) $lower:block
    ) => {
        impl $type {
            /// The features a target must have to express this value losslessly.
            pub fn required_features(&self) -> $crate::feature::FeatureSet {
                let mut set = $crate::feature::FeatureSet::empty();
                $crate::lower::Lower::add_features(self, &mut set);
                set
            }

            /// The members that not every revision defines.
            const GATED: &[(&str, $crate::feature::Feature)] =
                &[$( ($name, $crate::feature::Feature::$feature) ),*];
        }

        impl $crate::lower::Lower for $type {
            fn add_features(&self, $set: &mut $crate::feature::FeatureSet) {
                $( if self.$field.is_some() {
                    *$set = $set.with($crate::feature::Feature::$feature);
                } )*
                $crate::lower::add_named(&self.extensions, Self::GATED, $set);
                let $self = self;
                $features
            }

            fn lower(
                &mut self,
                $cx: &mut $crate::lower::Lowering<'_>,
            ) -> Result<(), $crate::lower::LowerError> {
                {
                    let $this = &mut *self;
                    $lower
                }
                $( $cx.gate($name, $crate::feature::Feature::$feature, &mut self.$field)?; )*
                $cx.extensions(&mut self.extensions, Self::GATED)
            }
        }
    };
}

/// Gives a type that some revisions lack a [`Lower`]: it has no other form by itself, though what
/// holds it may have one.
macro_rules! lowering_whole {
    ($type:ty, $feature:ident) => {
        $crate::lower::lowering! {
            $type {}
            features(_this, set) {
                *set = set.with($crate::feature::Feature::$feature);
            }
            lower(_this, cx) {
                cx.demand($crate::feature::Feature::$feature)?;
            }
        }
    };
}

pub(crate) use {lowering, lowering_whole};
