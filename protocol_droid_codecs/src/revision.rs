//! What sets one revision apart from the next, as data.

use protocol_droid_ir::{Feature, FeatureSet, ProtocolVersion};

/// A revision as the shared reader and writer see it.
#[derive(Debug)]
pub struct Revision {
    /// The name: a date, or `draft`.
    pub name: &'static str,
    /// The version that peers on this revision declare.
    pub version: ProtocolVersion,
    /// The revision's bit in the generated tables.
    pub(crate) bit: u8,
}

impl Revision {
    /// Everything the revision can say that some other cannot.
    pub const fn features(&self) -> FeatureSet {
        self.version.features()
    }
}

/// The revisions that have `feature`, as a mask of the generated tables.
pub(crate) const fn feature_mask(feature: Feature) -> u8 {
    let (mut at, mut mask) = (0, 0);
    while at < ProtocolVersion::ALL.len() {
        if feature.is_in(ProtocolVersion::ALL[at]) {
            mask |= 1 << at;
        }
        at += 1;
    }
    // The draft starts out as the newest revision.
    if mask & (1 << (at - 1)) != 0 {
        mask |= DRAFT;
    }
    mask
}

/// The draft's bit in the generated tables.
pub(crate) const DRAFT: u8 = 1 << ProtocolVersion::ALL.len();
