//! `Generator`, the trait for language models: a conversation in, one whole text out; with request and answer types.
//!
//! Nothing is streamed: what we ask for (summaries, guesses, verdicts) is of use only whole, and a whole answer carries
//! its usage exactly once. An answer always has text. What has none, or only words of refusal, is an error: a caller
//! that forgets to look can then never store it as if it were a summary.

use std::time::Duration;

use async_trait::async_trait;
use model::TokenCount;

use crate::{Result, Usage, Vendor};

/// Writes text.
#[async_trait]
pub trait Generator: Send + Sync {
    /// Which model answers; free to ask, at any time.
    fn model(&self) -> &GenerationModel;

    /// One request, at most one answer that is charged for.
    ///
    /// Ends within the request's deadline. What was spent is in the answer, or in the error, never in both.
    async fn generate(&self, request: &GenerateRequest) -> Result<GeneratedText>;

    /// Whether it would answer, as far as that can be checked without paying for an answer.
    async fn probe(&self) -> Result<()> {
        Ok(())
    }
}

/// Who writes: the vendor and its model, by the name that was configured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GenerationModel {
    /// Who is asked.
    pub vendor: Vendor,
    /// The vendor's name for the model.
    pub name: String,
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct GenerateRequest {
    /// The instructions about the task.
    pub system: String,
    /// The messages in order; the last one is the question.
    pub messages: Vec<RequestMessage>,
    /// The most it may write, reasoning included.
    pub max_output: TokenCount,
    /// How freely it chooses its words, from 0 on; sent only to vendors and models that take it.
    pub temperature: Option<f64>,
    /// The JSON schema the answer must follow, where a text is not enough.
    pub schema: Option<serde_json::Value>,
    /// How long an answer is waited for, tries again included.
    pub deadline: Duration,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMessage {
    /// Who said it.
    pub speaker: RequestSpeaker,
    /// The text.
    pub text: String,
}

/// Who says something to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestSpeaker {
    /// We, for the user.
    User,
    /// The model.
    Model,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedText {
    /// The text, never empty, reasoning not included. JSON where a schema was asked for.
    pub text: String,
    /// Why it ends where it ends.
    pub stop: StopReason,
    /// What the vendor charges for it.
    pub usage: Usage,
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The model was done.
    End,
    /// It had no room left: the text is a beginning.
    Length,
}

/// A conversation as one text, for vendors that take only one.
#[cfg(feature = "commands")]
pub(crate) fn render_messages(messages: &[RequestMessage]) -> String {
    // A single question needs no names of speakers, which a model might take for part of the text.
    if let [RequestMessage { speaker: RequestSpeaker::User, text }] = messages {
        return text.clone();
    }
    let turns = messages.iter().map(|turn| match turn.speaker {
        RequestSpeaker::User => format!("User:\n{}", turn.text),
        RequestSpeaker::Model => format!("Assistant:\n{}", turn.text),
    });
    turns.collect::<Vec<_>>().join("\n\n")
}
