//! Finding messages by what they say, page by page on one consistent state.

use super::PostgresStore;
use super::database::Access;
use super::failure::Failure;
use super::rows::text;
use crate::{Cursor, Find, Found, Judge, Result, Verdict};

/// Messages that travel together: bounds memory, hides the distance.
const PAGE: i64 = 512;

/// Looks for messages, see [`crate::MemoryStore::find_messages`].
pub(super) async fn find(store: &PostgresStore, find: &Find, judge: Option<&Judge>) -> Result<Found> {
    let keys = store.term_keys(find.conversation.as_ref(), &find.terms);
    store
        .database
        .retry(|| async {
            let mut client = store.connection().await?;
            let transaction = store.begin(&mut client, Access::Read).await?;
            // What terms and conversations lead to is found as numbers first: that table has an index for it.
            let numbers = if keys.is_empty() {
                None
            } else {
                let sql = "SELECT message FROM epitome.message_terms WHERE keys @> $1";
                let rows = transaction.all(sql, &[&keys]).await?;
                Some(rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?)
            };
            let content = if judge.is_some() { "m.content" } else { "''" };
            let among = if numbers.is_some() { "m.number = ANY($5)" } else { "$5::bigint[] IS NULL" };
            let sql = format!(
                "SELECT m.number, {content} FROM epitome.messages m WHERE m.number < $1
                   AND ($2::bigint IS NULL OR coalesce(m.at_instant, m.stored_at) >= $2)
                   AND ($3::bigint IS NULL OR coalesce(m.at_instant, m.stored_at) < $3)
                   AND {among} ORDER BY m.number DESC LIMIT $4"
            );
            let (since, until) = (find.since.map(|at| at.0), find.until.map(|at| at.0));
            let (mut found, mut last) = (Found::default(), find.before.unwrap_or(Cursor(i64::MAX)));
            loop {
                let rows = transaction.all(&sql, &[&last.0, &since, &until, &PAGE, &numbers]).await?;
                for row in &rows {
                    let cursor = Cursor(row.try_get(0)?);
                    let verdict = match judge {
                        Some(judge) => judge(text(row, 1)?.as_bytes()),
                        None => Verdict::Matches,
                    };
                    match verdict {
                        Verdict::Matches => found.matches.push(cursor),
                        Verdict::Differs => {}
                        Verdict::Stop => {
                            found.end = Some(last);
                            return Ok::<_, Failure>(found);
                        }
                    }
                    last = cursor;
                }
                if (rows.len() as i64) < PAGE {
                    return Ok(found);
                }
            }
        })
        .await
}
