//! Writes messages with other words in the place of stored ones, and computes the chain of their conversation anew.

use crate::Result;
use crate::columns::part_rows;
use crate::postgres::PostgresStore;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::key::TermKey;
use crate::postgres::memory::message_rows::put_terms;
use crate::postgres::rows::{NO_NUMBER, insert_parts};
use crate::postgres::text::encode_text;
use crate::rewrite::MessageRewrite;
use crate::rows::{hash_of, message_seal};
use model::{ChainHash, ContentHash, ConversationId, Timestamp, TokenCount};
use std::collections::BTreeMap;

/// Links that travel together.
const PAGE: i64 = 2_000;

impl PostgresStore {
    /// Writes messages anew, and every link of the chain from the first of them on; gives the head before and after.
    pub(super) async fn relink_messages(
        &self,
        transaction: &TenantTransaction<'_>,
        conversation: &ConversationId,
        messages: &BTreeMap<u64, &MessageRewrite>,
        term_key: &TermKey,
    ) -> Result<(ContentHash, ContentHash), PostgresFailure> {
        let sql = "SELECT number, head_hash FROM epitome.conversations WHERE conversation_id = $1";
        let row = transaction.query_optional(sql, &[&conversation.as_str()]).await?;
        let missing = || PostgresFailure::Missing { what: "conversation", id: conversation.to_string() };
        let row = row.ok_or_else(missing)?;
        let (number, head): (i64, ContentHash) = (row.try_get(0)?, hash_of(row.try_get(1)?)?);
        let first = messages.keys().next().copied().unwrap_or(1) as i64;
        let mut link = link_before(transaction, conversation, number, first).await?;
        let mut changed = 0;
        let mut seen = first - 1;
        loop {
            let sql = "SELECT number, seq, content_hash, at_instant, token_count, stored_at FROM epitome.messages WHERE conversation = $1 AND seq > $2
                       ORDER BY seq LIMIT $3";
            let page = transaction.query_all(sql, &[&number, &seen, &PAGE]).await?;
            let Some(last) = page.last() else { break };
            seen = last.try_get(1)?;
            let mut seqs: Vec<i64> = Vec::with_capacity(page.len());
            let mut links: Vec<Vec<u8>> = Vec::with_capacity(page.len());
            let mut seals: Vec<i64> = Vec::with_capacity(page.len());
            for row in &page {
                let (message, seq): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
                let mut hash = hash_of(row.try_get(2)?)?;
                let mut tokens = TokenCount(row.try_get::<_, i64>(4)? as u32);
                if let Some(rewrite) = messages.get(&(seq as u64)) {
                    if rewrite.before != hash {
                        return Err(PostgresFailure::Moved { what: "message", id: format!("{conversation}#{seq}") });
                    }
                    hash = self.write_words(transaction, message, rewrite, term_key).await?;
                    tokens = rewrite.tokens;
                    changed += 1;
                }
                link = link.next_link(seq as u64, hash);
                seqs.push(seq);
                links.push(link.0.as_bytes().to_vec());
                let at = row.try_get::<_, Option<i64>>(3)?.map(Timestamp);
                seals.push(message_seal(NO_NUMBER, at, tokens, Timestamp(row.try_get(5)?), link));
            }
            let sql = "UPDATE epitome.messages m SET chain_hash = made.link, seal = made.seal
                       FROM unnest($2::bigint[], $3::bytea[], $4::bigint[]) AS made (seq, link, seal)
                       WHERE m.conversation = $1 AND m.seq = made.seq";
            transaction.execute(sql, &[&number, &seqs, &links, &seals]).await?;
        }
        if changed < messages.len() {
            return Err(PostgresFailure::Missing { what: "message", id: format!("a message of {conversation}") });
        }
        let sql = "UPDATE epitome.conversations SET head_hash = $2, token_count =
                     (SELECT coalesce(sum(token_count), 0)::bigint FROM epitome.messages WHERE conversation = $1)
                   WHERE number = $1";
        transaction.execute(sql, &[&number, &link.0.as_bytes().as_slice()]).await?;
        Ok((head, link.0))
    }

    /// Writes the words of one message, its parts and its terms; gives the hash of the words.
    async fn write_words(
        &self,
        transaction: &TenantTransaction<'_>,
        number: i64,
        rewrite: &MessageRewrite,
        term_key: &TermKey,
    ) -> Result<ContentHash, PostgresFailure> {
        let body = &rewrite.body;
        let hash = body.content_hash();
        let content = body.content();
        let sql = "UPDATE epitome.messages SET speaker = $2, at_text = $3, content = $4, token_count = $5,
                     content_hash = $6, metadata = $7 WHERE number = $1";
        transaction
            .execute(
                sql,
                &[
                    &number,
                    &body.speaker.as_deref().map(encode_text),
                    &body.at.as_ref().map(|at| encode_text(&at.text)),
                    &encode_text(&content),
                    &i64::from(rewrite.tokens.0),
                    &hash.as_bytes().as_slice(),
                    &body.metadata.as_deref().map(encode_text),
                ],
            )
            .await?;
        transaction.execute("DELETE FROM epitome.message_parts WHERE message = $1", &[&number]).await?;
        let parts = part_rows(body).into_iter().zip(0_i64..).map(|(part, ordinal)| (number, ordinal, part));
        insert_parts(transaction, parts.collect()).await?;
        transaction.execute("DELETE FROM epitome.message_terms WHERE message = $1", &[&number]).await?;
        let terms = self.write_term_keys(&rewrite.conversation, &content, term_key);
        put_terms(transaction, &[number], &[&terms]).await?;
        Ok(hash)
    }
}

/// The link that the message at a place goes on from.
async fn link_before(
    transaction: &TenantTransaction<'_>,
    conversation: &ConversationId,
    number: i64,
    seq: i64,
) -> Result<ChainHash, PostgresFailure> {
    if seq <= 1 {
        return Ok(ChainHash::for_conversation(conversation));
    }
    let sql = "SELECT chain_hash FROM epitome.messages WHERE conversation = $1 AND seq = $2";
    let row = transaction.query_optional(sql, &[&number, &(seq - 1)]).await?;
    let missing = || PostgresFailure::Missing { what: "message", id: format!("{conversation}#{}", seq - 1) };
    Ok(ChainHash(hash_of(row.ok_or_else(missing)?.try_get(0)?)?))
}
