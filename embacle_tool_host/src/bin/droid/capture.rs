//! What a capture is made of: messages, bare or with the side that sent them.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Write};
use std::ops::Range;
use std::process::ExitCode;

use protocol_droid_codecs::{DecodeError, Revision, Sender, method, split_batch};
use protocol_droid_ir::Path;
use protocol_droid_ir::lex::{Kind, Lexer, SyntaxError};
use thiserror::Error;

use crate::files::FileError;
use crate::input::{InputError, Step, Value, Values};
use crate::paint::{Paint, RED, printable};

/// What works on a capture, value by value.
pub(crate) trait Work {
    /// Does the next value.
    ///
    /// # Errors
    /// When there is no going on.
    fn value(&mut self, value: Value<'_>) -> Result<(), Stop>;

    /// Lets out what is done, since the input may pause now.
    ///
    /// # Errors
    /// When the output does not take it.
    fn flush(&mut self) -> Result<(), Stop>;

    /// Does all values, and lets out what is done even where they end early.
    ///
    /// # Errors
    /// As for `value` and `flush`.
    fn all(&mut self, values: &mut Values<BufReader<File>>) -> Result<(), Stop> {
        let end = loop {
            match values.step() {
                Ok(Step::Value(value)) => {
                    if let Err(stop) = self.value(value) {
                        break Err(stop);
                    }
                }
                // Whoever waits for an answer before going on gets it.
                Ok(Step::Wait) => {
                    self.flush()?;
                    values.fill()?;
                }
                Ok(Step::End) => break Ok(()),
                Err(error) => break Err(error.into()),
            }
        };
        self.flush()?;
        end
    }
}

/// What ends the work early.
#[derive(Debug, Error)]
pub(crate) enum Stop {
    /// A file cannot be opened: nothing was written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The input cannot be read on.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Standard output is closed or full.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
    /// The report is full.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
}

impl Stop {
    /// Whether nobody listens any more, which is no fault.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }

    /// Says why nothing was done at all.
    pub(crate) fn exit(&self, paint: Paint) -> ExitCode {
        let error = printable(&self.to_string(), usize::MAX);
        // Where standard error is gone, the exit status remains.
        let _ = writeln!(io::stderr(), "{}: {error}", paint.text(RED, "error"));
        ExitCode::from(2)
    }
}

/// A method that the revision does not have may be a vendor's, or a slip of the pen.
pub(crate) fn doubt(name: &str, revision: &Revision) -> Option<String> {
    let known = method(name).is_some_and(|method| method.is_in(revision));
    let note = || format!("{} has no method {name}: its results pass as they are", revision.name);
    (!known).then(note)
}

/// A message of a capture, bare or in `{"direction":"client","message":{…}}`.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// The value it stands in.
    pub(crate) value: Value<'a>,
    /// Who sent it, if the value says so.
    pub(crate) sender: Option<Sender>,
    /// JSON Pointer to it in the value.
    pub(crate) pointer: String,
    /// The message, or a batch of them.
    pub(crate) message: &'a [u8],
    /// What the value holds before and after it, where that says who sent it.
    pub(crate) around: [&'a [u8]; 2],
}

impl<'a> Line<'a> {
    /// The value as a message.
    pub(crate) fn bare(value: Value<'a>) -> Self {
        Self { value, sender: None, pointer: String::new(), message: value.bytes, around: [b""; 2] }
    }

    /// What stands in the value. What is no JSON is left to others to name.
    ///
    /// # Errors
    /// When the direction is none.
    pub(crate) fn of(value: Value<'a>) -> Result<Self, DecodeError> {
        let bare = Self::bare(value);
        let Ok(text) = std::str::from_utf8(value.bytes) else { return Ok(bare) };
        let Ok(Some([direction, message])) = wrapped(text) else { return Ok(bare) };
        let sender = match &text[direction] {
            r#""client""# => Sender::Client,
            r#""server""# => Sender::Server,
            other => {
                return Err(DecodeError::Unexpected {
                    path: Path::from("direction"),
                    expected: "client or server".to_owned(),
                    found: other.to_owned(),
                });
            }
        };
        Ok(Self {
            sender: Some(sender),
            pointer: "/message".to_owned(),
            message: &value.bytes[message.clone()],
            around: [&value.bytes[..message.start], &value.bytes[message.end..]],
            ..bare
        })
    }

    /// Whether the message is an array of them.
    pub(crate) fn is_batch(&self) -> bool {
        self.message.first() == Some(&b'[')
    }

    /// The messages of a batch.
    ///
    /// # Errors
    /// When it is none, or empty.
    pub(crate) fn split(&self) -> Result<Vec<Self>, DecodeError> {
        let messages = split_batch(self.message)?.into_iter().enumerate();
        let part = |(index, message)| {
            let pointer = format!("{}/{index}", self.pointer);
            Self { pointer, message, ..self.clone() }
        };
        Ok(messages.map(part).collect())
    }
}

/// Where direction and message stand in an object that has both and is no message itself.
fn wrapped(text: &str) -> Result<Option<[Range<usize>; 2]>, SyntaxError> {
    let mut lexer = Lexer::new(text);
    if lexer.peek()? != Kind::Object {
        return Ok(None);
    }
    lexer.take(b'{');
    let (mut direction, mut message) = (None, None);
    if lexer.take(b'}') {
        return Ok(None);
    }
    loop {
        let name = &text[lexer.string()?.range];
        if ["jsonrpc", "method", "params", "result", "error"].contains(&name) {
            return Ok(None);
        }
        lexer.expect(b':', "a colon")?;
        let value = lexer.value()?;
        match name {
            "direction" if direction.is_none() => direction = Some(value),
            "message" if message.is_none() => message = Some(value),
            "direction" | "message" => return Ok(None),
            _ => {}
        }
        if !lexer.take(b',') {
            lexer.expect(b'}', "a comma or a closing brace")?;
            return Ok(direction.zip(message).map(<[_; 2]>::from));
        }
    }
}

/// Whether a message is an object without `jsonrpc`: a result without its envelope.
pub(crate) fn is_bare(message: &[u8]) -> bool {
    let has_envelope = |text| -> Result<bool, SyntaxError> {
        let mut lexer = Lexer::new(text);
        lexer.expect(b'{', "an object")?;
        if lexer.take(b'}') {
            return Ok(false);
        }
        loop {
            if &text[lexer.string()?.range] == "jsonrpc" {
                return Ok(true);
            }
            lexer.expect(b':', "a colon")?;
            lexer.value()?;
            if !lexer.take(b',') {
                return Ok(false);
            }
        }
    };
    // What is no object, or no JSON, is left to the decoder to name.
    std::str::from_utf8(message).is_ok_and(|text| has_envelope(text) == Ok(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Position;

    fn value(text: &str) -> Value<'_> {
        Value { bytes: text.as_bytes(), start: Position { line: 1, column: 1 } }
    }

    fn parts(text: &str) -> (Option<Sender>, [&str; 3]) {
        let line = Line::of(value(text)).unwrap();
        let [head, tail] = line.around;
        let parts = [head, line.message, tail];
        (line.sender, parts.map(|bytes| std::str::from_utf8(bytes).unwrap()))
    }

    #[test]
    fn a_line_says_who_sent_its_message() {
        for (sender, head, message, tail) in [
            (
                Sender::Client,
                r#"{ "direction": "client" , "message": "#,
                r#"{"id":1}"#,
                " , \"at\": 5}",
            ),
            (Sender::Server, r#"{"message":"#, "[{}]", r#","direction":"server"}"#),
        ] {
            let line = format!("{head}{message}{tail}");
            assert_eq!(parts(&line), (Some(sender), [head, message, tail]));
        }
    }

    #[test]
    fn whatever_else_is_a_message() {
        for bare in [
            r#"{"jsonrpc":"2.0","direction":"client","message":{}}"#,
            r#"{"direction":"client","message":{},"result":{}}"#,
            r#"{"direction":"client","message":{},"message":{}}"#,
            r#"{"direction":"client"}"#,
            r#"{"message":{}}"#,
            "{}",
            "[1]",
            "7",
            r#"{"direction":"client","message":{}"#,
        ] {
            assert_eq!(parts(bare), (None, ["", bare, ""]));
        }
    }

    #[test]
    fn a_direction_that_is_none_is_a_fault() {
        for direction in ["\"up\"", "null", "\"Client\""] {
            let line = format!(r#"{{"direction":{direction},"message":{{}}}}"#);
            let error = Line::of(value(&line)).unwrap_err().to_string();
            assert_eq!(error, format!("direction: expected client or server, found {direction}"));
        }
    }
}
