//! `droid connect` against endpoints by hand: what it sends, and what it makes of odd answers.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::connect::{Agent, modern, request};

/// An endpoint that answers as it is told, and the requests that it got.
struct Endpoint {
    url: String,
    got: Arc<Mutex<Vec<Got>>>,
}

#[derive(Clone, Debug)]
struct Got {
    /// The request line and headers, in lower case.
    head: String,
    body: String,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

impl Endpoint {
    fn new(answer: impl Fn(&Got) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (got, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let all = got.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (all, answer) = (all.clone(), answer.clone());
                std::thread::spawn(move || {
                    let got = read(&stream);
                    all.lock().unwrap().push(got.clone());
                    (&stream).write_all(answer(&got).as_bytes()).unwrap();
                });
            }
        });
        Self { url, got }
    }

    fn agent(&self) -> Agent {
        Agent::start(&self.url, "token")
    }

    /// The first request whose head starts so.
    fn got(&self, start: &str) -> Got {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let got = self.got.lock().unwrap();
            if let Some(got) = got.iter().find(|got| got.head.starts_with(start)) {
                return got.clone();
            }
            assert!(Instant::now() < deadline, "{start}: {got:?}");
            drop(got);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn read(stream: &TcpStream) -> Got {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0);
    }
    let mut got = Got { head: head.to_ascii_lowercase(), body: String::new() };
    let length = got.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    got.body = String::from_utf8(body).unwrap();
    got
}

fn answer(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

#[test]
fn an_error_that_names_no_request_is_the_answer_to_the_one_at_hand() {
    let endpoint = Endpoint::new(|got| {
        let (status, body) = match got.body.as_str() {
            body if body.contains("fastapi") => ("404 Not Found", r#"{"detail":"Not Found"}"#),
            body if body.contains("html") => ("502 Bad Gateway", "<html></html>"),
            body if body.contains("stranger") => {
                ("200 OK", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#)
            }
            _ => (
                "400 Bad Request",
                "{\"jsonrpc\":\"2.0\",\n\"id\":null,\"error\":{\"code\":-32020,\"message\":\"m\",\"data\":1.0}}",
            ),
        };
        answer(status, "application/json", body)
    });
    let mut agent = endpoint.agent();
    let error = agent.ask(&json!({"jsonrpc": "2.0", "id": "a\"é", "method": "any"}));
    let expected = json!({"code": -32020, "message": "m", "data": 1.0});
    assert_eq!((&error["id"], &error["error"]), (&json!("a\"é"), &expected));
    for (method, words) in [("fastapi", "404"), ("html", "502")] {
        let error = agent.ask(&request(5, method, json!({})));
        assert_eq!(error["id"], 5, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(words), "{error}");
    }
    agent.say(&request(6, "stranger", json!({})));
    let (stranger, error) = (agent.hear(), agent.hear());
    assert_eq!((&stranger["id"], &error["id"]), (&json!(99), &json!(6)));
    agent.end();
}

#[test]
fn a_stream_is_taken_up_where_it_stopped_when_the_server_says() {
    let endpoint = Endpoint::new(|got| {
        let stream = |body: &str| answer("200 OK", "text/event-stream", body);
        match (got.header("last-event-id"), got.body.as_str()) {
            (None, "") => answer("405 Method Not Allowed", "text/plain", ""),
            (None, body) if body.contains("initialize\"") => {
                let result =
                    r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#;
                answer("200 OK", "application/json\r\nMcp-Session-Id: s1", result)
            }
            (None, body) if body.contains("tools/call") => {
                stream("id: e1\nretry: 300\ndata:\n\ndata: no message\n\n")
            }
            (None, _) => answer("202 Accepted", "text/plain", ""),
            (Some("e1"), _) => {
                stream("id: e2\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"m\"}\n\n")
            }
            _ => stream("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"),
        }
    });
    let mut agent = endpoint.agent();
    agent.ask(&request(0, "initialize", json!({})));
    agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let began = Instant::now();
    assert_eq!(agent.ask(&request(1, "tools/call", json!({"name": "t"})))["method"], "m");
    assert_eq!(agent.hear()["result"], json!({}));
    assert!(began.elapsed() >= Duration::from_millis(600), "{:?}", began.elapsed());
    agent.end();
    let initialize = endpoint.got("post");
    assert_eq!(
        (initialize.header("mcp-session-id"), initialize.header("mcp-protocol-version")),
        (None, None)
    );
    assert_eq!(initialize.header("authorization"), Some("bearer token"));
    for start in ["get", "delete"] {
        let got = endpoint.got(start);
        assert_eq!(got.header("mcp-session-id"), Some("s1"), "{got:?}");
        assert_eq!(got.header("mcp-protocol-version"), Some("2025-11-25"), "{got:?}");
    }
}

#[test]
fn headers_repeat_a_request_that_speaks_for_itself() {
    let endpoint = Endpoint::new(|got| {
        let request: Value = serde_json::from_str(&got.body).unwrap();
        let schema = json!({"type": "object", "properties": {
            "n": {"type": "integer", "x-mcp-header": "N"},
            "on": {"type": "boolean", "x-mcp-header": "On"},
            "in": {"type": "object", "properties": {"s": {"type": "string", "x-mcp-header": "S"}}},
        }});
        let tools = json!([{"name": "tül", "inputSchema": schema}]);
        let message = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"tools": tools}});
        answer("200 OK", "application/json", &message.to_string())
    });
    let mut agent = endpoint.agent();
    agent.ask(&modern(1, "tools/list", json!({})));
    let arguments = json!({"n": 42, "on": false, "in": {"s": " Ä"}});
    agent.ask(&modern(2, "tools/call", json!({"name": "tül", "arguments": arguments})));
    agent.ask(&modern(3, "resources/read", json!({"uri": "file:///a"})));
    agent.ask(&modern(4, "tools/call", json!({"name": "tül", "arguments": {"n": null}})));
    agent.end();
    let all = endpoint.got.lock().unwrap().clone();
    let said = |index: usize, name: &str| all[index].header(name);
    assert_eq!(all.len(), 4, "no session is ended, as there is none");
    assert_eq!(said(0, "mcp-method"), Some("tools/list"));
    assert_eq!(said(0, "mcp-name"), None);
    assert_eq!(said(1, "mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(said(1, "mcp-name"), Some("=?base64?dmo8ba==?="), "in lower case");
    assert_eq!(said(1, "mcp-param-n"), Some("42"));
    assert_eq!(said(1, "mcp-param-on"), Some("false"));
    assert!(said(1, "mcp-param-s").unwrap().starts_with("=?base64?"));
    assert_eq!(said(2, "mcp-name"), Some("file:///a"));
    assert_eq!((said(3, "mcp-param-n"), said(3, "mcp-param-on")), (None, None));
}

#[test]
fn a_session_that_is_lost_is_opened_anew() {
    let opened = AtomicUsize::new(0);
    let endpoint = Endpoint::new(move |got| {
        let message: Value = serde_json::from_str(&got.body).unwrap_or_default();
        let result = |kind: &str| {
            let result = json!({"protocolVersion": "2025-06-18"});
            let message = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            answer("200 OK", kind, &message.to_string())
        };
        let session = got.header("mcp-session-id");
        match message["method"].as_str() {
            Some("initialize") => {
                assert_eq!(session, None);
                let number = opened.fetch_add(1, Ordering::SeqCst);
                result(&format!("application/json\r\nMcp-Session-Id: s{number}"))
            }
            Some("ping") if session == Some("s0") => answer("404 Not Found", "text/plain", ""),
            Some("ping") => result("application/json"),
            _ => answer("405 Method Not Allowed", "text/plain", ""),
        }
    });
    let mut agent = endpoint.agent();
    agent.ask(&request(0, "initialize", json!({})));
    for id in 1..5 {
        agent.say(&request(id, "ping", json!({})));
    }
    let mut ids: Vec<_> = (1..5).map(|_| agent.hear()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4]);
    agent.end();
    assert_eq!(endpoint.got("delete").header("mcp-session-id"), Some("s1"));
    let got = endpoint.got.lock().unwrap();
    assert_eq!(got.iter().filter(|got| got.body.contains("notifications/initialized")).count(), 1);
}

#[test]
fn headers_of_a_tool_that_was_not_listed_are_learned() {
    let endpoint = Endpoint::new(|got| {
        let message: Value = serde_json::from_str(&got.body).unwrap();
        let schema = |name: &str| json!({"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": name}}});
        let cursor = message["params"]["cursor"].as_str();
        let (status, members) = match (message["method"].as_str(), cursor) {
            (Some("tools/list"), None) => {
                let tools = json!([{"name": "a", "inputSchema": schema("A")}]);
                ("200 OK", json!({"result": {"tools": tools, "nextCursor": "2"}}))
            }
            (Some("tools/list"), _) => {
                let tools = json!([{"name": "b", "inputSchema": schema("B")}]);
                ("200 OK", json!({"result": {"tools": tools}}))
            }
            _ if got.header("mcp-param-b") == Some("7") => ("200 OK", json!({"result": {}})),
            _ => ("400 Bad Request", json!({"error": {"code": -32020, "message": "missing"}})),
        };
        let mut answered = json!({"jsonrpc": "2.0", "id": message["id"]});
        answered.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        answer(status, "application/json", &answered.to_string())
    });
    let mut agent = endpoint.agent();
    let call = |id, name| modern(id, "tools/call", json!({"name": name, "arguments": {"n": 7}}));
    assert_eq!(agent.ask(&call(1, "b"))["result"], json!({}));
    assert_eq!(agent.ask(&call(2, "b"))["id"], 2);
    // What listing does not mend is told as it is.
    assert_eq!(agent.ask(&call(3, "a"))["error"]["code"], -32020);
    agent.end();
    let lists =
        endpoint.got.lock().unwrap().iter().filter(|got| got.body.contains("tools/list")).count();
    assert_eq!(lists, 4);
}

#[cfg(unix)]
#[test]
fn a_session_is_ended_when_the_process_is_told_to_end() {
    let endpoint = Endpoint::new(|got| match got.head.split(' ').next() {
        Some("post") => {
            let result = r#"{"jsonrpc":"2.0","id":0,"result":{}}"#;
            answer("200 OK", "application/json\r\nMcp-Session-Id: s1", result)
        }
        _ => answer("200 OK", "text/plain", ""),
    });
    let mut agent = endpoint.agent();
    agent.ask(&request(0, "initialize", json!({})));
    let told = std::process::Command::new("kill").args(["-TERM", &agent.id()]).status().unwrap();
    assert!(told.success());
    assert_eq!(endpoint.got("delete").header("mcp-session-id"), Some("s1"));
    assert!(agent.ends().success());
}
