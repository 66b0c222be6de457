//! What is translated is a message of the other revision, and its report names all that was lost.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../laws/input.rs"]
mod input;
#[path = "../laws/translate.rs"]
mod translate;

fuzz_target!(|input: &[u8]| translate::check(input));
