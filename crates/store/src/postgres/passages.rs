//! Full text of conversations, in the tables of segments, under a name that no project has.

use super::PostgresStore;
use super::code::small;
use super::database::{Access, Transaction};
use super::failure::Failure;
use super::segments;
use super::text::encode;
use crate::{NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore, Postings, Result};
use async_trait::async_trait;
use tokio_postgres::types::ToSql;

/// What stands for a project in those rows.
const NAME: &str = "conversations";

const NUMBERS: &str = "SELECT number FROM epitome.segments WHERE project_id = $1 ORDER BY number";

#[async_trait]
impl PassageStore for PostgresStore {
    async fn passage_segments(&self, known: &[i64]) -> Result<PassageSegments> {
        let sql = "SELECT number, unit_count, lengths FROM epitome.segments
                   WHERE project_id = $1 AND number <> ALL($2) ORDER BY number";
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Read).await?;
                let all = numbers(&transaction).await?;
                let rows = transaction.all(sql, &[&NAME, &known]).await?;
                let new = rows.iter().map(|row| {
                    Ok(PassageSegment { number: row.try_get(0)?, passages: small(row, 1)?, heads: row.try_get(2)? })
                });
                Ok(PassageSegments { all, new: new.collect::<Result<_, Failure>>()? })
            })
            .await
    }

    async fn passage_postings(&self, terms: &[String]) -> Result<PassagePostings> {
        let terms: Vec<_> = terms.iter().map(|term| encode(term)).collect();
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Read).await?;
                let all = numbers(&transaction).await?;
                let rows = transaction.all(segments::POSTINGS, &[&NAME, &terms]).await?;
                let postings = rows.iter().map(segments::postings_row).collect::<Result<Vec<_>, Failure>>()?;
                let mut found = PassagePostings { all, postings };
                segments::sort(&mut found.postings);
                Ok(found)
            })
            .await
    }

    async fn passages_of(&self, segments: &[i64]) -> Result<Vec<Postings>> {
        let parameters: [&(dyn ToSql + Sync); 2] = [&NAME, &segments];
        let mut postings = self.read(segments::ALL_POSTINGS, &parameters, segments::postings_row).await?;
        segments::sort(&mut postings);
        Ok(postings)
    }

    async fn write_passages(&self, new: NewPassages) -> Result<i64> {
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                self.lock(&transaction, "project", NAME).await?;
                let there = numbers(&transaction).await?;
                let moved = |number: &i64| Failure::Moved { what: "segment", id: number.to_string() };
                if let Some(unseen) = there.last().filter(|last| **last > new.seen) {
                    return Err(moved(unseen));
                }
                if let Some(gone) = new.replaces.iter().find(|number| !there.contains(number)) {
                    return Err(moved(gone));
                }
                let passages = i64::from(new.passages);
                let written = segments::insert(&transaction, NAME, passages, &new.heads, &new.postings).await?.number;
                segments::drop(&transaction, NAME, &new.replaces).await?;
                transaction.commit().await?;
                Ok(written)
            })
            .await
    }

    async fn drop_passages(&self) -> Result<()> {
        self.database
            .retry(|| async {
                let mut client = self.connection().await?;
                let transaction = self.begin(&mut client, Access::Derived).await?;
                self.lock(&transaction, "project", NAME).await?;
                let all = numbers(&transaction).await?;
                segments::drop(&transaction, NAME, &all).await?;
                transaction.commit().await
            })
            .await
    }
}

async fn numbers(transaction: &Transaction<'_>) -> Result<Vec<i64>, Failure> {
    let rows = transaction.all(NUMBERS, &[&NAME]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}
