//! "Did you mean" suggestions for error messages: finds the candidate closest to a mistyped word by edit distance.

/// The candidate closest to `word`, if it is close enough to be what was meant.
///
/// Close is at most three edits (a swap of neighbours is one), and at most half of the longer word: three edits turn
/// any three-letter word into any other. A candidate that begins with the word is one edit away: people leave the end of
/// a name out. The first of equally close candidates wins, so the answer is stable.
pub(crate) fn nearest_word<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= MOST_EDITS.min(word.len().max(candidate.len()) / 2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

const MOST_EDITS: usize = 3;
/// A shorter beginning is that of too many names.
const SHORTEST_BEGINNING: usize = 3;

fn edit_distance(word: &str, candidate: &str) -> usize {
    let is_beginning = word.len() >= SHORTEST_BEGINNING && candidate.starts_with(word);
    strsim::osa_distance(word, candidate).min(if is_beginning { 1 } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_close_enough_or_none() {
        let words = ["search", "serve", "status", "symbol", "url"];
        let rows = [
            ("serach", Some("search")),
            ("SERVE", Some("serve")),
            ("stats", Some("status")),
            ("sta", Some("status")),
            ("simbols", Some("symbol")),
            ("foo", None),
            ("ls", None),
            ("", None),
            ("completely-different", None),
        ];
        for (word, expected) in rows {
            assert_eq!(nearest_word(word, words), expected, "{word}");
        }
    }
}
