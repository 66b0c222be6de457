//! What a call tells on a route before its answer: Push frames.
//!
//! A body has the members that MCP gives the notification: `progress`, `total` and `message` tell how
//! far the call is; `level`, `logger` and `data` are a log message. A body with `progress` is progress,
//! and what is neither is passed over.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use protocol_droid_ir::JsonText;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use subc_protocol::{Address, Body, Frame};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::context::{CallContext, lock};
use crate::outlet::Event;

/// The body of a Push frame.
#[derive(Debug)]
pub(crate) enum Pushed {
    Progress(ProgressBody),
    Log(LogBody),
}

/// How far a call is.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct ProgressBody {
    progress: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// A log message; its data is the exact text.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct LogBody {
    level: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    logger: Option<String>,
    data: Box<RawValue>,
}

impl Pushed {
    /// What a call says to its client, if a route has a form for it.
    fn of_event(event: &Event) -> Option<Self> {
        #[derive(Deserialize)]
        struct Notification<'a> {
            method: &'a str,
            params: &'a RawValue,
        }
        let Event::Message(message) = event else { return None };
        let said: Notification<'_> = serde_json::from_slice(message).ok()?;
        let params = said.params.get();
        match said.method {
            "notifications/progress" => serde_json::from_str(params).ok().map(Self::Progress),
            "notifications/message" => serde_json::from_str(params).ok().map(Self::Log),
            _ => None,
        }
    }

    fn read(body: &Body) -> Option<Self> {
        let log = || body.parse().ok().map(Self::Log);
        body.parse().ok().map(Self::Progress).or_else(log)
    }

    fn to_body(&self) -> Option<Body> {
        match self {
            Self::Progress(progress) => Body::json(progress).ok(),
            Self::Log(log) => Body::json(log).ok(),
        }
    }

    /// Tells it to the client of `context`, if that wants to know.
    pub(crate) async fn tell(self, context: &CallContext) {
        match self {
            Self::Progress(ProgressBody { progress, total, message }) => {
                context.progress(progress, total, message.as_deref()).await;
            }
            Self::Log(LogBody { level, logger, data }) => {
                if let Ok(data) = JsonText::new(String::from(Box::<str>::from(data))) {
                    context.log(&level, logger.as_deref(), data).await;
                }
            }
        }
    }
}

/// Who is told of a call at the provider's end: whoever asked last.
#[derive(Clone)]
pub(crate) struct Told {
    sender: mpsc::WeakSender<Frame>,
    address: Address,
    corr: u64,
    is_behind: bool,
}

/// How long a call waits for a route that is behind to take a log message.
const LAG: Duration = Duration::from_secs(1);

impl Told {
    pub(crate) fn new(sender: mpsc::WeakSender<Frame>, address: Address, corr: u64) -> Self {
        Self { sender, address, corr, is_behind: false }
    }

    /// Tells what a call says. Where the route is behind, progress is dropped; a log message waits for
    /// a moment, and none after it until the route moves again.
    pub(crate) async fn tell(told: Arc<Mutex<Self>>, event: Event) {
        let Some(pushed) = Pushed::of_event(&event) else { return };
        let Self { sender, address, corr, is_behind } = lock(&told).clone();
        let (Some(sender), Some(body)) = (sender.upgrade(), pushed.to_body()) else { return };
        let frame = Frame::push(address, corr, body).build();
        match pushed {
            Pushed::Log(_) if !is_behind => {
                let sent = sender.send_timeout(frame, LAG).await;
                lock(&told).is_behind = sent.is_err();
            }
            Pushed::Log(_) => lock(&told).is_behind = sender.try_send(frame).is_err(),
            Pushed::Progress(_) => {
                let _ = sender.try_send(frame);
            }
        }
    }
}

/// What has come for a call at the consumer's end, of at most [`HELD`] bytes.
#[derive(Clone)]
pub(crate) struct Inbox {
    sender: mpsc::UnboundedSender<(Pushed, OwnedSemaphorePermit)>,
    room: Arc<Semaphore>,
}

/// Its other end.
pub(crate) type Outbox = mpsc::UnboundedReceiver<(Pushed, OwnedSemaphorePermit)>;

const HELD: usize = 1 << 20;

impl Inbox {
    pub(crate) fn new() -> (Self, Outbox) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self { sender, room: Arc::new(Semaphore::new(HELD)) }, receiver)
    }

    /// Holds what a frame tells, unless the client is behind: others wait on the same route.
    pub(crate) fn push(&self, body: &Body) {
        let size = body.len().clamp(1, HELD) as u32;
        let room = self.room.clone().try_acquire_many_owned(size);
        let Ok(room) = room else {
            return tracing::debug!("what a call tells is dropped: its client is behind");
        };
        if let Some(pushed) = Pushed::read(body) {
            let _ = self.sender.send((pushed, room));
        }
    }
}
