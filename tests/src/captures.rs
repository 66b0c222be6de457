//! Real sessions, line by line: see `captures/README.md`.

use std::fs;
use std::path::Path;

use protocol_droid_codecs::{Codec, Sender, codec};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The files, without their extension.
pub const FILES: [&str; 10] = [
    "2024-11-05-python",
    "2024-11-05-typescript",
    "2025-03-26-python",
    "2025-03-26-typescript",
    "2025-06-18-python",
    "2025-06-18-typescript",
    "2025-11-25-python",
    "2025-11-25-typescript",
    "2026-07-28-python",
    "2026-07-28-typescript",
];

#[derive(Deserialize)]
struct Line<'a> {
    direction: &'a str,
    #[serde(borrow)]
    message: &'a RawValue,
}

/// The lines of a file, each as its sender and the text that it sent.
///
/// # Panics
/// When it cannot be read.
pub fn lines(file: &str) -> Vec<(Sender, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures");
    let text = fs::read_to_string(folder.join(format!("{file}.jsonl"))).expect("a capture");
    let read = |line| {
        let Line { direction, message } = serde_json::from_str(line).expect("a line of a capture");
        (
            if direction == "client" { Sender::Client } else { Sender::Server },
            message.get().to_owned(),
        )
    };
    text.lines().map(read).collect()
}

/// The revision that a file is named after.
///
/// # Panics
/// When there is none.
pub fn revision(file: &str) -> &'static dyn Codec {
    codec(&file[..10]).expect("compiled in")
}
