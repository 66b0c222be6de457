//! The fence against a reference that is too simple to be wrong.

use proptest::{collection::vec, option, prelude::*};
use subc_protocol::{Fence, Stale, Ticket, Verdict};

#[derive(Clone, Debug)]
enum Op {
    Begin(u8),
    /// Completes the ticket at the index, modulo those out, with an answer of the weight.
    Complete(usize, u64),
    Abandon(usize),
    Lose(usize),
    Forget(u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0..12u8).prop_map(Op::Begin),
        5 => (any::<usize>(), 0..12u64).prop_map(|(at, weight)| Op::Complete(at, weight)),
        1 => any::<usize>().prop_map(Op::Abandon),
        1 => any::<usize>().prop_map(Op::Lose),
        1 => (0..12u8).prop_map(Op::Forget),
    ]
}

#[derive(Clone, Debug, PartialEq)]
enum Said {
    First,
    InFlight,
    Done(u64),
    Spent,
    Full,
}

/// Keys in flight with the number of their ticket, and completed ones with their answer, oldest first.
struct Reference {
    entries: usize,
    limit: Option<u64>,
    in_flight: Vec<(u8, usize)>,
    completed: Vec<(u8, Option<u64>)>,
}

impl Reference {
    fn begin(&mut self, key: u8, ticket: usize) -> Said {
        if self.in_flight.iter().any(|(k, _)| *k == key) {
            return Said::InFlight;
        }
        if let Some((_, answer)) = self.completed.iter().find(|(k, _)| *k == key) {
            return answer.map_or(Said::Spent, Said::Done);
        }
        if self.in_flight.len() + self.completed.len() == self.entries {
            if self.completed.is_empty() {
                return Said::Full;
            }
            self.completed.remove(0);
        }
        self.in_flight.push((key, ticket));
        Said::First
    }

    /// Whether the ticket was awaited.
    fn end(&mut self, key: u8, ticket: usize) -> bool {
        let before = self.in_flight.len();
        self.in_flight.retain(|call| *call != (key, ticket));
        self.in_flight.len() < before
    }

    fn complete(&mut self, key: u8, weight: u64) {
        let fits = self.limit.is_none_or(|limit| weight <= limit);
        self.completed.push((key, fits.then_some(weight)));
        while self.limit.is_some_and(|limit| self.weight() > limit) {
            let oldest = self.completed.iter_mut().find(|(_, held)| held.is_some());
            oldest.expect("something weighs").1 = None;
        }
    }

    fn forget(&mut self, key: u8) -> bool {
        let before = self.in_flight.len() + self.completed.len();
        self.in_flight.retain(|(k, _)| *k != key);
        self.completed.retain(|(k, _)| *k != key);
        self.in_flight.len() + self.completed.len() < before
    }

    fn weight(&self) -> u64 {
        self.completed.iter().filter_map(|(_, held)| *held).sum()
    }
}

/// Takes a ticket out, if there is one.
fn pick(out: &mut Vec<(usize, Ticket<u8>)>, at: usize) -> Option<(usize, Ticket<u8>)> {
    (!out.is_empty()).then(|| out.swap_remove(at % out.len()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_fence_does_as_the_reference(
        entries in 0..6usize,
        limit in option::of(0..20u64),
        ops in vec(op(), 0..120),
    ) {
        let mut fence: Fence<u64, u8> = match limit {
            Some(limit) => Fence::with_weight_limit(entries, limit, |weight| *weight),
            None => Fence::new(entries),
        };
        let mut reference = Reference { entries, limit, in_flight: vec![], completed: vec![] };
        let mut out = Vec::new();
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Begin(key) => {
                    let said = match fence.begin(key) {
                        Ok(Verdict::First(ticket)) => {
                            prop_assert_eq!(*ticket.key(), key);
                            out.push((number, ticket));
                            Said::First
                        }
                        Ok(Verdict::InFlight) => Said::InFlight,
                        Ok(Verdict::Done(answer)) => Said::Done(*answer),
                        Ok(Verdict::Spent) => Said::Spent,
                        Err(full) => {
                            prop_assert_eq!(full.entries, entries);
                            Said::Full
                        }
                    };
                    prop_assert_eq!(said, reference.begin(key, number));
                }
                Op::Complete(at, weight) => {
                    let Some((number, ticket)) = pick(&mut out, at) else { continue };
                    let key = *ticket.key();
                    let awaited = reference.end(key, number);
                    prop_assert_eq!(fence.complete(ticket, weight), awaited.then_some(()).ok_or(Stale));
                    if awaited {
                        reference.complete(key, weight);
                    }
                }
                Op::Abandon(at) => {
                    let Some((number, ticket)) = pick(&mut out, at) else { continue };
                    let awaited = reference.end(*ticket.key(), number);
                    prop_assert_eq!(fence.abandon(ticket), awaited.then_some(()).ok_or(Stale));
                }
                Op::Lose(at) => drop(pick(&mut out, at)),
                Op::Forget(key) => prop_assert_eq!(fence.forget(&key), reference.forget(key)),
            }
            prop_assert_eq!(fence.in_flight(), reference.in_flight.len());
            prop_assert_eq!(fence.len(), reference.in_flight.len() + reference.completed.len());
            prop_assert_eq!(fence.weight(), if limit.is_some() { reference.weight() } else { 0 });
            for key in 0..12 {
                let held = reference.completed.iter().find(|(k, _)| *k == key);
                prop_assert_eq!(fence.answer(&key).copied(), held.and_then(|(_, held)| *held));
            }
        }
    }
}
