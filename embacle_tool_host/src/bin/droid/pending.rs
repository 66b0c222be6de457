//! Which request a response answers, in a stream that may hold both directions of a session.

use std::collections::HashMap;

use protocol_droid_codecs::{Expect, MessageKind, Pending};
use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{JsonObject, Number, RequestId, Text};

/// Requests that await a response; of very many, the oldest are forgotten.
pub(crate) struct Awaited {
    pending: Pending,
    /// Client and server number their requests on their own, so both may await the same id. The
    /// later request is the one a peer asks while it serves the earlier: it is answered first.
    outer: HashMap<RequestId, Text>,
}

impl Awaited {
    const CAPACITY: usize = 1 << 12;

    pub(crate) fn new() -> Self {
        Self { pending: Pending::new(Self::CAPACITY), outer: HashMap::new() }
    }

    /// How a response is typed: by its request, else by `method`.
    pub(crate) fn expect<'a>(&'a self, method: Option<&'a str>) -> Expect<'a> {
        Expect { pending: Some(&self.pending), method }
    }

    /// Remembers a request and forgets one that was answered.
    pub(crate) fn observe(&mut self, message: MessageKind) {
        match &message {
            MessageKind::Request { id, .. } if self.outer.len() < Self::CAPACITY => {
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

    #[test]
    fn both_sides_may_await_the_same_id() {
        let id = RequestId::from(1);
        let mut awaited = Awaited::new();
        let method = |awaited: &Awaited| awaited.pending.method_of(&1.into()).map(str::to_owned);
        awaited.observe(request(1, "tools/call"));
        awaited.observe(request(1, "sampling/createMessage"));
        assert_eq!(method(&awaited).as_deref(), Some("sampling/createMessage"));
        awaited.observe(MessageKind::Response { id: id.clone() });
        assert_eq!(method(&awaited).as_deref(), Some("tools/call"));
        awaited.observe(MessageKind::Error { id: Some(id) });
        assert_eq!(method(&awaited), None);
    }
}
