//! Whether the generated files on disk are what the sources give.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::Error,
    workspace::{Files, list},
};

/// Compares `files` with the disk; `folders` hold nothing else. Paths are shown relative to `root`.
pub(crate) fn check(root: &Path, files: &Files, folders: &[PathBuf]) -> Result<(), Error> {
    let mut faults = Vec::new();
    for (path, text) in files {
        let shown = path.strip_prefix(root).unwrap_or(path).display();
        match fs::read(path) {
            Ok(found) => {
                let found = String::from_utf8_lossy(&found);
                if let Some(difference) = first_difference(text, &found) {
                    faults.push(format!("  {shown}:{difference}"));
                }
            }
            Err(error) => faults.push(format!("  {shown}: {error}")),
        }
    }
    for folder in folders {
        if !folder.exists() {
            continue;
        }
        for name in list(folder)? {
            let path = folder.join(name);
            if !files.contains_key(&path) {
                let shown = path.strip_prefix(root).unwrap_or(&path).display();
                faults.push(format!("  {shown}: nothing generates this file; delete it"));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(Error::Drift(faults)) }
}

/// The number of the first line that differs, with both of its texts.
fn first_difference(expected: &str, found: &str) -> Option<String> {
    let lines = expected.split('\n').map(Some).chain([None]);
    let others = found.split('\n').map(Some).chain([None]);
    let mut pairs = (1..).zip(lines.zip(others));
    let (number, (expected, found)) = pairs.find(|(_, (a, b))| a != b)?;
    let same = match (expected, found) {
        (Some(expected), Some(found)) => {
            let pairs = expected.chars().zip(found.chars());
            pairs.take_while(|(a, b)| a == b).count()
        }
        _ => 0,
    };
    let show = |line: Option<&str>| line.map_or("the end".to_owned(), |line| clip(line, same));
    Some(format!("{number}: expected {}, found {}", show(expected), show(found)))
}

/// The part of a line around its `place`th character, quoted.
fn clip(line: &str, place: usize) -> String {
    let start = if place > 60 { place - 30 } else { 0 };
    let part: String = line.chars().skip(start).take(90).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if line.chars().count() > start + 90 { "…" } else { "" };
    format!("{before}{part:?}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{temp::Folder, workspace::write};

    /// A folder with one file in place, and what belongs there.
    fn scene(name: &str) -> (Folder, Files, [PathBuf; 1]) {
        let folder = Folder::new(name);
        let schema = folder.path().join("schema");
        let files = Files::from([(schema.join("a.json"), "{\n  \"b\": 1\n}\n".to_owned())]);
        write(&files).unwrap();
        (folder, files, [schema])
    }

    #[test]
    fn accepts_what_was_written() {
        let (folder, files, folders) = scene("check_accepts");
        check(folder.path(), &files, &folders).unwrap();
        assert!(write(&files).unwrap().is_empty());
    }

    #[test]
    fn names_the_line_of_a_changed_byte() {
        let (folder, files, folders) = scene("check_byte");
        fs::write(folders[0].join("a.json"), "{\n  \"b\": 2\n}\n").unwrap();
        let error = check(folder.path(), &files, &folders).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1 file is out of date; run `cargo xtask schema`:\n  \
             schema/a.json:2: expected \"  \\\"b\\\": 1\", found \"  \\\"b\\\": 2\""
        );
    }

    #[test]
    fn sees_a_missing_line_feed_and_carriage_returns() {
        assert_eq!(
            first_difference("a\n", "a").as_deref(),
            Some("2: expected \"\", found the end")
        );
        assert_eq!(
            first_difference("a\n", "a\r\n").as_deref(),
            Some("1: expected \"a\", found \"a\\r\"")
        );
    }

    #[test]
    fn shows_the_part_of_a_long_line_that_differs() {
        let line = "x".repeat(100);
        let part = "x".repeat(30);
        assert_eq!(
            first_difference(&format!("{line}a"), &format!("{line}b{line}")),
            Some(format!("1: expected …\"{part}a\", found …\"{part}b{}\"…", "x".repeat(59)))
        );
    }

    #[test]
    fn names_stray_and_missing_files() {
        let (folder, files, folders) = scene("check_stray");
        fs::rename(folders[0].join("a.json"), folders[0].join("b.json")).unwrap();
        let text = check(folder.path(), &files, &folders).unwrap_err().to_string();
        assert!(text.starts_with("2 files are out of date"), "{text}");
        assert!(text.contains("schema/a.json: No such file"), "{text}");
        assert!(text.contains("schema/b.json: nothing generates this file"), "{text}");
    }
}
