//! The body of a tool-call request, with its arguments as a [`Value`] or as exact text.

use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use crate::{
    call_id::{CallId, RecordFallback},
    object::Object,
    validate::{ValidateError, validate},
};

/// The body of a tool-call [`Request`](crate::FrameType::Request) frame on a bound route.
///
/// The body is one JSON object. Unknown members are ignored, a modelled member that comes twice is
/// an error, and an absent or `null` optional decodes as `None`. `None` is not written, so a body of
/// two members is the same bytes as from a producer that knows only those two.
///
/// This form reads arguments and progress token into a [`Value`], which is convenient and not exact:
/// numbers beyond 64-bit integers become `f64` and lose digits, `1e2` becomes `100.0`, the last of
/// two equal keys wins, key order may change, and numbers beyond `f64`, lone surrogates and nesting
/// over 128 levels do not decode. Whoever passes them on uses [`RawToolCallRequest`].
///
/// A progress token of `Some(Value::Null)` is written as `null` and so reads back as `None`.
///
/// ```
/// use subc_protocol::ToolCallRequest;
///
/// let request = ToolCallRequest::new("echo", serde_json::json!({"text": "hi"}));
/// let body = serde_json::to_string(&request)?;
/// assert_eq!(body, r#"{"name":"echo","arguments":{"text":"hi"}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schemars",
    schemars(!from, description = "The body of a tool-call request on a bound route.")
)]
#[serde(from = "Object<Members<Value>>")]
pub struct ToolCallRequest {
    /// The tool's name, as the provider announced it.
    pub name: String,
    /// The tool's arguments, as the model wrote them; an object unless the producer is broken.
    pub arguments: Value,
    /// The consumer's id of the call, unique on its side. Its absence says that this producer sent
    /// none, never that the call has no identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The token under which the consumer wants progress reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<Value>,
}

impl ToolCallRequest {
    /// A request without id and progress token.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self { name: name.into(), arguments, tool_call_id: None, progress_token: None }
    }

    /// The call's id: the one supplied, or else what `fallback` makes up, told to `recorder` first.
    ///
    /// The id is taken as it stands; [`validate`](Self::validate) says whether it is well formed.
    pub fn call_id(
        &self,
        fallback: impl FnOnce() -> String,
        recorder: &mut (impl RecordFallback + ?Sized),
    ) -> CallId {
        CallId::resolve(&self.name, self.tool_call_id.as_deref(), fallback, recorder)
    }

    /// Checks what decoding leaves open: the name is not empty, the arguments are an object, and an
    /// id that is present has 1 to [`MAX_ID_LEN`](crate::MAX_ID_LEN) bytes of 0x21 to 0x7E.
    ///
    /// # Errors
    ///
    /// The first member at fault, in the order of the fields.
    pub fn validate(&self) -> Result<(), ValidateError> {
        let arguments = match &self.arguments {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        validate(&self.name, arguments, self.tool_call_id.as_deref())
    }
}

impl From<Object<Members<Value>>> for ToolCallRequest {
    fn from(Object(members): Object<Members<Value>>) -> Self {
        Self {
            name: members.name,
            arguments: members.arguments,
            tool_call_id: members.tool_call_id,
            progress_token: members.progress_token,
        }
    }
}

impl TryFrom<RawToolCallRequest> for ToolCallRequest {
    type Error = serde_json::Error;

    /// Reads the exact text into [`Value`]s, with the losses that [`ToolCallRequest`] lists.
    ///
    /// # Errors
    ///
    /// A number beyond `f64`, a lone surrogate, or nesting over 128 levels.
    fn try_from(raw: RawToolCallRequest) -> Result<Self, Self::Error> {
        Ok(Self {
            name: raw.name,
            arguments: serde_json::from_str(raw.arguments.get())?,
            tool_call_id: raw.tool_call_id,
            progress_token: raw
                .progress_token
                .map(|token| serde_json::from_str(token.get()))
                .transpose()?,
        })
    }
}

/// [`ToolCallRequest`] with the arguments and the progress token as the exact text that came.
///
/// Key order, duplicate keys, whitespace within a value, and the spelling of numbers and strings
/// survive from decoding to encoding. Both forms read and write the same bodies.
///
/// ```
/// use subc_protocol::RawToolCallRequest;
///
/// let body = r#"{"name":"pay","arguments":{"b":1e2,"a":1,"a":2}}"#;
/// let request: RawToolCallRequest = serde_json::from_str(body)?;
/// assert_eq!(request.arguments.get(), r#"{"b":1e2,"a":1,"a":2}"#);
/// assert_eq!(serde_json::to_string(&request)?, body);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(from = "Object<Members<Box<RawValue>>>")]
pub struct RawToolCallRequest {
    /// See [`ToolCallRequest::name`].
    pub name: String,
    /// The text of the arguments: valid JSON, of any type.
    pub arguments: Box<RawValue>,
    /// See [`ToolCallRequest::tool_call_id`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The text of the progress token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<Box<RawValue>>,
}

impl RawToolCallRequest {
    /// A request without id and progress token. [`RawValue::from_string`] makes the arguments.
    pub fn new(name: impl Into<String>, arguments: Box<RawValue>) -> Self {
        Self { name: name.into(), arguments, tool_call_id: None, progress_token: None }
    }

    /// See [`ToolCallRequest::call_id`].
    pub fn call_id(
        &self,
        fallback: impl FnOnce() -> String,
        recorder: &mut (impl RecordFallback + ?Sized),
    ) -> CallId {
        CallId::resolve(&self.name, self.tool_call_id.as_deref(), fallback, recorder)
    }

    /// See [`ToolCallRequest::validate`].
    ///
    /// # Errors
    ///
    /// The first member at fault, in the order of the fields.
    pub fn validate(&self) -> Result<(), ValidateError> {
        // A raw value is valid JSON without surrounding whitespace, so its first byte is its type.
        let arguments = match self.arguments.get().as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        validate(&self.name, arguments, self.tool_call_id.as_deref())
    }
}

impl From<Object<Members<Box<RawValue>>>> for RawToolCallRequest {
    fn from(Object(members): Object<Members<Box<RawValue>>>) -> Self {
        Self {
            name: members.name,
            arguments: members.arguments,
            tool_call_id: members.tool_call_id,
            progress_token: members.progress_token,
        }
    }
}

impl From<ToolCallRequest> for RawToolCallRequest {
    /// Writes the values as compact text.
    fn from(request: ToolCallRequest) -> Self {
        Self {
            name: request.name,
            arguments: raw(&request.arguments),
            tool_call_id: request.tool_call_id,
            progress_token: request.progress_token.as_ref().map(raw),
        }
    }
}

impl PartialEq for RawToolCallRequest {
    /// Equal texts: `1e2` is not `100`.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.arguments.get() == other.arguments.get()
            && self.tool_call_id == other.tool_call_id
            && self.progress_token.as_deref().map(RawValue::get)
                == other.progress_token.as_deref().map(RawValue::get)
    }
}

/// The members of the body as they are read, whatever form the free values take.
#[derive(Deserialize)]
struct Members<V> {
    name: String,
    arguments: V,
    tool_call_id: Option<String>,
    progress_token: Option<V>,
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("a `Value` has string keys and finite numbers, so it serialises")
}
