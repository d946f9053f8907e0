//! Finds transcripts on this machine: in the folders where installed agents keep them, or at a path that the user
//! names. A transcript is a file, or one conversation of a database or of a folder of small files. A path that cannot
//! be read is reported, and the rest is found all the same. The `import` operation uses the result.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::TranscriptContainer;

use crate::catalog::{ALL_AGENTS, FORMATS, recognise_format};
use crate::container::{self, head_of, unpack_head};
use crate::database::{AgentDatabase, StoredConversation};
use crate::format::TranscriptFormat;
use crate::unlinked_file::LinkPolicy;
use crate::{Agent, AgentEnvironment};

/// A transcript that can be read.
#[derive(Clone)]
pub struct Transcript {
    /// Who reads it.
    pub format: &'static TranscriptFormat,
    /// How its lines lie on disk.
    pub container: TranscriptContainer,
    /// The file, or the folder.
    pub path: PathBuf,
    /// Which conversation of it, where it holds several.
    pub inside: Option<String>,
    /// The directory it is about, where that is quickly seen.
    pub project: Option<String>,
    /// How many bytes, about, where lines are made of rows.
    pub size: u64,
    /// Whether links on the way to it are followed.
    pub links: LinkPolicy,
}

/// The result of a search.
#[derive(Default)]
pub struct TranscriptSearch {
    /// The transcripts, by place.
    pub transcripts: Vec<Transcript>,
    /// Places that could not be looked at, and why.
    pub problems: Vec<(PathBuf, String)>,
    /// Files among transcripts that are no transcripts.
    pub others: OtherFiles,
    links: LinkPolicy,
}

/// Files that were looked at and left where they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OtherFiles {
    /// How many.
    pub files: u64,
    /// The first of them, so that a user who misses a transcript sees which files are meant.
    pub first: Vec<PathBuf>,
}

impl OtherFiles {
    /// How many are named.
    const MAX_NAMED_FILES: usize = 3;

    /// Counts those of another search in.
    pub fn merge_counts(&mut self, others: Self) {
        self.files += others.files;
        let room = Self::MAX_NAMED_FILES.saturating_sub(self.first.len());
        self.first.extend(others.first.into_iter().take(room));
    }

    fn add_file(&mut self, path: &Path) {
        self.merge_counts(Self { files: 1, first: vec![path.to_owned()] });
    }
}

/// The transcripts of the agents that are installed here: of all, or of the one whose format is given.
pub fn find_transcripts(surroundings: &AgentEnvironment<'_>, of: Option<&TranscriptFormat>) -> TranscriptSearch {
    let mut all = TranscriptSearch::default();
    let formats = ALL_AGENTS.iter().filter_map(|agent| agent.transcripts);
    for format in formats.filter(|format| of.is_none_or(|only| only.name == format.name)) {
        let mut search = TranscriptSearch::default();
        // A folder that does not exist means that the agent is not installed, which is no problem to report.
        for place in (format.places)(surroundings).into_iter().filter(|place| place.exists()) {
            search.search_path(&place, ExplicitPath::No);
        }
        search.leave_copies();
        // Other programs' files may lie there and look like a transcript: only the agent's own format counts as found.
        let (own, foreign): (Vec<_>, Vec<_>) =
            search.transcripts.into_iter().partition(|found| found.format.name == format.name);
        for found in &foreign {
            search.others.add_file(&found.path);
        }
        all.transcripts.extend(own);
        all.problems.append(&mut search.problems);
        all.others.merge_counts(search.others);
    }
    all
}

/// The folders and files in which agents keep transcripts, whether they are there or not.
pub fn transcript_folders(surroundings: &AgentEnvironment<'_>) -> Vec<PathBuf> {
    ALL_AGENTS.iter().filter_map(|agent| agent.transcripts).flat_map(|format| (format.places)(surroundings)).collect()
}

/// The transcripts at a place that the user names, with all links in its path resolved: a file, a database, or a folder
/// with any of them below it. A link that takes the place of any of them later is not followed.
pub fn transcripts_at(path: &Path) -> TranscriptSearch {
    let mut search = TranscriptSearch { links: LinkPolicy::Refuse, ..TranscriptSearch::default() };
    search.search_path(path, ExplicitPath::Yes);
    search
}

/// Where an agent that keeps its conversations in a database keeps one of them.
#[derive(Clone)]
pub enum ConversationLookup {
    /// Here.
    Here(Box<Transcript>),
    /// Nowhere yet: there is a database, and it will be in it, or it is of another part of the agent.
    NotYet,
    /// The agent has no database here.
    InNone,
}

/// Looks where an agent keeps the conversation of a session.
pub fn find_conversation(surroundings: &AgentEnvironment<'_>, agent: &str, session: &str) -> ConversationLookup {
    let format = Agent::from_name(agent).and_then(|agent| agent.transcripts);
    let Some(format) = format else { return ConversationLookup::InNone };
    let mut kept = ConversationLookup::InNone;
    for place in (format.places)(surroundings) {
        let mut search = TranscriptSearch::default();
        match search.search_rows(&place, format, session) {
            Ok(IsRows::No) => continue,
            // The database is locked or being replaced; the next attempt finds out whether the session is in it.
            Ok(IsRows::Yes) | Err(_) => kept = ConversationLookup::NotYet,
        }
        if let Some(found) = search.transcripts.pop() {
            return ConversationLookup::Here(Box::new(found));
        }
    }
    kept
}

/// Whether a place is a database, or the folder that was there before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsRows {
    Yes,
    No,
}

/// Whether the user named exactly this path, so that an error is due if it is no transcript.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExplicitPath {
    Yes,
    No,
}

/// The endings of the names of transcripts.
const TRANSCRIPT_EXTENSIONS: [&str; 7] = [".jsonl", ".json", ".ndjson", ".zst", ".db", ".vscdb", ".traj"];

impl TranscriptSearch {
    fn search_path(&mut self, path: &Path, named: ExplicitPath) {
        let found = match fs_err::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.search_folder(path),
            Ok(_) => self.search_file(path, named),
            Err(error) => Err(error),
        };
        if let Err(error) = found {
            self.problems.push((path.to_owned(), error.to_string()));
        }
    }

    fn search_folder(&mut self, path: &Path) -> std::io::Result<()> {
        if let Some((format, conversations)) = list_tree(path)? {
            // OpenCode's old folder stays as it was when its sessions were moved into the database; the database is
            // newer.
            let known: HashSet<String> = self.transcripts.iter().filter_map(|known| known.inside.clone()).collect();
            let new = conversations.into_iter().filter(|stored| !known.contains(&stored.id));
            self.add_stored(path, format, new);
            return Ok(());
        }
        let mut entries = fs_err::read_dir(path)?.collect::<std::io::Result<Vec<_>>>()?;
        // A fixed order makes two runs report the same, and lets tests compare.
        entries.sort_by_key(fs_err::DirEntry::file_name);
        for entry in entries {
            // `file_type` does not follow links: they may lead in circles, and their target is found at its own place.
            let kind = entry.file_type()?;
            let name = entry.file_name().to_string_lossy().to_lowercase();
            // A full transcript beside this file is found by itself; both would import one conversation twice.
            if full_transcript(&entry.path()).is_some() {
                continue;
            }
            if kind.is_dir() || (kind.is_file() && is_transcript_name(&name)) {
                self.search_path(&entry.path(), ExplicitPath::No);
            } else if kind.is_file() && !name.starts_with('.') {
                self.others.add_file(&entry.path());
            }
        }
        Ok(())
    }

    fn search_file(&mut self, path: &Path, named: ExplicitPath) -> std::io::Result<()> {
        let fuller = full_transcript(path);
        let path = fuller.as_deref().unwrap_or(path);
        let head = head_of(path, self.links)?;
        let Some(recognised) = recognise_format(path, &head) else {
            // A folder of transcripts also holds other files, and a new session begins with an empty one; neither is a
            // problem unless the user named the file.
            match named {
                ExplicitPath::Yes => {
                    let why = if head.is_empty() { "is empty" } else { "is in no format that is known" };
                    self.problems.push((path.to_owned(), why.to_owned()));
                }
                ExplicitPath::No => self.others.add_file(path),
            }
            return Ok(());
        };
        let format = recognised.format;
        if recognised.container == TranscriptContainer::Rows {
            return self.search_database(path, format, None);
        }
        let size = fs_err::metadata(path)?.len();
        let container = recognised.container;
        let project = parse_project(format, path, &head, container)
            .or_else(|| format.project_beside.and_then(|beside| beside(path)));
        let (path, links) = (path.to_owned(), self.links);
        self.transcripts.push(Transcript { format, container, path, inside: None, project, size, links });
        Ok(())
    }

    /// The conversations of a database, or one of them.
    fn search_database(
        &mut self,
        path: &Path,
        format: &'static TranscriptFormat,
        only: Option<&str>,
    ) -> std::io::Result<()> {
        let database = AgentDatabase::open(path)?;
        let conversations = format.rows.map(|rows| (rows.list)(&database, only)).transpose()?;
        self.add_stored(path, format, conversations.into_iter().flatten());
        Ok(())
    }

    fn add_stored(
        &mut self,
        path: &Path,
        format: &'static TranscriptFormat,
        conversations: impl Iterator<Item = StoredConversation>,
    ) {
        let links = self.links;
        self.transcripts.extend(conversations.map(|stored| Transcript {
            format,
            container: TranscriptContainer::Rows,
            path: path.to_owned(),
            inside: Some(stored.id),
            project: stored.project,
            size: stored.bytes,
            links,
        }));
    }

    /// One conversation of a place, where that is an agent's database.
    fn search_rows(
        &mut self,
        path: &Path,
        format: &'static TranscriptFormat,
        session: &str,
    ) -> std::io::Result<IsRows> {
        if let Some((format, conversations)) = list_tree(path)? {
            self.add_stored(path, format, conversations.into_iter().filter(|stored| stored.id == session));
            return Ok(IsRows::Yes);
        }
        if !path.is_file() {
            return Ok(IsRows::No);
        }
        match recognise_format(path, &head_of(path, self.links)?) {
            // A database of another agent at this place, as after a copy, must not answer for this one.
            Some(found) if found.container == TranscriptContainer::Rows && found.format.name == format.name => {
                self.search_database(path, found.format, Some(session))?;
                Ok(IsRows::Yes)
            }
            _ => Ok(IsRows::No),
        }
    }

    /// Leaves the files of conversations that a database has, too, as Cursor's editor writes them: it has more of them,
    /// and both together would be everything twice.
    fn leave_copies(&mut self) {
        let held: HashSet<String> = self.transcripts.iter().filter_map(|found| found.inside.clone()).collect();
        let before = self.transcripts.len();
        let copied = |found: &Transcript| {
            let stem = found.path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            // Cursor names the file after the composer's id, which is also the key in its database.
            found.inside.is_none() && stem.is_some_and(|stem| held.contains(&stem))
        };
        let place = self.transcripts.iter().find(|found| copied(found)).map(|found| found.path.clone());
        self.transcripts.retain(|found| !copied(found));
        if let Some(place) = place {
            let more = match before - self.transcripts.len() - 1 {
                0 => String::new(),
                more => format!(", and {more} others"),
            };
            self.problems.push((place, format!("is read from the database, which has more of it{more}")));
        }
    }
}

impl Transcript {
    /// What to call it: the path, and after `#` the conversation, where it holds several.
    pub fn display_name(&self) -> String {
        let path = self.path.to_string_lossy();
        self.inside.as_ref().map_or_else(|| path.to_string(), |inside| format!("{path}#{inside}"))
    }

    /// Opens it for reading its lines, each with its newline, whatever it is contained in. A document is one line.
    pub fn open(&self) -> std::io::Result<Box<dyn Read + Send>> {
        container::open_lines(self.format, self.container, &self.path, self.inside.as_deref(), self.links)
    }
}

/// What the first lines say.
fn parse_project(
    format: &TranscriptFormat,
    path: &Path,
    head: &[u8],
    container: TranscriptContainer,
) -> Option<String> {
    // A document is one object, so its beginning alone cannot be parsed.
    if container == TranscriptContainer::Document {
        return None;
    }
    let unpacked = unpack_head(head);
    let head = unpacked.as_deref().unwrap_or(head);
    let mut projection = format.build_projection(path);
    // The last line of the head is cut off in the middle.
    let mut lines = head.split_inclusive(|&byte| byte == b'\n').take_while(|line| line.ends_with(b"\n"));
    lines.find_map(|line| {
        projection.feed_line(line);
        projection.head().project_dir.clone()
    })
}

/// The conversations of a folder of small files, and the format of those.
fn list_tree(path: &Path) -> std::io::Result<Option<(&'static TranscriptFormat, Vec<StoredConversation>)>> {
    let mut trees = FORMATS.iter().filter_map(|format| Some((*format, format.folder?)));
    let tree = trees.find(|(_, folder)| (folder.is_tree)(path));
    tree.map(|(format, folder)| Ok((format, (folder.list)(path)?))).transpose()
}

/// Whether a file is called like a transcript, in lower case.
fn is_transcript_name(name: &str) -> bool {
    let own = FORMATS.iter().filter_map(|format| format.file_end);
    TRANSCRIPT_EXTENSIONS.into_iter().chain(own).any(|end| name.ends_with(end))
}

/// The same transcript with more of it, where its agent writes it twice.
fn full_transcript(path: &Path) -> Option<PathBuf> {
    FORMATS.iter().find_map(|format| format.fuller_file.and_then(|fuller| fuller(path)))
}
