//! `DurableMemory`, the data type for a memory: a short text that outlives its conversation and is told to later
//! sessions, because a user asked for that or because a fact of a conversation was promoted.
//!
//! A memory is named by its words and by whom it is for, so the same statement is one memory however often it is made.
//! Its words never change. What happens to it is noted ([`MemoryNote`]), one note behind the other, and how it stands
//! follows from the notes alone: nothing is overwritten, and nothing is deleted.

use crate::{ConversationId, DigestBuilder, MemoryId, ProjectId, Timestamp};

/// What a memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryKind {
    /// A text that a user or an agent asked to remember.
    Note,
    /// A rule of the user, promoted.
    Rule,
    /// A decision in force, promoted.
    Decision,
    /// A failure, and the command after which it was gone, promoted.
    Fix,
    /// A lesson: what was tried, where, and how it went.
    Reflection,
    /// A text that a session works with, which stands in a tier.
    Item,
}

crate::enum_words! {
    pub MemoryKind {
        Note = "note",
        Rule = "rule",
        Decision = "decision",
        Fix = "fix",
        Reflection = "reflection",
        Item = "item",
    }
}

impl MemoryKind {
    /// Whether it states something that holds: statements that say the same are one memory, whatever their kind.
    pub fn is_statement(self) -> bool {
        match self {
            Self::Note | Self::Rule | Self::Decision | Self::Fix => true,
            Self::Reflection | Self::Item => false,
        }
    }
}

/// How near at hand a memory is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryTier {
    /// Told to every session of the project when it begins.
    Hot,
    /// Told where a prompt is about it.
    Warm,
    /// Told where somebody asks for it.
    Cold,
}

crate::enum_words! { pub MemoryTier { Hot = "hot", Warm = "warm", Cold = "cold" } }

/// Who is told a memory besides whoever it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryVisibility {
    /// Nobody.
    Private,
    /// Colleagues who want to be told what its author shares.
    Team,
}

crate::enum_words! { pub MemoryVisibility { Private = "private", Team = "team" } }

/// Another memory that says the contrary of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDispute {
    /// The other one.
    pub with: MemoryId,
    /// Whether the one that this is about was said later.
    pub is_newer: bool,
}

/// A memory on its way in: what never changes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMemory {
    /// Its words.
    pub content: String,
    /// What it is.
    pub kind: MemoryKind,
    /// The project it is about; none where it is for its user, in every project.
    pub project: Option<ProjectId>,
    /// Whose it is, in a store that several people share; none where it belongs to all who use the store.
    pub author: Option<String>,
    /// The conversation it was taken from.
    pub conversation: Option<ConversationId>,
    /// The depth of the summary it was taken from; 0 for messages.
    pub depth: u32,
    /// When it was made.
    pub created: Timestamp,
}

impl NewMemory {
    /// Its id. What is no statement has ids of its own, so that a lesson is never taken for a rule of the same words; and so
    /// does what belongs to one of several people, so that nobody puts aside what another one said in the same words.
    pub fn id(&self) -> MemoryId {
        if self.kind.is_statement() && self.author.is_none() {
            return DurableMemory::id_of(self.project.as_ref(), &self.content);
        }
        let whose = self.project.as_ref().map_or("", ProjectId::as_str);
        let mut digest = DigestBuilder::new("memory").add_field(whose.as_bytes()).add_field(self.content.as_bytes());
        if !self.kind.is_statement() {
            digest = digest.add_field(self.kind.as_str().as_bytes());
        }
        if let Some(author) = &self.author {
            digest = digest.add_field(b"by").add_field(author.as_bytes());
        }
        MemoryId::from_hash(digest.finish())
    }
}

/// Something that happened to a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryNote {
    /// When it was noted.
    pub at: Timestamp,
    /// What happened.
    pub event: MemoryEvent,
}

/// What can happen to a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryEvent {
    /// It was stated, for the first time or again; one that was put aside counts again.
    Stated(MemoryStatement),
    /// It was found by a question.
    Recalled,
    /// Somebody asked for it and got it; each time counts.
    Used,
    /// It was put into a tier, or left the one it was in.
    Placed(Option<MemoryTier>),
    /// Its author shares it with the team, or no longer does.
    Shown(MemoryVisibility),
    /// It was put aside: a user forgot it, or it was taken back.
    Archived,
    /// Another one says what it said, and counts in its place.
    Superseded {
        /// The other one.
        by: MemoryId,
    },
}

/// A statement of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryStatement {
    /// How certain it is that it holds, in hundredths; 100 where it was asked for.
    pub certainty: u32,
    /// Words to find it by, without blanks.
    pub tags: Vec<String>,
    /// Ids of the messages, summaries and facts that it was taken from.
    pub sources: Vec<String>,
    /// What its source said besides, as a JSON object.
    pub metadata: Option<String>,
    /// When it was said, as far as that is known.
    pub said: Timestamp,
}

/// A memory as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurableMemory {
    /// Its id; see [`DurableMemory::id_of`].
    pub id: MemoryId,
    /// What never changes of it.
    pub body: NewMemory,
    /// The tags of all its statements, each once, in order.
    pub tags: Vec<String>,
    /// The sources of all its statements, each once, in order.
    pub sources: Vec<String>,
    /// What its sources said besides, one JSON object for each statement that had one, oldest first.
    pub metadata: Vec<String>,
    /// The highest certainty with which it was stated, in hundredths.
    pub certainty: u32,
    /// How often it was stated.
    pub stated: u32,
    /// How often it was recalled; once a day counts.
    pub recalled: u32,
    /// How often somebody asked for it and got it.
    pub used: u32,
    /// When that last was.
    pub used_at: Option<Timestamp>,
    /// The tier it stands in.
    pub tier: Option<MemoryTier>,
    /// Who is told it besides whoever it belongs to.
    pub visibility: MemoryVisibility,
    /// Since when it is shared.
    pub shared: Option<Timestamp>,
    /// The colleague it comes from, where it is not the reader's own. No store knows who reads: the engine sets it.
    pub colleague: Option<String>,
    /// Memories of other people that say the contrary. The engine sets it, among those that the reader is told.
    pub disputes: Vec<MemoryDispute>,
    /// When it was last said.
    pub said: Timestamp,
    /// When it was last stated or recalled.
    pub last_seen: Timestamp,
    /// The place of that note among all notes of the store: clocks may jump, this order does not.
    pub last_note: i64,
    /// When it was put aside, unless it counts.
    pub archived: Option<Timestamp>,
    /// The one that counts in its place.
    pub superseded_by: Option<MemoryId>,
}

/// How long it takes until half of the confidence in a memory that is not seen is gone, in milliseconds: half a year.
const HALF_LIFE_MILLIS: f64 = 182.0 * 24.0 * 60.0 * 60.0 * 1_000.0;
/// What is left of the doubt about a memory after it is stated again, and after it is recalled.
const DOUBT_LEFT_RESTATED: f64 = 0.7;
const DOUBT_LEFT_RECALLED: f64 = 0.9;

impl MemoryStatement {
    /// The certainty of what was asked for, in hundredths; there is no higher one.
    pub const ASKED_FOR: u32 = 100;
}

impl DurableMemory {
    /// The id of a memory of these words for a project, or for its user.
    pub fn id_of(project: Option<&ProjectId>, content: &str) -> MemoryId {
        let whose = project.map_or("", ProjectId::as_str);
        let digest = DigestBuilder::new("memory").add_field(whose.as_bytes()).add_field(content.as_bytes());
        MemoryId::from_hash(digest.finish())
    }

    /// A memory about which nothing is noted yet.
    pub fn new(body: NewMemory) -> Self {
        Self {
            id: body.id(),
            tags: Vec::new(),
            sources: Vec::new(),
            metadata: Vec::new(),
            certainty: 0,
            stated: 0,
            recalled: 0,
            used: 0,
            used_at: None,
            tier: None,
            visibility: MemoryVisibility::Private,
            shared: None,
            colleague: None,
            disputes: Vec::new(),
            said: body.created,
            last_seen: body.created,
            last_note: 0,
            archived: None,
            superseded_by: None,
            body,
        }
    }

    /// Takes the next note, which stands at this place among all notes.
    pub fn add_note(&mut self, number: i64, note: MemoryNote) {
        match note.event {
            MemoryEvent::Stated(statement) => {
                (self.archived, self.superseded_by) = (None, None);
                (self.last_seen, self.last_note) = (note.at, number);
                self.said = if self.stated == 0 { statement.said } else { self.said.max(statement.said) };
                self.stated += 1;
                self.certainty = self.certainty.max(statement.certainty.min(MemoryStatement::ASKED_FOR));
                add_new(&mut self.tags, statement.tags);
                add_new(&mut self.sources, statement.sources);
                self.metadata.extend(statement.metadata);
            }
            MemoryEvent::Recalled => {
                (self.last_seen, self.last_note) = (note.at, number);
                self.recalled += 1;
            }
            MemoryEvent::Used => {
                (self.last_seen, self.last_note, self.used_at) = (note.at, number, Some(note.at));
                self.used += 1;
            }
            MemoryEvent::Placed(tier) => self.tier = tier,
            MemoryEvent::Shown(visibility) => {
                self.visibility = visibility;
                self.shared = (visibility == MemoryVisibility::Team).then_some(note.at);
            }
            MemoryEvent::Archived => self.archived = Some(note.at),
            MemoryEvent::Superseded { by } => (self.archived, self.superseded_by) = (Some(note.at), Some(by)),
        }
    }

    /// Whether it counts: neither put aside nor replaced.
    pub fn is_active(&self) -> bool {
        self.archived.is_none()
    }

    /// Whether colleagues are told it who want to be: it counts, and its author shares it.
    pub fn is_shared(&self) -> bool {
        self.is_active() && self.visibility == MemoryVisibility::Team
    }

    /// Whether a user or an agent asked to remember it.
    pub fn is_asked_for(&self) -> bool {
        self.certainty >= MemoryStatement::ASKED_FOR
    }

    /// Whether its words are those that it was stored with.
    pub fn is_intact(&self) -> bool {
        self.id == self.body.id()
    }

    /// How far it is to be trusted, from 0 to 1, whatever its age: being stated again or recalled raises it.
    pub fn strength(&self) -> f64 {
        let doubt = 1.0 - f64::from(self.certainty) / f64::from(MemoryStatement::ASKED_FOR);
        let times = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let left = DOUBT_LEFT_RESTATED.powi(times(self.stated.saturating_sub(1)))
            * DOUBT_LEFT_RECALLED.powi(times(self.recalled));
        1.0 - doubt * left
    }

    /// The same at a moment: it falls with the time in which it was neither stated nor recalled, and by nothing else. A clock
    /// that stands before that moment makes it no younger.
    pub fn confidence_at(&self, now: Timestamp) -> f64 {
        let unseen = now.0.saturating_sub(self.last_seen.0).max(0) as f64;
        self.strength() * 0.5_f64.powf(unseen / HALF_LIFE_MILLIS)
    }
}

fn add_new(known: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContentHash;

    const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

    fn memory(certainty: u32) -> DurableMemory {
        let body = NewMemory {
            content: "never push to main".to_owned(),
            kind: MemoryKind::Rule,
            project: None,
            author: None,
            conversation: None,
            depth: 0,
            created: Timestamp(0),
        };
        let mut memory = DurableMemory::new(body);
        memory.add_note(1, stated(0, certainty, &["msg_1"]));
        memory
    }

    fn stated(at: i64, certainty: u32, sources: &[&str]) -> MemoryNote {
        let sources = sources.iter().map(|source| (*source).to_owned()).collect();
        let statement =
            MemoryStatement { certainty, tags: vec!["git".to_owned()], sources, metadata: None, said: Timestamp(at) };
        MemoryNote { at: Timestamp(at), event: MemoryEvent::Stated(statement) }
    }

    #[test]
    fn confidence_falls_with_age_unseen_alone_and_rises_with_every_use() {
        let mut memory = memory(80);
        assert!((memory.confidence_at(Timestamp(0)) - 0.8).abs() < 1e-9);
        assert!((memory.confidence_at(Timestamp(182 * DAY_MILLIS)) - 0.4).abs() < 1e-9);
        memory.add_note(2, stated(182 * DAY_MILLIS, 80, &["msg_2", "msg_1"]));
        let restated = memory.confidence_at(Timestamp(182 * DAY_MILLIS));
        assert!(restated > 0.8, "{restated}");
        memory.add_note(3, MemoryNote { at: Timestamp(183 * DAY_MILLIS), event: MemoryEvent::Recalled });
        assert!(memory.confidence_at(Timestamp(183 * DAY_MILLIS)) > restated);
        assert_eq!((memory.sources.join(" "), memory.tags.join(" ")), ("msg_1 msg_2".to_owned(), "git".to_owned()));
    }

    #[test]
    fn clocks_that_jump_a_hundred_years_break_nothing() {
        let century = 36_525 * DAY_MILLIS;
        let memory = memory(100);
        for now in [-century, century, i64::MIN, i64::MAX] {
            let confidence = memory.confidence_at(Timestamp(now));
            assert!((0.0..=1.0).contains(&confidence), "{now}: {confidence}");
        }
        assert!((memory.confidence_at(Timestamp(-century)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_memory_that_was_put_aside_counts_again_when_it_is_stated_again() {
        let mut memory = memory(100);
        memory.add_note(2, MemoryNote { at: Timestamp(5), event: MemoryEvent::Archived });
        assert_eq!((memory.is_active(), memory.archived), (false, Some(Timestamp(5))));
        memory.add_note(3, stated(6, 100, &[]));
        assert!(memory.is_active() && memory.is_asked_for());
        let by = DurableMemory::id_of(None, "other words");
        memory.add_note(4, MemoryNote { at: Timestamp(7), event: MemoryEvent::Superseded { by: by.clone() } });
        assert_eq!((memory.is_active(), memory.superseded_by), (false, Some(by)));
    }

    #[test]
    fn a_memory_is_private_until_it_is_shared_and_when_that_is_taken_back() {
        let mut memory = memory(100);
        assert!(!memory.is_shared());
        let shown = |at, visibility| MemoryNote { at: Timestamp(at), event: MemoryEvent::Shown(visibility) };
        memory.add_note(2, shown(4, MemoryVisibility::Team));
        assert_eq!((memory.is_shared(), memory.shared), (true, Some(Timestamp(4))));
        memory.add_note(3, MemoryNote { at: Timestamp(5), event: MemoryEvent::Archived });
        assert!(!memory.is_shared(), "what was put aside is told to nobody");
        memory.add_note(4, stated(6, 100, &[]));
        assert!(memory.is_shared());
        memory.add_note(5, shown(7, MemoryVisibility::Private));
        assert_eq!((memory.is_shared(), memory.shared), (false, None));
    }

    #[test]
    fn what_is_no_statement_has_a_tier_and_an_id_of_its_own() {
        let DurableMemory { body: words, .. } = memory(100);
        let ids = MemoryKind::ALL.iter().map(|(kind, _)| NewMemory { kind: *kind, ..words.clone() }.id());
        let ids: std::collections::BTreeSet<_> = ids.collect();
        assert_eq!(ids.len(), 3, "statements share one id, lessons and items have their own");
        let mut item = DurableMemory::new(NewMemory { kind: MemoryKind::Item, ..words });
        for (number, event) in [
            (1, MemoryEvent::Placed(Some(MemoryTier::Hot))),
            (2, MemoryEvent::Used),
            (3, MemoryEvent::Used),
            (4, MemoryEvent::Placed(Some(MemoryTier::Cold))),
        ] {
            item.add_note(number, MemoryNote { at: Timestamp(number), event });
        }
        assert_eq!((item.tier, item.used, item.used_at), (Some(MemoryTier::Cold), 2, Some(Timestamp(3))));
        item.add_note(5, MemoryNote { at: Timestamp(5), event: MemoryEvent::Placed(None) });
        assert!(item.tier.is_none() && item.is_active() && item.is_intact());
    }

    #[test]
    fn a_memory_is_named_by_its_words_and_by_whom_it_is_for() {
        let project = ProjectId::from_hash(ContentHash::hash_bytes(b"p"));
        let ids = [
            DurableMemory::id_of(None, "a"),
            DurableMemory::id_of(None, "b"),
            DurableMemory::id_of(Some(&project), "a"),
        ];
        assert!(ids[0] != ids[1] && ids[0] != ids[2] && ids[1] != ids[2]);
        let of = |author: &str| NewMemory { author: Some(author.to_owned()), ..memory(100).body }.id();
        let shared: std::collections::BTreeSet<_> = [memory(100).id, of("ana"), of("bob")].into();
        assert_eq!(shared.len(), 3, "each author has a memory of their own");
        let mut damaged = memory(100);
        assert!(damaged.is_intact());
        damaged.body.content.push('!');
        assert!(!damaged.is_intact());
    }
}
