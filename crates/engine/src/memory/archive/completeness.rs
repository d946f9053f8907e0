//! Checks that the archive of a transcript has all its frames: loads the frame headers of a generation and compares
//! their number, lines and end with the stored checkpoint. Exports, imports and rebuilds begin with this check.

use crate::base::Result;
use store::{FrameHeader, Generation, ReadCheckpoint, Store};

/// The headers of all frames of a generation as it was known; fails where one is missing or not the one that was stored.
pub(in crate::memory) async fn whole_headers(store: &dyn Store, generation: &Generation) -> Result<Vec<FrameHeader>> {
    let mut headers = store.frame_headers(generation.id).await?;
    // Frames that another import stored since are not part of the generation as it was loaded.
    headers.truncate(generation.frames as usize);
    let missing = generation.frames - headers.len() as u64;
    if missing > 0 {
        return Err(damaged_archive(generation, format!("{missing} of {} frames are missing", generation.frames)));
    }
    let end = headers.iter().fold(ReadCheckpoint::at_start(), ReadCheckpoint::after_frame);
    let lines: u64 = headers.iter().map(|header| header.lines).sum();
    if (end, lines) != (generation.checkpoint, generation.lines) {
        return Err(damaged_archive(generation, "its frames are not those that were stored".to_owned()));
    }
    Ok(headers)
}

/// The archive of a transcript that cannot be given back as it was.
pub(in crate::memory) fn damaged_archive(generation: &Generation, what: String) -> crate::base::Error {
    let path = &generation.source.path;
    let number = generation.number;
    let database = format!("the archive of {path} (generation {number}, conversation {})", generation.conversation);
    store::Error::Corrupt { database, what }.into()
}
