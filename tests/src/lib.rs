//! Suites that cross the crates of the workspace, and foreign peers.

pub mod account;
pub mod closed;
pub mod fixtures;
pub mod frames;
pub mod generate;
pub mod generate_clientside;
pub mod generate_content;
pub mod generate_form;
pub mod generate_lifecycle;
pub mod generate_message;
pub mod json;
pub mod kinds;
pub mod translated;
