//! Reads the `#set!` settings of a pattern in a tree-sitter query, beside its captures, into `PatternSettings`.
//!
//! | setting | means |
//! |---|---|
//! | `level` | the definition is only a heading: its section goes on to the next heading of this level or a higher one |
//! | `language` | what an `@embed` is written in, where no `@language` says so |

use tree_sitter::QueryProperty;

/// The settings of one pattern.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PatternSettings {
    pub(crate) level: Option<u8>,
    pub(crate) language: Option<String>,
}

/// Why a setting is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("cannot set `{0}`: a pattern sets only `level` and `language`")]
    Key(Box<str>),
    #[error("cannot set level `{0}`: it has to be a number from 1")]
    Level(Box<str>),
}

impl PatternSettings {
    pub(crate) fn from_properties(properties: &[QueryProperty]) -> Result<Self, SettingsError> {
        let mut settings = Self::default();
        for QueryProperty { key, value, .. } in properties {
            let value = value.clone().unwrap_or_default();
            match &**key {
                "level" => match value.parse() {
                    Ok(level @ 1..) => settings.level = Some(level),
                    _ => return Err(SettingsError::Level(value)),
                },
                "language" => settings.language = Some(value.into()),
                _ => return Err(SettingsError::Key(key.clone())),
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    #[test]
    fn a_setting_that_means_nothing_is_an_error() {
        check(&[], &expect!["PatternSettings { level: None, language: None }"]);
        check(
            &[("level", "2"), ("language", "javascript")],
            &expect![[r#"PatternSettings { level: Some(2), language: Some("javascript") }"#]],
        );
        check(&[("level", "0")], &expect!["cannot set level `0`: it has to be a number from 1"]);
        check(&[("levle", "1")], &expect!["cannot set `levle`: a pattern sets only `level` and `language`"]);
    }

    fn check(properties: &[(&str, &str)], expected: &Expect) {
        let properties: Vec<_> =
            properties.iter().map(|(key, value)| QueryProperty::new(key, Some(value), None)).collect();
        let told = match PatternSettings::from_properties(&properties) {
            Ok(settings) => format!("{settings:?}"),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&told);
    }
}
