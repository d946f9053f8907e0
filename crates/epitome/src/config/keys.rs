//! The list of configuration keys, parsed from `defaults.toml`: name, default, kind and the comment that documents it.
//! A new key is one entry there and one field in `schema.rs`; there is no third list. The file is read line by line,
//! because every hook does so, and parsing a whole TOML document was more work than all else a hook decides.

use std::sync::LazyLock;

use super::value::ConfigValue;
use crate::suggestion::nearest_word;

/// One key, `section.name`.
#[derive(Debug)]
pub(crate) struct ConfigKey {
    pub(crate) name: String,
    pub(crate) default: ConfigValue,
    /// The lines above it.
    comment: &'static str,
}

impl ConfigKey {
    /// The two halves of the name.
    pub(crate) fn section_and_name(&self) -> (&str, &str) {
        self.name.split_once('.').expect("keys are built as section.name")
    }

    /// Its purpose.
    pub(crate) fn help_text(&self) -> String {
        let lines = self.comment.lines().filter_map(|line| line.trim().strip_prefix('#')).map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    }
}

/// All keys, in the order of `defaults.toml`.
pub(crate) fn all_keys() -> &'static [ConfigKey] {
    static KEYS: LazyLock<Vec<ConfigKey>> = LazyLock::new(|| parse_defaults(include_str!("defaults.toml")));
    &KEYS
}

pub(crate) fn find_key(name: &str) -> Option<&'static ConfigKey> {
    all_keys().iter().find(|key| key.name == name)
}

pub(crate) fn is_section(name: &str) -> bool {
    all_keys().iter().any(|key| key.section_and_name().0 == name)
}

/// The key that `unknown` was probably meant to be.
///
/// Inside a known section the last word is wrong, or it belongs to another section; a misspelt section is close as a
/// whole.
pub(crate) fn suggest_key(unknown: &str) -> Option<&'static str> {
    let (section, name) = unknown.rsplit_once('.').unwrap_or(("", unknown));
    let sibling = || {
        let siblings = all_keys().iter().map(ConfigKey::section_and_name).filter(|pair| pair.0 == section);
        let found = nearest_word(name, siblings.map(|pair| pair.1))?;
        all_keys().iter().find(|key| key.section_and_name() == (section, found))
    };
    if section.is_empty() || is_section(section) {
        // The user may have put the key into the wrong section, so its name is looked for in all of them.
        let moved = || all_keys().iter().find(|key| key.section_and_name().1 == name);
        return sibling().or_else(moved).map(|key| key.name.as_str());
    }
    nearest_word(unknown, all_keys().iter().map(|key| key.name.as_str()))
}

fn parse_defaults(defaults: &'static str) -> Vec<ConfigKey> {
    let mut keys = Vec::new();
    let mut section = "";
    let mut at = 0;
    let mut above = 0;
    for line in defaults.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        // A comment documents the key below it, and is cut out with the key.
        if line.starts_with('#') {
            continue;
        }
        if let Some((name, value)) = line.split_once(" = ") {
            let default = parse_default(value).expect("each default is of one of the five kinds");
            keys.push(ConfigKey { name: format!("{section}.{name}"), default, comment: &defaults[above..start] });
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        }
        above = at;
    }
    keys
}

/// A default as it is written: plain, and on one line.
fn parse_default(text: &str) -> Option<ConfigValue> {
    let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    // Booleans before numbers before texts: each text is of the first kind that fits.
    None.or_else(|| text.parse().ok().map(ConfigValue::Boolean))
        .or_else(|| text.parse().ok().map(ConfigValue::Integer))
        .or_else(|| text.parse().ok().map(ConfigValue::Number))
        .or_else(|| quoted.map(|text| ConfigValue::Text(text.to_owned())))
        .or_else(|| (text == "[]").then(|| ConfigValue::List(Vec::new())))
        .or_else(|| ConfigValue::List(Vec::new()).parse_same_kind(text).filter(|_| text.starts_with('[')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_documented_in_its_comment() {
        let silent: Vec<_> = all_keys().iter().filter(|key| key.help_text().is_empty()).map(|key| &key.name).collect();
        assert!(silent.is_empty(), "keys without a comment in defaults.toml: {silent:?}");
        let key = find_key("memory.fresh_tail").expect("the key exists");
        assert_eq!(
            (key.help_text(), &key.default),
            ("Newest turns that are never folded".to_owned(), &ConfigValue::Integer(8))
        );
    }

    #[test]
    fn the_defaults_are_what_a_reader_of_toml_makes_of_them() {
        let document: toml_edit::DocumentMut = include_str!("defaults.toml").parse().expect("TOML");
        let mut read = Vec::new();
        for (section, table) in document.iter() {
            for (name, item) in table.as_table().expect("a section") {
                read.push((format!("{section}.{name}"), ConfigValue::from_item(item).expect("one of the five kinds")));
            }
        }
        assert_eq!(all_keys().iter().map(|key| (key.name.clone(), key.default.clone())).collect::<Vec<_>>(), read);
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
            assert_eq!(suggest_key(unknown), expected, "{unknown}");
        }
    }
}
