//! What a host is told: where it listens, what it offers, and its limits.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use protocol_droid_ir::ProtocolVersion;

use crate::keys::{Clock, Keys};

/// How a [`ToolHost`](crate::ToolHost) is set up.
#[derive(Clone, Debug)]
pub struct HostConfig {
    /// Where it listens; loopback and a port of the kernel's choice by default.
    pub listen: SocketAddr,
    /// The path of the endpoint, `/mcp` by default.
    pub path: String,
    /// The revisions offered; all by default. The draft is offered with the newest.
    pub versions: Vec<ProtocolVersion>,
    /// Whether HTTP+SSE of 2024-11-05 is served too, at `/sse` and `/messages` under the path.
    pub http_sse: bool,
    /// Values of `Host` let in beside the loopback names with the port listened on.
    pub allowed_hosts: Vec<String>,
    /// Values of `Origin` let in beside the loopback ones; requests without `Origin` come in.
    pub allowed_origins: Vec<String>,
    /// The limits.
    pub limits: Limits,
    /// What seals session ids and request states; of this process alone by default.
    pub keys: Keys,
    /// What tells the time of day.
    pub clock: Clock,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            path: "/mcp".to_owned(),
            versions: ProtocolVersion::ALL.to_vec(),
            http_sse: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            limits: Limits::default(),
            keys: Keys::default(),
            clock: Clock::default(),
        }
    }
}

/// What a host takes, and for how long. Whoever goes beyond is told so.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest message, in bytes; 413 over HTTP.
    pub message_bytes: usize,
    /// The largest head of an HTTP request, in bytes; 431.
    pub header_bytes: usize,
    /// The most headers of an HTTP request; 431.
    pub headers: usize,
    /// The most connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// The most calls at work at a time in a session.
    pub running_calls: usize,
    /// The most calls that wait for one at work to end; beyond it is 503.
    pub queued_calls: usize,
    /// The most requests of a session a second, on average; 429.
    pub requests_per_second: Option<u32>,
    /// The most [`ToolSession`](crate::ToolSession)s at a time.
    pub sessions: usize,
    /// The most legacy clients for whom something is remembered at a time, for as long as their
    /// sessions hold good: a log level, watched resources, requests at work. Those of whom nothing
    /// is give way first, then those that have been idle for longest.
    pub legacy_sessions: usize,
    /// The most streams that the client of a legacy session reads at a time, beside the one that
    /// tells of changes; further calls get 429 before they start, and who comes back gets it too.
    pub streams: usize,
    /// The events of a legacy stream kept for a client that comes back, at most this many bytes. A
    /// call whose client reads waits rather than say more; without a reader notifications give way.
    pub stored_bytes: usize,
    /// The same for all streams of a [`ToolSession`](crate::ToolSession) together; those that have
    /// ended give way first, oldest first.
    pub stored_in_all: usize,
    /// How long a legacy stream that has ended is kept for a client that comes back.
    pub stored: Duration,
    /// The time to send the head of an HTTP request.
    pub header_read: Duration,
    /// The time to send the body of an HTTP request; 408.
    pub body_read: Duration,
    /// The time that a connection may lie idle.
    pub idle: Duration,
    /// The time that a client may leave sent bytes unread before the connection is given up, be it
    /// of HTTP or of stdio.
    pub write: Duration,
    /// The time that a call may take; the model is then told so.
    pub call: Duration,
    /// The time after which an answer becomes a stream, kept alive by comments at this interval.
    pub keep_alive: Duration,
    /// How long the state of a request that asks holds good.
    pub state: Duration,
    /// How long a legacy session holds good.
    pub session: Duration,
    /// The calls that a session remembers for [`calls`](crate::ToolSession::calls).
    pub records: usize,
    /// How many entries a page of a list has; all of them by default.
    pub page: Option<usize>,
}

impl Default for Limits {
    fn default() -> Self {
        const MINUTE: Duration = Duration::from_secs(60);
        Self {
            message_bytes: 16 << 20,
            header_bytes: 64 << 10,
            headers: 100,
            connections: 16_384,
            running_calls: 256,
            queued_calls: 1024,
            requests_per_second: None,
            sessions: 16_384,
            legacy_sessions: 16_384,
            streams: 64,
            stored_bytes: 4 << 20,
            stored_in_all: 64 << 20,
            stored: 5 * MINUTE,
            header_read: Duration::from_secs(15),
            body_read: Duration::from_secs(30),
            idle: 5 * MINUTE,
            write: Duration::from_secs(30),
            call: 10 * MINUTE,
            keep_alive: Duration::from_secs(15),
            state: 60 * MINUTE,
            session: 24 * 60 * MINUTE,
            records: 1000,
            page: None,
        }
    }
}
