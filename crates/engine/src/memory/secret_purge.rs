//! Replaces secrets in what is stored already: messages, archived transcripts, artifacts, memories, entities, records of
//! sessions, and texts that stand for themselves (titles, tags, kept questions). Summaries and
//! facts of the conversations concerned are dropped, and made anew from the messages.
//!
//! The walk reads everything and changes nothing; then one transaction of the store writes all of it. A message that
//! another process purged meanwhile fails the whole, and the purge can be started again.

use super::VerificationProblem;
use super::scrub::scrub_message;
use crate::base::{Error, Observer, Result, run_blocking};
use crate::memory::{MemoryContext, SecretScan, scan_secrets};
use model::scrub::{ReplacedSecret, Scrubber};
use model::{
    ArtifactId, ContentHash, ConversationId, EntityLinkStatement, EntityStatement, Message, MessagePart, NewMemory,
    NewRecord, RecordId, count_tokens,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use store::{
    ArchiveFrame, Artifact, ArtifactRewrite, EntityLinkRewrite, EntityRewrite, FrameRewrite, Generation, MemoryScope,
    MessageRewrite, MessageWindow, NewArtifact, NewFrame, RecordFilter, RewriteRecord, ScrubbedLine, SideText,
    SideTextRewrite, StoreRewrite, TailRewrite,
};

/// The result of a purge.
#[derive(Clone, Debug, Default)]
pub struct SecretPurge {
    /// What was found before, by the same rules.
    pub scan: SecretScan,
    /// What was changed.
    pub records: Vec<RewriteRecord>,
    /// Why bytes from before may still lie in the database's files; none where they are gone.
    pub leftover: Option<String>,
    /// Transcripts of agents that still hold the secrets: they are not ours to change.
    pub transcripts: Vec<String>,
    /// Names of conversations and sessions that hold some: other rows, and people, know these by them.
    pub names: Vec<String>,
}

/// Messages read at a time.
const PAGE_MESSAGES: u32 = 500;
/// Frames read at a time.
const PAGE_FRAMES: u32 = 8;

pub(crate) async fn purge_secrets(memory: &MemoryContext, observer: &dyn Observer) -> Result<SecretPurge> {
    let scan = scan_secrets(memory, observer).await?;
    // What cannot be read cannot be purged, and a report that says "purged" would be believed.
    if let Some(VerificationProblem { subject, what, .. }) = scan.problems.first() {
        let reason = format!("not everything can be read ({subject}: {what}); `epitome verify --plan` says what helps");
        return Err(Error::Store(store::Error::Corrupt {
            database: "secrets were not purged".to_owned(),
            what: reason,
        }));
    }
    if scan.found.is_empty() {
        // An earlier purge may have left old bytes because another process was in the way.
        let leftover = memory.store.erase_freed_pages().await.err().map(|error| error.to_string());
        return Ok(SecretPurge { scan, leftover, ..SecretPurge::default() });
    }
    let scrubber = Arc::clone(memory.scrubber.load().await?);
    let mut plan = PurgePlan { memory, scrubber, rewrite: StoreRewrite::default(), transcripts: BTreeSet::new() };
    let renamed = plan.plan_artifacts().await?;
    plan.plan_messages(&renamed).await?;
    plan.plan_transcripts().await?;
    plan.plan_memories().await?;
    plan.plan_entities().await?;
    plan.plan_records().await?;
    let names = plan.plan_side_texts().await?;
    plan.plan_derived(&scan).await?;
    let records = memory.store.rewrite_texts(plan.rewrite, memory.clock.now()).await?;
    // Postings hold words of messages.
    memory.store.drop_passages().await?;
    // Last, and not an error: the secrets are replaced by now, and what is left in freed pages is told with what to do
    // about it.
    let leftover = memory.store.erase_freed_pages().await.err().map(|error| error.to_string());
    Ok(SecretPurge { scan, records, leftover, transcripts: plan.transcripts.into_iter().collect(), names })
}

/// A purge on its way.
struct PurgePlan<'m> {
    memory: &'m MemoryContext,
    scrubber: Arc<Scrubber>,
    rewrite: StoreRewrite,
    transcripts: BTreeSet<String>,
}

/// The ids of artifacts, by the ones they had.
type RenamedArtifacts = BTreeMap<ArtifactId, ArtifactId>;

impl PurgePlan<'_> {
    async fn plan_artifacts(&mut self) -> Result<RenamedArtifacts> {
        let mut renamed = RenamedArtifacts::new();
        for artifact in self.memory.store.list_artifacts().await? {
            let Some(content) = self.memory.store.artifact_content(&artifact.id).await? else { continue };
            let scrubber = Arc::clone(&self.scrubber);
            let before = artifact.id.clone();
            let made = run_blocking("replacing secrets", move || purge_artifact(&scrubber, &artifact, content)).await?;
            if let Some(artifact) = made {
                // An artifact is named by its bytes, so other bytes are another name, and messages that mention it have
                // to follow.
                renamed.insert(before.clone(), artifact.artifact_id());
                self.rewrite.artifacts.push(ArtifactRewrite { before, artifact });
            }
        }
        Ok(renamed)
    }

    async fn plan_messages(&mut self, renamed: &RenamedArtifacts) -> Result<()> {
        for conversation in self.memory.store.list_conversations().await? {
            let mut seen = 0;
            let mut is_changed = false;
            while seen < conversation.messages {
                let window = MessageWindow::After { seq: seen, limit: PAGE_MESSAGES };
                // A damaged message ends the purge: its hashes could not be computed anew without making the damage
                // look right.
                let page = self.memory.store.load_messages(&conversation.id, window).await?;
                let Some(last) = page.last() else { break };
                seen = last.seq;
                let (scrubber, renamed) = (Arc::clone(&self.scrubber), renamed.clone());
                let purge = move || {
                    page.into_iter()
                        .filter_map(|message| purge_message(&scrubber, &renamed, message))
                        .collect::<Vec<_>>()
                };
                let purged = run_blocking("replacing secrets", purge).await?;
                is_changed |= !purged.is_empty();
                self.rewrite.messages.extend(purged);
            }
            if is_changed {
                // Summaries and facts repeat words of these messages. They are dropped and made anew, which is surer
                // than editing them.
                self.rewrite.derived.push(conversation.id);
            }
        }
        Ok(())
    }

    async fn plan_transcripts(&mut self) -> Result<()> {
        let mut planned: HashSet<ContentHash> = HashSet::new();
        for generation in self.memory.store.list_generations().await? {
            let mut next = 0;
            while next < generation.frames {
                let frames = self.memory.store.load_frames(generation.id, next, PAGE_FRAMES).await?;
                if frames.is_empty() {
                    break;
                }
                next += frames.len() as u64;
                let scrubber = Arc::clone(&self.scrubber);
                let purge =
                    move || frames.into_iter().filter_map(|frame| purge_frame(&scrubber, frame)).collect::<Vec<_>>();
                let purged = run_blocking("replacing secrets", purge).await?;
                if !purged.is_empty() {
                    self.note_transcript(&generation);
                }
                // Generations share frames; the store replaces a frame in all of them.
                self.rewrite.frames.extend(purged.into_iter().filter(|rewrite| planned.insert(rewrite.before)));
            }
            // The last line of a transcript that is being written is kept apart from the frames.
            let Some(tail) = self.memory.store.load_tail(generation.id).await? else { continue };
            let scrubbed = self.scrubber.scrub(&tail);
            if !scrubbed.found.is_empty() {
                let content = scrubbed.bytes.into_owned();
                self.rewrite.tails.push(TailRewrite { generation: generation.id, content });
                self.note_transcript(&generation);
            }
        }
        Ok(())
    }

    fn note_transcript(&mut self, generation: &Generation) {
        self.transcripts.insert(generation.source.path.clone());
    }

    async fn plan_memories(&mut self) -> Result<()> {
        for memory in self.memory.store.load_memories(MemoryScope::All).await? {
            let (content, found) = self.scrubber.scrub_text(&memory.body.content);
            if !found.is_empty() {
                let content = content.into_owned();
                self.rewrite.memories.push((memory.id, NewMemory { content, ..memory.body }));
            }
        }
        Ok(())
    }

    async fn plan_entities(&mut self) -> Result<()> {
        let stated = self.memory.store.all_entities().await?;
        let scrub = |text: Option<&String>| text.map(|text| self.scrubber.scrub_text(text).0.into_owned());
        // An entity is named by its name, so another name is another id, and links have to follow.
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        let mut entities = Vec::new();
        for (number, it) in stated.entities {
            let statement = EntityStatement {
                name: scrub(Some(&it.name)).unwrap_or_default(),
                content: scrub(it.content.as_ref()),
                summary: scrub(it.summary.as_ref()),
                metadata: scrub(it.metadata.as_ref()),
                file: scrub(it.file.as_ref()),
                ..it.clone()
            };
            if statement != it {
                renamed.insert(it.id().to_string(), statement.id().to_string());
                entities.push(EntityRewrite { number, before: it.id(), statement });
            }
        }
        let follow = |end: &String| renamed.get(end).unwrap_or(end).clone();
        let mut links = Vec::new();
        for (number, it) in stated.links {
            let metadata = scrub(it.metadata.as_ref());
            let statement =
                EntityLinkStatement { source: follow(&it.source), target: follow(&it.target), metadata, ..it.clone() };
            if statement != it {
                links.push(EntityLinkRewrite { number, before: it.id(), statement });
            }
        }
        self.rewrite.entities = entities;
        self.rewrite.entity_links = links;
        Ok(())
    }

    /// A record is named by all that it says, so what follows from one that changes names the new one.
    async fn plan_records(&mut self) -> Result<()> {
        let mut renamed: BTreeMap<RecordId, RecordId> = BTreeMap::new();
        // In the order in which they were added: what a record follows from comes before it.
        for record in self.memory.store.load_session_records(RecordFilter::default()).await? {
            let (content, found) = self.scrubber.scrub_text(&record.body.content);
            let about = record.body.about.as_ref().and_then(|about| renamed.get(about)).cloned();
            if found.is_empty() && about.is_none() {
                continue;
            }
            let about = about.or_else(|| record.body.about.clone());
            let new = NewRecord { content: content.into_owned(), about, ..record.body };
            renamed.insert(record.id.clone(), new.id());
            self.rewrite.records.push((record.id, new));
        }
        Ok(())
    }

    /// Gives the places of names, which stay.
    async fn plan_side_texts(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for SideText { place, text: before, is_name } in self.memory.store.side_texts().await? {
            let (text, found) = self.scrubber.scrub_text(&before);
            if found.is_empty() {
                continue;
            }
            if is_name {
                names.push(place.to_string());
            } else {
                let text = text.into_owned();
                self.rewrite.side_texts.push(SideTextRewrite { place, before, text });
            }
        }
        Ok(names)
    }

    /// A summary may hold a secret that its messages do not: one that a model wrote together.
    async fn plan_derived(&mut self, scan: &SecretScan) -> Result<()> {
        let is_derived = |origin: super::StoredOrigin| {
            matches!(
                origin,
                super::StoredOrigin::Summary | super::StoredOrigin::Fact | super::StoredOrigin::SessionSummary
            )
        };
        let named: BTreeSet<&String> = scan
            .found
            .iter()
            .filter(|found| is_derived(found.origin))
            .filter_map(|found| found.conversation.as_ref())
            .collect();
        // Each conversation once: those with a changed message are in the plan already.
        let known: HashSet<ConversationId> = self.rewrite.derived.iter().cloned().collect();
        let conversations = self.memory.store.list_conversations().await?.into_iter();
        let more = conversations
            .filter(|conversation| named.contains(&conversation.name) && !known.contains(&conversation.id));
        self.rewrite.derived.extend(more.map(|conversation| conversation.id));
        Ok(())
    }
}

/// The artifact without its secrets, of the same length: messages name stretches of it by their bytes.
fn purge_artifact(scrubber: &Scrubber, artifact: &Artifact, mut content: Vec<u8>) -> Option<NewArtifact> {
    let found = scrubber.scrub(&content).found;
    if found.is_empty() {
        return None;
    }
    mask_secrets(&mut content, &found);
    let tokens = artifact.tokens.map(|before| std::str::from_utf8(&content).map_or(before, count_tokens));
    let scrub = |text: &str| scrubber.scrub_text(text).0.into_owned();
    let (summary, media_type) = (scrub(&artifact.summary), scrub(&artifact.media_type));
    Some(NewArtifact { content, media_type, name: artifact.name.as_deref().map(scrub), tokens, summary })
}

/// Every byte of a secret becomes a star; lines stay lines.
fn mask_secrets(content: &mut [u8], found: &[ReplacedSecret]) {
    for secret in found {
        for byte in &mut content[secret.span.to_range()] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b'*';
            }
        }
    }
}

fn purge_message(scrubber: &Scrubber, renamed: &RenamedArtifacts, message: Message) -> Option<MessageRewrite> {
    let before = message.body.content_hash();
    let mut body = message.body;
    scrub_message(scrubber, &mut body);
    if !renamed.is_empty() {
        for text in body.parts.iter_mut().flat_map(MessagePart::texts_mut) {
            rename_artifacts(text, renamed);
        }
    }
    if body.content_hash() == before {
        return None;
    }
    let tokens = count_tokens(&body.content());
    Some(MessageRewrite { conversation: message.conversation, seq: message.seq, before, body, tokens })
}

fn rename_artifacts(text: &mut String, renamed: &RenamedArtifacts) {
    if !text.contains(ArtifactId::PREFIX) {
        return;
    }
    for (before, after) in renamed {
        if text.contains(before.as_str()) {
            *text = text.replace(before.as_str(), after.as_str());
        }
    }
}

/// The frame without its secrets, line by line as an import replaces them.
fn purge_frame(scrubber: &Scrubber, frame: ArchiveFrame) -> Option<FrameRewrite> {
    let header = frame.header;
    let mut content = Vec::with_capacity(frame.content.len());
    let mut lines: BTreeMap<u64, ScrubbedLine> = header.scrubbed.into_iter().map(|line| (line.line, line)).collect();
    let mut is_changed = false;
    for (number, line) in (0..).zip(frame.content.split_inclusive(|byte| *byte == b'\n')) {
        let words = line.strip_suffix(b"\n").unwrap_or(line);
        let clean = scrubber.scrub(words);
        if clean.found.is_empty() {
            content.extend_from_slice(line);
            continue;
        }
        is_changed = true;
        content.extend_from_slice(&clean.bytes);
        content.extend_from_slice(&line[words.len()..]);
        // A line that had lost another secret before keeps the hash of what its agent wrote.
        lines.entry(number).or_insert_with(|| ScrubbedLine {
            line: number,
            original_bytes: words.len() as u64,
            original_hash: ContentHash::hash_bytes(words),
        });
    }
    is_changed.then(|| FrameRewrite {
        before: header.content_hash,
        frame: NewFrame {
            content,
            original_bytes: header.original_bytes,
            original_hash: header.original_hash,
            lines: header.lines,
            scrubbed: lines.into_values().collect(),
            paused: header.paused,
        },
    })
}
