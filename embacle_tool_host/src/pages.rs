//! Lists, whole or in pages.

use protocol_droid_ir::error_data::INTERNAL_ERROR;
use protocol_droid_ir::{
    ErrorObject, Item, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, ResultBody, Text,
};

use crate::dispatch::{Answered, invalid};
use crate::engine::modern::no_method;
use crate::engine::reply::Answer;
use crate::peer::Peer;
use crate::served::Served;

pub(crate) async fn list_tools(served: &Served, cursor: Option<Text>, peer: &Peer) -> Answered {
    let list = served.tools.list().await;
    if cursor.is_none() && served.limits().page.is_none_or(|page| page >= list.tools().len()) {
        let encoded = list.encoded(peer.codec).map(Answer::Encoded);
        return encoded.ok_or_else(|| ErrorObject::new(INTERNAL_ERROR, "no list of tools"));
    }
    let (tools, next_cursor) = page(list.tools(), cursor, served)?;
    Ok(ResultBody::ListTools(ListToolsResult { tools, next_cursor, ..Default::default() }).into())
}

pub(crate) async fn list_prompts(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.prompts.as_ref().ok_or_else(|| no_method("prompts/list"))?;
    let (prompts, next_cursor) = page(&surface.list_prompts().await, cursor, served)?;
    let result = ListPromptsResult { prompts, next_cursor, ..Default::default() };
    Ok(ResultBody::ListPrompts(result).into())
}

pub(crate) async fn list_resources(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.resources.as_ref().ok_or_else(|| no_method("resources/list"))?;
    let (resources, next_cursor) = page(&surface.list_resources().await, cursor, served)?;
    let result = ListResourcesResult { resources, next_cursor, ..Default::default() };
    Ok(ResultBody::ListResources(result).into())
}

pub(crate) async fn list_templates(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.resources.as_ref().ok_or_else(|| no_method("resources/templates/list"))?;
    let (resource_templates, next_cursor) = page(&surface.list_templates().await, cursor, served)?;
    let result =
        ListResourceTemplatesResult { resource_templates, next_cursor, ..Default::default() };
    Ok(ResultBody::ListResourceTemplates(result).into())
}

type Page<T> = (Vec<Item<T>>, Option<Text>);

/// A page from where the cursor says: it is the number of entries before the page.
fn page<T: Clone>(
    entries: &[T],
    cursor: Option<Text>,
    served: &Served,
) -> Result<Page<T>, ErrorObject> {
    let bad = |cursor: &Text| invalid(format!("cursor: {cursor:?} is none of this list's"));
    let start = match &cursor {
        None => 0,
        Some(cursor) => match cursor.as_str().parse::<usize>() {
            Ok(start) if served.limits().page.is_some() && start <= entries.len() => start,
            _ => return Err(bad(cursor)),
        },
    };
    let size = served.limits().page.unwrap_or(usize::MAX).max(1);
    let end = start.saturating_add(size).min(entries.len());
    let next = (end < entries.len()).then(|| end.to_string().into());
    Ok((entries[start..end].iter().cloned().map(Item::Known).collect(), next))
}
