//! The host from the outside, by raw bytes.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod asking;
mod at_once;
mod exact;
mod features;
mod headers;
mod legacy;
mod limits;
mod line_breaks;
mod lines;
mod many;
mod modern;
mod questions;
mod remembered;
mod route;
mod route_frames;
mod route_logs;
#[cfg(unix)]
mod route_process;
mod sessions;
mod streams;
mod support;
mod wire;
