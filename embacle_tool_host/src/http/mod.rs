//! MCP over HTTP: both eras on one endpoint, chosen by what each request says.

mod answering;
pub(crate) mod body;
mod ended;
pub(crate) mod events;
pub(crate) mod guard;
pub(crate) mod heads;
mod legacy;
mod modern;
pub(crate) mod serve;
mod sessions;
mod sse;
pub(crate) mod stored;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body::Body;
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::{ErrorObject, ProtocolVersion};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

pub use body::ResponseBody;
use body::{Reply, empty, refuse};
use heads::{Head, Heads};

use crate::config::HostConfig;
use crate::engine::modern::speaks_for_itself;
use crate::keys::digest;
use crate::served::{BUSY, Served};
use sessions::LegacySessions;

/// What all connections of a host share.
pub(crate) struct Endpoint {
    pub(crate) config: Arc<HostConfig>,
    sessions: RwLock<Sessions>,
    legacy: LegacySessions,
    sse: sse::Connections,
    /// Cancelled when the host ends.
    pub(crate) shutdown: CancellationToken,
}

#[derive(Default)]
struct Sessions {
    by_bearer: HashMap<[u8; 32], Arc<Served>>,
    /// The session of whoever comes without a bearer.
    public: Option<Arc<Served>>,
}

impl Endpoint {
    pub(crate) fn new(config: Arc<HostConfig>) -> Self {
        Self {
            legacy: LegacySessions::new(config.clone()),
            sse: sse::Connections::default(),
            config,
            sessions: RwLock::default(),
            shutdown: CancellationToken::new(),
        }
    }

    /// Takes a session in; `None` as its bearer lets everybody in. `false` if there are too many.
    pub(crate) fn admit(&self, bearer: Option<[u8; 32]>, served: Arc<Served>) -> bool {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        if sessions.by_bearer.len() >= self.config.limits.sessions {
            return false;
        }
        match bearer {
            Some(digest) => sessions.by_bearer.insert(digest, served).is_none(),
            None if sessions.public.is_some() => false,
            None => sessions.public.replace(served).is_none(),
        }
    }

    /// Lets a session go: what asks for it from now on is not let in.
    pub(crate) fn expel(&self, served: &Arc<Served>) {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        if sessions.public.as_ref().is_some_and(|public| Arc::ptr_eq(public, served)) {
            sessions.public = None;
        }
        let own = &served.principal;
        if sessions.by_bearer.get(own).is_some_and(|known| Arc::ptr_eq(known, served)) {
            sessions.by_bearer.remove(own);
        }
        drop(sessions);
        self.legacy.forget_all_of(served);
    }

    /// All sessions.
    pub(crate) fn all(&self) -> Vec<Arc<Served>> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        sessions.by_bearer.values().chain(&sessions.public).cloned().collect()
    }

    /// How many legacy clients something is remembered of.
    pub(crate) fn remembered(&self) -> usize {
        self.legacy.len()
    }

    /// Answers a request; `port` is that listened on, where it is known.
    pub(crate) async fn handle<B>(self: Arc<Self>, request: Request<B>, port: Option<u16>) -> Reply
    where
        B: Body<Data: Send> + Send,
    {
        let (parts, body) = request.into_parts();
        let heads = Heads::of(&parts.headers);
        let authority = parts.uri.authority().map(http::uri::Authority::as_str);
        if !guard::is_meant_for(&heads, authority, port, &self.config) {
            return empty(StatusCode::FORBIDDEN);
        }
        let Some(route) = self.route(parts.uri.path()) else { return empty(StatusCode::NOT_FOUND) };
        let Some(served) = self.session_of(&heads) else { return unauthorized() };
        if let Err(error) = served.count() {
            return retry_later(refuse(StatusCode::TOO_MANY_REQUESTS, None, error));
        }
        match (route, &parts.method) {
            (Route::Endpoint, &Method::POST) => self.post(served, &heads, body).await,
            (Route::Endpoint, &Method::GET) => self.get(&served, &heads),
            (Route::Endpoint, &Method::DELETE) => self.delete(&served, &heads),
            (Route::Sse, &Method::GET) => self.open_sse(served),
            (Route::Messages, &Method::POST) => {
                // Boxed, since few come this way, and others have no room made for it.
                Box::pin(self.post_to_sse(&served, parts.uri.query(), body)).await
            }
            (Route::Endpoint, _) => not_allowed("GET, POST, DELETE"),
            (Route::Sse, _) => not_allowed("GET"),
            (Route::Messages, _) => not_allowed("POST"),
        }
    }

    fn route(&self, path: &str) -> Option<Route> {
        let rest = path.strip_prefix(self.config.path.trim_end_matches('/'))?;
        match rest {
            "" | "/" => Some(Route::Endpoint),
            "/sse" if self.config.http_sse => Some(Route::Sse),
            "/messages" if self.config.http_sse => Some(Route::Messages),
            _ => None,
        }
    }

    fn session_of(&self, heads: &Heads<'_>) -> Option<Arc<Served>> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let served = match guard::bearer(heads) {
            Some(bearer) => {
                let digest = principal_of(bearer);
                let (known, served) = sessions.by_bearer.get_key_value(&digest)?;
                bool::from(known.ct_eq(&digest)).then_some(served)?
            }
            None if !heads.authorization.is_absent() => return None,
            None => sessions.public.as_ref()?,
        };
        (!served.revoked.is_cancelled()).then(|| served.clone())
    }

    async fn post<B>(self: Arc<Self>, served: Arc<Served>, heads: &Heads<'_>, body: B) -> Reply
    where
        B: Body<Data: Send> + Send,
    {
        if !heads.accepts.json && !heads.accepts.events {
            return empty(StatusCode::NOT_ACCEPTABLE);
        }
        let limits = &self.config.limits;
        let input = match body::read(body, limits.message_bytes, limits.body_read).await {
            Ok(input) => input,
            Err(reply) => return *reply,
        };
        let is_legacy =
            |version: &HeaderValue| version_of(version).is_some_and(|version| !version.is_modern());
        let modern = match heads.version {
            Head::Once(version) if !is_legacy(version) => true,
            _ => speaks_for_itself(&input),
        };
        match modern {
            true => self.post_modern(&served, heads, &input).await,
            false => self.post_legacy(served, heads, &input).await,
        }
    }
}

/// The revision that the header names, if it is one.
fn version_of(header: &HeaderValue) -> Option<ProtocolVersion> {
    header.to_str().ok()?.parse().ok()
}

enum Route {
    Endpoint,
    Sse,
    Messages,
}

/// Who a bearer makes its holder.
pub(crate) fn principal_of(bearer: &str) -> [u8; 32] {
    digest(&[b"bearer", bearer.as_bytes()])
}

fn unauthorized() -> Reply {
    let mut reply = empty(StatusCode::UNAUTHORIZED);
    reply.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    reply
}

fn not_allowed(allowed: &'static str) -> Reply {
    let mut reply = empty(StatusCode::METHOD_NOT_ALLOWED);
    reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    reply
}

fn retry_later(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    reply
}

/// Too many calls wait.
fn busy(id: &protocol_droid_ir::RequestId, error: ErrorObject) -> Reply {
    retry_later(refuse(StatusCode::SERVICE_UNAVAILABLE, Some(id), error))
}

fn bad_request(text: &str) -> Reply {
    refuse(StatusCode::BAD_REQUEST, None, ErrorObject::new(INVALID_REQUEST, text))
}

/// The session reads as many streams as it may.
fn too_many_streams(id: Option<&protocol_droid_ir::RequestId>) -> Reply {
    retry_later(refuse(StatusCode::TOO_MANY_REQUESTS, id, streams_taken()))
}

fn streams_taken() -> ErrorObject {
    ErrorObject::new(BUSY, "the session has as many streams as it may: come back later")
}

/// Too many streams stand.
fn busy_stream() -> Reply {
    let error = ErrorObject::new(BUSY, "too many streams stand: come back later");
    retry_later(refuse(StatusCode::SERVICE_UNAVAILABLE, None, error))
}
