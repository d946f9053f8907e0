//! What memory holds: conversations, what they were folded into and how much shorter that made them, memories, secrets
//! that were replaced, and what all of it spared readers.

use super::recall::{build_message_filter, prepare_corpus};
use crate::base::Result;
use crate::ledger::{ValueRequest, build_ledger_report};
use crate::memory::MemoryContext;
use model::ProjectId;
use model::scrub::{PLACEHOLDER_TERM, RuleOwner, built_in_rules, rules_in};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::{ArchiveTotals, Conversation, ConversationFolds, MatchOutcome, MemoryScope, MessageQuery};

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatsScope {
    /// What belongs to a project.
    Project(ProjectId),
    /// All there is.
    Everything,
}

/// What memory holds.
#[derive(Clone, Debug)]
pub struct MemoryStats {
    /// Each conversation with what it was folded into, the longest first.
    pub conversations: Vec<(Conversation, ConversationFolds)>,
    /// Projects that these belong to.
    pub projects: u64,
    /// Memories that later sessions are told.
    pub memories: u64,
    /// Secrets that were replaced in messages.
    pub secrets: ReplacedSecrets,
    /// Tokens that readers were spared, less those they read for our sake.
    pub net_tokens: i64,
    /// Lines of transcripts and artifacts, of all projects.
    pub archive: ArchiveTotals,
    /// Jobs that are not done, of all projects.
    pub jobs: u64,
}

/// Secrets that were replaced, by whose rule found them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplacedSecrets {
    /// By rules that are built in.
    pub built_in: u64,
    /// By rules of the user.
    pub user: u64,
    /// By rules of the project at hand.
    pub project: u64,
    /// By rules that are gone, or that another project has.
    pub other: u64,
    /// Whether all messages were looked through in time.
    pub is_complete: bool,
}

/// How long messages are looked through for placeholders: a count is not worth more of a person's time.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) async fn memory_stats(memory: &MemoryContext, scope: StatsScope) -> Result<MemoryStats> {
    let project = match &scope {
        StatsScope::Project(project) => Some(project),
        StatsScope::Everything => None,
    };
    let known = memory.store.list_conversations().await?.into_iter();
    let known: HashMap<_, _> = known
        .filter(|conversation| project.is_none() || conversation.project.as_ref() == project)
        .map(|conversation| (conversation.id.clone(), conversation))
        .collect();
    // Conversations of no project count as conversations, and make no project.
    let projects: HashSet<_> = known.values().filter_map(|conversation| conversation.project.as_ref()).collect();
    let projects = projects.len() as u64;
    let folds = memory.store.conversation_folds().await?;
    let mut conversations: Vec<(Conversation, ConversationFolds)> =
        folds.into_iter().filter_map(|folds| Some((known.get(&folds.conversation)?.clone(), folds))).collect();
    // The longest first, by what was said: that is where most was or could be folded. Ties by id, which they come in.
    conversations.sort_by_key(|(_, folds)| std::cmp::Reverse(folds.tokens));
    // Memories of the user are told in every project, so they count in each.
    let told = project.map_or(MemoryScope::All, |project| MemoryScope::Project(project.clone()));
    let mut memories = memory.store.load_memories(told).await?;
    memories.retain(|it| memory.author.owns(it.body.author.as_deref()));
    let value = ValueRequest { project: project.cloned(), ..ValueRequest::default() };
    Ok(MemoryStats {
        conversations,
        projects,
        memories: memories.iter().filter(|memory| memory.is_active()).count() as u64,
        secrets: count_secrets(memory, project).await?,
        net_tokens: build_ledger_report(&memory.ledger, value).await?.net_tokens(),
        archive: memory.store.archive_totals().await?,
        jobs: memory.store.fold_totals().await?.jobs,
    })
}

/// Counts the placeholders that stand in messages. They are counted where they stand and not when they are made, so
/// that a message that came twice counts once, and what a purge replaced later counts, too.
async fn count_secrets(memory: &MemoryContext, project: Option<&ProjectId>) -> Result<ReplacedSecrets> {
    // The index of recall names the messages to look at; without it all are read. Nothing depends on it.
    let _ = prepare_corpus(memory).await;
    let terms = vec![PLACEHOLDER_TERM.to_owned()];
    let query = MessageQuery {
        among: build_message_filter(memory, None, &terms).await?,
        project: project.cloned(),
        terms,
        ..MessageQuery::default()
    };
    let rules: Arc<Mutex<BTreeMap<String, u64>>> = Arc::default();
    let counted = Arc::clone(&rules);
    let clock = Arc::clone(&memory.clock);
    let deadline = clock.monotonic_time().saturating_add(COUNT_TIMEOUT);
    let count = move |content: &[u8]| {
        if clock.monotonic_time() > deadline {
            return MatchOutcome::Stop;
        }
        let text = String::from_utf8_lossy(content);
        let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
        for rule in rules_in(&text) {
            *counted.entry(rule.to_owned()).or_default() += 1;
        }
        // No message is wanted: a match would be kept, and read again.
        MatchOutcome::Differs
    };
    let found = memory.store.find_messages(query, Some(Arc::new(count))).await?;
    let mut secrets = ReplacedSecrets { is_complete: found.end.is_none(), ..ReplacedSecrets::default() };
    let built_in: HashSet<&str> = built_in_rules().map(model::scrub::RuleName::as_str).collect();
    for (rule, count) in rules.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let of_owner = match memory.scrubber.rule_owner(rule) {
            _ if built_in.contains(rule.as_str()) => &mut secrets.built_in,
            Some(RuleOwner::User) => &mut secrets.user,
            Some(RuleOwner::Project) => &mut secrets.project,
            None => &mut secrets.other,
        };
        *of_owner += count;
    }
    Ok(secrets)
}
