//! Opens a file of the project for the read operation and reads its bytes or lines: whole when the file is small, in
//! pieces when it is large.

use super::target::confine_path;
use crate::base::{Error, Project, Result, confined_file};
use memchr::memchr_iter;
use model::LineRange;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use syntax::ProblemKind;

/// A larger file is never read whole: it may be a disk image or a log of many gigabytes.
const LARGEST_WHOLE: u64 = 16 << 20;
/// How much of a large file decides whether it is text.
const SAMPLE: u64 = 8 << 10;
/// How many entries of a directory an error lists.
const MOST_ENTRIES: usize = 8;

/// A file's bytes, or the way to them.
pub(super) enum FileContent {
    Whole(Vec<u8>),
    Large { file: File, bytes: u64 },
}

/// A piece of a file.
pub(super) struct ContentSlice {
    /// Where it is, in bytes.
    pub(super) place: Range<u64>,
    /// Its bytes, or the first ones.
    pub(super) bytes: Vec<u8>,
}

/// Opens a file of the project, and reads it if it is not too large.
pub(super) fn read_content(project: &Project, path: &str) -> Result<FileContent> {
    let confined = confine_path(project, path)?;
    let refuse = |reason: String| Error::Parameter { field: "targets", reason };
    let is_directory = |names: Vec<String>| {
        refuse(format!("names `{path}`, which is a directory: name its files{}", list_entries(names)))
    };
    // The project itself has no name below itself.
    if confined.is_empty() {
        return Err(is_directory(confined_file::list_root(&project.root)));
    }
    let file = confined_file::open_entry(&project.root, Path::new(&confined)).map_err(|error| {
        // The path had no link in it a moment ago.
        let is_link = error.kind() == ErrorKind::NotADirectory;
        if is_link { Error::Outside { path: path.to_owned() } } else { Error::Disk(error) }
    })?;
    let metadata = file.metadata().map_err(Error::Disk)?;
    if metadata.is_dir() {
        return Err(is_directory(confined_file::list_names(&file)));
    }
    if !metadata.is_file() {
        return Err(refuse(format!("names `{path}`, which is not a file")));
    }
    let bytes = metadata.len();
    // A file may grow after its size was read, so both limits hold for the read itself.
    let most = if bytes > LARGEST_WHOLE { SAMPLE } else { LARGEST_WHOLE };
    let mut read = Vec::with_capacity(bytes.min(most) as usize);
    (&file).take(most).read_to_end(&mut read).map_err(Error::Disk)?;
    if bytes <= most {
        read = syntax::decode_text(read);
    }
    // Valid UTF-8 is shown, even with a NUL in it; the last character of a sample may be cut.
    let is_text = std::str::from_utf8(&read).err().is_none_or(|error| bytes > most && error.error_len().is_none());
    match syntax::not_text(&read).filter(|_| !is_text) {
        Some(ProblemKind::Utf16) => Err(refuse(format!(
            "names `{path}`, which is text in UTF-16, damaged or too large ({bytes} bytes): convert it, for example with iconv -f UTF-16 -t UTF-8"
        ))),
        Some(_) => Err(refuse(format!(
            "names `{path}`, which is not text ({bytes} bytes): open it with a tool for its format"
        ))),
        None if bytes > most => Ok(FileContent::Large { file, bytes }),
        None => Ok(FileContent::Whole(read)),
    }
}

impl FileContent {
    /// Its size.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Large { bytes, .. } => *bytes,
        }
    }

    /// Some of its bytes, at most `most`.
    pub(super) fn read_bytes(&self, place: Range<u64>, most: u64) -> Result<ContentSlice> {
        // A request may reach beyond the end of the file.
        let place = place.start.min(self.len())..place.end.min(self.len());
        let length = (place.end - place.start).min(most);
        let bytes = match self {
            Self::Whole(bytes) => bytes[place.start as usize..(place.start + length) as usize].to_vec(),
            Self::Large { file, .. } => {
                let mut bytes = Vec::with_capacity(length as usize);
                let mut file: &File = file;
                file.seek(SeekFrom::Start(place.start)).map_err(Error::Disk)?;
                file.take(length).read_to_end(&mut bytes).map_err(Error::Disk)?;
                bytes
            }
        };
        Ok(ContentSlice { place, bytes })
    }

    /// The byte range of some lines; empty where there are fewer lines.
    pub(super) fn place_of(&self, lines: LineRange) -> Result<Range<u64>> {
        match self {
            Self::Whole(bytes) => place_of(lines, bytes.as_slice()),
            Self::Large { file, .. } => {
                let mut file: &File = file;
                file.seek(SeekFrom::Start(0)).map_err(Error::Disk)?;
                place_of(lines, BufReader::with_capacity(1 << 20, file))
            }
        }
    }

    /// The bytes of some lines; not for lines of a request, which may be long.
    pub(super) fn read_lines(&self, lines: LineRange) -> Result<Vec<u8>> {
        Ok(self.read_bytes(self.place_of(lines)?, LARGEST_WHOLE)?.bytes)
    }
}

/// Counts lines with no more than one buffer of the text in memory.
fn place_of(lines: LineRange, mut text: impl BufRead) -> Result<Range<u64>> {
    let mut at = 0;
    let mut line = 1;
    let mut start = (lines.start == 1).then_some(0);
    loop {
        let piece = text.fill_buf().map_err(Error::Disk)?;
        if piece.is_empty() {
            // The last line may have no line end.
            return Ok(start.unwrap_or(at)..at);
        }
        for end in memchr_iter(b'\n', piece) {
            let next = at + end as u64 + 1;
            if line == lines.end {
                return Ok(start.unwrap_or(next)..next);
            }
            line += 1;
            if line == lines.start {
                start = Some(next);
            }
        }
        let length = piece.len();
        text.consume(length);
        at += length as u64;
    }
}

fn list_entries(mut names: Vec<String>) -> String {
    names.sort_unstable();
    let more = names.len().saturating_sub(MOST_ENTRIES);
    names.truncate(MOST_ENTRIES);
    match (names.is_empty(), more) {
        (true, _) => "; it is empty".to_owned(),
        (false, 0) => format!(" ({})", names.join(", ")),
        (false, more) => format!(" ({} and {more} more)", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_with_their_newlines() {
        let text = b"a\nbb\nccc";
        let whole = FileContent::Whole(text.to_vec());
        let cut = |start, end| whole.read_lines(LineRange { start, end }).expect("lines");
        assert_eq!((cut(1, 1), cut(2, 3), cut(1, 3)), (b"a\n".to_vec(), b"bb\nccc".to_vec(), text.to_vec()));
        assert_eq!((cut(3, 9), cut(4, 9)), (b"ccc".to_vec(), Vec::new()));
        // The same in pieces, as a large file is read.
        for size in 1..4 {
            for (start, end) in [(1, 1), (2, 3), (1, 3), (3, 9), (4, 9)] {
                let lines = LineRange { start, end };
                let place = place_of(lines, BufReader::with_capacity(size, &text[..])).expect("lines");
                assert_eq!(place, whole.place_of(lines).expect("lines"), "{size} {start}-{end}");
            }
        }
    }
}
