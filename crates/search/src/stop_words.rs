//! Stop word lists for queries (`is_stop_word`): words that hold a sentence together and say nothing of its subject.
//!
//! Most are the same wherever people ask. Two lists are added to them, each for one kind of question: words that are
//! parts of names in code (`all`, `after`, `between`, `now`) are worth looking for there and nothing in talk, and verbs
//! of every question about code (`use`, `get`) are what talk may be about.

use crate::StemRules;

/// Whether a word in lower case is a stop word in questions about this kind of text.
pub fn is_stop_word(text: StemRules, word: &str) -> bool {
    let own = match text {
        StemRules::Code => CODE_STOP_WORDS,
        StemRules::English => CONVERSATION_STOP_WORDS,
    };
    COMMON_STOP_WORDS.binary_search(&word).is_ok() || own.binary_search(&word).is_ok()
}

/// In order, as are the others.
const COMMON_STOP_WORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "being", "both", "but", "by", "can", "could", "do",
    "does", "done", "during", "each", "for", "from", "had", "has", "have", "having", "how", "i", "if", "in", "into",
    "is", "it", "its", "just", "may", "me", "more", "most", "my", "no", "not", "of", "on", "once", "only", "or",
    "other", "our", "out", "over", "own", "same", "shall", "she", "should", "so", "some", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "under",
    "until", "up", "us", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will",
    "with", "would", "you", "your",
];

const CODE_STOP_WORDS: &[&str] = &[
    "doing", "get", "gets", "given", "itself", "let", "like", "off", "upon", "use", "used", "uses", "using", "via",
    "whether", "within", "without", "yet",
];

const CONVERSATION_STOP_WORDS: &[&str] = &[
    "about", "after", "again", "all", "also", "am", "because", "before", "between", "did", "don", "down", "few", "he",
    "her", "here", "hers", "him", "his", "might", "mine", "must", "nor", "now", "s", "t", "very", "whose", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order_and_share_no_word() {
        for list in [COMMON_STOP_WORDS, CODE_STOP_WORDS, CONVERSATION_STOP_WORDS] {
            assert!(list.is_sorted_by(|a, b| a < b), "{list:?}");
        }
        for own in CODE_STOP_WORDS.iter().chain(CONVERSATION_STOP_WORDS) {
            assert!(!COMMON_STOP_WORDS.contains(own), "{own} is in two lists");
        }
        assert!(
            !CODE_STOP_WORDS.iter().any(|word| CONVERSATION_STOP_WORDS.contains(word)),
            "a word of both belongs to all"
        );
    }

    #[test]
    fn a_name_in_code_is_no_stop_word_there() {
        for (word, code, talk) in [
            ("the", true, true),
            ("after", false, true),
            ("use", true, false),
            ("parser", false, false),
            ("", false, false),
        ] {
            let found = (is_stop_word(StemRules::Code, word), is_stop_word(StemRules::English, word));
            assert_eq!(found, (code, talk), "{word}");
        }
    }
}
