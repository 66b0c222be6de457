//! Revision 2026-07-28: what it changes over 2025-11-25.
//!
//! - Removes the handshake, `ping`, sessions and every request of a server to its client: each
//!   request says its version and its client in `_meta`, and a server asks by a result of type
//!   `input_required`.
//! - Requires `resultType` on every result; an absent one is read as `complete`, as the
//!   specification tells clients to. Requires `ttlMs` and `cacheScope` on lists and reads.
//! - Lets `structuredContent` be any JSON, and the root of an `outputSchema` any schema.
//! - Removes tasks from the core, `execution` of a tool and error -32042.
//! - Keeps error codes from -32099 to -32020 to itself; a resource not found is -32602.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::Revision;

/// The codec of revision 2026-07-28.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct V2026_07_28;

impl Codec for V2026_07_28 {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "2026-07-28", version: ProtocolVersion::V2026_07_28, bit: 1 << 4 };
