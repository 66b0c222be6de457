//! Sessions that their clients have ended, whose ids would hold good for longer.

use std::collections::BTreeSet;
use std::time::Duration;

/// The sessions ended of one principal: a bounded number by their names, and all that were opened
/// before those, since none that was ended may come back.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    /// By when they were opened, since 1970.
    known: BTreeSet<(Duration, [u8; 16])>,
    /// Whoever was opened until then counts as ended.
    until: Option<Duration>,
}

impl Ended {
    /// Notes a session, and that those opened before `oldest` are too old anyway.
    pub(crate) fn insert(
        &mut self,
        opened: Duration,
        name: [u8; 16],
        most: usize,
        oldest: Duration,
    ) {
        self.known.insert((opened, name));
        while self.known.first().is_some_and(|(opened, _)| *opened < oldest) {
            self.known.pop_first();
        }
        while self.known.len() > most {
            self.until = self.known.pop_first().map(|(opened, _)| opened).max(self.until);
        }
    }

    pub(crate) fn contains(&self, opened: Duration, name: [u8; 16]) -> bool {
        self.until.is_some_and(|until| opened <= until) || self.known.contains(&(opened, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_that_was_ended_comes_back() {
        let mut ended = Ended::default();
        let at = |n: u8| (Duration::from_secs(n.into()), [n; 16]);
        for n in [5, 3, 9, 1, 7] {
            let (opened, name) = at(n);
            ended.insert(opened, name, 2, Duration::ZERO);
        }
        assert_eq!(ended.known.len(), 2);
        for n in [1, 3, 5, 7, 9] {
            assert!(ended.contains(at(n).0, at(n).1), "{n}");
        }
        // Younger ones, and those that were not ended, are as they were.
        assert!(!ended.contains(at(6).0, at(6).1));
        assert!(!ended.contains(at(9).0, [0; 16]));
        assert!(!ended.contains(at(10).0, at(10).1));
        ended.insert(at(10).0, at(10).1, 2, Duration::from_secs(10));
        assert_eq!(ended.known.len(), 1, "what is too old anyway is forgotten");
    }
}
