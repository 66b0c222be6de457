use futures_util::FutureExt;
use protocol_droid_codecs::compiled;
use protocol_droid_ir::{
    EmptyNotificationParams, InputParams, InputRequest, Notification, NotificationParams, Policy,
};
use tokio::sync::Semaphore;

use super::*;
use crate::config::Limits;
use crate::engine::reply;

fn stream(limits: Limits) -> Arc<EventStream> {
    let stored = Arc::new(Stored::new(&limits));
    EventStream::new(0, "t".into(), limits.stored_bytes, stored)
}

fn reader(stream: &Arc<EventStream>, after: u64) -> Reader {
    let place = || Arc::new(Semaphore::new(1)).try_acquire_owned().ok();
    let (minute, token) = (Duration::from_secs(60), CancellationToken::new());
    stream.reader(after, minute, token, place).unwrap()
}

fn read_now(reader: &Reader) -> Vec<Option<String>> {
    let next = || reader.next().now_or_never();
    let mut events = Vec::new();
    while let Some(event) = next() {
        let text = event.map(|event| String::from_utf8(event.to_vec()).unwrap());
        events.push(text);
        if events.last().is_some_and(Option::is_none) {
            break;
        }
    }
    events
}

#[test]
fn notifications_are_told_from_what_waits_for_an_answer() {
    for codec in compiled() {
        let params = EmptyNotificationParams::default();
        let note = Notification::new(NotificationParams::ToolsListChanged(params));
        assert!(is_notification(&reply::notification(note, *codec).unwrap()));
        let question = InputRequest::from(InputParams::ListRoots(None));
        let request = question.into_request("q", None, codec.features(), &Policy::faithful());
        if let Some(request) = request.ok().and_then(|(r, _)| reply::request(r, *codec)) {
            assert!(!is_notification(&request), "{}", codec.name());
        }
        let error = protocol_droid_ir::ErrorObject::new(1, "");
        assert!(!is_notification(&reply::error(None, error, *codec)), "{}", codec.name());
    }
}

#[tokio::test]
async fn a_stream_let_go_of_is_read_as_far_as_it_was_written() {
    let stream = stream(Limits::default());
    stream.prime(Duration::from_secs(1));
    let first = reader(&stream, 0);
    stream.release();
    stream.message(b"later");
    let [Some(primer), None] = &read_now(&first)[..] else { panic!("the primer, and the end") };
    assert!(primer.starts_with("id: 0-1-t\n"), "{primer}");
    drop(first);
    let second = reader(&stream, 1);
    stream.close();
    let rest = read_now(&second);
    assert!(rest[0].as_ref().unwrap().contains("data: later") && rest[1].is_none(), "{rest:?}");
}

#[tokio::test]
async fn what_is_stored_is_bounded_and_what_is_unread_is_kept() {
    let limits = Limits { stored_bytes: 2000, stored_in_all: 3000, ..Limits::default() };
    let note = [&br#"{"jsonrpc":"2.0","method":"#[..], &[b'x'; 500]].concat();
    let stream = stream(limits);
    let first = reader(&stream, 0);
    let mut written = 0;
    while stream.has_room() {
        stream.message(&note);
        written += 1;
    }
    assert_eq!(read_now(&first).len(), written, "whoever reads misses nothing");
    assert!(stream.has_room());
    for _ in 0..100 {
        stream.message(&note);
        read_now(&first);
    }
    assert!(lock(&stream.inner).bytes <= 2000);
    drop(first);
    stream.message(br#"{"jsonrpc":"2.0","id":"question","method":"ping"}"#);
    for _ in 0..100 {
        assert!(stream.has_room(), "notifications give way");
        stream.message(&note);
    }
    assert!(lock(&stream.inner).bytes <= 2000);
    let all = read_now(&reader(&stream, 0));
    assert!(all.iter().flatten().any(|event| event.contains("question")), "{all:?}");
    // The bytes of all streams count together.
    let other = EventStream::new(1, "t".into(), 2000, stream.stored.clone());
    for _ in 0..100 {
        other.message(&note);
    }
    assert!(!stream.stored.is_over());
    let held = reader(&other, 0);
    stream.stored.add(3000);
    assert!(!other.has_room() && !read_now(&held).is_empty() && other.has_room());
    stream.stored.take(3000);
    let stored = stream.stored.clone();
    drop((held, other, stream));
    stored.add(3000);
    assert!(!stored.is_over(), "what is gone counts no more");
}

#[tokio::test]
async fn streams_that_have_ended_give_way_to_time_and_number() {
    let limits = Limits { stored_in_all: 3000, ..Limits::default() };
    let stored = Arc::new(Stored::new(&limits));
    let id = |number| EventId { stream: number, event: 1, table: "t" };
    for number in 0..100 {
        let stream = EventStream::new(number, "t".into(), 2000, stored.clone());
        stream.message(&[b'x'; 500]);
        stored.keep([1; 16], stream);
    }
    assert!(stored.find([1; 16], &id(0)).is_none());
    assert!(stored.find([1; 16], &id(99)).is_some_and(|found| found.number() == 99));
    assert!(stored.find([2; 16], &id(99)).is_none(), "of another session");
    assert!(stored.find([1; 16], &EventId { table: "u", ..id(99) }).is_none());
    stored.sweep(tokio::time::Instant::now() + limits.stored);
    assert!(stored.find([1; 16], &id(99)).is_none());
}
