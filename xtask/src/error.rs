//! What can go wrong, in words that name the file, the place and what was expected.

use std::{io, path::PathBuf};

use crate::revision::REVISIONS;

/// Any failure of a task.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A correction says what the schemas say already, or names what they do not have.
    #[error(
        "correction of `{place}`: expected it to be missing there at {revision}, but {found}; review the table in corrections.rs"
    )]
    Correction {
        /// The type and member that the correction adds.
        place: String,
        /// The revision at which it does not apply.
        revision: &'static str,
        /// Why it does not apply.
        found: &'static str,
    },

    /// Another program failed.
    #[error("{command}: {found}")]
    Command {
        /// The command line.
        command: String,
        /// How it failed.
        found: String,
    },

    /// Scenarios of the conformance suite failed.
    #[error("the conformance suite found faults:\n{}", .0.join("\n"))]
    Conformance(Vec<String>),

    /// Two inline schemas share a name but not a shape.
    #[error(
        "{revision}: `{name}` has two different shapes: {first} and {second}; name one of them in corrections.rs"
    )]
    Conflict {
        /// The revision of both.
        revision: &'static str,
        /// The shared name.
        name: String,
        /// The shape that was seen first.
        first: String,
        /// The other shape.
        second: String,
    },

    /// The schemas have what the codecs do not carry, or the reviews are out of date.
    #[error("review in reviewed.rs, or carry:\n{}", .0.join("\n"))]
    Coverage(Vec<String>),

    /// Generated files differ from what the sources give.
    #[error("{} out of date; run `cargo xtask schema`:\n{}", files(.0.len()), .0.join("\n"))]
    Drift(Vec<String>),

    /// What the conformance suite needs could not be installed.
    #[error("{0}; the conformance suite is installed by npm from its registry, so both are needed")]
    Install(Box<Error>),

    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },

    /// A file is not JSON.
    #[error("{}: expected JSON: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The failure, with line and column.
        source: serde_json::Error,
    },

    /// A schema is not built as expected.
    #[error("{file}: {place}: expected {expected}, found {found}")]
    Schema {
        /// The file, or the revision it is of.
        file: String,
        /// The place in the schema.
        place: String,
        /// What was expected there.
        expected: &'static str,
        /// What is there.
        found: String,
    },

    /// A name that is no revision.
    #[error("unknown revision `{0}`: expected one of {list}", list = REVISIONS.join(", "))]
    UnknownRevision(String),
}

/// `1 file is`, `2 files are`.
fn files(count: usize) -> String {
    if count == 1 { "1 file is".to_owned() } else { format!("{count} files are") }
}
