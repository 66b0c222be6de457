//! MCP over standard input and output: a message a line.

use std::io;
use std::sync::Arc;

use protocol_droid_ir::error_data::{INVALID_REQUEST, PARSE_ERROR};
use protocol_droid_ir::{Buffer, ErrorObject};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::config::HostConfig;
use crate::duplex::Duplex;
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::lines::{Line, LineReader, LineWriter};
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

/// Serves one client on any pair of streams, a message a line, until it closes its end; what is at
/// work then is cancelled.
///
/// # Errors
/// When reading or writing fails, or the client leaves what is written unread for as long as
/// [`Limits::write`](crate::Limits::write).
pub async fn serve_lines(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
    service: impl Into<Service>,
    config: HostConfig,
) -> io::Result<()> {
    let served = Arc::new(Served::new(service.into(), [0; 32], Arc::new(config)));
    let (sender, receiver) = mpsc::channel(BACKLOG);
    let duplex = Duplex::new(served.clone(), sender);
    let mut lines = LineReader::new(read, served.limits().message_bytes);
    let mut out = Out { lines: LineWriter::new(write), receiver };
    let end = out.exchange(&mut lines, &duplex).await;
    duplex.over.cancel();
    served.revoked.cancel();
    served.tracker.close();
    // Who has something to say still keeps it.
    drop(duplex);
    match end {
        Ok(()) => out.finish(&served).await,
        Err(_) => {
            // Nobody hears what others have still to say.
            drop(out);
            served.tracker.wait().await;
            end
        }
    }
}

/// Messages that wait for the client to read.
const BACKLOG: usize = 256;

/// What goes to the client.
struct Out<W> {
    lines: LineWriter<W>,
    /// From calls that were not answered at once.
    receiver: mpsc::Receiver<Event>,
}

impl<W: AsyncWrite + Unpin> Out<W> {
    /// Takes lines and answers them until there are no more. Reading and writing are one task:
    /// none has to wake another. Nothing more is read while too much waits to be written.
    async fn exchange(
        &mut self,
        lines: &mut LineReader<impl AsyncRead + Unpin>,
        duplex: &Arc<Duplex>,
    ) -> io::Result<()> {
        let limits = *duplex.limits();
        loop {
            let has_room = self.lines.has_room();
            tokio::select! {
                biased;
                line = lines.next(), if has_room => {
                    let answer = match line? {
                        Line::End => return Ok(()),
                        Line::Whole(line) => answer(line, duplex),
                        Line::TooLong => Some(too_long(limits.message_bytes)),
                    };
                    // What the call said goes before its answer.
                    self.lines.take_all(&mut self.receiver);
                    if let Some(answer) = answer {
                        self.lines.push(&answer);
                    }
                }
                Some(event) = self.receiver.recv(), if has_room => self.lines.take(event),
                written = self.lines.write_within(limits.write), if !self.lines.is_empty() => {
                    written?;
                }
            }
        }
    }

    /// Writes what is left to say, once all that is at work has ended.
    async fn finish(mut self, served: &Served) -> io::Result<()> {
        let (limit, mut have_ended) = (served.limits().write, false);
        loop {
            let has_room = self.lines.has_room();
            tokio::select! {
                biased;
                written = self.lines.write_within(limit), if !self.lines.is_empty() => written?,
                Some(event) = self.receiver.recv(), if has_room => self.lines.take(event),
                () = served.tracker.wait(), if !have_ended => have_ended = true,
                else => return Ok(()),
            }
        }
    }
}

/// What is answered at once.
fn answer(line: Vec<u8>, duplex: &Arc<Duplex>) -> Option<Vec<u8>> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    match Buffer::try_from(line) {
        Ok(input) => duplex.receive(input),
        Err(error) => {
            let text = format!("expected UTF-8, found a byte that is not: {error}");
            Some(reply::error(None, ErrorObject::new(PARSE_ERROR, text), reader()))
        }
    }
}

fn too_long(limit: usize) -> Vec<u8> {
    let text = format!("a message has at most {limit} bytes here");
    reply::error(None, ErrorObject::new(INVALID_REQUEST, text), reader())
}
