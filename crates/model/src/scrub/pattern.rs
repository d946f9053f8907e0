//! `SecretPattern` and the parser of `UserRule`: regexes that a user or a project adds to the built-in rules of the
//! secret scanner, written `name: pattern`.

use super::rules::BUILT_IN;
use super::{RuleName, RuleOwner, UserRule};
use regex::bytes::{Regex, RegexBuilder};
use std::fmt;

/// A pattern that a user or a project adds. Compared in linear time, like all patterns.
#[derive(Clone)]
pub struct SecretPattern(Regex);

/// Why a text is not a pattern.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PatternError {
    /// There is nothing to compare, or more than a person writes.
    #[error("has {bytes} bytes, must have 1 to {most}")]
    Length {
        /// How many it has.
        bytes: usize,
        /// How many it may have.
        most: usize,
    },
    /// It would take too much memory.
    #[error("is too large: compiled it has more than {most} bytes")]
    Size {
        /// How many it may have.
        most: usize,
    },
    /// It is not in the syntax.
    #[error("is not a regular expression: {cause}")]
    Syntax {
        /// What is wrong with it.
        cause: String,
    },
    /// It fits where nothing stands, so it would fit everywhere.
    #[error("fits the empty text, and so every place")]
    Empty,
}

const MAX_PATTERN_BYTES: usize = 1_024;
const MAX_COMPILED_BYTES: usize = 1 << 20;

impl SecretPattern {
    /// Reads a regular expression.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.is_empty() || text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::Length { bytes: text.len(), most: MAX_PATTERN_BYTES });
        }
        // A pattern such as `(a{1000}){1000}` would take gigabytes when it is compiled.
        let regex = RegexBuilder::new(text).size_limit(MAX_COMPILED_BYTES).build().map_err(|error| match &error {
            regex::Error::CompiledTooBig(most) => PatternError::Size { most: *most },
            regex::Error::Syntax(text) => {
                let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                PatternError::Syntax { cause }
            }
            _ => PatternError::Syntax { cause: error.to_string() },
        })?;
        // A pattern that fits nothing at all would replace at every place.
        if regex.is_match(b"") { Err(PatternError::Empty) } else { Ok(Self(regex)) }
    }

    /// The regular expression.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn as_regex(&self) -> &Regex {
        &self.0
    }
}

impl fmt::Debug for SecretPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a rule cannot have a name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RuleNameError {
    /// It would not fit into a placeholder.
    #[error("`{name}` is not a name for a rule: expected 1 to {most} small letters, digits and hyphens")]
    Form {
        /// The name.
        name: String,
        /// How many characters it may have.
        most: usize,
    },
    /// A built-in rule has it.
    #[error("`{name}` is the name of a built-in rule")]
    Taken {
        /// The name.
        name: String,
    },
}

/// Why a text is not a rule.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum UserRuleError {
    /// Nothing separates a name from a pattern.
    #[error("`{text}` is not a rule: expected `name: pattern`")]
    Form {
        /// The text.
        text: String,
    },
    /// The name cannot be one.
    #[error(transparent)]
    Name(#[from] RuleNameError),
    /// The pattern cannot be one.
    #[error("the pattern of `{name}` {cause}")]
    Pattern {
        /// The name of the rule.
        name: String,
        /// What is wrong with its pattern.
        cause: PatternError,
    },
}

impl UserRule {
    /// Reads a rule as people write it down: `name: pattern`.
    pub fn parse(text: &str) -> Result<Self, UserRuleError> {
        let (name, pattern) = text.split_once(':').ok_or_else(|| UserRuleError::Form { text: text.to_owned() })?;
        let name = name.trim();
        let pattern = pattern.trim();
        let pattern =
            SecretPattern::parse(pattern).map_err(|cause| UserRuleError::Pattern { name: name.to_owned(), cause })?;
        Ok(Self::new(name, pattern)?)
    }

    /// A rule under a name of its own.
    pub fn new(name: &str, pattern: SecretPattern) -> Result<Self, RuleNameError> {
        if !RuleName::is_valid(name.as_bytes()) {
            return Err(RuleNameError::Form { name: name.to_owned(), most: RuleName::MAX_LENGTH });
        }
        // A rule of the user under a built-in name would make two kinds of secrets look like one.
        if BUILT_IN.iter().any(|rule| rule.name.as_str() == name) {
            return Err(RuleNameError::Taken { name: name.to_owned() });
        }
        Ok(Self { name: RuleName::new(name), pattern, owner: RuleOwner::User })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_pattern_is_refused_with_the_reason() {
        let refused = |text: &str| SecretPattern::parse(text).expect_err("not a pattern").to_string();
        assert_eq!(refused(""), "has 0 bytes, must have 1 to 1024");
        assert_eq!(refused(&"a".repeat(1_025)), "has 1025 bytes, must have 1 to 1024");
        assert_eq!(refused("(a"), "is not a regular expression: unclosed group");
        assert_eq!(refused(r"(a)\1"), "is not a regular expression: backreferences are not supported");
        assert_eq!(refused(r"\w{1000}{1000}"), "is too large: compiled it has more than 1048576 bytes");
        assert_eq!(refused("a*"), "fits the empty text, and so every place");
    }

    #[test]
    fn a_rule_is_read_as_it_is_written() {
        let read = |text: &str| UserRule::parse(text).map(|rule| format!("{:?} = {:?}", rule.name, rule.pattern));
        assert_eq!(read(r"badge: EMP:\d{6}").as_deref(), Ok(r"badge = EMP:\d{6}"));
        let refused = |text: &str| read(text).expect_err("not a rule").to_string();
        assert_eq!(refused("badge"), "`badge` is not a rule: expected `name: pattern`");
        assert_eq!(refused("badge: (a"), "the pattern of `badge` is not a regular expression: unclosed group");
        assert_eq!(refused("jwt: a"), "`jwt` is the name of a built-in rule");
    }

    #[test]
    fn a_rule_has_a_name_of_its_own() {
        let named =
            |name: &str| UserRule::new(name, SecretPattern::parse("x").expect("a pattern")).map(|rule| rule.name);
        assert_eq!(named("badge-2").map(|name| name.as_str().to_owned()), Ok("badge-2".to_owned()));
        assert_eq!(named("github-pat"), Err(RuleNameError::Taken { name: "github-pat".to_owned() }));
        assert!(matches!(named("a]b"), Err(RuleNameError::Form { .. })));
        assert!(matches!(named(""), Err(RuleNameError::Form { .. })));
    }
}
