//! One line of a report: a change, or a message that was not translated.

use std::fmt::Write;
use std::io;

use protocol_droid_codecs::{DecodeError, EncodeError, TranslateError};
use protocol_droid_ir::{Entry, Feature};

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
            TranslateError::Decode(error) => decode_error(error),
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
            TranslateError::Encode(error) => encode_error(error),
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

fn decode_error(error: &DecodeError) -> (String, Option<Feature>, String) {
    let path = error.path().unwrap_or(WHOLE);
    (pointer(path), None, without_path(error.to_string(), path))
}

fn encode_error(error: &EncodeError) -> (String, Option<Feature>, String) {
    let (path, feature) = match error {
        EncodeError::Inexpressible { path, feature, .. } => (path, Some(*feature)),
        EncodeError::Missing { path, .. } | EncodeError::Collision { path, .. } => (path, None),
        other => return (String::new(), None, other.to_string()),
    };
    (pointer(path), feature, without_path(error.to_string(), path))
}

fn without_path(text: String, path: &str) -> String {
    match text.strip_prefix(path).and_then(|rest| rest.strip_prefix(": ")) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// The JSON Pointer of a path in words, such as `result.content[2]["a/b"]`.
pub(crate) fn pointer(words: &str) -> String {
    let mut pointer = String::new();
    if words == WHOLE {
        return pointer;
    }
    let mut rest = words;
    while !rest.is_empty() {
        let name;
        (name, rest) = segment(rest);
        let name = name.replace('~', "~0").replace('/', "~1");
        // Writing to a string cannot fail.
        let _ = write!(pointer, "/{name}");
    }
    pointer
}

/// The first segment of a path in words, and what follows it.
fn segment(words: &str) -> (String, &str) {
    if let Some(quoted) = words.strip_prefix("[\"") {
        let mut name = String::new();
        let mut chars = quoted.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => return (name, quoted[at + 1..].strip_prefix(']').unwrap_or("")),
                '\\' => name.extend(chars.next().map(|(_, c)| c)),
                c => name.push(c),
            }
        }
        return (name, "");
    }
    if let Some((index, rest)) = words.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (index.to_owned(), rest);
    }
    let words = words.strip_prefix('.').unwrap_or(words);
    let end = words.find(['.', '[']).unwrap_or(words.len());
    (words[..end].to_owned(), &words[end..])
}

/// What errors call the message itself.
const WHOLE: &str = "the message";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_pointers() {
        for (words, expected) in [
            ("the message", ""),
            ("result", "/result"),
            ("result.content[2].mimeType", "/result/content/2/mimeType"),
            (r#"result["a/b~\"]."][0]"#, r#"/result/a~1b~0"]./0"#),
            ("[3].params", "/3/params"),
        ] {
            assert_eq!(pointer(words), expected);
        }
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
