//! Verifies the store: walks every conversation, summary, archived transcript and artifact, recomputes hashes and hash
//! chains, compares them with the anchor, and reports each problem. Nothing is repaired.

mod anchor;
mod archive;
#[cfg(test)]
mod tests;

pub use archive::{OnDisk, SourceCheck};

use super::compact::ConversationSelection;
use super::find_conversation;
use super::integrity::{FoldProblem, FoldRemedy, check_folds};
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use anchor::{AnchorCheck, is_anchored, lost};
use model::scrub::rules_in;
use model::{ChainHash, ConversationId, EventTime, Message, Timestamp, message_id};
use std::collections::BTreeMap;
use store::{
    AnchorPoint, AnchoredHashes, Conversation, DataRemoval, DatabaseFault, FaultKind, MemoryScope, MessageWindow,
    RecordFilter, RewriteRecord,
};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationProblem {
    /// What it is about: an id, or the database.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What could be done, where more is known than that a backup helps.
    pub remedy: Option<FoldRemedy>,
    /// The conversation that a repair would look at.
    pub conversation: Option<ConversationId>,
}

impl VerificationProblem {
    pub(crate) fn new(subject: impl Into<String>, what: impl Into<String>) -> Self {
        Self { subject: subject.into(), what: what.into(), remedy: None, conversation: None }
    }

    fn from_fault(fault: DatabaseFault) -> Self {
        let remedy = match fault.kind {
            FaultKind::Structure => None,
            FaultKind::DanglingItem => Some(FoldRemedy::StandAgain),
            FaultKind::MissingRow => Some(FoldRemedy::Restore),
            FaultKind::Lost => Some(FoldRemedy::RestoreOrAccept),
        };
        Self { remedy, ..Self::new("database", fault.what) }
    }

    fn from_fold(found: FoldProblem, conversation: &ConversationId) -> Self {
        let conversation = Some(conversation.clone());
        Self { subject: found.subject, what: found.what, remedy: Some(found.remedy), conversation }
    }
}

/// The certificate.
#[derive(Clone, Debug, Default)]
pub struct VerifyReport {
    /// Conversations walked.
    pub conversations: u64,
    /// Messages whose place, id and hash were recomputed.
    pub messages: u64,
    /// Summaries checked against what they cover.
    pub summaries: u64,
    /// Generations of transcripts walked.
    pub generations: u64,
    /// Lines in them.
    pub lines: u64,
    /// Artifacts read.
    pub artifacts: u64,
    /// Memories whose words were compared with their ids.
    pub memories: u64,
    /// Checkpoints, subscriptions and suggestions that were read.
    pub records: u64,
    /// Files that lie among the artifacts and belong to none: harmless, and never deleted by themselves.
    pub stray: Vec<String>,
    /// What was changed on purpose, in order.
    pub rewrites: Vec<RewriteRecord>,
    /// Secrets that were replaced in messages, by the rule that found them.
    pub secrets: BTreeMap<String, u64>,
    /// One for each source, by agent and path.
    pub sources: Vec<SourceCheck>,
    /// Places in conversations where a message is missing, and lines that are missing or that no projection read.
    pub gaps: u64,
    /// Everything that does not fit; empty means all is well.
    pub problems: Vec<VerificationProblem>,
    /// What was removed on purpose, oldest first.
    pub removals: Vec<DataRemoval>,
    /// Backups that were accepted by a name, and when.
    pub restores: Vec<(String, Timestamp)>,
    /// The hash of the anchor, which stands for everything that was acknowledged.
    pub anchor: Option<String>,
    /// What to keep elsewhere, to be expected of a later verification: the hash, and how far everything is.
    pub statement: String,
    /// Points that the anchor lacked and has now.
    pub caught_up: u64,
    /// How far everything is.
    points: Vec<AnchorPoint>,
}

/// Messages read at a time.
const PAGE: u32 = 1_000;

/// Accepts the store as it is under a name, and verifies it. The report is that of the store as it was accepted; the
/// problems that are given up by it come first.
pub(crate) async fn accept_restored(
    memory: &MemoryContext,
    name: &str,
    observer: &dyn Observer,
) -> Result<(Vec<VerificationProblem>, VerifyReport)> {
    let all = ConversationSelection::All;
    let before = verify(memory, &all, None, observer).await?;
    memory.store.accept_restored(name, memory.clock.now(), before.points).await?;
    let after = verify(memory, &all, None, observer).await?;
    let mut given_up = before.problems;
    given_up.retain(|problem| !after.problems.contains(problem));
    Ok((given_up, after))
}

pub(crate) async fn verify(
    memory: &MemoryContext,
    which: &ConversationSelection,
    expected: Option<&str>,
    observer: &dyn Observer,
) -> Result<VerifyReport> {
    let mut report = VerifyReport::default();
    let mut anchor = AnchorCheck::load(memory, expected, &mut report).await?;
    let one = match which {
        ConversationSelection::One(name) => Some(find_conversation(memory, name).await?),
        ConversationSelection::All => None,
    };
    if one.is_none() {
        let faults = report.read_or_report("database", memory.store.check_canonical().await)?.unwrap_or_default();
        report.problems.extend(faults.into_iter().map(VerificationProblem::from_fault));
    }
    let conversations = report.read_or_report("database", memory.store.list_conversations().await)?.unwrap_or_default();
    let is_asked = |id: &ConversationId| one.as_ref().is_none_or(|one| one == id);
    let conversations: Vec<Conversation> = conversations.into_iter().filter(|it| is_asked(&it.id)).collect();
    let total = conversations.len() as u64;
    for conversation in conversations {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let before = report.problems.len();
        let links = anchor.take_links(&conversation);
        verify_conversation(memory, &conversation, &links, &mut report).await?;
        // Folds are checked against sound messages only: against damaged ones every check would fail for the same
        // cause.
        if report.problems.len() == before {
            let check = check_folds(memory, &conversation).await;
            let check = report.read_or_report(conversation.id.as_str(), check)?.unwrap_or_default();
            report.summaries += check.summaries;
            report.add_folds(check.problems, &conversation.id);
        }
        report.conversations += 1;
        observer.report_progress("verifying", report.conversations, total);
    }
    archive::verify_archive(memory, one.as_ref(), &mut anchor, &mut report, observer).await?;
    archive::verify_artifacts(memory, one.as_ref(), &mut report).await?;
    verify_memories(memory, &mut report).await?;
    if one.is_none() {
        anchor.finish(memory, &mut report).await?;
    }
    let rewrites = report.read_or_report("database", memory.store.list_rewrites().await)?.unwrap_or_default();
    report.rewrites =
        rewrites.into_iter().filter(|it| one.as_ref().is_none_or(|one| it.subject == one.as_str())).collect();
    // What a rewrite names is not named a second time, piece by piece.
    report.removals.retain(|removal| !report.rewrites.iter().any(|rewrite| rewrite.at == removal.at));
    Ok(report)
}

/// Compares the words of every memory and of every record of a session with its id.
async fn verify_memories(memory: &MemoryContext, report: &mut VerifyReport) -> Result<()> {
    let read = memory.store.load_memories(MemoryScope::All).await;
    for kept in report.read_or_report("database", read)?.unwrap_or_default() {
        report.memories += 1;
        if !kept.is_intact() {
            let what = "its words are not those it was stored with";
            report.problems.push(VerificationProblem::new(kept.id.to_string(), what));
        }
    }
    let read = memory.store.load_session_records(RecordFilter::default()).await;
    for kept in report.read_or_report("database", read)?.unwrap_or_default() {
        report.records += 1;
        if !kept.is_intact() {
            let what = "it does not say what it was stored with";
            report.problems.push(VerificationProblem::new(kept.id.to_string(), what));
        }
    }
    Ok(())
}

impl VerifyReport {
    /// Adds what was found in the folds of a conversation. A dangling item that the look at the database named already
    /// is not told twice; what repairs it is put to it instead.
    fn add_folds(&mut self, found: Vec<FoldProblem>, conversation: &ConversationId) {
        for problem in found {
            let is_told = |told: &&mut VerificationProblem| {
                problem.remedy == FoldRemedy::StandAgain
                    && told.conversation.is_none()
                    && told.remedy == Some(FoldRemedy::StandAgain)
                    && told.what.contains(conversation.as_str())
            };
            match self.problems.iter_mut().find(is_told) {
                Some(told) => told.conversation = Some(conversation.clone()),
                None => self.problems.push(VerificationProblem::from_fold(problem, conversation)),
            }
        }
    }

    /// The value that was read; damage becomes a problem in the report, and verification goes on.
    fn read_or_report<T, E: Into<Error>>(&mut self, subject: &str, read: Result<T, E>) -> Result<Option<T>> {
        match read.map_err(Into::into) {
            Ok(read) => Ok(Some(read)),
            Err(Error::Store(store::Error::Corrupt { what, .. })) => {
                self.problems.push(VerificationProblem::new(subject, what));
                Ok(None)
            }
            Err(Error::Store(store::Error::DamagedMessage(damaged))) => {
                self.problems.push(VerificationProblem::new(damaged.id, damaged.what));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Walks the messages of a conversation. A message that cannot be read is one problem; the walk goes on behind it.
async fn verify_conversation(
    memory: &MemoryContext,
    conversation: &Conversation,
    links: &AnchoredHashes,
    report: &mut VerifyReport,
) -> Result<()> {
    let mut tokens = Some(0_u64);
    let mut chain = ChainWalk { link: Some(ChainHash::for_conversation(&conversation.id)), seen: 0 };
    let mut limit = PAGE;
    loop {
        let window = MessageWindow::After { seq: chain.seen, limit };
        let page = match memory.store.load_messages(&conversation.id, window).await {
            // Read again one by one: one damaged message must not hide the sound ones of its page.
            Err(error) if error.is_damage() && limit > 1 => {
                limit = 1;
                continue;
            }
            // Where the database itself is damaged, there may be no end to what cannot be read.
            Err(store::Error::Corrupt { what, .. }) if chain.seen >= conversation.messages => {
                report.problems.push(VerificationProblem::new(conversation.id.as_str(), what));
                return Ok(());
            }
            Err(store::Error::Corrupt { what, .. }) => {
                let subject = format!("message {} of {}", chain.seen + 1, conversation.id);
                report.problems.push(VerificationProblem::new(subject, what));
                tokens = None;
                chain = ChainWalk { link: None, seen: chain.seen + 1 };
                continue;
            }
            Err(store::Error::DamagedMessage(damaged)) => {
                tokens = None;
                report.gaps += damaged.seq.saturating_sub(chain.seen + 1);
                chain = ChainWalk { link: None, seen: damaged.seq.max(chain.seen + 1) };
                report.messages += 1;
                report.problems.push(VerificationProblem::new(damaged.id, damaged.what));
                continue;
            }
            page => page?,
        };
        if page.is_empty() {
            break;
        }
        for message in &page {
            // Where one is missing, the sum is another for that reason alone.
            tokens = tokens.filter(|_| message.seq == chain.seen + 1).map(|sum| sum + u64::from(message.tokens.0));
            chain.check_message(conversation, message, links, report);
        }
        limit = PAGE;
    }
    // The last check: a chain that is whole but shorter than what was acknowledged has lost its end.
    if chain.seen != conversation.messages || chain.link.is_some_and(|link| link != conversation.head) {
        let what = format!("ends at message {}, but {} were acknowledged", chain.seen, conversation.messages);
        report.gaps += conversation.messages.saturating_sub(chain.seen);
        report.problems.push(VerificationProblem::new(conversation.id.as_str(), what));
    } else if let Some(sum) = tokens.filter(|sum| conversation.tokens.0 != u32::try_from(*sum).unwrap_or(u32::MAX)) {
        let what = format!("says {} tokens, its messages have {sum}", conversation.tokens);
        report.problems.push(VerificationProblem::new(conversation.id.as_str(), what));
    }
    if super::conversation_id(&conversation.name) != conversation.id {
        let what = format!("is called `{}`, which is not the name it was stored under", conversation.name);
        report.problems.push(VerificationProblem::new(conversation.id.as_str(), what));
    }
    if let Some(count) = links.keys().next_back().filter(|count| **count > conversation.messages) {
        let what = format!("{count} messages were acknowledged, and it has {}", conversation.messages);
        report.gaps += count - conversation.messages;
        report.problems.push(lost(conversation.id.as_str(), what));
    }
    Ok(())
}

/// How far a walk is.
struct ChainWalk {
    /// The link of the last message; none when that could not be read.
    link: Option<ChainHash>,
    seen: u64,
}

impl ChainWalk {
    fn check_message(
        &mut self,
        conversation: &Conversation,
        message: &Message,
        links: &AnchoredHashes,
        report: &mut VerifyReport,
    ) {
        let mut found = Vec::new();
        if message.seq != self.seen + 1 {
            found.push(format!("stands at {} but {} comes next", message.seq, self.seen + 1));
            report.gaps += message.seq.saturating_sub(self.seen + 1);
        }
        let is_next = |link: ChainHash| link.next_link(message.seq, message.body.content_hash()) == message.hash;
        if !self.link.is_none_or(is_next) {
            found.push("its content is not what was acknowledged".to_owned());
        }
        if message.id != message_id(&conversation.id, message.seq, message.body.external_id.as_deref()) {
            found.push("its id does not belong to its place".to_owned());
        }
        // The instant is our reading of the words; a better reader may give one where there was none.
        let at = message.body.at.as_ref();
        let read = at.and_then(|at| EventTime::from_text(at.text.clone()).instant).zip(at.and_then(|at| at.instant));
        if read.is_some_and(|(read, stored)| read != stored) {
            found.push("its time is not the one that its source gave".to_owned());
        }
        if !is_anchored(links, message.seq, &message.hash.0.to_string()) {
            report.problems.push(lost(message.id.as_str(), "is not the message that was acknowledged here".to_owned()));
        }
        // Go on from what is stored, so that one damaged message is one problem.
        (self.link, self.seen) = (Some(message.hash), message.seq);
        report.messages += 1;
        for rule in rules_in(&message.body.content()) {
            *report.secrets.entry(rule.to_owned()).or_default() += 1;
        }
        let problem = |what| VerificationProblem::new(message.id.as_str(), what);
        report.problems.extend(found.into_iter().map(problem));
    }
}
