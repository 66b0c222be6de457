//! A JSON lexer that hands out source positions instead of values.
//!
//! It validates what it passes over (RFC 8259), never recurses, and never copies.

use std::borrow::Cow;
use std::ops::Range;

use thiserror::Error;

use crate::text::unescape;

/// Input that is not JSON: where, what was expected, and what stands there.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("byte {offset}: expected {expected}, found {}", describe(.found))]
pub struct SyntaxError {
    /// Offset into the input, in bytes.
    pub offset: usize,
    /// What the grammar allows here.
    pub expected: &'static str,
    /// The character found; `None` at the end of the input.
    pub found: Option<char>,
}

fn describe(found: &Option<char>) -> String {
    match found {
        None => "the end of the input".to_owned(),
        Some(c) => format!("{c:?}"),
    }
}

/// The kind of a JSON value, known from its first byte.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(missing_docs)]
pub enum Kind {
    Array,
    False,
    Null,
    Number,
    Object,
    String,
    True,
}

impl Kind {
    /// The kind with its article, as errors name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Array => "an array",
            Kind::False | Kind::True => "a boolean",
            Kind::Null => "null",
            Kind::Number => "a number",
            Kind::Object => "an object",
            Kind::String => "a string",
        }
    }
}

/// A string token: the range between its quotes, and what its escapes are like.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StringToken {
    /// The bytes between the quotes.
    pub range: Range<usize>,
    /// Whether the token holds any escape.
    pub escaped: bool,
    /// Whether an escape names half of a surrogate pair, so that the token is no Unicode text.
    pub lone_surrogate: bool,
}

impl StringToken {
    /// The text that the token of `source` stands for.
    #[inline]
    pub fn text<'a>(&self, source: &'a str) -> Cow<'a, str> {
        let token = &source[self.range.clone()];
        if self.escaped { Cow::Owned(unescape(token)) } else { Cow::Borrowed(token) }
    }
}

/// A cursor over JSON text.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, pos: 0 }
    }

    /// The text under the cursor's feet.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The offset of the next byte to read.
    pub fn pos(&self) -> usize {
        self.pos
    }

    /// Moves the cursor to an offset it returned before.
    pub fn rewind(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// Skips white space and tells what kind of value starts here.
    ///
    /// # Errors
    /// When no value can start with what stands here.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind, SyntaxError> {
        match self.next_token() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'"') => Ok(Kind::String),
            Some(b'[') => Ok(Kind::Array),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.error("a JSON value")),
        }
    }

    /// Skips white space, then takes `byte` if it stands next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let found = self.next_token() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    /// Skips white space and takes `byte`.
    ///
    /// # Errors
    /// When anything else stands there; `expected` says what `byte` means.
    #[inline]
    pub fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), SyntaxError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    /// Skips white space and reads a string.
    ///
    /// # Errors
    /// When no well-formed string stands there.
    #[inline]
    pub fn string(&mut self) -> Result<StringToken, SyntaxError> {
        if self.next_token() != Some(b'"') {
            return Err(self.error("a string"));
        }
        let bytes = self.text.as_bytes();
        let start = self.pos + 1;
        let end = special(bytes, start);
        if at(bytes, end) != b'"' {
            return self.escaped_string(start, end);
        }
        self.pos = end + 1;
        Ok(StringToken { range: start..end, escaped: false, lone_surrogate: false })
    }

    #[cold]
    fn escaped_string(&mut self, start: usize, pos: usize) -> Result<StringToken, SyntaxError> {
        let (end, lone_surrogate) =
            string_slow(self.text.as_bytes(), pos).map_err(|stop| self.fail(stop))?;
        self.pos = end + 1;
        Ok(StringToken { range: start..end, escaped: true, lone_surrogate })
    }

    /// Skips white space and passes over one value of any kind, returning its range.
    ///
    /// # Errors
    /// When no well-formed value stands there.
    pub fn value(&mut self) -> Result<Range<usize>, SyntaxError> {
        let start = space(self.text.as_bytes(), self.pos);
        let value = value(self.text.as_bytes(), start, |_| ());
        self.pos = value.map_err(|stop| self.fail(stop))?;
        Ok(start..self.pos)
    }

    /// Like [`value`](Self::value), and tells whether `true` or `false` stands anywhere in it.
    pub(crate) fn value_with_booleans(&mut self) -> Result<(Range<usize>, bool), SyntaxError> {
        let start = space(self.text.as_bytes(), self.pos);
        let mut booleans = false;
        let value = value(self.text.as_bytes(), start, |byte| booleans |= byte != b'n');
        self.pos = value.map_err(|stop| self.fail(stop))?;
        Ok((start..self.pos, booleans))
    }

    /// Skips white space to the end of the input.
    ///
    /// # Errors
    /// When anything else follows.
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        match self.next_token() {
            None => Ok(()),
            Some(_) => Err(self.error("the end of the input")),
        }
    }

    /// The error of finding something else than `expected` at the cursor.
    #[cold]
    pub fn error(&self, expected: &'static str) -> SyntaxError {
        let found = self.text.get(self.pos..).and_then(|rest| rest.chars().next());
        SyntaxError { offset: self.pos, expected, found }
    }

    #[inline]
    fn next_token(&mut self) -> Option<u8> {
        self.pos = space(self.text.as_bytes(), self.pos);
        self.text.as_bytes().get(self.pos).copied()
    }

    fn fail(&mut self, stop: Stop) -> SyntaxError {
        self.pos = stop.at;
        self.error(stop.expected)
    }
}

/// Where the grammar was left, and what it allows there.
struct Stop {
    at: usize,
    expected: &'static str,
}

fn stop<T>(at: usize, expected: &'static str) -> Result<T, Stop> {
    Err(Stop { at, expected })
}

/// The byte at `pos`; past the end a NUL, which no grammar rule allows.
#[inline(always)]
fn at(bytes: &[u8], pos: usize) -> u8 {
    bytes.get(pos).copied().unwrap_or(0)
}

#[inline(always)]
fn space(bytes: &[u8], mut pos: usize) -> usize {
    while matches!(at(bytes, pos), b' ' | b'\n' | b'\r' | b'\t') {
        pos += 1;
    }
    pos
}

/// Passes over the value at `pos`, where no white space stands, telling of the first letter of each
/// `true`, `false` and `null`.
fn value(bytes: &[u8], mut pos: usize, mut word_met: impl FnMut(u8)) -> Result<usize, Stop> {
    let mut open = Nesting::default();
    loop {
        match at(bytes, pos) {
            b'"' => pos = string(bytes, pos + 1)?,
            b'{' => {
                pos = space(bytes, pos + 1);
                if at(bytes, pos) == b'}' {
                    pos += 1;
                } else {
                    open.push(true);
                    pos = key(bytes, pos)?;
                    continue;
                }
            }
            b'[' => {
                pos = space(bytes, pos + 1);
                if at(bytes, pos) == b']' {
                    pos += 1;
                } else {
                    open.push(false);
                    continue;
                }
            }
            b'-' | b'0'..=b'9' => pos = number(bytes, pos)?,
            first @ (b't' | b'f' | b'n') => {
                word_met(first);
                pos = word(bytes, pos, first)?;
            }
            _ => return stop(pos, "a JSON value"),
        }
        loop {
            let Some(in_object) = open.top() else { return Ok(pos) };
            pos = space(bytes, pos);
            match (at(bytes, pos), in_object) {
                (b',', true) => {
                    pos = key(bytes, space(bytes, pos + 1))?;
                    break;
                }
                (b',', false) => {
                    pos = space(bytes, pos + 1);
                    break;
                }
                (b'}', true) | (b']', false) => {
                    pos += 1;
                    open.pop();
                }
                (_, true) => return stop(pos, "a comma or a closing brace"),
                (_, false) => return stop(pos, "a comma or a closing bracket"),
            }
        }
    }
}

/// Passes over a member name and its colon, to the first byte of the value.
#[inline(always)]
fn key(bytes: &[u8], pos: usize) -> Result<usize, Stop> {
    if at(bytes, pos) != b'"' {
        return stop(pos, "a member name");
    }
    let mut pos = string(bytes, pos + 1)?;
    if at(bytes, pos) != b':' {
        pos = space(bytes, pos);
        if at(bytes, pos) != b':' {
            return stop(pos, "a colon");
        }
    }
    Ok(space(bytes, pos + 1))
}

/// Passes over a string whose opening quote was taken.
#[inline(always)]
fn string(bytes: &[u8], pos: usize) -> Result<usize, Stop> {
    let pos = special(bytes, pos);
    if at(bytes, pos) == b'"' {
        Ok(pos + 1)
    } else {
        string_slow(bytes, pos).map(|(end, _)| end + 1)
    }
}

/// Goes on with a string at a byte that is no closing quote: the offset of that quote, and whether
/// half of a surrogate pair was met.
fn string_slow(bytes: &[u8], mut pos: usize) -> Result<(usize, bool), Stop> {
    let mut lone = false;
    loop {
        match at(bytes, pos) {
            b'"' => return Ok((pos, lone)),
            b'\\' => match at(bytes, pos + 1) {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => pos += 2,
                b'u' => {
                    let unit = hex4(bytes, pos + 2)?;
                    pos += 6;
                    if unit & 0xF800 == 0xD800 {
                        let paired = unit < 0xDC00
                            && at(bytes, pos) == b'\\'
                            && at(bytes, pos + 1) == b'u'
                            && hex4(bytes, pos + 2)? & 0xFC00 == 0xDC00;
                        lone |= !paired;
                        pos += if paired { 6 } else { 0 };
                    }
                }
                _ => return stop(pos + 1, "an escape"),
            },
            _ => return stop(pos, "a character of a string or its closing quote"),
        }
        // Escapes come in clusters: look at the next byte before searching on.
        if !matches!(at(bytes, pos), b'\\' | b'"') {
            pos = special(bytes, pos);
        }
    }
}

fn hex4(bytes: &[u8], pos: usize) -> Result<u16, Stop> {
    let mut unit = 0;
    for at_digit in pos..pos + 4 {
        match char::from(at(bytes, at_digit)).to_digit(16) {
            Some(digit) => unit = unit << 4 | digit as u16,
            None => return stop(at_digit, "a hexadecimal digit"),
        }
    }
    Ok(unit)
}

#[inline(always)]
fn number(bytes: &[u8], mut pos: usize) -> Result<usize, Stop> {
    pos += usize::from(at(bytes, pos) == b'-');
    if at(bytes, pos) == b'0' {
        pos += 1;
        if at(bytes, pos).is_ascii_digit() {
            return stop(pos, "no digit after a leading zero");
        }
    } else {
        pos = digits(bytes, pos)?;
    }
    if at(bytes, pos) == b'.' {
        pos = digits(bytes, pos + 1)?;
    }
    if matches!(at(bytes, pos), b'e' | b'E') {
        pos += 1;
        pos += usize::from(matches!(at(bytes, pos), b'+' | b'-'));
        pos = digits(bytes, pos)?;
    }
    Ok(pos)
}

#[inline(always)]
fn digits(bytes: &[u8], start: usize) -> Result<usize, Stop> {
    let mut pos = start;
    while at(bytes, pos).is_ascii_digit() {
        pos += 1;
    }
    if pos == start { stop(pos, "a digit") } else { Ok(pos) }
}

#[inline(always)]
fn word(bytes: &[u8], pos: usize, first: u8) -> Result<usize, Stop> {
    let word: &[u8] = match first {
        b't' => b"true",
        b'f' => b"false",
        _ => b"null",
    };
    if bytes.get(pos..pos + word.len()) == Some(word) {
        Ok(pos + word.len())
    } else {
        stop(pos, "one of true, false and null")
    }
}

/// The open containers, one bit each: set for an object.
#[derive(Default)]
struct Nesting {
    depth: usize,
    bits: u64,
    spilled: Vec<u64>,
}

impl Nesting {
    fn push(&mut self, object: bool) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.spilled.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(object);
        self.depth += 1;
    }

    fn top(&self) -> Option<bool> {
        (self.depth != 0).then_some(self.bits & 1 == 1)
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.bits >>= 1;
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.bits = self.spilled.pop().unwrap_or_default();
        }
    }
}

const ONES: u64 = u64::MAX / 255;
const TOPS: u64 = ONES << 7;

/// The first offset from `pos` on of a quote, a backslash or a control character; the length if none.
#[inline(always)]
pub(crate) fn special(bytes: &[u8], pos: usize) -> usize {
    // Most strings are short: look at eight bytes here, at more out of line.
    match bytes.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => match special_mask(u64::from_le_bytes(*chunk)) {
            0 => special_beyond(bytes, pos + 8),
            found => pos + found.trailing_zeros() as usize / 8,
        },
        None => special_tail(bytes, pos),
    }
}

fn special_beyond(bytes: &[u8], mut pos: usize) -> usize {
    for _ in 0..3 {
        match bytes.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => match special_mask(u64::from_le_bytes(*chunk)) {
                0 => pos += 8,
                found => return pos + found.trailing_zeros() as usize / 8,
            },
            None => return special_tail(bytes, pos),
        }
    }
    special_long(bytes, pos)
}

/// Takes a width at a time that the compiler turns into vector instructions.
fn special_long(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(chunk) = bytes.get(pos..).and_then(|rest| rest.first_chunk::<64>()) {
        let hit = chunk.iter().fold(0u8, |hit, &b| {
            hit | u8::from(b < 0x20) | u8::from(b == b'"') | u8::from(b == b'\\')
        });
        if hit != 0 {
            break;
        }
        pos += 64;
    }
    while let Some(chunk) = bytes.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
        match special_mask(u64::from_le_bytes(*chunk)) {
            0 => pos += 8,
            found => return pos + found.trailing_zeros() as usize / 8,
        }
    }
    special_tail(bytes, pos)
}

fn special_tail(bytes: &[u8], pos: usize) -> usize {
    let rest = bytes.get(pos..).unwrap_or_default();
    pos + rest.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\').unwrap_or(rest.len())
}

/// The top bit of the lowest byte that is special; higher bits may be false alarms.
#[inline]
fn special_mask(word: u64) -> u64 {
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & TOPS
}
