//! The cost of a translation beside its floors, all in one run.
//!
//! After criterion's own report, each path is printed once more as
//! `ratio <case> <path> <times the scan>` and `value <case> <path> <times faster than Value>`: the
//! medians of rounds in which every path is run in turn, so that drift of the machine cancels out.

#[path = "cases.rs"]
mod cases;

use std::hint::black_box;
use std::time::{Duration, Instant};

use cases::{Case, MODERN, SAME, cases, modern};
use criterion::{BenchmarkId, Criterion, Throughput};
use protocol_droid_codecs::{Codec, Expect, translate_as};
use protocol_droid_ir::Policy;
use serde_json::value::RawValue;

type Path = (&'static str, Box<dyn Fn()>);

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .configure_from_args();
    let cases = cases();
    for case in &cases {
        let mut group = criterion.benchmark_group(case.name);
        group.throughput(Throughput::Bytes(case.json.len() as u64));
        for (name, path) in paths(case) {
            group.bench_function(BenchmarkId::from_parameter(name), |b| b.iter(&path));
        }
        group.finish();
    }
    criterion.final_summary();
    // `cargo test --benches` runs each path once and has no use for ratios.
    if !std::env::args().any(|argument| argument == "--test") {
        cases.iter().for_each(print_ratios);
    }
}

fn paths(case: &Case) -> Vec<Path> {
    let translated = |json: String, from: &'static dyn Codec, to: &'static dyn Codec| {
        let method = case.method;
        move || {
            let expect = Expect::method(method);
            let input = black_box(json.as_bytes());
            let translated = translate_as(input, expect, from, to, &Policy::faithful());
            drop(black_box(translated.expect("translates")));
        }
    };
    let (copied, scanned, parsed) = (case.json.clone(), case.json.clone(), case.json.clone());
    vec![
        ("memcpy", Box::new(move || drop(black_box(black_box(&copied).as_bytes().to_vec())))),
        (
            "scan",
            Box::new(move || {
                let raw: &RawValue =
                    serde_json::from_slice(black_box(scanned.as_bytes())).expect("JSON");
                black_box(raw);
            }),
        ),
        (
            "value",
            Box::new(move || {
                let value: serde_json::Value =
                    serde_json::from_slice(black_box(parsed.as_bytes())).expect("JSON");
                black_box(serde_json::to_vec(&value).expect("JSON"));
            }),
        ),
        ("downgrade", Box::new(translated(case.json.clone(), case.from, case.older))),
        ("modern-downgrade", Box::new(translated(modern(case), MODERN, case.older))),
        ("upgrade", Box::new(translated(case.json.clone(), case.from, MODERN))),
        ("no-change", Box::new(translated(case.json.clone(), SAME.0, SAME.1))),
    ]
}

const ROUNDS: usize = 41;

fn print_ratios(case: &Case) {
    let paths = paths(case);
    let repeats = (2_000_000 / case.json.len()).clamp(1, 200);
    let mut rounds = vec![Vec::with_capacity(ROUNDS); paths.len()];
    for _ in 0..ROUNDS {
        for (times, (_, path)) in rounds.iter_mut().zip(&paths) {
            // The first run pays for the memory that the path before it left behind.
            path();
            let start = Instant::now();
            (0..repeats).for_each(|_| path());
            times.push(start.elapsed().as_secs_f64() / repeats as f64);
        }
    }
    let at = |name: &str| paths.iter().position(|(path, _)| *path == name).expect("a path");
    let (scan, value) = (rounds[at("scan")].clone(), rounds[at("value")].clone());
    for ((name, _), times) in paths.iter().zip(&rounds) {
        println!("ratio {} {name} {:.2}", case.name, median_ratio(times, &scan));
        println!("value {} {name} {:.2}", case.name, median_ratio(&value, times));
    }
}

fn median_ratio(times: &[f64], floor: &[f64]) -> f64 {
    let mut ratios: Vec<f64> = times.iter().zip(floor).map(|(time, floor)| time / floor).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
