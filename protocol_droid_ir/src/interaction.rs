//! Interactions: what a server asks of the client while it works on a request.
//!
//! There are two carriers. Until 2025-11-25 the server sends a request of its own; since
//! 2026-07-28 it returns an [`InputRequiredResult`](crate::InputRequiredResult) that asks, and the
//! client repeats its request with the answers. The functions here go from one to the other and
//! back; they hold no state.

use crate::context::RequestContext;
use crate::elicitation::{ElicitParams, ElicitResult};
use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lower::{Lower, LowerError, Lowering, lowering};
use crate::message::{EmptyParams, Request, RequestId};
use crate::methods::{Params, ResultBody};
use crate::policy::Policy;
use crate::report::TranslationReport;
use crate::roots::ListRootsResult;
use crate::sampling::{CreateMessageParams, CreateMessageResult};
use crate::text::Text;
use crate::unknown::Item;
use crate::version::ProtocolVersion;

/// What is asked, by the keys that the answers will bear.
pub type InputRequests = Vec<(Text, Item<InputRequest>)>;

/// One thing asked of the client inside an [`InputRequiredResult`](crate::InputRequiredResult).
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequest {
    /// What is asked, by its method.
    pub params: InputParams,
    /// `_meta` of the parameters.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

/// What a client can be asked, by its method.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputParams {
    /// Of `sampling/createMessage`.
    CreateMessage(Box<CreateMessageParams>),
    /// Of `elicitation/create`.
    Elicit(Box<ElicitParams>),
    /// Of `roots/list`; `None` if `params` is absent.
    ListRoots(Option<EmptyParams>),
}

impl InputParams {
    /// The method.
    pub fn method(&self) -> &'static str {
        match self {
            Self::CreateMessage(_) => "sampling/createMessage",
            Self::Elicit(_) => "elicitation/create",
            Self::ListRoots(_) => "roots/list",
        }
    }
}

impl From<InputParams> for InputRequest {
    fn from(params: InputParams) -> Self {
        Self { params, meta: None, extensions: Extensions::new() }
    }
}

impl InputRequest {
    /// The question that `request`, which a server of an older revision sent, comes to.
    ///
    /// What a question has no place for is dropped and reported: its task, its progress token, and
    /// its `_meta` unless it asks for roots.
    ///
    /// # Errors
    /// When the request asks nothing of a client, or the policy refuses what is lost.
    pub fn from_request(
        request: Request,
        policy: &Policy,
    ) -> Result<(Self, TranslationReport), LowerError> {
        let mut cx = Lowering::new(ProtocolVersion::LATEST.features(), policy);
        let Request { method, params, context, extensions, .. } = request;
        let params = match params {
            Some(Params::CreateMessage(params)) => InputParams::CreateMessage(params),
            Some(Params::Elicit(params)) => InputParams::Elicit(params),
            Some(Params::ListRoots(params)) => InputParams::ListRoots(Some(params)),
            None if method == "roots/list" => InputParams::ListRoots(None),
            _ => return Err(no_interaction(&method, &cx)),
        };
        let RequestContext { progress_token, meta, .. } = context;
        let meta = meta.map(|bag| JsonObject::from(&bag)).filter(|bag| !bag.is_empty());
        let mut question = Self { params, meta, extensions };
        cx.member("params", |cx| {
            if progress_token.is_some() {
                let note = "nothing is told of the progress of a question";
                cx.member("_meta", |cx| {
                    cx.member("progressToken", |cx| cx.dropped(Feature::InteractionMetadata, note))
                })?;
            }
            if !matches!(question.params, InputParams::ListRoots(_)) {
                cx.gate("_meta", Feature::InteractionMetadata, &mut question.meta)?;
            }
            question.params.lower(cx)
        })?;
        Ok((question, cx.into_report()))
    }

    /// The request that asks the same of a client of an older revision.
    ///
    /// 2025-11-25 demands an `elicitationId` on a question by URL, which is `elicitation_id` unless
    /// the question has one.
    ///
    /// # Errors
    /// When the client's revision cannot be asked that.
    pub fn into_request(
        self,
        id: impl Into<RequestId>,
        elicitation_id: Option<Text>,
        target: FeatureSet,
        policy: &Policy,
    ) -> Result<(Request, TranslationReport), LowerError> {
        let mut cx = Lowering::new(target, policy);
        let method = self.params.method().into();
        let mut params = match self.params {
            InputParams::CreateMessage(params) => Some(Params::CreateMessage(params)),
            InputParams::Elicit(params) => Some(Params::Elicit(params)),
            InputParams::ListRoots(params) => params.map(Params::ListRoots),
        };
        if let Some(Params::Elicit(elicitation)) = &mut params
            && let ElicitParams::Url(url) = &mut **elicitation
            && url.elicitation_id.is_none()
            && target.contains(Feature::ElicitationId)
        {
            url.elicitation_id = elicitation_id;
        }
        let mut context = RequestContext {
            meta: self.meta.as_ref().map(Extensions::from),
            ..RequestContext::default()
        };
        cx.member("params", |cx| {
            if let Some(meta) = &mut context.meta {
                cx.member("_meta", |cx| cx.extensions(meta, PROGRESS))?;
            }
            context.lower(cx)?;
            params.as_mut().map_or(Ok(()), |params| params.lower(cx))
        })?;
        let mut extensions = self.extensions;
        cx.extensions(&mut extensions, ENVELOPE)?;
        Ok((Request { id: id.into(), method, params, context, extensions }, cx.into_report()))
    }
}

/// What the `_meta` of a request holds and that of a question does not.
const PROGRESS: &[(&str, Feature)] = &[("progressToken", Feature::InputRequired)];

/// Members of messages that a question has not, so that in one they are anybody's.
const ENVELOPE: &[(&str, Feature)] = &[
    ("error", Feature::InputRequired),
    ("id", Feature::InputRequired),
    ("jsonrpc", Feature::InputRequired),
    ("result", Feature::InputRequired),
];

fn no_interaction(method: &str, cx: &Lowering<'_>) -> LowerError {
    let reason = format!("{method:?} is nothing that a client is asked inside a result");
    cx.refused(Feature::InputRequired, reason)
}

lowering! {
    InputRequest {}
    features(this, set) {
        this.params.add_features(set);
    }
    lower(this, cx) {
        cx.member("params", |cx| this.params.lower(cx))?;
    }
}

impl Lower for InputParams {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::CreateMessage(params) => params.add_features(set),
            Self::Elicit(params) => params.add_features(set),
            Self::ListRoots(params) => params.iter().for_each(|params| params.add_features(set)),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::CreateMessage(params) => params.lower(cx),
            Self::Elicit(params) => params.lower(cx),
            Self::ListRoots(params) => params.as_mut().map_or(Ok(()), |params| params.lower(cx)),
        }
    }
}

/// Adds the features of every question.
pub(crate) fn add_requests<'a>(
    requests: impl Iterator<Item = &'a (Text, Item<InputRequest>)>,
    set: &mut FeatureSet,
) {
    for (_, request) in requests {
        match request {
            Item::Known(request) => request.add_features(set),
            Item::Unknown(_) => *set = set.with(Feature::UnknownContent),
        }
    }
}

/// Lowers every question on its own. One that is not known cannot be left out: the server waits
/// for its answer.
pub(crate) fn lower_requests(
    requests: &mut InputRequests,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    cx.member("inputRequests", |cx| {
        requests.iter_mut().try_for_each(|(key, request)| {
            cx.named(key, |cx| match request {
                Item::Known(request) => request.lower(cx),
                Item::Unknown(_) => {
                    let reason = "the server waits for the answer to a question that is not known";
                    Err(cx.refused(Feature::UnknownContent, reason))
                }
            })
        })
    })
}

/// What a client answers, by what it was asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// To `sampling/createMessage`.
    CreateMessage(Box<CreateMessageResult>),
    /// To `elicitation/create`.
    Elicit(ElicitResult),
    /// To `roots/list`.
    ListRoots(ListRootsResult),
    /// To a question that could not be read, as it came.
    Other(JsonText),
}

impl InputResponse {
    /// The answer that `result`, which a client of an older revision returned, comes to.
    ///
    /// `_meta` is dropped and reported, unless it is of a model's message.
    ///
    /// # Errors
    /// When the result answers nothing that a client is asked, or the policy refuses what is lost.
    pub fn from_result(
        result: ResultBody,
        policy: &Policy,
    ) -> Result<(Self, TranslationReport), LowerError> {
        let mut cx = Lowering::new(ProtocolVersion::LATEST.features(), policy);
        let mut answer = match result {
            ResultBody::CreateMessage(result) => Self::CreateMessage(result),
            ResultBody::Elicit(result) => Self::Elicit(result),
            ResultBody::ListRoots(result) => Self::ListRoots(result),
            _ => {
                let reason = "no result of a question that a client is asked inside a result";
                return Err(cx.refused(Feature::InputResponses, reason));
            }
        };
        if let Some(meta) = answer.old_meta() {
            cx.gate("_meta", Feature::InteractionMetadata, meta)?;
        }
        answer.lower(&mut cx)?;
        Ok((answer, cx.into_report()))
    }

    /// The result that says the same to a server of an older revision; `None` for the answer to a
    /// question that could not be read.
    ///
    /// # Errors
    /// When the server's revision has no form for the answer.
    pub fn into_result(
        mut self,
        target: FeatureSet,
        policy: &Policy,
    ) -> Result<Option<(ResultBody, TranslationReport)>, LowerError> {
        let mut cx = Lowering::new(target, policy);
        self.lower(&mut cx)?;
        let result = match self {
            Self::CreateMessage(result) => ResultBody::CreateMessage(result),
            Self::Elicit(result) => ResultBody::Elicit(result),
            Self::ListRoots(result) => ResultBody::ListRoots(result),
            Self::Other(_) => return Ok(None),
        };
        Ok(Some((result, cx.into_report())))
    }

    /// The `_meta` of an answer that 2026-07-28 gives none.
    fn old_meta(&mut self) -> Option<&mut Option<JsonObject>> {
        match self {
            Self::Elicit(result) => Some(&mut result.meta),
            Self::ListRoots(result) => Some(&mut result.meta),
            Self::CreateMessage(_) | Self::Other(_) => None,
        }
    }
}

impl Lower for InputResponse {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::CreateMessage(result) => result.add_features(set),
            Self::Elicit(result) => result.add_features(set),
            Self::ListRoots(result) => result.add_features(set),
            Self::Other(_) => {}
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::CreateMessage(result) => result.lower(cx),
            Self::Elicit(result) => result.lower(cx),
            Self::ListRoots(result) => result.lower(cx),
            Self::Other(_) => Ok(()),
        }
    }
}
