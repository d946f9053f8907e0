//! Plans an append of messages to a conversation before a row is written: `plan_append` deduplicates by external id,
//! assigns sequence numbers and chain hashes, and names revisions. The SQLite and the PostgreSQL store call it in
//! their transactions, so that both decide alike; `prepare_rows` hashes and compresses before, on the caller's
//! threads.

use crate::{AppendBatch, AppendOutcome, ConflictPolicy, MessageAck, NewRow};
use model::{ChainHash, ContentHash, Timestamp, believed_time, message_id};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;

/// The costly work for one message, done on the caller's threads before the single writer of a database takes over.
pub(crate) struct PreparedRow {
    pub(crate) content_hash: ContentHash,
    pub(crate) content: String,
    pub(crate) form: StoredForm,
}

/// What a store makes of the content of a message.
#[derive(Default)]
pub(crate) struct StoredForm {
    /// The content compressed, where the store wants that and it is shorter.
    pub(crate) packed: Option<Vec<u8>>,
    /// Its terms as the store writes them, where it keeps them.
    pub(crate) terms: Option<String>,
}

/// Prepares every row of an append; `make` is what the store makes of a content.
pub(crate) fn prepare_rows(append: &AppendBatch, make: impl Fn(&str) -> StoredForm + Sync) -> Vec<PreparedRow> {
    let prepare = |row: &NewRow| {
        let content = row.body.content();
        PreparedRow { content_hash: row.body.content_hash(), form: make(&content), content }
    };
    // For a few messages, waking other threads takes longer than hashing and compressing them here.
    if append.rows.len() < PARALLEL_ROW_THRESHOLD {
        return append.rows.iter().map(prepare).collect();
    }
    append.rows.par_iter().map(prepare).collect()
}

/// From this many messages on, rows are prepared on all cores.
const PARALLEL_ROW_THRESHOLD: usize = 16;

/// Where a conversation stands.
pub(crate) struct ConversationHead {
    pub(crate) messages: u64,
    pub(crate) tokens: u64,
    pub(crate) hash: ChainHash,
}

/// A message that already has one of the external ids.
pub(crate) struct KnownMessage {
    pub(crate) ack: MessageAck,
    pub(crate) content_hash: ContentHash,
}

/// A message to write.
pub(crate) struct PlannedMessage<'a> {
    pub(crate) row: Cow<'a, NewRow>,
    pub(crate) prepared: &'a PreparedRow,
    pub(crate) ack: MessageAck,
    pub(crate) content_hash: ContentHash,
}

pub(crate) struct AppendPlan<'a> {
    /// What to answer, one for each row.
    pub(crate) outcomes: Vec<AppendOutcome>,
    /// What to write.
    pub(crate) new: Vec<PlannedMessage<'a>>,
    /// Where the conversation stands afterwards.
    pub(crate) head: ConversationHead,
    /// When the first and the last of the new messages happened; none where there is nothing new.
    pub(crate) span: Option<TimeSpan>,
}

/// When the messages of an append happened.
pub(crate) struct TimeSpan {
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
    /// Whether they are the first messages of their conversation.
    pub(crate) is_beginning: bool,
}

/// Plans an append to a conversation at `head`; `known` are the stored messages under the external ids it mentions,
/// and under those of [`revision_ids`].
pub(crate) fn plan_append<'a>(
    append: &'a AppendBatch,
    prepared: &'a [PreparedRow],
    mut head: ConversationHead,
    mut known: HashMap<String, KnownMessage>,
) -> AppendPlan<'a> {
    let mut outcomes = Vec::with_capacity(append.rows.len());
    let mut new: Vec<PlannedMessage<'a>> = Vec::new();
    let is_beginning = head.messages == 0;
    for (row, prepared) in append.rows.iter().zip(prepared) {
        let mut row = Cow::Borrowed(row);
        let mut content_hash = prepared.content_hash;
        let mut is_revision = false;
        if let Some(id) = &row.body.external_id
            && let Some(before) = known.get(id)
        {
            // The same content again is how an agent that was killed before it read our reply, or a second import,
            // asks: it gets the acknowledgement of the first time, and nothing is written twice.
            if before.content_hash == content_hash {
                outcomes.push(AppendOutcome::Known(before.ack.clone()));
                continue;
            }
            if append.taken == ConflictPolicy::Refuse {
                outcomes.push(AppendOutcome::Conflict { external_id: id.clone() });
                continue;
            }
            // An import must not lose the later text of a message that its agent wrote again under the same id. The id of
            // the revision comes from the content, so a repeated import finds it.
            let id = revision_id(id, content_hash);
            if let Some(revision) = known.get(&id) {
                outcomes.push(AppendOutcome::Known(revision.ack.clone()));
                continue;
            }
            row.to_mut().body.external_id = Some(id);
            // The hash covers the external id, so the hash that was prepared for the original id no longer holds.
            (content_hash, is_revision) = (row.body.content_hash(), true);
        }
        let seq = head.messages + 1;
        let message = message_id(&append.conversation, seq, row.body.external_id.as_deref());
        let ack = MessageAck { message, seq, hash: head.hash.next_link(seq, content_hash) };
        head = ConversationHead { messages: seq, tokens: head.tokens + u64::from(row.tokens.0), hash: ack.hash };
        // The same id may come twice in one batch; the second row must see the first one as stored.
        if let Some(id) = &row.body.external_id {
            known.insert(id.clone(), KnownMessage { ack: ack.clone(), content_hash });
        }
        outcomes.push(if is_revision { AppendOutcome::Revised(ack.clone()) } else { AppendOutcome::New(ack.clone()) });
        new.push(PlannedMessage { row, prepared, ack, content_hash });
    }
    let times = new.iter().map(|planned| {
        let said = planned.row.body.at.as_ref().and_then(|at| at.instant);
        believed_time(said, append.now)
    });
    let span = times.clone().min().zip(times.max()).map(|(first, last)| TimeSpan { first, last, is_beginning });
    AppendPlan { outcomes, new, head, span }
}

/// Ids under which messages of an append would be stored as revisions, given the messages under the ids it mentions.
pub(crate) fn revision_ids(
    append: &AppendBatch,
    prepared: &[PreparedRow],
    known: &HashMap<String, KnownMessage>,
) -> Vec<String> {
    // A caller that refuses conflicts never stores a revision, so the second query for known ids would find nothing.
    if append.taken == ConflictPolicy::Refuse {
        return Vec::new();
    }
    let mut first: HashMap<&str, ContentHash> =
        known.iter().map(|(id, known)| (id.as_str(), known.content_hash)).collect();
    let mut revisions = Vec::new();
    for (row, prepared) in append.rows.iter().zip(prepared) {
        // A message without an external id cannot conflict: every append of it is a new message.
        let Some(id) = row.body.external_id.as_deref() else { continue };
        if *first.entry(id).or_insert(prepared.content_hash) != prepared.content_hash {
            revisions.push(revision_id(id, prepared.content_hash));
        }
    }
    revisions
}

/// Says whose revision it is and which one; the same content always gives the same id.
fn revision_id(id: &str, content: ContentHash) -> String {
    format!("{id}~{}", &content.to_string()[..8])
}
