//! Parses the targets of a read request (path, lines, bytes, symbol), and confines paths to the project: links that
//! lead out of it are refused.

use crate::base::{Error, Project, Result, is_git_directory, spelling};
use model::{LineRange, SymbolId};
use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Component, Path};
use syntax::FileExtract;

pub(super) enum ReadTarget {
    File { path: String },
    Lines { path: String, lines: LineRange },
    Bytes { path: String, start: u64, end: u64 },
    Symbol { id: SymbolId },
}

impl ReadTarget {
    /// A file that has a `#`, a `:` or an `@` in its name is still a file: what exists wins.
    pub(super) fn parse(project: &Project, text: &str) -> Result<Self> {
        if project.root.join(text).is_file() {
            return Ok(Self::File { path: confine_path(project, text)? });
        }
        if let Some(id) = SymbolId::parse(text) {
            let path = confine_path(project, &id.file_path())?;
            return Ok(Self::Symbol { id: SymbolId::new(&path, id.qualified_name()) });
        }
        // `a.rs:fix` or `user@host` is part of a name; a place begins with a digit.
        let is_place = |place: &str| place.starts_with(|c: char| c.is_ascii_digit());
        match (text.rsplit_once(':'), text.rsplit_once('@')) {
            (Some((path, lines)), _) if is_place(lines) => {
                Ok(Self::Lines { path: confine_path(project, path)?, lines: parse_lines(lines)? })
            }
            (_, Some((path, bytes))) if is_place(bytes) => {
                let (start, end) = parse_bytes(bytes)?;
                Ok(Self::Bytes { path: confine_path(project, path)?, start, end })
            }
            _ => Ok(Self::File { path: confine_path(project, text)? }),
        }
    }

    pub(super) fn path(&self) -> Cow<'_, str> {
        match self {
            Self::File { path } | Self::Lines { path, .. } | Self::Bytes { path, .. } => path.into(),
            Self::Symbol { id } => id.file_path(),
        }
    }

    pub(super) fn id(&self) -> String {
        match self {
            Self::File { path } => path.clone(),
            Self::Lines { path, lines } => format!("{path}:{}-{}", lines.start, lines.end),
            Self::Bytes { path, start, end } => format!("{path}@{start}-{end}"),
            Self::Symbol { id } => id.to_string(),
        }
    }
}

fn parse_lines(text: &str) -> Result<LineRange> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    match (start.parse(), end.parse()) {
        (Ok(start), Ok(end)) if 1 <= start && start <= end => Ok(LineRange { start, end }),
        _ => Err(Error::Parameter {
            field: "targets",
            reason: format!("has `{text}` for lines: write 10-20, counting from 1"),
        }),
    }
}

fn parse_bytes(text: &str) -> Result<(u64, u64)> {
    let parsed = text.split_once('-').and_then(|(start, end)| Some((start.parse().ok()?, end.parse().ok()?)));
    parsed.filter(|(start, end)| start < end).ok_or_else(|| Error::Parameter {
        field: "targets",
        reason: format!("has `{text}` for bytes: write 0-4096, counting from 0, the second one not included"),
    })
}

/// The path relative to the project, after every link is followed. Anything that ends up elsewhere is refused.
pub(super) fn confine_path(project: &Project, text: &str) -> Result<String> {
    let outside = || Error::Outside { path: text.to_owned() };
    let given = Path::new(text);
    // Refused before the path is resolved: `link/../secret` would be resolved through the link.
    if given.components().any(|part| part == Component::ParentDir) {
        return Err(outside());
    }
    // A path that does not exist gets a hint; another failure (no permission) must not look like a missing file.
    let real = fs_err::canonicalize(project.root.join(given)).map_err(|error| {
        if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            let hint = Some("paths are relative to the project; epitome search finds files by name".to_owned());
            Error::NotFound { what: "file", id: text.to_owned(), hint }
        } else if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidFilename) {
            Error::Parameter { field: "targets", reason: "has a path that no file can have".to_owned() }
        } else {
            Error::Disk(error)
        }
    })?;
    let inside = real.strip_prefix(&project.root).map_err(|_| outside())?;
    // After links are followed, so that none of them is a way in.
    if is_kept_by_repository(&project.root, inside) {
        return Err(Error::RepositoryState { path: text.to_owned() });
    }
    inside.to_str().map(str::to_owned).ok_or_else(outside)
}

/// Directories in which version control keeps its own state: addresses with tokens in them, and programs to run.
const REPOSITORY_DIRECTORIES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Whether a path leads to what version control keeps for itself, under its usual name or under another one.
fn is_kept_by_repository(root: &Path, inside: &Path) -> bool {
    // Some file systems take `.GIT` for the same directory.
    let has_name =
        |part: Component<'_>| REPOSITORY_DIRECTORIES.iter().any(|name| part.as_os_str().eq_ignore_ascii_case(name));
    inside.components().any(has_name) || inside.ancestors().skip(1).any(|folder| is_git_directory(&root.join(folder)))
}

pub(super) fn symbol_lines(extract: &FileExtract, id: &SymbolId) -> Result<LineRange> {
    let found = |id: &SymbolId| extract.symbols.iter().find(|symbol| symbol.id == *id).map(|symbol| symbol.lines);
    // The id itself is tried first, so that no respelling can hide an existing symbol.
    let respelled = || {
        let qualified_name = spelling::normalize_name(id.qualified_name());
        qualified_name
            .and_then(|qualified_name| found(&SymbolId::new(&id.file_path(), &qualified_name)))
            .or_else(|| spelling::parse_lines(id.qualified_name()))
    };
    found(id).or_else(respelled).ok_or_else(|| {
        let name = id.qualified_name().rsplit('.').next().unwrap_or_default();
        let near = extract.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| &symbol.id);
        Error::NotFound {
            what: "symbol",
            id: id.to_string(),
            hint: Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("read {} with mode map to see its symbols", id.file_path()),
            }),
        }
    })
}
