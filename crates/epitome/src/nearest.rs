//! "Did you mean": the candidate closest to a mistyped word.

/// The candidate closest to `word`, if it is close enough to be what was meant.
///
/// Close is at most three edits (a swap of neighbours is one), and at most half of the longer word: three edits turn
/// any three-letter word into any other. The first of equally close candidates wins, so the answer is stable.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= MOST_EDITS.min(word.len().max(candidate.len()) / 2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

const MOST_EDITS: usize = 3;

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
            ("simbols", Some("symbol")),
            ("foo", None),
            ("ls", None),
            ("", None),
            ("completely-different", None),
        ];
        for (word, expected) in rows {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }
}
