//! Gets out of a damaged embedded store what can be read: the file of the database page by page, without SQLite, and
//! the files of artifacts. What is given was compared with its hash; what cannot be given is listed, as far as the
//! database or the anchor knows that it was there.

mod pages;
mod records;

use super::files::ArtifactFiles;
use super::rows::unpack_content;
use crate::anchor::AnchorFile;
use crate::archive::decompress;
use crate::message_shape::parts_of;
use crate::rows::{DamagedRow, MessageRow, hash_of, unknown_parts};
use crate::{AnchorLog, DamagedMessage};
use fs_err as fs;
use model::{ArtifactId, ContentHash, Message};
use pages::PageFile;
use records::{RawRow, RawValue, read_rows};
use rusqlite::types::ValueRef;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// Something that was got out of a damaged store.
#[derive(Clone, Debug)]
pub enum SalvagedItem {
    /// A message that has its hash, and what its conversation is called.
    Message {
        /// The message.
        message: Box<Message>,
        /// The name of its conversation, where that can be read.
        conversation_name: Option<String>,
    },
    /// The bytes of a transcript, as far as they can be read.
    Transcript {
        /// Where it lay.
        path: String,
        /// Which generation of it.
        generation: i64,
        /// The bytes; where some are missing, those before and behind them.
        bytes: Vec<u8>,
    },
    /// The bytes of an artifact, which have their hash.
    Artifact {
        /// Its id.
        id: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The text of a summary or a memory.
    Text {
        /// Its id.
        id: String,
        /// The text.
        text: String,
    },
}

/// Something that was stored and could not be got out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadableItem {
    /// What it is.
    pub subject: String,
    /// Why, or how much of it.
    pub what: String,
}

/// Takes what is got out, one after the other.
pub type SalvageSink<'s> = dyn FnMut(SalvagedItem) -> io::Result<()> + 's;

/// Where a row lies: its page, and which one of it.
type RowPlace = (u32, usize);

/// What lies where.
#[derive(Default)]
struct RowIndex {
    conversations: BTreeMap<i64, RawRow>,
    generations: BTreeMap<i64, RawRow>,
    artifacts: BTreeMap<String, RawRow>,
    /// By number of the conversation and place in it.
    messages: BTreeMap<(i64, i64), RowPlace>,
    frames: BTreeMap<i64, RowPlace>,
    /// By generation and place in it: the number of the frame.
    frame_places: BTreeMap<(i64, i64), i64>,
    tails: BTreeMap<i64, RowPlace>,
    texts: BTreeMap<String, RowPlace>,
    unreadable: BTreeSet<UnreadableItem>,
}

/// Reads the store in `data`, whose anchor is below `state`, and hands out what can be read; returns what cannot.
pub fn salvage_files(data: &Path, state: &Path, take: &mut SalvageSink<'_>) -> io::Result<Vec<UnreadableItem>> {
    let file = PageFile::open(&data.join("epitome.db"))?;
    let anchor = super::anchor_path(data, state).and_then(|path| AnchorFile::new(path).read()).unwrap_or_default();
    let mut index = RowIndex::default();
    for page in 1..=file.page_count {
        index.add_page(&file, page);
    }
    index.give_messages(&file, &anchor, take)?;
    index.give_transcripts(&file, &anchor, take)?;
    index.give_artifacts(&ArtifactFiles::new(data.join("artifacts")), &anchor, take)?;
    index.give_texts(&file, &anchor, take)?;
    Ok(index.unreadable.into_iter().collect())
}

impl RowIndex {
    fn add_page(&mut self, file: &PageFile, page: u32) {
        let (rows, unreadable) = read_rows(file, page);
        if unreadable > 0 {
            self.add_unreadable(format!("page {page}"), format!("{unreadable} of its rows cannot be read"));
        }
        for (at, row) in rows.into_iter().enumerate() {
            self.add_row(row, (page, at));
        }
    }

    /// Knows a row by how many values it has and how its id begins.
    fn add_row(&mut self, row: RawRow, place: RowPlace) {
        let Some(number) = row.number else {
            let numbers: Vec<i64> = (0..row.values.len()).filter_map(|column| row.integer(column)).collect();
            // The key comes first in a table without numbers: generation, place, frame, lines, pause.
            if let ([generation, ordinal, frame, _, _], 5) = (numbers.as_slice(), row.values.len()) {
                self.frame_places.insert((*generation, *ordinal), *frame);
            }
            return;
        };
        let id = row.text(1).unwrap_or_default().to_owned();
        match (row.values.len(), id.get(..4).unwrap_or_default()) {
            (16.., "msg_") => {
                if let (Some(conversation), Some(seq)) = (row.integer(2), row.integer(3)) {
                    self.messages.insert((conversation, seq), place);
                }
            }
            (8.., "conv") => drop(self.conversations.insert(number, row)),
            (8.., "art_") => drop(self.artifacts.insert(id, row)),
            (8.., "sum_" | "mem_") => drop(self.texts.insert(id, place)),
            (20, _) if row.blob(18).is_some() => drop(self.generations.insert(number, row)),
            (7, _) if row.blob(1).is_some() && row.blob(6).is_some() => drop(self.frames.insert(number, place)),
            (4, _) if row.blob(2).is_some() && row.blob(3).is_some() => drop(self.tails.insert(number, place)),
            _ => {}
        }
    }

    fn add_unreadable(&mut self, subject: impl Into<String>, what: impl Into<String>) {
        self.unreadable.insert(UnreadableItem { subject: subject.into(), what: what.into() });
    }

    fn give_messages(&mut self, file: &PageFile, anchor: &AnchorLog, take: &mut SalvageSink<'_>) -> io::Result<()> {
        let mut found: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for ((number, seq), place) in self.messages.clone() {
            let Some(row) = read_place(file, place) else { continue };
            let known = self.conversations.get(&number);
            let named = known.and_then(|row| row.text(1)).map(str::to_owned);
            // Where the row of the conversation is lost, the anchor may know which one it was: ids hold their place.
            let ids = named.into_iter().chain(anchor.conversations.keys().cloned());
            let mut read = ids.map(|id| build_message(&row, id));
            let first = read.next();
            let message = match first {
                Some(Ok(message)) => Ok(message),
                Some(Err(damaged)) => read.find_map(Result::ok).ok_or(damaged.what),
                None => Err("the row of its conversation cannot be read".to_owned()),
            };
            match message {
                Ok(message) => {
                    found.entry(message.conversation.to_string()).or_default().insert(message.seq);
                    let conversation_name = known.and_then(|row| row.text(2)).map(str::to_owned);
                    take(SalvagedItem::Message { message: Box::new(message), conversation_name })?;
                }
                Err(what) => self.add_unreadable(row.text(1).unwrap_or("a message"), format!("number {seq}: {what}")),
            }
        }
        let mut expected: BTreeMap<String, u64> = BTreeMap::new();
        for row in self.conversations.values() {
            let count = u64::try_from(row.integer(4).unwrap_or_default()).unwrap_or_default();
            expected.insert(row.text(1).unwrap_or_default().to_owned(), count);
        }
        for (id, links) in &anchor.conversations {
            let count = expected.entry(id.clone()).or_default();
            *count = links.keys().next_back().copied().unwrap_or_default().max(*count);
        }
        for (id, count) in expected {
            let found = found.remove(&id).unwrap_or_default();
            let missing: Vec<u64> = (1..=count.min(MOST_LISTED)).filter(|seq| !found.contains(seq)).collect();
            if !missing.is_empty() {
                self.add_unreadable(
                    id,
                    format!("{} of {count} messages are missing: {}", missing.len(), runs(&missing)),
                );
            }
        }
        Ok(())
    }

    fn give_transcripts(&mut self, file: &PageFile, anchor: &AnchorLog, take: &mut SalvageSink<'_>) -> io::Result<()> {
        let mut found = BTreeSet::new();
        for (number, row) in self.generations.clone() {
            let path = row.text(2).unwrap_or("a transcript").to_owned();
            let generation = row.integer(3).unwrap_or_default();
            found.insert((path.clone(), generation));
            let subject = format!("{path} (generation {generation})");
            let mut bytes = Vec::new();
            for ordinal in 0..row.integer(14).unwrap_or_default() {
                let frame = self.frame_places.get(&(number, ordinal)).and_then(|frame| self.frames.get(frame));
                match frame.and_then(|place| read_frame(&read_place(file, *place)?)) {
                    Some(content) => bytes.extend(content),
                    None => self.add_unreadable(&subject, format!("frame {ordinal} cannot be read")),
                }
            }
            let tail = self.tails.get(&number).and_then(|place| read_place(file, *place));
            bytes.extend(tail.and_then(|row| decompress(row.blob(3)?).ok()).unwrap_or_default());
            take(SalvagedItem::Transcript { path, generation, bytes })?;
        }
        for (_, path, generation) in anchor.archives.keys() {
            if !found.contains(&(path.clone(), i64::from(*generation))) {
                self.add_unreadable(format!("{path} (generation {generation})"), "its row cannot be read");
            }
        }
        Ok(())
    }

    fn give_artifacts(
        &mut self,
        files: &ArtifactFiles,
        anchor: &AnchorLog,
        take: &mut SalvageSink<'_>,
    ) -> io::Result<()> {
        let mut found = BTreeSet::new();
        // By the files and not by the rows: their names are their hashes, and a row may be lost.
        for name in files.list_names()? {
            let Ok(packed) = fs::read(files.root().join(&name)) else {
                self.add_unreadable(name, "its file cannot be read");
                continue;
            };
            match decompress(&packed) {
                Ok(bytes) if ArtifactFiles::file_name(ContentHash::hash_bytes(&bytes)) == name => {
                    let id = ArtifactId::from_hash(ContentHash::hash_bytes(&bytes)).to_string();
                    found.insert(id.clone());
                    take(SalvagedItem::Artifact { id, bytes })?;
                }
                _ => self.add_unreadable(name, "its bytes are not those that were stored"),
            }
        }
        let anchored = anchor.rows.get("artifacts").into_iter().flatten();
        let known: BTreeSet<String> = self.artifacts.keys().chain(anchored).cloned().collect();
        for id in known.difference(&found) {
            self.add_unreadable(id, "its file is missing or damaged");
        }
        Ok(())
    }

    fn give_texts(&mut self, file: &PageFile, anchor: &AnchorLog, take: &mut SalvageSink<'_>) -> io::Result<()> {
        let mut found = BTreeSet::new();
        for (id, place) in &self.texts {
            let column = if id.starts_with("sum_") { 6 } else { 5 };
            let Some(text) = read_place(file, *place).and_then(|row| row.text(column).map(str::to_owned)) else {
                continue;
            };
            found.insert(id.clone());
            take(SalvagedItem::Text { id: id.clone(), text })?;
        }
        let known = ["summaries", "memories"].into_iter().filter_map(|table| anchor.rows.get(table)).flatten();
        let missing: Vec<String> = known.filter(|id| !found.contains(*id)).cloned().collect();
        for id in missing {
            self.add_unreadable(id, "it cannot be read");
        }
        Ok(())
    }
}

/// A conversation with a wrong count must not make a list without end.
const MOST_LISTED: u64 = 10_000_000;

fn read_place(file: &PageFile, (page, at): RowPlace) -> Option<RawRow> {
    read_rows(file, page).0.into_iter().nth(at)
}

/// The bytes of a frame, where they have their hash.
fn read_frame(row: &RawRow) -> Option<Vec<u8>> {
    let content = decompress(row.blob(6)?).ok()?;
    (ContentHash::hash_bytes(&content) == hash_of(row.blob(2)?).ok()?).then_some(content)
}

/// The message of a row, as one of a conversation.
fn build_message(row: &RawRow, conversation: String) -> Result<Message, DamagedMessage> {
    let text = |column| row.text(column).map(str::to_owned);
    let number = |column| row.integer(column).unwrap_or_default();
    let column = match row.values.get(10) {
        Some(RawValue::Text(words)) => ValueRef::Text(words),
        Some(RawValue::Blob(packed)) => ValueRef::Blob(packed),
        Some(RawValue::Null | RawValue::Integer(_)) | None => ValueRef::Null,
    };
    let parts = unpack_content(column).and_then(|content| {
        let content = std::str::from_utf8(&content).map_err(|error| DamagedRow(format!("its content: {error}")))?;
        parts_of(row.blob(11), content).ok_or_else(unknown_parts)
    });
    let row = MessageRow {
        id: text(1).unwrap_or_default(),
        conversation,
        seq: number(3),
        external_id: text(4),
        role: text(5).unwrap_or_default(),
        speaker: text(6),
        session: text(7),
        at_text: text(8),
        at_instant: row.integer(9),
        metadata: text(16),
        tokens: number(12),
        content_hash: row.blob(13).unwrap_or_default().to_vec(),
        chain_hash: row.blob(14).unwrap_or_default().to_vec(),
        stored_at: number(15),
    };
    row.into_message(parts)
}

/// Numbers as runs: `3-5, 9`.
fn runs(numbers: &[u64]) -> String {
    crate::archive::encode_lines(numbers).replace(',', ", ")
}
