//! What errors say beside their sentence: the codes that the protocol gives a meaning, and the data
//! that goes with some of them.

use thiserror::Error;

use crate::json::{Extensions, JsonObject, JsonText};
use crate::message::ErrorObject;
use crate::text::Text;
use crate::version::ProtocolVersion;
use ProtocolVersion::{V2024_11_05, V2025_11_25, V2026_07_28};

/// The text is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is no request.
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method, or the receiver does not offer it.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not what the method takes.
pub const INVALID_PARAMS: i64 = -32602;
/// Something went wrong with the receiver.
pub const INTERNAL_ERROR: i64 = -32603;
/// There is no such resource; until 2025-11-25.
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The user has declined that the model be asked; until 2025-11-25.
pub const SAMPLING_REJECTED: i64 = -1;
/// URLs must be visited before the request can be done; 2025-11-25 only.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// Headers of HTTP and the message contradict each other; since 2026-07-28.
pub const HEADER_MISMATCH: i64 = -32020;
/// The client has not declared what the request needs; since 2026-07-28.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The receiver does not know the revision that the request is made in; since 2026-07-28.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;

/// What a code means at some revisions.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ErrorMeaning {
    /// The code.
    pub code: i64,
    /// What it means there, in words for a person.
    pub meaning: &'static str,
    /// The first revision at which it does.
    pub first: ProtocolVersion,
    /// The last revision at which it does.
    pub last: ProtocolVersion,
}

impl ErrorMeaning {
    const fn new(
        code: i64,
        [first, last]: [ProtocolVersion; 2],
        meaning: &'static str,
    ) -> ErrorMeaning {
        ErrorMeaning { code, meaning, first, last }
    }

    /// Whether the code means this at `version`.
    pub fn is_in(&self, version: ProtocolVersion) -> bool {
        (self.first..=self.last).contains(&version)
    }

    /// What `code` means at `version`: nothing, one thing, or several that the rest of the error
    /// must tell apart.
    pub fn of(code: i64, version: ProtocolVersion) -> impl Iterator<Item = &'static ErrorMeaning> {
        ERROR_MEANINGS.iter().filter(move |row| row.code == code && row.is_in(version))
    }
}

const ALWAYS: [ProtocolVersion; 2] = [V2024_11_05, V2026_07_28];
const LEGACY: [ProtocolVersion; 2] = [V2024_11_05, V2025_11_25];
const TASKS: [ProtocolVersion; 2] = [V2025_11_25, V2025_11_25];
const LATE: [ProtocolVersion; 2] = [V2025_11_25, V2026_07_28];
const MODERN: [ProtocolVersion; 2] = [V2026_07_28, V2026_07_28];

/// Every meaning that a revision gives a code. Codes from -32019 to -32000 are otherwise anybody's,
/// those from -32099 to -32020 too until 2025-11-25 and nobody's from then on.
pub const ERROR_MEANINGS: &[ErrorMeaning] = &[
    ErrorMeaning::new(PARSE_ERROR, ALWAYS, "the text is no JSON"),
    ErrorMeaning::new(INVALID_REQUEST, ALWAYS, "the JSON is no request"),
    ErrorMeaning::new(INVALID_REQUEST, TASKS, "the receiver demands that a task be made of this"),
    ErrorMeaning::new(METHOD_NOT_FOUND, ALWAYS, "no such method"),
    ErrorMeaning::new(METHOD_NOT_FOUND, ALWAYS, "the receiver lacks the capability"),
    ErrorMeaning::new(METHOD_NOT_FOUND, TASKS, "the tool cannot be called as a task, or only so"),
    ErrorMeaning::new(INVALID_PARAMS, ALWAYS, "the parameters are not what the method takes"),
    ErrorMeaning::new(INVALID_PARAMS, ALWAYS, "no such tool, prompt, cursor or log level"),
    ErrorMeaning::new(INVALID_PARAMS, LATE, "the client does not elicit in this mode"),
    ErrorMeaning::new(INVALID_PARAMS, LATE, "tool uses and their results do not go together"),
    ErrorMeaning::new(INVALID_PARAMS, LATE, "no such task"),
    ErrorMeaning::new(INVALID_PARAMS, TASKS, "the task to be cancelled has ended"),
    ErrorMeaning::new(INVALID_PARAMS, MODERN, "no such resource"),
    ErrorMeaning::new(INTERNAL_ERROR, ALWAYS, "something went wrong with the receiver"),
    ErrorMeaning::new(RESOURCE_NOT_FOUND, LEGACY, "no such resource"),
    ErrorMeaning::new(SAMPLING_REJECTED, LEGACY, "the user declined that the model be asked"),
    ErrorMeaning::new(URL_ELICITATION_REQUIRED, TASKS, "URLs in data must be visited first"),
    ErrorMeaning::new(HEADER_MISMATCH, MODERN, "headers and message contradict each other"),
    ErrorMeaning::new(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        MODERN,
        "the client has not declared the capabilities in data",
    ),
    ErrorMeaning::new(
        UNSUPPORTED_PROTOCOL_VERSION,
        MODERN,
        "the revision is not among those in data",
    ),
];

/// An error that is of another kind than asked for, or whose data is not what goes with its kind.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ErrorDataError {
    /// The error is of another kind.
    #[error("error.code: expected {expected}, found {found}")]
    Code {
        /// The code of the kind asked for.
        expected: i64,
        /// The error's.
        found: i64,
    },
    /// The data, or a member of it, is not of its type or not there.
    #[error("{path}: expected {expected}")]
    Data {
        /// Where, as in `error.data.supported`.
        path: &'static str,
        /// What goes there.
        expected: &'static str,
    },
}

/// What error -32022 says: the revision of a request is not one that the receiver knows; since
/// 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnsupportedProtocolVersion {
    /// The revisions that the receiver knows.
    pub supported: Vec<Text>,
    /// That of the request.
    pub requested: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl UnsupportedProtocolVersion {
    /// The error that says this, with a sentence.
    pub fn into_error(self, message: impl Into<Text>) -> ErrorObject {
        let supported = list(self.supported.iter().map(JsonText::from));
        let members = [("supported", supported), ("requested", JsonText::from(&self.requested))];
        error(UNSUPPORTED_PROTOCOL_VERSION, message, members, self.extensions)
    }
}

impl TryFrom<&ErrorObject> for UnsupportedProtocolVersion {
    type Error = ErrorDataError;

    fn try_from(error: &ErrorObject) -> Result<Self, ErrorDataError> {
        let mut data = members(error, UNSUPPORTED_PROTOCOL_VERSION)?;
        let supported = data.remove("supported").and_then(|json| json.parse().ok());
        let requested = data.remove("requested").and_then(|json| json.parse().ok());
        Ok(Self {
            supported: supported.ok_or(wrong("error.data.supported", "an array of strings"))?,
            requested: requested.ok_or(wrong("error.data.requested", "a string"))?,
            extensions: data,
        })
    }
}

/// What error -32021 says: the client has not declared what the request needs; since 2026-07-28.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissingRequiredClientCapability {
    /// What it would have to declare, in the form of
    /// [`ClientCapabilities`](crate::ClientCapabilities).
    pub required_capabilities: JsonObject,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl MissingRequiredClientCapability {
    /// The error that says this, with a sentence.
    pub fn into_error(self, message: impl Into<Text>) -> ErrorObject {
        let members = [("requiredCapabilities", self.required_capabilities.into())];
        error(MISSING_REQUIRED_CLIENT_CAPABILITY, message, members, self.extensions)
    }
}

impl TryFrom<&ErrorObject> for MissingRequiredClientCapability {
    type Error = ErrorDataError;

    fn try_from(error: &ErrorObject) -> Result<Self, ErrorDataError> {
        let mut data = members(error, MISSING_REQUIRED_CLIENT_CAPABILITY)?;
        let required = data.remove("requiredCapabilities");
        let required = required.and_then(|json| JsonObject::try_from(json).ok());
        Ok(Self {
            required_capabilities: required
                .ok_or(wrong("error.data.requiredCapabilities", "an object"))?,
            extensions: data,
        })
    }
}

/// What error -32042 says: URLs must be visited before the request can be done; 2025-11-25 only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UrlElicitationRequired {
    /// Each in the form of [`ElicitUrlParams`](crate::ElicitUrlParams); to be read one by one, so
    /// that one that cannot be read costs only itself.
    pub elicitations: Vec<JsonText>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

impl UrlElicitationRequired {
    /// The error that says this, with a sentence.
    pub fn into_error(self, message: impl Into<Text>) -> ErrorObject {
        let members = [("elicitations", list(self.elicitations))];
        error(URL_ELICITATION_REQUIRED, message, members, self.extensions)
    }
}

impl TryFrom<&ErrorObject> for UrlElicitationRequired {
    type Error = ErrorDataError;

    fn try_from(error: &ErrorObject) -> Result<Self, ErrorDataError> {
        let mut data = members(error, URL_ELICITATION_REQUIRED)?;
        let elicitations = data.remove("elicitations").and_then(|json| json.parse().ok());
        Ok(Self {
            elicitations: elicitations.ok_or(wrong("error.data.elicitations", "an array"))?,
            extensions: data,
        })
    }
}

fn wrong(path: &'static str, expected: &'static str) -> ErrorDataError {
    ErrorDataError::Data { path, expected }
}

/// The members of the data of an error that must be of this code.
fn members(error: &ErrorObject, code: i64) -> Result<Extensions, ErrorDataError> {
    if error.code != code {
        return Err(ErrorDataError::Code { expected: code, found: error.code });
    }
    let data = error.data.clone().and_then(|data| JsonObject::try_from(data).ok());
    data.as_ref().map(Extensions::from).ok_or(wrong("error.data", "an object"))
}

fn list(items: impl IntoIterator<Item = JsonText>) -> JsonText {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    JsonText::trusted(format!("[{}]", items.join(",")))
}

fn error<const N: usize>(
    code: i64,
    message: impl Into<Text>,
    members: [(&'static str, JsonText); N],
    extensions: Extensions,
) -> ErrorObject {
    let mut data: Extensions =
        members.into_iter().map(|(name, value)| (name.into(), value)).collect();
    for (name, value) in extensions.iter() {
        data.push(name.clone(), value.clone());
    }
    ErrorObject { data: Some(JsonObject::from(&data).into()), ..ErrorObject::new(code, message) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::Feature;

    fn with_data(code: i64, data: &str) -> ErrorObject {
        let data = Some(JsonText::new(data).expect("JSON"));
        ErrorObject { data, ..ErrorObject::new(code, "m") }
    }

    #[test]
    fn the_data_of_an_error_is_read_and_written() {
        let text = r#"{"supported":["2026-07-28","x"],"requested":"y","a":1.0}"#;
        let found = with_data(-32022, text);
        let read = UnsupportedProtocolVersion::try_from(&found).unwrap();
        assert_eq!((read.supported.len(), read.requested.as_str()), (2, "y"));
        assert_eq!(read.into_error("m"), found);
        let text = r#"{"requiredCapabilities":{"sampling":{ "tools":{}}},"a":1.0}"#;
        let found = with_data(-32021, text);
        let read = MissingRequiredClientCapability::try_from(&found).unwrap();
        assert_eq!(read.required_capabilities.as_str(), r#"{"sampling":{ "tools":{}}}"#);
        assert_eq!(read.into_error("m"), found);
        let text = r#"{"elicitations":[{"mode":"url","url":"u"},1.0],"a":1.0}"#;
        let found = with_data(-32042, text);
        let read = UrlElicitationRequired::try_from(&found).unwrap();
        assert_eq!(read.elicitations[1].as_str(), "1.0");
        assert_eq!(read.into_error("m"), found);
        let none = UrlElicitationRequired::default().into_error("m");
        assert_eq!(none, with_data(-32042, r#"{"elicitations":[]}"#));
    }

    #[test]
    fn what_is_not_of_the_kind_says_where() {
        let told = |found: &ErrorObject| {
            UnsupportedProtocolVersion::try_from(found).expect_err("it is not").to_string()
        };
        assert_eq!(told(&with_data(-32601, "{}")), "error.code: expected -32022, found -32601");
        for data in ["null", "[]", r#""2026-07-28""#] {
            assert_eq!(told(&with_data(-32022, data)), "error.data: expected an object");
        }
        assert_eq!(told(&ErrorObject::new(-32022, "m")), "error.data: expected an object");
        for data in ["{}", r#"{"supported":[1]}"#, r#"{"supported":null}"#] {
            let expected = "error.data.supported: expected an array of strings";
            assert_eq!(told(&with_data(-32022, data)), expected);
        }
        let data = r#"{"supported":[],"requested":1}"#;
        assert_eq!(told(&with_data(-32022, data)), "error.data.requested: expected a string");
        let found = with_data(-32021, r#"{"requiredCapabilities":[]}"#);
        assert!(MissingRequiredClientCapability::try_from(&found).is_err());
        let found = with_data(-32042, r#"{"elicitations":{}}"#);
        assert!(UrlElicitationRequired::try_from(&found).is_err());
    }

    #[test]
    fn a_code_has_a_meaning_where_its_feature_is() {
        for row in ERROR_MEANINGS {
            let Some(feature) = Feature::of_error_code(row.code) else { continue };
            for version in ProtocolVersion::ALL {
                assert_eq!(row.is_in(version), feature.is_in(version), "{row:?}");
            }
        }
        let count = |code, version| ErrorMeaning::of(code, version).count();
        assert_eq!(count(-32002, V2026_07_28), 0);
        assert_eq!(count(-32002, V2025_11_25), 1);
        assert_eq!(count(-32602, V2024_11_05), 2);
        assert_eq!(count(-32700, V2026_07_28), 1);
    }
}
