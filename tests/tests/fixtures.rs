//! Our own fixtures, at their revision and at all others.

use std::collections::BTreeSet;

use protocol_droid_codecs::{Codec, codec, compiled};
use protocol_droid_tests::closed::{REVISIONS, faults, has_type};
use protocol_droid_tests::fixtures::{Fixture, assert_none, fixtures, folder};
use protocol_droid_tests::json::Json;
use protocol_droid_tests::kinds::{FIXTURES, Kind, Stop};

#[test]
fn every_type_has_three_fixtures_at_every_revision_that_defines_it() {
    let all = fixtures();
    for revision in REVISIONS {
        for &kind in FIXTURES {
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
    goes_or_is_refused(|kind| kind.is_lowered());
}

#[test]
fn every_part_goes_to_the_revisions_that_define_it_and_is_refused_by_the_others() {
    goes_or_is_refused(|kind| !kind.is_lowered());
}

fn goes_or_is_refused(which: impl Fn(&dyn Kind) -> bool) {
    let refusals = Refusals::load();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for fixture in fixtures().into_iter().filter(|fixture| which(fixture.kind)) {
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
    let meant = |line: &[String; 5]| FIXTURES.iter().any(|k| k.name() == line[1] && which(*k));
    let unused =
        refusals.0.iter().enumerate().filter(|(at, line)| meant(line) && !used.contains(at));
    let unused: Vec<_> = unused.collect();
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
            from == folder(fixture.codec.name())
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
