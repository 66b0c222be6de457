//! Content blocks and what they are made of.

use protocol_droid_ir::lex::Kind;
use protocol_droid_ir::{
    Annotations, AudioContent, BlobResourceContents, Content, EmbeddedResource, Extensions,
    Feature, Icon, ImageContent, JsonText, ResourceContents, ResourceLinkContent, TextContent,
    TextResourceContents, ToolResultContent, ToolUseContent, Unknown,
};

use crate::reader::{Read, Reader};
use crate::revision::feature_mask;
use crate::table::{self, Member};
use crate::wire::{Wire, wire};
use crate::writer::{Writer, Written};

wire! {
    Annotations = "Annotations" {
        opt audience: "audience",
        opt priority: "priority",
        opt last_modified: "lastModified" if LastModified,
    }
}

wire! {
    TextContent = "TextContent" tag "type" = "text" {
        req text: "text",
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    ImageContent = "ImageContent" tag "type" = "image" {
        req data: "data",
        req mime_type: "mimeType",
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    AudioContent = "AudioContent" if AudioContent tag "type" = "audio" {
        req data: "data",
        req mime_type: "mimeType",
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    ResourceLinkContent = "ResourceLink" if ResourceLink tag "type" = "resource_link" {
        req uri: "uri",
        req name: "name",
        opt title: "title",
        opt description: "description",
        opt mime_type: "mimeType",
        opt size: "size",
        opt icons: "icons" if Icons,
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    EmbeddedResource = "EmbeddedResource" tag "type" = "resource" {
        req resource: "resource",
        opt annotations: "annotations",
        bag meta: "_meta",
    }
}

wire! {
    ToolUseContent = "ToolUseContent" if ToolUseContent tag "type" = "tool_use" {
        req id: "id",
        req name: "name",
        req input: "input",
        bag meta: "_meta",
    }
}

wire! {
    ToolResultContent = "ToolResultContent" if ToolResultContent tag "type" = "tool_result" {
        req tool_use_id: "toolUseId",
        req content: "content",
        any structured_content: "structuredContent" if ToolResultContent via structured,
        opt is_error: "isError",
        bag meta: "_meta",
    }
}

wire! {
    Icon = "Icon" if Icons {
        req src: "src",
        opt mime_type: "mimeType",
        opt sizes: "sizes",
        opt theme: "theme",
    }
}

wire! {
    TextResourceContents = "TextResourceContents" {
        req uri: "uri",
        opt mime_type: "mimeType",
        req text: "text",
        bag meta: "_meta",
    }
}

wire! {
    BlobResourceContents = "BlobResourceContents" {
        req uri: "uri",
        opt mime_type: "mimeType",
        req blob: "blob",
        bag meta: "_meta",
    }
}

/// Structured content: an object, or since 2026-07-28 any JSON, `null` included.
pub(crate) mod structured {
    use super::*;

    const ANY: u8 = feature_mask(Feature::AnyStructuredContent);
    const DEFINED: u8 = feature_mask(Feature::StructuredContent);

    pub(crate) fn read(r: &mut Reader<'_>) -> Read<Option<JsonText>> {
        let any = if r.defines(DEFINED) { r.defines(ANY) } else { r.target_defines(ANY) };
        if any {
            return r.json().map(Some);
        }
        r.optional(|r| {
            r.expect(Kind::Object)?;
            r.json()
        })
    }

    pub(crate) fn write(json: &JsonText, w: &mut Writer<'_>) -> Written {
        if json.kind() != Kind::Object && !w.defines(ANY) {
            return Err(w.inexpressible(Feature::AnyStructuredContent));
        }
        w.json(json);
        Ok(())
    }
}

/// The content of a resource is told by which of `text` and `blob` is there; both or neither is an
/// error.
impl Wire for ResourceContents {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        const URI: Member = table::member("ResourceContents", "uri");
        const SHARED: u8 = URI.required;
        let (mut uri, mut mime_type, mut text, mut blob, mut meta) = (None, None, None, None, None);
        let mut extensions = Extensions::new();
        let mut seen = 0;
        debug_assert_eq!(SHARED, u8::MAX >> 2, "every revision has the shared members");
        r.object(|r, key| match key.name() {
            "uri" => slot(r, "uri", &mut seen, 1, &mut uri, |r| r.text().map(Some)),
            "text" => slot(r, "text", &mut seen, 2, &mut text, |r| r.text().map(Some)),
            "blob" => slot(r, "blob", &mut seen, 4, &mut blob, |r| r.text().map(Some)),
            "mimeType" => {
                slot(r, "mimeType", &mut seen, 8, &mut mime_type, |r| r.optional(Wire::read))
            }
            "_meta" => slot(r, "_meta", &mut seen, 16, &mut meta, |r| r.optional(Wire::read)),
            _ => r.extension(key, &mut extensions),
        })?;
        let Some(uri) = uri else { return Err(r.missing("uri")) };
        match (text, blob) {
            (Some(text), None) => {
                Ok(Self::Text(TextResourceContents { uri, text, mime_type, meta, extensions }))
            }
            (None, Some(blob)) => {
                Ok(Self::Blob(BlobResourceContents { uri, blob, mime_type, meta, extensions }))
            }
            (Some(_), Some(_)) => Err(r.mismatch("one of text and blob", "both")),
            (None, None) => Err(r.mismatch("one of text and blob", "neither")),
        }
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Text(contents) => contents.write(w),
            Self::Blob(contents) => contents.write(w),
            _ => Err(w.inexpressible(Feature::UnknownContent)),
        }
    }
}

/// Reads a member into its place.
fn slot<T>(
    r: &mut Reader<'_>,
    name: &'static str,
    seen: &mut u32,
    bit: u32,
    place: &mut Option<T>,
    read: impl FnOnce(&mut Reader<'_>) -> Read<Option<T>>,
) -> Read<()> {
    r.once(name, seen, bit)?;
    *place = r.at(name, read)?;
    Ok(())
}

/// The blocks that tool results and prompts may hold at some revisions only.
const AUDIO: u8 = table::arm(BLOCKS, "AudioContent");
const LINK: u8 = table::arm(BLOCKS, "ResourceLink");
const BLOCKS: &str = "CallToolResult.content[]";

const _: () = assert!(AUDIO == feature_mask(Feature::AudioContent));
const _: () = assert!(LINK == feature_mask(Feature::ResourceLink));

/// A block of a tool result or a prompt.
impl Wire for Content {
    fn read(r: &mut Reader<'_>) -> Read<Self> {
        r.item(read_block, Self::Unknown)
    }

    fn write(&self, w: &mut Writer<'_>) -> Written {
        match self {
            Self::Text(block) => block.write(w),
            Self::Image(block) => block.write(w),
            Self::Audio(block) => block.write(w),
            Self::ResourceLink(block) => block.write(w),
            Self::Resource(block) => block.write(w),
            Self::Unknown(unknown) => write_unknown(unknown, w),
            _ => Err(w.inexpressible(Feature::MisplacedContent)),
        }
    }
}

fn read_block(r: &mut Reader<'_>) -> Read<Content> {
    let Some(kind) = r.tag("type")? else { return Err(r.missing("type")) };
    Ok(match &*kind {
        "text" => Content::Text(Wire::read(r)?),
        "image" => Content::Image(Wire::read(r)?),
        "resource" => Content::Resource(Wire::read(r)?),
        "audio" if r.allows(AUDIO) => Content::Audio(Wire::read(r)?),
        "resource_link" if r.allows(LINK) => Content::ResourceLink(Wire::read(r)?),
        other => return Err(r.unknown_kind("type", "content", other)),
    })
}

/// An unknown item may go back to the revision it came from.
pub(crate) fn write_unknown(unknown: &Unknown, w: &mut Writer<'_>) -> Written {
    if unknown.origin != Some(w.revision().version) {
        return Err(w.inexpressible(Feature::UnknownContent));
    }
    w.json(&unknown.json);
    Ok(())
}
