//! The texts that have to travel with the program: our licences, the notices of the data inside of it, and the licences
//! and notices of the crates it is compiled from, each text once with the crates that carry it.

use std::collections::BTreeMap;

use anyhow::Result;

use super::sbom::LinkedCrate;
use crate::repository;

/// Files of this repository that every package carries, and what they are called there.
const OURS: [(&str, &str); 5] = [
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("crates/providers/model/NOTICE.txt", "NOTICE-model.txt"),
    ("crates/model/rules/NOTICE.txt", "NOTICE-rules.txt"),
    ("crates/model/vocabulary/NOTICE.txt", "NOTICE-vocabulary.txt"),
];

/// Names that files with licences begin with.
const LICENCE_FILES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];

/// Names and texts.
pub(super) fn collect_notices(closure: &BTreeMap<String, LinkedCrate>) -> Result<Vec<(String, String)>> {
    let mut notices = Vec::new();
    for (path, name) in OURS {
        notices.push((name.to_owned(), fs_err::read_to_string(repository::root().join(path))?));
    }
    notices.push(("THIRD-PARTY.txt".to_owned(), render_third_party(closure)?));
    Ok(notices)
}

fn render_third_party(closure: &BTreeMap<String, LinkedCrate>) -> Result<String> {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut textless = Vec::new();
    for linked in closure.values().filter(|linked| !linked.is_ours) {
        let name = format!("{} {}", linked.name, linked.version);
        let texts = licence_texts(linked)?;
        if texts.is_empty() {
            textless.push(format!("{name} ({})", linked.licence.as_deref().unwrap_or("no licence named")));
        }
        for text in texts {
            owners.entry(text).or_default().push(name.clone());
        }
    }
    let mut sections: Vec<(Vec<String>, String)> = owners.into_iter().map(|(text, names)| (names, text)).collect();
    sections.sort();
    let rule = "-".repeat(80);
    let mut document = "What this program is compiled from, and under which terms.\n".to_owned();
    if !textless.is_empty() {
        document.push_str(&format!(
            "\nWithout a text of their own, under the licences that they name:\n  {}\n",
            textless.join("\n  ")
        ));
    }
    for (names, text) in sections {
        document.push_str(&format!("\n{rule}\n{}\n{rule}\n\n{text}\n", names.join(", ")));
    }
    Ok(document)
}

fn licence_texts(linked: &LinkedCrate) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs_err::read_dir(&linked.folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && LICENCE_FILES.iter().any(|start| name.starts_with(start)) {
            // Lines of other systems would make two texts of one.
            let text = String::from_utf8_lossy(&fs_err::read(entry.path())?).replace("\r\n", "\n");
            texts.push(text.trim_end().to_owned());
        }
    }
    Ok(texts)
}
