//! What a door tells the ledger about one dispatch: who called, what the caller got, and what that stands for.

use super::ValueFormula;
use crate::base::{SeenRegion, SeenReport, WithheldText};
use model::ProjectId;
use std::path::PathBuf;
use std::time::Duration;
use store::{CallDoor, CallQuestion};
use syntax::ViewMode;

/// Who called.
#[derive(Clone, Debug)]
pub struct CallSource {
    /// Where the call came in.
    pub door: CallDoor,
    /// The session of the caller.
    pub session: Option<String>,
    /// Who called, as the client names itself.
    pub agent: Option<String>,
    /// The name that was called.
    pub tool: String,
}

/// One dispatch of an operation, as a door saw it.
#[derive(Clone, Debug)]
pub struct CallNote {
    /// Who called.
    pub source: CallSource,
    /// The operation that was run.
    pub operation: String,
    /// The project it is about.
    pub project: Option<ProjectId>,
    /// How long the caller waited.
    pub elapsed: Duration,
    /// The text that the caller got.
    pub shown: String,
    /// What is known of the reply.
    pub facts: CallFacts,
}

/// What a reply says about itself.
#[derive(Clone, Debug, Default)]
pub struct CallFacts {
    /// What the reply stands for.
    pub replaced: ReplacedText,
    /// The path or symbol that was asked for.
    pub place: Option<String>,
    /// The files that were asked for and shown.
    pub views: Vec<ShownFile>,
    /// The question, where one was asked.
    pub question: Option<CallQuestion>,
    /// Regions of files that the caller now has.
    pub shown: Vec<SeenRegion>,
    /// Texts that the caller had already, and got a reference for.
    pub withheld: Vec<WithheldText>,
}

impl CallFacts {
    /// Adds what the caller now has and what was withheld. What was withheld is counted by itself, so the reply does not
    /// stand for it as well.
    pub fn note_seen(&mut self, report: SeenReport) {
        for withheld in &report.withheld {
            let path = &withheld.region.path;
            if let Some(at) = self.views.iter().position(|view| view.path == *path) {
                self.views.remove(at);
            }
            if let ReplacedText::Files { paths, .. } = &mut self.replaced
                && let Some(at) = paths.iter().position(|cited| cited == path)
            {
                paths.remove(at);
            }
        }
        (self.shown, self.withheld) = (report.shown, report.withheld);
    }
}

/// What a reply stands for.
#[derive(Clone, Debug, Default)]
pub enum ReplacedText {
    /// Nothing.
    #[default]
    Nothing,
    /// The files of [`CallFacts::views`], as they are.
    Views {
        /// The tokens of them.
        tokens: u64,
    },
    /// Files of the project.
    Files {
        /// How they are counted.
        formula: ValueFormula,
        /// The directory that the paths are relative to.
        root: PathBuf,
        /// Their paths, in the order of the reply.
        paths: Vec<String>,
    },
    /// So many bytes of text.
    Bytes {
        /// How they are counted.
        formula: ValueFormula,
        /// How many.
        bytes: u64,
    },
    /// A text that is known, and that a shorter one was shown for; none where the text was added.
    Text {
        /// How it is counted.
        formula: ValueFormula,
        /// The text.
        whole: Option<String>,
    },
    /// Tokens that were spared before and are paid after all.
    PaidAgain {
        /// How they are counted.
        formula: ValueFormula,
        /// How many.
        tokens: u64,
    },
}

/// A file that was asked for and shown.
#[derive(Clone, Debug)]
pub struct ShownFile {
    /// Its path.
    pub path: String,
    /// How it was shown.
    pub mode: ViewMode,
    /// Bytes of what was asked for.
    pub bytes_raw: u64,
    /// Bytes of what was shown.
    pub bytes_shown: u64,
}
