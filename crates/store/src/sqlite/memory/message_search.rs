//! Searches messages in SQLite (`MemoryStore::find_messages`) by a parallel table scan with several readers.
//!
//! The table is scanned in chunks, the newest first. Every reader takes the next chunk that no other reader has taken,
//! so that all are busy to the end; and where the scan is stopped, what was looked at is a stretch without gaps. Where
//! the caller's filter says which older messages can hold the words, only these are looked at, after the newer ones.

use super::term_filter::TermFilter;
use crate::sqlite::SqliteStore;
use crate::sqlite::failure::SqliteFailure;
use crate::sqlite::rows::{MESSAGE, read_message};
use crate::sqlite::sums::StoreState;
use crate::{
    ContentMatcher, DamagedMessage, FoundPlace, MatchOutcome, MessageFilter, MessageMatches, MessageQuery, Result,
    StoreCursor,
};
use model::{ProjectId, Timestamp, believed_time};
use rusqlite::{Connection, OptionalExtension, Rows, params};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Messages of a chunk.
const CHUNK: i64 = 512;

/// Readers at most: more only wait for each other.
const READERS: usize = 4;

/// A message without its words: its place and its times.
const SELECT_PLACE: &str = "SELECT m.number, m.at_instant, m.stored_at FROM messages m";

/// Looks for messages, see [`crate::MemoryStore::find_messages`].
pub(super) async fn find_messages(
    store: &SqliteStore,
    find: MessageQuery,
    judge: Option<ContentMatcher>,
) -> Result<MessageMatches> {
    let find = Arc::new(find);
    let asked = Arc::clone(&find);
    let Some(area) = store.canonical.read(move |db| SearchRange::from_query(db, &asked)).await? else {
        return Ok(MessageMatches::default());
    };
    // More readers than cores would only take turns.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let progress = Arc::new(ScanProgress::default());
    let reading = (0..cores.min(READERS)).map(|_| {
        let find = Arc::clone(&find);
        let judge = judge.clone();
        let progress = Arc::clone(&progress);
        store.canonical.read(move |db| {
            let mut looked = Vec::new();
            // The chunks are handed out one by one and not divided beforehand, so that a reader of short messages does
            // not idle.
            while let Some((number, places)) = progress.next_chunk(&area) {
                let one = scan_chunk(db, &find, judge.as_ref(), &area, places, &progress)?;
                looked.push((number, one));
            }
            Ok(looked)
        })
    });
    let mut looked: Vec<(i64, ChunkMatches)> =
        futures::future::try_join_all(reading).await?.into_iter().flatten().collect();
    // The readers finish in any order, but the matches are promised newest first and without gaps.
    looked.sort_unstable_by_key(|(number, _)| *number);
    let mut looked: Vec<ChunkMatches> = looked.into_iter().map(|(_, looked)| looked).collect();
    // The older messages come last, since the answer is in the order from new to old.
    if let Some(among) = find.among.clone().filter(|_| !progress.is_stopped()) {
        let progress = Arc::clone(&progress);
        let read = move |db: &Connection| scan_candidates(db, &find, &among, judge.as_ref(), &progress);
        looked.push(store.canonical.read(read).await?);
    }
    let mut found = join_chunks(looked.into_iter(), progress.is_stopped());
    found.has_gaps |= area.ends_early;
    Ok(found)
}

/// The places that are looked through, as numbers that grow with them: all messages, or those of one conversation.
#[derive(Clone, Copy)]
struct SearchRange {
    conversation: Option<i64>,
    last: i64,
    /// Messages up to this number are looked at one by one.
    known: i64,
    /// Whether the table ends before the messages that it should have.
    ends_early: bool,
}

impl SearchRange {
    fn from_query(db: &Connection, find: &MessageQuery) -> Result<Option<Self>, SqliteFailure> {
        // Messages up to this number are covered by the caller's filter; only newer ones have to be looked through.
        let known = find.among.as_ref().map_or(0, |among| among.version.0);
        let Some(id) = &find.conversation else {
            let last = db.query_row("SELECT coalesce(max(number), 0) FROM messages", [], |row| row.get::<_, i64>(0))?;
            let before = find.before.map_or(i64::MAX, |cursor| cursor.0);
            // Numbers grow by one, so the last is never below the count.
            let stored = StoreState::load(db)?.and_then(|state| Some(state.sums.get("messages")?.rows));
            let ends_early = stored.is_some_and(|stored| last < stored);
            return Ok(Some(Self { conversation: None, last: last.min(before.saturating_sub(1)), known, ends_early }));
        };
        let sql = "SELECT number, message_count FROM conversations WHERE conversation_id = ?1";
        // An unknown conversation has no messages, which is an answer and not an error.
        let found = db.query_row(sql, [id.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        Ok(found.map(|(number, last)| Self { conversation: Some(number), last, known, ends_early: false }))
    }
}

/// Which chunk comes next.
#[derive(Default)]
struct ScanProgress {
    next: AtomicI64,
    stopped: AtomicBool,
}

impl ScanProgress {
    fn next_chunk(&self, area: &SearchRange) -> Option<(i64, Range<i64>)> {
        if self.is_stopped() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let high = area.last.checked_sub(number.checked_mul(CHUNK)?)?;
        // The filter covers messages by the store's number. Within a conversation the place is `seq`, to which that
        // number says nothing.
        let low = if area.conversation.is_none() { area.known } else { 0 };
        (high > low).then(|| (number, high.saturating_sub(CHUNK).max(0) + 1..high + 1))
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// What became of a chunk.
#[derive(Default)]
struct ChunkMatches {
    matches: Vec<FoundPlace>,
    damaged: Vec<DamagedMessage>,
    /// The last that was judged.
    last: Option<StoreCursor>,
    stopped: bool,
    has_gaps: bool,
}

fn scan_chunk(
    db: &Connection,
    find: &MessageQuery,
    judge: Option<&ContentMatcher>,
    area: &SearchRange,
    places: Range<i64>,
    progress: &ScanProgress,
) -> Result<ChunkMatches, SqliteFailure> {
    let (place, within) =
        if area.conversation.is_some() { ("seq", "m.conversation = ?3") } else { ("number", "?3 IS NULL") };
    // Without words and matcher only the numbers are read: decompressing contents is most of the cost.
    let select = if reads_content(find, judge) { MESSAGE } else { SELECT_PLACE };
    let sql = format!(
        "{select} WHERE {within} AND m.{place} >= ?1 AND m.{place} < ?2
           AND m.number < ?4 AND m.number > ?7
           AND (?8 IS NULL OR m.conversation IN (SELECT number FROM conversations WHERE project_id = ?8)) AND (?5 IS NULL OR coalesce(m.at_instant, m.stored_at) >= ?5)
           AND (?6 IS NULL OR coalesce(m.at_instant, m.stored_at) < ?6) ORDER BY m.{place} DESC"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let before = find.before.map_or(i64::MAX, |cursor| cursor.0);
    let since = find.since.map(|at| at.0);
    let until = find.until.map(|at| at.0);
    let project = find.project.as_ref().map(ProjectId::as_str);
    let bounds = params![places.start, places.end, area.conversation, before, since, until, area.known, project];
    let mut looker = MessageScanner::new(find, judge, progress);
    looker.scan_rows(statement.query(bounds)?)?;
    looker.looked.has_gaps = !looker.looked.stopped && has_gaps(db, area, &places)?;
    Ok(looker.looked)
}

/// Whether a place of a chunk has no message: one was removed on purpose, or the table has lost it.
fn has_gaps(db: &Connection, area: &SearchRange, places: &Range<i64>) -> Result<bool, SqliteFailure> {
    // The bounds stand twice: from where it began SQLite trusts the order of the rows, and a damaged page has none. The
    // second pair is compared with every row.
    let (sql, start) = match area.conversation {
        // The hash is in the table alone, and the place also in an index, which may have what the table has lost.
        Some(_) => (
            "SELECT count(DISTINCT seq) FROM messages
             WHERE conversation = ?3 AND seq >= ?1 AND seq < ?2 AND +seq >= ?1 AND +seq < ?2
               AND content_hash IS NOT NULL",
            places.start,
        ),
        None => (
            "SELECT count(DISTINCT number) FROM messages NOT INDEXED
             WHERE number >= ?1 AND number < ?2 AND +number >= ?1 AND +number < ?2 AND ?3 IS NULL",
            places.start.max(area.known + 1),
        ),
    };
    let found: i64 =
        db.prepare_cached(sql)?.query_row(params![start, places.end, area.conversation], |row| row.get(0))?;
    Ok(found != places.end - start)
}

/// Whether a message has to be read to know that it is looked for.
fn reads_content(find: &MessageQuery, judge: Option<&ContentMatcher>) -> bool {
    judge.is_some() || !find.terms.is_empty()
}

/// Looks at the messages that can hold what is looked for.
fn scan_candidates(
    db: &Connection,
    find: &MessageQuery,
    among: &MessageFilter,
    judge: Option<&ContentMatcher>,
    progress: &ScanProgress,
) -> Result<ChunkMatches, SqliteFailure> {
    let before = find.before.map_or(i64::MAX, |cursor| cursor.0);
    let mut place = db.prepare_cached(
        "SELECT m.number FROM messages m JOIN conversations c ON c.number = m.conversation
         WHERE c.conversation_id = ?1 AND m.seq = ?2",
    )?;
    let mut numbers: Vec<i64> = Vec::new();
    let mut has_gaps = false;
    for (conversation, seq) in &among.places {
        let number: Option<i64> =
            place.query_row(params![conversation.as_str(), *seq as i64], |row| row.get(0)).optional()?;
        has_gaps |= number.is_none();
        // Messages after the filter's state were looked through already, in the chunks.
        numbers.extend(number.filter(|number| *number <= among.version.0 && *number < before));
    }
    numbers.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
    let select = if reads_content(find, judge) { MESSAGE } else { SELECT_PLACE };
    let mut statement = db.prepare_cached(&format!(
        "{select} WHERE m.number = ?1
           AND (?4 IS NULL OR m.conversation IN (SELECT number FROM conversations WHERE project_id = ?4)) AND (?2 IS NULL OR coalesce(m.at_instant, m.stored_at) >= ?2)
           AND (?3 IS NULL OR coalesce(m.at_instant, m.stored_at) < ?3)",
    ))?;
    let since = find.since.map(|at| at.0);
    let until = find.until.map(|at| at.0);
    let project = find.project.as_ref().map(ProjectId::as_str);
    let mut exists = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM messages WHERE number = ?1)")?;
    let mut looker = MessageScanner::new(find, judge, progress);
    for number in numbers {
        // One row at a time: the candidates are few and lie far apart.
        looker.scan_rows(statement.query(params![number, since, until, project])?)?;
        if looker.looked.stopped {
            break;
        }
        // The number is from an index, which may have what the table has lost.
        if looker.looked.last != Some(StoreCursor(number)) {
            has_gaps |= !exists.query_row([number], |row| row.get::<_, bool>(0))?;
        }
    }
    looker.looked.has_gaps = has_gaps;
    Ok(looker.looked)
}

/// Looks at messages one after the other.
struct MessageScanner<'f> {
    judge: Option<&'f ContentMatcher>,
    words: Option<TermFilter<'f>>,
    reads_content: bool,
    progress: &'f ScanProgress,
    looked: ChunkMatches,
}

impl<'f> MessageScanner<'f> {
    fn new(find: &'f MessageQuery, judge: Option<&'f ContentMatcher>, progress: &'f ScanProgress) -> Self {
        let words = (!find.terms.is_empty()).then(|| TermFilter::new(&find.terms));
        Self { judge, words, reads_content: reads_content(find, judge), progress, looked: ChunkMatches::default() }
    }

    /// Looks at messages, until there is no more time.
    fn scan_rows(&mut self, mut rows: Rows<'_>) -> Result<(), SqliteFailure> {
        while let Some(row) = rows.next()? {
            let cursor = StoreCursor(row.get(0)?);
            // A damaged message is reported and passed by: it must not hide the messages behind it.
            let read = self.reads_content.then(|| read_message(row)).transpose()?;
            let (outcome, happened) = match read {
                None => {
                    let said = row.get::<_, Option<i64>>(1)?.map(Timestamp);
                    (MatchOutcome::Matches, believed_time(said, Timestamp(row.get(2)?)))
                }
                Some(Ok(message)) => (self.judge_content(&message.body.content()), message.happened()),
                Some(Err(damaged)) => {
                    self.looked.damaged.push(damaged);
                    (MatchOutcome::Differs, Timestamp::default())
                }
            };
            match outcome {
                MatchOutcome::Matches => self.looked.matches.push(FoundPlace { cursor, happened }),
                MatchOutcome::Differs => {}
                MatchOutcome::Stop => {
                    // The other readers stop at their next chunk; chunks of lower numbers are finished, so that there
                    // is no gap.
                    self.progress.stopped.store(true, Ordering::Relaxed);
                    self.looked.stopped = true;
                    return Ok(());
                }
            }
            self.looked.last = Some(cursor);
        }
        Ok(())
    }

    fn judge_content(&mut self, content: &str) -> MatchOutcome {
        // The matcher comes first: it also says when there is no more time.
        let outcome = self.judge.map_or(MatchOutcome::Matches, |judge| judge(content.as_bytes()));
        let lacks_words = |words: &mut TermFilter<'_>| !words.are_in(content);
        if outcome == MatchOutcome::Matches && self.words.as_mut().is_some_and(lacks_words) {
            return MatchOutcome::Differs;
        }
        outcome
    }
}

/// All chunks in their order, up to where looking was stopped.
fn join_chunks(chunks: impl Iterator<Item = ChunkMatches>, is_stopped: bool) -> MessageMatches {
    let mut matches = Vec::new();
    let mut damaged = Vec::new();
    let mut last = StoreCursor(i64::MAX);
    let mut has_gaps = false;
    for chunk in chunks {
        matches.extend(chunk.matches);
        damaged.extend(chunk.damaged);
        has_gaps |= chunk.has_gaps;
        last = chunk.last.unwrap_or(last);
        // What lies behind the stop was perhaps looked at by other readers, but not completely; the next page begins
        // here.
        if chunk.stopped {
            break;
        }
    }
    MessageMatches { matches, end: is_stopped.then_some(last), damaged, has_gaps }
}
