//! That the closed schemas see what the official ones let pass.

use protocol_droid_tests::closed::{REVISIONS, faults, has_type};

/// A type, a value of it, and the revisions that have all of it.
const VALUES: &[(&str, &str, &[&str])] = &[
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object","x":1}}"#, &REVISIONS),
    (
        "Tool",
        r#"{"name":"a","inputSchema":{"type":"object"},"x-vendor-a":1,"_meta":{"b":2}}"#,
        &REVISIONS,
    ),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"other":1}"#, &[]),
    ("Tool", r#"{"name":"a","inputSchema":{}}"#, &[]),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"annotations":{}}"#, &SINCE_B),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"annotations":{"other":1}}"#, &[]),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"title":"b"}"#, &SINCE_C),
    (
        "Tool",
        r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}"#,
        &SINCE_C,
    ),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{}}"#, &SINCE_E),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object","properties":{"b":true}}}"#, &SINCE_E),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"icons":[{"src":"a:b"}]}"#, &SINCE_D),
    (
        "Tool",
        r#"{"name":"a","inputSchema":{"type":"object"},"icons":[{"src":"a:b","other":1}]}"#,
        &[],
    ),
    ("Tool", r#"{"name":"a","inputSchema":{"type":"object"},"execution":{}}"#, &["2025-11-25"]),
    ("Annotations", r#"{"lastModified":"a"}"#, &SINCE_C),
    ("Annotations", r#"{"audience":["robot"]}"#, &[]),
    ("ContentBlock", r#"{"type":"text","text":"a"}"#, &REVISIONS),
    ("ContentBlock", r#"{"type":"text","text":"a","data":"b"}"#, &[]),
    ("ContentBlock", r#"{"type":"audio","data":"","mimeType":"a/b"}"#, &SINCE_B),
    ("ContentBlock", r#"{"type":"resource_link","uri":"a:b","name":"c"}"#, &SINCE_C),
    ("ContentBlock", r#"{"type":"tool_use","id":"1","name":"a","input":{}}"#, &[]),
    ("ContentBlock", r#"{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}"#, &[]),
    ("Implementation", r#"{"name":"a","version":"1","websiteUrl":"a:b"}"#, &SINCE_D),
    ("CallToolResult", r#"{"content":[]}"#, &LEGACY),
    ("CallToolResult", r#"{"content":[],"resultType":"complete"}"#, &SINCE_E),
    ("CallToolResult", r#"{"content":[],"resultType":"input_required"}"#, &[]),
    (
        "CallToolResult",
        r#"{"content":[],"structuredContent":{"a":1}}"#,
        &["2025-06-18", "2025-11-25"],
    ),
    ("CallToolResult", r#"{"content":[],"structuredContent":[]}"#, &[]),
    (
        "CallToolResult",
        r#"{"content":[],"structuredContent":[],"resultType":"complete"}"#,
        &SINCE_E,
    ),
    (
        "CallToolResult",
        r#"{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}"#,
        &[],
    ),
    (
        "ListToolsResult",
        r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"public"}"#,
        &SINCE_E,
    ),
    ("ListToolsResult", r#"{"tools":[]}"#, &LEGACY),
    (
        "CallToolRequest",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
        &LEGACY,
    ),
    (
        "CallToolRequest",
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"a"}}"#,
        &[],
    ),
    (
        "CallToolRequest",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{}}}"#,
        &["2025-11-25"],
    ),
    (
        "CallToolRequest",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","requestState":""}}"#,
        &[],
    ),
    ("JSONRPCErrorResponse", r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#, &SINCE_D),
    (
        "JSONRPCErrorResponse",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"a":1}}}"#,
        &REVISIONS,
    ),
    (
        "JSONRPCErrorResponse",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","other":1}}"#,
        &[],
    ),
    (
        "HeaderMismatchError",
        r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"","data":1}}"#,
        &SINCE_E,
    ),
    ("HeaderMismatchError", r#"{"jsonrpc":"2.0","error":{"code":-32021,"message":""}}"#, &[]),
];

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const SINCE_B: [&str; 5] = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "draft"];
const SINCE_C: [&str; 4] = ["2025-06-18", "2025-11-25", "2026-07-28", "draft"];
const SINCE_D: [&str; 3] = ["2025-11-25", "2026-07-28", "draft"];
const SINCE_E: [&str; 2] = ["2026-07-28", "draft"];

#[test]
fn a_value_is_valid_at_the_revisions_that_define_all_of_it_and_at_no_other() {
    for (name, value, revisions) in VALUES {
        for revision in REVISIONS {
            let faults = faults(revision, name, value.as_bytes());
            let valid = revisions.contains(&revision);
            assert_eq!(faults.is_empty(), valid, "{revision}: {name}: {value}: {faults:?}");
        }
    }
}

#[test]
fn a_type_is_there_at_the_revisions_that_define_it() {
    for (name, revisions) in [
        ("Annotations", &REVISIONS[..]),
        ("AudioContent", &SINCE_B),
        ("Icon", &SINCE_D),
        ("InputRequiredResult", &SINCE_E),
        ("ResourceLink", &SINCE_C),
        ("ToolUseContent", &SINCE_D),
    ] {
        for revision in REVISIONS {
            assert_eq!(
                has_type(revision, name),
                revisions.contains(&revision),
                "{revision}: {name}"
            );
        }
    }
}
