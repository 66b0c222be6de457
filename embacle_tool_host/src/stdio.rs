//! MCP over standard input and output: a message a line.

use std::io;
use std::sync::Arc;

use protocol_droid_ir::error_data::{INVALID_REQUEST, PARSE_ERROR};
use protocol_droid_ir::{Buffer, ErrorObject};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use crate::config::HostConfig;
use crate::context::Event;
use crate::duplex::Duplex;
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::served::Served;
use crate::service::Service;

/// Serves one client on standard input and output until it closes its end.
///
/// # Errors
/// When reading or writing fails.
pub async fn serve_stdio(service: impl Into<Service>) -> io::Result<()> {
    let config = HostConfig::default();
    serve_lines(tokio::io::stdin(), tokio::io::stdout(), service, config).await
}

/// Serves one client on any pair of streams, a message a line, until it closes its end.
///
/// # Errors
/// When reading or writing fails.
pub async fn serve_lines(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
    service: impl Into<Service>,
    config: HostConfig,
) -> io::Result<()> {
    let limit = config.limits.message_bytes;
    let served = Arc::new(Served::new(service.into(), [0; 32], Arc::new(config)));
    let (sender, receiver) = mpsc::channel(BACKLOG);
    let duplex = Duplex::new(served.clone(), sender.clone());
    let writer = tokio::spawn(write_lines(write, receiver));
    let read = read_lines(read, limit, &duplex, &sender).await;
    // What is at work is finished for nobody: the client has gone.
    duplex.over.cancel();
    served.revoked.cancel();
    served.tracker.close();
    served.tracker.wait().await;
    drop((duplex, sender));
    let written = writer.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    read.and(written)
}

/// Messages that wait for the client to read.
const BACKLOG: usize = 256;

async fn read_lines(
    read: impl AsyncRead + Unpin,
    limit: usize,
    duplex: &Arc<Duplex>,
    sender: &mpsc::Sender<Event>,
) -> io::Result<()> {
    let mut read = BufReader::with_capacity(64 << 10, read);
    let mut line = Vec::new();
    loop {
        line.clear();
        let fits = match next_line(&mut read, &mut line, limit).await? {
            Line::End => return Ok(()),
            Line::Whole => true,
            Line::TooLong => false,
        };
        let refuse = |code, text: String| {
            let error = reply::error(None, ErrorObject::new(code, text), reader());
            sender.send(Event::Message(error))
        };
        if !fits {
            let text = format!("a message has at most {limit} bytes here");
            let _ = refuse(INVALID_REQUEST, text).await;
            continue;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Buffer::try_from(&line[..]) {
            Ok(input) => duplex.receive(input).await,
            Err(error) => {
                let text = format!("expected UTF-8, found a byte that is not: {error}");
                let _ = refuse(PARSE_ERROR, text).await;
            }
        }
        if sender.is_closed() {
            return Ok(());
        }
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line without its end; of one beyond `limit` nothing is kept.
async fn next_line(
    read: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Line> {
    let mut is_too_long = false;
    loop {
        let available = read.fill_buf().await?;
        if available.is_empty() {
            return Ok(match (is_too_long, line.is_empty()) {
                (true, _) => Line::TooLong,
                (false, false) => Line::Whole,
                (false, true) => Line::End,
            });
        }
        let end = available.iter().position(|&b| b == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        is_too_long |= line.len() + part.len() > limit;
        if is_too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        read.consume(taken);
        if end.is_some() {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

/// Writes what is there in one go, and flushes when nothing more waits.
async fn write_lines(
    mut write: impl AsyncWrite + Unpin,
    mut receiver: mpsc::Receiver<Event>,
) -> io::Result<()> {
    let mut out = Vec::new();
    while let Some(event) = receiver.recv().await {
        let mut next = Some(event);
        while let Some(event) = next {
            if let Event::Message(message) = event {
                out.extend_from_slice(&message);
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

/// Small messages that wait together are written together, up to this many bytes.
const BATCH: usize = 64 << 10;
