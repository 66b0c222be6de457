//! The forms of elicitation to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use protocol_droid_ir::{
    BooleanSchema, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, ElicitValue,
    EnumOption, EnumSchema, Feature, Item, MultiSelectItems, MultiSelectSchema, Number,
    NumberSchema, PrimitiveSchema, RequestedSchema, StringSchema, TaskMetadata, Text,
    TitledEnumSchema, TitledItems, Unknown, UntitledItems,
};

use crate::generate::{Able, extensions, meta, one_of, text, uri};

fn labels() -> BoxedStrategy<(Option<Text>, Option<Text>)> {
    (option::of(text()), option::of(text())).boxed()
}

fn count() -> BoxedStrategy<Option<u64>> {
    option::of(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]).boxed()
}

/// A property for text.
pub fn string_schema(able: Able) -> BoxedStrategy<StringSchema> {
    let format = option::of(one_of(&["email", "uri", "date", "date-time"]));
    let default = able.gated(Feature::ElicitationDefaults, text());
    (labels(), (count(), count()), format, default, extensions())
        .prop_map(|(labels, lengths, format, default, extensions)| StringSchema {
            title: labels.0,
            description: labels.1,
            min_length: lengths.0,
            max_length: lengths.1,
            format,
            default,
            extensions,
        })
        .boxed()
}

/// A property for a number.
pub fn number_schema(able: Able) -> BoxedStrategy<NumberSchema> {
    let bounds = (option::of(number()), option::of(number()));
    let default = able.gated(Feature::ElicitationDefaults, number());
    (one_of(&["number", "integer"]), labels(), bounds, default, extensions())
        .prop_map(|(kind, labels, bounds, default, extensions)| NumberSchema {
            kind,
            title: labels.0,
            description: labels.1,
            minimum: bounds.0,
            maximum: bounds.1,
            default,
            extensions,
        })
        .boxed()
}

/// A property for yes or no.
pub fn boolean_schema() -> BoxedStrategy<BooleanSchema> {
    (labels(), any::<Option<bool>>(), extensions())
        .prop_map(|((title, description), default, extensions)| BooleanSchema {
            title,
            description,
            default,
            extensions,
        })
        .boxed()
}

/// A property for one choice.
pub fn enum_schema(able: Able) -> BoxedStrategy<EnumSchema> {
    let choices = (vec(text(), 0..4), option::of(vec(text(), 0..4)));
    let default = able.gated(Feature::ElicitationDefaults, text());
    (labels(), choices, default, extensions())
        .prop_map(|(labels, (values, enum_names), default, extensions)| EnumSchema {
            title: labels.0,
            description: labels.1,
            values,
            enum_names,
            default,
            extensions,
        })
        .boxed()
}

fn options() -> BoxedStrategy<Vec<EnumOption>> {
    let option = (text(), text(), extensions()).prop_map(|(value, title, extensions)| EnumOption {
        value,
        title,
        extensions,
    });
    vec(option, 0..4).boxed()
}

/// A property for one choice with a title.
pub fn titled_enum_schema() -> BoxedStrategy<TitledEnumSchema> {
    (labels(), options(), option::of(text()), extensions())
        .prop_map(|((title, description), one_of, default, extensions)| TitledEnumSchema {
            title,
            description,
            one_of,
            default,
            extensions,
        })
        .boxed()
}

/// A property for any choices.
pub fn multi_select_schema() -> BoxedStrategy<MultiSelectSchema> {
    let untitled = (vec(text(), 0..4), extensions()).prop_map(|(values, extensions)| {
        MultiSelectItems::Untitled(UntitledItems { values, extensions })
    });
    let titled = (options(), extensions()).prop_map(|(any_of, extensions)| {
        MultiSelectItems::Titled(TitledItems { any_of, extensions })
    });
    let default = option::of(vec(text(), 0..3));
    (labels(), (count(), count()), prop_oneof![untitled, titled], default, extensions())
        .prop_map(|(labels, bounds, items, default, extensions)| MultiSelectSchema {
            title: labels.0,
            description: labels.1,
            min_items: bounds.0,
            max_items: bounds.1,
            items,
            default,
            extensions,
        })
        .boxed()
}

/// A property of a form.
pub fn primitive_schema(able: Able) -> BoxedStrategy<PrimitiveSchema> {
    let mut kinds = vec![
        string_schema(able).prop_map(PrimitiveSchema::String).boxed(),
        number_schema(able).prop_map(PrimitiveSchema::Number).boxed(),
        boolean_schema().prop_map(PrimitiveSchema::Boolean).boxed(),
        enum_schema(able).prop_map(PrimitiveSchema::Enum).boxed(),
    ];
    if able.has(Feature::TitledEnum) {
        kinds.push(titled_enum_schema().prop_map(PrimitiveSchema::TitledEnum).boxed());
    }
    if able.has(Feature::MultiSelectEnum) {
        kinds.push(multi_select_schema().prop_map(PrimitiveSchema::MultiSelect).boxed());
    }
    proptest::strategy::Union::new(kinds).boxed()
}

/// A number, in a spelling that careless readers change.
pub fn number() -> BoxedStrategy<Number> {
    const TOKENS: &[&str] =
        &["0", "-0", "1", "1.0", "1e2", "1.5", "1e400", "9007199254740993", "18446744073709551616"];
    select(TOKENS)
        .prop_map(|token| Number::from_json(token.parse().expect("JSON")).expect("a number"))
        .boxed()
}

/// Something that is no property of any revision.
fn unknown() -> BoxedStrategy<Unknown> {
    const ODD: &[&str] = &["null", "{}", r#"{"type":"object"}"#, r#"{"type":["string","null"]}"#];
    select(ODD).prop_map(|text| Unknown::new(text.parse().expect("JSON"))).boxed()
}

/// A form.
pub fn requested_schema(able: Able) -> BoxedStrategy<RequestedSchema> {
    const DIALECTS: &[&str] = &["https://json-schema.org/draft/2020-12/schema"];
    let known = primitive_schema(able).prop_map(Item::Known);
    let property = match able.odd {
        true => prop_oneof![6 => known, 1 => unknown().prop_map(Item::Unknown)].boxed(),
        false => known.boxed(),
    };
    let properties = vec((text(), property), 0..4).prop_map(|mut properties| {
        properties.sort_by(|(a, _), (b, _)| a.cmp(b));
        properties.dedup_by(|(a, _), (b, _)| a == b);
        properties
    });
    let dialect = able.gated(Feature::FormDetails, one_of(DIALECTS));
    (dialect, properties, any::<Option<bool>>(), extensions())
        .prop_map(|(dialect, properties, required, extensions)| {
            let names = properties.iter().map(|(name, _)| name.clone());
            let required = required.map(|all| names.take(if all { 9 } else { 1 }).collect());
            RequestedSchema { dialect, properties, required, extensions }
        })
        .boxed()
}

/// What `elicitation/create` takes.
pub fn elicit_params(able: Able) -> BoxedStrategy<ElicitParams> {
    let form = elicit_form_params(able).prop_map(ElicitParams::Form);
    if !able.has(Feature::UrlElicitation) {
        return form.boxed();
    }
    let url = elicit_url_params(able).prop_map(ElicitParams::Url);
    prop_oneof![2 => form, 1 => url].boxed()
}

/// A form to be filled in.
pub fn elicit_form_params(able: Able) -> BoxedStrategy<ElicitFormParams> {
    let mode = able.gated(Feature::FormDetails, one_of(&["form"]));
    (mode, text(), requested_schema(able), task(able), extensions())
        .prop_map(|(mode, message, requested_schema, task, extensions)| ElicitFormParams {
            mode,
            message,
            requested_schema,
            task,
            extensions,
        })
        .boxed()
}

/// A URL to be visited. Whoever knows of ids sets one, since only a bridge can make one up.
pub fn elicit_url_params(able: Able) -> BoxedStrategy<ElicitUrlParams> {
    let id = match able.has(Feature::ElicitationId) {
        true => text().prop_map(Some).boxed(),
        false => Just(None).boxed(),
    };
    (text(), uri(), id, task(able), extensions())
        .prop_map(|(message, url, elicitation_id, task, extensions)| ElicitUrlParams {
            message,
            url,
            elicitation_id,
            task,
            extensions,
        })
        .boxed()
}

/// A task asked for.
pub fn task(able: Able) -> BoxedStrategy<Option<TaskMetadata>> {
    able.gated(Feature::TaskAugmentation, crate::generate_tasks::task_metadata())
}

/// What the user answered.
pub fn elicit_result(able: Able) -> BoxedStrategy<ElicitResult> {
    let known = prop_oneof![
        text().prop_map(ElicitValue::Text),
        number().prop_map(ElicitValue::Number),
        any::<bool>().prop_map(ElicitValue::Boolean),
    ];
    let known = match able.has(Feature::MultiSelectEnum) {
        true => prop_oneof![5 => known, 1 => vec(text(), 0..3).prop_map(ElicitValue::List)].boxed(),
        false => known.boxed(),
    };
    let value = match able.odd {
        true => prop_oneof![
            8 => known.prop_map(Item::Known),
            1 => unknown().prop_map(Item::Unknown),
        ]
        .boxed(),
        false => known.prop_map(Item::Known).boxed(),
    };
    let content = vec((text(), value), 0..4).prop_map(|mut content| {
        content.sort_by(|(a, _), (b, _)| a.cmp(b));
        content.dedup_by(|(a, _), (b, _)| a == b);
        content
    });
    (one_of(&["accept", "decline", "cancel"]), option::of(content), meta(), extensions())
        .prop_map(|(action, content, meta, extensions)| ElicitResult {
            action,
            content,
            meta,
            extensions,
        })
        .boxed()
}
