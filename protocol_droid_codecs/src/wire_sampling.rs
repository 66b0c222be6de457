//! Sampling: what a model is asked and what it says.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{
    Content, CreateMessageParams, CreateMessageResult, Feature, ModelHint, ModelPreferences,
    SamplingContent, SamplingMessage, ToolChoice,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table;
use crate::wire::{Wire, wire};
use crate::wire_content::write_unknown;
use crate::writer::{Writer, Written};

wire! {
    CreateMessageParams = "CreateMessageRequestParams" {
        req messages: "messages",
        opt model_preferences: "modelPreferences",
        opt system_prompt: "systemPrompt",
        opt include_context: "includeContext",
        opt temperature: "temperature",
        req max_tokens: "maxTokens",
        opt stop_sequences: "stopSequences",
        opt metadata: "metadata",
        opt tools: "tools" if SamplingTools,
        opt tool_choice: "toolChoice" if SamplingTools,
        opt task: "task" if TaskAugmentation,
    }
}

wire! {
    SamplingMessage = "SamplingMessage" {
        req role: "role",
        req content: "content",
        bag meta: "_meta",
    }
}

wire! {
    ModelPreferences = "ModelPreferences" {
        opt hints: "hints",
        opt cost_priority: "costPriority",
        opt speed_priority: "speedPriority",
        opt intelligence_priority: "intelligencePriority",
    }
}

wire! {
    ModelHint = "ModelHint" {
        opt name: "name",
    }
}

wire! {
    ToolChoice = "ToolChoice" if SamplingTools {
        opt mode: "mode",
    }
}

wire! {
    CreateMessageResult = "CreateMessageResult" {
        req role: "role",
        req content: "content",
        req model: "model",
        opt stop_reason: "stopReason",
        bag meta: "_meta",
    }
}

const CONTENT: &str = "SamplingMessage.content";
const AUDIO: u8 = table::arm(CONTENT, "AudioContent");
const TOOL_USE: u8 = table::arm(CONTENT, "ToolUseContent");
const TOOL_RESULT: u8 = table::arm(CONTENT, "ToolResultContent");
const LIST: u8 = table::arm(CONTENT, "SamplingMessageContentBlock[]");

const _: () = assert!(AUDIO == feature_mask(Feature::AudioContent));
const _: () = assert!(TOOL_USE == feature_mask(Feature::ToolUseContent));
const _: () = assert!(TOOL_RESULT == feature_mask(Feature::ToolResultContent));
const _: () = assert!(LIST == feature_mask(Feature::SamplingContentList));

/// One block or a list of them, told by the kind of JSON. A block that cannot be read costs only
/// itself.
impl Wire for SamplingContent {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        if r.kind()? != Kind::Array || !r.allows(LIST) {
            return read_item(r).map(Self::Single);
        }
        let mut blocks = Vec::new();
        r.array(|r| {
            blocks.push(read_item(r)?);
            Ok(())
        })?;
        Ok(Self::List(blocks))
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Single(block) => write_block(block, w),
            Self::List(blocks) if w.defines(LIST) => w.array(blocks, |w, b| write_block(b, w)),
            Self::List(_) => Err(w.inexpressible(Feature::SamplingContentList)),
        }
    }
}

fn read_item(r: &mut Reader<'_>) -> Read<Content> {
    r.item(read_block, Content::Unknown)
}

/// A block of a sampling message; a tool result or a prompt may hold others.
fn read_block(r: &mut Reader<'_>) -> Read<Content> {
    let Some(kind) = r.tag("type")? else { return Err(r.missing("type")) };
    match &*kind {
        "text" => Wire::read(r).map(Content::Text),
        "image" => Wire::read(r).map(Content::Image),
        "audio" if r.allows(AUDIO) => Wire::read(r).map(Content::Audio),
        "tool_use" if r.allows(TOOL_USE) => Wire::read(r).map(Content::ToolUse),
        "tool_result" if r.allows(TOOL_RESULT) => Wire::read(r).map(Content::ToolResult),
        other => Err(r.unknown_kind("type", "content", other)),
    }
}

fn write_block(block: &Content, w: &mut Writer<'_>) -> Written {
    match block {
        Content::Text(block) => block.write(w),
        Content::Image(block) => block.write(w),
        Content::Audio(block) => block.write(w),
        Content::ToolUse(block) => block.write(w),
        Content::ToolResult(block) => block.write(w),
        Content::Unknown(unknown) => write_unknown(unknown, w),
        _ => Err(w.inexpressible(Feature::MisplacedContent)),
    }
}
