//! Requests brought to the surfaces, and what came of them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use protocol_droid_ir::error_data::{INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND};
use protocol_droid_ir::{
    CallToolParams, CompleteParams, CompleteResult, CompletionReference, EmptyResult, ErrorObject,
    Feature, GetPromptParams, Item, JsonObject, JsonText, Lowering, Params, Policy,
    ReadResourceParams, ReadResourceResult, Request, RequestContext, ResultBody, Text, ToolResult,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::calling::{Driven, drive, prepare};
use crate::calls::{CallOutcome, CallRecord};
use crate::context::{CallContext, Interrupt, Outlet, lock};
use crate::engine::headers::check_params;
use crate::engine::modern::{lacking, no_method};
use crate::engine::reply::{self, Answer};
use crate::outcome::{Failure, ToolOutcome};
use crate::pages::{list_prompts, list_resources, list_templates, list_tools};
use crate::peer::Peer;
use crate::served::{Remembered, Served};

/// What a request comes with, beside itself.
pub(crate) struct Opening {
    pub(crate) peer: Arc<Peer>,
    pub(crate) outlet: Outlet,
    pub(crate) cancel: CancellationToken,
    /// The headers that repeat the arguments, where there are headers.
    pub(crate) headers: Option<http::HeaderMap>,
    /// What is remembered of a legacy client.
    pub(crate) remembered: Option<Arc<Remembered>>,
}

/// A response ready to be sent.
pub(crate) struct Responded {
    pub(crate) bytes: Vec<u8>,
    /// The error that it tells of, if it does.
    pub(crate) error: Option<i64>,
}

/// Answers a request, but for those that open a session or a stream, in the client's revision.
/// `None` if it was cancelled: nothing is answered then.
pub(crate) async fn respond(
    served: &Served,
    request: Request,
    opening: Opening,
) -> Option<Responded> {
    let id = request.id.clone();
    let codec = opening.peer.codec;
    let tool = match &request.params {
        Some(Params::CallTool(params)) => params.name.as_str(),
        _ => "",
    };
    let span = tracing::debug_span!(
        "request",
        revision = codec.name(),
        method = %request.method,
        tool,
        session = %served.about.server.name,
        outcome = tracing::field::Empty,
        loss = tracing::field::Empty,
    );
    let answered = AssertUnwindSafe(answer(served, request, opening)).catch_unwind();
    let answer = match answered.instrument(span.clone()).await {
        Ok(answer) => answer,
        Err(_) => {
            tracing::error!(parent: &span, "a surface panicked");
            Some(Answer::error(INTERNAL_ERROR, "internal error"))
        }
    };
    let Some(answer) = answer else {
        span.record("outcome", "cancelled");
        return None;
    };
    let error = match &answer {
        Answer::Error(error) => Some(error.code),
        _ => None,
    };
    let written = reply::response(&id, answer, codec);
    span.record("outcome", if error.is_some() { "error" } else { "result" });
    if !written.report.is_lossless() {
        span.record("loss", tracing::field::debug(&written.report.entries));
    }
    Some(Responded { bytes: written.bytes, error })
}

async fn answer(served: &Served, request: Request, opening: Opening) -> Option<Answer> {
    let Request { method, params, context, .. } = request;
    let answer = match params {
        Some(Params::CallTool(params)) => return call_tool(served, params, context, opening).await,
        Some(Params::ReadResource(params)) => {
            return read_resource(served, params, context, opening).await;
        }
        Some(Params::GetPrompt(params)) => {
            return get_prompt(served, params, context, opening).await;
        }
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
                "tools/list" => list_tools(served, cursor, &opening.peer).await,
                "prompts/list" => list_prompts(served, cursor).await,
                "resources/list" => list_resources(served, cursor).await,
                "resources/templates/list" => list_templates(served, cursor).await,
                "server/discover" if opening.peer.is_modern() => {
                    Ok(ResultBody::Discover(Box::new(served.about.discover())).into())
                }
                _ => match &opening.remembered {
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

// Calls

async fn call_tool(
    served: &Served,
    params: CallToolParams,
    context: RequestContext,
    opening: Opening,
) -> Option<Answer> {
    let started = Instant::now();
    let name = params.name.to_string();
    if let Err(error) = admit(served, &params, &opening).await {
        return Some(Answer::Error(error));
    }
    let arguments = params.arguments.clone().unwrap_or_default();
    #[cfg(feature = "validation")]
    if let Some(reason) = crate::validation::fault(served, &name, &arguments).await {
        return Some(ResultBody::CallTool(ToolResult::error(reason)).into());
    }
    let call = match prepare(served, &name, Params::CallTool(params), context, opening) {
        Ok(call) => call,
        Err(error) => return Some(Answer::Error(error)),
    };
    let context = call.context.clone();
    let mut recording =
        Recording { served, name: &name, context: &context, started, outcome: None };
    let handler = served.tools.surface.call_exact(&name, &arguments, &context);
    let driven = drive(&call.context.call, handler).await;
    let (outcome, answer) = match driven {
        Driven::Done(ToolOutcome::Succeeded(mut result)) => {
            match_schema(served, &name, &mut result, &context.call.peer).await;
            (CallOutcome::Succeeded, Some(ResultBody::CallTool(stamped(result, served)).into()))
        }
        Driven::Done(ToolOutcome::Declined(mut result)) => {
            result.is_error = Some(true);
            (CallOutcome::Declined, Some(ResultBody::CallTool(stamped(result, served)).into()))
        }
        Driven::Done(ToolOutcome::Failed(Failure::Tool(reason))) => {
            (CallOutcome::Failed, Some(tool_error(reason)))
        }
        Driven::Done(ToolOutcome::Failed(failure)) => {
            (CallOutcome::Failed, Some(Answer::Error(failure.into_error())))
        }
        Driven::Interrupted(Interrupt::Lacking(required)) if !call.is_modern() => {
            let reason = format!("this tool needs a client that declares {required}");
            (CallOutcome::Declined, Some(tool_error(reason)))
        }
        Driven::Interrupted(Interrupt::Lacking(required)) => {
            (CallOutcome::Declined, Some(Answer::Error(lacking(required))))
        }
        Driven::Interrupted(Interrupt::Ask(questions)) => {
            (CallOutcome::Asked, Some(call.ask(served, questions)))
        }
        Driven::TimedOut => {
            let seconds = served.limits().call.as_secs_f64();
            let reason = format!("{name} did not answer within {seconds} s");
            (CallOutcome::TimedOut, Some(tool_error(reason)))
        }
        Driven::Panicked => {
            tracing::error!(tool = name, "a tool panicked");
            (CallOutcome::Panicked, Some(Answer::error(INTERNAL_ERROR, "internal error")))
        }
        Driven::Cancelled => (CallOutcome::Cancelled, None),
    };
    recording.outcome = Some(outcome);
    drop(recording);
    answer
}

/// A call under way, recorded when it ends; without an outcome, since its client closed the
/// connection.
struct Recording<'a> {
    served: &'a Served,
    name: &'a str,
    context: &'a CallContext,
    started: Instant,
    outcome: Option<CallOutcome>,
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.unwrap_or(CallOutcome::Cancelled);
        let duration = self.started.elapsed();
        let call = &self.context.call;
        tracing::debug!(
            tool = self.name,
            revision = call.peer.codec.name(),
            ?outcome,
            ?duration,
            "call"
        );
        let (tool, call_id) = (self.name.to_owned(), call.id.to_string());
        self.served.calls.push(CallRecord { tool, call_id, outcome, duration });
    }
}

/// Wraps structured content whose schema the client was told wrapped.
async fn match_schema(served: &Served, name: &str, result: &mut ToolResult, peer: &Peer) {
    let features = peer.codec.features();
    let may_wrap = features.contains(Feature::OutputSchema)
        && !features.contains(Feature::AnyOutputSchema)
        && result.structured_content.is_some();
    if may_wrap && served.tools.list().await.get(name).is_some_and(|tool| tool.is_wrapped) {
        let policy = Policy::faithful();
        let mut lowering = Lowering::new(features, &policy);
        if let Err(error) = result.match_schema(true, &mut lowering) {
            tracing::warn!(tool = name, %error, "structured content does not go with its schema");
        }
    }
}

fn tool_error(reason: String) -> Answer {
    ResultBody::CallTool(ToolResult::error(reason)).into()
}

/// The result with the server's name, for revisions that want it there; others have it stripped.
fn stamped(mut result: ToolResult, served: &Served) -> ToolResult {
    if result.meta.is_none() {
        result.meta.clone_from(&served.about.meta);
    }
    result
}

/// Whether the tool is listed now and the headers agree with the arguments.
async fn admit(
    served: &Served,
    params: &CallToolParams,
    opening: &Opening,
) -> Result<(), ErrorObject> {
    let unknown = || invalid(format!("there is no tool {:?} here", params.name));
    let Some(headers) = &opening.headers else {
        return served.tools.has(&params.name).await.then_some(()).ok_or_else(unknown);
    };
    let list = served.tools.list().await;
    let tool = list.get(&params.name).ok_or_else(unknown)?;
    let header = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
    check_params(&tool.mirrored, params.arguments.as_ref(), header)
        .map_err(|text| ErrorObject::new(protocol_droid_ir::error_data::HEADER_MISMATCH, text))
}

async fn read_resource(
    served: &Served,
    params: ReadResourceParams,
    context: RequestContext,
    opening: Opening,
) -> Option<Answer> {
    let Some(surface) = &served.resources else {
        return Some(Answer::Error(no_method("resources/read")));
    };
    let uri = params.uri.to_string();
    let (modern, params) = (opening.peer.is_modern(), Params::ReadResource(params));
    let call = match prepare(served, "resources/read", params, context, opening) {
        Ok(call) => call,
        Err(error) => return Some(Answer::Error(error)),
    };
    let context = call.context.clone();
    match drive(&call.context.call, surface.read(&uri, &context)).await {
        Driven::Done(Ok(contents)) => {
            let contents = contents.into_iter().map(Item::Known).collect();
            let result = ReadResourceResult { contents, ..ReadResourceResult::default() };
            Some(ResultBody::ReadResource(result).into())
        }
        Driven::Done(Err(Failure::NotFound(reason))) => {
            let code = if modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
            let mut error = ErrorObject::new(code, reason);
            let data = JsonText::from(&Text::from(uri));
            error.data = Some(JsonObject::default().with_member("uri", &data).into());
            Some(Answer::Error(error))
        }
        Driven::Done(Err(failure)) => Some(Answer::Error(failure.into_error())),
        other => call.unfinished(served, other),
    }
}

async fn get_prompt(
    served: &Served,
    params: GetPromptParams,
    context: RequestContext,
    opening: Opening,
) -> Option<Answer> {
    let Some(surface) = &served.prompts else {
        return Some(Answer::Error(no_method("prompts/get")));
    };
    let name = params.name.to_string();
    let arguments = params.arguments.clone().unwrap_or_default();
    let listed = surface.list_prompts().await;
    let Some(prompt) = listed.iter().find(|prompt| prompt.name == name.as_str()) else {
        return Some(Answer::Error(invalid(format!("there is no prompt {name:?} here"))));
    };
    let missing = prompt.arguments.iter().flatten().find(|argument| {
        argument.required == Some(true) && !arguments.iter().any(|(key, _)| *key == argument.name)
    });
    if let Some(argument) = missing {
        let reason = format!("arguments.{}: required, found nothing", argument.name);
        return Some(Answer::Error(invalid(reason)));
    }
    let call = match prepare(served, &name, Params::GetPrompt(params), context, opening) {
        Ok(call) => call,
        Err(error) => return Some(Answer::Error(error)),
    };
    let context = call.context.clone();
    match drive(&call.context.call, surface.get(&name, &arguments, &context)).await {
        Driven::Done(Ok(result)) => Some(ResultBody::GetPrompt(result).into()),
        Driven::Done(Err(failure)) => Some(Answer::Error(failure.into_error())),
        other => call.unfinished(served, other),
    }
}
