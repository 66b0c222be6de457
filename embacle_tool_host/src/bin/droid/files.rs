//! The files of a translation: all are open before anything is written.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that cannot be used.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    /// The input cannot be opened.
    #[error("cannot read {}: {error}", .path.display())]
    Input { path: PathBuf, error: io::Error },
    /// The report cannot be opened or emptied.
    #[error("cannot write the report {}: {error}", .path.display())]
    Report { path: PathBuf, error: io::Error },
    /// The report is the input.
    #[error("the report {} would overwrite the input", .0.display())]
    Same(PathBuf),
}

/// The input and the name it was given.
#[derive(Debug)]
pub(crate) struct Input {
    /// The file, open for reading.
    pub(crate) file: File,
    #[cfg_attr(unix, expect(dead_code, reason = "only Windows compares paths"))]
    path: PathBuf,
}

/// Opens the input: a file, or standard input if there is no path or it is `-`.
///
/// # Errors
/// When it cannot be opened, or is a directory.
pub(crate) fn open_input(path: Option<&Path>) -> Result<Input, FileError> {
    let path = path.unwrap_or(Path::new("-")).to_owned();
    let open = || {
        let file = if path == Path::new("-") { standard_input()? } else { File::open(&path)? };
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(file)
    };
    match open() {
        Ok(file) => Ok(Input { file, path }),
        Err(error) => Err(FileError::Input { path, error }),
    }
}

/// Opens the report and empties it.
///
/// # Errors
/// When it cannot be opened, or is the input, which is then untouched.
pub(crate) fn open_report(path: &Path, input: &Input) -> Result<File, FileError> {
    let open = || {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        if !file.metadata()?.is_file() {
            return Ok(Some(file));
        }
        if is_input(path, &file, input)? {
            return Ok(None);
        }
        file.set_len(0)?;
        Ok(Some(file))
    };
    open()
        .map_err(|error| FileError::Report { path: path.to_owned(), error })?
        .ok_or_else(|| FileError::Same(path.to_owned()))
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}

/// Whether the file is the input, by whatever name or link it was opened.
#[cfg(unix)]
fn is_input(_: &Path, file: &File, input: &Input) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (file, input) = (file.metadata()?, input.file.metadata()?);
    Ok((file.dev(), file.ino()) == (input.dev(), input.ino()))
}

/// Whether the path leads to the input; for input that has none, nobody knows.
#[cfg(windows)]
fn is_input(path: &Path, _: &File, input: &Input) -> io::Result<bool> {
    let input = input.path.canonicalize();
    Ok(input.is_ok_and(|input| path.canonicalize().is_ok_and(|path| path == input)))
}
