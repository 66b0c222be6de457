//! Results: of a tool call, of a request that needs input first, and of any other method.

use crate::content::{Content, lower_blocks};
use crate::feature::{Feature, FeatureSet};
use crate::interaction::{InputRequests, add_requests, lower_requests};
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lower::{LowerError, Lowering, ResultHead, lowering};
use crate::methods::{ResultFields, result_fields};
use crate::structured::{add_structured, carry_as_text, lower_structured, match_schema};
use crate::text::Text;

/// What a tool returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The same as data: an object since 2025-06-18, any JSON since 2026-07-28.
    pub structured_content: Option<JsonText>,
    /// Whether the tool failed. Absent means no; an explicit `false` is kept as such.
    pub is_error: Option<bool>,
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

/// What became of structured content that the peer cannot take.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use = "it says what the peer will not see as data"]
pub struct Downgrade {
    /// The features that the result no longer needs.
    pub lost: FeatureSet,
    /// What was done, in words for a person.
    pub note: String,
}

impl ToolResult {
    /// A result of `content`.
    pub fn new(content: Vec<Content>) -> Self {
        Self { content, ..Self::default() }
    }

    /// A result of one text block.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::new(vec![Content::text(text)])
    }

    /// A failure, with the reason for the model to read.
    pub fn error(reason: impl Into<Text>) -> Self {
        Self { is_error: Some(true), ..Self::text(reason) }
    }

    /// The same result with an object as its structured content. For other JSON, which only
    /// 2026-07-28 can say, set [`structured_content`](Self::structured_content).
    #[must_use]
    pub fn with_structured(mut self, structured: JsonObject) -> Self {
        self.structured_content = Some(structured.into());
        self
    }

    /// Whether every revision can express this result.
    pub fn is_lossless_anywhere(&self) -> bool {
        self.required_features().is_empty()
    }

    /// Makes the structured content match what the peer was told of the tool's schema.
    ///
    /// Where the target has objects only, a schema of another root was
    /// [wrapped](crate::Schema::wrapped) on its way: `wrapped` says that this tool's was, so that its
    /// results are wrapped to match, objects too. Content that is no object and whose schema was not
    /// wrapped is carried as text alone.
    ///
    /// # Errors
    /// When the policy refuses that.
    pub fn match_schema(&mut self, wrapped: bool, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match_schema(&mut self.structured_content, &mut self.content, wrapped, cx)
    }

    /// Moves the structured content into a text block, byte for byte as it was received, unless
    /// a text block holds equal JSON already. `None` if there was nothing to move.
    pub fn downgrade_structured_output(&mut self) -> Option<Downgrade> {
        let structured = self.structured_content.take()?;
        let mut lost = FeatureSet::from(Feature::StructuredContent);
        add_structured(Some(&structured), &mut lost);
        let note = carry_as_text(structured, &mut self.content).to_owned();
        Some(Downgrade { lost, note })
    }
}

lowering! {
    ToolResult {
        "structuredContent": structured_content => StructuredContent,
        "resultType": result_type => ToolResultType,
    }
    features(this, set) {
        add_structured(this.structured_content.as_ref(), set);
        for block in &this.content {
            block.add_features(set);
        }
    }
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        lower_blocks(&mut this.content, cx)?;
        lower_structured(&mut this.structured_content, &mut this.content, cx)?;
    }
}

result_fields!(ToolResult: result_type);

/// Gives a result the most cautious caching hints where the target demands some.
pub(crate) fn demand_cache_hints(
    ttl_ms: &mut Option<u64>,
    scope: &mut Option<Text>,
    cx: &mut Lowering<'_>,
) {
    if !cx.has(Feature::CacheHints) {
        return;
    }
    if ttl_ms.is_none() {
        *ttl_ms = Some(0);
        cx.changed();
    }
    if scope.is_none() {
        *scope = Some("private".into());
        cx.changed();
    }
}

/// A result that asks the client for input before the call can go on; since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputRequiredResult {
    /// What is asked, by the key that the answer will bear. A question that could not be read is
    /// carried as it came.
    pub input_requests: Option<InputRequests>,
    /// To be sent back with the answers, byte for byte.
    pub request_state: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    InputRequiredResult {}
    features(this, set) {
        *set = set.with(Feature::InputRequired).with(Feature::ToolResultType);
        add_requests(this.input_requests.iter().flatten(), set);
    }
    lower(this, cx) {
        if !cx.has(Feature::InputRequired) {
            let reason = "the older peer asks by requests of its own: only a bridge with state can turn \
                          this into those";
            return Err(cx.refused(Feature::InputRequired, reason));
        }
        if let Some(requests) = &mut this.input_requests {
            lower_requests(requests, cx)?;
        }
    }
}

/// The result of a method that only says that it is done, such as `ping`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptyResult {
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    EmptyResult {
        "resultType": result_type => ToolResultType,
    }
    features(_this, _set) {}
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
    }
}

result_fields!(EmptyResult: result_type);

/// The result of a method that is carried as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OtherResult {
    /// The method of the request that this answers.
    pub method: Text,
    /// Milliseconds for which the result may be taken as current; since 2026-07-28.
    pub ttl_ms: Option<u64>,
    /// Who may share the result: `public` or `private`; since 2026-07-28.
    pub cache_scope: Option<Text>,
    /// The kind of the result; since 2026-07-28. Absent means `complete`.
    pub result_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// All other members.
    pub extensions: Extensions,
}

impl OtherResult {
    /// Whether 2026-07-28 demands caching hints on this method's results.
    pub fn is_cacheable(&self) -> bool {
        matches!(
            self.method.as_str(),
            "prompts/list"
                | "resources/list"
                | "resources/read"
                | "resources/templates/list"
                | "server/discover"
                | "tools/list"
        )
    }
}

lowering! {
    OtherResult {
        "ttlMs": ttl_ms => CacheHints,
        "cacheScope": cache_scope => CacheHints,
        "resultType": result_type => ToolResultType,
    }
    features(_this, _set) {}
    lower(this, cx) {
        ResultHead { result_type: &mut this.result_type, meta: &mut this.meta }.lower(cx)?;
        if this.is_cacheable() && this.result_type.as_ref().is_none_or(|kind| kind == "complete") {
            demand_cache_hints(&mut this.ttl_ms, &mut this.cache_scope, cx);
        }
    }
}

impl ResultFields for OtherResult {
    fn result_type(&mut self) -> Option<&mut Option<Text>> {
        Some(&mut self.result_type)
    }

    fn cache_hints(&mut self) -> Option<(&mut Option<u64>, &mut Option<Text>)> {
        self.is_cacheable().then_some((&mut self.ttl_ms, &mut self.cache_scope))
    }
}

impl ResultFields for InputRequiredResult {}
