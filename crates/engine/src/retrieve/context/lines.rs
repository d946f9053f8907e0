//! Which lines of a place hold most of a question.

use crate::retrieve::code::stems;

/// Which of some stems a line holds, by their numbers.
pub(super) fn words_in(line: &str, words: &[String]) -> Vec<usize> {
    let lower = line.to_lowercase();
    // A stem is the beginning of its word but for the last letter, so most lines need not be taken apart.
    let may_hold = |word: &String| !word.is_ascii() || !lower.is_ascii() || lower.contains(&word[..word.len() - 1]);
    if !words.iter().any(may_hold) {
        return Vec::new();
    }
    let stems = stems(line);
    (0..words.len()).filter(|number| stems.contains(&words[*number])).collect()
}

/// The first of so many lines in a row that hold most different words, of those that hold most words. `held` has the
/// numbers of each line's words, which are less than `words`.
pub(super) fn densest(held: &[Vec<usize>], keep: usize, words: usize) -> usize {
    let mut counts = vec![0_usize; words];
    let (mut different, mut all) = (0, 0);
    let mut best = (0, (0, 0));
    for (at, line) in held.iter().enumerate() {
        for word in line {
            different += usize::from(counts[*word] == 0);
            counts[*word] += 1;
        }
        all += line.len();
        if let Some(gone) = at.checked_sub(keep) {
            for word in &held[gone] {
                counts[*word] -= 1;
                different -= usize::from(counts[*word] == 0);
            }
            all -= held[gone].len();
        }
        if at + 1 >= keep && (different, all) > best.1 {
            best = (at + 1 - keep, (different, all));
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::code::Question;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn the_words_of_a_line_are_found_in_any_form() {
        let words: Vec<String> =
            Question::new("flies limits organisation 数据").terms.into_iter().map(|term| term.stem).collect();
        let check = |line: &str, expected: &[usize]| assert_eq!(words_in(line, &words), expected, "{line}");
        check("let RateLimiter = fly;", &[0, 1]);
        check("Organized FLIES", &[0, 2]);
        check("/// 数据库 limiting", &[1, 3]);
        check("nothing of it", &[]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn the_densest_lines_are_the_first_of_the_best(
            held in prop::collection::vec(prop::collection::vec(0_usize..5, 0..4), 1..40),
            keep in 1_usize..20,
        ) {
            prop_assume!(keep <= held.len());
            let worth = |start: usize| {
                let window = || held[start..start + keep].iter().flatten();
                (window().collect::<HashSet<_>>().len(), window().count())
            };
            let best = (0..=held.len() - keep).rev().max_by_key(|start| worth(*start)).expect("one at least");
            prop_assert_eq!(densest(&held, keep, 5), best);
        }

        /// What is skipped without being taken apart holds nothing.
        #[test]
        fn no_line_is_skipped_that_holds_a_word(line in "[a-zA-Z_ ]{0,40}", question in "[a-z]{3,12}") {
            let words: Vec<String> = Question::new(&question).terms.into_iter().map(|term| term.stem).collect();
            let all = stems(&line);
            let held: Vec<usize> = (0..words.len()).filter(|number| all.contains(&words[*number])).collect();
            prop_assert_eq!(words_in(&line, &words), held);
        }
    }
}
