//! Whether all of a generation is there: what its frames say of themselves, against the mark it was left with.

use crate::base::Result;
use store::{FrameMark, Generation, SourceMark, Store};

/// The marks of all frames of a generation as it was known; fails where one is missing or not the one that was stored.
pub(in crate::memory) async fn whole_marks(store: &dyn Store, generation: &Generation) -> Result<Vec<FrameMark>> {
    let mut marks = store.frame_marks(generation.id).await?;
    // Frames that another import stored since are not part of the generation as it was loaded.
    marks.truncate(generation.frames as usize);
    let missing = generation.frames - marks.len() as u64;
    if missing > 0 {
        return Err(damaged_archive(generation, format!("{missing} of {} frames are missing", generation.frames)));
    }
    let end = marks.iter().fold(SourceMark::at_start(), SourceMark::after_frame);
    let lines: u64 = marks.iter().map(|mark| mark.lines).sum();
    if (end, lines) != (generation.mark, generation.lines) {
        return Err(damaged_archive(generation, "its frames are not those that were stored".to_owned()));
    }
    Ok(marks)
}

/// The archive of a transcript that cannot be given back as it was.
pub(in crate::memory) fn damaged_archive(generation: &Generation, what: String) -> crate::base::Error {
    let (path, number) = (&generation.source.path, generation.number);
    let database = format!("the archive of {path} (generation {number}, conversation {})", generation.conversation);
    store::Error::Corrupt { database, what }.into()
}
