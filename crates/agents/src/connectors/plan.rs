//! From a look at a home folder to the edits that connect an agent.

use super::edit;
use super::record::{Record, hash};
use super::{Connector, File, Place, Program, System, Trouble};
use std::io;
use std::path::{Path, PathBuf};

/// What planning looks at.
pub struct Snapshot<'a> {
    /// The home directory.
    pub home: &'a Path,
    /// The system, which decides where files lie.
    pub system: System,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether something is there.
    pub exists: &'a dyn Fn(&Path) -> bool,
    /// The text of a file, or none where there is no file.
    pub read: &'a dyn Fn(&Path) -> io::Result<Option<String>>,
}

/// What connecting an agent takes.
pub struct Plan {
    /// The agent.
    pub connector: &'static Connector,
    /// Its files, in order.
    pub files: Vec<FilePlan>,
    /// Files that are left alone, and why.
    pub refused: Vec<(PathBuf, Trouble)>,
}

/// What becomes of one file.
#[derive(Debug)]
pub struct FilePlan {
    /// What it says now; none where there is no file.
    pub now: Option<String>,
    /// What it will say.
    pub next: String,
    /// What to remember of it.
    pub record: Record,
}

impl Snapshot<'_> {
    pub(super) fn path(&self, place: Place) -> PathBuf {
        place.path(self.home, self.system, self.variable)
    }
}

impl FilePlan {
    /// Whether the file says already what it should.
    pub fn is_done(&self) -> bool {
        self.now.as_ref() == Some(&self.next)
    }
}

impl Connector {
    /// What connecting the agent takes, when `records` say what was done before.
    pub fn plan(&'static self, snapshot: &Snapshot<'_>, program: &Program, records: &[Record]) -> Plan {
        let mut plan = Plan { connector: self, files: Vec::new(), refused: Vec::new() };
        for file in self.files {
            if file.needs.is_some_and(|place| !(snapshot.exists)(&snapshot.path(place))) {
                continue;
            }
            let path = file.path(snapshot);
            let record = records.iter().find(|record| record.path == path);
            match file.plan(snapshot, self.name, path.clone(), program, record) {
                Ok(file) => plan.files.push(file),
                Err(trouble) => plan.refused.push((path, trouble)),
            }
        }
        plan
    }
}

impl File {
    fn path(&self, snapshot: &Snapshot<'_>) -> PathBuf {
        let mut places = self.places.iter().map(|place| snapshot.path(*place));
        let first = places.next().expect("a file has a place");
        if (snapshot.exists)(&first) { first } else { places.find(|path| (snapshot.exists)(path)).unwrap_or(first) }
    }

    /// Edits start from the file without us, so that doing it twice is doing it once and a moved program is found.
    fn plan(
        &self,
        snapshot: &Snapshot<'_>,
        agent: &str,
        path: PathBuf,
        program: &Program,
        record: Option<&Record>,
    ) -> Result<FilePlan, Trouble> {
        let now = (snapshot.read)(&path).map_err(|error| Trouble::Disk(error.to_string()))?;
        let base = match record {
            Some(record) => record.undo(now.as_deref())?.into_text(),
            None => now.clone(),
        };
        let mut text = base.clone().unwrap_or_default();
        let mut written = Vec::new();
        for graft in (self.grafts)(program, &text) {
            if let Some((next, graft)) = edit::put(self.form, &text, &graft)? {
                text = next;
                written.push(graft);
            }
        }
        let (before, after) = (base.as_deref().map(hash), hash(&text));
        let record = Record { agent: agent.to_owned(), path, form: self.form, before, after, written };
        Ok(FilePlan { now, next: text, record })
    }
}
