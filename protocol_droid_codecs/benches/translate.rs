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
use protocol_droid_codecs::{
    Codec, Expect, MessageKind, Pending, Sender, V2024_11_05, V2025_11_25, V2026_07_28,
    translate_as,
};
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
        cases.iter().for_each(|case| print_ratios(case.name, case.json.len(), &paths(case)));
        if let Some(messages) = session() {
            let size = messages.iter().map(|(_, message)| message.len()).sum();
            print_ratios("session-1000", size, &session_paths(messages));
        }
    }
}

/// A thousand messages of all kinds, from a captured session; none outside the repository.
fn session() -> Option<Vec<(Sender, String)>> {
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/captures/2025-11-25-typescript.jsonl");
    let text = std::fs::read_to_string(file).ok()?;
    let message = |line: &str| {
        let line: std::collections::HashMap<String, &RawValue> = serde_json::from_str(line).ok()?;
        let client = line.get("direction")?.get() == r#""client""#;
        let sender = if client { Sender::Client } else { Sender::Server };
        Some((sender, line.get("message")?.get().to_owned()))
    };
    let messages: Vec<_> = text.lines().filter_map(message).collect();
    Some(messages.iter().cycle().take(1000).cloned().collect())
}

fn session_paths(messages: Vec<(Sender, String)>) -> Vec<Path> {
    let messages = std::rc::Rc::new(messages);
    let each = |message: fn(&str)| {
        let messages = messages.clone();
        Box::new(move || messages.iter().for_each(|(_, text)| message(black_box(text))))
    };
    let translated = |to: &'static dyn Codec| {
        let messages = messages.clone();
        Box::new(move || {
            // Ids are unique among the requests of one side alone.
            let mut pending = [Pending::new(256), Pending::new(256)];
            for (sender, text) in messages.iter() {
                let (own, other) = match sender {
                    Sender::Client => (0, 1),
                    Sender::Server => (1, 0),
                };
                let (input, expect) =
                    (black_box(text.as_bytes()), Expect::pending(&pending[other]));
                // What the target lacks is refused, which costs as much as the rest.
                let done = translate_as(input, expect, &V2025_11_25, to, &Policy::faithful());
                if let Ok(translation) = black_box(done) {
                    let answers = matches!(
                        translation.kind,
                        MessageKind::Response { .. } | MessageKind::Error { .. }
                    );
                    pending[if answers { other } else { own }].observe(&translation.kind);
                }
            }
        })
    };
    vec![
        ("scan", each(scan)),
        ("value", each(value)),
        ("downgrade", translated(&V2024_11_05)),
        ("upgrade", translated(&V2026_07_28)),
        ("no-change", translated(&V2025_11_25)),
    ]
}

fn scan(json: &str) {
    let raw: &RawValue = serde_json::from_slice(json.as_bytes()).expect("JSON");
    black_box(raw);
}

fn value(json: &str) {
    let value: serde_json::Value = serde_json::from_slice(json.as_bytes()).expect("JSON");
    black_box(serde_json::to_vec(&value).expect("JSON"));
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
        ("scan", Box::new(move || scan(black_box(&scanned)))),
        ("value", Box::new(move || value(black_box(&parsed)))),
        ("downgrade", Box::new(translated(case.json.clone(), case.from, case.older))),
        ("modern-downgrade", Box::new(translated(modern(case), MODERN, case.older))),
        ("upgrade", Box::new(translated(case.json.clone(), case.from, MODERN))),
        ("no-change", Box::new(translated(case.json.clone(), SAME.0, SAME.1))),
    ]
}

const ROUNDS: usize = 41;

fn print_ratios(name: &str, size: usize, paths: &[Path]) {
    let repeats = (2_000_000 / size).clamp(1, 200);
    let mut rounds = vec![Vec::with_capacity(ROUNDS); paths.len()];
    for _ in 0..ROUNDS {
        for (times, (_, path)) in rounds.iter_mut().zip(paths) {
            // The first run pays for the memory that the path before it left behind.
            path();
            let start = Instant::now();
            (0..repeats).for_each(|_| path());
            times.push(start.elapsed().as_secs_f64() / repeats as f64);
        }
    }
    let at = |name: &str| paths.iter().position(|(path, _)| *path == name).expect("a path");
    let (scan, value) = (rounds[at("scan")].clone(), rounds[at("value")].clone());
    for ((path, _), times) in paths.iter().zip(&rounds) {
        println!("ratio {name} {path} {:.2}", median_ratio(times, &scan));
        println!("value {name} {path} {:.2}", median_ratio(&value, times));
    }
}

fn median_ratio(times: &[f64], floor: &[f64]) -> f64 {
    let mut ratios: Vec<f64> = times.iter().zip(floor).map(|(time, floor)| time / floor).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
