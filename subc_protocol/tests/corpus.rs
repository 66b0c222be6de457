//! The corpus of the fuzz target, replayed. A packaged crate has none, and then nothing is replayed.

use std::{fs, path::Path};

mod support;

#[test]
fn the_corpus_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/frame_decoder");
    if !folder.exists() {
        println!("no corpus at {}", folder.display());
        return;
    }
    let mut replayed = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        support::check_input(&fs::read(path).expect("a readable file"));
        replayed += 1;
    }
    assert!(replayed > 0, "the corpus is empty");
}
