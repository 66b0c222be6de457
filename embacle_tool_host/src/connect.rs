//! An endpoint over HTTP as a server on stdio, for agents that know no HTTP.
//!
//! Messages are passed on as they are, whatever their revision. What HTTP wants beside them is made
//! here: sessions and streams of the eras with a handshake, headers of 2026-07-28.

use std::fmt;
use std::io;
use std::net::IpAddr;

use http::{HeaderMap, HeaderValue, Uri, header};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connect_link::run;
use crate::connect_reach::Trust;

/// An endpoint over HTTP, and what it takes to reach it. `Debug` does not show the bearer.
#[derive(Clone)]
pub struct Remote {
    uri: Uri,
    headers: HeaderMap,
    trust: Trust,
}

/// Why an endpoint cannot be connected to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The URL is none that can be connected to.
    #[error("{url}: expected a URL with {SCHEMES} and a host")]
    Url {
        /// The URL.
        url: String,
    },
    /// The bearer has characters that no header has.
    #[error("the bearer has characters that a header cannot have")]
    Bearer,
    /// There is no authority to trust certificates of, or one that cannot be used.
    #[cfg(feature = "tls")]
    #[error("{0}")]
    Authorities(String),
    /// Standard input or output has failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[cfg(feature = "tls")]
const SCHEMES: &str = "http:// or https://";
#[cfg(not(feature = "tls"))]
const SCHEMES: &str = "http://";

/// Serves `url` on a pair of streams, a message a line, until the input ends: a [`Remote`] in short.
///
/// # Errors
/// As for [`Remote::new`], [`Remote::with_bearer`] and [`Remote::serve`].
pub async fn connect(
    url: &str,
    bearer: Option<&str>,
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin + Send + 'static,
) -> Result<(), ConnectError> {
    let mut remote = Remote::new(url)?;
    if let Some(bearer) = bearer {
        remote = remote.with_bearer(bearer)?;
    }
    remote.serve(read, write).await
}

impl Remote {
    /// The endpoint at `url`: `http://`, and with the feature `tls` also `https://`.
    ///
    /// # Errors
    /// When the URL is none of these.
    pub fn new(url: &str) -> Result<Self, ConnectError> {
        let bad = || ConnectError::Url { url: url.to_owned() };
        let uri: Uri = url.parse().map_err(|_| bad())?;
        let schemes: &[&str] = if cfg!(feature = "tls") { &["http", "https"] } else { &["http"] };
        let is_known = uri.scheme_str().is_some_and(|scheme| schemes.contains(&scheme));
        match is_known && uri.host().is_some_and(|host| !host.is_empty()) {
            true => Ok(Self { uri, headers: HeaderMap::new(), trust: Trust::default() }),
            false => Err(bad()),
        }
    }

    /// With a bearer.
    ///
    /// # Errors
    /// When a header cannot have it.
    pub fn with_bearer(mut self, bearer: &str) -> Result<Self, ConnectError> {
        let value = HeaderValue::try_from(format!("Bearer {bearer}"));
        let mut value = value.map_err(|_| ConnectError::Bearer)?;
        value.set_sensitive(true);
        self.headers.insert(header::AUTHORIZATION, value);
        Ok(self)
    }

    /// Trusts the authorities of these certificates, in PEM, beside those that the system trusts.
    ///
    /// # Errors
    /// When there is no certificate among them, or one that cannot be used.
    #[cfg(feature = "tls")]
    pub fn with_authorities(mut self, pem: &[u8]) -> Result<Self, ConnectError> {
        self.trust.add(pem).map_err(ConnectError::Authorities)?;
        Ok(self)
    }

    /// Whether the bearer goes over plain HTTP to another machine, for everybody between to read.
    pub fn shows_bearer(&self) -> bool {
        let is_plain = self.uri.scheme_str() == Some("http");
        let has_bearer = self.headers.contains_key(header::AUTHORIZATION);
        is_plain && has_bearer && !self.uri.host().is_some_and(is_loopback)
    }

    /// Serves the endpoint on a pair of streams, a message a line, until the input ends.
    ///
    /// # Errors
    /// When a stream fails, or `https://` is asked of a system that trusts nobody. An endpoint that
    /// cannot be reached is no error here: each request is answered by one that says so.
    pub async fn serve(
        self,
        read: impl AsyncRead + Unpin,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), ConnectError> {
        let http = self.trust.client(&self.uri)?;
        run(http, self.uri, self.headers, read, write).await
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("uri", &self.uri)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            let name = host.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_is_shown_over_plain_http_to_others() {
        for (url, expected) in [
            ("http://localhost:1/mcp", false),
            ("http://LOCALHOST./mcp", false),
            ("http://droid.localhost/mcp", false),
            ("http://127.8.0.1/mcp", false),
            ("http://[::1]:1/mcp", false),
            ("http://[::ffff:127.0.0.1]/mcp", false),
            ("http://localhost.example.com/mcp", true),
            ("http://notlocalhost/mcp", true),
            ("http://192.0.2.1/mcp", true),
            ("http://[2001:db8::1]/mcp", true),
            #[cfg(feature = "tls")]
            ("https://example.com/mcp", false),
        ] {
            let remote = Remote::new(url).unwrap();
            assert!(!remote.shows_bearer(), "{url}: there is none");
            let remote = remote.with_bearer("SECRET").unwrap();
            assert_eq!(remote.shows_bearer(), expected, "{url}");
            assert!(!format!("{remote:?}").contains("SECRET"));
        }
    }

    #[test]
    fn a_url_has_a_scheme_that_is_known_and_a_host() {
        for url in ["", "/mcp", "example.com", "ftp://example.com/", "http:///mcp", "http://:80/"] {
            let error = Remote::new(url).unwrap_err().to_string();
            assert!(error.contains("expected a URL with http://"), "{url}: {error}");
        }
        assert_eq!(Remote::new("https://example.com").is_ok(), cfg!(feature = "tls"));
        assert!(Remote::new("http://a").unwrap().with_bearer("a\n").is_err());
    }
}
