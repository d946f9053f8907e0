//! Resolves what a caller types to an id: an id, a citation `conversation#place` of a message, or the name of a
//! conversation.
//!
//! Ids are copied from replies, with quotes, brackets or capitals: all of these forms are accepted. An id that is cut
//! short is an error of its own, not an id that does not exist.

use super::{conversation_id, list_conversations};
use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use model::{ArtifactId, ConversationId, FactId, MessageId, SummaryId};

/// The conversation whose newest message is the newest of all.
const LATEST: &str = "latest";

/// An id as we write it, from a text that a caller gives for one.
pub(super) fn normalize_id(text: &str) -> String {
    let frame = |c: char| c.is_whitespace() || "`'\"[]()<>,;".contains(c);
    let text = text.trim_start_matches(frame).trim_end_matches(|c| frame(c) || ".:".contains(c));
    let first = text.split_whitespace().next().unwrap_or_default();
    // A line copied from a reply has the id first and other words behind it.
    let text = if is_id(&first.to_lowercase()) { first } else { text };
    if is_id(&text.to_lowercase()) { text.to_lowercase() } else { text.to_owned() }
}

fn is_id(text: &str) -> bool {
    MessageId::parse(text).is_ok() || SummaryId::parse(text).is_ok() || FactId::parse(text).is_ok()
}

/// The id of a conversation that must exist: by id, by name, by the end of a name (`agent:session` is `session`), or
/// the latest.
pub(super) async fn find_conversation(memory: &MemoryContext, name: &str) -> Result<ConversationId> {
    // The exact name first, so that a conversation called `latest` can be named.
    if let Some(conversation) = memory.store.load_conversation(&conversation_id(name)).await? {
        return Ok(conversation.id);
    }
    let name = name.trim();
    if name == LATEST
        && let Some(listed) = list_conversations(memory, 1).await?.pop()
    {
        return Ok(listed.conversation.id);
    }
    let mut meant = memory.store.list_conversations().await?;
    meant.retain(|conversation| {
        let end = conversation.name.strip_suffix(name);
        conversation.name == name || end.is_some_and(|before| !name.is_empty() && before.ends_with(':'))
    });
    match meant.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => Err(Error::NotFound {
            what: "conversation",
            id: name.to_owned(),
            hint: Some("epitome history lists them; epitome import and epitome ingest add to them".to_owned()),
        }),
        several => {
            let names: Vec<String> = several.iter().map(|conversation| format!("`{}`", conversation.name)).collect();
            let reason = format!("is `{name}`, which may be {}", names.join(" or "));
            Err(Error::Parameter { field: "conversation", reason })
        }
    }
}

/// The message at a place as replies cite it: `conversation#8`, with or without the bytes that were shown of it.
pub(super) async fn find_cited_message(memory: &MemoryContext, text: &str) -> Result<Option<MessageId>> {
    // From the right: names of conversations may have a `#` of their own.
    let Some((name, place)) = text.rsplit_once('#') else { return Ok(None) };
    let Some(Ok(seq)) = place.split(':').next().map(str::parse::<u64>) else { return Ok(None) };
    let place = (find_conversation(memory, name).await?, seq);
    let message = memory.store.messages_at(&[place]).await?.pop().flatten();
    match message {
        Some(message) => Ok(Some(message.id)),
        None => Err(Error::NotFound { what: "message", id: text.to_owned(), hint: None }),
    }
}

/// The error for a text that begins like an id and is not one.
pub(super) fn malformed_id_error(text: &str) -> Option<Error> {
    let kinds = [
        (SummaryId::PREFIX, "summary"),
        (MessageId::PREFIX, "message"),
        (FactId::PREFIX, "fact"),
        (ArtifactId::PREFIX, "artifact"),
    ];
    if text.starts_with("file_") {
        let hint = "content that is kept beside its message is called art_… here; epitome grep finds it".to_owned();
        return Some(Error::NotFound { what: "thing", id: text.to_owned(), hint: Some(hint) });
    }
    let (prefix, kind) = kinds.into_iter().find(|(prefix, _)| text.starts_with(prefix))?;
    let reason = format!("is `{text}`, which is no id of a {kind}: `{prefix}` and 16 hexadecimal digits, all of them");
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
        for text in ["sum_0123456789abcdef.1m.2.3", "art_0123456789abcdef:1-2", "My Talk", "claude-code:x#8:1-2/9"] {
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
            Some("`id` is `sum_0123`, which is no id of a summary: `sum_` and 16 hexadecimal digits, all of them"),
        );
        check("file_789abc012345", Some("thing `file_789abc012345` does not exist"));
        check("conv_1", None);
    }
}
