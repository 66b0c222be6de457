//! Streams of a legacy session: kept as far as a client that comes back may need.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::body::{COMMENT, event};
use super::stored::Stored;
use crate::context::lock;

/// The events of one request, written once and read by whoever holds the connection at the time.
///
/// What a reader has not had yet is kept for it, and whoever writes is to wait. Without a reader
/// notifications give way, and nothing that is, or waits for, an answer.
pub(crate) struct EventStream {
    number: u64,
    /// What ids end with: streams of other tables of the session may have the same number.
    table: Arc<str>,
    /// The most bytes of events.
    limit: usize,
    stored: Arc<Stored>,
    inner: Mutex<Inner>,
    /// Tells the reader that there is something for it.
    wake: Notify,
    /// Tells the writer that there may be room.
    room: Notify,
}

#[derive(Default)]
struct Inner {
    events: VecDeque<Entry>,
    bytes: usize,
    written: u64,
    /// Nothing more comes.
    is_closed: bool,
    /// Only the last reader may read.
    readers: u64,
    reader: Option<Attached>,
}

struct Entry {
    number: u64,
    event: Bytes,
    /// Whether a client can do without.
    is_dispensable: bool,
}

/// The reader of the time.
struct Attached {
    number: u64,
    /// The last event that it has had.
    read: u64,
    /// The bytes that it has not had.
    unread: usize,
    /// The last event it is to have, if the stream has been let go of.
    until: Option<u64>,
    /// Its place among the streams of the session that stand.
    place: OwnedSemaphorePermit,
}

/// What an event, or a stream, takes beside its text.
const OVERHEAD: usize = 128;

impl Entry {
    fn size(&self) -> usize {
        self.event.len() + OVERHEAD
    }
}

impl EventStream {
    pub(crate) fn new(
        number: u64,
        table: Arc<str>,
        limit: usize,
        stored: Arc<Stored>,
    ) -> Arc<Self> {
        stored.add(OVERHEAD);
        let (inner, wake, room) = (Mutex::default(), Notify::new(), Notify::new());
        Arc::new(Self { number, table, limit, stored, inner, wake, room })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether it is the stream that `id` names.
    pub(crate) fn is_of(&self, id: &EventId<'_>) -> bool {
        self.number == id.stream && *self.table == *id.table
    }

    /// Opens the stream with an event that bears an id and nothing else, so that a client knows
    /// from where to come back, and after which time.
    pub(crate) fn prime(&self, retry: Duration) {
        let retry = retry.as_millis();
        self.push(true, |id| format!("id: {id}\nretry: {retry}\ndata: \n\n").into());
    }

    pub(crate) fn message(&self, message: &[u8]) {
        self.push(is_notification(message), |id| event(Some(id), message));
    }

    /// Nothing more comes.
    pub(crate) fn close(&self) {
        lock(&self.inner).is_closed = true;
        self.wake.notify_waiters();
    }

    /// Ends the reading once all is read that there is, not the stream.
    pub(crate) fn release(&self) {
        let mut inner = lock(&self.inner);
        let written = inner.written;
        if let Some(reader) = &mut inner.reader {
            reader.until = Some(written);
        }
        drop(inner);
        self.wake.notify_waiters();
    }

    /// Whether more may be written now.
    pub(crate) fn has_room(&self) -> bool {
        let inner = lock(&self.inner);
        match &inner.reader {
            Some(reader) if self.stored.is_over() => reader.unread == 0,
            Some(reader) => reader.unread <= self.limit,
            None => inner.bytes <= self.limit,
        }
    }

    /// Waits until there may be room, where there was none.
    pub(crate) async fn room(&self) {
        self.room.notified().await;
    }

    /// One who reads what comes after the event `after`. Whoever read before is cut off, and gives
    /// its place; without one a `place` is asked for, and `None` if there is none.
    pub(crate) fn reader(
        self: &Arc<Self>,
        after: u64,
        keep_alive: Duration,
        ended: CancellationToken,
        place: impl FnOnce() -> Option<OwnedSemaphorePermit>,
    ) -> Option<Reader> {
        let mut inner = lock(&self.inner);
        let place = match inner.reader.take() {
            Some(former) => former.place,
            None => place()?,
        };
        inner.readers += 1;
        let number = inner.readers;
        let unread = inner.events.iter().filter(|entry| entry.number > after);
        let unread = unread.map(Entry::size).sum();
        inner.reader = Some(Attached { number, read: after, unread, until: None, place });
        drop(inner);
        self.wake.notify_waiters();
        Some(Reader { stream: self.clone(), number, keep_alive, ended })
    }

    fn detach(&self, number: u64) {
        let mut inner = lock(&self.inner);
        if inner.reader.as_ref().is_some_and(|reader| reader.number == number) {
            inner.reader = None;
            self.evict(&mut inner);
            drop(inner);
            self.room.notify_one();
        }
    }

    fn push(&self, is_dispensable: bool, event: impl FnOnce(&str) -> Bytes) {
        let mut inner = lock(&self.inner);
        inner.written += 1;
        let number = inner.written;
        let event = event(&format!("{}-{number}-{}", self.number, self.table));
        let entry = Entry { number, event, is_dispensable };
        let size = entry.size();
        inner.events.push_back(entry);
        inner.bytes += size;
        self.stored.add(size);
        if let Some(reader) = &mut inner.reader {
            reader.unread += size;
        }
        self.evict(&mut inner);
        drop(inner);
        self.wake.notify_waiters();
    }

    /// Has what can be spared give way to the limits.
    fn evict(&self, inner: &mut Inner) {
        self.stored.make_room();
        while (inner.bytes > self.limit || self.stored.is_over())
            && let Some(index) = inner.spared()
            && let Some(entry) = inner.events.remove(index)
        {
            inner.bytes -= entry.size();
            self.stored.take(entry.size());
        }
    }

    /// The next event for a reader.
    fn next(&self, reader: u64) -> Next {
        let mut inner = lock(&self.inner);
        let Inner { events, reader: attached, is_closed, .. } = &mut *inner;
        let Some(reader) = attached.as_mut().filter(|attached| attached.number == reader) else {
            return Next::End;
        };
        let index = events.partition_point(|entry| entry.number <= reader.read);
        let is_due = |entry: &&Entry| reader.until.is_none_or(|until| entry.number <= until);
        match events.get(index).filter(is_due) {
            Some(entry) => {
                reader.read = entry.number;
                reader.unread -= entry.size();
                self.room.notify_one();
                Next::Event(entry.event.clone())
            }
            None if *is_closed || reader.until.is_some() => Next::End,
            None => Next::Nothing,
        }
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.stored.take(inner.bytes + OVERHEAD);
    }
}

impl Inner {
    /// The event that is most easily done without.
    fn spared(&self) -> Option<usize> {
        match &self.reader {
            Some(reader) => self.events.front().filter(|e| e.number <= reader.read).map(|_| 0),
            None => self.events.iter().position(|entry| entry.is_dispensable),
        }
    }
}

enum Next {
    Event(Bytes),
    Nothing,
    End,
}

/// One who reads a stream, until it is dropped or the session has ended.
pub(crate) struct Reader {
    stream: Arc<EventStream>,
    number: u64,
    keep_alive: Duration,
    ended: CancellationToken,
}

impl Reader {
    pub(crate) fn into_stream(self) -> impl Stream<Item = Bytes> + Send + 'static {
        stream::unfold(self, |reader| async move {
            let event = reader.next().await?;
            Some((event, reader))
        })
    }

    /// The next event; a comment if none comes for long.
    async fn next(&self) -> Option<Bytes> {
        loop {
            let mut woken = std::pin::pin!(self.stream.wake.notified());
            woken.as_mut().enable();
            // What ends with the session is not read to its end.
            if self.ended.is_cancelled() {
                return None;
            }
            match self.stream.next(self.number) {
                Next::Event(event) => return Some(event),
                Next::End => return None,
                Next::Nothing => {}
            }
            if tokio::time::timeout(self.keep_alive, woken).await.is_err() {
                return Some(Bytes::from_static(COMMENT));
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stream.detach(self.number);
    }
}

/// Whether a message of the host is one, by how the codecs write: a request has its id first.
fn is_notification(message: &[u8]) -> bool {
    message.starts_with(br#"{"jsonrpc":"2.0","method":"#)
}

/// What the id of an event names: its stream, its number there, and the table of the stream.
pub(crate) struct EventId<'a> {
    stream: u64,
    pub(crate) event: u64,
    table: &'a str,
}

impl<'a> EventId<'a> {
    pub(crate) fn parse(id: &'a str) -> Option<Self> {
        let (stream, rest) = id.split_once('-')?;
        let (event, table) = rest.split_once('-')?;
        Some(Self { stream: stream.parse().ok()?, event: event.parse().ok()?, table })
    }
}

#[cfg(test)]
mod tests;
