//! Compares lines that were shown with a file as it is now (`FileSight`): which of its lines were seen as they are, and in
//! whose place others were seen.

use super::LineSpan;
use super::shown_lines::ShownLines;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A line that stands at more places tells nothing of where others are.
const MAX_PLACES: usize = 20;
/// Lines were moved to places at which there are so many of what is at the best one, as a part of it.
const MIN_SHARE: usize = 5;

/// What was seen of a file.
pub(super) struct FileSight<'t> {
    lines: Vec<&'t str>,
    /// Where each line stands that has a letter.
    places: HashMap<&'t str, Vec<usize>>,
    seen: Vec<bool>,
    changed: Vec<bool>,
}

impl<'t> FileSight<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_telling(line)) {
            places.entry(line).or_default().push(at);
        }
        Self { seen: vec![false; lines.len()], changed: vec![false; lines.len()], lines, places }
    }

    pub(super) fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// Takes in lines that were shown. Where they were is where they are, unless something was added or removed above.
    pub(super) fn add(&mut self, shown: &ShownLines) {
        let run: Vec<&str> = shown.lines.iter().map(String::as_str).collect();
        let place = shown.start.and_then(|start| Some(start.checked_sub(1)? as usize));
        if let Some(place) = place
            && self.lines.get(place..place + run.len()) == Some(&run[..])
        {
            self.seen[place..place + run.len()].fill(true);
            return;
        }
        let Some(region) = self.find_region(&run) else {
            let end = self.lines.len();
            let replaced = place.map(|place| place.min(end)..(place + run.len()).min(end));
            self.changed[replaced.unwrap_or_default()].fill(true);
            return;
        };
        let differences = capture_diff_slices(Algorithm::Patience, &run, &self.lines[region.clone()]);
        let last = differences.iter().rposition(|it| !matches!(it, DiffOp::Insert { .. }));
        for (at, difference) in differences.iter().enumerate() {
            let now = difference.new_range();
            let now = region.start + now.start..region.start + now.end;
            match difference {
                // Of lines without a known place only those that can stand nowhere else.
                DiffOp::Equal { .. } if place.is_some() => self.seen[now].fill(true),
                DiffOp::Equal { .. } if run[difference.old_range()].iter().any(|line| is_telling(line)) => {
                    self.seen[now].fill(true);
                }
                // Without a known place a line that is not there may be of another view.
                DiffOp::Replace { .. } if place.is_some() => self.changed[now].fill(true),
                // What was added between lines that were seen.
                DiffOp::Insert { .. } if place.is_some() && at > 0 && Some(at) < last => self.changed[now].fill(true),
                DiffOp::Equal { .. } | DiffOp::Replace { .. } | DiffOp::Insert { .. } | DiffOp::Delete { .. } => {}
            }
        }
    }

    /// The lines of the file among which those of a run are now: where most of them went by the same distance, or many.
    fn find_region(&self, run: &[&str]) -> Option<Range<usize>> {
        let mut moved: BTreeMap<isize, usize> = BTreeMap::new();
        for (at, line) in run.iter().enumerate() {
            for place in self.places.get(line).filter(|places| places.len() <= MAX_PLACES).into_iter().flatten() {
                *moved.entry(place.cast_signed() - at.cast_signed()).or_default() += 1;
            }
        }
        let most = *moved.values().max()?;
        moved.retain(|_, count| *count * MIN_SHARE >= most);
        let (first, last) = (*moved.first_key_value()?.0, *moved.last_key_value()?.0);
        let end = last + run.len().cast_signed();
        Some(usize::try_from(first).unwrap_or(0)..usize::try_from(end).unwrap_or(0).min(self.lines.len()))
    }

    /// The lines that were seen, and those in whose place others were.
    pub(super) fn spans(&self) -> (Vec<LineSpan>, Vec<LineSpan>) {
        let changed: Vec<bool> = self.changed.iter().zip(&self.seen).map(|(changed, seen)| *changed && !seen).collect();
        (join_lines(&self.seen), join_lines(&changed))
    }
}

/// A line without a letter stands in every file at many places.
fn is_telling(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn join_lines(marked: &[bool]) -> Vec<LineSpan> {
    let mut spans: Vec<LineSpan> = Vec::new();
    for (number, _) in (1_u32..).zip(marked).filter(|(_, is_marked)| **is_marked) {
        match spans.last_mut() {
            Some(span) if span.end_line + 1 == number => span.end_line = number,
            _ => spans.push(LineSpan { start_line: number, end_line: number }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(now: &str, shown: &[(Option<u32>, &str)], seen: &[(u32, u32)], changed: &[(u32, u32)]) {
        let mut sight = FileSight::new(now);
        for (start, lines) in shown {
            let lines = lines.split(' ').map(str::to_owned).collect();
            sight.add(&ShownLines { path: "a".to_owned(), start: *start, lines });
        }
        let numbers = |spans: Vec<LineSpan>| spans.iter().map(|it| (it.start_line, it.end_line)).collect::<Vec<_>>();
        let (told_seen, told_changed) = sight.spans();
        assert_eq!((numbers(told_seen), numbers(told_changed)), (seen.to_vec(), changed.to_vec()));
    }

    #[test]
    fn lines_are_seen_where_they_are_now() {
        let now = "one\ntwo\nthree\nfour\nfive\nsix\n";
        check(now, &[(Some(2), "two three")], &[(2, 3)], &[]);
        check(now, &[(Some(1), "one two"), (Some(5), "five six")], &[(1, 2), (5, 6)], &[]);
        // Two lines were added above them.
        check(now, &[(Some(1), "three four five")], &[(3, 5)], &[]);
        check(now, &[(None, "four five")], &[(4, 5)], &[]);
        check(now, &[(None, "seven")], &[], &[]);
        check(now, &[(Some(9), "nine")], &[], &[]);
    }

    #[test]
    fn lines_are_changed_where_others_were_seen() {
        let now = "one\ntwo\nthree\nfour\nfive\nsix\n";
        check(now, &[(Some(2), "two 3 four")], &[(2, 2), (4, 4)], &[(3, 3)]);
        check(now, &[(Some(2), "two four")], &[(2, 2), (4, 4)], &[(3, 3)]);
        check(now, &[(Some(2), "2 three four")], &[(3, 4)], &[(2, 2)]);
        check(now, &[(Some(3), "three four 5")], &[(3, 4)], &[(5, 5)]);
        check(now, &[(Some(5), "5 6 7")], &[], &[(5, 6)]);
        // What was written since is seen in its turn.
        check(now, &[(Some(2), "two 3 four"), (None, "three")], &[(2, 4)], &[]);
        // The brace behind a changed line is the next one, and a line that stands elsewhere as well is where the others are.
        let now = "a\nb\nc\nd\ne\nf\nx\n}\nk\n1\n}\n";
        check(now, &[(Some(1), "a b c d e f 1 }")], &[(1, 6), (8, 8)], &[(7, 7)]);
        check("{\n}\n{\n}\nfn\n", &[(None, "} {")], &[], &[]);
    }
}
