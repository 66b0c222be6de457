//! HTTP+SSE of 2024-11-05: a stream that says where to post, and posts that are answered on it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::StatusCode;
use http_body::Body;
use tokio::sync::mpsc;

use super::body::{self, COMMENT, Reply, empty, event, events};
use super::{Endpoint, bad_request, busy_stream};
use crate::context::lock;
use crate::duplex::Duplex;
use crate::keys::random_name;
use crate::outlet::Event;
use crate::served::Served;

/// The streams that stand, by the names that posts call them by.
#[derive(Default)]
pub(crate) struct Connections(Mutex<HashMap<String, Connection>>);

struct Connection {
    principal: [u8; 32],
    duplex: Arc<Duplex>,
}

/// Messages that wait for the client to read.
const BACKLOG: usize = 64;

impl Endpoint {
    pub(super) fn open_sse(self: Arc<Self>, served: Arc<Served>) -> Reply {
        let name = format!("{}{}", random_name(), random_name());
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let duplex = Duplex::new(served.clone(), sender);
        {
            let mut open = lock(&self.sse.0);
            if open.len() >= self.config.limits.legacy_sessions {
                return busy_stream();
            }
            let principal = served.principal;
            open.insert(name.clone(), Connection { principal, duplex: duplex.clone() });
        }
        let path = self.config.path.trim_end_matches('/');
        let first = format!("event: endpoint\ndata: {path}/messages?sessionId={name}\n\n");
        let open = Open { endpoint: self, name, duplex, receiver };
        let messages = stream::unfold(open, move |mut open| {
            let served = served.clone();
            async move {
                loop {
                    let message = tokio::select! {
                        biased;
                        () = open.duplex.over.cancelled() => return None,
                        message = open.receiver.recv() => message?,
                        () = served.closing.cancelled() => return None,
                        () = tokio::time::sleep(served.limits().keep_alive) => {
                            return Some((Bytes::from_static(COMMENT), open));
                        }
                    };
                    if let Event::Message(message) = message {
                        return Some((event(None, &message), open));
                    }
                }
            }
        });
        events(stream::once(async { Bytes::from(first) }).chain(messages))
    }

    pub(super) async fn post_to_sse<B>(
        &self,
        served: &Served,
        query: Option<&str>,
        body: B,
    ) -> Reply
    where
        B: Body<Data: Send> + Send,
    {
        let name =
            query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("sessionId="));
        let Some(name) = name else { return bad_request("sessionId: missing") };
        let duplex = lock(&self.sse.0)
            .get(name)
            .filter(|open| open.principal == served.principal)
            .map(|open| open.duplex.clone());
        let Some(duplex) = duplex else { return empty(StatusCode::NOT_FOUND) };
        let limits = &self.config.limits;
        match body::read(body, limits.message_bytes, limits.body_read).await {
            Ok(input) => {
                if let Some(answer) = duplex.receive(input) {
                    duplex.say(answer).await;
                }
                empty(StatusCode::ACCEPTED)
            }
            Err(reply) => *reply,
        }
    }
}

/// A stream, which ends its session when it is dropped.
struct Open {
    endpoint: Arc<Endpoint>,
    name: String,
    duplex: Arc<Duplex>,
    receiver: mpsc::Receiver<Event>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.duplex.over.cancel();
        lock(&self.endpoint.sse.0).remove(&self.name);
    }
}
