//! Parses the secret scanner's table of built-in rules (`rules/secrets.txt`) and compiles their regexes on demand.
//!
//! A hook that looks at one message must be done in a few milliseconds, and 240 patterns take longer than that to
//! compile. So the table is read once a process, and only when a keyword occurs; each pattern is compiled when its
//! keyword first occurs, and the automaton of keywords is there when the program is built.

use super::RuleName;
use regex::bytes::{Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

const TABLE: &str = include_str!("../../rules/secrets.txt");

/// How a rule knows a secret; the table says what each form means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleForm {
    Token,
    Inside,
    Phrase,
    Near,
    Named,
    Telling,
    Prefixed,
    Url,
    Pem,
}

const FORMS: [(&str, RuleForm); 9] = [
    ("token", RuleForm::Token),
    ("inside", RuleForm::Inside),
    ("phrase", RuleForm::Phrase),
    ("near", RuleForm::Near),
    ("named", RuleForm::Named),
    ("telling", RuleForm::Telling),
    ("prefixed", RuleForm::Prefixed),
    ("url", RuleForm::Url),
    ("pem", RuleForm::Pem),
];

pub(super) struct SecretRule {
    pub(super) name: RuleName,
    pub(super) form: RuleForm,
    /// Bits a byte that a secret has more than.
    pub(super) entropy: f64,
    pub(super) pattern: &'static str,
    compiled: OnceLock<Regex>,
}

impl SecretRule {
    /// The pattern: anywhere, at the start, or (as the first group) all of a value, as the form wants it.
    pub(super) fn compiled_regex(&self) -> &Regex {
        // Compiled when the keyword first occurs: all 240 patterns together take longer than a hook has.
        self.compiled.get_or_init(|| {
            let is_value = self.form == RuleForm::Named;
            let pattern = match self.form {
                RuleForm::Inside | RuleForm::Near => self.pattern.to_owned(),
                // The pattern has to cover the value up to a separator: a part of a longer word is no secret.
                RuleForm::Named => format!(r"\A({})(?:[,&|\\]|\z)", self.pattern),
                RuleForm::Token
                | RuleForm::Phrase
                | RuleForm::Telling
                | RuleForm::Prefixed
                | RuleForm::Url
                | RuleForm::Pem => {
                    format!(r"\A(?:{})", self.pattern)
                }
            };
            let built = RegexBuilder::new(&pattern).unicode(false).case_insensitive(is_value).build();
            built.expect("the table is tested to hold only valid patterns")
        })
    }
}

pub(super) static BUILT_IN: LazyLock<Vec<SecretRule>> =
    LazyLock::new(|| parse_table(TABLE).expect("the table is tested to be readable"));

/// Reads a table; the error is the line that is not a rule.
fn parse_table(table: &'static str) -> Result<Vec<SecretRule>, &'static str> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse_rule(line).ok_or(line)).collect()
}

fn parse_rule(line: &'static str) -> Option<SecretRule> {
    let mut rest = line;
    let mut column = || {
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = behind.trim_start();
        Some(word).filter(|word| !word.is_empty())
    };
    // Patterns contain spaces, so they are the last column, and only the columns before it are split.
    let name = column()?;
    let form = column()?;
    let entropy = column()?;
    let _keywords = column()?;
    let form = FORMS.iter().find(|(word, _)| *word == form)?.1;
    Some(SecretRule {
        name: RuleName::built_in(name),
        form,
        entropy: entropy.parse().ok()?,
        pattern: rest,
        compiled: OnceLock::new(),
    })
}

/// The first keyword of each rule, in the order of the rules.
#[cfg(test)]
pub(super) fn first_keywords() -> Vec<String> {
    let mut keywords = super::automaton::parse_keywords(TABLE).expect("the table is tested to be readable");
    keywords.dedup_by_key(|(_, rule)| *rule);
    keywords.into_iter().map(|(keyword, _)| keyword).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_table_can_be_used() {
        let rules = &*BUILT_IN;
        assert!(rules.len() >= 222, "only {} rules", rules.len());
        for rule in rules {
            let built = RegexBuilder::new(rule.pattern).unicode(false).build();
            let groups = built.expect("a pattern is a regular expression").captures_len() - 1;
            let has_groups = matches!(rule.form, RuleForm::Phrase | RuleForm::Near);
            assert_eq!(groups > 0, has_groups, "{:?}: groups are for phrases", rule.name);
            assert!(rule.compiled_regex().as_str().contains(rule.pattern));
            let has_none = matches!(rule.form, RuleForm::Telling | RuleForm::Prefixed | RuleForm::Url | RuleForm::Pem);
            assert_eq!(rule.pattern.is_empty(), has_none, "{:?}", rule.name);
        }
    }

    #[test]
    fn a_line_that_is_no_rule_is_named() {
        let broken = |line: &'static str| parse_table(line).err();
        assert_eq!(broken("name  token  2.0"), Some("name  token  2.0"));
        assert_eq!(broken("name  tokn  2.0  key  a"), Some("name  tokn  2.0  key  a"));
        assert_eq!(broken("name  token  much  key  a"), Some("name  token  much  key  a"));
    }
}
