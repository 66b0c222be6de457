//! Which request a response answers: results have no tag of their own.

use std::collections::{HashMap, VecDeque};

use protocol_droid_ir::{RequestId, Text};

use crate::translate::MessageKind;

/// How a response is typed: by the request it answers, else by the method given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expect<'a> {
    /// Requests that await a response.
    pub pending: Option<&'a Pending>,
    /// The method of a response that no pending request has the id of.
    pub method: Option<&'a str>,
}

impl<'a> Expect<'a> {
    /// Types every response as one to `method`.
    pub fn method(method: &'a str) -> Self {
        Self { pending: None, method: Some(method) }
    }

    /// Types a response by the pending request with its id.
    pub fn pending(pending: &'a Pending) -> Self {
        Self { pending: Some(pending), method: None }
    }

    pub(crate) fn method_of(&self, id: &RequestId) -> Option<&'a str> {
        self.pending.and_then(|pending| pending.method_of(id)).or(self.method)
    }
}

/// The methods of requests that await a response, by id.
///
/// The table is bounded: when it is full, the oldest request is forgotten. Ids are unique only
/// among the requests of one sender, so keep one table a direction where both send requests.
#[derive(Clone, Debug)]
pub struct Pending {
    capacity: usize,
    /// Counts the requests, so that a reused id is told from the request that had it before.
    count: u64,
    methods: HashMap<RequestId, (u64, Text)>,
    order: VecDeque<(u64, RequestId)>,
}

impl Pending {
    /// A table of at most `capacity` requests.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, count: 0, methods: HashMap::new(), order: VecDeque::new() }
    }

    /// Remembers a request and forgets one that was answered.
    pub fn observe(&mut self, message: &MessageKind) {
        match message {
            MessageKind::Request { id, method } => self.insert(id, method),
            MessageKind::Response { id } | MessageKind::Error { id: Some(id) } => {
                self.methods.remove(id);
            }
            _ => {}
        }
    }

    /// The method of the request with this id.
    pub fn method_of(&self, id: &RequestId) -> Option<&str> {
        self.methods.get(id).map(|(_, method)| method.as_str())
    }

    /// How many requests await a response.
    pub fn len(&self) -> usize {
        self.methods.len()
    }

    /// Whether no request awaits a response.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    fn insert(&mut self, id: &RequestId, method: &Text) {
        self.count += 1;
        let (id, method) = (id.detached(), Text::from(method.as_str()));
        self.methods.insert(id.clone(), (self.count, method));
        self.order.push_back((self.count, id));
        // The order may hold requests that were answered since; they cost at most as many places.
        while self.methods.len() > self.capacity || self.order.len() > 2 * self.capacity {
            let Some((count, id)) = self.order.pop_front() else { return };
            match self.methods.get(&id) {
                Some((current, _)) if *current != count => {}
                Some(_) if self.methods.len() <= self.capacity => {
                    // The oldest still waits while later ones were answered: it goes to the back.
                    self.compact(count, id);
                }
                _ => {
                    self.methods.remove(&id);
                }
            }
        }
    }

    fn compact(&mut self, count: u64, id: RequestId) {
        self.order.push_front((count, id));
        let methods = &self.methods;
        self.order.retain(|(count, id)| methods.get(id).is_some_and(|(now, _)| now == count));
    }
}
