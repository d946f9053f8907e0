//! Transcripts of agents on this machine: found, recognised and handed to an import.

use crate::config::Environment;
use crate::nearest::nearest;
use agents::{Format, Search, Surroundings};
use engine::{FileIdentity, Transcript};
use fs_err as fs;
use model::scrub::{ScrubKey, Scrubber};
use model::{AgentName, Container, Projection};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What an import needs of this machine.
pub(crate) struct Transcripts {
    /// Where the key of this installation is.
    data: PathBuf,
    environment: Environment,
}

/// Transcripts to import, and what was named but is none.
#[derive(Default)]
pub(crate) struct Chosen {
    pub(crate) transcripts: Vec<Arc<dyn Transcript>>,
    /// Path and reason.
    pub(crate) skipped: Vec<(String, String)>,
}

impl Transcripts {
    pub(crate) fn new(data: PathBuf, environment: Environment) -> Self {
        Self { data, environment }
    }

    /// Those at some places, or without any those of the agents that are installed. `agent` is whose they are: it
    /// reads what is named, and of all others only its own are taken.
    pub(crate) fn choose(&self, paths: &[String], agent: Option<&'static Format>) -> Chosen {
        let mut chosen = Chosen::default();
        for path in paths {
            match fs::canonicalize(path) {
                Ok(path) => chosen.take(agents::transcripts_at(&path), agent),
                Err(error) => chosen.skipped.push((path.clone(), error.to_string())),
            }
        }
        if let (true, Some(home)) = (paths.is_empty(), self.environment.filled("HOME")) {
            let variable = |name: &str| Some(self.environment.filled(name)?.to_string_lossy().into_owned());
            let mut search = agents::transcripts(&Surroundings { home: Path::new(home), variable: &variable });
            search.transcripts.retain(|found| agent.is_none_or(|agent| agent.name == found.format.name));
            chosen.take(search, None);
        }
        chosen
    }

    /// The scrubber with this installation's key, which is made when there is none.
    pub(crate) fn scrubber(&self) -> Result<Arc<Scrubber>, engine::Error> {
        let path = self.data.join("scrub.key");
        loop {
            match fs::read(&path) {
                Ok(bytes) => {
                    let damaged = |bytes: Vec<u8>| {
                        let reason = format!("{} is damaged: {} bytes, not 32", path.display(), bytes.len());
                        engine::Error::Disk(std::io::Error::new(ErrorKind::InvalidData, reason))
                    };
                    let key: [u8; 32] = bytes.try_into().map_err(damaged)?;
                    return Ok(Arc::new(Scrubber::new(ScrubKey::new(key), &[])));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => make_key(&path).map_err(engine::Error::Disk)?,
                Err(error) => return Err(engine::Error::Disk(error)),
            }
        }
    }
}

impl Chosen {
    fn take(&mut self, search: Search, reader: Option<&'static Format>) {
        for mut transcript in search.transcripts {
            transcript.format = reader.unwrap_or(transcript.format);
            self.transcripts.push(Arc::new(Found(transcript)));
        }
        let told = search.problems.into_iter().map(|(path, reason)| (path.display().to_string(), reason));
        self.skipped.extend(told);
    }
}

/// The format of an agent's name; `auto` leaves it to the files.
pub(crate) fn format_named(name: &str) -> Result<Option<&'static Format>, engine::Error> {
    if name == "auto" {
        return Ok(None);
    }
    let names = || agents::FORMATS.iter().map(|format| format.name);
    Format::named(name).map(Some).ok_or_else(|| {
        let hint = match nearest(name, names()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are auto, {}", names().collect::<Vec<_>>().join(", ")),
        };
        engine::Error::NotFound { what: "agent", id: name.to_owned(), hint: Some(hint) }
    })
}

/// A transcript as its agent keeps it.
struct Found(agents::Transcript);

impl Transcript for Found {
    fn agent(&self) -> AgentName {
        self.0.format.agent()
    }

    fn path(&self) -> String {
        self.0.name()
    }

    fn container(&self) -> Container {
        self.0.container
    }

    fn bytes(&self) -> u64 {
        self.0.size
    }

    fn identity(&self) -> std::io::Result<Option<FileIdentity>> {
        let metadata = fs::metadata(&self.0.path)?;
        let identity = FileIdentity { device: metadata.dev(), inode: metadata.ino() };
        Ok(self.0.inside.is_none().then_some(identity))
    }

    fn open(&self, from: u64) -> std::io::Result<Box<dyn Read + Send>> {
        if self.0.container == Container::Lines {
            let mut file = fs::File::open(&self.0.path)?;
            file.seek(SeekFrom::Start(from))?;
            return Ok(Box::new(file));
        }
        let mut lines = self.0.open()?;
        std::io::copy(&mut lines.by_ref().take(from), &mut std::io::sink())?;
        Ok(lines)
    }

    fn projection(&self) -> Box<dyn Projection> {
        self.0.format.projection(&self.0.path)
    }
}

/// Makes a key whole or not at all; of several who do, the first one's stays.
fn make_key(path: &Path) -> std::io::Result<()> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(std::io::Error::other)?;
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    std::io::Write::write_all(&mut file, &key)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome.map(drop).map_err(|refused| refused.error),
    }
}
