//! The lexer accepts what `serde_json` accepts, and what is built on it holds for any JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../laws/lexer.rs"]
mod lexer;

fuzz_target!(|input: &[u8]| lexer::check(input));
