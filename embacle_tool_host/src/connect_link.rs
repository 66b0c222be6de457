//! What is between an agent on stdio and an endpoint: each message on its way, and its answer back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use protocol_droid_ir::{ErrorObject, JsonObject, RequestId};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connect::ConnectError;
use crate::connect_message::{Head, answer, messages, refusal};
use crate::connect_reach::{Http, unreachable};
use crate::connect_stream::is_stream;
use crate::context::lock;
use crate::engine::headers::{MirroredParam, SESSION_HEADER};
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::lines::{Line, LineReader, write_lines};
use crate::outlet::Event;

/// Passes on what is read until it ends, and writes what comes for it.
pub(crate) async fn run(
    http: Http,
    uri: Uri,
    headers: HeaderMap,
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), ConnectError> {
    let (sender, receiver) = mpsc::channel(BACKLOG);
    let link = Arc::new(Link {
        http,
        uri,
        headers,
        output: sender,
        session: Mutex::default(),
        opening: Mutex::default(),
        reopening: tokio::sync::Mutex::default(),
        listening: Mutex::default(),
        tools: Mutex::default(),
        running: Mutex::default(),
        tracker: TaskTracker::new(),
        over: CancellationToken::new(),
    });
    let writer = tokio::spawn(write_lines(write, receiver));
    let mut lines = LineReader::new(read, MAX_MESSAGE);
    let result = loop {
        match lines.next().await {
            Ok(Line::Whole(line)) => link.send(line).await,
            Ok(Line::TooLong) => {
                link.fail(None, format!("a message has at most {MAX_MESSAGE} bytes")).await;
            }
            Ok(Line::End) => break Ok(()),
            Err(error) => break Err(error.into()),
        }
    };
    // The requests at work have their answers still to come; a session is ended only then.
    link.tracker.close();
    let _ = tokio::time::timeout(LAST, link.tracker.wait()).await;
    link.over.cancel();
    link.end().await;
    drop(link);
    let _ = tokio::time::timeout(LAST, writer).await;
    result
}

const LAST: Duration = Duration::from_secs(2);
/// Each message has a connection of its own: a cancellation must not overtake what it cancels.
const SETTLED: Duration = Duration::from_millis(100);
const BACKLOG: usize = 256;
const MAX_MESSAGE: usize = 64 << 20;

/// The endpoint, and what is known of it.
pub(crate) struct Link {
    pub(crate) http: Http,
    uri: Uri,
    headers: HeaderMap,
    output: mpsc::Sender<Event>,
    pub(crate) session: Mutex<Session>,
    /// The request that opened the session, should it be lost.
    pub(crate) opening: Mutex<Option<String>>,
    pub(crate) reopening: tokio::sync::Mutex<()>,
    /// What ends the stream of unasked messages.
    pub(crate) listening: Mutex<CancellationToken>,
    /// The arguments that headers repeat, by the tools that were listed.
    pub(crate) tools: Mutex<HashMap<String, Vec<MirroredParam>>>,
    running: Mutex<HashMap<RequestId, Running>>,
    tracker: TaskTracker,
    pub(crate) over: CancellationToken,
}

/// A request that has no answer yet.
struct Running {
    cancel: CancellationToken,
    is_modern: bool,
    since: Instant,
}

/// What the handshake has brought.
#[derive(Clone, Default)]
pub(crate) struct Session {
    pub(crate) id: Option<HeaderValue>,
    pub(crate) version: Option<HeaderValue>,
}

impl Link {
    /// Sends a line on its way.
    async fn send(self: &Arc<Self>, line: Vec<u8>) {
        let text = match String::from_utf8(line) {
            Ok(text) if text.trim().is_empty() => return,
            Ok(text) => text,
            Err(error) => return self.fail(None, format!("expected UTF-8: {error}")).await,
        };
        // What is no single message is for the server to judge.
        let head = Head::read(&text);
        let method = head.as_ref().and_then(|head| head.method.clone()).unwrap_or_default();
        if method == "notifications/cancelled" {
            let link = self.clone();
            self.tracker.spawn(async move { link.cancel(text, head).await });
            return;
        }
        if method == "initialize" {
            *lock(&self.opening) = Some(text.clone());
        }
        let cancel = self.over.child_token();
        if let Some(id) = head.as_ref().and_then(Head::request) {
            let is_modern = head.as_ref().is_some_and(|head| head.modern.is_some());
            let running = Running { cancel: cancel.clone(), is_modern, since: Instant::now() };
            lock(&self.running).insert(id.detached(), running);
        }
        let link = self.clone();
        let exchange = async move { link.exchange(text, head, cancel).await };
        // What follows goes by the session that this opens, or by its order.
        if method == "initialize" || method.starts_with("notifications/") {
            exchange.await;
            if method == "notifications/initialized" {
                self.clone().listen();
            }
        } else if method == "subscriptions/listen" {
            // Its answer comes when it ends, so nobody waits for it at the end.
            tokio::spawn(exchange);
        } else {
            self.tracker.spawn(exchange);
        }
    }

    /// Cancels a request: by saying so, or by dropping its stream where that says it.
    async fn cancel(self: &Arc<Self>, text: String, head: Option<Head>) {
        let id = head.as_ref().and_then(|head| head.params.as_ref()?.get("requestId"));
        let id = id.and_then(RequestId::from_json);
        let running = id.and_then(|id| lock(&self.running).remove(&id));
        let is_modern = match &running {
            Some(running) => running.is_modern,
            None => head.as_ref().is_some_and(|head| head.modern.is_some()),
        };
        if !is_modern {
            if let Some(running) = &running {
                tokio::time::sleep_until(running.since + SETTLED).await;
            }
            self.exchange(text, head, self.over.child_token()).await;
        }
        // Nobody waits for the answer any more, and there may be none.
        if let Some(running) = running {
            running.cancel.cancel();
        }
    }

    async fn exchange(
        self: &Arc<Self>,
        text: String,
        head: Option<Head>,
        cancel: CancellationToken,
    ) {
        let done = tokio::select! {
            done = self.post(text, head.as_ref()) => done,
            () = cancel.cancelled() => Ok(()),
        };
        let Some(id) = head.as_ref().and_then(Head::request) else { return };
        lock(&self.running).remove(id);
        if let Err(error) = done {
            self.fail(Some(id), error).await;
        }
    }

    async fn post(self: &Arc<Self>, text: String, head: Option<&Head>) -> Result<(), String> {
        let (text, mut is_mended) = (Bytes::from(text), false);
        loop {
            let session = lock(&self.session).id.clone();
            let response = self.deliver(text.clone(), head).await?;
            let is_lost = response.status() == StatusCode::NOT_FOUND && session.is_some();
            if is_lost && !is_mended && self.reopen(session.as_ref(), head).await {
                is_mended = true;
                continue;
            }
            if is_stream(&response) {
                let last = self.stream(response, head).await;
                return match last {
                    None => Ok(()),
                    Some(last) => self.take_up(last, head).await,
                };
            }
            let (status, body) = received(response).await?;
            if !is_mended && self.relist(&body, head).await {
                is_mended = true;
                continue;
            }
            return self.conclude(status, &body, head).await;
        }
    }

    /// Sends a message with the headers that it wants.
    pub(crate) async fn deliver(
        &self,
        text: Bytes,
        head: Option<&Head>,
    ) -> Result<Response<Incoming>, String> {
        let mut request = self.request(Method::POST, Full::new(text));
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        let opens = head.is_some_and(|head| head.method.as_deref() == Some("initialize"));
        match head {
            Some(head) if head.modern.is_some() => self.repeat(head, headers),
            _ if opens => {}
            _ => self.identify(headers),
        }
        let response =
            self.http.request(request).await.map_err(|error| unreachable(&self.uri, &error))?;
        if opens && response.status().is_success() {
            lock(&self.session).id = response.headers().get(SESSION_HEADER).cloned();
        }
        Ok(response)
    }

    /// Passes on an answer that is no stream.
    async fn conclude(
        &self,
        status: StatusCode,
        body: &Bytes,
        head: Option<&Head>,
    ) -> Result<(), String> {
        let id = head.and_then(Head::request);
        let text = std::str::from_utf8(body).unwrap_or_default();
        let Some(messages) = messages(text) else {
            return match id {
                // A request that was cancelled has no answer.
                Some(_) if !status.is_success() || !body.is_empty() => Err(refused(status)),
                _ => Ok(()),
            };
        };
        if let (Some(id), Some(error)) = (id, refusal(&messages)) {
            self.pass(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)).await;
            return Ok(());
        }
        match self.hear(text, &messages, head).await || id.is_none() {
            true => Ok(()),
            false => Err("the endpoint answers another request".to_owned()),
        }
    }

    /// Passes messages on as they came; whether one is the answer to the request of `head`.
    pub(crate) async fn hear(
        &self,
        text: &str,
        messages: &[JsonObject],
        head: Option<&Head>,
    ) -> bool {
        let answer = head.and_then(|head| answer(messages, head.request()?));
        if let Some(result) = answer.and_then(|answer| answer.get("result"))
            && let Ok(result) = JsonObject::try_from(result)
        {
            self.learn(head, &result);
        }
        self.pass(text).await;
        answer.is_some()
    }

    async fn pass(&self, text: &str) {
        let _ = self.output.send(Event::Message(text.into())).await;
    }

    pub(crate) fn request(&self, method: Method, body: Full<Bytes>) -> Request<Full<Bytes>> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Answers in the place of an endpoint that does not.
    async fn fail(&self, id: Option<&RequestId>, text: String) {
        let error = reply::error(id, ErrorObject::new(-32000, text), reader());
        let _ = self.output.send(Event::Message(error)).await;
    }

    /// Ends the session, if there is one.
    async fn end(&self) {
        if lock(&self.session).id.is_none() {
            return;
        }
        let mut request = self.request(Method::DELETE, Full::default());
        self.identify(request.headers_mut());
        let _ = tokio::time::timeout(LAST, self.http.request(request)).await;
    }
}

/// The whole body of a response, within the limit.
pub(crate) async fn received(response: Response<Incoming>) -> Result<(StatusCode, Bytes), String> {
    let status = response.status();
    let body = Limited::new(response.into_body(), MAX_MESSAGE).collect().await;
    Ok((status, body.map_err(|error| format!("the answer breaks off: {error}"))?.to_bytes()))
}

fn refused(status: StatusCode) -> String {
    let why = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ": it does not accept the bearer",
        _ => "",
    };
    format!("the endpoint answers with status {status}{why}")
}
