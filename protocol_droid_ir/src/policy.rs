//! What to do with what the target cannot say.

use crate::feature::{Feature, FeatureSet};

/// How lowering decides.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Policy {
    strict: bool,
    drop: FeatureSet,
    refuse: FeatureSet,
}

impl Policy {
    /// Keeps content in another form where there is one, drops and reports what has none, and
    /// refuses only what would mislead. The default.
    pub const fn faithful() -> Self {
        Self { strict: false, drop: FeatureSet::empty(), refuse: FeatureSet::empty() }
    }

    /// Refuses whatever is not lossless, repairs of faulty input included.
    pub const fn strict() -> Self {
        Self { strict: true, ..Self::faithful() }
    }

    /// Refuses what needs `feature`.
    #[must_use]
    pub const fn refuse(mut self, feature: Feature) -> Self {
        self.refuse = self.refuse.with(feature);
        self.drop = self.drop.without(feature);
        self
    }

    /// Drops what needs `feature` instead of keeping it in another form.
    #[must_use]
    pub const fn drop(mut self, feature: Feature) -> Self {
        self.drop = self.drop.with(feature);
        self.refuse = self.refuse.without(feature);
        self
    }

    /// Whether anything that is not lossless is refused.
    pub const fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether what needs `feature` is refused rather than changed.
    pub const fn refuses(&self, feature: Feature) -> bool {
        self.strict || self.refuse.contains(feature)
    }

    /// Whether what needs `feature` is dropped rather than kept in another form.
    pub const fn drops(&self, feature: Feature) -> bool {
        self.drop.contains(feature)
    }
}
