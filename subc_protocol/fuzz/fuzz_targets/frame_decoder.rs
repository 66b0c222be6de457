//! Arbitrary bytes in arbitrary pieces: no panic, the pieces make no difference, and every frame is
//! written as it was read.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/support/mod.rs"]
mod support;

fuzz_target!(|input: &[u8]| support::check_input(input));
