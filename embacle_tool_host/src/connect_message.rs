//! What a message that is passed on says of itself, and what headers can say of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use protocol_droid_ir::{JsonObject, JsonText, RequestId};

/// What a message says of itself.
pub(crate) struct Head {
    pub(crate) id: Option<RequestId>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<JsonObject>,
    /// The version that the request names: it speaks for itself.
    pub(crate) modern: Option<String>,
}

impl Head {
    pub(crate) fn read(line: &str) -> Option<Self> {
        let message = JsonObject::new(line).ok()?;
        let params = message.get("params").and_then(|params| JsonObject::try_from(params).ok());
        let meta = params.as_ref().and_then(|p| JsonObject::try_from(p.get("_meta")?).ok());
        let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
        Some(Self {
            id: message.get("id").and_then(RequestId::from_json),
            method: message.get("method").and_then(|method| method.parse().ok()),
            modern: version.and_then(|version| version.parse().ok()),
            params,
        })
    }

    /// The id, if the message is a request.
    pub(crate) fn request(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| self.method.is_some())
    }

    pub(crate) fn param(&self, name: &str) -> Option<String> {
        self.params.as_ref()?.get(name)?.parse().ok()
    }
}

/// The messages of a text that is one, or a batch of them.
pub(crate) fn messages(text: &str) -> Option<Vec<JsonObject>> {
    match JsonObject::new(text) {
        Ok(message) => message.get("jsonrpc").is_some().then(|| vec![message]),
        Err(_) => {
            let batch = JsonText::new(text).ok()?;
            batch.as_str().starts_with('[').then(|| items(batch))
        }
    }
}

/// The answer to `id` among messages.
pub(crate) fn answer<'m>(messages: &'m [JsonObject], id: &RequestId) -> Option<&'m JsonObject> {
    messages.iter().find(|message| {
        let ends = message.get("result").is_some() || message.get("error").is_some();
        ends && message.get("id").and_then(RequestId::from_json).as_ref() == Some(id)
    })
}

/// The error of a message that does not say to what request.
pub(crate) fn refusal(messages: &[JsonObject]) -> Option<JsonText> {
    let [message] = messages else { return None };
    let id = message.get("id").filter(|id| id.as_str() != "null");
    message.get("error").filter(|_| id.is_none())
}

/// The objects of a list.
pub(crate) fn items(array: JsonText) -> Vec<JsonObject> {
    let items: Vec<Box<serde_json::value::RawValue>> = array.parse().unwrap_or_default();
    items.iter().filter_map(|item| JsonObject::new(item.get()).ok()).collect()
}

/// A value as it is, or encoded where a header cannot hold it or would be misread.
pub(crate) fn encoded(value: &str) -> Option<HeaderValue> {
    let plain = value.bytes().all(|b| (0x20..0x7f).contains(&b) || b == b'\t')
        && value.trim_matches([' ', '\t']) == value
        && !(value.starts_with("=?base64?") && value.ends_with("?="));
    match plain {
        true => HeaderValue::from_str(value).ok(),
        false => HeaderValue::try_from(format!("=?base64?{}?=", STANDARD.encode(value))).ok(),
    }
}
