//! Implements `PassageStore` (full-text index of conversations) for `SqliteStore`, in an index database of its own.

use crate::sqlite::SqliteStore;
use crate::sqlite::code::segments;
use crate::sqlite::database::SqliteDatabase;
use crate::sqlite::failure::SqliteFailure;
use crate::{
    Error, NewPassages, PassagePostings, PassageSegment, PassageSegments, PassageStore, Result, SegmentPostings,
};
use async_trait::async_trait;
use rusqlite::Connection;
use std::sync::Arc;

/// The name of the database, beside the databases of projects.
const NAME: &str = "conversations";

#[async_trait]
impl PassageStore for SqliteStore {
    async fn passage_segments(&self, known: &[i64]) -> Result<PassageSegments> {
        let known = known.to_vec();
        self.passage_index()?
            .read(move |db| {
                // The numbers and the rows come from one read transaction, so the list never names a segment whose head
                // is missing.
                let all = segment_numbers(db)?;
                let mut statement =
                    db.prepare_cached("SELECT number, unit_count, lengths FROM segments WHERE number = ?1")?;
                let read = |number: &i64| {
                    Ok(statement.query_row([number], |row| {
                        Ok(PassageSegment { number: row.get(0)?, passages: row.get(1)?, heads: row.get(2)? })
                    })?)
                };
                let new = all.iter().filter(|number| !known.contains(number)).map(read);
                let new = new.collect::<Result<_, SqliteFailure>>()?;
                Ok(PassageSegments { all, new })
            })
            .await
    }

    async fn passage_postings(&self, terms: &[String]) -> Result<PassagePostings> {
        let terms = terms.to_vec();
        let read = move |db: &Connection| {
            Ok(PassagePostings { all: segment_numbers(db)?, postings: segments::load_postings(db, terms)? })
        };
        self.passage_index()?.read(read).await
    }

    async fn passages_of(&self, segments: &[i64]) -> Result<Vec<SegmentPostings>> {
        let segments = segments.to_vec();
        self.passage_index()?.read(move |db| segments::all_postings(db, &segments)).await
    }

    async fn write_passages(&self, new: NewPassages) -> Result<i64> {
        self.passage_index()?
            .write(move |db| {
                let there = segment_numbers(db)?;
                let moved = |number: &i64| SqliteFailure::Moved { what: "segment", id: number.to_string() };
                // A writer that does not know of a newer segment would index the messages of that segment a second
                // time.
                if let Some(unseen) = there.last().filter(|last| **last > new.seen) {
                    return Err(moved(unseen));
                }
                // The segment was merged into another one meanwhile; replacing it again would list its messages twice.
                if let Some(gone) = new.replaces.iter().find(|number| !there.contains(number)) {
                    return Err(moved(gone));
                }
                let number = segments::insert_segment(db, new.passages, &new.heads, &new.postings)?.number;
                new.replaces.iter().try_for_each(|replaced| segments::drop_segment(db, *replaced))?;
                Ok(number)
            })
            .await
    }

    async fn drop_passages(&self) -> Result<()> {
        let empty = |db: &Connection| {
            db.execute("DELETE FROM postings", [])?;
            db.execute("DELETE FROM segments", [])?;
            Ok(())
        };
        match self.passage_index()?.write(empty).await {
            // An index that cannot even be emptied is deleted as a file: all of it can be made again.
            Err(Error::Corrupt { .. }) => self.indexes.discard_database(NAME),
            emptied => emptied,
        }
    }
}

impl SqliteStore {
    fn passage_index(&self) -> Result<Arc<SqliteDatabase>> {
        self.indexes.open(NAME)
    }
}

fn segment_numbers(db: &Connection) -> Result<Vec<i64>, SqliteFailure> {
    let mut statement = db.prepare_cached("SELECT number FROM segments ORDER BY number")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}
