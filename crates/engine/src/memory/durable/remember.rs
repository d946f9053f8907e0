//! Takes in a text that a user or an agent asks to remember: checks it, removes its secrets, and stores it as a memory
//! of the project or of the user.

use super::placement::{PlacedStatement, place_statement};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use model::scrub::RuleName;
use model::{DurableMemory, MemoryId, MemoryKind, MemoryStatement, NewMemory};
use store::MemoryScope;

/// Characters that a memory has at most: it is told in whole sentences to sessions that have other things to read.
const MAX_CHARS: usize = 4_000;
/// Characters of a tag, how many tags a memory has, and bytes of what is kept beside it, at most.
const MAX_TAG_CHARS: usize = 64;
const MAX_TAGS: usize = 32;
const MAX_METADATA_BYTES: usize = 16_000;

/// A text to remember.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// Its words.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What the caller knows about it besides, as a JSON object.
    pub metadata: Option<String>,
    /// Whom it is for.
    pub audience: MemoryAudience,
}

/// Whom a memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAudience {
    /// Sessions about the project.
    Project,
    /// Sessions of the user, in every project.
    User,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct RememberedText {
    /// The memory that says it.
    pub memory: DurableMemory,
    /// Whether it is new.
    pub outcome: RememberOutcome,
    /// Memories in whose place it counts from now on.
    pub replaced: Vec<MemoryId>,
    /// The rules by which secrets were replaced in it, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// Whether a memory is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RememberOutcome {
    /// It is.
    New,
    /// The same was known, and is noted as said again.
    Restated,
}

pub(crate) async fn remember_text(
    memory: &MemoryContext,
    project: &Project,
    request: RememberRequest,
) -> Result<RememberedText> {
    memory.check_enabled("remember a text")?;
    let text = request.text.trim();
    if text.is_empty() {
        return Err(Error::Parameter { field: "text", reason: "is empty: say what to remember".to_owned() });
    }
    let scrubber = memory.scrubber.load().await?;
    // Tags and metadata are told to agents as the text is, so all three are scrubbed, and all that was found is
    // reported.
    let mut secrets = Vec::new();
    let mut scrub = |text: &str| {
        let (clean, found) = scrubber.scrub_text(text);
        secrets.extend(found.into_iter().map(|found| found.rule));
        clean.into_owned()
    };
    let content = scrub(text);
    // After scrubbing: the length that counts is that of the text which is kept.
    check_length(&content)?;
    let tags = read_tags(&request.tags, &mut scrub)?;
    let metadata = request.metadata.as_deref().map(&mut scrub);
    if metadata.as_ref().is_some_and(|metadata| metadata.len() > MAX_METADATA_BYTES) {
        let reason = format!("is longer than {MAX_METADATA_BYTES} bytes");
        return Err(Error::Parameter { field: "metadata", reason });
    }
    let now = memory.clock.now();
    let new = NewMemory {
        content,
        kind: MemoryKind::Note,
        project: (request.audience == MemoryAudience::Project).then(|| project.id.clone()),
        author: memory.author.owner(),
        conversation: None,
        depth: 0,
        created: now,
    };
    let certainty = MemoryStatement::ASKED_FOR;
    let statement = MemoryStatement { certainty, tags, sources: Vec::new(), metadata, said: now };
    // Memories of the project and those of the user together: the same text for both would be told twice.
    let mut known = memory.store.load_memories(MemoryScope::Project(project.id.clone())).await?;
    // What others said is neither joined with it nor ended by it.
    known.retain(|known| known.body.author == new.author);
    let PlacedStatement { batch, id, is_new, replaced } = place_statement(&known, new, statement, now);
    memory.store.write_memories(batch).await?;
    // Read again, because a text that was known has the tags and the age of both statements now.
    let kept = memory.store.load_memory(&id).await?;
    let kept = kept.ok_or_else(|| Error::NotFound { what: "memory", id: id.to_string(), hint: None })?;
    let outcome = if is_new { RememberOutcome::New } else { RememberOutcome::Restated };
    Ok(RememberedText { memory: kept, outcome, replaced, secrets })
}

pub(super) fn check_length(content: &str) -> Result<()> {
    let characters = content.chars().count();
    if characters <= MAX_CHARS {
        return Ok(());
    }
    let reason = format!(
        "has {characters} characters, and a memory {MAX_CHARS} at most: say in short what later sessions need, \
         or keep the whole with `ingest`"
    );
    Err(Error::Parameter { field: "text", reason })
}

/// Tags without blanks, each once. A blank becomes a hyphen, so that a tag of two words stays one tag.
pub(super) fn read_tags(given: &[String], scrub: &mut impl FnMut(&str) -> String) -> Result<Vec<String>> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        // In small letters, so that `Build` and `build` are one tag to a filter.
        let tag = scrub(tag.trim()).split_whitespace().collect::<Vec<_>>().join("-").to_lowercase();
        if tag.is_empty() {
            return Err(Error::Parameter { field: "tags", reason: "has an empty tag".to_owned() });
        }
        if tag.chars().count() > MAX_TAG_CHARS {
            let reason = format!("has a tag of more than {MAX_TAG_CHARS} characters");
            return Err(Error::Parameter { field: "tags", reason });
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > MAX_TAGS {
        let reason = format!("has {} tags, and a memory {MAX_TAGS} at most", tags.len());
        return Err(Error::Parameter { field: "tags", reason });
    }
    Ok(tags)
}
