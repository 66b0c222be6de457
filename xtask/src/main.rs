//! Maintenance tasks of the workspace.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod carried;
mod check;
mod conformance;
mod corrections;
mod coverage;
mod diff;
mod emit;
mod error;
mod json;
mod model;
mod reduce;
mod reviewed;
mod revision;
mod shape;
mod source;
mod tables;
#[cfg(test)]
mod temp;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::{
    error::Error,
    revision::REVISIONS,
    workspace::{Workspace, import, models, write},
};

/// Maintenance tasks of the workspace.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// A task.
#[derive(Debug, Subcommand)]
enum Task {
    /// Regenerate everything that is derived from the schemas.
    ///
    /// From the reduced schemas come the tables of members and methods; the schemas of the tool-call
    /// bodies come from their types.
    Schema(Schema),

    /// Run the official conformance suite against the host.
    ///
    /// Installs the suite and the Node it needs from npm, into the target folder.
    Conformance,
}

/// What to do with the schemas.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
struct Schema {
    #[command(subcommand)]
    action: Option<Action>,

    /// Write nothing; fail if a file is missing, stray or out of date.
    #[arg(long)]
    check: bool,
}

/// An action other than to regenerate.
#[derive(Debug, Subcommand)]
enum Action {
    /// Print what of the schemas the codecs carry; fail if something is missing without a review.
    Coverage,

    /// Print what changed from one revision to another.
    Diff {
        /// The revision to start from.
        #[arg(value_parser = revision())]
        from: usize,

        /// The revision to compare with it.
        #[arg(value_parser = revision())]
        to: usize,
    },

    /// Take in the official schemas, reduced to their structure, and regenerate.
    Import {
        /// A folder of `<revision>/schema.json`.
        folder: PathBuf,
    },
}

/// Takes the name of a revision for its index.
fn revision() -> impl TypedValueParser<Value = usize> {
    PossibleValuesParser::new(REVISIONS).try_map(|name| revision::index(&name))
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the task.
fn run(cli: Cli) -> Result<(), Error> {
    let workspace = Workspace::here();
    let schema = match cli.task {
        Task::Schema(schema) => schema,
        Task::Conformance => return conformance::run(&workspace.target()),
    };
    let schemas = match &schema.action {
        Some(Action::Import { folder }) => import(folder)?,
        Some(Action::Coverage) => {
            let coverage = coverage::coverage(&models(&workspace.read_schemas()?)?)?;
            print!("{coverage}");
            return coverage.check();
        }
        Some(Action::Diff { from, to }) => {
            let models = models(&workspace.read_schemas()?)?;
            print!("{}", diff::diff(&models, *from, *to)?);
            return Ok(());
        }
        None => workspace.read_schemas()?,
    };
    let files = workspace.generate(&schemas)?;
    if schema.check {
        return workspace.check(&files);
    }
    for path in write(&files)? {
        println!("wrote {}", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn takes_sound_arguments_only() {
        Cli::command().debug_assert();
        for (arguments, sound) in [
            ("xtask schema", true),
            ("xtask schema --check", true),
            ("xtask schema coverage", true),
            ("xtask schema --check coverage", false),
            ("xtask schema diff 2025-06-18 draft", true),
            ("xtask schema diff 2025-06-18", false),
            ("xtask schema diff 2025-06-18 2025-06-19", false),
            ("xtask schema --check import folder", false),
            ("xtask conformance", true),
            ("xtask", false),
        ] {
            let parsed = Cli::try_parse_from(arguments.split(' '));
            assert_eq!(parsed.is_ok(), sound, "{arguments}");
        }
    }
}
