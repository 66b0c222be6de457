//! Maintenance tasks of the workspace.

mod corrections;
mod emit;
mod error;
mod json;
mod model;
mod reduce;
mod revision;
mod shape;
mod tables;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand};

use crate::{error::Error, workspace::Workspace};

/// Maintenance tasks of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// A task.
#[derive(Debug, Subcommand)]
enum Task {
    /// Regenerate everything that is derived from the schemas.
    Schema(Schema),
}

/// What to do with the schemas.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
struct Schema {
    #[command(subcommand)]
    action: Option<Action>,
}

/// An action other than to regenerate.
#[derive(Debug, Subcommand)]
enum Action {
    /// Take in the official schemas, reduced to their structure, and regenerate.
    Import {
        /// A folder of `<revision>/schema.json`.
        folder: PathBuf,
    },
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
    let Task::Schema(schema) = cli.task;
    let schemas = match &schema.action {
        Some(Action::Import { folder }) => workspace::import(folder)?,
        None => workspace.read_schemas()?,
    };
    for path in workspace::write(&workspace.generate(&schemas)?)? {
        println!("wrote {}", path.display());
    }
    Ok(())
}
