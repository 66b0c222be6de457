//! A session from the outside: what the application holds.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::announce::Announcer;
use crate::calls::CallRecord;
use crate::http::Endpoint;
use crate::served::Served;

/// A surface, and the bearer that opens it. **Dropping it revokes the bearer at once**: requests
/// get 401 from then on, calls at work are cancelled and their results withheld, streams end.
pub struct ToolSession {
    endpoint: Arc<Endpoint>,
    served: Arc<Served>,
    bearer: Option<Bearer>,
    url: String,
}

/// 256 random bits as text. `Debug` does not show it.
#[derive(Clone)]
pub(crate) struct Bearer(String);

impl Bearer {
    pub(crate) fn new(bits: &[u8; 32]) -> Self {
        Self(URL_SAFE_NO_PAD.encode(bits))
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

/// What a session left undone when it was closed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Closed {
    /// Calls that were still at work, and were cancelled.
    pub cancelled: usize,
    /// The calls of the session, as [`ToolSession::calls`] tells them.
    pub calls: Vec<CallRecord>,
}

impl ToolSession {
    pub(crate) fn new(
        endpoint: Arc<Endpoint>,
        served: Arc<Served>,
        bearer: Option<Bearer>,
        url: String,
    ) -> Self {
        Self { endpoint, served, bearer, url }
    }

    /// The name of the server.
    pub fn name(&self) -> &str {
        &self.served.about.server.name
    }

    /// Where the agent finds it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The bearer, for the agent and nobody else; `None` if the session needs none.
    pub fn bearer(&self) -> Option<&str> {
        self.bearer.as_ref().map(Bearer::secret)
    }

    /// What tells the clients of changes.
    pub fn announcer(&self) -> Announcer {
        self.served.announcer.clone()
    }

    /// The last calls, oldest first, as many as [`Limits::records`](crate::Limits::records) says.
    pub fn calls(&self) -> Vec<CallRecord> {
        self.served.calls.last()
    }

    /// How many calls there were in all.
    pub fn call_count(&self) -> u64 {
        self.served.calls.total()
    }

    /// The calls at work now.
    pub fn calls_at_work(&self) -> usize {
        self.served.calls_at_work()
    }

    /// Takes no new requests, waits up to `drain` for the calls at work, and revokes the bearer.
    pub async fn close(self, drain: Duration) -> Closed {
        self.endpoint.expel(&self.served);
        self.served.closing.cancel();
        let served = &self.served;
        let drained = async {
            while served.calls_at_work() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = tokio::time::timeout(drain, drained).await;
        let cancelled = served.calls_at_work();
        served.revoked.cancel();
        Closed { cancelled, calls: self.calls() }
    }
}

impl Drop for ToolSession {
    fn drop(&mut self) {
        self.endpoint.expel(&self.served);
        self.served.closing.cancel();
        self.served.revoked.cancel();
        self.served.tracker.close();
    }
}

impl fmt::Debug for ToolSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSession")
            .field("name", &self.name())
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}
