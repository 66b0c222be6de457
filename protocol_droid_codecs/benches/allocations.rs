//! Allocations per translation, and the peak memory of translating a large result.

#[path = "cases.rs"]
mod cases;

use std::alloc::System;
use std::borrow::Cow;

use cases::{MODERN, SAME, cases, modern};
use protocol_droid_codecs::{Codec, Expect, V2024_11_05, translate_as, translate_buffer};
use protocol_droid_ir::Policy;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    print_peak();
    for case in cases() {
        let modern = modern(&case);
        for (path, json, from, to) in [
            ("downgrade", &case.json, case.from, case.older),
            ("modern-downgrade", &modern, MODERN, case.older),
            ("upgrade", &case.json, case.from, MODERN),
            ("no-change", &case.json, SAME.0, SAME.1),
        ] {
            let region = Region::new(ALLOCATOR);
            let output = translated(json, case.method, from, to);
            let stats = region.change();
            let (calls, bytes) = (stats.allocations + stats.reallocations, stats.bytes_allocated);
            println!(
                "allocations {} {path} {calls} calls, {:.2} times the input in bytes",
                case.name,
                bytes as f64 / json.len() as f64
            );
            drop(output);
        }
    }
}

fn translated<'a>(json: &'a str, method: &str, from: &dyn Codec, to: &dyn Codec) -> Cow<'a, [u8]> {
    let expect = Expect::method(method);
    translate_as(json.as_bytes(), expect, from, to, &Policy::faithful()).expect("translates").bytes
}

/// The high-water mark of the process, in KiB; `None` where the system does not say.
fn high_water() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Must come first: the mark never sinks.
fn print_peak() {
    const SIZE: usize = 64 << 20;
    let json = format!(
        r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"complete","content":[{{"type":"text","text":"{}"}}]}}}}"#,
        "x".repeat(SIZE)
    );
    let len = json.len() as f64;
    let print = |way: &str| match high_water() {
        Some(peak) => {
            println!("peak 64MiB {way} {:.2} times the input", peak as f64 * 1024.0 / len)
        }
        None => println!("peak 64MiB {way} not known on this system"),
    };
    let (expect, policy) = (Expect::method("tools/call"), Policy::faithful());
    let owned = translate_buffer(json.into(), expect, MODERN, &V2024_11_05, &policy);
    let owned = owned.expect("translates").bytes;
    print("owned");
    let text = String::from_utf8(owned.into_owned()).expect("JSON");
    drop(translated(&text, "tools/call", SAME.0, MODERN));
    print("borrowed");
}
