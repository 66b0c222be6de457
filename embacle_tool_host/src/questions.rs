//! Questions that are requests of their own: those to clients before 2026-07-28.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use futures_util::future::try_join_all;
use protocol_droid_ir::{
    CancelledParams, ErrorObject, InputRequest, InputResponse, Notification, NotificationParams,
    Policy, RequestId, ResultBody, Text,
};
use tokio::sync::oneshot;

use crate::ask::{Answer, AskError, Question, answers};
use crate::context::{Call, lock};
use crate::engine::reply;
use crate::keys::random_name;
use crate::outlet::Event;

/// The questions of one session that wait for an answer.
#[derive(Clone, Default)]
pub(crate) struct Questions(Arc<Table>);

#[derive(Default)]
struct Table {
    waiting: Mutex<HashMap<String, Waiting>>,
    next: AtomicU64,
    /// A session may be served by several tables in turn, or by one in each replica: their ids
    /// differ by this.
    name: OnceLock<String>,
}

struct Waiting {
    method: &'static str,
    reply: oneshot::Sender<Result<ResultBody, ErrorObject>>,
}

impl Questions {
    fn next_id(&self) -> String {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        format!("question-{number}-{}", self.0.name.get_or_init(random_name))
    }

    /// The method of the question that `id` answers.
    pub(crate) fn method_of(&self, id: &RequestId) -> Option<&'static str> {
        let RequestId::Text(id) = id else { return None };
        lock(&self.0.waiting).get(id.as_str()).map(|waiting| waiting.method)
    }

    /// Hands over an answer. An answer to nothing is passed over.
    pub(crate) fn answer(&self, id: &RequestId, answer: Result<ResultBody, ErrorObject>) {
        let RequestId::Text(id) = id else { return };
        if let Some(waiting) = lock(&self.0.waiting).remove(id.as_str()) {
            let _ = waiting.reply.send(answer);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0.waiting).is_empty()
    }

    pub(crate) async fn ask(
        &self,
        questions: Vec<(Text, Question)>,
        call: &Call,
    ) -> Result<Vec<Answer>, AskError> {
        let asked = questions.into_iter().map(|(_, question)| self.ask_one(question, call));
        try_join_all(asked).await
    }

    async fn ask_one(&self, question: Question, call: &Call) -> Result<Answer, AskError> {
        let id = self.next_id();
        let codec = call.peer.codec;
        let policy = Policy::faithful();
        // Unlike those of all other sessions, too.
        let elicitation = Some(random_name().into());
        let (request, _) = InputRequest::from(question.clone())
            .into_request(id.as_str(), elicitation, codec.features(), &policy)
            .map_err(|error| AskError::Mismatch(error.to_string()))?;
        let message = reply::request(request, codec)
            .ok_or_else(|| AskError::Mismatch("the revision has no such question".into()))?;
        let (sender, receiver) = oneshot::channel();
        let waiting = Waiting { method: question.method(), reply: sender };
        lock(&self.0.waiting).insert(id.clone(), waiting);
        let mut open = Open { questions: self, id, call, asked: false };
        open.asked = call.outlet.send(Event::Message(message)).await;
        let answer = tokio::select! {
            biased;
            answer = receiver => answer,
            () = call.outlet.closed() => return Err(AskError::Gone),
        };
        open.asked = false;
        match answer {
            Ok(Ok(result)) => {
                let (answer, _) = InputResponse::from_result(result, &policy)
                    .map_err(|error| AskError::Mismatch(error.to_string()))?;
                match answers(&question, &answer) {
                    true => Ok(answer),
                    false => Err(AskError::Mismatch("an answer of another kind".into())),
                }
            }
            Ok(Err(error)) => Err(AskError::Refused(error)),
            Err(_) => Err(AskError::Mismatch("the session ended".into())),
        }
    }
}

/// A question under way, withdrawn if nobody waits for the answer any more.
struct Open<'a> {
    questions: &'a Questions,
    id: String,
    call: &'a Call,
    asked: bool,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        lock(&self.questions.0.waiting).remove(&self.id);
        if !self.asked {
            return;
        }
        let params = NotificationParams::Cancelled(CancelledParams {
            request_id: Some(self.id.as_str().into()),
            ..CancelledParams::default()
        });
        if let Some(message) = reply::notification(Notification::new(params), self.call.peer.codec)
        {
            self.call.outlet.try_send(Event::Message(message));
        }
    }
}
