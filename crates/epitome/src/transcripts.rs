//! Finds and recognises agents' transcripts on this machine (or at given paths) for the `import` operation, and opens
//! them as lines.

use crate::compactions::{self, CompactionRecord};
use crate::config::{AppDirectories, Environment};
use crate::connect::{self, ConnectionRegistry, UserHome};
use crate::daemon_link::{DaemonProcess, ping_daemon};
use crate::spool::Spool;
use crate::suggestion::nearest_word;
use agents::{AgentEnvironment, ContextResult, ConversationLookup, OtherFiles, TranscriptFormat, TranscriptSearch};
use engine::{FileIdentity, ReadableTranscript};
use fs_err as fs;
use model::{AgentName, Projection, TranscriptContainer};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::TranscriptSource;

/// What an import needs of this machine.
pub(crate) struct LocalTranscripts {
    /// Where hooks leave what they take in, and what they remember.
    directories: AppDirectories,
    environment: Environment,
    /// The folders besides those of agents that paths of callers may lie in; `None` for any path.
    allowed: Option<Vec<String>>,
}

/// Transcripts to import, and named paths that are no transcripts.
#[derive(Default)]
pub(crate) struct TranscriptSelection {
    pub(crate) transcripts: Vec<Arc<dyn ReadableTranscript>>,
    /// Path and reason.
    pub(crate) skipped: Vec<(String, String)>,
    /// Files among transcripts that are no transcripts.
    pub(crate) others: OtherFiles,
}

impl LocalTranscripts {
    pub(crate) fn new(directories: AppDirectories, environment: Environment) -> Self {
        Self { directories, environment, allowed: None }
    }

    /// The same for an agent that calls: it may name paths in the folders of agents and in these, and no others. A
    /// document that it read must not be able to have any file of this machine imported.
    pub(crate) fn for_agents(&self, allowed: &[String]) -> Self {
        Self {
            directories: self.directories.clone(),
            environment: self.environment.clone(),
            allowed: Some(allowed.to_vec()),
        }
    }

    /// Refuses paths that the caller may not name.
    pub(crate) fn check_paths(&self, paths: &[String]) -> Result<(), engine::Error> {
        let Some(folders) = self.allowed_folders() else { return Ok(()) };
        let is_allowed = |path: &&String| fs::canonicalize(path).is_ok_and(|path| lies_in(&path, &folders));
        match paths.iter().find(|path| !is_allowed(path)) {
            None => Ok(()),
            Some(path) => {
                let reason = format!(
                    "has `{path}`, which lies in no folder of an agent: the user may allow more in `import.folders`, or \
                     run `epitome import` themselves"
                );
                Err(engine::Error::Parameter { field: "paths", reason })
            }
        }
    }

    /// The folders that paths of the caller may lie in, as they are on disk; `None` for any.
    fn allowed_folders(&self) -> Option<Vec<PathBuf>> {
        let allowed = self.allowed.as_ref()?;
        let home = self.environment.nonempty_variable("HOME").map(Path::new);
        let mut folders: Vec<PathBuf> = allowed
            .iter()
            .map(|folder| match (folder.strip_prefix("~/"), home) {
                (Some(below), Some(home)) => home.join(below),
                _ => PathBuf::from(folder),
            })
            .collect();
        if let Some(home) = home {
            let variable = |name: &str| Some(self.environment.nonempty_variable(name)?.to_string_lossy().into_owned());
            folders.extend(agents::transcript_folders(&AgentEnvironment { home, variable: &variable }));
        }
        // Compared as they are on disk: a link must not lead out of a folder.
        Some(folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect())
    }

    /// Transcripts at some paths, or without paths the transcripts of installed agents. `agent` is their agent: it
    /// reads what is named, and of all others only its own are taken.
    pub(crate) fn select_transcripts(
        &self,
        paths: &[String],
        agent: Option<&'static TranscriptFormat>,
    ) -> TranscriptSelection {
        let mut chosen = TranscriptSelection::default();
        let folders = self.allowed_folders();
        for path in paths {
            // Resolved, because the source's name is its path: a link and its target would be imported twice.
            match fs::canonicalize(path) {
                // Asked of the very path that is opened: a link may have taken its place since the paths were checked.
                Ok(real) if folders.as_ref().is_some_and(|folders| !lies_in(&real, folders)) => {
                    chosen.skipped.push((path.clone(), "leads to no folder of an agent".to_owned()));
                }
                Ok(path) => chosen.add_results(agents::transcripts_at(&path), agent),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    chosen.skipped.push((path.clone(), "does not exist".to_owned()));
                }
                Err(error) => chosen.skipped.push((path.clone(), error.to_string())),
            }
        }
        if let (true, Some(home)) = (paths.is_empty(), self.environment.nonempty_variable("HOME")) {
            let variable = |name: &str| Some(self.environment.nonempty_variable(name)?.to_string_lossy().into_owned());
            let surroundings = AgentEnvironment { home: Path::new(home), variable: &variable };
            chosen.add_results(agents::find_transcripts(&surroundings, agent), None);
        }
        chosen
    }

    /// Where an agent that keeps its conversations in a database keeps one of them.
    pub(crate) fn find_conversation(&self, agent: &str, session: &str) -> ConversationLookup {
        let Some(home) = self.environment.nonempty_variable("HOME") else { return ConversationLookup::InNone };
        let variable = |name: &str| Some(self.environment.nonempty_variable(name)?.to_string_lossy().into_owned());
        agents::find_conversation(&AgentEnvironment { home: Path::new(home), variable: &variable }, agent, session)
    }

    /// Bytes that hooks left in the spool and that no drain has taken in yet.
    pub(crate) fn spool_bytes(&self) -> u64 {
        Spool::in_directory(&self.directories.data).waiting_bytes()
    }

    /// The daemon of this user, if one runs. An agent is not told for how long: equal requests of it get equal replies.
    pub(crate) fn running_daemon(&self) -> Option<DaemonProcess> {
        let daemon = ping_daemon(&self.directories.state)?;
        Some(DaemonProcess { uptime_s: daemon.uptime_s.filter(|_| self.allowed.is_none()), ..daemon })
    }

    /// The titles of the agents that are connected here.
    pub(crate) fn connected_agents(&self) -> Vec<&'static str> {
        // A record that cannot be read is a finding of `doctor`, which says so.
        let Ok(connections) = ConnectionRegistry::open(&self.directories.data) else { return Vec::new() };
        let connected = UserHome::from_environment(&self.environment)
            .map(|home| connect::find_connected_agents(&home, &connections))
            .unwrap_or_default();
        connected.into_iter().map(|agent| agent.connector.title).collect()
    }

    /// What compactions of agents kept and lost, oldest first.
    pub(crate) fn read_compactions(&self) -> Vec<CompactionRecord> {
        compactions::read_compactions(&self.directories.state)
    }

    /// What is in the context of whoever makes a call now, by its transcript; none where none has the call, or not yet.
    pub(crate) fn results_before(&self, call: &str) -> Option<Vec<ContextResult>> {
        self.with_surroundings(|around| agents::results_before(around, call, crate::compose::current_time()))
    }

    /// What is in the context of a conversation of an agent, by its transcript.
    pub(crate) fn conversation_results(&self, conversation: &str) -> Option<Vec<ContextResult>> {
        let (agent, session) = conversation.split_once(':')?;
        self.with_surroundings(|around| agents::session_results(around, agent, session))
    }

    fn with_surroundings<T>(&self, ask: impl FnOnce(&AgentEnvironment<'_>) -> Option<T>) -> Option<T> {
        let home = Path::new(self.environment.nonempty_variable("HOME")?);
        let variable = |name: &str| Some(self.environment.nonempty_variable(name)?.to_string_lossy().into_owned());
        ask(&AgentEnvironment { home, variable: &variable })
    }
}

fn lies_in(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

impl TranscriptSelection {
    fn add_results(&mut self, search: TranscriptSearch, reader: Option<&'static TranscriptFormat>) {
        for mut transcript in search.transcripts {
            // The user says whose format it is, as for a file that was renamed or cut.
            transcript.format = reader.unwrap_or(transcript.format);
            self.transcripts.push(Arc::new(AgentTranscript(transcript)));
        }
        let told = search.problems.into_iter().map(|(path, reason)| (path.display().to_string(), reason));
        self.skipped.extend(told);
        self.others.merge_counts(search.others);
    }
}

/// The format of an agent's name; `auto` leaves it to the files.
pub(crate) fn format_named(name: &str) -> Result<Option<&'static TranscriptFormat>, engine::Error> {
    if name == "auto" {
        return Ok(None);
    }
    let names = || agents::FORMATS.iter().map(|format| format.name);
    TranscriptFormat::from_name(name).map(Some).ok_or_else(|| {
        let hint = match nearest_word(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are auto, {}", names().collect::<Vec<_>>().join(", ")),
        };
        engine::Error::NotFound { what: "agent", id: name.to_owned(), hint: Some(hint) }
    })
}

/// What reads the lines of an archived transcript.
pub(crate) fn build_projection(source: &TranscriptSource) -> Option<Box<dyn Projection>> {
    Some(TranscriptFormat::from_name(&source.agent.0)?.build_projection(Path::new(&source.path)))
}

/// A transcript as its agent keeps it.
pub(crate) struct AgentTranscript(pub(crate) agents::Transcript);

impl ReadableTranscript for AgentTranscript {
    fn agent_name(&self) -> AgentName {
        self.0.format.agent_name()
    }

    fn source_path(&self) -> String {
        self.0.display_name()
    }

    fn container(&self) -> TranscriptContainer {
        self.0.container
    }

    fn byte_size(&self) -> u64 {
        self.0.size
    }

    fn file_identity(&self) -> std::io::Result<Option<FileIdentity>> {
        let metadata = fs::metadata(&self.0.path)?;
        let identity = FileIdentity { device: metadata.dev(), inode: metadata.ino() };
        // A conversation inside of a database shares the file with others, so the file does not identify it.
        Ok(self.0.inside.is_none().then_some(identity))
    }

    fn open_at(&self, from: u64) -> std::io::Result<Box<dyn Read + Send>> {
        if self.0.container == TranscriptContainer::Lines {
            let mut file = self.0.links.open_file(&self.0.path)?;
            file.seek(SeekFrom::Start(from))?;
            return Ok(Box::new(file));
        }
        let mut lines = self.0.open()?;
        // Packed and converted lines cannot be skipped by seeking.
        std::io::copy(&mut lines.by_ref().take(from), &mut std::io::sink())?;
        Ok(lines)
    }

    fn new_projection(&self) -> Box<dyn Projection> {
        self.0.format.build_projection(&self.0.path)
    }
}
