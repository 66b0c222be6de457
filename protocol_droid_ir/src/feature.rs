//! What some revision can say and another cannot.

use std::fmt;
use std::ops::BitOr;

use crate::version::ProtocolVersion;

use ProtocolVersion::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

macro_rules! features {
    ($( $(#[doc = $doc:literal])+ $name:ident: $span:expr; )+) => {
        /// One thing that some revision can say and another cannot.
        #[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
        #[non_exhaustive]
        pub enum Feature {
            $( $(#[doc = $doc])+ $name, )+
        }

        impl Feature {
            /// Every feature, in the order of the revisions that brought them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            const SPANS: &[Span] = &[$($span),+];

            /// The name, as reports print it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }

            /// What the feature is and where it comes from, in a line.
            pub fn about(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_start()),+ }
            }
        }
    };
}

/// The revisions that have a feature.
#[derive(Clone, Copy)]
enum Span {
    Never,
    Since(ProtocolVersion),
    Only(ProtocolVersion),
    Until(ProtocolVersion),
}

use Span::{Never, Only, Since, Until};

features! {
    /// Errors with code -32002 for a resource that is not there; -32602 from 2026-07-28 on.
    ResourceNotFoundCode: Until(V2025_11_25);
    /// The handshake of `initialize` (removed in 2026-07-28, SEP-2575).
    Handshake: Until(V2025_11_25);
    /// A level of log messages for the session: `logging/setLevel` (removed in 2026-07-28).
    SetLevel: Until(V2025_11_25);
    /// `listChanged` of a client's roots (removed in 2026-07-28).
    RootsListChanged: Until(V2025_11_25);
    /// `resources/subscribe` and `resources/unsubscribe` (removed in 2026-07-28, SEP-2575).
    ResourceSubscriptions: Until(V2025_11_25);
    /// More than 100 values of a completion (schema 2026-07-28).
    ManyCompletions: Until(V2025_11_25);
    /// Audio content blocks (changelog 2025-03-26).
    AudioContent: Since(V2025_03_26);
    /// `message` of a progress notification (changelog 2025-03-26).
    ProgressMessage: Since(V2025_03_26);
    /// Hints on what a tool does: `annotations` of a tool (changelog 2025-03-26).
    ToolAnnotations: Since(V2025_03_26);
    /// The capability to complete arguments (changelog 2025-03-26).
    Completions: Since(V2025_03_26);
    /// Several JSON-RPC messages in one array (added in 2025-03-26, removed in 2025-06-18).
    Batch: Only(V2025_03_26);
    /// `title` beside the `name` of a tool, resource, prompt or implementation (changelog 2025-06-18).
    Title: Since(V2025_06_18);
    /// Resource link content blocks (changelog 2025-06-18).
    ResourceLink: Since(V2025_06_18);
    /// `structuredContent` of a tool result (changelog 2025-06-18).
    StructuredContent: Since(V2025_06_18);
    /// `outputSchema` of a tool (changelog 2025-06-18).
    OutputSchema: Since(V2025_06_18);
    /// `context` of a completion (changelog 2025-06-18).
    CompletionContext: Since(V2025_06_18);
    /// `lastModified` of annotations (schema 2025-06-18).
    LastModified: Since(V2025_06_18);
    /// Elicitation: asking the client's user by a form (changelog 2025-06-18).
    Elicitation: Since(V2025_06_18);
    /// `icons` of a tool, resource, prompt or implementation (SEP-973).
    Icons: Since(V2025_11_25);
    /// `description` and `websiteUrl` of an implementation (changelog 2025-11-25, SEP-973).
    ImplementationDetails: Since(V2025_11_25);
    /// `execution` of a tool (SEP-1686; removed in 2026-07-28).
    ToolExecution: Only(V2025_11_25);
    /// Tasks: in the core of 2025-11-25 (SEP-1686), by an extension with other shapes since
    /// 2026-07-28 (SEP-2663).
    Tasks: Since(V2025_11_25);
    /// Tasks as the core of 2025-11-25 has them: asked for by `task` in the parameters of a request
    /// (SEP-1686; removed in 2026-07-28).
    TaskAugmentation: Only(V2025_11_25);
    /// Tool use blocks in sampling (SEP-1577).
    ToolUseContent: Since(V2025_11_25);
    /// Tool result blocks in sampling (SEP-1577).
    ToolResultContent: Since(V2025_11_25);
    /// `tools` and `toolChoice` in sampling (SEP-1577).
    SamplingTools: Since(V2025_11_25);
    /// Lists of blocks as the content of a sampling message (SEP-1577).
    SamplingContentList: Since(V2025_11_25);
    /// `mode` and `requestedSchema.$schema` of a form (schema 2025-11-25).
    FormDetails: Since(V2025_11_25);
    /// `default` of text, numbers and enums in a form (SEP-1034).
    ElicitationDefaults: Since(V2025_11_25);
    /// Enums in a form whose choices have titles in `oneOf` (SEP-1330).
    TitledEnum: Since(V2025_11_25);
    /// Enums in a form of which several choices may be made, and lists as answers (SEP-1330).
    MultiSelectEnum: Since(V2025_11_25);
    /// Elicitation by a URL to be visited (SEP-1036).
    UrlElicitation: Since(V2025_11_25);
    /// `elicitationId` and the notification that bears it (SEP-1036; removed in 2026-07-28).
    ElicitationId: Only(V2025_11_25);
    /// `form` and `url` of the capability to elicit (SEP-1036).
    ElicitationModes: Since(V2025_11_25);
    /// `context` and `tools` of the capability to sample (SEP-1577).
    SamplingCapabilities: Since(V2025_11_25);
    /// The capability of tasks (SEP-1686; removed in 2026-07-28).
    TasksCapability: Only(V2025_11_25);
    /// `notifications/cancelled` without a `requestId` (schema 2025-11-25 only).
    CancelledWithoutRequest: Only(V2025_11_25);
    /// Error responses without an id (schema 2025-11-25).
    ErrorWithoutId: Since(V2025_11_25);
    /// Errors with code -32042, by which a tool asks for a URL visit (2025-11-25 only).
    UrlElicitationRequiredCode: Only(V2025_11_25);
    /// `resultType`, by which a result says what kind it is (changelog 2026-07-28).
    ToolResultType: Since(V2026_07_28);
    /// Results that ask the client for input before the call can go on (SEP-2322).
    InputRequired: Since(V2026_07_28);
    /// `inputResponses` and `requestState` of a retried request (SEP-2322).
    InputResponses: Since(V2026_07_28);
    /// Tasks as the extension `io.modelcontextprotocol/tasks` has them: results of the type `task`
    /// (SEP-2663).
    TaskExtension: Since(V2026_07_28);
    /// `ttlMs` and `cacheScope` of a result (SEP-2549).
    CacheHints: Since(V2026_07_28);
    /// Protocol version, client and capabilities in the `_meta` of every request (SEP-2575).
    RequestMetadata: Since(V2026_07_28);
    /// The server's name in the `_meta` of a result (SEP-2575).
    ServerInfoMetadata: Since(V2026_07_28);
    /// The subscription's id in the `_meta` of a notification (SEP-2575).
    SubscriptionMetadata: Since(V2026_07_28);
    /// Discovery of a server by `server/discover` (SEP-2575).
    Discovery: Since(V2026_07_28);
    /// Notifications by a filter: `subscriptions/listen` (SEP-2575).
    Subscriptions: Since(V2026_07_28);
    /// Tasks as a protocol extension (SEP-2663).
    TasksExtension: Since(V2026_07_28);
    /// `structuredContent` that is no object (SEP-2106).
    AnyStructuredContent: Since(V2026_07_28);
    /// An `outputSchema` whose root is not declared an object (SEP-2106).
    AnyOutputSchema: Since(V2026_07_28);
    /// `true` or `false` as the schema of a property (SEP-2106).
    BooleanSchemas: Since(V2026_07_28);
    /// `_meta` of what a client is asked and answers, other than of a model's message and of the
    /// question for roots (removed in 2026-07-28).
    InteractionMetadata: Until(V2025_11_25);
    /// Error codes from -32099 to -32020 that the specification does not define; 2026-07-28 keeps
    /// that range to itself.
    PrivateErrorCodes: Until(V2025_11_25);
    /// Error codes -32020 to -32022: headers, client capabilities, protocol version (SEP-2575).
    ModernErrorCodes: Since(V2026_07_28);
    /// Something of a type that the revision it came from does not define.
    UnknownContent: Never;
    /// A content block where no revision allows its type, such as a tool use in a tool result.
    MisplacedContent: Never;
}

impl Feature {
    /// The first revision that has the feature; `None` if no revision has.
    pub const fn first(self) -> Option<ProtocolVersion> {
        match self.span() {
            Never => None,
            Since(first) | Only(first) => Some(first),
            Until(_) => Some(ProtocolVersion::ALL[0]),
        }
    }

    /// The last revision that has the feature, if it was removed.
    pub const fn last(self) -> Option<ProtocolVersion> {
        match self.span() {
            Never | Since(_) => None,
            Only(last) | Until(last) => Some(last),
        }
    }

    /// Whether `version` has the feature.
    pub const fn is_in(self, version: ProtocolVersion) -> bool {
        match self.span() {
            Never => false,
            Since(first) => first as u8 <= version as u8,
            Only(only) => only as u8 == version as u8,
            Until(last) => version as u8 <= last as u8,
        }
    }

    /// What gives an error code its meaning, if not every revision does. Any revision can write any
    /// code, so this is no required feature of an error; lowering replaces the code all the same.
    pub const fn of_error_code(code: i64) -> Option<Self> {
        match code {
            -32002 => Some(Self::ResourceNotFoundCode),
            -32042 => Some(Self::UrlElicitationRequiredCode),
            -32022..=-32020 => Some(Self::ModernErrorCodes),
            -32099..=-32020 => Some(Self::PrivateErrorCodes),
            _ => None,
        }
    }

    /// Why a revision may lack the feature, in words for a person.
    pub(crate) fn absence(self) -> &'static str {
        match self.span() {
            Never => "no revision has it",
            Since(V2024_11_05) | Until(V2026_07_28) => "exists in every revision",
            Since(V2025_03_26) => "does not exist before 2025-03-26",
            Since(V2025_06_18) => "does not exist before 2025-06-18",
            Since(V2025_11_25) => "does not exist before 2025-11-25",
            Since(V2026_07_28) => "does not exist before 2026-07-28",
            Only(V2024_11_05) => "exists in 2024-11-05 alone",
            Only(V2025_03_26) => "exists in 2025-03-26 alone",
            Only(V2025_06_18) => "exists in 2025-06-18 alone",
            Only(V2025_11_25) => "exists in 2025-11-25 alone",
            Only(V2026_07_28) => "exists in 2026-07-28 alone",
            Until(V2024_11_05) => "was removed in 2025-03-26",
            Until(V2025_03_26) => "was removed in 2025-06-18",
            Until(V2025_06_18) => "was removed in 2025-11-25",
            Until(V2025_11_25) => "was removed in 2026-07-28",
        }
    }

    const fn span(self) -> Span {
        Self::SPANS[self as usize]
    }

    const fn bit(self) -> u128 {
        1 << self as u32
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

const _: () = assert!(Feature::ALL.len() <= 128, "a FeatureSet has 128 bits");

/// A set of [`Feature`]s.
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
pub struct FeatureSet(u128);

impl FeatureSet {
    /// No features: what every revision can say.
    pub const fn empty() -> Self {
        Self(0)
    }

    /// This set and `feature`.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Self {
        Self(self.0 | feature.bit())
    }

    /// This set without `feature`.
    #[must_use]
    pub const fn without(self, feature: Feature) -> Self {
        Self(self.0 & !feature.bit())
    }

    /// What is in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in `other`.
    #[must_use]
    pub const fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `feature` is in the set.
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// Whether the set has no features.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many features there are.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether `other` has every feature of this set.
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The features, in the order of [`Feature::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |feature| self.contains(*feature))
    }
}

impl BitOr for FeatureSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}

impl Extend<Feature> for FeatureSet {
    fn extend<I: IntoIterator<Item = Feature>>(&mut self, features: I) {
        for feature in features {
            *self = self.with(feature);
        }
    }
}

impl From<Feature> for FeatureSet {
    fn from(feature: Feature) -> Self {
        Self::empty().with(feature)
    }
}

impl FromIterator<Feature> for FeatureSet {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Self {
        let mut set = Self::empty();
        set.extend(features);
        set
    }
}

impl IntoIterator for FeatureSet {
    type Item = Feature;
    type IntoIter = std::vec::IntoIter<Feature>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl fmt::Debug for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_bound_the_revisions_that_have_a_feature() {
        for &feature in Feature::ALL {
            for version in ProtocolVersion::ALL {
                let since = feature.first().is_some_and(|first| first <= version);
                let until = feature.last().is_none_or(|last| version <= last);
                assert_eq!(feature.is_in(version), since && until, "{feature} {version}");
                assert_eq!(version.features().contains(feature), since && until);
            }
        }
    }

    #[test]
    fn set_operations() {
        let set: FeatureSet =
            [Feature::Title, Feature::Icons, Feature::Title].into_iter().collect();
        assert_eq!(set.len(), 2);
        assert!(set.contains(Feature::Icons) && !set.contains(Feature::Batch));
        assert!(FeatureSet::from(Feature::Title).is_subset(set));
        assert_eq!(set.without(Feature::Title).iter().collect::<Vec<_>>(), [Feature::Icons]);
        assert_eq!(set.difference(Feature::Icons.into()), Feature::Title.into());
        assert!(FeatureSet::empty().is_empty() && FeatureSet::empty().is_subset(set));
    }
}
