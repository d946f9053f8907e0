//! The proof: walk every conversation and every archived transcript, recompute their hashes, and name what does not fit.

mod archive;

pub use archive::{OnDisk, SourceCheck};

use crate::{Engine, Observer, Result};
use model::{ChainHash, message_id};
use store::{Conversation, Window};

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
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
    /// Generations of transcripts walked.
    pub generations: u64,
    /// Lines in them.
    pub lines: u64,
    /// One for each source, by agent and path.
    pub sources: Vec<SourceCheck>,
    /// Places in conversations where a message is missing, and lines that are missing or that nobody read.
    pub gaps: u64,
    /// Everything that does not fit; empty means all is well.
    pub problems: Vec<Problem>,
}

/// Messages read at a time.
const PAGE: u32 = 1_000;

pub(crate) async fn verify(engine: &Engine, observer: &dyn Observer) -> Result<VerifyReport> {
    let mut report = VerifyReport::default();
    for fault in engine.store.check_canonical().await? {
        report.problems.push(Problem { subject: "database".to_owned(), what: fault.what });
    }
    let conversations = engine.store.conversations().await?;
    let total = conversations.len() as u64;
    for conversation in conversations {
        if observer.cancelled() {
            return Err(crate::Error::Cancelled);
        }
        walk(engine, &conversation, &mut report).await?;
        report.conversations += 1;
        observer.progress("verifying", report.conversations, total);
    }
    archive::walk(engine, &mut report, observer).await?;
    Ok(report)
}

async fn walk(engine: &Engine, conversation: &Conversation, report: &mut VerifyReport) -> Result<()> {
    let mut link = ChainHash::start(&conversation.id);
    let mut seen = 0;
    loop {
        let page = engine.store.messages(&conversation.id, Window::After { seq: seen, limit: PAGE }).await?;
        let Some(last) = page.last() else { break };
        let end = last.seq;
        for message in &page {
            let mut problem = |what: String| report.problems.push(Problem { subject: message.id.to_string(), what });
            if message.seq != seen + 1 {
                problem(format!("stands at {} but {} comes next", message.seq, seen + 1));
                report.gaps += message.seq.saturating_sub(seen + 1);
            }
            let mut problem = |what: String| report.problems.push(Problem { subject: message.id.to_string(), what });
            link = link.next(message.seq, message.body.hash());
            if link != message.hash {
                problem("its content is not what was acknowledged".to_owned());
                // Go on from what is stored, so that one damaged message is one problem.
                link = message.hash;
            }
            if message.id != message_id(&conversation.id, message.seq, message.body.external_id.as_deref()) {
                problem("its id does not belong to its place".to_owned());
            }
            seen = message.seq;
            report.messages += 1;
        }
        seen = end;
    }
    if (seen, link) != (conversation.messages, conversation.head) {
        let what = format!("ends at message {seen}, but {} were acknowledged", conversation.messages);
        report.gaps += conversation.messages.saturating_sub(seen);
        report.problems.push(Problem { subject: conversation.id.to_string(), what });
    }
    Ok(())
}
