//! SQL of the SQLite store for facts of conversations: upserts facts with the position up to which messages were read
//! for them, and reads fact rows.

use super::fold::{conversation_number, open_context};
use crate::failpoints::{self, FailPoint};
use crate::folds::{FactRow, collect_facts, join_ids, kind_list};
use crate::rows::conversation_id_of;
use crate::sqlite::failure::SqliteFailure;
use crate::{ConversationFacts, DatedFact, FactsRead, NewFacts, Result};
use model::{Fact, FactKind, MessageId, Timestamp, believed_time};
use rusqlite::{Connection, Row, params};

pub(super) const FACT: &str =
    "SELECT f.fact_id, c.conversation_id, f.kind, f.subject, f.state, f.exit_code, f.seen_with,
       f.ended_by, f.times, f.first_seq, f.last_seq, f.sources
     FROM conversation_facts f JOIN conversations c ON c.number = f.conversation";

/// The same with when the first message of the fact happened.
const DATED_FACT: &str = "SELECT f.fact_id, c.conversation_id, f.kind, f.subject, f.state, f.exit_code, f.seen_with,
       f.ended_by, f.times, f.first_seq, f.last_seq, f.sources, m.at_instant, m.stored_at
     FROM conversation_facts f JOIN conversations c ON c.number = f.conversation
       LEFT JOIN messages m ON m.conversation = f.conversation AND m.seq = f.first_seq";

pub(super) fn facts_of_kinds(db: &Connection, kinds: &[FactKind]) -> Result<Vec<ConversationFacts>, SqliteFailure> {
    let sql = "SELECT c.conversation_id, x.facts_to, x.facts_rules FROM contexts x
               JOIN conversations c ON c.number = x.conversation ORDER BY c.conversation_id";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, to, rules): (String, i64, i64) = row.try_into()?;
        read.push((conversation_id_of(&id)?, FactsRead { to: to as u64, rules: rules as u32 }));
    }
    let mut statement = db.prepare(&format!("{DATED_FACT} WHERE f.kind IN ({})", kind_list(kinds)))?;
    let mut rows = statement.query([])?;
    let mut facts = Vec::new();
    while let Some(row) = rows.next()? {
        let (said, stored): (Option<i64>, Option<i64>) = (row.get(12)?, row.get(13)?);
        let at = stored.map(|stored| believed_time(said.map(Timestamp), Timestamp(stored)));
        facts.push(DatedFact { fact: fact_row(row)?.into_fact()?, at });
    }
    Ok(collect_facts(read, facts))
}

pub(super) fn write_facts(db: &Connection, new: &NewFacts) -> Result<(), SqliteFailure> {
    let number = conversation_number(db, &new.conversation)?;
    // The row of the context carries the mark of how far facts were read, so it must exist before the update below.
    open_context(db, number)?;
    let sql = "UPDATE contexts SET facts_to = ?4, facts_rules = ?5
               WHERE conversation = ?1 AND facts_to = ?2 AND facts_rules = ?3";
    let before = new.expected;
    let after = new.read;
    let changed = db.prepare_cached(sql)?.execute(params![
        number,
        before.to as i64,
        before.rules,
        after.to as i64,
        after.rules
    ])?;
    // The mark is part of the condition: another reader took facts from the same messages at the same time.
    if changed == 0 {
        return Err(SqliteFailure::Moved { what: "the facts of", id: new.conversation.to_string() });
    }
    // New rules may take other facts from the same messages; what the old rules found must not stay beside them.
    if before.rules != after.rules {
        db.prepare_cached("DELETE FROM conversation_facts WHERE conversation = ?1")?.execute([number])?;
    }
    new.facts.iter().try_for_each(|fact| upsert_fact(db, number, fact))?;
    failpoints::pass(FailPoint::FactsWritten);
    Ok(())
}

fn upsert_fact(db: &Connection, conversation: i64, fact: &Fact) -> Result<(), SqliteFailure> {
    let sql = "INSERT INTO conversation_facts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
               ON CONFLICT (fact_id) DO UPDATE SET state = ?5, exit_code = ?6, seen_with = ?7, ended_by = ?8, times = ?9,
                 last_seq = ?11, sources = ?12";
    db.prepare_cached(sql)?.execute(params![
        fact.id.as_str(),
        conversation,
        fact.kind.as_str(),
        fact.subject,
        fact.state.as_str(),
        fact.exit_code,
        fact.seen_with,
        fact.ended_by,
        fact.times,
        fact.first_seq as i64,
        fact.last_seq as i64,
        join_ids(fact.sources.iter().map(MessageId::as_str)),
    ])?;
    Ok(())
}

pub(super) fn fact_row(row: &Row<'_>) -> rusqlite::Result<FactRow> {
    Ok(FactRow {
        id: row.get(0)?,
        conversation: row.get(1)?,
        kind: row.get(2)?,
        subject: row.get(3)?,
        state: row.get(4)?,
        exit_code: row.get(5)?,
        seen_with: row.get(6)?,
        ended_by: row.get(7)?,
        times: row.get(8)?,
        first_seq: row.get(9)?,
        last_seq: row.get(10)?,
        sources: row.get(11)?,
    })
}
