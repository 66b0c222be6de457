//! JSON as a tree with exact numbers, read by other means than the code under test.

use std::collections::BTreeMap;
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
        let raw: &RawValue =
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
        Self::from_raw(raw.get())
    }

    fn from_raw(token: &str) -> Self {
        match token.as_bytes()[0] {
            b'{' => {
                let Members(members) = serde_json::from_str(token).expect("an object");
                let mut members: Vec<_> = members
                    .into_iter()
                    .map(|(name, value)| (name, Self::from_raw(value.get())))
                    .collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                Self::Object(members)
            }
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(token).expect("an array");
                Self::Array(items.iter().map(|item| Self::from_raw(item.get())).collect())
            }
            b'"' => Self::String(serde_json::from_str(token).unwrap_or_else(|_| token.to_owned())),
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_value())
    }
}

/// Members with duplicates, which `serde_json` maps would merge.
struct Members(Vec<(String, Box<RawValue>)>);

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

/// Every place, as deep as can be, where `a` and `b` differ; a member or item on one side only is
/// one difference.
pub fn differences(a: &Json, b: &Json) -> Differences {
    let mut found = Differences::new();
    compare(&mut String::new(), Some(a), Some(b), &mut found);
    found
}

fn compare(at: &mut String, a: Option<&Json>, b: Option<&Json>, found: &mut Differences) {
    match (a, b) {
        (Some(Json::Object(left)), Some(Json::Object(right))) => {
            let mut names: Vec<_> = left.iter().chain(right).map(|(name, _)| name).collect();
            names.sort();
            names.dedup();
            for name in names {
                let step = name.replace('~', "~0").replace('/', "~1");
                let sides = (a.and_then(|a| a.get(name)), b.and_then(|b| b.get(name)));
                descend(at, &step, sides, found);
            }
        }
        (Some(Json::Array(left)), Some(Json::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                descend(at, &index.to_string(), (left.get(index), right.get(index)), found);
            }
        }
        (a, b) if a != b => {
            found.insert(at.clone(), (a.cloned(), b.cloned()));
        }
        _ => {}
    }
}

fn descend(
    at: &mut String,
    step: &str,
    (a, b): (Option<&Json>, Option<&Json>),
    found: &mut Differences,
) {
    let length = at.len();
    at.push('/');
    at.push_str(step);
    compare(at, a, b, found);
    at.truncate(length);
}
