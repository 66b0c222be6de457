//! Where the sources and the generated files are, and reading and writing them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    emit,
    error::Error,
    json,
    model::{self, Models, Source},
    reduce,
    revision::{self, REVISIONS},
    tables::Tables,
};

/// The root of a workspace.
pub(crate) struct Workspace {
    root: PathBuf,
}

/// The text of files by path.
pub(crate) type Files = BTreeMap<PathBuf, String>;

impl Workspace {
    /// The workspace that this task was built in.
    pub(crate) fn here() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        Self::at(root.unwrap_or(Path::new(".")))
    }

    /// The workspace at `root`.
    pub(crate) fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// The folder of the reduced schemas.
    pub(crate) fn schemas(&self) -> PathBuf {
        self.root.join("protocol_droid_codecs/schema")
    }

    /// The reduced schemas, in the order of their revisions.
    pub(crate) fn read_schemas(&self) -> Result<Vec<Value>, Error> {
        let folder = self.schemas();
        REVISIONS
            .iter()
            .map(|revision| Ok(read_json(&folder.join(format!("{revision}.json")))?.1))
            .collect()
    }

    /// Everything that is derived from the reduced `schemas`, the schemas themselves included.
    pub(crate) fn generate(&self, schemas: &[Value]) -> Result<Files, Error> {
        let folder = self.schemas();
        let mut files: Files = REVISIONS
            .iter()
            .zip(schemas)
            .map(|(revision, schema)| {
                (folder.join(format!("{revision}.json")), json::print(schema))
            })
            .collect();
        let tables = Tables::new(&models(schemas)?)?;
        let generated = self.root.join("protocol_droid_codecs/src/generated.rs");
        files.insert(generated, emit::emit(&tables));
        Ok(files)
    }
}

/// The models of the reduced `schemas`.
pub(crate) fn models(schemas: &[Value]) -> Result<Models, Error> {
    let sources: Vec<Source<'_>> = schemas
        .iter()
        .enumerate()
        .map(|(revision, schema)| Source { revision, schema })
        .collect();
    model::build(&sources)
}

/// Reads and reduces `<revision>/schema.json` of every revision in `folder`.
pub(crate) fn import(folder: &Path) -> Result<Vec<Value>, Error> {
    for name in list(folder)? {
        if folder.join(&name).join("schema.json").exists() {
            revision::index(&name)?;
        }
    }
    REVISIONS
        .iter()
        .map(|revision| {
            let path = folder.join(revision).join("schema.json");
            let (text, schema) = read_json(&path)?;
            reduce::reduce(&path.display().to_string(), text.as_bytes(), &schema)
        })
        .collect()
}

/// Writes what is not there already.
pub(crate) fn write(files: &Files) -> Result<Vec<&Path>, Error> {
    let mut written = Vec::new();
    for (path, text) in files {
        if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
            continue;
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        fs::write(path, text).map_err(|source| io(path, source))?;
        written.push(path.as_path());
    }
    Ok(written)
}

/// Reads a file as text and as JSON.
fn read_json(path: &Path) -> Result<(String, Value), Error> {
    let text = fs::read_to_string(path).map_err(|source| io(path, source))?;
    match serde_json::from_str(&text) {
        Ok(value) => Ok((text, value)),
        Err(source) => Err(Error::Json {
            path: path.to_owned(),
            source,
        }),
    }
}

/// The names in a folder, sorted.
pub(crate) fn list(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = fs::read_dir(folder).map_err(|source| io(folder, source))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| io(folder, source))?;
    names.sort();
    Ok(names)
}

/// The error of a file or folder.
pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        source,
    }
}
