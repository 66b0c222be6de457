//! What validation finds: where a message leaves its revision, and what was expected there.

use std::io;

use protocol_droid_codecs::DecodeError;
use protocol_droid_ir::Entry;
use serde_json::json;

use crate::paint::printable;
use crate::record::pointer;

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
        let path = error.path().map(pointer).unwrap_or_default();
        match error {
            DecodeError::Unexpected { expected, found, .. } => Self::fault(path, expected, found),
            DecodeError::Missing { .. } => Self::fault(path, REQUIRED, NOTHING),
            DecodeError::Duplicate { .. } => Self::fault(path, "it once", "it a second time"),
            DecodeError::Batch => Self::fault(path, "one message", "an array of them")
                .remark("batches exist at 2025-03-26 alone"),
            other => Self::fault(path, "a message", other.to_string()),
        }
    }

    /// The fault that was mended to read a message.
    pub(crate) fn of_repair(entry: &Entry) -> Self {
        let (path, note) = (&entry.path, &*entry.note);
        if note == "null read as absent" {
            return Self::fault(path, "a value or no member", "null");
        }
        if note.starts_with("required, read ") || note.starts_with("absent, read ") {
            return Self::fault(path, REQUIRED, NOTHING);
        }
        let Some(error) = note.strip_prefix("carried as unknown: ") else {
            return Self::fault(path, "what needs no repair", note);
        };
        // The error says where in the item it is.
        let Some((place, expected, found)) = parts(error) else {
            return Self::fault(path, "an item of its list", error);
        };
        let place = pointer(place);
        let fault = Self::fault(path, expected, found);
        if place == *path { fault } else { fault.remark(format!("at {place}")) }
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

/// Where, what was expected and what was found, of an error in words.
fn parts(error: &str) -> Option<(&str, &str, &str)> {
    if let Some(place) = error.strip_suffix(": required, found nothing") {
        return Some((place, REQUIRED, NOTHING));
    }
    let (place, rest) = error.split_once(": expected ")?;
    let (expected, found) = rest.split_once(", found ")?;
    Some((place, expected, found))
}

const REQUIRED: &str = "a required member";
const NOTHING: &str = "nothing";

#[cfg(test)]
mod tests {
    use protocol_droid_ir::Action;

    use super::*;

    fn repair(note: &'static str) -> String {
        Finding::of_repair(&Entry::new("/result/content/0", None, Action::Repaired, note)).text(3)
    }

    #[test]
    fn a_repair_says_what_was_expected() {
        for (note, expected) in [
            ("null read as absent", "expected a value or no member, found null"),
            ("absent, read as 0", "expected a required member, found nothing"),
            ("required, read as empty", "expected a required member, found nothing"),
            (
                "carried as unknown: result.content[0].text: expected a string, found a number",
                "expected a string, found a number; at /result/content/0/text",
            ),
            (
                "carried as unknown: result.content[0]: expected an object, found null",
                "expected an object, found null",
            ),
            (
                "carried as unknown: result.content[0].text: required, found nothing",
                "expected a required member, found nothing; at /result/content/0/text",
            ),
        ] {
            assert_eq!(repair(note), format!("line 3: /result/content/0: {expected}"));
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
