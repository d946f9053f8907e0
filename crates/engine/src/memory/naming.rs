//! Resolves what a caller types to an id: an id, the beginning of one, a citation `conversation#place` of a message, the
//! name of a conversation or its number (`#12`), `latest`, or `current`.
//!
//! Ids are copied from replies, with quotes, brackets or capitals: all of these forms are accepted. An id that is cut
//! short is an error of its own, not an id that does not exist.

use super::conversation_id;
use super::current_session::{find_current, open_current};
use super::list::latest_conversation;
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::{ArtifactId, ConversationId, FactId, MemoryId, MessageId, ProjectId, RecordId, SummaryId};
use store::{Conversation, CountedRows};

/// The conversation that was spoken in last.
const LATEST_CONVERSATION_NAME: &str = "latest";
/// The session that messages go to whose sender names none.
const CURRENT_SESSION_NAME: &str = "current";
/// The beginning of an id or a name must have so many characters: a single letter is a slip, and not a name.
const MIN_NAME_PREFIX_CHARS: usize = 4;
/// Conversations that are named where one text may mean several.
const MAX_NAMED_CANDIDATES: usize = 5;

/// A conversation as a caller in a project names it: `latest` and `current` are those of the project.
pub fn name_in_project(project: &Project, name: &str) -> String {
    let text = name.trim();
    // A citation of one of its messages: `latest#8`.
    let (word, place) = text.split_once('#').map_or((text, String::new()), |(word, place)| (word, format!("#{place}")));
    if word == LATEST_CONVERSATION_NAME || word == CURRENT_SESSION_NAME {
        format!("{word}@{}{place}", project.id)
    } else {
        name.to_owned()
    }
}

/// The word for the latest conversation of all projects.
pub(super) fn is_latest(name: &str) -> bool {
    split_project(name.trim()).0 == LATEST_CONVERSATION_NAME
}

/// Whether [`name_in_project`] made a name: what it means then is a conversation of a project, and nothing else.
pub(super) fn is_of_project(name: &str) -> bool {
    split_project(name.trim()).1.is_some()
}

/// The project whose current session a name means.
pub(super) fn current_of(name: &str) -> Option<ProjectId> {
    match split_project(name.trim()) {
        (CURRENT_SESSION_NAME, project) => project,
        _ => None,
    }
}

/// A name, and the project that [`name_in_project`] added to it.
fn split_project(name: &str) -> (&str, Option<ProjectId>) {
    match name.rsplit_once('@').map(|(word, project)| (word, ProjectId::parse(project))) {
        Some((word, Ok(project))) => (word, Some(project)),
        _ => (name, None),
    }
}

/// What the session is called that a caller names: one that is known, else the name itself, which may be of a session
/// whose messages come later.
pub(super) async fn named_session(memory: &MemoryContext, project: &Project, given: &str) -> Result<String> {
    let full = name_in_project(project, given);
    match find_conversation(memory, &full).await {
        Ok(id) => Ok(memory.store.load_conversation(&id).await?.map_or_else(|| given.to_owned(), |known| known.name)),
        Err(Error::NotFound { .. }) if !is_of_project(&full) => {
            Ok(memory.scrubber.load().await?.scrub_text(given.trim()).0.into_owned())
        }
        Err(error) => Err(error),
    }
}

/// What the session of a request is called that writes something: the one that the caller names, else the latest of the
/// project, else its current session.
pub(super) async fn session_name(memory: &MemoryContext, project: &Project, given: Option<&str>) -> Result<String> {
    if let Some(given) = given.filter(|given| !given.trim().is_empty()) {
        return named_session(memory, project, given).await;
    }
    let known = match latest_conversation(memory, Some(&project.id)).await? {
        Some(latest) => memory.store.load_conversation(&latest).await?,
        None => None,
    };
    match known {
        Some(latest) => Ok(latest.name),
        None => Ok(open_current(memory, &project.id).await?.name),
    }
}

/// An id as we write it, from a text that a caller gives for one.
pub(super) fn normalize_id(text: &str) -> String {
    let frame = |c: char| c.is_whitespace() || "`'\"[]()<>,;".contains(c);
    let text = text.trim_start_matches(frame).trim_end_matches(|c| frame(c) || ".:".contains(c));
    let first = text.split_whitespace().next().unwrap_or_default();
    // A line copied from a reply has the id first and other words behind it.
    let text = if is_id(&first.to_lowercase()) { first } else { text };
    // lcm calls content that left its message a file; the digits are ours.
    if let Some(digits) = text.strip_prefix("file_")
        && ArtifactId::parse(&format!("{}{}", ArtifactId::PREFIX, digits.split(':').next().unwrap_or(digits))).is_ok()
    {
        return format!("{}{digits}", ArtifactId::PREFIX);
    }
    if is_id(&text.to_lowercase()) { text.to_lowercase() } else { text.to_owned() }
}

fn is_id(text: &str) -> bool {
    MessageId::parse(text).is_ok()
        || SummaryId::parse(text).is_ok()
        || FactId::parse(text).is_ok()
        || MemoryId::parse(text).is_ok()
        || RecordId::parse(text).is_some()
}

/// The id of a conversation that must exist: by id, by name, by the end of a name (`agent:session` is `session`), by the
/// beginning of any of these, by its number (`#12`), or the latest.
pub(super) async fn find_conversation(memory: &MemoryContext, name: &str) -> Result<ConversationId> {
    let (name, project) = split_project(name.trim());
    // The exact name first, so that a conversation called `latest` can be named.
    if let Some(conversation) = memory.store.load_conversation(&conversation_id(name)).await? {
        return Ok(conversation.id);
    }
    if name == LATEST_CONVERSATION_NAME
        && let Some(latest) = latest_conversation(memory, project.as_ref()).await?
    {
        return Ok(latest);
    }
    if name == CURRENT_SESSION_NAME
        && let Some(project) = &project
        && let Some(session) = find_current(memory, project).await?
    {
        return Ok(session.id);
    }
    let known = memory.store.list_conversations().await?;
    // After the names, which may begin with a `#` of their own.
    let numbered = name.strip_prefix('#').and_then(|number| number.parse::<i64>().ok());
    if let Some(number) = numbered
        && let Some(conversation) = known.iter().find(|conversation| conversation.number == number)
    {
        return Ok(conversation.id.clone());
    }
    let mut meant: Vec<&Conversation> = known.iter().filter(|conversation| is_named(conversation, name)).collect();
    if meant.is_empty() && name.chars().count() >= MIN_NAME_PREFIX_CHARS {
        meant = known.iter().filter(|conversation| begins_with(conversation, name)).collect();
    }
    match meant.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => {
            // A conversation does not exist only where none is missing.
            memory.store.check_counts(CountedRows::Conversations).await?;
            // A caller in a project means one of its own: there are none, whatever others have.
            let hint = if project.is_some() {
                "this project has no conversation yet; epitome history --within all lists those of others"
            } else {
                "epitome history lists them; epitome import and epitome ingest add to them"
            };
            Err(Error::NotFound { what: "conversation", id: name.to_owned(), hint: Some(hint.to_owned()) })
        }
        several => {
            let named = several.iter().take(MAX_NAMED_CANDIDATES).map(|one| format!("`{}` ({})", one.name, one.id));
            let more = several.len().saturating_sub(MAX_NAMED_CANDIDATES);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            let reason = format!("is `{name}`, which may be {}{more}", named.collect::<Vec<_>>().join(" or "));
            Err(Error::Parameter { field: "conversation", reason })
        }
    }
}

fn is_named(conversation: &Conversation, name: &str) -> bool {
    let end = conversation.name.strip_suffix(name);
    conversation.name == name || end.is_some_and(|before| !name.is_empty() && before.ends_with(':'))
}

/// Whether a text is the beginning of a conversation's id, of its name, or of what its agent calls it.
fn begins_with(conversation: &Conversation, text: &str) -> bool {
    let text = text.to_lowercase();
    let name = conversation.name.to_lowercase();
    let own = name.rsplit_once(':').map_or(name.as_str(), |(_, own)| own);
    let digits = conversation.id.as_str().trim_start_matches(ConversationId::PREFIX);
    name.starts_with(&text)
        || own.starts_with(&text)
        || digits.starts_with(text.trim_start_matches(ConversationId::PREFIX))
}

/// The message at a place as replies cite it: `conversation#8`, with or without the bytes that were shown of it.
pub(super) async fn find_cited_message(memory: &MemoryContext, text: &str) -> Result<Option<MessageId>> {
    // From the right: names of conversations may have a `#` of their own.
    let Some((name, place)) = text.rsplit_once('#') else { return Ok(None) };
    // `#8` alone is the number of a conversation.
    if name.trim().is_empty() {
        return Ok(None);
    }
    let Some(Ok(seq)) = place.split(':').next().map(str::parse::<u64>) else { return Ok(None) };
    let place = (find_conversation(memory, name).await?, seq);
    let message = memory.store.messages_at(&[place]).await?.pop().flatten();
    match message {
        Some(message) => Ok(Some(message.id)),
        None => Err(Error::NotFound { what: "message", id: text.to_owned(), hint: None }),
    }
}

/// The id that a text is the only beginning of: `sum_26d0`. A text that begins none stays as it is, so that its caller says
/// what is wrong with it.
pub(super) async fn complete_id(memory: &MemoryContext, text: String) -> Result<String> {
    let digits = text.split_once('_').map_or(0, |(_, digits)| digits.len());
    if digits < MIN_NAME_PREFIX_CHARS || is_id(&text) {
        return Ok(text);
    }
    let limit = MAX_NAMED_CANDIDATES as u32 + 1;
    let mut meant = memory.store.ids_beginning(&text, limit).await?;
    match meant.len() {
        0 => Ok(text),
        1 => Ok(meant.remove(0)),
        _ => {
            let more = if meant.len() > MAX_NAMED_CANDIDATES { ", or others" } else { "" };
            meant.truncate(MAX_NAMED_CANDIDATES);
            let named: Vec<String> = meant.iter().map(|id| format!("`{id}`")).collect();
            let reason = format!("is `{text}`, which may be {}{more}", named.join(" or "));
            Err(Error::Parameter { field: "id", reason })
        }
    }
}

/// The error for a text that begins like an id and is not one.
pub(super) fn malformed_id_error(text: &str) -> Option<Error> {
    let kinds = [
        (SummaryId::PREFIX, "summary"),
        (MessageId::PREFIX, "message"),
        (FactId::PREFIX, "fact"),
        (ArtifactId::PREFIX, "artifact"),
        (MemoryId::PREFIX, "memory"),
    ];
    if text.starts_with("file_") {
        let hint = "content that is kept beside its message is called art_… here; epitome grep finds it".to_owned();
        return Some(Error::NotFound { what: "thing", id: text.to_owned(), hint: Some(hint) });
    }
    let (prefix, kind) = kinds.into_iter().find(|(prefix, _)| text.starts_with(prefix))?;
    let reason = format!(
        "is `{text}`, which is no id of a {kind}, nor the beginning of one: `{prefix}` and 16 hexadecimal digits"
    );
    Some(Error::Parameter { field: "id", reason: reason.replace("a artifact", "an artifact") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_however_it_was_copied() {
        let id = "sum_0123456789abcdef";
        for text in
            [" sum_0123456789abcdef\n", "`sum_0123456789abcdef`", "[SUM_0123456789ABCDEF].", "sum_0123456789abcdef a#3"]
        {
            assert_eq!(normalize_id(text), id, "{text}");
        }
        assert_eq!(normalize_id("file_0123456789abcdef"), "art_0123456789abcdef");
        assert_eq!(normalize_id("file_0123456789abcdef:10-20"), "art_0123456789abcdef:10-20");
        for text in [
            "file_12",
            "file_of_notes",
            "sum_0123456789abcdef.1m.2.3",
            "art_0123456789abcdef:1-2",
            "My Talk",
            "claude-code:x#8:1-2/9",
        ] {
            assert_eq!(normalize_id(text), text);
        }
    }

    #[test]
    fn an_id_that_is_cut_short_is_told_from_one_that_is_not_there() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(malformed_id_error(text).map(|error| error.to_string()).as_deref(), expected, "{text}");
        };
        check(
            "sum_0123",
            Some(
                "`id` is `sum_0123`, which is no id of a summary, nor the beginning of one: `sum_` and 16 hexadecimal digits",
            ),
        );
        check("file_789abc012345", Some("thing `file_789abc012345` does not exist"));
        check("conv_1", None);
    }
}
