//! Promotes facts of conversations to memories of their project: rules of the user, decisions in force, and failures
//! that ended with one command. Keywords alone promote nothing: only a fact that is told does.
//!
//! The newest statement counts, by when it was said and not by when it was read. A rule that was taken back and a
//! decision that was replaced are put aside, unless a user asked to remember them. What a user put aside stays so until
//! it is said again.

use super::placement::{PlacedStatement, is_ended_by, is_joined, place_statement};
use crate::base::{Error, Observer, Project, Result};
use crate::memory::fact::{current_facts, is_check_command, is_statement_told, retracts_rule};
use crate::memory::list::message_timestamp;
use crate::memory::{MemoryContext, find_conversation};
use model::{
    ConversationId, DurableMemory, Fact, FactKind, FactState, MemoryEvent, MemoryId, MemoryKind, MemoryNote,
    MemoryStatement, NewMemory, ProjectId, Timestamp,
};
use store::{Conversation, MemoryBatch, MemoryScope, MessageWindow};

/// How certain it is that a promoted fact holds, in hundredths. The labelled set of facts has the figures: nearly every
/// rule is one, a few decisions are not, and a command after which a failure was gone need not be why.
const RULE_CERTAINTY: u32 = 90;
const DECISION_CERTAINTY: u32 = 80;
const FIX_CERTAINTY: u32 = 60;

/// What to promote.
#[derive(Clone, Debug)]
pub struct PromoteRequest {
    /// Facts of this conversation, by name or id; none for those of the project.
    pub conversation: Option<String>,
    /// Facts of all conversations, of every project.
    pub everything: bool,
    /// Whether it is only said what would be promoted.
    pub dry_run: bool,
}

/// A memory that a fact became.
#[derive(Clone, Debug)]
pub struct PromotedMemory {
    /// Its id.
    pub id: MemoryId,
    /// What it is.
    pub kind: MemoryKind,
    /// Its words.
    pub content: String,
    /// Whether it was known, and is noted as said again.
    pub is_known: bool,
    /// The conversation it was taken from, as people call it.
    pub conversation: String,
}

/// What was promoted.
#[derive(Clone, Debug, Default)]
pub struct PromoteReport {
    /// Conversations whose facts were looked at.
    pub processed: u64,
    /// Conversations that belong to no project: no session could be told what they say.
    pub homeless: u64,
    /// What became a memory, or was said again.
    pub promoted: Vec<PromotedMemory>,
    /// Memories that were put aside, because what they say was taken back or replaced.
    pub ended: Vec<MemoryId>,
    /// Conversations that could not be read, as people call them.
    pub damaged: Vec<String>,
}

pub(crate) async fn promote_facts(
    memory: &MemoryContext,
    project: &Project,
    request: PromoteRequest,
    observer: &dyn Observer,
) -> Result<PromoteReport> {
    if !request.dry_run {
        memory.check_enabled("promote facts")?;
    }
    let mut report = PromoteReport::default();
    let chosen = choose_conversations(memory, project, &request, &mut report).await?;
    let total = chosen.len() as u64;
    // A dry run keeps what it would write, so that the second conversation meets the memories of the first, as a real
    // run does.
    let mut written = WrittenMemories { is_dry: request.dry_run, ..WrittenMemories::default() };
    for conversation in chosen {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        match promote_conversation(memory, &conversation, &mut written, &mut report).await {
            Err(Error::Store(error)) if error.is_damage() => {
                tracing::warn!(conversation = conversation.id.as_str(), %error, "a damaged conversation is left out");
                report.damaged.push(conversation.name);
            }
            done => done?,
        }
        report.processed += 1;
        observer.report_progress("promoting", report.processed, total);
    }
    Ok(report)
}

/// Promotes the facts of a conversation that was folded just now. Folding does not depend on it: what was not promoted
/// is the next time.
pub(crate) async fn promote_after_fold(memory: &MemoryContext, id: &ConversationId) {
    let promote = async {
        // It can be gone: its project may have been forgotten while it was folded.
        let Some(conversation) = memory.store.load_conversation(id).await? else { return Ok(()) };
        promote_conversation(memory, &conversation, &mut WrittenMemories::default(), &mut PromoteReport::default())
            .await
    };
    if let Err(error) = promote.await {
        tracing::warn!(conversation = id.as_str(), %error, "its facts were not promoted");
    }
}

/// The conversations that are meant, the one that was spoken in last at the end: what was said later counts.
async fn choose_conversations(
    memory: &MemoryContext,
    project: &Project,
    request: &PromoteRequest,
    report: &mut PromoteReport,
) -> Result<Vec<Conversation>> {
    let mut chosen = match &request.conversation {
        Some(name) => {
            let id = find_conversation(memory, name).await?;
            memory.store.load_conversation(&id).await?.into_iter().collect()
        }
        None => memory.store.list_conversations().await?,
    };
    // A conversation that is named is meant, whichever project it is of.
    if request.conversation.is_none() && !request.everything {
        chosen.retain(|conversation| conversation.project.as_ref() == Some(&project.id));
    }
    let mut dated = Vec::new();
    for conversation in chosen {
        match memory.store.load_messages(&conversation.id, MessageWindow::Last(1)).await {
            Err(error) if error.is_damage() => report.damaged.push(conversation.name),
            last => dated.extend(last?.pop().map(|last| (message_timestamp(&last), conversation))),
        }
    }
    // By the time of the last message and not by when it was stored: an import of yesterday may hold last year's words.
    dated.sort_by(|(a, one), (b, other)| (a, &one.id).cmp(&(b, &other.id)));
    Ok(dated.into_iter().map(|(_, conversation)| conversation).collect())
}

/// Memories of a run that are not in the store: those of a dry run.
#[derive(Default)]
struct WrittenMemories {
    is_dry: bool,
    batches: Vec<MemoryBatch>,
}

impl WrittenMemories {
    async fn write(&mut self, memory: &MemoryContext, batch: MemoryBatch) -> Result<()> {
        if self.is_dry {
            self.batches.push(batch);
            return Ok(());
        }
        Ok(memory.store.write_memories(batch).await?)
    }

    /// The memories of a project with what this run did to them.
    async fn load(&self, memory: &MemoryContext, project: &ProjectId) -> Result<Vec<DurableMemory>> {
        let mut known = memory.store.load_memories(MemoryScope::Project(project.clone())).await?;
        let mut number = known.iter().map(|memory| memory.last_note).max().unwrap_or_default();
        for batch in &self.batches {
            apply_batch(&mut known, batch, &mut number);
        }
        // A damaged memory must not be joined with a new one: its words are not those that were stored.
        known.retain(DurableMemory::is_intact);
        Ok(known)
    }
}

/// Does to memories in hand what a store does with a batch.
fn apply_batch(known: &mut Vec<DurableMemory>, batch: &MemoryBatch, number: &mut i64) {
    for new in &batch.memories {
        if !known.iter().any(|memory| memory.id == new.id()) {
            known.push(DurableMemory::new(new.clone()));
        }
    }
    for (id, note) in &batch.notes {
        *number += 1;
        if let Some(memory) = known.iter_mut().find(|memory| memory.id == *id) {
            memory.add_note(*number, note.clone());
        }
    }
}

async fn promote_conversation(
    memory: &MemoryContext,
    conversation: &Conversation,
    written: &mut WrittenMemories,
    report: &mut PromoteReport,
) -> Result<()> {
    let Some(project) = &conversation.project else {
        report.homeless += 1;
        return Ok(());
    };
    let mut facts = current_facts(memory, &conversation.id).await?;
    // In the order in which they were said last, so that the newest statement is placed last and counts.
    facts.sort_by(|a, b| (a.last_seq, a.kind, &a.id).cmp(&(b.last_seq, b.kind, &b.id)));
    let mut known = written.load(memory, project).await?;
    // What others said is neither joined with it nor ended by it.
    known.retain(|known| known.body.author == conversation.author);
    let mut number = known.iter().map(|memory| memory.last_note).max().unwrap_or_default();
    for fact in facts {
        let now = memory.clock.now();
        let batch = if let Some((kind, content, certainty)) = promotable(&fact) {
            let (about, taken_from) = (Some(project.clone()), Some(conversation.id.clone()));
            let new = NewMemory {
                content,
                kind,
                project: about,
                // A conversation's memories are whose it is, whoever folds it.
                author: conversation.author.clone(),
                conversation: taken_from,
                depth: 0,
                created: now,
            };
            let said = said_at(memory, &fact).await?;
            if !is_news(&known, &new, &fact, said) {
                continue;
            }
            let sources = fact.sources.iter().map(ToString::to_string).collect();
            let tags = vec![kind.as_str().to_owned()];
            let statement = MemoryStatement { certainty, tags, sources, metadata: None, said };
            let content = new.content.clone();
            let PlacedStatement { batch, id, is_new, replaced } = place_statement(&known, new, statement, now);
            let conversation = conversation.name.clone();
            report.promoted.push(PromotedMemory { id, kind, content, is_known: !is_new, conversation });
            report.ended.extend(replaced);
            batch
        } else if let Some((ended, said)) = find_ended(memory, &known, project, &fact).await? {
            report.ended.extend(ended.iter().cloned());
            // Since it was taken back, not since that was read: what was said later may bring it back.
            let note = MemoryNote { at: said, event: MemoryEvent::Archived };
            MemoryBatch { memories: Vec::new(), notes: ended.into_iter().map(|id| (id, note.clone())).collect() }
        } else {
            continue;
        };
        apply_batch(&mut known, &batch, &mut number);
        written.write(memory, batch).await?;
    }
    Ok(())
}

/// What a fact becomes, where it is one to be kept: its kind, its words and how certain it is.
fn promotable(fact: &Fact) -> Option<(MemoryKind, String, u32)> {
    match fact.kind {
        // In the user's words, with the formula that says what it is: a memory stands alone.
        FactKind::Rule if is_statement_told(fact) => Some((MemoryKind::Rule, fact.subject.clone(), RULE_CERTAINTY)),
        FactKind::Decision if is_statement_told(fact) => {
            Some((MemoryKind::Decision, fact.subject.clone(), DECISION_CERTAINTY))
        }
        // Only a command that was the one change: tests that fail and pass again while files are edited are daily work,
        // and of several changes it is not known which one it was.
        FactKind::Failure if fact.state == FactState::Ended => {
            let command = fact.seen_with.as_deref().filter(|command| is_check_command(command))?;
            let fix = fact.ended_by.as_deref().filter(|fix| is_one_command(fix))?;
            let content = format!("`{command}` failed with \"{}\"; the failure was gone after {fix}", fact.subject);
            Some((MemoryKind::Fix, content, FIX_CERTAINTY))
        }
        FactKind::Rule
        | FactKind::Decision
        | FactKind::Failure
        | FactKind::Task
        | FactKind::Correction
        | FactKind::File
        | FactKind::Command
        | FactKind::Test
        | FactKind::Todo => None,
    }
}

/// Whether a list of changes is one command, between backticks.
fn is_one_command(changes: &str) -> bool {
    let inside = changes.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    inside.is_some_and(|inside| !inside.contains("`, ") && !inside.contains(", `"))
}

/// Whether a fact says something that is not noted yet, and that nothing later ended.
fn is_news(known: &[DurableMemory], new: &NewMemory, fact: &Fact, said: Timestamp) -> bool {
    let id = new.id();
    let is_noted = |memory: &DurableMemory| {
        let is_source = |source: &str| memory.sources.iter().any(|known| known == source);
        fact.sources.iter().all(|source| is_source(source.as_str()))
            && (memory.id == id || memory.is_active() && is_joined(&new.content, &memory.body.content))
    };
    let was_put_aside_since =
        |memory: &DurableMemory| memory.id == id && memory.archived.is_some_and(|archived| said <= archived);
    // A later statement may have ended it already: then it is the old one of the two.
    let mut old = DurableMemory::new(new.clone());
    old.said = said;
    let is_over =
        |later: &DurableMemory| later.is_active() && later.said > said && is_ended_by(&old, &later.body, later.said);
    !known.iter().any(|memory| is_noted(memory) || was_put_aside_since(memory) || is_over(memory))
}

/// The memories that a fact ends, and since when: a rule or decision that is over, or a sentence that takes rules back.
async fn find_ended(
    memory: &MemoryContext,
    known: &[DurableMemory],
    project: &ProjectId,
    fact: &Fact,
) -> Result<Option<(Vec<MemoryId>, Timestamp)>> {
    let is_over = matches!(fact.kind, FactKind::Rule | FactKind::Decision)
        && matches!(fact.state, FactState::Withdrawn | FactState::Superseded);
    if !is_over {
        return Ok(None);
    }
    let is_meant = |kept: &&DurableMemory| {
        let is_retracted = fact.kind == FactKind::Rule
            && kept.body.kind == MemoryKind::Rule
            && retracts_rule(&fact.subject, &kept.body.content);
        kept.is_active()
            && !kept.is_asked_for()
            && kept.body.project.as_ref() == Some(project)
            && (kept.body.kind.is_statement() && kept.body.content == fact.subject || is_retracted)
    };
    let meant: Vec<&DurableMemory> = known.iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Ok(None);
    }
    let said = said_at(memory, fact).await?;
    let ended: Vec<MemoryId> = meant.iter().filter(|kept| kept.said <= said).map(|kept| kept.id.clone()).collect();
    Ok((!ended.is_empty()).then_some((ended, said)))
}

/// When a fact was last said.
async fn said_at(memory: &MemoryContext, fact: &Fact) -> Result<Timestamp> {
    let message = match fact.sources.last() {
        Some(source) => memory.store.load_message(source).await?,
        None => None,
    };
    Ok(message.as_ref().map_or_else(|| memory.clock.now(), message_timestamp))
}
