//! Content blocks and tools to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol_droid_ir::{
    Annotations, AudioContent, BlobResourceContents, Content, EmbeddedResource, Feature, Icon,
    ImageContent, Implementation, Item, JsonText, ResourceContents, ResourceLinkContent,
    TextContent, TextResourceContents, Tool, ToolAnnotations, ToolExecution, ToolResultContent,
    ToolUseContent, Unknown,
};

use crate::generate::{
    Able, base64, extensions, json, json_object, json_text, meta, mime_type, one_of, priority,
    schema, text, uri,
};

/// Annotations.
pub fn annotations(able: Able) -> BoxedStrategy<Annotations> {
    let audience = option::of(vec(one_of(&["user", "assistant"]), 0..3));
    let last_modified = able.gated(Feature::LastModified, text());
    (audience, option::of(priority()), last_modified, extensions())
        .prop_map(|(audience, priority, last_modified, extensions)| Annotations {
            audience,
            priority,
            last_modified,
            extensions,
        })
        .boxed()
}

/// Annotations, now and then.
pub fn some_annotations(able: Able) -> BoxedStrategy<Option<Annotations>> {
    option::weighted(0.3, annotations(able)).boxed()
}

/// A text block.
pub fn text_content(able: Able) -> BoxedStrategy<TextContent> {
    let text = prop_oneof![3 => text(), 1 => json().prop_map(Into::into)];
    (text, some_annotations(able), meta(), extensions())
        .prop_map(|(text, annotations, meta, extensions)| TextContent {
            text,
            annotations,
            meta,
            extensions,
        })
        .boxed()
}

/// An image block.
pub fn image_content(able: Able) -> BoxedStrategy<ImageContent> {
    (base64(), mime_type(), some_annotations(able), meta(), extensions())
        .prop_map(|(data, mime_type, annotations, meta, extensions)| ImageContent {
            data,
            mime_type,
            annotations,
            meta,
            extensions,
        })
        .boxed()
}

/// An audio block.
pub fn audio_content(able: Able) -> BoxedStrategy<AudioContent> {
    image_content(able)
        .prop_map(|image| AudioContent {
            data: image.data,
            mime_type: image.mime_type,
            annotations: image.annotations,
            meta: image.meta,
            extensions: image.extensions,
        })
        .boxed()
}

/// A resource link block.
pub fn resource_link(able: Able) -> BoxedStrategy<ResourceLinkContent> {
    let names = (uri(), text(), option::of(text()), option::of(text()), option::of(mime_type()));
    let size = option::of(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]);
    let rest = (some_annotations(able), meta(), extensions());
    (names, size, able.gated(Feature::Icons, icons()), rest)
        .prop_map(|(names, size, icons, rest)| {
            let (uri, name, title, description, mime_type) = names;
            let (annotations, meta, extensions) = rest;
            ResourceLinkContent {
                uri,
                name,
                title,
                description,
                mime_type,
                size,
                icons,
                annotations,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// An embedded resource block.
pub fn embedded_resource(able: Able) -> BoxedStrategy<EmbeddedResource> {
    (resource_contents(), some_annotations(able), meta(), extensions())
        .prop_map(|(resource, annotations, meta, extensions)| EmbeddedResource {
            resource,
            annotations,
            meta,
            extensions,
        })
        .boxed()
}

/// The contents of a resource.
pub fn resource_contents() -> BoxedStrategy<ResourceContents> {
    let text = (uri(), text(), option::of(mime_type()), meta(), extensions()).prop_map(
        |(uri, text, mime_type, meta, extensions)| {
            ResourceContents::Text(TextResourceContents { uri, text, mime_type, meta, extensions })
        },
    );
    let blob = (uri(), base64(), option::of(mime_type()), meta(), extensions()).prop_map(
        |(uri, blob, mime_type, meta, extensions)| {
            ResourceContents::Blob(BlobResourceContents { uri, blob, mime_type, meta, extensions })
        },
    );
    prop_oneof![text, blob].boxed()
}

/// Icons.
pub fn icons() -> BoxedStrategy<Vec<Icon>> {
    let sizes = option::of(vec(one_of(&["any", "48x48", "96x96"]), 0..3));
    let theme = option::of(one_of(&["light", "dark"]));
    let icon = (uri(), option::of(mime_type()), sizes, theme, extensions()).prop_map(
        |(src, mime_type, sizes, theme, extensions)| Icon {
            src,
            mime_type,
            sizes,
            theme,
            extensions,
        },
    );
    vec(icon, 0..3).boxed()
}

/// A block of a tool result.
pub fn content(able: Able) -> BoxedStrategy<Content> {
    let mut blocks = vec![
        text_content(able).prop_map(Content::Text).boxed(),
        image_content(able).prop_map(Content::Image).boxed(),
        embedded_resource(able).prop_map(Content::Resource).boxed(),
    ];
    if able.has(Feature::AudioContent) {
        blocks.push(audio_content(able).prop_map(Content::Audio).boxed());
    }
    if able.has(Feature::ResourceLink) {
        blocks.push(resource_link(able).prop_map(Content::ResourceLink).boxed());
    }
    proptest::strategy::Union::new(blocks).boxed()
}

/// A block of a tool result, or one that no tool result can hold.
pub fn any_content(able: Able) -> BoxedStrategy<Content> {
    if !able.odd {
        return content(able);
    }
    let unknown = json().prop_map(|json| {
        let json = format!(r#"{{"type":"hologram","beams":{json}}}"#);
        Content::Unknown(Unknown::new(JsonText::new(json).expect("generated JSON")))
    });
    prop_oneof![
        12 => content(able),
        1 => unknown,
        1 => tool_use().prop_map(Content::ToolUse),
        1 => tool_result(able).prop_map(Content::ToolResult),
    ]
    .boxed()
}

/// A model's call of a tool.
pub fn tool_use() -> BoxedStrategy<ToolUseContent> {
    (text(), text(), json_object(), meta(), extensions())
        .prop_map(|(id, name, input, meta, extensions)| ToolUseContent {
            id,
            name,
            input,
            meta,
            extensions,
        })
        .boxed()
}

/// The answer to a model's call of a tool.
pub fn tool_result(able: Able) -> BoxedStrategy<ToolResultContent> {
    let structured = structured(able);
    (text(), vec(content(able), 0..3), structured, any::<Option<bool>>(), meta(), extensions())
        .prop_map(|(tool_use_id, content, structured_content, is_error, meta, extensions)| {
            ToolResultContent {
                tool_use_id,
                content,
                structured_content,
                is_error,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// Structured content: an object, or any JSON where that may be.
pub fn structured(able: Able) -> BoxedStrategy<Option<JsonText>> {
    let object = json_object().prop_map(JsonText::from);
    let any = prop_oneof![object.clone(), json_text()];
    if able.has(Feature::AnyStructuredContent) {
        able.gated(Feature::StructuredContent, any)
    } else {
        able.gated(Feature::StructuredContent, object)
    }
}

/// A tool.
pub fn tool(able: Able) -> BoxedStrategy<Tool> {
    let names = (text(), able.gated(Feature::Title, text()), option::of(text()));
    let schemas = (schema(able, false), able.gated(Feature::OutputSchema, schema(able, true)));
    let hints = able.gated(Feature::ToolAnnotations, tool_annotations());
    let execution = able.gated(Feature::ToolExecution, tool_execution());
    let icons = able.gated(Feature::Icons, icons());
    (names, schemas, hints, execution, icons, meta(), extensions())
        .prop_map(|(names, schemas, annotations, execution, icons, meta, extensions)| Tool {
            name: names.0,
            title: names.1,
            description: names.2,
            input_schema: schemas.0,
            output_schema: schemas.1,
            annotations,
            execution,
            icons,
            meta,
            extensions,
        })
        .boxed()
}

/// An item of a list of tools.
pub fn tool_item(able: Able) -> BoxedStrategy<Item<Tool>> {
    let known = tool(able).prop_map(Item::Known);
    if !able.odd {
        return known.boxed();
    }
    let unknown = json_text().prop_map(|json| Item::Unknown(Unknown::new(json)));
    prop_oneof![6 => known, 1 => unknown].boxed()
}

/// Hints on a tool.
pub fn tool_annotations() -> BoxedStrategy<ToolAnnotations> {
    (option::of(text()), any::<[Option<bool>; 4]>(), extensions())
        .prop_map(|(title, hints, extensions)| ToolAnnotations {
            title,
            read_only_hint: hints[0],
            destructive_hint: hints[1],
            idempotent_hint: hints[2],
            open_world_hint: hints[3],
            extensions,
        })
        .boxed()
}

fn tool_execution() -> BoxedStrategy<ToolExecution> {
    (option::of(one_of(&["forbidden", "optional", "required"])), extensions())
        .prop_map(|(task_support, extensions)| ToolExecution { task_support, extensions })
        .boxed()
}

/// A client or server by name.
pub fn implementation(able: Able) -> BoxedStrategy<Implementation> {
    let title = able.gated(Feature::Title, text());
    let details = able.gated(Feature::ImplementationDetails, (text(), uri()));
    let icons = able.gated(Feature::Icons, icons());
    (text(), text(), title, details, icons, extensions())
        .prop_map(|(name, version, title, details, icons, extensions)| {
            let (description, website_url) = details.unzip();
            Implementation { name, version, title, description, website_url, icons, extensions }
        })
        .boxed()
}
