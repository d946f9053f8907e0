//! Finds lists whose heading says that their entries are rules: "The rules are:", "## Constraints". An entry of such a
//! list needs no wording of its own to be a rule ("pragmatic solutions, easy to maintain").

use regex::Regex;
use std::sync::LazyLock;

/// The entries of all lists of rules in a text, without their bullets.
pub(super) fn find_listed_rules(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_listing = false;
    for line in text.lines() {
        if let Some(entry) = ENTRY.captures(line).and_then(|entry| entry.get(1)) {
            if is_listing {
                found.push(entry.as_str().trim());
            }
        } else if !line.trim().is_empty() {
            is_listing = HEADING.is_match(line);
        }
    }
    found
}

static ENTRY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$").expect("the pattern is ours"));

/// A line that ends in the name of such a list, as a heading or before a colon.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*\#{1,6}\s*(?:\w+\s){0,3}(?:rules|constraints|guidelines|conventions|restrictions|guardrails|principles)\s*:?\s*$
        | (?:^|[.!?]\s|\b(?:the|these|my|our|some|few|hard|important|strict|following|general|key)\s)[*_]{0,2}
            (?:ground\s|coding\s|code\s|project\s|style\s)?(?:rules|constraints|guidelines|conventions|restrictions|guardrails|principles)
            (?:\s(?:are|to\sfollow|for\s\w+|here|below))*[*_]{0,2}\s*:[*_]{0,2}\s*$",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_below_a_heading_of_rules_are_found() {
        let text =
            "Look into the crash. The rules are:\n- pragmatic solution\n- no breaking changes\n\nOptions:\n- cache it";
        assert_eq!(find_listed_rules(text), ["pragmatic solution", "no breaking changes"]);
        assert_eq!(
            find_listed_rules("## Coding conventions\n\n1. Short names\n2. No macros\n## Steps\n1. Build"),
            ["Short names", "No macros"]
        );
        assert_eq!(find_listed_rules("**Constraints:**\n* stay offline"), ["stay offline"]);
        assert_eq!(find_listed_rules("Business rules to implement:\n- round down"), [""; 0]);
        assert_eq!(find_listed_rules("The linter breaks these rules\n- a\n- b"), [""; 0]);
    }
}
