//! What of each revision the captured sessions use: see `captures/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use protocol_droid_codecs::{Sender, compiled, methods, split_batch};
use protocol_droid_tests::captures::{FILES, lines};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::parts::{Parts, Whole};
use protocol_droid_tests::whole::{all_types, type_of};

use Sender::{Client, Server};

/// A message, with the method that it sends or answers.
struct Sent {
    sender: Sender,
    method: Option<String>,
    message: Json,
}

/// The messages of all files of a revision, those of a batch one by one.
fn sent(revision: &str) -> Vec<Sent> {
    let mut all = Vec::new();
    for file in FILES.iter().filter(|file| file.starts_with(revision)) {
        let mut asked = BTreeMap::new();
        for (sender, text) in lines(file) {
            let parts = match text.starts_with('[') {
                true => split_batch(text.as_bytes()).expect("a batch"),
                false => vec![text.as_bytes()],
            };
            for part in parts {
                let message = Json::read(part);
                let id = message.get("id").map(Json::to_string).unwrap_or_default();
                let named = message.get("method").and_then(Json::as_str).map(str::to_owned);
                let method = match named {
                    Some(method) => {
                        asked.insert((sender.name(), id), method.clone());
                        Some(method)
                    }
                    None => asked.get(&(sender.peer().name(), id)).cloned(),
                };
                all.push(Sent { sender, method, message });
            }
        }
    }
    all
}

/// What no capture has: see "Not covered" there.
const NEVER: [&str; 1] = ["2026-07-28: server notifications/cancelled"];

#[test]
fn every_method_is_sent_and_answered_in_every_direction_that_it_has() {
    let mut never = Vec::new();
    for codec in compiled().iter().filter(|codec| codec.name() != "draft") {
        let (name, revision) = (codec.name(), codec.revision());
        let sent = sent(name);
        let is_there = |sender: Sender, method: &str, member: &str| {
            sent.iter().any(|sent| {
                sent.sender == sender
                    && sent.method.as_deref() == Some(method)
                    && sent.message.get(member).is_some()
            })
        };
        for method in methods() {
            for sender in [Client, Server] {
                let asks = method.is_request(sender, revision);
                let sends = asks || method.is_notification(sender, revision);
                if sends && !is_there(sender, method.name, "method") {
                    never.push(format!("{name}: {sender} {}", method.name));
                }
                if asks && !is_there(sender.peer(), method.name, "result") {
                    never.push(format!("{name}: {} answers {}", sender.peer(), method.name));
                }
            }
        }
    }
    assert_eq!(never, NEVER);
}

/// With `MCP_SNAPSHOTS=write` in the environment the record is made anew.
#[test]
fn the_captures_use_every_member_and_value_but_those_recorded() {
    let mut unused = String::new();
    for codec in compiled().iter().filter(|codec| codec.name() != "draft") {
        let whole = Whole::of(codec.name());
        let (mut all, mut used) = (Parts::new(), Parts::new());
        all_types(codec.name()).iter().for_each(|name| whole.add_parts(name, &mut all));
        for sent in sent(codec.name()) {
            let (method, message) = (sent.method.as_deref(), &sent.message);
            if let Some((name, part)) = type_of(codec.name(), method, message) {
                whole.add_used(&name, part, &mut used);
            }
        }
        let names = all.difference(&used).map(|part| format!("{}: {part}\n", codec.name()));
        unused.extend(names);
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/unused.txt");
    if std::env::var_os("MCP_SNAPSHOTS").is_some_and(|what| what == "write") {
        fs::write(&file, &unused).expect("a writable file");
    }
    let recorded = fs::read_to_string(&file).expect("the record");
    pretty_assertions::assert_str_eq!(recorded, unused);
}
