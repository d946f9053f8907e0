//! The keys that exist, read from `defaults.toml`: name, default, kind and the comment that documents it.
//!
//! Deriving the list means that a new key is one entry there and one field in `typed.rs`; there is no third list.

use std::sync::LazyLock;

use toml_edit::{Document, Item, RawString};

use super::value::Value;
use crate::nearest::nearest;

/// One key, `section.name`.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) default: Value,
}

impl Key {
    /// The two halves of the name.
    pub(crate) fn section_and_name(&self) -> (&str, &str) {
        self.name.split_once('.').expect("keys are built as section.name")
    }
}

/// All keys, in the order of `defaults.toml`.
pub(crate) fn all() -> &'static [Key] {
    static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| parse(include_str!("defaults.toml")));
    &KEYS
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().iter().find(|key| key.name == name)
}

pub(crate) fn is_section(name: &str) -> bool {
    all().iter().any(|key| key.section_and_name().0 == name)
}

/// The key that `unknown` was probably meant to be.
///
/// Inside a known section the last word is wrong, or it belongs to another section; a misspelt section is close as a
/// whole.
pub(crate) fn suggest(unknown: &str) -> Option<&'static str> {
    let (section, name) = unknown.rsplit_once('.').unwrap_or(("", unknown));
    let sibling = || {
        let siblings = all().iter().map(Key::section_and_name).filter(|pair| pair.0 == section);
        let found = nearest(name, siblings.map(|pair| pair.1))?;
        all().iter().find(|key| key.section_and_name() == (section, found))
    };
    if section.is_empty() || is_section(section) {
        let moved = || all().iter().find(|key| key.section_and_name().1 == name);
        return sibling().or_else(moved).map(|key| key.name.as_str());
    }
    nearest(unknown, all().iter().map(|key| key.name.as_str()))
}

fn parse(defaults: &str) -> Vec<Key> {
    let document = Document::parse(defaults).expect("defaults.toml is TOML");
    let mut keys = Vec::new();
    for (section, item) in document.iter() {
        let table = item.as_table().expect("defaults.toml has only sections at the top");
        for (name, item) in table {
            let prefix = table.key(name).and_then(|key| key.leaf_decor().prefix()).and_then(RawString::span);
            keys.push(Key {
                name: format!("{section}.{name}"),
                about: prefix.map(|span| comment(&defaults[span])).unwrap_or_default(),
                default: default(item),
            });
        }
    }
    keys
}

fn default(item: &Item) -> Value {
    Value::from_item(item).expect("each default is of one of the five kinds")
}

fn comment(prefix: &str) -> String {
    let lines = prefix.lines().filter_map(|line| line.trim().strip_prefix('#')).map(str::trim);
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_documented_in_its_comment() {
        let silent: Vec<_> = all().iter().filter(|key| key.about.is_empty()).map(|key| &key.name).collect();
        assert!(silent.is_empty(), "keys without a comment in defaults.toml: {silent:?}");
        let key = find("memory.fresh_tail").expect("the key exists");
        assert_eq!((key.about.as_str(), &key.default), ("Newest turns that are never folded", &Value::Integer(8)));
    }

    #[test]
    fn a_suggestion_is_close_or_absent() {
        let rows = [
            ("memory.fresh_tial", Some("memory.fresh_tail")),
            ("memroy.fresh_tail", Some("memory.fresh_tail")),
            ("memroy.fresh_tial", Some("memory.fresh_tail")),
            ("fresh_tail", Some("memory.fresh_tail")),
            ("index.budget", Some("context.budget")),
            ("databse.ulr", Some("database.url")),
            ("database.foo", None),
            ("providers.url", Some("database.url")),
            ("colour.scheme", None),
            ("memory", None),
        ];
        for (unknown, expected) in rows {
            assert_eq!(suggest(unknown), expected, "{unknown}");
        }
    }
}
