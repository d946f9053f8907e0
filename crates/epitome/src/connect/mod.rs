//! Connects and disconnects agents on this machine: carries out the plans of `agents::connectors` on their settings
//! files and records them. The registry of connections is written before a file is touched and after it was restored:
//! whatever happens in between, undoing what is recorded leads to the same result.

mod connected_agents;
mod connections;
mod home;
mod install_source;

pub(crate) use connected_agents::{ConnectedAgent, find_connected_agents, find_unrecorded_files, other_reader};
pub(crate) use connections::{AgentConnection, ConnectionRegistry};
pub(crate) use home::UserHome;
pub(crate) use install_source::InstallSource;

use crate::config::Environment;
use agents::connectors::{EditError, FilePlan, UndoOutcome};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// What became of a file on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisconnectOutcome {
    /// It is again what it was.
    Restored,
    /// Our parts are gone; what others changed since is still there.
    Kept,
    /// It was ours, and is gone.
    Removed,
    /// It was gone already.
    Missing,
}

impl DisconnectOutcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Kept => "kept",
            Self::Removed => "removed",
            Self::Missing => "missing",
        }
    }
}

/// Carries out the plan for one file.
pub(crate) fn apply_plan(connections: &mut ConnectionRegistry, plan: FilePlan) -> Result<(), EditError> {
    let FilePlan { now, next, record } = plan;
    let path = record.path.clone();
    // The user may have confirmed a plan that is minutes old, and an agent may have written its settings since.
    check_unchanged(&path, now.as_deref())?;
    // The plan leaves nothing of ours in the file, so what we wrote before is undone.
    let Some(next) = next.filter(|_| !record.written.is_empty()) else {
        let Some(known) = connections.find_connection(&path).cloned() else { return Ok(()) };
        undo_connection(Some(connections), &known)?;
        remove_folders(&[known]);
        return Ok(());
    };
    let folders = home::missing_folders(&path);
    // Recorded before the file is touched: after a crash in between, disconnecting still knows what to undo.
    connections.save_connection(AgentConnection { record, folders }).map_err(disk_error)?;
    home::make_folders(&path).and_then(|()| crate::atomic::replace_file(&path, &next)).map_err(disk_error)?;
    // Some agents run a file as it is, so a script has to be executable.
    if next.starts_with("#!") { home::make_runnable(&path).map_err(disk_error) } else { Ok(()) }
}

/// Undoes one connection in the file as it is now; `None` for saying only what would happen.
pub(crate) fn undo_connection(
    connections: Option<&mut ConnectionRegistry>,
    connection: &AgentConnection,
) -> Result<DisconnectOutcome, EditError> {
    let path = &connection.record.path;
    let now = home::read_text(path).map_err(disk_error)?;
    let undone = connection.record.undo_edits(now.as_deref())?;
    let outcome = match &undone {
        UndoOutcome::Nothing => DisconnectOutcome::Missing,
        UndoOutcome::Remove => DisconnectOutcome::Removed,
        UndoOutcome::Restored(_) => DisconnectOutcome::Restored,
        UndoOutcome::Without(_) => DisconnectOutcome::Kept,
    };
    let Some(connections) = connections else { return Ok(outcome) };
    // Checked again right before writing: the agent may be running and write the file at any moment.
    check_unchanged(path, now.as_deref())?;
    match undone {
        UndoOutcome::Nothing => {}
        UndoOutcome::Remove => fs_err::remove_file(path).map_err(disk_error)?,
        UndoOutcome::Restored(text) | UndoOutcome::Without(text) => {
            crate::atomic::replace_file(path, &text).map_err(disk_error)?;
        }
    }
    // Forgotten only after the file is restored: after a crash in between, undoing again gives the same result.
    connections.remove_connection(path).map_err(disk_error)?;
    Ok(outcome)
}

/// Removes the folders that were made for connections which are undone, the innermost first: the one that a folder was
/// made for may not be the last that lay in it. What others put there since stays; a folder that is not empty cannot be
/// removed.
pub(crate) fn remove_folders(undone: &[AgentConnection]) {
    let mut folders: Vec<&PathBuf> = undone.iter().flat_map(|connection| &connection.folders).collect();
    folders.sort_by_key(|folder| Reverse(folder.components().count()));
    for folder in folders {
        // A folder with something of the user in it is not empty, and `remove_dir` refuses it.
        let _ = fs_err::remove_dir(folder);
    }
}

/// Agents write these files, too: what they wrote since we looked is not ours to overwrite.
fn check_unchanged(path: &Path, seen: Option<&str>) -> Result<(), EditError> {
    let now = home::read_text(path).map_err(disk_error)?;
    if now.as_deref() == seen {
        return Ok(());
    }
    Err(EditError::Disk("was changed by another program at this moment: try again".to_owned()))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err asks for")]
fn disk_error(error: std::io::Error) -> EditError {
    EditError::Disk(error.to_string())
}

/// The program that runs, as agents will start it. Where the `PATH` has a link to it, that: a link stays where it is when
/// the next version is installed beside this one.
pub(crate) fn program_path(environment: &Environment) -> std::io::Result<PathBuf> {
    let running = std::env::current_exe()?;
    // A link on the PATH stays where it is when the next version is installed; the resolved path would not.
    let is_it = |link: &PathBuf| fs_err::canonicalize(link).is_ok_and(|target| target == running);
    Ok(home::on_path(environment, "epitome").find(is_it).unwrap_or(running))
}

/// The program of that name that a command line would start.
pub(crate) fn agent_on_path(environment: &Environment, name: &str) -> Option<PathBuf> {
    home::on_path(environment, name).next()
}

/// The program that a command line without a path would start.
pub(crate) fn program_on_path(environment: &Environment) -> Option<PathBuf> {
    home::on_path(environment, "epitome").next()
}
