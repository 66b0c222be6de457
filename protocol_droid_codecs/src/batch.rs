//! Several messages in one JSON array: batches, as 2025-03-26 has them.

use protocol_droid_ir::lex::{Kind, Lexer};
use protocol_droid_ir::{JsonObject, JsonText, Path, RequestId};

use crate::codec::buffer;
use crate::error::DecodeError;

/// The messages of a JSON array, each as its own slice.
///
/// # Errors
/// When the input is no JSON array, or an empty one.
pub fn split_batch(input: &[u8]) -> Result<Vec<&[u8]>, DecodeError> {
    let text = std::str::from_utf8(input)
        .map_err(|error| DecodeError::Utf8 { offset: error.valid_up_to() })?;
    let mut lexer = Lexer::new(text);
    let kind = lexer.peek()?;
    if kind != Kind::Array {
        return Err(unexpected(Path::new(), "an array", kind.name()));
    }
    lexer.take(b'[');
    let mut messages = Vec::new();
    while !lexer.take(b']') {
        if !messages.is_empty() {
            lexer.expect(b',', "a comma or a closing bracket")?;
        }
        messages.push(&input[lexer.value()?]);
    }
    lexer.end()?;
    if messages.is_empty() {
        return Err(unexpected(Path::new(), "at least one message", "an empty array"));
    }
    Ok(messages)
}

/// A batch, taken apart.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Batch<'a> {
    /// Requests and notifications.
    Calls {
        /// The messages in order.
        messages: Vec<&'a [u8]>,
        /// The ids of the requests among them, in order: what the answer must answer.
        ids: Vec<RequestId>,
    },
    /// Results and errors.
    Answers {
        /// The messages in order.
        messages: Vec<&'a [u8]>,
    },
}

/// Takes a batch apart and says what it holds. The messages themselves are looked at no further
/// than that.
///
/// # Errors
/// When the input is no JSON array or an empty one, when a message in it is none, when calls and
/// answers are mixed, or when `initialize` is among them, which must stand alone.
pub fn classify_batch(input: &[u8]) -> Result<Batch<'_>, DecodeError> {
    let messages = split_batch(input)?;
    let mut ids = Vec::new();
    let mut answers = None;
    for (index, message) in messages.iter().enumerate() {
        let envelope = envelope(message, index)?;
        if *answers.get_or_insert(envelope.is_answer) != envelope.is_answer {
            let kinds = ["a request or a notification", "a result or an error"];
            let [expected, found] = if envelope.is_answer { kinds } else { [kinds[1], kinds[0]] };
            return Err(unexpected(item(index), expected, found));
        }
        if !envelope.is_answer {
            ids.extend(envelope.id);
        }
    }
    Ok(match answers {
        Some(true) => Batch::Answers { messages },
        _ => Batch::Calls { messages, ids },
    })
}

/// What tells the messages of a batch apart.
struct Envelope {
    is_answer: bool,
    id: Option<RequestId>,
}

fn envelope(message: &[u8], index: usize) -> Result<Envelope, DecodeError> {
    let buffer = buffer(message)?;
    let value = JsonText::from_range(&buffer, 0, message.len());
    let object = JsonObject::try_from(value.clone())
        .map_err(|_| unexpected(item(index), "an object", value.kind().name()))?;
    let method = object.get("method");
    let is_answer = method.is_none();
    if method.is_some_and(|method| method.parse::<String>().is_ok_and(|m| m == "initialize")) {
        let found = "initialize, which must stand alone";
        return Err(unexpected(member(index, "method"), "another method", found));
    }
    if is_answer && object.get("result").is_none() && object.get("error").is_none() {
        let expected = "a member method, result or error";
        return Err(unexpected(item(index), expected, "none of them"));
    }
    let id = match object.get("id") {
        Some(id) if id.kind() == Kind::Null && is_answer => None,
        Some(id) => {
            let found = id.kind().name();
            let error = || unexpected(member(index, "id"), "a string or a whole number", found);
            Some(RequestId::from_json(id).ok_or_else(error)?)
        }
        None => None,
    };
    Ok(Envelope { is_answer, id })
}

fn item(index: usize) -> Path {
    let mut path = Path::new();
    path.index(index);
    path
}

fn member(index: usize, name: &'static str) -> Path {
    let mut path = item(index);
    path.member(name);
    path
}

fn unexpected(path: Path, expected: &str, found: &str) -> DecodeError {
    DecodeError::Unexpected { path, expected: expected.to_owned(), found: found.to_owned() }
}

/// The answers to a batch, which its sender gets as one array.
#[derive(Clone, Debug)]
pub struct BatchReply {
    /// What is still to be answered.
    waiting: Vec<RequestId>,
    answers: Vec<u8>,
}

impl BatchReply {
    /// The reply to a batch with requests of these ids; `None` if there are none, since
    /// notifications get no reply.
    pub fn new(ids: Vec<RequestId>) -> Option<Self> {
        let waiting = ids;
        (!waiting.is_empty()).then(|| Self { waiting, answers: Vec::new() })
    }

    /// Takes the answer to the request `id`. Whether it is of this batch and was still awaited;
    /// others are not taken.
    pub fn answer(&mut self, id: &RequestId, message: &[u8]) -> bool {
        let Some(at) = self.waiting.iter().position(|waiting| waiting == id) else {
            return false;
        };
        self.waiting.remove(at);
        self.answers.push(if self.answers.is_empty() { b'[' } else { b',' });
        self.answers.extend_from_slice(message);
        true
    }

    /// Gives up on the request `id`, as a cancelled one gets no answer. Whether it was awaited.
    pub fn withdraw(&mut self, id: &RequestId) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|waiting| waiting != id);
        self.waiting.len() < before
    }

    /// What is still to be answered.
    pub fn waiting(&self) -> &[RequestId] {
        &self.waiting
    }

    /// The array of all answers in the order in which they came; `None` if there are none, since
    /// all requests were withdrawn.
    ///
    /// # Errors
    /// The reply as it was, while answers are still awaited.
    pub fn finish(mut self) -> Result<Option<Vec<u8>>, Self> {
        if !self.waiting.is_empty() {
            return Err(self);
        }
        if self.answers.is_empty() {
            return Ok(None);
        }
        self.answers.push(b']');
        Ok(Some(self.answers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    const TOLD: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const DONE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    const FAILED: &str = r#"{"id":null,"error":{"code":-32700,"message":""},"jsonrpc":"2.0"}"#;

    #[test]
    fn a_batch_holds_calls_or_answers() {
        let input = format!(r#"[{CALL}, {TOLD},{{"id":"1","method":"x/y"}}]"#);
        let Ok(Batch::Calls { messages, ids }) = classify_batch(input.as_bytes()) else {
            panic!("calls");
        };
        assert_eq!(messages[..2], [CALL.as_bytes(), TOLD.as_bytes()]);
        assert_eq!(ids, [1.into(), "1".into()]);
        let input = format!("[{DONE},{FAILED}]");
        let messages = vec![DONE.as_bytes(), FAILED.as_bytes()];
        assert_eq!(classify_batch(input.as_bytes()), Ok(Batch::Answers { messages }));
    }

    #[test]
    fn what_is_no_batch_says_where() {
        for (input, path) in [
            ("[]".to_owned(), "the message"),
            (CALL.to_owned(), "the message"),
            (format!("[{CALL},{DONE}]"), "[1]"),
            (format!("[{DONE},{DONE},{TOLD}]"), "[2]"),
            (format!("[{CALL},1]"), "[1]"),
            (format!("[{CALL},[{CALL}]]"), "[1]"),
            ("[{}]".to_owned(), "[0]"),
            (format!(r#"[{CALL},{{"id":1,"method":"\u0069nitialize"}}]"#), "[1].method"),
            (r#"[{"id":1.5,"method":"ping"}]"#.to_owned(), "[0].id"),
            (r#"[{"id":null,"method":"ping"}]"#.to_owned(), "[0].id"),
        ] {
            let error = classify_batch(input.as_bytes()).expect_err(&input);
            assert_eq!(error.path().to_string(), path, "{input}");
        }
        assert!(classify_batch(b"[{]").is_err_and(|error| error.is_syntax()));
    }

    #[test]
    fn a_reply_is_one_array_once_everything_is_answered() {
        assert!(BatchReply::new(vec![]).is_none());
        let mut reply = BatchReply::new(vec![1.into(), "1".into(), 2.into()]).unwrap();
        assert!(reply.answer(&"1".into(), b"{\"a\":1}"));
        assert!(!reply.answer(&"1".into(), b"{}"), "answered before");
        assert!(!reply.answer(&3.into(), b"{}"), "of another batch");
        let mut reply = reply.finish().expect_err("more is to come");
        assert_eq!(reply.waiting(), [1.into(), 2.into()]);
        assert!(reply.withdraw(&2.into()));
        assert!(!reply.withdraw(&2.into()));
        assert!(reply.answer(&1.into(), b"{}"));
        assert_eq!(reply.finish().unwrap(), Some(b"[{\"a\":1},{}]".to_vec()));
        let mut reply = BatchReply::new(vec![1.into()]).unwrap();
        reply.withdraw(&1.into());
        assert_eq!(reply.finish().unwrap(), None);
    }
}
