//! Suites that cross the crates of the workspace, and foreign peers.
