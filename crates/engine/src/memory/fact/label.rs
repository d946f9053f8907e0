//! Strips prefixes such as `Rule:`, "We decided that" or `TODO:` from the text of a fact, for display where its kind is
//! shown beside it.
//!
//! What is stored keeps the user's words; only what is shown loses the prefix.

use model::FactKind;
use regex::Regex;
use std::sync::LazyLock;

/// The subject of a fact without the formula that says which kind it is of.
pub(crate) fn without_label(kind: FactKind, subject: &str) -> &str {
    let formula: &Regex = match kind {
        FactKind::Rule => &RULE,
        FactKind::Decision => &DECISION,
        FactKind::Todo => &STEP,
        FactKind::Task
        | FactKind::Correction
        | FactKind::File
        | FactKind::Command
        | FactKind::Failure
        | FactKind::Test => {
            return subject;
        }
    };
    let found = formula.captures(subject);
    let rest = found.and_then(|found| found.iter().skip(1).flatten().next()).map_or(subject, |rest| rest.as_str());
    // A formula with nothing behind it is all there is to show.
    if rest.chars().any(char::is_alphanumeric) { rest } else { subject }
}

static RULE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?is)^(?:rules?|constraint|requirement)\s*:\s*(.*)$"));

/// "We decided that x" is "x"; what was decided to be done or left keeps its word: "to do x", "against x".
static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"(?isx)^(?: (?:decision|decided)\s*:\s* )?
            (?: (?:so\s+)? we(?:['’]ve|\s+have)?\s+(?:decided|agreed)\s+
                (?: that\s+(.*) | ((?:to|not|on|upon|against)\s.*) )
            | (.*) )$",
    )
});

static STEP: LazyLock<Regex> = LazyLock::new(|| compile(r"(?is)^(?:todo|to[ -]do)\s*:\s*(.*)$"));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is ours")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_formula_in_front_is_left_out() {
        let check = |kind, subject: &str, expected: &str| assert_eq!(without_label(kind, subject), expected);
        check(FactKind::Rule, "Rule: never change the signature of add_tax.", "never change the signature of add_tax.");
        check(FactKind::Rule, "Never push. The rule: ask first.", "Never push. The rule: ask first.");
        check(FactKind::Rule, "Rules are to be kept.", "Rules are to be kept.");
        check(FactKind::Rule, "Rule: !", "Rule: !");
        check(FactKind::Decision, "We decided that discounts are rounded down.", "discounts are rounded down.");
        check(FactKind::Decision, "Decision: we've agreed that tabs win.", "tabs win.");
        check(FactKind::Decision, "We decided to use integer cents.", "to use integer cents.");
        check(FactKind::Decision, "We decided nothing yet.", "We decided nothing yet.");
        check(FactKind::Decision, "Let's go with SQLite.", "Let's go with SQLite.");
        check(FactKind::Todo, "TODO: write the test", "write the test");
        check(FactKind::Correction, "Rule: that was wrong", "Rule: that was wrong");
    }
}
