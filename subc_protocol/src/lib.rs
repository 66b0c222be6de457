//! The route-frame contract between consumers and providers of tool calls: bodies, envelope and
//! at-most-once fence.
//!
//! A consumer (an MCP gateway, a model runner) sends requests over a daemon to a provider. The
//! daemon splices [`Frame`]s without reading their bodies, so the body of a request is a contract
//! between the two ends: [`ToolCallRequest`], or [`RawToolCallRequest`] where the arguments must
//! stay as they came. Nothing here does IO or needs a runtime.
//!
//! ```
//! use subc_protocol::{Body, Fence, Frame, FrameDecoder, FrameType, RawToolCallRequest, Verdict};
//!
//! fn serve(input: &[u8], fence: &mut Fence<Body>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
//!     let (mut decoder, mut output) = (FrameDecoder::new(), Vec::new());
//!     decoder.push(input);
//!     while let Some(frame) = decoder.next_frame()? {
//!         if frame.frame_type() != FrameType::Request { continue }
//!         let request: RawToolCallRequest = frame.body().parse()?;
//!         let fallback = || format!("corr-{}", frame.corr());
//!         let id = request.call_id(fallback, &mut |tool: &str, id: &str| eprintln!("{tool}: {id}"));
//!         let answer = match fence.begin(id)? {
//!             Verdict::First(ticket) => {
//!                 let answer = Body::json(&request.arguments)?; // the tool: an echo
//!                 fence.complete(ticket, answer.clone())?;
//!                 answer
//!             }
//!             Verdict::Done(answer) => answer.clone(),
//!             Verdict::InFlight | Verdict::Spent => continue,
//!         };
//!         Frame::response(frame.address(), frame.corr(), answer).build().encode_into(&mut output);
//!     }
//!     Ok(output)
//! }
//! # let request = Body::new(*br#"{"name":"echo","arguments":{"n":1e2},"tool_call_id":"c1"}"#)?;
//! # let address = subc_protocol::Address::new(3, 1).unwrap();
//! # let input = Frame::request(address, 9, request).build().encode();
//! # let mut fence = Fence::new(8);
//! # let output = serve(&input, &mut fence)?;
//! # assert!(output.ends_with(br#"{"n":1e2}"#));
//! # assert_eq!(serve(&input, &mut fence)?, output);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod body;
mod builder;
mod call_id;
mod decode;
mod decode_error;
mod error_body;
mod fence;
mod frame;
mod object;
mod request;
#[cfg(feature = "schemars")]
mod schema;
mod validate;

pub use body::{Body, BodyError, MAX_BODY_LEN};
pub use builder::{FrameBuilder, MayShed, MustKeep};
pub use call_id::{CallId, RecordFallback};
pub use decode::FrameDecoder;
pub use decode_error::DecodeError;
pub use error_body::ErrorBody;
pub use fence::{Fence, Full, Stale, Ticket, Verdict};
pub use frame::{Address, Admission, Flags, Frame, FrameType, HEADER_LEN, Priority, VERSION};
pub use request::{RawToolCallRequest, ToolCallRequest};
#[cfg(feature = "schemars")]
pub use schema::schemas;
/// The JSON library whose `Value` and `RawValue` the bodies have.
pub use serde_json;
pub use validate::{MAX_ID_LEN, ValidateError};
