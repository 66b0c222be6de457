//! How requests of a session are answered: whole, or by a stream that can be come back to.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::StatusCode;
use protocol_droid_ir::ProtocolVersion;
use tokio::sync::OwnedSemaphorePermit;

use super::body::{Reply, empty, events, json, messages, said};
use super::events::EventStream;
use super::heads::Accepts;
use super::legacy::Client;
use crate::dispatch::Work;
use crate::engine::reply;
use crate::engine::written::Written;
use crate::outlet::{Ear, Event};

/// After which time a client comes back for the rest of a stream.
const RETRY: Duration = Duration::from_millis(500);

/// Requests at work.
pub(super) enum Works {
    One(Work),
    Batch(Pin<Box<dyn Future<Output = Vec<Vec<u8>>> + Send>>),
}

impl Future for Works {
    type Output = Vec<Written>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::One(work) => {
                let responded = ready!(work.as_mut().poll(cx));
                Poll::Ready(responded.map(|responded| responded.written).into_iter().collect())
            }
            Self::Batch(works) => {
                let answers = ready!(works.as_mut().poll(cx));
                Poll::Ready(answers.into_iter().map(Written::from).collect())
            }
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
            Poll::Ready(answers) => self.whole(None, answers, accepts),
            // Few calls wait: the others have no room made for it.
            Poll::Pending => Box::pin(self.awaited(accepts)).await,
        }
    }

    async fn awaited(mut self, accepts: Accepts) -> Reply {
        let keep_alive = self.client.served.limits().keep_alive;
        let first = loop {
            let Some(works) = &mut self.works else { return empty(StatusCode::ACCEPTED) };
            let first = tokio::select! {
                biased;
                answers = works => return self.whole(None, answers, accepts),
                Some(event) = self.ear.next() => Some(event),
                () = tokio::time::sleep(keep_alive), if accepts.events => None,
            };
            if accepts.events {
                break first;
            }
        };
        // There was a place when it started. If others have taken it, what it says waits.
        let Some(works) = &mut self.works else { return empty(StatusCode::ACCEPTED) };
        let place = tokio::select! {
            biased;
            place = self.client.session.place() => place,
            answers = works => return self.whole(first, answers, accepts),
        };
        self.streamed(first, place)
    }

    /// The answer, after what was said before it.
    fn whole(
        &mut self,
        first: Option<Event>,
        mut answers: Vec<Written>,
        accepts: Accepts,
    ) -> Reply {
        let is_batch = matches!(self.works.take(), Some(Works::Batch(_)));
        let mut events = self.ear.rest();
        events.splice(..0, first);
        let mut said = said(events);
        if answers.is_empty() {
            return match self.client.session.ended.is_cancelled() {
                true => empty(StatusCode::NOT_FOUND),
                // Cancelled by the client, which expects nothing.
                false => empty(StatusCode::ACCEPTED),
            };
        }
        if !accepts.json || accepts.events && !said.is_empty() {
            said.extend(answers.into_iter().map(Written::whole));
            return messages(said);
        }
        if is_batch {
            let answers: Vec<_> = answers.into_iter().map(Written::whole).collect();
            return json(StatusCode::OK, reply::batch(&answers));
        }
        json(StatusCode::OK, answers.pop().unwrap_or_default())
    }

    fn streamed(&mut self, first: Option<Event>, place: OwnedSemaphorePermit) -> Reply {
        let Client { served, session } = &self.client;
        let stream = session.open_stream(served);
        if session.version() >= ProtocolVersion::V2025_11_25 {
            stream.prime(RETRY);
        }
        let (keep_alive, ended) = (served.limits().keep_alive, session.ended.clone());
        let reader = stream.reader(0, keep_alive, ended, || Some(place));
        self.proceed(Some((stream, first)));
        match reader {
            Some(reader) => events(reader.into_stream()),
            None => super::too_many_streams(None),
        }
    }

    /// Works on apart from the connection, with the stream that says what comes of it. Without one,
    /// nobody has an id to come back by, and nobody listens.
    fn proceed(&mut self, stream: Option<(Arc<EventStream>, Option<Event>)>) {
        let Some(works) = self.works.take() else { return };
        let client = self.client.clone();
        let ear = std::mem::take(&mut self.ear);
        let tracker = client.served.tracker.clone();
        match stream {
            Some((stream, first)) => {
                tracker.spawn(async move {
                    write(works, ear, &client, &stream, first).await;
                    client.session.close_stream(&stream, &client.served);
                });
            }
            None => {
                drop(ear);
                tracker.spawn(async move {
                    works.await;
                    drop(client);
                });
            }
        }
    }
}

/// Writes what works say, and come to, into a stream.
async fn write(
    mut works: Works,
    mut ear: Ear,
    client: &Client,
    stream: &EventStream,
    first: Option<Event>,
) {
    let can_release = client.session.version() >= ProtocolVersion::V2025_11_25;
    let tell = |event: Event| match event {
        Event::Message(message) => stream.message(&message),
        Event::Release if can_release => stream.release(),
        Event::Release => {}
    };
    first.into_iter().for_each(tell);
    let answers = loop {
        let has_room = stream.has_room();
        tokio::select! {
            biased;
            Some(event) = ear.next(), if has_room => tell(event),
            answers = &mut works => break answers,
            () = stream.room(), if !has_room => {}
        }
    };
    drop(works);
    ear.rest().into_iter().for_each(tell);
    answers.into_iter().for_each(|answer| stream.message(&answer.whole()));
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.proceed(None);
    }
}
