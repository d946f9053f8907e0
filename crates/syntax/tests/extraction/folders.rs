//! The files that stand beside each language's query.

use std::path::{Path, PathBuf};
use syntax::{Language, language_of};

/// A source file of a language's folder.
pub(crate) struct Sample {
    /// `<language>/<file>`, as if the languages folder were the project.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// Each language's file with this stem; a language without one fails.
pub(crate) fn samples(stem: &str) -> Vec<Sample> {
    let mut folders = list(&root());
    folders.retain(|folder| folder.join("language.toml").exists());
    let samples = folders.iter().map(|folder| {
        let file = list(folder).into_iter().find(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).expect("samples have plain names");
            language_of(name, &[]).is_some() && name.split('.').next() == Some(stem)
        });
        let file = file.unwrap_or_else(|| panic!("{} has no {stem}", folder.display()));
        let path = file.strip_prefix(root()).expect("it was listed there").to_string_lossy().into_owned();
        let language = language_of(&path, &[]).map(Language::name);
        assert_eq!(language, path.split('/').next(), "{path}");
        Sample { path, text: fs_err::read_to_string(file).expect("the sample is text") }
    });
    samples.collect()
}

/// The languages folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("languages")
}

pub(crate) fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths
}
