//! One line about each of the newest sessions of a project, so that the agent of the next one knows what was worked on
//! and where to read on. Sessions of a few prompts are passed over: they say less than their line costs.

use super::list::message_timestamp;
use super::summarize::{TurnEnding, build_endings, is_event, read_prompt};
use crate::base::Result;
use crate::memory::MemoryContext;
use model::{Message, SummaryId, UtcDay};
use store::{Conversation, MessageWindow};

/// A session of a person has at least so many prompts.
const MIN_PROMPTS: usize = 4;
/// How many messages are read at once, and for all lines together: an agent waits.
const PAGE_MESSAGES: u32 = 200;
const MAX_READ_MESSAGES: usize = 6_000;
/// Words of the last prompt that is told.
const MIN_LAST_WORDS: usize = 5;

/// What is told of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionLine {
    /// The day of its last message.
    pub(crate) day: UtcDay,
    /// The first prompts of its user, on one line each.
    pub(crate) prompts: Vec<String>,
    /// The one that the outcome belongs to; without an outcome, the last one that says something.
    pub(crate) last: Option<String>,
    pub(crate) outcome: Option<SessionOutcome>,
    /// Its newest active summary of the highest level, else its id.
    pub(crate) id: String,
}

/// What came out of the last turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionOutcome {
    pub(crate) text: String,
    /// Whether the agent said it when it was done; else it is what tools did.
    pub(crate) is_said: bool,
    pub(crate) is_interrupted: bool,
}

/// The lines of the first conversations that are sessions of a person.
pub(crate) async fn session_lines(
    memory: &MemoryContext,
    conversations: &[Conversation],
    limit: usize,
) -> Result<Vec<SessionLine>> {
    let mut lines = Vec::new();
    let mut read = 0;
    for conversation in conversations {
        if lines.len() == limit || read >= MAX_READ_MESSAGES {
            break;
        }
        // A conversation that cannot be read has no line; its damage is told elsewhere.
        match read_line(memory, conversation, &mut read).await {
            Err(crate::base::Error::Store(error)) if error.is_damage() => {}
            line => lines.extend(line?),
        }
    }
    Ok(lines)
}

async fn read_line(
    memory: &MemoryContext,
    conversation: &Conversation,
    read: &mut usize,
) -> Result<Option<SessionLine>> {
    // Fewer messages than prompts cannot be enough.
    if conversation.messages < MIN_PROMPTS as u64 {
        return Ok(None);
    }
    let mut prompts = Vec::new();
    let mut seen = 0;
    while prompts.len() < MIN_PROMPTS && *read < MAX_READ_MESSAGES {
        let page = memory
            .store
            .load_messages(&conversation.id, MessageWindow::After { seq: seen, limit: PAGE_MESSAGES })
            .await?;
        let Some(last) = page.last() else { break };
        seen = last.seq;
        *read += page.len();
        prompts.extend(page.iter().filter_map(prompt_words));
    }
    if prompts.len() < MIN_PROMPTS {
        return Ok(None);
    }
    let newest = memory.store.load_messages(&conversation.id, MessageWindow::Last(PAGE_MESSAGES)).await?;
    *read += newest.len();
    let Some(end) = newest.last() else { return Ok(None) };
    let (last, outcome) = read_ending(&newest);
    Ok(Some(SessionLine {
        day: day_of(end),
        prompts: prompts.into_iter().take(MIN_PROMPTS).collect(),
        last,
        outcome,
        id: top_summary(memory, conversation).await?.map_or(conversation.id.to_string(), |id| id.to_string()),
    }))
}

/// What was asked in the last turn, and what came out of it. Where a turn behind it has no result, the last words that say
/// something, alone: the result of another turn would pass for theirs.
fn read_ending(messages: &[Message]) -> (Option<String>, Option<SessionOutcome>) {
    for TurnEnding { asked, is_event, did, report, is_interrupted } in build_endings(messages).into_iter().rev() {
        // A turn that was cut off has deeds and no report.
        let is_said = !report.is_empty();
        let text = if is_said { report } else { did };
        if !text.is_empty() {
            // What a program asked is no word of the user.
            let asked = (!asked.is_empty() && !is_event).then_some(asked);
            return (asked, Some(SessionOutcome { text, is_said, is_interrupted }));
        }
        if is_telling(&asked) {
            break;
        }
    }
    let typed = messages.iter().rev().filter(|message| !is_event(message));
    (typed.filter_map(prompt_words).find(|words| is_telling(words)), None)
}

/// "Thanks, see you tomorrow" ends many sessions and says nothing about any.
fn is_telling(words: &str) -> bool {
    // Scripts without blanks have few words and many letters.
    let letters = words.chars().filter(|c| !c.is_ascii()).count();
    words.split_whitespace().count() >= MIN_LAST_WORDS || letters >= 2 * MIN_LAST_WORDS
}

/// The active summary that covers most, which leads to the others.
async fn top_summary(memory: &MemoryContext, conversation: &Conversation) -> Result<Option<SummaryId>> {
    let context = memory.store.active_context(&conversation.id).await?;
    let widest =
        context.summaries.iter().max_by_key(|summary| (summary.range.last - summary.range.first, summary.range.last));
    Ok(widest.map(|summary| summary.id.clone()))
}

/// The day of a message: where its source gives no time, that of the sitting, which some agents name by its beginning.
fn day_of(message: &Message) -> UtcDay {
    let told = UtcDay::from_timestamp(message_timestamp(message));
    let begun = message.body.session.as_deref().filter(|_| message.body.at.is_none()).and_then(day_of_name);
    begun.filter(|begun| *begun <= told).unwrap_or(told)
}

/// The day that a name begins with, as in `2024-08-20 14:08:19`.
fn day_of_name(name: &str) -> Option<UtcDay> {
    let mut numbers = name.get(..10)?.splitn(3, '-').map(str::parse::<u32>);
    let (year, month, day) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
    // No conversation with a program is older.
    if year < 1990 { None } else { UtcDay::of_date(i32::try_from(year).ok()?, month, day) }
}

/// What a person asked in a message, on one line.
fn prompt_words(message: &Message) -> Option<String> {
    let words = read_prompt(message)?;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    // A command to the program around the model ("/mode") asks for nothing.
    let is_command = line.starts_with('/') && !line.contains(' ');
    (!is_command).then_some(line)
}
