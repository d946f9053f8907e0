//! Writes our entries (`Graft`: MCP server, hooks, rules) into the text of an agent's settings file, and removes them
//! again, for JSON, TOML, YAML, Markdown and whole files. Every editor takes a text and gives another: nothing is
//! parsed into a model and written back, so comments, order and spacing stay as their owner left them.

mod json;
mod jsonc;
mod markdown;
mod splice;
mod toml;
mod yaml;
mod yaml_value;

pub use splice::Splice;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// JSON, with comments or without.
    Json,
    /// TOML.
    Toml,
    /// YAML, line by line.
    Yaml,
    /// Text in which a marked block is ours.
    Markdown,
    /// All of the file is ours.
    Whole,
}

/// One entry of ours in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Graft {
    /// A value under a path of keys.
    Entry {
        /// The keys.
        path: Vec<String>,
        /// The value.
        value: Value,
    },
    /// An element of a list.
    Element {
        /// The keys that lead to the list.
        path: Vec<String>,
        /// The element.
        value: Value,
    },
    /// A value that the file must have, whether we or the user wrote it. It stays when we go: others may rely on it.
    Required {
        /// The keys.
        path: Vec<String>,
        /// The value to write if the key has none.
        value: Value,
    },
    /// Text, all of the file or a block of it.
    Text {
        /// The text.
        text: String,
    },
}

/// A graft as it was written, with what undoing it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenGraft {
    /// What it is.
    pub graft: Graft,
    /// What stood in its place.
    pub replaced: Option<String>,
    /// How many keys of its path led somewhere before.
    pub known: usize,
    /// The exact change.
    pub splice: Splice,
}

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// It does not say anything in its form.
    Malformed(String),
    /// Something else stands where ours would.
    OtherShape {
        /// Where.
        path: String,
        /// The entry that should be there.
        expected: &'static str,
    },
    /// It is there, and we did not write it.
    NotOurs,
    /// All of it was ours, and the user or the agent changed it since.
    Changed,
    /// It could not be read or written.
    Disk(String),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => write!(f, "cannot be read: {reason}"),
            Self::OtherShape { path, expected } => write!(f, "`{path}` is not {expected}"),
            Self::NotOurs => f.write_str("exists already, and epitome did not write it"),
            Self::Changed => f.write_str("was changed since epitome wrote it; remove it, or take the changes back"),
            Self::Disk(reason) => f.write_str(reason),
        }
    }
}

/// The text with a graft in it; `None` when it has it already, whether we or the user put it there.
pub(super) fn put_graft(
    form: FileFormat,
    text: &str,
    graft: &Graft,
) -> Result<Option<(String, WrittenGraft)>, EditError> {
    // An empty settings file is what some agents create first: it counts as `{}` and not as broken JSON.
    let is_empty = text.trim_start_matches('\u{feff}').trim().is_empty();
    let start = if form == FileFormat::Json && is_empty { "{}\n" } else { text };
    let (next, replaced, known) = match (form, graft) {
        (FileFormat::Json, Graft::Entry { path, value }) => {
            let old = json::find_value(start, path)?.map(|(written, _)| written);
            (json::put_value(start, path, value)?, old, json::existing_depth(start, path)?)
        }
        (FileFormat::Json, Graft::Required { path, value }) => match json::find_value(start, path)? {
            // A required member with any value is the owner's; only a missing one is added.
            Some(_) => return Ok(None),
            None => (json::put_value(start, path, value)?, None, json::existing_depth(start, path)?),
        },
        (FileFormat::Json, Graft::Element { path, value }) => {
            let (next, old) = json::add_element(start, path, value, &|found| is_ours(found, value))?;
            (next, old, json::existing_depth(start, path)?)
        }
        (FileFormat::Toml, Graft::Entry { path, value }) => {
            let old = toml::find_value(start, path)?.map(|old| old.to_string());
            (toml::put_table(start, path, value)?, old, path.len())
        }
        (FileFormat::Yaml, Graft::Entry { path, value } | Graft::Element { path, value }) => {
            let (key, name, kind) = yaml_place(graft, path, value);
            let old = yaml::find_entry(start, key, name, kind)?.map(str::to_owned);
            (yaml::put_entry(start, key, name, kind, value)?, old, usize::from(yaml::has_key(start, key)?))
        }
        (FileFormat::Markdown, Graft::Text { text }) => {
            let old = markdown::find_block(start).map(str::to_owned);
            (markdown::put_block(start, text), old, 0)
        }
        // A whole file is ours or not: one with other content is never overwritten.
        (FileFormat::Whole, Graft::Text { text }) if start.is_empty() || start == text => (text.clone(), None, 0),
        (FileFormat::Whole, _) => return Err(EditError::NotOurs),
        (form, graft) => unreachable!("no file in {form:?} has {graft:?}"),
    };
    if next == text {
        // Nothing to write and nothing to undo later, whether an earlier run or the user put it there.
        return Ok(None);
    }
    // The record keeps the exact change and not a copy of the file, which may hold tokens of other servers.
    let splice = Splice::from_texts(text, &next);
    Ok(Some((next, WrittenGraft { graft: graft.clone(), replaced, known, splice })))
}

/// Whether a graft stands in a text, whatever its agent wrote beside it. What else is in an entry of ours is no
/// mistake: agents add keys of their own, and people arguments. A second one of ours that says something else is.
pub(super) fn has_graft(form: FileFormat, text: &str, graft: &Graft) -> Result<bool, EditError> {
    match (form, graft) {
        (FileFormat::Json, Graft::Entry { path, value }) => {
            Ok(json::find_value(text, path)?.is_some_and(|(_, found)| includes_value(&found, value)))
        }
        (FileFormat::Json, Graft::Element { path, value }) => {
            let Some((_, Value::Array(found))) = json::find_value(text, path)? else { return Ok(false) };
            // Two hooks of ours for one event would report everything twice, so all of them have to say the same.
            let mut ours = found.iter().filter(|found| is_ours(found, value)).peekable();
            Ok(ours.peek().is_some() && ours.all(|found| includes_value(found, value)))
        }
        (FileFormat::Toml, Graft::Entry { path, value }) => {
            Ok(toml::find_value(text, path)?.is_some_and(|found| includes_value(&found, value)))
        }
        (FileFormat::Yaml, Graft::Entry { path, value } | Graft::Element { path, value }) => {
            let (key, name, kind) = yaml_place(graft, path, value);
            match yaml::find_entry(text, key, name, kind)?.and_then(|found| yaml_value::read(found, kind)) {
                Some(found) => Ok(includes_value(&found, value)),
                // Lines that `yaml_value` cannot read, as with anchors, are compared as text.
                None => Ok(put_graft(form, text, graft)?.is_none()),
            }
        }
        (FileFormat::Whole, Graft::Text { text: ours }) => Ok(text == ours),
        _ => Ok(put_graft(form, text, graft)?.is_none()),
    }
}

/// Whether a value says all that ours says.
fn includes_value(found: &Value, ours: &Value) -> bool {
    match (found, ours) {
        (Value::Object(found), Value::Object(ours)) => {
            ours.iter().all(|(key, ours)| found.get(key).is_some_and(|found| includes_value(found, ours)))
        }
        (Value::Array(found), Value::Array(ours)) => {
            // People add arguments behind ours; the beginning has to be as we wrote it.
            found.len() >= ours.len() && found.iter().zip(ours).all(|(found, ours)| includes_value(found, ours))
        }
        _ => found == ours,
    }
}

/// The text without a graft, whatever else was changed since. What stands there but is not ours any more stays.
pub(super) fn take_out(form: FileFormat, text: &str, written: &WrittenGraft) -> Result<String, EditError> {
    let replaced = written.replaced.as_deref();
    match (form, &written.graft) {
        (FileFormat::Json, Graft::Entry { path, value }) => match json::find_value(text, path)? {
            // An entry that no longer runs our program is the user's by now and stays.
            Some((_, found)) if is_ours(&found, value) => match replaced {
                Some(old) => json::replace_value(text, path, old),
                // Only containers that we made are pruned: an empty `mcpServers` that was there before stays.
                None => json::prune_empty(&json::remove_member(text, path)?, &path[..path.len() - 1], written.known),
            },
            _ => Ok(text.to_owned()),
        },
        (FileFormat::Json, Graft::Element { path, value }) => {
            let without = json::remove_elements(text, path, replaced, &|found| is_ours(found, value))?;
            json::prune_empty(&without, path, written.known)
        }
        (FileFormat::Toml, Graft::Entry { path, value }) => match toml::find_value(text, path)? {
            Some(found) if is_ours(&found, value) => match replaced.map(serde_json::from_str) {
                // The replaced entry was kept as JSON, since TOML tables are compared and written by value.
                Some(Ok(old)) => toml::put_table(text, path, &old),
                _ => toml::remove_table(text, path),
            },
            _ => Ok(text.to_owned()),
        },
        (FileFormat::Yaml, Graft::Entry { path, value } | Graft::Element { path, value }) => {
            let (key, name, kind) = yaml_place(&written.graft, path, value);
            let runs_ours = |found: &str| {
                let is_in = |command: &&str| found.split('"').any(|word| is_same_command(word, command));
                find_commands(value).iter().any(is_in)
            };
            match yaml::find_entry(text, key, name, kind)? {
                Some(found)
                    // Lines that cannot be read as values are ours if they still run our program.
                    if yaml_value::read(found, kind).map_or_else(|| runs_ours(found), |it| is_ours(&it, value)) =>
                {
                    let without = yaml::replace_entry(text, key, name, kind, replaced.unwrap_or_default())?;
                    if written.known == 0 { yaml::prune_key(&without, key) } else { Ok(without) }
                }
                _ => Ok(text.to_owned()),
            }
        }
        (FileFormat::Markdown, Graft::Text { .. }) => Ok(markdown::replace_block(text, replaced.unwrap_or_default())),
        // A required member may be needed by what the user added since; it goes only with the file (see `is_bare`).
        (_, Graft::Required { .. }) => Ok(text.to_owned()),
        // A file that differs only in the path of the program is still ours, and no longer needed.
        (FileFormat::Whole, Graft::Text { text: ours }) if runs_the_same(text, ours) => Ok(String::new()),
        (FileFormat::Whole, _) => Err(EditError::Changed),
        (form, graft) => unreachable!("no file in {form:?} has {graft:?}"),
    }
}

/// Whether nothing is left in a file but what it must have to be one.
pub(super) fn is_bare(form: FileFormat, text: &str, required: &[&WrittenGraft]) -> bool {
    if form != FileFormat::Json {
        return text.trim().is_empty();
    }
    let rest = required.iter().try_fold(text.to_owned(), |text, written| match &written.graft {
        // What we added to make the file valid does not count as content of the user.
        Graft::Required { path, .. } => json::remove_member(&text, path),
        Graft::Entry { .. } | Graft::Element { .. } | Graft::Text { .. } => Ok(text),
    });
    rest.is_ok_and(|rest| rest.split_whitespace().collect::<String>() == "{}")
}

fn yaml_place<'p>(graft: &Graft, path: &'p [String], value: &'p Value) -> (&'p str, &'p str, yaml::YamlCollection) {
    let key = path.first().map_or("", String::as_str);
    match graft {
        Graft::Element { .. } => (key, value["name"].as_str().unwrap_or_default(), yaml::YamlCollection::List),
        Graft::Entry { .. } | Graft::Required { .. } | Graft::Text { .. } => {
            (key, path.last().map_or("", String::as_str), yaml::YamlCollection::Map)
        }
    }
}

/// Whether a value is what we wrote, or still runs what we wrote, wherever the program was then.
fn is_ours(found: &Value, ours: &Value) -> bool {
    let commands = find_commands(ours);
    let runs_ours = |found: &&str| commands.iter().any(|ours| is_same_command(found, ours));
    found == ours || self::find_commands(found).iter().any(runs_ours)
}

/// Whether two commands are the same, or the same hook or server of two programs of ours. What the user wrote behind
/// the event of a hook does not make it another one.
fn is_same_command(one: &str, other: &str) -> bool {
    // The event that a command reports to us; `None` for a program that is not ours.
    let told = |command: &str| {
        // The program may have moved or be another version, so its path does not matter, only that it is called
        // epitome.
        let (program, told) = command.split_once(" hook ").unwrap_or((command, ""));
        let name = program.trim_end_matches('\'').rsplit(['/', '\\']).next().unwrap_or_default();
        name.contains("epitome").then(|| told.split_whitespace().next().unwrap_or_default().to_owned())
    };
    one == other || told(one).is_some_and(|what| told(other) == Some(what))
}

/// Whether a file differs from ours in nothing but the program that it runs.
fn runs_the_same(text: &str, ours: &str) -> bool {
    let is_same = |(one, other): (&str, &str)| {
        let command = |line: &str| line.trim().trim_end_matches(',').trim_end_matches('"').to_owned();
        one == other || is_same_command(&command(one), &command(other))
    };
    text.lines().count() == ours.lines().count() && text.lines().zip(ours.lines()).all(is_same)
}

/// The programs that a value runs.
fn find_commands(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                // `cmd` is Goose's word and `bash` Copilot's; the others say `command`.
                ("command" | "cmd" | "bash", Value::String(command)) => vec![command.as_str()],
                // OpenCode writes the command as a list of words, of which the first is the program.
                ("command", Value::Array(words)) => words.first().and_then(Value::as_str).into_iter().collect(),
                _ => find_commands(value),
            })
            .collect(),
        Value::Array(values) => values.iter().flat_map(find_commands).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The object that a JSON text has under a path.
pub(crate) fn find_object(text: &str, path: &[&str]) -> Option<serde_json::Map<String, Value>> {
    let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
    match json::find_value(text, &path) {
        Ok(Some((_, Value::Object(members)))) => Some(members),
        _ => None,
    }
}
