//! Inserts the rows of new messages into PostgreSQL: the messages, their terms, their parts and the artifacts they
//! mention. A batch takes a few statements, however many rows, because every statement is a trip to the server.
//!
//! Rows travel as arrays, one for each column. (`COPY` would be the other way; it refuses row-level security.)

use super::append::external_key;
use crate::AppendBatch;
use crate::Result;
use crate::append::PlannedMessage;
use crate::columns::part_rows;
use crate::postgres::PostgresStore;
use crate::postgres::artifact::put_mentions;
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::key::TermKey;
use crate::postgres::number_of;
use crate::postgres::rows::{NO_NUMBER, insert_parts};
use crate::postgres::text::encode_text;
use crate::rows::message_seal;
use model::terms::distinct_terms;
use model::{ConversationId, DigestBuilder, Timestamp};
use std::fmt::Write as _;

/// What one statement holds at most, but for a message that is larger alone: bounds what both sides hold at once.
const MOST_ROWS: usize = 2_000;
const MOST_BYTES: usize = 4 << 20;

impl PostgresStore {
    pub(super) async fn insert_messages(
        &self,
        transaction: &TenantTransaction<'_>,
        conversation: i64,
        append: &AppendBatch,
        new: &[PlannedMessage<'_>],
    ) -> Result<(), PostgresFailure> {
        // All numbers are drawn in one statement before the rows are sent, so that they stand in the order of the batch.
        let sql = "SELECT nextval('epitome.message_numbers') FROM generate_series(1, $1)";
        let numbers = transaction.query_all(sql, &[&(new.len() as i64)]).await?;
        let mut numbers = numbers.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?;
        // A sequence that other sessions draw from need not give its numbers in the order of the rows.
        numbers.sort_unstable();
        let (mut numbers, mut rest) = (numbers.as_slice(), new);
        while !rest.is_empty() {
            let (rows, later) = rest.split_at(count_rows(rest));
            let (own, others) = numbers.split_at(rows.len());
            insert_rows(transaction, conversation, append, own, rows).await?;
            let terms: Vec<&str> = rows.iter().filter_map(|planned| planned.prepared.form.terms.as_deref()).collect();
            put_terms(transaction, own, &terms).await?;
            for (number, planned) in own.iter().zip(rows) {
                put_mentions(transaction, *number, planned).await?;
            }
            let parts = own.iter().zip(rows).flat_map(|(number, planned)| {
                part_rows(&planned.row.body).into_iter().zip(0_i64..).map(|(part, ordinal)| (*number, ordinal, part))
            });
            insert_parts(transaction, parts.collect()).await?;
            (numbers, rest) = (others, later);
        }
        Ok(())
    }

    /// The terms of a message as the text of an array.
    pub(in crate::postgres) fn write_term_keys(
        &self,
        conversation: &ConversationId,
        content: &str,
        term_key: &TermKey,
    ) -> String {
        array_text(&self.term_keys(Some(conversation), &distinct_terms(content), term_key))
    }

    /// What `message_terms` holds for a conversation and for terms: digests that no other tenant can make.
    pub(super) fn term_keys(
        &self,
        conversation: Option<&ConversationId>,
        terms: &[String],
        term_key: &TermKey,
    ) -> Vec<i64> {
        let key = |purpose: &str, word: &str| {
            let digest = DigestBuilder::new(purpose).add_field(self.tenant.as_bytes()).add_field(word.as_bytes());
            term_key.number_of(number_of(digest))
        };
        let within = conversation.map(|id| key("conversation", id.as_str()));
        within.into_iter().chain(terms.iter().map(|term| key("term", term))).collect()
    }
}

/// Writes which terms messages hold.
pub(in crate::postgres) async fn put_terms(
    transaction: &TenantTransaction<'_>,
    numbers: &[i64],
    terms: &[&str],
) -> Result<(), PostgresFailure> {
    // An array of arrays cannot become rows of arrays, so each comes as the text of one.
    let sql = "INSERT INTO epitome.message_terms (message, keys)
               SELECT message, keys::bigint[] FROM unnest($1::bigint[], $2::text[]) AS added (message, keys)";
    transaction.execute(sql, &[&numbers, &terms]).await?;
    Ok(())
}

/// How many of the messages go into the next statement; at least one.
fn count_rows(rest: &[PlannedMessage<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |planned: &&PlannedMessage<'_>| {
        bytes += planned.prepared.content.len();
        bytes <= MOST_BYTES
    };
    rest.iter().take(MOST_ROWS).take_while(fits).count().max(1)
}

/// An array as PostgreSQL writes one.
fn array_text(numbers: &[i64]) -> String {
    let mut text = String::with_capacity(numbers.len() * 21 + 2);
    for (place, number) in numbers.iter().enumerate() {
        let before = if place == 0 { '{' } else { ',' };
        write!(text, "{before}{number}").expect("writing to a string cannot fail");
    }
    if numbers.is_empty() {
        text.push('{');
    }
    text.push('}');
    text
}

async fn insert_rows(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    append: &AppendBatch,
    numbers: &[i64],
    rows: &[PlannedMessage<'_>],
) -> Result<(), PostgresFailure> {
    let bodies = || rows.iter().map(|planned| &planned.row.body);
    let ids: Vec<&str> = rows.iter().map(|planned| planned.ack.message.as_str()).collect();
    let seqs: Vec<i64> = rows.iter().map(|planned| planned.ack.seq as i64).collect();
    // Text from outside goes through `encode_text`: a PostgreSQL text cannot hold the NUL that tool outputs contain.
    let external_ids: Vec<_> = bodies().map(|body| body.external_id.as_deref().map(encode_text)).collect();
    // The id of the outside world may be longer than an index entry, so lookups go by its digest.
    let external_keys: Vec<_> = bodies().map(|body| body.external_id.as_deref().map(external_key)).collect();
    let roles: Vec<&str> = bodies().map(|body| body.role.as_str()).collect();
    let speakers: Vec<_> = bodies().map(|body| body.speaker.as_deref().map(encode_text)).collect();
    let sessions: Vec<_> = bodies().map(|body| body.session.as_deref().map(encode_text)).collect();
    let at_texts: Vec<_> = bodies().map(|body| body.at.as_ref().map(|at| encode_text(&at.text))).collect();
    let at_instants: Vec<_> = bodies().map(|body| body.at.as_ref().and_then(|at| at.instant).map(|at| at.0)).collect();
    let contents: Vec<_> = rows.iter().map(|planned| encode_text(&planned.prepared.content)).collect();
    let tokens: Vec<i64> = rows.iter().map(|planned| i64::from(planned.row.tokens.0)).collect();
    let content_hashes: Vec<_> = rows.iter().map(|planned| planned.content_hash.as_bytes().as_slice()).collect();
    let chain_hashes: Vec<_> = rows.iter().map(|planned| planned.ack.hash.0.as_bytes().as_slice()).collect();
    let metadata: Vec<_> = bodies().map(|body| body.metadata.as_deref().map(encode_text)).collect();
    let seals: Vec<i64> = rows
        .iter()
        .zip(&at_instants)
        .map(|(planned, at)| {
            message_seal(NO_NUMBER, at.map(Timestamp), planned.row.tokens, append.now, planned.ack.hash)
        })
        .collect();
    let sql = "INSERT INTO epitome.messages (conversation, stored_at, number, message_id, seq, external_id,
                 external_key, role, speaker, session, at_text, at_instant, content, token_count, content_hash,
                 chain_hash, metadata, seal)
               SELECT $1, $2, added.* FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bytea[],
                 $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[], $14::bigint[],
                 $15::bytea[], $16::bytea[], $17::text[], $18::bigint[]) AS added";
    transaction
        .execute(
            sql,
            &[
                &conversation,
                &append.now.0,
                &numbers,
                &ids,
                &seqs,
                &external_ids,
                &external_keys,
                &roles,
                &speakers,
                &sessions,
                &at_texts,
                &at_instants,
                &contents,
                &tokens,
                &content_hashes,
                &chain_hashes,
                &metadata,
                &seals,
            ],
        )
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_written_as_the_server_reads_them() {
        assert_eq!(array_text(&[]), "{}");
        assert_eq!(array_text(&[i64::MIN, 0, 7]), "{-9223372036854775808,0,7}");
    }
}
