//! What an agent on stdio cannot mend itself: a session that is lost, headers of tools not listed.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use http::HeaderValue;
use protocol_droid_ir::error_data::HEADER_MISMATCH;
use protocol_droid_ir::{JsonObject, Number};
use serde_json::json;
use sse_stream::SseStream;

use crate::connect_link::{Link, received};
use crate::connect_message::{Head, answer, messages};
use crate::connect_stream::is_stream;
use crate::context::lock;
use crate::keys::random_name;

/// How many pages of a list are read for the headers of one tool.
const MAX_PAGES: usize = 64;

impl Link {
    /// Opens the session anew in place of `lost`, as the specification wants when it is not found.
    pub(crate) async fn reopen(
        self: &Arc<Self>,
        lost: Option<&HeaderValue>,
        head: Option<&Head>,
    ) -> bool {
        if head.is_some_and(|head| head.modern.is_some()) {
            return false;
        }
        let _one = self.reopening.lock().await;
        if lock(&self.session).id.as_ref() != lost {
            return true;
        }
        let Some(opening) = lock(&self.opening).clone() else { return false };
        let Some(head) = Head::read(&opening) else { return false };
        let Some(result) = self.ask(opening, &head).await else { return false };
        tracing::warn!("the session was lost, and with it what the server remembered");
        self.learn(Some(&head), &result);
        let opened = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let _ = self.deliver(Bytes::from_static(opened.as_bytes()), None).await;
        self.clone().listen();
        true
    }

    /// Lists the tools if `body` says that headers are missing, as those of a tool that the agent
    /// knows from before; whether the call is to be sent again.
    pub(crate) async fn relist(&self, body: &Bytes, head: Option<&Head>) -> bool {
        let Some(head) = head.filter(|head| head.modern.is_some()) else { return false };
        if head.method.as_deref() != Some("tools/call") || !is_mismatch(body) {
            return false;
        }
        let meta = head.params.as_ref().and_then(|params| params.get("_meta"));
        let mut params = JsonObject::default();
        if let Some(meta) = meta {
            params = params.with_member("_meta", &meta);
        }
        for _ in 0..MAX_PAGES {
            let id = json!(random_name());
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{params}}}"#);
            let Some(head) = Head::read(&text) else { return false };
            let Some(result) = self.ask(text, &head).await else { return false };
            self.learn(Some(&head), &result);
            match result.get("nextCursor").filter(|cursor| cursor.as_str() != "null") {
                Some(cursor) => params = params.with_member("cursor", &cursor),
                None => break,
            }
        }
        true
    }

    /// The result of a request of its own.
    async fn ask(&self, text: String, head: &Head) -> Option<JsonObject> {
        let id = head.request()?;
        let response = self.deliver(Bytes::from(text), Some(head)).await.ok()?;
        let result = |text: &str| {
            let messages = messages(text)?;
            JsonObject::try_from(answer(&messages, id)?.get("result")?).ok()
        };
        if !is_stream(&response) {
            let (_, body) = received(response).await.ok()?;
            return result(std::str::from_utf8(&body).ok()?);
        }
        let mut events = SseStream::new(response.into_body());
        while let Some(Ok(event)) = events.next().await {
            if let Some(result) = event.data.and_then(|data| result(&data)) {
                return Some(result);
            }
        }
        None
    }
}

fn is_mismatch(body: &Bytes) -> bool {
    let messages = std::str::from_utf8(body).ok().and_then(messages);
    let error = messages.as_deref().and_then(|messages| messages.first()?.get("error"));
    let error = error.and_then(|error| JsonObject::try_from(error).ok());
    let code = error.and_then(|error| error.get("code")).and_then(Number::from_json);
    code == Some(Number::from(HEADER_MISMATCH))
}
