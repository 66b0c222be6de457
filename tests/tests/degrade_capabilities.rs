//! One odd capability costs itself alone, and a part of one that only the receiver knows is reported.

use std::borrow::Cow;

use protocol_droid_codecs::{codec, compiled, decode_value, encode_value, translate};
use protocol_droid_ir::{Action, ClientCapabilities, Feature, Policy, Reason, ServerCapabilities};
use protocol_droid_tests::json::Json;

fn initialize(capabilities: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"x","capabilities":{capabilities},"clientInfo":{{"name":"a","version":"1"}}}}}}"#
    )
}

#[test]
fn an_odd_capability_is_kept_as_it_came_and_reported_and_the_others_are_read() {
    for codec in compiled() {
        for odd in ["true", "[]", "1.0", r#""yes""#, r#"{"listChanged":"yes"}"#] {
            let input =
                format!(r#"{{"tools":{odd},"prompts":{{"listChanged":true}},"logging":{{}}}}"#);
            let read = decode_value::<ServerCapabilities>(*codec, input.as_bytes()).expect(&input);
            assert!(read.value.tools.is_none() && read.value.logging.is_some());
            assert_eq!(read.value.prompts.as_ref().and_then(|p| p.list_changed), Some(true));
            let entry = &read.report.entries[0];
            assert_eq!((&*entry.path, entry.action), ("/tools", Action::Repaired));
            assert!(
                matches!(&entry.reason, Reason::Unreadable(misfit) if misfit.path.starts_with("/tools"))
            );
            let mut out = Vec::new();
            encode_value(*codec, &read.value, &mut out).expect("as it came");
            assert_eq!(Json::read(&out), Json::read(&input), "{codec:?}");
        }
        let input = r#"{"roots":5,"sampling":[],"experimental":"","extensions":0}"#;
        let read = decode_value::<ClientCapabilities>(*codec, input.as_bytes()).expect(input);
        assert_eq!(read.report.len(), 4, "{codec:?}");
    }
}

#[test]
fn an_odd_capability_goes_back_to_its_own_revision_and_to_no_other() {
    let input = initialize(r#"{"roots":true,"sampling":{}}"#);
    let (from, to) = (codec("2025-06-18").unwrap(), codec("2025-11-25").unwrap());
    let same = translate(input.as_bytes(), from, from, &Policy::faithful()).expect("it stays");
    assert!(matches!(same.bytes, Cow::Borrowed(_)) && same.report.len() == 1);
    let other = translate(input.as_bytes(), from, to, &Policy::faithful()).expect("without it");
    assert_eq!(*other.bytes, *initialize(r#"{"sampling":{}}"#).as_bytes());
    let told: Vec<_> = other.report.iter().map(|e| (&*e.path, e.action, e.feature)).collect();
    let (place, feature) = ("/params/capabilities/roots", Some(Feature::UnknownContent));
    assert_eq!(told, [(place, Action::Repaired, feature), (place, Action::Dropped, feature)]);
    assert!(translate(input.as_bytes(), from, to, &Policy::strict()).is_err());
}

#[test]
fn a_capability_that_is_there_twice_is_an_error() {
    let input = r#"{"roots":true,"roots":{}}"#;
    assert!(decode_value::<ClientCapabilities>(compiled()[0], input.as_bytes()).is_err());
}

#[test]
fn an_odd_capability_beside_a_set_one_is_refused() {
    let mut capabilities =
        ServerCapabilities { logging: Some(Default::default()), ..Default::default() };
    capabilities.extensions.push("logging", "5".parse().expect("JSON"));
    assert!(encode_value(compiled()[0], &capabilities, &mut Vec::new()).is_err());
}

#[test]
fn a_part_of_a_capability_that_only_the_receiver_defines_is_adopted_and_reported() {
    let form = r#"{"elicitation":{"form":{}}}"#;
    for (from, to, capabilities, place) in [
        ("2025-06-18", "2025-11-25", form, "elicitation/form"),
        ("2025-03-26", "2025-11-25", r#"{"sampling":{"tools":{}}}"#, "sampling/tools"),
    ] {
        let (from, to) = (codec(from).unwrap(), codec(to).unwrap());
        let input = initialize(capabilities);
        let found = translate(input.as_bytes(), from, to, &Policy::faithful()).expect("adopted");
        let told: Vec<_> = found.report.iter().map(|e| (&*e.path, &e.reason)).collect();
        let place = format!("/params/capabilities/{place}");
        assert_eq!(told, [(&*place, &Reason::Adopted)], "{input}");
    }
    let input = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{"listChanged":true}}}}}"#;
    let (from, to) = (codec("2026-07-28").unwrap(), codec("2025-11-25").unwrap());
    let found = translate(input.as_bytes(), from, to, &Policy::faithful()).expect("adopted");
    let reasons: Vec<_> = found.report.iter().map(|e| e.reason.clone()).collect();
    assert_eq!(reasons, [Reason::Adopted]);
}
