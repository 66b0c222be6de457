//! One call at the provider's end of a route, from its request to what it comes to.

use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{Fuse, FusedFuture};
use protocol_droid_ir::{Extensions, JsonObject, ResultBody, ToolResult};
use subc_protocol::{Body, CallId, ErrorBody, RawToolCallRequest};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::calling::{Driven, drive};
use crate::config::Limits;
use crate::context::{Call, CallContext, Interrupt, LeastLevel, Rounds};
use crate::engine::modern::reader;
use crate::engine::reply;
use crate::engine::unique::repeated_name;
use crate::list::Tools;
use crate::outcome::{Failure, ToolOutcome};
use crate::outlet::{Event, Outlet};
use crate::peer::Peer;
use crate::surface::ToolSurface;

/// Runs the calls of a provider.
pub(crate) struct Runner {
    tools: Tools,
    limits: Limits,
    places: Semaphore,
}

/// The body of a Response, or of an Error.
pub(crate) type Answer = Result<Body, ErrorBody>;

/// How a call ends.
pub(crate) enum Came {
    /// It ran and came to this.
    To(Answer),
    /// It did not run.
    Refused(ErrorBody),
}

impl Runner {
    pub(crate) fn new(surface: impl ToolSurface + 'static, limits: Limits) -> Self {
        let places = Semaphore::new(limits.running_calls);
        Self { tools: Tools::new(Arc::new(surface)), limits, places }
    }

    /// Runs a call within the limits; `tell` gets what it says to its client, all before the end.
    pub(crate) async fn run<Telling: Future<Output = ()> + Send>(
        &self,
        id: CallId,
        request: RawToolCallRequest,
        cancel: CancellationToken,
        tell: impl Fn(Event) -> Telling + Send,
    ) -> Came {
        let refused = |code: &str, text: String| Came::Refused(ErrorBody::new(code, text));
        let place = cancel.run_until_cancelled(self.places.acquire()).await;
        let Some(Ok(_place)) = place else { return refused("cancelled", CANCELLED.to_owned()) };
        let name = request.name;
        if !self.tools.has(&name).await {
            return refused("unknown_tool", format!("there is no tool {name:?} here"));
        }
        let arguments = JsonObject::new(String::from(Box::<str>::from(request.arguments)));
        let Ok(arguments) = arguments else {
            return refused("bad_arguments", "arguments: expected an object".to_owned());
        };
        if let Some(name) = repeated_name(&arguments) {
            let reason = format!("arguments: the name {name:?} is there twice");
            return refused("bad_arguments", reason);
        }
        let (sender, mut events) = mpsc::channel(16);
        let started = Instant::now();
        let call = Arc::new(Call {
            id: id.into(),
            number: 0,
            peer: Arc::new(Peer::new(reader(), None, Box::default())),
            // The number of the request tells whose progress it is.
            progress_token: request.progress_token.map(|_| 0u64.into()),
            // A route says no level: everything, for the other end knows what its client wants.
            least_level: LeastLevel::OfSession(Arc::default()),
            meta: None::<Extensions>,
            started,
            deadline: started.checked_add(self.limits.call),
            cancel,
            outlet: Outlet::shared(sender, None),
            rounds: Rounds::default(),
        });
        let context = CallContext { call: call.clone() };
        let handler = self.tools.surface.call_exact(&name, &arguments, &context);
        let mut driven = pin!(drive(&call, handler));
        let mut telling = pin!(Fuse::terminated());
        let driven = loop {
            tokio::select! {
                driven = &mut driven => break driven,
                () = &mut telling => {}
                Some(event) = events.recv(), if telling.is_terminated() => {
                    telling.set(tell(event).fuse());
                }
            }
        };
        if !telling.is_terminated() {
            telling.await;
        }
        // Whoever still has the context says nothing more.
        events.close();
        while let Some(event) = events.recv().await {
            tell(event).await;
        }
        Came::To(answer(&name, driven))
    }
}

const CANCELLED: &str = "the call was cancelled";

fn answer(name: &str, driven: Driven<ToolOutcome>) -> Answer {
    let failed = |code: &str, text: String| Err(ErrorBody::new(code, text));
    let result = match driven {
        Driven::Done(ToolOutcome::Succeeded(result)) => result,
        Driven::Done(ToolOutcome::Declined(mut result)) => {
            result.is_error = Some(true);
            result
        }
        Driven::Done(ToolOutcome::Failed(Failure::Tool(reason))) => ToolResult::error(reason),
        Driven::Done(ToolOutcome::Failed(failure)) => {
            let code = match &failure {
                Failure::InvalidParams(_) => "bad_arguments",
                Failure::NotFound(_) => "not_found",
                _ => "internal",
            };
            return failed(code, failure.to_string());
        }
        Driven::Interrupted(Interrupt::Lacking(_) | Interrupt::Ask(_)) => {
            ToolResult::error("this tool asks its client, and there is none on this route")
        }
        Driven::Cancelled => return failed("cancelled", CANCELLED.to_owned()),
        Driven::TimedOut => return failed("timeout", format!("{name} did not answer in time")),
        Driven::Panicked => return failed("internal", "internal error".to_owned()),
    };
    let bytes = reply::result(ResultBody::CallTool(result), reader());
    let body = bytes.and_then(|bytes| Body::new(bytes).ok());
    body.ok_or_else(|| ErrorBody::new("internal", "the result has no form on this route"))
}
