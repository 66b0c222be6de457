//! The fixtures: `fixtures/<revision>/<Type>.jsonl`, a value a line.

use std::fs;
use std::path::Path;

use protocol_droid_codecs::{Codec, compiled};

use crate::kinds::{FIXTURES, Kind};

/// A line of a fixture file.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// What it is.
    pub kind: &'static dyn Kind,
    /// The revision it is of.
    pub codec: &'static dyn Codec,
    /// Its number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

impl Fixture {
    /// Where it stands, for messages.
    pub fn place(&self) -> String {
        format!("{}/{}:{}", self.codec.name(), self.kind.name(), self.line)
    }
}

/// The folder of a revision. The draft starts out as the newest one, and shares its fixtures.
pub fn folder(revision: &'static str) -> &'static str {
    if revision == "draft" { "2026-07-28" } else { revision }
}

/// Every fixture, at every revision it is of.
pub fn fixtures() -> Vec<Fixture> {
    let mut all = Vec::new();
    for &codec in compiled() {
        for &kind in FIXTURES {
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixtures")
                .join(folder(codec.name()))
                .join(format!("{}.jsonl", kind.name()));
            let Ok(text) = fs::read_to_string(file) else { continue };
            for (at, text) in text.lines().enumerate() {
                all.push(Fixture { kind, codec, line: at + 1, text: text.to_owned() });
            }
        }
    }
    all
}

/// Fails with all that is wrong, not with the first of it.
///
/// # Panics
/// When anything is.
#[track_caller]
pub fn assert_none(wrong: Vec<String>) {
    let first = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} wrong, such as\n{}", wrong.len(), first.join("\n"));
}
