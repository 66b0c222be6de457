//! Which request a response answers: results have no tag of their own.

use std::collections::{BTreeMap, HashMap};

use protocol_droid_ir::{ProgressToken, RequestId, Text};

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
    requests: HashMap<RequestId, Waiting>,
    /// The same requests by age.
    ages: BTreeMap<u64, RequestId>,
}

#[derive(Clone, Debug)]
struct Waiting {
    age: u64,
    method: Text,
    call: Call,
}

/// What a [`Translator`](crate::Translator) remembers of a request besides its method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    /// The tool that is called.
    pub(crate) tool: Option<Text>,
    /// The id that the sender gave it, where the receiver got another.
    pub(crate) id: Option<RequestId>,
    /// The progress token that the sender gave it, likewise.
    pub(crate) token: Option<ProgressToken>,
}

#[allow(clippy::mutable_key_type, reason = "decoding the text of an id does not change the id")]
impl Pending {
    /// A table of at most `capacity` requests.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, noted: 0, requests: HashMap::new(), ages: BTreeMap::new() }
    }

    /// Remembers a request, or forgets one that was answered.
    pub fn observe(&mut self, message: &MessageKind) {
        match message {
            MessageKind::Request { id, method } => self.note(id, method, Call::default()),
            MessageKind::Response { id } | MessageKind::Error { id: Some(id) } => {
                self.take(id);
            }
            _ => {}
        }
    }

    /// The method of the request with this id.
    pub fn method_of(&self, id: &RequestId) -> Option<&str> {
        self.requests.get(id).map(|waiting| waiting.method.as_str())
    }

    /// How many requests await a response.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether no request awaits a response.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    pub(crate) fn note(&mut self, id: &RequestId, method: &Text, call: Call) {
        self.take(id);
        let (id, method) = (id.detached(), Text::from(method.as_str()));
        self.ages.insert(self.noted, id.clone());
        self.requests.insert(id, Waiting { age: self.noted, method, call });
        self.noted += 1;
        if self.requests.len() > self.capacity
            && let Some((_, oldest)) = self.ages.pop_first()
        {
            self.requests.remove(&oldest);
        }
    }

    /// Forgets a request, returning what was remembered of it.
    pub(crate) fn take(&mut self, id: &RequestId) -> Option<Call> {
        let waiting = self.requests.remove(id)?;
        self.ages.remove(&waiting.age);
        Some(waiting.call)
    }

    pub(crate) fn call(&self, id: &RequestId) -> Option<&Call> {
        self.requests.get(id).map(|waiting| &waiting.call)
    }

    /// The id that the receiver has of the request that its sender calls `id`.
    pub(crate) fn own_id(&self, id: &RequestId) -> Option<&RequestId> {
        let same = |call: &Call| call.id.as_ref() == Some(id);
        self.requests.iter().find(|(_, waiting)| same(&waiting.call)).map(|(own, _)| own)
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
