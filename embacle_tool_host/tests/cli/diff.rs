//! `droid diff`.

use serde_json::Value;

use crate::droid;

const REVISIONS: [&str; 6] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "draft"];

fn diff(from: &str, to: &str, more: &[&str]) -> String {
    let run = droid(&[&["diff", from, to], more].concat(), "");
    assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{from} {to}");
    run.stdout
}

#[test]
fn every_pair_has_its_differences() {
    for from in REVISIONS {
        for to in REVISIONS {
            let text = diff(from, to, &[]);
            let json: Value = serde_json::from_str(&diff(from, to, &["--json"])).unwrap();
            assert_eq!((json["from"].as_str(), json["to"].as_str()), (Some(from), Some(to)));
            let same = from == to || [from, to].iter().all(|r| ["2026-07-28", "draft"].contains(r));
            assert_eq!(json["same"], same);
            let none = format!("There is no difference between {from} and {to}.\n");
            assert_eq!(text == none, same, "{text}");
            for part in ["features", "methods", "members", "required", "types", "unions", "enums"] {
                for side in ["added", "removed"] {
                    let list = json[part][side].as_array().unwrap();
                    assert!(!same || list.is_empty(), "{from} {to} {part}");
                }
            }
        }
    }
}

#[test]
fn what_is_lost_stands_first_and_what_takes_its_place_beside_it() {
    let text = diff("2025-11-25", "2026-07-28", &[]);
    let expected = "From 2025-11-25 to 2026-07-28\n\nLost from 2025-11-25 to 2026-07-28\n  ";
    assert!(text.starts_with(expected), "{text}");
    for line in [
        "\n  ToolExecution: `execution` of a tool (SEP-1686; removed in 2026-07-28).\n",
        "\n  ping, a request of the server; at 2026-07-28 answer it on the spot",
        "\n  notifications/progress, a notification of the client\n",
        "\n  ListToolsResult.ttlMs, required\n",
        "\nMembers now required\n  CallToolRequestParams._meta\n",
        "\n  InputRequiredResult: _meta?, inputRequests?, requestState?, resultType\n",
        "\n  InputRequiredResult in CallToolResultResponse.result\n",
        "\n  public in ListToolsResult.cacheScope\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn markdown_quotes_names() {
    let text = diff("2025-06-18", "2025-03-26", &["--markdown"]);
    for part in [
        "# From 2025-06-18 to 2025-03-26\n\n## Lost from 2025-06-18 to 2025-03-26\n\n- Title: ",
        "\n## Methods removed\n\n- `elicitation/create`, a request of the server\n",
        "\n- `CallToolResult.structuredContent`\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn bad_usage() {
    for args in [&["diff"][..], &["diff", "draft"], &["diff", "draft", "2025-06-19"]] {
        assert_eq!(droid(args, "").status, 2, "{args:?}");
    }
    assert_eq!(droid(&["diff", "draft", "draft", "--json", "--markdown"], "").status, 2);
}
