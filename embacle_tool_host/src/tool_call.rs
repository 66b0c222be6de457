//! A tool call from its admission to its answer, and its record.

use std::sync::Arc;

use protocol_droid_ir::error_data::{HEADER_MISMATCH, INTERNAL_ERROR};
use protocol_droid_ir::{
    CallToolParams, ErrorObject, Feature, FeatureSet, Lowering, Policy, ResultBody, ToolResult,
};

use crate::calling::{Driven, Prepared, drive};
use crate::calls::{CallOutcome, Recorded};
use crate::context::{CallContext, Interrupt};
use crate::dispatch::invalid;
use crate::engine::headers::check_params;
use crate::engine::modern::lacking;
use crate::engine::reply::Answer;
use crate::engine::state::Binding;
use crate::engine::unique::repeated_name;
use crate::list::ToolList;
use crate::outcome::{Failure, ToolOutcome};
use crate::served::Served;
#[cfg(feature = "validation")]
use crate::validation::refusal;

/// Calls a tool if it is listed now.
#[expect(clippy::manual_async_fn, reason = "what an async fn is given is in its future twice")]
pub(crate) fn call_tool(
    served: Arc<Served>,
    params: CallToolParams,
    call: Prepared,
    headers: Option<Box<http::HeaderMap>>,
) -> impl Future<Output = Option<Answer>> + Send {
    async move {
        let listed = match admit(&served, &params, headers).await {
            Ok(listed) => listed,
            Err(error) => return Some(Answer::Error(error)),
        };
        let (name, context) = (params.name.as_str(), &call.context);
        let none = Default::default();
        let arguments = params.arguments.as_ref().unwrap_or(&none);
        #[cfg(feature = "validation")]
        if let Some(list) = &listed
            && let Some(refused) = refusal(&served.tools.validators, list, name, arguments)
        {
            return Some(refused);
        }
        let mut recording = Recording { served: &served, name, context, outcome: None };
        let handler = served.tools.surface.call_exact(name, arguments, context);
        let driven = drive(&context.call, handler).await;
        let (outcome, answer) = match driven {
            Driven::Done(ToolOutcome::Succeeded(mut result)) => {
                let features = context.call.peer.codec.features();
                if result.structured_content.is_some() && may_wrap(features) {
                    Box::pin(match_schema(&served, listed, name, &mut result, features)).await;
                }
                (CallOutcome::Succeeded, Some(stamped(result, &served, &call)))
            }
            Driven::Done(ToolOutcome::Declined(mut result)) => {
                result.is_error = Some(true);
                (CallOutcome::Declined, Some(stamped(result, &served, &call)))
            }
            Driven::Done(ToolOutcome::Failed(Failure::Tool(reason))) => {
                (CallOutcome::Failed, Some(tool_error(reason)))
            }
            Driven::Done(ToolOutcome::Failed(failure)) => {
                (CallOutcome::Failed, Some(Answer::Error(failure.into_error())))
            }
            Driven::Interrupted(Interrupt::Lacking(required)) if !call.is_modern() => {
                let reason = match required.is_empty() {
                    true => "this tool asks its client, which takes no questions here".to_owned(),
                    false => format!("this tool needs a client that declares {required}"),
                };
                (CallOutcome::Declined, Some(tool_error(reason)))
            }
            Driven::Interrupted(Interrupt::Lacking(required)) => {
                (CallOutcome::Declined, Some(Answer::Error(lacking(required))))
            }
            Driven::Interrupted(Interrupt::Ask(questions)) => {
                let bind = || Binding::of_tool(&served.principal, &params);
                (CallOutcome::Asked, Some(call.ask(&served, questions, bind)))
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
}

/// A call under way, recorded when it ends; without an outcome, since its client closed the
/// connection.
struct Recording<'a> {
    served: &'a Served,
    name: &'a str,
    context: &'a CallContext,
    outcome: Option<CallOutcome>,
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        let call = &self.context.call;
        let outcome = self.outcome.unwrap_or_else(|| {
            // For what the handler has given to others to do.
            call.cancel.cancel();
            CallOutcome::Cancelled
        });
        let duration = call.started.elapsed();
        tracing::debug!(
            tool = self.name,
            revision = call.peer.codec.name(),
            ?outcome,
            ?duration,
            "call"
        );
        let (tool, id) = (self.name.into(), call.id.get().cloned());
        let record = Recorded { tool, id, number: call.number, outcome, duration };
        self.served.calls.push(record);
    }
}

/// Whether clients are told some schemas wrapped.
fn may_wrap(features: FeatureSet) -> bool {
    features.contains(Feature::OutputSchema) && !features.contains(Feature::AnyOutputSchema)
}

/// Wraps structured content whose schema the client was told wrapped.
async fn match_schema(
    served: &Served,
    listed: Option<Arc<ToolList>>,
    name: &str,
    result: &mut ToolResult,
    features: FeatureSet,
) {
    let list = match listed {
        Some(list) => Some(list),
        None => served.tools.list_with(name).await,
    };
    if list.is_some_and(|list| list.get(name).is_some_and(|tool| tool.is_wrapped)) {
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

/// The result with the server's name, for revisions that want it there.
fn stamped(mut result: ToolResult, served: &Served, call: &Prepared) -> Answer {
    if result.meta.is_none() && call.is_modern() {
        result.meta.clone_from(&served.about.meta);
    }
    ResultBody::CallTool(result).into()
}

/// Whether the arguments say the same to whoever reads them.
///
/// # Errors
/// When an object in them has a name twice: some would take the first, others the last.
pub(crate) fn unambiguous(params: &CallToolParams) -> Result<(), ErrorObject> {
    match params.arguments.as_ref().and_then(repeated_name) {
        Some(name) => Err(invalid(format!("arguments: the name {name:?} is there twice"))),
        None => Ok(()),
    }
}

/// Whether the tool is listed now and the headers agree with the arguments: a list with the tool in
/// it, where more than its name had to be known.
async fn admit(
    served: &Served,
    params: &CallToolParams,
    headers: Option<Box<http::HeaderMap>>,
) -> Result<Option<Arc<ToolList>>, ErrorObject> {
    let name = params.name.as_str();
    let unknown = || invalid(format!("there is no tool {name:?} here"));
    let has_values = || params.arguments.as_ref().is_some_and(|all| all.as_str() != "{}");
    // Without values and headers, no header can be missing nor say something else.
    let headers = headers.filter(|headers| !headers.is_empty() || has_values());
    if headers.is_none() && !cfg!(feature = "validation") {
        return served.tools.has(name).await.then_some(None).ok_or_else(unknown);
    }
    let list = served.tools.list_with(name).await.ok_or_else(unknown)?;
    if let (Some(headers), Some(tool)) = (headers, list.get(name)) {
        let header = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
        check_params(&tool.mirrored, params.arguments.as_ref(), header)
            .map_err(|text| ErrorObject::new(HEADER_MISMATCH, text))?;
    }
    Ok(Some(list))
}
