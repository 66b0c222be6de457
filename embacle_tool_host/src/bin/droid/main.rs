//! The `droid` command: MCP messages of one revision as messages of another, or checked against it.

mod capture;
mod connect;
mod diff;
mod files;
mod finding;
mod input;
mod paint;
mod pending;
mod record;
mod revisions;
mod rules;
mod scan;
mod summary;
mod translate;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand, ValueEnum};
use protocol_droid_codecs::{Codec, Sender, codec};

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Translate(args) => translate::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Revisions(args) => revisions::run(&args),
        Command::Connect(args) => connect::run(&args),
    }
}

/// Translates and checks messages of every revision of the Model Context Protocol.
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
    /// Checks messages against a revision: every fault, where it is and what was expected
    Validate(Validate),
    /// Tells what to know to move from one revision to another
    Diff(DiffArgs),
    /// Lists the revisions: which this build knows, and what each adds and removes
    Revisions(Revisions),
    /// Serves an MCP endpoint over HTTP on standard input and output
    Connect(Connect),
}

/// Serves an MCP endpoint over HTTP on standard input and output
///
/// For agents that only start servers on stdio. Messages of every revision pass as they are; sessions,
/// streams and headers are kept for the agent.
///
/// Certificates of https:// must be of an authority that the system trusts, or --ca-file names.
#[derive(Args)]
struct Connect {
    /// The endpoint: https://, or http:// as of a host on this machine
    #[arg(long, value_name = "URL")]
    url: String,
    /// The environment variable that holds the bearer
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
    /// Trusts the authorities of this file too: certificates in PEM
    #[arg(long, value_name = "PEM")]
    ca_file: Option<PathBuf>,
}

/// Translates messages from one revision to another
///
/// The input is any number of JSON values with white space between them: one a line, or printed
/// over several lines. Each is a JSON-RPC message. A response is read as the answer to the request
/// with its id earlier in the input, else to one of --method. A result without its envelope needs
/// --method and comes out without one. An array is a batch if the input is of 2025-03-26, and comes
/// out as its messages.
///
/// A capture of both directions may say who sent what:
/// {"direction":"client","message":{...}}, or "server". The translated message comes out in the
/// same form, and a request of one side is answered by the other alone.
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

/// Checks messages against a revision: every fault, where it is and what was expected
///
/// The input is as for translate. A message is at fault where it cannot be read at the revision,
/// lacks what the revision requires, has an item of a list that is none, has a null where a member
/// should be absent, or uses a method that other revisions have and this one has not. Where the
/// direction is known, by --direction or by the capture itself, a message that this side may not
/// send is at fault too. Methods of no revision are a vendor's, and members of no revision are
/// nobody's fault.
///
/// Standard output gets the faults, one a line, and nothing else; with --json also the notes.
/// Standard error gets a summary and the notes: a response to no request of the capture, where
/// --method does not say what it answers, is checked only for what every response has in common.
/// Of a message that cannot be read, the first reason is given.
#[derive(Args)]
#[command(after_long_help = VALIDATE_EXAMPLES)]
struct Validate {
    /// The revision to check against: a date, or draft
    #[arg(long, value_name = "REVISION", value_parser = codec)]
    revision: &'static dyn Codec,
    /// Who sent the messages that do not say so
    #[arg(long, value_enum, value_name = "SIDE")]
    direction: Option<Side>,
    /// What responses answer whose request is not in the input, such as tools/call
    #[arg(long)]
    method: Option<String>,
    /// Prints JSON, one fault or note a line: line, path, and expected and found, or note
    #[arg(long)]
    json: bool,
    /// The file to read; standard input if absent or -
    input: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Side {
    /// The side that calls tools
    Client,
    /// The side that offers them
    Server,
}

impl From<Side> for Sender {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Self::Client,
            Side::Server => Self::Server,
        }
    }
}

/// Tells what to know to move from one revision to another
///
/// What is lost in each direction, which side may send which method, and the members, types and
/// values that the schemas add, remove or require. A ? marks an optional member.
#[derive(Args)]
#[command(after_long_help = DIFF_EXAMPLES)]
struct DiffArgs {
    /// The revision to come from: a date, or draft
    #[arg(value_name = "FROM", value_parser = codec)]
    from: &'static dyn Codec,
    /// The revision to go to
    #[arg(value_name = "TO", value_parser = codec)]
    to: &'static dyn Codec,
    /// Prints one JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Prints Markdown
    #[arg(long)]
    markdown: bool,
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
  droid validate --revision 2025-11-25 session.jsonl
  droid diff 2025-11-25 2026-07-28
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

const VALIDATE_EXAMPLES: &str = "\
Exit status:
  0  no message is at fault
  1  at least one is
  2  bad input or usage; where the input is no JSON, validation ends

Examples:
  A captured session:
    droid validate --revision 2025-11-25 session.jsonl

  What a server writes, one JSON object a fault:
    server | droid validate --revision 2026-07-28 --direction server --json";

const DIFF_EXAMPLES: &str = "\
Examples:
  droid diff 2025-06-18 2026-07-28
  droid diff 2025-11-25 2025-03-26 --markdown > moving.md";
