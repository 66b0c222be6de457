//! What was called in a session.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use subc_protocol::serde_json::value::RawValue;
use subc_protocol::{CallId, RawToolCallRequest};

use crate::context::lock;
use crate::keys::random_name;

/// A tool call that has ended, however it did.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The tool.
    pub tool: String,
    /// The id of the call.
    pub call_id: String,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The time from the request to its end.
    pub duration: Duration,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum CallOutcome {
    /// The tool succeeded.
    Succeeded,
    /// The tool said no, or the client lacks what it asked for.
    Declined,
    /// The tool failed.
    Failed,
    /// The tool asked the client, which is to call again with the answers.
    Asked,
    /// The call took too long.
    TimedOut,
    /// The client, or the end of the session, cancelled it.
    Cancelled,
    /// The tool panicked.
    Panicked,
}

/// A record as it is kept: an id that nobody has asked for is made up when somebody does.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) tool: Box<str>,
    pub(crate) id: Option<CallId>,
    pub(crate) number: u64,
    pub(crate) outcome: CallOutcome,
    pub(crate) duration: Duration,
}

impl Recorded {
    fn told(&self) -> CallRecord {
        let id =
            self.id.as_ref().map_or_else(|| made_up(self.number).to_string(), CallId::to_string);
        CallRecord {
            tool: self.tool.to_string(),
            call_id: id,
            outcome: self.outcome,
            duration: self.duration,
        }
    }
}

/// What the id of a call is made up from, unlike that of any other.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The id of a call whose client supplied none: always the same of one number, and of no other
/// process.
pub(crate) fn made_up(number: u64) -> CallId {
    static OWN: OnceLock<String> = OnceLock::new();
    let id = || format!("{}-{number}", OWN.get_or_init(random_name));
    let request = RawToolCallRequest::new("", RawValue::NULL.to_owned());
    request.call_id(id, &mut |_: &str, _: &str| {})
}

/// The last calls, and how many there were in all.
#[derive(Debug)]
pub(crate) struct CallLog {
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    total: u64,
    last: VecDeque<Recorded>,
}

impl CallLog {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, inner: Mutex::default() }
    }

    pub(crate) fn push(&self, record: Recorded) {
        let mut inner = lock(&self.inner);
        inner.total += 1;
        if inner.last.len() >= self.limit {
            inner.last.pop_front();
        }
        if self.limit > 0 {
            inner.last.push_back(record);
        }
    }

    /// The last calls, oldest first.
    pub(crate) fn last(&self) -> Vec<CallRecord> {
        lock(&self.inner).last.iter().map(Recorded::told).collect()
    }

    pub(crate) fn total(&self) -> u64 {
        lock(&self.inner).total
    }
}
