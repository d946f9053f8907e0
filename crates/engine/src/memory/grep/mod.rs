//! Searches messages, summaries and artifacts by regular expression or words, newest first, with a cursor for paging.
//!
//! Patterns match in linear time, and only messages of the requested page are parsed; for words, messages that recall's
//! index rules out are skipped. Messages come first, because they are what was said, artifacts last, because each is
//! read from disk. At the time limit the matches so far are returned.

mod artifacts;
mod cursor;
mod matcher;
mod summaries;

use super::copied_history::{CopiedMessages, copies_among};
use super::damage::damage_note;
use super::find_conversation;
use super::recall::build_message_filter;
use crate::base::{Clock, Error, Result};
use crate::memory::MemoryContext;
use cursor::{GrepCursor, MessagePage};
use matcher::GrepMatcher;
use model::{ConversationId, Message, MessageId, ProjectId, Summary, Timestamp};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use store::{ContentMatcher, CountedRows, FoundPlace, MatchOutcome, MessageQuery, StoreCursor};

/// How the pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrepMode {
    /// As a regular expression, matched in linear time.
    Regex,
    /// As words that must all occur.
    FullText,
}

/// The kinds of items to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrepScope {
    /// Messages, and what was too large for them.
    Messages,
    /// Summaries.
    Summaries,
    /// Messages, then summaries, then what was too large for messages.
    Both,
}

/// What to look for.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// The pattern.
    pub pattern: String,
    /// How it is read.
    pub mode: GrepMode,
    /// The kinds of items to search.
    pub scope: GrepScope,
    /// Only this conversation, by name or id.
    pub conversation: Option<String>,
    /// Only the conversations of this project.
    pub project: Option<ProjectId>,
    /// Only what happened from then on. A message that does not say when counts by when it was stored; a summary counts
    /// where one of its messages may.
    pub since: Option<Timestamp>,
    /// Only what happened before then.
    pub until: Option<Timestamp>,
    /// Continue behind this place, from an earlier reply.
    pub cursor: Option<String>,
    /// How many matches at most.
    pub limit: u32,
}

/// One match.
#[derive(Clone, Debug)]
pub struct GrepMatch {
    /// The matching item.
    pub found: GrepFound,
    /// The text around the first match, cuts marked by `…`.
    pub snippet: String,
    /// The message of another conversation that it repeats, where it is among those looked at.
    pub repeats: Option<MessageId>,
}

/// The matching item.
#[derive(Clone, Debug)]
pub enum GrepFound {
    /// A message.
    Message(Box<Message>),
    /// A summary.
    Summary(Box<Summary>),
    /// Content that was too large for its message.
    Artifact {
        /// The bytes around the first match, as `describe` takes them.
        place: String,
        /// The first message that mentions it.
        message: Box<Message>,
    },
}

/// The matches: messages, newest first by when they happened, then summaries, newest first, then artifacts.
#[derive(Clone, Debug)]
pub struct GrepReport {
    /// At most as many as asked for.
    pub matches: Vec<GrepMatch>,
    /// How many there are in all, from the cursor on.
    pub total: u64,
    /// Where to continue, when there is more.
    pub cursor: Option<String>,
    /// Whether all was looked through; when not, the cursor goes on from where time ran out.
    pub is_complete: bool,
    /// Items that could not be searched, and why.
    pub degraded: Vec<String>,
    /// Conversations that were not looked through: of other projects or of none.
    pub elsewhere: u64,
}

/// Matches behind a page that are looked at to tell copies.
const MAX_ORIGINALS: usize = 100;

/// How long to look.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) async fn grep(memory: &MemoryContext, request: GrepRequest) -> Result<GrepReport> {
    if request.limit == 0 {
        return Err(Error::Parameter { field: "limit", reason: "must be at least 1".to_owned() });
    }
    let matcher = Arc::new(GrepMatcher::new(&request)?);
    let conversation = match &request.conversation {
        Some(name) => Some(find_conversation(memory, name).await?),
        None => None,
    };
    let from = GrepCursor::parse(request.cursor.as_deref(), request.scope)?;
    // A conversation that is named is meant, whichever project it is of.
    let project = request.project.clone().filter(|_| conversation.is_none());
    let mut elsewhere = 0;
    let mut within = None;
    if let Some(project) = &project {
        let known = memory.store.list_conversations().await?;
        let own: HashSet<ConversationId> =
            known.iter().filter(|one| one.project.as_ref() == Some(project)).map(|one| one.id.clone()).collect();
        elsewhere = (known.len() - own.len()) as u64;
        within = Some(own);
    }
    let mut looking = GrepSearch {
        memory,
        deadline: memory.clock.monotonic_time().saturating_add(SEARCH_TIMEOUT),
        matcher,
        conversation,
        project,
        within,
        has_gaps: false,
        reply: GrepReport {
            matches: Vec::new(),
            total: 0,
            cursor: None,
            is_complete: true,
            degraded: Vec::new(),
            elsewhere,
        },
        request,
    };
    let mut stage = Some(from);
    while let Some(place) = stage.take() {
        stage = looking.next_stage(&place);
        match place {
            GrepCursor::Messages(page) => looking.search_messages(page).await?,
            GrepCursor::Summaries(before) => looking.search_summaries(before).await?,
            GrepCursor::Artifacts(behind) => looking.search_artifacts(behind).await?,
        }
        // Where time ran out, the cursor points into this stage: going on would skip the rest of it.
        stage = stage.filter(|_| looking.reply.is_complete);
    }
    // Nothing is only an answer where nothing is missing.
    if looking.has_gaps || looking.reply.matches.is_empty() {
        match memory.store.check_counts(CountedRows::Messages).await {
            Err(damage) if damage.is_damage() && !looking.reply.matches.is_empty() => {
                looking.reply.degraded.push(damage_note(&damage));
            }
            checked => checked?,
        }
    }
    Ok(looking.reply)
}

/// One look through a store.
struct GrepSearch<'e> {
    memory: &'e MemoryContext,
    request: GrepRequest,
    matcher: Arc<GrepMatcher>,
    conversation: Option<ConversationId>,
    project: Option<ProjectId>,
    /// The conversations of the project, where only those are meant.
    within: Option<HashSet<ConversationId>>,
    deadline: Duration,
    /// Whether a message was not where it should be.
    has_gaps: bool,
    reply: GrepReport,
}

impl GrepSearch<'_> {
    /// The next kind of items to search.
    fn next_stage(&self, place: &GrepCursor) -> Option<GrepCursor> {
        match (place, self.request.scope) {
            (GrepCursor::Messages(_), GrepScope::Both) => Some(GrepCursor::Summaries(None)),
            (GrepCursor::Messages(_), GrepScope::Messages) | (GrepCursor::Summaries(_), GrepScope::Both) => {
                Some(GrepCursor::Artifacts(None))
            }
            _ => None,
        }
    }

    /// Says where the next page begins, unless that was said.
    fn continue_with(&mut self, place: &GrepCursor) {
        self.reply.cursor.get_or_insert_with(|| place.to_string());
    }

    /// Whether a conversation is one of those that are looked through.
    fn is_within(&self, conversation: &ConversationId) -> bool {
        self.conversation.as_ref().is_none_or(|wanted| wanted == conversation)
            && self.within.as_ref().is_none_or(|within| within.contains(conversation))
    }

    /// Looks through messages behind a place.
    async fn search_messages(&mut self, page: MessagePage) -> Result<()> {
        let terms = self.matcher.required_terms();
        let find = MessageQuery {
            among: build_message_filter(self.memory, self.conversation.as_ref(), &terms).await?,
            conversation: self.conversation.clone(),
            terms,
            since: self.request.since,
            until: self.request.until,
            before: page.scanned_to,
            project: self.project.clone(),
        };
        let found = self.memory.store.find_messages(find, Some(self.build_content_matcher())).await?;
        self.reply.degraded.extend(found.damaged.iter().map(damage_note));
        self.has_gaps |= found.has_gaps;
        // The store finds them in the order in which they were stored: an import of yesterday may hold last year's.
        let mut matches = found.matches;
        matches.sort_unstable_by_key(|found| (Reverse(found.happened), Reverse(found.cursor)));
        matches.retain(|found| page.is_behind(found));
        // All matches are counted, and only those of the page are read whole.
        let shown: Vec<FoundPlace> = matches.iter().take(self.request.limit as usize).copied().collect();
        let places: Vec<_> = shown.iter().map(|found| found.cursor).collect();
        let messages = self.memory.store.messages_numbered(&places).await?;
        let mut copies = self.find_copies(&places, &messages, &matches[shown.len()..], shown.last()).await?;
        for message in messages.into_iter().flatten() {
            let snippet = self.matcher.match_snippet(&message.body.content());
            let repeats = copies.remove(&message.id);
            self.reply.matches.push(GrepMatch { found: GrepFound::Message(Box::new(message)), snippet, repeats });
        }
        self.reply.total += matches.len() as u64;
        self.reply.is_complete = found.end.is_none();
        // Where the page was full, the next one looks through the same messages and begins behind what was shown. Where
        // the time was up, it looks through those that this one did not come to.
        let next = if shown.len() < matches.len() {
            Some(MessagePage { shown_to: shown.last().copied(), ..page })
        } else {
            found.end.map(|end| MessagePage { scanned_to: Some(end), shown_to: None })
        };
        self.reply.cursor = next.map(|next| GrepCursor::Messages(next).to_string());
        Ok(())
    }

    /// Which messages of a page repeat others of it. A copy has the time of its original, so matches of the last time are
    /// looked at, too, where they come behind the page.
    async fn find_copies(
        &self,
        places: &[StoreCursor],
        messages: &[Option<Message>],
        behind: &[FoundPlace],
        last: Option<&FoundPlace>,
    ) -> Result<CopiedMessages> {
        let same_time = |found: &&FoundPlace| last.is_some_and(|last| last.happened == found.happened);
        let more: Vec<StoreCursor> =
            behind.iter().take_while(same_time).take(MAX_ORIGINALS).map(|found| found.cursor).collect();
        let originals = self.memory.store.messages_numbered(&more).await?;
        let mut stored: Vec<(StoreCursor, &Message)> = places
            .iter()
            .zip(messages)
            .chain(more.iter().zip(&originals))
            .filter_map(|(place, message)| Some((*place, message.as_ref()?)))
            .collect();
        stored.sort_unstable_by_key(|(place, _)| *place);
        Ok(copies_among(stored.into_iter().map(|(_, message)| message)))
    }

    /// The predicate that the store applies to each message; it matches words by itself.
    fn build_content_matcher(&self) -> ContentMatcher {
        let matcher = Arc::clone(&self.matcher);
        let clock = Arc::clone(&self.memory.clock);
        let deadline = self.deadline;
        Arc::new(move |content: &[u8]| {
            let differs = match &*matcher {
                GrepMatcher::Pattern(pattern) => !pattern.is_match(content),
                // The store has looked for the words itself; looking again would double the time.
                GrepMatcher::Words(_) => false,
            };
            match (is_late(&*clock, deadline), differs) {
                (true, _) => MatchOutcome::Stop,
                (false, true) => MatchOutcome::Differs,
                (false, false) => MatchOutcome::Matches,
            }
        })
    }
}

fn is_late(clock: &dyn Clock, deadline: Duration) -> bool {
    clock.monotonic_time() > deadline
}
