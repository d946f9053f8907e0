//! Describes a transcript format (`TranscriptFormat`): the agent, where its transcripts lie, how a file is recognised,
//! and which reader turns it into messages. A file is recognised by its first bytes, not by its name alone: people copy
//! and rename transcripts.

use std::io::Result;
use std::path::{Path, PathBuf};

use model::{AgentName, Projection, TranscriptContainer};

use crate::AgentEnvironment;
use crate::database::{AgentDatabase, StoredConversation};
use crate::transcript::JsonObject;
use crate::window::WindowTraits;

/// How one agent writes transcripts.
pub struct TranscriptFormat {
    /// Its name, which is its agent's.
    pub name: &'static str,
    /// Where the agent keeps its transcripts: files, or folders with them below.
    pub(crate) places: fn(&AgentEnvironment<'_>) -> Vec<PathBuf>,
    pub(crate) projection: fn(&Path) -> Box<dyn Projection>,
    pub(crate) recognises: fn(&FileHead<'_>) -> Option<TranscriptContainer>,
    pub(crate) precedence: FormatPrecedence,
    /// How its files are called, by their end, where that is no usual end of transcripts.
    pub(crate) file_end: Option<&'static str>,
    /// Its database, where it has one.
    pub(crate) rows: Option<RowReader>,
    /// Its folder of small files, where it has one.
    pub(crate) folder: Option<FolderReader>,
    /// The file beside a transcript that has more of it.
    pub(crate) fuller_file: Option<fn(&Path) -> Option<PathBuf>>,
    /// The project of a transcript, where another file says it.
    pub(crate) project_beside: Option<fn(&Path) -> Option<String>>,
    /// How it shows what is in the context of the model, where it does.
    pub(crate) window: Option<WindowTraits>,
}

/// When a format is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatPrecedence {
    /// Before others: its files look like those of another format, too.
    BeforeOthers,
    /// In the order of the table.
    InTurn,
}

/// The conversations of a database.
#[derive(Clone, Copy)]
pub(crate) struct RowReader {
    /// All of them, oldest first; or the one of an id.
    pub(crate) list: fn(&AgentDatabase, Option<&str>) -> Result<Vec<StoredConversation>>,
    /// The rows of one of them as lines.
    pub(crate) read: fn(&AgentDatabase, &str) -> Result<Vec<u8>>,
}

/// The conversations of a folder in which a file is a row.
#[derive(Clone, Copy)]
pub(crate) struct FolderReader {
    /// Whether a folder is one of these.
    pub(crate) is_tree: fn(&Path) -> bool,
    /// All of its conversations.
    pub(crate) list: fn(&Path) -> Result<Vec<StoredConversation>>,
    /// The files of one of them as lines.
    pub(crate) read: fn(&Path, &str) -> Result<Vec<u8>>,
}

impl TranscriptFormat {
    pub(crate) const fn new(
        name: &'static str,
        places: fn(&AgentEnvironment<'_>) -> Vec<PathBuf>,
        projection: fn(&Path) -> Box<dyn Projection>,
        recognises: fn(&FileHead<'_>) -> Option<TranscriptContainer>,
    ) -> Self {
        Self {
            name,
            places,
            projection,
            recognises,
            precedence: FormatPrecedence::InTurn,
            file_end: None,
            rows: None,
            folder: None,
            fuller_file: None,
            project_beside: None,
            window: None,
        }
    }

    /// The agent that writes it.
    pub fn agent_name(&self) -> AgentName {
        AgentName(self.name.into())
    }

    /// Reads a transcript from its first line on. The path is never opened: names of files and folders say whose it is.
    pub fn build_projection(&self, path: &Path) -> Box<dyn Projection> {
        (self.projection)(path)
    }
}

/// What a file begins with.
pub(crate) struct FileHead<'a> {
    path: &'a Path,
    text: String,
}

const SQLITE: &str = "SQLite format 3\0";

impl<'a> FileHead<'a> {
    pub(crate) fn new(path: &'a Path, head: &[u8]) -> Self {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        Self { path, text: String::from_utf8_lossy(head).trim_start().to_owned() }
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.text.starts_with(SQLITE)
    }

    /// Whether one of the first lines, whole or cut, is of a kind.
    pub(crate) fn any_line(&self, is: fn(&JsonObject<'_>) -> bool) -> bool {
        self.text.lines().take(16).any(|line| is(&JsonObject::parse_prefix(line)))
    }

    /// Whether the file, taken as one object, is of a kind.
    pub(crate) fn matches_whole(&self, is: fn(&JsonObject<'_>) -> bool) -> bool {
        is(&JsonObject::parse_prefix(&self.text))
    }

    pub(crate) fn is_called(&self, start: &str, end: &str) -> bool {
        let name = self.path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        name.starts_with(start) && name.ends_with(end)
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
    }
}
