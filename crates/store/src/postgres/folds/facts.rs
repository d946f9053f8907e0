//! SQL of the PostgreSQL store for facts of conversations: upserts facts with the position up to which messages were
//! read for them, and reads fact rows.

use super::fold::{conversation_number, open_context};
use crate::failpoints::{self, FailPoint};
use crate::folds::{FactRow, collect_facts, join_ids, kind_list};
use crate::postgres::database::TenantTransaction;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::{maybe_text, read_text};
use crate::postgres::text::encode_text;
use crate::rows::conversation_id_of;
use crate::{ConversationFacts, DatedFact, FactsRead, NewFacts, Result};
use model::{Fact, FactKind, MessageId, Timestamp, believed_time};
use tokio_postgres::Row;

pub(super) const FACT: &str =
    "SELECT f.fact_id, c.conversation_id, f.kind, f.subject, f.state, f.exit_code, f.seen_with,
       f.ended_by, f.times, f.first_seq, f.last_seq, f.sources
     FROM epitome.conversation_facts f JOIN epitome.conversations c ON c.number = f.conversation";

/// The same with when the first message of the fact happened.
const DATED_FACT: &str = "SELECT f.fact_id, c.conversation_id, f.kind, f.subject, f.state, f.exit_code, f.seen_with,
       f.ended_by, f.times, f.first_seq, f.last_seq, f.sources, m.at_instant, m.stored_at
     FROM epitome.conversation_facts f JOIN epitome.conversations c ON c.number = f.conversation
       LEFT JOIN epitome.messages m ON m.conversation = f.conversation AND m.seq = f.first_seq";

pub(super) async fn facts_of_kinds(
    transaction: &TenantTransaction<'_>,
    kinds: &[FactKind],
) -> Result<Vec<ConversationFacts>, PostgresFailure> {
    let sql = "SELECT c.conversation_id, x.facts_to, x.facts_rules FROM epitome.contexts x
               JOIN epitome.conversations c ON c.number = x.conversation ORDER BY c.conversation_id";
    let read = |row: &Row| {
        let (to, rules): (i64, i64) = (row.try_get(1)?, row.try_get(2)?);
        let read = FactsRead { to: to as u64, rules: rules as u32 };
        Ok::<_, PostgresFailure>((conversation_id_of(row.try_get(0)?)?, read))
    };
    let rows = transaction.query_all(sql, &[]).await?;
    let read = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let dated = |row: &Row| {
        let (said, stored): (Option<i64>, Option<i64>) = (row.try_get(12)?, row.try_get(13)?);
        let at = stored.map(|stored| believed_time(said.map(Timestamp), Timestamp(stored)));
        Ok::<_, PostgresFailure>(DatedFact { fact: fact_row(row)?, at })
    };
    let rows = transaction.query_all(&format!("{DATED_FACT} WHERE f.kind IN ({})", kind_list(kinds)), &[]).await?;
    let facts = rows.iter().map(dated).collect::<Result<Vec<_>, _>>()?;
    Ok(collect_facts(read, facts))
}

pub(super) async fn write_facts(transaction: &TenantTransaction<'_>, new: &NewFacts) -> Result<(), PostgresFailure> {
    let number = conversation_number(transaction, &new.conversation).await?;
    // The row of the context carries the mark of how far facts were read, so it must exist before the update below.
    open_context(transaction, number).await?;
    let before = new.expected;
    let after = new.read;
    let from_rules = i64::from(before.rules);
    let from = before.to as i64;
    let to = after.to as i64;
    let to_rules = i64::from(after.rules);
    let sql = "UPDATE epitome.contexts SET facts_to = $4, facts_rules = $5
               WHERE conversation = $1 AND facts_to = $2 AND facts_rules = $3";
    // The mark in the condition refuses a second reader that took facts from the same messages at the same time.
    if transaction.execute(sql, &[&number, &from, &from_rules, &to, &to_rules]).await? == 0 {
        return Err(PostgresFailure::Moved { what: "the facts of", id: new.conversation.to_string() });
    }
    // New rules may take other facts from the same messages; what the old rules found must not stay beside them.
    if before.rules != after.rules {
        transaction.execute("DELETE FROM epitome.conversation_facts WHERE conversation = $1", &[&number]).await?;
    }
    for fact in &new.facts {
        upsert_fact(transaction, number, fact).await?;
    }
    failpoints::pass(FailPoint::FactsWritten);
    Ok(())
}

async fn upsert_fact(
    transaction: &TenantTransaction<'_>,
    conversation: i64,
    fact: &Fact,
) -> Result<(), PostgresFailure> {
    let sql =
        "INSERT INTO epitome.conversation_facts (fact_id, conversation, kind, subject, state, exit_code, seen_with,
                 ended_by, times, first_seq, last_seq, sources)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
               ON CONFLICT (fact_id, tenant_id) DO UPDATE SET state = $5, exit_code = $6, seen_with = $7, ended_by = $8,
                 times = $9, last_seq = $11, sources = $12";
    // The sources are one column of ids: facts are read and written whole, and never looked up by a source.
    let sources = join_ids(fact.sources.iter().map(MessageId::as_str));
    transaction
        .execute(
            sql,
            &[
                &fact.id.as_str(),
                &conversation,
                &fact.kind.as_str(),
                &encode_text(&fact.subject),
                &fact.state.as_str(),
                &fact.exit_code.map(i64::from),
                &fact.seen_with.as_deref().map(encode_text),
                &fact.ended_by.as_deref().map(encode_text),
                &i64::from(fact.times),
                &(fact.first_seq as i64),
                &(fact.last_seq as i64),
                &sources,
            ],
        )
        .await?;
    Ok(())
}

pub(super) fn fact_row(row: &Row) -> Result<Fact, PostgresFailure> {
    let row = FactRow {
        id: row.try_get(0)?,
        conversation: row.try_get(1)?,
        kind: row.try_get(2)?,
        subject: read_text(row, 3)?,
        state: row.try_get(4)?,
        exit_code: row.try_get(5)?,
        seen_with: maybe_text(row, 6)?,
        ended_by: maybe_text(row, 7)?,
        times: row.try_get(8)?,
        first_seq: row.try_get(9)?,
        last_seq: row.try_get(10)?,
        sources: row.try_get(11)?,
    };
    Ok(row.into_fact()?)
}
