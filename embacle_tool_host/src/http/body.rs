//! Bodies: requests read within limits, answers whole or as a stream of events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use protocol_droid_ir::{Buffer, ErrorObject, RequestId};

use crate::engine::written::Written;
use crate::engine::{modern, reply};
use crate::lines::push_line;
use crate::outlet::Event;

/// The body of an answer.
pub struct ResponseBody(Inner);

enum Inner {
    Whole(Option<Bytes>),
    /// A message in pieces, since long text is sent from where it is.
    Pieces(VecDeque<Bytes>),
    Events(Pin<Box<dyn Stream<Item = Bytes> + Send>>),
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match &mut self.0 {
            Inner::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Inner::Pieces(pieces) => {
                Poll::Ready(pieces.pop_front().map(|bytes| Ok(Frame::data(bytes))))
            }
            Inner::Events(events) => {
                events.as_mut().poll_next(cx).map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Inner::Whole(bytes) => bytes.is_none(),
            Inner::Pieces(pieces) => pieces.is_empty(),
            Inner::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Inner::Pieces(pieces) => {
                SizeHint::with_exact(pieces.iter().map(|bytes| bytes.len() as u64).sum())
            }
            Inner::Events(_) => SizeHint::default(),
        }
    }
}

pub(crate) type Reply = Response<ResponseBody>;

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Reply {
    let mut response = Response::new(ResponseBody(Inner::Whole(None)));
    *response.status_mut() = status;
    response
}

/// A message as the whole answer.
pub(crate) fn json(status: StatusCode, message: impl Into<Written>) -> Reply {
    let message = message.into();
    let mut response = Response::new(ResponseBody(match message.cuts.is_empty() {
        true => Inner::Whole(Some(message.bytes.into())),
        false => Inner::Pieces(message.pieces()),
    }));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// The messages of what was said before an answer that came at once.
pub(crate) fn said(events: Vec<Event>) -> Vec<Vec<u8>> {
    let message = |event| match event {
        Event::Message(message) => Some(message),
        Event::Release => None,
    };
    events.into_iter().filter_map(message).collect()
}

/// Messages as a stream of events that cannot be taken up again.
pub(crate) fn messages(messages: Vec<Vec<u8>>) -> Reply {
    events(stream::iter(messages).map(|message| event(None, &message)))
}

/// A stream of events.
pub(crate) fn events(events: impl Stream<Item = Bytes> + Send + 'static) -> Reply {
    let mut response = Response::new(ResponseBody(Inner::Events(Box::pin(events))));
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache, no-transform"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// An error as the whole answer, told in a form that every revision reads.
pub(crate) fn refuse(status: StatusCode, id: Option<&RequestId>, error: ErrorObject) -> Reply {
    json(status, reply::error(id, error, modern::reader()))
}

/// Reads a message.
///
/// # Errors
/// The answer, if it is too long, comes too slowly, or is no text.
pub(crate) async fn read<B>(body: B, limit: usize, time: Duration) -> Result<Buffer, Box<Reply>>
where
    B: Body<Data: Send> + Send,
{
    let announced = body.size_hint().lower();
    if announced > limit as u64 {
        return Err(too_large(limit));
    }
    let mut body = std::pin::pin!(body);
    let mut bytes = Vec::with_capacity(usize::try_from(announced).unwrap_or(0));
    let reading = async {
        while let Some(frame) = body.frame().await {
            let Ok(frame) = frame else { return Err(Box::new(empty(StatusCode::BAD_REQUEST))) };
            let Ok(mut data) = frame.into_data() else { continue };
            while bytes::Buf::has_remaining(&data) {
                let chunk = bytes::Buf::chunk(&data);
                if bytes.len() + chunk.len() > limit {
                    return Err(too_large(limit));
                }
                bytes.extend_from_slice(chunk);
                let taken = chunk.len();
                bytes::Buf::advance(&mut data, taken);
            }
        }
        Ok(())
    };
    let mut reading = std::pin::pin!(reading);
    // Most bodies come with their heads, and need no timer.
    let read = match futures_util::poll!(&mut reading) {
        Poll::Ready(read) => Ok(read),
        Poll::Pending => Box::pin(tokio::time::timeout(time, reading)).await,
    };
    match read {
        Ok(read) => read?,
        Err(_) => {
            let error = ErrorObject::new(-32600, "the message was not sent in time");
            return Err(Box::new(refuse(StatusCode::REQUEST_TIMEOUT, None, error)));
        }
    }
    Buffer::try_from(bytes).map_err(|error| {
        let text = format!("expected UTF-8, found a byte that is not: {error}");
        let error = ErrorObject::new(protocol_droid_ir::error_data::PARSE_ERROR, text);
        Box::new(refuse(StatusCode::BAD_REQUEST, None, error))
    })
}

fn too_large(limit: usize) -> Box<Reply> {
    let error = ErrorObject::new(-32600, format!("a message has at most {limit} bytes here"));
    Box::new(refuse(StatusCode::PAYLOAD_TOO_LARGE, None, error))
}

/// A message as an event.
pub(crate) fn event(id: Option<&str>, message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len() + 64);
    event.extend_from_slice(b"event: message\n");
    if let Some(id) = id {
        event.extend_from_slice(b"id: ");
        event.extend_from_slice(id.as_bytes());
        event.push(b'\n');
    }
    event.extend_from_slice(b"data: ");
    push_line(&mut event, message);
    event.extend_from_slice(b"\n\n");
    event.into()
}

/// What keeps a silent stream open.
pub(crate) const COMMENT: &[u8] = b": keep-alive\n\n";
