//! Whether a report accounts for every difference between what went in and what came out.

use std::collections::BTreeSet;

use protocol_droid_ir::{Action, Entry, TranslationReport};

use crate::closed::RESERVED;
use crate::json::{Differences, Json, differences};

/// What the report does not account for: differences that it does not name and that are not
/// lossless, and entries for what did not change.
pub fn unaccounted(before: &Json, after: &Json, report: &TranslationReport) -> Vec<String> {
    let after = &regrouped(before, after);
    let gone: BTreeSet<&str> = report.iter().filter(|e| is_item_of_tools(e)).map(path).collect();
    let found = differences(before, after, &gone);
    let account = Account { before, report };
    let silent = found.iter().filter(|(at, sides)| !account.covers(at, sides));
    let silent = silent.map(|(at, (a, b))| format!("{at}: {} became {}", shown(a), shown(b)));
    let lost = report.iter().filter(|entry| {
        entry.action == Action::Fallback && is_structured_without_text(entry, before, after)
    });
    let lost = lost.map(|entry| format!("no text block holds it: {entry}"));
    let idle = report.iter().filter(|entry| {
        !gone.contains(entry.path.as_str()) && !found.keys().any(|at| touches(at, &entry.path))
    });
    silent
        .chain(lost)
        .chain(idle.map(|entry| format!("reported, but nothing differs: {entry}")))
        .collect()
}

fn path(entry: &Entry) -> &str {
    &entry.path
}

/// Whether structured content is said to be kept in another form, but no text block holds it.
fn is_structured_without_text(entry: &Entry, before: &Json, after: &Json) -> bool {
    let Some(parent) = entry.path.strip_suffix("/structuredContent") else { return false };
    let blocks = after.at(&format!("{parent}/content")).map_or(&[][..], Json::items);
    let mut texts = blocks.iter().filter_map(|block| Json::try_read(block.get("text")?.as_str()?));
    let structured = before.at(&entry.path);
    !texts.any(|text| Some(&text) == structured)
}

/// A tool that is dropped from its list leaves no gap there.
fn is_item_of_tools(entry: &Entry) -> bool {
    let parent = entry.path.rsplit_once('/').map(|(parent, _)| parent);
    entry.action == Action::Dropped && parent.is_some_and(|parent| parent.ends_with("/tools"))
}

fn touches(a: &str, b: &str) -> bool {
    is_within(a, b) || is_within(b, a)
}

/// Whether pointer `at` is `place` or below it.
fn is_within(at: &str, place: &str) -> bool {
    at.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn shown(side: &Option<Json>) -> String {
    side.as_ref().map_or_else(|| "nothing".to_owned(), Json::to_string)
}

struct Account<'a> {
    before: &'a Json,
    report: &'a TranslationReport,
}

impl Account<'_> {
    fn covers(&self, at: &str, sides: &(Option<Json>, Option<Json>)) -> bool {
        self.report.iter().any(|entry| {
            is_within(at, &entry.path)
                || self.is_text_of_structured(entry, at, sides)
                || is_moved_title(entry, at, sides)
                || is_told_of_more(entry, at, sides)
                || entry.path.ends_with("/error/code") && is_within(at, "/error/data")
        }) || is_lossless(at, sides)
    }

    /// Structured content that a peer cannot take is appended as a text block.
    fn is_text_of_structured(
        &self,
        entry: &Entry,
        at: &str,
        sides: &(Option<Json>, Option<Json>),
    ) -> bool {
        let Some(parent) = entry.path.strip_suffix("/structuredContent") else { return false };
        let (None, Some(block)) = sides else { return false };
        let text = block.get("text").and_then(Json::as_str);
        at.rsplit_once('/').is_some_and(|(list, _)| list == format!("{parent}/content"))
            && text.and_then(Json::try_read).as_ref() == self.before.at(&entry.path)
    }
}

/// Where tools have no titles, their annotations may have one.
fn is_moved_title(entry: &Entry, at: &str, (a, b): &(Option<Json>, Option<Json>)) -> bool {
    let Some(tool) = entry.path.strip_suffix("/title") else { return false };
    let annotations = format!("{tool}/annotations");
    let only_title = || matches!(b, Some(Json::Object(members)) if members.len() == 1);
    a.is_none() && (at == format!("{annotations}/title") || at == annotations && only_title())
}

/// Where values of a completion are left out, it says that there are more.
fn is_told_of_more(entry: &Entry, at: &str, sides: &(Option<Json>, Option<Json>)) -> bool {
    let completion = entry.path.strip_suffix("/values");
    let told = completion.is_some_and(|completion| at == format!("{completion}/hasMore"));
    told && *sides == (None, Some(Json::Word("true")))
}

/// What peers of either era take for the same: see the design, section 5.
fn is_lossless(at: &str, sides: &(Option<Json>, Option<Json>)) -> bool {
    let (parent, name) = at.rsplit_once('/').unwrap_or_default();
    let name = name.replace("~1", "/");
    if RESERVED.contains(&name.as_str()) && parent.ends_with("/_meta") {
        return true;
    }
    match (name.as_str(), sides) {
        ("resultType", (Some(kind), None) | (None, Some(kind))) => {
            kind.as_str() == Some("complete")
        }
        ("mode", (Some(mode), None)) => mode.as_str() == Some("form"),
        ("$schema", (Some(_), None)) => parent.ends_with("/requestedSchema"),
        ("ttlMs", (None, Some(ttl))) => *ttl == Json::Number("0".to_owned()),
        ("cacheScope", (None, Some(scope))) => scope.as_str() == Some("private"),
        ("_meta", (Some(meta), None) | (None, Some(meta))) => is_reserved(meta),
        ("params", (None, Some(Json::Object(members)))) => {
            matches!(&members[..], [(name, meta)] if name == "_meta" && is_reserved(meta))
        }
        _ => false,
    }
}

/// The messages to a model in `after` put together as they were in `before`: older peers take a
/// message a block.
fn regrouped(before: &Json, after: &Json) -> Json {
    if let (Some(result), Some(content)) = (after.get("result"), after.at("/result/content"))
        && let Some(Json::Array(blocks)) = before.at("/result/content")
        && blocks.len() == 1
        && matches!(content, Json::Object(_))
    {
        let list = Json::Array(vec![content.clone()]);
        return after.with("result", result.with("content", list));
    }
    let (Some(a), Some(b)) = (before.at("/params/messages"), after.at("/params/messages")) else {
        return after.clone();
    };
    let mut left = b.items().iter();
    let mut messages = Vec::new();
    for message in a.items() {
        match message.get("content") {
            Some(Json::Array(blocks)) if !is_list(left.as_slice().first()) => {
                let parts: Vec<_> = left.by_ref().take(blocks.len()).collect();
                messages.push(joined(message, &parts));
            }
            _ => messages.extend(left.next().cloned()),
        }
    }
    messages.extend(left.cloned());
    let params = after.get("params").expect("it has messages");
    after.with("params", params.with("messages", Json::Array(messages)))
}

fn is_list(message: Option<&Json>) -> bool {
    message.is_some_and(|message| matches!(message.get("content"), Some(Json::Array(_))))
}

/// The message that `parts` were made of, if they say nothing of their own but a block each.
fn joined(whole: &Json, parts: &[&Json]) -> Json {
    let Some((first, rest)) = parts.split_first() else { return Json::Word("null") };
    let bare = |part: &Json| {
        part.without("content")
            == Json::Object(vec![("role".to_owned(), whole.get("role").cloned().expect("a role"))])
    };
    if !rest.iter().all(|part| bare(part)) {
        return Json::Word("null");
    }
    let blocks = parts.iter().filter_map(|part| part.get("content").cloned());
    first.with("content", Json::Array(blocks.collect()))
}

fn is_reserved(meta: &Json) -> bool {
    match meta {
        Json::Object(members) => members.iter().all(|(name, _)| RESERVED.contains(&name.as_str())),
        _ => false,
    }
}

/// Where `b` differs from `a` beyond what peers take for the same, and beyond what a session with an
/// older peer says once and for all.
pub fn lossy(a: &Json, b: &Json) -> Differences {
    let mut found = differences(a, &regrouped(a, b), &BTreeSet::new());
    let reserved = RESERVED.map(|name| format!("/_meta/{}", name.replace('/', "~1")));
    found.retain(|at, sides| {
        !is_lossless(at, sides) && !reserved.iter().any(|name| at.contains(name.as_str()))
    });
    found
}
