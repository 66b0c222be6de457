//! The host: one listener, and the sessions behind it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::config::HostConfig;
use crate::http::{Endpoint, ResponseBody, principal_of, serve};
use crate::keys::random;
use crate::served::Served;
use crate::service::Service;
use crate::session::{Bearer, ToolSession};

/// Serves tool surfaces over HTTP, each to whoever holds the bearer of its session.
///
/// Ends with [`shutdown`](Self::shutdown), or with its last handle: dropping the host ends its
/// sessions, calls, streams and the listener.
pub struct ToolHost {
    endpoint: Arc<Endpoint>,
    address: Option<SocketAddr>,
    tracker: TaskTracker,
}

/// Why a host, or a session, cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostError {
    /// The address cannot be listened on.
    #[error("{address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// There are as many sessions as the host may have.
    #[error("there are {0} sessions already, the most there may be")]
    TooManySessions(usize),
    /// There is a session without a bearer already.
    #[error("there is a session without a bearer already")]
    PublicTaken,
}

impl ToolHost {
    /// Listens as `config` says, and serves from now on.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub async fn bind(config: HostConfig) -> Result<Self, HostError> {
        let address = config.listen;
        let listen = |error| HostError::Listen { address, error };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let mut host = Self::unbound(config);
        host.address = Some(address);
        let connections = host.tracker.clone();
        host.tracker.spawn(serve::accept(host.endpoint.clone(), listener, connections));
        Ok(host)
    }

    /// A host without a listener, for a server of your own: [`handle`](Self::handle) each request,
    /// or mount its router (feature `axum`).
    pub fn unbound(config: HostConfig) -> Self {
        let endpoint = Arc::new(Endpoint::new(Arc::new(config)));
        Self { endpoint, address: None, tracker: TaskTracker::new() }
    }

    /// Where it listens; `None` for a host without a listener.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The URL of the endpoint; of a host without a listener, its path.
    pub fn url(&self) -> String {
        let path = &self.endpoint.config.path;
        match self.address {
            Some(address) => format!("http://{address}{path}"),
            None => path.clone(),
        }
    }

    /// Answers one request of a server of your own.
    pub fn handle<B>(
        &self,
        request: Request<B>,
    ) -> impl Future<Output = Response<ResponseBody>> + Send + 'static
    where
        B: Body<Data: Send> + Send + 'static,
    {
        self.endpoint.clone().handle(request, self.address.map(|address| address.port()))
    }

    /// A router with the endpoint, to merge into your own.
    #[cfg(feature = "axum")]
    pub fn router(&self) -> axum::Router {
        let endpoint = self.endpoint.clone();
        let answer = move |request: Request<axum::body::Body>| {
            let endpoint = endpoint.clone();
            async move { endpoint.handle(request, None).await.map(axum::body::Body::new) }
        };
        let path = self.endpoint.config.path.trim_end_matches('/');
        let mut router = axum::Router::new()
            .route(if path.is_empty() { "/" } else { path }, axum::routing::any(answer.clone()));
        if self.endpoint.config.http_sse {
            router = router
                .route(&format!("{path}/sse"), axum::routing::any(answer.clone()))
                .route(&format!("{path}/messages"), axum::routing::any(answer));
        }
        router
    }

    /// Opens a session: whoever holds its bearer is served `service`, nobody else.
    ///
    /// # Errors
    /// When there are too many sessions.
    pub fn open_session(&self, service: impl Into<Service>) -> Result<ToolSession, HostError> {
        let bearer = Bearer::new(&random());
        let principal = principal_of(bearer.secret());
        let served = self.served(service.into(), principal);
        match self.endpoint.admit(Some(principal), served.clone()) {
            true => Ok(self.session(served, Some(bearer))),
            false => Err(HostError::TooManySessions(self.endpoint.config.limits.sessions)),
        }
    }

    /// Opens the one session that needs no bearer: everybody who reaches the listener is served.
    ///
    /// # Errors
    /// When there is one already.
    pub fn open_public(&self, service: impl Into<Service>) -> Result<ToolSession, HostError> {
        let served = self.served(service.into(), [0; 32]);
        match self.endpoint.admit(None, served.clone()) {
            true => Ok(self.session(served, None)),
            false => Err(HostError::PublicTaken),
        }
    }

    /// How many legacy clients something is remembered of.
    pub fn remembered_clients(&self) -> usize {
        self.endpoint.remembered()
    }

    /// How many connections and other tasks are alive.
    pub fn live_tasks(&self) -> usize {
        self.tracker.len()
    }

    /// Ends everything within `bound`: no more requests, calls drained as long as there is time,
    /// then cancelled, the listener closed.
    pub async fn shutdown(self, bound: Duration) {
        let sessions = self.endpoint.all();
        let drained = async {
            for served in &sessions {
                served.closing.cancel();
                served.tracker.close();
            }
            while sessions.iter().any(|served| served.calls_at_work() > 0) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = tokio::time::timeout(bound / 2, drained).await;
        self.end();
        self.tracker.close();
        let _ = tokio::time::timeout(bound / 2, self.tracker.wait()).await;
    }

    fn served(&self, service: Service, principal: [u8; 32]) -> Arc<Served> {
        Arc::new(Served::new(service, principal, self.endpoint.config.clone()))
    }

    fn session(&self, served: Arc<Served>, bearer: Option<Bearer>) -> ToolSession {
        ToolSession::new(self.endpoint.clone(), served, bearer, self.url())
    }

    fn end(&self) {
        for served in self.endpoint.all() {
            served.revoked.cancel();
        }
        self.endpoint.shutdown.cancel();
    }
}

impl Drop for ToolHost {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for ToolHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolHost").field("url", &self.url()).finish_non_exhaustive()
    }
}
