//! `droid translate`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, LineWriter, StdoutLock, Write};
use std::process::ExitCode;

use protocol_droid_codecs::{
    DecodeError, MessageKind, TranslateError, one_line, translate_as, translate_result,
};
use protocol_droid_ir::{Feature, Policy};

use crate::capture::{Line, Stop, Work, doubt, is_bare};
use crate::files::{open_input, open_report};
use crate::input::{MAX_VALUE, Value, Values};
use crate::paint::Paint;
use crate::pending::{Awaited, outline};
use crate::record::Record;
use crate::summary::Summary;
use crate::{PolicyName, Translate};

/// Runs the command.
pub(crate) fn run(args: &Translate) -> ExitCode {
    let paint = Paint::for_stderr();
    let mut summary = Summary::new(args.from.name(), args.to.name());
    match translate(args, &mut summary) {
        Ok(()) => {}
        Err(stop) if stop.is_broken_pipe() => return ExitCode::from(summary.status()),
        Err(stop @ Stop::File(_)) => return stop.exit(paint),
        Err(stop) => summary.stopped(stop.to_string()),
    }
    let _ = summary.write(paint, args.report.as_deref());
    ExitCode::from(summary.status())
}

fn translate(args: &Translate, summary: &mut Summary) -> Result<(), Stop> {
    let input = open_input(args.input.as_deref())?;
    let report = args.report.as_deref().map(|path| open_report(path, &input)).transpose()?;
    let mut values = Values::new(BufReader::with_capacity(1 << 16, input.file), MAX_VALUE)?;
    let mut job = Job {
        args,
        policy: match args.policy {
            PolicyName::Faithful => Policy::faithful(),
            PolicyName::Strict => Policy::strict(),
        },
        awaited: Awaited::new(),
        out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
        // Unbuffered beyond a line, so that no message is out before what it lost is on record.
        report: report.map(LineWriter::new),
        summary,
    };
    let method = args.method.as_deref();
    job.summary.notes.extend(method.and_then(|method| doubt(method, args.from.revision())));
    job.all(&mut values)
}

/// A translation under way.
struct Job<'a> {
    args: &'a Translate,
    policy: Policy,
    awaited: Awaited,
    out: BufWriter<StdoutLock<'static>>,
    report: Option<LineWriter<File>>,
    summary: &'a mut Summary,
}

impl Work for Job<'_> {
    fn value(&mut self, value: Value<'_>) -> Result<(), Stop> {
        let line = match Line::of(value) {
            Ok(line) => line,
            Err(error) => return self.refuse(&Line::bare(value), &error.into()),
        };
        if !line.is_batch() {
            return self.message(&line);
        }
        if !self.args.from.features().contains(Feature::Batch) {
            return self.refuse(&line, &DecodeError::Batch.into());
        }
        match line.split() {
            Ok(messages) => messages.iter().try_for_each(|message| self.message(message)),
            Err(error) => self.refuse(&line, &error.into()),
        }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush().map_err(Stop::Output)
    }
}

impl Job<'_> {
    fn message(&mut self, line: &Line<'_>) -> Result<(), Stop> {
        let Translate { from, to, .. } = self.args;
        let (message, method) = (line.message, self.args.method.as_deref());
        let translated = match method {
            Some(method) if is_bare(message) => {
                translate_result(message, method, *from, *to, &self.policy)
            }
            _ => {
                let expect = self.awaited.expect(line.sender, message, method);
                translate_as(message, expect, *from, *to, &self.policy)
            }
        };
        let translation = match translated {
            Ok(translation) => translation,
            Err(error) => return self.refuse(line, &error),
        };
        self.awaited.observe(line.sender, translation.kind);
        for entry in &translation.report {
            let change = Record::of_change(line.value.start.line, &line.pointer, entry);
            self.record(&change)?;
            self.summary.changed(change);
        }
        self.summary.written(matches!(translation.bytes, Cow::Borrowed(_)));
        let [head, tail] = line.around.map(Cow::Borrowed);
        [head, translation.bytes, tail]
            .into_iter()
            .try_for_each(|part| self.out.write_all(&one_line(part)))
            .and_then(|()| self.out.write_all(b"\n"))
            .map_err(Stop::Output)
    }

    /// Goes on without a message, unless the value is no JSON.
    fn refuse(&mut self, line: &Line<'_>, error: &TranslateError) -> Result<(), Stop> {
        if let TranslateError::Decode(_) = error {
            line.value.check()?;
        }
        let number = line.value.start.line;
        let mut refusal = Record::of_refusal(number, &line.pointer, error);
        let kind = outline(line.message);
        if let TranslateError::Method { .. } = error
            && let Some(MessageKind::Request { .. } | MessageKind::Notification { .. }) = kind
        {
            refusal.path.push_str("/method");
        }
        self.record(&refusal)?;
        match error {
            TranslateError::Decode(error) => {
                let advice = self.advice(error, line.message);
                let Record { path, note, .. } = refusal;
                let path = if path.is_empty() { "the message" } else { &path };
                self.summary.bad(format!("line {number}: {path}: {note}{advice}"));
            }
            _ => self.summary.refused(refusal),
        }
        // The answer to a request that was left out may still come, and is read as such.
        if let Some(kind) = kind {
            self.awaited.observe(line.sender, kind);
        }
        Ok(())
    }

    /// What to do about an error that the caller may not have expected.
    fn advice(&self, error: &DecodeError, message: &[u8]) -> &'static str {
        match error {
            DecodeError::Untyped => "; --method names it",
            DecodeError::Batch if !self.args.from.features().contains(Feature::Batch) => {
                "; batches exist at 2025-03-26 alone"
            }
            _ if self.args.method.is_none() && is_bare(message) => {
                "; a result without its envelope needs --method"
            }
            _ => "",
        }
    }

    fn record(&mut self, record: &Record) -> Result<(), Stop> {
        match &mut self.report {
            Some(report) => record.write_json(report).map_err(Stop::Report),
            None => Ok(()),
        }
    }
}
