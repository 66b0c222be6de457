//! The asking side: as little as it takes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server process, killed in the end.
pub(crate) struct Server {
    child: Child,
    pub(crate) input: ChildStdin,
    pub(crate) output: BufReader<ChildStdout>,
}

impl Server {
    /// One of this binary.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let own = std::env::current_exe().expect("this binary has a path");
        let arguments: Vec<&str> = ["serve"].iter().chain(arguments).copied().collect();
        Self::spawn(own.to_str().expect("a path of UTF-8"), &arguments)
    }

    pub(crate) fn spawn(binary: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(binary)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, input, output }
    }

    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the server reads");
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the server speaks");
        line.trim_end().to_owned()
    }

    /// The CPU time of all its threads, in microseconds.
    fn cpu(&self) -> f64 {
        let tasks = format!("/proc/{}/task", self.child.id());
        let mut total = 0.0;
        for task in std::fs::read_dir(tasks).expect("Linux").flatten() {
            let spent = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let spent = spent.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
            total += spent.unwrap_or(0.0) / 1000.0;
        }
        total
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"}}"#;
const CALL: &str =
    r#""method":"tools/call","params":{"name":"tool_0","arguments":{"text":"hello","n":1.50}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The text block of an answer, be it JSON or an event.
pub(crate) fn text(answer: &str) -> &str {
    let block = answer.split_once(r#""text":""#).expect("a text block").1;
    block.split_once('"').expect("all of it").0
}

fn call(era: &str, id: usize) -> String {
    match era {
        "legacy" => format!(r#"{{"jsonrpc":"2.0","id":{id},{CALL}}}}}"#),
        _ => format!(r#"{{"jsonrpc":"2.0","id":{id},{CALL},"_meta":{META}}}}}"#),
    }
}

/// A server over HTTP, and one connection to it.
pub(crate) struct Http {
    server: Server,
    address: String,
    path: String,
    bearer: String,
    stream: TcpStream,
    request: Vec<u8>,
    era: String,
}

impl Http {
    /// The server's first line is its URL, the second the bearer.
    pub(crate) fn open(mut server: Server, era: &str) -> Self {
        let url = server.line();
        let bearer = server.line();
        let rest = url.strip_prefix("http://").expect("a URL");
        let (address, path) = rest.split_once('/').expect("a path");
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        let (address, path) = (address.to_owned(), format!("/{path}"));
        let era = era.to_owned();
        let mut this = Self { server, address, path, bearer, stream, request: Vec::new(), era };
        this.request = match this.era.as_str() {
            "legacy" => this.legacy(),
            _ => this.head(
                &call("modern", 1),
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: tool_0\r\n",
            ),
        };
        this
    }

    /// Asks as `other` does, but for where.
    pub(crate) fn like(mut self, other: &Self) -> Self {
        let request = String::from_utf8(other.request.clone()).expect("text");
        self.request = request.replacen(&other.address, &self.address, 1).into_bytes();
        self
    }

    fn head(&self, body: &str, more: &str) -> Vec<u8> {
        let Self { address, path, bearer, .. } = self;
        format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {bearer}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             {more}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    }

    /// Initializes, and says how to call in the session, if the server has given one.
    fn legacy(&mut self) -> Vec<u8> {
        let initialize = self.head(INITIALIZE, "");
        let (head, _) = self.exchange(&initialize);
        let session = value(&head, "mcp-session-id");
        let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let more = format!("{session}MCP-Protocol-Version: 2025-11-25\r\n");
        let initialized = self.head(INITIALIZED, &more);
        self.exchange(&initialized);
        self.head(&call("legacy", 1), &more)
    }

    /// Other clients, each with a session of its own that is remembered.
    pub(crate) fn fill(&mut self, sessions: usize) {
        for _ in 1..sessions {
            match self.era.as_str() {
                "legacy" => {
                    let request = self.legacy();
                    self.exchange(&request);
                }
                _ => {
                    self.server.tell("session");
                    self.server.line();
                }
            }
        }
    }

    pub(crate) fn answer(&mut self) -> String {
        let request = self.request.clone();
        self.exchange(&request).1
    }

    fn exchange(&mut self, request: &[u8]) -> (String, String) {
        self.stream.write_all(request).expect("the server reads");
        let mut head = Vec::new();
        let mut buffer = vec![0; 1 << 16];
        let end = loop {
            if let Some(at) = head.windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
            let read = self.stream.read(&mut buffer).expect("the server answers");
            assert!(read > 0, "the server closed: {}", String::from_utf8_lossy(&head));
            head.extend_from_slice(&buffer[..read]);
        };
        let mut sent = head.split_off(end);
        let head = String::from_utf8(head).expect("a head");
        let chunked = value(&head, "transfer-encoding").is_some();
        let length = value(&head, "content-length").map_or(0, |l| l.parse().expect("a length"));
        let body = loop {
            let body = if chunked { chunks(&sent) } else { sent.get(..length).map(<[u8]>::to_vec) };
            if let Some(body) = body {
                break String::from_utf8(body).expect("text");
            }
            let read = self.stream.read(&mut buffer).expect("the server answers");
            assert!(read > 0, "the server closed: {head}");
            sent.extend_from_slice(&buffer[..read]);
        };
        assert!(head.starts_with("HTTP/1.1 20"), "{head}{body}");
        (head, body)
    }

    /// Microseconds of the server's CPU a call.
    pub(crate) fn time(&mut self, calls: usize) -> f64 {
        let request = self.request.clone();
        self.exchange(&request);
        let before = self.server.cpu();
        for _ in 0..calls {
            let (_, answer) = self.exchange(&request);
            assert!(!answer.contains(r#""error""#), "{answer}");
        }
        (self.server.cpu() - before) / calls as f64
    }
}

/// The value of a header.
fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// What the chunks hold, once the last has come.
fn chunks(mut sent: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let start = sent.windows(2).position(|w| w == b"\r\n")? + 2;
        let length = std::str::from_utf8(&sent[..start - 2]).expect("a length");
        let end = start + usize::from_str_radix(length, 16).expect("a length");
        let next = sent.get(end + 2..)?;
        if end == start {
            return Some(body);
        }
        body.extend_from_slice(&sent[start..end]);
        sent = next;
    }
}

/// A server on standard input and output.
pub(crate) struct Lines {
    server: Server,
    era: String,
    next: usize,
}

impl Lines {
    pub(crate) fn open(mut server: Server, era: &str) -> Self {
        if era == "legacy" {
            server.tell(INITIALIZE);
            server.line();
            server.tell(INITIALIZED);
        }
        Self { server, era: era.to_owned(), next: 1 }
    }

    pub(crate) fn answer(&mut self) -> String {
        self.server.tell(&call(&self.era, self.next));
        self.next += 1;
        self.server.line()
    }

    pub(crate) fn time(&mut self, calls: usize, in_flight: usize) -> f64 {
        let before = self.server.cpu();
        for _ in 0..calls / in_flight {
            let mut lines = String::new();
            for _ in 0..in_flight {
                lines.push_str(&call(&self.era, self.next));
                lines.push('\n');
                self.next += 1;
            }
            self.server.input.write_all(lines.as_bytes()).expect("the server reads");
            for _ in 0..in_flight {
                let line = self.server.line();
                assert!(line.contains(r#""jsonrpc""#) && !line.contains(r#""error""#), "{line}");
            }
        }
        (self.server.cpu() - before) / calls as f64
    }
}
