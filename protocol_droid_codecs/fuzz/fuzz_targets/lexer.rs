//! The lexer accepts what `serde_json` accepts, and what is built on it holds for any JSON.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

#[path = "../laws/lexer.rs"]
mod lexer;
#[path = "../support/mutate.rs"]
mod mutate;

fuzz_target!(|input: &[u8]| lexer::check(input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, 0)
});
