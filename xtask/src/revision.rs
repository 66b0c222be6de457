//! The revisions of the protocol, oldest first, and sets of them as bit masks.

use crate::error::Error;

/// Every revision in the order of its bit: bit 0 is the first.
pub(crate) const REVISIONS: [&str; 6] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "draft"];

/// A set of revisions: bit `i` stands for `REVISIONS[i]`.
pub(crate) type Mask = u8;

/// The index of a revision by its name.
pub(crate) fn index(name: &str) -> Result<usize, Error> {
    REVISIONS
        .iter()
        .position(|revision| *revision == name)
        .ok_or_else(|| Error::UnknownRevision(name.to_owned()))
}

/// The mask of one revision.
pub(crate) fn bit(revision: usize) -> Mask {
    1 << revision
}
