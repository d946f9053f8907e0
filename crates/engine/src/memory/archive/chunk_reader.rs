//! Reads a transcript as a stream of chunks: whole lines while they fit into memory, fragments of longer lines, a whole
//! document, and the tail behind the last newline. Frames are built from these chunks.

use model::TranscriptContainer;
use std::io::{ErrorKind, Read};

/// A longer line is kept like any other, but no projection reads it: it would be held in memory several times.
pub(in crate::memory) const LONGEST_LINE: usize = 64 << 20;

/// Bytes asked of the source at a time.
const READ_CHUNK_BYTES: usize = 1 << 20;

/// A piece of a source.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::memory) enum SourceChunk {
    /// Whole lines, each with its newline.
    Lines(Vec<u8>),
    /// A document, which is one line however many newlines it has.
    Document(Vec<u8>),
    /// A stretch of a line that is too long to be held; `ends` with the line.
    Stretch { bytes: Vec<u8>, ends: bool },
    /// The bytes behind the last newline.
    Tail(Vec<u8>),
}

/// Reads a source to its end.
pub(in crate::memory) struct SourceChunkReader<R> {
    source: R,
    container: TranscriptContainer,
    /// Bytes that were read and not returned yet.
    held: Vec<u8>,
    /// How much of that is known to have no newline: a long line is not searched again with every read.
    searched: usize,
    /// Whether what is held goes on a line that was too long.
    is_long: bool,
    is_over: bool,
}

impl<R: Read> SourceChunkReader<R> {
    pub(in crate::memory) fn new(source: R, container: TranscriptContainer) -> Self {
        Self { source, container, held: Vec::new(), searched: 0, is_long: false, is_over: false }
    }

    /// The next piece, or nothing at the end.
    pub(in crate::memory) fn next_chunk(&mut self) -> std::io::Result<Option<SourceChunk>> {
        loop {
            if let Some(piece) = self.take_complete() {
                return Ok(Some(piece));
            }
            if self.is_over {
                return Ok(self.take_rest());
            }
            self.read_more()?;
        }
    }

    fn read_more(&mut self) -> std::io::Result<()> {
        let before = self.held.len();
        self.held.resize(before + READ_CHUNK_BYTES, 0);
        let outcome = loop {
            match self.source.read(&mut self.held[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => break outcome,
            }
        };
        // Also where the read failed, or zeros would look like bytes of the file.
        self.held.truncate(before + outcome.as_ref().map_or(0, |read| *read));
        self.is_over = outcome? == 0;
        Ok(())
    }

    /// A piece that is complete with what is held.
    fn take_complete(&mut self) -> Option<SourceChunk> {
        let newline = match self.container {
            TranscriptContainer::Document => None,
            TranscriptContainer::Lines | TranscriptContainer::Zstd | TranscriptContainer::Rows if self.is_long => {
                memchr::memchr(b'\n', &self.held)
            }
            TranscriptContainer::Lines | TranscriptContainer::Zstd | TranscriptContainer::Rows => {
                // The last newline: everything before it is whole lines, given out in one piece.
                memchr::memrchr(b'\n', &self.held[self.searched..]).map(|at| self.searched + at)
            }
        };
        if let Some(at) = newline {
            let bytes = self.split_front(at + 1);
            return Some(if std::mem::take(&mut self.is_long) {
                SourceChunk::Stretch { bytes, ends: true }
            } else {
                SourceChunk::Lines(bytes)
            });
        }
        // Once a line is too long, every read is given out at once: memory stays at one read, however long the line is.
        if self.held.len() > LONGEST_LINE || (self.is_long && !self.held.is_empty()) {
            self.is_long = true;
            self.searched = 0;
            let bytes = std::mem::take(&mut self.held);
            return Some(SourceChunk::Stretch { bytes, ends: false });
        }
        self.searched = self.held.len();
        None
    }

    /// The rest at the end of the source.
    fn take_rest(&mut self) -> Option<SourceChunk> {
        if self.held.is_empty() {
            return None;
        }
        self.searched = 0;
        let bytes = std::mem::take(&mut self.held);
        Some(if self.container == TranscriptContainer::Document {
            SourceChunk::Document(bytes)
        } else {
            SourceChunk::Tail(bytes)
        })
    }

    fn split_front(&mut self, length: usize) -> Vec<u8> {
        // What is left may have lines of its own, where a line that was too long has ended.
        self.searched = 0;
        let rest = self.held.split_off(length);
        std::mem::replace(&mut self.held, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A source that gives as much as it likes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.0.len().min(self.1).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn all(bytes: &[u8], drip: usize, container: TranscriptContainer) -> Vec<SourceChunk> {
        let mut pieces = SourceChunkReader::new(Drip(bytes, drip), container);
        std::iter::from_fn(|| pieces.next_chunk().expect("memory can be read")).collect()
    }

    proptest! {
        /// However it drips, no byte is lost, lines are whole and only the last piece is a tail.
        #[test]
        fn pieces_are_the_source(text in "[ab\n]{0,60}", drip in 1..9_usize) {
            let pieces = all(text.as_bytes(), drip, TranscriptContainer::Lines);
            let mut joined = Vec::new();
            for (number, piece) in pieces.iter().enumerate() {
                match piece {
                    SourceChunk::Lines(bytes) => {
                        prop_assert!(bytes.ends_with(b"\n"));
                        joined.extend_from_slice(bytes);
                    }
                    SourceChunk::Tail(bytes) => {
                        prop_assert_eq!(number + 1, pieces.len());
                        prop_assert!(!bytes.contains(&b'\n') && !bytes.is_empty());
                        joined.extend_from_slice(bytes);
                    }
                    SourceChunk::Document(_) | SourceChunk::Stretch { .. } => prop_assert!(false, "{:?}", piece),
                }
            }
            prop_assert_eq!(joined, text.as_bytes());
        }
    }

    #[test]
    fn a_document_is_one_piece() {
        assert_eq!(all(b"{\n}\n", 1, TranscriptContainer::Document), [SourceChunk::Document(b"{\n}\n".to_vec())]);
        assert_eq!(all(b"", 1, TranscriptContainer::Document), []);
    }

    #[test]
    fn a_line_that_cannot_be_held_comes_in_stretches() {
        let mut bytes = b"short\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', LONGEST_LINE + 3 * READ_CHUNK_BYTES));
        bytes.extend_from_slice(b"end\nnext\n");
        let mut joined = Vec::new();
        let mut stretches = Vec::new();
        for piece in all(&bytes, usize::MAX, TranscriptContainer::Lines) {
            match piece {
                SourceChunk::Lines(piece) => joined.extend(piece),
                SourceChunk::Stretch { bytes, ends } => {
                    stretches.push(ends);
                    joined.extend(bytes);
                }
                SourceChunk::Document(_) | SourceChunk::Tail(_) => panic!("there is none"),
            }
        }
        assert!(joined == bytes, "no byte is lost");
        assert!(stretches.len() > 1 && stretches.iter().filter(|ends| **ends).count() == 1, "{stretches:?}");
    }
}
