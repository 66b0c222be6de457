//! Revision 2025-06-18: what it changes over 2025-03-26.
//!
//! - Removes batches.
//! - Adds `structuredContent` of a tool result and `outputSchema` of a tool: both objects.
//! - Adds resource links, `title` beside `name`, `lastModified`, and `_meta` on most objects.
//! - Adds elicitation, and `context` of a completion.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::Revision;

/// The codec of revision 2025-06-18.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct V2025_06_18;

impl Codec for V2025_06_18 {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "2025-06-18", version: ProtocolVersion::V2025_06_18, bit: 1 << 2 };
