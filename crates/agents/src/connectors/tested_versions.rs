//! The version of each agent that the end-to-end test `cargo xtask hosts` ran with, from `tried.toml`, which that test
//! reads, too; and parsing and comparing of version numbers.

use super::Connector;
use std::cmp::Ordering;
use std::fmt;
use toml_edit::DocumentMut;

const TESTED_VERSIONS_TOML: &str = include_str!("tried.toml");

/// A version of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    written: String,
    numbers: Vec<u64>,
}

/// The version that an agent was tried in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Its name in npm's registry.
    pub package: String,
    /// Its version.
    pub version: Version,
}

impl Connector {
    /// The names of its programs.
    pub fn programs(&self) -> &'static [&'static str] {
        self.programs
    }

    /// With which version it was tried, if it was.
    pub fn tried(&self) -> Option<Tried> {
        let all: DocumentMut = TESTED_VERSIONS_TOML.parse().expect("the file is TOML, which a test holds");
        let agent = all.get(self.name)?;
        let word = |name: &str| agent.get(name)?.as_str();
        Some(Tried { package: word("package")?.to_owned(), version: Version::find(word("version")?)? })
    }
}

impl Version {
    /// The first version in a text, such as what a program prints when it is asked for its own.
    pub fn find(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(|word| {
            // Agents print their version in many ways: `v1.2.3`, `codex-cli 1.2.3`, `1.2.3 (Claude Code)`.
            let word = word.strip_prefix('v').unwrap_or(word).trim_end_matches([',', ';', ')']);
            let plain = word.split(['-', '+']).next().unwrap_or_default();
            let numbers: Vec<u64> = plain.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
            // A single number is a date or a count, not a version.
            (numbers.len() > 1).then(|| Self { written: word.to_owned(), numbers })
        })
    }

    /// Order of two versions by their numbers; text behind the numbers does not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let filled = |version: &Self| (0..length).map(|at| version.numbers.get(at).copied().unwrap_or(0)).collect();
        let (one, two): (Vec<u64>, Vec<u64>) = (filled(self), filled(other));
        one.cmp(&two)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONNECTORS;

    #[test]
    fn every_agent_in_the_file_is_one_that_can_be_connected() {
        let all: DocumentMut = TESTED_VERSIONS_TOML.parse().expect("TOML");
        let tried = CONNECTORS.iter().filter(|connector| connector.tried().is_some()).count();
        assert!(tried >= 5 && tried == all.len(), "{tried} of {}", all.len());
    }

    #[test]
    fn versions_are_compared_number_by_number() {
        let version = |text: &str| Version::find(text).expect("a version");
        let check = |one: &str, other: &str, expected| assert_eq!(version(one).compare(&version(other)), expected);
        check("2.1.325 (Claude Code)", "2.1.99", Ordering::Greater);
        check("codex-cli 0.166.0", "0.166", Ordering::Equal);
        check("v1.9.0-beta.1", "1.10.0", Ordering::Less);
        assert_eq!(version("codex-cli 0.166.0-alpha.2\n").to_string(), "0.166.0-alpha.2");
        assert_eq!(Version::find("no version 7 here"), None);
    }
}
