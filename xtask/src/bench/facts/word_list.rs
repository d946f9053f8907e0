//! Splits texts into words for the fact benchmark and compares them, so that a sentence is recognised whatever its
//! case, punctuation and line breaks are.

/// The words of a text in lower case. Scripts without spaces give one word for each character.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        let is_whole = c.is_alphanumeric() && c >= FIRST_IDEOGRAPH;
        if c.is_alphanumeric() && !is_whole {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_whole {
            words.push(c.to_lowercase().collect());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Scripts from here on are written without spaces, or can be read without them.
const FIRST_IDEOGRAPH: char = '\u{2e80}';

/// The 64-bit FNV-1a hash of words, in hexadecimal: names a text without repeating it.
pub(super) fn hash_words(words: &[String]) -> String {
    let hash = words
        .join(" ")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// The share of the words of `part` that `whole` has, each as often as it has it.
pub(super) fn contained_share(part: &[String], whole: &[String]) -> f64 {
    count_shared(part, whole) as f64 / part.len().max(1) as f64
}

/// Shared words among all words of both.
pub(super) fn jaccard_similarity(one: &[String], other: &[String]) -> f64 {
    let shared = count_shared(one, other);
    shared as f64 / (one.len() + other.len() - shared).max(1) as f64
}

fn count_shared(one: &[String], other: &[String]) -> usize {
    let mut one: Vec<&String> = one.iter().collect();
    let mut other: Vec<&String> = other.iter().collect();
    one.sort();
    other.sort();
    let mut at = 0;
    let mut shared = 0;
    for word in one {
        while other.get(at).is_some_and(|next| *next < word) {
            at += 1;
        }
        if other.get(at) == Some(&word) {
            (at, shared) = (at + 1, shared + 1);
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_do_not_depend_on_case_marks_and_breaks() {
        assert_eq!(split_words("Don't\n**use** gt!"), ["don", "t", "use", "gt"]);
        assert_eq!(split_words("gtは使わないで。"), ["gt", "は", "使", "わ", "な", "い", "で"]);
        assert_eq!(hash_words(&split_words("Use Tabs.")), hash_words(&split_words("use tabs")));
        assert_eq!(hash_words(&[]), "cbf29ce484222325");
    }

    #[test]
    fn a_repeated_word_counts_as_often_as_both_have_it() {
        let one = split_words("no no logs");
        let other = split_words("no console logs");
        assert!((contained_share(&one, &other) - 2.0 / 3.0).abs() < 1e-9);
        assert!((jaccard_similarity(&one, &other) - 0.5).abs() < 1e-9);
        assert!((jaccard_similarity(&one, &one) - 1.0).abs() < 1e-9);
    }
}
