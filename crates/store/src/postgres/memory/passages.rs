//! Implements `PassageStore` (full-text index of conversations) for `PostgresStore`, in the segment tables of code
//! search, under a project name that no project has.

use crate::postgres::PostgresStore;
use crate::postgres::code::read_u32;
use crate::postgres::code::segments;
use crate::postgres::database::{AccessMode, TenantTransaction};
use crate::postgres::failure::PostgresFailure;
use crate::postgres::parameters::SqlParameter;
use crate::postgres::text::encode_text;
use crate::{NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore, Result, SegmentPostings};
use async_trait::async_trait;

/// The key of a project in rows of passages.
const NAME: &str = "conversations";

const NUMBERS: &str = "SELECT number FROM epitome.segments WHERE project_id = $1 ORDER BY number";

#[async_trait]
impl PassageStore for PostgresStore {
    async fn passage_segments(&self, known: &[i64]) -> Result<PassageSegments> {
        let sql = "SELECT number, unit_count, lengths FROM epitome.segments
                   WHERE project_id = $1 AND number <> ALL($2) ORDER BY number";
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                // The numbers and the rows come from one snapshot, so that the list never names a segment whose head is
                // missing.
                let all = segment_numbers(&transaction).await?;
                let rows = transaction.query_all(sql, &[&NAME, &known]).await?;
                let new = rows.iter().map(|row| {
                    Ok(PassageSegment { number: row.try_get(0)?, passages: read_u32(row, 1)?, heads: row.try_get(2)? })
                });
                Ok(PassageSegments { all, new: new.collect::<Result<_, PostgresFailure>>()? })
            })
            .await
    }

    async fn passage_postings(&self, terms: &[String]) -> Result<PassagePostings> {
        let terms: Vec<_> = terms.iter().map(|term| encode_text(term)).collect();
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Read).await?;
                let all = segment_numbers(&transaction).await?;
                let rows = transaction.query_all(segments::POSTINGS, &[&NAME, &terms]).await?;
                let postings = rows.iter().map(segments::postings_row).collect::<Result<Vec<_>, PostgresFailure>>()?;
                let mut found = PassagePostings { all, postings };
                segments::sort_postings(&mut found.postings);
                Ok(found)
            })
            .await
    }

    async fn passages_of(&self, segments: &[i64]) -> Result<Vec<SegmentPostings>> {
        let parameters: [&dyn SqlParameter; 2] = [&NAME, &segments];
        let mut postings = self.query_rows(segments::ALL_POSTINGS, &parameters, segments::postings_row).await?;
        segments::sort_postings(&mut postings);
        Ok(postings)
    }

    async fn write_passages(&self, new: NewPassages) -> Result<i64> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                // To these tables the passages are one more project, so their writers take a project's lock.
                self.acquire_lock(&transaction, "project", NAME).await?;
                let there = segment_numbers(&transaction).await?;
                let moved = |number: &i64| PostgresFailure::Moved { what: "segment", id: number.to_string() };
                // A writer that does not know of a newer segment would index the messages of that segment a second
                // time.
                if let Some(unseen) = there.last().filter(|last| **last > new.seen) {
                    return Err(moved(unseen));
                }
                // The segment was merged into another one meanwhile; replacing it again would list its messages twice.
                if let Some(gone) = new.replaces.iter().find(|number| !there.contains(number)) {
                    return Err(moved(gone));
                }
                let passages = i64::from(new.passages);
                let written =
                    segments::insert_segment(&transaction, NAME, passages, &new.heads, &new.postings).await?.number;
                // Written before the old ones are dropped, and in one transaction: a search sees either the old
                // segments or the new one.
                segments::drop_segments(&transaction, NAME, &new.replaces).await?;
                transaction.commit().await?;
                Ok(written)
            })
            .await
    }

    async fn drop_passages(&self) -> Result<()> {
        self.database
            .with_retries(|| async {
                let mut client = self.acquire_connection().await?;
                let transaction = self.begin_transaction(&mut client, AccessMode::Derived).await?;
                self.acquire_lock(&transaction, "project", NAME).await?;
                let all = segment_numbers(&transaction).await?;
                segments::drop_segments(&transaction, NAME, &all).await?;
                transaction.commit().await
            })
            .await
    }
}

async fn segment_numbers(transaction: &TenantTransaction<'_>) -> Result<Vec<i64>, PostgresFailure> {
    let rows = transaction.query_all(NUMBERS, &[&NAME]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}
