//! A schema that is wrapped says of `{"result": value}` what it said of the value.

use jsonschema::validator_for;
use protocol_droid_ir::Schema;
use serde_json::{Value, json};

/// Schemas, each with values that it allows and values that it does not.
fn rows() -> Vec<(Value, Vec<Value>, Vec<Value>)> {
    let tree = |reference: Value| json!({"type": "array", "items": {"anyOf": [{"type": "integer"}, reference]}});
    let trees = (vec![json!([1, [2, [3]]])], vec![json!([1, [2, ["x"]]]), json!(1)]);
    let with = |mut schema: Value, members: Value| {
        let members = members.as_object().expect("an object").clone();
        schema.as_object_mut().expect("an object").extend(members);
        schema
    };
    let recursive = json!({"$schema": "https://json-schema.org/draft/2019-09/schema"});
    let number = (vec![json!([1])], vec![json!(["x"]), json!([null])]);
    let inside = json!({
        "$id": "https://example.com/inside",
        "$ref": "#/$defs/n",
        "$defs": {"n": {"type": "number"}},
    });
    let old_inside = json!({
        "$id": "https://example.com/inside",
        "allOf": [{"$ref": "#/definitions/n"}],
        "definitions": {"n": {"type": "number"}},
    });
    let rows = [
        (tree(json!({"$ref": "#"})), &trees),
        (tree(json!({"$ref": "#/$defs/t"})), &trees),
        (tree(json!({"$ref": "#t"})), &trees),
        (tree(json!({"$dynamicRef": "#t"})), &trees),
        (with(tree(json!({"$recursiveRef": "#"})), recursive.clone()), &trees),
        (
            with(
                tree(json!({"$recursiveRef": "#"})),
                with(recursive, json!({"$recursiveAnchor": true})),
            ),
            &trees,
        ),
        (with(tree(json!({"$ref": "#"})), json!({"$id": "https://example.com/root"})), &trees),
        (
            with(
                tree(json!({"$ref": "https://example.com/root"})),
                json!({"$id": "https://example.com/root"}),
            ),
            &trees,
        ),
        (json!({"type": "array", "items": {"$ref": "#/$defs/i"}, "$defs": {"i": inside}}), &number),
        (json!({"type": "array", "items": inside}), &number),
        (
            json!({"type": "array", "items": {"$ref": "https://example.com/inside"}, "$defs": {"i": inside}}),
            &number,
        ),
        (
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "array",
                "items": {"$ref": "#/definitions/i"},
                "definitions": {"i": old_inside},
            }),
            &number,
        ),
        (
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "array",
                "items": {"$id": "https://example.com/ignored", "$ref": "#/definitions/i"},
                "definitions": {"i": {"type": "number"}},
            }),
            &number,
        ),
        (
            json!({
                "$schema": "http://json-schema.org/draft-04/schema#",
                "id": "https://example.com/root",
                "type": "array",
                "items": {"$ref": "#/definitions/a~1b"},
                "definitions": {"a/b": {"type": "number"}},
            }),
            &number,
        ),
    ];
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(schema, (valid, invalid))| (schema, valid.clone(), invalid.clone()))
        .collect();
    // The targets of two of them.
    rows[1].0 =
        with(rows[1].0.clone(), json!({"$defs": {"t": tree(json!({"$ref": "#/$defs/t"}))}}));
    rows[2].0 = with(rows[2].0.clone(), json!({"$anchor": "t"}));
    rows[3].0 = with(rows[3].0.clone(), json!({"$dynamicAnchor": "t"}));
    rows
}

#[test]
fn what_was_valid_is_valid_inside_and_what_was_not_is_not() {
    for (schema, valid, invalid) in rows() {
        let wrapped = Schema::new(schema.to_string()).expect("an object").wrapped();
        let wrapped: Value = serde_json::from_str(wrapped.as_str()).expect("JSON");
        let [before, after] = [&schema, &wrapped].map(|s| validator_for(s).expect("a schema"));
        for (values, expected) in [(valid, true), (invalid, false)] {
            for value in values {
                assert_eq!(before.is_valid(&value), expected, "{schema}: {value}");
                let inside = json!({"result": value});
                assert_eq!(after.is_valid(&inside), expected, "{wrapped}: {inside}");
            }
        }
        assert!(!after.is_valid(&json!({})));
    }
}
