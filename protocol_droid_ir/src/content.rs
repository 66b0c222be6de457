//! Content blocks: what tools return, prompts hold and models exchange.

use crate::feature::{Feature, FeatureSet};
use crate::json::{Extensions, JsonObject, JsonText};
use crate::lower::{Lower, LowerError, Lowering, lower_list, lowering, lowering_whole};
use crate::number::Number;
use crate::structured::{add_structured, lower_structured};
use crate::text::Text;
use crate::unknown::Unknown;

/// A content block.
///
/// Tool results and prompts hold text, images, audio, resource links and embedded resources;
/// sampling messages hold text, images, audio, tool uses and tool results.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(ImageContent),
    /// Sound; since 2025-03-26.
    Audio(AudioContent),
    /// A pointer to a resource; since 2025-06-18.
    ResourceLink(ResourceLinkContent),
    /// A resource with its contents.
    Resource(EmbeddedResource),
    /// A model's call of a tool, in sampling only; since 2025-11-25.
    ToolUse(ToolUseContent),
    /// The answer to a model's call, in sampling only; since 2025-11-25.
    ToolResult(ToolResultContent),
    /// A block that could not be read at the revision it came in.
    Unknown(Unknown),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The `type` of the block on the wire; `None` for an unknown one that does not say.
    pub fn kind(&self) -> Option<Text> {
        Some(match self {
            Self::Text(_) => "text".into(),
            Self::Image(_) => "image".into(),
            Self::Audio(_) => "audio".into(),
            Self::ResourceLink(_) => "resource_link".into(),
            Self::Resource(_) => "resource".into(),
            Self::ToolUse(_) => "tool_use".into(),
            Self::ToolResult(_) => "tool_result".into(),
            Self::Unknown(unknown) => return unknown.kind(),
        })
    }

    /// The features a target must have to express this block losslessly in a tool result.
    pub fn required_features(&self) -> FeatureSet {
        let mut set = FeatureSet::empty();
        self.add_features(&mut set);
        set
    }
}

impl From<TextContent> for Content {
    fn from(block: TextContent) -> Self {
        Self::Text(block)
    }
}

impl Lower for Content {
    fn add_features(&self, set: &mut FeatureSet) {
        match self {
            Self::Text(block) => block.add_features(set),
            Self::Image(block) => block.add_features(set),
            Self::Audio(block) => block.add_features(set),
            Self::ResourceLink(block) => block.add_features(set),
            Self::Resource(block) => block.add_features(set),
            Self::ToolUse(_) | Self::ToolResult(_) => *set = set.with(Feature::MisplacedContent),
            Self::Unknown(_) => *set = set.with(Feature::UnknownContent),
        }
    }

    fn lower(&mut self, cx: &mut Lowering<'_>) -> Result<(), LowerError> {
        match self {
            Self::Audio(audio) if cx.drops(Feature::AudioContent) => {
                cx.dropped(Feature::AudioContent, "text that names the audio stands for it")?;
                *self = Self::Text(audio.placeholder());
                self.lower(cx)
            }
            Self::Audio(audio) if !cx.has(Feature::AudioContent) => {
                let index = cx.path().last_index().unwrap_or_default();
                let mut embedded = audio.embedded(format!("urn:protocol-droid:audio:{index}"));
                cx.fallback(
                    Feature::AudioContent,
                    "audio carried as an embedded resource with a made-up URI",
                )?;
                // The new block has a member of this name.
                cx.extensions(&mut embedded.extensions, &[("resource", Feature::AudioContent)])?;
                embedded.lower(cx)?;
                *self = Self::Resource(embedded);
                Ok(())
            }
            Self::ResourceLink(link) if cx.drops(Feature::ResourceLink) => {
                cx.dropped(Feature::ResourceLink, "text that says so stands for the link")?;
                let text = "[resource link left out]".into();
                *self = Self::Text(TextContent { text, ..link.described() });
                self.lower(cx)
            }
            Self::ResourceLink(link) if !cx.has(Feature::ResourceLink) => {
                let mut text = link.described();
                cx.fallback(Feature::ResourceLink, "resource link carried as text that names it")?;
                text.lower(cx)?;
                *self = Self::Text(text);
                Ok(())
            }
            Self::Text(block) => block.lower(cx),
            Self::Image(block) => block.lower(cx),
            Self::Audio(block) => block.lower(cx),
            Self::ResourceLink(block) => block.lower(cx),
            Self::Resource(block) => block.lower(cx),
            Self::ToolUse(_) | Self::ToolResult(_) => {
                Err(cx
                    .refused(Feature::MisplacedContent, "this block belongs in sampling messages"))
            }
            Self::Unknown(unknown) => {
                let text = unknown.lowered(cx)?;
                *self = Self::text(text);
                Ok(())
            }
        }
    }
}

/// Lowers every block of a list on its own.
pub(crate) fn lower_blocks(
    blocks: &mut [Content],
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    lower_list("content", blocks, cx)
}

/// Whom a block is for and how much it matters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// The roles the block is for: `user`, `assistant`, or what a later revision adds.
    pub audience: Option<Vec<Text>>,
    /// From 0 (optional) to 1 (required).
    pub priority: Option<Number>,
    /// ISO 8601 time of the last change; since 2025-06-18.
    pub last_modified: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    Annotations {
        "lastModified": last_modified => LastModified,
    }
    features(_this, _set) {}
    lower(_this, _cx) {}
}

/// Adds the features of optional annotations.
pub(crate) fn add_annotations(annotations: Option<&Annotations>, set: &mut FeatureSet) {
    if let Some(annotations) = annotations {
        annotations.add_features(set);
    }
}

/// Lowers optional annotations.
pub(crate) fn lower_annotations(
    annotations: &mut Option<Annotations>,
    cx: &mut Lowering<'_>,
) -> Result<(), LowerError> {
    match annotations {
        Some(annotations) => cx.member("annotations", |cx| annotations.lower(cx)),
        None => Ok(()),
    }
}

/// Lowering of a block with annotations, and with a feature of its own where not every revision
/// has it.
macro_rules! lower_annotated {
    ($type:ty $( , $of:ident )? { $( $name:literal: $field:ident => $feature:ident, )* }) => {
        $crate::lower::lowering! {
            $type { $( $name: $field => $feature, )* }
            features(this, set) {
                $( *set = set.with(Feature::$of); )?
                add_annotations(this.annotations.as_ref(), set);
            }
            lower(this, cx) {
                $( cx.demand(Feature::$of)?; )?
                lower_annotations(&mut this.annotations, cx)?;
            }
        }
    };
}

pub(crate) use lower_annotated;

/// Text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextContent {
    /// The text.
    pub text: Text,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl TextContent {
    /// A block of `text`.
    pub fn new(text: impl Into<Text>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

lower_annotated!(TextContent {});

/// An image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageContent {
    /// Base64.
    pub data: Text,
    /// For example `image/png`.
    pub mime_type: Text,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ImageContent {
    /// An image from its Base64 data.
    pub fn new(data: impl Into<Text>, mime_type: impl Into<Text>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), ..Self::default() }
    }
}

lower_annotated!(ImageContent {});

/// Sound; since 2025-03-26.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AudioContent {
    /// Base64.
    pub data: Text,
    /// For example `audio/wav`.
    pub mime_type: Text,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl AudioContent {
    /// Sound from its Base64 data.
    pub fn new(data: impl Into<Text>, mime_type: impl Into<Text>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), ..Self::default() }
    }

    /// A text block that says what is not there.
    fn placeholder(&mut self) -> TextContent {
        let Self { data, mime_type, annotations, meta, .. } = std::mem::take(self);
        let size = data.as_str().len();
        let text = format!("[audio of type {mime_type:?} left out: {size} bytes of Base64]");
        TextContent { annotations, meta, ..TextContent::new(text) }
    }

    /// The same sound as a blob resource at `uri`.
    fn embedded(&mut self, uri: String) -> EmbeddedResource {
        let audio = std::mem::take(self);
        let mut blob = BlobResourceContents::new(uri, audio.data);
        blob.mime_type = Some(audio.mime_type);
        EmbeddedResource {
            resource: ResourceContents::Blob(blob),
            annotations: audio.annotations,
            meta: audio.meta,
            extensions: audio.extensions,
        }
    }
}

lower_annotated!(AudioContent, AudioContent {});

/// A pointer to a resource; since 2025-06-18.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceLinkContent {
    /// The resource's URI.
    pub uri: Text,
    /// The identifier.
    pub name: Text,
    /// The name to show.
    pub title: Option<Text>,
    /// What the resource is.
    pub description: Option<Text>,
    /// Its MIME type.
    pub mime_type: Option<Text>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Pictures for it; since 2025-11-25.
    pub icons: Option<Vec<Icon>>,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl ResourceLinkContent {
    /// A link to the resource at `uri`.
    pub fn new(uri: impl Into<Text>, name: impl Into<Text>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    /// A text block that names the resource in one line.
    fn described(&mut self) -> TextContent {
        let link = std::mem::take(self);
        let name = link.title.as_ref().unwrap_or(&link.name);
        let mut text = format!("{name}: {}", link.uri);
        if let Some(mime_type) = &link.mime_type {
            text.push_str(&format!(" ({mime_type})"));
        }
        TextContent { annotations: link.annotations, meta: link.meta, ..TextContent::new(text) }
    }
}

lower_annotated!(ResourceLinkContent, ResourceLink {
    "icons": icons => Icons,
});

/// A resource with its contents.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// Whom it is for.
    pub annotations: Option<Annotations>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl EmbeddedResource {
    /// A block of `resource`.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, annotations: None, meta: None, extensions: Extensions::new() }
    }
}

lower_annotated!(EmbeddedResource {});

/// The contents of a resource: text or a blob, told apart by the member that is present.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Anything else.
    Blob(BlobResourceContents),
}

/// A resource that is text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextResourceContents {
    /// The resource's URI.
    pub uri: Text,
    /// The text.
    pub text: Text,
    /// Its MIME type.
    pub mime_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl TextResourceContents {
    /// The text of the resource at `uri`.
    pub fn new(uri: impl Into<Text>, text: impl Into<Text>) -> Self {
        Self { uri: uri.into(), text: text.into(), ..Self::default() }
    }
}

/// A resource that is bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlobResourceContents {
    /// The resource's URI.
    pub uri: Text,
    /// Base64.
    pub blob: Text,
    /// Its MIME type.
    pub mime_type: Option<Text>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl BlobResourceContents {
    /// The Base64 bytes of the resource at `uri`.
    pub fn new(uri: impl Into<Text>, blob: impl Into<Text>) -> Self {
        Self { uri: uri.into(), blob: blob.into(), ..Self::default() }
    }
}

/// A model's call of a tool; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolUseContent {
    /// The call's id, echoed by its result.
    pub id: Text,
    /// The tool.
    pub name: Text,
    /// The arguments.
    pub input: JsonObject,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(ToolUseContent, ToolUseContent);

/// The answer to a model's call of a tool; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResultContent {
    /// The id of the call.
    pub tool_use_id: Text,
    /// What the tool returned.
    pub content: Vec<Content>,
    /// The same as data: an object in 2025-11-25, any JSON since 2026-07-28.
    pub structured_content: Option<JsonText>,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    ToolResultContent {}
    features(this, set) {
        *set = set.with(Feature::ToolResultContent);
        add_structured(this.structured_content.as_ref(), set);
        this.content.iter().for_each(|block| block.add_features(set));
    }
    lower(this, cx) {
        cx.demand(Feature::ToolResultContent)?;
        lower_blocks(&mut this.content, cx)?;
        lower_structured(&mut this.structured_content, &mut this.content, cx)?;
    }
}

/// A picture for a tool, resource, prompt or implementation; since 2025-11-25.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icon {
    /// Where the picture is: an HTTPS or `data:` URI.
    pub src: Text,
    /// Its MIME type.
    pub mime_type: Option<Text>,
    /// The sizes it is good for: `48x48`, `any`.
    pub sizes: Option<Vec<Text>>,
    /// The background it is for: `light`, `dark`, or what a later revision adds.
    pub theme: Option<Text>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(Icon, Icons);
