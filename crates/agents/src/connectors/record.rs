//! The undo record of one settings file (`ConnectionRecord`): the entries that were written and the change to the text.
//! `undo_edits` removes them whatever happened to the file since: byte for byte where it is unchanged, else entry by
//! entry.

use super::edit::{self, EditError, FileFormat, Graft, WrittenGraft};
use super::hooks;
use model::ContentHash;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Our entries in a file, and the file before them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConnectionRecord {
    /// The agent whose file it is.
    pub agent: String,
    /// The file.
    pub path: PathBuf,
    /// How it is written.
    pub form: FileFormat,
    /// The hash of what it was; none when there was no file.
    pub before: Option<String>,
    /// The hash of what we left.
    pub after: String,
    /// Our entries in it, in the order in which they were written.
    pub written: Vec<WrittenGraft>,
}

/// How a file looks without us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoOutcome {
    /// It is not there, before and after.
    Nothing,
    /// We created the file, and neither the user nor the agent added to it.
    Remove,
    /// Exactly as it was before.
    Restored(String),
    /// Without our parts; what others changed since is still in it.
    Without(String),
}

impl ConnectionRecord {
    /// The events of the hooks that were written, in the agent's words, each once.
    pub fn hook_events(&self) -> Vec<String> {
        let mut events: Vec<String> = Vec::new();
        for written in &self.written {
            let text = match &written.graft {
                Graft::Entry { value, .. } | Graft::Element { value, .. } => value.to_string(),
                Graft::Text { text } => text.clone(),
                Graft::Required { .. } => continue,
            };
            for event in hooks::events_in(&text) {
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
        events
    }

    /// Undoes it in the file as it is now: byte for byte where it is as we left it, else part by part.
    pub fn undo_edits(&self, now: Option<&str>) -> Result<UndoOutcome, EditError> {
        let Some(now) = now else { return Ok(UndoOutcome::Nothing) };
        // Nothing but our change happened, so the owner gets back the very bytes from before.
        if hash_text(now) == self.after
            && let Some(before) = self.revert_text(now)
        {
            return Ok(if self.before.is_none() { UndoOutcome::Remove } else { UndoOutcome::Restored(before) });
        }
        let mut text = now.to_owned();
        // In reverse order: a later graft may stand inside of what an earlier one made.
        for written in self.written.iter().rev() {
            text = edit::take_out(self.form, &text, written)?;
        }
        let required = self.written.iter().filter(|written| matches!(written.graft, Graft::Required { .. }));
        // A file that we created and that holds nothing else goes; one with a setting of the user stays.
        if self.before.is_none() && edit::is_bare(self.form, &text, &required.collect::<Vec<_>>()) {
            return Ok(UndoOutcome::Remove);
        }
        Ok(UndoOutcome::Without(text))
    }

    fn revert_text(&self, now: &str) -> Option<String> {
        let mut written = self.written.iter().rev();
        let before = written.try_fold(now.to_owned(), |text, written| written.splice.revert_text(&text))?;
        // The hash guards against a splice that fits by chance in a file that was changed elsewhere.
        self.before.as_ref().is_none_or(|hash| *hash == self::hash_text(&before)).then_some(before)
    }
}

impl UndoOutcome {
    /// The text that is left, where there is a file.
    pub fn into_text(self) -> Option<String> {
        match self {
            Self::Nothing | Self::Remove => None,
            Self::Restored(text) | Self::Without(text) => Some(text),
        }
    }
}

pub(super) fn hash_text(text: &str) -> String {
    ContentHash::hash_bytes(text.as_bytes()).to_string()
}
