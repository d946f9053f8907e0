//! Proof that counts are those of the published vocabulary: the automaton of `bpe-openai`, which the binary does not
//! have, counts the same texts; and the files of `vocabulary/` are compared with what they are made from.

use super::counter::count_text;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Compares a file of `vocabulary/` with what it must hold. `UPDATE_EXPECT=1` writes it.
#[expect(clippy::disallowed_methods, reason = "the variable by which all expected files are updated")]
pub(super) fn check_file(name: &str, wanted: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vocabulary").join(name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs_err::write(&path, wanted).expect("the file is written");
    }
    // No assert_eq: nobody reads two megabytes of numbers.
    assert!(
        fs_err::read(&path).is_ok_and(|held| held == wanted),
        "{name} is not what its sources give: see CONTRIBUTING.md"
    );
}

fn check(text: &str) {
    assert_eq!(count_text(text), bpe_openai::o200k_base().count(text), "{text:?}");
}

#[test]
fn every_text_of_the_repository_has_the_tokens_of_the_automaton() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["bench", "crates", "docs", "examples", "xtask"].map(|name| root.join(name)).into();
    let mut texts = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs_err::read_to_string(&path) {
                texts += 1;
                let wanted = bpe_openai::o200k_base().count(text.as_str());
                assert_eq!(count_text(&text), wanted, "{}", path.display());
            }
        }
    }
    assert!(texts > 1000, "{texts} texts were read");
}

proptest! {
    #[test]
    fn texts_have_the_tokens_of_the_automaton(
        any in any::<String>(),
        few in "[ a-eA-E0-9'./(\r\n\t\u{b}éÉſ\u{a0}数\u{301}srvltmd]{0,60}",
        words in "( ?[a-zA-Z]{1,14}['.,:;/_-]?){0,20}",
        long in "(a{0,200}|[a-z]{0,200}| {0,200}|-{0,200}){0,4}",
    ) {
        for text in [any, few, words, long] {
            check(&text);
        }
    }
}
