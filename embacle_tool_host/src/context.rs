//! What belongs to one call: who asks, and the ways to tell and to ask the client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use protocol_droid_codecs::{Codec, typed_responses};
use protocol_droid_ir::logging::is_wanted;
use protocol_droid_ir::{
    ClientCapabilities, Extensions, Implementation, InputRequest, Item, JsonObject, JsonText,
    LoggingMessageParams, Notification, NotificationParams, Number, ProgressParams, ProgressToken,
    ProtocolVersion, Text,
};
use subc_protocol::CallId;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::ask::{Answer, AskError, Question, answers, lacking};
use crate::calls::made_up;
use crate::engine::reply;
use crate::outlet::{Event, Outlet};
use crate::peer::Peer;

/// What belongs to one call of a tool, prompt or resource. Cheap to clone, and a clone may outlive
/// the call: what it then says goes nowhere.
#[derive(Clone)]
pub struct CallContext {
    pub(crate) call: Arc<Call>,
}

/// The inside of a [`CallContext`].
pub(crate) struct Call {
    /// The client's, or one made up when somebody asks for it.
    pub(crate) id: OnceLock<CallId>,
    /// What an id is made up from.
    pub(crate) number: u64,
    pub(crate) peer: Arc<Peer>,
    pub(crate) progress_token: Option<ProgressToken>,
    pub(crate) least_level: LeastLevel,
    pub(crate) meta: Option<Extensions>,
    pub(crate) started: Instant,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: CancellationToken,
    pub(crate) outlet: Outlet,
    pub(crate) rounds: Rounds,
}

/// From which level on the client wants log messages.
pub(crate) enum LeastLevel {
    /// What the request says; nothing if it is silent.
    OfRequest(Option<Text>),
    /// What the session says at the time; everything if it is silent.
    OfSession(Arc<Mutex<Option<Text>>>),
}

/// What the rounds of questions before this one brought, and what this one asks.
#[derive(Default)]
pub(crate) struct Rounds {
    pub(crate) given: JsonObject,
    pub(crate) kept: Mutex<BTreeMap<String, JsonText>>,
    pub(crate) used: Mutex<Vec<(Text, JsonText)>>,
    pub(crate) interrupt: Mutex<Option<Interrupt>>,
    pub(crate) signal: Notify,
}

/// Why a handler is dropped where it waits.
#[derive(Debug)]
pub(crate) enum Interrupt {
    /// The client is to answer these first.
    Ask(Vec<(Text, Item<InputRequest>)>),
    /// The client has not declared these capabilities.
    Lacking(JsonObject),
}

impl CallContext {
    /// The id of the call: the client's if `_meta` has one, else made up.
    pub fn call_id(&self) -> &CallId {
        self.call.id.get_or_init(|| made_up(self.call.number))
    }

    /// The revision that the client speaks.
    pub fn revision(&self) -> ProtocolVersion {
        self.call.peer.codec.version()
    }

    /// Who the client says it is.
    pub fn client_info(&self) -> Option<&Implementation> {
        self.call.peer.client_info()
    }

    /// What the client says it can do.
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        self.call.peer.capabilities()
    }

    /// A member of the request's `_meta` that the protocol leaves to others, such as `traceparent`.
    pub fn meta(&self, name: &str) -> Option<&JsonText> {
        self.call.meta.as_ref()?.get(name)
    }

    /// When the host gives up on the call, if it ever does.
    pub fn time_left(&self) -> Option<Duration> {
        self.call.deadline.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.call.cancel.is_cancelled()
    }

    /// Ends when nobody waits for the answer any more. The handler itself is dropped then; this is
    /// for work that it has handed to others.
    pub async fn cancelled(&self) {
        self.call.cancel.cancelled().await;
    }

    /// Whether the client wants to know how far the call is.
    pub fn wants_progress(&self) -> bool {
        self.call.progress_token.is_some()
    }

    /// Tells how far the call is, if the client wants to know. `done` must grow from one to the
    /// next; `message` reaches clients since 2025-03-26.
    pub async fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let (Some(token), Some(progress)) = (&self.call.progress_token, number(done)) else {
            return;
        };
        self.notify(NotificationParams::Progress(ProgressParams {
            progress_token: token.clone(),
            progress,
            total: total.and_then(number),
            message: message.map(Text::from),
            meta: None,
            extensions: Extensions::new(),
        }))
        .await;
    }

    /// Logs to the client, if it wants messages of `level` (`debug` to `emergency`).
    pub async fn log(&self, level: &str, logger: Option<&str>, data: impl Into<JsonText>) {
        let level = Text::from(level);
        let wanted = match &self.call.least_level {
            LeastLevel::OfRequest(least) => is_wanted(&level, least.as_ref()),
            LeastLevel::OfSession(least) => {
                let least = least.lock().unwrap_or_else(PoisonError::into_inner);
                least.is_none() || is_wanted(&level, least.as_ref())
            }
        };
        if wanted {
            self.notify(NotificationParams::LoggingMessage(LoggingMessageParams {
                level,
                logger: logger.map(Text::from),
                data: data.into(),
                meta: None,
                extensions: Extensions::new(),
            }))
            .await;
        }
    }

    /// Lets go of the response stream: since 2025-11-25 a client comes back for the rest by itself,
    /// so a long call need not hold a connection. Elsewhere it does nothing.
    pub async fn release_stream(&self) {
        self.call.outlet.send(Event::Release).await;
    }

    /// Whether the client has declared what it takes to be asked this.
    pub fn can_ask(&self, question: &Question) -> bool {
        lacking(question, self.client_capabilities()).is_none() && self.can_be_asked()
    }

    /// Asks the client one thing; `key` names the question among those of this call.
    ///
    /// Does not return if the client cannot be asked that: it is then told so, with the error that
    /// its revision has for it, or with a declined tool result. [`can_ask`](Self::can_ask) says it
    /// beforehand.
    ///
    /// # Errors
    /// When a legacy client answers with an error or with something else, or has gone for good.
    pub async fn ask(&self, key: &str, question: Question) -> Result<Answer, AskError> {
        let mut answers = self.ask_all(vec![(key.into(), question)]).await?;
        answers.pop().ok_or_else(|| AskError::Mismatch("no answer".into()))
    }

    /// Asks the client several things at once; the answers come in the same order.
    ///
    /// # Errors
    /// As for [`ask`](Self::ask).
    pub async fn ask_all(&self, questions: Vec<(Text, Question)>) -> Result<Vec<Answer>, AskError> {
        for (index, (key, _)) in questions.iter().enumerate() {
            if questions[..index].iter().any(|(earlier, _)| earlier == key) {
                return Err(AskError::SameKey(key.to_string()));
            }
        }
        let capabilities = self.client_capabilities();
        if let Some(lacking) = questions.iter().find_map(|(_, q)| lacking(q, capabilities)) {
            return self.interrupt(Interrupt::Lacking(lacking)).await;
        }
        if self.call.peer.is_modern() {
            return self.ask_by_round(questions).await;
        }
        match &self.call.outlet.questions {
            Some(registry) => registry.ask(questions, &self.call).await,
            None => self.interrupt(Interrupt::Lacking(JsonObject::default())).await,
        }
    }

    /// What [`keep`](Self::keep) put away in an earlier round of this call.
    pub fn kept(&self, name: &str) -> Option<JsonText> {
        lock(&self.call.rounds.kept).get(name).cloned()
    }

    /// Keeps a value for the next round, should a question end this one. The client carries it, and
    /// can neither read nor change it.
    pub fn keep(&self, name: &str, value: impl Into<JsonText>) {
        lock(&self.call.rounds.kept).insert(name.to_owned(), value.into());
    }

    fn can_be_asked(&self) -> bool {
        self.call.peer.is_modern() || self.call.outlet.questions.is_some()
    }

    async fn ask_by_round(
        &self,
        questions: Vec<(Text, Question)>,
    ) -> Result<Vec<Answer>, AskError> {
        match self.given(questions) {
            Ok(answers) => Ok(answers),
            Err(unanswered) => self.interrupt(Interrupt::Ask(unanswered)).await,
        }
    }

    /// The answers that earlier rounds brought, or the questions that are still open.
    fn given(
        &self,
        questions: Vec<(Text, Question)>,
    ) -> Result<Vec<Answer>, protocol_droid_ir::interaction::InputRequests> {
        let rounds = &self.call.rounds;
        let requests: Vec<(Text, Item<InputRequest>)> = questions
            .iter()
            .map(|(key, question)| (key.clone(), Item::Known(question.clone().into())))
            .collect();
        let mut typed = typed_responses(self.call.peer.codec, &rounds.given, &requests);
        typed.given.retain(|(key, answer)| {
            questions.iter().any(|(asked, q)| asked == key && answers(q, &answer.value))
        });
        let mut used = lock(&rounds.used);
        for (key, _) in &typed.given {
            if let Some(answer) = rounds.given.get(key)
                && !used.iter().any(|(earlier, _)| earlier == key)
            {
                used.push((key.clone(), answer));
            }
        }
        if typed.given.len() == questions.len() {
            return Ok(typed.given.into_iter().map(|(_, answer)| answer.value).collect());
        }
        let open = |key: &Text| !typed.given.iter().any(|(given, _)| given == key);
        Err(requests.into_iter().filter(|(key, _)| open(key)).collect())
    }

    /// Has the handler dropped here.
    async fn interrupt<T>(&self, why: Interrupt) -> T {
        lock(&self.call.rounds.interrupt).get_or_insert(why);
        self.call.rounds.signal.notify_one();
        std::future::pending().await
    }

    async fn notify(&self, params: NotificationParams) {
        if let Some(message) = reply::notification(Notification::new(params), self.codec()) {
            self.call.outlet.send(Event::Message(message)).await;
        }
    }

    fn codec(&self) -> &'static dyn Codec {
        self.call.peer.codec
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("call_id", self.call_id())
            .field("revision", &self.call.peer.codec.name())
            .finish_non_exhaustive()
    }
}

/// Locks what no panic can leave half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A whole number is written without a fraction.
fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[allow(clippy::cast_possible_truncation, reason = "whole and within 53 bits")]
        return Some(Number::from(value as i64));
    }
    Number::try_from(value).ok()
}
