//! CPU time of a server per `tools/call`, beside a bare endpoint that returns the same bytes.
//!
//! Each server is a process of its own, so that only its time counts, and is asked over one
//! connection that stays open. Prints `ratio <case> <x.xx>` against the floor of the same run, and
//! runs the rounds of all in turn, since machines are noisy. With `RMCP_SERVER` naming the binary
//! of `tests/rmcp_server` that is measured too, in each of its ways: `rmcp <case> <x.xx>`,
//! `rmcp-plain` and, for legacy clients over HTTP, `rmcp-sessionless`.
//!
//! Linux only: the time comes from `/proc`.

mod client;
mod servers;

use client::{Http, Lines, Server, text};

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
    let (count, bytes) = (tools.to_string(), size.to_string());
    let mut own = Http::open(Server::start(&["host", &count, &bytes]), era);
    own.fill(sessions);
    let answer = own.answer();
    let mut floor = Server::start(&["floor"]);
    floor.tell(&answer);
    let floor = Http::open(floor, "floor").like(&own);
    let mut servers = vec![("own", own), ("floor", floor)];
    for (name, binary, way) in peers("http", era) {
        let mut peer = Http::open(Server::spawn(&binary, &[&way, &count, &bytes]), era);
        if era == "legacy" {
            peer.fill(sessions);
        }
        assert!(text(&peer.answer()) == text(&answer), "{name} answers something else");
        servers.push((name, peer));
    }
    measure(case, servers, |server| server.time(calls));
}

fn stdio(case: &str, era: &str, in_flight: usize) {
    let mut own = Lines::open(Server::start(&["stdio", "7", "32"]), era);
    let answer = own.answer();
    let floor = Lines::open(Server::start(&["echo"]), "floor");
    let mut servers = vec![("own", own), ("floor", floor)];
    for (name, binary, way) in peers("stdio", era) {
        let mut peer = Lines::open(Server::spawn(&binary, &[&way, "7", "32"]), era);
        assert!(text(&peer.answer()) == text(&answer), "{name} answers something else");
        servers.push((name, peer));
    }
    measure(case, servers, |server| server.time(800, in_flight));
}

/// What each way of the peer to serve is printed as, its binary, and the word that asks for it.
fn peers(transport: &str, era: &str) -> Vec<(&'static str, String, String)> {
    let Ok(binary) = std::env::var("RMCP_SERVER") else { return Vec::new() };
    let mut names = vec!["rmcp", "rmcp-plain"];
    if (transport, era) == ("http", "legacy") {
        names.push("rmcp-sessionless");
    }
    let way = |name: &'static str| (name, binary.clone(), name.replacen("rmcp", transport, 1));
    names.into_iter().map(way).collect()
}

/// Prints the medians of the rounds' ratios: all sides of a round meet the same noise. The host is
/// the first of the servers, the floor the second.
fn measure<S>(case: &str, mut servers: Vec<(&str, S)>, time: impl Fn(&mut S) -> f64) {
    let mut times = vec![Vec::new(); servers.len()];
    for _ in 0..ROUNDS {
        for ((_, server), times) in servers.iter_mut().zip(&mut times) {
            times.push(time(server));
        }
    }
    let against = |a: &[f64], b: &[f64]| median(a.iter().zip(b).map(|(a, b)| a / b).collect());
    let (own, floor) = (&times[0], &times[1]);
    let ratio = against(own, floor);
    let (spent, bare) = (median(own.clone()), median(floor.clone()));
    println!("ratio {case} {ratio:.2} ({spent:.1} µs, floor {bare:.1} µs)");
    for ((name, _), peer) in servers.iter().zip(&times).skip(2) {
        let (ratio, ours, spent) = (against(peer, floor), against(peer, own), median(peer.clone()));
        println!("{name} {case} {ratio:.2} ({spent:.1} µs, {ours:.2} times ours)");
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
