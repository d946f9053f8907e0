//! The first step of loading: each layer as a list of assignments that know where they come from.
//!
//! A value is checked as soon as it is read, while its place is still known, and also when a higher layer overrides
//! it: a mistake that waits for a variable to be unset is worse than one told at once.

use std::fmt;
use std::path::{Path, PathBuf};

use toml_edit::{Item, TableLike};

use super::file::{self, place, printable};
use super::keys::{self, Key};
use super::mask::{HIDDEN, mask};
use super::narrow;
use super::problem::{Error, Warning};
use super::rule::Rule;
use super::value::Value;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
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
pub(crate) struct Assignment {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Reads a file of one layer; a file that does not exist sets nothing.
pub(crate) fn from_file(layer: FileLayer, path: &Path, warnings: &mut Vec<Warning>) -> Result<Vec<Assignment>, Error> {
    let Some(text) = file::read(path)? else { return Ok(Vec::new()) };
    let document = file::parse(path, &text)?;
    let mut reading = Reading { layer, path, text: &text, assignments: Vec::new(), warnings };
    reading.table("", document.as_table())?;
    Ok(reading.assignments)
}

/// Reads `key=value` overrides, later ones over earlier ones.
pub(crate) fn from_flags(overrides: &[String]) -> Result<Vec<Assignment>, Error> {
    let assignment = |text: &String| {
        let (name, value) = text.split_once('=').ok_or_else(|| Error::MalformedOverride(printable(&mask(text))))?;
        from_text(known(name.trim())?, value, Origin::Flag)
    };
    overrides.iter().map(assignment).collect()
}

/// Reads plain text as the value of `key`.
pub(crate) fn from_text(key: &'static Key, text: &str, origin: Origin) -> Result<Assignment, Error> {
    let found = printable(&Value::Text(text.to_owned()).shown());
    checked(key, key.default.read_same_kind(text), origin, found)
}

/// The key of that name, or an error with the nearest one.
pub(crate) fn known(name: &str) -> Result<&'static Key, Error> {
    keys::find(name).ok_or_else(|| Error::UnknownKey { key: printable(name), nearest: keys::suggest(name) })
}

fn checked(key: &'static Key, value: Option<Value>, origin: Origin, found: String) -> Result<Assignment, Error> {
    let rule = Rule::of(key);
    // Whoever writes a key where its place belongs should not see it again in a log.
    let found = if matches!(rule, Rule::KeyPlace) { HIDDEN.to_owned() } else { found };
    match value.filter(|value| rule.accepts(value)) {
        Some(value) => Ok(Assignment { key, value, origin }),
        None => Err(Error::Invalid { key: key.name.clone(), found, origin, expected: rule.to_string() }),
    }
}

/// The error for a plain value where a section belongs.
pub(crate) fn not_a_section(name: &str, item: &Item, origin: Origin) -> Error {
    let expected = format!("a section, [{name}], with keys below it");
    Error::Invalid { key: name.to_owned(), found: shown(item), origin, expected }
}

/// The place where a key is written in a file.
pub(crate) fn origin(layer: FileLayer, path: &Path, text: &str, written: &toml_edit::Key) -> Origin {
    let line = place(text, written.span().map_or(0, |span| span.start)).0;
    Origin::File { layer, path: path.to_owned(), line }
}

struct Reading<'a> {
    layer: FileLayer,
    path: &'a Path,
    text: &'a str,
    assignments: Vec<Assignment>,
    warnings: &'a mut Vec<Warning>,
}

impl Reading<'_> {
    // The parser bounds how deep tables nest, so the recursion is bounded too.
    fn table(&mut self, prefix: &str, table: &dyn TableLike) -> Result<(), Error> {
        for (name, item) in table.iter() {
            let written = table.key(name).expect("the table lists its own keys");
            let origin = origin(self.layer, self.path, self.text, written);
            // Quoted again where needed, so that "memory.enabled" in quotes is not taken for memory.enabled.
            let name = format!("{prefix}{}", toml_edit::Key::new(name).display_repr());
            self.item(&name, item, origin)?;
        }
        Ok(())
    }

    fn item(&mut self, name: &str, item: &Item, origin: Origin) -> Result<(), Error> {
        if let Some(key) = keys::find(name) {
            if self.layer == FileLayer::Project && narrow::way(key).is_none() {
                self.warnings.push(Warning::Forbidden { key: &key.name, origin });
                return Ok(());
            }
            let mut value = Value::from_item(item).and_then(|value| key.default.coerce(value));
            // Before they are looked at: reading very many rules takes longer than an agent waits.
            if let (FileLayer::Project, narrow::RULES, Some(Value::List(texts))) = (self.layer, &*key.name, &mut value)
                && texts.len() > narrow::MOST_RULES
            {
                self.warnings.push(Warning::TooManyRules { written: texts.len(), origin: origin.clone() });
                texts.truncate(narrow::MOST_RULES);
            }
            self.assignments.push(checked(key, value, origin, shown(item))?);
            return Ok(());
        }
        match item.as_table_like() {
            Some(table) if keys::is_section(name) || !table.is_empty() => self.table(&format!("{name}."), table),
            None if keys::is_section(name) => Err(not_a_section(name, item, origin)),
            _ => {
                let nearest = keys::suggest(name);
                self.warnings.push(Warning::UnknownKey { key: printable(name), origin, nearest });
                Ok(())
            }
        }
    }
}

/// A TOML item as it is shown in messages, on one line, without passwords.
pub(crate) fn shown(item: &Item) -> String {
    match (item, Value::from_item(item)) {
        (_, Some(value)) => printable(&value.shown()),
        (Item::Value(value), None) => printable(&mask(value.to_string().trim())),
        (Item::ArrayOfTables(_), None) => "a list of tables".to_owned(),
        (Item::None | Item::Table(_), None) => "a table".to_owned(),
    }
}

impl fmt::Display for Origin {
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
