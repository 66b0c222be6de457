//! Messages as lines: read within a limit, written together where they wait together. Whoever stops
//! to wait for a line read or written loses nothing of it.

use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::poll;
use memchr::{memchr, memchr2};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::outlet::Event;

/// What is read next.
pub(crate) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line beyond the limit, of which nothing is kept.
    TooLong,
    /// The input has ended.
    End,
}

/// Reads lines of up to `limit` bytes.
pub(crate) struct LineReader<R> {
    read: BufReader<R>,
    limit: usize,
    /// What has come of the next line; `None` if that is too long.
    begun: Option<Vec<u8>>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(read: R, limit: usize) -> Self {
        let read = BufReader::with_capacity(64 << 10, read);
        Self { read, limit, begun: Some(Vec::new()) }
    }

    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(match self.begun.replace(Vec::new()) {
                    None => Line::TooLong,
                    Some(line) if line.is_empty() => Line::End,
                    Some(line) => Line::Whole(line),
                });
            }
            let end = memchr(b'\n', available);
            let part = &available[..end.unwrap_or(available.len())];
            match &mut self.begun {
                Some(line) if line.len() + part.len() <= self.limit => line.extend_from_slice(part),
                begun => *begun = None,
            }
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                return Ok(self.begun.replace(Vec::new()).map_or(Line::TooLong, Line::Whole));
            }
        }
    }
}

/// Lines that wait to be written.
pub(crate) struct LineWriter<W> {
    write: W,
    out: Vec<u8>,
    /// How many bytes of `out` are written.
    sent: usize,
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    pub(crate) fn new(write: W) -> Self {
        Self { write, out: Vec::new(), sent: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Whether so little waits that more should.
    pub(crate) fn has_room(&self) -> bool {
        self.out.len() - self.sent < BATCH
    }

    pub(crate) fn push(&mut self, message: &[u8]) {
        push_line(&mut self.out, message);
        self.out.push(b'\n');
    }

    /// Takes in what a call says.
    pub(crate) fn take(&mut self, event: Event) {
        if let Event::Message(message) = event {
            self.push(&message);
        }
    }

    /// Takes in what waits, as long as there is room.
    pub(crate) fn take_all(&mut self, receiver: &mut mpsc::Receiver<Event>) {
        while self.has_room()
            && let Ok(event) = receiver.try_recv()
        {
            self.take(event);
        }
    }

    /// Writes some of what waits, and flushes after the last.
    pub(crate) async fn write(&mut self) -> io::Result<()> {
        if self.sent < self.out.len() {
            match self.write.write(&self.out[self.sent..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.sent += written,
            }
        }
        if self.sent == self.out.len() {
            self.write.flush().await?;
            self.out.clear();
            self.out.shrink_to(2 * BATCH);
            self.sent = 0;
        } else if self.sent >= BATCH {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }

    /// As [`write`](Self::write), unless nobody takes anything for as long as `limit`.
    pub(crate) async fn write_within(&mut self, limit: Duration) -> io::Result<()> {
        let mut write = pin!(self.write());
        match poll!(&mut write) {
            Poll::Ready(written) => written,
            // A timer for each write would cost more than the write.
            Poll::Pending => timeout(limit, write).await.unwrap_or_else(|_| {
                Err(io::Error::new(io::ErrorKind::TimedOut, "nobody reads what is written"))
            }),
        }
    }
}

/// Writes what is there in one go, and flushes when nothing more waits.
#[cfg(feature = "connect")]
pub(crate) async fn write_lines(
    write: impl AsyncWrite + Unpin,
    mut receiver: mpsc::Receiver<Event>,
) -> io::Result<()> {
    let mut lines = LineWriter::new(write);
    while let Some(event) = receiver.recv().await {
        lines.take(event);
        lines.take_all(&mut receiver);
        while !lines.is_empty() {
            lines.write().await?;
        }
    }
    Ok(())
}

/// Appends a message as one line: JSON of the application may have line breaks, between its tokens.
pub(crate) fn push_line(out: &mut Vec<u8>, message: &[u8]) {
    match memchr2(b'\n', b'\r', message) {
        None => out.extend_from_slice(message),
        Some(_) => out.extend(message.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'))),
    }
}

/// Small messages that wait together are written together, up to this many bytes.
const BATCH: usize = 64 << 10;
