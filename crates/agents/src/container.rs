//! Opening a transcript: whatever it is contained in, what comes out is lines.

use std::io::{Cursor, Error, Read, Result};
use std::path::Path;

use model::TranscriptContainer;

use crate::cursor_rows;
use crate::database::AgentDatabase;
use crate::discovery::Transcript;
use crate::opencode_folder;

/// How much of a file is enough to know it by.
const HEAD: u64 = 64 * 1024;

pub(crate) fn head_of(path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    fs_err::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// The beginning of a packed file, unpacked; `None` when the file is not packed.
pub(crate) fn unpack_head(head: &[u8]) -> Option<Vec<u8>> {
    const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    if !head.starts_with(&MAGIC) {
        return None;
    }
    let mut unpacked = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(head).ok()?.take(HEAD);
    let mut piece = [0; 4096];
    // The unpacker fails where the beginning was cut off; what came before that is enough to recognise a format.
    while let Ok(count @ 1..) = decoder.read(&mut piece) {
        unpacked.extend_from_slice(&piece[..count]);
    }
    Some(unpacked)
}

pub(crate) fn open_transcript(transcript: &Transcript) -> Result<Box<dyn Read + Send>> {
    let (path, inside) = (&transcript.path, transcript.inside.as_deref());
    Ok(match (transcript.container, inside) {
        (TranscriptContainer::Lines | TranscriptContainer::Document, _) => Box::new(fs_err::File::open(path)?),
        (TranscriptContainer::Zstd, _) => Box::new(open_zstd(path)?),
        (TranscriptContainer::Rows, Some(inside)) if path.is_dir() => {
            Box::new(Cursor::new(opencode_folder::read_session(path, inside)?))
        }
        (TranscriptContainer::Rows, Some(inside)) => {
            let database = AgentDatabase::open(path)?;
            let lines = match transcript.format.name {
                "cursor" => cursor_rows::read_composer(&database, inside)?,
                "goose" => database.goose_lines(inside)?,
                _ => database.opencode_lines(inside)?,
            };
            Box::new(Cursor::new(lines))
        }
        (TranscriptContainer::Rows, None) => {
            return Err(Error::other(format!("cannot read {}: which conversation of it is not said", path.display())));
        }
    })
}

fn open_zstd(path: &Path) -> Result<impl Read + Send + use<>> {
    zstd::stream::read::Decoder::new(fs_err::File::open(path)?)
}
