//! Text that remembers the JSON token it came from.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::Utf8Error;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::JsonText;
use crate::lex::special;

/// A received message, shared by every value that was read from it.
#[derive(Clone, Default)]
pub struct Buffer(Arc<String>);

impl Buffer {
    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text by itself: without a copy where no other value shares it.
    pub fn into_string(self) -> String {
        Arc::try_unwrap(self.0).unwrap_or_else(|shared| (*shared).clone())
    }

    /// The part from byte `start` to byte `end`, which must lie on character boundaries.
    ///
    /// # Panics
    /// When they do not, or lie outside the buffer.
    pub fn slice(&self, start: usize, end: usize) -> Slice {
        let text = &self.0[start..end];
        // A buffer of 4 GiB or more is copied out of, since positions are kept in 32 bits.
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) => Slice { buffer: self.clone(), start, end },
            _ => Slice::from(text),
        }
    }
}

impl From<&str> for Buffer {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.to_owned()))
    }
}

impl From<String> for Buffer {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl TryFrom<&[u8]> for Buffer {
    type Error = Utf8Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Utf8Error> {
        std::str::from_utf8(bytes).map(Self::from)
    }
}

impl TryFrom<Vec<u8>> for Buffer {
    type Error = Utf8Error;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Utf8Error> {
        String::from_utf8(bytes).map(Self::from).map_err(|error| error.utf8_error())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

/// A part of a [`Buffer`]: cheap to clone, and it keeps the whole buffer alive.
#[derive(Clone)]
pub struct Slice {
    buffer: Buffer,
    start: u32,
    end: u32,
}

impl Slice {
    /// The text of this part.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.buffer.0[self.start as usize..self.end as usize]
    }
}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl AsRef<[u8]> for Slice {
    fn as_ref(&self) -> &[u8] {
        self.as_str().as_bytes()
    }
}

impl From<&str> for Slice {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Slice {
    /// # Panics
    /// When the text is 4 GiB or longer.
    fn from(text: String) -> Self {
        let end = u32::try_from(text.len()).expect("text shorter than 4 GiB");
        Self { buffer: Buffer::from(text), start: 0, end }
    }
}

/// A string of the protocol.
///
/// Short text is held inline, long text as a slice of the message it was received in, still in its
/// JSON form: escapes are decoded when somebody reads the text, and copied out as they came when
/// nobody changed it.
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    /// Free of anything that JSON escapes.
    Plain(Raw),
    /// A received token with escapes.
    Escaped(Arc<Escaped>),
    /// Not a token: may hold what JSON escapes.
    Verbatim(Raw),
}

struct Escaped {
    token: Slice,
    text: OnceLock<Box<str>>,
}

impl Text {
    /// Text from the inside of a received string token.
    ///
    /// `escaped` says whether the token holds any backslash. The token must be well-formed, with
    /// no half of a surrogate pair in it, as [`Lexer::string`](crate::lex::Lexer::string) tells.
    #[inline]
    pub fn from_token(buffer: &Buffer, start: usize, end: usize, escaped: bool) -> Self {
        if escaped {
            let token = buffer.slice(start, end);
            return Self(Repr::Escaped(Arc::new(Escaped { token, text: OnceLock::new() })));
        }
        Self(Repr::Plain(Raw::new(buffer, start, end)))
    }

    /// The text itself, escapes decoded.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Plain(raw) | Repr::Verbatim(raw) => raw.as_str(),
            Repr::Escaped(escaped) => {
                escaped.text.get_or_init(|| unescape(escaped.token.as_str()).into())
            }
        }
    }

    /// Whether the text has no characters.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Repr::Plain(raw) | Repr::Verbatim(raw) => raw.as_bytes().is_empty(),
            Repr::Escaped(_) => false,
        }
    }

    /// The inside of the JSON string, where it stands in a buffer as it would be written.
    pub fn as_written(&self) -> Option<&Slice> {
        match &self.0 {
            Repr::Plain(Raw::Slice(slice)) => Some(slice),
            Repr::Escaped(escaped) => Some(&escaped.token),
            _ => None,
        }
    }

    /// Appends the text as a JSON string, quotes included.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        match &self.0 {
            Repr::Plain(raw) => out.extend_from_slice(raw.as_bytes()),
            Repr::Escaped(escaped) => out.extend_from_slice(escaped.token.as_str().as_bytes()),
            Repr::Verbatim(raw) => escape_into(raw.as_str(), out),
        }
        out.push(b'"');
    }

    /// Whether the text may hold the same JSON as `json`, judged by its first character.
    pub(crate) fn may_hold(&self, json: &JsonText) -> bool {
        let token = match &self.0 {
            Repr::Plain(raw) | Repr::Verbatim(raw) => raw.as_bytes(),
            Repr::Escaped(escaped) => escaped.token.as_str().as_bytes(),
        };
        match token.iter().find(|b| !b.is_ascii_whitespace()) {
            Some(b'\\' | b'-' | b'0'..=b'9') => true,
            first => first == json.as_bytes().first(),
        }
    }

    /// The inside of the JSON string, as it would be written.
    pub(crate) fn token(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Plain(raw) => Cow::Borrowed(raw.as_str()),
            Repr::Escaped(escaped) => Cow::Borrowed(escaped.token.as_str()),
            Repr::Verbatim(raw) => Cow::Owned(escaped_token(raw.as_str())),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Repr::Plain(Raw::default()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let plain = special(text.as_bytes(), 0) == text.len();
        let raw = Raw::from(text);
        Self(if plain { Repr::Plain(raw) } else { Repr::Verbatim(raw) })
    }
}

impl From<JsonText> for Text {
    /// The source text of the JSON, as text: `{"a":1}` becomes a text of seven characters.
    fn from(json: JsonText) -> Self {
        Self(Repr::Verbatim(json.into_raw()))
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Text {
    /// The text's UTF-8, which takes less to get at than a `str` of short text does.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Plain(raw) | Repr::Verbatim(raw) => raw.as_bytes(),
            Repr::Escaped(_) => self.as_str().as_bytes(),
        }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<Text> for str {
    fn eq(&self, other: &Text) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Text held inline when short, else as a slice of a buffer.
#[derive(Clone)]
pub(crate) enum Raw {
    Inline { len: u8, bytes: [u8; Raw::INLINE] },
    Slice(Slice),
}

impl Raw {
    const INLINE: usize = 22;

    #[inline]
    pub(crate) fn new(buffer: &Buffer, start: usize, end: usize) -> Self {
        let len = end - start;
        if len > Self::INLINE {
            return Self::Slice(buffer.slice(start, end));
        }
        // A copy of fixed size costs a fraction of one of `len`; what follows the text is not read.
        match buffer.as_str().as_bytes().get(start..).and_then(|rest| rest.first_chunk()) {
            Some(bytes) => Self::Inline { len: len as u8, bytes: *bytes },
            None => Self::inline(&buffer.as_str()[start..end]).unwrap_or_default(),
        }
    }

    #[inline]
    fn inline(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::INLINE];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self::Inline { len: text.len() as u8, bytes })
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { len, bytes } => &bytes[..usize::from(*len)],
            Self::Slice(slice) => slice.as_str().as_bytes(),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Inline { .. } => std::str::from_utf8(self.as_bytes()).expect("made from a str"),
            Self::Slice(slice) => slice.as_str(),
        }
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self::Inline { len: 0, bytes: [0; Self::INLINE] }
    }
}

impl From<String> for Raw {
    fn from(text: String) -> Self {
        Self::inline(&text).unwrap_or_else(|| Self::Slice(Slice::from(text)))
    }
}

/// Appends `text` as the inside of a JSON string.
pub(crate) fn escape_into(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 8);
    let mut rest = text.as_bytes();
    // Each byte takes six at most, and is written with two more that are written over.
    let mut escaped = [0; 6 * BLOCK + 2];
    loop {
        // A long run that needs no escape is copied whole; where one is there are more.
        let run = special(rest, 0);
        out.extend_from_slice(&rest[..run]);
        let block;
        (block, rest) = rest[run..].split_at(BLOCK.min(rest.len() - run));
        if block.is_empty() {
            return;
        }
        let mut len = 0;
        for &byte in block {
            let (bytes, used) = &ESCAPES[usize::from(byte)];
            escaped[len..len + 8].copy_from_slice(bytes);
            len += usize::from(*used);
        }
        out.extend_from_slice(&escaped[..len]);
    }
}

const BLOCK: usize = 256;

/// What each byte is in a JSON string, and how long that is: branch-free, since escapes come where
/// no processor foresees them.
static ESCAPES: [([u8; 8], u8); 256] = {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut table = [([0; 8], 1); 256];
    let mut byte = 0;
    while byte < 256 {
        let short = match byte as u8 {
            b'"' | b'\\' => byte as u8,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => 0,
        };
        table[byte] = if short != 0 {
            ([b'\\', short, 0, 0, 0, 0, 0, 0], 2)
        } else if byte < 0x20 {
            ([b'\\', b'u', b'0', b'0', HEX[byte >> 4], HEX[byte & 15], 0, 0], 6)
        } else {
            ([byte as u8, 0, 0, 0, 0, 0, 0, 0], 1)
        };
        byte += 1;
    }
    table
};

fn escaped_token(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 8);
    escape_into(text, &mut out);
    String::from_utf8(out).expect("escaping keeps text UTF-8")
}

/// The text that the inside of a well-formed string token stands for; half of a surrogate pair
/// becomes U+FFFD.
pub(crate) fn unescape(token: &str) -> String {
    let mut text = String::with_capacity(token.len());
    let mut rest = token;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut chars = escape.chars();
        match chars.next() {
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                rest = unescape_unicode(chars.as_str(), &mut text);
                continue;
            }
            Some(verbatim) => text.push(verbatim),
            None => {}
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text
}

/// Decodes what follows `\u`, taking the second half of a pair with it; returns what is left.
fn unescape_unicode<'a>(digits: &'a str, text: &mut String) -> &'a str {
    let unit = |s: &str| s.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
    let rest = digits.get(4..).unwrap_or_default();
    let Some(first) = unit(digits) else { return rest };
    let second = rest.strip_prefix("\\u").and_then(unit);
    match char::decode_utf16([first].into_iter().chain(second)).next() {
        Some(Ok(c)) if c.len_utf16() == 2 => {
            text.push(c);
            &rest[6..]
        }
        Some(Ok(c)) => {
            text.push(c);
            rest
        }
        _ => {
            text.push(char::REPLACEMENT_CHARACTER);
            rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(token: &str) -> Text {
        Text::from_token(&Buffer::from(token), 0, token.len(), token.contains('\\'))
    }

    fn written(text: &Text) -> String {
        let mut out = Vec::new();
        text.write_json(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_received_token_is_written_as_it_came() {
        for token in ["", "short", r"A\/\u00e9\n", &"long ".repeat(20), &r"\u0041".repeat(20)] {
            assert_eq!(written(&received(token)), format!("\"{token}\""));
        }
    }

    #[test]
    fn escapes_are_decoded_when_read() {
        let text = received(r#"\u0041\ud83d\ude00\"\\\/\b\f\n\r\t\ue000"#);
        assert_eq!(text, "A😀\"\\/\u{8}\u{c}\n\r\t\u{e000}");
    }

    #[test]
    fn made_text_survives_writing_and_reading() {
        for made in ["", "plain", "\"quoted\" \\ \n\r\t\u{1}\u{1f}", "é😀", &"x\ny".repeat(30)] {
            let json = written(&Text::from(made));
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), made);
            assert_eq!(Text::from(made.to_owned()), received(&json[1..json.len() - 1]));
        }
    }
}
