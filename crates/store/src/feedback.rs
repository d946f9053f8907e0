//! `FeedbackStore`, the store trait for feedback on answers: which places that an answer listed were read afterwards,
//! kept to learn from.
//!
//! Feedback stays in this store, holds no more than is asked for, and nothing depends on it.

use crate::Result;
use async_trait::async_trait;
use model::{ContentHash, ProjectId, Timestamp};

/// An answer that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRecord {
    /// Its id.
    pub key: ContentHash,
    /// The project it is about.
    pub project: ProjectId,
    /// The conversation, or the run of an agent, that it was given to.
    pub session: String,
    /// When.
    pub at: Timestamp,
    /// The operation that gave it.
    pub operation: String,
    /// The question, without secrets.
    pub question: String,
    /// What it listed, in its order.
    pub places: Vec<AnswerPlace>,
}

/// A place that an answer listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerPlace {
    /// As it was listed.
    pub source: String,
    /// The operation that used it first; none where no operation has used it.
    pub used_by: Option<String>,
}

/// What is kept of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackTotals {
    /// Answers.
    pub answers: u64,
    /// Answers of which something was used.
    pub used: u64,
    /// Places that were used.
    pub places: u64,
}

/// Which results of answers were used.
#[async_trait]
pub trait FeedbackStore: Send + Sync {
    /// Keeps answers, all or none, and the newest `most` of each of their projects. Of one that is known only what was
    /// used is added; what was used once stays used.
    async fn write_answers(&self, answers: Vec<AnswerRecord>, most: u32) -> Result<()>;

    /// The newest answers of a project, of one session where it is named: newest first, then by key.
    async fn load_answers(&self, project: &ProjectId, session: Option<&str>, limit: u32) -> Result<Vec<AnswerRecord>>;

    /// What is kept of a project.
    async fn feedback_totals(&self, project: &ProjectId) -> Result<FeedbackTotals>;
}
