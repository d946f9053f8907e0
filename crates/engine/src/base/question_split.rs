//! Splits a question that asks several things into its parts, at joining words in front of question words. Each part is
//! searched on its own, so that the part with more matches does not push the other out.

/// A question with more parts is a list of tasks and stays whole.
const MAX_QUESTION_PARTS: usize = 4;

/// A part needs so many telling words to stand alone.
const FEWEST_TERMS: usize = 2;

/// The questions in a question; the question itself where it is one. `count_terms` counts the telling words of a part,
/// which differ between code and conversations.
pub(crate) fn split_questions(question: &str, count_terms: impl Fn(&str) -> usize) -> Vec<&str> {
    let whole = vec![question];
    // Several lines are a report or an issue, whose sentences describe one problem.
    if question.lines().count() > 1 {
        return whole;
    }
    let mut parts = Vec::new();
    let mut rest = question.trim();
    while let Some((part, behind)) = split_first(rest) {
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    let stands = |part: &&str| count_terms(part) >= FEWEST_TERMS && !refers_back(part);
    // All or nothing: half of a split ("where is it stored") would be searched without its subject.
    if (2..=MAX_QUESTION_PARTS).contains(&parts.len()) && parts.iter().all(stands) { parts } else { whole }
}

/// The first part and the rest: they are separated by a joining word in front of a question word.
fn split_first(text: &str) -> Option<(&str, &str)> {
    let at = JOINTS.iter().flat_map(|joint| {
        let joints = text.match_indices(joint);
        joints.map(|(at, joint)| (at, at + joint.len()))
    });
    let fits =
        at.filter(|(end, start)| starts_as_question(&text[..*end]) && starts_as_question(text[*start..].trim_start()));
    // The earliest joint, whichever word it is: parts are cut from the left, in the order they were asked.
    let (end, start) = fits.min()?;
    Some((text[..end].trim(), text[start..].trim_start()))
}

/// Whether a text begins as a question does: `the parser and how it fails` is about one thing.
fn starts_as_question(text: &str) -> bool {
    let lower = text.to_lowercase();
    OPENINGS.iter().any(|opening| lower.strip_prefix(opening).is_some_and(|rest| rest.starts_with(' ')))
}

/// Whether a part refers to something that only the part before it names.
fn refers_back(part: &str) -> bool {
    part.split(|c: char| !c.is_alphanumeric()).any(|word| REFERRING_PRONOUNS.contains(&word.to_lowercase().as_str()))
}

const JOINTS: [&str; 5] = [" and ", "; ", "? ", ", and ", " as well as "];
const OPENINGS: [&str; 15] = [
    "how", "where", "what", "why", "which", "who", "when", "find", "list", "show", "explain", "describe", "does", "is",
    "are",
];
const REFERRING_PRONOUNS: [&str; 9] = ["it", "its", "they", "them", "their", "that", "this", "these", "those"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_questions_are_told_from_one() {
        let check = |question: &str, expected: &[&str]| {
            let count = |part: &str| part.split(' ').filter(|word| word.len() > 4).count();
            assert_eq!(split_questions(question, count), expected);
        };
        check(
            "how does token refresh work and where are sessions stored",
            &["how does token refresh work", "where are sessions stored"],
        );
        check(
            "Where is the retry limit set? Why does the parser skip empty lines?",
            &["Where is the retry limit set", "Why does the parser skip empty lines?"],
        );
        for one in [
            "how does the parser and the lexer work together",
            "how does the cache work and where is it stored",
            "the parser and how errors are told",
            "parse and where clause",
            "where is rate limiting and how",
            "",
            "it dies and\nhow does one see where the trace is",
        ] {
            check(one, &[one]);
        }
    }
}
