//! What a reader says of faults: those it puts up with, and those it does not.

use std::borrow::Cow;

use protocol_droid_ir::{Action, Entry, Feature, Reason};

use crate::error::DecodeError;
use crate::reader::Reader;

impl Reader<'_> {
    pub(crate) fn repaired(
        &mut self,
        feature: Option<Feature>,
        reason: Reason,
        note: impl Into<Cow<'static, str>>,
    ) {
        let entry = Entry::new(self.path.pointer(), feature, Action::Repaired, reason, note);
        self.report.entries.push(entry);
    }

    /// Reports that `null` stands where a value or nothing should.
    pub(crate) fn null_read_as_absent(&mut self) {
        self.repaired(None, Reason::Null, "null read as absent");
    }

    /// Reports that something of the receiver's revision is read from a sender that does not have it.
    pub(crate) fn adopted(&mut self) {
        let note = "not defined at the sender's revision, read as the receiver's";
        self.repaired(None, Reason::Adopted, note);
    }

    /// Reports that what stands here is kept as it came.
    pub(crate) fn unreadable(&mut self, error: &DecodeError) {
        let reason = Reason::Unreadable(Box::new(error.misfit()));
        let note = format!("carried as unknown: {error}");
        self.repaired(Some(Feature::UnknownContent), reason, note);
    }

    /// The error of finding something else than `expected` at the cursor.
    pub(crate) fn unexpected(&mut self, expected: impl Into<String>) -> Box<DecodeError> {
        match self.lexer.peek() {
            Ok(kind) => self.mismatch(expected, kind.name()),
            Err(error) => error.into(),
        }
    }

    pub(crate) fn mismatch(
        &self,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Box<DecodeError> {
        let path = self.path.clone();
        Box::new(DecodeError::Unexpected { path, expected: expected.into(), found: found.into() })
    }

    /// The error of a tag that the revision does not have for `what`.
    pub(crate) fn unknown_kind(
        &mut self,
        tag: &'static str,
        what: &str,
        found: &str,
    ) -> Box<DecodeError> {
        let expected = format!("a {tag} of {what} that {} has here", self.revision.name);
        let found = format!("{:?}", found.chars().take(64).collect::<String>());
        self.at(tag, |r| r.mismatch(expected, found))
    }

    /// The error of the member here being there a second time.
    pub(crate) fn duplicate(&self) -> Box<DecodeError> {
        Box::new(DecodeError::Duplicate { path: self.path.clone() })
    }

    pub(crate) fn missing(&mut self, name: &'static str) -> Box<DecodeError> {
        self.at(name, |r| Box::new(DecodeError::Missing { path: r.path.clone() }))
    }
}
