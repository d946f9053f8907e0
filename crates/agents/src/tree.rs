//! Folders of small files, which OpenCode kept before it had a database: a file is a row.
//!
//! A line holds the file's text as a string, so that the file can be given back byte for byte.

use std::io::Result;
use std::path::{Path, PathBuf};

use model::Container;

use crate::database::quoted;
use crate::find::Transcript;
use crate::format::Format;

/// Whether a folder is such a tree.
pub(crate) fn is_tree(folder: &Path) -> bool {
    ["session", "message", "part"].iter().all(|name| folder.join(name).is_dir())
}

/// The conversations of a tree: `session/<project>/<id>.json`.
pub(crate) fn sessions(folder: &Path) -> Result<Vec<Transcript>> {
    let Some(format) = Format::named("opencode") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for project in files(&folder.join("session"))? {
        if !project.is_dir() {
            continue;
        }
        for session in files(&project)? {
            let Some(id) = stem(&session) else { continue };
            let size = fs_err::metadata(&session)?.len();
            let (container, path) = (Container::Rows, folder.to_owned());
            found.push(Transcript { format, container, path, inside: Some(id), project: None, size });
        }
    }
    Ok(found)
}

/// The lines of one of them, in the order of ids, which is the order of time.
pub(crate) fn lines(folder: &Path, session: &str) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for project in files(&folder.join("session"))? {
        let file = project.join(format!("{session}.json"));
        if file.is_file() {
            tell("session", folder, &file, &mut lines)?;
        }
    }
    for message in files(&folder.join("message").join(session))? {
        tell("message", folder, &message, &mut lines)?;
        let Some(id) = stem(&message) else { continue };
        for part in files(&folder.join("part").join(id))? {
            tell("part", folder, &part, &mut lines)?;
        }
    }
    Ok(lines)
}

fn tell(table: &str, folder: &Path, file: &Path, lines: &mut Vec<u8>) -> Result<()> {
    let text = fs_err::read(file)?;
    let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy().replace('\\', "/");
    let (id, text) = (quoted(&stem(file).unwrap_or_default()), quoted(&String::from_utf8_lossy(&text)));
    lines.extend(format!("{{\"table\":\"{table}\",\"id\":{id},\"file\":{},\"text\":{text}}}\n", quoted(&name)).bytes());
    Ok(())
}

/// What is in a folder, by name; nothing when there is none.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = fs_err::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

fn stem(path: &Path) -> Option<String> {
    path.extension().filter(|extension| *extension == "json")?;
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
}
