//! Lists decisions of conversations: what was decided, why, what was not chosen, and whether it still holds. They are
//! read from facts, so each names its messages, and no model is asked.
//!
//! A decision of a newer conversation may end one of an older one, so those of all conversations in question are put
//! together first, the newest conversation first, and filtered afterwards.

mod decision_filter;
mod decision_title;
mod merged_decisions;

use super::damage::damage_note;
use super::durable::{is_contrary_to, load_intact};
use super::list::sort_newest_first;
use super::{fact, find_conversation};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use decision_filter::DecisionFilter;
use merged_decisions::MergedDecisions;
use model::{ConversationId, DurableMemory, FactId, MemoryKind, MessageId, ProjectId, Timestamp};
use store::{Conversation, MemoryScope};

/// Which decisions.
#[derive(Clone, Debug, Default)]
pub struct DecisionRequest {
    /// This one, by its id or the beginning of it.
    pub id: Option<String>,
    /// Only those that are about this, in words; the best first.
    pub about: Option<String>,
    /// Only those that were stated from then on.
    pub since: Option<Timestamp>,
    /// Only those of this conversation, by name or id.
    pub conversation: Option<String>,
    /// Only those that name this file or symbol.
    pub entity: Option<String>,
    /// Only those that stand so.
    pub status: Option<DecisionStatus>,
    /// Only those of the conversations of this project.
    pub project: Option<ProjectId>,
    /// How many at most.
    pub limit: u32,
}

/// How a decision stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionStatus {
    /// A model put it forward, and the user did not agree yet.
    Proposed,
    /// It holds.
    InForce,
    /// A later one came in its place.
    Superseded,
    /// The user refused it, or took it back.
    Withdrawn,
}

/// One decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The id of the fact.
    pub id: FactId,
    /// It in a few words.
    pub title: String,
    /// The sentence, verbatim.
    pub decision: String,
    /// Why, where the sentence says it.
    pub reason: Option<String>,
    /// What was not chosen.
    pub alternatives: Vec<String>,
    /// Paths and names of symbols in it.
    pub related: Vec<String>,
    /// The messages it is taken from, in order.
    pub messages: Vec<MessageId>,
    /// The conversation it was stated in last.
    pub conversation: ConversationId,
    /// The place of its first message there.
    pub seq: u64,
    /// When it was stated.
    pub at: Option<Timestamp>,
    /// How it stands.
    pub status: DecisionStatus,
    /// The fact in whose favour it was given up.
    pub superseded_by: Option<FactId>,
}

/// A decision that a colleague shares.
#[derive(Clone, Debug)]
pub struct SharedDecision {
    /// The memory that holds it.
    pub memory: DurableMemory,
    /// Decisions of the reader that say the contrary, by id, and whether the colleague's was made later.
    pub disputes: Vec<(String, bool)>,
}

/// Decisions, the newest first; those about something, the best first.
#[derive(Clone, Debug, Default)]
pub struct DecisionReport {
    /// At most as many as asked for.
    pub decisions: Vec<Decision>,
    /// Decisions that colleagues share and the reader wants to be told, the newest first.
    pub shared: Vec<SharedDecision>,
    /// How many more there are.
    pub omitted: u64,
    /// Conversations that were not looked through: of other projects or of none.
    pub elsewhere: u64,
    /// What could not be read, and why.
    pub degraded: Vec<String>,
}

pub(crate) async fn find_decisions(memory: &MemoryContext, request: DecisionRequest) -> Result<DecisionReport> {
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    let mut report = DecisionReport::default();
    let mut all = memory.store.list_conversations().await?;
    all.retain(|known| memory.author.owns(known.author.as_deref()));
    let conversations = choose_conversations(memory, &request, &all, &mut report).await?;
    let mut merged = MergedDecisions::default();
    for statements in fact::load_statements(memory, &all, &conversations).await? {
        match statements {
            Ok(statements) => merged.add_conversation(&statements),
            Err(error) => report.degraded.push(damage_note(&error)),
        }
    }
    let found = merged.finish();
    if let Some(id) = &request.id {
        report.decisions = vec![find_one(found, id)?];
        return Ok(report);
    }
    let filter = DecisionFilter::new(&request);
    report.shared = load_shared(memory, &request, &filter, &found).await?;
    let mut found: Vec<(u32, Decision)> =
        found.into_iter().filter_map(|decision| Some((filter.score(&decision)?, decision))).collect();
    // Newest first among those that fit equally well; a source may give many messages one time.
    found.sort_by(|(a, one), (b, other)| (b, other.at, other.seq, &one.id).cmp(&(a, one.at, one.seq, &other.id)));
    report.omitted = (found.len() as u64).saturating_sub(u64::from(request.limit));
    found.truncate(request.limit as usize);
    report.decisions = found.into_iter().map(|(_, decision)| decision).collect();
    Ok(report)
}

/// What colleagues share beside the reader's own decisions. Neither ends the other: both are told.
async fn load_shared(
    memory: &MemoryContext,
    request: &DecisionRequest,
    filter: &DecisionFilter,
    own: &[Decision],
) -> Result<Vec<SharedDecision>> {
    // What is asked of one conversation, of a file or of what does not hold is answered from conversations alone.
    let is_general = request.conversation.is_none()
        && request.entity.is_none()
        && request.status.is_none_or(|status| status == DecisionStatus::InForce);
    let Some(project) = request.project.clone().filter(|_| is_general) else { return Ok(Vec::new()) };
    let mut found = load_intact(memory, MemoryScope::Project(project)).await?;
    found.retain(|found| {
        let is_decision = found.body.kind == MemoryKind::Decision && found.colleague.is_some();
        is_decision && filter.fits_statement(&found.body.content, found.said)
    });
    found.sort_by(|a, b| (b.said, &a.id).cmp(&(a.said, &b.id)));
    found.truncate(request.limit as usize);
    let held: Vec<&Decision> = own.iter().filter(|own| own.status == DecisionStatus::InForce).collect();
    let shared = found.into_iter().map(|memory| {
        let contrary = |own: &&&Decision| is_contrary_to(&memory.body.content, &own.decision, true);
        let of_memories = memory.disputes.iter().map(|dispute| (dispute.with.to_string(), dispute.is_newer));
        let of_facts =
            held.iter().filter(contrary).map(|own| (own.id.to_string(), own.at.is_none_or(|at| memory.said > at)));
        let disputes = of_facts.chain(of_memories).collect();
        SharedDecision { memory, disputes }
    });
    Ok(shared.collect())
}

/// The conversations in question, the newest first.
async fn choose_conversations<'c>(
    memory: &MemoryContext,
    request: &DecisionRequest,
    all: &'c [Conversation],
    report: &mut DecisionReport,
) -> Result<Vec<&'c Conversation>> {
    let mut chosen: Vec<&Conversation> = all.iter().collect();
    if let Some(name) = &request.conversation {
        let id = find_conversation(memory, name).await?;
        chosen.retain(|known| known.id == id);
    } else if let Some(project) = request.project.as_ref().filter(|_| request.id.is_none()) {
        // An id names one thing in all conversations.
        chosen.retain(|known| known.project.as_ref() == Some(project));
        report.elsewhere = (all.len() - chosen.len()) as u64;
    }
    sort_newest_first(&mut chosen);
    Ok(chosen)
}

/// The decision of an id, or of the beginning of one.
fn find_one(decisions: Vec<Decision>, id: &str) -> Result<Decision> {
    let digits = id.trim().to_lowercase();
    let digits = digits.trim_start_matches(FactId::PREFIX);
    let begins = |decision: &Decision| decision.id.as_str().trim_start_matches(FactId::PREFIX).starts_with(digits);
    let mut meant: Vec<Decision> =
        decisions.into_iter().filter(|decision| !digits.is_empty() && begins(decision)).collect();
    match meant.len() {
        1 => Ok(meant.remove(0)),
        0 => Err(Error::NotFound {
            what: "decision",
            id: id.to_owned(),
            hint: Some("epitome decisions lists those of the project, with their ids".to_owned()),
        }),
        _ => {
            let named: Vec<String> =
                meant.iter().map(|decision| format!("`{}` ({})", decision.id, decision.title)).collect();
            let reason = format!("is `{id}`, which may be {}", named.join(" or "));
            Err(Error::Parameter { field: "id", reason })
        }
    }
}
