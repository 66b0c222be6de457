//! Elicitation: a server asks the client's user.

use crate::feature::{Feature, FeatureSet};
use crate::form::RequestedSchema;
use crate::json::{Extensions, JsonObject};
use crate::lower::{Lower, LowerError, Lowering, lowering};
use crate::message::strip_subscription;
use crate::methods::ResultFields;
use crate::number::Number;
use crate::task::TaskMetadata;
use crate::text::Text;
use crate::unknown::Item;
use crate::version::ProtocolVersion;

/// What `elicitation/create` takes, by its `mode`; since 2025-06-18.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// Asks for a form to be filled in.
    Form(ElicitFormParams),
    /// Asks for a URL to be visited; since 2025-11-25.
    Url(ElicitUrlParams),
    /// Asks in a way that the revision it came in does not define.
    Other(OtherElicitParams),
}

impl ElicitParams {
    /// The features a target must have to express this losslessly.
    pub fn required_features(&self) -> FeatureSet {
        let mut set = FeatureSet::empty();
        self.add_features(&mut set);
        set
    }
}

impl Lower for ElicitParams {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::Form(params) => params.add_features(set),
            Self::Url(params) => params.add_features(set),
            Self::Other(_) => *set = set.with(Feature::UnknownContent),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::Form(params) => params.lower(cx),
            Self::Url(params) => params.lower(cx),
            Self::Other(_) => {
                let reason = "what is asked in a way that is not known has no form elsewhere";
                cx.member("mode", |cx| Err(cx.refused(Feature::UnknownContent, reason)))
            }
        }
    }
}

/// A form to be filled in; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitFormParams {
    /// `form`, or absent for the same; since 2025-11-25.
    pub mode: Option<Text>,
    /// What the form is for.
    pub message: Text,
    /// What the form asks for.
    pub requested_schema: RequestedSchema,
    /// Asks for a task instead of a result; 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ElicitFormParams {
        "mode": mode => FormDetails,
        "task": task => TaskAugmentation,
    }
    features(this, set) {
        *set = set.with(Feature::Elicitation);
        this.requested_schema.add_features(set);
    }
    lower(this, cx) {
        cx.demand(Feature::Elicitation)?;
        if this.mode.is_some() && !cx.has(Feature::FormDetails) {
            this.mode = None;
            cx.changed();
        }
        cx.member("requestedSchema", |cx| this.requested_schema.lower(cx))?;
    }
}

/// A URL to be visited; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitUrlParams {
    /// What the visit is for.
    pub message: Text,
    /// Where to go.
    pub url: Text,
    /// By what `notifications/elicitation/complete` names it; demanded in 2025-11-25, and there
    /// only.
    pub elicitation_id: Option<Text>,
    /// Asks for a task instead of a result; 2025-11-25 only.
    pub task: Option<TaskMetadata>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ElicitUrlParams {
        "elicitationId": elicitation_id => ElicitationId,
        "task": task => TaskAugmentation,
    }
    features(_this, set) {
        *set = set.with(Feature::UrlElicitation);
    }
    lower(this, cx) {
        cx.demand(Feature::UrlElicitation)?;
        if this.elicitation_id.is_none() && cx.has(Feature::ElicitationId) {
            let reason = "the peer demands an id, which whoever tells of the end must make up";
            return cx.member("elicitationId", |cx| {
                Err(cx.refused(Feature::ElicitationId, reason))
            });
        }
    }
}

/// A question of a mode that is not known. It may go back to the revision it came from, and to no
/// other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OtherElicitParams {
    /// All members but `_meta`.
    pub extensions: Extensions,
    /// The revision it came in.
    pub origin: Option<ProtocolVersion>,
}

/// What the user answered; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitResult {
    /// `accept`, `decline`, `cancel`, or what a later revision adds.
    pub action: Text,
    /// The form as filled in, by the names of its properties.
    pub content: Option<Vec<(Text, Item<ElicitValue>)>>,
    /// `_meta`; until 2025-11-25.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ElicitResult {
    /// An answer with nothing filled in.
    pub fn new(action: impl Into<Text>) -> Self {
        Self { action: action.into(), ..Self::default() }
    }

    fn lower_content(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        let Some(content) = &mut self.content else { return Ok(()) };
        cx.member("content", |cx| {
            for (name, value) in content.iter() {
                cx.named(name, |cx| match value {
                    Item::Known(ElicitValue::List(_)) => cx.demand(Feature::MultiSelectEnum),
                    Item::Known(_) => Ok(()),
                    Item::Unknown(_) => cx
                        .dropped(Feature::UnknownContent, "no revision has such a value in a form"),
                })?;
            }
            content.retain(|(_, value)| matches!(value, Item::Known(_)));
            Ok(())
        })
    }
}

lowering! {
    ElicitResult {}
    features(this, set) {
        *set = set.with(Feature::Elicitation);
        for (_, value) in this.content.iter().flatten() {
            match value {
                Item::Known(ElicitValue::List(_)) => *set = set.with(Feature::MultiSelectEnum),
                Item::Known(_) => {}
                Item::Unknown(_) => *set = set.with(Feature::UnknownContent),
            }
        }
    }
    lower(this, cx) {
        cx.demand(Feature::Elicitation)?;
        this.lower_content(cx)?;
    }
}

impl ResultFields for ElicitResult {}

/// What was filled in for a property of a form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitValue {
    /// Text, or the one choice made.
    Text(Text),
    /// A number, whole or not.
    Number(Number),
    /// Yes or no.
    Boolean(bool),
    /// The choices made; since 2025-11-25.
    List(Vec<Text>),
}

/// What `notifications/elicitation/complete` says: a visit asked for is over; 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElicitationCompleteParams {
    /// The id that the request for the visit bore.
    pub elicitation_id: Text,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ElicitationCompleteParams {}
    features(_this, set) {
        *set = set.with(Feature::ElicitationId);
    }
    lower(this, cx) {
        cx.demand(Feature::ElicitationId)?;
        strip_subscription(&mut this.meta, cx)?;
    }
}
