//! `droid revisions`.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use protocol_droid_codecs::{Codec, MethodInfo, codec, methods};
use protocol_droid_ir::{Feature, FeatureSet, ProtocolVersion};
use serde_json::json;

use crate::Revisions;

/// Runs the command.
pub(crate) fn run(args: &Revisions) -> ExitCode {
    let rows = rows();
    let text = if args.json { as_json(&rows) } else { as_table(&rows) };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "error: the output cannot be written: {error}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// A revision, compared with the one before it.
struct Row {
    name: &'static str,
    /// The version that peers on it declare.
    declares: ProtocolVersion,
    compiled: bool,
    adds: Delta,
    removes: Delta,
}

/// What one revision has and another has not.
#[derive(Default)]
struct Delta {
    features: Vec<&'static str>,
    methods: Vec<&'static str>,
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut before = None;
    let dated = ProtocolVersion::ALL.map(|version| (version.as_str(), version));
    for (name, declares) in dated.into_iter().chain([("draft", ProtocolVersion::LATEST)]) {
        let now = codec(name).ok();
        rows.push(Row {
            name,
            declares,
            compiled: now.is_some(),
            adds: delta(now, before),
            removes: delta(before, now.or(before)),
        });
        before = now.or(before);
    }
    rows
}

fn delta(has: Option<&dyn Codec>, has_not: Option<&dyn Codec>) -> Delta {
    let Some(has) = has else { return Delta::default() };
    let without = has_not.map_or(FeatureSet::empty(), |codec| codec.features());
    let added = |method: &MethodInfo| {
        method.is_in(has.revision()) && !has_not.is_some_and(|codec| method.is_in(codec.revision()))
    };
    Delta {
        features: has.features().difference(without).iter().map(Feature::name).collect(),
        methods: methods().filter(added).map(|method| method.name).collect(),
    }
}

/// One JSON object a line.
fn as_json(rows: &[Row]) -> String {
    let delta = |delta: &Delta| {
        format!(r#"{{"features":{},"methods":{}}}"#, json!(delta.features), json!(delta.methods))
    };
    let line = |row: &Row| {
        let Row { name, declares, compiled, .. } = row;
        let (adds, removes) = (delta(&row.adds), delta(&row.removes));
        format!(
            r#"{{"revision":"{name}","declares":"{declares}","compiled":{compiled},"adds":{adds},"removes":{removes}}}"#
        ) + "\n"
    };
    rows.iter().map(line).collect()
}

/// Aligned columns; what a revision adds and removes goes down the page beside its name.
fn as_table(rows: &[Row]) -> String {
    let mut cells = vec![["REVISION", "DECLARES", "COMPILED", "ADDS", "REMOVES"]];
    for row in rows {
        let all = |delta: &Delta| [&delta.features[..], &delta.methods[..]].concat();
        let (adds, removes) = (all(&row.adds), all(&row.removes));
        let compiled = if row.compiled { "yes" } else { "no" };
        let mut head = [row.name, row.declares.as_str(), compiled];
        for at in 0..adds.len().max(removes.len()).max(1) {
            let cell = |of: &[&'static str], none| {
                of.get(at).copied().unwrap_or(if at == 0 { none } else { "" })
            };
            let [name, declares, compiled] = std::mem::take(&mut head);
            cells.push([name, declares, compiled, cell(&adds, "-"), cell(&removes, "-")]);
        }
    }
    let width = |column: usize| cells.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    let line = |row: &[&str; 5]| {
        let padded = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    cells.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_table_is_aligned() {
        let table = as_table(&rows());
        let lines: Vec<_> = table.lines().collect();
        let [adds, removes] = ["ADDS", "REMOVES"].map(|title| lines[0].find(title).unwrap());
        let at = lines.iter().position(|line| line.starts_with("2025-06-18")).unwrap();
        assert_eq!((&lines[at][adds..][..5], &lines[at][removes..]), ("Title", "Batch"));
        assert_eq!(lines[at + 1].trim_start(), "ResourceLink");
        assert_eq!(&lines[at + 1][adds..], "ResourceLink");
        let draft = lines.last().unwrap();
        assert!(draft.starts_with("draft       2026-07-28  yes       -"), "{draft}");
    }

    #[test]
    fn what_was_added_and_not_removed_is_what_a_revision_has() {
        let (mut features, mut known) = (Vec::new(), Vec::new());
        for (row, line) in rows().iter().zip(as_json(&rows()).lines()) {
            let json: Value = serde_json::from_str(line).unwrap();
            assert_eq!(json["adds"]["features"], json!(row.adds.features));
            features.extend(&row.adds.features);
            features.retain(|name| !row.removes.features.contains(name));
            known.extend(&row.adds.methods);
            known.retain(|name| !row.removes.methods.contains(name));
            let revision = codec(row.name).unwrap();
            let count = methods().filter(|method| method.is_in(revision.revision())).count();
            assert_eq!((features.len(), known.len()), (revision.features().len(), count));
        }
    }
}
