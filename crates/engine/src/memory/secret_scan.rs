//! Looks through everything that is stored for secrets that the rules of today find: messages, summaries, facts,
//! archived transcripts and artifacts. Nothing is changed, and no value is in the report.
//!
//! Rules hold for what comes in; what was stored before a rule was known keeps its secret. The scan says where.

use super::VerificationProblem;
use crate::base::{Error, Observer, Result, run_blocking};
use crate::memory::MemoryContext;
use model::Message;
use model::scrub::Scrubber;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{ArchiveFrame, Conversation, Generation, MemoryScope, MessageWindow, RecordFilter, StoreCursor};

/// What of the store a text belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoredOrigin {
    /// A message of a conversation.
    Message,
    /// A summary of messages.
    Summary,
    /// A fact taken from messages.
    Fact,
    /// A summary of a whole session.
    SessionSummary,
    /// A text that later sessions are told.
    Memory,
    /// An entity that somebody named, or a link of one.
    Entity,
    /// A checkpoint, a subscription or a suggestion of a session.
    Record,
    /// A line of an archived transcript.
    Transcript,
    /// A large content that is kept beside its message.
    Artifact,
    /// A text that belongs to nothing larger: a title, a tag, a kept question.
    Field,
    /// The name of a conversation or a session.
    Name,
}

impl StoredOrigin {
    /// Its word, in replies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Summary => "summary",
            Self::Fact => "fact",
            Self::SessionSummary => "session summary",
            Self::Memory => "memory",
            Self::Entity => "entity",
            Self::Record => "session record",
            Self::Transcript => "transcript",
            Self::Artifact => "artifact",
            Self::Field => "field",
            Self::Name => "name",
        }
    }
}

/// Secrets of one rule in one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoredSecret {
    /// What the place belongs to.
    pub origin: StoredOrigin,
    /// The name of the conversation; an artifact may be mentioned in several, and names none.
    pub conversation: Option<String>,
    /// The place: the id of a message, summary, fact or artifact, or a path and a line.
    pub place: String,
    /// The rule that finds it.
    pub rule: String,
    /// How many there are.
    pub count: u64,
}

/// What was looked at and found of one origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OriginCount {
    /// Messages, summaries, facts, lines or artifacts looked at.
    pub looked_at: u64,
    /// Secrets in them.
    pub secrets: u64,
}

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct SecretScan {
    /// Where secrets are, in the order in which they were looked for.
    pub found: Vec<StoredSecret>,
    /// What was looked at, by origin.
    pub origins: BTreeMap<StoredOrigin, OriginCount>,
    /// What could not be read, and so was not looked at.
    pub problems: Vec<VerificationProblem>,
}

/// Messages and summaries read at a time.
const PAGE_MESSAGES: u32 = 500;
/// Frames read at a time.
const PAGE_FRAMES: u32 = 8;

pub(crate) async fn scan_secrets(memory: &MemoryContext, observer: &dyn Observer) -> Result<SecretScan> {
    let scrubber = Arc::clone(memory.scrubber.load().await?);
    let mut walk = SecretWalk { memory, scrubber, scan: SecretScan::default() };
    let conversations = memory.store.list_conversations().await?;
    let names: BTreeMap<_, _> =
        conversations.iter().map(|conversation| (conversation.id.clone(), conversation.name.clone())).collect();
    let generations = memory.store.list_generations().await?;
    let artifacts = memory.store.list_artifacts().await?;
    let total = (conversations.len() + generations.len() + artifacts.len()) as u64;
    // Counted by things and not by bytes, which are known only when they are read.
    let mut done = 0;
    let mut step = || {
        done += 1;
        observer.report_progress("looking for secrets", done, total);
        if observer.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    };
    for conversation in &conversations {
        walk.scan_messages(conversation).await?;
        // What is derived is looked through as well: it repeats words of messages, and outlives a change of the rules.
        walk.scan_derived(conversation).await?;
        step()?;
    }
    for generation in &generations {
        walk.scan_generation(generation, names.get(&generation.conversation)).await?;
        step()?;
    }
    for artifact in &artifacts {
        let content = memory.store.artifact_content(&artifact.id).await;
        if let Some(Some(content)) = walk.read_or_report(artifact.id.as_str(), content)? {
            walk.scan_texts(StoredOrigin::Artifact, None, vec![(artifact.id.to_string(), vec![content])]).await?;
        }
        step()?;
    }
    // Archived memories, too: what was forgotten is put aside, and not deleted.
    let memories = memory.store.load_memories(MemoryScope::All).await;
    let memories = walk.read_or_report("memories", memories)?.unwrap_or_default();
    let texts = memories.into_iter().map(|memory| (memory.id.to_string(), vec![memory.body.content.into_bytes()]));
    walk.scan_texts(StoredOrigin::Memory, None, texts.collect()).await?;
    // Every statement, not the newest alone: what was put aside is stored all the same.
    let stated = memory.store.all_entities().await;
    let stated = walk.read_or_report("entities", stated)?.unwrap_or_default();
    let bytes = |text: Option<String>| text.map(String::into_bytes);
    let mut texts: Vec<PlacedTexts> = Vec::new();
    for (_, it) in stated.entities {
        let parts =
            [Some(it.name.clone()), it.content.clone(), it.summary.clone(), it.metadata.clone(), it.file.clone()];
        texts.push((it.id().to_string(), parts.into_iter().filter_map(bytes).collect()));
    }
    texts.extend(
        stated.links.into_iter().map(|(_, it)| (it.id().to_string(), bytes(it.metadata).into_iter().collect())),
    );
    walk.scan_texts(StoredOrigin::Entity, None, texts).await?;
    let records = memory.store.load_session_records(RecordFilter::default()).await;
    let records = walk.read_or_report("records of sessions", records)?.unwrap_or_default();
    let texts = records.into_iter().map(|record| (record.id.to_string(), vec![record.body.content.into_bytes()]));
    walk.scan_texts(StoredOrigin::Record, None, texts.collect()).await?;
    let side_texts = memory.store.side_texts().await;
    let side_texts = walk.read_or_report("titles, tags and kept questions", side_texts)?.unwrap_or_default();
    for (origin, is_name) in [(StoredOrigin::Field, false), (StoredOrigin::Name, true)] {
        let texts = side_texts.iter().filter(|text| text.is_name == is_name);
        let texts = texts.map(|text| (text.place.to_string(), vec![text.text.clone().into_bytes()])).collect();
        walk.scan_texts(origin, None, texts).await?;
    }
    Ok(walk.scan)
}

/// A scan on its way.
struct SecretWalk<'m> {
    memory: &'m MemoryContext,
    scrubber: Arc<Scrubber>,
    scan: SecretScan,
}

/// A place, and the texts that stand there.
type PlacedTexts = (String, Vec<Vec<u8>>);

impl SecretWalk<'_> {
    async fn scan_messages(&mut self, conversation: &Conversation) -> Result<()> {
        let mut seen = 0;
        // Pages, because a conversation can be larger than the memory of the machine.
        let mut limit = PAGE_MESSAGES;
        while seen < conversation.messages {
            let window = MessageWindow::After { seq: seen, limit };
            let page = match self.memory.store.load_messages(&conversation.id, window).await {
                // Read again one by one: one damaged message must not hide the others of its page.
                Err(error) if error.is_damage() && limit > 1 => {
                    limit = 1;
                    continue;
                }
                Err(store::Error::DamagedMessage(damaged)) => {
                    seen = damaged.seq.max(seen + 1);
                    self.scan.problems.push(VerificationProblem::new(damaged.id, damaged.what));
                    continue;
                }
                Err(store::Error::Corrupt { what, .. }) => {
                    seen += 1;
                    let subject = format!("message {seen} of {}", conversation.id);
                    self.scan.problems.push(VerificationProblem::new(subject, what));
                    continue;
                }
                page => page?,
            };
            let Some(last) = page.last() else { break };
            seen = last.seq;
            limit = PAGE_MESSAGES;
            let texts = page.into_iter().map(|message| (message.id.to_string(), texts_of(message))).collect();
            self.scan_texts(StoredOrigin::Message, Some(&conversation.name), texts).await?;
        }
        Ok(())
    }

    /// Summaries and facts hold words of messages.
    async fn scan_derived(&mut self, conversation: &Conversation) -> Result<()> {
        let store = &self.memory.store;
        let mut before: Option<StoreCursor> = None;
        loop {
            let page = store.scan_summaries(Some(&conversation.id), before, PAGE_MESSAGES).await;
            let Some(page) = self.read_or_report(conversation.id.as_str(), page)? else { break };
            let Some((last, _)) = page.last() else { break };
            before = Some(*last);
            let texts =
                page.into_iter().map(|(_, summary)| (summary.id.to_string(), vec![summary.content.into_bytes()]));
            self.scan_texts(StoredOrigin::Summary, Some(&conversation.name), texts.collect()).await?;
        }
        let facts = store.facts_of(&conversation.id).await;
        let facts = self.read_or_report(conversation.id.as_str(), facts)?.unwrap_or_default();
        let texts = facts.into_iter().map(|fact| {
            // The columns of a fact that hold words of messages; the others are numbers and kinds.
            let said = [Some(fact.subject), fact.seen_with, fact.ended_by];
            (fact.id.to_string(), said.into_iter().flatten().map(String::into_bytes).collect())
        });
        self.scan_texts(StoredOrigin::Fact, Some(&conversation.name), texts.collect()).await?;
        let summary = store.session_summary(&conversation.id).await;
        let summary = self.read_or_report(conversation.id.as_str(), summary)?.flatten();
        let texts =
            summary.into_iter().map(|summary| (conversation.id.to_string(), vec![summary.content.into_bytes()]));
        self.scan_texts(StoredOrigin::SessionSummary, Some(&conversation.name), texts.collect()).await
    }

    async fn scan_generation(&mut self, generation: &Generation, name: Option<&String>) -> Result<()> {
        let subject = format!("{} (generation {})", generation.source.path, generation.number);
        let (mut next, mut line) = (0, 0);
        while next < generation.frames {
            // One by one where the page is damaged, so that the sound frames of it are looked at.
            let mut frames = self.memory.store.load_frames(generation.id, next, PAGE_FRAMES).await;
            if frames.as_ref().is_err_and(store::Error::is_damage) {
                frames = self.memory.store.load_frames(generation.id, next, 1).await;
            }
            let frames = self.read_or_report(&subject, frames)?;
            // A damaged frame is one problem, and the walk goes on behind it; the numbers of its lines are then unknown.
            let Some(frames) = frames.filter(|frames| !frames.is_empty()) else {
                next += 1;
                continue;
            };
            next += frames.len() as u64;
            let texts = frames.iter().flat_map(|frame| {
                let first = line;
                line += frame.header.lines;
                numbered_lines(generation, frame, first)
            });
            let texts = texts.collect();
            self.scan_texts(StoredOrigin::Transcript, name, texts).await?;
        }
        // The last line of a transcript that is being written has no end yet. It is kept apart, and can hold a secret
        // as any other.
        let tail = self.memory.store.load_tail(generation.id).await;
        if let Some(Some(tail)) = self.read_or_report(&subject, tail)? {
            let place = line_place(generation, line);
            self.scan_texts(StoredOrigin::Transcript, name, vec![(place, vec![tail])]).await?;
        }
        Ok(())
    }

    /// Looks through some texts, away from the threads that answer requests.
    async fn scan_texts(
        &mut self,
        origin: StoredOrigin,
        conversation: Option<&String>,
        texts: Vec<PlacedTexts>,
    ) -> Result<()> {
        if texts.is_empty() {
            return Ok(());
        }
        let counts = self.scan.origins.entry(origin).or_default();
        counts.looked_at += texts.len() as u64;
        let scrubber = Arc::clone(&self.scrubber);
        let found = run_blocking("looking for secrets", move || {
            let count = |(place, texts): PlacedTexts| (place, count_rules(&scrubber, &texts));
            texts.into_iter().map(count).collect::<Vec<_>>()
        })
        .await?;
        for (place, rules) in found {
            counts.secrets += rules.values().sum::<u64>();
            self.scan.found.extend(rules.into_iter().map(|(rule, count)| StoredSecret {
                origin,
                conversation: conversation.cloned(),
                place: place.clone(),
                rule,
                count,
            }));
        }
        Ok(())
    }

    /// What was read; damage becomes a problem of the report, so that the scan is not taken for whole.
    fn read_or_report<T>(&mut self, subject: &str, read: Result<T, store::Error>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.is_damage() => {
                let what = error.to_string();
                self.scan.problems.push(VerificationProblem::new(subject, what));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn count_rules(scrubber: &Scrubber, texts: &[Vec<u8>]) -> BTreeMap<String, u64> {
    let mut rules = BTreeMap::new();
    for found in texts.iter().flat_map(|text| scrubber.scrub(text).found) {
        *rules.entry(found.rule.to_string()).or_default() += 1;
    }
    rules
}

/// The texts that are scrubbed when a message comes in.
fn texts_of(message: Message) -> Vec<Vec<u8>> {
    let mut body = message.body;
    let parts = body.parts.iter_mut().flat_map(model::MessagePart::texts_mut).map(std::mem::take);
    let at = body.at.filter(|at| at.instant.is_none()).map(|at| at.text);
    let marks = body.part_marks.texts_mut().map(std::mem::take);
    parts.chain(marks).chain(body.speaker).chain(body.metadata).chain(at).map(String::into_bytes).collect()
}

fn numbered_lines(generation: &Generation, frame: &ArchiveFrame, first: u64) -> Vec<PlacedTexts> {
    let lines = frame.content.split(|byte| *byte == b'\n').zip(first..).filter(|(line, _)| !line.is_empty());
    lines.map(|(line, number)| (line_place(generation, number), vec![line.to_vec()])).collect()
}

/// People count lines from one, as their editor does.
fn line_place(generation: &Generation, line: u64) -> String {
    format!("{}:{}", generation.source.path, line + 1)
}
