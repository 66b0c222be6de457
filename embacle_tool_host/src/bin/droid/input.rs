//! A sequence of JSON values, read piece by piece.
//!
//! A value is understood only as far as it takes to find its end; whoever decodes it sees the rest.

use std::fmt;
use std::io::{self, BufRead, Chain, Cursor, ErrorKind, Read};

use protocol_droid_ir::lex::Lexer;
use thiserror::Error;

use crate::scan::{Scanner, State, is_space};

/// The most bytes that one value may have.
pub(crate) const MAX_VALUE: usize = 1 << 30;

/// JSON values in a row, white space between them. Memory grows to the longest value, no further.
pub(crate) struct Values<R> {
    reader: Chain<Cursor<Vec<u8>>, R>,
    limit: usize,
    /// How many bytes the reader holds.
    ready: usize,
    ended: bool,
    /// The value so far.
    value: Vec<u8>,
    /// Where the value starts, or where the next may.
    start: Position,
    scanner: Scanner,
}

/// What [`Values::step`] came to.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A whole value.
    Value(Value<'a>),
    /// There is nothing to go on with before [`Values::fill`], which may block.
    Wait,
    /// The input is over.
    End,
}

/// One value, complete but not yet validated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    /// Its text, without the white space around it.
    pub(crate) bytes: &'a [u8],
    /// Where it starts.
    pub(crate) start: Position,
}

/// A place in the input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Position {
    /// Line breaks before it, and one.
    pub(crate) line: u64,
    /// Characters before it on its line, and one.
    pub(crate) column: u64,
}

/// Input that cannot be read, or that is no sequence of JSON values.
#[derive(Debug, Error)]
pub(crate) enum InputError {
    /// Reading failed.
    #[error("the input cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A value that starts on line `start` is no JSON.
    #[error("{at}{}: expected {expected}, found {found}", of_value(.at, *.start))]
    Syntax { at: Position, start: u64, expected: String, found: String },
    /// A value is longer than the limit, in bytes.
    #[error("line {line}: expected a value of at most {limit} bytes, found a longer one")]
    TooLong { line: u64, limit: usize },
}

impl<R: BufRead> Values<R> {
    /// The values of `reader`, none longer than `limit` bytes. A byte order mark is skipped.
    ///
    /// # Errors
    /// When not even the start can be read.
    pub(crate) fn new(mut reader: R, limit: usize) -> Result<Self, InputError> {
        let mut head = Vec::new();
        reader.by_ref().take(MARK.len() as u64).read_to_end(&mut head)?;
        if head == MARK {
            head.clear();
        }
        Ok(Self {
            reader: Cursor::new(head).chain(reader),
            limit,
            ready: 0,
            ended: false,
            value: Vec::new(),
            start: Position { line: 1, column: 1 },
            scanner: Scanner::new(),
        })
    }

    /// Goes on to the end of the next value, or of what has been read.
    ///
    /// # Errors
    /// When what stands there is no JSON, or too long. There is no going on from that.
    pub(crate) fn step(&mut self) -> Result<Step<'_>, InputError> {
        if self.scanner.state == State::Done {
            self.scanner.state = State::Between;
            self.start.advance(&self.value);
            self.value.clear();
        }
        while self.ready > 0 {
            let chunk = self.reader.fill_buf()?;
            let mut used = 0;
            if self.scanner.state == State::Between {
                used = chunk.iter().position(|byte| !is_space(*byte)).unwrap_or(chunk.len());
                self.start.advance(&chunk[..used]);
            }
            let (more, fault) = match self.scanner.scan(&chunk[used..]) {
                Ok(more) => (more, None),
                Err((at, expected)) => (at, Some((expected, found(&chunk[used + at..])))),
            };
            if more > self.limit - self.value.len() {
                return Err(InputError::TooLong { line: self.start.line, limit: self.limit });
            }
            self.value.extend_from_slice(&chunk[used..used + more]);
            self.reader.consume(used + more);
            self.ready -= used + more;
            if let Some((expected, found)) = fault {
                return Err(self.current().syntax(self.value.len(), expected, found));
            }
            if self.scanner.state == State::Done {
                return Ok(Step::Value(self.current()));
            }
        }
        if self.ended { self.finish() } else { Ok(Step::Wait) }
    }

    /// Reads more input; blocks until there is some.
    ///
    /// # Errors
    /// When reading fails.
    pub(crate) fn fill(&mut self) -> Result<(), InputError> {
        self.ready = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                chunk => break chunk?.len(),
            }
        };
        self.ended = self.ready == 0;
        Ok(())
    }

    fn current(&self) -> Value<'_> {
        Value { bytes: &self.value, start: self.start }
    }

    fn finish(&mut self) -> Result<Step<'_>, InputError> {
        match self.scanner.state {
            State::Between => Ok(Step::End),
            State::Scalar => {
                self.scanner.state = State::Done;
                Ok(Step::Value(self.current()))
            }
            _ => Err(self.unfinished()),
        }
    }

    /// Why the input may not end here; the first fault of the value may be well before its end.
    fn unfinished(&self) -> InputError {
        let value = self.current();
        match value.check() {
            Err(error) => error,
            Ok(()) => value.syntax(value.bytes.len(), "the end of the value", END.to_owned()),
        }
    }
}

impl Value<'_> {
    /// Checks that the value is JSON.
    ///
    /// # Errors
    /// The first fault.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        let text = std::str::from_utf8(self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            self.syntax(at, "UTF-8", found(&self.bytes[at..]))
        })?;
        let mut lexer = Lexer::new(text);
        lexer.value().and_then(|_| lexer.end()).map_err(|error| {
            let found = error.found.map_or(END.to_owned(), |c| format!("{c:?}"));
            self.syntax(error.offset, error.expected, found)
        })
    }

    fn syntax(&self, offset: usize, expected: &str, found: String) -> InputError {
        let mut at = self.start;
        at.advance(&self.bytes[..offset]);
        let (start, expected) = (self.start.line, expected.to_owned());
        InputError::Syntax { at, start, expected, found }
    }
}

impl Position {
    fn advance(&mut self, passed: &[u8]) {
        let mut line = passed;
        if let Some(at) = passed.iter().rposition(|byte| *byte == b'\n') {
            self.line += passed[..=at].iter().filter(|byte| **byte == b'\n').count() as u64;
            self.column = 1;
            line = &passed[at + 1..];
        }
        self.column += line.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Which value a fault is in, where that is not plain to see.
fn of_value(at: &Position, start: u64) -> String {
    if at.line == start {
        String::new()
    } else {
        format!(", in the value that starts on line {start}")
    }
}

/// What `bytes` start with, in words.
fn found(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(4)];
    let valid = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match (valid.chars().next(), head.first()) {
        (Some(c), _) => format!("{c:?}"),
        (None, Some(byte)) => format!("the byte 0x{byte:02X}"),
        (None, None) => END.to_owned(),
    }
}

const END: &str = "the end of the input";
const MARK: &[u8] = b"\xEF\xBB\xBF";

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The values of `input` with the lines they start on, read `chunk` bytes at a time.
    fn read(input: &[u8], chunk: usize) -> Result<Vec<(u64, String)>, String> {
        let reader = BufReader::with_capacity(chunk, input);
        let mut values = Values::new(reader, 1 << 24).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        loop {
            match values.step().map_err(|error| error.to_string())? {
                Step::Value(value) => {
                    let text = String::from_utf8_lossy(value.bytes).into_owned();
                    all.push((value.start.line, text));
                }
                Step::Wait => values.fill().map_err(|error| error.to_string())?,
                Step::End => return Ok(all),
            }
        }
    }

    /// The same, whatever the size of the chunks.
    fn values(input: impl AsRef<[u8]>) -> Result<Vec<(u64, String)>, String> {
        let whole = read(input.as_ref(), 1 << 16);
        for chunk in [1, 2, 3, 7] {
            assert_eq!(read(input.as_ref(), chunk), whole, "chunks of {chunk}");
        }
        whole
    }

    fn expect(input: impl AsRef<[u8]>, expected: &[(u64, &str)]) {
        let found = values(input).unwrap();
        let found: Vec<_> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_value_a_line_several_on_one_and_one_on_several() {
        expect("", &[]);
        expect(" \n\r\n\t", &[]);
        expect("{}\n{}\n", &[(1, "{}"), (2, "{}")]);
        expect("{}\r\n\r\n[1]\r\n", &[(1, "{}"), (3, "[1]")]);
        expect(
            "{} {\"a\":1}[]{}\n{}",
            &[(1, "{}"), (1, "{\"a\":1}"), (1, "[]"), (1, "{}"), (2, "{}")],
        );
        expect("\n{\n \"a\": [\n1]\n}\n{}", &[(2, "{\n \"a\": [\n1]\n}"), (6, "{}")]);
        expect(
            "1 -2.5e3 null\ntrue \"a b\"\"c\"",
            &[(1, "1"), (1, "-2.5e3"), (1, "null"), (2, "true"), (2, "\"a b\""), (2, "\"c\"")],
        );
    }

    #[test]
    fn strings_hide_brackets_quotes_and_escapes() {
        let text = r#"{"}":"]\"}\\","\u007d[":"{\\\"{"}"#;
        expect(format!("{text}\n{text}"), &[(1, text), (2, text)]);
        expect(r#"["\\"] ["é世🌍"]"#, &[(1, r#"["\\"]"#), (1, "[\"é世🌍\"]")]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_start_alone() {
        expect("\u{feff}{}\n", &[(1, "{}")]);
        expect("\u{feff}", &[]);
        let error = "line 2, column 1: expected a JSON value, found '\\u{feff}'";
        assert_eq!(read("{}\n\u{feff}{}".as_bytes(), 64).unwrap_err(), error);
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        let found = read(format!("{deep}\n{{}}").as_bytes(), 4096).unwrap();
        assert_eq!(found, [(1, deep), (2, "{}".to_owned())]);
        let error = read("[".repeat(1_000_000).as_bytes(), 4096).unwrap_err();
        assert!(error.starts_with("line 1, column 1000001: expected"), "{error}");
    }

    #[test]
    fn an_unfinished_value_is_told_by_its_first_fault() {
        for (input, error) in [
            (
                "{\"a\":1,\n \"b\": [1,",
                "line 2, column 10, in the value that starts on line 1: expected a JSON value, found the end of the input",
            ),
            (
                "{}\n{\"a\": nul, ",
                "line 2, column 7: expected one of true, false and null, found 'n'",
            ),
            ("\"abc", "line 1, column 5: expected"),
            ("[\"é\\", "line 1, column 5: expected"),
        ] {
            let found = values(input).unwrap_err();
            assert!(found.starts_with(error), "{input}: {found}");
        }
        let error = values(b"[\"a\xFF").unwrap_err();
        assert_eq!(error, "line 1, column 4: expected UTF-8, found the byte 0xFF");
    }

    #[test]
    fn garbage_is_told_where_it_stands() {
        for (input, error) in [
            ("{}\n{},{}", "line 2, column 3: expected a JSON value, found ','"),
            ("{\"a\":1}}", "line 1, column 8: expected a JSON value, found '}'"),
            ("hello", "line 1, column 1: expected a JSON value, found 'h'"),
            ("\u{e9}", "line 1, column 1: expected a JSON value, found 'é'"),
        ] {
            assert_eq!(values(input).unwrap_err(), error);
        }
        let error = "line 1, column 1: expected a JSON value, found the byte 0xFE";
        assert_eq!(values(b"\xFE\xFF\0{").unwrap_err(), error);
    }

    #[test]
    fn a_forgotten_bracket_or_quote_does_not_swallow_what_follows() {
        let rest = "{\"a\":1}\n".repeat(1000);
        let bracket = values(format!("{{\"a\":[1\n{rest}")).unwrap_err();
        assert_eq!(
            bracket,
            "line 2, column 1, in the value that starts on line 1: expected a comma, a colon or a closing bracket, found '{'"
        );
        let quote = values(format!("{{\"a\":\"b}}\n{rest}")).unwrap_err();
        assert_eq!(
            quote,
            "line 1, column 9: expected a closing quote or an escaped character, found '\\n'"
        );
    }

    #[test]
    fn a_value_beyond_the_limit_is_refused() {
        let mut values = Values::new(&b"{}\n[1,2,3,4,5]"[..], 8).unwrap();
        values.fill().unwrap();
        assert!(matches!(values.step(), Ok(Step::Value(_))));
        assert!(matches!(values.step(), Ok(Step::Wait)));
        values.fill().unwrap();
        let error = values.step().unwrap_err().to_string();
        assert_eq!(error, "line 2: expected a value of at most 8 bytes, found a longer one");
    }

    #[test]
    fn it_waits_only_when_there_is_nothing_to_go_on_with() {
        let reader = BufReader::with_capacity(5, &b"{}{}{}"[..]);
        let mut values = Values::new(reader, 100).unwrap();
        assert!(matches!(values.step(), Ok(Step::Wait)));
        values.fill().unwrap();
        assert!(matches!(values.step(), Ok(Step::Value(_))));
    }
}
