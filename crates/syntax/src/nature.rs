//! What a file is before anyone parses it: text or not, in which encoding, written by hand or by a tool.

use crate::facts::ProblemKind;
use crate::lines::Lines;

/// How much of a file decides whether it is text.
const SAMPLE: usize = 8 * 1024;
/// Code with longer lines on average is packed, not written.
const MINIFIED_AVERAGE: usize = 500;
/// One line of this length is enough.
const MINIFIED_LINE: usize = 20_000;
/// Shorter files cost nothing to parse, whatever their lines look like.
const MINIFIED_LEAST: usize = 2_000;

/// The stretch in which a code file must have some words.
const STRETCH: usize = 512;

/// Why these bytes are not read as text, if they are not.
pub fn not_text(bytes: &[u8]) -> Option<ProblemKind> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some(ProblemKind::Utf16);
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let control = sample.iter().filter(|byte| is_control(**byte)).count();
    (sample.contains(&0) || control * 20 > sample.len()).then_some(ProblemKind::Binary)
}

/// Whether a code file was packed by a tool.
pub(crate) fn is_minified(lines: &Lines) -> bool {
    let bytes = lines.bytes().len();
    if bytes < MINIFIED_LEAST {
        return false;
    }
    bytes / lines.count() as usize > MINIFIED_AVERAGE
        || (0..lines.count()).any(|row| lines.row(row).len() > MINIFIED_LINE)
}

/// Whether some stretch of a code file is punctuation without words, as in data or art that only has the extension.
///
/// No grammar follows such text, and the parser's recovery from errors may need seconds and gigabytes for a kilobyte of
/// it. Repeated marks (`-----`) are not meant: people draw lines with them. Of 60,000 files written by people not one
/// is like that.
pub(crate) fn is_wordless(bytes: &[u8]) -> bool {
    bytes.chunks(STRETCH).any(|stretch| {
        let words = stretch.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count();
        // Almost every stretch is done here, and quickly.
        words * 20 < stretch.len() && {
            let marks: Vec<u8> = stretch.iter().copied().filter(u8::is_ascii_punctuation).collect();
            let changes = marks.windows(2).filter(|pair| pair[0] != pair[1]).count();
            marks.len() >= STRETCH / 2 && words * 20 < marks.len() && changes * 2 > marks.len()
        }
    })
}

/// The byte at which braces are nested deeper than there is a limit to, and the limit.
pub(crate) fn too_deep_brace(bytes: &[u8], deepest: Option<u32>) -> Option<(u32, u32)> {
    let deepest = deepest?;
    let mut depth: u32 = 0;
    let at = bytes.iter().position(|byte| {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > deepest
    });
    at.map(|at| (at as u32, deepest))
}

/// The first byte that is not UTF-8.
pub(crate) fn first_invalid(bytes: &[u8]) -> Option<u32> {
    std::str::from_utf8(bytes).err().map(|error| error.valid_up_to() as u32)
}

/// Control bytes that ordinary text does not have; escape sequences and form feeds it may.
fn is_control(byte: u8) -> bool {
    byte == 0x7f || (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1b))
}
