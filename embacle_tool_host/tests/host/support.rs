//! A client of raw bytes, and a surface with tools for every case.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use embacle_tool_host::ir::{JsonText, Schema};
use embacle_tool_host::{
    HostConfig, StaticSurface, ToolHost, ToolOutcome, ToolSession, form_of_json, tool,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What the tools have done.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) started: Arc<AtomicUsize>,
    pub(crate) dropped: Arc<AtomicUsize>,
}

impl Seen {
    pub(crate) fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    /// Waits for `done`, for as long as a test may.
    pub(crate) async fn until(&self, done: impl Fn(&Self) -> bool) {
        let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
        while !done(self) {
            assert!(tokio::time::Instant::now() < deadline, "it does not come to pass");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) const NAME: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;

/// `echo` says its arguments, `sleep` takes a second, `hang` never ends, `panic` panics, `ask` asks
/// for a name, `steps` tells of its progress.
pub(crate) fn surface(seen: &Seen) -> StaticSurface {
    let any = |name: &str| tool(name, "For tests.", r#"{"type":"object"}"#).unwrap();
    let hang = seen.clone();
    StaticSurface::new()
        .with(any("echo"), |arguments, _| async move { ToolOutcome::text(arguments.as_str()) })
        .unwrap()
        .with(any("sleep"), |_, _| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ToolOutcome::text("slept")
        })
        .unwrap()
        .with(any("hang"), move |_, _| {
            hang.started.fetch_add(1, Ordering::SeqCst);
            let dropped = Dropped(hang.dropped.clone());
            async move {
                let _dropped = dropped;
                std::future::pending::<ToolOutcome>().await
            }
        })
        .unwrap()
        .with(
            {
                let mut tool = any("either");
                tool.output_schema = Some(Schema::new(r#"{"anyOf":[{"type":"object"}]}"#).unwrap());
                tool
            },
            |_, _| async { ToolOutcome::structured(JsonText::new(r#"{"a":1.0}"#).unwrap()) },
        )
        .unwrap()
        .with(any("panic"), |_, _| async { panic!("as asked") })
        .unwrap()
        .with(any("steps"), |_, context| async move {
            for step in 1..=3 {
                context.progress(f64::from(step), Some(3.0), None).await;
                context.release_stream().await;
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
            ToolOutcome::text("stepped")
        })
        .unwrap()
        .with(any("ask"), |_, context| async move {
            let question = form_of_json("Who?", NAME).unwrap();
            match context.ask("who", question).await {
                Ok(answer) => ToolOutcome::text(format!("{answer:?}").contains("Ada").to_string()),
                Err(error) => ToolOutcome::declined(error.to_string()),
            }
        })
        .unwrap()
}

/// A host with one session.
pub(crate) async fn hosted(config: HostConfig) -> (ToolHost, ToolSession, Seen) {
    let seen = Seen::default();
    let host = ToolHost::bind(config).await.unwrap();
    let session = host.open_session(surface(&seen)).unwrap();
    (host, session, seen)
}

/// A response, its body read to the end.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The messages of a stream of events.
    pub(crate) fn events(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter(|data| !data.is_empty()).map(|d| serde_json::from_str(d).unwrap()).collect()
    }
}

/// Where to ask, and with which bearer.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: String,
    pub(crate) bearer: Option<String>,
}

impl Client {
    pub(crate) fn of(session: &ToolSession) -> Self {
        let address = session.url().strip_prefix("http://").unwrap().split('/').next().unwrap();
        Self { address: address.to_owned(), bearer: session.bearer().map(str::to_owned) }
    }

    pub(crate) fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head += &format!("Host: {}\r\n", self.address);
        }
        if let Some(bearer) = &self.bearer {
            head += &format!("Authorization: Bearer {bearer}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).await.unwrap()
    }

    /// Sends a request and reads the answer to the end.
    pub(crate) async fn send(
        &self,
        method: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Response {
        let body = body.as_ref();
        let mut request = self.head(method, "/mcp", headers).into_bytes();
        request
            .extend(format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).bytes());
        request.extend_from_slice(body);
        self.raw(&request).await
    }

    /// Sends bytes and reads what comes until the host closes.
    pub(crate) async fn raw(&self, request: &[u8]) -> Response {
        let mut stream = self.connect().await;
        stream.write_all(request).await.unwrap();
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let _ = tokio::time::timeout(Duration::from_secs(10), read).await.expect("an end");
        parse(&bytes)
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], body: &Value) -> Response {
        self.send("POST", headers, body.to_string()).await
    }

    /// A request of 2026-07-28, with the headers that go with it.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Response {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let headers =
            [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", &name)];
        let headers = if name.is_empty() { &headers[..2] } else { &headers };
        self.post(headers, &modern(method, params)).await
    }

    /// Opens a session of a legacy revision, and returns its id.
    pub(crate) async fn initialize(&self, version: &str, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let response = self.post(&[], &request(0, "initialize", params)).await;
        assert_eq!(response.json()["result"]["protocolVersion"], version, "{response:?}");
        response.header("mcp-session-id").unwrap().to_owned()
    }

    /// The same on a connection that stays open.
    pub(crate) async fn initialize_on(&self, stream: &mut TcpStream) -> String {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let body = request(0, "initialize", params).to_string();
        let head = self.head("POST", "/mcp", &[]);
        let message = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(message.as_bytes()).await.unwrap();
        let mut bytes = vec![0; 8192];
        let mut len = 0;
        while !bytes[..len].ends_with(b"}}}") && !bytes[..len].ends_with(b"\"}}") {
            len += stream.read(&mut bytes[len..]).await.unwrap();
        }
        let response = parse(&bytes[..len]);
        response.header("mcp-session-id").unwrap().to_owned()
    }

    pub(crate) async fn legacy(&self, session: &str, message: &Value) -> Response {
        self.post(&[("Mcp-Session-Id", session)], message).await
    }
}

fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let mut body = bytes.get(end + 4..).unwrap_or_default();
    let mut whole = Vec::new();
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        while let Some(at) = body.windows(2).position(|w| w == b"\r\n") {
            let size = std::str::from_utf8(&body[..at]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            let chunk = &body[at + 2..];
            if size == 0 || chunk.len() < size {
                break;
            }
            whole.extend_from_slice(&chunk[..size]);
            body = &chunk[size + 2..];
        }
    } else {
        whole.extend_from_slice(body);
    }
    Response { status, head, body: String::from_utf8(whole).unwrap() }
}

pub(crate) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn modern(method: &str, mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    if meta.get("io.modelcontextprotocol/clientCapabilities").is_none() {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    }
    request(1, method, params)
}

pub(crate) fn call(id: u64, name: &str) -> Value {
    request(id, "tools/call", json!({"name": name, "arguments": {}}))
}
