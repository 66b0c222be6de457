//! What was called in a session.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use crate::context::lock;

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

/// The last calls, and how many there were in all.
#[derive(Debug)]
pub(crate) struct CallLog {
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    total: u64,
    last: VecDeque<CallRecord>,
}

impl CallLog {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, inner: Mutex::default() }
    }

    pub(crate) fn push(&self, record: CallRecord) {
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
        lock(&self.inner).last.iter().cloned().collect()
    }

    pub(crate) fn total(&self) -> u64 {
        lock(&self.inner).total
    }
}
