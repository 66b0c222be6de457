//! The input is any text, or two texts with a NUL between them, which no JSON has in it.

use std::borrow::Cow;

use protocol_droid_codecs::{one_line, split_batch};
use protocol_droid_ir::lex::{Kind, Lexer};
use protocol_droid_ir::{
    Buffer, Extensions, JsonObject, JsonText, Number, Policy, ProtocolVersion, Schema, Text, Tool,
    Unknown, lower, same_json,
};
use serde_json::Value;
use serde_json::value::RawValue;

pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    any_text(text);
    let (a, b) = text.split_once('\0').unwrap_or((text, text));
    alike(a, b);
    let Some(json) = read(text) else { return };
    match json.kind() {
        Kind::String => string(&json),
        Kind::Number => number(json),
        Kind::Object => object(&json),
        _ => {}
    }
}

/// Reads one JSON text, and fails where `serde_json` does not agree that it is one.
fn read(text: &str) -> Option<JsonText> {
    let mut lexer = Lexer::new(text);
    let ours = lexer.value().and_then(|range| lexer.end().map(|()| &text[range]));
    let theirs = serde_json::from_str::<&RawValue>(text);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(*ours, theirs.get()),
        (Err(_), Err(_)) => {}
        _ => panic!("{ours:?} {theirs:?}"),
    }
    let json = JsonText::new(text);
    match (ours, &json) {
        (Ok(ours), Ok(json)) => assert_eq!(ours, json.as_str()),
        (ours, json) => assert_eq!(ours.err().as_ref(), json.as_ref().err()),
    }
    json.ok()
}

/// What holds for any text at all.
fn any_text(text: &str) {
    let mut written = Vec::new();
    Text::from(text).write_json(&mut written);
    assert_eq!(serde_json::from_slice::<String>(&written).expect("a JSON string"), text);

    let batch = serde_json::from_str::<Vec<&RawValue>>(text).unwrap_or_default();
    let batch: Vec<_> = batch.iter().map(|item| item.get().as_bytes()).collect();
    assert_eq!(split_batch(text.as_bytes()).unwrap_or_default(), batch);

    let line = one_line(Cow::Borrowed(text.as_bytes()));
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'));
    if let Ok(line) = std::str::from_utf8(&line)
        && JsonText::new(text).is_ok()
    {
        assert!(JsonText::new(line).is_ok());
    }
}

/// Equal means the same to `serde_json`, and is no matter of order.
fn alike(a: &str, b: &str) {
    let same = same_json(a, b);
    assert_eq!(same, same_json(b, a));
    assert!(same_json(a, a));
    if let (Ok(left), Ok(right)) = (serde_json::from_str(a), serde_json::from_str(b))
        && same
    {
        assert_eq!(in_doubles(left), in_doubles(right), "{a} {b}");
    }
}

/// Numbers by value, since `serde_json` tells `1` from `1.0`.
fn in_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(in_doubles).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, in_doubles(value))).collect()
        }
        word => word,
    }
}

fn string(json: &JsonText) {
    let source = json.as_str();
    let token = Lexer::new(source).string().expect("a string");
    let theirs = serde_json::from_str::<String>(source);
    assert_eq!(token.lone_surrogate, theirs.is_err(), "{theirs:?}");
    let ours = token.text(source);
    let Ok(theirs) = theirs else { return };
    assert_eq!(ours, theirs);

    let (start, end) = (token.range.start, token.range.end);
    let text = Text::from_token(&Buffer::from(source), start, end, token.escaped);
    assert_eq!(text, theirs);
    assert_eq!(text.is_empty(), theirs.is_empty());
    let mut written = Vec::new();
    text.write_json(&mut written);
    assert_eq!(written, source.as_bytes());
    assert_eq!(JsonText::from(&text).as_str(), source);
    assert_eq!(text, Text::from(theirs));
}

fn number(json: JsonText) {
    let value: f64 = json.as_str().parse().expect("a number");
    let number = Number::from_json(json).expect("a number");
    assert_eq!(number.as_f64().to_bits(), value.to_bits());
    assert_eq!(number, number.detached());
    // A double is exact up to here, unless it is zero because the number is too small for it.
    if value != 0.0 && value.abs() < 9e15 && number.as_str().len() < 15 {
        assert_eq!(number.is_integer(), value.fract() == 0.0);
        assert_eq!(number.as_i64(), (value.fract() == 0.0).then_some(value as i64));
    }
    if let Some(whole) = number.as_i64() {
        assert!(number.is_integer());
        assert_eq!(number.as_u64(), u64::try_from(whole).ok());
        assert!(whole == 0 || number == Number::from(whole));
    }
}

fn object(json: &JsonText) {
    let object = JsonObject::try_from(json.clone()).expect("an object");
    let members: Vec<_> = object.members().collect();
    for (name, value) in &members {
        assert!(JsonText::new(*value).is_ok_and(|json| json.as_str() == *value));
        assert!(object.get(name).is_some());
    }
    assert_eq!(object.is_empty(), members.is_empty());
    assert_eq!(Extensions::from(&object).len(), members.len());
    let _ = Unknown::new(json.clone()).kind();
    schema(object);
}

/// A schema can be lowered to every revision, and says there what that revision demands.
fn schema(object: JsonObject) {
    let schema = Schema::from(object);
    for target in ProtocolVersion::ALL {
        let mut tool = Tool::new("t", schema.clone());
        tool.output_schema = Some(schema.clone());
        let report = lower(&mut tool, target.features(), &Policy::faithful());
        assert!(report.is_ok(), "every schema has a form: {report:?}");
        for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()].into_iter().flatten()
        {
            let again = Schema::new(schema.as_str()).expect("an object");
            assert_eq!(&again, schema);
        }
    }
}
