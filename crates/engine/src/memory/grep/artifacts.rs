//! Searches artifacts for a pattern, the third stage of `grep`: content that was too large for its message is part of
//! it all the same.

use super::cursor::GrepCursor;
use super::{GrepFound, GrepMatch, GrepSearch, is_late};
use crate::base::run_blocking;
use crate::base::{Error, Result};
use crate::memory::damage::damage_note;
use model::{ArtifactId, Message};
use std::sync::Arc;

/// Bytes on either side of a match that are named for reading.
const MATCH_CONTEXT_BYTES: u64 = 1_000;

impl GrepSearch<'_> {
    /// Looks through artifacts behind a place, in the order of their ids.
    pub(super) async fn search_artifacts(&mut self, mut behind: Option<ArtifactId>) -> Result<()> {
        let mut artifacts = self.memory.store.list_artifacts().await?;
        artifacts.retain(|artifact| behind.as_ref().is_none_or(|last| artifact.id > *last));
        for artifact in artifacts {
            if is_late(&*self.memory.clock, self.deadline) {
                self.reply.is_complete = false;
                self.continue_with(&GrepCursor::Artifacts(behind));
                return Ok(());
            }
            let content = match self.memory.store.artifact_content(&artifact.id).await {
                Ok(Some(content)) => content,
                Ok(None) => {
                    self.reply.degraded.push(format!("not looked through: artifact {} is not there", artifact.id));
                    continue;
                }
                // One damaged artifact does not hide the others.
                Err(error @ store::Error::Corrupt { .. }) => {
                    self.reply.degraded.push(damage_note(&error));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let matcher = Arc::clone(&self.matcher);
            let found = run_blocking("grep", move || {
                // Images and archives have no text to search.
                let text = String::from_utf8(content).ok()?;
                matcher.is_match(&text).then(|| (matcher.match_start(&text) as u64, matcher.match_snippet(&text)))
            });
            let Some((at, snippet)) = found.await? else { continue };
            let message = match self.find_mention(&artifact.id).await {
                Err(Error::Store(error)) if error.is_damage() => {
                    self.reply.degraded.push(damage_note(&error));
                    continue;
                }
                message => message?,
            };
            let Some(message) = message else { continue };
            self.reply.total += 1;
            if self.reply.matches.len() < self.request.limit as usize {
                let place =
                    format!("{}:{}-{}", artifact.id, at.saturating_sub(MATCH_CONTEXT_BYTES), at + MATCH_CONTEXT_BYTES);
                let found = GrepFound::Artifact { place, message: Box::new(message) };
                self.reply.matches.push(GrepMatch { found, snippet, repeats: None });
                behind = Some(artifact.id);
            } else {
                self.continue_with(&GrepCursor::Artifacts(behind.clone()));
            }
        }
        Ok(())
    }

    /// The first message in question that mentions an artifact.
    async fn find_mention(&self, artifact: &ArtifactId) -> Result<Option<Message>> {
        let memory = self.memory;
        for id in memory.store.artifact_messages(artifact).await? {
            let message = memory.store.load_message(&id).await?;
            let at = |message: &Message| message.body.at.as_ref().and_then(|at| at.instant).unwrap_or(message.stored);
            let is_meant = |message: &Message| {
                self.is_within(&message.conversation)
                    && self.request.since.is_none_or(|since| at(message) >= since)
                    && self.request.until.is_none_or(|until| at(message) < until)
            };
            if message.as_ref().is_some_and(is_meant) {
                return Ok(message);
            }
        }
        Ok(None)
    }
}
