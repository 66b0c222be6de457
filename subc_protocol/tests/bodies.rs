//! What the two forms of a request keep and lose.

use pretty_assertions::assert_eq;
use subc_protocol::{
    Body, BodyError, ErrorBody, RawToolCallRequest, ToolCallRequest,
    serde_json::{self, Value, json, value::RawValue},
};

#[test]
fn a_body_of_two_members_is_as_older_consumers_send_it() {
    let request = ToolCallRequest::new("echo", json!({"text": "hi"}));
    let body = r#"{"name":"echo","arguments":{"text":"hi"}}"#;
    assert_eq!(serde_json::to_string(&request).expect("serialises"), body);
    let exact = RawToolCallRequest::from(request);
    assert_eq!(serde_json::to_string(&exact).expect("serialises"), body);
}

#[test]
fn the_raw_form_carries_what_the_value_form_refuses() {
    let deep = format!("{}{}", "[".repeat(4_000), "]".repeat(4_000));
    for arguments in [r#"{"a":1e999}"#, r#"{"a":"\ud800"}"#, &deep] {
        let body = format!(r#"{{"name":"t","arguments":{arguments},"progress_token":1e999}}"#);
        let exact: RawToolCallRequest = serde_json::from_str(&body).expect("is carried");
        assert_eq!(serde_json::to_string(&exact).expect("serialises"), body);
        assert!(serde_json::from_str::<ToolCallRequest>(&body).is_err());
        assert!(ToolCallRequest::try_from(exact).is_err());
    }
}

#[test]
fn unknown_members_never_fail() {
    let deep = format!("{}{}", "[".repeat(4_000), "]".repeat(4_000));
    for unknown in [r#""\ud800""#, "1e999", r#"{"name":1,"name":2}"#, &deep] {
        let body =
            format!(r#"{{"name":"t","x":{unknown},"x":{unknown},"\ud800":1,"arguments":{{}}}}"#);
        let request: ToolCallRequest = serde_json::from_str(&body).expect("decodes");
        assert_eq!(request, ToolCallRequest::new("t", json!({})));
        serde_json::from_str::<RawToolCallRequest>(&body).expect("decodes");
        serde_json::from_slice::<RawToolCallRequest>(body.as_bytes()).expect("decodes");
        serde_json::from_reader::<_, RawToolCallRequest>(body.as_bytes()).expect("decodes");
        let body = format!(r#"{{"code":"c","x":{unknown},"message":"m"}}"#);
        let error: ErrorBody = serde_json::from_str(&body).expect("decodes");
        assert_eq!(error.to_string(), "c: m");
    }
}

#[test]
fn a_value_decodes_like_its_text() {
    let value = json!({"name": "t", "arguments": [], "x": 1, "progress_token": null});
    let request: ToolCallRequest = serde_json::from_value(value.clone()).expect("decodes");
    assert_eq!(request, ToolCallRequest::new("t", json!([])));
    let exact: RawToolCallRequest = serde_json::from_value(value).expect("decodes");
    assert_eq!(exact, RawToolCallRequest::from(request));
}

#[test]
fn raw_requests_are_equal_by_text() {
    let make = |text: &str| {
        let text = RawValue::from_string(text.into()).expect("valid JSON");
        let mut request = RawToolCallRequest::new("t", text.clone());
        request.progress_token = Some(text);
        request
    };
    assert_eq!(make(" {} "), make("{}"));
    assert_ne!(make("1e2"), make("100.0"));
}

#[test]
fn both_forms_agree_on_the_id() {
    let mut request = ToolCallRequest::new("t", json!({}));
    for supplied in [None, Some("c1".to_string())] {
        request.tool_call_id = supplied.clone();
        let exact = RawToolCallRequest::from(request.clone());
        let mut notes = Vec::new();
        let mut note = |tool: &str, id: &str| notes.push(format!("{tool}={id}"));
        let id = request.call_id(|| "x".into(), &mut note);
        assert_eq!(id, exact.call_id(|| "x".into(), &mut note));
        assert_eq!(id.is_supplied(), supplied.is_some());
        assert_eq!(notes.len(), if supplied.is_some() { 0 } else { 2 });
    }
}

#[test]
fn what_does_not_serialise_makes_no_body() {
    let map = std::collections::HashMap::from([([1u8], Value::Null)]);
    assert!(matches!(Body::json(&map), Err(BodyError::Json(_))));
}

#[cfg(feature = "schemars")]
#[test]
fn schemas_ask_for_what_decoding_asks_for() {
    for (name, schema) in subc_protocol::schemas() {
        let required = match name {
            "error_body" => json!(["code", "message"]),
            "tool_call_request" => json!(["name", "arguments"]),
            other => panic!("{other} is not known here"),
        };
        let schema = schema.to_value();
        assert_eq!(schema["required"], required, "{name}");
        assert_eq!(schema.get("additionalProperties"), None, "{name}");
    }
}
