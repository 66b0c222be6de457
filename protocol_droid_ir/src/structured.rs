//! Structured content at revisions that have none, or objects only.

use crate::content::Content;
use crate::feature::{Feature, FeatureSet};
use crate::json::JsonText;
use crate::lex::Kind;
use crate::lower::{LowerError, Lowering};
use crate::same::same_json;

/// Adds what structured content needs beyond being there.
pub(crate) fn add_structured(structured: Option<&JsonText>, set: &mut FeatureSet) {
    if structured.is_some_and(|json| json.kind() != Kind::Object) {
        *set = set.with(Feature::AnyStructuredContent);
    }
}

/// Carries structured content as text where the target has none, and wraps what is no object where
/// it has objects only. What the policy drops is left to be dropped.
pub(crate) fn lower_structured(
    structured: &mut Option<JsonText>,
    content: &mut Vec<Content>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    let Some(json) = structured else { return Ok(()) };
    if !cx.has(Feature::StructuredContent) {
        if cx.policy().drops(Feature::StructuredContent) {
            return Ok(());
        }
        let note = carry_as_text(json.clone(), content);
        *structured = None;
        return cx.member(MEMBER, |cx| cx.fallback(Feature::StructuredContent, note));
    }
    if json.kind() != Kind::Object && !cx.has(Feature::AnyStructuredContent) {
        let wrapped = JsonText::trusted(format!(r#"{{"result":{json}}}"#));
        carry_as_text(json.clone(), content);
        *structured = Some(wrapped);
        let note = "wrapped as the member result of an object, and carried as a text block";
        return cx.member(MEMBER, |cx| cx.fallback(Feature::AnyStructuredContent, note));
    }
    Ok(())
}

const MEMBER: &str = "structuredContent";

/// Appends a text block with the JSON, byte for byte, unless one holds equal JSON already; says
/// which.
pub(crate) fn carry_as_text(json: JsonText, content: &mut Vec<Content>) -> &'static str {
    let holds = |block: &Content| match block {
        Content::Text(block) => block.text.may_hold(&json) && same_json(&block.text, json.as_str()),
        _ => false,
    };
    if content.iter().any(holds) {
        return "a text block holds it already";
    }
    content.push(Content::text(json));
    "carried as a text block"
}
