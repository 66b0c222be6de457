//! `droid connect`.

use std::process::ExitCode;

use embacle_tool_host::connect;

use crate::Connect;

/// Runs until standard input ends, or the process is told to.
pub(crate) fn run(args: &Connect) -> ExitCode {
    let token = match &args.token_env {
        None => None,
        Some(name) => match std::env::var(name) {
            Ok(token) if !token.is_empty() => Some(token),
            _ => return fail(&format!("{name}: expected a bearer in this environment variable")),
        },
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = match runtime {
        Ok(runtime) => {
            let served = runtime.block_on(serve(&args.url, token.as_deref()));
            // A read of standard input cannot be interrupted.
            runtime.shutdown_background();
            served
        }
        Err(error) => Err(error.to_string()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

async fn serve(url: &str, token: Option<&str>) -> Result<(), String> {
    let connected = connect(url, token, tokio::io::stdin(), tokio::io::stdout());
    tokio::select! {
        done = connected => done.map_err(|error| error.to_string()),
        () = terminated() => Ok(()),
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

fn fail(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}
