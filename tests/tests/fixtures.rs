//! Our own fixtures: `fixtures/<revision>/<Type>.jsonl`, a value a line.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use protocol_droid_codecs::{Codec, codec, compiled};
use protocol_droid_tests::closed::{REVISIONS, faults, has_type};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::kinds::{self, Kind, Stop};

/// A line of a fixture file, and where it stands.
struct Fixture {
    kind: &'static dyn Kind,
    codec: &'static dyn Codec,
    line: usize,
    text: String,
}

impl Fixture {
    /// The draft starts out as the newest revision, and shares its fixtures.
    fn folder(&self) -> &'static str {
        folder(self.codec.name())
    }

    fn place(&self) -> String {
        format!("{}/{}:{}", self.codec.name(), self.kind.name(), self.line)
    }
}

fn folder(revision: &'static str) -> &'static str {
    if revision == "draft" { "2026-07-28" } else { revision }
}

fn fixtures() -> Vec<Fixture> {
    let mut all = Vec::new();
    for &codec in compiled() {
        for &kind in kinds::FIXTURES {
            let file = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixtures")
                .join(folder(codec.name()))
                .join(format!("{}.jsonl", kind.name()));
            let Ok(text) = fs::read_to_string(file) else { continue };
            for (at, text) in text.lines().enumerate() {
                all.push(Fixture { kind, codec, line: at + 1, text: text.to_owned() });
            }
        }
    }
    all
}

/// Fails with all that is wrong, not with the first of it.
#[track_caller]
fn assert_none(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_type_has_three_fixtures_at_every_revision_that_defines_it() {
    let all = fixtures();
    for revision in REVISIONS {
        for &kind in kinds::FIXTURES {
            let of = |f: &&Fixture| f.codec.name() == revision && f.kind.name() == kind.name();
            let count = all.iter().filter(of).count();
            let defined = has_type(revision, kind.name());
            assert!(if defined { count >= 3 } else { count == 0 }, "{revision} {kind:?}: {count}");
        }
    }
}

#[test]
fn every_fixture_is_what_its_schema_says_and_nothing_more() {
    let wrong = fixtures().into_iter().filter_map(|fixture| {
        let faults = faults(fixture.codec.name(), fixture.kind.name(), fixture.text.as_bytes());
        (!faults.is_empty()).then(|| format!("{}: {faults:?}", fixture.place()))
    });
    assert_none(wrong.collect());
}

#[test]
fn every_fixture_is_read_without_a_report_and_written_as_it_was() {
    let wrong = fixtures().into_iter().filter_map(|fixture| {
        let place = fixture.place();
        match fixture.kind.rewrite(fixture.codec, fixture.text.as_bytes()) {
            Err(stop) => Some(format!("{place}: {stop:?}")),
            Ok((_, report)) if !report.is_empty() => Some(format!("{place}: {report:?}")),
            Ok((out, _)) if Json::read(&out) != Json::read(&fixture.text) => {
                Some(format!("{place}: {}", String::from_utf8_lossy(&out)))
            }
            Ok(_) => None,
        }
    });
    assert_none(wrong.collect());
}

#[test]
fn every_fixture_goes_to_every_revision_as_what_its_schema_says_or_is_refused_as_listed() {
    let refusals = Refusals::load();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for fixture in fixtures() {
        for &to in compiled() {
            let place = format!("{} to {}", fixture.place(), to.name());
            let carried = fixture.kind.carry(fixture.text.as_bytes(), fixture.codec, to);
            let refused = refusals.find(&fixture, to);
            used.extend(refused.map(|(at, _)| at));
            match (carried, refused) {
                (Ok((out, _)), None) => {
                    let faults = faults(to.name(), fixture.kind.carried_name(), &out);
                    if !faults.is_empty() {
                        let out = String::from_utf8_lossy(&out);
                        wrong.push(format!("{place}: {faults:?} in {out}"));
                    }
                }
                (Err(Stop::Refused(found)), Some((_, features)))
                    if features.split(',').any(|feature| feature == found.name()) => {}
                (carried, refused) => {
                    let carried =
                        carried.map(|(out, _)| String::from_utf8_lossy(&out).into_owned());
                    wrong.push(format!("{place}: {carried:?}, expected {refused:?}"));
                }
            }
        }
    }
    assert_none(wrong);
    let unused: Vec<_> = (0..refusals.0.len()).filter(|at| !used.contains(at)).collect();
    assert!(unused.is_empty(), "refusals that no fixture meets: {unused:?}");
}

#[test]
fn a_fixture_that_stays_at_its_revision_stays_as_it_is() {
    let wrong = fixtures().into_iter().filter_map(|fixture| {
        let carried = fixture.kind.carry(fixture.text.as_bytes(), fixture.codec, fixture.codec);
        let same = carried.as_ref().is_ok_and(|(out, report)| {
            Json::read(out) == Json::read(&fixture.text) && report.is_empty()
        });
        (!same).then(|| format!("{}: {carried:?}", fixture.place()))
    });
    assert_none(wrong.collect());
}

/// The lines of `refusals.txt`: from, type, line, where to, features.
struct Refusals(Vec<[String; 5]>);

impl Refusals {
    fn load() -> Self {
        let lines = include_str!("../fixtures/refusals.txt").lines();
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let fields = |line: &str| {
            let fields: Vec<_> = line.split(' ').map(str::to_owned).collect();
            fields.try_into().unwrap_or_else(|_| panic!("five fields in {line}"))
        };
        Self(lines.map(fields).collect())
    }

    /// The line that refuses `fixture` at `to`, and the features it names.
    fn find(&self, fixture: &Fixture, to: &dyn Codec) -> Option<(usize, &str)> {
        let at = self.0.iter().position(|[from, kind, line, targets, _]| {
            from == fixture.folder()
                && kind == fixture.kind.name()
                && (line == "*" || *line == fixture.line.to_string())
                && targets.split(',').any(|target| target == to.name())
        })?;
        Some((at, &self.0[at][4]))
    }
}

#[test]
fn every_revision_has_a_codec() {
    for revision in REVISIONS {
        assert_eq!(codec(revision).map(Codec::name), Ok(revision));
    }
}
