//! Log messages of a server, and from which level on a client wants them.

use crate::json::{Extensions, JsonObject, JsonText};
use crate::lower::{lowering, lowering_whole};
use crate::message::strip_subscription;
use crate::text::Text;

/// The levels from the most verbose to the gravest.
pub const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What `logging/setLevel` takes; removed in 2026-07-28, where each request says its own level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetLevelParams {
    /// The least level of the messages wanted: one of [`LEVELS`].
    pub level: Text,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering_whole!(SetLevelParams, SetLevel);

/// What `notifications/message` says.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggingMessageParams {
    /// How grave it is: one of [`LEVELS`].
    pub level: Text,
    /// Who says it.
    pub logger: Option<Text>,
    /// What is said: any JSON.
    pub data: JsonText,
    /// `_meta`.
    pub meta: Option<JsonObject>,
    /// Members that no revision defines.
    pub extensions: Extensions,
}

lowering! {
    LoggingMessageParams {}
    features(_this, _set) {}
    lower(this, cx) {
        strip_subscription(&mut this.meta, cx)?;
    }
}

/// The most verbose of the levels in use: what a session's one level must be for each request of
/// its own level to be served. A level that is not among [`LEVELS`] counts only if no other is.
pub fn most_verbose<'a>(in_use: impl IntoIterator<Item = &'a Text>) -> Option<&'a Text> {
    in_use.into_iter().min_by_key(|level| rank(level).unwrap_or(LEVELS.len()))
}

/// What to tell a server with sessions when the levels of the requests in flight are `in_use`, and
/// the level it was told last is `told`. `None` if nothing need be said: with no level in use, a
/// session has no way to ask for silence.
pub fn level_to_set<'a>(
    in_use: impl IntoIterator<Item = &'a Text>,
    told: Option<&Text>,
) -> Option<SetLevelParams> {
    let level = most_verbose(in_use)?;
    let new = told != Some(level);
    new.then(|| SetLevelParams { level: level.clone(), extensions: Extensions::new() })
}

/// Whether a message of `level` is wanted by one who wants messages from `least` on. One who asked
/// for no level wants none (2026-07-28); levels that cannot be compared are let through.
pub fn is_wanted(level: &Text, least: Option<&Text>) -> bool {
    let Some(least) = least else { return false };
    match (rank(level), rank(least)) {
        (Some(level), Some(least)) => level >= least,
        _ => true,
    }
}

fn rank(level: &Text) -> Option<usize> {
    LEVELS.iter().position(|known| level == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_verbose_level_in_use_is_set_once() {
        let rows: [(&[&str], Option<&str>, Option<&str>); 7] = [
            (&[], None, None),
            (&[], Some("debug"), None),
            (&["error"], None, Some("error")),
            (&["error", "info", "alert"], Some("error"), Some("info")),
            (&["error", "info"], Some("info"), None),
            (&["error"], Some("info"), Some("error")),
            (&["loud", "emergency"], None, Some("emergency")),
        ];
        for (in_use, told, expected) in rows {
            let levels: Vec<Text> = in_use.iter().map(|level| Text::from(*level)).collect();
            let told = told.map(Text::from);
            let found = level_to_set(&levels, told.as_ref()).map(|params| params.level);
            assert_eq!(found, expected.map(Text::from), "{in_use:?} {told:?}");
        }
    }

    #[test]
    fn a_message_is_wanted_from_its_level_on() {
        let rows = [
            ("debug", None, false),
            ("emergency", None, false),
            ("debug", Some("info"), false),
            ("info", Some("info"), true),
            ("emergency", Some("info"), true),
            ("loud", Some("info"), true),
            ("info", Some("loud"), true),
        ];
        for (level, least, expected) in rows {
            let least = least.map(Text::from);
            assert_eq!(is_wanted(&level.into(), least.as_ref()), expected, "{level} {least:?}");
        }
    }
}
