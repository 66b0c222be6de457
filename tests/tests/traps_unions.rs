//! Where several types have the same shape: what tells them apart. See `TRAPS.md`.

use protocol_droid_codecs::{DecodeError, Expect, classify_batch, codec, compiled, decode_value};
use protocol_droid_ir::{
    ElicitParams, ElicitResult, ElicitValue, InputParams, Item, Message, PrimitiveSchema,
    ResultBody, SamplingContent, SamplingMessage,
};
use protocol_droid_tests::frames::{error, request, response};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{A, B, C, D, E, again, translated};

#[test]
fn blocks_of_a_model_s_message_stay_single_or_a_list() {
    let text = r#"{"type":"text","text":"a"}"#;
    let message = |content: &str| format!(r#"{{"role":"user","content":{content}}}"#);
    for revision in [D, E, "draft"] {
        let codec = codec(revision).expect("compiled in");
        let read = |content: &str| {
            let read = decode_value::<SamplingMessage>(codec, message(content).as_bytes());
            read.expect("a message").value.content
        };
        assert!(matches!(read(text), SamplingContent::Single(_)));
        assert!(matches!(read(&format!("[{text}]")), SamplingContent::List(_)));
        assert!(matches!(read("[]"), SamplingContent::List(_)));
    }
}

#[test]
fn a_property_of_a_form_is_told_by_its_keywords() {
    type Is = fn(&PrimitiveSchema) -> bool;
    let rows: [(&str, Is); 7] = [
        (r#"{"type":"string"}"#, |p| matches!(p, PrimitiveSchema::String(_))),
        (r#"{"enum":["a"],"type":"string"}"#, |p| matches!(p, PrimitiveSchema::Enum(_))),
        (
            r#"{"enumNames":["A"],"type":"string","enum":["a"]}"#,
            |p| matches!(p, PrimitiveSchema::Enum(e) if e.enum_names.is_some()),
        ),
        (r#"{"oneOf":[{"const":"a","title":"A"}],"type":"string"}"#, |p| {
            matches!(p, PrimitiveSchema::TitledEnum(_))
        }),
        (r#"{"items":{"type":"string","enum":["a"]},"type":"array"}"#, |p| {
            matches!(p, PrimitiveSchema::MultiSelect(_))
        }),
        (r#"{"items":{"anyOf":[{"const":"a","title":"A"}]},"type":"array"}"#, |p| {
            matches!(p, PrimitiveSchema::MultiSelect(_))
        }),
        (r#"{"minimum":0.5,"type":"integer"}"#, |p| matches!(p, PrimitiveSchema::Number(_))),
    ];
    for revision in [D, E, "draft"] {
        for (text, is) in rows {
            let read = decode_value::<PrimitiveSchema>(codec(revision).unwrap(), text.as_bytes());
            let read = read.unwrap_or_else(|error| panic!("{error}: {text}")).value;
            assert!(is(&read), "{revision}: {text}: {read:?}");
        }
    }
}

#[test]
fn a_question_to_a_user_is_what_its_mode_says() {
    const FORM: &str = r#""message":"m","requestedSchema":{"type":"object","properties":{}}"#;
    const URL: &str = r#""message":"m","url":"https://a.example","elicitationId":"e""#;
    let read = |members: &str| {
        decode_value::<ElicitParams>(codec(D).unwrap(), format!("{{{members}}}").as_bytes())
    };
    for mode in ["", r#""mode":"form","#] {
        let read = read(&format!("{mode}{FORM}")).expect("a form").value;
        assert!(matches!(read, ElicitParams::Form(_)), "{read:?}");
    }
    let both =
        format!(r#"{URL},"requestedSchema":{{"type":"object","properties":{{}}}},"mode":"url""#);
    let both = read(&both).expect("a URL").value;
    assert!(matches!(both, ElicitParams::Url(_)), "{both:?}");
    // Without a mode it is a form, whatever else there is.
    assert!(read(URL).is_err());
    let bare = read(r#""mode":"url","message":"m","url":"https://a.example""#);
    assert!(matches!(&bare, Err(error) if error.path() == *"elicitationId"), "{bare:?}");
}

#[test]
fn a_question_inside_a_result_is_what_its_method_says() {
    let asked = |question: &str| {
        let result =
            format!(r#"{{"resultType":"input_required","inputRequests":{{"q":{question}}}}}"#);
        let read = codec(E).unwrap().decode_result(result.as_bytes(), "tools/call").expect("read");
        let ResultBody::InputRequired(result) = read.value else { panic!("{result}") };
        result.input_requests.expect("questions").remove(0).1
    };
    let roots = asked(r#"{"params":{"message":"m"},"method":"roots/list"}"#);
    let roots = roots.known().map(|roots| &roots.params);
    assert!(matches!(roots, Some(InputParams::ListRoots(_))), "{roots:?}");
    assert!(matches!(asked(r#"{"method":"roots/list","params":5}"#), Item::Unknown(_)));
    assert!(matches!(asked(r#"{"params":{"messages":[],"maxTokens":1}}"#), Item::Unknown(_)));
}

#[test]
fn an_answer_in_a_form_is_what_its_json_is_and_may_have_a_fraction() {
    let text = r#"{"action":"accept","content":{"a":"1","b":1.5,"c":true,"d":1}}"#;
    for revision in [C, D, E] {
        let read = decode_value::<ElicitResult>(codec(revision).unwrap(), text.as_bytes());
        let read = read.expect("an answer");
        assert!(read.report.is_empty(), "{:?}", read.report);
        let content = read.value.content.expect("filled in");
        let [a, b, c, d] = &content[..] else { panic!("{content:?}") };
        assert!(matches!(a.1, Item::Known(ElicitValue::Text(_))));
        assert!(matches!(&b.1, Item::Known(ElicitValue::Number(n)) if n.as_str() == "1.5"));
        assert!(matches!(c.1, Item::Known(ElicitValue::Boolean(true))));
        assert!(matches!(d.1, Item::Known(ElicitValue::Number(_))));
    }
}

#[test]
fn the_task_of_the_extension_is_any_status_with_what_it_has() {
    let task = r#""taskId":"t","createdAt":"","lastUpdatedAt":"","ttlMs":null"#;
    for rest in [
        r#""status":"working""#,
        r#""status":"completed","result":{"content":[]}"#,
        r#""status":"input_required","inputRequests":{}"#,
        r#""status":"x-vendor","error":{"code":1,"message":""}"#,
    ] {
        let complete = format!(r#"{{"resultType":"complete",{task},{rest}}}"#);
        let read = again(E, Some("tasks/get"), &response("1", &complete));
        let Message::Response(read) = read else { panic!("{complete}") };
        assert!(matches!(read.result, ResultBody::ExtensionTask(_)), "{complete}");
        // The type that the extension's own text shows here and its rules forbid is kept as it is.
        let task = format!(r#"{{"resultType":"task",{task},{rest}}}"#);
        again(E, Some("tasks/get"), &response("1", &task));
    }
}

#[test]
fn a_resource_that_is_not_there_keeps_its_uri_whatever_its_code() {
    let data = r#""message":"m","data":{"uri":"file:///a"}"#;
    let (old, new) = (format!(r#""code":-32002,{data}"#), format!(r#""code":-32602,{data}"#));
    for from in [A, B, C, D] {
        let (out, report) = translated(&error("1", &old), None, (from, E));
        assert_eq!(out.at("/error/code"), Some(&Json::Number("-32602".to_owned())));
        assert_eq!(out.at("/error/data/uri").and_then(Json::as_str), Some("file:///a"));
        assert_eq!(report.len(), 1);
        // The way back would be a guess.
        let (out, report) = translated(&error("1", &new), None, (E, from));
        assert_eq!((out, report.len()), (Json::read(error("1", &new)), 0));
    }
}

#[test]
fn a_batch_of_calls_and_answers_is_none() {
    for &codec in compiled() {
        let mixed = format!(
            "[{},{}]",
            request(codec.name(), "1", "tools/list", &[], &[]),
            response("2", "{}")
        );
        let found = codec.decode(mixed.as_bytes(), Expect::default()).map(|decoded| decoded.value);
        assert_eq!(found, Err(DecodeError::Batch), "{codec:?}");
        assert!(classify_batch(mixed.as_bytes()).is_err());
    }
}
