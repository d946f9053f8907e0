//! Splits message texts into passages, the units that recall scores: a chat message is one passage, a long answer is
//! many.
//!
//! Long texts match by chance somewhere, and a word in a short text says more. So a message counts as its best passage,
//! and all passages are of about the same size.

use std::ops::Range;

/// Characters of a passage at most.
const MAX_PASSAGE_CHARS: usize = 400;

/// A cut falls behind this many characters.
const MIN_PASSAGE_CHARS: usize = 200;

/// Cuts a text into passages: at the last line end in the second half of what fits, else at the last blank there, else
/// where it is full. They cover the text without a gap; an empty text is one empty passage.
pub(super) fn split_passages(text: &str) -> Vec<Range<usize>> {
    let mut cut = Vec::new();
    let mut start = 0;
    while let Some(full) = char_offset(&text[start..], MAX_PASSAGE_CHARS) {
        let piece = &text[start..start + full];
        let half = char_offset(piece, MIN_PASSAGE_CHARS).unwrap_or(full);
        let at = |blank: char| piece[half..].rfind(blank).map(|at| half + at);
        // The blank stays with the next passage, so that joining passages gives the text back to the byte.
        let end = start + at('\n').or_else(|| at(' ')).unwrap_or(full);
        cut.push(start..end);
        start = end;
    }
    cut.push(start..text.len());
    cut
}

/// Whether a cut before this text leaves words alone.
pub(super) fn starts_at_boundary(text: &str) -> bool {
    text.starts_with(['\n', ' '])
}

/// The text without the name of its speaker in front: beside the answers of others it would match for the wrong one.
pub(super) fn without_speaker<'t>(text: &'t str, speaker: Option<&str>) -> &'t str {
    let rest = speaker.filter(|name| !name.is_empty()).and_then(|name| text.strip_prefix(name)?.strip_prefix(':'));
    rest.map_or(text, str::trim_start)
}

/// Whether a text ends in a question: what follows is likely its answer.
pub(super) fn ends_in_question(text: &str) -> bool {
    let start = text.char_indices().rev().nth(QUESTION - 1).map_or(0, |(at, _)| at);
    text[start..].contains('?')
}

/// Characters at the end of a passage where a question mark counts.
const QUESTION: usize = 200;

/// Where the character of that number starts, if there is one.
fn char_offset(text: &str, characters: usize) -> Option<usize> {
    // No text of so few bytes has so many characters.
    if text.len() <= characters {
        return None;
    }
    // Nearly all text is ASCII, where the offset needs no walk over characters.
    let head = text.as_bytes().get(..characters)?;
    if head.is_ascii() {
        return Some(characters);
    }
    text.char_indices().nth(characters).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[usize]) {
        let lengths: Vec<usize> =
            split_passages(text).iter().map(|range| text[range.clone()].chars().count()).collect();
        assert_eq!(lengths, wanted);
    }

    #[test]
    fn long_texts_are_cut_at_lines_then_blanks_then_anywhere() {
        check("", &[0]);
        check("short", &[5]);
        check(&"x".repeat(400), &[400]);
        check(&"é".repeat(401), &[400, 1]);
        check(&format!("{}\n{}", "a ".repeat(110), "b ".repeat(100)), &[220, 201]);
        check(&format!("{}\n{}", "a ".repeat(90), "b ".repeat(130)), &[398, 43]);
        check(&format!("{} {}", "a".repeat(150), "b".repeat(300)), &[400, 51]);
    }

    #[test]
    fn a_name_in_front_is_left_out() {
        assert_eq!(without_speaker("Ann: hi", Some("Ann")), "hi");
        assert_eq!(without_speaker("Anna: hi", Some("Ann")), "Anna: hi");
        assert_eq!(without_speaker("hi", None), "hi");
    }

    #[test]
    fn only_a_question_near_the_end_asks() {
        assert!(ends_in_question("where?"));
        assert!(!ends_in_question(&format!("where?{}", " so".repeat(70))));
    }

    proptest::proptest! {
        /// Whatever the text, passages cover it in order and none is too long.
        #[test]
        fn passages_cover_the_text(text in "[a-zé数 \n]{0,1500}") {
            let cut = split_passages(&text);
            let together: String = cut.iter().map(|range| &text[range.clone()]).collect();
            proptest::prop_assert_eq!(&together, &text);
            for range in cut {
                proptest::prop_assert!(text[range].chars().count() <= MAX_PASSAGE_CHARS);
            }
        }
    }
}
