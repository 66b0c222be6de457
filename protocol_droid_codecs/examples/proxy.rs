//! A proxy between a client of 2025-03-26 and a server of 2025-11-25, on a session in memory.
//!
//! A response is typed by the request it answers: each end keeps a table of what it asked. What has
//! no form at the other end is answered on the spot. The handshake is left out: a proxy makes one
//! with either end, since each is to hear its own revision there.
//!
//! ```text
//! cargo run -p protocol_droid_codecs --example proxy
//! ```

use std::error::Error;

use protocol_droid_codecs::{
    Codec, EncodeError, Expect, MessageKind, Pending, TranslateError, Translation, V2025_03_26,
    V2025_11_25, translate_as,
};
use protocol_droid_ir::{
    ErrorObject, ErrorResponse, Extensions, Message, Policy, RequestId, TranslationReport,
};

/// What the ends send, in this order. Both number their requests on their own.
const SESSION: [(Sender, &str); 7] = [
    (Sender::Client, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
    (
        Sender::Server,
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"add","title":"Add","inputSchema":{"type":"object"},"icons":[]}]}}"#,
    ),
    (
        Sender::Client,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1.0,"b":2e0}}}"#,
    ),
    (Sender::Server, r#"{"jsonrpc":"2.0","id":2,"method":"roots/list"}"#),
    (Sender::Client, r#"{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}"#),
    (
        Sender::Server,
        r#"{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}"#,
    ),
    (
        Sender::Server,
        r#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"sum":3.0}}}"#,
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut client = End::new("client", &V2025_03_26);
    let mut server = End::new("server", &V2025_11_25);
    for (sender, message) in SESSION {
        let (from, to) = match sender {
            Sender::Client => (&mut client, &mut server),
            Sender::Server => (&mut server, &mut client),
        };
        println!("{}: {message}", from.name);
        let (heard_by, bytes, report) = match forward(message.as_bytes(), from, to) {
            Ok(passed) => (to.name, passed.bytes.into_owned(), passed.report),
            Err(error) => refuse(message.as_bytes(), &error, from, to)?,
        };
        println!("  to {}: {}", heard_by, String::from_utf8_lossy(&bytes));
        report.iter().for_each(|entry| println!("  {entry}"));
    }
    assert!(client.asked.is_empty() && server.asked.is_empty());
    Ok(())
}

#[derive(Clone, Copy)]
enum Sender {
    Client,
    Server,
}

/// One end of the proxy.
struct End {
    name: &'static str,
    codec: &'static dyn Codec,
    /// The requests of this end that await a response.
    asked: Pending,
}

impl End {
    fn new(name: &'static str, codec: &'static dyn Codec) -> Self {
        Self { name, codec, asked: Pending::new(1024) }
    }
}

fn forward<'a>(
    message: &'a [u8],
    from: &mut End,
    to: &mut End,
) -> Result<Translation<'a>, TranslateError> {
    let answers = Expect::pending(&to.asked);
    let passed = translate_as(message, answers, from.codec, to.codec, &Policy::faithful())?;
    match passed.kind {
        MessageKind::Request { .. } => from.asked.observe(&passed.kind),
        _ => to.asked.observe(&passed.kind),
    }
    Ok(passed)
}

/// Tells whoever waits for it that a message cannot be passed on: the one who asked, be it the
/// sender of a request or the one that a response was for.
fn refuse(
    message: &[u8],
    error: &TranslateError,
    from: &mut End,
    to: &mut End,
) -> Result<(&'static str, Vec<u8>, TranslationReport), Box<dyn Error>> {
    let decoded = from.codec.decode(message, Expect::pending(&to.asked))?;
    let (asker, id) = match decoded.value {
        Message::Request(request) => (from, request.id),
        Message::Response(response) => (to, response.id),
        // Nobody waits for a notification, and an error without an id answers nothing.
        _ => return Err(error.to_string().into()),
    };
    asker.asked.observe(&MessageKind::Response { id: id.clone() });
    Ok((asker.name, error_response(id, error, asker.codec)?, decoded.report))
}

fn error_response(
    id: RequestId,
    error: &TranslateError,
    codec: &dyn Codec,
) -> Result<Vec<u8>, EncodeError> {
    let code = match error {
        TranslateError::Method { .. } => -32601,
        _ => -32603,
    };
    let error = ErrorObject::new(code, error.to_string());
    let response = ErrorResponse { id: Some(id), error, extensions: Extensions::new() };
    let mut bytes = Vec::new();
    codec.encode(&Message::Error(response), &mut bytes)?;
    Ok(bytes)
}
