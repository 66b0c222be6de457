//! What is remembered of legacy clients over HTTP. Their ids say who they are and what they speak,
//! so what is here can be lost: log levels, watched resources, streams to come back to.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use protocol_droid_codecs::{Codec, codec};
use protocol_droid_ir::ProtocolVersion;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::events::EventStream;
use crate::config::HostConfig;
use crate::context::lock;
use crate::engine::legacy::SessionSeal;
use crate::peer::Peer;
use crate::served::{Remembered, Served};

/// The sessions that something is remembered of.
pub(crate) struct LegacySessions {
    config: Arc<HostConfig>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    live: HashMap<[u8; 16], Arc<LegacySession>>,
    /// Those asked for lately, by their ids: to open an id costs as much as a small call.
    recent: HashMap<Box<str>, Arc<LegacySession>>,
    /// Sessions that their clients have ended, as long as their ids would hold good.
    ended: HashMap<[u8; 16], Duration>,
    order: VecDeque<[u8; 16]>,
    swept: Option<Instant>,
}

/// A session of a legacy client.
pub(crate) struct LegacySession {
    pub(crate) peer: Arc<Peer>,
    pub(crate) remembered: Arc<Remembered>,
    /// Cancelled when the client, or the host, ends the session.
    pub(crate) ended: CancellationToken,
    name: [u8; 16],
    /// Since 1970.
    opened: Duration,
    served: Weak<Served>,
    streams: Mutex<HashMap<u64, Arc<EventStream>>>,
    next_stream: AtomicU64,
    listening: Mutex<CancellationToken>,
    used: Mutex<Instant>,
}

impl LegacySession {
    fn new(seal: SessionSeal, codec: &'static dyn Codec, served: &Arc<Served>) -> Self {
        Self {
            peer: Arc::new(Peer::of_handshake(codec, seal.handshake)),
            remembered: Arc::default(),
            ended: served.revoked.child_token(),
            name: seal.name,
            opened: seal.opened,
            served: Arc::downgrade(served),
            streams: Mutex::default(),
            next_stream: AtomicU64::new(0),
            listening: Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn version(&self) -> ProtocolVersion {
        self.peer.codec.version()
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

    fn is_of(&self, served: &Arc<Served>) -> bool {
        std::ptr::eq(self.served.as_ptr(), Arc::as_ptr(served))
    }

    /// Whether a request of its is at work, or a stream stands; of one that is live alone.
    fn is_in_use(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1 || self.remembered.is_at_work()
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

    /// How many of whom something is remembered.
    pub(crate) fn len(&self) -> usize {
        lock(&self.inner).live.values().filter(|session| !session.is_blank()).count()
    }

    /// The session of an id; `None` if there never was one, it has ended by its client's word or by
    /// its age, or its revision is not offered.
    pub(crate) fn get(&self, id: &str, served: &Arc<Served>) -> Option<Arc<LegacySession>> {
        let mut inner = lock(&self.inner);
        let known = inner.recent.get(id).filter(|session| session.is_of(served)).cloned();
        let session = match known {
            Some(session) => session,
            None => {
                drop(inner);
                let seal = SessionSeal::open(id, &served.principal, &self.config.keys)?;
                let offered = self.config.versions.contains(&seal.version);
                let codec = codec(seal.version.as_str()).ok().filter(|_| offered)?;
                inner = lock(&self.inner);
                if inner.ended.contains_key(&seal.name) {
                    return None;
                }
                self.make_room(&mut inner);
                let new = || Arc::new(LegacySession::new(seal.clone(), codec, served));
                let session = inner.live.entry(seal.name).or_insert_with(new).clone();
                inner.recent.insert(id.into(), session.clone());
                session
            }
        };
        let too_old = self.config.clock.now() > session.opened + self.config.limits.session;
        if too_old || session.ended.is_cancelled() {
            return None;
        }
        let now = Instant::now();
        *lock(&session.used) = now;
        if inner.swept.is_none_or(|at| now.duration_since(at) > SWEEP) {
            self.sweep(&mut inner, now);
        }
        Some(session)
    }

    /// Ends a session by its client's word.
    pub(crate) fn end(&self, session: &LegacySession) {
        let mut inner = lock(&self.inner);
        inner.live.remove(&session.name);
        session.ended.cancel();
        let until = session.opened + self.config.limits.session;
        if inner.ended.insert(session.name, until).is_none() {
            inner.order.push_back(session.name);
        }
        while inner.ended.len() > self.config.limits.legacy_sessions
            && let Some(oldest) = inner.order.pop_front()
        {
            inner.ended.remove(&oldest);
        }
    }

    pub(crate) fn forget_all_of(&self, served: &Arc<Served>) {
        let mut inner = lock(&self.inner);
        inner.recent.retain(|_, session| !session.is_of(served));
        inner.live.retain(|_, session| !session.is_of(served));
    }

    /// Forgets what has lain idle.
    fn sweep(&self, inner: &mut Inner, now: Instant) {
        inner.swept = Some(now);
        inner.forget_recent();
        let idle = self.config.limits.idle;
        inner.live.retain(|_, session| {
            session.is_in_use() || now.duration_since(*lock(&session.used)) <= idle
        });
    }

    /// Makes room for one more; whoever is idle for longest gives way.
    fn make_room(&self, inner: &mut Inner) {
        let most = self.config.limits.legacy_sessions;
        if inner.recent.len() >= RECENT || inner.live.len() >= most {
            inner.forget_recent();
        }
        if inner.live.len() < most {
            return;
        }
        let idle = inner.live.iter().filter(|(_, session)| !session.is_in_use());
        let idlest = idle.min_by_key(|(_, session)| *lock(&session.used)).map(|(name, _)| *name);
        if let Some(session) = idlest.and_then(|name| inner.live.remove(&name)) {
            session.ended.cancel();
        }
    }
}

impl Inner {
    /// Forgets who was asked for lately, and with it of whom nothing need be remembered.
    fn forget_recent(&mut self) {
        for (_, session) in std::mem::take(&mut self.recent) {
            // Held here and as live: by nobody at work.
            if Arc::strong_count(&session) <= 2 && session.is_blank() {
                self.live.remove(&session.name);
            }
        }
    }
}

/// How many sessions are known by their ids.
const RECENT: usize = 1024;

const SWEEP: Duration = Duration::from_secs(10);
