//! Requests brought to the surfaces, and what came of them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use protocol_droid_ir::error_data::{INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND};
use protocol_droid_ir::{
    CallToolParams, CompleteParams, CompleteResult, CompletionReference, EmptyResult, ErrorObject,
    Feature, GetPromptParams, InputRequiredResult, Item, JsonObject, JsonText, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, Lowering, Params, Policy,
    ReadResourceParams, ReadResourceResult, Request, RequestContext, ResultBody, Text, ToolResult,
};
use subc_protocol::serde_json::value::RawValue;
use subc_protocol::{CallId, RawToolCallRequest};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::calls::{CallOutcome, CallRecord};
use crate::context::{Call, CallContext, Interrupt, LeastLevel, Outlet, Rounds, lock};
use crate::engine::headers::check_params;
use crate::engine::modern::{lacking, no_method};
use crate::engine::reply::{self, Answer};
use crate::engine::state::{self, Binding, State};
use crate::outcome::{Failure, ToolOutcome};
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
                _ => match (&opening.remembered, params) {
                    (Some(remembered), params) => remember(served, &method, params, remembered),
                    (None, _) => Err(no_method(&method)),
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

type Answered = Result<Answer, ErrorObject>;

fn invalid(message: impl Into<Text>) -> ErrorObject {
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

// Lists

async fn list_tools(served: &Served, cursor: Option<Text>, peer: &Peer) -> Answered {
    let list = served.tools.list().await;
    if cursor.is_none() && served.limits().page.is_none_or(|page| page >= list.tools().len()) {
        let encoded = list.encoded(peer.codec).map(Answer::Encoded);
        return encoded.ok_or_else(|| ErrorObject::new(INTERNAL_ERROR, "no list of tools"));
    }
    let (tools, next_cursor) = page(list.tools(), cursor, served)?;
    Ok(ResultBody::ListTools(ListToolsResult { tools, next_cursor, ..Default::default() }).into())
}

async fn list_prompts(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.prompts.as_ref().ok_or_else(|| no_method("prompts/list"))?;
    let (prompts, next_cursor) = page(&surface.list_prompts().await, cursor, served)?;
    let result = ListPromptsResult { prompts, next_cursor, ..Default::default() };
    Ok(ResultBody::ListPrompts(result).into())
}

async fn list_resources(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.resources.as_ref().ok_or_else(|| no_method("resources/list"))?;
    let (resources, next_cursor) = page(&surface.list_resources().await, cursor, served)?;
    let result = ListResourcesResult { resources, next_cursor, ..Default::default() };
    Ok(ResultBody::ListResources(result).into())
}

async fn list_templates(served: &Served, cursor: Option<Text>) -> Answered {
    let surface = served.resources.as_ref().ok_or_else(|| no_method("resources/templates/list"))?;
    let (resource_templates, next_cursor) = page(&surface.list_templates().await, cursor, served)?;
    let result =
        ListResourceTemplatesResult { resource_templates, next_cursor, ..Default::default() };
    Ok(ResultBody::ListResourceTemplates(result).into())
}

type Page<T> = (Vec<Item<T>>, Option<Text>);

/// A page from where the cursor says: it is the number of entries before the page.
fn page<T: Clone>(
    entries: &[T],
    cursor: Option<Text>,
    served: &Served,
) -> Result<Page<T>, ErrorObject> {
    let bad = |cursor: &Text| invalid(format!("cursor: {cursor:?} is none of this list's"));
    let start = match &cursor {
        None => 0,
        Some(cursor) => match cursor.as_str().parse::<usize>() {
            Ok(start) if served.limits().page.is_some() && start <= entries.len() => start,
            _ => return Err(bad(cursor)),
        },
    };
    let size = served.limits().page.unwrap_or(usize::MAX).max(1);
    let end = start.saturating_add(size).min(entries.len());
    let next = (end < entries.len()).then(|| end.to_string().into());
    Ok((entries[start..end].iter().cloned().map(Item::Known).collect(), next))
}

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
    let handler = served.tools.surface.call_exact(&name, &arguments, &context);
    let driven = drive(&call, handler).await;
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
    let duration = started.elapsed();
    let revision = context.call.peer.codec.name();
    tracing::debug!(tool = name, revision, ?outcome, ?duration, "call");
    let call_id = context.call.id.to_string();
    served.calls.push(CallRecord { tool: name, call_id, outcome, duration });
    answer
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
    match drive(&call, surface.read(&uri, &context)).await {
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
    match drive(&call, surface.get(&name, &arguments, &context)).await {
        Driven::Done(Ok(result)) => Some(ResultBody::GetPrompt(result).into()),
        Driven::Done(Err(failure)) => Some(Answer::Error(failure.into_error())),
        other => call.unfinished(served, other),
    }
}

/// A call about to be made.
struct Prepared {
    context: CallContext,
    binding: Option<Binding>,
    params: Params,
}

impl Prepared {
    fn is_modern(&self) -> bool {
        self.context.call.peer.is_modern()
    }

    /// The result that asks, with what the next round needs of this one.
    fn ask(
        &self,
        served: &Served,
        questions: protocol_droid_ir::interaction::InputRequests,
    ) -> Answer {
        let rounds = &self.context.call.rounds;
        let state = State {
            answers: std::mem::take(&mut lock(&rounds.used)),
            kept: std::mem::take(&mut lock(&rounds.kept)),
        };
        let config = &served.config;
        let expiry = config.clock.now() + config.limits.state;
        let binding = Binding::new(&served.principal, &self.params);
        let sealed =
            state::seal(&state, self.binding.as_ref().unwrap_or(&binding), expiry, &config.keys);
        let result = InputRequiredResult {
            input_requests: Some(questions),
            request_state: Some(sealed.into()),
            ..InputRequiredResult::default()
        };
        ResultBody::InputRequired(result).into()
    }

    /// The answer of a call, other than of a tool, that did not come to its end.
    fn unfinished<T>(&self, served: &Served, driven: Driven<T>) -> Option<Answer> {
        match driven {
            Driven::Interrupted(Interrupt::Ask(questions)) => Some(self.ask(served, questions)),
            Driven::Interrupted(Interrupt::Lacking(required)) => {
                Some(Answer::Error(lacking(required)))
            }
            Driven::TimedOut => Some(Answer::error(INTERNAL_ERROR, "no answer in time")),
            Driven::Done(_) | Driven::Panicked => {
                Some(Answer::error(INTERNAL_ERROR, "internal error"))
            }
            Driven::Cancelled => None,
        }
    }
}

fn prepare(
    served: &Served,
    name: &str,
    params: Params,
    context: RequestContext,
    opening: Opening,
) -> Result<Prepared, ErrorObject> {
    let RequestContext { progress_token, log_level, meta, input_responses, request_state, .. } =
        context;
    let mut rounds = Rounds { given: input_responses.unwrap_or_default(), ..Rounds::default() };
    let mut binding = None;
    if let Some(sealed) = request_state {
        let bound = binding.insert(Binding::new(&served.principal, &params));
        let config = &served.config;
        let state = state::open(&sealed, bound, config.clock.now(), &config.keys)
            .map_err(|reason| invalid(format!("requestState: {reason}")))?;
        for (key, answer) in &state.answers {
            if rounds.given.get(key).is_none() {
                rounds.given = rounds.given.with_member(key, answer);
            }
        }
        rounds.used = state.answers.into();
        rounds.kept = state.kept.into();
    }
    let least_level = match &opening.remembered {
        Some(remembered) => LeastLevel::OfSession(remembered.level.clone()),
        None => LeastLevel::OfRequest(log_level),
    };
    let limit = served.limits().call;
    let call = Call {
        id: call_id(name, meta.as_ref()),
        peer: opening.peer,
        progress_token,
        least_level,
        meta,
        deadline: Instant::now().checked_add(limit),
        cancel: opening.cancel,
        outlet: opening.outlet,
        rounds,
    };
    Ok(Prepared { context: CallContext { call: Arc::new(call) }, binding, params })
}

/// The client's id of the call, by the names under which agents send one, or else one made up.
fn call_id(name: &str, meta: Option<&protocol_droid_ir::Extensions>) -> CallId {
    const NAMES: [&str; 3] = ["tool_call_id", "toolCallId", "claudecode/toolUseId"];
    let mut request = RawToolCallRequest::new(name, RawValue::NULL.to_owned());
    let supplied = NAMES.iter().find_map(|name| meta?.get(name)?.parse::<String>().ok());
    request.tool_call_id =
        supplied.filter(|id| !id.is_empty() && id.len() <= subc_protocol::MAX_ID_LEN);
    request.call_id(crate::keys::random_name, &mut |_: &str, _: &str| {})
}

/// How far a handler came.
enum Driven<T> {
    Done(T),
    Interrupted(Interrupt),
    Cancelled,
    TimedOut,
    Panicked,
}

/// Runs a handler to its end, or drops it where it waits when something else ends the call first.
async fn drive<T>(prepared: &Prepared, handler: impl Future<Output = T>) -> Driven<T> {
    let call = &prepared.context.call;
    let mut handler = std::pin::pin!(AssertUnwindSafe(handler).catch_unwind());
    let timeout = async {
        match call.deadline {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        done = &mut handler => done.map_or(Driven::Panicked, Driven::Done),
        () = call.rounds.signal.notified() => match lock(&call.rounds.interrupt).take() {
            Some(interrupt) => Driven::Interrupted(interrupt),
            None => Driven::Cancelled,
        },
        () = call.cancel.cancelled() => Driven::Cancelled,
        () = timeout => Driven::TimedOut,
    }
}
