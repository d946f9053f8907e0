//! Recognizes sentences in which a model only announces its next step ("Let me check …") by lists of openings and
//! verbs. Summaries give them little weight and recall leaves them out: what the model did is in the messages that
//! follow.

/// Whether a sentence only announces a step or is polite: what the model did is among the facts.
pub(crate) fn is_announcement(sentence: &str) -> bool {
    const OPENINGS: [&str; 16] = [
        "let me",
        "now let me",
        "let's",
        "i'll",
        "i will",
        "i need to",
        "now i",
        "first, let me",
        "good",
        "great",
        "perfect",
        "excellent",
        "you're right",
        "sure",
        "okay",
        "i see",
    ];
    // Only the beginning decides, and sentences may be long.
    let lower = sentence.chars().take(24).collect::<String>().to_lowercase().replace('’', "'");
    OPENINGS
        .iter()
        .any(|opening| lower.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())))
}

/// Whether a sentence says only that its speaker is about to look at or do something. What they chose ("I'll use …")
/// is no such sentence.
pub(crate) fn announces_step(sentence: &str) -> bool {
    let lower = sentence.trim_start().chars().take(48).collect::<String>().to_lowercase().replace('’', "'");
    let lower =
        ["now ", "first, ", "next, ", "then "].iter().find_map(|word| lower.strip_prefix(word)).unwrap_or(&lower);
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    match (words.next(), words.next(), words.next()) {
        (Some("let"), Some("me"), _) => true,
        (Some("let's" | "i'll"), Some(verb), _) | (Some("i"), Some("will"), Some(verb)) => {
            INSPECTION_VERBS.contains(&verb)
        }
        (Some("i"), Some("need"), Some("to")) => words.next().is_some_and(|verb| INSPECTION_VERBS.contains(&verb)),
        _ => false,
    }
}

const INSPECTION_VERBS: &[&str] = &[
    "begin",
    "check",
    "continue",
    "examine",
    "explore",
    "find",
    "inspect",
    "investigate",
    "look",
    "open",
    "read",
    "review",
    "run",
    "search",
    "see",
    "start",
    "take",
    "try",
    "understand",
    "verify",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_from_choices() {
        for step in ["Let me look.", "Now let me check the parser:", "I'll start with the tests", "I need to read it"] {
            assert!(announces_step(step), "{step}");
        }
        for choice in ["I'll use SQLite", "Let's use tabs", "I will keep the old name", "Good: it was the cache."] {
            assert!(!announces_step(choice), "{choice}");
        }
    }
}
