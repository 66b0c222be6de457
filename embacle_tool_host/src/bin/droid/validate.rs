//! `droid validate`.

use std::io::{self, BufReader, BufWriter, StdoutLock, Write};
use std::process::ExitCode;

use protocol_droid_codecs::{DecodeError, Expect, Sender};
use protocol_droid_ir::{Feature, TranslationReport};

use crate::Validate;
use crate::capture::{Line, Stop, Work, doubt, is_bare};
use crate::files::open_input;
use crate::finding::Finding;
use crate::input::{MAX_VALUE, Value, Values};
use crate::paint::{BOLD, CYAN, First, Paint, RED, printable};
use crate::pending::{Awaited, outline};
use crate::rules;

/// Runs the command.
pub(crate) fn run(args: &Validate) -> ExitCode {
    let paint = Paint::for_stderr();
    let mut count = Count::default();
    match validate(args, &mut count) {
        Ok(()) => {}
        Err(stop) if stop.is_broken_pipe() => return ExitCode::from(count.status()),
        Err(stop @ Stop::File(_)) => return stop.exit(paint),
        Err(stop) => count.stopped = Some(stop.to_string()),
    }
    // Where standard error is gone, the exit status remains.
    let _ = count.write(args.revision.name(), paint);
    ExitCode::from(count.status())
}

fn validate(args: &Validate, count: &mut Count) -> Result<(), Stop> {
    let input = open_input(args.input.as_deref())?;
    let mut values = Values::new(BufReader::with_capacity(1 << 16, input.file), MAX_VALUE)?;
    let method = args.method.as_deref();
    if let Some(note) = method.and_then(|method| doubt(method, args.revision.revision())) {
        count.notes.push(note);
    }
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    Job { args, awaited: Awaited::new(), out, count }.all(&mut values)
}

/// A validation under way.
struct Job<'a> {
    args: &'a Validate,
    awaited: Awaited,
    out: BufWriter<StdoutLock<'static>>,
    count: &'a mut Count,
}

impl Work for Job<'_> {
    fn value(&mut self, value: Value<'_>) -> Result<(), Stop> {
        value.check()?;
        let line = match Line::of(value) {
            Ok(line) => line,
            Err(error) => return self.finish(&Line::bare(value), vec![Finding::of_error(&error)]),
        };
        if line.is_batch() { self.batch(&line) } else { self.message(&line, Vec::new()) }
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush().map_err(Stop::Output)
    }
}

impl Job<'_> {
    /// Checks the messages of a batch even where there should be none.
    fn batch(&mut self, line: &Line<'_>) -> Result<(), Stop> {
        let messages = match line.split() {
            Ok(messages) => messages,
            Err(error) => return self.finish(line, vec![Finding::of_error(&error)]),
        };
        let allowed = self.args.revision.features().contains(Feature::Batch);
        if !allowed {
            self.write(line, &Finding::of_error(&DecodeError::Batch))?;
        }
        let first = outline(messages[0].message);
        for (index, message) in messages.iter().enumerate() {
            let kind = outline(message.message);
            let fault = kind.zip(first.as_ref()).filter(|_| allowed);
            let fault = fault.and_then(|(kind, first)| rules::check_in_batch(&kind, index, first));
            self.message(message, fault.into_iter().collect())?;
        }
        Ok(())
    }

    /// Checks a message; `findings` are of the batch that it is in.
    fn message(&mut self, line: &Line<'_>, mut findings: Vec<Finding>) -> Result<(), Stop> {
        let revision = self.args.revision.revision();
        let sender = line.sender.or(self.args.direction.map(Sender::from));
        let bare = self.args.method.as_deref().filter(|_| is_bare(line.message));
        match self.decode(line, sender, bare) {
            Ok(report) => findings.extend(report.iter().map(Finding::of_repair)),
            Err(DecodeError::Untyped) => findings.extend(self.untyped(line)),
            Err(error) => {
                let finding = Finding::of_error(&error);
                let bare = self.args.method.is_none() && is_bare(line.message);
                let advice = "a result without its envelope needs --method";
                findings.push(if bare { finding.remark(advice) } else { finding });
            }
        }
        // What is wrong in a message does not hide that it should not have been sent.
        if bare.is_none()
            && let Some(kind) = outline(line.message)
        {
            findings.extend(rules::check(&kind, sender, revision));
            self.awaited.observe(sender, kind);
        }
        self.finish(line, findings)
    }

    fn decode(
        &self,
        line: &Line<'_>,
        sender: Option<Sender>,
        bare: Option<&str>,
    ) -> Result<TranslationReport, DecodeError> {
        let codec = self.args.revision;
        if let Some(method) = bare {
            return codec.decode_result(line.message, method).map(|decoded| decoded.report);
        }
        let expect = self.awaited.expect(sender, line.message, self.args.method.as_deref());
        codec.decode(line.message, expect).map(|decoded| decoded.report)
    }

    /// What is to say of a response whose request nobody knows: that it is one, and whatever is
    /// wrong with what all results have in common.
    fn untyped(&self, line: &Line<'_>) -> Vec<Finding> {
        let note = "it answers no request of this capture, so that its content was not checked; \
                    --method names what it answers";
        let note = Finding { path: "/result".to_owned(), fault: None, note: Some(note.to_owned()) };
        let mut findings = vec![note];
        match self.args.revision.decode(line.message, Expect::method("")) {
            Ok(decoded) => findings.extend(decoded.report.iter().map(Finding::of_repair)),
            Err(error) => findings.push(Finding::of_error(&error)),
        }
        findings
    }

    fn finish(&mut self, line: &Line<'_>, findings: Vec<Finding>) -> Result<(), Stop> {
        self.count.messages += 1;
        self.count.at_fault += u64::from(findings.iter().any(|finding| finding.fault.is_some()));
        findings.iter().try_for_each(|finding| self.write(line, finding))
    }

    /// Lets out what was found in the message of `line`.
    fn write(&mut self, line: &Line<'_>, finding: &Finding) -> Result<(), Stop> {
        let path = format!("{}{}", line.pointer, finding.path);
        let finding = Finding { path, ..finding.clone() };
        let number = line.value.start.line;
        if finding.fault.is_some() {
            self.count.faults += 1;
        } else {
            self.count.notes.push(finding.text(number));
        }
        let written = match (self.args.json, &finding.fault) {
            (true, _) => finding.write_json(number, &mut self.out),
            (false, Some(_)) => writeln!(self.out, "{}", finding.text(number)),
            (false, None) => Ok(()),
        };
        written.map_err(Stop::Output)
    }
}

/// What a validation came to.
#[derive(Default)]
struct Count {
    messages: u64,
    at_fault: u64,
    faults: u64,
    notes: First<String>,
    /// What ended it early.
    stopped: Option<String>,
}

impl Count {
    /// 2 after bad input, else 1 after a fault, else 0.
    fn status(&self) -> u8 {
        match (&self.stopped, self.faults) {
            (Some(_), _) => 2,
            (None, 1..) => 1,
            (None, 0) => 0,
        }
    }

    fn write(&self, revision: &str, paint: Paint) -> io::Result<()> {
        // One write, so that no other program's lines come in between.
        let mut out = Vec::new();
        let count = |count: u64, word: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {word}{plural}")
        };
        let mut head = format!("{} of {revision}", count(self.messages, "message"));
        head = paint.text(BOLD, &head);
        let valid = self.messages - self.at_fault;
        if self.messages > 0 {
            head += &format!(": {valid} valid");
        }
        if self.faults > 0 {
            let faults = format!("{} at fault, {}", self.at_fault, count(self.faults, "fault"));
            head += &format!(", {}", paint.text(RED, &faults));
        }
        writeln!(out, "{head}")?;
        for note in &self.notes.first {
            writeln!(out, "{}: {}", paint.text(CYAN, "note"), printable(note, usize::MAX))?;
        }
        self.notes.write_rest(&mut out, "notes", "--json prints them all")?;
        if let Some(error) = &self.stopped {
            let error = printable(error, usize::MAX);
            writeln!(out, "{}: {error}", paint.text(RED, "error"))?;
        }
        io::stderr().lock().write_all(&out)
    }
}
