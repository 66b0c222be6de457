//! Prompts, their lists, and completion of their arguments.

use protocol_droid_ir::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, Feature, GetPromptParams, GetPromptResult, ListPromptsResult, Prompt,
    PromptArgument, PromptMessage, PromptReference, Reason, ResourceTemplateReference,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::wire::{Wire, wire};
use crate::wire_content::write_unknown;
use crate::wire_value::map;
use crate::writer::{Writer, Written};

wire! {
    Prompt = "Prompt" {
        req name: "name",
        opt title: "title" if Title,
        opt description: "description",
        opt arguments: "arguments",
        opt icons: "icons" if Icons,
        bag meta: "_meta",
    }
}

wire! {
    PromptArgument = "PromptArgument" {
        req name: "name",
        opt title: "title" if Title,
        opt description: "description",
        opt required: "required",
    }
}

wire! {
    ListPromptsResult = "ListPromptsResult" {
        new result_type: "resultType" if ToolResultType,
        req prompts: "prompts",
        opt next_cursor: "nextCursor",
        new ttl_ms: "ttlMs" if CacheHints,
        new cache_scope: "cacheScope" if CacheHints,
        bag meta: "_meta",
    }
}

wire! {
    GetPromptParams = "GetPromptRequestParams" {
        req name: "name",
        opt arguments: "arguments" via map,
    }
}

wire! {
    GetPromptResult = "GetPromptResult" {
        new result_type: "resultType" if ToolResultType,
        opt description: "description",
        req messages: "messages",
        bag meta: "_meta",
    }
}

wire! {
    PromptMessage = "PromptMessage" {
        req role: "role",
        req content: "content",
    }
}

wire! {
    CompleteParams = "CompleteRequestParams" {
        req reference: "ref",
        req argument: "argument",
        opt context: "context" if CompletionContext,
    }
}

wire! {
    PromptReference = "PromptReference" tag "type" = "ref/prompt" {
        req name: "name",
        opt title: "title" if Title,
    }
}

wire! {
    ResourceTemplateReference = "ResourceTemplateReference" tag "type" = "ref/resource" {
        req uri: "uri",
    }
}

wire! {
    CompletionArgument = "CompleteRequestParams.argument" {
        req name: "name",
        req value: "value",
    }
}

wire! {
    CompletionContext = "CompleteRequestParams.context" if CompletionContext {
        opt arguments: "arguments" via map,
    }
}

wire! {
    CompleteResult = "CompleteResult" {
        new result_type: "resultType" if ToolResultType,
        req completion: "completion" via completion,
        bag meta: "_meta",
    }
}

wire! {
    Completion = "CompleteResult.completion" {
        req values: "values",
        opt total: "total",
        opt has_more: "hasMore",
    }
}

impl Wire for CompletionReference {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.item(read_reference, Self::Unknown)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Prompt(reference) => reference.write(w),
            Self::Resource(reference) => reference.write(w),
            Self::Unknown(unknown) => write_unknown(unknown, w),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}

fn read_reference(r: &mut Reader<'_>) -> Read<CompletionReference> {
    let Some(kind) = r.tag("type")? else { return Err(r.missing("type")) };
    match &*kind {
        "ref/prompt" => Wire::read(r).map(CompletionReference::Prompt),
        "ref/resource" => Wire::read(r).map(CompletionReference::Resource),
        other => {
            let found = format!("{:?}", other.chars().take(64).collect::<String>());
            r.at("type", |r| Err(r.mismatch("ref/prompt or ref/resource", found)))
        }
    }
}

/// The values of a completion, of which 2026-07-28 allows no more than a hundred.
mod completion {
    use super::*;

    const MANY: u8 = feature_mask(Feature::ManyCompletions);

    pub(super) fn read(r: &mut Reader<'_>) -> Read<Completion> {
        let mut completion = Completion::read(r)?;
        if !r.defines(MANY) && completion.truncate() {
            let note = "only the first 100 are read, hasMore set";
            let feature = Some(Feature::ManyCompletions);
            r.at("values", |r| r.repaired(feature, Reason::Disallowed, note));
        }
        Ok(completion)
    }

    pub(super) fn write(completion: &Completion, w: &mut Writer<'_>) -> Written {
        if completion.values.len() > Completion::MAX && !w.defines(MANY) {
            return w.at("values", |w| Err(w.inexpressible(Feature::ManyCompletions)));
        }
        completion.write(w)
    }
}

#[cfg(test)]
mod tests {
    use crate::table::arm;

    #[test]
    fn a_prompt_may_hold_what_a_tool_result_may() {
        for block in
            ["AudioContent", "EmbeddedResource", "ImageContent", "ResourceLink", "TextContent"]
        {
            let [tool, prompt] = ["CallToolResult.content[]", "PromptMessage.content"];
            assert_eq!(arm(tool, block), arm(prompt, block), "{block}");
        }
    }
}
