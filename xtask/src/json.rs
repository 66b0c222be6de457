//! JSON as text: keys sorted, each object or array on one line if it fits.

use serde_json::{Map, Value};

/// The column that a line does not pass if it can be broken.
const WIDTH: usize = 100;

/// Writes `value` as text that ends in a line feed.
pub(crate) fn print(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, 0, &mut text);
    text.push('\n');
    text
}

/// Writes `value` at `indent`, with `used` columns of its first line taken.
fn write(value: &Value, indent: usize, used: usize, text: &mut String) {
    let flat = flat(value);
    if used + flat.chars().count() < WIDTH {
        text.push_str(&flat);
        return;
    }
    let inner = " ".repeat(indent + 2);
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('{');
            for (i, (key, value)) in sorted(map).into_iter().enumerate() {
                let key = format!("{inner}{}: ", Value::from(key.as_str()));
                text.push_str(if i == 0 { "\n" } else { ",\n" });
                text.push_str(&key);
                write(value, indent + 2, key.chars().count(), text);
            }
            text.push_str(&format!("\n{}}}", " ".repeat(indent)));
        }
        Value::Array(values) if !values.is_empty() => {
            text.push('[');
            for (i, value) in values.iter().enumerate() {
                text.push_str(if i == 0 { "\n" } else { ",\n" });
                text.push_str(&inner);
                write(value, indent + 2, indent + 2, text);
            }
            text.push_str(&format!("\n{}]", " ".repeat(indent)));
        }
        _ => text.push_str(&flat),
    }
}

/// The value on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let members: Vec<String> = sorted(map)
                .into_iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), flat(value)))
                .collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(flat).collect();
            format!("[{}]", values.join(", "))
        }
        _ => value.to_string(),
    }
}

/// The members by key, whatever order the map keeps.
fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|(key, _)| *key);
    members
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    #[test]
    fn sorts_keys_and_keeps_what_fits_on_a_line() {
        let value = json!({ "b": [1, "x"], "a": { "d": {}, "c": [] } });
        assert_eq!(print(&value), "{ \"a\": { \"c\": [], \"d\": {} }, \"b\": [1, \"x\"] }\n");
    }

    #[test]
    fn breaks_what_does_not_fit() {
        let long = "x".repeat(60);
        let value = json!({ "b": [long, long], "a\n": null });
        assert_eq!(
            print(&value),
            format!(
                "{{\n  \"a\\n\": null,\n  \"b\": [\n    \"{long}\",\n    \"{long}\"\n  ]\n}}\n"
            )
        );
    }

    #[test]
    fn reads_back_as_the_same_value() {
        let value = json!({ "long": ["y".repeat(99)], "empty": {}, "number": 1.5 });
        assert_eq!(serde_json::from_str::<Value>(&print(&value)).unwrap(), value);
    }
}
