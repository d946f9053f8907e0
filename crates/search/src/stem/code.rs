//! The stemmer for words of source code: one form for the words that programmers use for one thing.
//!
//! Made for English words as they occur in code: `parse`, `parser` and `parsing` meet, so do `validate`, `validation`
//! and `validator`. Rules are cut-offs by ending, in one pass, and only for plain lower-case words; anything else is
//! its own stem.

/// Puts the stem of a lower-case word into `stem`, replacing what was there.
pub(super) fn stem_word(word: &str, stem: &mut String) {
    stem.clear();
    stem.push_str(word);
    if word.len() <= SHORT_WORD_BYTES || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    // Plurals first, so that `parsers` and `parser` lose the same ending afterwards.
    strip_plural(stem);
    if !verb_to_noun(stem) {
        strip_ending(stem);
        last_letter(stem);
    }
    // A stem that is too short would bring unrelated words together.
    if stem.len() < SHORT_WORD_BYTES {
        stem.clear();
        stem.push_str(word);
    }
}

/// Words this short have no ending to lose.
const SHORT_WORD_BYTES: usize = 3;

fn strip_plural(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        cut_letters(word, 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        cut_letters(word, 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending)) {
        cut_letters(word, 1);
    }
}

/// `-ize` and `-ate` with all that is made of them. Whether one was found.
fn verb_to_noun(word: &mut String) -> bool {
    if let Some(ending) = ending_len(word, &["ization", "isation", "izer", "izing", "ized", "ize"], 4) {
        cut_letters(word, ending);
        word.push_str("iz");
        return true;
    }
    if ending_len(word, &["ise"], 4).is_some() {
        cut_letters(word, 1);
        return true;
    }
    match ending_len(word, &["ational", "ation", "ative", "ating", "ator", "ated", "ate"], 4) {
        Some(ending) => {
            cut_letters(word, ending);
            true
        }
        None => false,
    }
}

fn strip_ending(word: &mut String) {
    if ending_len(word, &["ition", "ssion", "ction", "ption", "sion", "tion"], 2).is_some() {
        cut_letters(word, 3);
        return;
    }
    if let Some(ending) = ending_len(word, &["ment", "able", "ible", "ness", "ly"], 4) {
        cut_letters(word, ending);
    }
    if let Some(ending) = ending_len(word, &["ing", "ed", "er", "or"], 3)
        && word[..word.len() - ending].contains(['a', 'e', 'i', 'o', 'u', 'y'])
    {
        cut_letters(word, ending);
        let bytes = word.as_bytes();
        let doubled = bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
        // A doubled consonant comes from the ending (`mapping`); `l`, `s` and `z` double by themselves (`call`,
        // `pass`).
        if doubled && bytes.len() >= 4 && !word.ends_with(['a', 'e', 'i', 'o', 'u', 'l', 's', 'z']) {
            cut_letters(word, 1);
        }
    }
}

fn last_letter(word: &mut String) {
    if word.len() > 3 && word.ends_with('e') {
        cut_letters(word, 1);
    }
    // `query` and `queries` meet in `queri`.
    if word.len() > 4 && word.ends_with('y') {
        cut_letters(word, 1);
        word.push('i');
    }
}

/// The length of the first of these endings that leaves at least `stay` letters.
fn ending_len(word: &str, endings: &[&str], stay: usize) -> Option<usize> {
    endings
        .iter()
        .find(|ending| word.ends_with(**ending) && word.len() >= ending.len() + stay)
        .map(|ending| ending.len())
}

fn cut_letters(word: &mut String, letters: usize) {
    word.truncate(word.len() - letters);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], wanted: &str) {
        for word in words {
            let mut found = String::new();
            stem_word(word, &mut found);
            assert_eq!(found, wanted, "{word}");
        }
    }

    #[test]
    fn words_for_one_thing_meet() {
        check(&["parse", "parser", "parsers", "parsing", "parsed"], "pars");
        check(&["validate", "validation", "validator", "validated"], "valid");
        check(&["encoder", "encoding", "encode"], "encod");
        check(&["serialize", "serialization", "serializer"], "serializ");
        check(&["mapping", "mapped", "mapper"], "map");
        check(&["query", "queries"], "queri");
        check(&["password", "passwords"], "password");
        check(&["check", "checked", "checks", "checker"], "check");
        check(&["connection", "connections"], "connect");
    }

    #[test]
    fn what_is_no_plain_word_stays() {
        for word in ["bus", "utf8", "größen", "parse_header", "as", "this"] {
            check(&[word], word);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_stem_is_never_empty_or_longer(word in "[a-z]{1,20}") {
            let mut found = String::new();
            stem_word(&word, &mut found);
            proptest::prop_assert!(!found.is_empty() && found.len() <= word.len());
        }
    }
}
