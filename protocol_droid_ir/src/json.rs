//! JSON carried as the text it was received in.

use std::fmt;
use std::str::FromStr;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use thiserror::Error;

use crate::lex::{Kind, Lexer, SyntaxError};
use crate::text::{Buffer, Raw, Slice, Text};

/// One JSON value of any kind, as text: key order, duplicate keys, number spellings and inner white
/// space are those of the source. Equal means the same text; see [`same_json`](crate::same_json).
#[derive(Clone)]
pub struct JsonText(Raw);

impl JsonText {
    /// Checks that `text` is one JSON value; white space around it is dropped.
    ///
    /// # Errors
    /// When it is not.
    pub fn new(text: impl Into<String>) -> Result<Self, SyntaxError> {
        let text = text.into();
        let mut lexer = Lexer::new(&text);
        let range = lexer.value()?;
        lexer.end()?;
        if range == (0..text.len()) {
            return Ok(Self(Raw::from(text)));
        }
        Ok(Self(Raw::from(text[range].to_owned())))
    }

    /// The value at `start..end` of `buffer`, a range that [`Lexer::value`] returned.
    pub fn from_range(buffer: &Buffer, start: usize, end: usize) -> Self {
        Self(Raw::new(buffer, start, end))
    }

    /// The text as a part of a buffer; `None` if it is short and held by itself.
    pub fn as_slice(&self) -> Option<&Slice> {
        match &self.0 {
            Raw::Slice(slice) => Some(slice),
            Raw::Inline { .. } => None,
        }
    }

    /// The JSON of a value.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(Self::trusted)
    }

    /// Text that is known to be one JSON value.
    pub(crate) fn trusted(text: String) -> Self {
        Self(Raw::from(text))
    }

    pub(crate) fn into_raw(self) -> Raw {
        self.0
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The source text as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Reads the value into a type.
    ///
    /// # Errors
    /// When it does not fit the type, or nests deeper than `serde_json` allows (128).
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }
}

impl Eq for JsonText {}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for JsonText {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::new(text)
    }
}

impl From<JsonObject> for JsonText {
    fn from(object: JsonObject) -> Self {
        object.0
    }
}

impl From<&Text> for JsonText {
    /// The text as a JSON string.
    fn from(text: &Text) -> Self {
        Self::trusted(format!("\"{}\"", text.token()))
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::trusted(String::from(Box::<str>::from(raw))))
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.as_str()).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Text that is not a JSON object.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum JsonObjectError {
    /// The text is not JSON at all.
    #[error("not JSON: {0}")]
    Syntax(#[from] SyntaxError),
    /// The text is JSON of another kind.
    #[error("expected an object, found {}", .0.name())]
    NotAnObject(Kind),
}

/// A JSON object, as text.
#[derive(Clone, Eq, PartialEq)]
pub struct JsonObject(JsonText);

impl JsonObject {
    /// Checks that `text` is one JSON object; white space around it is dropped.
    ///
    /// # Errors
    /// When it is not JSON, or JSON of another kind.
    pub fn new(text: impl Into<String>) -> Result<Self, JsonObjectError> {
        Self::try_from(JsonText::new(text)?)
    }

    /// The source text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The object as a value of any kind.
    pub fn as_json(&self) -> &JsonText {
        &self.0
    }

    /// The first member named `name`, found without parsing what it passes over.
    pub fn get(&self, name: &str) -> Option<JsonText> {
        let (_, value) = self.members().find(|(key, _)| key == name)?;
        Some(JsonText::trusted(value.to_owned()))
    }

    /// The members in order: names with escapes decoded, values as source text.
    pub fn members(&self) -> Members<'_> {
        Members { lexer: Lexer::new(self.as_str()), first: true }
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members().next().is_none()
    }

    /// Reads the object into a type.
    ///
    /// # Errors
    /// When it does not fit the type, or nests deeper than `serde_json` allows (128).
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        self.0.parse()
    }

    /// This object without the members named in `names`; the others keep their text.
    #[must_use]
    pub fn without(&self, names: &[&str]) -> Self {
        Self::from_members(self.members().filter(|(key, _)| !names.contains(&key.as_str())))
    }

    /// This object with the member `name` set, at the end; the others keep their text.
    #[must_use]
    pub fn with_member(&self, name: &str, value: &JsonText) -> Self {
        let others = self.members().filter(|(key, _)| key != name);
        Self::from_members(others.chain([(Text::from(name), value.as_str())]))
    }

    pub(crate) fn from_members<'a>(members: impl Iterator<Item = (Text, &'a str)>) -> Self {
        let mut out = b"{".to_vec();
        for (key, value) in members {
            if out.len() > 1 {
                out.push(b',');
            }
            key.write_json(&mut out);
            out.push(b':');
            out.extend_from_slice(value.as_bytes());
        }
        out.push(b'}');
        Self(JsonText::trusted(String::from_utf8(out).expect("made of text")))
    }
}

impl From<&Extensions> for JsonObject {
    fn from(extensions: &Extensions) -> Self {
        Self::from_members(extensions.iter().map(|(name, value)| (name.clone(), value.as_str())))
    }
}

impl Default for JsonObject {
    /// `{}`
    fn default() -> Self {
        Self(JsonText::trusted("{}".to_owned()))
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for JsonObject {
    type Err = JsonObjectError;

    fn from_str(text: &str) -> Result<Self, JsonObjectError> {
        Self::new(text)
    }
}

impl TryFrom<JsonText> for JsonObject {
    type Error = JsonObjectError;

    fn try_from(json: JsonText) -> Result<Self, JsonObjectError> {
        match json.kind() {
            Kind::Object => Ok(Self(json)),
            kind => Err(JsonObjectError::NotAnObject(kind)),
        }
    }
}

impl TryFrom<&serde_json::Value> for JsonObject {
    type Error = JsonObjectError;

    fn try_from(value: &serde_json::Value) -> Result<Self, JsonObjectError> {
        Self::try_from(JsonText::trusted(value.to_string()))
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(JsonText::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The members of a [`JsonObject`], in order.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    lexer: Lexer<'a>,
    first: bool,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Text, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        // The text was validated when the object was made, so no step can fail.
        let open = if std::mem::take(&mut self.first) { b'{' } else { b',' };
        if !self.lexer.take(open) {
            return None;
        }
        let key = self.lexer.string().ok()?;
        let name = &self.lexer.text()[key.range];
        // An escaped name keeps its token, so that an object made anew is written with it.
        let name = match key.escaped {
            true => Text::from_token(&Buffer::from(name), 0, name.len(), true),
            false => Text::from(name),
        };
        self.lexer.expect(b':', "a colon").ok()?;
        let value = self.lexer.value().ok()?;
        Some((name, &self.lexer.text()[value]))
    }
}

/// The members of an object that no revision in play defines, in the order received, as text.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Extensions(Vec<(Text, JsonText)>);

impl Extensions {
    /// No members.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The first member named `name`.
    pub fn get(&self, name: &str) -> Option<&JsonText> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &JsonText)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Appends a member, keeping an earlier one of the same name.
    pub fn push(&mut self, name: impl Into<Text>, value: JsonText) {
        self.0.push((name.into(), value));
    }

    /// Removes every member named `name`, returning the first.
    pub fn remove(&mut self, name: &str) -> Option<JsonText> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        let (_, value) = self.0.remove(at);
        self.0.retain(|(key, _)| key != name);
        Some(value)
    }
}

impl FromIterator<(Text, JsonText)> for Extensions {
    fn from_iter<I: IntoIterator<Item = (Text, JsonText)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl From<&JsonObject> for Extensions {
    fn from(object: &JsonObject) -> Self {
        object.members().map(|(key, value)| (key, JsonText::trusted(value.to_owned()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_to_the_byte() {
        let text = r#"{ "b" : 1e2, "a":[1.0, -0 ,123456789012345678901234567890123456789], "b":"\u00e9" }"#;
        let object = JsonObject::new(format!("\n {text}\t")).unwrap();
        assert_eq!(object.as_str(), text);
        assert_eq!(object.get("b").unwrap().as_str(), "1e2");
        let names: Vec<_> = object.members().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["b", "a", "b"]);
    }

    #[test]
    fn an_escaped_name_is_the_name_it_spells() {
        let object = JsonObject::new(r#"{"\u0061":1}"#).unwrap();
        assert_eq!(object.get("a").unwrap().as_str(), "1");
    }

    #[test]
    fn an_escaped_name_is_written_as_it_came() {
        let object = JsonObject::new(r#"{"\ud800":1,"\u0061":2,"b":3}"#).unwrap();
        assert_eq!(object.without(&["b"]).as_str(), r#"{"\ud800":1,"\u0061":2}"#);
    }

    #[test]
    fn other_kinds_are_refused_by_name() {
        assert_eq!(JsonObject::new("[]"), Err(JsonObjectError::NotAnObject(Kind::Array)));
        assert_eq!(
            JsonObject::new("3").unwrap_err().to_string(),
            "expected an object, found a number"
        );
        assert!(matches!(JsonObject::new("{"), Err(JsonObjectError::Syntax(_))));
        assert!(JsonObject::new("{} {}").is_err());
    }

    #[test]
    fn nesting_is_no_recursion() {
        let deep =
            format!("{}{}", "[{\"a\":".repeat(200_000), "0".to_owned() + &"}]".repeat(200_000));
        assert!(JsonText::new(deep).is_ok());
    }

    #[test]
    fn serde_carries_the_text() {
        let json = JsonText::new("[1e2,39]").unwrap();
        assert_eq!(serde_json::to_string(&json).unwrap(), "[1e2,39]");
        assert_eq!(serde_json::from_str::<JsonText>("[1e2,39]").unwrap(), json);
    }
}
