//! JSON-RPC messages: requests, notifications, responses and errors.

use std::fmt;

use crate::context::{RESERVED, RequestContext};
use crate::error_data::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, MISSING_REQUIRED_CLIENT_CAPABILITY,
    RESOURCE_NOT_FOUND,
};
use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lex::Kind;
use crate::lower::{Lower, LowerError, Lowering, drop_related_task, lowering, strip_member};
use crate::methods::{NotificationParams, Params, ResultBody};
use crate::number::Number;
use crate::text::Text;

/// One message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant)]
pub enum Message {
    /// Asks for a response.
    Request(Request),
    /// Asks for none.
    Notification(Notification),
    /// Answers a request.
    Response(Response),
    /// Says why a request has no result.
    Error(ErrorResponse),
}

impl Message {
    /// The features a target must have to express this message losslessly.
    pub fn required_features(&self) -> FeatureSet {
        let mut set = FeatureSet::empty();
        self.add_features(&mut set);
        set
    }
}

impl Lower for Message {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::Request(request) => request.add_features(set),
            Self::Notification(notification) => notification.add_features(set),
            Self::Response(response) => response.add_features(set),
            Self::Error(error) => error.add_features(set),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::Request(request) => request.lower(cx),
            Self::Notification(notification) => notification.lower(cx),
            Self::Response(response) => response.lower(cx),
            Self::Error(error) => error.lower(cx),
        }
    }
}

/// The id of a request: a whole number or text, written as it was read.
///
/// `1`, `"1"`, `0` and `""` all differ; `1` and `1.0` are the same number.
#[derive(Clone, Eq, Hash, PartialEq)]
pub enum RequestId {
    /// A whole number.
    Number(Number),
    /// Text.
    Text(Text),
}

/// The token of progress notifications: of the same form as an id.
pub type ProgressToken = RequestId;

impl RequestId {
    /// The same id, sharing nothing with the message it was read from.
    #[must_use]
    pub fn detached(&self) -> Self {
        match self {
            Self::Number(number) => Self::Number(number.detached()),
            Self::Text(text) => Self::Text(text.as_str().into()),
        }
    }

    /// The id that `json` spells, if it is one.
    pub fn from_json(json: JsonText) -> Option<Self> {
        match json.kind() {
            Kind::String => json.parse().ok().map(Self::Text),
            _ => Number::from_json(json).filter(Number::is_integer).map(Self::Number),
        }
    }

    /// Appends the id as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(number) => out.extend_from_slice(number.as_str().as_bytes()),
            Self::Text(text) => text.write_json(out),
        }
    }
}

impl From<u64> for RequestId {
    fn from(id: u64) -> Self {
        Self::Number(id.into())
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::Text(id.into())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::Text(id.into())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for RequestId {
    /// The id as JSON, so that `1` and `"1"` look different.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => write!(f, "\"{}\"", text.token()),
        }
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Echoed by the response.
    pub id: RequestId,
    /// What is asked for.
    pub method: Text,
    /// What it takes; `None` if `params` is absent. Modern revisions always send it.
    pub params: Option<Params>,
    /// Who asks, and what goes with it.
    pub context: RequestContext,
    /// Members of the envelope that JSON-RPC does not define.
    pub extensions: Extensions,
}

impl Request {
    /// A request with no context.
    pub fn new(id: impl Into<RequestId>, params: Params) -> Self {
        Self {
            id: id.into(),
            method: params.method(),
            params: Some(params),
            context: RequestContext::default(),
            extensions: Extensions::new(),
        }
    }
}

lowering! {
    Request {}
    features(this, set) {
        this.context.add_features(set);
        if let Some(params) = &this.params {
            params.add_features(set);
        }
    }
    lower(this, cx) {
        cx.member("params", |cx| {
            this.context.lower(cx)?;
            this.params.as_mut().map_or(Ok(()), |params| params.lower(cx))
        })?;
    }
}

/// What a method takes that has no parameters of its own, such as `ping`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptyParams {
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    EmptyParams {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// What any other method takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OtherParams {
    /// The method.
    pub method: Text,
    /// All members but `_meta`.
    pub extensions: Extensions,
}

lowering! {
    OtherParams {}
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// A notification.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// What happened.
    pub method: Text,
    /// The rest of it; `None` if `params` is absent.
    pub params: Option<NotificationParams>,
    /// Members of the envelope that JSON-RPC does not define.
    pub extensions: Extensions,
}

impl Notification {
    /// A notification with parameters.
    pub fn new(params: NotificationParams) -> Self {
        Self { method: params.method(), params: Some(params), extensions: Extensions::new() }
    }
}

lowering! {
    Notification {}
    features(this, set) {
        if let Some(params) = &this.params {
            params.add_features(set);
        }
    }
    lower(this, cx) {
        if let Some(params) = &mut this.params {
            cx.member("params", |cx| params.lower(cx))?;
        }
    }
}

/// The parameters of a notification that has none of its own, such as
/// `notifications/initialized`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptyNotificationParams {
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    EmptyNotificationParams {}
    features(_this, _set) {}
    lower(this, cx) {
        strip_subscription(&mut this.meta, cx)?;
    }
}

/// The parameters of any other notification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OtherNotificationParams {
    /// The method.
    pub method: Text,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// All other members.
    pub extensions: Extensions,
}

lowering! {
    OtherNotificationParams {}
    features(_this, _set) {}
    lower(this, cx) {
        strip_subscription(&mut this.meta, cx)?;
    }
}

/// The name of the reserved `_meta` member that holds the subscription's id.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Removes what the target lacks from the `_meta` of a notification: the subscription's id and what
/// only requests need to say of their client, which loses nothing, and the task it belongs to.
pub(crate) fn strip_subscription(
    meta: &mut Option<JsonObject>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    strip_member(meta, SUBSCRIPTION_ID, Feature::SubscriptionMetadata, cx);
    for (name, feature) in RESERVED {
        strip_member(meta, name, *feature, cx);
    }
    drop_related_task(meta, cx)
}

/// A response with a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The id of the request.
    pub id: RequestId,
    /// The result.
    pub result: ResultBody,
    /// Members of the envelope that JSON-RPC does not define.
    pub extensions: Extensions,
}

lowering! {
    Response {}
    features(this, set) {
        this.result.add_features(set);
    }
    lower(this, cx) {
        cx.member("result", |cx| this.result.lower(cx))?;
    }
}

/// A response without a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorResponse {
    /// The id of the request; absent if it could not be read. The schemas before 2025-11-25 demand
    /// one, so there JSON-RPC's `null` is written, and lowering refuses to send one that came from
    /// elsewhere.
    pub id: Option<RequestId>,
    /// What went wrong.
    pub error: ErrorObject,
    /// Members of the envelope that JSON-RPC does not define.
    pub extensions: Extensions,
}

lowering! {
    ErrorResponse {}
    features(this, set) {
        if this.id.is_none() {
            *set = set.with(Feature::ErrorWithoutId);
        }
    }
    lower(this, cx) {
        if this.id.is_none() && !cx.has(Feature::ErrorWithoutId) {
            let reason = "an error without an id cannot be told to a peer whose revision demands one";
            return Err(cx.refused(Feature::ErrorWithoutId, reason));
        }
        cx.member("error", |cx| this.error.lower(cx))?;
    }
}

/// What went wrong with a request.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorObject {
    /// The kind of error.
    pub code: i64,
    /// A sentence on it.
    pub message: Text,
    /// More on it, of any form.
    pub data: Option<JsonText>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ErrorObject {
    /// An error with no data.
    pub fn new(code: i64, message: impl Into<Text>) -> Self {
        Self { code, message: message.into(), data: None, extensions: Extensions::new() }
    }

    /// The code that stands for this one where it has no meaning.
    fn substitute(&self) -> i64 {
        match self.code {
            RESOURCE_NOT_FOUND => INVALID_PARAMS,
            MISSING_REQUIRED_CLIENT_CAPABILITY => INVALID_REQUEST,
            _ => INTERNAL_ERROR,
        }
    }

    /// Keeps the code in the data: as a member of it if it is an object without one, else around it.
    fn keep_code(&mut self) {
        let code = self.code;
        let data = match self.data.take() {
            None => format!(r#"{{"code":{code}}}"#),
            Some(data) => match JsonObject::try_from(data.clone()) {
                Ok(object) if object.get("code").is_none() && !object.is_empty() => {
                    format!(r#"{{"code":{code},{}"#, &object.as_str()[1..])
                }
                _ => format!(r#"{{"code":{code},"data":{data}}}"#),
            },
        };
        self.data = Some(JsonText::trusted(data));
    }
}

lowering! {
    ErrorObject {}
    features(_this, _set) {}
    lower(this, cx) {
        let feature = match Feature::of_error_code(this.code) {
            // Before the specification took them, these codes were anybody's.
            Some(Feature::ModernErrorCodes) if cx.source_lacks(Feature::ModernErrorCodes) => {
                Some(Feature::PrivateErrorCodes)
            }
            feature => feature,
        };
        if let Some(feature) = feature
            && !cx.has(feature)
        {
            let note = format!("{} stands for it, the code is kept in data", this.substitute());
            cx.member("code", |cx| cx.fallback(feature, note))?;
            this.keep_code();
            this.code = this.substitute();
        }
    }
}
