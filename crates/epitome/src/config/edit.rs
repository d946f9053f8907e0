//! Implements `epitome config set`: changes one key of the user's TOML file and nothing else in it. The file is the
//! user's: comments, order and links stay. A lock on the directory keeps two writers from losing each other's key.

use std::path::{Path, PathBuf};

use fs_err::File;
use toml_edit::{DocumentMut, Item, Table};

use super::diagnostics::ConfigError;
use super::keys::ConfigKey;
use super::layers::{self, FileLayer, KeyAssignment, SettingOrigin};
use super::toml_file;
use super::value::ConfigValue;
use crate::atomic;

/// What `set` did, passwords hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigChange {
    pub(crate) path: PathBuf,
    pub(crate) key: &'static str,
    /// The value the file had before, as TOML text, when it had one.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

/// Sets `key` to `value` (plain text, read by the kind of the key) in the user file, which is made when missing.
pub(crate) fn set_key(user_file: &Path, key: &str, value: &str) -> Result<ConfigChange, ConfigError> {
    let KeyAssignment { key, value, .. } =
        // Checked before the file is opened: a value that the next start would refuse is never written.
        layers::from_text(layers::require_key(key)?, value, SettingOrigin::Argument)?;
    let unwritable = |source| ConfigError::Unwritable { path: user_file.to_owned(), source };

    let folder = user_file.parent().expect("a file is in a directory");
    atomic::create_private_folder(folder).map_err(unwritable)?;
    let lock = File::open(folder).map_err(unwritable)?;
    // On the folder and not on the file, because the file is replaced by a rename and its lock would go with it.
    lock.lock().map_err(unwritable)?;

    let text = toml_file::read_text(user_file)?.unwrap_or_default();
    let document = toml_file::parse_document(user_file, &text)?;
    let section = key.section_and_name().0;
    if let Some((written, item)) = document.get_key_value(section)
        && !item.is_table_like()
    {
        return Err(layers::not_a_section(
            section,
            item,
            layers::file_origin(FileLayer::User, user_file, &text, written),
        ));
    }
    let mut document = document.into_mut();
    let before = replace_value(&mut document, key, &value);
    let mut edited = document.to_string();
    // The TOML writer ends every line with a bare newline; the file keeps the line ends that its owner uses.
    if text.contains("\r\n") {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    atomic::replace_file(user_file, &edited).map_err(unwritable)?;
    Ok(ConfigChange { path: user_file.to_owned(), key: &key.name, before, after: value.render_masked() })
}

fn replace_value(document: &mut DocumentMut, key: &ConfigKey, value: &ConfigValue) -> Option<String> {
    let (section, name) = key.section_and_name();
    let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_like_mut().expect("the section is a table");
    let mut new = value.to_toml();
    let old = section.get_mut(name);
    let before = old.as_ref().map(|item| layers::render_item(item));
    if let Some(Item::Value(old)) = old {
        // Spaces and a comment on the same line belong to the value.
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        section.insert(name, Item::Value(new));
    }
    before
}

#[cfg(test)]
mod tests;
