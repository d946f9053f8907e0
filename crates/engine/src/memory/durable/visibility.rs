//! Which memories of several people a reader is told: their own, those that belong to all, and what a colleague shares
//! whom they subscribed to. Of two people who say the contrary both are told, and each says so: nobody's statement ends
//! another's.

use crate::base::{Error, Result};
use crate::memory::MemoryContext;
use crate::memory::fact::{contradicts, replaces_decision};
use crate::memory::subscriptions::{EVERYBODY, followed_authors};
use model::{DurableMemory, MemoryDispute, MemoryKind};
use serde_json::Value;
use std::collections::HashSet;
use store::MemoryScope;

/// The field of what is kept beside a memory that says which file of a colleague it was accepted from.
pub(crate) const ACCEPTED_FIELD: &str = "knowledge";

/// Leaves the memories that the reader is told, each with whom it comes from and what speaks against it.
pub(super) async fn retain_visible(
    memory: &MemoryContext,
    scope: &MemoryScope,
    found: &mut Vec<DurableMemory>,
) -> Result<()> {
    let is_own = |found: &DurableMemory| memory.author.owns(found.body.author.as_deref());
    if found.iter().any(|found| found.is_shared() && !is_own(found)) {
        let project = match scope {
            MemoryScope::All => None,
            MemoryScope::Project(project) => Some(project),
        };
        let followed = followed_authors(memory, project).await?;
        let is_wanted = |author: &str| followed.contains(author) || followed.contains(EVERYBODY);
        found.retain(|found| is_own(found) || found.is_shared() && found.body.author.as_deref().is_some_and(is_wanted));
    } else {
        found.retain(is_own);
    }
    // What belongs to all and is the reader's own as well, or a colleague's, is told once.
    let owned: HashSet<String> = found
        .iter()
        .filter(|found| found.body.author.is_some() && found.is_active())
        .map(|found| found.body.content.clone())
        .collect();
    found.retain(|found| found.body.author.is_some() || !owned.contains(&found.body.content));
    for found in found.iter_mut() {
        set_origin(memory, found);
    }
    mark_disputes(found);
    Ok(())
}

/// Whether the reader may see a memory whose id they know: what is shared is for all of the team.
pub(crate) fn is_readable(memory: &MemoryContext, found: &DurableMemory) -> bool {
    memory.author.owns(found.body.author.as_deref()) || found.is_shared()
}

/// Refuses to change a memory that is a colleague's.
pub(crate) fn check_own(memory: &MemoryContext, found: &DurableMemory) -> Result<()> {
    match found.body.author.as_deref().filter(|author| !memory.author.owns(Some(author))) {
        None => Ok(()),
        Some(author) if found.is_shared() => {
            let reason = format!("is `{}`, which is {author}'s: only they can change it", found.id);
            Err(Error::Parameter { field: "id", reason })
        }
        // What is private is not there for others.
        Some(_) => Err(Error::NotFound { what: "memory", id: found.id.to_string(), hint: None }),
    }
}

/// Says whom a memory comes from, where it is not the reader's own: a colleague who shares it, or whose file was accepted.
pub(crate) fn set_origin(memory: &MemoryContext, found: &mut DurableMemory) {
    let of_other = found.body.author.clone().filter(|author| !memory.author.owns(Some(author)));
    if of_other.is_some() {
        // Where its author keeps it at hand is no business of the reader's.
        found.tier = None;
    }
    found.colleague = of_other.or_else(|| accepted_from(found));
}

/// Who wrote the file that a memory was accepted from.
pub(super) fn accepted_from(found: &DurableMemory) -> Option<String> {
    let read = |text: &String| serde_json::from_str::<Value>(text).ok();
    let said = found.metadata.iter().filter_map(read).map(|said| said[ACCEPTED_FIELD]["author"].clone());
    said.filter_map(|author| author.as_str().map(str::to_owned)).next_back()
}

/// Marks the statements that say the contrary of what somebody else says.
pub(crate) fn mark_disputes(found: &mut [DurableMemory]) {
    // One's own statements end each other when they are made.
    if found.iter().all(|memory| memory.colleague.is_none()) {
        return;
    }
    let is_stated = |memory: &DurableMemory| memory.is_active() && memory.body.kind.is_statement();
    let mut pairs = Vec::new();
    for (one, mine) in found.iter().enumerate().filter(|(_, memory)| is_stated(memory)) {
        for (other, theirs) in found.iter().enumerate().skip(one + 1).filter(|(_, memory)| is_stated(memory)) {
            if mine.colleague != theirs.colleague && is_contrary(mine, theirs) {
                pairs.push((one, other));
            }
        }
    }
    for (one, other) in pairs {
        let (first, second) = (&found[one], &found[other]);
        // Of two that were said at once, the order in which they were noted decides.
        let is_newer = (first.said, first.last_note) > (second.said, second.last_note);
        let (first, second) = (first.id.clone(), second.id.clone());
        found[one].disputes.push(MemoryDispute { with: second, is_newer });
        found[other].disputes.push(MemoryDispute { with: first, is_newer: !is_newer });
    }
}

/// Whether two statements cannot both be followed.
fn is_contrary(one: &DurableMemory, other: &DurableMemory) -> bool {
    let is_choice = |memory: &DurableMemory| matches!(memory.body.kind, MemoryKind::Decision | MemoryKind::Note);
    is_contrary_to(&one.body.content, &other.body.content, is_choice(one) && is_choice(other))
}

/// Whether two sentences say the contrary; of choices also where each chooses something else.
pub(crate) fn is_contrary_to(one: &str, other: &str, are_choices: bool) -> bool {
    let choose_anew = || replaces_decision(one, other) || replaces_decision(other, one) || choose_otherwise(one, other);
    contradicts(one, other) || are_choices && choose_anew()
}

/// Words around a choice that have to be the same.
const LEAST_SHARED_WORDS: usize = 4;
/// Words of the choice itself.
const MOST_CHOICE_WORDS: usize = 2;

/// Whether two sentences are the same but for a word or two in the middle: "we use Redis for the cache" and "we use
/// Memcached for the cache". What differs at the end or at the beginning is what they are about.
fn choose_otherwise(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let plain = text.to_lowercase();
        let words = plain.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let behind = one[before..].iter().rev().zip(other[before..].iter().rev()).take_while(|(a, b)| a == b).count();
    let is_choice = |words: &[String]| (1..=MOST_CHOICE_WORDS).contains(&(words.len() - before - behind));
    before > 0 && behind > 0 && before + behind >= LEAST_SHARED_WORDS && is_choice(&one) && is_choice(&other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{MemoryEvent, MemoryNote, MemoryStatement, NewMemory, Timestamp};

    fn decision(colleague: Option<&str>, content: &str, said: i64) -> DurableMemory {
        let (kind, created) = (MemoryKind::Decision, Timestamp(said));
        let author = colleague.map(str::to_owned);
        let content = content.to_owned();
        let mut memory = DurableMemory::new(NewMemory {
            content,
            kind,
            project: None,
            author,
            conversation: None,
            depth: 0,
            created,
        });
        let said = Timestamp(said);
        let statement = MemoryStatement { certainty: 100, tags: Vec::new(), sources: Vec::new(), metadata: None, said };
        memory.add_note(said.0, MemoryNote { at: said, event: MemoryEvent::Stated(statement) });
        memory.colleague = colleague.map(str::to_owned);
        memory
    }

    #[test]
    fn two_people_who_say_the_contrary_are_both_kept_and_marked() {
        let check = |mine: &str, theirs: &str, is_disputed: bool| {
            let mut found = [decision(None, mine, 1), decision(Some("bob"), theirs, 2)];
            mark_disputes(&mut found);
            let newer = |memory: &DurableMemory| memory.disputes.first().map(|dispute| dispute.is_newer);
            let expected = if is_disputed { (Some(false), Some(true)) } else { (None, None) };
            assert_eq!((newer(&found[0]), newer(&found[1])), expected, "{mine} / {theirs}");
        };
        check("We use Redis for the cache", "We use Memcached for the cache", true);
        check("We use SQLite for the cache", "Let's use PostgreSQL instead of SQLite", true);
        check("Never use tabs.", "Always use tabs.", true);
        check("Deploys run on Monday at nine", "Deploys run on Friday at nine", true);
        check("We use Redis for the cache", "We use Redis for the queue", false);
        check("Staging listens on port 8080", "Production listens on port 8080", false);
        check("We use Redis for the cache", "We use Redis for the cache", false);
        check("Prices are whole cents", "Deploys run on Monday", false);
    }

    #[test]
    fn one_person_is_in_no_dispute_with_themselves() {
        let mut found =
            [decision(None, "We use Redis for the cache", 1), decision(None, "We use Memcached for the cache", 2)];
        mark_disputes(&mut found);
        assert!(found.iter().all(|memory| memory.disputes.is_empty()));
    }
}
