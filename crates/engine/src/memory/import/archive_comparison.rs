//! Compares a transcript file on disk with its archive by the hashes of its frames: unchanged, grown (append), or
//! rewritten, truncated or replaced, which begins a new generation.

use model::{ContentHash, TranscriptContainer};
use std::io::{ErrorKind, Read};
use store::{FileIdentity, FrameHeader, Generation, GenerationOrigin};

/// How a transcript compares with its archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranscriptStatus {
    /// The file equals its archive.
    Same,
    /// The file has more bytes behind its archive.
    Grown,
    /// The file begins a new generation, for a reason.
    Begun(GenerationOrigin),
}

/// Compares a file with the newest generation of its source and that one's frames.
pub(in crate::memory) fn compare_with_archive(
    file: &mut dyn Read,
    identity: Option<FileIdentity>,
    generation: &Generation,
    headers: &[FrameHeader],
) -> std::io::Result<TranscriptStatus> {
    for (number, header) in headers.iter().enumerate() {
        let stretch = read_bytes(file, header.original_bytes)?;
        if ContentHash::hash_bytes(&stretch) != header.original_hash {
            // Another inode and another beginning is another file at the same path; a changed middle is the same file,
            // rewritten.
            let is_other = number == 0 && identity != generation.identity;
            let changed = change_origin(&stretch, header.original_bytes);
            return Ok(TranscriptStatus::Begun(if is_other { GenerationOrigin::Replaced } else { changed }));
        }
    }
    let (tail_bytes, tail_hash) = generation.tail.unwrap_or((0, ContentHash::hash_bytes(b"")));
    // The tail was read without its newline. A file that changed there has lost bytes that were seen, so it begins
    // anew.
    let tail = read_bytes(file, tail_bytes)?;
    if ContentHash::hash_bytes(&tail) != tail_hash {
        return Ok(TranscriptStatus::Begun(change_origin(&tail, tail_bytes)));
    }
    let has_more = !read_bytes(file, 1)?.is_empty();
    Ok(match (has_more, generation.container) {
        (false, _) => TranscriptStatus::Same,
        // A document that has more is another document.
        (true, TranscriptContainer::Document) => TranscriptStatus::Begun(GenerationOrigin::Rewritten),
        (true, TranscriptContainer::Lines | TranscriptContainer::Zstd | TranscriptContainer::Rows) => {
            TranscriptStatus::Grown
        }
    })
}

/// Why a file differs from its archive, by the bytes that are there now.
fn change_origin(stretch: &[u8], bytes: u64) -> GenerationOrigin {
    if (stretch.len() as u64) < bytes { GenerationOrigin::Truncated } else { GenerationOrigin::Rewritten }
}

/// Whether a file begins with a frame.
pub(super) fn begins_with(file: &mut dyn Read, header: &FrameHeader) -> std::io::Result<bool> {
    let beginning = read_bytes(file, header.original_bytes)?;
    Ok(ContentHash::hash_bytes(&beginning) == header.original_hash)
}

/// The next bytes, fewer only at the end.
fn read_bytes(file: &mut dyn Read, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut stretch = Vec::new();
    loop {
        match file.take(bytes - stretch.len() as u64).read_to_end(&mut stretch) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(stretch),
        }
    }
}
