//! Codecs for every revision of the Model Context Protocol, and translation between any two.
//!
//! ```
//! use protocol_droid_codecs::{V2024_11_05, V2026_07_28, translate_result};
//! use protocol_droid_ir::Policy;
//!
//! let modern = br#"{"resultType":"complete","content":[],"structuredContent":{"c": 12.50}}"#;
//! let old = translate_result(modern, "tools/call", &V2026_07_28, &V2024_11_05, &Policy::faithful())?;
//!
//! assert_eq!(&*old.bytes, br#"{"content":[{"type":"text","text":"{\"c\": 12.50}"}]}"#);
//! assert_eq!(old.report.entries[0].path, "/structuredContent");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A Cargo feature adds a codec and changes nothing else; which revisions an application offers to
//! its peers is a value that it passes.

mod batch;
#[cfg(feature = "v2026_07_28")]
pub mod bridge;
#[doc(hidden)]
pub mod carried;
mod codec;
mod diff;
mod error;
mod fault;
#[allow(dead_code, reason = "tests read what the codecs do not")]
mod generated;
mod interaction;
mod members;
mod methods;
mod pending;
mod reader;
mod revision;
#[allow(dead_code, reason = "tests read what the codecs do not")]
mod table;
mod task_extension;
mod translate;
mod translator;
mod wire;
mod wire_capability;
mod wire_content;
mod wire_elicitation;
mod wire_form;
mod wire_interaction;
mod wire_lifecycle;
mod wire_message;
mod wire_params;
mod wire_progress;
mod wire_prompt;
mod wire_resource;
mod wire_result;
mod wire_sampling;
mod wire_task;
mod wire_tool;
mod wire_value;
mod writer;

#[cfg(feature = "draft")]
mod draft;
#[cfg(feature = "v2024_11_05")]
mod v2024_11_05;
#[cfg(feature = "v2025_03_26")]
mod v2025_03_26;
#[cfg(feature = "v2025_06_18")]
mod v2025_06_18;
#[cfg(feature = "v2025_11_25")]
mod v2025_11_25;
#[cfg(feature = "v2026_07_28")]
mod v2026_07_28;

pub use batch::{Batch, BatchReply, classify_batch, split_batch};
pub use codec::{Codec, Decoded, codec, compiled, decode_value, encode_value};
pub use diff::{Delta, Diff, MemberRef, MethodUse, TypeParts, diff};
#[cfg(feature = "draft")]
pub use draft::Draft;
pub use error::{CodecError, DecodeError, EncodeError, TranslateError};
pub use interaction::{Answers, typed_responses, untyped_responses};
pub use methods::{MethodInfo, Sender, method, methods, sends_requests};
pub use pending::{Expect, Pending};
pub use revision::Revision;
pub use translate::{
    MessageKind, Translation, one_line, translate, translate_as, translate_buffer, translate_result,
};
pub use translator::Translator;
#[cfg(feature = "v2024_11_05")]
pub use v2024_11_05::V2024_11_05;
#[cfg(feature = "v2025_03_26")]
pub use v2025_03_26::V2025_03_26;
#[cfg(feature = "v2025_06_18")]
pub use v2025_06_18::V2025_06_18;
#[cfg(feature = "v2025_11_25")]
pub use v2025_11_25::V2025_11_25;
#[cfg(feature = "v2026_07_28")]
pub use v2026_07_28::V2026_07_28;
pub use wire::Wire;
pub use writer::Cut;
