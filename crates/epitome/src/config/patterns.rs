//! Edits the secret-detection rules (`sensitive.patterns`) of one configuration file for `epitome sensitive`: adds or
//! removes one rule, and leaves the rest as it was.

use std::path::Path;

use model::scrub::{RuleName, UserRule};

use super::diagnostics::ConfigError;
use super::value::ConfigValue;
use super::{edit, layers, toml_file};

const KEY: &str = "sensitive.patterns";

/// The rules that a file names, in its order; none when there is no file.
pub(crate) fn read_rules(path: &Path) -> Result<Vec<UserRule>, ConfigError> {
    Ok(read_patterns(path)?.iter().filter_map(|text| UserRule::parse(text).ok()).collect())
}

/// Adds a rule to a file, which is made when missing.
pub(crate) fn add_rule(path: &Path, rule: &UserRule) -> Result<(), ConfigError> {
    let mut texts = read_patterns(path)?;
    texts.push(format!("{}: {}", rule.name, rule.pattern.as_str()));
    write_patterns(path, texts)
}

/// Takes a rule out of a file; whether it was there.
pub(crate) fn remove_rule(path: &Path, name: &RuleName) -> Result<bool, ConfigError> {
    let mut texts = read_patterns(path)?;
    let before = texts.len();
    // A line that cannot be parsed is not the one meant, and stays for the user to mend.
    texts.retain(|text| UserRule::parse(text).map_or(true, |rule| rule.name != *name));
    let is_less = texts.len() < before;
    if is_less {
        write_patterns(path, texts)?;
    }
    Ok(is_less)
}

fn read_patterns(path: &Path) -> Result<Vec<String>, ConfigError> {
    let key = layers::require_key(KEY).expect("the key has a default");
    let (section, name) = key.section_and_name();
    let Some(text) = toml_file::read_text(path)? else { return Ok(Vec::new()) };
    let document = toml_file::parse_document(path, &text)?;
    let written = document.get(section).and_then(|section| section.get(name));
    match written.and_then(ConfigValue::from_item) {
        Some(ConfigValue::List(texts)) => Ok(texts),
        // A value that is no list was refused when the configuration was loaded.
        _ => Ok(Vec::new()),
    }
}

fn write_patterns(path: &Path, texts: Vec<String>) -> Result<(), ConfigError> {
    edit::set_key(path, KEY, &ConfigValue::List(texts).to_string()).map(drop)
}
