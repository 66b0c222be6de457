//! The floating draft: what it changes over 2026-07-28.
//!
//! - Nothing yet. Its schema declares the version of 2026-07-28, and so does this codec.

use protocol_droid_ir::ProtocolVersion;

use crate::codec::Codec;
use crate::revision::{DRAFT, Revision};

/// The codec of the floating draft.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Draft;

impl Codec for Draft {
    fn revision(&self) -> &'static Revision {
        &REVISION
    }
}

static REVISION: Revision =
    Revision { name: "draft", version: ProtocolVersion::V2026_07_28, bit: DRAFT };
