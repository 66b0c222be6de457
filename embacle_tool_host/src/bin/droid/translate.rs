//! `droid translate`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, LineWriter, StdoutLock, Write};
use std::process::ExitCode;

use protocol_droid_codecs::{
    DecodeError, MessageKind, TranslateError, methods, one_line, split_batch, translate_as,
    translate_result,
};
use protocol_droid_ir::lex::{Lexer, SyntaxError};
use protocol_droid_ir::{Feature, Policy};
use thiserror::Error;

use crate::files::{FileError, open_input, open_report};
use crate::input::{InputError, MAX_VALUE, Step, Value, Values};
use crate::pending::{Awaited, outline};
use crate::record::Record;
use crate::summary::{Paint, RED, Summary, printable};
use crate::{PolicyName, Translate};

/// Runs the command.
pub(crate) fn run(args: &Translate) -> ExitCode {
    let paint = Paint::for_stderr();
    let mut summary = Summary::new(args.from.name(), args.to.name());
    match translate(args, &mut summary) {
        Ok(()) => {}
        // Nobody listens any more, which is no fault.
        Err(Stop::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
            return ExitCode::from(summary.status());
        }
        Err(Stop::File(error)) => {
            let error = printable(&error.to_string(), usize::MAX);
            // Where standard error is gone, the exit status remains.
            let _ = writeln!(io::stderr(), "{}: {error}", paint.text(RED, "error"));
            return ExitCode::from(2);
        }
        Err(stop) => summary.stopped(stop.to_string()),
    }
    let _ = summary.write(paint, args.report.as_deref());
    ExitCode::from(summary.status())
}

/// What ends a translation early.
#[derive(Debug, Error)]
enum Stop {
    /// A file cannot be opened: nothing was written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The input cannot be read on.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Standard output is closed or full.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
    /// The report is full.
    #[error("the report cannot be written: {0}")]
    Report(io::Error),
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
    job.check_method();
    let end = job.translate_all(&mut values);
    job.out.flush().map_err(Stop::Output)?;
    end
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

impl Job<'_> {
    /// A method that the revision does not have may be a vendor's, or a slip of the pen.
    fn check_method(&mut self) {
        let from = self.args.from.revision();
        if let Some(method) = &self.args.method
            && !methods().any(|known| known.name == method && known.is_in(from))
        {
            let name = from.name;
            let note = format!("{name} has no method {method}: its results pass as they are");
            self.summary.notes.push(note);
        }
    }

    fn translate_all(&mut self, values: &mut Values<BufReader<File>>) -> Result<(), Stop> {
        loop {
            match values.step()? {
                Step::Value(value) => self.value(value)?,
                // Whoever waits for an answer before going on gets it.
                Step::Wait => {
                    self.out.flush().map_err(Stop::Output)?;
                    values.fill()?;
                }
                Step::End => return Ok(()),
            }
        }
    }

    fn value(&mut self, value: Value<'_>) -> Result<(), Stop> {
        let from = self.args.from;
        if value.bytes[0] != b'[' {
            return self.message(value, "", value.bytes);
        }
        if !from.features().contains(Feature::Batch) {
            return self.refuse(value, "", value.bytes, &DecodeError::Batch.into());
        }
        match split_batch(value.bytes) {
            Ok(messages) => messages.into_iter().enumerate().try_for_each(|(index, message)| {
                self.message(value, &format!("/{index}"), message)
            }),
            Err(error) => self.refuse(value, "", value.bytes, &error.into()),
        }
    }

    /// Translates the message at the pointer `prefix` of a value.
    fn message(&mut self, value: Value<'_>, prefix: &str, message: &[u8]) -> Result<(), Stop> {
        let Translate { from, to, .. } = self.args;
        let method = self.args.method.as_deref();
        let translated = match method {
            Some(method) if is_bare(message) => {
                translate_result(message, method, *from, *to, &self.policy)
            }
            _ => translate_as(message, self.awaited.expect(method), *from, *to, &self.policy),
        };
        let translation = match translated {
            Ok(translation) => translation,
            Err(error) => return self.refuse(value, prefix, message, &error),
        };
        self.awaited.observe(translation.kind);
        for entry in &translation.report {
            let change = Record::of_change(value.start.line, prefix, entry);
            self.record(&change)?;
            self.summary.changed(change);
        }
        self.summary.written(matches!(translation.bytes, Cow::Borrowed(_)));
        self.out
            .write_all(&one_line(translation.bytes))
            .and_then(|()| self.out.write_all(b"\n"))
            .map_err(Stop::Output)
    }

    /// Goes on without a message, unless the value is no JSON.
    fn refuse(
        &mut self,
        value: Value<'_>,
        prefix: &str,
        message: &[u8],
        error: &TranslateError,
    ) -> Result<(), Stop> {
        if let TranslateError::Decode(_) = error {
            value.check()?;
        }
        let line = value.start.line;
        let mut refusal = Record::of_refusal(line, prefix, error);
        let kind = outline(message);
        if let TranslateError::Method { .. } = error
            && let Some(MessageKind::Request { .. } | MessageKind::Notification { .. }) = kind
        {
            refusal.path.push_str("/method");
        }
        self.record(&refusal)?;
        match error {
            TranslateError::Decode(error) => {
                let advice = self.advice(error, message);
                let Record { path, note, .. } = refusal;
                let path = if path.is_empty() { "the message" } else { &path };
                self.summary.bad(format!("line {line}: {path}: {note}{advice}"));
            }
            _ => self.summary.refused(refusal),
        }
        // The answer to a request that was left out may still come, and is read as such.
        if let Some(kind) = kind {
            self.awaited.observe(kind);
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

/// Whether a message is an object without `jsonrpc`: a result without its envelope.
fn is_bare(message: &[u8]) -> bool {
    let has_envelope = |text| -> Result<bool, SyntaxError> {
        let mut lexer = Lexer::new(text);
        lexer.expect(b'{', "an object")?;
        if lexer.take(b'}') {
            return Ok(false);
        }
        loop {
            if &text[lexer.string()?.range] == "jsonrpc" {
                return Ok(true);
            }
            lexer.expect(b':', "a colon")?;
            lexer.value()?;
            if !lexer.take(b',') {
                return Ok(false);
            }
        }
    };
    // What is no object, or no JSON, is left to the decoder to name.
    std::str::from_utf8(message).is_ok_and(|text| has_envelope(text) == Ok(false))
}
