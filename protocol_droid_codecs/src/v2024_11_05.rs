//! Revision 2024-11-05: the first.
//!
//! Text, images and embedded resources; tools with a name, a description and a schema. Every later
//! revision is told as what it adds to this and takes away again.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::Revision;

/// The codec of revision 2024-11-05.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct V2024_11_05;

impl Codec for V2024_11_05 {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "2024-11-05", version: ProtocolVersion::V2024_11_05, bit: 1 << 0 };
