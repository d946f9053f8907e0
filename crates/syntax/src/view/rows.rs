//! Row ranges of a file: converts byte spans to rows, and tells whether text on a row is more than blanks and closing
//! brackets.

use crate::line_table::LineTable;
use model::ByteSpan;
use std::ops::Range;

/// Rows from 0, as in the parser; the end is not included.
pub(super) type RowRange = Range<u32>;

/// The rows a span touches.
pub(super) fn rows_of(span: ByteSpan, lines: &LineTable) -> RowRange {
    let range = lines.range_of(span);
    range.start - 1..range.end
}

/// The bytes behind a span on its last row.
pub(super) fn bytes_after<'a>(span: ByteSpan, lines: &LineTable<'a>) -> &'a [u8] {
    let row = rows_of(span, lines).end;
    let end = lines.span_of(row, row + 1).start;
    &lines.bytes()[span.end.min(end) as usize..end as usize]
}

/// Whether bytes are more than blanks and closing marks.
pub(super) fn has_content(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| !byte.is_ascii_whitespace() && !b")]};,\"'`".contains(byte))
}
