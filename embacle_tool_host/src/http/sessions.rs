//! What is remembered of legacy clients over HTTP. Their ids say who they are and what they speak,
//! so what is here can be lost: log levels, watched resources, requests at work.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use protocol_droid_codecs::{Codec, codec};
use protocol_droid_ir::ProtocolVersion;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ended::Ended;
use super::events::{EventId, EventStream};
use crate::config::HostConfig;
use crate::context::lock;
use crate::engine::legacy::SessionSeal;
use crate::keys::random_name;
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
    /// Sessions that their clients have ended, by whose they are.
    ended: HashMap<[u8; 32], Ended>,
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
    /// Of requests at work.
    streams: Mutex<HashMap<u64, Arc<EventStream>>>,
    /// Those for streams that stand.
    places: Arc<Semaphore>,
    /// What ids of events end with: another table of the session may count as this one does.
    table: OnceLock<Arc<str>>,
    next_stream: AtomicU64,
    next_change: AtomicU64,
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
            places: Arc::new(Semaphore::new(served.limits().streams.min(Semaphore::MAX_PERMITS))),
            table: OnceLock::new(),
            next_stream: AtomicU64::new(0),
            next_change: AtomicU64::new(0),
            listening: Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn version(&self) -> ProtocolVersion {
        self.peer.codec.version()
    }

    /// Whether one more stream may stand now.
    pub(crate) fn has_place(&self) -> bool {
        self.places.available_permits() > 0
    }

    /// A place for a stream that stands, if there is one now.
    pub(crate) fn place_now(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().try_acquire_owned().ok()
    }

    /// A place for a stream that stands, as soon as there is one.
    pub(crate) async fn place(&self) -> OwnedSemaphorePermit {
        match self.places.clone().acquire_owned().await {
            Ok(place) => place,
            // Nobody closes it.
            Err(_) => std::future::pending().await,
        }
    }

    /// A stream for a request at work.
    pub(crate) fn open_stream(&self, served: &Served) -> Arc<EventStream> {
        let number = self.next_stream.fetch_add(1, Ordering::Relaxed);
        let (table, limit) = (self.table().clone(), served.limits().stored_bytes);
        let stream = EventStream::new(number, table, limit, served.stored.clone());
        lock(&self.streams).insert(number, stream.clone());
        stream
    }

    /// Puts away the stream of a request that has ended.
    pub(crate) fn close_stream(&self, stream: &Arc<EventStream>, served: &Served) {
        stream.close();
        if !self.ended.is_cancelled() {
            served.stored.keep(self.name, stream.clone());
        }
        lock(&self.streams).remove(&stream.number());
    }

    pub(crate) fn stream(&self, id: &EventId<'_>, served: &Served) -> Option<Arc<EventStream>> {
        let at_work = lock(&self.streams).values().find(|stream| stream.is_of(id)).cloned();
        at_work.or_else(|| served.stored.find(self.name, id))
    }

    /// The id of an event that tells of a change.
    pub(crate) fn change_id(&self) -> String {
        let number = self.next_change.fetch_add(1, Ordering::Relaxed);
        format!("{CHANGES}{number}-{}", self.table())
    }

    fn table(&self) -> &Arc<str> {
        self.table.get_or_init(|| random_name().into())
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
            && lock(&self.streams).is_empty()
    }
}

/// What ids of events that tell of changes start with.
const CHANGES: &str = "changes-";

/// Whether the id is of an event that told of a change, whichever table made it.
pub(crate) fn is_of_changes(id: &str) -> bool {
    id.starts_with(CHANGES)
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
                let ended = inner.ended.get(&served.principal);
                if ended.is_some_and(|ended| ended.contains(seal.opened, seal.name)) {
                    return None;
                }
                self.make_room(&mut inner);
                let new = || Arc::new(LegacySession::new(seal.clone(), codec, served));
                let session = inner.live.entry(seal.name).or_insert_with(new).clone();
                inner.recent.insert(id.into(), session.clone());
                session
            }
        };
        if session.opened < self.oldest() || session.ended.is_cancelled() {
            return None;
        }
        let now = Instant::now();
        *lock(&session.used) = now;
        if inner.swept.is_none_or(|at| now.duration_since(at) > SWEEP) {
            self.sweep(&mut inner, now);
            served.stored.sweep(now);
        }
        Some(session)
    }

    /// When the oldest sessions that hold good were opened.
    fn oldest(&self) -> Duration {
        self.config.clock.now().saturating_sub(self.config.limits.session)
    }

    /// Ends a session by its client's word.
    pub(crate) fn end(&self, session: &LegacySession, served: &Served) {
        let mut inner = lock(&self.inner);
        inner.live.remove(&session.name);
        session.ended.cancel();
        let most = self.config.limits.legacy_sessions;
        let ended = inner.ended.entry(served.principal).or_default();
        ended.insert(session.opened, session.name, most, self.oldest());
        drop(inner);
        served.stored.forget(session.name);
    }

    pub(crate) fn forget_all_of(&self, served: &Arc<Served>) {
        let mut inner = lock(&self.inner);
        inner.recent.retain(|_, session| !session.is_of(served));
        inner.live.retain(|_, session| !session.is_of(served));
        // Whoever comes without a bearer may find the next session without one.
        if served.principal != NOBODY {
            inner.ended.remove(&served.principal);
        }
    }

    /// Forgets of whom nothing need be remembered any more.
    fn sweep(&self, inner: &mut Inner, now: Instant) {
        inner.swept = Some(now);
        inner.forget_recent();
        let oldest = self.oldest();
        inner.live.retain(|_, session| {
            session.is_in_use() || session.opened >= oldest && !session.is_blank()
        });
    }

    /// Makes room for one more; whoever is idle for longest gives way, first of those of whom
    /// nothing need be remembered.
    fn make_room(&self, inner: &mut Inner) {
        let most = self.config.limits.legacy_sessions;
        if inner.recent.len() >= RECENT || inner.live.len() >= most {
            inner.forget_recent();
        }
        if inner.live.len() < most {
            return;
        }
        let idle = inner.live.iter().filter(|(_, session)| !session.is_in_use());
        let key = |session: &LegacySession| (!session.is_blank(), *lock(&session.used));
        let idlest = idle.min_by_key(|(_, session)| key(session)).map(|(name, _)| *name);
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

/// The principal of whoever comes without a bearer.
const NOBODY: [u8; 32] = [0; 32];

const SWEEP: Duration = Duration::from_secs(10);
