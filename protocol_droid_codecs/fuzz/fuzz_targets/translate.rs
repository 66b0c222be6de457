//! What is translated is a message of the other revision, and its report names all that was lost.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

#[path = "../support/input.rs"]
mod input;
#[path = "../support/mutate.rs"]
mod mutate;
#[path = "../laws/translate.rs"]
mod translate;

fuzz_target!(|input: &[u8]| translate::check(input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, 4)
});
