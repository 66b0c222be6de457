//! What a client sees of the server: by its revision, and where they matter its SDK and transport.

use protocol_droid_tests::sdks::{Sdk, Transport};
use serde_json::{Value, json};

use crate::{Row, Seen};

/// A step, and what is seen of it.
type Step = (&'static str, Value);

pub(crate) fn expected(row: &Row, over: Transport) -> Seen {
    let steps =
        [opening(row, over), tools(row), results(row), calls(row), questions(row), rest(row)];
    steps.into_iter().flatten().map(|(step, saw)| (step.to_owned(), saw)).collect()
}

impl Row {
    fn since(&self, revision: &str) -> bool {
        self.revision >= revision
    }

    fn is_typescript(&self) -> bool {
        matches!(self.sdk, Sdk::TypeScript(_))
    }

    /// Whether the client is told of the server before it calls: Python is not if it is told the
    /// revision.
    fn is_told(&self) -> bool {
        self.is_typescript() || self.mode != Some("2026-07-28")
    }

    /// Puts in the title that there is since 2025-06-18, and the icons since 2025-11-25.
    fn dressed(&self, title: &str, mut bare: Value) -> Value {
        if self.since("2025-06-18") {
            bare["title"] = json!(title);
        }
        if self.since("2025-11-25") {
            bare["icons"] = json!([{"src": "data:image/png;base64,aWNvbg=="}]);
        }
        bare
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// The first message on the connection, and the revision that it names.
fn opens(row: &Row, over: Transport) -> String {
    let is_asked_apart = row.is_typescript() && over == Transport::Stdio;
    let said = match (row.mode, row.offered) {
        (None | Some("legacy"), _) => return format!("initialize {}", row.revision),
        // The second TypeScript SDK asks a process of its own, and tells this one what it knows.
        (_, Some(_)) if is_asked_apart => "initialize 2025-11-25",
        (_, None) if is_asked_apart => "tools/call 2026-07-28",
        _ if row.is_told() => "server/discover 2026-07-28",
        _ => "tools/call 2026-07-28",
    };
    said.to_owned()
}

fn opening(row: &Row, over: Transport) -> Vec<Step> {
    let server = row.dressed("Interop", json!({"name": "interop", "version": "1"}));
    let lists = json!({"listChanged": true});
    let mut capabilities = json!({
        "logging": {},
        "prompts": lists,
        "resources": {"subscribe": true, "listChanged": true},
        "tools": lists,
    });
    if row.since("2025-03-26") {
        capabilities["completions"] = json!({});
    }
    let (server, instructions, capabilities) = match row.is_told() {
        true => (server, json!("Call who first."), capabilities),
        false => (Value::Null, Value::Null, json!({})),
    };
    vec![
        ("revision of the client", json!(row.revision)),
        ("revision of the server", json!(row.revision)),
        ("opens", json!(opens(row, over))),
        ("server", server),
        ("instructions", instructions),
        ("capabilities", capabilities),
    ]
}

fn tools(row: &Row) -> Vec<Step> {
    let names = "object array blocks declines fails breaks who echo steps enough logs releases hang \
                 counts form page model modelWithTools roots change update";
    let bare =
        json!({"name": "object", "description": "For tests.", "inputSchema": {"type": "object"}});
    let mut tool = row.dressed("An object", bare);
    if row.since("2025-06-18") {
        tool["annotations"] = json!({"readOnlyHint": true});
        tool["outputSchema"] =
            json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]});
    } else if row.since("2025-03-26") {
        tool["annotations"] = json!({"title": "An object", "readOnlyHint": true});
    }
    let array = json!({"type": "array", "items": {"type": "integer"}});
    let schema = if row.since("2026-07-28") {
        array
    } else if row.since("2025-06-18") {
        json!({"type": "object", "properties": {"result": array}, "required": ["result"]})
    } else {
        Value::Null
    };
    vec![("names", names.split(' ').collect()), ("tool", tool), ("schema of an array", schema)]
}

fn results(row: &Row) -> Vec<Step> {
    let result = |content: Value, structured: Value| json!({"content": content, "structured": structured, "error": false});
    let error = |why| json!({"content": [text(why)], "structured": null, "error": true});
    let (object, array) = if row.since("2026-07-28") {
        (json!({"n": 1.5}), json!([1, 2]))
    } else if row.since("2025-06-18") {
        (json!({"n": 1.5}), json!({"result": [1, 2]}))
    } else {
        (Value::Null, Value::Null)
    };
    let audio = if row.since("2025-03-26") {
        json!({"type": "audio", "data": "YXVkaW8=", "mimeType": "audio/wav"})
    } else {
        let uri = "urn:protocol-droid:audio:1";
        let resource = json!({"uri": uri, "mimeType": "audio/wav", "blob": "YXVkaW8="});
        json!({"type": "resource", "resource": resource})
    };
    let link = if row.since("2025-06-18") {
        json!({"type": "resource_link", "uri": "test://note", "name": "note", "mimeType": "text/plain"})
    } else {
        text("note: test://note (text/plain)")
    };
    let blocks = json!([
        {"type": "image", "data": "aW1hZ2U=", "mimeType": "image/png"},
        audio,
        {"type": "resource", "resource": {"uri": "test://embedded", "text": "embedded"}},
        link,
    ]);
    vec![
        ("object", result(json!([text(r#"{"n":1.50}"#)]), object)),
        ("array", result(json!([text("[1,2]")]), array)),
        ("blocks", result(blocks, Value::Null)),
        ("declines", error("no")),
        ("fails", error("out of order")),
        ("breaks", json!({"code": -32603, "message": "in pieces"})),
        ("no such tool", json!({"code": -32602, "message": "there is no tool \"nothing\" here"})),
    ]
}

fn calls(row: &Row) -> Vec<Step> {
    // Python has whole numbers of any length.
    let large =
        if row.is_typescript() { "9007199254740991" } else { "1000000000000000000000000000001" };
    let arguments = r#"{"text":"é \"quoted\"\n","list":[1,null,true],"nested":{"n":1.5},"large":"#;
    let progress = (1..=3).map(|step| match row.since("2025-03-26") {
        true => json!({"progress": step, "total": 3, "message": "on"}),
        false => json!({"progress": step, "total": 3}),
    });
    let idle = json!({"level": "info", "data": "idle"});
    let careful = json!({"level": "warning", "logger": "interop", "data": "careful"});
    let unasked = if row.since("2026-07-28") { json!([]) } else { json!([idle, careful]) };
    vec![
        ("arguments", json!(format!("{arguments}{large}}}"))),
        ("no arguments", json!("{}")),
        ("progress", progress.collect()),
        ("logs unasked", unasked),
        ("logs", json!([careful])),
        ("releases", json!("come back")),
        ("starts", json!(true)),
        ("stops", json!(true)),
    ]
}

fn questions(row: &Row) -> Vec<Step> {
    let needs =
        |what: &str| json!({"declined": format!("this tool needs a client that declares {what}")});
    let form = |said: &str| match row.since("2025-06-18") {
        true => json!(said),
        false => needs(r#"{"elicitation":{}}"#),
    };
    let schema =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let form_asked = match row.since("2025-06-18") {
        true => json!({"message": "Who?", "requestedSchema": schema}),
        false => Value::Null,
    };
    let mut page_asked =
        json!({"mode": "url", "message": "Look.", "url": "https://example.com/look"});
    let page = match row.revision {
        "2026-07-28" => json!("accept"),
        "2025-11-25" => {
            page_asked["elicitationId"] = json!("unlike any other");
            json!("accept")
        }
        _ => {
            page_asked = Value::Null;
            needs(r#"{"elicitation":{"url":{}}}"#)
        }
    };
    let undeclared = match row.since("2026-07-28") {
        true => json!({"code": -32021}),
        false => needs(r#"{"sampling":{"tools":{}}}"#),
    };
    let hello = json!([{"role": "user", "content": text("Hello")}]);
    vec![
        ("form: accept", form("accept name=Ada")),
        ("form: decline", form("decline")),
        ("form: cancel", form("cancel")),
        ("form asked", form_asked),
        ("page", page),
        ("page asked", page_asked),
        ("model", json!("Hi of none")),
        ("model asked", json!({"messages": hello, "maxTokens": 10})),
        ("modelWithTools", undeclared),
        ("roots", json!("file:///work file:///home")),
    ]
}

fn rest(row: &Row) -> Vec<Step> {
    let note = json!({"uri": "test://note", "name": "note", "mimeType": "text/plain"});
    let day = json!({"uriTemplate": "test://day/{day}", "name": "day"});
    let mut name = json!({"name": "name", "required": true});
    // The TypeScript SDKs drop the titles of arguments.
    if row.since("2025-06-18") && !row.is_typescript() {
        name["title"] = json!("The name");
    }
    let greet = row.dressed("A greeting", json!({"name": "greet", "arguments": [name]}));
    // The second TypeScript SDK reads the older code as the newer one.
    let is_lenient = row.sdk == Sdk::TypeScript("2.4.0");
    let missing = if row.since("2026-07-28") || is_lenient { -32602 } else { -32002 };
    let context = match row.sdk {
        _ if row.since("2025-06-18") => json!(["Admira"]),
        // These have no way to say it.
        Sdk::Python("1.6.0" | "1.9.4") => Value::Null,
        _ => json!(["Ada"]),
    };
    let lacks = "arguments.name: required, found nothing";
    let lists = ["prompts", "resources", "tools"];
    let changes = lists.map(|list| format!("notifications/{list}/list_changed"));
    let mut steps = vec![
        ("resources", json!([row.dressed("A note", note)])),
        ("templates", json!([row.dressed("A day", day)])),
        ("resource", json!([{"uri": "test://note", "text": "noted"}])),
        ("no such resource", json!({"code": missing, "message": "it is not there"})),
        ("prompts", json!([greet])),
        ("prompt", json!([{"role": "user", "content": text("Greet Ada.")}])),
        ("prompt without its argument", json!({"code": -32602, "message": lacks})),
        ("completion", json!(["Ada"])),
        ("completion in context", context),
        ("completion of a template", json!(["a"])),
        ("changes", json!(changes)),
        ("updates", json!(["test://note"])),
        ("updates after their end", json!([])),
    ];
    if row.since("2026-07-28") {
        steps.push(("changes unasked", json!([])));
    }
    steps
}
