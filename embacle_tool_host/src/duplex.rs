//! One client on one channel of messages each way: stdio, and HTTP+SSE of 2024-11-05.

use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, join_all, ready};
use futures_util::{FutureExt, StreamExt};
use protocol_droid_codecs::{Codec, split_batch};
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::{
    Buffer, ErrorObject, Message, Params, ProtocolVersion, Request, RequestId,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::config::Limits;
use crate::context::lock;
use crate::dispatch::{Opening, Work, respond};
use crate::engine::legacy::{initialize, open_already, opener};
use crate::engine::modern::{
    check_request, may_speak_for_itself, no_method, reader, speaks_for_itself,
};
use crate::engine::read::read;
use crate::engine::reply;
use crate::outlet::{Event, Outlet};
use crate::peer::Peer;
use crate::served::{Remembered, Served};
use crate::subscription::subscription;

/// A client, and what is remembered of it while the channel stands.
pub(crate) struct Duplex {
    served: Arc<Served>,
    outlet: mpsc::Sender<Event>,
    remembered: Arc<Remembered>,
    /// Set by the handshake.
    peer: Mutex<Option<Arc<Peer>>>,
    /// Cancelled when the channel ends.
    pub(crate) over: CancellationToken,
}

impl Duplex {
    pub(crate) fn new(served: Arc<Served>, outlet: mpsc::Sender<Event>) -> Arc<Self> {
        let over = served.revoked.child_token();
        Arc::new(Self { served, outlet, remembered: Arc::default(), peer: Mutex::default(), over })
    }

    pub(crate) fn limits(&self) -> &Limits {
        self.served.limits()
    }

    /// Takes a message in. What can be answered at once is returned, after what was said on the
    /// channel before; the rest comes there.
    pub(crate) fn receive(self: &Arc<Self>, input: Buffer) -> Option<Vec<u8>> {
        let peer = lock(&self.peer).clone();
        if input.as_str().trim_start().starts_with('[') {
            return self.receive_batch(&input, peer);
        }
        if may_speak_for_itself(&input)
            && let Ok(Message::Request(request)) = read(reader(), &input, |_| None)
            && request.context.protocol_version.is_some()
        {
            return self.take_modern(request);
        }
        let codec = match (speaks_for_itself(&input), &peer) {
            (true, _) => reader(),
            (false, Some(peer)) => peer.codec,
            (false, None) => self.opener(),
        };
        match self.remembered.read(codec, &input) {
            Ok(Some(request)) => self.take(request, peer),
            Ok(None) => None,
            Err(wrong) => Some(reply::error(wrong.id.as_ref(), wrong.error, codec)),
        }
    }

    /// What the first message is read by.
    fn opener(&self) -> &'static dyn Codec {
        opener(&self.served.config.versions)
    }

    fn receive_batch(self: &Arc<Self>, input: &Buffer, peer: Option<Arc<Peer>>) -> Option<Vec<u8>> {
        let codec = peer.as_ref().map_or_else(|| self.opener(), |peer| peer.codec);
        let refuse =
            |text: String| reply::error(None, ErrorObject::new(INVALID_REQUEST, text), codec);
        if codec.version() != ProtocolVersion::V2025_03_26 {
            let text = format!("expected one message, found an array: {} has none", codec.name());
            return Some(refuse(text));
        }
        let messages = match split_batch(input.as_str().as_bytes()) {
            Ok(messages) => messages,
            Err(error) => return Some(refuse(error.to_string())),
        };
        let mut works: Vec<BoxFuture<'static, Option<Vec<u8>>>> = Vec::new();
        for message in messages {
            let Ok(message) = Buffer::try_from(message) else { continue };
            let answer = match self.remembered.read(codec, &message) {
                Ok(None) => continue,
                Ok(Some(request)) => self.answer(request, peer.clone()),
                Err(wrong) => Err(reply::error(wrong.id.as_ref(), wrong.error, codec)),
            };
            works.push(match answer {
                Ok(work) => Box::pin(work.map(|responded| Some(responded?.written.whole()))),
                Err(answer) => Box::pin(ready(Some(answer))),
            });
        }
        if works.is_empty() {
            return None;
        }
        let this = self.clone();
        self.served.tracker.spawn(async move {
            let answers: Vec<_> = join_all(works).await.into_iter().flatten().collect();
            if !answers.is_empty() {
                this.say(reply::batch(&answers)).await;
            }
        });
        None
    }

    /// Takes a request of the era of the handshake: answered at once, or worked on apart.
    fn take(self: &Arc<Self>, request: Request, peer: Option<Arc<Peer>>) -> Option<Vec<u8>> {
        if let Some(Params::Initialize(params)) = request.params {
            return Some(self.initialize(&request.id, *params, peer.is_some()));
        }
        match self.answer(request, peer) {
            Ok(work) => self.at_once_or_apart(work),
            Err(answer) => Some(answer),
        }
    }

    fn initialize(
        self: &Arc<Self>,
        id: &RequestId,
        params: protocol_droid_ir::InitializeParams,
        is_open: bool,
    ) -> Vec<u8> {
        if is_open {
            return reply::error(Some(id), open_already(), self.opener());
        }
        match initialize(params, &self.served.about) {
            Ok(agreed) => {
                let peer = Peer::of_handshake(agreed.codec, agreed.handshake);
                *lock(&self.peer) = Some(Arc::new(peer));
                self.tell_changes(agreed.codec);
                reply::response(id, agreed.answer, agreed.codec).0.whole()
            }
            Err(error) => reply::error(Some(id), error, reader()),
        }
    }

    /// A request of the era of the handshake at work.
    ///
    /// # Errors
    /// What is answered in its place.
    fn answer(&self, request: Request, peer: Option<Arc<Peer>>) -> Result<Work, Vec<u8>> {
        let Some(peer) = peer else {
            let (id, codec) = (&request.id, self.opener());
            let known = protocol_droid_codecs::method(&request.method)
                .is_some_and(|method| method.is_in(codec.revision()));
            let error = match (request.method.as_str(), known) {
                ("ping", _) => {
                    let pong = protocol_droid_ir::ResultBody::Ping(Default::default());
                    return Err(reply::response(id, pong.into(), codec).0.whole());
                }
                (_, true) => ErrorObject::new(INVALID_REQUEST, "expected initialize first"),
                (method, false) => no_method(method),
            };
            return Err(reply::error(Some(id), error, codec));
        };
        self.work(request, peer, Some(self.remembered.clone()))
    }

    fn work(
        &self,
        request: Request,
        peer: Arc<Peer>,
        remembered: Option<Arc<Remembered>>,
    ) -> Result<Work, Vec<u8>> {
        let codec = peer.codec;
        let cancel = self.over.child_token();
        let admitted = self.remembered.running.start(&request.id, &cancel).and_then(|started| {
            self.served.count()?;
            Ok((started, self.served.turn(&cancel)?))
        });
        let (started, turn) =
            admitted.map_err(|error| reply::error(Some(&request.id), error, codec))?;
        let questions = remembered.as_ref().map(|remembered| remembered.questions.clone());
        let outlet = Outlet::shared(self.outlet.clone(), questions);
        let started = Some(started);
        let opening = Opening { peer, outlet, cancel, headers: None, remembered, turn, started };
        Ok(respond(&self.served, request, opening))
    }

    /// Takes a request that speaks for itself.
    fn take_modern(self: &Arc<Self>, mut request: Request) -> Option<Vec<u8>> {
        let codec = match check_request(&request, &self.served.config.versions) {
            Ok(codec) => codec,
            Err(error) => return Some(reply::error(Some(&request.id), error, reader())),
        };
        let peer = Peer::of_request(codec, &mut request.context);
        if let Some(Params::SubscriptionsListen(params)) = &request.params {
            self.listen(request.id.clone(), &params.notifications, &peer);
            return None;
        }
        match self.work(request, peer, None) {
            Ok(work) => self.at_once_or_apart(work),
            Err(answer) => Some(answer),
        }
    }

    fn listen(
        self: &Arc<Self>,
        id: RequestId,
        filter: &protocol_droid_ir::SubscriptionFilter,
        peer: &Arc<Peer>,
    ) {
        let mut messages = Box::pin(subscription(&self.served, id.clone(), filter, peer));
        let this = self.clone();
        self.served.tracker.spawn(async move {
            let cancel = this.over.child_token();
            let _started = match this.remembered.running.start(&id, &cancel) {
                Ok(started) => started,
                Err(error) => return this.say(reply::error(Some(&id), error, reader())).await,
            };
            loop {
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => return,
                    message = messages.next() => match message {
                        Some(message) => this.say(message).await,
                        None => return,
                    },
                }
            }
        });
    }

    /// Tells a legacy client of changes as long as the channel stands.
    fn tell_changes(self: &Arc<Self>, codec: &'static dyn Codec) {
        let this = self.clone();
        let mut listener = self.served.announcer.listen();
        self.served.tracker.spawn(async move {
            let offer = &this.served.about.offer;
            loop {
                let change = tokio::select! {
                    biased;
                    () = this.over.cancelled() => return,
                    () = this.served.closing.cancelled() => return,
                    change = listener.next() => change,
                };
                let Some(change) = change else { return };
                if let Some(message) = this.remembered.told(&change, offer, codec) {
                    this.say(message).await;
                }
            }
        });
    }

    /// Polls the work once here: most is done then. What waits is worked on apart.
    fn at_once_or_apart(self: &Arc<Self>, mut work: Work) -> Option<Vec<u8>> {
        if let Some(responded) = (&mut work).now_or_never() {
            return Some(responded?.written.whole());
        }
        let this = self.clone();
        self.served.tracker.spawn(async move {
            if let Some(responded) = work.await {
                this.say(responded.written.whole()).await;
            }
        });
        None
    }

    /// Says something on the channel.
    pub(crate) async fn say(&self, message: Vec<u8>) {
        let _ = self.outlet.send(Event::Message(message)).await;
    }
}
