//! The line diff (Myers) of two versions of a file: which lines of the new text differ from the old one, as ranges.

use model::LineRange;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::HashMap;

/// A longer stretch of differing lines is reported as one range: the comparison takes quadratic time.
const MOST_LINES: usize = 20_000;

/// How many bytes of a file decide whether it is text, as in git.
const LOOKED_AT: usize = 8_000;

/// The lines of `after` that differ from `before`; `None` if they are equal. A binary file has no lines.
pub(super) fn changed_lines(before: &[u8], after: &[u8]) -> Option<Vec<LineRange>> {
    if before == after {
        return None;
    }
    if [before, after].iter().any(|bytes| bytes[..bytes.len().min(LOOKED_AT)].contains(&0)) {
        return Some(Vec::new());
    }
    // Lines are compared as numbers, so that each text is hashed once.
    let mut known = HashMap::new();
    let mut numbered = |text: &[u8]| -> Vec<usize> {
        split_lines(text)
            .map(|line| {
                let next = known.len();
                *known.entry(line.to_vec()).or_insert(next)
            })
            .collect()
    };
    let before = numbered(before);
    let after = numbered(after);
    // Most of a file is equal at both ends and needs no comparison.
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let tail = before[head..].iter().rev().zip(after[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let old = &before[head..before.len() - tail];
    let new = &after[head..after.len() - tail];
    // Only the line ends differ.
    if old.is_empty() && new.is_empty() {
        return None;
    }
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > MOST_LINES {
        return Some(vec![line_range(head, new.len())]);
    }
    let steps = capture_diff_slices(Algorithm::Myers, old, new);
    let ranges = steps.iter().filter_map(|step| match *step {
        DiffOp::Equal { .. } => None,
        DiffOp::Delete { new_index, .. } => Some(line_range(head + new_index, 0)),
        DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } => {
            Some(line_range(head + new_index, new_len))
        }
    });
    Some(ranges.collect())
}

/// Lines without their ends, so that Windows line ends are no difference.
pub(super) fn split_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let all = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    all.filter(move |_| !text.is_empty())
}

/// A number of lines from an index on; for none, the line before.
fn line_range(index: usize, count: usize) -> LineRange {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX).max(1);
    match count {
        0 => LineRange { start: number(index), end: number(index) },
        _ => LineRange { start: number(index + 1), end: number(index + count) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let told = changed_lines(before.as_bytes(), after.as_bytes()).map(|ranges| {
            let ranges: Vec<String> = ranges.iter().map(|lines| format!("{}-{}", lines.start, lines.end)).collect();
            ranges.join(" ")
        });
        assert_eq!(told.as_deref().unwrap_or("same"), expected, "{before:?} {after:?}");
    }

    #[test]
    fn lines_are_told_as_they_are_after_the_change() {
        check("a\nb\nc\n", "a\nb\nc\n", "same");
        check("a\nb\n", "a\nx\ny\nz\nb\n", "2-4");
        check("a\nb\nc\nd\n", "a\nd\n", "1-1");
        check("a\nb\nc\nd\n", "x\nb\nc\ny\n", "1-1 4-4");
        check("a\nb\n", "", "1-1");
        check("", "a\nb\n", "1-2");
        check("a\nb\nc\nd\ne\n", "b\nc\nd\ne\nf\n", "1-1 5-5");
    }

    #[test]
    fn the_ends_of_lines_are_no_change() {
        check("a\nb\n", "a\r\nb\r\n", "same");
        check("a\nb\n", "a\r\nx\r\n", "2-2");
        check("a\nb\n", "a\nb", "same");
    }

    #[test]
    fn what_is_no_text_has_no_lines() {
        check("a\0b", "a\0c", "");
    }

    #[test]
    fn a_file_of_very_many_other_lines_is_one_range() {
        let text =
            |word: &str| (0..30_000).fold(String::new(), |text, number| text + word + &number.to_string() + "\n");
        check(&text("a"), &text("b"), "1-30000");
    }
}
