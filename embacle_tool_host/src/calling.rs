//! A call from its parameters to its end, or to where it stops before.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use futures_util::FutureExt;
use protocol_droid_ir::error_data::INTERNAL_ERROR;
use protocol_droid_ir::{ErrorObject, InputRequiredResult, RequestContext, ResultBody};
use subc_protocol::serde_json::value::RawValue;
use subc_protocol::{CallId, RawToolCallRequest};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::calls::next_number;
use crate::context::{Call, CallContext, Interrupt, LeastLevel, Rounds, lock};
use crate::dispatch::invalid;
use crate::engine::modern::lacking;
use crate::engine::reply::Answer;
use crate::engine::state::{self, Binding, State};
use crate::outlet::Outlet;
use crate::peer::Peer;
use crate::served::{Remembered, Served};

/// A call about to be made.
pub(crate) struct Prepared {
    pub(crate) context: CallContext,
    binding: Option<Binding>,
}

/// Who calls, what comes with the call, and the ways back.
pub(crate) struct Caller {
    pub(crate) context: RequestContext,
    pub(crate) peer: Arc<Peer>,
    pub(crate) outlet: Outlet,
    pub(crate) cancel: CancellationToken,
    pub(crate) remembered: Option<Arc<Remembered>>,
}

impl Prepared {
    pub(crate) fn is_modern(&self) -> bool {
        self.context.call.peer.is_modern()
    }

    /// The result that asks, with what the next round needs of this one.
    pub(crate) fn ask(
        &self,
        served: &Served,
        questions: protocol_droid_ir::interaction::InputRequests,
        bind: impl FnOnce() -> Binding,
    ) -> Answer {
        let rounds = &self.context.call.rounds;
        let mut answers = std::mem::take(&mut *lock(&rounds.used));
        // An answer that does not fit what is asked under its key now gives way to the next.
        answers.retain(|(key, _)| !questions.iter().any(|(asked, _)| asked == key));
        let state = State { answers, kept: std::mem::take(&mut lock(&rounds.kept)) };
        let config = &served.config;
        let expiry = config.clock.now() + config.limits.state;
        let binding = self.binding.unwrap_or_else(bind);
        let sealed = state::seal(&state, &binding, expiry, &config.keys);
        let result = InputRequiredResult {
            input_requests: Some(questions),
            request_state: Some(sealed.into()),
            ..InputRequiredResult::default()
        };
        ResultBody::InputRequired(result).into()
    }

    /// The answer of a call, other than of a tool, that did not come to its end.
    pub(crate) fn unfinished<T>(
        &self,
        served: &Served,
        driven: Driven<T>,
        bind: impl FnOnce() -> Binding,
    ) -> Option<Answer> {
        match driven {
            Driven::Interrupted(Interrupt::Ask(questions)) => {
                Some(self.ask(served, questions, bind))
            }
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

/// Makes a call ready; `bind` says what its state belongs to.
///
/// # Errors
/// For the client, if the state that it brings is not one of this call.
pub(crate) fn prepare(
    served: &Served,
    bind: impl FnOnce() -> Binding,
    caller: Caller,
) -> Result<Prepared, ErrorObject> {
    let Caller { context, peer, outlet, cancel, remembered } = caller;
    let RequestContext { progress_token, log_level, meta, input_responses, request_state, .. } =
        context;
    let mut rounds = Rounds { given: input_responses.unwrap_or_default(), ..Rounds::default() };
    let mut binding = None;
    if let Some(sealed) = request_state {
        let bound = binding.insert(bind());
        let config = &served.config;
        let state = state::open(&sealed, bound, config.clock.now(), &config.keys)
            .map_err(|reason| invalid(format!("requestState: {reason}")))?;
        // What has been answered stays so, whatever else the client brings under its key.
        for (key, answer) in &state.answers {
            rounds.given = rounds.given.with_member(key, answer);
        }
        rounds.used = state.answers.into();
        rounds.kept = state.kept.into();
    }
    let least_level = match &remembered {
        Some(remembered) => LeastLevel::OfSession(remembered.level.clone()),
        None => LeastLevel::OfRequest(log_level),
    };
    let started = Instant::now();
    let call = Call {
        id: supplied_id(meta.as_ref()).map(OnceLock::from).unwrap_or_default(),
        number: next_number(),
        peer,
        progress_token,
        least_level,
        meta,
        started,
        deadline: started.checked_add(served.limits().call),
        cancel,
        outlet,
        rounds,
    };
    Ok(Prepared { context: CallContext { call: Arc::new(call) }, binding })
}

/// The client's id of the call, by the names under which agents send one.
fn supplied_id(meta: Option<&protocol_droid_ir::Extensions>) -> Option<CallId> {
    const NAMES: [&str; 3] = ["tool_call_id", "toolCallId", "claudecode/toolUseId"];
    let supplied = NAMES.iter().find_map(|name| meta?.get(name)?.parse::<String>().ok())?;
    let is_fit = (1..=subc_protocol::MAX_ID_LEN).contains(&supplied.len())
        && supplied.bytes().all(|b| (0x21..0x7f).contains(&b));
    let mut request = RawToolCallRequest::new("", RawValue::NULL.to_owned());
    request.tool_call_id = Some(supplied).filter(|_| is_fit);
    request.tool_call_id.is_some().then(|| request.call_id(String::new, &mut |_: &str, _: &str| {}))
}

/// How far a handler came.
pub(crate) enum Driven<T> {
    Done(T),
    Interrupted(Interrupt),
    Cancelled,
    TimedOut,
    Panicked,
}

/// Runs a handler to its end, or drops it where it waits when something else ends the call first.
pub(crate) async fn drive<T>(call: &Call, handler: impl Future<Output = T>) -> Driven<T> {
    let mut handler = std::pin::pin!(AssertUnwindSafe(handler).catch_unwind());
    if let Poll::Ready(done) = futures_util::poll!(&mut handler) {
        return done.map_or(Driven::Panicked, Driven::Done);
    }
    let ended = async {
        let timeout = async {
            match call.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = call.rounds.signal.notified() => match lock(&call.rounds.interrupt).take() {
                Some(interrupt) => Driven::Interrupted(interrupt),
                None => Driven::Cancelled,
            },
            () = call.cancel.cancelled() => Driven::Cancelled,
            () = timeout => Driven::TimedOut,
        }
    };
    // Few calls wait: the others have no room made for it.
    let ended = Box::pin(ended);
    tokio::select! {
        biased;
        done = &mut handler => done.map_or(Driven::Panicked, Driven::Done),
        ended = ended => ended,
    }
}
