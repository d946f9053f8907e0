//! Reads OpenCode's storage folder, a tree of small JSON files from before its database, as JSON lines: each file is a
//! row. A line holds the file's text as a string, so that the file can be restored byte for byte. Files are related by
//! the ids inside of them, whatever they are called: people copy and rename them.

use std::io::Result;
use std::path::{Path, PathBuf};

use crate::database::{StoredConversation, quote_json};
use crate::format::FolderReader;
use crate::transcript::JsonObject;

pub(super) const FOLDER: FolderReader = FolderReader { is_tree, list: list_sessions, read: read_session };

/// Whether a folder is such a tree.
fn is_tree(folder: &Path) -> bool {
    ["session", "message", "part"].iter().all(|name| folder.join(name).is_dir())
}

/// The conversations of a tree: `session/<project>/<name>.json`.
fn list_sessions(folder: &Path) -> Result<Vec<StoredConversation>> {
    let mut found = Vec::new();
    for project in list_files(&folder.join("session"))? {
        if !project.is_dir() {
            continue;
        }
        for session in list_files(&project)? {
            let Some(id) = id_of(&session)? else { continue };
            found.push(StoredConversation { id, project: None, bytes: fs_err::metadata(&session)?.len() });
        }
    }
    Ok(found)
}

/// The lines of one of them, in the order of ids, which is the order of time.
fn read_session(folder: &Path, session: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for project in list_files(&folder.join("session"))? {
        for file in list_files(&project)? {
            if id_of(&file)?.as_deref() == Some(session) {
                write_row("session", folder, &file, &mut lines)?;
            }
        }
    }
    for message in list_files(&folder.join("message").join(session))? {
        write_row("message", folder, &message, &mut lines)?;
        // The parts lie in a folder that is called after the message's id, which is in its file and not in its name.
        let Some(id) = id_of(&message)? else { continue };
        for part in list_files(&folder.join("part").join(id))? {
            write_row("part", folder, &part, &mut lines)?;
        }
    }
    Ok(lines)
}

fn write_row(table: &str, folder: &Path, file: &Path, lines: &mut Vec<u8>) -> Result<()> {
    // The text as a string, even if it is broken JSON: the archive keeps every byte, and the reader of lines reports
    // it.
    let text = fs_err::read(file)?;
    let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let text = String::from_utf8_lossy(&text);
    let (id, text) = (quote_json(&inner_id(&text).or_else(|| json_stem(file)).unwrap_or_default()), quote_json(&text));
    lines.extend(
        format!("{{\"table\":\"{table}\",\"id\":{id},\"file\":{},\"text\":{text}}}\n", quote_json(&name)).bytes(),
    );
    Ok(())
}

/// The entries of a folder, by name; empty when the folder does not exist.
fn list_files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = fs_err::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    // The ids begin with the time, so the order of names is the order in which they were said.
    files.sort();
    Ok(files)
}

/// The id in a file, else its name without the ending; `None` for a file that is no row.
fn id_of(path: &Path) -> Result<Option<String>> {
    let Some(name) = json_stem(path) else { return Ok(None) };
    let text = fs_err::read(path)?;
    Ok(Some(inner_id(&String::from_utf8_lossy(&text)).unwrap_or(name)))
}

fn inner_id(text: &str) -> Option<String> {
    JsonObject::parse_prefix(text.trim_start()).string("id").filter(|id| is_name(id))
}

/// Whether an id can be a folder's name: it never leads out of the tree.
fn is_name(id: &str) -> bool {
    !id.is_empty() && !id.contains(['/', '\\', '\0']) && id != "." && id != ".."
}

fn json_stem(path: &Path) -> Option<String> {
    path.extension().filter(|extension| *extension == "json")?;
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
}
