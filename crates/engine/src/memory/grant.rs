//! Issues, shows, revokes and checks grants: permissions for a delegate of an agent (a subagent) to expand given
//! conversations or summaries, limited in levels, tokens and time.
//!
//! A delegate with a grant cannot issue another: an agent cannot pass on what it was trusted with.

use super::find_conversation;
use super::naming::{complete_id, normalize_id};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::{ConversationId, DigestBuilder, GrantId, Message, Summary, SummaryId, Timestamp, TokenCount};
use std::time::Duration;
use store::{ChargeOutcome, ExpansionGrant, GrantRefusal};

/// A request about grants.
#[derive(Clone, Debug)]
pub enum GrantRequest {
    /// A new one.
    Give {
        /// Conversations it is for, by name or id.
        conversations: Vec<String>,
        /// Summaries it is for; none for all of its conversations.
        summaries: Vec<String>,
        /// How many levels an expansion may go down.
        max_depth: u32,
        /// Tokens it is good for.
        tokens: TokenCount,
        /// How long it lasts.
        lasts: Duration,
        /// Its issuer.
        issuer: String,
        /// The grant that the caller itself works under.
        under: Option<String>,
    },
    /// Shows a grant.
    Show {
        /// Which.
        id: String,
    },
    /// Take one back.
    Revoke {
        /// Which.
        id: String,
    },
}

/// No grant lasts longer than a day.
const MAX_GRANT_DURATION: Duration = Duration::from_hours(24);

pub(crate) async fn grant(memory: &MemoryContext, request: GrantRequest) -> Result<ExpansionGrant> {
    match request {
        GrantRequest::Show { id } => load_grant(memory, &id).await,
        GrantRequest::Revoke { id } => {
            let found = load_grant(memory, &id).await?;
            memory.store.revoke_grant(&found.id, memory.clock.now()).await?;
            load_grant(memory, &id).await
        }
        GrantRequest::Give { under: Some(id), .. } => {
            Err(Error::Grant { id, reason: "a caller under a grant cannot give another".to_owned() })
        }
        GrantRequest::Give { conversations, summaries, max_depth, tokens, lasts, issuer, under: None } => {
            if lasts.is_zero() || lasts > MAX_GRANT_DURATION {
                let reason = format!("must be 1 to {} seconds", MAX_GRANT_DURATION.as_secs());
                return Err(Error::Parameter { field: "seconds", reason });
            }
            let issuer = memory.scrubber.load().await?.scrub_text(&issuer).0.into_owned();
            let (conversations, summaries) = resolve_scope(memory, &conversations, &summaries).await?;
            let now = memory.clock.now();
            let ticks = memory.clock.monotonic_time();
            let digest = DigestBuilder::new("grant").add_field(issuer.as_bytes()).add_field(&now.0.to_le_bytes());
            // Ticks beside the time: two grants of one issuer in one millisecond must not share an id.
            let digest = digest.add_field(&ticks.as_nanos().to_le_bytes());
            let id = conversations.iter().fold(digest, |digest, id| digest.add_field(id.as_str().as_bytes())).finish();
            let expires = Timestamp(now.0.saturating_add(lasts.as_millis() as i64));
            let grant = ExpansionGrant {
                id: GrantId::from_hash(id),
                issuer,
                conversations,
                summaries,
                // A grant of depth 0 would allow nothing, and look like a grant.
                max_depth: max_depth.max(1),
                cap: tokens,
                used: TokenCount(0),
                issued: now,
                expires,
                revoked: None,
            };
            memory.store.add_grant(grant.clone()).await?;
            Ok(grant)
        }
    }
}

async fn resolve_scope(
    memory: &MemoryContext,
    conversations: &[String],
    summaries: &[String],
) -> Result<(Vec<ConversationId>, Vec<SummaryId>)> {
    let mut ids = Vec::new();
    for name in conversations {
        ids.push(find_conversation(memory, name).await?);
    }
    let mut named = Vec::new();
    for text in summaries {
        let text = &complete_id(memory, normalize_id(text)).await?;
        let id = SummaryId::parse(text)
            .map_err(|error| Error::Parameter { field: "summaries", reason: error.to_string() })?;
        let missing = || Error::NotFound { what: "summary", id: text.clone(), hint: None };
        let summary = memory.store.load_summary(&id).await?.ok_or_else(missing)?;
        if !ids.contains(&summary.conversation) {
            ids.push(summary.conversation);
        }
        named.push(id);
    }
    if ids.is_empty() {
        let reason = "is empty: name a conversation or a summary that the grant is for".to_owned();
        return Err(Error::Parameter { field: "conversations", reason });
    }
    Ok((ids, named))
}

async fn load_grant(memory: &MemoryContext, id: &str) -> Result<ExpansionGrant> {
    let refused = |reason: String| Error::Grant { id: id.to_owned(), reason };
    let parsed = GrantId::parse(id).map_err(|error| refused(error.to_string()))?;
    memory.store.load_grant(&parsed).await?.ok_or_else(|| refused("there is none".to_owned()))
}

/// Tokens that an expansion may give, and the grant they count against.
pub(super) struct ExpansionAllowance {
    tokens: TokenCount,
    grant: Option<GrantId>,
}

/// The tokens that may be given of a summary: as many as wanted, or as many as the grant allows.
pub(super) async fn allow_summary(
    memory: &MemoryContext,
    grant: Option<&str>,
    summary: &Summary,
    depth: u32,
    wanted: TokenCount,
) -> Result<ExpansionAllowance> {
    let Some(id) = grant else { return Ok(ExpansionAllowance { tokens: wanted, grant: None }) };
    let found = load_usable_grant(memory, id, &summary.conversation).await?;
    let refused = |reason: String| Error::Grant { id: id.to_owned(), reason };
    if depth > found.max_depth {
        return Err(refused(format!("depth {depth} is more than its {}", found.max_depth)));
    }
    if !is_within_grant(memory, &found, summary).await? {
        return Err(refused(format!("it is not for {}", summary.id)));
    }
    Ok(ExpansionAllowance { tokens: wanted.min(found.cap.saturating_sub(found.used)), grant: Some(found.id) })
}

/// Whether a summary is one of those a grant is for, or covered by one.
async fn is_within_grant(memory: &MemoryContext, grant: &ExpansionGrant, summary: &Summary) -> Result<bool> {
    if grant.summaries.is_empty() || grant.summaries.contains(&summary.id) {
        return Ok(true);
    }
    // By range, because a summary below is not named: what the grant covers includes everything under it.
    for id in &grant.summaries {
        let above = memory.store.load_summary(id).await?;
        if above.is_some_and(|above| above.conversation == summary.conversation && above.range.covers(summary.range)) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn load_usable_grant(memory: &MemoryContext, id: &str, conversation: &ConversationId) -> Result<ExpansionGrant> {
    let found = load_grant(memory, id).await?;
    let refused = |reason: String| Error::Grant { id: id.to_owned(), reason };
    if found.revoked.is_some() {
        return Err(refused("it was taken back".to_owned()));
    }
    if memory.clock.now() >= found.expires {
        return Err(refused("its time is over".to_owned()));
    }
    if !found.conversations.contains(conversation) {
        return Err(refused(format!("it is not for {conversation}")));
    }
    // Checked here and again when tokens are charged: this check spares the reads, the other one is atomic.
    if found.used >= found.cap {
        return Err(refused(format!("all of its {} tokens are used", found.cap)));
    }
    Ok(found)
}

impl ExpansionAllowance {
    /// The tokens that may be given of a message.
    pub(super) async fn for_message(
        memory: &MemoryContext,
        grant: Option<&str>,
        message: &Message,
        wanted: TokenCount,
    ) -> Result<Self> {
        let Some(id) = grant else { return Ok(Self { tokens: wanted, grant: None }) };
        let found = load_usable_grant(memory, id, &message.conversation).await?;
        // A message is allowed through any summary over it, at whatever depth.
        let covering = memory.store.summaries_at(&message.conversation, message.seq).await?;
        if !found.summaries.is_empty() && !covering.iter().any(|summary| found.summaries.contains(&summary.id)) {
            return Err(Error::Grant { id: id.to_owned(), reason: format!("it is not for {}", message.id) });
        }
        Ok(Self { tokens: wanted.min(found.cap.saturating_sub(found.used)), grant: Some(found.id) })
    }

    pub(super) fn token_limit(&self) -> TokenCount {
        self.tokens
    }

    /// Charges the tokens to the grant. The store refuses where another expansion has used them up meanwhile.
    pub(super) async fn charge(self, memory: &MemoryContext, tokens: TokenCount) -> Result<()> {
        let Some(id) = self.grant else { return Ok(()) };
        let reason = match memory.store.charge_grant(&id, tokens, memory.clock.now()).await? {
            ChargeOutcome::Counted { .. } => return Ok(()),
            ChargeOutcome::Refused(GrantRefusal::Spent { left }) => {
                format!("{tokens} tokens are more than the {left} left")
            }
            ChargeOutcome::Refused(GrantRefusal::Expired) => "its time is over".to_owned(),
            ChargeOutcome::Refused(GrantRefusal::Revoked) => "it was taken back".to_owned(),
            ChargeOutcome::Refused(GrantRefusal::Unknown) => "there is none".to_owned(),
        };
        Err(Error::Grant { id: id.to_string(), reason })
    }
}
