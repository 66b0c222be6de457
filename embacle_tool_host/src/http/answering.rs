//! How requests of a session are answered: whole, or by a stream that can be come back to.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use protocol_droid_ir::{ErrorObject, ProtocolVersion};
use tokio::sync::mpsc;

use super::Accepts;
use super::body::{Reply, empty, events, json, messages, refuse, said};
use super::events::EventStream;
use super::legacy::Client;
use crate::context::Event;
use crate::engine::reply;
use crate::served::BUSY;

/// After which time a client comes back for the rest of a stream.
const RETRY: Duration = Duration::from_millis(500);

type Work = Pin<Box<dyn Future<Output = Vec<Vec<u8>>> + Send>>;

/// Requests at work. A client that goes away has not cancelled them: they are then worked on
/// without it, for when it comes back.
pub(super) struct Answering {
    client: Arc<Client>,
    work: Option<Work>,
    receiver: mpsc::Receiver<Event>,
    is_batch: bool,
}

impl Answering {
    pub(super) fn new(
        client: Arc<Client>,
        work: Work,
        receiver: mpsc::Receiver<Event>,
        is_batch: bool,
    ) -> Self {
        Self { client, work: Some(work), receiver, is_batch }
    }

    /// The answer whole if nothing else is said; as a stream once something is, or nothing for
    /// long.
    pub(super) async fn answered(mut self, accepts: Accepts) -> Reply {
        let keep_alive = self.client.served.limits().keep_alive;
        loop {
            let Some(work) = &mut self.work else { return empty(StatusCode::ACCEPTED) };
            let first = tokio::select! {
                biased;
                answers = work => {
                    self.work = None;
                    let said = said(&mut self.receiver);
                    return self.whole(answers, said, accepts);
                }
                Some(event) = self.receiver.recv() => Some(event),
                () = tokio::time::sleep(keep_alive), if accepts.events => None,
            };
            if accepts.events {
                return self.streamed(first);
            }
        }
    }

    fn whole(&self, mut answers: Vec<Vec<u8>>, mut said: Vec<Vec<u8>>, accepts: Accepts) -> Reply {
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
        if self.is_batch {
            return json(StatusCode::OK, reply::batch(&answers));
        }
        json(StatusCode::OK, answers.pop().unwrap_or_default())
    }

    fn streamed(&mut self, first: Option<Event>) -> Reply {
        let limits = self.client.served.limits();
        let opened = self.client.session.open_stream(limits.streams, limits.stored_bytes);
        let Some(stream) = opened else {
            self.work = None;
            let error = ErrorObject::new(BUSY, "the session has too many streams");
            return refuse(StatusCode::TOO_MANY_REQUESTS, None, error);
        };
        if self.client.seal.version >= ProtocolVersion::V2025_11_25 {
            stream.prime(RETRY);
        }
        let reader = stream.clone().read(0, limits.keep_alive);
        self.proceed(Some(stream), first);
        events(reader)
    }

    /// Works on apart from the connection.
    fn proceed(&mut self, stream: Option<Arc<EventStream>>, first: Option<Event>) {
        let Some(mut work) = self.work.take() else { return };
        let client = self.client.clone();
        let (_, empty) = mpsc::channel(1);
        let mut receiver = std::mem::replace(&mut self.receiver, empty);
        let tracker = client.served.tracker.clone();
        tracker.spawn(async move {
            let can_release = client.seal.version >= ProtocolVersion::V2025_11_25;
            let tell = |event: Event| match (&stream, event) {
                (Some(stream), Event::Message(message)) => stream.message(&message),
                (Some(stream), Event::Release) if can_release => stream.release(),
                _ => {}
            };
            first.into_iter().for_each(tell);
            let answers = loop {
                tokio::select! {
                    biased;
                    Some(event) = receiver.recv() => tell(event),
                    answers = &mut work => break answers,
                }
            };
            drop(work);
            while let Ok(event) = receiver.try_recv() {
                tell(event);
            }
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
