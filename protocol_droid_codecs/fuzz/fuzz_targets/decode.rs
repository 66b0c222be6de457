//! What is read is written, and read as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../laws/decode.rs"]
mod decode;
#[path = "../laws/input.rs"]
mod input;

fuzz_target!(|input: &[u8]| decode::check(input));
