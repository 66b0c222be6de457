//! What a subscription of 2026-07-28 is told: that it stands, the changes, and that it ends.

use std::sync::Arc;

use futures_util::{Stream, stream};
use protocol_droid_codecs::Codec;
use protocol_droid_ir::{
    Notification, NotificationParams, RequestId, ResultBody, SubscriptionFilter,
    SubscriptionsAcknowledgedParams, SubscriptionsListenResult, subscription::with_subscription,
};
use tokio_util::sync::CancellationToken;

use crate::announce::Listener;
use crate::engine::reply;
use crate::peer::Peer;
use crate::served::Served;

/// The messages of a subscription, on whatever carries them.
pub(crate) fn subscription(
    served: &Arc<Served>,
    id: RequestId,
    filter: &SubscriptionFilter,
    peer: &Arc<Peer>,
) -> impl Stream<Item = Vec<u8>> + Send + 'static {
    let granted = filter.granted(&served.about.capabilities());
    let codec = peer.codec;
    let id = id.detached();
    let acknowledged =
        NotificationParams::SubscriptionsAcknowledged(SubscriptionsAcknowledgedParams {
            notifications: granted.clone(),
            meta: Some(with_subscription(None, &id)),
            ..SubscriptionsAcknowledgedParams::default()
        });
    let open = Subscription {
        id,
        granted,
        codec,
        first: reply::notification(Notification::new(acknowledged), codec),
        listener: Some(served.announcer.listen()),
        closing: served.closing.clone(),
        revoked: served.revoked.clone(),
    };
    stream::unfold(open, |mut open| async move { open.next().await.map(|m| (m, open)) })
}

struct Subscription {
    id: RequestId,
    granted: SubscriptionFilter,
    codec: &'static dyn Codec,
    first: Option<Vec<u8>>,
    listener: Option<Listener>,
    closing: CancellationToken,
    revoked: CancellationToken,
}

impl Subscription {
    async fn next(&mut self) -> Option<Vec<u8>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            let listener = self.listener.as_mut()?;
            let change = tokio::select! {
                biased;
                () = self.revoked.cancelled() => return None,
                () = self.closing.cancelled() => None,
                change = listener.next() => change,
            };
            let Some(change) = change else {
                self.listener = None;
                let result = SubscriptionsListenResult::new(&self.id);
                let result = reply::Answer::Result(ResultBody::SubscriptionsListen(result));
                return Some(reply::response(&self.id, result, self.codec).0.whole());
            };
            if self.granted.wants(change.method(), change.uri())
                && let Some(message) = change.message(self.codec, Some(&self.id))
            {
                return Some(message);
            }
        }
    }
}
