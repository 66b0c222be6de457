//! What is remembered of legacy clients over HTTP. Their ids say who they are and what they speak,
//! so what is here can be lost: log levels, watched resources, streams to come back to.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::events::EventStream;
use crate::config::HostConfig;
use crate::context::lock;
use crate::engine::legacy::SessionSeal;
use crate::served::{Remembered, Served};

/// The sessions that something is remembered of.
pub(crate) struct LegacySessions {
    config: Arc<HostConfig>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    live: HashMap<[u8; 16], Arc<LegacySession>>,
    /// Sessions that their clients have ended, as long as their ids would hold good.
    ended: HashMap<[u8; 16], Duration>,
    order: VecDeque<[u8; 16]>,
    swept: Option<Instant>,
}

/// A session of a legacy client.
pub(crate) struct LegacySession {
    pub(crate) remembered: Arc<Remembered>,
    /// Cancelled when the client, or the host, ends the session.
    pub(crate) ended: CancellationToken,
    served: Weak<Served>,
    streams: Mutex<HashMap<u64, Arc<EventStream>>>,
    next_stream: AtomicU64,
    listening: Mutex<CancellationToken>,
    used: Mutex<Instant>,
}

impl LegacySession {
    fn new(served: &Arc<Served>) -> Self {
        Self {
            remembered: Arc::default(),
            ended: served.revoked.child_token(),
            served: Arc::downgrade(served),
            streams: Mutex::default(),
            next_stream: AtomicU64::new(0),
            listening: Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    /// A stream for a request; `None` if the session has too many.
    pub(crate) fn open_stream(&self, most: usize, bytes: usize) -> Option<Arc<EventStream>> {
        let mut streams = lock(&self.streams);
        streams.retain(|_, stream| stream.is_needed());
        if streams.len() >= most {
            return None;
        }
        let number = self.next_stream.fetch_add(1, Ordering::Relaxed);
        let stream = EventStream::new(number, bytes);
        streams.insert(number, stream.clone());
        Some(stream)
    }

    pub(crate) fn stream(&self, number: u64) -> Option<Arc<EventStream>> {
        lock(&self.streams).get(&number).cloned()
    }

    /// The right to be the one stream that tells of changes; the one before loses it.
    pub(crate) fn listen(&self) -> CancellationToken {
        let mut listening = lock(&self.listening);
        listening.cancel();
        *listening = self.ended.child_token();
        listening.clone()
    }

    /// Whether nothing would be lost with it.
    fn is_blank(&self) -> bool {
        let remembered = &self.remembered;
        lock(&remembered.level).is_none()
            && lock(&remembered.watched).is_empty()
            && !remembered.is_at_work()
            && !lock(&self.streams).values().any(|stream| stream.is_needed())
    }
}

impl LegacySessions {
    pub(crate) fn new(config: Arc<HostConfig>) -> Self {
        Self { config, inner: Mutex::default() }
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.inner).live.len()
    }

    /// The session; `None` if it has ended, by its client's word or by its age.
    pub(crate) fn get(
        &self,
        seal: &SessionSeal,
        served: &Arc<Served>,
    ) -> Option<Arc<LegacySession>> {
        let now = self.config.clock.now();
        if now > seal.opened + self.config.limits.session {
            return None;
        }
        let mut inner = lock(&self.inner);
        if inner.ended.contains_key(&seal.name) {
            return None;
        }
        self.sweep(&mut inner);
        if let Some(session) = inner.live.get(&seal.name) {
            *lock(&session.used) = Instant::now();
            return Some(session.clone());
        }
        let session = Arc::new(LegacySession::new(served));
        inner.live.insert(seal.name, session.clone());
        Some(session)
    }

    /// Lets go of a session that nothing need be remembered of.
    pub(crate) fn settle(&self, seal: &SessionSeal) {
        let mut inner = lock(&self.inner);
        // Held here and by whoever settles it: nobody else is about to use it.
        let idle =
            |session: &Arc<LegacySession>| Arc::strong_count(session) <= 2 && session.is_blank();
        if inner.live.get(&seal.name).is_some_and(idle) {
            inner.live.remove(&seal.name);
        }
    }

    /// Ends a session by its client's word.
    pub(crate) fn end(&self, seal: &SessionSeal) {
        let mut inner = lock(&self.inner);
        if let Some(session) = inner.live.remove(&seal.name) {
            session.ended.cancel();
        }
        if inner.ended.insert(seal.name, seal.opened + self.config.limits.session).is_none() {
            inner.order.push_back(seal.name);
        }
        while inner.ended.len() > self.config.limits.legacy_sessions
            && let Some(oldest) = inner.order.pop_front()
        {
            inner.ended.remove(&oldest);
        }
    }

    pub(crate) fn forget_all_of(&self, served: &Arc<Served>) {
        let own = Arc::downgrade(served);
        lock(&self.inner).live.retain(|_, session| !Weak::ptr_eq(&session.served, &own));
    }

    /// Forgets what has lain idle, and what is too much.
    fn sweep(&self, inner: &mut Inner) {
        let limits = &self.config.limits;
        let now = Instant::now();
        let full = inner.live.len() >= limits.legacy_sessions;
        let due = inner.swept.is_none_or(|at| now.duration_since(at) > SWEEP);
        if !full && !due {
            return;
        }
        inner.swept = Some(now);
        inner.live.retain(|_, session| {
            let idle = now.duration_since(*lock(&session.used)) > limits.idle;
            session.remembered.is_at_work() || !(idle || full && session.is_blank())
        });
        if inner.live.len() >= limits.legacy_sessions {
            let idlest = inner
                .live
                .iter()
                .filter(|(_, session)| !session.remembered.is_at_work())
                .min_by_key(|(_, session)| *lock(&session.used))
                .map(|(name, _)| *name);
            if let Some(session) = idlest.and_then(|name| inner.live.remove(&name)) {
                session.ended.cancel();
            }
        }
    }
}

const SWEEP: Duration = Duration::from_secs(10);
