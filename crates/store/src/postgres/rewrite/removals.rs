//! What a change of canonical rows means for the anchor: how far everything was before it and is after it, and the
//! removals that follow from the difference.

use crate::postgres::database::TenantTransaction;
use crate::postgres::entities::all_statements;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::rows::read_text;
use crate::rows::hash_of;
use crate::{AnchorHead, AnchorPoint, DataRemoval, RemovedSubject, Result};
use model::Timestamp;
use std::collections::HashSet;
use tokio_postgres::Row;

/// What the anchor has to be told of a change.
pub(in crate::postgres) struct AnchorChange {
    /// What is gone, or has another hash.
    pub(in crate::postgres) removals: Vec<DataRemoval>,
    /// What is new.
    pub(in crate::postgres) points: Vec<AnchorPoint>,
}

impl AnchorChange {
    pub(super) fn between(before: Vec<AnchorPoint>, after: Vec<AnchorPoint>, reason: &str, at: Timestamp) -> Self {
        let subjects: HashSet<String> = before.iter().map(|point| split_point(point).0.to_line()).collect();
        let heads = after.iter().map(split_point).map(|(subject, head)| (subject.to_line(), head));
        let heads: std::collections::HashMap<String, Option<AnchorHead>> = heads.collect();
        let mut removals = Vec::new();
        for point in before {
            let (subject, old) = split_point(&point);
            let new = heads.get(&subject.to_line());
            if new != Some(&old) {
                let new = new.cloned().flatten();
                removals.push(DataRemoval { subject, reason: reason.to_owned(), at, old, new });
            }
        }
        let is_new = |point: &AnchorPoint| !subjects.contains(&split_point(point).0.to_line());
        Self { removals, points: after.into_iter().filter(is_new).collect() }
    }
}

/// What a point is about, and how far that is.
fn split_point(point: &AnchorPoint) -> (RemovedSubject, Option<AnchorHead>) {
    match point.clone() {
        AnchorPoint::Conversation { id, head } => (RemovedSubject::Conversation { id }, Some(head)),
        AnchorPoint::Archive { agent, path, generation, head } => {
            (RemovedSubject::Archive { agent, path, generation }, Some(head))
        }
        AnchorPoint::Row { table, id } => (RemovedSubject::Row { table, id }, None),
    }
}

/// How far everything of the tenant is.
pub(in crate::postgres) async fn load_points(
    transaction: &TenantTransaction<'_>,
) -> Result<Vec<AnchorPoint>, PostgresFailure> {
    let head = |row: &Row, count: usize| -> Result<AnchorHead, PostgresFailure> {
        Ok(AnchorHead::new(row.try_get::<_, i64>(count)? as u64, hash_of(row.try_get(count + 1)?)?))
    };
    let mut points = Vec::new();
    let sql = "SELECT conversation_id, message_count, head_hash FROM epitome.conversations ORDER BY number";
    for row in transaction.query_all(sql, &[]).await? {
        points.push(AnchorPoint::Conversation { id: row.try_get(0)?, head: head(&row, 1)? });
    }
    let sql = "SELECT agent, path, ordinal, frame_count, mark_hash FROM epitome.generations ORDER BY number";
    for row in transaction.query_all(sql, &[]).await? {
        let generation = row.try_get::<_, i64>(2)? as u32;
        let (agent, path) = (read_text(&row, 0)?, read_text(&row, 1)?);
        points.push(AnchorPoint::Archive { agent, path, generation, head: head(&row, 3)? });
    }
    let tables = [
        ("summaries", "summary_id"),
        ("artifacts", "artifact_id"),
        ("memories", "memory_id"),
        ("session_records", "record_id"),
    ];
    for (table, column) in tables {
        let sql = format!("SELECT {column} FROM epitome.{table} ORDER BY number");
        for row in transaction.query_all(&sql, &[]).await? {
            points.push(AnchorPoint::Row { table: table.to_owned(), id: row.try_get(0)? });
        }
    }
    points.extend(all_statements(transaction).await?.anchor_points());
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(id: &str, count: u64, hash: &str) -> AnchorPoint {
        AnchorPoint::Conversation { id: id.to_owned(), head: AnchorHead { count, hash: hash.to_owned() } }
    }

    fn row(id: &str) -> AnchorPoint {
        AnchorPoint::Row { table: "memories".to_owned(), id: id.to_owned() }
    }

    #[test]
    fn what_changed_or_went_is_a_removal_and_what_came_is_a_point() {
        let before = vec![talk("same", 2, "a"), talk("changed", 2, "b"), talk("gone", 1, "c"), row("old")];
        let after = vec![talk("same", 2, "a"), talk("changed", 2, "d"), row("new")];
        let change = AnchorChange::between(before, after, "purged", Timestamp(5));
        let told: Vec<(String, Option<String>)> = change
            .removals
            .iter()
            .map(|removal| (removal.subject.in_words(), removal.new.as_ref().map(|head| head.hash.clone())))
            .collect();
        let wanted = [("changed", Some("d")), ("gone", None), ("old of memories", None)];
        assert_eq!(told, wanted.map(|(subject, hash)| (subject.to_owned(), hash.map(str::to_owned))));
        assert_eq!(change.points, [row("new")]);
    }
}
