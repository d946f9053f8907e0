//! Merges the facts of all conversations about a project: what its next session has to know of the sessions before it.
//!
//! The newest statement of a rule, decision or open step counts, by when it was said, so a session in which nothing was
//! said changes nothing, and two agents that work at the same time are merged statement by statement. The state of tests
//! and commands comes from the newest conversation that ran any: an older one is no longer true. Tasks and corrections
//! belong to their conversation and are left out; so are files worked on, which the repository knows better.

use super::fact::{FactTelling, LaterStatements, outlasts_session};
use super::left_steps::{LeftSteps, has_gone_on};
use super::list::message_timestamp;
use super::{conversation_id, fact};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::{Fact, FactKind, FactState, Timestamp};
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use store::{Conversation, MessageWindow};

/// What holds over the conversations of a project.
#[derive(Debug, Default)]
pub(crate) struct StandingFacts {
    /// The facts that hold for certain, the newest first.
    pub(crate) facts: Vec<Fact>,
    /// Open steps that may be done.
    pub(crate) left: Vec<LeftSteps>,
}

/// Unread messages that are read for facts while somebody waits: an agent begins a session with the answer. Beyond them
/// the facts count that were taken before, also by older rules.
pub(crate) const MAX_READ_MESSAGES: u64 = 4_000;

/// The facts that hold over some conversations, which are ordered by when they were spoken in last, the newest first.
pub(crate) async fn standing_facts(memory: &MemoryContext, conversations: &[Conversation]) -> Result<StandingFacts> {
    let mut merged = FactMerger::default();
    // Those whose facts were read, in the order in which the merger counts them.
    let mut read = Vec::new();
    let mut room = MAX_READ_MESSAGES;
    for conversation in conversations {
        match load_dated(memory, conversation, &mut room).await {
            Err(Error::Store(error)) if error.is_damage() => skip_damaged(conversation, &error),
            facts => {
                merged.add_conversation(facts?);
                read.push(conversation);
            }
        }
    }
    let newest_worked = merged.worked.iter().position(|worked| *worked);
    let mut standing = StandingFacts::default();
    // Read once for a list, all of whose steps were touched together.
    let mut gone_on: HashMap<(usize, u64), bool> = HashMap::new();
    for DatedFact { at, conversation, fact, .. } in merged.into_standing() {
        // Work that another session did later may have been on the steps of this one.
        if fact.kind != FactKind::Todo {
            standing.facts.push(fact);
            continue;
        }
        let list = (conversation, fact.last_seq);
        if let Entry::Vacant(unknown) = gone_on.entry(list) {
            let is_overtaken = newest_worked.is_some_and(|newest| newest < conversation);
            unknown.insert(is_overtaken || has_gone_on(memory, read[conversation], fact.last_seq).await?);
        }
        if gone_on[&list] {
            LeftSteps::add_step(&mut standing.left, at, fact);
        } else {
            standing.facts.push(fact);
        }
    }
    Ok(standing)
}

/// The facts of a conversation, each with when it was last said. What is unread is read as long as there is room.
async fn load_dated(
    memory: &MemoryContext,
    conversation: &Conversation,
    room: &mut u64,
) -> Result<Vec<(Timestamp, Fact)>> {
    let unread = fact::count_unread(memory, conversation).await?;
    let facts = match room.checked_sub(unread) {
        Some(left) => {
            *room = left;
            fact::refresh_facts(memory, &conversation.id).await?
        }
        None => memory.store.facts_of(&conversation.id).await?,
    };
    // Most facts are files and commands, which no other conversation ends: their messages need not be read.
    let mut places: Vec<u64> = facts.iter().filter(|fact| is_dated(fact.kind)).map(|fact| fact.last_seq).collect();
    places.sort_unstable();
    places.dedup();
    let asked: Vec<_> = places.iter().map(|seq| (conversation.id.clone(), *seq)).collect();
    let messages = memory.store.messages_at(&asked).await?;
    let times: HashMap<u64, Timestamp> = places
        .into_iter()
        .zip(messages)
        // Nothing is said after it was stored: a clock that was ahead by years must not make a statement the newest.
        .filter_map(|(seq, message)| message.map(|it| (seq, message_timestamp(&it).min(it.stored))))
        .collect();
    let time = |fact: &Fact| times.get(&fact.last_seq).copied().unwrap_or_default();
    Ok(facts.into_iter().map(|fact| (time(&fact), fact)).collect())
}

/// The reader's conversations about a project, the one that was spoken in last first.
pub(crate) async fn project_conversations(
    memory: &MemoryContext,
    project: &Project,
    except: Option<&str>,
) -> Result<Vec<Conversation>> {
    let except = except.map(conversation_id);
    let mut dated: Vec<(Timestamp, Conversation)> = Vec::new();
    for conversation in memory.store.list_conversations().await? {
        if conversation.project.as_ref() != Some(&project.id) || Some(&conversation.id) == except.as_ref() {
            continue;
        }
        // What a colleague decided is told where they share it, and not as the reader's own.
        if !memory.author.owns(conversation.author.as_deref()) {
            continue;
        }
        match memory.store.load_messages(&conversation.id, MessageWindow::Last(1)).await {
            Err(error) if error.is_damage() => skip_damaged(&conversation, &error),
            last => dated.extend(last?.pop().map(|last| (message_timestamp(&last), conversation))),
        }
    }
    dated.sort_by(|(a, one), (b, other)| (Reverse(a), &one.id).cmp(&(Reverse(b), &other.id)));
    Ok(dated.into_iter().map(|(_, conversation)| conversation).collect())
}

/// Logs a damaged conversation and leaves it out, so that the facts of the others are still shown; `verify` reports it.
fn skip_damaged(conversation: &Conversation, error: &store::Error) {
    tracing::warn!(conversation = conversation.id.as_str(), %error, "a damaged conversation is left out");
}

/// Facts of several conversations.
#[derive(Default)]
struct FactMerger {
    dated: Vec<DatedFact>,
    conversations: usize,
    /// Of each conversation, whether anything was changed or checked in it.
    worked: Vec<bool>,
    /// The subjects of all statements so far, whether in force or not.
    stated: HashSet<(FactKind, String)>,
}

struct DatedFact {
    at: Timestamp,
    /// The place of its conversation, the newest being 0.
    conversation: usize,
    fact: Fact,
    is_told: bool,
}

impl FactMerger {
    /// Adds the facts of the next older conversation.
    fn add_conversation(&mut self, facts: Vec<(Timestamp, Fact)>) {
        let conversation = self.conversations;
        let telling = FactTelling::of_conversation(facts.iter().map(|(_, fact)| fact));
        self.worked.push(facts.iter().any(|(_, fact)| is_work(fact)));
        let dated = facts.into_iter().map(|(at, fact)| {
            let is_told = telling.is_told(&fact) && outlasts_session(&fact);
            DatedFact { at, conversation, fact, is_told }
        });
        self.dated.extend(dated.collect::<Vec<_>>());
        self.conversations += 1;
    }

    /// The facts that hold, the newest statement first.
    fn into_standing(mut self) -> Vec<DatedFact> {
        let mut dated = std::mem::take(&mut self.dated);
        dated.sort_by(|a, b| {
            let place = |it: &DatedFact| (Reverse(it.at), it.conversation, Reverse(it.fact.last_seq));
            place(a).cmp(&place(b)).then_with(|| a.fact.id.cmp(&b.fact.id))
        });
        let newest_state =
            dated.iter().filter(|it| is_state(it.fact.kind) && it.is_told).map(|it| it.conversation).min();
        let mut standing = Vec::new();
        // Rules and decisions that were stated later, which may end those of other conversations.
        let mut newer = NewerStatements::default();
        for it in dated {
            let is_new = match it.fact.kind {
                FactKind::Rule | FactKind::Decision => !newer.ends(&it) && self.is_new(&it.fact),
                FactKind::Todo => self.is_new(&it.fact),
                // A correction is about one moment of its conversation, a task was answered there, and the state of a
                // file is seen in the repository.
                FactKind::Task | FactKind::Correction | FactKind::File => false,
                FactKind::Command | FactKind::Failure | FactKind::Test => newest_state == Some(it.conversation),
            };
            newer.add(&it);
            if is_new && it.is_told {
                standing.push(it);
            }
        }
        standing
    }

    /// Whether nothing newer states the same in other spelling.
    fn is_new(&mut self, fact: &Fact) -> bool {
        let folded = fact.subject.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        self.stated.insert((fact.kind, folded))
    }
}

/// Rules and decisions of all conversations, the newest first.
#[derive(Default)]
struct NewerStatements {
    statements: LaterStatements,
    /// The conversation of each, by its place.
    conversations: Vec<usize>,
}

impl NewerStatements {
    fn add(&mut self, it: &DatedFact) {
        let (place, said) = (self.conversations.len(), &it.fact.subject);
        match (it.fact.kind, it.fact.state) {
            (FactKind::Rule, FactState::Withdrawn) => self.statements.add_retraction(place, said),
            (FactKind::Rule, FactState::Stated) => self.statements.add_rule(place, said),
            (FactKind::Decision, FactState::Stated) => self.statements.add_decision(place, said),
            _ => return,
        }
        self.conversations.push(it.conversation);
    }

    /// Whether another conversation took a rule back later, ordered the opposite, or replaced a decision. Within one
    /// conversation the state of its facts says that already.
    fn ends(&self, it: &DatedFact) -> bool {
        let is_of_other = |place: usize| self.conversations[place] != it.conversation;
        match it.fact.kind {
            FactKind::Rule => self.statements.ends_rule(&it.fact.subject, is_of_other),
            FactKind::Decision => self.statements.find_replacing(&it.fact.subject, is_of_other).is_some(),
            FactKind::Task
            | FactKind::Correction
            | FactKind::File
            | FactKind::Command
            | FactKind::Failure
            | FactKind::Test
            | FactKind::Todo => false,
        }
    }
}

/// Whether it matters when a fact was stated: the newest statement counts. Commands are never told.
fn is_dated(kind: FactKind) -> bool {
    matches!(kind, FactKind::Rule | FactKind::Decision | FactKind::Todo | FactKind::Failure | FactKind::Test)
}

fn is_state(kind: FactKind) -> bool {
    matches!(kind, FactKind::Command | FactKind::Failure | FactKind::Test)
}

/// Whether a fact comes of work on the project.
fn is_work(fact: &Fact) -> bool {
    is_state(fact.kind) || (fact.kind == FactKind::File && fact.state != FactState::Read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fact::FactExtractor;
    use crate::memory::tests::conversation_builder::ConversationBuilder;

    fn facts(talk: &ConversationBuilder) -> Vec<(Timestamp, Fact)> {
        let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
        let at = |fact: &Fact| talk.messages[fact.last_seq as usize - 1].stored;
        facts.into_iter().map(|fact| (at(&fact), fact)).collect()
    }

    fn told(conversations: &[ConversationBuilder]) -> Vec<String> {
        let mut merged = FactMerger::default();
        for talk in conversations {
            merged.add_conversation(facts(talk));
        }
        merged.into_standing().iter().map(|it| format!("{}: {}", it.fact.kind.as_str(), it.fact.subject)).collect()
    }

    #[test]
    fn the_newest_statement_counts_and_empty_sessions_change_nothing() {
        let todos = |status: &str| {
            let todos = serde_json::json!([{ "content": "write the test", "status": status }]);
            serde_json::json!({ "todos": todos }).to_string()
        };
        let old = ConversationBuilder::new()
            .user("Never push to main. We decided to use integer cents everywhere.")
            .tool_round("TodoWrite", &todos("pending"), "ok")
            .edit_file("src/old.rs");
        let new = ConversationBuilder::new()
            .user("never push to main!")
            .tool_round("TodoWrite", &todos("completed"), "ok")
            .edit_file("src/new.rs");
        let hi = || ConversationBuilder::new().user("hi").assistant("Hello!");
        let expected = ["rule: never push to main!", "decision: We decided to use integer cents everywhere."];
        assert_eq!(told(&[new.clone(), old.clone()]), expected);
        let mut sessions: Vec<ConversationBuilder> = (0..20).map(|_| hi()).collect();
        sessions.extend([new, old]);
        assert_eq!(told(&sessions), expected);
    }

    #[test]
    fn what_was_decided_for_the_time_being_ends_with_its_session() {
        let talk = ConversationBuilder::new()
            .user("We decided to use SQLite for now. We decided to use integer cents everywhere.");
        assert_eq!(told(&[talk]), ["decision: We decided to use integer cents everywhere."]);
    }

    #[test]
    fn a_newer_conversation_ends_rules_and_decisions_of_an_older_one() {
        let old = ConversationBuilder::new()
            .user("Never push to main. Always use tabs. We decided to use SQLite for the cache. Never delete backups.");
        let new = ConversationBuilder::new()
            .user("You can push to main again. Never use tabs. Let's use PostgreSQL instead of SQLite.");
        assert_eq!(
            told(&[new, old]),
            [
                "rule: Never use tabs.",
                "decision: Let's use PostgreSQL instead of SQLite.",
                "rule: Never delete backups."
            ]
        );
    }
    #[test]
    fn two_agents_at_once_are_merged_by_when_each_statement_was_made() {
        let at = |mut talk: ConversationBuilder, times: &[i64]| {
            talk.messages.iter_mut().zip(times).for_each(|(message, time)| message.stored = Timestamp(*time));
            talk
        };
        let first = ConversationBuilder::new().user("You can push to main again.").user("Go on with the parser.");
        let second = ConversationBuilder::new().user("Never push to main.");
        // The first conversation was spoken in last, but its permission is older than the rule of the second.
        assert_eq!(told(&[at(first.clone(), &[10, 30]), at(second.clone(), &[20])]), ["rule: Never push to main."]);
        assert_eq!(told(&[at(first, &[25, 30]), at(second, &[20])]), [""; 0]);
    }
}
