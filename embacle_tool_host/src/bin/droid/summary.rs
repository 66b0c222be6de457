//! What a translation came to, for a person to read.

use std::io::{self, Write};
use std::path::Path;

use crate::paint::{BOLD, CYAN, First, PLAIN, Paint, RED, YELLOW, printable};
use crate::record::Record;

/// Counts, and the first records of each kind: memory does not grow with the input.
pub(crate) struct Summary {
    from: &'static str,
    to: &'static str,
    unchanged: u64,
    translated: u64,
    refused: u64,
    bad: u64,
    /// Things to know that are no fault of the input.
    pub(crate) notes: Vec<String>,
    changes: First<Record>,
    refusals: First<Record>,
    errors: First<String>,
}

impl Summary {
    /// A summary of no messages.
    pub(crate) fn new(from: &'static str, to: &'static str) -> Self {
        Self {
            from,
            to,
            unchanged: 0,
            translated: 0,
            refused: 0,
            bad: 0,
            notes: Vec::new(),
            changes: First::default(),
            refusals: First::default(),
            errors: First::default(),
        }
    }

    /// Counts a message that was written.
    pub(crate) fn written(&mut self, unchanged: bool) {
        if unchanged {
            self.unchanged += 1;
        } else {
            self.translated += 1;
        }
    }

    /// Counts a change.
    pub(crate) fn changed(&mut self, change: Record) {
        self.changes.push(change);
    }

    /// Counts a message that was refused.
    pub(crate) fn refused(&mut self, refusal: Record) {
        self.refused += 1;
        self.refusals.push(refusal);
    }

    /// Counts a message that was none of the revision.
    pub(crate) fn bad(&mut self, error: String) {
        self.bad += 1;
        self.errors.push(error);
    }

    /// Takes note of what ended the translation early.
    pub(crate) fn stopped(&mut self, error: String) {
        self.errors.last = Some(error);
    }

    /// 2 after bad input, else 1 after a refusal, else 0.
    pub(crate) fn status(&self) -> u8 {
        match (self.errors.is_empty(), self.refused) {
            (false, _) => 2,
            (true, 1..) => 1,
            (true, 0) => 0,
        }
    }

    /// Writes the summary; `report` tells where all records are.
    pub(crate) fn write(&self, paint: Paint, report: Option<&Path>) -> io::Result<()> {
        // One write, so that no other program's lines come in between.
        let mut text = Vec::new();
        self.write_to(&mut text, paint, report)?;
        io::stderr().lock().write_all(&text)
    }

    fn write_to(
        &self,
        out: &mut impl Write,
        paint: Paint,
        report: Option<&Path>,
    ) -> io::Result<()> {
        let total = self.unchanged + self.translated + self.refused + self.bad;
        let plural = if total == 1 { "" } else { "s" };
        let head = format!("{total} message{plural} from {} to {}", self.from, self.to);
        let counts = [
            (self.unchanged, "unchanged", PLAIN),
            (self.translated, "translated", PLAIN),
            (self.refused, "refused", RED),
            (self.bad, "bad", RED),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let counts =
            counts.map(|(count, word, color)| paint.text(color, &format!("{count} {word}")));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let colon = if total == 0 { "" } else { ": " };
        writeln!(out, "{}{colon}{counts}", paint.text(BOLD, &head))?;
        for note in &self.notes {
            writeln!(out, "{}: {}", paint.text(CYAN, "note"), printable(note, usize::MAX))?;
        }
        let advice = match report {
            Some(path) => format!("all are in {}", printable(&path.to_string_lossy(), usize::MAX)),
            None => "--report keeps them all".to_owned(),
        };
        for (records, kind) in [(&self.changes, "changes"), (&self.refusals, "refusals")] {
            write_table(out, paint, &records.first)?;
            records.write_rest(out, kind, &advice)?;
        }
        for error in self.errors.first.iter().chain(&self.errors.last) {
            writeln!(out, "{}: {}", paint.text(RED, "error"), printable(error, MAX_NOTE))?;
        }
        self.errors.write_rest(out, "errors", &advice)
    }
}

/// Aligned columns: line, path, action, feature, note.
fn write_table(out: &mut impl Write, paint: Paint, records: &[Record]) -> io::Result<()> {
    let cells = |record: &Record| {
        let path = if record.path.is_empty() { "(message)" } else { &record.path };
        let feature = record.feature.map_or("-", |feature| feature.name());
        (format!("line {}", record.line), printable(path, MAX_PATH), feature)
    };
    let width = |of: fn(&(String, String, &str)) -> usize| {
        records.iter().map(|record| of(&cells(record))).max().unwrap_or(0)
    };
    let line_width = width(|cells| cells.0.len());
    let path_width = width(|cells| cells.1.chars().count());
    let feature_width = width(|cells| cells.2.len());
    for record in records {
        let (line, path, feature) = cells(record);
        let color = match record.action {
            "fallback" => YELLOW,
            "repaired" => CYAN,
            _ => RED,
        };
        let action = paint.text(color, &format!("{:8}", record.action));
        let note = printable(&record.note, MAX_NOTE);
        writeln!(
            out,
            "{line:line_width$}  {path:path_width$}  {action}  {feature:feature_width$}  {note}"
        )?;
    }
    Ok(())
}

const MAX_PATH: usize = 60;
const MAX_NOTE: usize = 300;
