//! Exports an archived transcript: writes its original bytes to a sink, as they were imported, except for the secrets
//! that were replaced. Lines with a secret are reported with their original length and hash.

use super::archive::{damaged_archive, whole_headers};
use super::find_conversation;
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::ContentHash;
use model::scrub::rules_in;
use std::ops::ControlFlow;
use store::{Generation, GenerationOrigin};

/// The result of an export.
#[derive(Clone, Debug)]
pub struct ExportedTranscript {
    /// The generation whose bytes they were: the newest one of the conversation.
    pub generation: Generation,
    /// Lines that differ from the file by a secret, in order.
    pub scrubbed: Vec<ReplacedLine>,
    /// Other places and earlier generations that the conversation was read from.
    pub others: Vec<Generation>,
}

/// A line in which something was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedLine {
    /// Which line, counted from 0.
    pub line: u64,
    /// How many bytes it had, without its newline.
    pub original_bytes: u64,
    /// The hash of those.
    pub original_hash: ContentHash,
}

/// Frames read at a time.
const PAGE: u32 = 8;

pub(crate) async fn export_transcript(
    memory: &MemoryContext,
    conversation: &str,
    take: &mut ByteSink<'_>,
) -> Result<ExportedTranscript> {
    let id = find_conversation(memory, conversation).await?;
    let mut others = memory.store.generations_of(&id).await?;
    let generation = others.pop().ok_or_else(|| Error::NotFound {
        what: "transcript of conversation",
        id: conversation.to_owned(),
        hint: Some("it was not imported from a file; epitome history shows its messages".to_owned()),
    })?;
    // A moved file was read from two places and is one transcript.
    others.retain(|other| other.origin != GenerationOrigin::Moved);
    let mut export = TranscriptExport { memory, generation, next: 0, lines: 0, scrubbed: Vec::new() };
    while export.emit_frames(take).await?.is_continue() && !export.emit_tail(take).await? {}
    let TranscriptExport { generation, scrubbed, .. } = export;
    Ok(ExportedTranscript { generation, scrubbed, others })
}

/// A transcript on its way out.
struct TranscriptExport<'e> {
    memory: &'e MemoryContext,
    /// The generation as it was known when the frames were last compared with it.
    generation: Generation,
    /// The next frame.
    next: u64,
    /// Lines in the frames before it.
    lines: u64,
    scrubbed: Vec<ReplacedLine>,
}

/// Takes bytes, and says whether it wants more.
type ByteSink<'t> = dyn FnMut(&[u8]) -> ControlFlow<()> + Send + 't;

impl TranscriptExport<'_> {
    /// Gives out the frames that were not. All of them must be there before the first byte of any goes out.
    async fn emit_frames(&mut self, take: &mut ByteSink<'_>) -> Result<ControlFlow<()>> {
        let store = &self.memory.store;
        // Before the first byte: once half a transcript is on standard output, an error comes too late.
        let headers = whole_headers(&**store, &self.generation).await?;
        while self.next < self.generation.frames {
            let frames = store.load_frames(self.generation.id, self.next, PAGE).await?;
            let wanted = &headers[self.next as usize..];
            if frames.is_empty() || frames.iter().zip(wanted).any(|(frame, header)| frame.header != *header) {
                return Err(self.damage_error(format!("frame {} is not the one that was stored", self.next)));
            }
            for frame in frames.into_iter().take(wanted.len()) {
                self.scrubbed.extend(frame.header.scrubbed.iter().map(|line| ReplacedLine {
                    line: self.lines + line.line,
                    original_bytes: line.original_bytes,
                    original_hash: line.original_hash,
                }));
                self.next += 1;
                self.lines += frame.header.lines;
                if take(&frame.content).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Emits the bytes behind the last whole line, unless the transcript has grown meanwhile; returns whether that was
    /// the end.
    async fn emit_tail(&mut self, take: &mut ByteSink<'_>) -> Result<bool> {
        let tail = self.memory.store.load_tail(self.generation.id).await?;
        let now = self.memory.store.generations_of(&self.generation.conversation).await?;
        let now = now.into_iter().find(|other| other.id == self.generation.id);
        let now = now.ok_or_else(|| self.damage_error("it is no longer there".to_owned()))?;
        // The agent may write on during an export: a tail that became a line is read again as a frame.
        if (now.checkpoint, now.tail) != (self.generation.checkpoint, self.generation.tail) {
            self.generation = now;
            return Ok(false);
        }
        let is_as_stored = match (&tail, now.tail) {
            (Some(content), Some((_, hash))) => {
                // What is known is the hash of the source, so a tail with a replaced secret cannot be compared.
                let has_secret = rules_in(&String::from_utf8_lossy(content)).next().is_some();
                has_secret || ContentHash::hash_bytes(content) == hash
            }
            (tail, known) => tail.is_none() && known.is_none(),
        };
        if !is_as_stored {
            return Err(self.damage_error("the bytes behind its last line are not those that were stored".to_owned()));
        }
        if let Some(tail) = tail {
            let _ = take(&tail);
        }
        Ok(true)
    }

    fn damage_error(&self, what: String) -> Error {
        damaged_archive(&self.generation, what)
    }
}
