//! One line of a report: a change, or a message that was not translated.

use std::io;

use protocol_droid_codecs::{EncodeError, TranslateError};
use protocol_droid_ir::{Entry, Feature, Path};

/// Something that the reader of the output does not see as it was sent.
pub(crate) struct Record {
    /// The line on which the JSON value starts, from one.
    pub(crate) line: u64,
    /// JSON Pointer into that value.
    pub(crate) path: String,
    /// What the target lacks, where that is the reason.
    pub(crate) feature: Option<Feature>,
    /// `fallback`, `dropped`, `repaired` or `refused`.
    pub(crate) action: &'static str,
    /// Why, in words.
    pub(crate) note: String,
}

/// The action of records of messages that were not translated.
pub(crate) const REFUSED: &str = "refused";

impl Record {
    /// The record of a change to a message that stands at `prefix` of its value.
    pub(crate) fn of_change(line: u64, prefix: &str, entry: &Entry) -> Self {
        Self {
            line,
            path: format!("{prefix}{}", entry.path),
            feature: entry.feature,
            action: entry.action.name(),
            note: entry.note.to_string(),
        }
    }

    /// The record of a message that was not translated.
    pub(crate) fn of_refusal(line: u64, prefix: &str, error: &TranslateError) -> Self {
        let (path, feature, note) = match error {
            TranslateError::Decode(error) => {
                let (path, note) = placed(&error.path(), error);
                (path, None, note)
            }
            TranslateError::Lower(error) => {
                (error.pointer.clone(), Some(error.feature), error.reason.clone())
            }
            TranslateError::Method { .. } => {
                let note = error.to_string();
                let note = note.strip_prefix("method: ").unwrap_or(&note);
                (String::new(), None, note.to_owned())
            }
            TranslateError::Repaired { path, note } => {
                (path.clone(), None, format!("the policy refuses repairs: {note}"))
            }
            TranslateError::Encode(error) => {
                let (path, note) = placed(error.path(), error);
                let feature = match error {
                    EncodeError::Inexpressible { feature, .. } => Some(*feature),
                    _ => None,
                };
                (path, feature, note)
            }
            other => (String::new(), None, other.to_string()),
        };
        Self { line, path: prefix.to_owned() + &path, feature, action: REFUSED, note }
    }

    /// Writes the record as a line of JSON.
    pub(crate) fn write_json(&self, out: &mut impl io::Write) -> io::Result<()> {
        let Self { line, path, feature, action, note } = self;
        let feature = feature.map(Feature::name);
        write!(out, r#"{{"line":{line},"path":"#)?;
        serde_json::to_writer(&mut *out, path)?;
        write!(out, r#","feature":"#)?;
        serde_json::to_writer(&mut *out, &feature)?;
        write!(out, r#","action":"{action}","note":"#)?;
        serde_json::to_writer(&mut *out, note)?;
        out.write_all(b"}\n")
    }
}

/// Where an error is, and the rest of what it says.
fn placed(path: &Path, error: &impl ToString) -> (String, String) {
    let text = error.to_string();
    let rest = text.strip_prefix(&path.to_string()).and_then(|rest| rest.strip_prefix(": "));
    (path.pointer(), rest.map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_once_where_it_is() {
        let path = Path::from("a/b");
        let error = EncodeError::Missing { path: path.clone(), revision: "2025-11-25" };
        let note = "required at 2025-11-25, found nothing".to_owned();
        assert_eq!(placed(&path, &error), ("/a~1b".to_owned(), note));
    }

    #[test]
    fn a_record_is_one_line_of_json() {
        let record = Record {
            line: 3,
            path: "/a\"b".to_owned(),
            feature: None,
            action: REFUSED,
            note: "two\nlines".to_owned(),
        };
        let mut out = Vec::new();
        record.write_json(&mut out).unwrap();
        let expected =
            r#"{"line":3,"path":"/a\"b","feature":null,"action":"refused","note":"two\nlines"}"#;
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected}\n"));
    }
}
