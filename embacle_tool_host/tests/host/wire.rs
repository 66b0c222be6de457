//! A connection that is read bit by bit.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::Client;

/// A request on a connection of its own, and what has come of it so far.
pub(crate) struct Wire {
    stream: TcpStream,
    pub(crate) seen: String,
}

impl Wire {
    pub(crate) async fn send(
        client: &Client,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Self {
        let head = client.head(method, "/mcp", headers);
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = client.connect().await;
        stream.write_all(request.as_bytes()).await.unwrap();
        Self { stream, seen: String::new() }
    }

    /// A message of a session.
    pub(crate) async fn legacy(client: &Client, session: &str, message: &Value) -> Self {
        Self::send(client, "POST", &[("Mcp-Session-Id", session)], &message.to_string()).await
    }

    /// The stream of a session that tells of changes, or the rest of one after the event `after`.
    pub(crate) async fn get(client: &Client, session: &str, after: Option<&str>) -> Self {
        let mut headers = vec![("Mcp-Session-Id", session), ("Accept", "text/event-stream")];
        headers.extend(after.map(|id| ("Last-Event-ID", id)));
        Self::send(client, "GET", &headers, "").await
    }

    /// Reads until `end` has come.
    pub(crate) async fn until(&mut self, end: &str) -> &str {
        self.until_times(end, 1).await
    }

    pub(crate) async fn until_times(&mut self, end: &str, times: usize) -> &str {
        while self.seen.matches(end).count() < times {
            assert!(self.more().await, "it ends before {end:?}: {}", self.seen);
        }
        &self.seen
    }

    /// Reads to the end of the answer.
    pub(crate) async fn rest(&mut self) -> &str {
        while !self.seen.ends_with("\r\n0\r\n\r\n") && self.more().await {}
        &self.seen
    }

    async fn more(&mut self) -> bool {
        let mut buffer = vec![0; 65536];
        let read = tokio::time::timeout(Duration::from_secs(5), self.stream.read(&mut buffer));
        let read = read.await.unwrap_or_else(|_| panic!("no more comes: {}", self.seen)).unwrap();
        self.seen += std::str::from_utf8(&buffer[..read]).unwrap();
        read > 0
    }

    /// The ids of the events.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.seen.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect()
    }

    /// The messages of the events.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.seen.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }
}
