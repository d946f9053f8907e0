//! `StatedFacts`, what was decided, ruled, corrected and asked for in each conversation, kept in memory under the last
//! link of the conversation's chain: a list over all conversations reads only those that went on since.

use super::{RULES, refresh_facts};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::{ChainHash, ConversationId, Fact, FactKind, Timestamp};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Conversation, DatedFact, FactsRead};

/// The kinds that are kept: "No, do not use Redis" is a rule, a correction or a task, by its wording.
const STATED: [FactKind; 4] = [FactKind::Decision, FactKind::Rule, FactKind::Correction, FactKind::Task];

/// What is kept of all conversations together takes some megabytes; beyond that, conversations are read each time.
const MAX_KEPT: usize = 50_000;

/// Of more conversations than this, the facts are read at once.
const FEW: usize = 8;

/// The facts of a conversation, the newest statement first.
pub(crate) type Statements = Arc<[DatedFact]>;

/// What is known of conversations.
#[derive(Default)]
pub(crate) struct StatedFacts(Mutex<HashMap<ConversationId, (ChainHash, Statements)>>);

impl StatedFacts {
    fn find(&self, conversation: &Conversation) -> Option<Statements> {
        let known = self.lock();
        let (head, facts) = known.get(&conversation.id)?;
        (*head == conversation.head).then(|| Arc::clone(facts))
    }

    fn keep(&self, conversation: &Conversation, facts: &Statements) {
        let mut known = self.lock();
        let kept: usize = known.values().map(|(_, facts)| facts.len()).sum();
        if kept + facts.len() <= MAX_KEPT {
            known.insert(conversation.id.clone(), (conversation.head, Arc::clone(facts)));
        }
    }

    /// Lets go of conversations that are gone.
    fn keep_only(&self, conversations: &HashSet<&ConversationId>) {
        self.lock().retain(|id, _| conversations.contains(id));
    }

    /// Lets go of a conversation whose facts were taken anew.
    pub(super) fn forget(&self, conversation: &ConversationId) {
        self.lock().remove(conversation);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, (ChainHash, Statements)>> {
        // Each entry is whole by itself, so a panic leaves nothing half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The statements of some conversations out of `all`, in their order; where one is damaged, why it cannot be read.
pub(crate) async fn load_statements(
    memory: &MemoryContext,
    all: &[Conversation],
    wanted: &[&Conversation],
) -> Result<Vec<Result<Statements, store::Error>>> {
    memory.stated.keep_only(&all.iter().map(|conversation| &conversation.id).collect());
    let mut found: Vec<Option<Statements>> = wanted.iter().map(|it| memory.stated.find(it)).collect();
    if found.iter().filter(|found| found.is_none()).count() > FEW {
        let stored = load_stored(memory).await?;
        for (found, conversation) in found.iter_mut().zip(wanted).filter(|(found, _)| found.is_none()) {
            let whole = FactsRead { to: conversation.messages, rules: RULES };
            // Where messages were not read yet, or wait for an answer, facts are taken from them below.
            if let Some((_, facts)) = stored.get(&conversation.id).filter(|(read, _)| *read == whole) {
                memory.stated.keep(conversation, facts);
                *found = Some(Arc::clone(facts));
            }
        }
    }
    let mut statements = Vec::with_capacity(wanted.len());
    for (found, conversation) in found.into_iter().zip(wanted) {
        statements.push(match found {
            Some(facts) => Ok(facts),
            None => match read_statements(memory, conversation).await {
                Err(Error::Store(error)) if error.is_damage() => Err(error),
                facts => {
                    let facts = facts?;
                    memory.stated.keep(conversation, &facts);
                    Ok(facts)
                }
            },
        });
    }
    Ok(statements)
}

/// What the store has of all conversations; nothing where some of it is damaged, so that only that is left out.
async fn load_stored(memory: &MemoryContext) -> Result<HashMap<ConversationId, (FactsRead, Statements)>> {
    let stored = match memory.store.facts_of_kinds(&STATED).await {
        Err(error) if error.is_damage() => Vec::new(),
        stored => stored?,
    };
    Ok(stored.into_iter().map(|of| (of.conversation, (of.read, newest_first(of.facts)))).collect())
}

/// Takes the facts of a conversation as of its last message.
async fn read_statements(memory: &MemoryContext, conversation: &Conversation) -> Result<Statements> {
    let mut facts = refresh_facts(memory, &conversation.id).await?;
    facts.retain(|fact| STATED.contains(&fact.kind));
    let times = load_times(memory, &facts).await?;
    let dated = facts.into_iter().map(|fact| DatedFact { at: times.get(&fact.first_seq).copied(), fact });
    Ok(newest_first(dated.collect()))
}

/// When the first message of each fact happened.
async fn load_times(memory: &MemoryContext, facts: &[Fact]) -> Result<HashMap<u64, Timestamp>> {
    let places: Vec<(ConversationId, u64)> =
        facts.iter().map(|fact| (fact.conversation.clone(), fact.first_seq)).collect();
    let messages = match memory.store.messages_at(&places).await {
        // A damaged message takes the times of its conversation with it, and nothing else.
        Err(error) if error.is_damage() => return Ok(HashMap::new()),
        messages => messages?,
    };
    Ok(messages.into_iter().flatten().map(|message| (message.seq, message.happened())).collect())
}

fn newest_first(mut facts: Vec<DatedFact>) -> Statements {
    facts.sort_by(|a, b| (Reverse(a.fact.last_seq), &a.fact.id).cmp(&(Reverse(b.fact.last_seq), &b.fact.id)));
    facts.into()
}
