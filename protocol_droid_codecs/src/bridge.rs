//! What a bridge between a server with sessions and one without says for the other: the answer to
//! `initialize` from that to `server/discover`, and back.

use protocol_droid_ir::{
    Action, DiscoverResult, Entry, Feature, Implementation, InitializeResult, JsonObject, JsonText,
    ProtocolVersion, Reason, TranslationReport,
};

use crate::codec::{Decoded, decode_value, encode_value};
use crate::v2026_07_28::V2026_07_28;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Where the release candidate of 2026-07-28 had it.
const SERVER_INFO_OF_CANDIDATE: &str = "serverInfo";

/// The answer to `initialize` in the legacy revision `version`, from a discovery. Lower it for that
/// revision before it is sent.
///
/// A handshake demands the server's name: it stands in `_meta`, or where the release candidate had
/// it; a placeholder is reported.
pub fn initialize_result(
    discovery: DiscoverResult,
    version: ProtocolVersion,
) -> Decoded<InitializeResult> {
    let mut report = TranslationReport::new();
    let DiscoverResult { capabilities, instructions, meta, mut extensions, .. } = discovery;
    let candidate = extensions.remove(SERVER_INFO_OF_CANDIDATE).as_ref().and_then(implementation);
    let named = server_info(meta.as_ref()).or(candidate);
    let server_info = named.unwrap_or_else(|| {
        let note = "the server does not say its name: a placeholder stands for it";
        let feature = Some(Feature::ServerInfoMetadata);
        let reason = Reason::Missing;
        let entry = Entry::new("/serverInfo", feature, Action::Fallback, reason, note);
        report.entries.push(entry);
        Implementation::new("unknown", "0")
    });
    let meta = meta.map(|meta| meta.without(&[SERVER_INFO])).filter(|meta| !meta.is_empty());
    let protocol_version = version.as_str().into();
    let value = InitializeResult {
        protocol_version,
        capabilities,
        server_info,
        instructions,
        meta,
        extensions,
    };
    Decoded { value, report }
}

/// The answer to `server/discover` from that to `initialize`, for one who offers `versions` in
/// the server's stead. It is for the asker alone, and stale at once: sessions may differ.
pub fn discover_result(session: InitializeResult, versions: &[ProtocolVersion]) -> DiscoverResult {
    let InitializeResult { capabilities, server_info, instructions, mut meta, extensions, .. } =
        session;
    stamp_server_info(&mut meta, &server_info);
    DiscoverResult {
        supported_versions: versions.iter().map(|version| version.as_str().into()).collect(),
        capabilities,
        instructions,
        ttl_ms: Some(0),
        cache_scope: Some("private".into()),
        result_type: Some("complete".into()),
        meta,
        extensions,
    }
}

/// The server's name, from the `_meta` of a result of 2026-07-28; `None` if it is not there or is
/// no name.
pub fn server_info(meta: Option<&JsonObject>) -> Option<Implementation> {
    meta?.get(SERVER_INFO).as_ref().and_then(implementation)
}

/// Writes the server's name into the `_meta` of a result of 2026-07-28, unless one is there.
pub fn stamp_server_info(meta: &mut Option<JsonObject>, server: &Implementation) {
    let named = meta.as_ref().is_some_and(|meta| meta.get(SERVER_INFO).is_some());
    let mut json = Vec::new();
    if named || encode_value(&V2026_07_28, server, &mut json).is_err() {
        return;
    }
    let json = String::from_utf8(json).ok().and_then(|json| JsonText::new(json).ok());
    if let Some(json) = json {
        *meta = Some(meta.take().unwrap_or_default().with_member(SERVER_INFO, &json));
    }
}

fn implementation(json: &JsonText) -> Option<Implementation> {
    decode_value(&V2026_07_28, json.as_bytes()).ok().map(|decoded| decoded.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discovery(members: &str) -> DiscoverResult {
        let input = format!(
            r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{{"tools":{{}}}},"ttlMs":9,"cacheScope":"public"{members}}}"#
        );
        decode_value(&V2026_07_28, input.as_bytes()).unwrap().value
    }

    #[test]
    fn a_handshake_names_the_server_as_the_discovery_did() {
        let version = ProtocolVersion::V2025_11_25;
        for (members, name, rest) in [
            (
                r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#,
                "s",
                None,
            ),
            (
                r#","_meta":{"a":1.0,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#,
                "s",
                Some(r#"{"a":1.0}"#),
            ),
            (r#","serverInfo":{"name":"rc","version":"1"}"#, "rc", None),
        ] {
            let made = initialize_result(discovery(members), version);
            assert_eq!(made.value.server_info.name, name);
            assert_eq!(made.value.meta.as_ref().map(JsonObject::as_str), rest);
            assert_eq!(made.value.protocol_version, "2025-11-25");
            assert!(made.value.extensions.is_empty() && made.report.is_empty());
        }
    }

    #[test]
    fn a_server_without_a_name_gets_a_placeholder_that_is_reported() {
        for members in ["", r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":5}}"#] {
            let made = initialize_result(discovery(members), ProtocolVersion::V2025_06_18);
            assert_eq!(made.value.server_info, Implementation::new("unknown", "0"));
            let entry = &made.report.entries[0];
            assert_eq!((&*entry.path, entry.action), ("/serverInfo", Action::Fallback));
        }
    }

    #[test]
    fn a_discovery_says_what_the_handshake_said() {
        let session = InitializeResult {
            protocol_version: "2025-11-25".into(),
            server_info: Implementation::new("s", "1"),
            instructions: Some("read".into()),
            ..InitializeResult::default()
        };
        let versions = [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28];
        let made = discover_result(session.clone(), &versions);
        assert_eq!(made.supported_versions, ["2025-11-25", "2026-07-28"]);
        assert_eq!((made.ttl_ms, made.cache_scope.as_deref()), (Some(0), Some("private")));
        assert_eq!(server_info(made.meta.as_ref()), Some(session.server_info.clone()));
        let back = initialize_result(made, ProtocolVersion::V2025_11_25);
        assert_eq!((back.value, back.report.is_empty()), (session, true));
    }
}
