//! Replays what fuzzing has found worth keeping.

use std::fs;
use std::path::{Path, PathBuf};

use protocol_droid_codecs::{Expect, compiled, translate_as};
use protocol_droid_ir::Policy;

/// The files of every corpus of the codecs' fuzz targets.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol_droid_codecs/fuzz/corpus");
    let Ok(targets) = fs::read_dir(&folder) else {
        println!("skipped: no corpus at {}", folder.display());
        return Vec::new();
    };
    let folders = targets.map(|target| target.expect("a readable folder").path());
    folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| fs::read_dir(folder).expect("a readable folder"))
        .map(|file| file.expect("a readable folder").path())
        .filter(|path| path.is_file())
        .collect()
}

#[test]
fn no_file_of_a_corpus_makes_a_panic() {
    let files = files();
    for file in &files {
        let bytes = fs::read(file).expect("a readable file");
        for method in [None, Some("tools/call"), Some("tools/list"), Some("prompts/list")] {
            let expect = Expect { method, ..Expect::default() };
            for &from in compiled() {
                let _ = from.decode(&bytes, expect);
                for &to in compiled() {
                    let _ = translate_as(&bytes, expect, from, to, &Policy::faithful());
                }
            }
        }
    }
    println!("{} files", files.len());
}
