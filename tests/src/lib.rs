//! Suites that cross the crates of the workspace, and foreign peers.

pub mod account;
pub mod captures;
pub mod closed;
pub mod examples;
pub mod fixtures;
pub mod frames;
pub mod generate;
pub mod generate_clientside;
pub mod generate_content;
pub mod generate_errors;
pub mod generate_form;
pub mod generate_lifecycle;
pub mod generate_message;
pub mod generate_methods;
pub mod generate_serverside;
pub mod generate_tasks;
pub mod json;
pub mod kinds;
pub mod laws;
pub mod parts;
pub mod refused;
pub mod sdks;
pub mod translated;
pub mod whole;
