//! Resources, prompts and completion to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol_droid_ir::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, Extensions, Feature, GetPromptParams, GetPromptResult, Item, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, Prompt, PromptArgument,
    PromptMessage, PromptReference, ReadResourceResult, Resource, ResourceTemplate,
    ResourceTemplateReference, Text, Unknown,
};

use crate::generate::{Able, extensions, json_text, meta, mime_type, one_of, text, uri};
use crate::generate_content::{any_content, icons, resource_contents, some_annotations};
use crate::generate_message::result_meta;

/// An item of a list, or where lists may hold such, one that no revision can read.
pub fn item<T: Clone + std::fmt::Debug + 'static>(
    able: Able,
    known: BoxedStrategy<T>,
) -> BoxedStrategy<Item<T>> {
    let known = known.prop_map(Item::Known);
    if !able.odd {
        return known.boxed();
    }
    let unknown = json_text().prop_map(|json| Item::Unknown(Unknown::new(json)));
    prop_oneof![6 => known, 1 => unknown].boxed()
}

/// What is said of the caching of a result, and its type.
pub type Hints = (Option<u64>, Option<Text>, Option<Text>);

/// Caching hints and the type of a complete result.
pub fn hints(able: Able) -> BoxedStrategy<Hints> {
    (
        able.demanded(Feature::CacheHints, prop_oneof![Just(0), any::<u64>()]),
        able.demanded(Feature::CacheHints, one_of(&["public", "private"])),
        kind(able),
    )
        .boxed()
}

/// The type of a complete result.
pub fn kind(able: Able) -> BoxedStrategy<Option<Text>> {
    able.demanded(Feature::ToolResultType, Just(Text::from("complete")))
}

/// What every page of a list has.
type Page = (Option<Text>, Hints, Option<JsonObject>, Extensions);

fn page(able: Able) -> BoxedStrategy<Page> {
    (option::of(text()), hints(able), result_meta(able), extensions()).boxed()
}

/// A resource.
pub fn resource(able: Able) -> BoxedStrategy<Resource> {
    let names = (uri(), text(), able.gated(Feature::Title, text()), option::of(text()));
    let size = option::of(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]);
    let rest = (some_annotations(able), meta(), extensions());
    (names, option::of(mime_type()), size, able.gated(Feature::Icons, icons()), rest)
        .prop_map(|(names, mime_type, size, icons, rest)| {
            let (uri, name, title, description) = names;
            let (annotations, meta, extensions) = rest;
            Resource {
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

/// A template of resources.
pub fn resource_template(able: Able) -> BoxedStrategy<ResourceTemplate> {
    resource(able)
        .prop_map(|resource| ResourceTemplate {
            uri_template: resource.uri,
            name: resource.name,
            title: resource.title,
            description: resource.description,
            mime_type: resource.mime_type,
            icons: resource.icons,
            annotations: resource.annotations,
            meta: resource.meta,
            extensions: resource.extensions,
        })
        .boxed()
}

/// What `resources/list` returns.
pub fn list_resources_result(able: Able) -> BoxedStrategy<ListResourcesResult> {
    (vec(item(able, resource(able)), 0..4), page(able))
        .prop_map(|(resources, (next_cursor, hints, meta, extensions))| {
            let (ttl_ms, cache_scope, result_type) = hints;
            ListResourcesResult {
                resources,
                next_cursor,
                ttl_ms,
                cache_scope,
                result_type,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// What `resources/templates/list` returns.
pub fn list_resource_templates_result(able: Able) -> BoxedStrategy<ListResourceTemplatesResult> {
    (vec(item(able, resource_template(able)), 0..4), page(able))
        .prop_map(|(resource_templates, (next_cursor, hints, meta, extensions))| {
            let (ttl_ms, cache_scope, result_type) = hints;
            ListResourceTemplatesResult {
                resource_templates,
                next_cursor,
                ttl_ms,
                cache_scope,
                result_type,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// What `resources/read` returns.
pub fn read_resource_result(able: Able) -> BoxedStrategy<ReadResourceResult> {
    (vec(item(able, resource_contents()), 0..4), hints(able), result_meta(able), extensions())
        .prop_map(|(contents, (ttl_ms, cache_scope, result_type), meta, extensions)| {
            ReadResourceResult { contents, ttl_ms, cache_scope, result_type, meta, extensions }
        })
        .boxed()
}

/// A prompt.
pub fn prompt(able: Able) -> BoxedStrategy<Prompt> {
    let title = || able.gated(Feature::Title, text());
    let argument = (text(), title(), option::of(text()), any::<Option<bool>>(), extensions())
        .prop_map(|(name, title, description, required, extensions)| PromptArgument {
            name,
            title,
            description,
            required,
            extensions,
        });
    let arguments = option::of(vec(argument, 0..3));
    let icons = able.gated(Feature::Icons, icons());
    (text(), title(), option::of(text()), arguments, icons, meta(), extensions())
        .prop_map(|(name, title, description, arguments, icons, meta, extensions)| Prompt {
            name,
            title,
            description,
            arguments,
            icons,
            meta,
            extensions,
        })
        .boxed()
}

/// What `prompts/list` returns.
pub fn list_prompts_result(able: Able) -> BoxedStrategy<ListPromptsResult> {
    (vec(item(able, prompt(able)), 0..4), page(able))
        .prop_map(|(prompts, (next_cursor, hints, meta, extensions))| {
            let (ttl_ms, cache_scope, result_type) = hints;
            ListPromptsResult {
                prompts,
                next_cursor,
                ttl_ms,
                cache_scope,
                result_type,
                meta,
                extensions,
            }
        })
        .boxed()
}

/// Texts by distinct names.
fn texts_by_name() -> BoxedStrategy<Vec<(Text, Text)>> {
    vec((text(), text()), 0..3)
        .prop_map(|mut texts| {
            texts.sort();
            texts.dedup_by(|(a, _), (b, _)| a == b);
            texts
        })
        .boxed()
}

/// What `prompts/get` takes.
pub fn get_prompt_params() -> BoxedStrategy<GetPromptParams> {
    (text(), option::of(texts_by_name()), extensions())
        .prop_map(|(name, arguments, extensions)| GetPromptParams { name, arguments, extensions })
        .boxed()
}

/// A message of a prompt.
pub fn prompt_message(able: Able) -> BoxedStrategy<PromptMessage> {
    (one_of(&["user", "assistant"]), any_content(able), extensions())
        .prop_map(|(role, content, extensions)| PromptMessage { role, content, extensions })
        .boxed()
}

/// What `prompts/get` returns.
pub fn get_prompt_result(able: Able) -> BoxedStrategy<GetPromptResult> {
    let messages = vec(item(able, prompt_message(able)), 0..4);
    (option::of(text()), messages, kind(able), result_meta(able), extensions())
        .prop_map(|(description, messages, result_type, meta, extensions)| GetPromptResult {
            description,
            messages,
            result_type,
            meta,
            extensions,
        })
        .boxed()
}

/// What `completion/complete` takes.
pub fn complete_params(able: Able) -> BoxedStrategy<CompleteParams> {
    let prompt = (text(), able.gated(Feature::Title, text()), extensions()).prop_map(
        |(name, title, extensions)| {
            CompletionReference::Prompt(PromptReference { name, title, extensions })
        },
    );
    let resource = (uri(), extensions()).prop_map(|(uri, extensions)| {
        CompletionReference::Resource(ResourceTemplateReference { uri, extensions })
    });
    let reference = match able.odd {
        true => {
            let odd: protocol_droid_ir::JsonText =
                r#"{"type":"ref/hologram","beams":1.0}"#.parse().expect("JSON");
            let odd = Just(CompletionReference::Unknown(Unknown::new(odd)));
            prop_oneof![4 => prompt, 4 => resource, 1 => odd].boxed()
        }
        false => prop_oneof![prompt, resource].boxed(),
    };
    let argument = (text(), text(), extensions())
        .prop_map(|(name, value, extensions)| CompletionArgument { name, value, extensions });
    let context = (option::of(texts_by_name()), extensions())
        .prop_map(|(arguments, extensions)| CompletionContext { arguments, extensions });
    (reference, argument, able.gated(Feature::CompletionContext, context), extensions())
        .prop_map(|(reference, argument, context, extensions)| CompleteParams {
            reference,
            argument,
            context,
            extensions,
        })
        .boxed()
}

/// What `completion/complete` returns: now and then more values than the newest revision allows.
pub fn complete_result(able: Able) -> BoxedStrategy<CompleteResult> {
    let few = vec(text(), 0..4);
    let values = match able.has(Feature::ManyCompletions) {
        true => prop_oneof![3 => few, 1 => vec("[a-z]?".prop_map(Text::from), 99..103)].boxed(),
        false => few.boxed(),
    };
    let completion = (values, any::<Option<u64>>(), any::<Option<bool>>(), extensions()).prop_map(
        |(values, total, has_more, extensions)| Completion { values, total, has_more, extensions },
    );
    (completion, kind(able), result_meta(able), extensions())
        .prop_map(|(completion, result_type, meta, extensions)| CompleteResult {
            completion,
            result_type,
            meta,
            extensions,
        })
        .boxed()
}
