//! Requests and errors in the table of the design's section 5: what comes out, and the exact report.

use protocol_droid_ir::Action::{Dropped, Fallback};
use protocol_droid_ir::Feature;
use protocol_droid_tests::frames::{error, request};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::translated::{A, B, C, D, E, assert_becomes, translated};

#[test]
fn a_task_is_not_asked_for_where_there_are_none() {
    let input = request(D, "1", "tools/call", &[r#""name":"a""#, r#""task":{"ttl":1}"#], &[]);
    for to in [A, B, C] {
        let output = request(to, "1", "tools/call", &[r#""name":"a""#], &[]);
        let change = ("/params/task", Feature::TaskAugmentation, Dropped);
        assert_becomes(&input, None, (D, to), &output, &[change]);
    }
}

#[test]
fn a_request_gets_and_loses_the_metadata_of_2026_07_28() {
    let token = r#""progressToken":1.0"#;
    let trace = r#""traceparent":"00""#;
    let info = r#""io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":"C"}"#;
    for legacy in [A, B, C, D] {
        let old = request(legacy, "1", "tools/list", &[], &[token, trace]);
        let new = request(E, "1", "tools/list", &[], &[info, token, trace]);
        assert_becomes(&new, None, (E, legacy), &old, &[]);
        let at = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";
        let change = (at, Feature::RequestMetadata, Fallback);
        let new = request(E, "1", "tools/list", &[], &[token, trace]);
        assert_becomes(&old, None, (legacy, E), &new, &[change]);
        let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        assert_becomes(
            bare,
            None,
            (legacy, E),
            &request(E, "1", "tools/list", &[], &[]),
            &[change],
        );
    }
}

#[test]
fn a_resource_that_is_not_there_is_told_in_the_code_of_the_revision() {
    let change = ("/error/code", Feature::ResourceNotFoundCode, Fallback);
    for from in [A, B, C, D] {
        for (members, code) in [
            (r#""code":-32002,"message":"gone""#, "/error/data/code"),
            (r#""code":-32002,"message":"gone","data":{"uri":"file:///a"}"#, "/error/data/code"),
            (r#""code":-32002,"message":"gone","data":"file:///a""#, "/error/data/code"),
        ] {
            let input = error("1", members);
            let (output, changes) = translated(&input, None, (from, E));
            assert_eq!(output.at("/error/code"), Some(&Json::read("-32602")));
            assert_eq!(output.at(code), Some(&Json::read("-32002")), "{output}");
            assert_eq!(changes, [(change.0.to_owned(), Some(change.1), change.2)]);
            let uri = |json: &Json| json.to_string().contains("file:///a");
            assert_eq!(uri(&Json::read(&input)), uri(&output), "{output}");
        }
        for to in [A, B, C, D] {
            let same = error("1", r#""code":-32002,"message":"gone""#);
            assert_becomes(&same, None, (from, to), &same, &[]);
        }
    }
}

#[test]
fn codes_that_mean_something_else_to_the_peer_are_replaced_and_kept_in_data() {
    let modern = [-32020, -32021, -32022];
    let private = [-32023, -32050, -32099];
    let rows =
        [(E, &[A, B, C, D][..], &modern[..]), (D, &[E, "draft"], &private), (D, &[E], &[-32042])];
    for (from, to, codes) in rows {
        for (to, code) in to.iter().flat_map(|to| codes.iter().map(move |code| (*to, *code))) {
            let input = error("1", &format!(r#""code":{code},"message":"m","data":{{"a":1.0}}"#));
            let (output, changes) = translated(&input, None, (from, to));
            let Some(Json::Number(new)) = output.at("/error/code") else { panic!("{output}") };
            let new: i64 = new.parse().expect("a code");
            assert!(!(-32099..=-32020).contains(&new), "{from} to {to}: {code} became {new}");
            assert_eq!(output.at("/error/data/code"), Some(&Json::read(code.to_string())));
            assert_eq!(output.at("/error/data/a"), Some(&Json::read("1.0")));
            assert!(matches!(&changes[..], [(at, Some(_), Fallback)] if at == "/error/code"));
        }
    }
}
