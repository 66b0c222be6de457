//! Messages as lines: read within a limit, written together where they wait together.

use std::io;

use memchr::{memchr, memchr2};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

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
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(read: R, limit: usize) -> Self {
        Self { read: BufReader::with_capacity(64 << 10, read), limit }
    }

    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        let mut line = Vec::new();
        let mut is_too_long = false;
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(match (is_too_long, line.is_empty()) {
                    (true, _) => Line::TooLong,
                    (false, false) => Line::Whole(line),
                    (false, true) => Line::End,
                });
            }
            let end = memchr(b'\n', available);
            let part = &available[..end.unwrap_or(available.len())];
            is_too_long |= line.len() + part.len() > self.limit;
            if is_too_long {
                line = Vec::new();
            } else {
                line.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.read.consume(taken);
            if end.is_some() {
                return Ok(if is_too_long { Line::TooLong } else { Line::Whole(line) });
            }
        }
    }
}

/// Writes what is there in one go, and flushes when nothing more waits.
pub(crate) async fn write_lines(
    mut write: impl AsyncWrite + Unpin,
    mut receiver: mpsc::Receiver<Event>,
) -> io::Result<()> {
    let mut out = Vec::new();
    while let Some(event) = receiver.recv().await {
        let mut next = Some(event);
        while let Some(event) = next {
            if let Event::Message(message) = event {
                push_line(&mut out, &message);
                out.push(b'\n');
            }
            next = if out.len() < BATCH { receiver.try_recv().ok() } else { None };
        }
        write.write_all(&out).await?;
        write.flush().await?;
        out.clear();
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
