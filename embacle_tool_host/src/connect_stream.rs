//! Streams of an endpoint that is connected to: what they bring, and how they are taken up again.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::{HeaderValue, Method, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Error;
use sse_stream::SseStream;

use crate::connect_link::Link;
use crate::connect_message::{Head, messages};
use crate::context::lock;

/// Where a stream has stopped.
#[derive(Default)]
pub(crate) struct Last {
    id: Option<String>,
    retry: Option<Duration>,
    is_new: bool,
}

impl Last {
    /// Where the next stream has stopped, which may say less.
    fn after(self, next: Self) -> Self {
        Self { id: next.id.or(self.id), retry: next.retry.or(self.retry), is_new: next.is_new }
    }

    fn wait(&self) -> Duration {
        self.retry.unwrap_or(RETRY)
    }
}

/// The time to wait before a stream is taken up again, unless the server says another.
const RETRY: Duration = Duration::from_secs(1);
/// How often in a row a stream is taken up that gives nothing.
const ATTEMPTS: usize = 5;
/// The time to wait doubles this often when a server does not answer.
const DOUBLINGS: u32 = 5;

impl Link {
    /// Passes on the events of a stream; where they stop before the answer to `head`.
    pub(crate) async fn stream(
        &self,
        response: Response<Incoming>,
        head: Option<&Head>,
    ) -> Option<Last> {
        let mut events = SseStream::new(response.into_body());
        let mut last = Last::default();
        while let Some(Ok(event)) = events.next().await {
            last.id = event.id.or(last.id);
            last.retry = event.retry.map(Duration::from_millis).or(last.retry);
            if let Some(data) = event.data.filter(|data| !data.is_empty()) {
                let Some(messages) = messages(&data) else {
                    tracing::debug!("an event that is no message");
                    continue;
                };
                last.is_new = true;
                if self.hear(&data, &messages, head).await {
                    return None;
                }
            }
        }
        Some(last)
    }

    /// Comes back for the rest of a stream until its answer is there.
    ///
    /// # Errors
    /// When the stream cannot be taken up, or gives nothing for long.
    pub(crate) async fn take_up(&self, mut last: Last, head: Option<&Head>) -> Result<(), String> {
        let mut attempts = 0;
        while last.id.is_some() && attempts < ATTEMPTS {
            tokio::time::sleep(last.wait()).await;
            match self.get(&last).await {
                Ok(response) if is_stream(&response) => {
                    let Some(next) = self.stream(response, head).await else { return Ok(()) };
                    attempts = if next.is_new { 0 } else { attempts + 1 };
                    last = last.after(next);
                }
                Ok(response) => return Err(format!("the stream is gone: {}", response.status())),
                Err(_) => attempts += 1,
            }
        }
        Err("the stream ended without the answer".to_owned())
    }

    /// Keeps the stream open for what a legacy server says unasked; one that has none says so. It
    /// takes the place of the one before.
    pub(crate) fn listen(self: Arc<Self>) {
        let over = self.over.child_token();
        std::mem::replace(&mut *lock(&self.listening), over.clone()).cancel();
        // Not among those waited for: it ends with the session.
        tokio::spawn(over.run_until_cancelled_owned(async move {
            let (mut last, mut failures) = (Last::default(), 0);
            loop {
                match self.get(&last).await {
                    Ok(response) if is_stream(&response) => {
                        failures = 0;
                        let next = self.stream(response, None).await;
                        last = last.after(next.unwrap_or_default());
                    }
                    // It may be the place that it does not know, or it has no such stream.
                    Ok(response) if response.status().is_client_error() => {
                        if last.id.take().is_none() {
                            return;
                        }
                    }
                    _ => failures = DOUBLINGS.min(failures + 1),
                }
                tokio::time::sleep(last.wait().saturating_mul(1 << failures)).await;
            }
        }));
    }

    async fn get(&self, last: &Last) -> Result<Response<Incoming>, Error> {
        let mut request = self.request(Method::GET, Full::default());
        let headers = request.headers_mut();
        self.identify(headers);
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        let id = last.id.as_deref().filter(|id| !id.is_empty());
        if let Some(id) = id.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        self.http.request(request).await
    }
}

pub(crate) fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    response.status() == StatusCode::OK
        && kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
