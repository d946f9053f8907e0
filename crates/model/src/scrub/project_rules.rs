//! Applies a project's own secret rules to a text, within limits.
//!
//! A project file is a committed file: the author of a repository writes its rules. A rule such as `.+` would erase
//! all that is said in the project, and for ever. So what a rule of a project finds counts only
//!
//! - inside of one text, such as the words of a message: never in names of fields, ids, kinds, places or numbers;
//! - when it is neither very short nor very long;
//! - when all rules of the project together leave at least half of the text, but for a text of one short word, which
//!   may be a secret as a whole.
//!
//! Where they would take more, they are not applied to that text, and that is reported. A text is gone through once
//! for each rule, and put together once: what it costs grows with its length, and no rule can change that.

use super::escape::UnescapedView;
use super::placeholder::{self, Placeholder};
use super::{ScrubKey, SecretCut, UserRule, json, merge_ranges, subtract_ranges, widen_to_chars};
use std::ops::Range;

/// Bytes that a find has, with escapes undone.
const MATCH_LENGTH_RANGE: std::ops::RangeInclusive<usize> = 6..=512;

/// A text without blanks that is no longer may be replaced as a whole.
const LONGEST_WORD: usize = 64;

/// The ranges that rules of a project replace in a text.
pub(super) struct ProjectCuts {
    pub(super) cuts: Vec<SecretCut>,
    /// Whether they would have replaced too much of some text.
    pub(super) is_left_out: bool,
}

/// The ranges to replace, in order, apart from each other and from placeholders.
pub(super) fn find_project_cuts(key: &ScrubKey, rules: &[UserRule], bytes: &[u8]) -> ProjectCuts {
    let placeholders = placeholder::find_placeholders(bytes);
    let mut made = ProjectCuts { cuts: Vec::new(), is_left_out: false };
    for text in json::text_ranges(bytes) {
        let found = found_in(rules, bytes, &text);
        let found: Vec<(Range<usize>, usize)> = merge_ranges(found)
            .into_iter()
            .flat_map(|(range, rule)| {
                subtract_ranges(widen_to_chars(bytes, range), &placeholders).into_iter().map(move |range| (range, rule))
            })
            .collect();
        // A rule such as `.+` would erase what was said for ever, so it is not followed in this text, and that is
        // reported.
        if takes_too_much(&bytes[text], &found) {
            made.is_left_out = true;
            continue;
        }
        made.cuts.extend(found.into_iter().map(|(range, rule)| {
            let rule = rules[rule].name.clone();
            let placeholder = Placeholder::new(key, &rule, bytes, range.clone());
            SecretCut { range, rule, placeholder, is_bare: false }
        }));
    }
    made
}

/// Every find of fitting length in one text, with the number of its rule.
fn found_in(rules: &[UserRule], bytes: &[u8], text: &Range<usize>) -> Vec<(Range<usize>, usize)> {
    let view = UnescapedView::new(bytes, text.clone());
    let mut found = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        // A shorter find would blank common words, a longer one whole paragraphs.
        let fitting = rule
            .pattern
            .as_regex()
            .find_iter(view.as_bytes())
            .filter(|found| MATCH_LENGTH_RANGE.contains(&found.len()));
        found.extend(fitting.map(|found| (view.source_range(found.range()), number)));
    }
    found
}

fn takes_too_much(text: &[u8], found: &[(Range<usize>, usize)]) -> bool {
    let taken: usize = found.iter().map(|(range, _)| range.len()).sum();
    // A text that is one short word may be a secret as a whole, as a tool's argument is.
    let is_word = text.len() <= LONGEST_WORD && !text.trim_ascii().iter().any(u8::is_ascii_whitespace);
    taken * 2 > text.len() && !is_word
}

#[cfg(test)]
mod tests {
    use super::super::{RuleOwner, Scrubber, SecretPattern};
    use super::*;

    fn scrubber(owner: RuleOwner, rules: &[&str]) -> Scrubber {
        let rule = |(number, text): (usize, &&str)| {
            let rule = UserRule::new(&format!("r{number}"), SecretPattern::parse(text).expect("a pattern"));
            UserRule { owner, ..rule.expect("a name") }
        };
        Scrubber::new(ScrubKey::new([7; 32]), &rules.iter().enumerate().map(rule).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(rules: &[&str], text: &str, expected: &str, is_left_out: bool) {
        let scrubbed = scrubber(RuleOwner::Project, rules).scrub(text.as_bytes());
        let mut shown = String::from_utf8_lossy(&scrubbed.bytes).into_owned();
        for found in &scrubbed.found {
            shown = shown.replace(found.placeholder.as_str(), &format!("<{}>", found.rule));
        }
        assert_eq!((shown.as_str(), scrubbed.is_left_out), (expected, is_left_out), "{rules:?}");
    }

    #[test]
    fn a_project_hides_what_it_holds_secret() {
        check(&["CUST-[A-Z]{4}"], "call CUST-ABCD today", "call <r0> today", false);
        check(&["CUST-[A-Z]{4}"], r#"{"prompt":"call CUST-ABCD today"}"#, r#"{"prompt":"call <r0> today"}"#, false);
        check(&["CUST-[A-Z]{4}"], r#"{"customer":"CUST-ABCD"}"#, r#"{"customer":"<r0>"}"#, false);
        check(&["CUST-[A-Z]{4}"], "CUST-ABCD", "<r0>", false);
    }

    #[test]
    fn a_project_cannot_erase_what_is_said() {
        let said = "a very important decision: use integer cents";
        for rule in [".+", "(?s).+", "[a-z :]{6}", ".{6,512}", "[a-z ]{6,}"] {
            check(&[rule], said, said, true);
            let body = format!(r#"{{"session_id":"0123456789","prompt":"{said}","cwd":"/home/ada/project"}}"#);
            check(&[rule], &body, &body, true);
        }
        // Several rules share one bound, and a find that is very short or very long does not count.
        check(&["a very important", "use integer cents"], said, said, true);
        check(&["[a-z ]"], said, said, false);
        let long = "x".repeat(600) + &" y".repeat(1_000);
        check(&["x+"], &long, &long, false);
    }

    #[test]
    fn ids_names_kinds_and_numbers_stay() {
        let line = r#"{"type":"assistant","uuid":"0123456789","sessionId":"0123456789","tokens":123456789,"text":"0123456789 is what the user called it"}"#;
        check(&["assistant", "[0-9]{6,}", "sessionId"], line, &line.replace("\"0123456789 is", "\"<r1> is"), false);
    }

    #[test]
    fn a_project_cannot_cut_a_secret_in_two() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let scrubbed = scrubber(RuleOwner::Project, &["ghp_[a-zA-Z0-9]{6}"]).scrub(token.as_bytes()).bytes.into_owned();
        assert!(scrubbed.starts_with(b"[secret:github-pat:") && scrubbed.ends_with(b"]"), "the whole token goes");
    }

    #[test]
    fn rules_that_fit_everywhere_take_time_by_the_length_of_a_text() {
        // In quadratic time, this would not end within the test.
        let text = "words of a long message, again and again ".repeat(5_000);
        let scrubbed = scrubber(RuleOwner::User, &["[a-z ]"]).scrub(text.as_bytes());
        assert_eq!(scrubbed.found.len(), text.bytes().filter(|byte| *byte != b',').count());
        let scrubbed = scrubber(RuleOwner::Project, &["[a-z]{6}[a-z ]", r"(^|\])words of"]).scrub(text.as_bytes());
        assert!(scrubbed.found.len() <= text.len() / 6);
        // Each pass would find one more where it starts again behind its own placeholder.
        let chained = "a".repeat(200_000);
        let scrubbed = scrubber(RuleOwner::Project, &[r"(?:^|\])aaaaaa"]).scrub(chained.as_bytes());
        assert_eq!(scrubbed.found.len(), 1);
    }
}
