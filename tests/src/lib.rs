//! Suites that cross the crates of the workspace, and foreign peers.

pub mod closed;
pub mod json;
pub mod kinds;
