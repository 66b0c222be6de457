//! What a message needs to know of those before it.

use pretty_assertions::assert_eq;
use protocol_droid_codecs::{
    Codec, Sender, TranslateError, Translation, Translator, V2025_06_18, V2026_07_28,
};
use protocol_droid_ir::{Action, Feature};
use serde_json::{Value, json};

use Sender::{Client, Server};

fn sent(translator: &mut Translator, sender: Sender, message: &Value) -> Value {
    let (value, report) = reported(translator, sender, message);
    assert_eq!(report, [], "nothing is lost in {message}");
    value
}

fn reported(
    translator: &mut Translator,
    sender: Sender,
    message: &Value,
) -> (Value, Vec<(String, Action)>) {
    let text = message.to_string();
    let Translation { bytes, report, .. } =
        translator.translate(sender, text.as_bytes()).expect("a message that has a form");
    let entries = report.iter().map(|entry| (entry.path.clone(), entry.action)).collect();
    (serde_json::from_slice(&bytes).expect("JSON"), entries)
}

fn request(id: Value, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn result(id: Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

fn between(client: &'static dyn Codec, server: &'static dyn Codec) -> Translator {
    Translator::new(client, server)
}

/// A legacy client of a modern server that has seen the tools `rows` (any schema) and `one` (object).
fn with_tools() -> Translator {
    let mut translator = between(&V2025_06_18, &V2026_07_28);
    reported(&mut translator, Client, &request(json!(1), "tools/list", json!({})));
    let object = json!({"type": "object"});
    let tools = json!([
        {"name": "rows", "inputSchema": object, "outputSchema": {"oneOf": [object, {"type": "array"}]}},
        {"name": "one", "inputSchema": object, "outputSchema": object},
    ]);
    let list =
        json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": tools});
    let (listed, _) = reported(&mut translator, Server, &result(json!(1), list));
    assert_eq!(listed["result"]["tools"][0]["outputSchema"]["required"], json!(["result"]));
    assert_eq!(listed["result"]["tools"][1]["outputSchema"], object);
    translator
}

fn called(translator: &mut Translator, tool: &str, structured: Value) -> Value {
    reported(translator, Client, &request(json!("c"), "tools/call", json!({"name": tool})));
    let answer = json!({"resultType": "complete", "content": [], "structuredContent": structured});
    reported(translator, Server, &result(json!("c"), answer)).0["result"].clone()
}

#[test]
fn the_results_of_a_tool_whose_schema_was_wrapped_are_wrapped_objects_too() {
    let mut translator = with_tools();
    for structured in [json!({"a": 1}), json!([1, 2])] {
        let result = called(&mut translator, "rows", structured.clone());
        assert_eq!(result["structuredContent"], json!({"result": structured}));
        assert_eq!(result["content"][0]["text"], json!(structured.to_string()));
    }
}

#[test]
fn the_results_of_a_tool_whose_schema_was_not_are_not() {
    let mut translator = with_tools();
    let result = called(&mut translator, "one", json!({"a": 1}));
    assert_eq!(result, json!({"content": [], "structuredContent": {"a": 1}}));
    let result = called(&mut translator, "one", json!([1]));
    assert_eq!(result, json!({"content": [{"type": "text", "text": "[1]"}]}));
}

#[test]
fn a_modern_server_is_told_what_a_legacy_client_said_at_the_start() {
    let mut translator = between(&V2025_06_18, &V2026_07_28);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}, "roots": {}},
        "clientInfo": {"name": "c", "version": "1"},
    });
    let text = request(json!(0), "initialize", hello).to_string();
    let refused = translator.translate(Client, text.as_bytes());
    assert!(matches!(refused, Err(TranslateError::Method { .. })), "{refused:?}");
    let level = request(json!(1), "logging/setLevel", json!({"level": "info"})).to_string();
    assert!(translator.translate(Client, level.as_bytes()).is_err());
    assert_eq!(translator.pending(Client), 0);

    let asked =
        sent(&mut translator, Client, &request(json!(2), "tools/call", json!({"name": "t"})));
    let meta = &asked["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "c");
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"], json!({}));
    assert_eq!(meta["io.modelcontextprotocol/logLevel"], "info");
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
}

#[test]
fn own_ids_are_given_and_taken_back() {
    let mut translator = between(&V2025_06_18, &V2025_06_18).with_own_ids();
    let params = json!({"name": "t", "_meta": {"progressToken": "p"}});
    let call = sent(&mut translator, Client, &request(json!("a"), "tools/call", params));
    assert_eq!((&call["id"], &call["params"]["_meta"]["progressToken"]), (&json!(1), &json!(1)));
    let list = sent(&mut translator, Client, &request(json!(1), "tools/list", json!({})));
    assert_eq!(list["id"], 2);

    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 0.5}});
    assert_eq!(sent(&mut translator, Server, &progress)["params"]["progressToken"], "p");
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": "a"}});
    assert_eq!(sent(&mut translator, Client, &cancelled)["params"]["requestId"], 1);

    assert_eq!(sent(&mut translator, Server, &result(json!(2), json!({"tools": []})))["id"], 1);
    assert_eq!(sent(&mut translator, Server, &result(json!(1), json!({"content": []})))["id"], "a");
    assert_eq!(translator.pending(Client), 0);
}

#[test]
fn both_sides_may_use_the_same_id() {
    let mut translator = between(&V2025_06_18, &V2025_06_18);
    sent(&mut translator, Client, &request(json!(1), "tools/list", json!({})));
    sent(&mut translator, Server, &request(json!(1), "roots/list", json!({})));
    sent(&mut translator, Client, &result(json!(1), json!({"roots": []})));
    sent(&mut translator, Server, &result(json!(1), json!({"tools": []})));
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut translator = between(&V2025_06_18, &V2025_06_18).with_capacity(4);
    for id in 0..100 {
        sent(&mut translator, Client, &request(json!(id), "tools/list", json!({})));
    }
    assert_eq!(translator.pending(Client), 4);
    let late = result(json!(3), json!({"tools": []})).to_string();
    assert!(translator.translate(Server, late.as_bytes()).is_err());
    sent(&mut translator, Server, &result(json!(99), json!({"tools": []})));
}

#[test]
fn the_wrapping_is_named_in_the_report() {
    let mut translator = with_tools();
    reported(&mut translator, Client, &request(json!(5), "tools/call", json!({"name": "rows"})));
    let answer = json!({"resultType": "complete", "content": [], "structuredContent": {"a": 1}});
    let text = result(json!(5), answer).to_string();
    let translation = translator.translate(Server, text.as_bytes()).expect("translates");
    let entry = &translation.report.entries[0];
    assert_eq!(entry.path, "/result/structuredContent");
    assert_eq!(entry.feature, Some(Feature::AnyStructuredContent));
}
