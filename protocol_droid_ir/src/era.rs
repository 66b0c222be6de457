//! Whether a server is modern (2026-07-28 and later) or holds sessions, from what it answered.
//!
//! The verdict is a property of the server: keep it for the life of its process on stdio and of its
//! origin on HTTP, and ask again when it turns out wrong.

use crate::error_data::{METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION};
use crate::json::{JsonObject, JsonText};
use crate::lifecycle::DiscoverResult;
use crate::message::ErrorObject;
use crate::negotiation::{common_legacy, common_modern, modern, newest_first, proposal};
use crate::text::Text;
use crate::version::ProtocolVersion;

/// What a client opened with.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Opening {
    /// `server/discover`, made in a modern revision.
    Discover(ProtocolVersion),
    /// Any other request of a modern revision.
    Request(ProtocolVersion),
    /// `initialize`.
    Initialize,
}

/// What came back, apart from the status of HTTP.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A result; what a discovery lists as supported, and whether it says of what kind it is.
    Result {
        /// `supportedVersions`, if there is such a list.
        supported: Option<Vec<Text>>,
        /// Whether there is a `resultType`.
        typed: bool,
    },
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i64,
        /// `supported` of its data, if there is such a list.
        supported: Option<Vec<Text>>,
    },
    /// Anything else, an empty body included.
    Unrecognized,
    /// Nothing in time, or the connection or process ended.
    Nothing,
}

impl From<&DiscoverResult> for Answer {
    fn from(result: &DiscoverResult) -> Self {
        let supported = Some(result.supported_versions.clone());
        Self::Result { supported, typed: result.result_type.is_some() }
    }
}

impl From<&ErrorObject> for Answer {
    fn from(error: &ErrorObject) -> Self {
        let data = error.data.clone().and_then(|data| JsonObject::try_from(data).ok());
        let supported = data.and_then(|data| data.get("supported"));
        Self::Error { code: error.code, supported: supported.and_then(|list| texts(&list)) }
    }
}

fn texts(list: &JsonText) -> Option<Vec<Text>> {
    list.parse().ok()
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it says how to go on"]
#[non_exhaustive]
pub enum Era {
    /// The server is modern: go on in the first of these revisions, then the next. The list is the
    /// one that the server named, else what is offered; never empty.
    Modern(Vec<ProtocolVersion>),
    /// The server holds sessions: `initialize` on the same connection or endpoint, proposing this
    /// revision. A process that ended is started anew for it.
    Legacy(ProtocolVersion),
    /// Try the transport of 2024-11-05: a GET, whose first event must be `endpoint`.
    FallBackToSse,
    /// The answer says nothing on the era: whoever asked must hear of it as it is.
    NoEvidence,
    /// There is no revision in common; the server supports these, as far as it said.
    Incompatible(Vec<Text>),
}

/// The verdict on a server that is reached by stdio.
///
/// A discovery or an error that only a modern server sends is evidence of one, and everything else
/// of sessions, silence included: no other code is, since older servers answer a request that they
/// do not know with any.
pub fn on_stdio(opening: Opening, answer: &Answer, offered: &[ProtocolVersion]) -> Era {
    if let Some(era) = modern_evidence(opening, answer, offered) {
        return era;
    }
    match opening {
        Opening::Initialize => after_initialize(answer, offered),
        Opening::Discover(_) | Opening::Request(_) => initialize(offered, &[]),
    }
}

/// The verdict on a server that is reached by HTTP, where it answered with `status`; `None` if it
/// did not answer.
pub fn on_http(
    opening: Opening,
    status: Option<u16>,
    answer: &Answer,
    offered: &[ProtocolVersion],
) -> Era {
    let Some(status) = status else { return Era::NoEvidence };
    if let Some(era) = modern_evidence(opening, answer, offered) {
        return era;
    }
    // Only a modern server says in a body that it lacks a method; discovery none of them lacks.
    let unknown_method = matches!(answer, Answer::Error { code: METHOD_NOT_FOUND, .. });
    if status == 404 && unknown_method && !matches!(opening, Opening::Discover(_)) {
        return after_error(answer, None, offered);
    }
    match (opening, status) {
        (_, 401 | 403) => Era::NoEvidence,
        (Opening::Initialize, 400 | 404 | 405) => match after_initialize(answer, offered) {
            Era::NoEvidence if offered.contains(&ProtocolVersion::V2024_11_05) => {
                Era::FallBackToSse
            }
            era => era,
        },
        (Opening::Initialize, 200..=299) => after_initialize(answer, offered),
        (Opening::Initialize, _) => Era::NoEvidence,
        (_, 200..=299 | 400..=499) => initialize(offered, &[]),
        _ => Era::NoEvidence,
    }
}

/// What only a modern server sends: a discovery, a result that says its kind, and the three errors
/// of 2026-07-28.
fn modern_evidence(opening: Opening, answer: &Answer, offered: &[ProtocolVersion]) -> Option<Era> {
    match (opening, answer) {
        (Opening::Discover(_), Answer::Result { supported: Some(supported), .. }) => {
            let common = common_modern(supported, offered);
            Some(if common.is_empty() {
                initialize(offered, supported)
            } else {
                Era::Modern(common)
            })
        }
        (Opening::Request(made_in), Answer::Result { typed: true, .. }) => {
            Some(Era::Modern(vec![made_in]))
        }
        (Opening::Discover(made_in) | Opening::Request(made_in), Answer::Error { code, .. })
            if is_modern_error(*code) =>
        {
            let refused = (*code == UNSUPPORTED_PROTOCOL_VERSION).then_some(made_in);
            Some(after_error(answer, refused, offered))
        }
        (Opening::Initialize, Answer::Error { code, .. }) if is_modern_error(*code) => {
            Some(after_error(answer, None, offered))
        }
        _ => None,
    }
}

fn is_modern_error(code: i64) -> bool {
    matches!(code, -32022..=-32020)
}

/// What is left to try with a modern server that answered with an error; `refused` is the revision
/// that it refused.
fn after_error(
    answer: &Answer,
    refused: Option<ProtocolVersion>,
    offered: &[ProtocolVersion],
) -> Era {
    let supported = match answer {
        Answer::Error { supported: Some(supported), .. } => supported,
        _ => {
            let mut left: Vec<_> = modern(offered).filter(|v| Some(*v) != refused).collect();
            newest_first(&mut left);
            return if left.is_empty() { Era::Incompatible(Vec::new()) } else { Era::Modern(left) };
        }
    };
    let common = common_modern(supported, offered);
    if !common.is_empty() {
        return Era::Modern(common);
    }
    match common_legacy(supported, offered) {
        Some(version) => Era::Legacy(version),
        None => Era::Incompatible(supported.clone()),
    }
}

/// An `initialize` that was refused is evidence only of what the refusal names: whoever has no
/// handshake should name its revisions in any error.
fn after_initialize(answer: &Answer, offered: &[ProtocolVersion]) -> Era {
    match answer {
        Answer::Error { supported: Some(_), .. } => after_error(answer, None, offered),
        Answer::Result { .. } => initialize(offered, &[]),
        _ => Era::NoEvidence,
    }
}

/// A handshake, in a revision that the server named if there is one.
fn initialize(offered: &[ProtocolVersion], supported: &[Text]) -> Era {
    match common_legacy(supported, offered).or_else(|| proposal(offered)) {
        Some(version) => Era::Legacy(version),
        None => Era::Incompatible(supported.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Era::{FallBackToSse, Incompatible, Legacy, Modern, NoEvidence};
    use Opening::{Discover, Initialize, Request};
    use ProtocolVersion::{V2024_11_05 as A, V2025_03_26 as B, V2025_11_25 as D, V2026_07_28 as E};

    const BOTH: &[ProtocolVersion] = &[A, B, D, E];

    fn list(versions: &[&str]) -> Option<Vec<Text>> {
        Some(versions.iter().map(|version| Text::from(*version)).collect())
    }

    fn discovered(versions: &[&str]) -> Answer {
        Answer::Result { supported: list(versions), typed: true }
    }

    fn result(typed: bool) -> Answer {
        Answer::Result { supported: None, typed }
    }

    fn error(code: i64) -> Answer {
        Answer::Error { code, supported: None }
    }

    fn naming(code: i64, versions: &[&str]) -> Answer {
        Answer::Error { code, supported: list(versions) }
    }

    fn incompatible(versions: &[&str]) -> Era {
        Incompatible(list(versions).unwrap())
    }

    #[test]
    fn an_answer_on_stdio_tells_the_era() {
        let rows: Vec<(Opening, Answer, &[ProtocolVersion], Era)> = vec![
            (Discover(E), discovered(&["2026-07-28"]), BOTH, Modern(vec![E])),
            (Discover(E), discovered(&["2025-11-25", "2026-07-28"]), BOTH, Modern(vec![E])),
            (Discover(E), discovered(&["2025-03-26"]), BOTH, Legacy(B)),
            (Discover(E), discovered(&["2099-01-01"]), BOTH, Legacy(D)),
            (Discover(E), discovered(&["2099-01-01"]), &[E], incompatible(&["2099-01-01"])),
            (Discover(E), result(true), BOTH, Legacy(D)),
            (Discover(E), result(false), BOTH, Legacy(D)),
            (Request(E), result(true), BOTH, Modern(vec![E])),
            (Request(E), result(false), BOTH, Legacy(D)),
            (Discover(E), naming(-32022, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Discover(E), naming(-32022, &["2025-03-26", "2024-11-05"]), BOTH, Legacy(B)),
            (Discover(E), naming(-32022, &["2099-01-01"]), BOTH, incompatible(&["2099-01-01"])),
            (Discover(E), error(-32022), BOTH, Incompatible(vec![])),
            (Discover(E), error(-32020), BOTH, Modern(vec![E])),
            (Request(E), error(-32021), BOTH, Modern(vec![E])),
            (Discover(E), error(-32601), BOTH, Legacy(D)),
            (Request(E), error(-32601), BOTH, Legacy(D)),
            (Discover(E), error(-32602), BOTH, Legacy(D)),
            (Discover(E), naming(-32602, &["2026-07-28"]), BOTH, Legacy(D)),
            (Discover(E), error(-32004), BOTH, Legacy(D)),
            (Discover(E), error(-32023), BOTH, Legacy(D)),
            (Discover(E), Answer::Unrecognized, BOTH, Legacy(D)),
            (Discover(E), Answer::Nothing, BOTH, Legacy(D)),
            (Discover(E), Answer::Nothing, &[A, E], Legacy(A)),
            (Discover(E), Answer::Nothing, &[E], Incompatible(vec![])),
            (Initialize, naming(-32022, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Initialize, naming(-32602, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Initialize, naming(-32602, &["2024-11-05"]), BOTH, Legacy(A)),
            (Initialize, naming(-32602, &["2024-10-07"]), BOTH, incompatible(&["2024-10-07"])),
            (Initialize, error(-32601), BOTH, NoEvidence),
            (Initialize, Answer::Nothing, BOTH, NoEvidence),
            (Initialize, result(false), BOTH, Legacy(D)),
        ];
        for (opening, answer, offered, expected) in rows {
            let found = on_stdio(opening, &answer, offered);
            assert_eq!(found, expected, "{opening:?} {answer:?} {offered:?}");
        }
    }

    #[test]
    fn an_answer_on_http_tells_the_era() {
        let rows: Vec<(Opening, u16, Answer, &[ProtocolVersion], Era)> = vec![
            (Discover(E), 200, discovered(&["2026-07-28"]), BOTH, Modern(vec![E])),
            (Request(E), 200, result(true), BOTH, Modern(vec![E])),
            (Request(E), 200, result(false), BOTH, Legacy(D)),
            (Request(E), 200, error(-32601), BOTH, Legacy(D)),
            (Request(E), 400, naming(-32022, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Request(E), 400, naming(-32022, &["2025-11-25"]), BOTH, Legacy(D)),
            (Request(E), 400, naming(-32022, &["2099-01-01"]), BOTH, incompatible(&["2099-01-01"])),
            (Request(E), 400, error(-32020), BOTH, Modern(vec![E])),
            (Request(E), 400, error(-32021), BOTH, Modern(vec![E])),
            (Request(E), 400, error(-32602), BOTH, Legacy(D)),
            (Request(E), 400, Answer::Unrecognized, BOTH, Legacy(D)),
            (Request(E), 404, Answer::Unrecognized, BOTH, Legacy(D)),
            (Request(E), 405, Answer::Unrecognized, BOTH, Legacy(D)),
            (Request(E), 406, Answer::Unrecognized, BOTH, Legacy(D)),
            (Request(E), 400, Answer::Unrecognized, &[E], Incompatible(vec![])),
            (Request(E), 404, error(-32601), BOTH, Modern(vec![E])),
            (Discover(E), 404, error(-32601), BOTH, Legacy(D)),
            (Initialize, 404, error(-32601), BOTH, Modern(vec![E])),
            (Initialize, 400, naming(-32022, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Initialize, 400, naming(-32602, &["2026-07-28"]), BOTH, Modern(vec![E])),
            (Initialize, 400, Answer::Unrecognized, BOTH, FallBackToSse),
            (Initialize, 404, Answer::Unrecognized, BOTH, FallBackToSse),
            (Initialize, 405, Answer::Unrecognized, BOTH, FallBackToSse),
            (Initialize, 405, Answer::Unrecognized, &[D, E], NoEvidence),
            (Initialize, 406, Answer::Unrecognized, BOTH, NoEvidence),
            (Initialize, 200, result(false), BOTH, Legacy(D)),
            (Request(E), 401, Answer::Unrecognized, BOTH, NoEvidence),
            (Request(E), 403, error(-32000), BOTH, NoEvidence),
            (Initialize, 401, Answer::Unrecognized, BOTH, NoEvidence),
            (Request(E), 500, error(-32603), BOTH, NoEvidence),
            (Request(E), 503, Answer::Unrecognized, BOTH, NoEvidence),
            (Initialize, 502, Answer::Unrecognized, BOTH, NoEvidence),
            (Request(E), 302, Answer::Unrecognized, BOTH, NoEvidence),
        ];
        for (opening, status, answer, offered, expected) in rows {
            let found = on_http(opening, Some(status), &answer, offered);
            assert_eq!(found, expected, "{opening:?} {status} {answer:?} {offered:?}");
        }
        assert_eq!(on_http(Request(E), None, &Answer::Nothing, BOTH), NoEvidence);
    }

    #[test]
    fn an_answer_is_read_from_what_came() {
        let mut found = ErrorObject::new(-32022, "no");
        assert_eq!(Answer::from(&found), error(-32022));
        for (data, supported) in [
            (r#"{"supported":["2026-07-28"],"requested":"x"}"#, list(&["2026-07-28"])),
            (r#"{"supported":[1]}"#, None),
            (r#"["2026-07-28"]"#, None),
        ] {
            found.data = Some(JsonText::new(data).unwrap());
            assert_eq!(Answer::from(&found), Answer::Error { code: -32022, supported });
        }
        let result = DiscoverResult {
            supported_versions: list(&["2026-07-28"]).unwrap(),
            result_type: Some("complete".into()),
            ..DiscoverResult::default()
        };
        assert_eq!(Answer::from(&result), discovered(&["2026-07-28"]));
    }
}
