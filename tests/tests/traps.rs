//! Where the shape of a message misleads: tags decide, and what they contradict is an error.

use protocol_droid_codecs::{
    Codec, DecodeError, Expect, MessageKind, Pending, TranslateError, codec, compiled,
    decode_value, split_batch, translate, translate_as, translate_result,
};
use protocol_droid_ir::{
    Feature, Message, Policy, ResourceContents, ResultBody, TextContent, ToolUseContent,
};
use protocol_droid_tests::closed::is_modern;
use protocol_droid_tests::frames::{pairs, request, response, tool_result};
use protocol_droid_tests::json::Json;

const CALL: Expect<'static> = Expect { pending: None, method: Some("tools/call") };

fn decode(codec: &dyn Codec, input: &str) -> Result<Message, DecodeError> {
    codec.decode(input.as_bytes(), CALL).map(|decoded| decoded.value)
}

#[test]
fn a_request_with_a_bad_id_is_an_error_and_no_notification() {
    for &codec in compiled() {
        for id in ["null", "1.5", "1e-1", "true", "{}", "[1]", "-0.5"] {
            for method in ["tools/list", "tools/call", "x/y"] {
                let input = request(codec.name(), id, method, &[r#""name":"a""#], &[]);
                let found = decode(codec, &input);
                let named = matches!(&found, Err(error) if error.path() == *"id");
                assert!(named, "{codec:?}: {input}: {found:?}");
            }
        }
        let input = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert!(matches!(decode(codec, input), Ok(Message::Notification(_))), "{codec:?}");
    }
}

#[test]
fn a_message_of_two_kinds_or_of_none_is_an_error() {
    let result = r#""result":{"content":[],"resultType":"complete"}"#;
    let error = r#""error":{"code":1,"message":""}"#;
    for &codec in compiled() {
        for members in [
            format!(r#""id":1,{result},{error}"#),
            format!(r#""id":1,{error},{result}"#),
            format!(r#""id":1,"method":"tools/list",{result}"#),
            format!(r#"{error},"id":1,"method":"tools/list""#),
            format!(r#""method":"notifications/initialized",{error}"#),
            r#""id":1"#.to_owned(),
            r#""params":{}"#.to_owned(),
            result.to_owned(),
        ] {
            for input in [
                format!(r#"{{"jsonrpc":"2.0",{members}}}"#),
                format!(r#"{{{members},"jsonrpc":"2.0"}}"#),
            ] {
                let found = decode(codec, &input);
                assert!(found.is_err(), "{codec:?}: {input}: {found:?}");
            }
        }
    }
}

#[test]
fn other_versions_of_json_rpc_are_an_error_that_says_where() {
    for &codec in compiled() {
        for version in [r#""1.0""#, "2.0", "null", r#""""#] {
            let input =
                format!(r#"{{"jsonrpc":{version},"id":1,"error":{{"code":1,"message":""}}}}"#);
            let found = decode(codec, &input);
            let named = matches!(&found, Err(error) if error.path() == *"jsonrpc");
            assert!(named, "{codec:?}: {input}: {found:?}");
        }
    }
}

/// Every order of three members.
fn orders(members: [&str; 3]) -> Vec<String> {
    let [a, b, c] = members;
    [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]
        .map(|order| format!("{{{}}}", order.join(",")))
        .to_vec()
}

#[test]
fn a_result_is_what_its_result_type_says_wherever_that_stands() {
    let content = r#""content":[{"type":"text","text":"a"}]"#;
    let state = r#""requestState":"s""#;
    for revision in ["2026-07-28", "draft"] {
        let codec = codec(revision).expect("compiled in");
        let read = |input: &str| {
            let decoded = codec.decode_result(input.as_bytes(), "tools/call");
            decoded.unwrap_or_else(|error| panic!("{error}: {input}")).value
        };
        for input in orders([r#""resultType":"complete""#, content, state]) {
            assert!(matches!(read(&input), ResultBody::CallTool(_)), "{input}");
        }
        for input in orders([r#""resultType":"input_required""#, content, state]) {
            assert!(matches!(read(&input), ResultBody::InputRequired(_)), "{input}");
        }
        for input in orders([r#""resultType":"task""#, content, state]) {
            assert!(matches!(read(&input), ResultBody::Other(_)), "{input}");
        }
        for input in orders([r#""x-vendor":1"#, content, state]) {
            assert!(matches!(read(&input), ResultBody::CallTool(_)), "{input}");
        }
        for input in orders([r#""resultType":5"#, content, state]) {
            let error = codec.decode_result(input.as_bytes(), "tools/call").map(|d| d.value);
            assert!(matches!(&error, Err(e) if e.path() == *"resultType"), "{input}: {error:?}");
        }
    }
}

#[test]
fn a_result_type_means_nothing_before_2026_07_28() {
    let input = r#"{"requestState":"s","resultType":"input_required","content":[]}"#;
    for &codec in compiled().iter().filter(|codec| !is_modern(codec.name())) {
        let decoded = codec.decode_result(input.as_bytes(), "tools/call").expect("a tool result");
        assert!(matches!(decoded.value, ResultBody::CallTool(_)), "{codec:?}");
    }
}

#[test]
fn a_result_of_a_kind_that_a_peer_does_not_know_cannot_pass_for_a_complete_one() {
    for (kind, feature) in
        [("task", Feature::ToolResultType), ("input_required", Feature::InputRequired)]
    {
        let input = format!(r#"{{"content":[],"resultType":"{kind}","requestState":"s"}}"#);
        for (from, to) in
            pairs().filter(|(from, to)| is_modern(from.name()) && !is_modern(to.name()))
        {
            let policy = Policy::faithful();
            let refused = translate_result(input.as_bytes(), "tools/call", from, to, &policy);
            let named = matches!(&refused, Err(TranslateError::Lower(e)) if e.feature == feature);
            assert!(named, "{from:?} to {to:?}: {refused:?}");
        }
    }
}

#[test]
fn a_task_cannot_pass_for_the_result_of_a_call() {
    let input = r#"{"task":{"taskId":"t","status":"working","ttl":null,"createdAt":"","lastUpdatedAt":""}}"#;
    let from = codec("2025-11-25").expect("compiled in");
    let same = translate_result(input.as_bytes(), "tools/call", from, from, &Policy::faithful());
    assert_eq!(Json::read(same.expect("it is defined there").bytes), Json::read(input));
    for (_, to) in pairs().filter(|(codec, _)| codec.name() == from.name()) {
        let refused =
            translate_result(input.as_bytes(), "tools/call", from, to, &Policy::faithful());
        let named = matches!(
            &refused,
            Err(TranslateError::Lower(error)) if error.feature == Feature::TaskAugmentation
        );
        assert!(named, "{to:?}: {refused:?}");
    }
}

#[test]
fn contents_of_a_resource_are_text_or_a_blob_and_not_both() {
    for &codec in compiled() {
        let read = |input: &str| {
            decode_value::<ResourceContents>(codec, input.as_bytes()).map(|decoded| decoded.value)
        };
        assert!(matches!(read(r#"{"uri":"a:b","text":""}"#), Ok(ResourceContents::Text(_))));
        assert!(matches!(read(r#"{"blob":"","uri":"a:b"}"#), Ok(ResourceContents::Blob(_))));
        for input in [
            r#"{"uri":"a:b"}"#,
            r#"{"uri":"a:b","text":"","blob":""}"#,
            r#"{"blob":"","text":"","uri":"a:b"}"#,
            r#"{"uri":"a:b","text":"","blob":5}"#,
        ] {
            assert!(read(input).is_err(), "{codec:?}: {input}");
        }
    }
}

#[test]
fn a_value_with_the_tag_of_another_type_is_an_error_that_says_where() {
    let codec = codec("2026-07-28").expect("compiled in");
    let text = decode_value::<TextContent>(codec, br#"{"type":"image","text":"a"}"#);
    let call = decode_value::<ToolUseContent>(
        codec,
        br#"{"type":"tool_result","id":"1","name":"a","input":{}}"#,
    );
    for error in [text.map(|_| ()), call.map(|_| ())] {
        assert!(matches!(&error, Err(e) if e.path() == *"type"), "{error:?}");
    }
}

#[test]
fn an_array_is_no_message_and_an_empty_one_is_no_batch() {
    let one = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let two = request("2025-03-26", "1", "tools/list", &[], &[]);
    let batch = format!(" [ {one} ,\n{two}] ");
    for &codec in compiled() {
        assert_eq!(decode(codec, &batch), Err(DecodeError::Batch), "{codec:?}");
        let found = decode(codec, "[]");
        assert!(found.is_err(), "{codec:?}: {found:?}");
    }
    let parts = split_batch(batch.as_bytes()).expect("a batch");
    assert_eq!(parts, [one.as_bytes(), two.as_bytes()]);
    for bad in ["[]", " [ ] ", "[", "[1", "[1,]", "[1 2]", "{}", "1", "", "[1]x"] {
        assert!(split_batch(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn a_response_is_read_by_the_request_that_it_answers_and_by_nothing_else() {
    for &codec in compiled() {
        let result = tool_result(codec.name(), "", &[]);
        let input = response("1", &result);
        let untyped = codec.decode(input.as_bytes(), Expect::default()).map(|d| d.value);
        assert_eq!(untyped, Err(DecodeError::Untyped), "{codec:?}");

        let mut pending = Pending::new(8);
        for (id, method) in [("1", "tools/call"), (r#""1""#, "x-vendor/get"), ("2", "tools/list")] {
            let asked = request(codec.name(), id, method, &[r#""name":"a""#], &[]);
            let policy = Policy::faithful();
            let asked = translate(asked.as_bytes(), codec, codec, &policy).expect("a request");
            pending.observe(&asked.kind);
        }
        assert_eq!(pending.len(), 3);
        for (id, is_call) in [("1", true), (r#""1""#, false), ("1.0", true)] {
            let input = response(id, &result);
            let expect = Expect { pending: Some(&pending), ..Expect::default() };
            let decoded = codec.decode(input.as_bytes(), expect).expect("its request is known");
            let Message::Response(response) = decoded.value else { panic!("{input}") };
            let call = matches!(response.result, ResultBody::CallTool(_));
            assert_eq!(call, is_call, "{codec:?}: {input}");
        }
        let answered = translate_as(input.as_bytes(), CALL, codec, codec, &Policy::faithful());
        pending.observe(&answered.expect("a response").kind);
        assert_eq!(pending.len(), 2);
    }
}

#[test]
fn a_method_that_the_target_lacks_is_refused_by_name() {
    const INITIALIZE: &[&str] = &[
        r#""protocolVersion":"2025-11-25""#,
        r#""capabilities":{},"clientInfo":{"name":"c","version":"1"}"#,
    ];
    const LISTEN: &[&str] = &[r#""notifications":{}"#];
    const ELICIT: &[&str] =
        &[r#""message":"","requestedSchema":{"type":"object","properties":{}}"#];
    const LEVEL: &[&str] = &[r#""level":"info""#];
    for (from, to, method, params) in [
        ("2025-11-25", "2026-07-28", "ping", &[][..]),
        ("2025-11-25", "draft", "initialize", INITIALIZE),
        ("2025-06-18", "2026-07-28", "logging/setLevel", LEVEL),
        ("2026-07-28", "2025-11-25", "server/discover", &[]),
        ("2026-07-28", "2024-11-05", "subscriptions/listen", LISTEN),
        ("2025-11-25", "2025-06-18", "tasks/get", &[r#""taskId":"t""#]),
        ("2025-06-18", "2025-03-26", "elicitation/create", ELICIT),
    ] {
        let input = request(from, "1", method, params, &[]);
        let [from, to] = [from, to].map(|name| codec(name).expect("compiled in"));
        let refused = translate(input.as_bytes(), from, to, &Policy::faithful());
        let named =
            matches!(&refused, Err(TranslateError::Method { method: m, .. }) if m == method);
        assert!(named, "{input}: {refused:?}");
    }
    // A method that no revision knows is a vendor's, and passes.
    for (from, to) in pairs() {
        let input = request(from.name(), "1", "x-vendor/count", &[r#""n":1.0"#], &[]);
        let passed = translate(input.as_bytes(), from, to, &Policy::faithful());
        let passed = passed.unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error}"));
        let MessageKind::Request { method, .. } = &passed.kind else { panic!("{input}") };
        assert_eq!(method, "x-vendor/count");
        assert!(String::from_utf8_lossy(&passed.bytes).contains(r#""n":1.0"#));
    }
}
