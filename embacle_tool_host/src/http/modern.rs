//! Requests that speak for themselves: those of 2026-07-28.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, stream};
use http::{HeaderMap, HeaderName, StatusCode};
use protocol_droid_ir::error_data::{HEADER_MISMATCH, INVALID_REQUEST};
use protocol_droid_ir::{Buffer, ErrorObject, Message, Params, RequestId, SubscriptionFilter};

use super::body::{COMMENT, Reply, empty, event, events, json, messages, refuse, said};
use super::heads::{Accepts, Heads};
use super::{Endpoint, busy};
use crate::dispatch::{Opening, Responded, Work, respond};
use crate::engine::modern::{Repeated, check_headers, check_request, reader, status};
use crate::engine::read;
use crate::outlet::{Ear, Event};
use crate::peer::Peer;
use crate::served::Served;
use crate::subscription::subscription;

impl Endpoint {
    pub(super) async fn post_modern(
        &self,
        served: &Arc<Served>,
        heads: &Heads<'_>,
        input: &Buffer,
    ) -> Reply {
        match self.begin_modern(served, heads, input) {
            Ok(call) => call.answered().await,
            Err(reply) => *reply,
        }
    }

    /// The request at work, or what is answered in its place.
    fn begin_modern(
        &self,
        served: &Arc<Served>,
        heads: &Heads<'_>,
        input: &Buffer,
    ) -> Result<Call, Box<Reply>> {
        let mut request = match read::read(reader(), input, |_| None) {
            Ok(Message::Request(request)) => request,
            Ok(Message::Notification(_)) => return Err(Box::new(empty(StatusCode::ACCEPTED))),
            Ok(_) => {
                let text = "expected a request or a notification, found an answer";
                let error = ErrorObject::new(INVALID_REQUEST, text);
                return Err(Box::new(refuse(StatusCode::BAD_REQUEST, None, error)));
            }
            Err(wrong) => {
                let status = match wrong.is_malformed {
                    true => 400,
                    false => status(&wrong.error, wrong.is_metadata),
                };
                return Err(Box::new(refuse(status_code(status), wrong.id.as_ref(), wrong.error)));
            }
        };
        let repeated = Repeated {
            version: heads.version.bytes(),
            method: heads.method.bytes(),
            name: heads.name.bytes(),
        };
        let checked = said_once(heads)
            .and_then(|()| check_headers(&request, repeated))
            .and_then(|()| check_request(&request, &self.config.versions));
        let codec = match checked {
            Ok(codec) => codec,
            Err(error) => {
                let status = status_code(status(&error, true));
                return Err(Box::new(refuse(status, Some(&request.id), error)));
            }
        };
        let peer = Peer::of_request(codec, &mut request.context);
        if let Some(Params::SubscriptionsListen(params)) = &request.params {
            return Err(Box::new(match heads.accepts.events {
                true => events(listen(served, request.id.clone(), &params.notifications, &peer)),
                false => empty(StatusCode::NOT_ACCEPTABLE),
            }));
        }
        let cancel = served.revoked.child_token();
        let turn = match served.turn(&cancel) {
            Ok(turn) => turn,
            Err(error) => return Err(Box::new(busy(&request.id, error))),
        };
        let ear = Ear::default();
        let opening = Opening {
            peer,
            outlet: ear.outlet(None),
            cancel,
            headers: Some(params_of(heads)),
            remembered: None,
            turn,
            started: None,
        };
        let work = respond(served, request, opening);
        let keep_alive = served.limits().keep_alive;
        Ok(Call { work, ear, accepts: heads.accepts, keep_alive })
    }
}

/// A header that is there twice says nothing: others may have read the other one.
fn said_once(heads: &Heads<'_>) -> Result<(), ErrorObject> {
    match heads.twice {
        Some(name) => Err(ErrorObject::new(HEADER_MISMATCH, format!("{name}: expected once"))),
        None => Ok(()),
    }
}

/// The headers that repeat arguments.
fn params_of(heads: &Heads<'_>) -> Box<HeaderMap> {
    let mut params = Box::<HeaderMap>::default();
    if heads.has_params {
        let repeats = |name: &HeaderName| name.as_str().starts_with("mcp-param-");
        let found = heads.all.iter().filter(|(name, _)| repeats(name));
        params.extend(found.map(|(name, value)| (name.clone(), value.clone())));
    }
    params
}

/// A request at work on its connection.
struct Call {
    work: Work,
    ear: Ear,
    accepts: Accepts,
    keep_alive: Duration,
}

impl Call {
    /// The answer whole if nothing else is said; as a stream once something is, or nothing for
    /// long.
    async fn answered(mut self) -> Reply {
        match futures_util::poll!(&mut self.work) {
            Poll::Ready(responded) => self.whole(responded),
            // Few calls wait: the others have no room made for it.
            Poll::Pending => Box::pin(self.awaited()).await,
        }
    }

    async fn awaited(mut self) -> Reply {
        loop {
            let first = tokio::select! {
                biased;
                responded = &mut self.work => return self.whole(responded),
                Some(event) = self.ear.next() => match event {
                    Event::Message(message) => event_of(&message),
                    Event::Release => continue,
                },
                () = tokio::time::sleep(self.keep_alive), if self.accepts.events => {
                    Bytes::from_static(COMMENT)
                }
            };
            if self.accepts.events {
                let Self { work, ear, keep_alive, .. } = self;
                let streaming =
                    Streaming { work: Some(work), ear, keep_alive, rest: VecDeque::new() };
                let first = stream::once(async move { first });
                return events(futures_util::StreamExt::chain(first, streaming.into_stream()));
            }
        }
    }

    fn whole(&mut self, responded: Option<Responded>) -> Reply {
        // The session has ended meanwhile.
        let Some(responded) = responded else { return empty(StatusCode::UNAUTHORIZED) };
        let mut said = said(self.ear.rest());
        if !self.accepts.json || self.accepts.events && !said.is_empty() {
            said.push(responded.written.whole());
            return messages(said);
        }
        let status = responded.error.map_or(200, |code| status(&ErrorObject::new(code, ""), false));
        json(status_code(status), responded.written)
    }
}

fn event_of(message: &[u8]) -> Bytes {
    event(None, message)
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::OK)
}

/// A call that answers with a stream. It is dropped, and so cancelled, when the client closes.
struct Streaming {
    work: Option<Work>,
    ear: Ear,
    keep_alive: Duration,
    /// What is still to go once the call has ended.
    rest: VecDeque<Vec<u8>>,
}

impl Streaming {
    fn into_stream(self) -> impl Stream<Item = Bytes> + Send {
        stream::unfold(self, |mut this| async move { this.next().await.map(|b| (b, this)) })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let Some(work) = &mut self.work else {
                return self.rest.pop_front().map(|message| event_of(&message));
            };
            tokio::select! {
                biased;
                Some(event) = self.ear.next() => match event {
                    Event::Message(message) => return Some(event_of(&message)),
                    Event::Release => {}
                },
                responded = work => {
                    self.work = None;
                    self.rest = said(self.ear.rest()).into();
                    self.rest.extend(responded.map(|responded| responded.written.whole()));
                }
                () = tokio::time::sleep(self.keep_alive) => {
                    return Some(Bytes::from_static(COMMENT));
                }
            }
        }
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
