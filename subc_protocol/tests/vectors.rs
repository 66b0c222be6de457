//! The shipped vectors, read as another implementation would read them.

use std::fmt::Debug;

use pretty_assertions::assert_eq;
use serde::de::DeserializeOwned;
use subc_protocol::{
    Body, DecodeError, ErrorBody, Frame, RawToolCallRequest, ToolCallRequest,
    serde_json::{self, Value, json},
};

mod support;

#[test]
fn requests_that_decode() {
    for vector in vectors(BODIES, "request_decode") {
        let (name, bytes) = (text(&vector["name"]), text(&vector["text"]).as_bytes());
        let exact: RawToolCallRequest = serde_json::from_slice(bytes).expect(name);
        let fields = json!({
            "name": exact.name,
            "arguments": exact.arguments.get(),
            "tool_call_id": exact.tool_call_id,
            "progress_token": exact.progress_token.as_ref().map(|token| token.get()),
        });
        assert_eq!(fields, vector["fields"], "{name}");
        let written = serde_json::to_string(&exact).expect(name);
        assert_eq!(written, text(&vector["written"]), "{name}");
        let again: RawToolCallRequest = serde_json::from_str(&written).expect(name);
        assert_eq!(again, exact, "{name}");

        let value: ToolCallRequest = serde_json::from_slice(bytes).expect(name);
        let converted = ToolCallRequest::try_from(exact).expect(name);
        assert_eq!(value, converted, "{name}");
        let text = serde_json::to_string(&value).expect(name);
        let there = RawToolCallRequest::from(value);
        assert_eq!(serde_json::to_string(&there).expect(name), text, "{name}");
    }
}

#[test]
fn requests_that_do_not_decode() {
    for vector in vectors(BODIES, "request_refuse") {
        assert_refused::<ToolCallRequest>(&vector);
        assert_refused::<RawToolCallRequest>(&vector);
    }
}

#[test]
fn requests_that_are_valid_or_not() {
    for vector in vectors(BODIES, "request_validate") {
        let (name, body) = (text(&vector["name"]), text(&vector["text"]));
        let value: ToolCallRequest = serde_json::from_str(body).expect(name);
        let exact: RawToolCallRequest = serde_json::from_str(body).expect(name);
        let fault = value.validate();
        assert_eq!(fault, exact.validate(), "{name}");
        let fault = fault.err().map(|error| error.field());
        assert_eq!(json!(fault), vector["fault"], "{name}");
    }
}

#[test]
fn errors_that_decode_and_that_do_not() {
    for vector in vectors(BODIES, "error_decode") {
        let (name, body) = (text(&vector["name"]), text(&vector["text"]));
        let error: ErrorBody = serde_json::from_str(body).expect(name);
        let fields = json!({
            "code": error.code,
            "message": error.message,
            "detail": error.detail,
        });
        assert_eq!(fields, vector["fields"], "{name}");
        let again: ErrorBody = Body::json(&error).expect(name).parse().expect(name);
        assert_eq!(again, error, "{name}");
    }
    for vector in vectors(BODIES, "error_refuse") {
        assert_refused::<ErrorBody>(&vector);
    }
}

#[test]
fn frames_that_decode() {
    for vector in vectors(FRAMES, "decode") {
        let (name, bytes) = (text(&vector["name"]), unhex(text(&vector["hex"])));
        support::check_stream(&bytes, &[3, 5]);
        let (frames, end) = support::decode(&bytes, &[]);
        assert_eq!((frames.len(), end), (1, Ok(())), "{name}");
        assert_eq!(fields(&frames[0]), without_means(&vector), "{name}");
        let body = match &vector["body_hex"] {
            Value::String(hex) => unhex(hex),
            _ => text(&vector["body_text"]).as_bytes().to_vec(),
        };
        assert_eq!(frames[0].body().as_bytes(), body, "{name}");
    }
}

#[test]
fn frames_that_are_refused() {
    for vector in vectors(FRAMES, "refuse") {
        let (name, bytes) = (text(&vector["name"]), unhex(text(&vector["hex"])));
        support::check_stream(&bytes, &[3, 5]);
        let (_, end) = support::decode(&bytes, &[]);
        let error = end.expect_err(name);
        let mut told = json!({
            "name": name,
            "hex": vector["hex"],
            "error": error.name(),
            "at": error.at(),
        });
        use DecodeError::*;
        told["found"] = match error {
            Version { found, .. } | UnknownType { found, .. } => json!(found),
            RefusedPriority { found, .. } | RefusedAdmission { found, .. } => json!(found),
            BodyTooLong { found, .. } | ControlEpoch { found, .. } => json!(found),
            MustKeep { frame_type, .. } => json!(frame_type.to_string()),
            UnexpectedBody { found, .. } => json!(found),
            Truncated { expected, found, .. } => {
                told["expected"] = json!(expected);
                json!(found)
            }
            other => panic!("{other} has no vector here"),
        };
        assert_eq!(told, vector, "{name}");
    }
}

const BODIES: &str = include_str!("../vectors/bodies.json");
const FRAMES: &str = include_str!("../vectors/frames.json");

fn vectors(file: &str, list: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(file).expect("the vectors are JSON");
    let list = file[list].as_array().expect("a list of vectors").clone();
    assert!(!list.is_empty());
    list
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().map(|digit| digit.to_digit(16).expect("a hex digit") as u8).collect();
    assert_eq!(digits.len() % 2, 0);
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn assert_refused<T: Debug + DeserializeOwned>(vector: &Value) {
    let name = text(&vector["name"]);
    let error = serde_json::from_str::<T>(text(&vector["text"])).expect_err(name);
    let message = error.to_string();
    let why = match message.split(' ').next() {
        _ if !error.is_data() => "not_json",
        Some("missing") => "missing_member",
        Some("duplicate") => "duplicate_member",
        _ if message.contains("expected an object") => "not_an_object",
        _ => "wrong_type",
    };
    assert_eq!(why, text(&vector["why"]), "{name}: {message}");
    if let (Some(member), true) = (vector["member"].as_str(), why != "wrong_type") {
        assert!(message.contains(&format!("`{member}`")), "{name}: {message}");
    }
}

/// The fields of a frame as the vectors have them.
fn fields(frame: &Frame) -> Value {
    let flags = frame.flags();
    json!({
        "type": frame.frame_type().to_string(),
        "flags": {
            "binary": flags.binary,
            "priority": format!("{:?}", flags.priority).to_lowercase(),
            "last": flags.last,
            "admission": format!("{:?}", flags.admission).to_lowercase(),
            "daemon_origin": flags.daemon_origin,
            "subscription": flags.subscription,
        },
        "channel": frame.address().channel(),
        "epoch": frame.address().epoch(),
        "corr": frame.corr().to_string(),
    })
}

/// A vector without what is not a field of the header.
fn without_means(vector: &Value) -> Value {
    let mut vector = vector.clone();
    let members = vector.as_object_mut().expect("an object");
    members.retain(|key, _| !["name", "hex", "body_text", "body_hex"].contains(&key.as_str()));
    vector
}
