//! Plans the connection of one agent: from a `HomeSnapshot` of the home folder and earlier records to a `ConnectPlan`,
//! the edits of each settings file. The caller writes the files.

use super::edit;
use super::record::{ConnectionRecord, hash_text};
use super::{
    Connector, ConnectorFile, EditError, FileFormat, FileLocation, Graft, GraftSite, OperatingSystem, Program,
    permissions,
};
use std::io;
use std::path::{Path, PathBuf};

/// What planning looks at.
pub struct HomeSnapshot<'a> {
    /// The home directory.
    pub home: &'a Path,
    /// The system, which decides where files lie.
    pub system: OperatingSystem,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Whether something is there.
    pub exists: &'a dyn Fn(&Path) -> bool,
    /// The text of a file, or none where there is no file.
    pub read: &'a dyn Fn(&Path) -> io::Result<Option<String>>,
    /// Whether a program of that name can be started.
    pub has_program: &'a dyn Fn(&str) -> bool,
}

/// What connecting an agent takes.
pub struct ConnectPlan {
    /// The agent.
    pub connector: &'static Connector,
    /// Its files, in order.
    pub files: Vec<FilePlan>,
    /// Files that are left alone, and why.
    pub refused: Vec<(PathBuf, EditError)>,
    /// Whether the agent has our plugin, beside which nothing is written.
    pub by_plugin: bool,
}

/// What becomes of one file.
#[derive(Debug)]
pub struct FilePlan {
    /// Its text now; `None` if the file does not exist.
    pub now: Option<String>,
    /// What it will say; none where there will be no file.
    pub next: Option<String>,
    /// What to remember of it.
    pub record: ConnectionRecord,
}

impl HomeSnapshot<'_> {
    pub(super) fn resolve_path(&self, place: FileLocation) -> PathBuf {
        place.resolve_path(self.home, self.system, self.variable)
    }
}

impl ConnectPlan {
    /// Whether the agent may call tools of ours without asking, by rules that are ours.
    pub fn allows_tools(&self) -> bool {
        let mut written = self.files.iter().flat_map(|file| &file.record.written);
        written.any(|written| permissions::permitted_tool(&written.graft).is_some())
    }
}

impl FilePlan {
    /// Whether the file says already what it should.
    pub fn is_done(&self) -> bool {
        self.now == self.next
    }
}

impl Connector {
    /// The changes that connecting the agent takes; `records` are the changes made before.
    pub fn plan_connection(
        &'static self,
        snapshot: &HomeSnapshot<'_>,
        program: &Program,
        records: &[ConnectionRecord],
    ) -> ConnectPlan {
        let by_plugin = self.enabled_plugin(snapshot).is_some();
        let mut plan = ConnectPlan { connector: self, files: Vec::new(), refused: Vec::new(), by_plugin };
        for file in self.files {
            // Some files make sense only beside a product that is installed, as Cline's for the editor and the command
            // line.
            if file.needs.is_some_and(|place| !(snapshot.exists)(&snapshot.resolve_path(place))) {
                continue;
            }
            let path = file.choose_path(snapshot);
            let record = records.iter().find(|record| record.path == path);
            let is_for_permissions = self.permissions.is_some_and(|place| snapshot.resolve_path(place) == path);
            let text = || (snapshot.read)(&path).ok().flatten().unwrap_or_default();
            let rules = if is_for_permissions {
                permissions::permission_grafts(program, record, &text(), by_plugin)
            } else {
                vec![]
            };
            // With the plugin installed, only our own earlier entries are left to remove: it brings server and hooks,
            // but no permissions.
            if by_plugin && record.is_none() && rules.is_empty() {
                continue;
            }
            let grafts = |site: &GraftSite<'_>| {
                let mut grafts = if by_plugin { Vec::new() } else { (file.grafts)(program, site) };
                grafts.extend(rules.iter().cloned());
                grafts
            };
            let step = FileEdit { agent: self.name, form: file.form, grafts: &grafts, record };
            match step.plan_file(snapshot, path.clone()) {
                Ok(file) => plan.files.push(file),
                // One file that cannot be edited does not keep the other files of the agent from being planned.
                Err(trouble) => plan.refused.push((path, trouble)),
            }
        }
        plan
    }
}

impl ConnectorFile {
    fn choose_path(&self, snapshot: &HomeSnapshot<'_>) -> PathBuf {
        let places: Vec<PathBuf> = self.places.iter().map(|place| snapshot.resolve_path(*place)).collect();
        let has_folder = |path: &&PathBuf| path.parent().is_some_and(|folder| (snapshot.exists)(folder));
        // A file that exists is the one the agent reads; without one, the folder tells which product is installed.
        let file = places.iter().find(|path| (snapshot.exists)(path)).or_else(|| places.iter().find(has_folder));
        file.or(places.first()).expect("a file has a place").clone()
    }
}

/// What has to happen to one file.
struct FileEdit<'s> {
    agent: &'static str,
    form: FileFormat,
    /// The entries it must have.
    grafts: &'s dyn Fn(&GraftSite<'_>) -> Vec<Graft>,
    /// The record of earlier changes.
    record: Option<&'s ConnectionRecord>,
}

impl FileEdit<'_> {
    /// Edits start from the file without us, so that doing it twice is doing it once and a moved program is found. A file
    /// in which all of it stands needs none, whatever else its agent wrote into it.
    fn plan_file(&self, snapshot: &HomeSnapshot<'_>, path: PathBuf) -> Result<FilePlan, EditError> {
        let now = (snapshot.read)(&path).map_err(|error| EditError::Disk(error.to_string()))?;
        // Planning starts from the file without our entries, so that a second run gives the same result as the first.
        let base = match self.record {
            Some(record) => record.undo_edits(now.as_deref())?.into_text(),
            None => now.clone(),
        };
        let mut text = base.clone().unwrap_or_default();
        // The grafts depend on the file as its owner wrote it, for example on which version of OpenCode it is for.
        let grafts = (self.grafts)(&GraftSite { text: &text, home: snapshot.home });
        if let (Some(record), Some(text)) = (self.record, &now)
            && self.has_grafts(record, text, &grafts)?
        {
            // The file stays untouched, because agents write keys of their own into our entries and would lose them.
            return Ok(FilePlan { next: now.clone(), now, record: record.clone() });
        }
        let mut written = Vec::new();
        for graft in grafts {
            if let Some((next, graft)) = edit::put_graft(self.form, &text, &graft)? {
                text = next;
                written.push(graft);
            }
        }
        let (before, after) = (base.as_deref().map(hash_text), hash_text(&text));
        // With nothing to add, the file goes back to how it was: an empty record must not keep a file alive.
        let next = if written.is_empty() { base } else { Some(text) };
        let record = ConnectionRecord { agent: self.agent.to_owned(), path, form: self.form, before, after, written };
        Ok(FilePlan { now, next, record })
    }

    /// Whether a file has all that it should, and nothing of ours beside it. A permission that was taken back is not there.
    fn has_grafts(&self, record: &ConnectionRecord, text: &str, grafts: &[Graft]) -> Result<bool, EditError> {
        let is_wanted = |graft: &Graft| grafts.contains(graft) || permissions::permitted_tool(graft).is_some();
        if grafts.is_empty() || !record.written.iter().all(|written| is_wanted(&written.graft)) {
            return Ok(false);
        }
        grafts.iter().try_fold(true, |stands, graft| Ok(stands && edit::has_graft(self.form, text, graft)?))
    }
}
