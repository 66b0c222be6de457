//! What is stored for legacy clients that may come back for it, of one tool session.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::events::{EventId, EventStream};
use crate::config::Limits;
use crate::context::lock;

/// The bytes of all streams together, and the streams that have ended: nobody can tell whether a
/// client has what was sent to it, so they stay for a while.
pub(crate) struct Stored {
    most: usize,
    time: Duration,
    bytes: AtomicUsize,
    ended: Mutex<VecDeque<Ended>>,
}

struct Ended {
    session: [u8; 16],
    stream: Arc<EventStream>,
    at: Instant,
}

impl Stored {
    pub(crate) fn new(limits: &Limits) -> Self {
        let (most, time) = (limits.stored_in_all, limits.stored);
        Self { most, time, bytes: AtomicUsize::new(0), ended: Mutex::default() }
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn take(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > self.most
    }

    /// Has ended streams give way as far as there are too many bytes, oldest first.
    pub(crate) fn make_room(&self) {
        while self.is_over() && lock(&self.ended).pop_front().is_some() {}
    }

    /// Keeps a stream that has ended.
    pub(crate) fn keep(&self, session: [u8; 16], stream: Arc<EventStream>) {
        let now = Instant::now();
        lock(&self.ended).push_back(Ended { session, stream, at: now });
        self.sweep(now);
        self.make_room();
    }

    /// The stream of a session that has ended and that `id` names.
    pub(crate) fn find(&self, session: [u8; 16], id: &EventId<'_>) -> Option<Arc<EventStream>> {
        self.sweep(Instant::now());
        let ended = lock(&self.ended);
        let found = ended.iter().find(|ended| ended.session == session && ended.stream.is_of(id));
        found.map(|ended| ended.stream.clone())
    }

    /// Forgets the streams of a session.
    pub(crate) fn forget(&self, session: [u8; 16]) {
        lock(&self.ended).retain(|ended| ended.session != session);
    }

    /// Forgets the streams that have been kept for long enough.
    pub(crate) fn sweep(&self, now: Instant) {
        let mut ended = lock(&self.ended);
        while ended.front().is_some_and(|oldest| now.duration_since(oldest.at) >= self.time) {
            ended.pop_front();
        }
    }
}
