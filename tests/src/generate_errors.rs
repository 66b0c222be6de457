//! Errors and answers to questions to test with.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use protocol_droid_codecs::{codec, encode_value, untyped_responses};
use protocol_droid_ir::{
    ElicitUrlParams, ErrorObject, ErrorResponse, Feature, InputResponse, JsonObject, JsonText,
    MissingRequiredClientCapability, UnsupportedProtocolVersion, UrlElicitationRequired,
};

use crate::generate::{Able, extensions, id, json_object, json_text, text, uri};
use crate::generate_clientside::{create_message_result, list_roots_result};
use crate::generate_form::elicit_result;

/// An error.
pub fn error(able: Able) -> BoxedStrategy<ErrorResponse> {
    let id = if able.has(Feature::ErrorWithoutId) {
        option::weighted(0.8, id()).boxed()
    } else {
        id().prop_map(Some).boxed()
    };
    (id, prop_oneof![2 => any_error(able), 1 => typed_error(able)], extensions())
        .prop_map(|(id, error, extensions)| ErrorResponse { id, error, extensions })
        .boxed()
}

/// An error with any data.
fn any_error(able: Able) -> BoxedStrategy<ErrorObject> {
    let gated = [
        (Feature::ResourceNotFoundCode, -32002),
        (Feature::UrlElicitationRequiredCode, -32042),
        (Feature::ModernErrorCodes, -32020),
        (Feature::ModernErrorCodes, -32021),
        (Feature::ModernErrorCodes, -32022),
        (Feature::PrivateErrorCodes, -32023),
        (Feature::PrivateErrorCodes, -32050),
        (Feature::PrivateErrorCodes, -32099),
    ];
    let mut codes = vec![-32700, -32601, -32602, -32000, -32019, -32100, 0, 1, i64::MIN, i64::MAX];
    codes.extend(gated.iter().filter(|(feature, _)| able.has(*feature)).map(|(_, code)| code));
    let data = prop_oneof![json_text(), Just(r#"{"code":7,"x":1e2}"#.parse().expect("JSON"))];
    (select(codes), text(), option::of(data), extensions())
        .prop_map(|(code, message, data, extensions)| ErrorObject {
            code,
            message,
            data,
            extensions,
        })
        .boxed()
}

/// An error with the data that goes with its code.
fn typed_error(able: Able) -> BoxedStrategy<ErrorObject> {
    let mut kinds = vec![
        (text(), uri())
            .prop_map(|(message, uri)| {
                let data = JsonText::from(&uri);
                ErrorObject { data: Some(data), ..ErrorObject::new(-32602, message) }
            })
            .boxed(),
    ];
    if able.has(Feature::UrlElicitationRequiredCode) {
        let visit =
            (text(), uri(), text(), extensions()).prop_map(|(message, url, id, extensions)| {
                let elicitation_id = Some(id);
                let params =
                    ElicitUrlParams { message, url, elicitation_id, task: None, extensions };
                written("2025-11-25", &params)
            });
        let visits = (text(), vec(visit, 0..3), extensions());
        kinds.push(
            visits
                .prop_map(|(message, elicitations, extensions)| {
                    UrlElicitationRequired { elicitations, extensions }.into_error(message)
                })
                .boxed(),
        );
    }
    if able.has(Feature::ModernErrorCodes) {
        let versions = (text(), vec(text(), 0..3), text(), extensions());
        kinds.push(
            versions
                .prop_map(|(message, supported, requested, extensions)| {
                    UnsupportedProtocolVersion { supported, requested, extensions }
                        .into_error(message)
                })
                .boxed(),
        );
        let required = (text(), json_object(), extensions());
        kinds.push(
            required
                .prop_map(|(message, required_capabilities, extensions)| {
                    MissingRequiredClientCapability { required_capabilities, extensions }
                        .into_error(message)
                })
                .boxed(),
        );
    }
    proptest::strategy::Union::new(kinds).boxed()
}

/// The revision whose requests hold answers.
const ASKING: &str = "2026-07-28";

/// What a repeated request answers, by the keys of the questions.
pub fn input_responses() -> BoxedStrategy<JsonObject> {
    let codec = codec(ASKING).expect("compiled in");
    let able = Able::of(codec);
    let answer = prop_oneof![
        create_message_result(able).prop_map(Box::new).prop_map(InputResponse::CreateMessage),
        elicit_result(able).prop_map(InputResponse::Elicit),
        list_roots_result(able).prop_map(InputResponse::ListRoots),
    ];
    vec((text(), answer), 0..3)
        .prop_map(move |mut answers| {
            answers.sort_by(|(a, _), (b, _)| a.cmp(b));
            answers.dedup_by(|(a, _), (b, _)| a == b);
            untyped_responses(codec, &answers).expect("of its revision")
        })
        .boxed()
}

fn written<T: protocol_droid_codecs::Wire>(revision: &str, value: &T) -> JsonText {
    let codec = codec(revision).expect("compiled in");
    let mut out = Vec::new();
    encode_value(codec, value, &mut out).expect("of its revision");
    String::from_utf8(out).expect("UTF-8").parse().expect("JSON")
}
