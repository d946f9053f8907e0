//! Maps byte offsets of a file to rows (lines) and back (`LineTable`). Rows count from 0 here, as in the parser; only
//! extracts count lines from 1.

use model::{ByteSpan, LineRange};

/// The line table of one file.
pub(crate) struct LineTable<'a> {
    bytes: &'a [u8],
    starts: Vec<u32>,
}

impl<'a> LineTable<'a> {
    /// Makes the table; `bytes` must be addressable by 32 bits.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        if !bytes.is_empty() {
            starts.push(0);
        }
        starts.extend(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u32 + 1));
        // A line end at the very end closes the last line; it does not open another.
        if starts.last().is_some_and(|&start| start as usize == bytes.len()) {
            starts.pop();
        }
        Self { bytes, starts }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The row of a byte; the last row for anything past the end.
    pub(crate) fn row_of(&self, byte: u32) -> u32 {
        (self.starts.partition_point(|&start| start <= byte) as u32).saturating_sub(1)
    }

    /// The lines a span touches.
    pub(crate) fn range_of(&self, span: ByteSpan) -> LineRange {
        let start = self.row_of(span.start) + 1;
        LineRange { start, end: self.row_of(span.end.max(span.start + 1) - 1) + 1 }
    }

    /// The bytes of the rows from `first` up to, not including, `end`.
    pub(crate) fn span_of(&self, first: u32, end: u32) -> ByteSpan {
        let offset = |row: u32| self.starts.get(row as usize).copied().unwrap_or(self.bytes.len() as u32);
        ByteSpan { start: offset(first), end: offset(end) }
    }

    /// One row, line end included.
    pub(crate) fn row_bytes(&self, row: u32) -> &'a [u8] {
        &self.bytes[self.span_of(row, row + 1).to_range()]
    }

    pub(crate) fn is_blank(&self, row: u32) -> bool {
        self.row_bytes(row).iter().all(u8::is_ascii_whitespace)
    }

    /// Whether only blanks come before this byte on its row.
    pub(crate) fn starts_its_row(&self, byte: u32) -> bool {
        let row_start = self.starts[self.row_of(byte) as usize];
        self.bytes[row_start as usize..byte as usize].iter().all(u8::is_ascii_whitespace)
    }

    /// Whether only blanks follow on the row of something that ends at a byte.
    pub(crate) fn ends_its_row(&self, end: u32) -> bool {
        let rest = self.bytes[end as usize..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        // A comment node may include its line end.
        self.bytes[..end as usize].ends_with(b"\n") || rest.iter().all(u8::is_ascii_whitespace)
    }

    /// Blanks before the first word of a row.
    pub(crate) fn indent_width(&self, row: u32) -> usize {
        self.row_bytes(row).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_final_line_end_opens_no_line() {
        for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1), ("a\r\nb", 2)] {
            assert_eq!(LineTable::new(text.as_bytes()).line_count(), count, "{text:?}");
        }
    }

    #[test]
    fn a_span_that_ends_with_its_line_stays_on_it() {
        let lines = LineTable::new(b"ab\ncd\nef\n");
        let range = |start, end| lines.range_of(ByteSpan { start, end });
        assert_eq!(range(0, 3), LineRange { start: 1, end: 1 });
        assert_eq!(range(1, 4), LineRange { start: 1, end: 2 });
        assert_eq!(range(6, 9), LineRange { start: 3, end: 3 });
        assert_eq!(range(9, 9), LineRange { start: 3, end: 3 });
    }
}
