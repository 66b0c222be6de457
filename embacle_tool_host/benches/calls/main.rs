//! CPU time of a server per `tools/call`, beside a bare endpoint that returns the same bytes.
//!
//! Each server is a process of its own, so that only its time counts, and is asked over one
//! connection that stays open. Prints `ratio <case> <x.xx>` against the floor of the same run, and
//! runs the rounds of both in turn, since machines are noisy. With `RMCP_SERVER` naming the binary
//! of `tests/rmcp_server` that server is measured too, as `rmcp <case> <x.xx>`.
//!
//! Linux only: the time comes from `/proc`.

mod client;
mod servers;

use client::{Http, Lines, Server};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let Some("serve") = arguments.first().map(String::as_str) {
        return servers::serve(&arguments[1..]);
    }
    pin();
    let only = arguments.first().cloned().unwrap_or_default();
    let wanted = |case: &str| case.contains(&only);
    for era in ["legacy", "modern"] {
        for (tools, sessions, size) in [
            (1, 1, 32),
            (7, 1, 32),
            (100, 1, 32),
            (1000, 1, 32),
            (7, 1000, 32),
            (7, 10_000, 32),
            (7, 1, 1 << 20),
        ] {
            let case = format!("http/{era}/{tools}-tools/{sessions}-sessions/{size}-bytes");
            if wanted(&case) {
                http(&case, era, tools, sessions, size);
            }
        }
        for in_flight in [1, 16] {
            let case = format!("stdio/{era}/{in_flight}-in-flight");
            if wanted(&case) {
                stdio(&case, era, in_flight);
            }
        }
    }
}

/// Starts anew on one processor, servers included: what it costs to wake another one depends on
/// where the scheduler puts them, and is many times what a call costs.
fn pin() {
    use std::os::unix::process::CommandExt;
    let own = std::env::current_exe().expect("this binary has a path");
    if std::env::var_os("PINNED").is_none() {
        let mut pinned = std::process::Command::new("taskset");
        pinned.args(["-c", "0"]).arg(own).args(std::env::args().skip(1)).env("PINNED", "1");
        eprintln!("not pinned: {}", pinned.exec());
    }
}

const ROUNDS: usize = 41;

fn http(case: &str, era: &str, tools: usize, sessions: usize, size: usize) {
    let calls = if size > 1000 { 20 } else { 400 };
    let mut own = Http::open(Server::start(&["host", &tools.to_string(), &size.to_string()]), era);
    own.fill(sessions);
    let answer = own.answer();
    let mut floor = Server::start(&["floor"]);
    floor.tell(&answer);
    let mut floor = Http::open(floor, "floor").like(&own);
    let mut peer = std::env::var("RMCP_SERVER").ok().map(|binary| {
        let (tools, size) = (tools.to_string(), size.to_string());
        Http::open(Server::spawn(&binary, &["http", &tools, &size]), era)
    });
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(own.time(calls));
        times[1].push(floor.time(calls));
        if let Some(peer) = &mut peer {
            times[2].push(peer.time(calls));
        }
    }
    report(case, &mut times);
}

fn stdio(case: &str, era: &str, in_flight: usize) {
    let calls = 800;
    let mut own = Lines::open(Server::start(&["stdio", "7", "32"]), era);
    let mut floor = Lines::open(Server::start(&["echo"]), "floor");
    let mut peer = std::env::var("RMCP_SERVER")
        .ok()
        .map(|binary| Lines::open(Server::spawn(&binary, &["stdio", "7", "32"]), era));
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(own.time(calls, in_flight));
        times[1].push(floor.time(calls, in_flight));
        if let Some(peer) = &mut peer {
            times[2].push(peer.time(calls, in_flight));
        }
    }
    report(case, &mut times);
}

/// The median of the rounds' ratios: both sides of a round meet the same noise.
fn report(case: &str, times: &mut [Vec<f64>; 3]) {
    let [own, floor, peer] = times;
    let against = |a: &[f64], b: &[f64]| median(a.iter().zip(b).map(|(a, b)| a / b).collect());
    let (ratio, own_time, floor_time) =
        (against(own, floor), median(own.clone()), median(floor.clone()));
    println!("ratio {case} {ratio:.2} ({own_time:.1} µs, floor {floor_time:.1} µs)");
    if !peer.is_empty() {
        let (ratio, ours) = (against(peer, floor), against(peer, own));
        println!("rmcp {case} {ratio:.2} ({:.1} µs, {ours:.2} times ours)", median(peer.clone()));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
