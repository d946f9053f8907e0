//! Reads each configuration layer (files, environment, flags) into a list of key assignments with their origin: the
//! first step of loading. A value is checked as soon as it is read, while its place is still known, and also when a
//! higher layer overrides it: a mistake that shows only when a variable is unset is worse than one reported at once.

use std::fmt;
use std::path::{Path, PathBuf};

use toml_edit::{Item, TableLike};

use super::diagnostics::{ConfigError, ConfigWarning};
use super::keys::{self, ConfigKey};
use super::mask::{REDACTED_TEXT, mask_passwords};
use super::project_policy;
use super::toml_file::{self, line_column, printable_line};
use super::value::ConfigValue;
use super::value_rule::ValueRule;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SettingOrigin {
    Default,
    File {
        layer: FileLayer,
        path: PathBuf,
        line: usize,
    },
    Environment {
        name: String,
    },
    Flag,
    /// An argument of `config set`, which is not part of any layer yet.
    Argument,
}

/// The two files a value can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileLayer {
    User,
    Project,
}

/// One key set by one layer, valid by itself.
#[derive(Debug)]
pub(crate) struct KeyAssignment {
    pub(crate) key: &'static ConfigKey,
    pub(crate) value: ConfigValue,
    pub(crate) origin: SettingOrigin,
}

/// Reads a file of one layer; a file that does not exist sets nothing.
pub(crate) fn from_file(
    layer: FileLayer,
    path: &Path,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<KeyAssignment>, ConfigError> {
    let Some(text) = toml_file::read_text(path)? else { return Ok(Vec::new()) };
    let document = toml_file::parse_document(path, &text)?;
    let mut reading = LayerReader { layer, path, text: &text, assignments: Vec::new(), warnings };
    reading.read_table("", document.as_table())?;
    Ok(reading.assignments)
}

/// Reads `key=value` overrides, later ones over earlier ones.
pub(crate) fn from_flags(overrides: &[String]) -> Result<Vec<KeyAssignment>, ConfigError> {
    let assignment = |text: &String| {
        let (name, value) = text
            .split_once('=')
            // The text may hold a database URL with a password.
            .ok_or_else(|| ConfigError::MalformedOverride(printable_line(&mask_passwords(text))))?;
        from_text(require_key(name.trim())?, value, SettingOrigin::Flag)
    };
    overrides.iter().map(assignment).collect()
}

/// Reads plain text as the value of `key`.
pub(crate) fn from_text(
    key: &'static ConfigKey,
    text: &str,
    origin: SettingOrigin,
) -> Result<KeyAssignment, ConfigError> {
    let found = printable_line(&ConfigValue::Text(text.to_owned()).render_masked());
    check_value(key, key.default.parse_same_kind(text), origin, found)
}

/// The key of that name, or an error with the nearest one.
pub(crate) fn require_key(name: &str) -> Result<&'static ConfigKey, ConfigError> {
    keys::find_key(name)
        .ok_or_else(|| ConfigError::UnknownKey { key: printable_line(name), nearest: keys::suggest_key(name) })
}

fn check_value(
    key: &'static ConfigKey,
    value: Option<ConfigValue>,
    origin: SettingOrigin,
    found: String,
) -> Result<KeyAssignment, ConfigError> {
    let rule = ValueRule::for_key(key);
    // A user may write the key itself where its place belongs; an error must not repeat it in a log.
    let found = if matches!(rule, ValueRule::KeyPlace) { REDACTED_TEXT.to_owned() } else { found };
    match value.filter(|value| rule.accepts(value)) {
        Some(value) => Ok(KeyAssignment { key, value, origin }),
        None => Err(ConfigError::Invalid { key: key.name.clone(), found, origin, expected: rule.to_string() }),
    }
}

/// The error for a plain value where a section belongs.
pub(crate) fn not_a_section(name: &str, item: &Item, origin: SettingOrigin) -> ConfigError {
    let expected = format!("a section, [{name}], with keys below it");
    ConfigError::Invalid { key: name.to_owned(), found: render_item(item), origin, expected }
}

/// The place where a key is written in a file.
pub(crate) fn file_origin(layer: FileLayer, path: &Path, text: &str, written: &toml_edit::Key) -> SettingOrigin {
    let line = line_column(text, written.span().map_or(0, |span| span.start)).0;
    SettingOrigin::File { layer, path: path.to_owned(), line }
}

struct LayerReader<'a> {
    layer: FileLayer,
    path: &'a Path,
    text: &'a str,
    assignments: Vec<KeyAssignment>,
    warnings: &'a mut Vec<ConfigWarning>,
}

impl LayerReader<'_> {
    // The parser bounds how deep tables nest, so the recursion is bounded too.
    fn read_table(&mut self, prefix: &str, table: &dyn TableLike) -> Result<(), ConfigError> {
        for (name, item) in table.iter() {
            let written = table.key(name).expect("the table lists its own keys");
            let origin = file_origin(self.layer, self.path, self.text, written);
            // Quoted again where needed, so that `"memory.enabled"` in quotes is not taken for the key memory.enabled.
            let name = format!("{prefix}{}", toml_edit::Key::new(name).display_repr());
            self.read_item(&name, item, origin)?;
        }
        Ok(())
    }

    fn read_item(&mut self, name: &str, item: &Item, origin: SettingOrigin) -> Result<(), ConfigError> {
        if let Some(key) = keys::find_key(name) {
            // A project file comes with a cloned repository, so it may set only keys that narrow.
            if self.layer == FileLayer::Project && project_policy::narrowing_rule(key).is_none() {
                self.warnings.push(ConfigWarning::Forbidden { key: &key.name, origin });
                return Ok(());
            }
            let mut value = ConfigValue::from_item(item).and_then(|value| key.default.coerce_kind(value));
            // Before the rules are compiled: compiling very many of them takes longer than an agent waits.
            if let (FileLayer::Project, project_policy::RULES, Some(ConfigValue::List(texts))) =
                (self.layer, &*key.name, &mut value)
                && texts.len() > project_policy::MOST_RULES
            {
                self.warnings.push(ConfigWarning::TooManyRules { written: texts.len(), origin: origin.clone() });
                texts.truncate(project_policy::MOST_RULES);
            }
            self.assignments.push(check_value(key, value, origin, render_item(item))?);
            return Ok(());
        }
        match item.as_table_like() {
            Some(table) if keys::is_section(name) || !table.is_empty() => self.read_table(&format!("{name}."), table),
            None if keys::is_section(name) => Err(not_a_section(name, item, origin)),
            // A key of a newer version is reported and skipped, so that one file serves two versions.
            _ => {
                let nearest = keys::suggest_key(name);
                self.warnings.push(ConfigWarning::UnknownKey { key: printable_line(name), origin, nearest });
                Ok(())
            }
        }
    }
}

/// A TOML item as it is shown in messages, on one line, without passwords.
pub(crate) fn render_item(item: &Item) -> String {
    match (item, ConfigValue::from_item(item)) {
        (_, Some(value)) => printable_line(&value.render_masked()),
        (Item::Value(value), None) => printable_line(&mask_passwords(value.to_string().trim())),
        (Item::ArrayOfTables(_), None) => "a list of tables".to_owned(),
        (Item::None | Item::Table(_), None) => "a table".to_owned(),
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { layer: FileLayer::User, path, line } => write!(f, "user file {}:{line}", path.display()),
            Self::File { layer: FileLayer::Project, path, line } => write!(f, "project file {}:{line}", path.display()),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
            Self::Argument => f.write_str("argument"),
        }
    }
}
