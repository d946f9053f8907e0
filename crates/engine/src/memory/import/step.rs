//! Reads a transcript on its own thread and sends it in import steps: a batch of some megabytes with archive frames,
//! scrubbed of secrets, and the messages that are complete with them.

use super::super::archive::{FrameBuilder, FrameSizes, LONGEST_LINE, ScrubbedBytes, SourceChunk, SourceChunkReader};
use super::super::scrub::warn_of_left_out_rules;
use super::ReadableTranscript;
use super::projection_feed::ProjectionFeed;
use model::scrub::Scrubber;
use model::{ContentHash, ProjectedMessage, TranscriptHead};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use store::{KindCount, LineClass, NewFrame, NewTail, QuarantinedLine};
use tokio::sync::mpsc;

/// The lines and messages that are stored together.
#[derive(Default)]
pub(super) struct ImportStep {
    pub(super) frames: Vec<NewFrame>,
    pub(super) tail: Option<NewTail>,
    pub(super) kinds: BTreeMap<(LineClass, String), u64>,
    pub(super) quarantined: Vec<QuarantinedLine>,
    pub(super) messages: Vec<ProjectedMessage>,
    pub(super) head: Option<TranscriptHead>,
    /// The offset in the source behind this step.
    pub(super) end: u64,
}

impl ImportStep {
    /// The kinds of its lines, counted.
    pub(super) fn kind_counts(&self) -> Vec<KindCount> {
        let count = |((class, name), lines): (&(LineClass, String), &u64)| KindCount {
            class: *class,
            name: name.clone(),
            lines: *lines,
        };
        self.kinds.iter().map(count).collect()
    }

    fn byte_count(&self) -> u64 {
        self.frames.iter().map(|frame| frame.original_bytes).sum()
    }
}

/// A step is stored when it has so many bytes: large enough that waiting for the disk does not matter, small enough to
/// be held several times. Tests make several steps of a few lines.
const MIN_STEP_BYTES: u64 = if cfg!(test) { 1 << 10 } else { 4 << 20 };
const FRAMES: FrameSizes =
    if cfg!(test) { FrameSizes { smallest: 64, largest: 256 } } else { FrameSizes::DEFAULT_SIZES };

/// Steps that may wait to be stored.
const MAX_QUEUED_STEPS: usize = 2;

/// The steps of a source as they come.
pub(super) type StepReceiver = mpsc::Receiver<std::io::Result<ImportStep>>;

/// Reads a source on a thread of its own, from where the feed stands to its end.
pub(super) fn spawn_reader(
    transcript: Arc<dyn ReadableTranscript>,
    scrubber: Arc<Scrubber>,
    feed: ProjectionFeed,
) -> StepReceiver {
    let (send, steps) = mpsc::channel(MAX_QUEUED_STEPS);
    std::thread::spawn(move || {
        let mut reading =
            StepReader { scrubber, feed, framer: FrameBuilder::new(FRAMES), step: ImportStep::default(), send };
        let send = reading.send.clone();
        let error = match std::panic::catch_unwind(AssertUnwindSafe(|| reading.read_all(&*transcript))) {
            Ok(Err(ReadStop::Failed(error))) => error,
            Ok(Ok(()) | Err(ReadStop::GivenUp)) => return,
            // Without this error a panic would look like the end of the file, and the rest would be missing silently.
            Err(_) => std::io::Error::other("it met a defect in epitome"),
        };
        // When the receiver is gone, the import was given up, and the error has no reader.
        let _ = send.blocking_send(Err(error));
    });
    steps
}

enum ReadStop {
    Failed(std::io::Error),
    GivenUp,
}

impl From<std::io::Error> for ReadStop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error)
    }
}

struct StepReader {
    scrubber: Arc<Scrubber>,
    feed: ProjectionFeed,
    framer: FrameBuilder,
    step: ImportStep,
    send: mpsc::Sender<std::io::Result<ImportStep>>,
}

impl StepReader {
    fn read_all(&mut self, transcript: &dyn ReadableTranscript) -> Result<(), ReadStop> {
        let mut pieces = SourceChunkReader::new(transcript.open_at(self.feed.offset())?, transcript.container());
        let mut tail = None;
        while let Some(piece) = pieces.next_chunk()? {
            match piece {
                SourceChunk::Lines(bytes) => {
                    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                        self.read_line(line);
                        // Messages are never stored before the lines that say them.
                        if self.framer.is_empty() && self.step.byte_count() >= MIN_STEP_BYTES {
                            self.send_step()?;
                        }
                    }
                }
                SourceChunk::Document(bytes) => self.read_document(&bytes),
                SourceChunk::Stretch { bytes, ends } => {
                    self.read_fragment(&bytes, ends);
                    self.send_step()?;
                }
                SourceChunk::Tail(bytes) => tail = Some(bytes),
            }
        }
        self.finish_source(tail);
        self.send_step()
    }

    fn read_line(&mut self, line: &[u8]) {
        let original = line.strip_suffix(b"\n").unwrap_or(line);
        let scrubbed = self.scrubber.scrub(original);
        if scrubbed.is_left_out {
            warn_of_left_out_rules();
        }
        if scrubbed.found.is_empty() {
            self.step.frames.extend(self.framer.add_line(&ScrubbedBytes { original: line, content: line }));
        } else {
            let content = [&scrubbed.bytes, &line[original.len()..]].concat();
            self.step.frames.extend(self.framer.add_line(&ScrubbedBytes { original: line, content: &content }));
        }
        // Offsets are those of the source: the scrubbed line may be shorter or longer.
        let newline = line.len() - original.len();
        self.feed.feed_line(&scrubbed.bytes, original.len() as u64, newline as u64, &mut self.step);
    }

    fn read_document(&mut self, bytes: &[u8]) {
        let scrubbed = self.scrubber.scrub(bytes);
        self.step.frames.extend(self.framer.add_document(&ScrubbedBytes { original: bytes, content: &scrubbed.bytes }));
        self.feed.feed_line(&scrubbed.bytes, bytes.len() as u64, 0, &mut self.step);
    }

    fn read_fragment(&mut self, bytes: &[u8], ends: bool) {
        let scrubbed = self.scrubber.scrub(bytes);
        let kept = ScrubbedBytes { original: bytes, content: &scrubbed.bytes };
        self.step.frames.extend(self.framer.add_fragment(&kept, ends).into_iter().flatten());
        self.feed.feed_fragment(bytes.len() as u64, ends, &mut self.step);
    }

    /// The source has no more for now.
    fn finish_source(&mut self, tail: Option<Vec<u8>>) {
        self.step.frames.extend(self.framer.take_frame());
        self.feed.pause(&mut self.step);
        // The pause is part of the archive: a rebuild must give out the held messages at the same place.
        match self.step.frames.last_mut() {
            Some(last) => last.paused = true,
            None => self.step.frames.push(NewFrame {
                content: Vec::new(),
                original_bytes: 0,
                original_hash: ContentHash::hash_bytes(b""),
                lines: 0,
                scrubbed: Vec::new(),
                paused: true,
            }),
        }
        if let Some(bytes) = tail {
            let scrubbed = self.scrubber.scrub(&bytes);
            self.feed.feed_tail(&scrubbed.bytes, &mut self.step);
            let original_bytes = bytes.len() as u64;
            let original_hash = ContentHash::hash_bytes(&bytes);
            self.step.tail = Some(NewTail { content: scrubbed.bytes.into_owned(), original_bytes, original_hash });
        }
    }

    fn send_step(&mut self) -> Result<(), ReadStop> {
        let mut step = std::mem::take(&mut self.step);
        step.head = Some(self.feed.head().clone());
        step.end = self.feed.offset();
        // Blocks while two steps wait: a fast disk must not fill the memory with what the store has not taken.
        self.send.blocking_send(Ok(step)).map_err(|_| ReadStop::GivenUp)
    }
}

/// What is wrong with a line that is too long for the projection to read.
pub(super) fn too_long(bytes: u64) -> String {
    format!("{bytes} bytes long, more than {LONGEST_LINE}")
}
