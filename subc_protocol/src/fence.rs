//! At most once: each call is let through the first time and answered from memory after that.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::call_id::CallId;

/// Remembers calls by key and says of each whether it is the first of its key.
///
/// **Bounds.** A fence knows at most `entries` keys. With a weight limit it also holds answers of at
/// most that total weight, in whatever unit the weighing function counts. It has no clock and does
/// no IO.
///
/// **Eviction.** A new key evicts the call that was completed longest ago; calls in flight are never
/// evicted, so when there are only those, a new key is refused as [`Full`]. Too much weight drops
/// the answers completed longest ago but keeps their keys, which are then [`Verdict::Spent`]. An
/// answer heavier than the whole limit is never held and drops no other. Reading an answer does not
/// make it younger.
///
/// **What is promised.** While the fence knows a key, no second call of it is
/// [`Verdict::First`]. Once the key is evicted or [forgotten](Self::forget), a repeat is
/// `First` again: at most once holds for as long as `entries` newer keys take to arrive, which
/// `entries` must make longer than consumers go on retrying. [`evicted`](Self::evicted) counts the
/// keys for which the promise has ended that way. Memory ends with the fence too.
///
/// **Failures.** A ticket that is dropped leaves its key in flight, as its call may have had
/// effects. [`abandon`](Self::abandon) says that it had none, so a retry is first again.
/// [`complete`](Self::complete) also takes failures: their answer says so.
///
/// **Keys.** Ids are unique on their consumer's side only. A provider with several consumers keeps a
/// fence for each, or makes the consumer part of the key; the channel and the epoch do not identify
/// a consumer, as a retry may come over a new route.
#[derive(Debug)]
pub struct Fence<A, K = CallId> {
    calls: HashMap<K, Call<A>>,
    /// The completed calls, oldest first.
    completed: BTreeMap<u64, K>,
    /// No call completed before this one has its answer still.
    oldest_held: u64,
    entries: usize,
    limit: Option<Limit<A>>,
    weight: u64,
    evicted: u64,
}

impl<A, K: Clone + Eq + Hash> Fence<A, K> {
    /// A fence that knows at most `entries` keys; with 0, every call is refused.
    pub fn new(entries: usize) -> Self {
        Self {
            calls: HashMap::new(),
            completed: BTreeMap::new(),
            oldest_held: 0,
            entries,
            limit: None,
            weight: 0,
            evicted: 0,
        }
    }

    /// Like [`new`](Self::new), and holds answers of at most `weight` in total, as `weigh` counts.
    pub fn with_weight_limit(entries: usize, weight: u64, weigh: fn(&A) -> u64) -> Self {
        Self { limit: Some(Limit { weight, weigh }), ..Self::new(entries) }
    }

    /// Announces a call and says what to do with it.
    ///
    /// # Errors
    ///
    /// The key is new and all that the fence has room for is in flight. Nothing was changed.
    pub fn begin(&mut self, key: K) -> Result<Verdict<'_, A, K>, Full> {
        // Looked up twice, as a borrow that is returned lasts to the end of the function.
        if self.calls.contains_key(&key) {
            return Ok(match &self.calls[&key] {
                Call::InFlight { .. } => Verdict::InFlight,
                Call::Completed { held, .. } => match held {
                    Some(held) => Verdict::Done(&held.answer),
                    None => Verdict::Spent,
                },
            });
        }
        if self.calls.len() >= self.entries {
            let Some((_, oldest)) = self.completed.pop_first() else {
                return Err(Full { entries: self.entries });
            };
            self.forget(&oldest);
            self.evicted += 1;
        }
        let ticket = Ticket { key: key.clone(), serial: serial() };
        self.calls.insert(key, Call::InFlight { serial: ticket.serial });
        Ok(Verdict::First(ticket))
    }

    /// Stores the answer of a first call; repeats get it from now on.
    ///
    /// # Errors
    ///
    /// The fence no longer waits for this ticket; nothing was changed and the answer is dropped.
    pub fn complete(&mut self, ticket: Ticket<K>, answer: A) -> Result<(), Stale> {
        let call = self.waiting(&ticket)?;
        let completed = serial();
        *call = Call::Completed { serial: completed, held: None };
        self.completed.insert(completed, ticket.key.clone());
        self.hold(&ticket.key, answer);
        Ok(())
    }

    /// Takes back a first call that certainly had no effect; the next of its key is first again.
    ///
    /// # Errors
    ///
    /// The fence no longer waits for this ticket; nothing was changed.
    pub fn abandon(&mut self, ticket: Ticket<K>) -> Result<(), Stale> {
        self.waiting(&ticket)?;
        self.calls.remove(&ticket.key);
        Ok(())
    }

    /// Forgets a key in whatever state, for instance after its ticket was lost, and says whether it
    /// was known. This gives up at most once for the key; its ticket, if any, becomes stale.
    pub fn forget(&mut self, key: &K) -> bool {
        match self.calls.remove(key) {
            Some(Call::Completed { serial, held }) => {
                self.completed.remove(&serial);
                self.weight -= held.map_or(0, |held| held.weight);
                true
            }
            Some(Call::InFlight { .. }) => true,
            None => false,
        }
    }

    /// The answer held for a key. Unlike [`begin`](Self::begin), this announces nothing.
    pub fn answer(&self, key: &K) -> Option<&A> {
        match self.calls.get(key)? {
            Call::Completed { held, .. } => held.as_ref().map(|held| &held.answer),
            Call::InFlight { .. } => None,
        }
    }

    /// How many keys the fence knows.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether the fence knows no key.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many of the known keys are in flight.
    pub fn in_flight(&self) -> usize {
        self.calls.len() - self.completed.len()
    }

    /// The total weight of the answers held; 0 without a weight limit.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// How many keys were evicted so far.
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    fn waiting(&mut self, ticket: &Ticket<K>) -> Result<&mut Call<A>, Stale> {
        match self.calls.get_mut(&ticket.key) {
            Some(call) if call.is_in_flight_as(ticket.serial) => Ok(call),
            _ => Err(Stale),
        }
    }

    fn hold(&mut self, key: &K, answer: A) {
        let weight = self.limit.as_ref().map_or(0, |l| (l.weigh)(&answer));
        if let Some(limit) = self.limit.as_ref().map(|limit| limit.weight) {
            if weight > limit {
                return;
            }
            // `weight <= limit`, so this ends at the latest when nothing is held.
            while self.weight > limit - weight {
                self.drop_oldest_answer();
            }
        }
        if let Some(Call::Completed { held, .. }) = self.calls.get_mut(key) {
            *held = Some(Held { answer, weight });
            self.weight += weight;
        }
    }

    fn drop_oldest_answer(&mut self) {
        for (serial, key) in self.completed.range(self.oldest_held..) {
            self.oldest_held = serial + 1;
            if let Some(Call::Completed { held, .. }) = self.calls.get_mut(key)
                && let Some(held) = held.take()
            {
                self.weight -= held.weight;
                return;
            }
        }
    }
}

/// What a [`Fence`] says of a call.
#[derive(Debug)]
#[must_use = "a first call that is dropped stays in flight"]
pub enum Verdict<'a, A, K = CallId> {
    /// The first of its key: run it, then complete or abandon the ticket.
    First(Ticket<K>),
    /// The first is still running. Do not run this one; refuse it, or answer it when that one is done.
    InFlight,
    /// The first is done, with this answer.
    Done(&'a A),
    /// The first is done, but its answer was too heavy to keep. Do not run this one.
    Spent,
}

/// The right to run one call, which [`Fence::complete`] or [`Fence::abandon`] takes back.
///
/// Only the fence that gave it out takes it.
#[derive(Debug)]
#[must_use = "the call stays in flight until its ticket is completed or abandoned"]
pub struct Ticket<K = CallId> {
    key: K,
    serial: u64,
}

impl<K> Ticket<K> {
    /// The key of the call.
    pub fn key(&self) -> &K {
        &self.key
    }
}

/// A new call was refused, as every call that the fence has room for is in flight.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("all {entries} calls that the fence has room for are in flight")]
pub struct Full {
    /// How many keys the fence has room for.
    pub entries: usize,
}

/// A ticket came back after its key was forgotten, or to another fence.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the fence does not wait for this call")]
pub struct Stale;

#[derive(Debug)]
enum Call<A> {
    InFlight { serial: u64 },
    Completed { serial: u64, held: Option<Held<A>> },
}

impl<A> Call<A> {
    fn is_in_flight_as(&self, ticket: u64) -> bool {
        matches!(self, Self::InFlight { serial } if *serial == ticket)
    }
}

#[derive(Debug)]
struct Held<A> {
    answer: A,
    weight: u64,
}

#[derive(Debug)]
struct Limit<A> {
    weight: u64,
    weigh: fn(&A) -> u64,
}

/// Rises within the process, so that no ticket fits a call of another fence.
fn serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn first<A>(fence: &mut Fence<A, u8>, key: u8) -> Ticket<u8> {
        match fence.begin(key) {
            Ok(Verdict::First(ticket)) => ticket,
            _ => panic!("{key} is not first"),
        }
    }

    fn done(fence: &mut Fence<String, u8>, key: u8, answer: &str) {
        let ticket = first(fence, key);
        fence.complete(ticket, answer.into()).expect("in flight");
    }

    #[test]
    fn a_repeat_waits_and_then_gets_the_answer() {
        let mut fence = Fence::new(2);
        let ticket = first(&mut fence, 1);
        assert!(matches!(fence.begin(1), Ok(Verdict::InFlight)));
        fence.complete(ticket, "a").expect("in flight");
        assert!(matches!(fence.begin(1), Ok(Verdict::Done(&"a"))));
        assert_eq!((fence.len(), fence.in_flight()), (1, 0));
    }

    #[test]
    fn the_oldest_completed_is_evicted_and_what_is_in_flight_never() {
        let mut fence = Fence::new(3);
        let one = first(&mut fence, 1);
        done(&mut fence, 2, "b");
        fence.complete(one, "a".into()).expect("in flight");
        let _three = first(&mut fence, 3);
        let _four = first(&mut fence, 4);
        assert_eq!(fence.answer(&2), None, "completed before 1");
        assert_eq!(fence.answer(&1).map(String::as_str), Some("a"));
        let _five = first(&mut fence, 5);
        assert!(matches!(fence.begin(6), Err(Full { entries: 3 })));
        assert_eq!((fence.in_flight(), fence.evicted()), (3, 2));
    }

    #[test]
    fn weight_drops_answers_and_keeps_keys() {
        let mut fence = Fence::with_weight_limit(8, 5, |answer: &String| answer.len() as u64);
        done(&mut fence, 1, "aaa");
        done(&mut fence, 2, "bb");
        done(&mut fence, 3, "much too long");
        assert_eq!(fence.weight(), 5);
        assert!(matches!(fence.begin(3), Ok(Verdict::Spent)));
        done(&mut fence, 4, "c");
        assert!(matches!(fence.begin(1), Ok(Verdict::Spent)));
        assert!(matches!(fence.begin(2), Ok(Verdict::Done(_))));
        assert_eq!((fence.len(), fence.weight()), (4, 3));
    }

    #[test]
    fn abandoned_and_forgotten_calls_are_first_again() {
        let mut fence: Fence<&str, u8> = Fence::new(1);
        let ticket = first(&mut fence, 1);
        fence.abandon(ticket).expect("in flight");
        drop(first(&mut fence, 1));
        assert!(matches!(fence.begin(1), Ok(Verdict::InFlight)));
        assert!(fence.forget(&1) && !fence.forget(&1));
        let _again = first(&mut fence, 1);
    }

    #[test]
    fn a_ticket_fits_only_its_own_call() {
        let mut fence = Fence::new(1);
        let old = first(&mut fence, 1);
        fence.forget(&1);
        let new = first(&mut fence, 1);
        assert_eq!(fence.complete(old, "old"), Err(Stale));
        assert_eq!(Fence::<&str, u8>::new(1).abandon(new), Err(Stale));
        assert!(matches!(fence.begin(1), Ok(Verdict::InFlight)));
        assert!(Fence::<(), u8>::new(0).begin(1).is_err());
    }
}
