//! MCP over standard input and output: a message a line.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, join, select};
use protocol_droid_ir::error_data::{INVALID_REQUEST, PARSE_ERROR};
use protocol_droid_ir::{Buffer, ErrorObject};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::config::HostConfig;
use crate::duplex::Duplex;
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::lines::{Line, LineReader, write_lines};
use crate::outlet::Event;
use crate::served::Served;
use crate::service::Service;

/// Serves one client on standard input and output until it closes its end.
///
/// # Errors
/// When reading or writing fails.
pub async fn serve_stdio(service: impl Into<Service>) -> io::Result<()> {
    let (read, write) = streams();
    serve_lines(read, write, service, HostConfig::default()).await
}

type Streams = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

/// Standard input and output: pipes and sockets are polled, which takes a fraction of the time that
/// handing each read and write to a thread does.
fn streams() -> Streams {
    #[cfg(unix)]
    if let Some(streams) = polled::streams() {
        return streams;
    }
    (Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout()))
}

#[cfg(unix)]
mod polled {
    use std::fs::File;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;
    use std::os::unix::net::UnixStream as Socket;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::{UnixStream, unix::pipe};

    /// Both streams, or neither: one that is polled can no longer be waited on. A terminal or a
    /// file is shared with others, and stays as it is.
    pub(super) fn streams() -> Option<super::Streams> {
        let (input, output) = (file(std::io::stdin())?, file(std::io::stdout())?);
        let read: Box<dyn AsyncRead + Send + Unpin> = match is_pipe(&input)? {
            true => Box::new(pipe::Receiver::from_owned_fd(input.into()).ok()?),
            false => Box::new(socket(input)?),
        };
        let write: Box<dyn AsyncWrite + Send + Unpin> = match is_pipe(&output)? {
            true => Box::new(pipe::Sender::from_owned_fd(output.into()).ok()?),
            false => Box::new(socket(output)?),
        };
        Some((read, write))
    }

    /// A pipe or a socket.
    fn file(stream: impl AsFd) -> Option<File> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        is_pipe(&file).map(|_| file)
    }

    /// `None` for what is neither a pipe nor a socket.
    fn is_pipe(file: &File) -> Option<bool> {
        let kind = file.metadata().ok()?.file_type();
        (kind.is_fifo() || kind.is_socket()).then(|| kind.is_fifo())
    }

    fn socket(file: File) -> Option<UnixStream> {
        let socket = Socket::from(OwnedFd::from(file));
        socket.set_nonblocking(true).ok()?;
        UnixStream::from_std(socket).ok()
    }
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
    let mut writing = pin!(write_lines(write, receiver));
    // Together: what is read is answered and written without another task to wake.
    let first = {
        let reading = pin!(read_lines(read, limit, &duplex, &sender));
        match select(reading, &mut writing).await {
            Either::Left((read, _)) => Either::Left(read),
            Either::Right((written, _)) => Either::Right(written),
        }
    };
    let end = async {
        // What is at work is finished for nobody: the client has gone.
        duplex.over.cancel();
        served.revoked.cancel();
        served.tracker.close();
        served.tracker.wait().await;
        drop((duplex, sender));
    };
    match first {
        Either::Left(read) => {
            let ((), written) = join(end, writing).await;
            read.and(written)
        }
        Either::Right(written) => {
            end.await;
            written
        }
    }
}

/// Messages that wait for the client to read.
const BACKLOG: usize = 256;

async fn read_lines(
    read: impl AsyncRead + Unpin,
    limit: usize,
    duplex: &Arc<Duplex>,
    sender: &mpsc::Sender<Event>,
) -> io::Result<()> {
    let mut lines = LineReader::new(read, limit);
    loop {
        let line = match lines.next().await? {
            Line::End => return Ok(()),
            Line::Whole(line) => Some(line),
            Line::TooLong => None,
        };
        let refuse = |code, text: String| {
            let error = reply::error(None, ErrorObject::new(code, text), reader());
            sender.send(Event::Message(error))
        };
        let Some(line) = line else {
            let text = format!("a message has at most {limit} bytes here");
            let _ = refuse(INVALID_REQUEST, text).await;
            continue;
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match Buffer::try_from(line) {
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
