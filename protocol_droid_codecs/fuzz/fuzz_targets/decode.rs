//! What is read is written, and read as the same value.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

#[path = "../laws/decode.rs"]
mod decode;
#[path = "../support/input.rs"]
mod input;
#[path = "../support/mutate.rs"]
mod mutate;

fuzz_target!(|input: &[u8]| decode::check(input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, 2)
});
