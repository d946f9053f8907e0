//! Feeds the lines of a transcript to its projection (the parser that turns lines into messages), and keeps track of
//! the line number and byte offset of the next line. Also replays archived frames to resume a projection.

use super::step::{ImportStep, too_long};
use model::{LineKind, Projection, TranscriptContainer, TranscriptHead};
use store::{ArchiveFrame, LineClass, QuarantinedLine};

pub(super) struct ProjectionFeed {
    projection: Box<dyn Projection>,
    container: TranscriptContainer,
    line: u64,
    offset: u64,
    /// Where a line began that is being passed over because it is too long.
    long: Option<u64>,
    /// What was replayed of a document.
    document: Vec<u8>,
}

impl ProjectionFeed {
    /// Stands before the first line.
    pub(super) fn new(projection: Box<dyn Projection>, container: TranscriptContainer) -> Self {
        Self { projection, container, line: 0, offset: 0, long: None, document: Vec::new() }
    }

    /// Where in the source the next line begins.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn head(&self) -> &TranscriptHead {
        self.projection.head()
    }

    /// Takes a line that is kept as `content`, and of which the source has so many bytes and the newline after them.
    pub(super) fn feed_line(&mut self, content: &[u8], bytes: u64, newline: u64, step: &mut ImportStep) {
        let projected = self.projection.feed_line(content);
        step.messages.extend(projected.messages);
        self.count_line(projected.kind, bytes, step);
        self.offset += bytes + newline;
    }

    /// Takes a stretch of a line that is too long for the projection to read.
    pub(super) fn feed_fragment(&mut self, bytes: u64, ends: bool, step: &mut ImportStep) {
        let start = *self.long.get_or_insert(self.offset);
        let end = self.offset + bytes;
        if ends {
            self.long = None;
            // The projection counts lines by itself, and an empty one keeps its count in step with ours.
            step.messages.extend(self.projection.feed_line(b"").messages);
            let bytes = end - start - 1;
            self.offset = start;
            self.count_line(LineKind::Malformed(too_long(bytes)), bytes, step);
        }
        self.offset = end;
    }

    /// Gives out what was held back.
    pub(super) fn pause(&mut self, step: &mut ImportStep) {
        step.messages.extend(self.projection.pause());
    }

    /// Feeds the bytes behind the last newline. They are no line yet; if they parse, their messages are stored at once,
    /// and come out the same when the newline arrives.
    pub(super) fn feed_tail(&mut self, content: &[u8], step: &mut ImportStep) {
        let projected = self.projection.feed_line(content);
        // Taken out even where it is not used: the projection must not hold half a line when the whole one comes.
        let held = self.projection.pause();
        if projected.kind == LineKind::Message {
            step.messages.extend(projected.messages);
            step.messages.extend(held);
        }
    }

    /// Brings the projection to where it was by what the archive has.
    pub(super) fn replay_frame(&mut self, frame: &ArchiveFrame, step: &mut ImportStep) {
        self.feed_frame(frame, step);
        // Pauses are replayed where they happened: what a projection gave out early must not be joined with what came
        // later.
        if frame.header.paused {
            self.pause(step);
        }
    }

    fn feed_frame(&mut self, frame: &ArchiveFrame, fed: &mut ImportStep) {
        // Lines may have been shorter or longer before secrets were replaced; frames know.
        let end = self.offset + frame.header.original_bytes;
        let is_part = frame.header.lines == 0 && !frame.content.is_empty();
        if self.container == TranscriptContainer::Document {
            self.document.extend_from_slice(&frame.content);
            if frame.header.lines > 0 {
                let document = std::mem::take(&mut self.document);
                self.feed_line(&document, 0, 0, fed);
            }
        } else if is_part || self.long.is_some() {
            self.feed_fragment(frame.header.original_bytes, frame.header.lines > 0, fed);
        } else {
            for line in frame.content.split_inclusive(|byte| *byte == b'\n') {
                self.feed_line(line.strip_suffix(b"\n").unwrap_or(line), 0, 0, fed);
            }
        }
        self.offset = end;
    }

    fn count_line(&mut self, kind: LineKind, bytes: u64, step: &mut ImportStep) {
        let (class, name) = match kind {
            LineKind::Message => (LineClass::Message, String::new()),
            LineKind::Repeat { .. } => (LineClass::Repeat, String::new()),
            LineKind::Event(name) => (LineClass::Event, name.into_owned()),
            LineKind::Unknown(name) => (LineClass::Unknown, name),
            LineKind::Blank => (LineClass::Blank, String::new()),
            LineKind::Malformed(reason) => {
                let quarantined = QuarantinedLine { line: self.line, offset: self.offset, bytes, reason };
                step.quarantined.push(quarantined);
                (LineClass::Malformed, String::new())
            }
        };
        *step.kinds.entry((class, name)).or_default() += 1;
        self.line += 1;
    }
}
