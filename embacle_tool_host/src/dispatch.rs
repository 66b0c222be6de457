//! Requests brought to the surfaces, and what came of them.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use protocol_droid_codecs::Codec;
use protocol_droid_ir::error_data::{INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND};
use protocol_droid_ir::{
    CompleteParams, CompleteResult, CompletionReference, EmptyResult, ErrorObject, GetPromptParams,
    Item, JsonObject, JsonText, Params, ReadResourceParams, ReadResourceResult, Request, RequestId,
    ResultBody, Text,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span};

use crate::calling::{Caller, Driven, Prepared, drive, prepare};
use crate::context::lock;
use crate::engine::modern::no_method;
use crate::engine::reply::{self, Answer};
use crate::engine::state::Binding;
use crate::engine::written::Written;
use crate::outcome::Failure;
use crate::outlet::Outlet;
use crate::pages::{list_prompts, list_resources, list_templates, list_tools};
use crate::peer::Peer;
use crate::served::{Remembered, Served, Started, Turn};
use crate::tool_call::{call_tool, unambiguous};

/// What a request comes with, beside itself.
pub(crate) struct Opening {
    pub(crate) peer: Arc<Peer>,
    pub(crate) outlet: Outlet,
    pub(crate) cancel: CancellationToken,
    /// The headers that repeat the arguments, where there are headers.
    pub(crate) headers: Option<Box<http::HeaderMap>>,
    /// What is remembered of a legacy client.
    pub(crate) remembered: Option<Arc<Remembered>>,
    /// Its place among the requests at work, had until it is answered.
    pub(crate) turn: Turn,
    /// Its id among those at work.
    pub(crate) started: Option<Started>,
}

/// A response ready to be sent.
pub(crate) struct Responded {
    pub(crate) written: Written,
    /// The error that it tells of, if it does.
    pub(crate) error: Option<i64>,
}

/// A response on its way; `None` if the request is cancelled: nothing is answered then.
pub(crate) type Work = Pin<Box<dyn Future<Output = Option<Responded>> + Send>>;

/// Answers a request, but for those that open a session or a stream, in the client's revision.
pub(crate) fn respond(served: &Arc<Served>, request: Request, opening: Opening) -> Work {
    let Request { id, method, params, context, .. } = request;
    let tool = match &params {
        Some(Params::CallTool(params)) => params.name.as_str(),
        _ => "",
    };
    let codec = opening.peer.codec;
    let span = tracing::debug_span!(
        "request",
        revision = codec.name(),
        %method,
        tool,
        session = %served.about.server.name,
        outcome = tracing::field::Empty,
        loss = tracing::field::Empty,
    );
    let Opening { peer, outlet, cancel, headers, remembered, turn, started } = opening;
    let finish = Finish { id, codec, span, _started: started };
    let caller = Caller { context, peer, outlet, cancel, remembered };
    let own = served.clone();
    match params {
        Some(Params::CallTool(params)) => {
            let bind = || Binding::of_tool(&served.principal, &params);
            let call = unambiguous(&params).and_then(|()| prepare(served, bind, caller));
            finish.after(turn, call.map(|call| call_tool(own, params, call, headers)))
        }
        Some(Params::ReadResource(params)) if served.resources.is_some() => {
            let bind = || Binding::of_resource(&served.principal, &params);
            let call = prepare(served, bind, caller);
            finish.after(turn, call.map(|call| read_resource(own, params, call)))
        }
        Some(Params::GetPrompt(params)) if served.prompts.is_some() => {
            let bind = || Binding::of_prompt(&served.principal, &params);
            let call = prepare(served, bind, caller);
            finish.after(turn, call.map(|call| get_prompt(own, params, call)))
        }
        params => finish.after(turn, Ok(answer(own, method, params, caller))),
    }
}

/// What makes a response of an answer.
struct Finish {
    id: RequestId,
    codec: &'static dyn Codec,
    span: Span,
    _started: Option<Started>,
}

impl Finish {
    /// The response of what `work` comes to, once it is its turn.
    fn after(
        self,
        turn: Turn,
        work: Result<impl Future<Output = Option<Answer>> + Send + 'static, ErrorObject>,
    ) -> Work {
        let work = match work {
            Ok(work) => work,
            Err(error) => {
                let refused = self.finish(Some(Answer::Error(error)));
                return Box::pin(std::future::ready(refused));
            }
        };
        let work = AssertUnwindSafe(work).catch_unwind().instrument(self.span.clone());
        match turn {
            Turn::Now(place) => Box::pin(work.map(move |answer| {
                let _place = place;
                self.finish(answer.unwrap_or_else(|_| self.panicked()))
            })),
            Turn::Later(place) => Box::pin(async move {
                let _place = place.await?;
                let answer = work.await;
                self.finish(answer.unwrap_or_else(|_| self.panicked()))
            }),
        }
    }

    fn panicked(&self) -> Option<Answer> {
        tracing::error!(parent: &self.span, "a surface panicked");
        Some(Answer::error(INTERNAL_ERROR, "internal error"))
    }

    fn finish(&self, answer: Option<Answer>) -> Option<Responded> {
        let Some(answer) = answer else {
            self.span.record("outcome", "cancelled");
            return None;
        };
        let error = match &answer {
            Answer::Error(error) => Some(error.code),
            _ => None,
        };
        let (written, report) = reply::response(&self.id, answer, self.codec);
        self.span.record("outcome", if error.is_some() { "error" } else { "result" });
        if !report.is_lossless() {
            self.span.record("loss", tracing::field::debug(&report.entries));
        }
        Some(Responded { written, error })
    }
}

/// Answers a request that is no call.
async fn answer(
    served: Arc<Served>,
    method: Text,
    params: Option<Params>,
    caller: Caller,
) -> Option<Answer> {
    let (served, peer) = (&*served, &*caller.peer);
    let answer = match params {
        Some(Params::Complete(params)) => complete(served, *params).await,
        params => {
            let cursor = match &params {
                Some(
                    Params::ListTools(page)
                    | Params::ListPrompts(page)
                    | Params::ListResources(page)
                    | Params::ListResourceTemplates(page),
                ) => page.cursor.clone(),
                _ => None,
            };
            match method.as_str() {
                "tools/list" => list_tools(served, cursor, peer).await,
                "prompts/list" => list_prompts(served, cursor).await,
                "resources/list" => list_resources(served, cursor).await,
                "resources/templates/list" => list_templates(served, cursor).await,
                "server/discover" if peer.is_modern() => {
                    Ok(ResultBody::Discover(Box::new(served.about.discover())).into())
                }
                _ => match &caller.remembered {
                    Some(remembered) => remember(served, &method, params, remembered),
                    None => Err(no_method(&method)),
                },
            }
        }
    };
    Some(answer.unwrap_or_else(Answer::Error))
}

impl From<ResultBody> for Answer {
    fn from(result: ResultBody) -> Self {
        Self::Result(result)
    }
}

pub(crate) type Answered = Result<Answer, ErrorObject>;

pub(crate) fn invalid(message: impl Into<Text>) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, message)
}

/// Requests about the session of a legacy client.
fn remember(
    served: &Served,
    method: &str,
    params: Option<Params>,
    remembered: &Remembered,
) -> Answered {
    match params {
        Some(Params::SetLevel(params)) => {
            if !protocol_droid_ir::logging::LEVELS.contains(&params.level.as_str()) {
                return Err(invalid(format!("level: there is no level {:?}", params.level)));
            }
            // Not the text that holds on to the whole message.
            *lock(&remembered.level) = Some(params.level.as_str().into());
        }
        Some(Params::Subscribe(params)) if served.resources.is_some() => {
            let mut watched = lock(&remembered.watched);
            if watched.len() >= MAX_WATCHED && !watched.contains(params.uri.as_str()) {
                return Err(invalid(format!("uri: at most {MAX_WATCHED} resources are watched")));
            }
            watched.insert(params.uri.to_string());
        }
        Some(Params::Unsubscribe(params)) if served.resources.is_some() => {
            lock(&remembered.watched).remove(params.uri.as_str());
        }
        _ if method == "ping" => {}
        _ => return Err(no_method(method)),
    }
    Ok(ResultBody::Ping(EmptyResult::default()).into())
}

const MAX_WATCHED: usize = 1000;

async fn complete(served: &Served, params: CompleteParams) -> Answered {
    let completer = served.completer.as_ref().ok_or_else(|| no_method("completion/complete"))?;
    if matches!(params.reference, CompletionReference::Unknown(_)) {
        return Err(invalid("ref: expected a prompt or a resource template"));
    }
    let resolved = params.context.and_then(|context| context.arguments).unwrap_or_default();
    let completed = completer.complete(&params.reference, &params.argument, &resolved).await;
    let completion = completed.map_err(Failure::into_error)?;
    let result = CompleteResult { completion, ..CompleteResult::default() };
    Ok(ResultBody::Complete(result).into())
}

async fn read_resource(
    served: Arc<Served>,
    params: ReadResourceParams,
    call: Prepared,
) -> Option<Answer> {
    let surface = served.resources.as_ref()?;
    let (uri, context) = (params.uri.as_str(), &call.context);
    match drive(&context.call, surface.read(uri, context)).await {
        Driven::Done(Ok(contents)) => {
            let contents = contents.into_iter().map(Item::Known).collect();
            let result = ReadResourceResult { contents, ..ReadResourceResult::default() };
            Some(ResultBody::ReadResource(result).into())
        }
        Driven::Done(Err(Failure::NotFound(reason))) => {
            let code = if call.is_modern() { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
            let mut error = ErrorObject::new(code, reason);
            let data = JsonText::from(&Text::from(uri));
            error.data = Some(JsonObject::default().with_member("uri", &data).into());
            Some(Answer::Error(error))
        }
        Driven::Done(Err(failure)) => Some(Answer::Error(failure.into_error())),
        other => {
            call.unfinished(&served, other, || Binding::of_resource(&served.principal, &params))
        }
    }
}

async fn get_prompt(
    served: Arc<Served>,
    params: GetPromptParams,
    call: Prepared,
) -> Option<Answer> {
    let surface = served.prompts.as_ref()?;
    let (name, context) = (params.name.as_str(), &call.context);
    let arguments = params.arguments.as_deref().unwrap_or_default();
    let listed = surface.list_prompts().await;
    let Some(prompt) = listed.iter().find(|prompt| prompt.name == name) else {
        return Some(Answer::Error(invalid(format!("there is no prompt {name:?} here"))));
    };
    let missing = prompt.arguments.iter().flatten().find(|argument| {
        argument.required == Some(true) && !arguments.iter().any(|(key, _)| *key == argument.name)
    });
    if let Some(argument) = missing {
        let reason = format!("arguments.{}: required, found nothing", argument.name);
        return Some(Answer::Error(invalid(reason)));
    }
    match drive(&context.call, surface.get(name, arguments, context)).await {
        Driven::Done(Ok(result)) => Some(ResultBody::GetPrompt(result).into()),
        Driven::Done(Err(failure)) => Some(Answer::Error(failure.into_error())),
        other => call.unfinished(&served, other, || Binding::of_prompt(&served.principal, &params)),
    }
}
