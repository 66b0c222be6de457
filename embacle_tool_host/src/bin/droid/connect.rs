//! `droid connect`.

use std::fmt::Display;
use std::io;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};
use std::time::Duration;

use embacle_tool_host::Remote;
use tokio::io::{AsyncRead, ReadBuf, Stdin};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::Connect;

/// Runs until standard input ends, or the process is told to.
pub(crate) fn run(args: &Connect) -> ExitCode {
    let remote = match remote(args) {
        Ok(remote) => remote,
        Err(error) => return fail(&error),
    };
    if remote.shows_bearer() {
        eprintln!("warning: {}: the bearer goes over plain HTTP to another machine", args.url);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let served = match runtime {
        Ok(runtime) => {
            let served = runtime.block_on(serve(remote));
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

fn remote(args: &Connect) -> Result<Remote, String> {
    let mut remote = Remote::new(&args.url).map_err(|error| error.to_string())?;
    if let Some(name) = &args.token_env {
        let token = std::env::var(name).ok().filter(|token| !token.is_empty());
        let token = token
            .ok_or_else(|| format!("{name}: expected a bearer in this environment variable"))?;
        remote = remote.with_bearer(&token).map_err(|error| format!("{name}: {error}"))?;
    }
    if let Some(path) = &args.ca_file {
        let at = |error: &dyn Display| format!("{}: {error}", path.display());
        let pem = std::fs::read(path).map_err(|error| at(&error))?;
        remote = remote.with_authorities(&pem).map_err(|error| at(&error))?;
    }
    Ok(remote)
}

async fn serve(remote: Remote) -> Result<(), String> {
    let told = CancellationToken::new();
    let told_later = told.clone();
    tokio::spawn(async move {
        terminated().await;
        told_later.cancel();
    });
    let input = Input { stdin: tokio::io::stdin(), end: Box::pin(told.clone().cancelled_owned()) };
    let late = async {
        told.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        done = remote.serve(input, tokio::io::stdout()) => {
            done.map_err(|error| error.to_string())
        }
        () = late => Ok(()),
    }
}

/// How long a session has to be ended once the process is told to end.
const GRACE: Duration = Duration::from_secs(5);

/// Standard input, at its end also when the process is told to end: the session is then ended too.
struct Input {
    stdin: Stdin,
    end: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.end.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Ok(())),
            Poll::Pending => Pin::new(&mut self.stdin).poll_read(cx, buffer),
        }
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(not(unix))]
async fn terminated() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}
