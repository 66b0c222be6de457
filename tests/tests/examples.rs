//! The official examples of 2026-07-28, as they are and on their way to every revision.

use std::fs;
use std::path::Path;

use protocol_droid_codecs::{Codec, codec, compiled};
use protocol_droid_ir::{
    Entry, Feature, InputRequest, Item, Message, Policy, ResultBody, TranslationReport,
};
use protocol_droid_tests::closed::{assert_closed, faults};
use protocol_droid_tests::examples::{COVERED, REVISION, examples, folder};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::kinds::Stop;
use protocol_droid_tests::whole::whole_faults;

/// An example without the caching hints that the schema of its result requires.
const INCOMPLETE: &str = "ReadResourceResultResponse/read-resource-result-response.json";

/// The one type whose example has a member, an `id`, that its schema does not define.
const ODD: &str = "ListRootsRequest";

fn newest() -> [&'static dyn Codec; 2] {
    [REVISION, "draft"].map(|name| codec(name).expect("compiled in"))
}

#[test]
fn official_examples_are_read_without_a_report_and_written_unchanged() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for way in COVERED {
        for (file, text) in examples(&folder, way) {
            for codec in newest() {
                let read = way.kind.rewrite(codec, text.as_bytes());
                let (out, report) = read.unwrap_or_else(|stop| panic!("{file}: {stop:?}"));
                if file.ends_with(INCOMPLETE) {
                    let repaired: Vec<_> = report.iter().map(|entry| &entry.path).collect();
                    assert_eq!(repaired, ["/result/ttlMs", "/result/cacheScope"], "{file}");
                } else {
                    assert_eq!(Json::read(&out), Json::read(&text), "{file}");
                    assert!(report.is_empty(), "{file}: {report:?}");
                }
            }
            count += 1;
        }
    }
    println!("{count} examples");
}

#[test]
fn official_examples_go_to_every_revision_as_what_its_schema_says() {
    let Some(folder) = folder() else { return };
    for way in COVERED {
        for (file, text) in examples(&folder, way) {
            if way.folder == ODD {
                continue;
            }
            if !file.ends_with(INCOMPLETE) {
                assert_closed(REVISION, way.kind.name(), text.as_bytes());
            }
            for &to in compiled() {
                let [from, _] = newest();
                match way.kind.carry(text.as_bytes(), from, to) {
                    Ok((out, _)) => {
                        let faults = faults(to.name(), way.kind.carried_name(), &out);
                        assert!(faults.is_empty(), "{file} to {to:?}: {faults:?}");
                    }
                    Err(Stop::Refused(_) | Stop::Lacking) => {}
                    Err(stop) => panic!("{file} to {to:?}: {stop:?}"),
                }
            }
        }
    }
}

#[test]
fn every_type_with_official_examples_is_read() {
    let Some(folder) = folder() else { return };
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let name = entry.expect("a readable folder").file_name();
        let name = name.to_str().expect("a type's name");
        assert!(COVERED.iter().any(|way| way.folder == name), "{name} is left out");
    }
}

/// What becomes of every example at `to`, a line each change; a question also by itself, as the
/// request that asks the same.
fn outcomes(folder: &Path, to: &dyn Codec) -> String {
    let [from, _] = newest();
    let mut lines = String::new();
    for way in COVERED {
        for (file, text) in examples(folder, way) {
            let name = file.rsplit('/').next().unwrap_or(&file);
            let name = format!("{}/{name}", way.folder);
            let carried = way.kind.carry(text.as_bytes(), from, to).map(|(_, report)| report);
            note(&mut lines, &name, carried);
            if way.kind.name() != "InputRequiredResult" {
                continue;
            }
            let result = from.decode_result(text.as_bytes(), "tools/call").expect("an example");
            let ResultBody::InputRequired(result) = result.value else { panic!("{file}") };
            for (key, question) in result.input_requests.into_iter().flatten() {
                let Item::Known(question) = question else { panic!("{file}: {key}") };
                note(&mut lines, &format!("{name} {key} as a request"), asked(question, to));
            }
        }
    }
    lines
}

/// Asks a client of an older revision.
fn asked(question: InputRequest, to: &dyn Codec) -> Result<TranslationReport, Stop> {
    let method = question.params.method();
    let id = Some("made up".into());
    let (request, report) = question.into_request(1, id, to.features(), &Policy::faithful())?;
    let mut out = Vec::new();
    to.encode(&Message::Request(request), &mut out)?;
    let text = String::from_utf8(out).expect("UTF-8");
    let faults = whole_faults(to.name(), Some(method), &text);
    assert!(faults.is_empty(), "{to:?}: {faults:?} in {text}");
    Ok(report)
}

fn note(lines: &mut String, name: &str, outcome: Result<TranslationReport, Stop>) {
    let mut line = |what: String| *lines += &format!("{name}: {what}\n");
    match outcome {
        Ok(report) if report.is_empty() => line("lossless".to_owned()),
        Ok(report) => report.iter().for_each(|Entry { path, feature, action, .. }| {
            let feature = feature.map_or("-", Feature::name);
            line(format!("{path} {feature} {action}"));
        }),
        Err(Stop::Refused(feature)) => line(format!("refused, {feature}")),
        Err(Stop::Lacking) => line("no such method".to_owned()),
        Err(stop) => panic!("{name}: {stop:?}"),
    }
}

/// With `MCP_SNAPSHOTS=write` in the environment the records are made anew.
#[test]
fn official_examples_reach_older_revisions_as_recorded() {
    let Some(folder) = folder() else { return };
    let write = std::env::var_os("MCP_SNAPSHOTS").is_some_and(|what| what == "write");
    for to in compiled().iter().filter(|codec| !codec.version().is_modern()) {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("snapshots/{}.txt", to.name()));
        let found = outcomes(&folder, *to);
        if write {
            fs::write(&file, found).expect("a writable file");
            continue;
        }
        let recorded = fs::read_to_string(&file).expect("a record");
        pretty_assertions::assert_str_eq!(recorded, found, "{}", file.display());
    }
}
