//! An endpoint over HTTP as a server on stdio, for agents that know no HTTP.
//!
//! Messages are passed on as they are, whatever their revision. What HTTP wants beside them is made
//! here: sessions and streams of the eras with a handshake, headers of 2026-07-28.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header,
};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use protocol_droid_ir::{ErrorObject, JsonObject, RequestId, Schema};
use sse_stream::SseStream;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connect_message::{Head, encoded, items};
use crate::context::{Event, lock};
use crate::engine::headers::{MirroredParam, argument_text, mirrored_params};
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::lines::{Line, LineReader, write_lines};

/// Why an endpoint cannot be connected to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL is none that can be connected to.
    #[error("{url}: expected a URL with http:// and a host")]
    Url {
        /// The URL.
        url: String,
    },
    /// The bearer has characters that no header has.
    #[error("the bearer has characters that a header cannot have")]
    Bearer,
    /// Standard input or output has failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Serves `url` on a pair of streams, a message a line, until the input ends.
///
/// # Errors
/// When the URL or the bearer cannot be used, or a stream fails. An endpoint that cannot be reached
/// is no error here: each request is answered by one that says so.
pub async fn connect(
    url: &str,
    bearer: Option<&str>,
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), ConnectError> {
    let bad = || ConnectError::Url { url: url.to_owned() };
    let uri: Uri = url.parse().map_err(|_| bad())?;
    if uri.scheme_str() != Some("http") || uri.host().is_none() {
        return Err(bad());
    }
    let mut headers = HeaderMap::new();
    if let Some(bearer) = bearer {
        let mut value =
            HeaderValue::try_from(format!("Bearer {bearer}")).map_err(|_| ConnectError::Bearer)?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    let (sender, receiver) = mpsc::channel(BACKLOG);
    let link = Arc::new(Link {
        http: HttpClient::builder(TokioExecutor::new()).build(connector),
        uri,
        headers,
        output: sender,
        session: Mutex::default(),
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

const CONNECT: Duration = Duration::from_secs(10);
const LAST: Duration = Duration::from_secs(2);
const BACKLOG: usize = 256;
const MAX_MESSAGE: usize = 64 << 20;
/// The time to wait before a stream is taken up again, unless the server says another.
const RETRY: Duration = Duration::from_secs(1);
/// How often in a row a stream is taken up that gives nothing.
const ATTEMPTS: usize = 5;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

struct Link {
    http: HttpClient<HttpConnector, Full<Bytes>>,
    uri: Uri,
    headers: HeaderMap,
    output: mpsc::Sender<Event>,
    session: Mutex<Session>,
    /// The arguments that headers repeat, by the tools that were listed.
    tools: Mutex<HashMap<String, Vec<MirroredParam>>>,
    running: Mutex<HashMap<String, CancellationToken>>,
    tracker: TaskTracker,
    over: CancellationToken,
}

/// What the handshake has brought.
#[derive(Clone, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
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
        if let Some(head) = &head
            && head.modern.is_some()
            && method == "notifications/cancelled"
        {
            // Closing the stream is how a request is cancelled there.
            return self.cancel(head.params.as_ref());
        }
        let link = self.clone();
        let exchange = async move { link.exchange(text, head).await };
        // What follows goes by the session that this opens, or by its order.
        if method == "initialize" || method.starts_with("notifications/") {
            exchange.await;
            if method == "notifications/initialized" {
                self.clone().listen();
            }
        } else {
            self.tracker.spawn(exchange);
        }
    }

    fn cancel(&self, params: Option<&JsonObject>) {
        let id = params.and_then(|params| RequestId::from_json(params.get("requestId")?));
        if let Some(token) = id.and_then(|id| lock(&self.running).remove(&id.to_string())) {
            token.cancel();
        }
    }

    async fn exchange(self: Arc<Self>, text: String, head: Option<Head>) {
        let id =
            head.as_ref().filter(|head| head.method.is_some()).and_then(|head| head.id.clone());
        let cancelled = self.over.child_token();
        if let Some(id) = &id {
            lock(&self.running).insert(id.to_string(), cancelled.clone());
        }
        let done = tokio::select! {
            done = self.post(text, head.as_ref()) => done,
            () = cancelled.cancelled() => Ok(()),
        };
        if let Some(id) = &id {
            lock(&self.running).remove(&id.to_string());
        }
        if let Err(error) = done
            && id.is_some()
        {
            self.fail(id.as_ref(), error).await;
        }
    }

    async fn post(&self, text: String, head: Option<&Head>) -> Result<(), String> {
        let mut request = self.request(Method::POST, Full::new(Bytes::from(text)));
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        match head {
            Some(head) if head.modern.is_some() => self.repeat(head, headers),
            _ => self.identify(headers),
        }
        let response = self.http.request(request).await.map_err(|error| unreachable(&error))?;
        if let Some(session) = response.headers().get(SESSION) {
            lock(&self.session).id = Some(session.clone());
        }
        let id = head.and_then(|head| head.id.as_ref());
        if is_stream(&response) {
            let last = self.stream(response, head).await;
            return match last {
                None => Ok(()),
                Some(last) => self.take_up(last, head).await,
            };
        }
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_MESSAGE).collect().await;
        let body = body.map_err(|error| format!("the answer breaks off: {error}"))?.to_bytes();
        match std::str::from_utf8(&body) {
            Ok(text) if JsonObject::new(text).is_ok() || text.trim_start().starts_with('[') => {
                self.hear(text, head).await;
                Ok(())
            }
            // A request that was cancelled has no answer.
            _ if status.is_success() && (id.is_none() || body.is_empty()) => Ok(()),
            _ => Err(format!("the endpoint answers with status {status}")),
        }
    }

    /// Passes on the events of a stream; where they stop before the answer, the last one's id.
    async fn stream(&self, response: Response<Incoming>, head: Option<&Head>) -> Option<Last> {
        let mut events = SseStream::new(response.into_body());
        let mut last = Last::default();
        while let Some(Ok(event)) = events.next().await {
            last.id = event.id.or(last.id);
            last.retry = event.retry.map(Duration::from_millis).or(last.retry);
            if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                last.is_new = true;
                if self.hear(&data, head).await {
                    return None;
                }
            }
        }
        Some(last)
    }

    /// Comes back for the rest of a stream until its answer is there.
    async fn take_up(&self, mut last: Last, head: Option<&Head>) -> Result<(), String> {
        let mut attempts = 0;
        while let Some(id) = last.id.clone() {
            tokio::time::sleep(last.retry.unwrap_or(RETRY)).await;
            let mut request = self.request(Method::GET, Full::default());
            self.identify(request.headers_mut());
            let accept = HeaderValue::from_static("text/event-stream");
            request.headers_mut().insert(header::ACCEPT, accept);
            if let Ok(id) = HeaderValue::from_str(&id) {
                request.headers_mut().insert("last-event-id", id);
            }
            match self.http.request(request).await {
                Ok(response) if is_stream(&response) => {
                    let Some(next) = self.stream(response, head).await else { return Ok(()) };
                    attempts = if next.is_new { 0 } else { attempts + 1 };
                    last =
                        Last { id: next.id.or(last.id), retry: next.retry.or(last.retry), ..next };
                }
                Ok(response) => return Err(format!("the stream is gone: {}", response.status())),
                Err(_) => attempts += 1,
            }
            if attempts >= ATTEMPTS {
                break;
            }
        }
        Err("the stream ended without the answer".to_owned())
    }

    /// Opens the stream for what a legacy server says unasked; one that has none says so.
    fn listen(self: Arc<Self>) {
        let link = self.clone();
        // Not among those waited for: it ends with the session.
        tokio::spawn(async move {
            let mut failures = 0;
            while failures < ATTEMPTS && !link.over.is_cancelled() {
                let mut request = link.request(Method::GET, Full::default());
                link.identify(request.headers_mut());
                let accept = HeaderValue::from_static("text/event-stream");
                request.headers_mut().insert(header::ACCEPT, accept);
                let opened = tokio::select! {
                    opened = link.http.request(request) => opened,
                    () = link.over.cancelled() => return,
                };
                match opened {
                    Ok(response) if is_stream(&response) => {
                        let heard = tokio::select! {
                            heard = link.stream(response, None) => heard,
                            () = link.over.cancelled() => return,
                        };
                        failures =
                            if heard.is_some_and(|last| last.is_new) { 0 } else { failures + 1 };
                    }
                    Ok(response) if response.status().is_client_error() => return,
                    _ => failures += 1,
                }
                tokio::time::sleep(RETRY).await;
            }
        });
    }

    /// Passes a message on; whether it is the answer to the request of `head`.
    async fn hear(&self, text: &str, head: Option<&Head>) -> bool {
        let message = JsonObject::new(text).ok();
        let result = message.as_ref().and_then(|message| message.get("result"));
        let is_answer = message.as_ref().is_some_and(|message| {
            let id = message.get("id").and_then(RequestId::from_json);
            (result.is_some() || message.get("error").is_some())
                && head.is_some_and(|head| head.id.is_some() && head.id == id)
        });
        if is_answer && let Some(result) = result.and_then(|r| JsonObject::try_from(r).ok()) {
            self.learn(head, &result);
        }
        // A line holds no breaks; in JSON they stand only between tokens.
        let line: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\n' | b'\r')).collect();
        let _ = self.output.send(Event::Message(line)).await;
        is_answer
    }

    /// Learns what later requests need: the version agreed on, the headers of tools.
    fn learn(&self, head: Option<&Head>, result: &JsonObject) {
        match head.and_then(|head| head.method.as_deref()) {
            Some("initialize") => {
                let version = result.get("protocolVersion").and_then(|v| v.parse::<String>().ok());
                let version = version.and_then(|version| HeaderValue::try_from(version).ok());
                lock(&self.session).version = version;
            }
            Some("tools/list") => {
                let tools: Vec<_> = result.get("tools").map(items).unwrap_or_default();
                let mut known = lock(&self.tools);
                for tool in tools {
                    let name = tool.get("name").and_then(|name| name.parse::<String>().ok());
                    let schema = tool.get("inputSchema");
                    let schema = schema.and_then(|schema| Schema::new(schema.as_str()).ok());
                    if let (Some(name), Some(schema)) = (name, schema) {
                        known.insert(name, mirrored_params(&schema));
                    }
                }
            }
            _ => {}
        }
    }

    fn request(&self, method: Method, body: Full<Bytes>) -> Request<Full<Bytes>> {
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Says of which session a request is.
    fn identify(&self, headers: &mut HeaderMap) {
        let Session { id, version } = lock(&self.session).clone();
        for (name, value) in [(SESSION, id), (VERSION, version)] {
            if let Some(value) = value {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }

    /// Repeats in headers what a request of 2026-07-28 says.
    fn repeat(&self, head: &Head, headers: &mut HeaderMap) {
        let mut insert = |name: &str, value: &str| {
            let name = HeaderName::try_from(name).ok();
            if let (Some(name), Some(value)) = (name, encoded(value)) {
                headers.insert(name, value);
            }
        };
        insert(VERSION, head.modern.as_deref().unwrap_or_default());
        let method = head.method.as_deref().unwrap_or_default();
        insert("mcp-method", method);
        let member = match method {
            "tools/call" | "prompts/get" => Some("name"),
            "resources/read" => Some("uri"),
            "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
            _ => None,
        };
        let name = member.and_then(|member| head.param(member));
        if let Some(name) = &name {
            insert("mcp-name", name);
        }
        if method == "tools/call"
            && let Some(params) = lock(&self.tools).get(name.as_deref().unwrap_or_default())
        {
            let arguments = head.params.as_ref().and_then(|params| params.get("arguments"));
            let arguments = arguments.and_then(|arguments| JsonObject::try_from(arguments).ok());
            for param in params {
                if let Some(value) = argument_text(arguments.as_ref(), param) {
                    insert(&param.header, &value);
                }
            }
        }
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

/// Where a stream has stopped.
#[derive(Default)]
struct Last {
    id: Option<String>,
    retry: Option<Duration>,
    is_new: bool,
}

fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    response.status() == StatusCode::OK
        && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

fn unreachable(error: &hyper_util::client::legacy::Error) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("the endpoint cannot be reached: {error}{}", cause.unwrap_or_default())
}
