//! Telling clients that something has changed.

use protocol_droid_codecs::Codec;
use protocol_droid_ir::subscription::with_subscription;
use protocol_droid_ir::{
    EmptyNotificationParams, JsonObject, Notification, NotificationParams, RequestId,
    ResourceUpdatedParams,
};
use tokio::sync::broadcast;

use crate::engine::reply;

/// Tells the clients of a session what has changed: each hears what it wants to hear, in the way of
/// its revision. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Announcer {
    changes: broadcast::Sender<Change>,
}

/// What can change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Change {
    Tools,
    Resources,
    Prompts,
    Updated(String),
}

/// Changes that a slow listener may be behind before it is told that all lists have changed.
const BACKLOG: usize = 256;

impl Announcer {
    /// One for a service yet to be made ([`Service::announced_by`](crate::Service::announced_by)),
    /// such as one whose tools announce.
    pub fn new() -> Self {
        Self { changes: broadcast::Sender::new(BACKLOG) }
    }

    /// The list of tools has changed.
    pub fn tools_changed(&self) {
        self.tell(Change::Tools);
    }

    /// The list of resources, or of their templates, has changed.
    pub fn resources_changed(&self) {
        self.tell(Change::Resources);
    }

    /// The list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.tell(Change::Prompts);
    }

    /// The resource `uri` has changed.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.tell(Change::Updated(uri.into()));
    }

    fn tell(&self, change: Change) {
        // Nobody listens: nobody need be told.
        let _ = self.changes.send(change);
    }

    pub(crate) fn listen(&self) -> Listener {
        Listener { changes: self.changes.subscribe(), owed: Vec::new() }
    }
}

impl Default for Announcer {
    fn default() -> Self {
        Self::new()
    }
}

/// The changes that one stream has still to hear of.
pub(crate) struct Listener {
    changes: broadcast::Receiver<Change>,
    owed: Vec<Change>,
}

impl Listener {
    /// The next change; `None` once nobody can announce any more.
    pub(crate) async fn next(&mut self) -> Option<Change> {
        if let Some(change) = self.owed.pop() {
            return Some(change);
        }
        match self.changes.recv().await {
            Ok(change) => Some(change),
            Err(broadcast::error::RecvError::Closed) => None,
            // What was missed can have been any of the lists.
            Err(broadcast::error::RecvError::Lagged(_)) => {
                self.owed = vec![Change::Prompts, Change::Resources];
                Some(Change::Tools)
            }
        }
    }
}

impl Change {
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Updated(_) => "notifications/resources/updated",
        }
    }

    pub(crate) fn uri(&self) -> Option<&str> {
        match self {
            Self::Updated(uri) => Some(uri),
            _ => None,
        }
    }

    /// The notification for a client, with the id of the subscription that it answers, if any.
    pub(crate) fn message(
        &self,
        codec: &dyn Codec,
        subscription: Option<&RequestId>,
    ) -> Option<Vec<u8>> {
        let meta: Option<JsonObject> = subscription.map(|id| with_subscription(None, id));
        let list = EmptyNotificationParams { meta: meta.clone(), ..Default::default() };
        let params = match self {
            Self::Tools => NotificationParams::ToolsListChanged(list),
            Self::Resources => NotificationParams::ResourcesListChanged(list),
            Self::Prompts => NotificationParams::PromptsListChanged(list),
            Self::Updated(uri) => NotificationParams::ResourceUpdated(ResourceUpdatedParams {
                uri: uri.as_str().into(),
                meta,
                ..ResourceUpdatedParams::default()
            }),
        };
        reply::notification(Notification::new(params), codec)
    }
}
