//! The state of a request that asks: what the client carries from one round to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use protocol_droid_ir::{
    CallToolParams, GetPromptParams, JsonObject, JsonText, ReadResourceParams, Text, canonical_json,
};
use serde_json::value::RawValue;

use crate::keys::{Keys, digest};

/// What an earlier round has left.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) answers: Vec<(Text, JsonText)>,
    pub(crate) kept: BTreeMap<String, JsonText>,
}

/// What a state belongs to: nobody else can use it, nor for anything else.
#[derive(Clone, Copy)]
pub(crate) struct Binding([u8; 32]);

impl Binding {
    /// Binds to whoever calls, the tool and its arguments.
    pub(crate) fn of_tool(principal: &[u8; 32], params: &CallToolParams) -> Self {
        let arguments = params.arguments.as_ref().map(canonical).unwrap_or_default();
        Self::new(principal, "tools/call", &params.name, &arguments)
    }

    /// Binds to whoever reads, and the resource.
    pub(crate) fn of_resource(principal: &[u8; 32], params: &ReadResourceParams) -> Self {
        Self::new(principal, "resources/read", &params.uri, "")
    }

    /// Binds to whoever gets the prompt, the prompt and its arguments.
    pub(crate) fn of_prompt(principal: &[u8; 32], params: &GetPromptParams) -> Self {
        let pairs = params.arguments.iter().flatten();
        let sorted: BTreeMap<_, _> = pairs.map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let arguments = serde_json::to_string(&sorted).unwrap_or_default();
        Self::new(principal, "prompts/get", &params.name, &arguments)
    }

    fn new(principal: &[u8; 32], method: &str, name: &str, arguments: &str) -> Self {
        Self(digest(&[principal, method.as_bytes(), name.as_bytes(), arguments.as_bytes()]))
    }
}

/// The same text for the same arguments, in whatever order and spelling the client repeats them:
/// numbers to the last digit. Those that have no such text must be repeated to the byte.
fn canonical(arguments: &JsonObject) -> String {
    canonical_json(arguments.as_str()).unwrap_or_else(|| arguments.as_str().to_owned())
}

/// Seals a state that holds until `expiry`, a time since 1970.
pub(crate) fn seal(state: &State, binding: &Binding, expiry: Duration, keys: &Keys) -> String {
    let raw = |json: &JsonText| RawValue::from_string(json.as_str().to_owned()).ok();
    let answers: Vec<_> = state.answers.iter().map(|(k, v)| (k.as_str(), raw(v))).collect();
    let kept: BTreeMap<_, _> = state.kept.iter().map(|(k, v)| (k, raw(v))).collect();
    let plain = serde_json::to_vec(&(expiry.as_secs(), answers, kept)).unwrap_or_default();
    keys.seal(&binding.0, &plain)
}

/// Opens a state at the time `now`.
///
/// # Errors
/// In words for the client: it was changed, belongs to another request, or came too late.
pub(crate) fn open(
    sealed: &str,
    binding: &Binding,
    now: Duration,
    keys: &Keys,
) -> Result<State, &'static str> {
    type Plain = (u64, Vec<(String, Box<RawValue>)>, BTreeMap<String, Box<RawValue>>);
    let plain = keys.open(&binding.0, sealed).ok_or("not a state of this request")?;
    let (expiry, answers, kept): Plain =
        serde_json::from_slice(&plain).map_err(|_| "not a state of this request")?;
    if now.as_secs() > expiry {
        return Err("the state has expired");
    }
    let text = |raw: Box<RawValue>| JsonText::new(String::from(Box::<str>::from(raw))).ok();
    Ok(State {
        answers: answers
            .into_iter()
            .filter_map(|(key, raw)| Some((key.into(), text(raw)?)))
            .collect(),
        kept: kept.into_iter().filter_map(|(key, raw)| Some((key, text(raw)?))).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> CallToolParams {
        CallToolParams {
            name: name.into(),
            arguments: JsonObject::new(arguments).ok(),
            ..CallToolParams::default()
        }
    }

    #[test]
    fn a_state_is_bound_to_the_exact_value_of_the_arguments() {
        let bound = |arguments: &str| Binding::of_tool(&[0; 32], &call("t", arguments)).0;
        for (one, other) in [
            (r#"{"n":1}"#, r#"{"n":2,"n":1}"#),
            (r#"{"n":2,"n":1}"#, r#"{"n":1,"n":2}"#),
            (r#"{"o":{"n":1}}"#, r#"{"o":{"n":2,"n":1}}"#),
            (r#"{"n":10000000000000000000000001}"#, r#"{"n":10000000000000000000000002}"#),
            (r#"{"n":0.1}"#, r#"{"n":0.1000000000000000000001}"#),
            (r#"{"n":1e400}"#, r#"{"n":1e401}"#),
            (r#"{"n":[1,2]}"#, r#"{"n":[2,1]}"#),
            (r#"{"n":"\ud800"}"#, r#"{"n":"\ud801"}"#),
            (r#"{"n":true}"#, r#"{"n":false}"#),
            (r#"{"n":"1"}"#, r#"{"n":1}"#),
        ] {
            assert_ne!(bound(one), bound(other), "{one} {other}");
            assert_eq!(bound(one), bound(one), "{one}");
        }
        for (one, other) in [
            (r#"{"o":{"a":1,"b":[2]}}"#, r#"{ "o": {"b":[ 2.0 ], "a":1e0 } }"#),
            (r#"{"\u0061":"\u00e9"}"#, r#"{"a":"é"}"#),
        ] {
            assert_eq!(bound(one), bound(other), "{one} {other}");
        }
    }

    #[test]
    fn a_state_opens_for_its_own_request_alone_and_in_time() {
        let keys = Keys::new(&[7; 32]);
        let binding = Binding::of_tool(&[0; 32], &call("t", r#"{"a":1,"b":2}"#));
        let json = |text: &str| JsonText::new(text).unwrap();
        let state = State {
            answers: vec![("k".into(), json(r#"{"action":"accept"}"#))],
            kept: BTreeMap::from([("n".to_owned(), json("1.0"))]),
        };
        let sealed = seal(&state, &binding, Duration::from_secs(100), &keys);
        let at = |binding: &Binding, seconds| {
            open(&sealed, binding, Duration::from_secs(seconds), &keys)
        };
        assert_eq!(at(&binding, 100), Ok(state));
        assert_eq!(at(&binding, 101), Err("the state has expired"));
        let repeated = Binding::of_tool(&[0; 32], &call("t", r#"{ "b": 2, "a": 1 }"#));
        assert!(at(&repeated, 1).is_ok());
        for (principal, params) in [
            ([1; 32], call("t", r#"{"a":1,"b":2}"#)),
            ([0; 32], call("u", r#"{"a":1,"b":2}"#)),
            ([0; 32], call("t", r#"{"a":1,"b":3}"#)),
        ] {
            let foreign = Binding::of_tool(&principal, &params);
            assert_eq!(at(&foreign, 1), Err("not a state of this request"));
        }
    }
}
