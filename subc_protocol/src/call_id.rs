//! The identity of a call, which knows where it came from.

use std::{fmt, sync::Arc};

/// The id of one call, and whether the consumer supplied it.
///
/// Only [`ToolCallRequest::call_id`](crate::ToolCallRequest::call_id) and its raw twin make one, and
/// they make one up only after telling a [`RecordFallback`]. A made-up id never equals a supplied
/// one, whatever its text.
///
/// A made-up id recognises a repeat only if the fallback derives it from what repeats.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CallId {
    text: Arc<str>,
    supplied: bool,
}

impl CallId {
    pub(crate) fn resolve(
        tool: &str,
        supplied: Option<&str>,
        fallback: impl FnOnce() -> String,
        recorder: &mut (impl RecordFallback + ?Sized),
    ) -> Self {
        if let Some(id) = supplied {
            return Self { text: id.into(), supplied: true };
        }
        let id = fallback();
        recorder.record_fallback(tool, &id);
        Self { text: id.into(), supplied: false }
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the consumer supplied the id; else the reader made it up.
    pub fn is_supplied(&self) -> bool {
        self.supplied
    }
}

impl AsRef<str> for CallId {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Takes note of ids that a reader made up. Any `FnMut(&str, &str)` is one.
pub trait RecordFallback {
    /// The call of `tool` came without an id and is now known as `id`.
    fn record_fallback(&mut self, tool: &str, id: &str);
}

impl<F: FnMut(&str, &str)> RecordFallback for F {
    fn record_fallback(&mut self, tool: &str, id: &str) {
        self(tool, id);
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_supplied_id_asks_for_no_fallback() {
        let id = CallId::resolve(
            "echo",
            Some("c1"),
            || unreachable!("an id was supplied"),
            &mut |_: &str, _: &str| unreachable!("nothing was made up"),
        );
        assert_eq!((id.as_str(), id.is_supplied()), ("c1", true));
    }

    #[test]
    fn a_made_up_id_is_recorded_and_is_not_the_supplied_one() {
        let mut notes = Vec::new();
        let mut note = |tool: &str, id: &str| notes.push(format!("{tool}={id}"));
        let made_up = CallId::resolve("echo", None, || "c1".into(), &mut note);
        let supplied = CallId::resolve("echo", Some("c1"), || "c2".into(), &mut note);
        assert_eq!((made_up.as_str(), made_up.is_supplied()), ("c1", false));
        assert_ne!(made_up, supplied);
        assert_eq!(notes, ["echo=c1"]);
    }
}
