//! How an endpoint is reached: connections, in time, and why there is none.

use std::error::Error;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::Uri;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower_service::Service;

#[cfg(feature = "tls")]
pub(crate) use crate::connect_tls::Trust;
#[cfg(feature = "tls")]
type Connector = hyper_rustls::HttpsConnector<HttpConnector>;
#[cfg(not(feature = "tls"))]
type Connector = HttpConnector;

/// What sends requests.
pub(crate) type Http = Client<InTime<Connector>, Full<Bytes>>;

/// Nobody is asked for a certificate.
#[cfg(not(feature = "tls"))]
#[derive(Clone, Default)]
pub(crate) struct Trust {}

#[cfg(not(feature = "tls"))]
impl Trust {
    pub(crate) fn client(&self, _: &Uri) -> Result<Http, crate::connect::ConnectError> {
        Ok(client(connector()))
    }
}

pub(crate) fn client(connector: Connector) -> Http {
    let connector = InTime { connector, limit: CONNECT };
    Client::builder(TokioExecutor::new()).build(connector)
}

/// Connects to plain HTTP, and finds out in a minute that an endpoint is gone without a word.
pub(crate) fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(TCP));
    connector.set_keepalive(Some(Duration::from_secs(30)));
    connector.set_keepalive_interval(Some(Duration::from_secs(10)));
    connector.set_keepalive_retries(Some(3));
    connector
}

/// The time for a connection, all addresses of a host together.
const TCP: Duration = Duration::from_secs(10);
/// The time for a name, a connection and a handshake.
const CONNECT: Duration = Duration::from_secs(15);

/// A connector that gives up in time.
#[derive(Clone)]
pub(crate) struct InTime<C> {
    connector: C,
    limit: Duration,
}

type BoxError = Box<dyn Error + Send + Sync>;

impl<C> Service<Uri> for InTime<C>
where
    C: Service<Uri, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<C::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (connecting, limit) = (self.connector.call(uri), self.limit);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(format!("no connection within {limit:?}").into()),
            }
        })
    }
}

/// Where an endpoint is that cannot be reached, and why.
pub(crate) fn unreachable(uri: &Uri, error: &hyper_util::client::legacy::Error) -> String {
    let scheme = uri.scheme_str().unwrap_or_default();
    let host = uri.host().unwrap_or_default();
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("the endpoint at {scheme}://{host}{port} cannot be reached: {}", why(error))
}

fn why(error: &hyper_util::client::legacy::Error) -> String {
    let mut reasons: Vec<String> = Vec::new();
    let mut next: Option<&dyn Error> = Some(error);
    while let Some(error) = next {
        #[cfg(feature = "tls")]
        if let Some(error) = error.downcast_ref() {
            return crate::connect_tls::why(error);
        }
        // An error of IO gives out the cause of its cause, not the cause.
        next = match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(cause) => Some(cause),
            None => {
                reasons.push(error.to_string());
                error.source()
            }
        };
    }
    reasons.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Endless;

    impl Service<Uri> for Endless {
        type Response = ();
        type Error = BoxError;
        type Future = std::future::Pending<Result<(), BoxError>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Uri) -> Self::Future {
            std::future::pending()
        }
    }

    #[tokio::test]
    async fn who_says_nothing_is_given_up() {
        let mut connector = InTime { connector: Endless, limit: Duration::from_millis(10) };
        let error = connector.call(Uri::from_static("http://a")).await.unwrap_err();
        assert_eq!(error.to_string(), "no connection within 10ms");
    }
}
