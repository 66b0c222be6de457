//! The listener, and its connections within their limits.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Endpoint;

/// Accepts connections until the host shuts down, then waits for none of them.
pub(crate) async fn accept(endpoint: Arc<Endpoint>, listener: TcpListener, tracker: TaskTracker) {
    let places = Arc::new(Semaphore::new(endpoint.config.limits.connections));
    let port = listener.local_addr().ok().map(|address| address.port());
    let shutdown = endpoint.shutdown.clone();
    loop {
        let place = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            place = places.clone().acquire_owned() => place,
        };
        let Ok(place) = place else { return };
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                tracker.spawn(serve(endpoint.clone(), stream, port, place));
            }
            Err(error) => {
                // Out of descriptors, most likely: those in use will be given back.
                tracing::warn!(%error, "no connection accepted");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve(
    endpoint: Arc<Endpoint>,
    stream: TcpStream,
    port: Option<u16>,
    _place: OwnedSemaphorePermit,
) {
    let _ = stream.set_nodelay(true);
    let limits = endpoint.config.limits;
    let shutdown = endpoint.shutdown.clone();
    let activity = Arc::new(Activity::new());
    let io = Timed::new(stream, limits.write);
    let service = service_fn(|request: http::Request<Incoming>| {
        let endpoint = endpoint.clone();
        let active = Active::new(&activity);
        async move {
            let reply = endpoint.handle(request, port).await;
            // A stream is at work as long as it is read.
            Ok::<_, std::convert::Infallible>(reply.map(|body| Watched { body, _active: active }))
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_read)
        .max_buf_size(limits.header_bytes.max(MIN_BUFFER))
        .max_headers(limits.headers);
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(io), service));
    tokio::select! {
        biased;
        () = shutdown.cancelled() => {}
        result = connection.as_mut() => {
            if let Err(error) = result {
                tracing::trace!(%error, "connection ended");
            }
        }
        () = activity.idle(limits.idle, &shutdown) => {}
    }
}

/// The least that the HTTP library works with.
const MIN_BUFFER: usize = 8192;

/// Whether anything goes on on a connection.
struct Activity {
    at_work: AtomicUsize,
    started: Instant,
    /// Milliseconds from the start to the end of the last request.
    last: AtomicUsize,
}

impl Activity {
    fn new() -> Self {
        Self { at_work: AtomicUsize::new(0), started: Instant::now(), last: AtomicUsize::new(0) }
    }

    /// Ends when nothing has gone on for `limit`.
    async fn idle(&self, limit: Duration, _shutdown: &CancellationToken) {
        loop {
            let last =
                self.started + Duration::from_millis(self.last.load(Ordering::Relaxed) as u64);
            let due = match self.at_work.load(Ordering::Relaxed) {
                0 => last + limit,
                _ => Instant::now() + limit,
            };
            if due <= Instant::now() {
                return;
            }
            sleep_until(due).await;
        }
    }
}

struct Active(Arc<Activity>);

impl Active {
    fn new(activity: &Arc<Activity>) -> Self {
        activity.at_work.fetch_add(1, Ordering::Relaxed);
        Self(activity.clone())
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        let elapsed = self.0.started.elapsed().as_millis();
        self.0.last.store(usize::try_from(elapsed).unwrap_or(usize::MAX), Ordering::Relaxed);
        self.0.at_work.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A body whose connection is at work until it is read.
struct Watched {
    body: super::ResponseBody,
    _active: Active,
}

impl http_body::Body for Watched {
    type Data = bytes::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<bytes::Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// A connection that is given up when its peer leaves what is sent unread for too long.
struct Timed {
    stream: TcpStream,
    limit: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Timed {
    fn new(stream: TcpStream, limit: Duration) -> Self {
        Self { stream, limit, stalled: None }
    }

    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Timed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Timed {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
