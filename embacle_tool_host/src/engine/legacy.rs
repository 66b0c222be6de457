//! The eras of the handshake: what `initialize` is answered, and what a session id holds.

use std::time::Duration;

use protocol_droid_codecs::{Codec, codec, encode_value};
use protocol_droid_ir::error_data::INVALID_REQUEST;
use protocol_droid_ir::lower::lower;
use protocol_droid_ir::{
    ErrorObject, Extensions, InitializeParams, Policy, ProtocolVersion, ResultBody, negotiation,
};

use super::about::About;
use super::modern::{reader, unsupported};
use super::reply::Answer;
use crate::keys::{Keys, random};

/// A handshake that both sides agree on.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) codec: &'static dyn Codec,
    /// The client's parameters in the form of the revision, cut to what a session needs to know.
    pub(crate) handshake: Vec<u8>,
    pub(crate) answer: Answer,
}

/// What `initialize` comes to.
///
/// # Errors
/// When no revision with a handshake is offered; the error names those that are.
pub(crate) fn initialize(params: InitializeParams, about: &About) -> Result<Agreed, ErrorObject> {
    let proposed = params.protocol_version.clone();
    let agreed = negotiation::answer(&proposed, &about.versions);
    let Some(codec) = agreed.and_then(|version| codec(version.as_str()).ok()) else {
        return Err(unsupported(proposed, &about.versions));
    };
    let answer =
        Answer::Result(ResultBody::Initialize(Box::new(about.initialize(codec.version()))));
    Ok(Agreed { codec, handshake: handshake(params, codec), answer })
}

/// What a message is read by before a handshake.
pub(crate) fn opener(offered: &[ProtocolVersion]) -> &'static dyn Codec {
    let newest = negotiation::proposal(offered);
    newest.and_then(|version| codec(version.as_str()).ok()).unwrap_or_else(reader)
}

/// What a second `initialize` is answered.
pub(crate) fn open_already() -> ErrorObject {
    ErrorObject::new(INVALID_REQUEST, "the session is open already")
}

/// The longest handshake that goes into a session id whole.
const MAX_HANDSHAKE: usize = 2048;

fn handshake(mut params: InitializeParams, codec: &dyn Codec) -> Vec<u8> {
    let client = &mut params.client_info;
    (client.icons, client.description, client.website_url) = (None, None, None);
    client.extensions = Extensions::new();
    params.extensions = Extensions::new();
    // A client may know more than the revision that it comes to has.
    let _ = lower(&mut params, codec.features(), &Policy::faithful());
    let written = |params: &InitializeParams| {
        let mut out = Vec::new();
        encode_value(codec, params, &mut out).ok().map(|()| out)
    };
    match written(&params) {
        Some(out) if out.len() <= MAX_HANDSHAKE => out,
        _ => {
            params.capabilities.experimental = None;
            params.capabilities.protocol_extensions = None;
            params.capabilities.extensions = Extensions::new();
            written(&params).filter(|out| out.len() <= 2 * MAX_HANDSHAKE).unwrap_or_default()
        }
    }
}

/// A session as its id says it: any replica with the keys can serve it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionSeal {
    /// Unlike that of any other session.
    pub(crate) name: [u8; 16],
    pub(crate) version: ProtocolVersion,
    /// When it was opened, since 1970.
    pub(crate) opened: Duration,
    pub(crate) handshake: Vec<u8>,
}

impl SessionSeal {
    pub(crate) fn new(codec: &dyn Codec, handshake: Vec<u8>, now: Duration) -> Self {
        Self { name: random(), version: codec.version(), opened: now, handshake }
    }

    /// The id, of visible ASCII; for whoever `principal` is alone.
    pub(crate) fn seal(&self, principal: &[u8; 32], keys: &Keys) -> String {
        let mut plain = self.name.to_vec();
        let opened = u64::try_from(self.opened.as_nanos()).unwrap_or(u64::MAX);
        plain.extend_from_slice(&opened.to_le_bytes());
        plain.extend_from_slice(self.version.as_str().as_bytes());
        plain.extend_from_slice(&self.handshake);
        keys.seal(principal, &plain)
    }

    /// The session that the id names; `None` if there never was one.
    pub(crate) fn open(id: &str, principal: &[u8; 32], keys: &Keys) -> Option<Self> {
        let plain = keys.open(principal, id)?;
        let (name, rest) = plain.split_first_chunk::<16>()?;
        let (opened, rest) = rest.split_first_chunk::<8>()?;
        let (version, handshake) = rest.split_first_chunk::<10>()?;
        Some(Self {
            name: *name,
            version: std::str::from_utf8(version).ok()?.parse().ok()?,
            opened: Duration::from_nanos(u64::from_le_bytes(*opened)),
            handshake: handshake.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use protocol_droid_codecs::decode_value;
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_the_revision_lacks_of_a_client_costs_nothing_else() {
        let newest = codec("2025-11-25").unwrap();
        let said = br#"{
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {}, "sampling": {"tools": {}}, "elicitation": {"form": {}, "url": {}}},
            "clientInfo": {"name": "c", "title": "C", "version": "1"}
        }"#;
        let params = decode_value::<InitializeParams>(newest, said).unwrap().value;
        for (revision, capabilities, title) in [
            ("2024-11-05", r#"{"roots":{},"sampling":{}}"#, ""),
            ("2025-06-18", r#"{"roots":{},"sampling":{},"elicitation":{}}"#, r#","title":"C""#),
        ] {
            let kept = handshake(params.clone(), codec(revision).unwrap());
            let kept: Value = serde_json::from_slice(&kept).unwrap();
            let client = format!(r#"{{"name":"c","version":"1"{title}}}"#);
            assert_eq!(kept["capabilities"], capabilities.parse::<Value>().unwrap(), "{revision}");
            assert_eq!(kept["clientInfo"], client.parse::<Value>().unwrap(), "{revision}");
        }
    }

    #[test]
    fn a_session_id_says_its_session_to_its_owner_alone() {
        let keys = Keys::new(&[3; 32]);
        let codec = codec("2025-06-18").unwrap();
        let session = SessionSeal::new(codec, b"{}".to_vec(), Duration::from_secs(5));
        let id = session.seal(&[1; 32], &keys);
        assert!(id.bytes().all(|b| (0x21..0x7f).contains(&b)));
        assert_eq!(SessionSeal::open(&id, &[1; 32], &keys), Some(session));
        assert_eq!(SessionSeal::open(&id, &[2; 32], &keys), None);
        assert_eq!(SessionSeal::open("", &[1; 32], &keys), None);
    }
}
