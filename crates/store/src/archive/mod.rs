//! `ArchiveStore`, the store trait for the raw archive: every line of every imported transcript, byte for byte, and
//! which messages were made from which lines.
//!
//! A **source** is a transcript at a place. What was read of it is a **generation**: bytes that were only ever added
//! to. A file that no longer begins with what we know of it starts another generation, and the old one stays whole.
//! The bytes lie in **frames**, compressed stretches of many lines that generations share where they are equal. Frames
//! are linked by hashes like messages are, so a **checkpoint** (how many bytes, and the hash of all before) says
//! exactly where reading goes on. Checkpoints move in the transaction that stores the bytes and the messages made from
//! them.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod compression;
mod frame;
mod generation;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod rows;

#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use compression::{compress, decompress};
pub use frame::{ArchiveFrame, FrameHeader, NewFrame, ReadCheckpoint, ScrubbedLine};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use frame::{scrubbed_bytes, scrubbed_of};
pub use generation::{
    ArchiveBatch, ArchiveOutcome, ArchiveTotals, BatchTarget, FileIdentity, Generation, GenerationId, GenerationOrigin,
    KindCount, LineClass, MessageOrigin, NewGeneration, NewTail, QuarantinedLine, TranscriptSource,
};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use rows::{
    BatchStep, GenerationRow, batch_name, decide_step, descent_columns, encode_lines, kind_of, lines_of,
};

use crate::Result;
use async_trait::async_trait;
use model::{ConversationId, MessageId};

/// The raw archive.
#[async_trait]
pub trait ArchiveStore: Send + Sync {
    /// Adds bytes of a transcript together with what was made from them: all of it or nothing, durable when this
    /// returns.
    ///
    /// `Conflict` when the generation has gone on, or another one has begun, since the caller looked. A batch that was
    /// stored already, by this caller or by another one who read the same bytes, changes nothing and is answered the
    /// same. A message whose id is taken by other content is stored as a revision, under an id of its own.
    async fn archive_batch(&self, batch: ArchiveBatch) -> Result<ArchiveOutcome>;

    /// The newest generation of a source.
    async fn newest_generation(&self, source: &TranscriptSource) -> Result<Option<Generation>>;

    /// Every generation, by agent, path and number.
    async fn list_generations(&self) -> Result<Vec<Generation>>;

    /// The generations that gave a conversation its messages, in the order in which they began.
    async fn generations_of(&self, conversation: &ConversationId) -> Result<Vec<Generation>>;

    /// The headers of all frames of a generation, in order.
    async fn frame_headers(&self, generation: GenerationId) -> Result<Vec<FrameHeader>>;

    /// Frames of a generation with their bytes, in order, from the `first`th (counted from 0) and at most `limit`.
    /// `Corrupt` when the bytes of a frame differ from the stored bytes.
    async fn load_frames(&self, generation: GenerationId, first: u64, limit: u32) -> Result<Vec<ArchiveFrame>>;

    /// The bytes after the last whole line, if there are any.
    async fn load_tail(&self, generation: GenerationId) -> Result<Option<Vec<u8>>>;

    /// Lines that could not be read, in order.
    async fn load_quarantine(&self, generation: GenerationId) -> Result<Vec<QuarantinedLine>>;

    /// How many lines of a generation were of which kind, by kind and name.
    async fn line_kinds(&self, generation: GenerationId) -> Result<Vec<KindCount>>;

    /// The messages that a generation gave, in the order of their conversation, each with where it comes from.
    async fn message_origins(&self, generation: GenerationId) -> Result<Vec<(MessageId, MessageOrigin)>>;

    /// Totals over all generations.
    async fn archive_totals(&self) -> Result<ArchiveTotals>;
}
