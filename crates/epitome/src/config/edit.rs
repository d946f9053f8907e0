//! `epitome config set`: changes one key of the user file and nothing else in it.
//!
//! The file is the user's: comments, order and links stay. It is replaced whole (a temporary file, then a rename), so
//! a crash leaves the old one or the new one; a lock on the directory keeps two writers from losing each other's key.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fs_err::File;
use tempfile::NamedTempFile;
use toml_edit::{DocumentMut, Item, Table};

use super::file;
use super::keys::Key;
use super::problem::Error;
use super::raw::{self, Assignment, FileLayer, Origin};
use super::value::Value;

/// What `set` did, passwords hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) key: &'static str,
    /// The value the file had before, as TOML text, when it had one.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

/// Sets `key` to `value` (plain text, read by the kind of the key) in the user file, which is made when missing.
pub(crate) fn set(user_file: &Path, key: &str, value: &str) -> Result<Change, Error> {
    let Assignment { key, value, .. } = raw::from_text(raw::known(key)?, value, Origin::Argument)?;
    let unwritable = |source| Error::Unwritable { path: user_file.to_owned(), source };

    let folder = user_file.parent().expect("a file is in a directory");
    create_private(folder).map_err(unwritable)?;
    let lock = File::open(folder).map_err(unwritable)?;
    lock.lock().map_err(unwritable)?;

    let text = file::read(user_file)?.unwrap_or_default();
    let document = file::parse(user_file, &text)?;
    let section = key.section_and_name().0;
    if let Some((written, item)) = document.get_key_value(section)
        && !item.is_table_like()
    {
        return Err(raw::not_a_section(section, item, raw::origin(FileLayer::User, user_file, &text, written)));
    }
    let mut document = document.into_mut();
    let before = put(&mut document, key, &value);
    let mut edited = document.to_string();
    // The TOML writer ends every line with a bare newline.
    if text.contains("\r\n") {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    replace(user_file, &edited).map_err(unwritable)?;
    Ok(Change { path: user_file.to_owned(), key: &key.name, before, after: value.shown() })
}

fn put(document: &mut DocumentMut, key: &Key, value: &Value) -> Option<String> {
    let (section, name) = key.section_and_name();
    let section = document.entry(section).or_insert_with(|| Item::Table(Table::new()));
    let section = section.as_table_like_mut().expect("the section is a table");
    let mut new = value.to_toml();
    let old = section.get_mut(name);
    let before = old.as_ref().map(|item| raw::shown(item));
    if let Some(Item::Value(old)) = old {
        // Spaces and a comment on the same line belong to the value.
        *new.decor_mut() = old.decor().clone();
        *old = new;
    } else {
        section.insert(name, Item::Value(new));
    }
    before
}

fn replace(user_file: &Path, text: &str) -> io::Result<()> {
    // A link to a file elsewhere stays a link: its target is what gets replaced.
    let target = fs_err::canonicalize(user_file).unwrap_or_else(|_| user_file.to_owned());
    let folder = target.parent().expect("a file is in a directory");
    // Readable by its owner alone, since an address may hold a password; an existing file keeps its own permissions.
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(text.as_bytes())?;
    if let Ok(existing) = fs_err::metadata(&target) {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target)?;
    File::open(folder)?.sync_all()
}

fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests;
