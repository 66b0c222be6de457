//! A tool surface behind a subc route: the provider's side.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use protocol_droid_ir::{Extensions, JsonObject, ResultBody, ToolResult};
use serde::{Deserialize, Serialize};
use subc_protocol::serde_json::value::RawValue;
use subc_protocol::{
    Address, Body, CallId, ErrorBody, Fence, Frame, FrameDecoder, FrameType, RawToolCallRequest,
    Ticket, Verdict,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::calling::{Driven, drive};
use crate::config::Limits;
use crate::context::{Call, CallContext, Event, Interrupt, LeastLevel, Outlet, Rounds, lock};
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::keys::random_name;
use crate::list::Tools;
use crate::outcome::{Failure, ToolOutcome};
use crate::peer::Peer;
use crate::surface::ToolSurface;

/// How far a call is: the body of a Push frame, as MCP tells progress.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct ProgressBody {
    pub(crate) progress: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) total: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// Serves a tool surface on one route until its other end closes it. Calls that run then are not
/// remembered: see [`RouteProvider`].
///
/// # Errors
/// When reading or writing fails, or what comes in are no frames.
pub async fn serve_route(
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
    surface: impl ToolSurface + 'static,
) -> io::Result<()> {
    RouteProvider::new(surface, Limits::default()).serve(read, write).await
}

/// Serves a tool surface to one consumer, over one route after another: a call that is repeated
/// after a cut is answered from memory, or once it is done, and runs once.
#[derive(Clone)]
pub struct RouteProvider {
    inner: Arc<Inner>,
}

struct Inner {
    tools: Tools,
    limits: Limits,
    fence: Mutex<Fence<Answer>>,
    running: Mutex<HashMap<CallId, Running>>,
    places: Arc<Semaphore>,
    tracker: TaskTracker,
}

/// What a call came to: the body of its Response, or of its Error.
type Answer = Result<Body, ErrorBody>;

/// A call at work.
#[derive(Clone)]
struct Running {
    cancel: CancellationToken,
    done: watch::Receiver<Option<Answer>>,
}

/// How many calls are remembered, and how many bytes of their answers.
const REMEMBERED: usize = 4096;
const REMEMBERED_BYTES: u64 = 64 << 20;

impl RouteProvider {
    /// Serves `surface` within `limits`.
    pub fn new(surface: impl ToolSurface + 'static, limits: Limits) -> Self {
        let weigh = |answer: &Answer| answer.as_ref().map_or(256, |body| body.len() as u64);
        Self {
            inner: Arc::new(Inner {
                tools: Tools::new(Arc::new(surface)),
                fence: Mutex::new(Fence::with_weight_limit(REMEMBERED, REMEMBERED_BYTES, weigh)),
                running: Mutex::default(),
                places: Arc::new(Semaphore::new(limits.running_calls)),
                tracker: TaskTracker::new(),
                limits,
            }),
        }
    }

    /// Serves one route until its other end closes it, or says goodbye.
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
        let route = Route { inner: self.inner.clone(), sender, calls: Arc::default() };
        let mut decoder = FrameDecoder::new();
        let mut buffer = vec![0; 64 << 10];
        let read = 'route: loop {
            let count = match read.read(&mut buffer).await {
                Ok(0) => break decoder.finish().map_err(io::Error::other),
                Ok(count) => count,
                Err(error) => break Err(error),
            };
            decoder.push(&buffer[..count]);
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) if frame.frame_type() == FrameType::Goodbye => {
                        break 'route Ok(());
                    }
                    Ok(Some(frame)) => route.receive(frame).await,
                    Ok(None) => break,
                    Err(error) => break 'route Err(io::Error::other(error)),
                }
            }
        };
        drop(route);
        let written = writer.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        read.and(written)
    }

    /// The calls at work.
    pub fn calls_at_work(&self) -> usize {
        lock(&self.inner.running).len()
    }
}

const BACKLOG: usize = 256;

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

/// One route, while it stands.
#[derive(Clone)]
struct Route {
    inner: Arc<Inner>,
    sender: mpsc::Sender<Frame>,
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
        let bad = |text: String| Err(ErrorBody::new("bad_request", text));
        let request: RawToolCallRequest =
            frame.body().parse().map_err(|error| bad(error.to_string()))?;
        request.validate().map_err(|error| bad(error.to_string()))?;
        let id = request.call_id(random_name, &mut |tool: &str, id: &str| {
            tracing::debug!(tool, id, "a call without an id");
        });
        lock(&self.calls).insert(frame.corr(), id.clone());
        let mut fence = lock(&self.inner.fence);
        let ticket = match fence.begin(id.clone()) {
            Ok(Verdict::First(ticket)) => ticket,
            Ok(Verdict::Done(answer)) => return Err(answer.clone()),
            Ok(Verdict::Spent) => {
                return Err(Err(ErrorBody::new("spent", "the answer is no longer held")));
            }
            Ok(Verdict::InFlight) => {
                let running = lock(&self.inner.running).get(&id).cloned();
                let error = ErrorBody::new("in_flight", "the call is at work");
                return running.ok_or(Err(error));
            }
            Err(full) => return Err(Err(ErrorBody::new("busy", full.to_string()))),
        };
        // Under the lock still: whoever finds it in flight finds it at work.
        let running = self.start(ticket, id, request, frame);
        drop(fence);
        Ok(running)
    }

    fn start(
        &self,
        ticket: Ticket,
        id: CallId,
        request: RawToolCallRequest,
        frame: &Frame,
    ) -> Running {
        let (done, receiver) = watch::channel(None);
        let running = Running { cancel: CancellationToken::new(), done: receiver };
        lock(&self.inner.running).insert(id.clone(), running.clone());
        let (inner, cancel) = (self.inner.clone(), running.cancel.clone());
        let told = self.told(frame);
        let inside = inner.clone();
        // On after a cut: whoever repeats the call gets what it comes to.
        inside.tracker.spawn(async move {
            let answer = inner.run(id.clone(), request, cancel, told).await;
            let _ = lock(&inner.fence).complete(ticket, answer.clone());
            lock(&inner.running).remove(&id);
            let _ = done.send(Some(answer));
        });
        running
    }

    /// Where a call tells of its progress.
    fn told(&self, frame: &Frame) -> mpsc::Sender<Event> {
        let (sender, mut events) = mpsc::channel(16);
        let (address, corr) = (frame.address(), frame.corr());
        let frames = self.sender.clone();
        self.inner.tracker.spawn(async move {
            while let Some(event) = events.recv().await {
                let Event::Message(message) = event else { continue };
                if let Some(body) = progress(&message)
                    && frames.send(Frame::push(address, corr, body).build()).await.is_err()
                {
                    return;
                }
            }
        });
        sender
    }

    /// Answers a request once its call is done.
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
        let _ = self.sender.send(frame).await;
    }
}

/// The body of a Push frame that says what a progress notification does.
fn progress(message: &[u8]) -> Option<Body> {
    #[derive(Deserialize)]
    struct Notification {
        method: String,
        params: ProgressBody,
    }
    let notification: Notification = serde_json::from_slice(message).ok()?;
    (notification.method == "notifications/progress")
        .then(|| Body::json(&notification.params).ok())?
}

impl Inner {
    async fn run(
        &self,
        id: CallId,
        request: RawToolCallRequest,
        cancel: CancellationToken,
        told: mpsc::Sender<Event>,
    ) -> Answer {
        let failed = |code: &str, text: String| Err(ErrorBody::new(code, text));
        let Ok(_place) = self.places.acquire().await else {
            return failed("internal", "the provider ends".to_owned());
        };
        let name = request.name;
        if !self.tools.has(&name).await {
            return failed("unknown_tool", format!("there is no tool {name:?} here"));
        }
        let arguments = JsonObject::new(String::from(Box::<str>::from(request.arguments)));
        let Ok(arguments) = arguments else {
            return failed("bad_arguments", "arguments: expected an object".to_owned());
        };
        // Whoever wants no progress gives no token; the number of the request tells whose it is.
        let token = request.progress_token.map(|_| 0u64.into());
        let call = Arc::new(Call {
            id,
            peer: Arc::new(Peer::new(reader(), None, Box::default())),
            progress_token: token,
            least_level: LeastLevel::OfRequest(None),
            meta: None::<Extensions>,
            deadline: Instant::now().checked_add(self.limits.call),
            cancel,
            outlet: Outlet { events: told, questions: None },
            rounds: Rounds::default(),
        });
        let context = CallContext { call: call.clone() };
        let handler = self.tools.surface.call_exact(&name, &arguments, &context);
        let result = match drive(&call, handler).await {
            Driven::Done(ToolOutcome::Succeeded(result)) => result,
            Driven::Done(ToolOutcome::Declined(mut result)) => {
                result.is_error = Some(true);
                result
            }
            Driven::Done(ToolOutcome::Failed(Failure::Tool(reason))) => ToolResult::error(reason),
            Driven::Done(ToolOutcome::Failed(failure)) => {
                let code = match &failure {
                    Failure::InvalidParams(_) => "bad_arguments",
                    Failure::NotFound(_) => "not_found",
                    _ => "internal",
                };
                return failed(code, failure.to_string());
            }
            Driven::Interrupted(Interrupt::Lacking(_) | Interrupt::Ask(_)) => {
                ToolResult::error("this tool asks its client, and there is none on this route")
            }
            Driven::Cancelled => return failed("cancelled", "the call was cancelled".to_owned()),
            Driven::TimedOut => return failed("timeout", format!("{name} did not answer in time")),
            Driven::Panicked => return failed("internal", "internal error".to_owned()),
        };
        let bytes = reply::result(ResultBody::CallTool(result), reader());
        let body = bytes.and_then(|bytes| Body::new(bytes).ok());
        body.ok_or_else(|| ErrorBody::new("internal", "the result has no form on this route"))
    }
}

/// The exact text of arguments, for a request.
pub(crate) fn raw(json: &JsonObject) -> Option<Box<RawValue>> {
    RawValue::from_string(json.as_str().to_owned()).ok()
}
