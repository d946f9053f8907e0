//! Searches stored messages in PostgreSQL (`MemoryStore::find_messages`): by indexed terms, time and conversation, and
//! with the caller's matcher, page by page in one transaction with a consistent state.

use crate::postgres::PostgresStore;
use crate::postgres::database::AccessMode;
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameters;
use crate::postgres::rows::{MESSAGE, read_messages};
use crate::{
    ContentMatcher, DamagedMessage, FoundPlace, MatchOutcome, MessageMatches, MessageQuery, Result, StoreCursor,
};
use model::{Message, ProjectId, Timestamp, believed_time};
use tokio_postgres::Row;

/// Messages that travel together: bounds memory, hides the distance.
const PAGE: i64 = 512;

/// A message without its words: its place and its times.
const SELECT_PLACE: &str = "SELECT m.number, m.at_instant, m.stored_at FROM epitome.messages m";

/// Looks for messages, see [`crate::MemoryStore::find_messages`].
pub(super) async fn find_messages(
    store: &PostgresStore,
    find: &MessageQuery,
    judge: Option<&ContentMatcher>,
) -> Result<MessageMatches> {
    // A search without terms and conversation gives no keys; every message is then a candidate.
    let keys = store.term_keys(find.conversation.as_ref(), &find.terms, store.own_term_key().await?);
    store
        .database
        .with_retries(|| async {
            let mut client = store.acquire_connection().await?;
            let transaction = store.begin_transaction(&mut client, AccessMode::Read).await?;
            // Terms and conversation lead to numbers first, through a function that may use the index for them; the
            // rows themselves are read afterwards.
            let numbers = if keys.is_empty() {
                None
            } else {
                let sql = "SELECT epitome.messages_with($1)";
                let rows = transaction.query_all(sql, &[&keys]).await?;
                Some(rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<i64>, _>>()?)
            };
            // Without a matcher the terms decide alone, and the content need not travel.
            let select = if judge.is_some() { MESSAGE } else { SELECT_PLACE };
            let among = if numbers.is_some() { "m.number = ANY($5)" } else { "$5::bigint[] IS NULL" };
            // A message that does not say when it happened counts by when it was stored, as `MessageQuery`
            // promises.
            let sql = format!(
                "{select} WHERE m.number < $1
                   AND ($2::bigint IS NULL OR coalesce(m.at_instant, m.stored_at) >= $2)
                   AND ($3::bigint IS NULL OR coalesce(m.at_instant, m.stored_at) < $3)
                   AND ($6::text IS NULL OR m.conversation IN
                     (SELECT number FROM epitome.conversations WHERE project_id = $6))
                   AND {among} ORDER BY m.number DESC LIMIT $4"
            );
            let since = find.since.map(|at| at.0);
            let until = find.until.map(|at| at.0);
            let project = find.project.as_ref().map(ProjectId::as_str);
            let mut found = MessageMatches::default();
            let mut last = find.before.unwrap_or(StoreCursor(i64::MAX));
            loop {
                let bounds: SqlParameters<'_> = &[&last.0, &since, &until, &PAGE, &numbers, &project];
                let page = match judge {
                    Some(judge) => match_messages(read_messages(&transaction, &sql, bounds).await?, judge),
                    None => match_all(&transaction.query_all(&sql, bounds).await?)?,
                };
                let is_last = (page.len() as i64) < PAGE;
                for (cursor, outcome) in page {
                    // A damaged message is reported and passed by: it must not hide the messages behind it.
                    let (outcome, happened) = outcome.unwrap_or_else(|damaged| {
                        found.damaged.push(damaged);
                        (MatchOutcome::Differs, Timestamp::default())
                    });
                    match outcome {
                        MatchOutcome::Matches => found.matches.push(FoundPlace { cursor, happened }),
                        MatchOutcome::Differs => {}
                        MatchOutcome::Stop => {
                            // The cursor is that of the message before, so that the next page begins with the one that
                            // stopped this page.
                            found.end = Some(last);
                            return Ok::<_, PostgresFailure>(found);
                        }
                    }
                    last = cursor;
                }
                if is_last {
                    return Ok(found);
                }
            }
        })
        .await
}

/// A page of messages, each with what is said of it and when it happened.
type MatchPage = Vec<(StoreCursor, Result<(MatchOutcome, Timestamp), DamagedMessage>)>;

fn match_messages(messages: Vec<(StoreCursor, Result<Message, DamagedMessage>)>, judge: &ContentMatcher) -> MatchPage {
    let outcome = |message: Message| (judge(message.body.content().as_bytes()), message.happened());
    messages.into_iter().map(|(cursor, message)| (cursor, message.map(outcome))).collect()
}

/// Without a `ContentMatcher` every message matches.
fn match_all(rows: &[Row]) -> Result<MatchPage, PostgresFailure> {
    let read = |row: &Row| {
        let said = row.try_get::<_, Option<i64>>(1)?.map(Timestamp);
        let happened = believed_time(said, Timestamp(row.try_get(2)?));
        Ok((StoreCursor(row.try_get(0)?), Ok((MatchOutcome::Matches, happened))))
    };
    rows.iter().map(read).collect()
}
