//! Real sessions, line by line: see `captures/README.md`.

use std::collections::BTreeMap;

use protocol_droid_codecs::{
    Codec, DecodeError, EncodeError, Expect, MessageKind, Pending, Sender, TranslateError,
    Translator, compiled, split_batch,
};
use protocol_droid_ir::RequestId;
use protocol_droid_tests::captures::{FILES, lines, revision};
use protocol_droid_tests::fixtures::assert_none;
use protocol_droid_tests::json::Json;
use protocol_droid_tests::whole::message_faults;

use Sender::{Client, Server};

const NO_NAME: &str = "params.name: required, found nothing";
const NO_CAPABILITIES: &str =
    r#"params._meta["io.modelcontextprotocol/clientCapabilities"]: required, found nothing"#;
const LOUD: &str = r#"/level: "loud" is not one of "alert", "critical" or 6 other candidates"#;
const NO_ID: &str = "/id: repaired: null read as absent";

/// Files, lines and what is at fault in them: sent on purpose, to see the error, but for the
/// repairs, where a package does not keep to its revision.
const AT_FAULT: &[(&str, &[usize], &str)] = &[
    ("2024-11-05-typescript", &[71], NO_NAME),
    ("2024-11-05-typescript", &[171], LOUD),
    ("2025-03-26-python", &[70], NO_NAME),
    ("2025-03-26-python", &[167], LOUD),
    ("2025-03-26-typescript", &[71], NO_NAME),
    ("2025-03-26-typescript", &[171], LOUD),
    ("2025-03-26-typescript", &[186], NO_ID),
    ("2025-06-18-python", &[70], NO_NAME),
    ("2025-06-18-python", &[188], LOUD),
    ("2025-06-18-typescript", &[71], NO_NAME),
    ("2025-06-18-typescript", &[185], LOUD),
    ("2025-11-25-python", &[72], NO_NAME),
    ("2025-11-25-python", &[217], LOUD),
    ("2025-11-25-python", &[234, 302], "/result/task/ttl: repaired: required, read as null"),
    ("2025-11-25-python", &[236, 304], "/result/ttl: repaired: required, read as null"),
    ("2025-11-25-python", &[278], "/result/tasks/1/ttl: repaired: required, read as null"),
    ("2025-11-25-typescript", &[73], NO_NAME),
    ("2025-11-25-typescript", &[214], LOUD),
    ("2026-07-28-python", &[71], NO_NAME),
    ("2026-07-28-python", &[199], NO_CAPABILITIES),
    ("2026-07-28-python", &[201], "params: required, found nothing"),
    ("2026-07-28-python", &[205], "params._meta: required, found nothing"),
    ("2026-07-28-typescript", &[79], NO_NAME),
    ("2026-07-28-typescript", &[203], NO_CAPABILITIES),
    ("2026-07-28-typescript", &[205], "params: required, found nothing"),
];

/// What is refused, by sender, after the method or the feature that the target has not; towards
/// which revisions (A to E, F for the draft); and how often in each of [`FILES`]. `back` is a
/// refusal by the second of two translators, `unreadable` a message that was at fault before.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, [usize; 10])] = &[
    ("server AudioContent", "A", [0, 0, 1, 1, 1, 1, 1, 1, 0, 0]),
    ("client TaskAugmentation", "AB", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server SamplingTools", "ABC", [0, 0, 0, 0, 0, 0, 3, 3, 0, 0]),
    ("client InputResponses", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 20, 20]),
    ("client ping", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]),
    ("client resources/subscribe", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
    ("client server/discover", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 2, 5]),
    ("client subscriptions/listen", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 2, 2]),
    ("server InputRequired", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 19, 18]),
    ("server notifications/subscriptions/acknowledged", "ABCD", [0, 0, 0, 0, 0, 0, 0, 0, 2, 2]),
    ("client unreadable", "ABCDE", [0, 1, 1, 1, 1, 1, 1, 1, 4, 3]),
    ("client notifications/tasks/status", "ABCEF", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("client tasks/cancel", "ABCEF", [0, 0, 0, 0, 0, 0, 2, 2, 0, 0]),
    ("client tasks/get", "ABCEF", [0, 0, 0, 0, 0, 0, 5, 4, 0, 0]),
    ("client tasks/list", "ABCEF", [0, 0, 0, 0, 0, 0, 2, 3, 0, 0]),
    ("client tasks/result", "ABCEF", [0, 0, 0, 0, 0, 0, 3, 3, 0, 0]),
    ("server TaskAugmentation", "ABCEF", [0, 0, 0, 0, 0, 0, 12, 11, 0, 0]),
    ("server notifications/elicitation/complete", "ABCEF", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server notifications/tasks/status", "ABCEF", [0, 0, 0, 0, 0, 0, 22, 22, 0, 0]),
    ("server tasks/cancel", "ABCEF", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server tasks/get", "ABCEF", [0, 0, 0, 0, 0, 0, 2, 1, 0, 0]),
    ("server tasks/list", "ABCEF", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server tasks/result", "ABCEF", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server elicitation/create", "ABEF", [0, 0, 0, 0, 3, 3, 8, 8, 0, 0]),
    ("server ErrorWithoutId", "AC", [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ("client TaskAugmentation", "C", [0, 0, 0, 0, 0, 0, 2, 2, 0, 0]),
    ("server MultiSelectEnum", "C", [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]),
    ("server UrlElicitation", "C", [0, 0, 0, 0, 0, 0, 2, 2, 0, 0]),
    ("server ErrorWithoutId back", "DEF", [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    ("client initialize", "EF", [1, 1, 1, 3, 1, 1, 1, 1, 0, 0]),
    ("client logging/setLevel", "EF", [2, 3, 3, 3, 3, 3, 3, 3, 0, 0]),
    ("client notifications/initialized", "EF", [1, 1, 1, 2, 1, 1, 1, 1, 0, 0]),
    ("client notifications/progress", "EF", [1, 1, 1, 2, 1, 1, 1, 1, 0, 0]),
    ("client notifications/roots/list_changed", "EF", [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]),
    ("client ping", "EF", [1, 2, 1, 5, 1, 2, 1, 2, 1, 1]),
    ("client resources/subscribe", "EF", [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]),
    ("client resources/unsubscribe", "EF", [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]),
    ("server ping", "EF", [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]),
    ("server roots/list", "EF", [2, 2, 2, 2, 2, 2, 2, 2, 0, 0]),
    ("server sampling/createMessage", "EF", [5, 5, 5, 5, 5, 5, 9, 9, 0, 0]),
    ("client unreadable", "F", [0, 1, 1, 1, 1, 1, 1, 1, 4, 3]),
];

/// A message, typed as a peer that saw those before it would.
struct Sent {
    line: usize,
    sender: Sender,
    text: String,
    /// The method, also of a response; none where it answers nothing known.
    method: Option<String>,
    read: Result<Read, DecodeError>,
}

struct Read {
    kind: MessageKind,
    /// The message as its own codec writes it.
    written: Result<String, EncodeError>,
    /// Where and how it was repaired.
    report: Vec<String>,
}

/// The messages of a file, those of a batch one by one.
fn session(file: &str) -> Vec<Sent> {
    let codec = revision(file);
    let mut client = Pending::new(64);
    let mut server = Pending::new(64);
    let mut session = Vec::new();
    for (at, (sender, text)) in lines(file).into_iter().enumerate() {
        let messages = match text.starts_with('[') {
            true => split_batch(text.as_bytes()).expect("a batch"),
            false => vec![text.as_bytes()],
        };
        for bytes in messages {
            let (own, other) = match sender {
                Client => (&mut client, &mut server),
                Server => (&mut server, &mut client),
            };
            let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
            let json = Json::read(&text);
            let mut method = json.get("method").and_then(Json::as_str).map(str::to_owned);
            let read = codec.decode(bytes, Expect::pending(other)).map(|decoded| {
                let kind = MessageKind::from(&decoded.value);
                if let MessageKind::Response { id } | MessageKind::Error { id: Some(id) } = &kind {
                    method = other.method_of(id).map(str::to_owned);
                }
                match &kind {
                    MessageKind::Request { .. } => own.observe(&kind),
                    kind => other.observe(kind),
                }
                let mut out = Vec::new();
                let written = codec.encode(&decoded.value, &mut out);
                let written = written.map(|()| String::from_utf8(out).expect("UTF-8"));
                let report = decoded.report.iter().map(ToString::to_string).collect();
                Read { kind, written, report }
            });
            session.push(Sent { line: at + 1, sender, text, method, read });
        }
    }
    session
}

/// What is at fault in a message; empty where it keeps to its revision.
fn found(revision: &str, sent: &Sent) -> String {
    match &sent.read {
        Err(error) => error.to_string(),
        Ok(read) if !read.report.is_empty() => read.report.join("; "),
        Ok(_) => message_faults(revision, sent.method.as_deref(), &sent.text).join("; "),
    }
}

#[test]
fn every_message_is_read_and_written_as_it_was() {
    let mut wrong = Vec::new();
    for file in FILES {
        let revision = &file[..10];
        for sent in session(file) {
            let known =
                AT_FAULT.iter().find(|(at, lines, _)| *at == file && lines.contains(&sent.line));
            let (known, found) = (known.map_or("", |(_, _, fault)| fault), found(revision, &sent));
            if known != found {
                wrong.push(format!("{file}:{}: {found:?}, not {known:?}", sent.line));
            }
            let Ok(Read { written, report, .. }) = &sent.read else { continue };
            let good = match written {
                Ok(written) if report.is_empty() || known == NO_ID => {
                    Json::read(written) == Json::read(&sent.text)
                }
                Ok(written) => message_faults(revision, sent.method.as_deref(), written).is_empty(),
                Err(_) => false,
            };
            if !good {
                wrong.push(format!("{file}:{}: {}\nbecame {written:?}", sent.line, sent.text));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn a_message_that_cannot_be_read_is_an_error_with_a_place() {
    let sessions = FILES.iter().flat_map(|file| session(file));
    let errors: Vec<_> = sessions.filter_map(|sent| sent.read.err()).collect();
    assert_eq!(errors.len(), 14);
    assert!(errors.iter().all(|error| !error.path().pointer().is_empty()), "{errors:?}");
}

#[test]
fn a_batch_is_split_into_messages() {
    let file = "2025-03-26-typescript";
    let codec = revision(file);
    let mut sizes = Vec::new();
    for (at, (_, text)) in lines(file).into_iter().enumerate() {
        if !text.starts_with('[') {
            assert!(split_batch(text.as_bytes()).is_err());
            continue;
        }
        let Err(error) = codec.decode(text.as_bytes(), Expect::default()) else { panic!("{text}") };
        assert_eq!(error, DecodeError::Batch);
        let parts = split_batch(text.as_bytes()).expect("a batch");
        let whole = parts.iter().map(Json::read).collect();
        assert_eq!(Json::Array(whole), Json::read(&text));
        sizes.push((at + 1, parts.len()));
    }
    assert_eq!(sizes, [(178, 3), (179, 2), (180, 3), (181, 3), (182, 2), (183, 1), (185, 2)]);
}

/// A connection of two translators: what leaves one side at its revision arrives there again.
struct Relay<'a> {
    file: &'a str,
    own: &'static dyn Codec,
    target: &'static dyn Codec,
    near: Translator,
    far: Translator,
}

impl<'a> Relay<'a> {
    fn new(file: &'a str, target: &'static dyn Codec) -> Self {
        let own = revision(file);
        let mut far = Translator::new(target, own);
        if own.version().is_modern() && !target.version().is_modern() {
            // A legacy server is greeted before anything else, and its client known from then on.
            let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{},
                "protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"}}}"#;
            assert!(far.translate(Client, hello.as_bytes()).is_err(), "remembered all the same");
        }
        Self { file, own, target, near: Translator::new(own, target), far }
    }

    /// Carries a message there and back; refusals are typed by what they are for.
    fn carry(&mut self, sent: &Sent, wrong: &mut Vec<String>) -> Result<(), String> {
        let (first, second) = match sent.sender {
            Client => (&mut self.near, &mut self.far),
            Server => (&mut self.far, &mut self.near),
        };
        let place = format!("{}:{} to {}", self.file, sent.line, self.target.name());
        let (target, method) = (self.target.name(), sent.method.as_deref());
        let there = first
            .translate(sent.sender, sent.text.as_bytes())
            .map_err(|error| reason(sent, "", &error, &place, wrong))?;
        let output = std::str::from_utf8(&there.bytes).expect("UTF-8");
        if found(self.own.name(), sent).is_empty() {
            let faults = message_faults(target, method, output);
            wrong.extend(faults.iter().map(|fault| format!("{place}: {fault}: {output}")));
        }
        let back = second
            .translate(sent.sender, &there.bytes)
            .map_err(|error| reason(sent, " back", &error, &place, wrong))?;
        // Without loss are also what every modern request says of its client, and the mode and
        // dialect that a form has where it has none.
        let same = !self.own.version().is_modern()
            && method != Some("elicitation/create")
            && there.report.is_empty()
            && back.report.is_empty();
        if same && Json::read(&back.bytes) != Json::read(&sent.text) {
            wrong.push(format!("{place}: back as {}", String::from_utf8_lossy(&back.bytes)));
        }
        Ok(())
    }
}

/// What a message is refused for; an error that is no refusal is wrong, unless the message was.
fn reason(
    sent: &Sent,
    way: &str,
    error: &TranslateError,
    place: &str,
    wrong: &mut Vec<String>,
) -> String {
    let reason = match error {
        _ if sent.read.is_err() => "unreadable".to_owned(),
        TranslateError::Method { method, .. } => method.clone(),
        TranslateError::Lower(error) => format!("{:?}", error.feature),
        error => {
            wrong.push(format!("{place}: {error}: {}", sent.text));
            "fault".to_owned()
        }
    };
    format!("{} {reason}{way}", sent.sender)
}

/// How often what is refused in a session.
fn refusals(
    file: &str,
    target: &'static dyn Codec,
    wrong: &mut Vec<String>,
) -> BTreeMap<String, usize> {
    let mut relay = Relay::new(file, target);
    let mut refused = BTreeMap::new();
    let mut unanswered: Vec<(Sender, RequestId)> = Vec::new();
    for sent in session(file) {
        let kind = sent.read.as_ref().ok().map(|read| &read.kind);
        if let Some(MessageKind::Response { id } | MessageKind::Error { id: Some(id) }) = kind {
            // Who never got a request does not answer it.
            let request = (sent.sender.peer(), id.clone());
            if let Some(at) = unanswered.iter().position(|one| *one == request) {
                unanswered.remove(at);
                continue;
            }
        }
        if let Err(reason) = relay.carry(&sent, wrong) {
            if let Some(MessageKind::Request { id, .. }) = kind {
                unanswered.push((sent.sender, id.clone()));
            }
            *refused.entry(reason).or_default() += 1;
        }
    }
    refused
}

#[test]
fn every_message_is_carried_there_and_back_or_refused_for_a_reason() {
    let mut wrong = Vec::new();
    for (column, file) in FILES.iter().enumerate() {
        for (target, letter) in compiled().iter().zip("ABCDEF".chars()) {
            if target.name() == &file[..10] {
                continue;
            }
            let expected: BTreeMap<_, _> = REFUSED
                .iter()
                .filter(|(_, targets, counts)| targets.contains(letter) && counts[column] > 0)
                .map(|(reason, _, counts)| ((*reason).to_owned(), counts[column]))
                .collect();
            let made = refusals(file, *target, &mut wrong);
            assert_eq!(made, expected, "{file} to {}", target.name());
        }
    }
    assert_none(wrong);
}
