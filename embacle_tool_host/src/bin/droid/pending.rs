//! Which request a response answers, in a stream that may hold both directions of a session.

use std::collections::HashMap;

use protocol_droid_codecs::{Expect, MessageKind, Pending, Sender};
use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{JsonObject, Number, RequestId, Text};

/// Requests that await a response, by who sent them where that is known.
pub(crate) struct Awaited {
    client: Pending,
    server: Pending,
    either: Either,
}

impl Awaited {
    pub(crate) fn new() -> Self {
        let pending = || Pending::new(CAPACITY);
        Self { client: pending(), server: pending(), either: Either::new() }
    }

    /// How a response is typed: by the request it answers, else by `method`.
    pub(crate) fn expect<'a>(
        &'a self,
        sender: Option<Sender>,
        message: &[u8],
        method: Option<&'a str>,
    ) -> Expect<'a> {
        let tables = self.tables(sender);
        let filled: Vec<_> = tables.iter().filter(|table| !table.is_empty()).collect();
        let pending = match filled[..] {
            [] => &tables[0],
            [only] => only,
            // Which table has the id takes a look at the message.
            [first, ..] => match outline(message) {
                Some(MessageKind::Response { id }) => {
                    tables.iter().find(|table| table.method_of(&id).is_some()).unwrap_or(first)
                }
                _ => first,
            },
        };
        Expect { pending: Some(pending), method }
    }

    /// Remembers a request and forgets one that was answered.
    pub(crate) fn observe(&mut self, sender: Option<Sender>, message: MessageKind) {
        let (MessageKind::Response { id } | MessageKind::Error { id: Some(id) }) = &message else {
            return match sender {
                Some(Sender::Client) => self.client.observe(&message),
                Some(Sender::Server) => self.server.observe(&message),
                None => self.either.observe(message),
            };
        };
        let has = |table: &Pending| table.method_of(id).is_some();
        let of_client = sender != Some(Sender::Client) && has(&self.client);
        let of_server = sender != Some(Sender::Server) && has(&self.server);
        match sender {
            None if has(&self.either.pending) => self.either.observe(message),
            _ if of_server => self.server.observe(&message),
            _ if of_client => self.client.observe(&message),
            _ => self.either.observe(message),
        }
    }

    /// The requests that a message of `sender` may answer, the likelier ones first.
    fn tables(&self, sender: Option<Sender>) -> Vec<&Pending> {
        let either = &self.either.pending;
        match sender {
            Some(Sender::Client) => vec![&self.server, either],
            Some(Sender::Server) => vec![&self.client, either],
            None => vec![either, &self.server, &self.client],
        }
    }
}

/// Requests of which nobody said who sent them.
struct Either {
    pending: Pending,
    /// Client and server number their requests on their own, so both may await the same id. The
    /// later request is the one a peer asks while it serves the earlier: it is answered first.
    outer: HashMap<RequestId, Text>,
}

impl Either {
    fn new() -> Self {
        Self { pending: Pending::new(CAPACITY), outer: HashMap::new() }
    }

    fn observe(&mut self, message: MessageKind) {
        match &message {
            MessageKind::Request { id, .. } if self.outer.len() < CAPACITY => {
                if let Some(method) = self.pending.method_of(id) {
                    self.outer.insert(id.detached(), method.into());
                }
            }
            MessageKind::Response { id } | MessageKind::Error { id: Some(id) } => {
                if let Some((id, method)) = self.outer.remove_entry(id) {
                    self.pending.observe(&MessageKind::Request { id, method });
                    return;
                }
            }
            _ => {}
        }
        self.pending.observe(&message);
    }
}

/// How many requests are remembered; of more, the oldest are forgotten.
const CAPACITY: usize = 1 << 12;

/// What kind of message this is, going by its id and method alone.
pub(crate) fn outline(message: &[u8]) -> Option<MessageKind> {
    let object = JsonObject::new(std::str::from_utf8(message).ok()?).ok()?;
    let id = match object.get("id") {
        Some(id) if id.kind() == Kind::String => Some(RequestId::Text(id.parse().ok()?)),
        Some(id) => Some(RequestId::Number(Number::from_json(id)?)),
        None => None,
    };
    let method = object.get("method").map(|method| method.parse());
    Some(match (id, method.transpose().ok()?) {
        (Some(id), Some(method)) => MessageKind::Request { id, method },
        (None, Some(method)) => MessageKind::Notification { method },
        (Some(id), None) => MessageKind::Response { id },
        (None, None) => MessageKind::BareResult,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_and_method_tell_what_a_message_is() {
        for (message, kind) in [
            (r#"{"id":1,"method":"a"}"#, Some(request(1, "a"))),
            (r#"{"method":"a"}"#, Some(MessageKind::Notification { method: "a".into() })),
            (r#"{"id":"\u0061"}"#, Some(MessageKind::Response { id: "a".into() })),
            ("{}", Some(MessageKind::BareResult)),
            (r#"{"id":[],"method":"a"}"#, None),
            (r#"{"id":1,"method":2}"#, None),
            ("[]", None),
        ] {
            assert_eq!(outline(message.as_bytes()), kind, "{message}");
        }
    }

    fn request(id: u64, method: &str) -> MessageKind {
        MessageKind::Request { id: id.into(), method: method.into() }
    }

    fn response(id: u64) -> MessageKind {
        MessageKind::Response { id: id.into() }
    }

    fn method(awaited: &Awaited, sender: Option<Sender>, id: u64) -> Option<String> {
        let message = format!(r#"{{"id":{id},"result":{{}}}}"#);
        let expect = awaited.expect(sender, message.as_bytes(), None);
        expect.pending.unwrap().method_of(&id.into()).map(str::to_owned)
    }

    #[test]
    fn both_sides_may_await_the_same_id() {
        let mut awaited = Awaited::new();
        awaited.observe(None, request(1, "tools/call"));
        awaited.observe(None, request(1, "sampling/createMessage"));
        assert_eq!(method(&awaited, None, 1).as_deref(), Some("sampling/createMessage"));
        awaited.observe(None, response(1));
        assert_eq!(method(&awaited, None, 1).as_deref(), Some("tools/call"));
        awaited.observe(None, MessageKind::Error { id: Some(1.into()) });
        assert_eq!(method(&awaited, None, 1), None);
    }

    #[test]
    fn directions_do_not_mix() {
        let (client, server) = (Some(Sender::Client), Some(Sender::Server));
        let mut awaited = Awaited::new();
        awaited.observe(server, request(1, "roots/list"));
        awaited.observe(client, request(1, "tools/call"));
        assert_eq!(method(&awaited, client, 1).as_deref(), Some("roots/list"));
        assert_eq!(method(&awaited, server, 1).as_deref(), Some("tools/call"));
        awaited.observe(server, response(1));
        assert_eq!(method(&awaited, server, 1), None);
        assert_eq!(method(&awaited, client, 1).as_deref(), Some("roots/list"));
    }

    #[test]
    fn a_line_without_a_direction_meets_those_with_one() {
        let (client, server) = (Some(Sender::Client), Some(Sender::Server));
        let mut awaited = Awaited::new();
        awaited.observe(client, request(1, "tools/call"));
        awaited.observe(server, request(2, "roots/list"));
        awaited.observe(None, request(3, "ping"));
        for (sender, id, expected) in [
            (None, 1, "tools/call"),
            (None, 2, "roots/list"),
            (client, 3, "ping"),
            (server, 3, "ping"),
        ] {
            assert_eq!(method(&awaited, sender, id).as_deref(), Some(expected));
        }
        for (sender, id) in [(None, 1), (None, 2), (server, 3)] {
            awaited.observe(sender, response(id));
            assert_eq!(method(&awaited, None, id), None);
        }
    }
}
