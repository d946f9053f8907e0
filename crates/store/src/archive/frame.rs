//! Data types of archive frames, which are compressed chunks of a transcript file: `NewFrame`, `FrameHeader`,
//! `ArchiveFrame`, and `ReadCheckpoint` (byte offset and hash chain, by which each frame is linked to all before it).
//! Also encodes the column that lists the lines in which secrets were replaced.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use super::decompress;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::rows::{DamagedRow, hash_of};
use model::{ContentHash, DigestBuilder};

/// How far a transcript was read, and the hash of everything before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCheckpoint {
    /// Bytes of the source.
    pub bytes: u64,
    /// The hash of all frames so far.
    pub hash: ContentHash,
}

impl ReadCheckpoint {
    /// The beginning of any source.
    pub fn at_start() -> Self {
        Self { bytes: 0, hash: DigestBuilder::new("archive").finish() }
    }

    /// The checkpoint after a frame.
    #[must_use]
    pub fn after_frame(self, frame: &FrameHeader) -> Self {
        // Both hashes are linked: the original one proves which bytes of the agent's file were read, the content one
        // proves what was kept of them after secrets were replaced.
        let link = DigestBuilder::new("frame")
            .add_field(self.hash.as_bytes())
            .add_field(frame.original_hash.as_bytes())
            .add_field(frame.content_hash.as_bytes())
            .add_field(&frame.original_bytes.to_le_bytes())
            .add_field(&frame.lines.to_le_bytes());
        Self { bytes: self.bytes + frame.original_bytes, hash: link.finish() }
    }
}

/// A line in which secrets were replaced before it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScrubbedLine {
    /// Which line of its frame, counted from 0.
    pub line: u64,
    /// How many bytes it had, without its newline.
    pub original_bytes: u64,
    /// The hash of those bytes.
    pub original_hash: ContentHash,
}

/// A frame on its way in.
#[derive(Clone, Debug)]
pub struct NewFrame {
    /// What to keep: the bytes of the source, secrets replaced.
    pub content: Vec<u8>,
    /// How many bytes of the source that is.
    pub original_bytes: u64,
    /// The hash of those.
    pub original_hash: ContentHash,
    /// Lines that end in it.
    pub lines: u64,
    /// The lines that had secrets.
    pub scrubbed: Vec<ScrubbedLine>,
    /// Whether the projection was paused behind it.
    pub paused: bool,
}

impl NewFrame {
    /// Its mark: everything but its bytes.
    pub fn frame_header(&self) -> FrameHeader {
        FrameHeader {
            original_bytes: self.original_bytes,
            original_hash: self.original_hash,
            content_bytes: self.content.len() as u64,
            content_hash: ContentHash::hash_bytes(&self.content),
            lines: self.lines,
            scrubbed: self.scrubbed.clone(),
            paused: self.paused,
        }
    }
}

/// Everything about a frame but its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// How many bytes of the source the frame covers.
    pub original_bytes: u64,
    /// The hash of those.
    pub original_hash: ContentHash,
    /// How many bytes are kept.
    pub content_bytes: u64,
    /// The hash of those.
    pub content_hash: ContentHash,
    /// Lines that end in it.
    pub lines: u64,
    /// The lines that had secrets.
    pub scrubbed: Vec<ScrubbedLine>,
    /// Whether the projection was paused behind it.
    pub paused: bool,
}

/// A frame with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFrame {
    /// Its mark.
    pub header: FrameHeader,
    /// The bytes that are kept.
    pub content: Vec<u8>,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl ArchiveFrame {
    /// The frame of a row; refused when its bytes differ from the stored bytes.
    pub(crate) fn from_compressed(header: FrameHeader, compressed: &[u8]) -> Result<Self, DamagedRow> {
        let content = decompress(compressed)?;
        // The zstd frames carry no checksum, so only the hash keeps flipped bits from reaching a rebuild unnoticed.
        if ContentHash::hash_bytes(&content) != header.content_hash {
            return Err(DamagedRow("the bytes of a frame are not those that were stored".to_owned()));
        }
        Ok(Self { header, content })
    }
}

/// Bytes of one scrubbed line in its column: two numbers and a hash.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const RECORD: usize = 8 + 8 + 32;

/// The column of a frame's scrubbed lines; none for a frame that has none.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn scrubbed_bytes(lines: &[ScrubbedLine]) -> Option<Vec<u8>> {
    let record = |line: &ScrubbedLine| {
        let numbers = [line.line, line.original_bytes].map(u64::to_le_bytes).concat();
        [numbers.as_slice(), line.original_hash.as_bytes()].concat()
    };
    // Nearly all frames have no secret, so NULL keeps the column free of charge for them.
    (!lines.is_empty()).then(|| lines.iter().flat_map(record).collect())
}

/// The scrubbed lines of a column.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn scrubbed_of(column: Option<&[u8]>) -> Result<Vec<ScrubbedLine>, DamagedRow> {
    let column = column.unwrap_or_default();
    if !column.len().is_multiple_of(RECORD) {
        return Err(DamagedRow(format!("{} bytes for scrubbed lines", column.len())));
    }
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("it was cut to eight bytes"));
    let line = |record: &[u8]| {
        let line = number(&record[..8]);
        let original_bytes = number(&record[8..16]);
        Ok(ScrubbedLine { line, original_bytes, original_hash: hash_of(&record[16..])? })
    };
    column.chunks(RECORD).map(line).collect()
}
