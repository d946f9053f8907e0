//! Merges the facts of all conversations about a project into one text, for the agent that begins the next session.
//!
//! The newest statement of a rule, decision or open step counts, so a session in which nothing was said changes
//! nothing. The state of tests and commands comes from the newest conversation that ran any: an older one is no longer
//! true. Files worked on are left to the repository, which knows them better.

use super::assemble::{FactBlock, pack_facts};
use super::fact::{contradicts, is_told, replaces_decision, retracts_rule};
use super::list::message_timestamp;
use super::{conversation_id, fact};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::{Fact, FactKind, FactState, Timestamp, TokenCount};
use std::cmp::Reverse;
use std::collections::HashSet;
use store::{Conversation, MessageWindow};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct ProjectMemoryRequest {
    /// A conversation that is not meant, by name or id: the one that asks.
    pub except: Option<String>,
    /// Most tokens of the text.
    pub budget: TokenCount,
}

/// The facts of a project's conversations.
#[derive(Clone, Debug)]
pub struct ProjectMemory {
    /// The facts shown.
    pub facts: Vec<Fact>,
    /// Their text, quoted, each with the message it is from.
    pub text: String,
    /// Tokens of the text.
    pub tokens: TokenCount,
}

pub(crate) async fn project_memory(
    memory: &MemoryContext,
    project: &Project,
    request: ProjectMemoryRequest,
) -> Result<Option<ProjectMemory>> {
    let mut merged = MergedFacts::default();
    for conversation in load_conversations(memory, project, request.except.as_deref()).await? {
        // Stored facts spare the next session the work; where the store cannot be written, they are extracted below all
        // the same.
        let _ = fact::update_facts(memory, &conversation.id).await;
        match fact::current_facts(memory, &conversation.id).await {
            Err(Error::Store(error)) if error.is_damage() => skip_damaged(&conversation, &error),
            facts => merged.add_facts(facts?),
        }
    }
    let block = FactBlock { about: "this project".to_owned(), cites_messages: true };
    let ordered: Vec<&Fact> = merged.facts.iter().collect();
    Ok(pack_facts(&ordered, &block, request.budget).map(|(facts, text, tokens)| ProjectMemory { facts, text, tokens }))
}

/// The conversations about a project, the one that was spoken in last first.
async fn load_conversations(
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

/// Facts of several conversations, the newest first.
#[derive(Default)]
struct MergedFacts {
    facts: Vec<Fact>,
    /// The subjects of all statements so far, whether in force or not.
    stated: HashSet<(FactKind, String)>,
    /// Rules and decisions of newer conversations, which may end those of older ones.
    newer: Vec<Fact>,
    /// Whether a conversation said how tests and commands stand.
    has_state: bool,
}

impl MergedFacts {
    /// Adds the facts of the next older conversation.
    fn add_facts(&mut self, mut facts: Vec<Fact>) {
        facts.sort_by(|a, b| (Reverse(a.last_seq), &a.id).cmp(&(Reverse(b.last_seq), &b.id)));
        let has_state = self.has_state;
        let mut statements = Vec::new();
        for fact in facts {
            let is_new = match fact.kind {
                FactKind::Rule | FactKind::Decision => {
                    statements.push(fact.clone());
                    !self.is_ended(&fact) && self.is_new(&fact)
                }
                FactKind::Todo => self.is_new(&fact),
                // A correction is about one moment of its conversation, a task was answered there, and the state of a
                // file is seen in the repository.
                FactKind::Task | FactKind::Correction | FactKind::File => false,
                FactKind::Command | FactKind::Failure | FactKind::Test => !has_state,
            };
            if is_new && is_told(&fact) {
                self.has_state |= is_state(fact.kind);
                self.facts.push(fact);
            }
        }
        self.newer.extend(statements);
    }

    /// Whether a newer conversation took a rule back, ordered the opposite, or replaced a decision.
    fn is_ended(&self, fact: &Fact) -> bool {
        self.newer.iter().filter(|newer| newer.kind == fact.kind).any(|newer| match (fact.kind, newer.state) {
            (FactKind::Rule, FactState::Withdrawn) => retracts_rule(&newer.subject, &fact.subject),
            (FactKind::Rule, FactState::Stated) => contradicts(&newer.subject, &fact.subject),
            (FactKind::Decision, FactState::Stated) => replaces_decision(&newer.subject, &fact.subject),
            _ => false,
        })
    }

    /// Whether nothing newer states the same in other spelling.
    fn is_new(&mut self, fact: &Fact) -> bool {
        let folded = fact.subject.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        self.stated.insert((fact.kind, folded))
    }
}

fn is_state(kind: FactKind) -> bool {
    matches!(kind, FactKind::Command | FactKind::Failure | FactKind::Test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fact::FactExtractor;
    use crate::memory::tests::conversation_builder::ConversationBuilder;

    fn facts(talk: &ConversationBuilder) -> Vec<Fact> {
        FactExtractor::extract_facts(&talk.id, &talk.messages)
    }

    fn told(conversations: &[ConversationBuilder]) -> Vec<String> {
        let mut merged = MergedFacts::default();
        for talk in conversations {
            merged.add_facts(facts(talk));
        }
        merged.facts.iter().map(|fact| format!("{}: {}", fact.kind.as_str(), fact.subject)).collect()
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
}
