//! The host from the outside, by raw bytes.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod asking;
mod at_once;
mod exact;
mod features;
mod headers;
mod legacy;
mod limits;
mod lines;
mod many;
mod modern;
mod route;
mod route_frames;
mod sessions;
mod support;
