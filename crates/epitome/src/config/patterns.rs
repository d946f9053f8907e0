//! The patterns of one file, as `epitome sensitive` changes them: one added or taken away, the rest as it was.

use std::path::Path;

use model::scrub::{RuleName, UserRule};

use super::problem::Error;
use super::value::Value;
use super::{edit, file, raw};

const KEY: &str = "sensitive.patterns";

/// The rules that a file names, in its order; none when there is no file.
pub(crate) fn written(path: &Path) -> Result<Vec<UserRule>, Error> {
    Ok(texts(path)?.iter().filter_map(|text| UserRule::read(text).ok()).collect())
}

/// Adds a rule to a file, which is made when missing.
pub(crate) fn add(path: &Path, rule: &UserRule) -> Result<(), Error> {
    let mut texts = texts(path)?;
    texts.push(format!("{}: {}", rule.name, rule.pattern.as_str()));
    put(path, texts)
}

/// Takes a rule out of a file; whether it was there.
pub(crate) fn remove(path: &Path, name: &RuleName) -> Result<bool, Error> {
    let mut texts = texts(path)?;
    let before = texts.len();
    texts.retain(|text| UserRule::read(text).map_or(true, |rule| rule.name != *name));
    let is_less = texts.len() < before;
    if is_less {
        put(path, texts)?;
    }
    Ok(is_less)
}

fn texts(path: &Path) -> Result<Vec<String>, Error> {
    let key = raw::known(KEY).expect("the key has a default");
    let (section, name) = key.section_and_name();
    let Some(text) = file::read(path)? else { return Ok(Vec::new()) };
    let document = file::parse(path, &text)?;
    let written = document.get(section).and_then(|section| section.get(name));
    match written.and_then(Value::from_item) {
        Some(Value::List(texts)) => Ok(texts),
        // What is no list was refused when the configuration was loaded.
        _ => Ok(Vec::new()),
    }
}

fn put(path: &Path, texts: Vec<String>) -> Result<(), Error> {
    edit::set(path, KEY, &Value::List(texts).to_string()).map(drop)
}
