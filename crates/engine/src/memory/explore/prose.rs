//! Summarizes plain text or Markdown in an artifact: its headings with line numbers, or without headings its first and
//! last lines, and lines that report errors.

use super::ContentOutline;
use super::scalar::render_count;

/// Lines shown of the beginning and of the end.
const SHOWN_HEAD_LINES: usize = 8;
const SHOWN_TAIL_LINES: usize = 3;
/// Lines that speak of errors.
const ERRORS: usize = 12;

pub(super) fn outline_prose(text: &str) -> ContentOutline {
    let lines: Vec<&str> = text.lines().collect();
    let headings = find_headings(&lines);
    let size = format!("{}, {}", render_count(lines.len(), "line"), render_count(text.len(), "byte"));
    let said = |range: std::ops::Range<usize>| {
        (range.start + 1..)
            .zip(&lines[range])
            .filter(|(_, line)| !line.trim().is_empty())
            .map(number_line)
            .collect::<Vec<_>>()
    };
    if headings.len() >= 2 {
        let head = format!("text with {}: {size}", render_count(headings.len(), "heading"));
        return ContentOutline { media_type: "text/markdown", lines: std::iter::once(head).chain(headings).collect() };
    }
    let mut shown = vec![format!("text: {size}")];
    let first = lines.len().min(SHOWN_HEAD_LINES);
    shown.extend(said(0..first));
    let last = lines.len().saturating_sub(SHOWN_TAIL_LINES).max(first);
    let between = (first + 1..).zip(&lines[first..last]).filter(|(_, line)| speaks_of_errors(line));
    shown.extend(between.take(ERRORS).map(number_line));
    shown.extend(said(last..lines.len()));
    ContentOutline { media_type: "text/plain", lines: shown }
}

fn number_line((number, line): (usize, &&str)) -> String {
    format!("line {number}: {}", line.trim())
}

/// Headings of Markdown that stand outside of code.
fn find_headings(lines: &[&str]) -> Vec<String> {
    let mut in_code = false;
    let mut headings = Vec::new();
    for (number, line) in (1..).zip(lines) {
        in_code ^= line.trim_start().starts_with("```");
        let level = line.chars().take_while(|c| *c == '#').count();
        if !in_code && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            headings.push(format!("{}{} (line {number})", "  ".repeat(level - 1), line[level..].trim()));
        }
    }
    headings
}

fn speaks_of_errors(line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["error:", "error[", "Error:", "FAILED", "panicked at", "Traceback", "Exception", "fatal:"];
    WORDS.iter().any(|word| line.contains(word))
}
