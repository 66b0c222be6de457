//! Requests that speak for themselves: those of 2026-07-28.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use http::{HeaderMap, StatusCode};
use protocol_droid_ir::error_data::{HEADER_MISMATCH, INVALID_REQUEST};
use protocol_droid_ir::{
    Buffer, ErrorObject, Message, Params, Request, RequestId, SubscriptionFilter,
};
use tokio::sync::mpsc;

use super::body::{COMMENT, Reply, empty, event, events, json, messages, refuse, said};
use super::{Accepts, EVENTS, Endpoint, busy};
use crate::context::{Event, Outlet};
use crate::dispatch::{Opening, Responded, respond};
use crate::engine::headers::VERSION_HEADER;
use crate::engine::modern::{Repeated, check_headers, check_request, reader, status};
use crate::engine::read;
use crate::peer::Peer;
use crate::served::Served;
use crate::subscription::subscription;

impl Endpoint {
    pub(super) async fn post_modern(
        self: Arc<Self>,
        served: Arc<Served>,
        headers: HeaderMap,
        input: &Buffer,
        accepts: Accepts,
    ) -> Reply {
        let request = match read::read(reader(), input, |_| None) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification(_)) => return empty(StatusCode::ACCEPTED),
            Ok(_) => {
                let text = "expected a request or a notification, found an answer";
                let error = ErrorObject::new(INVALID_REQUEST, text);
                return refuse(StatusCode::BAD_REQUEST, None, error);
            }
            Err(wrong) => {
                let status = match wrong.is_malformed {
                    true => 400,
                    false => status(&wrong.error, wrong.is_metadata),
                };
                return refuse(status_code(status), wrong.id.as_ref(), wrong.error);
            }
        };
        let header = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
        let repeated = Repeated {
            version: header(VERSION_HEADER),
            method: header("mcp-method"),
            name: header("mcp-name"),
        };
        let checked = said_once(&headers)
            .and_then(|()| check_headers(&request, repeated))
            .and_then(|()| check_request(&request, &self.config.versions));
        let codec = match checked {
            Ok(codec) => codec,
            Err(error) => {
                let status = status_code(status(&error, true));
                return refuse(status, Some(&request.id), error);
            }
        };
        let Request { id, method, params, context, extensions } = request;
        let (peer, context) = Peer::of_request(codec, context);
        if let Some(Params::SubscriptionsListen(params)) = params {
            return match accepts.events {
                true => events(listen(&served, id, &params.notifications, &peer)),
                false => empty(StatusCode::NOT_ACCEPTABLE),
            };
        }
        let request = Request { id, method, params, context, extensions };
        let place = match served.place().await {
            Ok(place) => place,
            Err(error) => return busy(&request.id, error),
        };
        let keep_alive = served.limits().keep_alive;
        let cancel = served.revoked.child_token();
        let (sender, receiver) = mpsc::channel(EVENTS);
        let opening = Opening {
            peer,
            outlet: Outlet { events: sender, questions: None },
            cancel,
            headers: Some(headers),
            remembered: None,
        };
        let work = Box::pin(async move {
            let responded = respond(&served, request, opening).await;
            drop(place);
            responded
        });
        answered(work, receiver, accepts, keep_alive).await
    }
}

/// A header that is there twice says nothing: others may have read the other one.
fn said_once(headers: &HeaderMap) -> Result<(), ErrorObject> {
    let twice = headers.keys().find(|name| {
        name.as_str().starts_with("mcp-") && headers.get_all(*name).iter().nth(1).is_some()
    });
    match twice {
        Some(name) => Err(ErrorObject::new(HEADER_MISMATCH, format!("{name}: expected once"))),
        None => Ok(()),
    }
}

type Work = Pin<Box<dyn Future<Output = Option<Responded>> + Send>>;

/// The answer whole if nothing else is said; as a stream once something is, or nothing for long.
async fn answered(
    mut work: Work,
    mut receiver: mpsc::Receiver<Event>,
    accepts: Accepts,
    keep_alive: Duration,
) -> Reply {
    loop {
        let first = tokio::select! {
            biased;
            responded = &mut work => return whole(responded, said(&mut receiver), accepts),
            Some(event) = receiver.recv() => match event {
                Event::Message(message) => event_of(&message),
                Event::Release => continue,
            },
            () = tokio::time::sleep(keep_alive), if accepts.events => Bytes::from_static(COMMENT),
        };
        if accepts.events {
            let streaming = Streaming { work: Some(work), receiver, keep_alive, rest: None };
            let first = stream::once(async move { first });
            return events(futures_util::StreamExt::chain(first, streaming.into_stream()));
        }
    }
}

fn event_of(message: &[u8]) -> Bytes {
    event(None, message)
}

fn whole(responded: Option<Responded>, mut said: Vec<Vec<u8>>, accepts: Accepts) -> Reply {
    // The session has ended meanwhile.
    let Some(responded) = responded else { return empty(StatusCode::UNAUTHORIZED) };
    if !accepts.json || accepts.events && !said.is_empty() {
        said.push(responded.bytes);
        return messages(said);
    }
    let status = responded.error.map_or(200, |code| status(&ErrorObject::new(code, ""), false));
    json(status_code(status), responded.bytes)
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::OK)
}

/// A call that answers with a stream. It is dropped, and so cancelled, when the client closes.
struct Streaming {
    work: Option<Work>,
    receiver: mpsc::Receiver<Event>,
    keep_alive: Duration,
    /// The answer, when events are still to go before it.
    rest: Option<Bytes>,
}

impl Streaming {
    fn into_stream(self) -> impl Stream<Item = Bytes> + Send {
        stream::unfold(self, |mut this| async move { this.next().await.map(|b| (b, this)) })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let Some(work) = &mut self.work else {
                return match self.receiver.try_recv() {
                    Ok(Event::Message(message)) => Some(event_of(&message)),
                    Ok(Event::Release) => continue,
                    Err(_) => self.rest.take(),
                };
            };
            tokio::select! {
                biased;
                Some(event) = self.receiver.recv() => match event {
                    Event::Message(message) => return Some(event_of(&message)),
                    Event::Release => {}
                },
                responded = work => self.finish(responded),
                () = tokio::time::sleep(self.keep_alive) => {
                    return Some(Bytes::from_static(COMMENT));
                }
            }
        }
    }

    fn finish(&mut self, responded: Option<Responded>) {
        self.work = None;
        self.rest = responded.map(|responded| event_of(&responded.bytes));
    }
}

/// What a subscription is told: that it stands, the changes, and that it ends.
pub(crate) fn listen(
    served: &Arc<Served>,
    id: RequestId,
    filter: &SubscriptionFilter,
    peer: &Arc<Peer>,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let messages = subscription(served, id, filter, peer);
    let keep_alive = served.limits().keep_alive;
    stream::unfold(Box::pin(messages), move |mut messages| async move {
        use futures_util::StreamExt;
        match tokio::time::timeout(keep_alive, messages.next()).await {
            Ok(message) => message.map(|message| (event_of(&message), messages)),
            Err(_) => Some((Bytes::from_static(COMMENT), messages)),
        }
    })
}
