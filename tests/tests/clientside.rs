//! Sampling, elicitation, roots, and the questions inside results.

use protocol_droid_codecs::{
    Expect, TranslateError, codec, decode_value, encode_value, typed_responses, untyped_responses,
};
use protocol_droid_ir::{
    Action, ClientCapabilities, ElicitResult, ElicitUrlParams, Feature, InputRequest,
    InputResponse, JsonObject, Message, MissingRequiredClientCapability, Policy, Request,
    ResultBody, UrlElicitationRequired,
};
use protocol_droid_tests::closed::assert_closed;
use protocol_droid_tests::frames::response;
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{A, B, C, Change, D, E, assert_becomes, translate};

use Action::{Dropped, Fallback};

const CREATE: &str = "sampling/createMessage";
const ELICIT: &str = "elicitation/create";

fn asks(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn sampling(messages: &str, rest: &str) -> String {
    asks(CREATE, &format!(r#"{{"messages":[{messages}],"maxTokens":1{rest}}}"#))
}

fn form(property: &str) -> String {
    let schema = format!(r#"{{"type":"object","properties":{{"a":{property}}}}}"#);
    asks(ELICIT, &format!(r#"{{"message":"m","requestedSchema":{schema}}}"#))
}

#[track_caller]
fn asked_becomes(input: &str, pair: (&str, &str), output: &str, changes: &[Change]) {
    assert_becomes(input, None, pair, output, changes);
}

#[track_caller]
fn is_refused(input: &str, method: Option<&str>, pair: (&str, &str), feature: Feature) {
    match translate(input, method, pair, &Policy::faithful()) {
        Err(TranslateError::Lower(error)) => assert_eq!(error.feature, feature, "{error}"),
        other => panic!("{pair:?}: {other:?}"),
    }
}

#[test]
fn several_blocks_become_a_message_each_before_2025_11_25() {
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let one = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":{text}}}"#);
    let list = format!("[{},{}]", text("a"), text("b"));
    for to in [A, B, C] {
        let input = sampling(&one("user", &list), "");
        let both = [one("user", &text("a")), one("user", &text("b"))].join(",");
        asked_becomes(&input, (D, to), &sampling(&both, ""), &[]);
        let input = sampling(&one("assistant", &format!("[{}]", text("a"))), "");
        asked_becomes(&input, (D, to), &sampling(&one("assistant", &text("a")), ""), &[]);
    }
}

#[test]
fn a_result_of_several_blocks_becomes_one_where_it_is_all_text() {
    let result = |content: &str| {
        response("1", &format!(r#"{{"role":"assistant","model":"m","content":{content}}}"#))
    };
    let (a, b) = (r#"{"type":"text","text":"a"}"#, r#"{"type":"text","text":"b"}"#);
    let image = r#"{"type":"image","data":"","mimeType":"image/png"}"#;
    let change: Change = ("/result/content", Feature::SamplingContentList, Fallback);
    for to in [A, B, C] {
        let joined = result(r#"{"type":"text","text":"ab"}"#);
        assert_becomes(&result(&format!("[{a},{b}]")), Some(CREATE), (D, to), &joined, &[change]);
        assert_becomes(&result(&format!("[{a}]")), Some(CREATE), (D, to), &result(a), &[]);
        let mixed = result(&format!("[{a},{image}]"));
        is_refused(&mixed, Some(CREATE), (D, to), Feature::SamplingContentList);
    }
}

#[test]
fn tools_in_sampling_are_refused_before_2025_11_25() {
    let used = r#"{"type":"tool_use","id":"1","name":"t","input":{}}"#;
    let done = r#"{"type":"tool_result","toolUseId":"1","content":[]}"#;
    for to in [A, B, C] {
        for (rest, feature) in [
            (r#","tools":[]"#, Feature::SamplingTools),
            (r#","toolChoice":{"mode":"none"}"#, Feature::SamplingTools),
        ] {
            is_refused(&sampling("", rest), None, (D, to), feature);
        }
        for (block, feature) in
            [(used, Feature::ToolUseContent), (done, Feature::ToolResultContent)]
        {
            let message = format!(r#"{{"role":"user","content":{block}}}"#);
            is_refused(&sampling(&message, ""), None, (D, to), feature);
        }
    }
}

#[test]
fn audio_in_sampling_is_refused_by_2024_11_05_or_named_where_the_policy_drops_it() {
    let audio = r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#;
    let input = sampling(&format!(r#"{{"role":"user","content":{audio}}}"#), "");
    is_refused(&input, None, (B, A), Feature::AudioContent);
    let policy = Policy::faithful().drop(Feature::AudioContent);
    let (out, made) = translate(&input, None, (B, A), &policy).expect("a placeholder");
    let at = "/params/messages/0/content";
    assert_eq!(made, [(at.to_owned(), Some(Feature::AudioContent), Dropped)]);
    let text = out.at(&format!("{at}/text")).and_then(|text| text.as_str());
    assert_eq!(text, Some(r#"[audio of type "audio/wav" left out: 4 bytes of Base64]"#));
}

#[test]
fn forms_lose_what_2025_06_18_lacks() {
    const AT: &str = "/params/requestedSchema/properties/a";
    const DEFAULT: &str = "/params/requestedSchema/properties/a/default";
    let dropped: Change = (DEFAULT, Feature::ElicitationDefaults, Dropped);
    for (input, output) in [
        (r#"{"type":"string","default":"x"}"#, r#"{"type":"string"}"#),
        (r#"{"type":"number","default":1.50}"#, r#"{"type":"number"}"#),
        (r#"{"type":"string","enum":["x"],"default":"x"}"#, r#"{"type":"string","enum":["x"]}"#),
    ] {
        asked_becomes(&form(input), (D, C), &form(output), &[dropped]);
    }
    let titled = r#"{"type":"string","oneOf":[{"const":"x","title":"X"}]}"#;
    let named = r#"{"type":"string","enum":["x"],"enumNames":["X"]}"#;
    asked_becomes(&form(titled), (D, C), &form(named), &[(AT, Feature::TitledEnum, Fallback)]);
    for items in [r#"{"type":"string","enum":["x"]}"#, r#"{"anyOf":[{"const":"x","title":"X"}]}"#] {
        let multi = format!(r#"{{"type":"array","items":{items}}}"#);
        is_refused(&form(&multi), None, (D, C), Feature::MultiSelectEnum);
    }
    let detailed = r#"{"mode":"form","message":"m","requestedSchema":{"$schema":"s","type":"object","properties":{}}}"#;
    let plain = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
    asked_becomes(&asks(ELICIT, detailed), (D, C), &asks(ELICIT, plain), &[]);
}

#[test]
fn a_url_to_be_visited_is_refused_by_2025_06_18() {
    let url = r#"{"mode":"url","message":"m","url":"https://a.example","elicitationId":"e"}"#;
    is_refused(&asks(ELICIT, url), None, (D, C), Feature::UrlElicitation);
}

#[test]
fn an_odd_property_or_block_costs_only_itself() {
    let input = asks(
        ELICIT,
        r#"{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"hologram","n":1.0},"b":{"type":"boolean"}},"required":["a","b"]}}"#,
    );
    let output = asks(
        ELICIT,
        r#"{"message":"m","requestedSchema":{"type":"object","properties":{"b":{"type":"boolean"}},"required":["b"]}}"#,
    );
    let (found, made) = translate(&input, None, (D, C), &Policy::faithful()).expect("a form");
    assert_eq!(found, Json::read(&output));
    let gone: Vec<_> = made.iter().filter(|(.., action)| *action == Dropped).collect();
    assert_eq!(gone.len(), 2, "{made:?}");
    let link = r#"{"type":"resource_link","uri":"file:///x","name":"x"}"#;
    let input = sampling(&format!(r#"{{"role":"user","content":{link}}}"#), "");
    let decoded = codec(D).unwrap().decode(input.as_bytes(), Expect::default()).expect("read");
    assert_eq!(decoded.report.iter().count(), 1);
    let mut out = Vec::new();
    codec(D).unwrap().encode(&decoded.value, &mut out).expect("written as it came");
    assert_eq!(String::from_utf8(out).unwrap(), input);
}

fn request(input: &str) -> Request {
    let codec = codec(D).expect("compiled in");
    match codec.decode(input.as_bytes(), Expect::default()).expect("read").value {
        Message::Request(request) => request,
        other => panic!("no request: {other:?}"),
    }
}

#[test]
fn a_request_becomes_a_question_and_a_question_a_request() {
    let url = r#"{"mode":"url","message":"m","url":"https://a.example","elicitationId":"e","task":{},"_meta":{"progressToken":1,"a":1.0}}"#;
    let policy = Policy::faithful();
    let (question, report) =
        InputRequest::from_request(request(&asks(ELICIT, url)), &policy).expect("a question");
    let made: Vec<_> = report.iter().map(|e| (e.path.as_str(), e.action)).collect();
    let expected =
        ["/params/_meta/progressToken", "/params/_meta", "/params/elicitationId", "/params/task"];
    assert_eq!(made, expected.map(|path| (path, Dropped)));
    let mut out = Vec::new();
    encode_value(codec(E).unwrap(), &question, &mut out).expect("written");
    assert_closed(E, "ElicitRequest", &out);
    let target = codec(D).unwrap().features();
    let back = question.clone().into_request(7, None, target, &policy);
    assert_eq!(back.expect_err("no id").feature, Feature::ElicitationId);
    let back = question.into_request(7, Some("made up".into()), target, &policy).expect("asked");
    let mut out = Vec::new();
    codec(D).unwrap().encode(&Message::Request(back.0), &mut out).expect("written");
    assert_closed(D, "ElicitRequest", &out);
}

#[test]
fn answers_are_typed_by_what_they_answer() {
    let asked = r#"{"resultType":"input_required","requestState":"\u0041 s","inputRequests":{"r":{"method":"roots/list"},"e":{"method":"elicitation/create","params":{"message":"","requestedSchema":{"type":"object","properties":{}}}},"m":{"method":"roots/list"},"x":{"method":"x/y"}}}"#;
    let modern = codec(E).unwrap();
    let decoded = modern.decode_result(asked.as_bytes(), "tools/call").expect("read").value;
    let mut out = Vec::new();
    modern.encode_result(&decoded, &mut out).expect("written");
    assert!(String::from_utf8_lossy(&out).contains(r#""requestState":"\u0041 s""#));
    let ResultBody::InputRequired(asked) = decoded else { panic!("asks for input") };
    let responses =
        r#"{"e":{"action":"accept","content":{"n":1.50}},"r":{"action":"x"},"y":1,"x":[1.0]}"#;
    let responses = JsonObject::new(responses).unwrap();
    let answers = typed_responses(modern, &responses, &asked.input_requests.unwrap());
    let given: Vec<_> = answers.given.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(given, ["e", "x"]);
    assert_eq!(answers.wrong.len(), 1);
    assert_eq!((answers.missing, answers.extra), (vec!["m".into()], vec!["y".into()]));
    let answers: Vec<_> = answers.given.into_iter().map(|(key, a)| (key, a.value)).collect();
    let text = untyped_responses(modern, &answers).expect("written");
    assert_eq!(text.as_str(), r#"{"e":{"action":"accept","content":{"n":1.50}},"x":[1.0]}"#);
}

#[test]
fn metadata_of_an_answer_is_dropped_where_2026_07_28_has_none() {
    let text = r#"{"action":"decline","_meta":{"a":1}}"#;
    let result: ElicitResult = decode_value(codec(D).unwrap(), text.as_bytes()).unwrap().value;
    let policy = Policy::faithful();
    let (answer, report) =
        InputResponse::from_result(ResultBody::Elicit(result), &policy).expect("an answer");
    let entry = report.iter().next().expect("an entry");
    assert_eq!((entry.path.as_str(), entry.action), ("/_meta", Dropped));
    assert_eq!(answer, InputResponse::Elicit(ElicitResult::new("decline")));
    let back = answer.into_result(codec(C).unwrap().features(), &policy).expect("a result");
    assert!(back.is_some_and(|(_, report)| report.is_empty()));
}

#[test]
fn what_an_error_demands_is_read_by_the_codecs() {
    let error = |revision: &str, error: &str| {
        let input = protocol_droid_tests::frames::error("1", error);
        let read = codec(revision).unwrap().decode(input.as_bytes(), Expect::default());
        match read.expect("read").value {
            Message::Error(error) => error.error,
            other => panic!("no error: {other:?}"),
        }
    };
    let found = error(
        D,
        r#""code":-32042,"message":"","data":{"elicitations":[{"mode":"url","message":"m","url":"https://a.example","elicitationId":"e"},{"mode":"url"}]}"#,
    );
    let urls = UrlElicitationRequired::try_from(&found).expect("its data");
    let [url, odd] = &urls.elicitations[..] else { panic!("{urls:?}") };
    let legacy = codec(D).unwrap();
    let read = decode_value::<ElicitUrlParams>(legacy, url.as_bytes()).expect("a URL");
    assert_eq!(read.value.elicitation_id, Some("e".into()));
    assert!(decode_value::<ElicitUrlParams>(legacy, odd.as_bytes()).is_err());
    let mut out = Vec::new();
    encode_value(legacy, &read.value, &mut out).expect("written");
    assert_eq!(Json::read(&out), Json::read(url.as_bytes()));

    let found = error(
        E,
        r#""code":-32021,"message":"","data":{"requiredCapabilities":{"elicitation":{"url":{}}}}"#,
    );
    let missing = MissingRequiredClientCapability::try_from(&found).expect("its data");
    let text = missing.required_capabilities.as_json().as_bytes();
    let needed = decode_value::<ClientCapabilities>(codec(E).unwrap(), text).expect("read").value;
    assert!(needed.elicitation.is_some_and(|modes| modes.url.is_some() && modes.form.is_none()));
}
