//! The title of a decision: its sentence without the words that only say that something is decided, and without the
//! reason.

use crate::memory::fact::read_decision;
use crate::memory::truncate_text;
use regex::Regex;
use std::sync::LazyLock;

/// A longer title is cut with a mark.
const MAX_TITLE_CHARS: usize = 72;

/// The words that say that something is decided, and not what.
static OPENING_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\s*
        (?: (?: ok(?:ay)? | yes | yeah | so | then | and | well | great | good | fine | alright | agreed | decision | decided ) [\s,.!:—-]+ )*
        (?: it\swas\s(?:decided|agreed)\s(?:to|on|that)?
          | we(?:['’]ve|\shave)?\s(?:decided|agreed|chose|chosen|settled)(?:\s(?:to|on|that|for))?
          | we(?:['’]ll|\swill|\sshould|['’]re\sgoing\s(?:to|with)|\sare\sgoing\s(?:to|with))
          | let['’]?s | i(?:['’]ll|\swill|['’]ve\sdecided\sto|\sdecided\sto)
          | i(?:['’]d|\swould)?\s(?:suggest|recommend|propose)
          | (?:shall|should)\s(?:we|i)
          | (?:the|my)\s(?:decision|plan|approach|strategy|choice|recommendation|suggestion|proposal)\sis(?:\sto)?
          | going\s(?:with|to) )\s+",
    )
    .expect("the pattern is ours")
});

pub(super) fn decision_title(sentence: &str) -> String {
    let without_reason = match read_decision(sentence).reason {
        // The reason is the end of its sentence, behind the word that begins it.
        Some(reason) => sentence.find(&reason).map_or(sentence, |at| strip_reason_word(&sentence[..at])),
        None => sentence,
    };
    let choice = OPENING_PATTERN.find(without_reason).map_or(without_reason, |found| &without_reason[found.end()..]);
    // A sentence that consists of such words alone stays as it is.
    let choice = if choice.trim().is_empty() { sentence } else { choice };
    let choice = choice.trim().trim_end_matches(['.', '!', '?', ',', ';', ':']);
    let mut letters = choice.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    truncate_text(&title, MAX_TITLE_CHARS)
}

fn strip_reason_word(text: &str) -> &str {
    let text = text.trim_end();
    let words = ["because of", "because", "since", "so that", "so we can", "as it", "due to"];
    let stripped = words.iter().find_map(|word| {
        let start = text.len().checked_sub(word.len())?;
        text.is_char_boundary(start)
            .then(|| &text[start..])
            .filter(|end| end.eq_ignore_ascii_case(word))
            .map(|_| &text[..start])
    });
    match stripped {
        Some(before) if !before.trim().is_empty() => before,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_and_not_that() {
        let check = |sentence: &str, expected: &str| assert_eq!(decision_title(sentence), expected, "{sentence}");
        check("We decided to use PostgreSQL because teams share it.", "Use PostgreSQL");
        check("Ok, let's go with SQLite then.", "Go with SQLite then");
        check("I suggest Redis for the cache.", "Redis for the cache");
        check("Shall we use Redis for the cache?", "Use Redis for the cache");
        check("The plan is to migrate the users table first.", "Migrate the users table first");
        check("Agreed, we'll store amounts in cents, so that nothing is rounded.", "Store amounts in cents");
        check("Let's", "Let's");
        check("ß, über alles entschieden", "SS, über alles entschieden");
    }
}
