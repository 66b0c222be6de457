//! Streamable HTTP with sessions: 2025-03-26 to 2025-11-25.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, join_all};
use futures_util::{Stream, StreamExt, stream};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use protocol_droid_codecs::{Codec, codec, split_batch};
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::{Buffer, ErrorObject, Message, Params, ProtocolVersion, Request};
use tokio::sync::mpsc;

use super::answering::Answering;
use super::body::{COMMENT, Reply, empty, event, events, json, refuse};
use super::events::parse_id;
use super::sessions::LegacySession;
use super::{Accepts, EVENTS, Endpoint, bad_request, busy, version_of};
use crate::announce::Change;
use crate::context::{Event, Outlet, lock};
use crate::dispatch::{Opening, respond};
use crate::engine::headers::{SESSION_HEADER, VERSION_HEADER};
use crate::engine::legacy::{SessionSeal, initialize, open_already, opener};
use crate::engine::{read, reply};
use crate::peer::Peer;
use crate::served::Served;

/// A request of a session, and the way back.
pub(super) struct Client {
    endpoint: Arc<Endpoint>,
    pub(super) served: Arc<Served>,
    pub(super) seal: SessionSeal,
    pub(super) session: Arc<LegacySession>,
    peer: Arc<Peer>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.endpoint.legacy.settle(&self.seal);
    }
}

impl Endpoint {
    pub(super) async fn post_legacy(
        self: Arc<Self>,
        served: Arc<Served>,
        headers: &HeaderMap,
        input: &Buffer,
        accepts: Accepts,
    ) -> Reply {
        if !headers.contains_key(SESSION_HEADER) {
            return self.open(&served, input);
        }
        match self.client(served, headers) {
            Ok(client) => client.post(input, accepts).await,
            Err(reply) => *reply,
        }
    }

    /// Opens a session: that is all that can be done without one.
    fn open(&self, served: &Arc<Served>, input: &Buffer) -> Reply {
        let request = match read::read(opener(&self.config.versions), input, |_| None) {
            Ok(Message::Request(request)) => request,
            Ok(_) => return bad_request("Mcp-Session-Id: missing"),
            Err(wrong) => return refuse(StatusCode::BAD_REQUEST, wrong.id.as_ref(), wrong.error),
        };
        let Some(Params::Initialize(params)) = request.params else {
            let error = ErrorObject::new(INVALID_REQUEST, "Mcp-Session-Id: missing");
            return refuse(StatusCode::BAD_REQUEST, Some(&request.id), error);
        };
        let agreed = match initialize(*params, &served.about) {
            Ok(agreed) => agreed,
            Err(error) => return refuse(StatusCode::BAD_REQUEST, Some(&request.id), error),
        };
        let seal = SessionSeal::new(agreed.codec, agreed.handshake, self.config.clock.now());
        let id = seal.seal(&served.principal, &self.config.keys);
        let response = reply::response(&request.id, agreed.answer, agreed.codec);
        let mut reply = json(StatusCode::OK, response.bytes);
        if let Ok(id) = HeaderValue::from_str(&id) {
            reply.headers_mut().insert(SESSION_HEADER, id);
        }
        reply
    }

    /// The session that the headers name.
    fn client(
        self: Arc<Self>,
        served: Arc<Served>,
        headers: &HeaderMap,
    ) -> Result<Client, Box<Reply>> {
        let id = headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
        let Some(id) = id else { return Err(Box::new(bad_request("Mcp-Session-Id: missing"))) };
        let gone = || {
            let error = ErrorObject::new(-32001, "there is no such session: initialize anew");
            Box::new(refuse(StatusCode::NOT_FOUND, None, error))
        };
        let keys = &self.config.keys;
        let seal = SessionSeal::open(id, &served.principal, keys).ok_or_else(gone)?;
        let offered = self.config.versions.contains(&seal.version);
        let codec = codec(seal.version.as_str()).ok().filter(|_| offered).ok_or_else(gone)?;
        let is_offered = |header| {
            version_of(header).is_some_and(|version| self.config.versions.contains(&version))
        };
        if !headers.get(VERSION_HEADER).is_none_or(is_offered) {
            let text = "MCP-Protocol-Version: this revision is not offered";
            return Err(Box::new(bad_request(text)));
        }
        let session = self.legacy.get(&seal, &served).ok_or_else(gone)?;
        let peer = Arc::new(Peer::of_handshake(codec, seal.handshake.clone()));
        Ok(Client { endpoint: self, served, seal, session, peer })
    }

    pub(super) fn get(self: Arc<Self>, served: &Arc<Served>, parts: &Parts) -> Reply {
        let headers = &parts.headers;
        if !headers.contains_key(SESSION_HEADER) {
            return super::not_allowed("POST");
        }
        if !Accepts::of(headers).events {
            return empty(StatusCode::NOT_ACCEPTABLE);
        }
        let client = match self.client(served.clone(), headers) {
            Ok(client) => client,
            Err(reply) => return *reply,
        };
        let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
        match last.map(parse_id) {
            None => events(client.changes(false)),
            Some(Some((number, after))) => match client.session.stream(number) {
                Some(stream) => events(stream.read(after, client.served.limits().keep_alive)),
                None => events(client.changes(true)),
            },
            Some(None) => events(client.changes(true)),
        }
    }

    pub(super) fn delete(self: Arc<Self>, served: &Arc<Served>, parts: &Parts) -> Reply {
        if !parts.headers.contains_key(SESSION_HEADER) {
            return super::not_allowed("POST");
        }
        match self.client(served.clone(), &parts.headers) {
            Ok(client) => {
                client.endpoint.legacy.end(&client.seal);
                empty(StatusCode::NO_CONTENT)
            }
            Err(reply) => *reply,
        }
    }
}

impl Client {
    fn codec(&self) -> &'static dyn Codec {
        self.peer.codec
    }

    async fn post(self, input: &Buffer, accepts: Accepts) -> Reply {
        let is_batch = input.as_str().trim_start().starts_with('[');
        if is_batch && self.seal.version == ProtocolVersion::V2025_03_26 {
            return self.post_batch(input, accepts).await;
        }
        match self.read(input) {
            Ok(Some(request)) => {
                let place = match self.served.place().await {
                    Ok(place) => place,
                    Err(error) => return busy(&request.id, error),
                };
                let (sender, receiver) = mpsc::channel(EVENTS);
                let client = Arc::new(self);
                let work = client.clone().work(request, sender);
                let work = Box::pin(async move {
                    let answer = work.await;
                    drop(place);
                    Vec::from_iter(answer)
                });
                Answering::new(client, work, receiver, false).answered(accepts).await
            }
            Ok(None) => empty(StatusCode::ACCEPTED),
            Err(wrong) => {
                let status =
                    if wrong.is_malformed { StatusCode::BAD_REQUEST } else { StatusCode::OK };
                json(status, reply::error(wrong.id.as_ref(), wrong.error, self.codec()))
            }
        }
    }

    fn read(&self, input: &Buffer) -> Result<Option<Request>, Box<read::Unreadable>> {
        self.session.remembered.read(self.codec(), input)
    }

    /// The answer to a request; `None` if it is cancelled.
    async fn work(
        self: Arc<Self>,
        request: Request,
        events: mpsc::Sender<Event>,
    ) -> Option<Vec<u8>> {
        let cancel = self.session.ended.child_token();
        let id = request.id.clone();
        let _started = match self.session.remembered.running.start(&id, &cancel) {
            Ok(started) => started,
            Err(error) => return Some(reply::error(Some(&id), error, self.codec())),
        };
        if matches!(request.params, Some(Params::Initialize(_))) {
            return Some(reply::error(Some(&id), open_already(), self.codec()));
        }
        let opening = Opening {
            peer: self.peer.clone(),
            outlet: Outlet { events, questions: Some(self.session.remembered.questions.clone()) },
            cancel,
            headers: None,
            remembered: Some(self.session.remembered.clone()),
        };
        respond(&self.served, request, opening).await.map(|responded| responded.bytes)
    }

    /// The answer to a request of a batch, at work when there is a place for it.
    async fn work_in_turn(
        self: Arc<Self>,
        counted: Result<(), ErrorObject>,
        request: Request,
        events: mpsc::Sender<Event>,
    ) -> Option<Vec<u8>> {
        let place = match counted {
            Ok(()) => self.served.place().await,
            Err(error) => Err(error),
        };
        match place {
            Ok(_place) => self.work(request, events).await,
            Err(error) => Some(reply::error(Some(&request.id), error, self.codec())),
        }
    }

    async fn post_batch(self, input: &Buffer, accepts: Accepts) -> Reply {
        let messages = match split_batch(input.as_str().as_bytes()) {
            Ok(messages) => messages,
            Err(error) => {
                let code = match error.is_syntax() {
                    true => protocol_droid_ir::error_data::PARSE_ERROR,
                    false => INVALID_REQUEST,
                };
                let error = ErrorObject::new(code, error.to_string());
                return json(StatusCode::BAD_REQUEST, reply::error(None, error, self.codec()));
            }
        };
        let (sender, receiver) = mpsc::channel(EVENTS);
        let client = Arc::new(self);
        let mut works: Vec<BoxFuture<'static, Option<Vec<u8>>>> = Vec::new();
        for message in messages {
            let Ok(message) = Buffer::try_from(message) else { continue };
            match client.read(&message) {
                Ok(None) => {}
                Ok(Some(request)) => {
                    // The first is counted already, as what was posted.
                    let counted = if works.is_empty() { Ok(()) } else { client.served.count() };
                    let work = client.clone().work_in_turn(counted, request, sender.clone());
                    works.push(Box::pin(work));
                }
                Err(wrong) => {
                    let error = reply::error(wrong.id.as_ref(), wrong.error, client.codec());
                    works.push(Box::pin(async move { Some(error) }));
                }
            }
        }
        drop(sender);
        if works.is_empty() {
            return empty(StatusCode::ACCEPTED);
        }
        let work = Box::pin(async move { join_all(works).await.into_iter().flatten().collect() });
        Answering::new(client, work, receiver, true).answered(accepts).await
    }

    /// The stream that tells of changes; after a break, of all that can have been missed.
    fn changes(self, after_break: bool) -> impl Stream<Item = Bytes> + Send + 'static {
        let mut missed = Vec::new();
        if after_break {
            let watched = lock(&self.session.remembered.watched).clone();
            missed.extend([Change::Tools, Change::Resources, Change::Prompts]);
            missed.extend(watched.into_iter().map(Change::Updated));
        }
        let listener = self.served.announcer.listen();
        let over = self.session.listen();
        let opened = stream::once(async { Bytes::from_static(COMMENT) });
        let open = (self, listener, over, missed, 0u64);
        let changes =
            stream::unfold(open, |(client, mut listener, over, mut missed, count)| async move {
                let closing = client.served.closing.clone();
                loop {
                    let change = match missed.pop() {
                        Some(change) => change,
                        None => tokio::select! {
                            biased;
                            () = over.cancelled() => return None,
                            () = closing.cancelled() => return None,
                            change = listener.next() => change?,
                            () = tokio::time::sleep(client.served.limits().keep_alive) => {
                                let open = (client, listener, over, missed, count);
                                return Some((Bytes::from_static(COMMENT), open));
                            }
                        },
                    };
                    let remembered = &client.session.remembered;
                    let offer = &client.served.about.offer;
                    if let Some(message) = remembered.told(&change, offer, client.codec()) {
                        let event = event(Some(&format!("changes-{count}")), &message);
                        return Some((event, (client, listener, over, missed, count + 1)));
                    }
                }
            });
        opened.chain(changes)
    }
}
