//! Chooses which lines of a region to show where all of it exceeds the token budget: the line that names the symbol,
//! and the range of lines that has most of the question's words. A marker between the two names the lines left out.

use crate::code::search::{CodeQuestion, unique_stems};
use foldhash::{HashMap, HashMapExt};
use model::count_tokens;
use std::ops::Range;

/// The words of a question by their stems, each with how much it counts.
pub(super) struct QuestionWords(HashMap<String, f32>);

impl QuestionWords {
    pub(super) fn from_question(text: &str) -> Self {
        let terms = CodeQuestion::new(text).terms;
        Self(terms.into_iter().map(|term| (term.stem, term.weight)).collect())
    }

    /// For each line, the words of the question that it has.
    fn words_of_lines<'q>(&'q self, lines: &[&str]) -> Vec<Vec<&'q str>> {
        let known = |stem: String| self.0.get_key_value(&stem).map(|(stem, _)| stem.as_str());
        lines.iter().map(|line| unique_stems(line).into_iter().filter_map(known).collect()).collect()
    }
}

/// A word that a stretch has again adds this share of what it adds the first time, so often at most.
const REPEATED_SHARE: f32 = 0.2;
const MOST_REPEATS: u32 = 4;

/// A stretch further down must score so much more than the beginning to be shown in its place.
const MIN_SCORE_RATIO: f32 = 1.15;

/// The stretch of lines that costs at most `room` tokens and has most of the question's words; none where the beginning
/// says as much.
pub(super) fn find_stretch(text: &str, words: &QuestionWords, room: u32) -> Option<Range<usize>> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // Counted line by line, once: the window below only adds and subtracts.
    let costs: Vec<u32> = lines.iter().map(|line| count_tokens(line).0).collect();
    let of_lines = words.words_of_lines(&lines);
    let mut line_counts: HashMap<&str, u32> = HashMap::new();
    for word in of_lines.iter().flatten() {
        *line_counts.entry(word).or_insert(0) += 1;
    }
    // A word on every line says nothing about where to look.
    let weight = |word: &str| {
        let lines_with = line_counts.get(word).copied().unwrap_or(1);
        words.0.get(word).copied().unwrap_or(0.0) * (1.0 + lines.len() as f32 / lines_with as f32).ln()
    };
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let mut score = 0.0_f32;
    let mut cost = 0_u32;
    let mut end = 0;
    let mut best = None::<(f32, Range<usize>)>;
    let mut of_beginning = 0.0_f32;
    // A sliding window: each line enters and leaves once, so a region of thousands of lines stays linear.
    for start in 0..lines.len() {
        while end < lines.len() && cost + costs[end] <= room {
            cost += costs[end];
            for word in &of_lines[end] {
                let count = counts.entry(word).or_insert(0);
                score += share_of(*count) * weight(word);
                *count += 1;
            }
            end += 1;
        }
        if start == 0 {
            of_beginning = score;
        }
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, start..end));
        }
        if end == start {
            // This line alone costs too much.
            end += 1;
            continue;
        }
        cost -= costs[start];
        for word in &of_lines[start] {
            let count = counts.entry(word).or_insert(1);
            *count -= 1;
            // With the count after the decrement: exactly what the word added when it came in with that count.
            score -= share_of(*count) * weight(word);
        }
    }
    let (most, stretch) = best?;
    (stretch.start > 0 && most > of_beginning * MIN_SCORE_RATIO).then_some(stretch)
}

/// The share that a word adds which the stretch already has `count` times.
fn share_of(count: u32) -> f32 {
    match count {
        0 => 1.0,
        1..=MOST_REPEATS => REPEATED_SHARE,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_where_the_words_of_the_question_are() {
        let mut lines: Vec<String> = (0..60).map(|at| format!("    count_{at} += 1\n")).collect();
        lines[0] = "def charge(cart):\n".to_owned();
        lines[40] = "    if card_expired(cart): retry_payment(cart)\n".to_owned();
        let words = QuestionWords::from_question("when is an expired card retried for payment");
        let stretch = find_stretch(&lines.concat(), &words, 60).expect("a stretch");
        assert!(stretch.contains(&40) && stretch.len() < 20, "{stretch:?}");
        assert_eq!(find_stretch(&lines.concat(), &words, 10_000), None, "all of it is the beginning");
        let of_beginning = QuestionWords::from_question("charge the cart");
        assert_eq!(find_stretch(&lines[..30].concat(), &of_beginning, 60), None);
    }
}
