//! A tool surface behind a subc route: the consumer's side.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use protocol_droid_ir::{JsonObject, ResultBody};
use serde_json::Value;
use serde_json::value::RawValue;
use subc_protocol::{Address, Body, ErrorBody, Frame, FrameType, RawToolCallRequest};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::consume_budget;

use crate::context::{CallContext, lock};
use crate::engine::modern::reader;
use crate::outcome::{Failure, ToolOutcome};
use crate::route::{BACKLOG, FrameReader, write_frames, written};
use crate::route_call::Answer;
use crate::route_push::Inbox;
use crate::surface::{McpToolDefinition, ToolSurface};

/// A [`ToolSurface`] that forwards calls over a subc route, such as to a
/// [`RouteProvider`](crate::RouteProvider). Cheap to clone.
///
/// A call waits for a route if there is none. One that is under way when a route is cut is repeated
/// on the next with the same id, so that the provider runs it once.
///
/// Progress and log messages are told to the client as far as it wants them. Of one that is slow to
/// read, no more than a mebibyte a call is kept, and what is beyond is dropped.
///
/// A call's id is that of the client where the client gives one, so clients who do not know of each
/// other's ids, such as those of two sessions, each have a surface and a provider.
#[derive(Clone)]
pub struct RouteSurface {
    inner: Arc<Inner>,
}

struct Inner {
    address: Address,
    tools: Mutex<(u64, Vec<McpToolDefinition>)>,
    next: AtomicU64,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    /// Where frames go while a route stands.
    route: Option<mpsc::Sender<Frame>>,
    waiting: HashMap<u64, Waiting>,
}

/// A call that waits for its answer.
struct Waiting {
    request: Frame,
    inbox: Inbox,
    answer: Option<oneshot::Sender<Answer>>,
}

impl RouteSurface {
    /// The tools of the provider, on a route with this address.
    pub fn new(address: Address, tools: Vec<McpToolDefinition>) -> Self {
        Self {
            inner: Arc::new(Inner {
                address,
                tools: Mutex::new((0, tools)),
                next: AtomicU64::new(1),
                calls: Mutex::default(),
            }),
        }
    }

    /// Lists other tools from now on; tell the session's announcer.
    pub fn set_tools(&self, tools: Vec<McpToolDefinition>) {
        let mut listed = lock(&self.inner.tools);
        *listed = (listed.0 + 1, tools);
    }

    /// Forwards over this route until its other end closes it. One route stands at a time: this one
    /// takes the place of the one before.
    ///
    /// # Errors
    /// When reading or writing fails, or what comes in are no frames.
    pub async fn attach(
        &self,
        mut read: impl AsyncRead + Unpin,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let writer = tokio::spawn(write_frames(write, receiver));
        let repeated: Vec<Frame> = {
            let mut calls = lock(&self.inner.calls);
            calls.route = Some(sender.clone());
            calls.waiting.values().map(|waiting| waiting.request.clone()).collect()
        };
        let attached = Attached { inner: &self.inner, sender };
        for frame in repeated {
            let _ = attached.sender.send(frame).await;
        }
        let mut frames = FrameReader::new(&mut read);
        let read = loop {
            match frames.next().await {
                Ok(Some(frame)) if frame.frame_type() == FrameType::Goodbye => break Ok(()),
                Ok(Some(frame)) => self.inner.hear(frame, &attached.sender).await,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        drop(attached);
        read.and(written(writer).await)
    }
}

/// A route that frames go to until this is dropped.
struct Attached<'a> {
    inner: &'a Inner,
    sender: mpsc::Sender<Frame>,
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        let mut calls = lock(&self.inner.calls);
        if calls.route.as_ref().is_some_and(|route| route.same_channel(&self.sender)) {
            calls.route = None;
        }
    }
}

impl Inner {
    async fn hear(&self, frame: Frame, route: &mpsc::Sender<Frame>) {
        let corr = frame.corr();
        let answer = match frame.frame_type() {
            FrameType::Ping => {
                let _ = route.send(Frame::pong(frame.address(), corr).build()).await;
                return;
            }
            FrameType::Push => {
                let waiting = lock(&self.calls).waiting.get(&corr).map(|call| call.inbox.clone());
                if let Some(inbox) = waiting {
                    inbox.push(frame.body());
                }
                // So that calls get to what has come before more of it does.
                consume_budget().await;
                return;
            }
            FrameType::Response => Ok(frame.into_body()),
            FrameType::Error => {
                let unreadable = |_| ErrorBody::new("error", "no reason given");
                Err(frame.body().parse().unwrap_or_else(unreadable))
            }
            _ => return,
        };
        if let Some(waiting) = lock(&self.calls).waiting.get_mut(&corr)
            && let Some(sender) = waiting.answer.take()
        {
            let _ = sender.send(answer);
        }
    }
}

/// A call under way, cancelled when nobody waits for it any more.
struct Under<'a> {
    inner: &'a Inner,
    corr: u64,
    is_done: bool,
}

impl Drop for Under<'_> {
    fn drop(&mut self) {
        let mut calls = lock(&self.inner.calls);
        calls.waiting.remove(&self.corr);
        if !self.is_done
            && let Some(route) = &calls.route
        {
            let cancel = Frame::cancel(self.inner.address, self.corr).build();
            if let Err(TrySendError::Full(cancel)) = route.try_send(cancel)
                && let Ok(runtime) = tokio::runtime::Handle::try_current()
            {
                let route = route.clone();
                runtime.spawn(async move { route.send(cancel).await });
            }
        }
    }
}

#[async_trait]
impl ToolSurface for RouteSurface {
    async fn list_tools(&self) -> Vec<McpToolDefinition> {
        lock(&self.inner.tools).1.clone()
    }

    async fn call(&self, tool_name: &str, _arguments: &Value) -> ToolOutcome {
        Failure::Internal(format!("{tool_name} is called with its exact arguments")).into()
    }

    async fn call_exact(
        &self,
        tool_name: &str,
        arguments: &JsonObject,
        context: &CallContext,
    ) -> ToolOutcome {
        let Ok(arguments) = RawValue::from_string(arguments.as_str().to_owned()) else {
            return Failure::InvalidParams("arguments: expected JSON".to_owned()).into();
        };
        let mut request = RawToolCallRequest::new(tool_name, arguments);
        request.tool_call_id = Some(context.call_id().to_string());
        if context.wants_progress() {
            request.progress_token =
                serde_json::value::to_raw_value(context.call_id().as_str()).ok();
        }
        let body = match request
            .validate()
            .map_err(|e| e.to_string())
            .and_then(|()| Body::json(&request).map_err(|error| error.to_string()))
        {
            Ok(body) => body,
            Err(error) => return Failure::InvalidParams(error).into(),
        };
        let inner = &*self.inner;
        let corr = inner.next.fetch_add(1, Ordering::Relaxed);
        let frame = Frame::request(inner.address, corr, body).build();
        let (inbox, mut told) = Inbox::new();
        let (answer, mut answered) = oneshot::channel();
        let mut under = Under { inner, corr, is_done: false };
        let route = {
            let mut calls = lock(&inner.calls);
            let waiting = Waiting { request: frame.clone(), inbox, answer: Some(answer) };
            calls.waiting.insert(corr, waiting);
            calls.route.clone()
        };
        if let Some(route) = route {
            // A route that has just been cut: the next one repeats it.
            let _ = route.send(frame).await;
        }
        let answer = loop {
            tokio::select! {
                biased;
                Some((pushed, _room)) = told.recv() => pushed.tell(context).await,
                answer = &mut answered => break answer,
            }
        };
        under.is_done = true;
        match answer {
            Ok(Ok(body)) => outcome(&body),
            Ok(Err(error)) => match error.code.as_str() {
                "bad_arguments" | "unknown_tool" => Failure::InvalidParams(error.message).into(),
                _ => Failure::Tool(error.message).into(),
            },
            Err(_) => Failure::Internal("the route has ended".to_owned()).into(),
        }
    }

    fn list_version(&self) -> Option<u64> {
        Some(lock(&self.inner.tools).0)
    }
}

fn outcome(body: &Body) -> ToolOutcome {
    match reader().decode_result(body.as_bytes(), "tools/call") {
        Ok(decoded) => match decoded.value {
            ResultBody::CallTool(result) => result.into(),
            _ => {
                Failure::Internal("the provider answers with another kind of result".into()).into()
            }
        },
        Err(error) => Failure::Internal(format!("the provider's result: {error}")).into(),
    }
}
