//! How requests of a session are answered: whole, or by a stream that can be come back to.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::StatusCode;
use protocol_droid_ir::{ErrorObject, ProtocolVersion};

use super::body::{Reply, empty, events, json, messages, refuse, said};
use super::events::EventStream;
use super::heads::Accepts;
use super::legacy::Client;
use crate::dispatch::Work;
use crate::engine::reply;
use crate::outlet::{Ear, Event};
use crate::served::BUSY;

/// After which time a client comes back for the rest of a stream.
const RETRY: Duration = Duration::from_millis(500);

/// Requests at work.
pub(super) enum Works {
    One(Work),
    Batch(Pin<Box<dyn Future<Output = Vec<Vec<u8>>> + Send>>),
}

impl Future for Works {
    type Output = Vec<Vec<u8>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::One(work) => {
                let responded = ready!(work.as_mut().poll(cx));
                Poll::Ready(
                    responded.map(|responded| responded.written.whole()).into_iter().collect(),
                )
            }
            Self::Batch(works) => works.as_mut().poll(cx),
        }
    }
}

/// What was posted, at work. A client that goes away has not cancelled it: it is then worked on
/// without it, for when it comes back.
pub(super) struct Answering {
    client: Client,
    works: Option<Works>,
    ear: Ear,
}

impl Answering {
    pub(super) fn new(client: Client, works: Works, ear: Ear) -> Self {
        Self { client, works: Some(works), ear }
    }

    /// The answer whole if nothing else is said; as a stream once something is, or nothing for
    /// long.
    pub(super) async fn answered(mut self, accepts: Accepts) -> Reply {
        let Some(works) = &mut self.works else { return empty(StatusCode::ACCEPTED) };
        match futures_util::poll!(works) {
            Poll::Ready(answers) => self.whole(answers, accepts),
            // Few calls wait: the others have no room made for it.
            Poll::Pending => Box::pin(self.awaited(accepts)).await,
        }
    }

    async fn awaited(mut self, accepts: Accepts) -> Reply {
        let keep_alive = self.client.served.limits().keep_alive;
        loop {
            let Some(works) = &mut self.works else { return empty(StatusCode::ACCEPTED) };
            let first = tokio::select! {
                biased;
                answers = works => return self.whole(answers, accepts),
                Some(event) = self.ear.next() => Some(event),
                () = tokio::time::sleep(keep_alive), if accepts.events => None,
            };
            if accepts.events {
                return self.streamed(first);
            }
        }
    }

    fn whole(&mut self, mut answers: Vec<Vec<u8>>, accepts: Accepts) -> Reply {
        let is_batch = matches!(self.works.take(), Some(Works::Batch(_)));
        let mut said = said(self.ear.rest());
        if answers.is_empty() {
            return match self.client.session.ended.is_cancelled() {
                true => empty(StatusCode::NOT_FOUND),
                // Cancelled by the client, which expects nothing.
                false => empty(StatusCode::ACCEPTED),
            };
        }
        if !accepts.json || accepts.events && !said.is_empty() {
            said.append(&mut answers);
            return messages(said);
        }
        if is_batch {
            return json(StatusCode::OK, reply::batch(&answers));
        }
        json(StatusCode::OK, answers.pop().unwrap_or_default())
    }

    fn streamed(&mut self, first: Option<Event>) -> Reply {
        let limits = self.client.served.limits();
        let opened = self.client.session.open_stream(limits.streams, limits.stored_bytes);
        let Some(stream) = opened else {
            self.works = None;
            let error = ErrorObject::new(BUSY, "the session has too many streams");
            return refuse(StatusCode::TOO_MANY_REQUESTS, None, error);
        };
        if self.client.session.version() >= ProtocolVersion::V2025_11_25 {
            stream.prime(RETRY);
        }
        let reader = stream.clone().read(0, limits.keep_alive);
        self.proceed(Some(stream), first);
        events(reader)
    }

    /// Works on apart from the connection.
    fn proceed(&mut self, stream: Option<Arc<EventStream>>, first: Option<Event>) {
        let Some(mut works) = self.works.take() else { return };
        let client = self.client.clone();
        let mut ear = std::mem::take(&mut self.ear);
        let tracker = client.served.tracker.clone();
        tracker.spawn(async move {
            let can_release = client.session.version() >= ProtocolVersion::V2025_11_25;
            let tell = |event: Event| match (&stream, event) {
                (Some(stream), Event::Message(message)) => stream.message(&message),
                (Some(stream), Event::Release) if can_release => stream.release(),
                _ => {}
            };
            first.into_iter().for_each(tell);
            let answers = loop {
                tokio::select! {
                    biased;
                    Some(event) = ear.next() => tell(event),
                    answers = &mut works => break answers,
                }
            };
            drop(works);
            ear.rest().into_iter().for_each(tell);
            if let Some(stream) = &stream {
                answers.iter().for_each(|answer| stream.message(answer));
                stream.close();
            }
        });
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.proceed(None, None);
    }
}
