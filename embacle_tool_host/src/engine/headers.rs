//! The headers that repeat what a request of 2026-07-28 says, and their check against it.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use protocol_droid_ir::{JsonObject, JsonText, Number, Schema, Text};

/// The header that names a session, before 2026-07-28.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";
/// The header that names the revision, since 2025-06-18.
pub(crate) const VERSION_HEADER: &str = "mcp-protocol-version";

/// A property of a tool's arguments that the client repeats in a header.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct MirroredParam {
    /// The header's name in lower case, `mcp-param-…`.
    pub(crate) header: String,
    /// Where the value is: the names of the properties from the root on.
    path: Vec<String>,
}

/// What a header says, decoded: as it is, or from between `=?base64?` and `?=`.
///
/// # Errors
/// When what is between them is no base64 of UTF-8 text, or the value is not visible ASCII.
pub(crate) fn decoded(value: &[u8]) -> Result<Cow<'_, str>, &'static str> {
    if !value.iter().all(|b| (0x20..0x7f).contains(b) || *b == b'\t') {
        return Err("the value is not visible ASCII");
    }
    let text = std::str::from_utf8(value).map_err(|_| "the value is not ASCII")?;
    let text = text.trim_matches([' ', '\t']);
    let encoded = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        None => Ok(Cow::Borrowed(text)),
        Some(encoded) => {
            let bytes = STANDARD.decode(encoded).map_err(|_| "what is encoded is no base64")?;
            let text = String::from_utf8(bytes).map_err(|_| "what is encoded is no UTF-8")?;
            Ok(Cow::Owned(text))
        }
    }
}

/// The properties of `schema` that bear a usable `x-mcp-header`; those that break the rules are no
/// headers, since clients leave such tools out.
pub(crate) fn mirrored_params(schema: &Schema) -> Vec<MirroredParam> {
    let mut found = Vec::new();
    if schema.as_str().contains("x-mcp-header") {
        collect(schema.as_object(), &mut Vec::new(), &mut found);
    }
    found
}

const MAX_DEPTH: usize = 32;

fn collect(schema: &JsonObject, path: &mut Vec<String>, found: &mut Vec<MirroredParam>) {
    let properties = schema.get("properties").and_then(|p| JsonObject::try_from(p).ok());
    for (name, property) in properties.iter().flat_map(JsonObject::members) {
        let Ok(property) = JsonObject::new(property) else { continue };
        path.push(name.to_string());
        let text = |key| property.get(key).and_then(|v: JsonText| v.parse::<String>().ok());
        if let Some(header) = text("x-mcp-header")
            && is_token(&header)
            && matches!(text("type").as_deref(), Some("string" | "integer" | "boolean"))
        {
            let header = format!("mcp-param-{}", header.to_ascii_lowercase());
            if !found.iter().any(|other| other.header == header) {
                found.push(MirroredParam { header, path: path.clone() });
            }
        }
        if path.len() < MAX_DEPTH {
            collect(&property, path, found);
        }
        path.pop();
    }
}

fn is_token(name: &str) -> bool {
    let special = |b: u8| b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || special(b))
}

/// Checks the headers of a tool call against its arguments.
///
/// # Errors
/// The first that is missing, malformed or says something else.
pub(crate) fn check_params<'h>(
    params: &[MirroredParam],
    arguments: Option<&JsonObject>,
    header: impl Fn(&str) -> Option<&'h [u8]>,
) -> Result<(), String> {
    for param in params {
        let value = argument(arguments, &param.path);
        let name = &param.header;
        match (value, header(name)) {
            (None, None) => {}
            (None, Some(_)) => return Err(format!("{name}: the arguments have no such value")),
            (Some(_), None) => return Err(format!("{name}: missing, the arguments have a value")),
            (Some(value), Some(header)) => {
                let said = decoded(header).map_err(|error| format!("{name}: {error}"))?;
                if !same(&value, &said) {
                    return Err(format!("{name}: the arguments say something else"));
                }
            }
        }
    }
    Ok(())
}

fn argument(arguments: Option<&JsonObject>, path: &[String]) -> Option<JsonText> {
    let (last, parents) = path.split_last()?;
    let mut object = arguments?.clone();
    for name in parents {
        object = JsonObject::try_from(object.get(name)?).ok()?;
    }
    object.get(last).filter(|value| value.as_str() != "null")
}

/// The text of the argument that a header repeats, if there is one.
#[cfg(feature = "connect")]
pub(crate) fn argument_text(
    arguments: Option<&JsonObject>,
    param: &MirroredParam,
) -> Option<String> {
    let value = argument(arguments, &param.path)?;
    Some(value.parse::<String>().unwrap_or_else(|_| value.as_str().to_owned()))
}

/// Integers by their value, everything else by its text.
fn same(value: &JsonText, said: &str) -> bool {
    if let Ok(text) = value.parse::<String>() {
        return text == said;
    }
    let number = |text: &str| JsonText::new(text).ok().and_then(Number::from_json);
    match (Number::from_json(value.clone()), number(said)) {
        (Some(value), Some(said)) => value == said,
        _ => value.as_str() == said,
    }
}

/// What `Mcp-Name` repeats: the member of the parameters by the method.
pub(crate) fn name_member(params: &protocol_droid_ir::Params) -> Option<&Text> {
    use protocol_droid_ir::Params;
    match params {
        Params::CallTool(params) => Some(&params.name),
        Params::GetPrompt(params) => Some(&params.name),
        Params::ReadResource(params) => Some(&params.uri),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_itself_or_what_is_encoded() {
        for (value, expected) in [
            ("plain", Ok("plain")),
            (" padded\t", Ok("padded")),
            ("=?base64?SGVsbG8=?=", Ok("Hello")),
            ("=?base64?SGVsbG8?=", Err(())),
            ("=?base64?SGVs!!!!bG8=?=", Err(())),
            ("=?base64?/w==?=", Err(())),
            ("SGVsbG8=", Ok("SGVsbG8=")),
            ("=?base64?SGVsbG8=", Ok("=?base64?SGVsbG8=")),
            ("=?BASE64?SGVsbG8=?=", Ok("=?BASE64?SGVsbG8=?=")),
            ("a\u{1}", Err(())),
            ("é", Err(())),
        ] {
            let found = decoded(value.as_bytes());
            assert_eq!(found.as_deref().map_err(|_| ()), expected, "{value}");
        }
    }

    #[test]
    fn headers_repeat_what_the_schema_names() {
        let schema = Schema::new(
            r#"{"type":"object","properties":{
                "region":{"type":"string","x-mcp-header":"Region"},
                "n":{"type":"integer","x-mcp-header":"N"},
                "bad":{"type":"number","x-mcp-header":"Bad"},
                "space":{"type":"string","x-mcp-header":"a b"},
                "in":{"type":"object","properties":{"deep":{"type":"boolean","x-mcp-header":"Deep"}}},
                "list":{"type":"array","items":{"properties":{"x":{"type":"string","x-mcp-header":"X"}}}}
            }}"#,
        )
        .unwrap();
        let params = mirrored_params(&schema);
        let names: Vec<_> = params.iter().map(|p| p.header.as_str()).collect();
        assert_eq!(names, ["mcp-param-region", "mcp-param-n", "mcp-param-deep"]);
        let check = |arguments: &str, headers: &[(&str, &str)]| {
            let arguments = JsonObject::new(arguments).unwrap();
            check_params(&params, Some(&arguments), |name| {
                headers.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_bytes())
            })
            .is_ok()
        };
        let all = [("mcp-param-region", "eu"), ("mcp-param-n", "12"), ("mcp-param-deep", "true")];
        assert!(check(r#"{"region":"eu","n":12.0,"in":{"deep":true}}"#, &all));
        assert!(check(r#"{"region":null}"#, &[]));
        assert!(check("{}", &[]));
        assert!(!check(r#"{"region":"eu"}"#, &[]));
        assert!(!check(r#"{"region":"us"}"#, &all[..1]));
        assert!(!check("{}", &all[..1]));
    }
}
