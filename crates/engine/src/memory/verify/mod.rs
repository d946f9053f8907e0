//! Verifies the store: walks every conversation, summary, archived transcript and artifact, recomputes hashes and hash
//! chains, and reports each problem. Nothing is repaired.

mod archive;
#[cfg(test)]
mod tests;

pub use archive::{OnDisk, SourceCheck};

use super::integrity::check_folds;
use crate::base::{Error, Observer, Result};
use crate::memory::MemoryContext;
use model::scrub::rules_in;
use model::{ChainHash, Message, message_id};
use std::collections::BTreeMap;
use store::{Conversation, MessageWindow};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerificationProblem {
    /// What it is about: an id, or the database.
    pub subject: String,
    /// What is wrong.
    pub what: String,
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
    /// Files that lie among the artifacts and belong to none: harmless, and never deleted by themselves.
    pub stray: Vec<String>,
    /// Secrets that were replaced in messages, by the rule that found them.
    pub secrets: BTreeMap<String, u64>,
    /// One for each source, by agent and path.
    pub sources: Vec<SourceCheck>,
    /// Places in conversations where a message is missing, and lines that are missing or that no projection read.
    pub gaps: u64,
    /// Everything that does not fit; empty means all is well.
    pub problems: Vec<VerificationProblem>,
}

/// Messages read at a time.
const PAGE: u32 = 1_000;

pub(crate) async fn verify(memory: &MemoryContext, observer: &dyn Observer) -> Result<VerifyReport> {
    let mut report = VerifyReport::default();
    for fault in report.read_or_report("database", memory.store.check_canonical().await)?.unwrap_or_default() {
        report.problems.push(VerificationProblem { subject: "database".to_owned(), what: fault.what });
    }
    let conversations = report.read_or_report("database", memory.store.list_conversations().await)?.unwrap_or_default();
    let total = conversations.len() as u64;
    for conversation in conversations {
        if observer.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let before = report.problems.len();
        verify_conversation(memory, &conversation, &mut report).await?;
        // Folds are checked against sound messages only: against damaged ones every check would fail for the same
        // cause.
        if report.problems.len() == before {
            let check = check_folds(memory, &conversation).await;
            let check = report.read_or_report(conversation.id.as_str(), check)?.unwrap_or_default();
            report.summaries += check.summaries;
            report.problems.extend(check.problems.into_iter().map(|found| VerificationProblem {
                subject: found.subject,
                what: format!("{} (to mend it: {})", found.what, found.remedy.advice_text()),
            }));
        }
        report.conversations += 1;
        observer.report_progress("verifying", report.conversations, total);
    }
    archive::verify_archive(memory, &mut report, observer).await?;
    archive::verify_artifacts(memory, &mut report).await?;
    Ok(report)
}

impl VerifyReport {
    /// The value that was read; damage becomes a problem in the report, and verification goes on.
    fn read_or_report<T, E: Into<Error>>(&mut self, subject: &str, read: Result<T, E>) -> Result<Option<T>> {
        match read.map_err(Into::into) {
            Ok(read) => Ok(Some(read)),
            Err(Error::Store(store::Error::Corrupt { what, .. })) => {
                self.problems.push(VerificationProblem { subject: subject.to_owned(), what });
                Ok(None)
            }
            Err(Error::Store(store::Error::DamagedMessage(damaged))) => {
                self.problems.push(VerificationProblem { subject: damaged.id, what: damaged.what });
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
    report: &mut VerifyReport,
) -> Result<()> {
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
                report.problems.push(VerificationProblem { subject: conversation.id.to_string(), what });
                return Ok(());
            }
            Err(store::Error::Corrupt { what, .. }) => {
                let subject = format!("message {} of {}", chain.seen + 1, conversation.id);
                report.problems.push(VerificationProblem { subject, what });
                chain = ChainWalk { link: None, seen: chain.seen + 1 };
                continue;
            }
            Err(store::Error::DamagedMessage(damaged)) => {
                report.gaps += damaged.seq.saturating_sub(chain.seen + 1);
                chain = ChainWalk { link: None, seen: damaged.seq.max(chain.seen + 1) };
                report.messages += 1;
                report.problems.push(VerificationProblem { subject: damaged.id, what: damaged.what });
                continue;
            }
            page => page?,
        };
        if page.is_empty() {
            break;
        }
        for message in &page {
            chain.check_message(conversation, message, report);
        }
        limit = PAGE;
    }
    // The last check: a chain that is whole but shorter than what was acknowledged has lost its end.
    if chain.seen != conversation.messages || chain.link.is_some_and(|link| link != conversation.head) {
        let what = format!("ends at message {}, but {} were acknowledged", chain.seen, conversation.messages);
        report.gaps += conversation.messages.saturating_sub(chain.seen);
        report.problems.push(VerificationProblem { subject: conversation.id.to_string(), what });
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
    fn check_message(&mut self, conversation: &Conversation, message: &Message, report: &mut VerifyReport) {
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
        // Go on from what is stored, so that one damaged message is one problem.
        (self.link, self.seen) = (Some(message.hash), message.seq);
        report.messages += 1;
        for rule in rules_in(&message.body.content()) {
            *report.secrets.entry(rule.to_owned()).or_default() += 1;
        }
        let problem = |what| VerificationProblem { subject: message.id.to_string(), what };
        report.problems.extend(found.into_iter().map(problem));
    }
}
