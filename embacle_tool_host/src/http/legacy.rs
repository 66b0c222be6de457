//! Streamable HTTP with sessions: 2025-03-26 to 2025-11-25.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{BoxFuture, join_all, ready};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http::{HeaderValue, StatusCode};
use protocol_droid_codecs::{Codec, split_batch};
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::{
    Buffer, ErrorObject, Message, Params, ProtocolVersion, Request, RequestId,
};

use super::answering::{Answering, Works};
use super::body::{COMMENT, Reply, empty, event, events, json, refuse};
use super::events::EventId;
use super::heads::{Accepts, Heads};
use super::sessions::{LegacySession, is_of_changes};
use super::{Endpoint, bad_request, busy, streams_taken, too_many_streams, version_of};
use crate::announce::Change;
use crate::context::lock;
use crate::dispatch::{Opening, Work, respond};
use crate::engine::headers::SESSION_HEADER;
use crate::engine::legacy::{SessionSeal, initialize, open_already, opener};
use crate::engine::{read, reply};
use crate::outlet::Ear;
use crate::served::Served;

/// Whoever a request of a session comes from.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) served: Arc<Served>,
    pub(super) session: Arc<LegacySession>,
}

impl Endpoint {
    pub(super) async fn post_legacy(
        &self,
        served: Arc<Served>,
        heads: &Heads<'_>,
        input: &Buffer,
    ) -> Reply {
        if heads.session.is_absent() {
            return self.open(&served, input);
        }
        match self.client(served, heads).and_then(|client| client.begin(input, heads.accepts)) {
            Ok(answering) => answering.answered(heads.accepts).await,
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
        let (response, _) = reply::response(&request.id, agreed.answer, agreed.codec);
        let mut reply = json(StatusCode::OK, response);
        if let Ok(id) = HeaderValue::from_str(&id) {
            reply.headers_mut().insert(SESSION_HEADER, id);
        }
        reply
    }

    /// The session that the headers name.
    fn client(&self, served: Arc<Served>, heads: &Heads<'_>) -> Result<Client, Box<Reply>> {
        if let Some(name) = heads.twice {
            return Err(Box::new(bad_request(&format!("{name}: expected once"))));
        }
        let gone = || {
            let error = ErrorObject::new(-32001, "there is no such session: initialize anew");
            Box::new(refuse(StatusCode::NOT_FOUND, None, error))
        };
        let is_offered = |version: &HeaderValue| {
            version_of(version).is_some_and(|version| self.config.versions.contains(&version))
        };
        let session = heads.session.text().and_then(|id| self.legacy.get(id, &served));
        let session = session.ok_or_else(gone)?;
        if !heads.version.once().is_none_or(is_offered) {
            let text = "MCP-Protocol-Version: this revision is not offered";
            return Err(Box::new(bad_request(text)));
        }
        Ok(Client { served, session })
    }

    pub(super) fn get(&self, served: &Arc<Served>, heads: &Heads<'_>) -> Reply {
        if heads.session.is_absent() {
            return super::not_allowed("POST");
        }
        if !heads.accepts.events {
            return empty(StatusCode::NOT_ACCEPTABLE);
        }
        let client = match self.client(served.clone(), heads) {
            Ok(client) => client,
            Err(reply) => return *reply,
        };
        if heads.last_event_id.is_absent() {
            return events(client.changes(false));
        }
        match heads.last_event_id.text() {
            Some(id) if is_of_changes(id) => events(client.changes(true)),
            id => client.come_back(id.and_then(EventId::parse)),
        }
    }

    pub(super) fn delete(&self, served: &Arc<Served>, heads: &Heads<'_>) -> Reply {
        if heads.session.is_absent() {
            return super::not_allowed("POST");
        }
        match self.client(served.clone(), heads) {
            Ok(client) => {
                self.legacy.end(&client.session, &client.served);
                empty(StatusCode::NO_CONTENT)
            }
            Err(reply) => *reply,
        }
    }
}

/// Why a request is not worked on.
enum Refused {
    Error(ErrorObject),
    /// Too many wait.
    Busy(ErrorObject),
    /// Too many streams stand.
    Streams,
}

impl Refused {
    fn error(self) -> ErrorObject {
        match self {
            Self::Error(error) | Self::Busy(error) => error,
            Self::Streams => streams_taken(),
        }
    }
}

impl Client {
    fn codec(&self) -> &'static dyn Codec {
        self.session.peer.codec
    }

    /// The rest of a stream. One that is not there any more is no other stream.
    fn come_back(&self, id: Option<EventId<'_>>) -> Reply {
        let Self { served, session } = self;
        let stream = id.and_then(|id| Some((session.stream(&id, served)?, id.event)));
        let Some((stream, after)) = stream else {
            return bad_request("Last-Event-ID: this stream is not there any more");
        };
        let (keep_alive, ended) = (served.limits().keep_alive, session.ended.clone());
        match stream.reader(after, keep_alive, ended, || session.place_now()) {
            Some(reader) => events(reader.into_stream()),
            None => too_many_streams(None),
        }
    }

    /// What was posted at work, or what is answered in its place.
    fn begin(self, input: &Buffer, accepts: Accepts) -> Result<Answering, Box<Reply>> {
        let is_batch = input.as_str().trim_start().starts_with('[');
        if is_batch && self.session.version() == ProtocolVersion::V2025_03_26 {
            return self.begin_batch(input, accepts);
        }
        let request = match self.read(input) {
            Ok(Some(request)) => request,
            Ok(None) => return Err(Box::new(empty(StatusCode::ACCEPTED))),
            Err(wrong) => {
                let status =
                    if wrong.is_malformed { StatusCode::BAD_REQUEST } else { StatusCode::OK };
                let error = reply::error(wrong.id.as_ref(), wrong.error, self.codec());
                return Err(Box::new(json(status, error)));
            }
        };
        let (ear, id) = (Ear::default(), request.id.clone());
        match self.work(request, &ear, accepts) {
            Ok(work) => Ok(Answering::new(self, Works::One(work), ear)),
            Err(Refused::Busy(error)) => Err(Box::new(busy(&id, error))),
            Err(Refused::Streams) => Err(Box::new(too_many_streams(Some(&id)))),
            Err(Refused::Error(error)) => {
                let error = reply::error(Some(&id), error, self.codec());
                Err(Box::new(json(StatusCode::OK, error)))
            }
        }
    }

    fn read(&self, input: &Buffer) -> Result<Option<Request>, Box<read::Unreadable>> {
        self.session.remembered.read(self.codec(), input)
    }

    /// A request at work.
    fn work(&self, request: Request, ear: &Ear, accepts: Accepts) -> Result<Work, Refused> {
        let Self { served, session } = self;
        match request.params {
            Some(Params::Initialize(_)) => return Err(Refused::Error(open_already())),
            // Whether it takes a stream is not known before, and then it is too late to refuse it.
            Some(Params::CallTool(_) | Params::GetPrompt(_) | Params::ReadResource(_))
                if accepts.events && !session.has_place() =>
            {
                return Err(Refused::Streams);
            }
            _ => {}
        }
        let cancel = session.ended.child_token();
        let started = session.remembered.running.start(&request.id, &cancel);
        let started = started.map_err(Refused::Error)?;
        let turn = served.turn(&cancel).map_err(Refused::Busy)?;
        // A question is an event: who takes none cannot be asked.
        let questions = accepts.events.then(|| session.remembered.questions.clone());
        let opening = Opening {
            peer: session.peer.clone(),
            outlet: ear.outlet(questions),
            cancel,
            headers: None,
            remembered: Some(session.remembered.clone()),
            turn,
            started: Some(started),
        };
        Ok(respond(served, request, opening))
    }

    fn begin_batch(self, input: &Buffer, accepts: Accepts) -> Result<Answering, Box<Reply>> {
        let messages = match split_batch(input.as_str().as_bytes()) {
            Ok(messages) => messages,
            Err(error) => {
                let code = match error.is_syntax() {
                    true => protocol_droid_ir::error_data::PARSE_ERROR,
                    false => INVALID_REQUEST,
                };
                let error = ErrorObject::new(code, error.to_string());
                let error = reply::error(None, error, self.codec());
                return Err(Box::new(json(StatusCode::BAD_REQUEST, error)));
            }
        };
        let ear = Ear::default();
        let mut works: Vec<BoxFuture<'static, Option<Vec<u8>>>> = Vec::new();
        let refused = |id: Option<&RequestId>, error| -> BoxFuture<'static, Option<Vec<u8>>> {
            Box::pin(ready(Some(reply::error(id, error, self.codec()))))
        };
        for message in messages {
            let Ok(message) = Buffer::try_from(message) else { continue };
            match self.read(&message) {
                Ok(None) => {}
                Ok(Some(request)) => {
                    // The first is counted already, as what was posted.
                    let counted = if works.is_empty() { Ok(()) } else { self.served.count() };
                    let id = request.id.clone();
                    let work = counted
                        .and_then(|()| self.work(request, &ear, accepts).map_err(Refused::error));
                    works.push(match work {
                        Ok(work) => {
                            Box::pin(work.map(|responded| Some(responded?.written.whole())))
                        }
                        Err(error) => refused(Some(&id), error),
                    });
                }
                Err(wrong) => works.push(refused(wrong.id.as_ref(), wrong.error)),
            }
        }
        if works.is_empty() {
            return Err(Box::new(empty(StatusCode::ACCEPTED)));
        }
        let work = join_all(works).map(|answers| answers.into_iter().flatten().collect());
        Ok(Answering::new(self, Works::Batch(Box::pin(work)), ear))
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
        let open = (self, listener, over, missed);
        let changes = stream::unfold(open, |(client, mut listener, over, mut missed)| async move {
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
                            let open = (client, listener, over, missed);
                            return Some((Bytes::from_static(COMMENT), open));
                        }
                    },
                };
                let remembered = &client.session.remembered;
                let offer = &client.served.about.offer;
                if let Some(message) = remembered.told(&change, offer, client.codec()) {
                    let event = event(Some(&client.session.change_id()), &message);
                    return Some((event, (client, listener, over, missed)));
                }
            }
        });
        opened.chain(changes)
    }
}
