//! Revision 2025-03-26: what it changes over 2024-11-05.
//!
//! - Adds audio content, and `annotations` of a tool.
//! - Adds JSON-RPC batches, which only this revision has: see [`split_batch`](crate::split_batch).
//! - Adds the `completions` capability, and `message` of a progress notification.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::Revision;

/// The codec of revision 2025-03-26.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct V2025_03_26;

impl Codec for V2025_03_26 {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "2025-03-26", version: ProtocolVersion::V2025_03_26, bit: 1 << 1 };
