//! What a translation changed.

use std::borrow::Cow;
use std::fmt;

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

/// What was at issue, for a program.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The target cannot say it, or not so.
    Inexpressible,
    /// A member is `null` that must have a value or be absent; read as absent.
    Null,
    /// A required member is absent; read as the note says.
    Missing,
    /// The sender's revision does not define it, the receiver's does: read as the receiver's.
    Adopted,
    /// An item or a capability could not be read: carried as it came.
    Unreadable(Box<Misfit>),
    /// The sender's revision does not allow it: read as the nearest thing that it does.
    Disallowed,
}

/// Why something could not be read.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Misfit {
    /// JSON Pointer to the fault in the message.
    pub path: String,
    /// What the sender's revision allows there.
    pub expected: String,
    /// What stands there.
    pub found: String,
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
    /// Why.
    pub reason: Reason,
    /// The same in words for a person.
    pub note: Cow<'static, str>,
}

impl Entry {
    /// An entry for the member at `path`.
    pub fn new(
        path: impl Into<String>,
        feature: Option<Feature>,
        action: Action,
        reason: Reason,
        note: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { path: path.into(), feature, action, reason, note: note.into() }
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
