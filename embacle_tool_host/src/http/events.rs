//! Streams of a legacy session: kept as far as a client that comes back may need.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use tokio::sync::Notify;

use super::body::{COMMENT, event};
use crate::context::lock;

/// The events of one request, written once and read by whoever holds the connection at the time.
pub(crate) struct EventStream {
    number: u64,
    limit: usize,
    inner: Mutex<Inner>,
    wake: Notify,
}

#[derive(Default)]
struct Inner {
    events: VecDeque<(u64, Bytes)>,
    bytes: usize,
    written: u64,
    /// Nothing more comes.
    is_closed: bool,
    /// A reader has had everything.
    is_done: bool,
    /// Counts the readers, and the times that the stream was let go of: only the last may read.
    reader: u64,
}

impl EventStream {
    pub(crate) fn new(number: u64, limit: usize) -> Arc<Self> {
        Arc::new(Self { number, limit, inner: Mutex::default(), wake: Notify::new() })
    }

    /// Opens the stream with an event that bears an id and nothing else, so that a client knows
    /// from where to come back, and after which time.
    pub(crate) fn prime(&self, retry: Duration) {
        self.push(|id| format!("id: {id}\nretry: {}\ndata: \n\n", retry.as_millis()).into());
    }

    pub(crate) fn message(&self, message: &[u8]) {
        self.push(|id| event(Some(id), message));
    }

    /// Nothing more comes.
    pub(crate) fn close(&self) {
        lock(&self.inner).is_closed = true;
        self.wake.notify_waiters();
    }

    /// Ends the reading, not the stream.
    pub(crate) fn release(&self) {
        lock(&self.inner).reader += 1;
        self.wake.notify_waiters();
    }

    /// Whether somebody may still need it.
    pub(crate) fn is_needed(&self) -> bool {
        !lock(&self.inner).is_done
    }

    fn push(&self, event: impl FnOnce(&str) -> Bytes) {
        let mut inner = lock(&self.inner);
        inner.written += 1;
        let number = inner.written;
        let event = event(&format!("{}-{number}", self.number));
        inner.bytes += event.len();
        inner.events.push_back((number, event));
        // The last is the answer, most likely: it stays whatever its size.
        while inner.bytes > self.limit && inner.events.len() > 1 {
            if let Some((_, oldest)) = inner.events.pop_front() {
                inner.bytes -= oldest.len();
            }
        }
        drop(inner);
        self.wake.notify_waiters();
    }

    /// Reads what comes after the event `after`; a reader before this one is cut off.
    pub(crate) fn read(
        self: Arc<Self>,
        after: u64,
        keep_alive: Duration,
    ) -> impl Stream<Item = Bytes> + Send + 'static {
        let reader = {
            let mut inner = lock(&self.inner);
            inner.reader += 1;
            inner.reader
        };
        self.wake.notify_waiters();
        stream::unfold((self, after), move |(events, after)| async move {
            let (event, after) = events.next(reader, after, keep_alive).await?;
            Some((event, (events, after)))
        })
    }

    /// The event after `after`, with its number; a comment if none comes for long.
    async fn next(&self, reader: u64, after: u64, keep_alive: Duration) -> Option<(Bytes, u64)> {
        loop {
            let mut woken = std::pin::pin!(self.wake.notified());
            woken.as_mut().enable();
            {
                let mut inner = lock(&self.inner);
                if inner.reader != reader {
                    return None;
                }
                let next = inner.events.iter().find(|(number, _)| *number > after);
                if let Some((number, event)) = next {
                    return Some((event.clone(), *number));
                }
                if inner.is_closed {
                    inner.is_done = true;
                    return None;
                }
            }
            if tokio::time::timeout(keep_alive, woken).await.is_err() {
                return Some((Bytes::from_static(COMMENT), after));
            }
        }
    }
}

/// The stream and the event that an id names.
pub(crate) fn parse_id(id: &str) -> Option<(u64, u64)> {
    let (stream, event) = id.split_once('-')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}
