//! Compares the store with its anchor while it is walked: everything that was anchored must still be there, message by
//! message and frame by frame. What was removed on purpose is named, and is no problem.

use super::{VerificationProblem, VerifyReport};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use crate::memory::integrity::FoldRemedy;
use std::collections::BTreeSet;
use store::{
    AnchorHead, AnchorLog, AnchorPoint, AnchoredHashes, Conversation, FrameHeader, Generation, MemoryScope,
    ReadCheckpoint, RecordFilter, Store,
};

/// What the anchor says and was not compared yet, and what the anchor lacks.
#[derive(Default)]
pub(super) struct AnchorCheck {
    log: AnchorLog,
    /// How far everything is.
    points: Vec<AnchorPoint>,
    /// The points among these that are not anchored.
    missing: Vec<AnchorPoint>,
}

impl AnchorCheck {
    /// Reads the anchor. To be done before anything of the database is read.
    pub(super) async fn load(
        memory: &MemoryContext,
        expected: Option<&str>,
        report: &mut VerifyReport,
    ) -> Result<Self> {
        let mut log = memory.store.read_anchor().await?;
        // A process that was stopped between its commit and the anchor left a removal in the database alone.
        let removals = report.read_or_report("removals", memory.store.list_removals().await)?.unwrap_or_default();
        for removal in &removals {
            log.apply_removal(removal);
        }
        report.removals = log.removals.iter().map(|(_, removal)| removal.clone()).collect();
        report.restores = log.restores.iter().map(|restore| (restore.name.clone(), restore.at)).collect();
        if let Some(expected) = expected {
            let expected = expected.trim();
            let hash = match log.add_statement(expected) {
                Some(hash) => hash,
                None if is_hash(expected) => expected.to_owned(),
                None => {
                    let reason = "is neither a hash of 64 digits nor what `verify --anchor` printed".to_owned();
                    return Err(Error::Parameter { field: "expect", reason });
                }
            };
            if !log.contains_hash(&hash) {
                let what = format!("never had the hash {hash}: it is another one, or its beginning was replaced");
                report.problems.push(lost("anchor", what));
            }
        }
        Ok(Self { log, points: Vec::new(), missing: Vec::new() })
    }

    /// The links of a conversation that were anchored, to be compared while its messages are read.
    pub(super) fn take_links(&mut self, conversation: &Conversation) -> AnchoredHashes {
        let links = self.log.conversations.remove(conversation.id.as_str()).unwrap_or_default();
        let head = AnchorHead::new(conversation.messages, conversation.head.0);
        let is_known = links.contains_key(&head.count);
        self.add_point(AnchorPoint::Conversation { id: conversation.id.to_string(), head }, is_known);
        links
    }

    /// Compares the frames of a generation with what was anchored of it.
    pub(super) fn check_archive(&mut self, generation: &Generation, headers: &[FrameHeader]) -> Option<String> {
        let source = &generation.source;
        let key = (source.agent.to_string(), source.path.clone(), generation.number);
        let anchored = self.log.archives.remove(&key).unwrap_or_default();
        let head = AnchorHead::new(generation.frames, generation.checkpoint.hash);
        let (agent, path, number) = key;
        let is_known = anchored.contains_key(&head.count);
        self.add_point(AnchorPoint::Archive { agent, path, generation: number, head }, is_known);
        // The hashes are computed from the headers of the frames, and not read from the marks: a mark can be changed
        // together with what it marks.
        let mut checkpoint = ReadCheckpoint::at_start();
        let mut hashes = vec![checkpoint.hash.to_string()];
        for header in headers {
            checkpoint = checkpoint.after_frame(header);
            hashes.push(checkpoint.hash.to_string());
        }
        let differs = |(count, known): (&u64, &BTreeSet<String>)| {
            usize::try_from(*count).ok().and_then(|count| hashes.get(count)).is_none_or(|found| !is_only(known, found))
        };
        let (count, _) = anchored.iter().find(|anchored| differs(*anchored))?;
        Some(format!("had {count} frames that were acknowledged, which are missing or are others now"))
    }

    /// Reports what was anchored and was not met, and says how far everything is.
    pub(super) async fn finish(mut self, memory: &MemoryContext, report: &mut VerifyReport) -> Result<()> {
        for (id, links) in std::mem::take(&mut self.log.conversations) {
            // What was anchored last says how many messages were acknowledged, and so how many are missing.
            let count = links.keys().next_back().copied().unwrap_or_default();
            report.gaps += count;
            report.problems.push(lost(&id, format!("{count} messages were acknowledged, and it is not there")));
        }
        for ((_, path, generation), anchored) in std::mem::take(&mut self.log.archives) {
            let count = anchored.keys().next_back().copied().unwrap_or_default();
            let what = format!("{count} frames were acknowledged, and it is not there");
            report.gaps += 1;
            report.problems.push(lost(&format!("{path} (generation {generation})"), what));
        }
        for table in ["summaries", "artifacts", "memories", "session_records", "entities", "entity_links"] {
            let loaded = load_ids(&*memory.store, table).await;
            // What cannot be read is told once, and is not told as missing.
            let is_told = |what: &str| report.problems.iter().any(|problem| problem.what == what);
            if matches!(&loaded, Err(store::Error::Corrupt { what, .. }) if is_told(what)) {
                continue;
            }
            let Some(found) = report.read_or_report(table, loaded)? else { continue };
            let known = self.log.rows.remove(table).unwrap_or_default();
            for id in known.difference(&found) {
                report.problems.push(lost(id, format!("was stored, and is not in {table}")));
            }
            for id in found {
                let is_known = known.contains(&id);
                self.add_point(AnchorPoint::Row { table: table.to_owned(), id }, is_known);
            }
        }
        // Only what is known to be right is anchored late.
        if report.problems.is_empty() && !self.missing.is_empty() {
            report.caught_up = self.missing.len() as u64;
            memory.store.catch_up_anchor(std::mem::take(&mut self.missing)).await?;
        }
        report.anchor = memory.store.read_anchor().await?.hash;
        report.statement = AnchorLog::statement(report.anchor.as_deref().unwrap_or_default(), &self.points);
        report.points = self.points;
        Ok(())
    }

    fn add_point(&mut self, point: AnchorPoint, is_known: bool) {
        if !is_known {
            self.missing.push(point.clone());
        }
        self.points.push(point);
    }
}

/// Whether a message has the link that was anchored at its place.
pub(super) fn is_anchored(links: &AnchoredHashes, seq: u64, hash: &str) -> bool {
    links.get(&seq).is_none_or(|known| is_only(known, hash))
}

/// Two hashes that were anchored for one place cannot both be right: something that was acknowledged is gone.
fn is_only(known: &BTreeSet<String>, found: &str) -> bool {
    known.iter().all(|known| known == found)
}

/// A problem that the anchor shows.
pub(super) fn lost(subject: &str, what: String) -> VerificationProblem {
    VerificationProblem { remedy: Some(FoldRemedy::RestoreOrAccept), ..VerificationProblem::new(subject, what) }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Summaries read at a time.
const PAGE: u32 = 1_000;

async fn load_ids(store: &dyn Store, table: &str) -> store::Result<BTreeSet<String>> {
    Ok(match table {
        "artifacts" => store.list_artifacts().await?.into_iter().map(|artifact| artifact.id.to_string()).collect(),
        "memories" => {
            store.load_memories(MemoryScope::All).await?.into_iter().map(|memory| memory.id.to_string()).collect()
        }
        "session_records" => {
            let records = store.load_session_records(RecordFilter::default()).await?;
            records.into_iter().map(|record| record.id.to_string()).collect()
        }
        "entities" | "entity_links" => {
            let of_table = |point| match point {
                AnchorPoint::Row { table: of, id } => (of == table).then_some(id),
                AnchorPoint::Conversation { .. } | AnchorPoint::Archive { .. } => None,
            };
            store.all_entities().await?.anchor_points().into_iter().filter_map(of_table).collect()
        }
        _ => {
            let mut ids = BTreeSet::new();
            let mut before = None;
            loop {
                let page = store.scan_summaries(None, before, PAGE).await?;
                let Some((last, _)) = page.last() else { break ids };
                before = Some(*last);
                ids.extend(page.into_iter().map(|(_, summary)| summary.id.to_string()));
            }
        }
    })
}
