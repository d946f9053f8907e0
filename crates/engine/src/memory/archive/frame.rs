//! Builds frames, the blocks of the transcript archive, from lines, by content-defined chunking: a hash of a line's end
//! decides whether the line ends its frame, between a smallest and a largest size. Scrubbed lines are kept with the
//! hash of the original.

use model::ContentHash;
use store::{NewFrame, ScrubbedLine};

/// How large frames are.
#[derive(Clone, Copy, Default)]
pub(in crate::memory) struct FrameSizes {
    /// A frame that is smaller goes on whatever its lines say.
    pub(in crate::memory) smallest: usize,
    /// A frame that is larger ends with its line.
    pub(in crate::memory) largest: usize,
}

impl FrameSizes {
    /// Large enough to compress well, small enough that reading one line of it costs less than a millisecond.
    pub(in crate::memory) const DEFAULT_SIZES: Self = Self { smallest: 64 << 10, largest: 512 << 10 };
}

/// One line in so many ends a frame between the two.
const FRAME_BOUNDARY_DIVISOR: u64 = 64;
/// Bytes at the end of a line that decide whether it ends a frame.
const BOUNDARY_HASH_BYTES: usize = 64;

/// A line as it was and as it is kept, both with its newline.
pub(in crate::memory) struct ScrubbedBytes<'a> {
    pub(in crate::memory) original: &'a [u8],
    pub(in crate::memory) content: &'a [u8],
}

/// Gathers lines until a frame is full.
pub(in crate::memory) struct FrameBuilder {
    sizes: FrameSizes,
    gathered: FrameBuffer,
}

#[derive(Default)]
struct FrameBuffer {
    content: Vec<u8>,
    /// The bytes of the source, from the first line on in which something was replaced; before it they are the content.
    original: Option<Vec<u8>>,
    lines: u64,
    scrubbed: Vec<ScrubbedLine>,
}

impl FrameBuilder {
    pub(in crate::memory) fn new(sizes: FrameSizes) -> Self {
        Self { sizes, gathered: FrameBuffer::default() }
    }

    /// Adds a line, and gives the frame that it ends.
    pub(in crate::memory) fn add_line(&mut self, line: &ScrubbedBytes<'_>) -> Option<NewFrame> {
        if line.original != line.content {
            let without_newline = line.original.strip_suffix(b"\n").unwrap_or(line.original);
            self.gathered.scrubbed.push(ScrubbedLine {
                line: self.gathered.lines,
                original_bytes: without_newline.len() as u64,
                original_hash: ContentHash::hash_bytes(without_newline),
            });
        }
        self.gathered.append_bytes(line);
        self.gathered.lines += 1;
        // The original line decides, so that a rule for secrets does not change which lines may end a frame.
        if self.is_full(line.original) { self.take_frame() } else { None }
    }

    /// Adds a document, which is one line, and gives its frames: cut where its own lines end, unless something was
    /// replaced in it.
    pub(in crate::memory) fn add_document(&mut self, document: &ScrubbedBytes<'_>) -> Vec<NewFrame> {
        let mut frames = Vec::new();
        // With a secret replaced, bytes of the document and of its copy no longer correspond piece by piece.
        if document.original != document.content {
            frames.extend(self.add_line(document));
            frames.extend(self.take_frame());
            return frames;
        }
        for piece in document.original.split_inclusive(|byte| *byte == b'\n') {
            self.gathered.append_bytes(&ScrubbedBytes { original: piece, content: piece });
            if self.is_full(piece) {
                frames.extend(self.take_frame());
            }
        }
        frames.extend(self.take_frame());
        if let Some(last) = frames.last_mut() {
            // All pieces are one line, which ends with the last one: lines are what `verify` counts.
            last.lines = 1;
        }
        frames
    }

    /// Adds a stretch of a line that is not held whole; it is a frame of its own, so that none grows too large.
    pub(in crate::memory) fn add_fragment(&mut self, stretch: &ScrubbedBytes<'_>, ends: bool) -> [Option<NewFrame>; 2] {
        let before = self.take_frame();
        self.gathered.append_bytes(stretch);
        self.gathered.lines += u64::from(ends);
        [before, self.take_frame()]
    }

    /// Whether every line that was added is in a frame.
    pub(in crate::memory) fn is_empty(&self) -> bool {
        self.gathered.content.is_empty() && self.gathered.original.is_none()
    }

    /// The frame gathered so far, if there is any.
    pub(in crate::memory) fn take_frame(&mut self) -> Option<NewFrame> {
        if self.is_empty() {
            return None;
        }
        let FrameBuffer { content, original, lines, scrubbed } = std::mem::take(&mut self.gathered);
        let source = original.as_deref().unwrap_or(&content);
        let original_bytes = source.len() as u64;
        let original_hash = ContentHash::hash_bytes(source);
        Some(NewFrame { content, original_bytes, original_hash, lines, scrubbed, paused: false })
    }

    fn is_full(&self, line: &[u8]) -> bool {
        let bytes = self.gathered.content.len();
        bytes >= self.sizes.largest || (bytes >= self.sizes.smallest && ends_frame(line))
    }
}

impl FrameBuffer {
    fn append_bytes(&mut self, kept: &ScrubbedBytes<'_>) {
        if self.original.is_none() && kept.original != kept.content {
            // Only from the first secret on: nearly all frames have none, and are kept in memory once.
            self.original = Some(self.content.clone());
        }
        if let Some(original) = &mut self.original {
            original.extend_from_slice(kept.original);
        }
        self.content.extend_from_slice(kept.content);
    }
}

/// FNV-1a over the end of the line: where it says the same, it decides the same.
fn ends_frame(line: &[u8]) -> bool {
    // The end of the line alone: hashing whole lines of megabytes would cost more than it gains.
    let end = &line[line.len().saturating_sub(BOUNDARY_HASH_BYTES)..];
    let hash = end
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    hash.is_multiple_of(FRAME_BOUNDARY_DIVISOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN_FRAME_BYTES: usize = FrameSizes::DEFAULT_SIZES.smallest;
    const MAX_FRAME_BYTES: usize = FrameSizes::DEFAULT_SIZES.largest;

    fn framer() -> FrameBuilder {
        FrameBuilder::new(FrameSizes::DEFAULT_SIZES)
    }

    fn frames(lines: &[Vec<u8>]) -> Vec<NewFrame> {
        let mut framer = framer();
        let mut made: Vec<NewFrame> =
            lines.iter().filter_map(|line| framer.add_line(&ScrubbedBytes { original: line, content: line })).collect();
        made.extend(framer.take_frame());
        made
    }

    fn lines(count: usize, seed: &str) -> Vec<Vec<u8>> {
        let line = |number| {
            let hash = ContentHash::hash_bytes(format!("{seed}{number}").as_bytes()).to_string();
            format!("{{\"text\":\"{}\",\"uuid\":\"{hash}\"}}\n", "word ".repeat(300)).into_bytes()
        };
        (0..count).map(line).collect()
    }

    #[test]
    fn frames_are_neither_small_nor_large_and_hold_every_byte() {
        let lines = lines(2_000, "a");
        let frames = frames(&lines);
        assert!(frames.len() > 8, "{}", frames.len());
        let last = frames.len() - 1;
        for (number, frame) in frames.iter().enumerate() {
            assert!(frame.content.len() >= MIN_FRAME_BYTES || number == last, "{}", frame.content.len());
            assert!(frame.content.len() < MAX_FRAME_BYTES + 2_000, "{}", frame.content.len());
            assert_eq!(frame.original_hash, ContentHash::hash_bytes(&frame.content));
        }
        assert!(frames.iter().flat_map(|frame| &frame.content).eq(lines.concat().iter()));
        assert_eq!(frames.iter().map(|frame| frame.lines).sum::<u64>(), 2_000);
    }

    #[test]
    fn a_file_written_anew_has_most_of_its_frames_again() {
        let before = lines(3_000, "a");
        let mut after = before.clone();
        after[10] = b"other words\n".to_vec();
        after.splice(1_500..1_500, lines(3, "b"));
        let known: Vec<ContentHash> = frames(&before).iter().map(|frame| frame.original_hash).collect();
        let again = frames(&after);
        let fresh = again.iter().filter(|frame| !known.contains(&frame.original_hash)).count();
        assert!(again.len() > 12 && fresh <= 6, "{fresh} of {} are new", again.len());
    }

    #[test]
    fn a_document_is_one_line_in_several_frames() {
        let document = lines(500, "a").concat();
        let frames = framer().add_document(&ScrubbedBytes { original: &document, content: &document });
        assert!(frames.len() > 2, "{}", frames.len());
        assert!(frames.iter().flat_map(|frame| &frame.content).eq(document.iter()));
        assert_eq!(frames.iter().map(|frame| frame.lines).sum::<u64>(), 1);
        assert_eq!(frames.last().map(|frame| frame.lines), Some(1));
        let scrubbed = framer().add_document(&ScrubbedBytes { original: &document, content: b"all secret" });
        assert_eq!((scrubbed.len(), scrubbed[0].lines, scrubbed[0].scrubbed.len()), (1, 1, 1));
    }

    #[test]
    fn a_scrubbed_line_is_kept_with_what_it_was() {
        let mut framer = framer();
        assert!(framer.add_line(&ScrubbedBytes { original: b"a\n", content: b"a\n" }).is_none());
        assert!(framer.add_line(&ScrubbedBytes { original: b"key 123\n", content: b"key X\n" }).is_none());
        assert!(framer.add_line(&ScrubbedBytes { original: b"b\n", content: b"b\n" }).is_none());
        let frame = framer.take_frame().expect("there are lines");
        assert_eq!(frame.content, b"a\nkey X\nb\n");
        assert_eq!((frame.original_bytes, frame.original_hash), (12, ContentHash::hash_bytes(b"a\nkey 123\nb\n")));
        let line = ScrubbedLine { line: 1, original_bytes: 7, original_hash: ContentHash::hash_bytes(b"key 123") };
        assert_eq!(frame.scrubbed, [line]);
        assert!(framer.take_frame().is_none());
    }
}
