//! Completion of the arguments of prompts and resource templates.

use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject};
use crate::lower::{Lower, LowerError, Lowering, ResultHead, lowering, lowering_whole};
use crate::methods::result_fields;
use crate::text::Text;
use crate::unknown::Unknown;

/// What `completion/complete` takes.
#[derive(Clone, Debug, PartialEq)]
pub struct CompleteParams {
    /// Whose argument is completed: `ref`.
    pub reference: CompletionReference,
    /// The argument, as far as it is known.
    pub argument: CompletionArgument,
    /// What is known besides; since 2025-06-18.
    pub context: Option<CompletionContext>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CompleteParams {
        "context": context => CompletionContext,
    }
    features(this, set) {
        this.reference.add_features(set);
    }
    lower(this, cx) {
        cx.member("ref", |cx| this.reference.lower(cx))?;
    }
}

/// Whose argument is completed, told by the `type`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt's: `ref/prompt`.
    Prompt(PromptReference),
    /// A resource template's: `ref/resource`.
    Resource(ResourceTemplateReference),
    /// One that could not be read at the revision it came in.
    Unknown(Unknown),
}

impl Lower for CompletionReference {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::Prompt(reference) => reference.add_features(set),
            Self::Resource(reference) => reference.add_features(set),
            Self::Unknown(_) => *set = set.with(Feature::UnknownContent),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::Prompt(reference) => reference.lower(cx),
            Self::Resource(reference) => reference.lower(cx),
            Self::Unknown(_) => {
                let reason = "a reference that its own revision cannot read has no form in another";
                Err(cx.refused(Feature::UnknownContent, reason))
            }
        }
    }
}

/// A prompt by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptReference {
    /// The prompt's identifier.
    pub name: Text,
    /// The name to show; since 2025-06-18.
    pub title: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    PromptReference {
        "title": title => Title,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// A resource or a template by its URI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceTemplateReference {
    /// The URI, or the template of RFC 6570.
    pub uri: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ResourceTemplateReference {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// The argument that is completed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompletionArgument {
    /// Its name.
    pub name: Text,
    /// What there is of its value.
    pub value: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

/// What is known besides the argument; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompletionContext {
    /// The other arguments by name, in the order and the spelling in which they came.
    pub arguments: Option<Vec<(Text, Text)>>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(CompletionContext, CompletionContext);

/// How an argument may go on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompleteResult {
    /// The values.
    pub completion: Completion,
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CompleteResult {
        "resultType": result_type => ToolResultType,
    }
    features(this, set) {
        this.completion.add_features(set);
    }
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        cx.member("completion", |cx| this.completion.lower(cx))?;
    }
}

result_fields!(CompleteResult: result_type);

/// Values that an argument may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// The values, best first; at most [`MAX`](Self::MAX) since 2026-07-28.
    pub values: Vec<Text>,
    /// How many there are, which may be more than are listed.
    pub total: Option<u64>,
    /// Whether there are more than are listed.
    pub has_more: Option<bool>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl Completion {
    /// The most values that 2026-07-28 allows.
    pub const MAX: usize = 100;

    /// Leaves out the values that 2026-07-28 does not allow, and says that there are more. Whether
    /// there were any.
    pub fn truncate(&mut self) -> bool {
        if self.values.len() <= Self::MAX {
            return false;
        }
        self.values.truncate(Self::MAX);
        self.has_more = Some(true);
        true
    }
}

lowering! {
    Completion {}
    features(this, set) {
        if this.values.len() > Self::MAX {
            *set = set.with(Feature::ManyCompletions);
        }
    }
    lower(this, cx) {
        let (count, had_more) = (this.values.len(), this.has_more);
        if !cx.has(Feature::ManyCompletions) && this.truncate() {
            if had_more == Some(false) {
                let note = "true, since values were left out";
                cx.member("hasMore", |cx| cx.fallback(Feature::ManyCompletions, note))?;
            }
            let note = format!("the first {} of {count} values, hasMore set", Self::MAX);
            cx.member("values", |cx| cx.fallback(Feature::ManyCompletions, note))?;
        }
    }
}
