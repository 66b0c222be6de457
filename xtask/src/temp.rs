//! Folders for tests.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

/// A folder that is deleted at the end of its test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// An empty folder; `name` is the test's own.
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("xtask_{name}_{}", process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be deleted fails no test.
        let _ = fs::remove_dir_all(&self.0);
    }
}
