//! The host from the outside, by raw bytes.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

mod at_once;
mod features;
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
