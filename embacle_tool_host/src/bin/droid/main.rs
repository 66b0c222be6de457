//! The `droid` command: MCP messages of one revision as messages of another.

mod capture;
mod files;
mod input;
mod paint;
mod pending;
mod record;
mod revisions;
mod scan;
mod summary;
mod translate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use protocol_droid_codecs::{Codec, codec};

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Translate(args) => translate::run(&args),
        Command::Revisions(args) => revisions::run(&args),
    }
}

/// Reads messages of one revision of the Model Context Protocol as messages of another.
#[derive(Parser)]
#[command(name = "droid", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Translates messages from one revision to another
    Translate(Translate),
    /// Lists the revisions: which this build knows, and what each adds and removes
    Revisions(Revisions),
}

/// Translates messages from one revision to another
///
/// The input is any number of JSON values with white space between them: one a line, or printed
/// over several lines. Each is a JSON-RPC message. A response is read as the answer to the request
/// with its id earlier in the input, else to one of --method. A result without its envelope needs
/// --method and comes out without one. An array is a batch if the input is of 2025-03-26, and comes
/// out as its messages.
///
/// Standard output gets the translated messages, one a line, and nothing else; standard error gets
/// a summary of what could not be kept as it was.
///
/// Tool traffic is translated: tools/list and tools/call. Of other methods, those that the target
/// does not have are refused, and what the others carry passes as it is.
#[derive(Args)]
#[command(after_long_help = TRANSLATE_EXAMPLES)]
struct Translate {
    /// The revision of the input: a date, or draft
    #[arg(long, value_name = "REVISION", value_parser = codec)]
    from: &'static dyn Codec,
    /// The revision to translate to
    #[arg(long, value_name = "REVISION", value_parser = codec)]
    to: &'static dyn Codec,
    /// What responses answer whose request is not in the input, such as tools/call
    #[arg(long)]
    method: Option<String>,
    /// What to do with what the target cannot say
    #[arg(long, value_enum, default_value_t = PolicyName::Faithful)]
    policy: PolicyName,
    /// Writes every change and refusal to a file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The file to read; standard input if absent or -
    input: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum PolicyName {
    /// Keeps it in another form, drops and reports what has none, refuses what would mislead
    Faithful,
    /// Refuses every message that is not translated without loss
    Strict,
}

/// Lists the revisions: which this build knows, and what each adds and removes
#[derive(Args)]
struct Revisions {
    /// Prints JSON, one revision a line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  droid translate --from 2025-11-25 --to 2024-11-05 session.jsonl
  droid revisions";

const TRANSLATE_EXAMPLES: &str = "\
Exit status:
  0  every message was translated
  1  at least one was refused: nothing was written for it, the others were translated
  2  bad input or usage. A value that is JSON but no message of the revision is left out, and the
     others are translated; where the input is no JSON, translation ends

Examples:
  A captured session, as a client of the first revision would see it:
    droid translate --from 2025-11-25 --to 2024-11-05 session.jsonl

  A tool result without its envelope, every loss on record:
    droid translate --from 2025-11-25 --to 2025-03-26 --method tools/call \\
        --report losses.jsonl result.json

  Nothing less than lossless, from a pipe:
    server | droid translate --from 2026-07-28 --to 2025-11-25 --policy strict";
