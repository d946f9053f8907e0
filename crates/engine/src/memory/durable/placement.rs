//! Decides what a statement is beside the memories that are known: a new memory, one said again, or one that counts in
//! the place of others. Pure, over plain values.
//!
//! A statement is compared with the three nearest memories of the same audience, and joined with one only where a
//! reader would take both for the same: the same words in the same order, but for a small rest that turns nothing
//! around. In doubt both stay: two memories that say the same cost a line, one that is gone costs what it said.

use crate::memory::fact::{contradicts, replaces_decision};
use model::{DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, NewMemory, Timestamp};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use store::MemoryBatch;

/// How many memories a statement is compared with.
const COMPARED_MEMORIES: usize = 3;
/// One word in so many may be there in one of two statements alone.
const WORDS_PER_EXTRA_WORD: usize = 4;

/// Words that say nothing of their own.
const FILLER_WORDS: [&str; 8] = ["a", "an", "the", "please", "that", "this", "we", "our"];
/// Words that turn a statement around or narrow it: none of them may be in the rest.
const TURNING_WORDS: &[&str] = &[
    "not", "no", "never", "none", "without", "avoid", "except", "unless", "only", "if", "when", "until", "before",
    "after", "but", "instead", "dont", "doesnt", "isnt", "arent", "cannot", "cant", "wont", "old", "new", "first",
    "last",
];

/// What is written for a statement.
pub(super) struct PlacedStatement {
    pub(super) batch: MemoryBatch,
    /// The memory that says it.
    pub(super) id: MemoryId,
    pub(super) is_new: bool,
    /// Memories in whose place it counts.
    pub(super) replaced: Vec<MemoryId>,
}

pub(super) fn place_statement(
    known: &[DurableMemory],
    new: NewMemory,
    mut statement: MemoryStatement,
    now: Timestamp,
) -> PlacedStatement {
    let words = split_words(&new.content);
    let nearest = find_nearest(known, &new);
    let mut replaced: Vec<MemoryId> =
        known.iter().filter(|old| is_ended_by(old, &new, statement.said)).map(|old| old.id.clone()).collect();
    let wider = || nearest.iter().copied().find(|old| is_said_by(&words, &split_words(&old.body.content)));
    let same = find_same(known, &new.id()).or_else(wider).map(|same| same.id.clone());
    let is_asked_for = statement.certainty >= MemoryStatement::ASKED_FOR;
    for old in nearest.iter().filter(|_| same.is_none()) {
        // What a user asked for is not replaced by what was taken from a conversation.
        if is_said_by(&split_words(&old.body.content), &words) && (is_asked_for || !old.is_asked_for()) {
            // The new one stands for what the old ones were taken from as well.
            add_missing(&mut statement.tags, &old.tags);
            add_missing(&mut statement.sources, &old.sources);
            if !replaced.contains(&old.id) {
                replaced.push(old.id.clone());
            }
        }
    }
    let is_new = same.is_none();
    let id = same.unwrap_or_else(|| new.id());
    // Since the statement was said, not since it was read: what was said later may bring the old one back.
    let ended = MemoryNote { at: statement.said, event: MemoryEvent::Superseded { by: id.clone() } };
    let mut notes = vec![(id.clone(), MemoryNote { at: now, event: MemoryEvent::Stated(statement) })];
    notes.extend(replaced.iter().map(|old| (old.clone(), ended.clone())));
    let memories = if is_new { vec![new] } else { Vec::new() };
    PlacedStatement { batch: MemoryBatch { memories, notes }, id, is_new, replaced }
}

fn add_missing(to: &mut Vec<String>, from: &[String]) {
    for one in from {
        if !to.contains(one) {
            to.push(one.clone());
        }
    }
}

/// The memory of an id, or the one that says the same and counts in its place.
fn find_same<'m>(known: &'m [DurableMemory], id: &MemoryId) -> Option<&'m DurableMemory> {
    let find = |id: &MemoryId| known.iter().find(|memory| memory.id == *id && memory.is_intact());
    let mut same = find(id)?;
    // Each step leads to a memory that was not passed yet: two that replaced each other would lead in a circle.
    let mut passed = BTreeSet::from([&same.id]);
    while let Some(next) = same.superseded_by.as_ref().and_then(find) {
        // One that says the opposite counts in its place as well; saying the old one again brings that back.
        if !is_joined(&same.body.content, &next.body.content) || !passed.insert(&next.id) {
            break;
        }
        same = next;
    }
    Some(same)
}

/// The memories of the same audience that share most words with a new one, and count.
fn find_nearest<'m>(known: &'m [DurableMemory], new: &NewMemory) -> Vec<&'m DurableMemory> {
    let words: BTreeSet<String> = split_words(&new.content).into_iter().collect();
    let mut near: Vec<(usize, &DurableMemory)> = known
        .iter()
        .filter(|old| old.is_active() && old.is_intact() && old.body.project == new.project)
        // A lesson of the same words is not the rule, and what a session works with states nothing.
        .filter(|old| old.body.kind.is_statement())
        .map(|old| {
            let shared: BTreeSet<String> = split_words(&old.body.content).into_iter().collect();
            (words.intersection(&shared).count(), old)
        })
        .filter(|(shared, _)| *shared > 0)
        .collect();
    near.sort_by_key(|(shared, old)| (Reverse(*shared), old.id.clone()));
    near.into_iter().take(COMPARED_MEMORIES).map(|(_, old)| old).collect()
}

/// Whether a memory that was taken from a conversation is over with a later statement.
pub(super) fn is_ended_by(old: &DurableMemory, new: &NewMemory, said: Timestamp) -> bool {
    let is_candidate = old.is_active()
        && !old.is_asked_for()
        && old.body.project == new.project
        && old.said <= said
        && old.body.content != new.content;
    let is_about = |kind| new.kind == kind || new.kind == MemoryKind::Note;
    is_candidate
        && match old.body.kind {
            MemoryKind::Rule => is_about(MemoryKind::Rule) && contradicts(&new.content, &old.body.content),
            MemoryKind::Decision => {
                is_about(MemoryKind::Decision) && replaces_decision(&new.content, &old.body.content)
            }
            MemoryKind::Note | MemoryKind::Fix | MemoryKind::Reflection | MemoryKind::Item => false,
        }
}

/// Whether a reader would take two statements for the same.
pub(crate) fn is_joined(one: &str, other: &str) -> bool {
    let (one, other) = (split_words(one), split_words(other));
    is_said_by(&one, &other) || is_said_by(&other, &one)
}

/// Whether a statement of these words is said by another one: its words stand there in the same order, and what stands
/// there besides is little and turns nothing around.
fn is_said_by(words: &[String], other: &[String]) -> bool {
    let mut rest = Vec::new();
    let mut left = words.iter().peekable();
    for word in other {
        if left.peek() == Some(&word) {
            left.next();
        } else {
            rest.push(word.as_str());
        }
    }
    let is_whole = left.peek().is_none() && !words.is_empty();
    is_whole
        && rest.len() * WORDS_PER_EXTRA_WORD <= words.len()
        && !rest.iter().any(|word| TURNING_WORDS.contains(word))
}

/// The words of a statement in lower case, without those that say nothing.
fn split_words(text: &str) -> Vec<String> {
    let plain = text.to_lowercase().replace(['\'', '’'], "");
    let words = plain.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.filter(|word| !FILLER_WORDS.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(kind: MemoryKind, content: &str) -> NewMemory {
        let created = Timestamp(0);
        NewMemory {
            content: content.to_owned(),
            kind,
            project: None,
            author: None,
            conversation: None,
            depth: 0,
            created,
        }
    }

    fn statement(certainty: u32, source: &str, said: i64) -> MemoryStatement {
        let sources = vec![source.to_owned()];
        MemoryStatement { certainty, tags: Vec::new(), sources, metadata: None, said: Timestamp(said) }
    }

    fn memory(kind: MemoryKind, content: &str, certainty: u32) -> DurableMemory {
        let mut memory = DurableMemory::new(new(kind, content));
        let event = MemoryEvent::Stated(statement(certainty, "msg_old", 5));
        memory.add_note(1, MemoryNote { at: Timestamp(5), event });
        memory
    }

    /// What becomes of a statement: the words of the memory that says it, and of those it replaces.
    fn placed(old: &DurableMemory, kind: MemoryKind, text: &str, certainty: u32) -> (bool, bool) {
        let known = std::slice::from_ref(old);
        let placed = place_statement(known, new(kind, text), statement(certainty, "msg_new", 9), Timestamp(9));
        (placed.is_new, placed.replaced == [old.id.clone()])
    }

    #[test]
    fn only_what_a_reader_takes_for_the_same_is_joined() {
        let check = |old: &str, text: &str, is_new: bool, replaces: bool| {
            let found = placed(&memory(MemoryKind::Note, old, 100), MemoryKind::Note, text, 100);
            assert_eq!(found, (is_new, replaces), "{old} / {text}");
        };
        check("Never push to main", "never push to main!", false, false);
        check("Never push to main", "Please never push to the main", false, false);
        check("Never push to main", "Never push directly to main", true, true);
        check("Never push directly to main", "never push to main", false, false);
        check("Never push to main", "Never push to main on Fridays", true, false);
        check("Always use tabs in makefiles", "Never use tabs in makefiles", true, false);
        check("use tabs in the makefiles", "do not use tabs in the makefiles", true, false);
        check("run lint before the tests", "run tests before the lint", true, false);
        check("staging listens on port 8080", "production listens on port 8080", true, false);
        check("staging listens on port 8080", "staging listens on port 8081", true, false);
        check("Deploys run on Monday at nine", "Deploys run only on Monday at nine", true, false);
    }

    #[test]
    fn what_is_joined_keeps_every_source() {
        let old = memory(MemoryKind::Decision, "We use integer cents in all totals", 80);
        let known = [old.clone()];
        let text = new(MemoryKind::Decision, "We use integer cents in all the order totals");
        let placed = place_statement(&known, text, statement(80, "msg_new", 9), Timestamp(9));
        assert_eq!(placed.replaced, std::slice::from_ref(&old.id));
        let (_, MemoryNote { event: MemoryEvent::Stated(stated), .. }) = &placed.batch.notes[0] else {
            panic!("{:?}", placed.batch.notes)
        };
        assert_eq!(stated.sources, ["msg_new", "msg_old"]);
        let by = placed.id.clone();
        let superseded = MemoryNote { at: Timestamp(9), event: MemoryEvent::Superseded { by } };
        assert_eq!(placed.batch.notes[1], (old.id, superseded));
    }

    #[test]
    fn a_statement_ends_what_was_taken_from_conversations_and_not_what_was_asked_for() {
        let check = |kind, old: &str, certainty, text: &str, replaces: bool| {
            let found = placed(&memory(kind, old, certainty), kind, text, 80);
            assert_eq!(found, (true, replaces), "{old} / {text}");
        };
        check(MemoryKind::Rule, "Always use tabs.", 85, "Never use tabs.", true);
        check(MemoryKind::Rule, "Always use tabs.", 100, "Never use tabs.", false);
        check(MemoryKind::Decision, "We use SQLite for the cache", 80, "Let's use PostgreSQL instead of SQLite", true);
        // An older statement ends nothing.
        let newer = memory(MemoryKind::Rule, "Always use tabs.", 85);
        let known = [newer];
        let placed =
            place_statement(&known, new(MemoryKind::Rule, "Never use tabs."), statement(85, "m", 1), Timestamp(9));
        assert!(placed.replaced.is_empty());
    }

    #[test]
    fn a_rule_that_was_replaced_comes_back_with_its_statement() {
        let mut tabs = memory(MemoryKind::Rule, "Always use tabs.", 85);
        let spaces = memory(MemoryKind::Rule, "Never use tabs.", 85);
        let by = spaces.id.clone();
        tabs.add_note(2, MemoryNote { at: Timestamp(6), event: MemoryEvent::Superseded { by } });
        let known = [tabs.clone(), spaces.clone()];
        let placed =
            place_statement(&known, new(MemoryKind::Rule, "Always use tabs."), statement(85, "m", 9), Timestamp(9));
        assert_eq!((placed.id, placed.is_new, placed.replaced), (tabs.id, false, vec![spaces.id]));
    }

    #[test]
    fn what_is_known_leads_to_the_memory_that_counts() {
        let mut short = memory(MemoryKind::Note, "use pnpm as package manager", 100);
        let mut long = memory(MemoryKind::Note, "use pnpm here as package manager", 100);
        let superseded =
            |by: &DurableMemory| MemoryNote { at: Timestamp(6), event: MemoryEvent::Superseded { by: by.id.clone() } };
        short.add_note(2, superseded(&long));
        let place = |known: &[DurableMemory]| {
            place_statement(
                known,
                new(MemoryKind::Note, "use pnpm as package manager"),
                statement(100, "m", 9),
                Timestamp(9),
            )
            .id
        };
        assert_eq!(place(&[short.clone(), long.clone()]), long.id);
        // A circle has an end.
        long.add_note(3, superseded(&short));
        assert!([&short.id, &long.id].contains(&&place(&[short.clone(), long.clone()])));
    }
}
