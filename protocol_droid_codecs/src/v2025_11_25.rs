//! Revision 2025-11-25: what it changes over 2025-06-18.
//!
//! - Adds `icons`, and `description` and `websiteUrl` of an implementation.
//! - Adds tasks, `execution` of a tool and `task` of a call.
//! - Adds tools in sampling: tool use and tool result blocks, several blocks in a message.
//! - Adds elicitation by URL and its error -32042, and richer enums and defaults in forms.
//! - Lets an error response go without an id, and a cancellation without a request.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::Revision;

/// The codec of revision 2025-11-25.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct V2025_11_25;

impl Codec for V2025_11_25 {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "2025-11-25", version: ProtocolVersion::V2025_11_25, bit: 1 << 3 };
