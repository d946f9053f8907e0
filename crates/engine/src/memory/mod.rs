//! The conversation half: messages in, messages out, and the proof that none is missing.

mod archive;
mod export;
#[expect(dead_code, reason = "nothing folds yet")]
mod fact;
#[cfg_attr(not(test), expect(dead_code, unused_imports, reason = "nothing folds yet"))]
#[cfg_attr(test, expect(dead_code, reason = "nothing folds yet"))]
mod fold;
mod grep;
mod import;
mod ingest;
mod recall;
#[cfg(test)]
mod story;
#[cfg_attr(not(test), expect(dead_code, reason = "nothing folds yet"))]
mod summarize;
#[cfg(test)]
mod talk;
mod verify;

pub(crate) use export::export_transcript;
pub use export::{Exported, Replaced};
pub(crate) use grep::grep;
pub use grep::{GrepMatch, GrepMode, GrepReply, GrepRequest};
pub(crate) use import::import;
pub use import::{ImportMode, ImportReport, ImportRequest, Imported, Standing, Transcript};
pub use ingest::{HistoryRequest, IngestOutcome, IngestRequest};
pub(crate) use ingest::{history, ingest};
pub use recall::{Neighbour as RecalledNeighbour, RecallReply, RecallRequest, RecallScope, Recalled, ScoreParts, Span};
pub(crate) use recall::{Recalls, recall};
pub(crate) use verify::verify;
pub use verify::{OnDisk, Problem, SourceCheck, VerifyReport};

use crate::{Engine, Error, Result};
use model::{ConversationId, Digest};

/// The id of the conversation people call `name`.
pub(crate) fn conversation_id(name: &str) -> ConversationId {
    ConversationId::parse(name)
        .unwrap_or_else(|_| ConversationId::from_hash(Digest::new("conversation").field(name.as_bytes()).finish()))
}

/// The id of a conversation that must exist.
async fn existing(engine: &Engine, name: &str) -> Result<ConversationId> {
    let id = conversation_id(name);
    match engine.store.conversation(&id).await? {
        Some(conversation) => Ok(conversation.id),
        None => Err(Error::NotFound {
            what: "conversation",
            id: name.to_owned(),
            hint: Some(
                "epitome status shows how many there are; epitome import and epitome ingest add to them".to_owned(),
            ),
        }),
    }
}
