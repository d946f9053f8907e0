//! Data types of the transcript archive's generations: `TranscriptSource`, `Generation`, and `ArchiveBatch`, which is
//! what one step of a transcript import adds to a generation (frames, messages, quarantined lines, counts of line
//! kinds).

use super::{NewFrame, ReadCheckpoint};
use crate::{AppendBatch, AppendOutcome};
use model::{AgentName, ContentHash, ConversationId, Timestamp, TranscriptContainer, TranscriptHead};

/// A transcript at a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TranscriptSource {
    /// Who wrote it.
    pub agent: AgentName,
    /// Where it lies: a path, and what is inside of it where one file holds several transcripts.
    pub path: String,
}

/// Which file a path leads to, as the file system knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    /// The device.
    pub device: u64,
    /// The number of the file on it.
    pub inode: u64,
}

/// Why a generation began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerationOrigin {
    /// The source was new.
    First,
    /// The file was cut short.
    Truncated,
    /// The file has other bytes where we had read.
    Rewritten,
    /// Another file took the place of the one we read.
    Replaced,
    /// The file was read at another place before, and is no longer there.
    Moved,
}

model::enum_words! {
    pub GenerationOrigin {
        First = "first",
        Truncated = "truncated",
        Rewritten = "rewritten",
        Replaced = "replaced",
        Moved = "moved",
    }
}

/// The store's number of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GenerationId(pub i64);

/// The lines read from a source since it began or was rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// Its number in the store.
    pub id: GenerationId,
    /// The source.
    pub source: TranscriptSource,
    /// Which one of its source: 1, 2, 3, …
    pub number: u32,
    /// Why it began.
    pub origin: GenerationOrigin,
    /// How the lines lie on disk.
    pub container: TranscriptContainer,
    /// Which file it was.
    pub identity: Option<FileIdentity>,
    /// What its lines say about the whole.
    pub head: TranscriptHead,
    /// The conversation its messages belong to.
    pub conversation: ConversationId,
    /// How far it was read: to the end of the last whole line.
    pub checkpoint: ReadCheckpoint,
    /// Frames it has.
    pub frames: u64,
    /// Lines it has.
    pub lines: u64,
    /// Messages that were made from them.
    pub messages: u64,
    /// The unfinished line behind the last whole line: its length and hash.
    pub tail: Option<(u64, ContentHash)>,
    /// When it began to be stored.
    pub stored: Timestamp,
}

/// A generation to begin.
#[derive(Clone, Debug)]
pub struct NewGeneration {
    /// Its source.
    pub source: TranscriptSource,
    /// The newest generation the caller knows of; 0 for none.
    pub after: u32,
    /// Why it begins.
    pub origin: GenerationOrigin,
    /// How the lines lie on disk.
    pub container: TranscriptContainer,
    /// Which file it is.
    pub identity: Option<FileIdentity>,
}

/// Where a batch goes.
#[derive(Clone, Debug)]
pub enum BatchTarget {
    /// Into a new generation.
    Begin(NewGeneration),
    /// Behind what a generation has.
    Continue {
        /// The generation.
        generation: GenerationId,
        /// How far the caller knows it to be.
        checkpoint: ReadCheckpoint,
    },
}

/// Bytes behind the last whole line: a line that is being written, or the end of a file without a last newline. They
/// are kept until the file goes on, and then are part of what comes.
#[derive(Clone, Debug)]
pub struct NewTail {
    /// What to keep, secrets replaced.
    pub content: Vec<u8>,
    /// How many bytes of the source that is.
    pub original_bytes: u64,
    /// The hash of those.
    pub original_hash: ContentHash,
}

/// A line that could not be read. Its bytes are in the archive like all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinedLine {
    /// Which line, counted from 0.
    pub line: u64,
    /// Where it starts in the source.
    pub offset: u64,
    /// How many bytes of the source it has, without its newline.
    pub bytes: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// What lines can be, without their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineClass {
    /// Nothing but space.
    Blank,
    /// Known, and not a message.
    Event,
    /// Damaged.
    Malformed,
    /// Said something.
    Message,
    /// Says what an earlier line said.
    Repeat,
    /// Of a kind we do not know.
    Unknown,
}

model::enum_words! {
    pub LineClass {
        Blank = "blank",
        Event = "event",
        Malformed = "malformed",
        Message = "message",
        Repeat = "repeat",
        Unknown = "unknown",
    }
}

/// How many lines were of one kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindCount {
    /// What they are.
    pub class: LineClass,
    /// The kind's name, where the class has several.
    pub name: String,
    /// How many.
    pub lines: u64,
}

/// Where a message comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOrigin {
    /// The lines it was made from, counted from 0, ascending.
    pub lines: Vec<u64>,
    /// External id of the message it follows, as the source says it.
    pub parent: Option<String>,
    /// The side thread it belongs to.
    pub thread: Option<String>,
    /// External id of the message it goes on from.
    pub continues: Option<String>,
}

/// One step of an import: bytes, and what was made from them.
#[derive(Clone, Debug)]
pub struct ArchiveBatch {
    /// Where the frames go.
    pub target: BatchTarget,
    /// What the lines so far say about the whole.
    pub head: TranscriptHead,
    /// The frames, in order.
    pub frames: Vec<NewFrame>,
    /// The unfinished line behind them; replaces the one before.
    pub tail: Option<NewTail>,
    /// Kinds of the lines that were projected with this step.
    pub kinds: Vec<KindCount>,
    /// Lines among them that could not be read.
    pub quarantined: Vec<QuarantinedLine>,
    /// Messages that are complete now. The conversation is made even where there are none.
    pub messages: AppendBatch,
    /// Where each of them comes from, in their order.
    pub origins: Vec<MessageOrigin>,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveOutcome {
    /// The generation as it is now.
    pub generation: Generation,
    /// What became of each message, in order.
    pub messages: Vec<AppendOutcome>,
}

/// Totals of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ArchiveTotals {
    /// Sources.
    pub sources: u64,
    /// Generations of all sources.
    pub generations: u64,
    /// Lines of all generations.
    pub lines: u64,
    /// Bytes of the source files in all generations.
    pub bytes: u64,
    /// Bytes that keep them, compressed and shared.
    pub stored_bytes: u64,
    /// Lines in quarantine.
    pub quarantined: u64,
    /// Artifacts.
    pub artifacts: u64,
    /// Bytes they have.
    pub artifact_bytes: u64,
}
