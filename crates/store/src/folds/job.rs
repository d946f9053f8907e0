//! Data types of the background job queue (`Job`, `NewJob`, `JobTask`, `JobEnd`): compaction of conversations and
//! integrity checks, which wait for a worker to lease them.

use super::Fence;
use model::{ConversationId, FoldTrigger, Timestamp};

/// A job, by the number that its store gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub i64);

/// The work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobTask {
    /// Fold a conversation.
    Compact(FoldTrigger),
    /// Look for what does not fit.
    Integrity(IntegrityMode),
}

/// How far a look goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegrityMode {
    /// Say what does not fit.
    Scan,
    /// And what could be done about it.
    ScanAndPlan,
}

impl JobTask {
    /// The words for it: what, and why or how.
    pub fn to_words(self) -> (&'static str, &'static str) {
        match self {
            Self::Compact(reason) => ("compact", reason.as_str()),
            Self::Integrity(IntegrityMode::Scan) => ("integrity", "scan"),
            Self::Integrity(IntegrityMode::ScanAndPlan) => ("integrity", "scan_and_plan"),
        }
    }

    /// Reads the words.
    pub fn parse(what: &str, how: &str) -> Option<Self> {
        match (what, how) {
            ("compact", reason) => FoldTrigger::parse(reason).map(Self::Compact),
            ("integrity", "scan") => Some(Self::Integrity(IntegrityMode::Scan)),
            ("integrity", "scan_and_plan") => Some(Self::Integrity(IntegrityMode::ScanAndPlan)),
            _ => None,
        }
    }
}

/// Work that a caller asks for.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// What.
    pub work: JobTask,
    /// On which conversation; none for all of them.
    pub conversation: Option<ConversationId>,
    /// When it was asked for.
    pub requested: Timestamp,
    /// When it may begin.
    pub not_before: Timestamp,
}

/// A job that is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// The work.
    pub work: JobTask,
    /// On which conversation; none for all of them.
    pub conversation: Option<ConversationId>,
    /// When it was asked for.
    pub requested: Timestamp,
    /// When it may begin.
    pub not_before: Timestamp,
    /// How often it was begun.
    pub attempts: u32,
    /// Its newest lease.
    pub fence: Fence,
    /// A worker took it and has not ended it.
    pub is_taken: bool,
    /// Why the last attempt failed.
    pub failure: Option<String>,
    /// No worker tries it any more.
    pub given_up: bool,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It is done.
    Done,
    /// It failed, and is due again.
    Failed {
        /// Why.
        why: String,
        /// When to try again; never where there is none.
        again: Option<Timestamp>,
    },
}
