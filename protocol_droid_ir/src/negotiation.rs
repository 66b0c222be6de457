//! Which revision two peers speak: the handshake's rules, and the choice from a list.
//!
//! Nothing here is read or written: an application passes the revisions it offers.

use crate::text::Text;
use crate::version::ProtocolVersion;

/// What a server answers to an `initialize` that proposes `proposed`: the same revision if it is
/// offered, else the newest offered one that has a handshake. `None` if none has: the server then
/// answers with an error, which should name the revisions it offers.
pub fn answer(proposed: &str, offered: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    let same = legacy(offered).find(|version| version.as_str() == proposed);
    same.or_else(|| legacy(offered).max())
}

/// What a client proposes in `initialize`: the newest revision it offers that has a handshake.
pub fn proposal(offered: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    legacy(offered).max()
}

/// What a client does with the revision that a server answered: the session is held in it if the
/// client offers it too. `None` if it does not: the client should disconnect.
pub fn accept(answered: &str, offered: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    legacy(offered).find(|version| version.as_str() == answered)
}

/// What a server makes of the revision that a request without a session names. `None` if it is not
/// offered: the server answers with error -32022, whose data names what it offers.
pub fn serve(requested: &str, offered: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    modern(offered).find(|version| version.as_str() == requested)
}

/// The revisions of `supported`, a list that a peer named, that are offered too and have no
/// handshake: the newest first.
pub fn common_modern(supported: &[Text], offered: &[ProtocolVersion]) -> Vec<ProtocolVersion> {
    let mut common: Vec<_> = modern(offered).filter(|v| names(supported, *v)).collect();
    newest_first(&mut common);
    common
}

/// The newest revision of `supported` that is offered too and has a handshake.
pub fn common_legacy(supported: &[Text], offered: &[ProtocolVersion]) -> Option<ProtocolVersion> {
    legacy(offered).filter(|version| names(supported, *version)).max()
}

pub(crate) fn legacy(offered: &[ProtocolVersion]) -> impl Iterator<Item = ProtocolVersion> {
    offered.iter().copied().filter(|version| !version.is_modern())
}

pub(crate) fn modern(offered: &[ProtocolVersion]) -> impl Iterator<Item = ProtocolVersion> {
    offered.iter().copied().filter(|version| version.is_modern())
}

pub(crate) fn newest_first(versions: &mut Vec<ProtocolVersion>) {
    versions.sort_by(|a, b| b.cmp(a));
    versions.dedup();
}

fn names(supported: &[Text], version: ProtocolVersion) -> bool {
    supported.iter().any(|name| name == version.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProtocolVersion::{
        V2024_11_05 as A, V2025_03_26 as B, V2025_06_18 as C, V2025_11_25 as D, V2026_07_28 as E,
    };

    #[test]
    fn a_server_answers_the_proposal_or_its_newest_with_a_handshake() {
        let rows: [(&str, &[ProtocolVersion], Option<ProtocolVersion>); 9] = [
            ("2025-06-18", &[B, C, D], Some(C)),
            ("2025-06-18", &[A, B], Some(B)),
            ("2024-11-05", &[C, D, E], Some(D)),
            ("2026-07-28", &[A, D, E], Some(D)),
            ("2099-01-01", &[D, A], Some(D)),
            ("", &[A], Some(A)),
            ("2025-06-18 ", &[A, C], Some(C)),
            ("2025-11-25", &[E], None),
            ("2025-11-25", &[], None),
        ];
        for (proposed, offered, expected) in rows {
            assert_eq!(answer(proposed, offered), expected, "{proposed} of {offered:?}");
        }
    }

    #[test]
    fn a_client_proposes_its_newest_and_takes_what_it_offers() {
        assert_eq!(proposal(&[A, D, C, E]), Some(D));
        assert_eq!(proposal(&[E]), None);
        let rows: [(&str, &[ProtocolVersion], Option<ProtocolVersion>); 5] = [
            ("2025-11-25", &[C, D], Some(D)),
            ("2024-11-05", &[A, D], Some(A)),
            ("2024-11-05", &[C, D], None),
            ("2026-07-28", &[D, E], None),
            ("DRAFT-2025-v3", &[D], None),
        ];
        for (answered, offered, expected) in rows {
            assert_eq!(accept(answered, offered), expected, "{answered} of {offered:?}");
        }
    }

    #[test]
    fn a_request_of_its_own_version_is_served_or_not() {
        assert_eq!(serve("2026-07-28", &[A, E]), Some(E));
        assert_eq!(serve("2025-11-25", &[D, E]), None);
        assert_eq!(serve("2026-07-28", &[D]), None);
    }

    #[test]
    fn what_is_common_comes_newest_first() {
        let supported: Vec<Text> =
            ["2099-01-01", "2026-07-28", "2025-06-18", "2025-11-25"].map(Text::from).into();
        assert_eq!(common_modern(&supported, &[E, A, E]), [E]);
        assert_eq!(common_modern(&supported, &[D]), []);
        assert_eq!(common_legacy(&supported, &[C, D, A]), Some(D));
        assert_eq!(common_legacy(&supported, &[A, E]), None);
    }
}
