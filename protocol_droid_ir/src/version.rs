//! The revisions of the protocol.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::feature::{Feature, FeatureSet};

/// A dated revision of the Model Context Protocol, in the order of their dates.
///
/// The draft is not among them: its schema declares the newest dated one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// The first revision: HTTP+SSE, text, image and embedded resource.
    V2024_11_05,
    /// Adds audio, tool annotations and batches.
    V2025_03_26,
    /// Adds structured output, resource links, titles and elicitation; removes batches.
    V2025_06_18,
    /// Adds icons, tasks, URL elicitation and tools in sampling.
    V2025_11_25,
    /// Stateless: no handshake, no requests from the server, results that say what kind they are.
    V2026_07_28,
}

impl ProtocolVersion {
    /// Every dated revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest dated revision.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The date that names the revision on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether the revision is stateless (`2026-07-28` and later), in the specification's own term.
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }

    /// Everything the revision can say that some other cannot.
    pub const fn features(self) -> FeatureSet {
        FEATURES[self as usize]
    }
}

/// The features of each revision.
const FEATURES: [FeatureSet; ProtocolVersion::ALL.len()] = {
    let mut sets = [FeatureSet::empty(); ProtocolVersion::ALL.len()];
    let mut version = 0;
    while version < sets.len() {
        let mut at = 0;
        while at < Feature::ALL.len() {
            if Feature::ALL[at].is_in(ProtocolVersion::ALL[version]) {
                sets[version] = sets[version].with(Feature::ALL[at]);
            }
            at += 1;
        }
        version += 1;
    }
    sets
};

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Text that names no dated revision.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error(
    "unknown protocol version {0:?}: expected one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28"
)]
pub struct UnknownVersion(pub String);

impl FromStr for ProtocolVersion {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == text)
            .ok_or_else(|| UnknownVersion(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_one_to_one() {
        for version in ProtocolVersion::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        assert!("2026-07-29".parse::<ProtocolVersion>().is_err());
        assert!("draft".parse::<ProtocolVersion>().is_err());
        assert!(ProtocolVersion::ALL.is_sorted());
    }
}
