//! The handshake, discovery, capabilities, log messages and subscriptions, from bytes to bytes.

use protocol_droid_codecs::{Codec, DecodeError, codec, compiled, decode_value, encode_value};
use protocol_droid_ir::{
    Action, ClientCapabilities, Feature, Policy, ResultBody, TranslationReport, lower,
};
use protocol_droid_tests::frames::{pairs, request, response};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{A, B, C, Change, D, E, Made, translated};

/// What is reported, by places below the capabilities.
type Changes = &'static [Change];

/// Capabilities and revisions from and to, what they become, and the report.
type Row = (&'static str, (&'static str, &'static str), &'static str, Changes);

const CLIENT: &[Row] = &[
    (r#"{}"#, (D, A), r#"{}"#, &[]),
    (r#"{"roots":{},"sampling":{}}"#, (A, D), r#"{"roots":{},"sampling":{}}"#, &[]),
    (r#"{"roots":{"listChanged":false}}"#, (D, A), r#"{"roots":{"listChanged":false}}"#, &[]),
    (r#"{"elicitation":{}}"#, (C, D), r#"{"elicitation":{}}"#, &[]),
    (r#"{"elicitation":{}}"#, (D, C), r#"{"elicitation":{}}"#, &[]),
    (
        r#"{"elicitation":{"form":{}}}"#,
        (D, C),
        r#"{"elicitation":{}}"#,
        &[("/elicitation/form", Feature::ElicitationModes, Action::Fallback)],
    ),
    (
        r#"{"elicitation":{"form":{},"url":{}}}"#,
        (D, C),
        r#"{"elicitation":{}}"#,
        &[
            ("/elicitation/form", Feature::ElicitationModes, Action::Fallback),
            ("/elicitation/url", Feature::ElicitationModes, Action::Dropped),
        ],
    ),
    (
        r#"{"elicitation":{"url":{}},"x":1.0}"#,
        (D, C),
        r#"{"x":1.0}"#,
        &[("/elicitation", Feature::ElicitationModes, Action::Dropped)],
    ),
    (
        r#"{"elicitation":{"form":{}}}"#,
        (D, B),
        r#"{}"#,
        &[("/elicitation", Feature::Elicitation, Action::Dropped)],
    ),
    (
        r#"{"sampling":{"tools":{},"context":{},"x-vendor":1}}"#,
        (D, C),
        r#"{"sampling":{"x-vendor":1}}"#,
        &[
            ("/sampling/context", Feature::SamplingCapabilities, Action::Dropped),
            ("/sampling/tools", Feature::SamplingCapabilities, Action::Dropped),
        ],
    ),
    (
        r#"{"tasks":{"requests":{"sampling":{"createMessage":{}}}}}"#,
        (D, C),
        r#"{}"#,
        &[("/tasks", Feature::TasksCapability, Action::Dropped)],
    ),
    (
        r#"{"extensions":{"com.example/x":{"a":null}},"vendor":true}"#,
        (D, A),
        r#"{"extensions":{"com.example/x":{"a":null}},"vendor":true}"#,
        &[],
    ),
    (
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/x":{}}}"#,
        (D, C),
        r#"{"extensions":{"com.example/x":{}}}"#,
        &[("/extensions/io.modelcontextprotocol~1tasks", Feature::TasksExtension, Action::Dropped)],
    ),
    (
        r#"{"experimental":{"a":{"b":null,"c":1.50}}}"#,
        (D, A),
        r#"{"experimental":{"a":{"b":null,"c":1.50}}}"#,
        &[],
    ),
];

const SERVER: &[Row] = &[
    (r#"{"completions":{},"logging":{}}"#, (D, B), r#"{"completions":{},"logging":{}}"#, &[]),
    (
        r#"{"completions":{},"tools":{"listChanged":false}}"#,
        (B, A),
        r#"{"tools":{"listChanged":false}}"#,
        &[("/completions", Feature::Completions, Action::Dropped)],
    ),
    (
        r#"{"tasks":{"list":{},"requests":{"tools":{"call":{}}}},"resources":{}}"#,
        (D, C),
        r#"{"resources":{}}"#,
        &[("/tasks", Feature::TasksCapability, Action::Dropped)],
    ),
    (
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"prompts":{}}"#,
        (D, C),
        r#"{"extensions":{},"prompts":{}}"#,
        &[("/extensions/io.modelcontextprotocol~1tasks", Feature::TasksExtension, Action::Dropped)],
    ),
];

fn assert_rows(
    rows: &[Row],
    place: &str,
    message: impl Fn(&str, &str) -> (String, Option<&'static str>),
) {
    for (capabilities, pair, expected, made) in rows {
        let (input, method) = message(pair.0, capabilities);
        let (output, found) = translated(&input, method, *pair);
        assert_eq!(output.at(place), Some(&Json::read(expected)), "{pair:?}: {capabilities}");
        let made: Vec<_> = made
            .iter()
            .map(|(path, feature, action)| (format!("{place}{path}"), Some(*feature), *action))
            .collect();
        assert_eq!(found, made, "{pair:?}: {capabilities}");
    }
}

#[test]
fn a_client_says_in_a_handshake_what_the_server_can_understand() {
    assert_rows(CLIENT, "/params/capabilities", |revision, capabilities| {
        let capabilities = format!(r#""capabilities":{capabilities}"#);
        let rest = r#""protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}"#;
        (request(revision, "1", "initialize", &[&capabilities, rest], &[]), None)
    });
}

#[test]
fn a_server_says_in_a_handshake_what_the_client_can_understand() {
    assert_rows(SERVER, "/result/capabilities", |_, capabilities| {
        let rest = r#""protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}"#;
        let result = format!(r#"{{"capabilities":{capabilities},{rest}}}"#);
        (response("1", &result), Some("initialize"))
    });
}

#[test]
fn capabilities_lose_for_a_stateless_server_what_it_has_no_word_for() {
    let rows: [(&str, &str, Changes); 4] = [
        (
            r#"{"roots":{"listChanged":true},"elicitation":{}}"#,
            r#"{"roots":{},"elicitation":{}}"#,
            &[("/roots/listChanged", Feature::RootsListChanged, Action::Dropped)],
        ),
        (
            r#"{"tasks":{},"sampling":{"tools":{}}}"#,
            r#"{"sampling":{"tools":{}}}"#,
            &[("/tasks", Feature::TasksCapability, Action::Dropped)],
        ),
        (
            r#"{"elicitation":{"url":{}},"vendor":[]}"#,
            r#"{"elicitation":{"url":{}},"vendor":[]}"#,
            &[],
        ),
        (
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            &[],
        ),
    ];
    let [from, to] = [D, E].map(|name| codec(name).unwrap());
    for (input, expected, made) in rows {
        let mut value: ClientCapabilities = decode_value(from, input.as_bytes()).unwrap().value;
        let report = lower(&mut value, to.features(), &Policy::faithful()).unwrap();
        let mut out = Vec::new();
        encode_value(to, &value, &mut out).unwrap();
        assert_eq!(Json::read(&out), Json::read(expected));
        assert_eq!(brief(&report), made.iter().map(own).collect::<Vec<_>>(), "{input}");
    }
}

fn brief(report: &TranslationReport) -> Vec<Made> {
    report.iter().map(|entry| (entry.path.clone(), entry.feature, entry.action)).collect()
}

fn own(made: &Change) -> Made {
    (made.0.to_owned(), Some(made.1), made.2)
}

#[test]
fn the_release_candidate_s_discovery_is_read() {
    let input = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#;
    let decoded = codec(E).unwrap().decode_result(input.as_bytes(), "server/discover").unwrap();
    let ResultBody::Discover(result) = decoded.value else { panic!("a discovery") };
    assert_eq!(
        result.extensions.get("serverInfo").unwrap().as_str(),
        r#"{"name":"s","version":"1"}"#
    );
    assert_eq!((result.ttl_ms, result.cache_scope.as_deref()), (Some(0), Some("private")));
    let repaired: Vec<_> = decoded.report.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(repaired, ["/ttlMs", "/cacheScope"]);
}

#[test]
fn the_end_of_a_subscription_says_which() {
    const ID: &str = "io.modelcontextprotocol/subscriptionId";
    let read = |meta: &str| {
        let input = format!(r#"{{"resultType":"complete"{meta}}}"#);
        codec(E).unwrap().decode_result(input.as_bytes(), "subscriptions/listen")
    };
    for (id, shown) in [("7", "7"), ("7.0", "7.0"), (r#""7""#, r#""7""#)] {
        let decoded = read(&format!(r#","_meta":{{"{ID}":{id}}}"#)).unwrap();
        let ResultBody::SubscriptionsListen(result) = decoded.value else { panic!("{id}") };
        assert_eq!(result.subscription_id().unwrap().to_string(), shown);
    }
    for meta in ["", r#","_meta":{}"#] {
        assert!(matches!(read(meta), Err(DecodeError::Missing { .. })), "{meta}");
    }
    for id in ["null", "1.5", "{}"] {
        let found = read(&format!(r#","_meta":{{"{ID}":{id}}}"#));
        assert!(matches!(found, Err(DecodeError::Unexpected { .. })), "{id}: {found:?}");
    }
}

#[test]
fn a_log_message_of_any_data_reaches_every_revision() {
    for (from, to) in pairs() {
        for (level, data) in [("debug", "null"), ("loud", "[1.0,{}]"), ("emergency", r#""a""#)] {
            let params = format!(r#"{{"level":"{level}","data":{data},"logger":"l"}}"#);
            let input = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{params}}}"#
            );
            let (output, made) = translated(&input, None, (from.name(), to.name()));
            assert_eq!((output, made.len()), (Json::read(&input), 0));
        }
    }
}

#[test]
fn an_empty_capability_is_not_an_absent_one() {
    let rows = [
        r#"{}"#,
        r#"{"roots":{}}"#,
        r#"{"sampling":{},"experimental":{}}"#,
        r#"{"extensions":{},"x":{}}"#,
    ];
    for &codec in compiled() {
        for input in rows {
            let decoded = decode_value::<ClientCapabilities>(codec, input.as_bytes()).unwrap();
            let mut out = Vec::new();
            encode_value(codec, &decoded.value, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), input, "{}", Codec::name(codec));
            assert!(decoded.report.is_empty());
        }
    }
}
