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
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
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
    let io = Timed::new(stream, limits.write, activity.clone());
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
    http.max_buf_size(limits.header_bytes.max(MIN_BUFFER));
    if limits.headers != HEADERS {
        http.max_headers(limits.headers);
    }
    let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(io), service));
    tokio::select! {
        biased;
        result = connection.as_mut() => {
            if let Err(error) = result {
                tracing::trace!(%error, "connection ended");
            }
        }
        () = shutdown.cancelled() => {}
        () = activity.over(limits.idle, limits.header_read) => {}
    }
}

/// What the HTTP library takes by itself, without memory of its own for them.
const HEADERS: usize = 100;

/// The least that the HTTP library works with.
const MIN_BUFFER: usize = 8192;

/// What goes on on a connection. Looked at now and then: a timer for each request would cost more
/// than most requests.
struct Activity {
    started: Instant,
    at_work: AtomicUsize,
    /// Counts the ends of requests, and the reads while none is at work: the start of a head.
    ended: AtomicUsize,
    reads: AtomicUsize,
}

impl Activity {
    fn new() -> Self {
        let count = || AtomicUsize::new(0);
        Self { started: Instant::now(), at_work: count(), ended: count(), reads: count() }
    }

    /// Ends when nothing has gone on for `idle`, or a head has been on its way for `header_read`;
    /// both are told a look late, at most.
    async fn over(&self, idle: Duration, header_read: Duration) {
        let step = (idle.min(header_read) / LOOKS).max(Duration::from_millis(10));
        let mut seen = (0, self.started);
        let mut head = None;
        loop {
            sleep(step).await;
            let now = Instant::now();
            let load = |count: &AtomicUsize| count.load(Ordering::Relaxed);
            let reads = self.reads.swap(0, Ordering::Relaxed);
            let ended = load(&self.ended);
            if load(&self.at_work) > 0 || ended != seen.0 {
                seen = (ended, now);
                head = None;
                continue;
            }
            if reads > 0 {
                head.get_or_insert(now);
            }
            let late = head.is_some_and(|head| now - head >= header_read);
            if late || now - seen.1 >= idle {
                return;
            }
        }
    }
}

/// How often it is looked within the shorter limit.
const LOOKS: u32 = 8;

struct Active(Arc<Activity>);

impl Active {
    fn new(activity: &Arc<Activity>) -> Self {
        activity.at_work.fetch_add(1, Ordering::Relaxed);
        Self(activity.clone())
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
        // What was read meanwhile was this request.
        self.0.reads.store(0, Ordering::Relaxed);
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
    activity: Arc<Activity>,
}

impl Timed {
    fn new(stream: TcpStream, limit: Duration, activity: Arc<Activity>) -> Self {
        Self { stream, limit, stalled: None, activity }
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
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_ready() {
            self.activity.reads.fetch_add(1, Ordering::Relaxed);
        }
        read
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
