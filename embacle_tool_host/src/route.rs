//! A tool surface behind a subc route: the provider's side.

use std::collections::HashMap;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use subc_protocol::{
    Address, Body, CallId, ErrorBody, Fence, Frame, FrameDecoder, FrameType, RawToolCallRequest,
    Ticket, Verdict,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::context::lock;
use crate::keys::{digest, random_name};
use crate::route_call::{Answer, Came, Runner};
use crate::route_push::Told;
use crate::surface::ToolSurface;

/// Serves a tool surface on one route until its other end closes it; calls at work are then
/// cancelled. To go on with them over another route, see [`RouteProvider`].
///
/// # Errors
/// When reading or writing fails, or what comes in are no frames.
pub async fn serve_route(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
    surface: impl ToolSurface + 'static,
) -> io::Result<()> {
    let provider = RouteProvider::new(surface, Limits::default());
    let _over = provider.inner.over.clone().drop_guard();
    provider.serve(read, write).await
}

/// Serves a tool surface to one consumer, over one route after another: a call that is repeated
/// after a cut is answered from memory, or once it is done, and runs once.
///
/// Ids are unique to a consumer, so each has a provider of its own. An id that comes with another
/// tool or other arguments is refused.
///
/// What a call tells before its answer goes into Push frames with the number of its request, in JSON:
/// progress with `progress`, `total` and `message`, if the request has a progress token; log messages
/// with `level`, `logger` and `data`, of every level, for the consumer to choose from. A tool that
/// asks its client is declined.
#[derive(Clone)]
pub struct RouteProvider {
    inner: Arc<Inner>,
}

struct Inner {
    runner: Runner,
    fence: Mutex<Fence<Stored>>,
    running: Mutex<HashMap<CallId, Running>>,
    tracker: TaskTracker,
    over: CancellationToken,
}

/// What a call came to.
struct Stored {
    of: Fingerprint,
    answer: Answer,
}

/// A call at work.
#[derive(Clone)]
struct Running {
    of: Fingerprint,
    cancel: CancellationToken,
    done: watch::Receiver<Option<Answer>>,
    told: Arc<Mutex<Told>>,
}

/// What tells a repeat from another call of the same id.
type Fingerprint = [u8; 32];

/// How many calls are remembered, and how many bytes of their answers.
const REMEMBERED: usize = 4096;
const REMEMBERED_BYTES: u64 = 64 << 20;

impl RouteProvider {
    /// Serves `surface`; of the limits, those of calls count.
    pub fn new(surface: impl ToolSurface + 'static, limits: Limits) -> Self {
        let weigh = |stored: &Stored| stored.answer.as_ref().map_or(256, |body| body.len() as u64);
        Self {
            inner: Arc::new(Inner {
                runner: Runner::new(surface, limits),
                fence: Mutex::new(Fence::with_weight_limit(REMEMBERED, REMEMBERED_BYTES, weigh)),
                running: Mutex::default(),
                tracker: TaskTracker::new(),
                over: CancellationToken::new(),
            }),
        }
    }

    /// Serves one route until its other end closes it, or says goodbye. Calls at work go on, for
    /// whoever repeats them.
    ///
    /// # Errors
    /// When reading or writing fails, or what comes in are no frames.
    pub async fn serve(
        &self,
        mut read: impl AsyncRead + Unpin,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let writer = tokio::spawn(write_frames(write, receiver));
        // Calls do not keep the route open.
        let route =
            Route { inner: self.inner.clone(), sender: sender.downgrade(), calls: Arc::default() };
        let mut frames = FrameReader::new(&mut read);
        let read = loop {
            match frames.next().await {
                Ok(Some(frame)) if frame.frame_type() == FrameType::Goodbye => break Ok(()),
                Ok(Some(frame)) => route.receive(frame).await,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        drop(sender);
        read.and(written(writer).await)
    }

    /// The calls at work.
    pub fn calls_at_work(&self) -> usize {
        lock(&self.inner.running).len()
    }
}

pub(crate) const BACKLOG: usize = 256;

/// Reads frames from a stream.
pub(crate) struct FrameReader<R> {
    read: R,
    decoder: FrameDecoder,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(read: R) -> Self {
        Self { read, decoder: FrameDecoder::new(), buffer: vec![0; 64 << 10] }
    }

    /// The next frame; `None` at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.decoder.next_frame().map_err(io::Error::other)? {
                return Ok(Some(frame));
            }
            let count = self.read.read(&mut self.buffer).await?;
            if count == 0 {
                self.decoder.finish().map_err(io::Error::other)?;
                return Ok(None);
            }
            self.decoder.push(&self.buffer[..count]);
        }
    }
}

/// Writes frames as they come, those that wait together in one go.
pub(crate) async fn write_frames(
    mut write: impl AsyncWrite + Unpin,
    mut receiver: mpsc::Receiver<Frame>,
) -> io::Result<()> {
    let mut out = Vec::new();
    while let Some(frame) = receiver.recv().await {
        frame.encode_into(&mut out);
        while out.len() < (64 << 10)
            && let Ok(frame) = receiver.try_recv()
        {
            frame.encode_into(&mut out);
        }
        write.write_all(&out).await?;
        write.flush().await?;
        out.clear();
    }
    Ok(())
}

/// The end of a writer to whom nothing more is given; one that is not read from is given up.
pub(crate) async fn written(mut writer: JoinHandle<io::Result<()>>) -> io::Result<()> {
    match tokio::time::timeout(LAST, &mut writer).await {
        Ok(done) => done.unwrap_or_else(|error| Err(io::Error::other(error))),
        Err(_) => {
            writer.abort();
            Err(io::ErrorKind::TimedOut.into())
        }
    }
}

const LAST: Duration = Duration::from_secs(2);

/// One route, while it stands.
#[derive(Clone)]
struct Route {
    inner: Arc<Inner>,
    sender: mpsc::WeakSender<Frame>,
    /// The calls of this route by the number of their request.
    calls: Arc<Mutex<HashMap<u64, CallId>>>,
}

impl Route {
    async fn receive(&self, frame: Frame) {
        let (address, corr) = (frame.address(), frame.corr());
        match frame.frame_type() {
            FrameType::Ping => self.send(Frame::pong(address, corr).build()).await,
            FrameType::Cancel => {
                let id = lock(&self.calls).get(&corr).cloned();
                let running = id.and_then(|id| lock(&self.inner.running).get(&id).cloned());
                if let Some(running) = running {
                    running.cancel.cancel();
                }
            }
            FrameType::Request => match self.take(&frame) {
                Ok(running) => self.follow(address, corr, running),
                Err(answer) => self.answer(address, corr, answer).await,
            },
            _ => {}
        }
    }

    /// The call of a request: a new one, or the one that it repeats; or what it came to.
    fn take(&self, frame: &Frame) -> Result<Running, Answer> {
        let refuse = |code: &str, text: String| Err(ErrorBody::new(code, text));
        let bad = |text: String| refuse("bad_request", text);
        let request: RawToolCallRequest =
            frame.body().parse().map_err(|error| bad(error.to_string()))?;
        request.validate().map_err(|error| bad(error.to_string()))?;
        let id = request.call_id(random_name, &mut |tool: &str, id: &str| {
            tracing::debug!(tool, id, "a call without an id");
        });
        let of = fingerprint(&request);
        let reused = || refuse("id_reused", format!("{id} is the id of another call"));
        let told = Told::new(self.sender.clone(), frame.address(), frame.corr());
        let mut fence = lock(&self.inner.fence);
        let running = match fence.begin(id.clone()) {
            // Under the lock: whoever finds it in flight finds it at work.
            Ok(Verdict::First(ticket)) => self.start(ticket, id.clone(), request, of, told),
            Ok(Verdict::Done(stored)) if stored.of == of => return Err(stored.answer.clone()),
            Ok(Verdict::Done(_)) => return Err(reused()),
            Ok(Verdict::Spent) => {
                return Err(refuse("spent", "the answer is no longer held".to_owned()));
            }
            Ok(Verdict::InFlight) => match lock(&self.inner.running).get(&id) {
                Some(running) if running.of == of => {
                    *lock(&running.told) = told;
                    running.clone()
                }
                Some(_) => return Err(reused()),
                None => return Err(refuse("in_flight", "the call is at work".to_owned())),
            },
            Err(full) => return Err(refuse("busy", full.to_string())),
        };
        drop(fence);
        lock(&self.calls).insert(frame.corr(), id);
        Ok(running)
    }

    fn start(
        &self,
        ticket: Ticket,
        id: CallId,
        request: RawToolCallRequest,
        of: Fingerprint,
        told: Told,
    ) -> Running {
        let (done, receiver) = watch::channel(None);
        let told = Arc::new(Mutex::new(told));
        let cancel = self.inner.over.child_token();
        let running = Running { of, cancel: cancel.clone(), done: receiver, told: told.clone() };
        lock(&self.inner.running).insert(id.clone(), running.clone());
        let inner = self.inner.clone();
        // On after a cut: whoever repeats the call gets what it comes to.
        self.inner.tracker.spawn(async move {
            let tell = |event| Told::tell(told.clone(), event);
            let run = AssertUnwindSafe(inner.runner.run(id.clone(), request, cancel, tell));
            let panicked = |_| Came::To(Err(ErrorBody::new("internal", "internal error")));
            let answer = match run.catch_unwind().await.unwrap_or_else(panicked) {
                Came::To(answer) => {
                    let _ =
                        lock(&inner.fence).complete(ticket, Stored { of, answer: answer.clone() });
                    answer
                }
                // It may be repeated: nothing has been done.
                Came::Refused(error) => {
                    let _ = lock(&inner.fence).abandon(ticket);
                    Err(error)
                }
            };
            lock(&inner.running).remove(&id);
            let _ = done.send(Some(answer));
        });
        running
    }

    /// Answers a request once its call is done, if the route still stands then.
    fn follow(&self, address: Address, corr: u64, mut running: Running) {
        let route = self.clone();
        self.inner.tracker.spawn(async move {
            let answer = match running.done.wait_for(Option::is_some).await {
                Ok(answer) => answer.clone(),
                Err(_) => None,
            };
            if let Some(answer) = answer {
                route.answer(address, corr, answer).await;
            }
        });
    }

    async fn answer(&self, address: Address, corr: u64, answer: Answer) {
        lock(&self.calls).remove(&corr);
        let frame = match answer {
            Ok(body) => Frame::response(address, corr, body),
            Err(error) => match Body::json(&error) {
                Ok(body) => Frame::error(address, corr, body),
                Err(_) => return,
            },
        };
        self.send(frame.last(true).build()).await;
    }

    async fn send(&self, frame: Frame) {
        if let Some(sender) = self.sender.upgrade() {
            let _ = sender.send(frame).await;
        }
    }
}

fn fingerprint(request: &RawToolCallRequest) -> Fingerprint {
    digest(&[request.name.as_bytes(), request.arguments.get().as_bytes()])
}
