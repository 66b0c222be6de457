//! What both summaries are made of: colours, printable text, and the first of many.

use std::io::{self, IsTerminal, Write};

/// The first of many, and how many there were.
pub(crate) struct First<T> {
    pub(crate) first: Vec<T>,
    pub(crate) count: u64,
    /// One that is kept whatever came before.
    pub(crate) last: Option<T>,
}

impl<T> First<T> {
    /// How many are shown.
    const MOST: usize = 20;

    /// Keeps one if it is among the first.
    pub(crate) fn push(&mut self, item: T) {
        self.count += 1;
        if self.first.len() < Self::MOST {
            self.first.push(item);
        }
    }

    /// Whether there were none.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.last.is_none()
    }

    /// Says how many are not shown.
    pub(crate) fn write_rest(
        &self,
        out: &mut impl Write,
        kind: &str,
        advice: &str,
    ) -> io::Result<()> {
        match self.count - self.first.len() as u64 {
            0 => Ok(()),
            rest => writeln!(out, "… and {rest} more {kind}; {advice}"),
        }
    }
}

impl<T> Default for First<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0, last: None }
    }
}

/// Whether to use colours.
#[derive(Clone, Copy)]
pub(crate) struct Paint(bool);

impl Paint {
    /// Colours on a terminal, unless the environment says otherwise (`NO_COLOR`, `CLICOLOR_FORCE`).
    pub(crate) fn for_stderr() -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        Self(set("NO_COLOR").is_none() && (forced || (io::stderr().is_terminal() && !dumb)))
    }

    /// `text` in a style of its own.
    pub(crate) fn text(self, style: &str, text: &str) -> String {
        if self.0 && !style.is_empty() {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// At most `most` characters of `text`, none of which a terminal obeys.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == most {
            out.push('…');
            break;
        }
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

pub(crate) const PLAIN: &str = "";
pub(crate) const BOLD: &str = "1";
pub(crate) const RED: &str = "1;31";
pub(crate) const YELLOW: &str = "33";
pub(crate) const CYAN: &str = "36";
