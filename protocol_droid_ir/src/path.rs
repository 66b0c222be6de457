//! Where in a message something stands.

use std::fmt::{self, Write};

/// Where in a message something stands.
///
/// Two paths are equal if they lead to the same place, however the names came to be known.
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
        for step in self.steps() {
            out.push('/');
            match step {
                Step::Name(name) => push_escaped(name, &mut out),
                Step::Index(index) => {
                    let _ = write!(out, "{index}");
                }
            }
        }
        out
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.segments.iter().map(|segment| match segment {
            Segment::Member(name) => Step::Name(name),
            Segment::Named(at) => Step::Name(&self.names[*at]),
            Segment::Index(index) => Step::Index(*index),
        })
    }
}

/// A segment with its name.
#[derive(Eq, PartialEq)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

impl From<&str> for Path {
    /// The member `name` of the message.
    fn from(name: &str) -> Self {
        let mut path = Self::default();
        path.named(name);
        path
    }
}

impl Eq for Path {}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.steps().eq(other.steps())
    }
}

/// A path equals what it is in words.
impl PartialEq<str> for Path {
    fn eq(&self, words: &str) -> bool {
        let own = self.to_string();
        own == words
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
        for (at, step) in self.steps().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Name(name) => write_name(f, dot, name)?,
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

    #[test]
    fn paths_are_equal_that_lead_to_the_same_place() {
        let (mut known, mut came) = (Path::new(), Path::new());
        came.named("elsewhere");
        came.leave();
        known.member("result");
        came.named("result");
        assert_eq!(known, came);
        known.index(0);
        came.named("0");
        assert_ne!(known, came);
        assert_ne!(known, Path::new());
    }
}
