//! What a translation changed.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::feature::Feature;

/// How a member came through.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Its content is kept, in another form.
    Fallback,
    /// It is gone.
    Dropped,
    /// The input was at fault, and was read as if it were not.
    Repaired,
}

impl Action {
    /// The action in lower case, as reports print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fallback => "fallback",
            Self::Dropped => "dropped",
            Self::Repaired => "repaired",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One member that a translation changed.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// JSON Pointer (RFC 6901) to the member in the message it came in.
    pub path: String,
    /// The feature at issue; `None` for repairs of input that is at fault at every revision.
    pub feature: Option<Feature>,
    /// What was done.
    pub action: Action,
    /// Why, in words for a person.
    pub note: Cow<'static, str>,
}

impl Entry {
    /// An entry for the member at `path`.
    pub fn new(
        path: impl Into<String>,
        feature: Option<Feature>,
        action: Action,
        note: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { path: path.into(), feature, action, note: note.into() }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "(message)" } else { &self.path };
        write!(f, "{path}: {}: {}", self.action, self.note)
    }
}

/// Every change that was not lossless, in the order they were made.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use = "a report names what the peer will not see"]
pub struct TranslationReport {
    /// The changes.
    pub entries: Vec<Entry>,
}

impl TranslationReport {
    /// A report of no changes.
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Whether nothing was lost, changed in form, or repaired.
    pub fn is_lossless(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Entry> {
        self.entries.iter()
    }

    /// Appends what a later step reports.
    pub fn append(&mut self, mut later: TranslationReport) {
        self.entries.append(&mut later.entries);
    }
}

impl<'a> IntoIterator for &'a TranslationReport {
    type Item = &'a Entry;
    type IntoIter = std::slice::Iter<'a, Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Where in a message something stands.
#[derive(Clone, Debug, Default)]
pub struct Path {
    segments: Vec<Segment>,
    /// Names that came from outside, by the segments that refer to them.
    names: Vec<String>,
}

/// A step of a path; cheap to take and to take back, since most paths are never printed.
#[derive(Clone, Copy, Debug)]
enum Segment {
    Member(&'static str),
    /// An index into the names.
    Named(usize),
    Index(usize),
}

impl Path {
    /// The whole message.
    pub fn new() -> Self {
        Self { segments: Vec::with_capacity(8), names: Vec::new() }
    }

    /// Steps into the member `name`.
    #[inline]
    pub fn member(&mut self, name: &'static str) {
        self.segments.push(Segment::Member(name));
    }

    /// Steps into a member whose name came from outside.
    pub fn named(&mut self, name: &str) {
        self.segments.push(Segment::Named(self.names.len()));
        self.names.push(name.to_owned());
    }

    /// Steps into the item at `index`.
    #[inline]
    pub fn index(&mut self, index: usize) {
        self.segments.push(Segment::Index(index));
    }

    /// Steps out of what was stepped into last.
    #[inline]
    pub fn leave(&mut self) {
        self.segments.pop();
    }

    /// How many steps lead here.
    pub fn depth(&self) -> usize {
        self.segments.len()
    }

    /// Steps out until `depth` steps are left.
    pub fn truncate(&mut self, depth: usize) {
        self.segments.truncate(depth);
    }

    /// The last index stepped into, if any.
    pub fn last_index(&self) -> Option<usize> {
        self.segments.iter().rev().find_map(|segment| match segment {
            Segment::Index(index) => Some(*index),
            _ => None,
        })
    }

    /// As a JSON Pointer: `/result/content/2/mimeType`.
    pub fn pointer(&self) -> String {
        let mut out = String::with_capacity(16 * self.segments.len());
        for segment in &self.segments {
            out.push('/');
            match segment {
                Segment::Member(name) => push_escaped(name, &mut out),
                Segment::Named(at) => push_escaped(&self.names[*at], &mut out),
                Segment::Index(index) => {
                    let _ = write!(out, "{index}");
                }
            }
        }
        out
    }
}

fn push_escaped(name: &str, out: &mut String) {
    if !name.contains(['~', '/']) {
        return out.push_str(name);
    }
    for c in name.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            c => out.push(c),
        }
    }
}

impl fmt::Display for Path {
    /// As a person reads it: `result.content[2].mimeType`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("the message");
        }
        for (at, segment) in self.segments.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Member(name) => write_name(f, dot, name)?,
                Segment::Named(at) => write_name(f, dot, &self.names[*at])?,
            }
        }
        Ok(())
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, dot: &str, name: &str) -> fmt::Result {
    if name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')) {
        write!(f, "{dot}{name}")
    } else {
        write!(f, "[{name:?}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_prints_as_pointer_and_as_words() {
        let mut path = Path::new();
        assert_eq!((path.pointer().as_str(), path.to_string().as_str()), ("", "the message"));
        path.member("result");
        path.member("content");
        path.index(2);
        path.named("a/b~c");
        assert_eq!(path.pointer(), "/result/content/2/a~1b~0c");
        assert_eq!(path.to_string(), r#"result.content[2]["a/b~c"]"#);
        path.leave();
        assert_eq!(path.to_string(), "result.content[2]");
        assert_eq!(path.last_index(), Some(2));
    }
}
