//! Tools in the table of the design's section 5: what comes out, and the exact report.

use protocol_droid_ir::Action::{Dropped, Fallback};
use protocol_droid_ir::Feature;
use protocol_droid_tests::translated::{A, B, C, Change, D, E, tool_becomes};

#[test]
fn an_output_schema_that_is_no_object_schema_is_wrapped_and_its_references_follow() {
    let change = ("/result/tools/0/outputSchema", Feature::AnyOutputSchema, Fallback);
    let tool = |schema: &str| {
        format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#)
    };
    for (schema, wrapped) in [
        (
            r##"{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#"}}}"##,
            r##"{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result/$defs/a"},"$defs":{"a":{"$ref":"#/properties/result"}}}},"required":["result"]}"##,
        ),
        (
            r#"{"type":["object","null"]}"#,
            r#"{"type":"object","properties":{"result":{"type":["object","null"]}},"required":["result"]}"#,
        ),
        ("{}", r#"{"type":"object","properties":{"result":{}},"required":["result"]}"#),
    ] {
        for to in [C, D] {
            tool_becomes(&tool(schema), (E, to), &tool(wrapped), &[change]);
        }
        for to in [A, B] {
            let gone = ("/result/tools/0/outputSchema", Feature::OutputSchema, Dropped);
            let without = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
            tool_becomes(&tool(schema), (E, to), without, &[gone]);
        }
    }
}

#[test]
fn members_of_a_tool_are_dropped_where_they_do_not_exist() {
    const ICON: &str = r#""icons":[{"src":"data:,"}]"#;
    const HINTS: &str = r#""annotations":{"readOnlyHint":true,"title":"A"}"#;
    const SCHEMA: &str = r#""outputSchema":{"type":"object"}"#;
    const RUN: &str = r#""execution":{"taskSupport":"optional"}"#;
    let rows: &[(&str, &[&str], &[&str], Change)] = &[
        (
            HINTS,
            &[B, C, D, E],
            &[A],
            ("/result/tools/0/annotations", Feature::ToolAnnotations, Dropped),
        ),
        (
            SCHEMA,
            &[C, D, E],
            &[A, B],
            ("/result/tools/0/outputSchema", Feature::OutputSchema, Dropped),
        ),
        (ICON, &[D, E], &[A, B, C], ("/result/tools/0/icons", Feature::Icons, Dropped)),
        (
            RUN,
            &[D],
            &[A, B, C, E, "draft"],
            ("/result/tools/0/execution", Feature::ToolExecution, Dropped),
        ),
    ];
    for (member, from, to, change) in rows {
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
            let tool = format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},{member}}}"#);
            let without = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
            tool_becomes(&tool, (from, to), without, &[*change]);
        }
    }
}

#[test]
fn a_title_of_a_tool_moves_to_its_annotations_where_only_they_have_one() {
    let tool = |rest: &str| format!(r#"{{"name":"a","inputSchema":{{"type":"object"}}{rest}}}"#);
    let titled = tool(r#","title":"T""#);
    let hinted = tool(r#","title":"T","annotations":{"readOnlyHint":true}"#);
    let doubly = tool(r#","title":"T","annotations":{"title":"U"}"#);
    let at = "/result/tools/0/title";
    for from in [C, D, E] {
        let moved = &[(at, Feature::Title, Fallback)];
        tool_becomes(&titled, (from, B), &tool(r#","annotations":{"title":"T"}"#), moved);
        let both = tool(r#","annotations":{"readOnlyHint":true,"title":"T"}"#);
        tool_becomes(&hinted, (from, B), &both, moved);
        let kept = tool(r#","annotations":{"title":"U"}"#);
        let dropped = (at, Feature::Title, Dropped);
        tool_becomes(&doubly, (from, B), &kept, &[dropped]);
        tool_becomes(&titled, (from, A), &tool(""), &[dropped]);
        let hints = ("/result/tools/0/annotations", Feature::ToolAnnotations, Dropped);
        tool_becomes(&doubly, (from, A), &tool(""), &[hints, dropped]);
    }
}

#[test]
fn boolean_schemas_are_spelled_out_for_older_peers() {
    let tool = |a: &str, b: &str| {
        format!(
            r#"{{"name":"n","inputSchema":{{"type":"object","properties":{{"a":{a},"b":{b},"c":{{"not":true}}}},"additionalProperties":false}}}}"#
        )
    };
    let at = "/result/tools/0/inputSchema";
    for to in [A, B, C, D] {
        let spelled = tool("{}", r#"{"not":{}}"#);
        tool_becomes(
            &tool("true", "false"),
            (E, to),
            &spelled,
            &[(at, Feature::BooleanSchemas, Fallback)],
        );
        tool_becomes(&spelled, (E, to), &spelled, &[]);
    }
}
