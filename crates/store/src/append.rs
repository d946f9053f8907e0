//! What an append does to a conversation, worked out before a row is written, so that both stores decide alike.

use crate::{Ack, Append, Appended, NewRow};
use model::{ChainHash, ContentHash, message_id};
use std::collections::HashMap;

/// Where a conversation stands.
pub(crate) struct Head {
    pub(crate) messages: u64,
    pub(crate) tokens: u64,
    pub(crate) hash: ChainHash,
}

/// A message that already has one of the external ids.
pub(crate) struct Known {
    pub(crate) ack: Ack,
    pub(crate) content_hash: ContentHash,
}

/// A message to write.
pub(crate) struct Planned<'a> {
    pub(crate) row: &'a NewRow,
    pub(crate) ack: Ack,
    pub(crate) content_hash: ContentHash,
}

pub(crate) struct Plan<'a> {
    /// What to answer, one for each row.
    pub(crate) outcomes: Vec<Appended>,
    /// What to write.
    pub(crate) new: Vec<Planned<'a>>,
    /// Where the conversation stands afterwards.
    pub(crate) head: Head,
}

/// Plans an append to a conversation at `head`; `known` are the stored messages under the external ids it mentions.
pub(crate) fn plan(append: &Append, mut head: Head, mut known: HashMap<String, Known>) -> Plan<'_> {
    let (mut outcomes, mut new) = (Vec::with_capacity(append.rows.len()), Vec::new());
    for row in &append.rows {
        let content_hash = row.body.hash();
        if let Some(id) = &row.body.external_id
            && let Some(before) = known.get(id)
        {
            outcomes.push(if before.content_hash == content_hash {
                Appended::Known(before.ack.clone())
            } else {
                Appended::Conflict { external_id: id.clone() }
            });
            continue;
        }
        let seq = head.messages + 1;
        let message = message_id(&append.conversation, seq, row.body.external_id.as_deref());
        let ack = Ack { message, seq, hash: head.hash.next(seq, content_hash) };
        head = Head { messages: seq, tokens: head.tokens + u64::from(row.tokens.0), hash: ack.hash };
        if let Some(id) = &row.body.external_id {
            known.insert(id.clone(), Known { ack: ack.clone(), content_hash });
        }
        outcomes.push(Appended::New(ack.clone()));
        new.push(Planned { row, ack, content_hash });
    }
    Plan { outcomes, new, head }
}
