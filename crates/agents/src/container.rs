//! Opens a transcript as lines, whatever contains it: a file of lines, a zstd-compressed file, one conversation of a
//! database or of a folder. Also reads the first bytes of a file, by which its format is recognised.

use std::io::{Cursor, Error, Read, Result};
use std::path::Path;

use model::TranscriptContainer;

use crate::database::AgentDatabase;
use crate::format::TranscriptFormat;
use crate::unlinked_file::LinkPolicy;

/// How much of a file is enough to know it by.
const FORMAT_PROBE_BYTES: u64 = 64 * 1024;

pub(crate) fn head_of(path: &Path, links: LinkPolicy) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    links.open_file(path)?.take(FORMAT_PROBE_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// The beginning of a packed file, unpacked; `None` when the file is not packed.
pub(crate) fn unpack_head(head: &[u8]) -> Option<Vec<u8>> {
    const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    if !head.starts_with(&MAGIC) {
        return None;
    }
    let mut unpacked = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(head).ok()?.take(FORMAT_PROBE_BYTES);
    let mut piece = [0; 4096];
    // The unpacker fails where the beginning was cut off; what came before that is enough to recognise a format.
    while let Ok(count @ 1..) = decoder.read(&mut piece) {
        unpacked.extend_from_slice(&piece[..count]);
    }
    Some(unpacked)
}

/// The lines of a transcript at a path; `inside` is which conversation of it, where it holds several.
pub(crate) fn open_lines(
    format: &TranscriptFormat,
    container: TranscriptContainer,
    path: &Path,
    inside: Option<&str>,
    links: LinkPolicy,
) -> Result<Box<dyn Read + Send>> {
    let rows = match container {
        TranscriptContainer::Lines | TranscriptContainer::Document => {
            return Ok(Box::new(links.open_file(path)?));
        }
        TranscriptContainer::Zstd => return Ok(Box::new(zstd::stream::read::Decoder::new(links.open_file(path)?)?)),
        TranscriptContainer::Rows => read_rows(format, path, inside)?,
    };
    Ok(Box::new(Cursor::new(rows)))
}

fn read_rows(format: &TranscriptFormat, path: &Path, inside: Option<&str>) -> Result<Vec<u8>> {
    let cannot = |why: &str| Error::other(format!("cannot read {}: {why}", path.display()));
    let inside = inside.ok_or_else(|| cannot("which conversation of it is not said"))?;
    if path.is_dir() {
        let folder = format.folder.ok_or_else(|| cannot("its agent keeps no conversations in folders"))?;
        return (folder.read)(path, inside);
    }
    let rows = format.rows.ok_or_else(|| cannot("its agent keeps no conversations in a database"))?;
    (rows.read)(&AgentDatabase::open(path)?, inside)
}
