//! Summarizes a log file in an artifact: number of lines for each level, and the distinct errors and warnings with
//! their counts.

use super::ContentOutline;
use super::scalar::render_count;
use std::collections::HashMap;

/// Lines that decide whether a text is a log.
const PROBE: usize = 200;
/// Bytes of a line in which its level stands.
const LEVEL_SEARCH_BYTES: usize = 120;
/// How many different problems are counted.
const PROBLEMS: usize = 500;

/// The levels from worst to least, with the words for them.
const LEVELS: [(&str, &[&str]); 5] = [
    ("error", &["ERROR", "ERR", "FATAL", "CRITICAL", "PANIC", "SEVERE"]),
    ("warning", &["WARN", "WARNING"]),
    ("info", &["INFO", "NOTICE"]),
    ("debug", &["DEBUG"]),
    ("trace", &["TRACE"]),
];

/// `None` where fewer than a third of the lines have a level.
pub(super) fn outline_log(text: &str) -> Option<ContentOutline> {
    let probe = text.lines().filter(|line| !line.trim().is_empty()).take(PROBE);
    let (levelled, probed) =
        probe.fold((0, 0), |(levelled, all), line| (levelled + usize::from(line_level(line).is_some()), all + 1));
    if probed < 5 || levelled * 3 < probed {
        return None;
    }
    let mut counts = [0_usize; LEVELS.len()];
    let mut total = 0;
    let mut problems = LogProblems::default();
    for (number, line) in (1..).zip(text.lines()) {
        total = number;
        if let Some(level) = line_level(line) {
            counts[level] += 1;
            if level < 2 {
                problems.add_line(level, number, line);
            }
        }
    }
    let counts: Vec<String> = LEVELS
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|((name, _), count)| format!("{count} {name}"))
        .collect();
    let mut lines = vec![format!("log of {}: {}", render_count(total, "line"), counts.join(", "))];
    lines.extend(problems.into_lines());
    Some(ContentOutline { media_type: "text/plain", lines })
}

/// The level of a line, as a place in [`LEVELS`].
fn line_level(line: &str) -> Option<usize> {
    let end = line.floor_char_boundary(LEVEL_SEARCH_BYTES);
    let words = line[..end].split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| (3..=8).contains(&word.len()));
    // Words of prose are small: only `level=warn` and the like may be.
    let is_marked = line[..end].contains("level") || line[..end].contains("severity");
    let mut found = words.filter_map(|word| {
        let fits = |name: &&str| word == *name || (is_marked && word.eq_ignore_ascii_case(name));
        LEVELS.iter().position(|(_, names)| names.iter().any(&fits))
    });
    found.next()
}

/// The problems, each once: lines that differ in numbers alone are the same problem.
#[derive(Default)]
struct LogProblems {
    known: HashMap<String, usize>,
    /// Level, count, number and text of the first line.
    all: Vec<(usize, usize, usize, String)>,
    further: usize,
}

impl LogProblems {
    fn add_line(&mut self, level: usize, number: usize, line: &str) {
        // Digits are replaced, so that the same problem at another time or with another id is one problem.
        let key: String = line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).take(400).collect();
        let key = key.replace("00", "0").replace("00", "0");
        if let Some(at) = self.known.get(&key) {
            self.all[*at].1 += 1;
        } else if self.all.len() < PROBLEMS {
            self.known.insert(key, self.all.len());
            self.all.push((level, 1, number, line.trim().to_owned()));
        } else {
            self.further += 1;
        }
    }

    /// The worst first, then the most frequent.
    fn into_lines(mut self) -> Vec<String> {
        self.all.sort_by_key(|(level, count, number, _)| (*level, std::cmp::Reverse(*count), *number));
        let mut lines: Vec<String> = self
            .all
            .into_iter()
            .map(|(_, count, number, line)| match count {
                1 => format!("line {number}: {line}"),
                _ => format!("line {number}, {count} times: {line}"),
            })
            .collect();
        if self.further > 0 {
            lines.push(format!("… {} of other problems", render_count(self.further, "line")));
        }
        lines
    }
}
