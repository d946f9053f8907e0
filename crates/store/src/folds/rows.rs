//! Converts database rows of summaries, facts, jobs and grants, as both stores read them, to `Summary`, `Fact`, `Job`
//! and `ExpansionGrant`, and refuses damaged rows.

use super::{ConversationFacts, DatedFact, ExpansionGrant, FactsRead, Fence, Job, JobId, JobTask, split_ids};
use crate::rows::{DamagedRow, conversation_id_of, message_id_of, summary_id_of};
use model::{
    ConversationId, Fact, FactId, FactKind, FactState, FoldTrigger, GrantId, KeptFacts, SeqRange, Summary,
    SummaryMethod, Timestamp, TokenCount,
};
use std::collections::HashMap;

/// A row of `summaries`.
pub(crate) struct SummaryRow {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) first_seq: i64,
    pub(crate) last_seq: i64,
    pub(crate) depth: i64,
    pub(crate) content: String,
    pub(crate) tokens: i64,
    pub(crate) source_tokens: i64,
    pub(crate) from: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) method: String,
    pub(crate) model: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) reason: String,
    pub(crate) kept_facts: i64,
    pub(crate) all_facts: i64,
    pub(crate) redoes: Option<String>,
    pub(crate) stored_at: i64,
}

impl SummaryRow {
    /// The summary, with the ids of those it covers.
    pub(crate) fn into_summary(self, covers: &[String]) -> Result<Summary, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("summary {}: {what}", self.id));
        let method = method_of(&self.method, self.model, self.prompt).map_err(|DamagedRow(what)| damaged(&what))?;
        // The ranges of the active context are compared without further checks, so an impossible one is stopped here.
        if self.first_seq < 1 || self.last_seq < self.first_seq {
            return Err(damaged(&format!("range {}-{}", self.first_seq, self.last_seq)));
        }
        Ok(Summary {
            id: summary_id_of(&self.id)?,
            conversation: conversation_id_of(&self.conversation)?,
            range: SeqRange { first: self.first_seq as u64, last: self.last_seq as u64 },
            covers: covers.iter().map(|id| summary_id_of(id)).collect::<Result<_, _>>()?,
            depth: count_of(self.depth)?,
            content: self.content,
            tokens: TokenCount(count_of(self.tokens)?),
            // An estimate for display: a conversation of more than four billion tokens shows the maximum instead of
            // failing.
            source_tokens: TokenCount(u32::try_from(self.source_tokens).unwrap_or(u32::MAX)),
            from: self.from,
            until: self.until,
            method,
            trigger: FoldTrigger::parse(&self.reason)
                .ok_or_else(|| DamagedRow(format!("`{}` for why", self.reason)))?,
            kept: KeptFacts { kept: count_of(self.kept_facts)?, of: count_of(self.all_facts)? },
            redoes: self.redoes.as_deref().map(summary_id_of).transpose()?,
            created: Timestamp(self.stored_at),
        })
    }
}

/// What wrote a text, from its columns. A method of a newer version must not be read as one of ours: a reader would
/// believe that no model wrote the text.
pub(crate) fn method_of(
    method: &str,
    model: Option<String>,
    prompt: Option<String>,
) -> Result<SummaryMethod, DamagedRow> {
    match (method, model, prompt) {
        ("extractive", None, None) => Ok(SummaryMethod::Extractive),
        ("fallback", None, None) => Ok(SummaryMethod::Fallback),
        ("model", Some(model), Some(prompt)) => Ok(SummaryMethod::Model { model, prompt }),
        (other, ..) => Err(DamagedRow(format!("method `{other}`"))),
    }
}

/// A summary that is shown; refused when it is not what it was made with.
pub(crate) fn require_intact(summary: Summary) -> Result<Summary, DamagedRow> {
    if summary.is_intact() {
        return Ok(summary);
    }
    Err(DamagedRow(format!("summary {}: its text or what it covers is not what it was made with", summary.id)))
}

/// A row of `conversation_facts`.
pub(crate) struct FactRow {
    pub(crate) id: String,
    pub(crate) conversation: String,
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) state: String,
    pub(crate) exit_code: Option<i64>,
    pub(crate) seen_with: Option<String>,
    pub(crate) ended_by: Option<String>,
    pub(crate) times: i64,
    pub(crate) first_seq: i64,
    pub(crate) last_seq: i64,
    pub(crate) sources: String,
}

impl FactRow {
    pub(crate) fn into_fact(self) -> Result<Fact, DamagedRow> {
        let damaged = |what: &str| DamagedRow(format!("fact {}: {what}", self.id));
        Ok(Fact {
            id: FactId::parse(&self.id).map_err(|error| DamagedRow(error.to_string()))?,
            conversation: conversation_id_of(&self.conversation)?,
            kind: FactKind::parse(&self.kind).ok_or_else(|| damaged(&format!("kind `{}`", self.kind)))?,
            state: FactState::parse(&self.state).ok_or_else(|| damaged(&format!("state `{}`", self.state)))?,
            exit_code: self.exit_code.map(|code| code as i32),
            times: count_of(self.times)?,
            first_seq: self.first_seq as u64,
            last_seq: self.last_seq as u64,
            sources: split_ids(&self.sources).map(message_id_of).collect::<Result<_, _>>()?,
            subject: self.subject,
            seen_with: self.seen_with,
            ended_by: self.ended_by,
        })
    }
}

/// The words of kinds as a list of SQL. They are ours, so that nothing in them has to be quoted.
pub(crate) fn kind_list(kinds: &[FactKind]) -> String {
    kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect::<Vec<_>>().join(", ")
}

/// Gives each conversation its facts.
pub(crate) fn collect_facts(
    read: Vec<(ConversationId, FactsRead)>,
    facts: impl IntoIterator<Item = DatedFact>,
) -> Vec<ConversationFacts> {
    let mut of: HashMap<ConversationId, Vec<DatedFact>> = HashMap::new();
    for dated in facts {
        of.entry(dated.fact.conversation.clone()).or_default().push(dated);
    }
    let with_facts = |(conversation, read)| {
        let facts = of.remove(&conversation).unwrap_or_default();
        ConversationFacts { conversation, read, facts }
    };
    read.into_iter().map(with_facts).collect()
}

/// A row of `jobs`.
pub(crate) struct JobRow {
    pub(crate) number: i64,
    pub(crate) work: String,
    pub(crate) how: String,
    pub(crate) conversation: Option<String>,
    pub(crate) requested_at: i64,
    pub(crate) not_before: i64,
    pub(crate) attempts: i64,
    pub(crate) fence: i64,
    pub(crate) leased_until: Option<i64>,
    pub(crate) failure: Option<String>,
    pub(crate) given_up: bool,
}

impl JobRow {
    pub(crate) fn into_job(self) -> Result<Job, DamagedRow> {
        let unknown = || DamagedRow(format!("job {}: `{} {}`", self.number, self.work, self.how));
        Ok(Job {
            id: JobId(self.number),
            work: JobTask::parse(&self.work, &self.how).ok_or_else(unknown)?,
            conversation: self.conversation.as_deref().map(conversation_id_of).transpose()?,
            requested: Timestamp(self.requested_at),
            not_before: Timestamp(self.not_before),
            attempts: count_of(self.attempts)?,
            fence: Fence(self.fence as u64),
            is_taken: self.leased_until.is_some(),
            failure: self.failure,
            given_up: self.given_up,
        })
    }
}

/// A row of `grants`.
pub(crate) struct GrantRow {
    pub(crate) id: String,
    pub(crate) issuer: String,
    pub(crate) conversations: String,
    pub(crate) summaries: String,
    pub(crate) max_depth: i64,
    pub(crate) cap: i64,
    pub(crate) used: i64,
    pub(crate) issued_at: i64,
    pub(crate) expires_at: i64,
    pub(crate) revoked_at: Option<i64>,
}

impl GrantRow {
    pub(crate) fn into_grant(self) -> Result<ExpansionGrant, DamagedRow> {
        Ok(ExpansionGrant {
            id: GrantId::parse(&self.id).map_err(|error| DamagedRow(error.to_string()))?,
            issuer: self.issuer,
            conversations: split_ids(&self.conversations).map(conversation_id_of).collect::<Result<_, _>>()?,
            summaries: split_ids(&self.summaries).map(summary_id_of).collect::<Result<_, _>>()?,
            max_depth: count_of(self.max_depth)?,
            cap: TokenCount(count_of(self.cap)?),
            used: TokenCount(count_of(self.used)?),
            issued: Timestamp(self.issued_at),
            expires: Timestamp(self.expires_at),
            revoked: self.revoked_at.map(Timestamp),
        })
    }
}

fn count_of(number: i64) -> Result<u32, DamagedRow> {
    u32::try_from(number).map_err(|_| DamagedRow(format!("{number} for a count")))
}
