//! JSON as a tree with exact numbers, read by other means than the code under test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value: numbers are their tokens, members are sorted by name (duplicates keep their order).
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`, `true` or `false`.
    Word(&'static str),
    /// The token of a number.
    Number(String),
    /// Text; a string with half a surrogate pair in it is its token.
    String(String),
    /// Items in order.
    Array(Vec<Json>),
    /// Members by name.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one JSON text.
    ///
    /// # Panics
    /// When `text` is not JSON: a test that hands over such text has failed.
    pub fn read(text: impl AsRef<[u8]>) -> Self {
        let text = std::str::from_utf8(text.as_ref()).expect("JSON is UTF-8");
        Self::try_read(text).unwrap_or_else(|| panic!("no JSON: {text}"))
    }

    /// Reads one JSON text, if it is one.
    pub fn try_read(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self::from_raw(raw.get()))
    }

    fn from_raw(token: &str) -> Self {
        match token.as_bytes()[0] {
            b'{' => {
                let Members(members) = serde_json::from_str(token).expect("an object");
                let mut members: Vec<_> = members
                    .into_iter()
                    .map(|(name, value)| (string(name.get()), Self::from_raw(value.get())))
                    .collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Self::Object(members)
            }
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(token).expect("an array");
                Self::Array(items.iter().map(|item| Self::from_raw(item.get())).collect())
            }
            b'"' => Self::String(string(token)),
            b'n' => Self::Word("null"),
            b't' => Self::Word("true"),
            b'f' => Self::Word("false"),
            _ => Self::Number(token.to_owned()),
        }
    }

    /// The member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => {
                members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The value at a JSON Pointer.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        let mut here = self;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            here = match here {
                Self::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                object => object.get(&step)?,
            };
        }
        Some(here)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items of an array; none of anything else.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// An object with the member `name` set to `value`.
    #[must_use]
    pub fn with(&self, name: &str, value: Self) -> Self {
        let Self::Object(mut members) = self.without(name) else { panic!("no object: {self}") };
        let at = members.partition_point(|(key, _)| key.as_str() < name);
        members.insert(at, (name.to_owned(), value));
        Self::Object(members)
    }

    /// An object without the member `name`.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        match self {
            Self::Object(members) => {
                Self::Object(members.iter().filter(|(key, _)| key != name).cloned().collect())
            }
            other => other.clone(),
        }
    }

    /// The value without the members named in `names`, at any depth.
    #[must_use]
    pub fn without_everywhere(&self, names: &[&str]) -> Self {
        match self {
            Self::Array(items) => {
                Self::Array(items.iter().map(|item| item.without_everywhere(names)).collect())
            }
            Self::Object(members) => {
                let kept = members.iter().filter(|(name, _)| !names.contains(&name.as_str()));
                let kept =
                    kept.map(|(name, value)| (name.clone(), value.without_everywhere(names)));
                Self::Object(kept.collect())
            }
            other => other.clone(),
        }
    }

    /// The value as a JSON Schema validator reads it; a number too large for it becomes the largest.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Word(word) => serde_json::from_str(word).expect("a word"),
            Self::Number(token) => {
                serde_json::from_str(token).unwrap_or_else(|_| Value::from(f64::MAX))
            }
            Self::String(text) => Value::from(text.as_str()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => {
                members.iter().map(|(name, value)| (name.clone(), value.to_value())).collect()
            }
        }
    }
}

impl fmt::Display for Json {
    /// The value as JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Number(token) => f.write_str(token),
            Self::String(text) => write!(f, "{}", Value::from(text.as_str())),
            Self::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (at, (name, value)) in members.iter().enumerate() {
                    let comma = if at == 0 { "" } else { "," };
                    write!(f, "{comma}{}:{value}", Value::from(name.as_str()))?;
                }
                f.write_str("}")
            }
        }
    }
}

/// What a string token stands for; the token itself if that is no Unicode text.
fn string(token: &str) -> String {
    serde_json::from_str(token).unwrap_or_else(|_| token.to_owned())
}

/// Members with duplicates, which `serde_json` maps would merge.
struct Members(Vec<(Box<RawValue>, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// Where two trees differ, as JSON Pointers, each with what stands there on either side.
pub type Differences = BTreeMap<String, (Option<Json>, Option<Json>)>;

/// Every place, as deep as can be, where `b` differs from `a`; a member or item on one side only is
/// one difference. Items of `a` whose pointers are in `gone` have no counterpart in `b`.
pub fn differences(a: &Json, b: &Json, gone: &BTreeSet<&str>) -> Differences {
    let mut walk = Walk { at: String::new(), found: Differences::new(), gone };
    walk.compare(Some(a), Some(b));
    walk.found
}

struct Walk<'a> {
    at: String,
    found: Differences,
    gone: &'a BTreeSet<&'a str>,
}

impl Walk<'_> {
    fn compare(&mut self, a: Option<&Json>, b: Option<&Json>) {
        match (a, b) {
            (Some(Json::Object(left)), Some(Json::Object(right))) => {
                let names: BTreeSet<_> = left.iter().chain(right).map(|(name, _)| name).collect();
                for name in names {
                    let step = name.replace('~', "~0").replace('/', "~1");
                    let values = |members: &[(String, Json)]| -> Vec<Json> {
                        let named = members.iter().filter(|(key, _)| key == name);
                        named.map(|(_, value)| value.clone()).collect()
                    };
                    self.step(&step, |walk| match (&values(left)[..], &values(right)[..]) {
                        ([a], [b]) => walk.compare(Some(a), Some(b)),
                        (a, b) if a == b => {}
                        (a, b) => walk.differ(a.first(), b.first()),
                    });
                }
            }
            (Some(Json::Array(left)), Some(Json::Array(right))) => {
                let mut right = right.iter();
                for (index, a) in left.iter().enumerate() {
                    self.step(&index.to_string(), |walk| {
                        if !walk.gone.contains(walk.at.as_str()) {
                            walk.compare(Some(a), right.next());
                        }
                    });
                }
                for (extra, b) in right.enumerate() {
                    let index = left.len() + extra;
                    self.step(&index.to_string(), |walk| walk.differ(None, Some(b)));
                }
            }
            (a, b) if a != b => self.differ(a, b),
            _ => {}
        }
    }

    fn differ(&mut self, a: Option<&Json>, b: Option<&Json>) {
        self.found.insert(self.at.clone(), (a.cloned(), b.cloned()));
    }

    fn step(&mut self, step: &str, go: impl FnOnce(&mut Self)) {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(step);
        go(self);
        self.at.truncate(length);
    }
}
