//! Decides which facts are told to an agent: those in force whose wording or source leaves no doubt that they are what
//! they are told as. All others are kept, shown and searched, and not told.

use super::command_family::is_check;
use super::decision::is_firm_decision;
use super::rule_scope::spells_scope_out;
use model::{Fact, FactKind, FactState};
use regex::Regex;
use std::sync::LazyLock;

/// Which facts of a conversation are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactTelling {
    /// Where a file was last changed, or the user last said something that binds.
    last_change: u64,
}

impl FactTelling {
    /// For the facts of one conversation, all of them.
    pub(crate) fn of_conversation<'f>(facts: impl IntoIterator<Item = &'f Fact>) -> Self {
        let changes = facts.into_iter().filter(|fact| match fact.kind {
            FactKind::File => fact.state != FactState::Read,
            FactKind::Decision => fact.state != FactState::Proposed,
            FactKind::Rule | FactKind::Task | FactKind::Correction => true,
            FactKind::Command | FactKind::Failure | FactKind::Test | FactKind::Todo => false,
        });
        Self { last_change: changes.map(|fact| fact.last_seq).max().unwrap_or(0) }
    }

    /// Whether a fact of the conversation is told.
    pub(crate) fn is_told(self, fact: &Fact) -> bool {
        fact.is_in_force()
            && match fact.kind {
                FactKind::Rule => spells_scope_out(&fact.subject),
                FactKind::Decision => is_firm_decision(&fact.subject),
                // After a change it is unknown how the check stands until it runs again, and once the user has gone on
                // to something else, they know of the failure and left it.
                FactKind::Test | FactKind::Failure => {
                    fact.seen_with.as_deref().is_some_and(is_check) && fact.last_seq > self.last_change
                }
                FactKind::File => !is_scratch_file(&fact.subject),
                FactKind::Todo => true,
                // A correction was about one moment, and the agent answered it. A command is told by the lines it
                // failed with. The last request stands in the newest messages, and an older one was answered.
                FactKind::Correction | FactKind::Command | FactKind::Task => false,
            }
    }
}

/// Whether a rule or a decision is told to later sessions: that depends on its own words only.
pub(crate) fn is_statement_told(fact: &Fact) -> bool {
    FactTelling { last_change: 0 }.is_told(fact) && outlasts_session(fact)
}

/// Whether a fact may hold behind its conversation: what was decided for the time being does not.
pub(crate) fn outlasts_session(fact: &Fact) -> bool {
    static PASSING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)\b(?:for now|in the meantime|meanwhile|temporarily|for the (?:time being|moment)|until then)\b",
        )
        .expect("the pattern is ours")
    });
    fact.kind != FactKind::Decision || !PASSING.is_match(&fact.subject)
}

/// Whether a file is a note or an output of the work, not a part of the project.
pub(super) fn is_scratch_file(path: &str) -> bool {
    path.starts_with("/tmp/")
        || path.starts_with("/private/tmp/")
        || path.starts_with("/var/folders/")
        || path.contains("/scratchpad/")
        || path.rsplit_once('.').is_some_and(|(_, extension)| extension == "log")
}
