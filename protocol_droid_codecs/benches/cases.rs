//! The messages that are measured, each with a target that it must be lowered to and one that takes
//! it as it is.

use protocol_droid_codecs::{Codec, V2024_11_05, V2025_06_18, V2025_11_25, V2026_07_28};

/// A response and the ways it is translated.
pub(crate) struct Case {
    /// The name that results are printed under.
    pub(crate) name: &'static str,
    /// The method that the response answers.
    pub(crate) method: &'static str,
    /// The response at its own revision.
    pub(crate) json: String,
    /// Its revision.
    pub(crate) from: &'static dyn Codec,
    /// A revision that lacks some of what it says.
    pub(crate) older: &'static dyn Codec,
}

/// A revision that takes every legacy case as it is.
pub(crate) const SAME: (&dyn Codec, &dyn Codec) = (&V2025_06_18, &V2025_11_25);

/// Every case, smallest first.
pub(crate) fn cases() -> Vec<Case> {
    let result = |name, body: String| Case {
        name,
        method: "tools/call",
        json: format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{{body}}}}}"#),
        from: &V2025_06_18,
        older: &V2024_11_05,
    };
    let text = r#"{"type":"text","text":"Twelve degrees in Utrecht, wind from the west."}"#;
    vec![
        result(
            "1KiB",
            format!(
                r#""content":[{text},{{"type":"text","text":"Rain is expected in the late evening, clearing up after midnight; the night stays mild and the morning will be dry."}},{{"type":"resource_link","uri":"file:///reports/weather.json","name":"weather.json","title":"Weather","mimeType":"application/json","size":1234,"annotations":{{"audience":["user"],"priority":0.5}}}}],"structuredContent":{{"city":"Utrecht","temperature":12.50,"wind":{{"speed":5,"direction":"W"}},"hours":[11,12,12,13,13,14,14,13,12,11,10,10],"forecast":[{{"day":"Monday","high":14,"low":8,"rain":0.2}},{{"day":"Tuesday","high":12,"low":7,"rain":0.6}},{{"day":"Wednesday","high":13,"low":6,"rain":0.1}},{{"day":"Thursday","high":15,"low":9,"rain":0.0}}]}},"isError":false,"_meta":{{"example.org/trace":"4bf92f3577b34da6a3ce929d0e0e4736"}}"#
            ),
        ),
        tools(),
        result(
            "100KiB-image",
            format!(
                r#""content":[{{"type":"image","data":"{}","mimeType":"image/png"}},{text}],"structuredContent":{{"width":640,"height":480}}"#,
                "iVBORw0KGgoAAAANSUhEUgAA".repeat(4267),
            ),
        ),
        result("100KiB-rows", rows(100 << 10, text)),
        result("1MiB-rows", rows(1 << 20, text)),
        result(
            "1MiB-escapes",
            format!(
                r#""content":[{{"type":"text","text":"{}"}}],"structuredContent":{{"lines":30000}}"#,
                r#"a line with \"quotes\" and a tab\t and a path C:\\temp\\x\n"#
                    .repeat((1 << 20) / 59),
            ),
        ),
    ]
}

fn rows(size: usize, text: &str) -> String {
    let row = r#"{"id":12345,"name":"Ada Byron","active":true,"score":0.25,"tags":["math","engine"],"note":null}"#;
    let rows = vec![row; size / (row.len() + 1)].join(",");
    format!(r#""content":[{text}],"structuredContent":{{"rows":[{rows}]}}"#)
}

fn tools() -> Case {
    let tool = |n: usize| {
        format!(
            r#"{{"name":"search_{n}","title":"Search {n}","description":"Searches the index for documents that match a query, best first.","inputSchema":{{"type":"object","properties":{{"query":{{"type":"string","description":"What to look for"}},"limit":{{"type":"integer","minimum":1,"maximum":100,"default":10}},"fields":{{"type":"array","items":{{"type":"string"}}}}}},"required":["query"]}},"outputSchema":{{"type":"object","properties":{{"hits":{{"type":"array","items":{{"type":"object"}}}}}}}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
    };
    let tools: Vec<String> = (0..100).map(tool).collect();
    Case {
        name: "100-tools",
        method: "tools/list",
        json: format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"tools":[{}]}}}}"#, tools.join(",")),
        from: &V2025_06_18,
        older: &V2024_11_05,
    }
}

/// The same message as 2026-07-28 says it.
pub(crate) fn modern(case: &Case) -> String {
    let head = r#""result":{"#;
    let hints =
        if case.method == "tools/list" { r#""ttlMs":0,"cacheScope":"private","# } else { "" };
    case.json.replacen(head, &format!(r#"{head}"resultType":"complete",{hints}"#), 1)
}

/// The newest revision.
pub(crate) const MODERN: &dyn Codec = &V2026_07_28;
