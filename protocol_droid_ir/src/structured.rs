//! Structured content at revisions that have none, or objects only.

use crate::content::Content;
use crate::feature::{Feature, FeatureSet};
use crate::json::JsonText;
use crate::lex::Kind;
use crate::lower::{LowerError, Lowering};
use crate::same::Known;

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
        if cx.drops(Feature::AnyStructuredContent) {
            return drop_odd(structured, cx);
        }
        return wrap(structured, content, cx);
    }
    Ok(())
}

/// See [`ToolResult::match_schema`](crate::ToolResult::match_schema).
pub(crate) fn match_schema(
    structured: &mut Option<JsonText>,
    content: &mut Vec<Content>,
    wrapped: bool,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    let objects_only = cx.has(Feature::StructuredContent) && !cx.has(Feature::AnyStructuredContent);
    match structured {
        Some(_) if objects_only && wrapped => wrap(structured, content, cx),
        Some(json) if objects_only && json.kind() != Kind::Object => {
            if cx.drops(Feature::AnyStructuredContent) {
                return drop_odd(structured, cx);
            }
            carry_as_text(json.clone(), content);
            *structured = None;
            let note =
                "no object, and the tool's schema asks for one: carried as a text block alone";
            cx.member(MEMBER, |cx| cx.fallback(Feature::AnyStructuredContent, note))
        }
        _ => Ok(()),
    }
}

fn drop_odd(structured: &mut Option<JsonText>, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
    *structured = None;
    cx.member(MEMBER, |cx| cx.dropped(Feature::AnyStructuredContent, "it is no object"))
}

fn wrap(
    structured: &mut Option<JsonText>,
    content: &mut Vec<Content>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    let Some(json) = structured.take() else { return Ok(()) };
    *structured = Some(JsonText::trusted(format!(r#"{{"result":{json}}}"#)));
    carry_as_text(json, content);
    let note = "wrapped as the member result of an object, and carried as a text block";
    cx.member(MEMBER, |cx| cx.fallback(Feature::AnyStructuredContent, note))
}

const MEMBER: &str = "structuredContent";

/// Appends a text block with the JSON, byte for byte, unless one holds equal JSON already; says
/// which.
pub(crate) fn carry_as_text(json: JsonText, content: &mut Vec<Content>) -> &'static str {
    let mut known = Known::new(json.as_str());
    let holds = |block: &Content| match block {
        Content::Text(block) => block.text.may_hold(&json) && known.is(&block.text),
        _ => false,
    };
    if content.iter().any(holds) {
        return "a text block holds it already";
    }
    content.push(Content::text(json));
    "carried as a text block"
}
