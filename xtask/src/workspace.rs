//! Where the sources and the generated files are, and reading and writing them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    check, emit,
    error::Error,
    json,
    model::{self, Models},
    reduce,
    revision::{self, REVISIONS},
    source::Source,
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

    /// Where Cargo builds.
    pub(crate) fn target(&self) -> PathBuf {
        let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        set.unwrap_or_else(|| self.root.join("target"))
    }

    /// The workspace at `root`.
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The folder of the reduced schemas.
    fn schemas(&self) -> PathBuf {
        self.root.join("protocol_droid_codecs/schema")
    }

    /// The folder of the schemas of the tool-call bodies.
    fn body_schemas(&self) -> PathBuf {
        self.root.join("subc_protocol/schema")
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
        for (name, schema) in subc_protocol::schemas() {
            let path = self.body_schemas().join(format!("{name}.json"));
            files.insert(path, json::print(schema.as_value()));
        }
        Ok(files)
    }

    /// Fails unless the disk has exactly `files`.
    pub(crate) fn check(&self, files: &Files) -> Result<(), Error> {
        check::check(&self.root, files, &[self.schemas(), self.body_schemas()])
    }
}

/// The models of the reduced `schemas`.
pub(crate) fn models(schemas: &[Value]) -> Result<Models, Error> {
    let sources: Vec<Source<'_>> =
        schemas.iter().enumerate().map(|(revision, schema)| Source { revision, schema }).collect();
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
        Err(source) => Err(Error::Json { path: path.to_owned(), source }),
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
    Error::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;
    use crate::temp::Folder;

    /// Writes `<revision>/schema.json`.
    fn put(folder: &Folder, revision: &str, text: &str) {
        let path = folder.path().join(revision).join("schema.json");
        write(&Files::from([(path, text.to_owned())])).unwrap();
    }

    #[test]
    fn generates_the_same_twice() {
        let workspace = Workspace::here();
        let schemas = workspace.read_schemas().unwrap();
        let files = workspace.generate(&schemas).unwrap();
        assert_eq!(workspace.generate(&schemas).unwrap(), files);
    }

    #[test]
    fn checks_a_whole_workspace() {
        let folder = Folder::new("workspace");
        let schemas = Workspace::here().read_schemas().unwrap();
        let workspace = Workspace::at(folder.path());
        let files = workspace.generate(&schemas).unwrap();
        assert!(workspace.check(&files).is_err());
        write(&files).unwrap();
        workspace.check(&files).unwrap();
        fs::write(workspace.schemas().join("2030-01-01.json"), "{}").unwrap();
        let text = workspace.check(&files).unwrap_err().to_string();
        assert_eq!(
            text,
            "1 file is out of date; run `cargo xtask schema`:\n  \
             protocol_droid_codecs/schema/2030-01-01.json: nothing generates this file; delete it"
        );
    }

    #[test]
    fn knows_what_the_revisions_say() {
        let schemas = Workspace::here().read_schemas().unwrap();
        let tables = Tables::new(&models(&schemas).unwrap()).unwrap();
        let masks = |name: &str, member: &str| {
            let member = &tables.types[name][member];
            (member.defined, member.required)
        };
        assert_eq!(masks("Annotations", "audience"), (0b111111, 0));
        assert_eq!(masks("Annotations", "lastModified"), (0b111100, 0));
        assert_eq!(masks("CallToolRequestParams", "_meta"), (0b111111, 0b110000));
        assert_eq!(masks("CancelledNotificationParams", "requestId"), (0b111111, 0b110111));
        assert_eq!(masks("EmptyResult", "resultType"), (0b110000, 0b110000));
        assert_eq!(masks("JSONRPCErrorResponse", "id"), (0b111111, 0b000111));
        assert_eq!(masks("LegacyTitledEnumSchema", "enumNames"), (0b111100, 0));
        assert_eq!(masks("RequestMetaObject", "progressToken"), (0b111111, 0));
        assert_eq!(tables.methods["ping"].directions, [0b001111, 0b001111, 0, 0]);
        assert_eq!(
            tables.methods["notifications/cancelled"].directions,
            [0, 0, 0b111111, 0b111111]
        );
        assert_eq!(tables.methods["roots/list"].result, "ListRootsResult");
        assert_eq!(tables.unions["PromptMessage.content"]["AudioContent"], 0b111110);
        assert_eq!(tables.enums["Role"]["user"], 0b111111);
    }

    #[test]
    fn imports_every_revision_or_nothing() {
        let folder = Folder::new("import");
        let text = |folder: &Folder| import(folder.path()).unwrap_err().to_string();
        let path = folder.path().display();
        assert!(text(&folder).starts_with(&format!("{path}/2024-11-05/schema.json: No such file")));

        put(&folder, "2024-11-05", "{\n  \"$defs\": ");
        assert_eq!(
            text(&folder),
            format!(
                "{path}/2024-11-05/schema.json: expected JSON: \
                 EOF while parsing a value at line 2 column 11"
            )
        );

        for revision in REVISIONS {
            put(&folder, revision, r#"{ "$defs": {}, "title": "prose" }"#);
        }
        let schemas = import(folder.path()).unwrap();
        assert_eq!(schemas.len(), REVISIONS.len());
        assert!(schemas[0].get("title").is_none());

        put(&folder, "2030-01-01", "{}");
        assert_eq!(
            text(&folder),
            "unknown revision `2030-01-01`: expected one of \
             2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28, draft"
        );
    }
}
