//! Which request a response answers: results have no tag of their own.

use std::collections::{BTreeMap, HashMap};

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
    /// How many requests were ever noted: the age of the next.
    noted: u64,
    methods: HashMap<RequestId, (u64, Text)>,
    /// The same requests by age.
    ages: BTreeMap<u64, RequestId>,
}

#[allow(clippy::mutable_key_type, reason = "decoding the text of an id does not change the id")]
impl Pending {
    /// A table of at most `capacity` requests.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, noted: 0, methods: HashMap::new(), ages: BTreeMap::new() }
    }

    /// Remembers a request, or forgets one that was answered.
    pub fn observe(&mut self, message: &MessageKind) {
        match message {
            MessageKind::Request { id, method } => self.note(id, method),
            MessageKind::Response { id } | MessageKind::Error { id: Some(id) } => self.forget(id),
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

    fn note(&mut self, id: &RequestId, method: &Text) {
        self.forget(id);
        let (id, method) = (id.detached(), Text::from(method.as_str()));
        self.ages.insert(self.noted, id.clone());
        self.methods.insert(id, (self.noted, method));
        self.noted += 1;
        if self.methods.len() > self.capacity
            && let Some((_, oldest)) = self.ages.pop_first()
        {
            self.methods.remove(&oldest);
        }
    }

    fn forget(&mut self, id: &RequestId) {
        if let Some((age, _)) = self.methods.remove(id) {
            self.ages.remove(&age);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: u64, method: &str) -> MessageKind {
        MessageKind::Request { id: id.into(), method: method.into() }
    }

    #[test]
    fn a_response_is_typed_once() {
        let mut pending = Pending::new(8);
        pending.observe(&request(1, "tools/list"));
        pending.observe(&MessageKind::Request { id: "1".into(), method: "tools/call".into() });
        assert_eq!(pending.method_of(&1.into()), Some("tools/list"));
        assert_eq!(pending.method_of(&"1".into()), Some("tools/call"));
        pending.observe(&MessageKind::Response { id: 1.into() });
        assert_eq!(pending.method_of(&1.into()), None);
        assert_eq!(pending.len(), 1);
    }

    #[test]
    fn the_oldest_is_forgotten_and_a_reused_id_is_new() {
        let mut pending = Pending::new(2);
        for (id, method) in [(1, "a"), (2, "b"), (1, "c"), (3, "d")] {
            pending.observe(&request(id, method));
        }
        assert_eq!(pending.method_of(&2.into()), None);
        assert_eq!(pending.method_of(&1.into()), Some("c"));
        assert_eq!(pending.method_of(&3.into()), Some("d"));
    }
}
