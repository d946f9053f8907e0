//! `FileLines`, the text of line ranges of one file by line number, cut to a length, for the texts that models embed or
//! encode.

use model::LineRange;

/// A file whose lines are looked up by their numbers.
pub(super) struct FileLines<'b> {
    bytes: &'b [u8],
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'b> FileLines<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        let after_breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Self { bytes, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    /// The first bytes of a range of lines, at most `most`; nothing where the file has no such lines any more.
    pub(super) fn range_text(&self, lines: LineRange, most: usize) -> String {
        let start_of =
            // The file may have become shorter since it was indexed; lines behind its end are an empty text, not an
            // error.
            |line: u32| self.starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.bytes.len());
        let start = start_of(lines.start);
        let text = &self.bytes[start..start_of(lines.end.saturating_add(1)).max(start)];
        String::from_utf8_lossy(&text[..text.len().min(most)]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_its_lines_whatever_the_file_is_now() {
        let lines = |start, end| LineRange { start, end };
        let texts = |bytes: &[u8]| {
            let file = FileLines::new(bytes);
            [lines(1, 2), lines(3, 3), lines(4, 9), lines(6, u32::MAX)].map(|lines| file.range_text(lines, 100))
        };
        assert_eq!(texts(b"a\nb\nc\nd"), ["a\nb\n", "c\n", "d", ""]);
        assert_eq!(texts(b"a"), ["a", "", "", ""]);
        assert_eq!(texts(b""), ["", "", "", ""]);
        assert_eq!(FileLines::new(&[b'x'; 9]).range_text(lines(1, 1), 4), "xxxx");
    }
}
