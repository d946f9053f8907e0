//! Recognizes messages that state a standing rule, by a regular expression, when they are indexed: a person says how
//! things are to be done from then on.
//!
//! Rules answer questions they share no word with (`always give dates as …` and `when is it due?`), so the ranking
//! gives them a little weight whenever they are candidates.

use regex::Regex;
use std::sync::LazyLock;

/// Longer messages are reports, in which such words are seldom a rule.
const MAX_RULE_CHARS: usize = 600;

static RULE: LazyLock<Regex> = LazyLock::new(|| {
    let starts = r"^\W*(?:please\s+)?(?:always|never|from now on|remember to|make sure|going forward)\b";
    let holds = r"\b(?:i(?:['’]d| would)?(?: really| always)? prefer|i(?:['’]d| would) rather|i don['’]t (?:like|want)|from now on|going forward|in future)\b";
    Regex::new(&format!("(?i){starts}|{holds}")).expect("the pattern is a constant")
});

/// Whether a person's message is one.
pub(super) fn is_rule(text: &str) -> bool {
    let is_short = text.len() <= MAX_RULE_CHARS || text.chars().count() <= MAX_RULE_CHARS;
    is_short && RULE.is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told_from_talk() {
        for rule in [
            "Always run the tests first",
            "please make sure it builds",
            "Hm, I'd rather use tabs",
            "I don’t want mocks",
        ] {
            assert!(is_rule(rule), "{rule}");
        }
        for talk in ["It always fails", "what do they prefer?", "neverland"] {
            assert!(!is_rule(talk), "{talk}");
        }
        assert!(!is_rule(&format!("always {}", "so ".repeat(300))));
    }
}
