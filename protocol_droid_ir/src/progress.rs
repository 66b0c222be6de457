//! Progress and cancellation of requests that are under way.

use crate::feature::Feature;
use crate::json::{Extensions, JsonObject};
use crate::lower::lowering;
use crate::message::{ProgressToken, RequestId, strip_subscription};
use crate::number::Number;
use crate::text::Text;

/// What `notifications/progress` says. Since 2026-07-28 only servers send it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressParams {
    /// The token of the request that is getting on.
    pub progress_token: ProgressToken,
    /// How far it has got: grows with every notification.
    pub progress: Number,
    /// How far it has to go, if that is known.
    pub total: Option<Number>,
    /// What is being done; since 2025-03-26.
    pub message: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ProgressParams {
        "message": message => ProgressMessage,
    }
    features(_this, _set) {}
    lower(this, cx) {
        strip_subscription(&mut this.meta, cx)?;
    }
}

/// What `notifications/cancelled` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CancelledParams {
    /// The request that is no longer wanted; 2025-11-25 alone lets it be absent.
    pub request_id: Option<RequestId>,
    /// Why, in words for a person.
    pub reason: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    CancelledParams {}
    features(this, set) {
        if this.request_id.is_none() {
            *set = set.with(Feature::CancelledWithoutRequest);
        }
    }
    lower(this, cx) {
        if this.request_id.is_none() && !cx.has(Feature::CancelledWithoutRequest) {
            let reason = "the peer's revision demands to know which request is cancelled";
            return cx.member("requestId", |cx| {
                Err(cx.refused(Feature::CancelledWithoutRequest, reason))
            });
        }
        strip_subscription(&mut this.meta, cx)?;
    }
}
