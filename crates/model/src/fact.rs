//! `Fact`, the data type for facts of a conversation (user's rules, tasks, decisions, files, commands, errors, tests),
//! which are extracted from its messages by rule and never by a model.
//!
//! A fact is named by what it is about, not by where it was said, so that the file edited twice is one fact whose
//! state moved on. Facts are derived: dropping them and reading the messages again gives the same ones.

use crate::{ConversationId, DigestBuilder, FactId, MessageId};

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactKind {
    /// An order of the user about all work, in their words; it holds until they take it back.
    Rule,
    /// A piece of work that the user asked for, in their words.
    Task,
    /// The user said that something was wrong, in their words.
    Correction,
    /// Something that was chosen.
    Decision,
    /// A file that was looked at or changed.
    File,
    /// A command that was run.
    Command,
    /// An error that a command or a tool gave.
    Failure,
    /// A test that failed at least once.
    Test,
    /// A step on a list of things to do.
    Todo,
}

crate::enum_words! {
    pub FactKind {
        Rule = "rule" | "constraint",
        Task = "task",
        Correction = "correction",
        Decision = "decision",
        File = "file",
        Command = "command",
        Failure = "failure",
        Test = "test",
        Todo = "todo",
    }
}

/// The word by which rules were known, and by which their ids are still made: an id that was shown stays valid.
const FORMER_RULE: &str = "constraint";

/// How what a fact is about stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactState {
    /// Said, and nothing took it back.
    Stated,
    /// A decision that a model put forward and the user did not agree to yet, or a rule in a document that the user passed
    /// on.
    Proposed,
    /// A rule that the user took back, or a decision or proposal that they refused.
    Withdrawn,
    /// A rule or decision in whose place a later one came.
    Superseded,
    /// A task behind which the user gave another one; whether it was finished is not known.
    Passed,
    /// A file that was only read.
    Read,
    /// A file that was changed.
    Edited,
    /// A file that was written whole.
    Written,
    /// A file that was removed.
    Deleted,
    /// A command that ended; the transcript does not say how.
    Ran,
    /// A command that ended well.
    Succeeded,
    /// A command that ended badly.
    Failed,
    /// A failure that nothing ended yet.
    Standing,
    /// A failure that ended.
    Ended,
    /// A test that fails.
    Failing,
    /// A test that failed and passes now.
    Passing,
    /// A step to be done.
    Open,
    /// A step that was begun.
    Begun,
    /// A step that is done.
    Done,
    /// A step that was taken from the list.
    Dropped,
}

crate::enum_words! {
    pub FactState {
        Stated = "stated",
        Proposed = "proposed",
        Withdrawn = "withdrawn",
        Superseded = "superseded",
        Passed = "passed",
        Read = "read",
        Edited = "edited",
        Written = "written",
        Deleted = "deleted",
        Ran = "ran",
        Succeeded = "succeeded",
        Failed = "failed",
        Standing = "standing",
        Ended = "ended",
        Failing = "failing",
        Passing = "passing",
        Open = "open",
        Begun = "begun",
        Done = "done",
        Dropped = "dropped",
    }
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its id; see [`Fact::id_of`].
    pub id: FactId,
    /// The conversation it is taken from.
    pub conversation: ConversationId,
    /// What it is about.
    pub kind: FactKind,
    /// The thing itself, verbatim: the user's sentence, a path, a command, an error line, a test, a step.
    pub subject: String,
    /// How it stands.
    pub state: FactState,
    /// The exit code of the command's last run.
    pub exit_code: Option<i32>,
    /// What a failure or a test was seen with: a command, or a tool and its file. Of a decision that was put forward: the
    /// message of the user that came next.
    pub seen_with: Option<String>,
    /// The files that were changed and the commands that were run before a failure ended or a test passed, the last one
    /// first. Of a rule or decision: the fact in whose favour it was given up.
    pub ended_by: Option<String>,
    /// How often it came up.
    pub times: u32,
    /// Where it came up first.
    pub first_seq: u64,
    /// Where its state was last set.
    pub last_seq: u64,
    /// The messages it is taken from: the first one and the newest ones, in order, at most [`Fact::SOURCES`].
    pub sources: Vec<MessageId>,
}

impl Fact {
    /// How many sources a fact keeps; `times` says how many there were.
    pub const SOURCES: usize = 16;

    /// The id of a fact about `subject`.
    pub fn id_of(conversation: &ConversationId, kind: FactKind, subject: &str) -> FactId {
        let word = if kind == FactKind::Rule { FORMER_RULE } else { kind.as_str() };
        let digest = DigestBuilder::new("fact").add_field(conversation.as_str().as_bytes()).add_field(word.as_bytes());
        FactId::from_hash(digest.add_field(subject.as_bytes()).finish())
    }

    /// Whether an agent that goes on with the work has to know it: what is in force, changed, broken or still to do.
    pub fn is_in_force(&self) -> bool {
        match self.state {
            FactState::Stated
            | FactState::Edited
            | FactState::Written
            | FactState::Deleted
            | FactState::Failed
            | FactState::Standing
            | FactState::Failing
            | FactState::Open
            | FactState::Begun => true,
            FactState::Proposed
            | FactState::Withdrawn
            | FactState::Superseded
            | FactState::Passed
            | FactState::Read
            | FactState::Ran
            | FactState::Succeeded
            | FactState::Ended
            | FactState::Passing
            | FactState::Done
            | FactState::Dropped => false,
        }
    }

    /// Adds a message it is taken from.
    pub fn add_source(&mut self, message: &MessageId) {
        // A message counts once: agents write the same edit as a call and as a patch.
        if self.sources.last() == Some(message) {
            return;
        }
        self.times = self.times.saturating_add(1);
        if self.sources.len() == Self::SOURCES {
            // The first source says where the fact comes from, the newest ones how it stands; one from the middle goes.
            self.sources.remove(1);
        }
        self.sources.push(message.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContentHash;

    #[test]
    fn every_word_reads_back() {
        for (kind, word) in FactKind::ALL {
            assert_eq!((FactKind::parse(word), kind.as_str()), (Some(kind), word));
        }
        for (state, word) in FactState::ALL {
            assert_eq!((FactState::parse(word), state.as_str()), (Some(state), word));
        }
        assert_eq!(FactKind::parse("constraint"), Some(FactKind::Rule));
    }

    #[test]
    fn a_fact_keeps_its_first_source_and_the_newest() {
        let conversation = ConversationId::from_hash(ContentHash::hash_bytes(b"c"));
        let message = |number: u32| MessageId::from_hash(ContentHash::hash_bytes(&number.to_le_bytes()));
        let mut fact = Fact {
            id: Fact::id_of(&conversation, FactKind::File, "a.rs"),
            conversation,
            kind: FactKind::File,
            subject: "a.rs".to_owned(),
            state: FactState::Edited,
            exit_code: None,
            seen_with: None,
            ended_by: None,
            times: 0,
            first_seq: 1,
            last_seq: 1,
            sources: Vec::new(),
        };
        for number in 0..40 {
            fact.add_source(&message(number));
            fact.add_source(&message(number));
        }
        assert_eq!((fact.times, fact.sources.len()), (40, Fact::SOURCES));
        assert_eq!((&fact.sources[0], &fact.sources[1], &fact.sources[15]), (&message(0), &message(25), &message(39)));
    }
}
