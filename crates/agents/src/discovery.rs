//! Transcripts on this machine: where installed agents keep them, or at a path that the user names.
//!
//! A transcript is a file, or one conversation of a database or of a folder of small files. A path that cannot be read
//! is reported, and the rest is found all the same.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use model::TranscriptContainer;

use crate::agents::ALL;
use crate::container::{self, head_of, unpack_head};
use crate::database::AgentDatabase;
use crate::format::{TranscriptFormat, recognise_format};
use crate::opencode_folder;

/// What finding depends on, read from the system by the caller.
pub struct AgentEnvironment<'a> {
    /// The home directory.
    pub home: &'a Path,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl AgentEnvironment<'_> {
    /// A folder that a variable names, or else one below the home directory.
    pub(crate) fn resolve_folder(&self, variable: &str, below_home: &str) -> PathBuf {
        let named = (self.variable)(variable).filter(|folder| !folder.is_empty());
        named.map_or_else(|| self.home.join(below_home), PathBuf::from)
    }
}

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
    const NAMED: usize = 3;

    /// Counts those of another search in.
    pub fn merge_counts(&mut self, others: Self) {
        self.files += others.files;
        let room = Self::NAMED.saturating_sub(self.first.len());
        self.first.extend(others.first.into_iter().take(room));
    }

    fn add_file(&mut self, path: &Path) {
        self.merge_counts(Self { files: 1, first: vec![path.to_owned()] });
    }
}

/// The transcripts of the agents that are installed here: of all, or of the one whose format is given.
pub fn find_transcripts(surroundings: &AgentEnvironment<'_>, of: Option<&TranscriptFormat>) -> TranscriptSearch {
    let mut all = TranscriptSearch::default();
    for agent in ALL.iter().filter(|agent| of.is_none_or(|format| format.name == agent.name)) {
        let mut search = TranscriptSearch::default();
        // A folder that does not exist means that the agent is not installed, which is no problem to report.
        for place in (agent.transcripts)(surroundings).into_iter().filter(|place| place.exists()) {
            search.search_path(&place, ExplicitPath::No);
        }
        search.leave_copies();
        // Other programs' files may lie there and look like a transcript: only the agent's own format counts as found.
        let (own, foreign): (Vec<_>, Vec<_>) =
            search.transcripts.into_iter().partition(|found| found.format.name == agent.name);
        for found in &foreign {
            search.others.add_file(&found.path);
        }
        all.transcripts.extend(own);
        all.problems.append(&mut search.problems);
        all.others.merge_counts(search.others);
    }
    all
}

/// The transcripts at a place that the user names: a file, a database, or a folder with any of them below it.
pub fn transcripts_at(path: &Path) -> TranscriptSearch {
    let mut search = TranscriptSearch::default();
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
    let Some(agent) = ALL.iter().find(|known| known.name == agent) else { return ConversationLookup::InNone };
    let mut kept = ConversationLookup::InNone;
    for place in (agent.transcripts)(surroundings) {
        let mut search = TranscriptSearch::default();
        match search.search_rows(&place, agent.name, Some(session)) {
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
const ENDS: [&str; 8] =
    [".jsonl", ".json", ".ndjson", ".zst", ".db", ".vscdb", ".traj", crate::transcript::aider::FILE];

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
        if opencode_folder::is_tree(path) {
            // OpenCode's old folder stays as it was when its sessions were moved into the database; the database is
            // newer.
            let known: HashSet<Option<String>> = self.transcripts.iter().map(|known| known.inside.clone()).collect();
            let sessions = opencode_folder::list_sessions(path)?.into_iter();
            self.transcripts.extend(sessions.filter(|session| !known.contains(&session.inside)));
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
            if kind.is_dir() || (kind.is_file() && ENDS.iter().any(|end| name.ends_with(end))) {
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
        let head = head_of(path)?;
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
        // Gemini CLI does not write the project into its transcript, but into a file beside it.
        let project = parse_project(format, path, &head, container).or_else(|| project_root(path));
        self.transcripts.push(Transcript { format, container, path: path.to_owned(), inside: None, project, size });
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
        let conversations = match format.name {
            "cursor" => database.cursor_composers(only)?,
            "goose" => database.goose_sessions(only)?,
            _ => database.opencode_sessions(only)?,
        };
        self.transcripts.extend(conversations.into_iter().map(|held| Transcript {
            format,
            container: TranscriptContainer::Rows,
            path: path.to_owned(),
            inside: Some(held.id),
            project: held.project,
            size: held.bytes,
        }));
        Ok(())
    }

    /// One conversation of a place, where that is an agent's database.
    fn search_rows(&mut self, path: &Path, agent: &str, only: Option<&str>) -> std::io::Result<IsRows> {
        if opencode_folder::is_tree(path) {
            self.transcripts.extend(
                opencode_folder::list_sessions(path)?.into_iter().filter(|found| found.inside.as_deref() == only),
            );
            return Ok(IsRows::Yes);
        }
        if !path.is_file() {
            return Ok(IsRows::No);
        }
        match recognise_format(path, &head_of(path)?) {
            // A database of another agent at this place, as after a copy, must not answer for this one.
            Some(found) if found.container == TranscriptContainer::Rows && found.format.name == agent => {
                self.search_database(path, found.format, only)?;
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
        container::open_transcript(self)
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

/// The same transcript with long outputs whole, which Antigravity writes beside the one that its hooks name.
fn full_transcript(path: &Path) -> Option<PathBuf> {
    let is_short = path.file_name().is_some_and(|name| name == "transcript.jsonl");
    is_short.then(|| path.with_file_name("transcript_full.jsonl")).filter(|fuller| fuller.is_file())
}

/// What a file says that lies beside the folder of transcripts, as Gemini CLI has it.
fn project_root(path: &Path) -> Option<String> {
    let mut beside = path.ancestors().skip(1).take(3).map(|folder| folder.join(".project_root"));
    let root = beside.find_map(|file| fs_err::read_to_string(file).ok())?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}
