//! Who may come in: the hosts and origins named, and the holders of a bearer.

use http::HeaderValue;

use super::heads::{Head, Heads};
use crate::config::HostConfig;

/// Whether the request was meant for this host, and by a page that may use it.
pub(crate) fn is_meant_for(
    heads: &Heads<'_>,
    authority: Option<&str>,
    port: Option<u16>,
    config: &HostConfig,
) -> bool {
    // What the request line names goes before the header; two headers name nothing.
    let host = match (authority, heads.host) {
        (_, Head::Twice) => None,
        (Some(authority), _) => Some(authority),
        (None, host) => host.text(),
    };
    let may_use = match heads.origin {
        Head::Absent => true,
        Head::Once(origin) => is_origin(origin, config),
        Head::Twice => false,
    };
    may_use && host.is_some_and(|host| is_host(host, port, config))
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

fn is_host(host: &str, port: Option<u16>, config: &HostConfig) -> bool {
    let named = |allowed: &String| allowed.eq_ignore_ascii_case(host);
    let loopback = |name: &str| {
        let Some(rest) = strip_prefix(host, name) else { return false };
        match (port, rest.strip_prefix(':')) {
            (Some(port), Some(named)) => named.parse() == Ok(port),
            (Some(port), None) => rest.is_empty() && port == 80,
            // Mounted in a server of somebody else: its port is not known here.
            (None, named) => rest.is_empty() || named.is_some_and(|p| p.parse::<u16>().is_ok()),
        }
    };
    LOOPBACK.iter().any(|name| loopback(name)) || config.allowed_hosts.iter().any(named)
}

fn is_origin(origin: &HeaderValue, config: &HostConfig) -> bool {
    let Ok(origin) = origin.to_str() else { return false };
    let named = |allowed: &String| allowed.eq_ignore_ascii_case(origin);
    let host = ["http://", "https://"].iter().find_map(|scheme| strip_prefix(origin, scheme));
    let loopback = |name: &str| {
        let rest = host.and_then(|host| strip_prefix(host, name));
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(':').is_some_and(|p| p.parse::<u16>().is_ok())
        })
    };
    LOOPBACK.iter().any(|name| loopback(name)) || config.allowed_origins.iter().any(named)
}

fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The bearer of a request, if it has exactly one.
pub(crate) fn bearer<'h>(heads: &Heads<'h>) -> Option<&'h str> {
    strip_prefix(heads.authorization.text()?, "bearer ").map(str::trim)
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, header};

    use super::*;

    #[test]
    fn loopback_comes_in_and_what_is_named() {
        let config = HostConfig {
            allowed_hosts: vec!["mcp.example.com".into()],
            allowed_origins: vec!["https://app.example.com".into()],
            ..HostConfig::default()
        };
        let check = |host: &[&str], origin: &[&str], port| {
            let mut headers = HeaderMap::new();
            for host in host {
                headers.append(header::HOST, host.parse().unwrap());
            }
            for origin in origin {
                headers.append(header::ORIGIN, origin.parse().unwrap());
            }
            is_meant_for(&Heads::of(&headers), None, port, &config)
        };
        type Row<'a> = (&'a [&'a str], &'a [&'a str], Option<u16>, bool);
        let rows: [Row<'_>; 16] = [
            (&["localhost:8080"], &[], Some(8080), true),
            (&["LOCALHOST:8080"], &["http://localhost:3000"], Some(8080), true),
            (&["127.0.0.1:8080"], &["http://127.0.0.1:8080"], Some(8080), true),
            (&["[::1]:8080"], &["null"], Some(8080), false),
            (&["[::1]:8080"], &[], Some(8080), true),
            (&["localhost:8081"], &[], Some(8080), false),
            (&["localhost"], &[], Some(8080), false),
            (&["localhost"], &[], Some(80), true),
            (&["localhost.evil.com:8080"], &[], Some(8080), false),
            (&["evil.example.com"], &["http://evil.example.com"], Some(8080), false),
            (&["localhost:8080"], &["http://localhost.evil.com"], Some(8080), false),
            (&["mcp.example.com"], &["https://app.example.com"], Some(8080), true),
            (&["localhost:8080", "localhost:8080"], &[], Some(8080), false),
            (&[], &[], Some(8080), false),
            (&["localhost:1"], &[], None, true),
            (&["localhost:8080"], &["http://localhost", "http://localhost"], Some(8080), false),
        ];
        for (host, origin, port, expected) in rows {
            assert_eq!(check(host, origin, port), expected, "{host:?} {origin:?} {port:?}");
        }
    }
}
