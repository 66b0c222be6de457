//! What validation finds: where a message leaves its revision, and what was expected there.

use std::io;

use protocol_droid_codecs::DecodeError;
use protocol_droid_ir::{Entry, Misfit, Reason};
use serde_json::json;

use crate::paint::printable;

/// A fault, or something to know that is none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Finding {
    /// JSON Pointer into the message.
    pub(crate) path: String,
    /// What the revision expects there and what stands there instead; none where that is no fault.
    pub(crate) fault: Option<[String; 2]>,
    /// What else there is to say.
    pub(crate) note: Option<String>,
}

impl Finding {
    /// A fault at `path`.
    pub(crate) fn fault(
        path: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), fault: Some([expected.into(), found.into()]), note: None }
    }

    /// The same with a remark.
    pub(crate) fn remark(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// The fault that ended the reading of a message.
    pub(crate) fn of_error(error: &DecodeError) -> Self {
        let Misfit { path, expected, found } = error.misfit();
        let finding = Self::fault(path, expected, found);
        match error {
            DecodeError::Batch => finding.remark("batches exist at 2025-03-26 alone"),
            _ => finding,
        }
    }

    /// The fault that was mended to read a message.
    pub(crate) fn of_repair(entry: &Entry) -> Self {
        let path = &entry.path;
        match &entry.reason {
            Reason::Null => Self::fault(path, "a value or no member", "null"),
            Reason::Missing => Self::fault(path, "a required member", "nothing"),
            Reason::Unreadable(misfit) => {
                let fault = Self::fault(path, &misfit.expected, &misfit.found);
                // The fault may lie deep in the item.
                if misfit.path == *path {
                    fault
                } else {
                    fault.remark(format!("at {}", misfit.path))
                }
            }
            _ => Self::fault(path, "what needs no repair", &*entry.note),
        }
    }

    /// The finding as a line for a person.
    pub(crate) fn text(&self, line: u64) -> String {
        let path = if self.path.is_empty() { "(message)" } else { &self.path };
        let mut text = format!("line {line}: {path}: ");
        if let Some([expected, found]) = &self.fault {
            text += &format!("expected {expected}, found {found}");
        }
        if let Some(note) = &self.note {
            text += if self.fault.is_some() { "; " } else { "" };
            text += note;
        }
        printable(&text, usize::MAX)
    }

    /// Writes the finding as a line of JSON.
    pub(crate) fn write_json(&self, line: u64, out: &mut impl io::Write) -> io::Result<()> {
        write!(out, r#"{{"line":{line},"path":{}"#, json!(self.path))?;
        if let Some([expected, found]) = &self.fault {
            write!(out, r#","expected":{},"found":{}"#, json!(expected), json!(found))?;
        }
        if let Some(note) = &self.note {
            write!(out, r#","note":{}"#, json!(note))?;
        }
        out.write_all(b"}\n")
    }
}

#[cfg(test)]
mod tests {
    use protocol_droid_ir::Action;

    use super::*;

    fn repair(reason: Reason) -> String {
        let entry = Entry::new("/result/content/0", None, Action::Repaired, reason, "as it was");
        Finding::of_repair(&entry).text(3)
    }

    fn unreadable(path: &str) -> Reason {
        let (expected, found) = ("a string".to_owned(), "a number".to_owned());
        Reason::Unreadable(Box::new(Misfit { path: path.to_owned(), expected, found }))
    }

    #[test]
    fn a_repair_says_what_was_expected() {
        for (reason, expected) in [
            (Reason::Null, "expected a value or no member, found null"),
            (Reason::Missing, "expected a required member, found nothing"),
            (Reason::Disallowed, "expected what needs no repair, found as it was"),
            (unreadable("/result/content/0"), "expected a string, found a number"),
            (
                unreadable("/result/content/0/text"),
                "expected a string, found a number; at /result/content/0/text",
            ),
        ] {
            assert_eq!(repair(reason), format!("line 3: /result/content/0: {expected}"));
        }
    }

    #[test]
    fn a_finding_is_one_line_of_json() {
        let json = |finding: Finding| {
            let mut out = Vec::new();
            finding.write_json(7, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            json(Finding::fault("/a", "one", "\"two\"\n").remark("three")),
            "{\"line\":7,\"path\":\"/a\",\"expected\":\"one\",\"found\":\"\\\"two\\\"\\n\",\"note\":\"three\"}\n"
        );
        let note = Finding { note: Some("n".to_owned()), ..Finding::default() };
        assert_eq!(json(note), "{\"line\":7,\"path\":\"\",\"note\":\"n\"}\n");
    }
}
