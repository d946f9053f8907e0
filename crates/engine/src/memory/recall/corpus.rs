//! The in-memory index of all messages that recall searches, laid out from segments: conversation, speaker, time, and
//! passages of each message, without text.
//!
//! Passages of one conversation stand side by side in its order, whatever segments they come from, so that neighbours
//! are neighbours. Conversations are ordered by id, so that equal scores come in the same order everywhere.

use super::held_segment::HeldSegment;
use super::meaning::MeaningVector;
use super::reached_messages::ReachBits;
use super::scope::CorpusScope;
use super::segment_metadata::{PassageGroup, SegmentMetadata};
use super::told_dates::ToldDates;
use foldhash::{HashMap, HashMapExt};
use model::{ConversationId, MessageRole, ProjectId, Timestamp, UtcDay};
use search::SignSketch;
use std::ops::Range;
use std::sync::Arc;
use store::{Conversation, MemoryVersion};

/// A segment, stored or not.
#[derive(Clone)]
pub(super) enum RecallSegment {
    /// Its postings are in the store.
    Stored { number: i64, heads: Arc<SegmentMetadata> },
    /// All of it is here.
    Held(Arc<HeldSegment>),
}

impl RecallSegment {
    /// The store's number for it.
    pub(super) fn store_number(&self) -> Option<i64> {
        match self {
            Self::Stored { number, .. } => Some(*number),
            Self::Held(_) => None,
        }
    }

    pub(super) fn held_segment(&self) -> Option<&Arc<HeldSegment>> {
        match self {
            Self::Stored { .. } => None,
            Self::Held(held) => Some(held),
        }
    }

    pub(super) fn segment_metadata(&self) -> &Arc<SegmentMetadata> {
        match self {
            Self::Stored { heads, .. } => heads,
            Self::Held(held) => &held.heads,
        }
    }
}

/// The index of all messages that can be recalled.
pub(super) struct Corpus {
    /// The state of the messages that it was made from.
    pub(super) version: MemoryVersion,
    pub(super) segments: Vec<PlacedSegment>,
    pub(super) talks: Vec<CorpusConversation>,
    /// Conversations that end at a damaged message here, each with the note that answers carry.
    pub(super) damaged: Vec<(ConversationId, String)>,
    /// Whether every message that there was is here.
    pub(super) is_complete: bool,
    pub(super) messages: Vec<CorpusMessage>,
    /// By message: where its passages end.
    ends: Vec<u32>,
    /// By passage: its message.
    pub(super) of: Vec<u32>,
    /// By passage: how many terms it has.
    pub(super) lengths: Vec<u32>,
    /// By passage: which of its neighbours it gives to, see [`NeighbourFlags`].
    pub(super) near: Vec<NeighbourFlags>,
    pub(super) speakers: Vec<String>,
    /// By session: how many messages it has.
    pub(super) sessions: Vec<u32>,
    /// By session: its first message.
    openers: Vec<u32>,
    /// Where the vectors of messages are, in the order of messages.
    vector_runs: Vec<VectorRun>,
    /// Which passages a word reaches, as bits.
    pub(super) reach: ReachBits,
}

/// Messages whose vectors lie side by side: those of a group.
struct VectorRun {
    /// The first of them.
    message: u32,
    segment: u32,
    group: u32,
}

/// A segment and where its passages are.
pub(super) struct PlacedSegment {
    pub(super) part: RecallSegment,
    pub(super) groups: Vec<PlacedGroup>,
}

/// Where the passages of a group are.
#[derive(Clone, Copy)]
pub(super) struct PlacedGroup {
    /// Its first passage in the segment.
    pub(super) start: u32,
    /// How many there are.
    pub(super) passages: u32,
    /// Its first passage here.
    pub(super) at: u32,
    pub(super) talk: u32,
    /// Its place among the groups of the segment.
    pub(super) group: u32,
}

/// The numbers that the names of a group have in the corpus, each looked up once: there are very many messages and few
/// names.
struct NameNumbers(Vec<Option<u32>>);

impl NameNumbers {
    fn new(group: &PassageGroup) -> Self {
        // The first is for messages without a name.
        Self(vec![None; group.names.len() + 1])
    }

    fn number_of(&mut self, name: Option<u32>, find: impl FnOnce() -> u32) -> u32 {
        *self.0[name.map_or(0, |name| name as usize + 1)].get_or_insert_with(find)
    }
}

/// A conversation.
pub(super) struct CorpusConversation {
    pub(super) id: ConversationId,
    pub(super) name: String,
    pub(super) project: Option<ProjectId>,
    pub(super) messages: Range<u32>,
    pub(super) passages: Range<u32>,
    /// Terms of all its passages.
    pub(super) terms: u64,
    /// The speakers in it.
    pub(super) speakers: Vec<u32>,
}

/// A message.
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of its own in the segment")]
pub(super) struct CorpusMessage {
    pub(super) talk: u32,
    pub(super) session: u32,
    pub(super) speaker: Option<u32>,
    pub(super) role: MessageRole,
    pub(super) day: Option<UtcDay>,
    pub(super) when: Timestamp,
    pub(super) asks: bool,
    pub(super) rule: bool,
    /// All its words are words of its passages.
    pub(super) whole: bool,
    pub(super) told: ToldDates,
    /// It states a decision, a rule or a correction.
    pub(super) decides: bool,
}

/// Which neighbours a passage shares its session with, as bits.
#[derive(Clone, Copy, Default)]
pub(super) struct NeighbourFlags(u8);

impl NeighbourFlags {
    pub(super) const NEXT: Self = Self(1);
    pub(super) const PREVIOUS: Self = Self(2);
    pub(super) const SECOND_NEXT: Self = Self(4);
    pub(super) const SECOND_PREVIOUS: Self = Self(8);
    /// The passage before it ends another message, and that message asks.
    pub(super) const ANSWERS: Self = Self(16);

    pub(super) fn has(self, bit: Self) -> bool {
        self.0 & bit.0 != 0
    }
}

impl Corpus {
    /// Lays segments out. Together they cover `conversations` from the first message on; what is behind a gap is left
    /// out.
    pub(super) fn new(version: MemoryVersion, parts: &[RecallSegment], conversations: Vec<Conversation>) -> Self {
        let mut groups: HashMap<&ConversationId, Vec<(usize, PlacedGroup, &PassageGroup)>> = HashMap::new();
        for (segment, part) in parts.iter().enumerate() {
            // Postings of a segment number its passages through all groups, so the start of each group is counted here.
            let mut start = 0;
            for (number, group) in (0..).zip(&part.segment_metadata().groups) {
                let passages = group.lengths.len() as u32;
                let placed = PlacedGroup { start, passages, at: 0, talk: 0, group: number };
                groups.entry(&group.conversation).or_default().push((segment, placed, group));
                start += passages;
            }
        }
        let place = |part: &RecallSegment| PlacedSegment { part: part.clone(), groups: Vec::new() };
        // Room for all at once: a corpus is laid out after every new message, and vectors that grow are copied.
        let all_groups = || parts.iter().flat_map(|part| &part.segment_metadata().groups);
        let all_messages: usize = all_groups().map(|group| group.messages.len()).sum();
        let all_passages: usize = all_groups().map(|group| group.lengths.len()).sum();
        let mut corpus = Self {
            version,
            segments: parts.iter().map(place).collect(),
            talks: Vec::with_capacity(conversations.len()),
            damaged: Vec::new(),
            is_complete: true,
            messages: Vec::with_capacity(all_messages),
            ends: Vec::with_capacity(all_messages),
            of: Vec::with_capacity(all_passages),
            lengths: Vec::with_capacity(all_passages),
            near: Vec::with_capacity(all_passages),
            speakers: Vec::new(),
            sessions: Vec::new(),
            openers: Vec::new(),
            vector_runs: Vec::new(),
            reach: ReachBits::default(),
        };
        let mut speakers = HashMap::new();
        for conversation in conversations {
            let mut groups = groups.remove(&conversation.id).unwrap_or_default();
            // Runs of a conversation may lie in any segment, in any order: merges put together what was small, not what
            // adjoins.
            groups.sort_by_key(|(.., group)| group.first_seq);
            corpus.add_conversation(conversation, &groups, &mut speakers);
        }
        for placed in &mut corpus.segments {
            // `each_place` walks groups and postings side by side, and needs them in the order of the segment.
            placed.groups.sort_unstable_by_key(|group| group.start);
        }
        corpus.reach = ReachBits::from_corpus(&corpus);
        corpus
    }

    fn add_conversation(
        &mut self,
        conversation: Conversation,
        groups: &[(usize, PlacedGroup, &PassageGroup)],
        known: &mut HashMap<String, u32>,
    ) {
        let talk = self.talks.len() as u32;
        let first_message = self.messages.len() as u32;
        let first_passage = self.of.len() as u32;
        let mut sessions: HashMap<Option<String>, u32> = HashMap::new();
        let mut terms = 0;
        let mut speaking = Vec::new();
        let mut next_seq = 1;
        for (segment, placed, group) in groups {
            // Behind a gap a neighbour would not be a neighbour, and `message_place` computes seq from the position.
            if group.first_seq != next_seq {
                break;
            }
            next_seq = group.last_seq() + 1;
            let at = self.of.len() as u32;
            let message = self.messages.len() as u32;
            self.segments[*segment].groups.push(PlacedGroup { at, talk, ..*placed });
            self.vector_runs.push(VectorRun { message, segment: *segment as u32, group: placed.group });
            let name = |number: Option<u32>| number.and_then(|number| group.names.get(number as usize));
            let mut session_numbers = NameNumbers::new(group);
            let mut speaker_numbers = NameNumbers::new(group);
            for head in &group.messages {
                // Sessions are numbered within a conversation: the same name in another one is another session.
                let session = session_numbers.number_of(head.session, || {
                    *sessions.entry(name(head.session).cloned()).or_insert_with(|| {
                        self.sessions.push(0);
                        self.openers.push(self.messages.len() as u32);
                        self.sessions.len() as u32 - 1
                    })
                });
                let speaker = name(head.speaker).map(|name| {
                    speaker_numbers.number_of(head.speaker, || {
                        *known.entry(name.clone()).or_insert_with(|| {
                            self.speakers.push(name.clone());
                            self.speakers.len() as u32 - 1
                        })
                    })
                });
                speaking.extend(speaker.filter(|speaker| !speaking.contains(speaker)));
                self.sessions[session as usize] += 1;
                let message = self.messages.len() as u32;
                self.messages.push(CorpusMessage {
                    talk,
                    session,
                    speaker,
                    role: head.role,
                    day: head.day,
                    when: head.when,
                    asks: head.asks,
                    rule: head.rule,
                    whole: head.whole,
                    told: head.told,
                    decides: head.decides,
                });
                self.of.extend(std::iter::repeat_n(message, head.passages as usize));
                self.ends.push(self.of.len() as u32);
            }
            self.lengths.extend(&group.lengths);
            terms += group.lengths.iter().map(|length| u64::from(*length)).sum::<u64>();
        }
        // A damaged message ends the groups early; exact searches must not rely on this corpus then.
        self.is_complete &= u64::from(next_seq - 1) >= conversation.messages;
        let passages = first_passage..self.of.len() as u32;
        self.near.extend(passages.clone().map(|passage| neighbour_flags(&self.messages, &self.of, &passages, passage)));
        self.talks.push(CorpusConversation {
            id: conversation.id,
            name: conversation.name,
            project: conversation.project,
            messages: first_message..self.messages.len() as u32,
            passages,
            terms,
            speakers: speaking,
        });
    }

    pub(super) fn message_at(&self, message: u32) -> &CorpusMessage {
        &self.messages[message as usize]
    }

    /// The name of the conversation of a message.
    pub(super) fn conversation_name(&self, message: u32) -> &str {
        &self.talks[self.message_at(message).talk as usize].name
    }

    /// How many messages a conversation has.
    pub(super) fn message_count(&self, conversation: &ConversationId) -> u64 {
        let talk = self.talks.iter().find(|talk| talk.id == *conversation);
        talk.map_or(0, |talk| talk.messages.len() as u64)
    }

    /// Whether a message is the first of a session that has more.
    pub(super) fn is_opener(&self, message: u32) -> bool {
        let session = self.message_at(message).session as usize;
        self.openers[session] == message && self.sessions[session] > 1
    }

    /// The reply of an assistant that directly follows what a person said.
    pub(super) fn reply_to(&self, message: u32) -> Option<u32> {
        let entry = self.message_at(message);
        let next = self.messages.get(message as usize + 1)?;
        let is_reply = entry.role == MessageRole::User
            && next.role == MessageRole::Assistant
            && next.session == entry.session
            && next.talk == entry.talk;
        is_reply.then_some(message + 1)
    }

    /// Whether anything of a message is searched.
    pub(super) fn has_words(&self, message: u32) -> bool {
        self.lengths[self.passage_range(message)].iter().any(|length| *length > 0)
    }

    /// The vector of a message; `None` where no model embeds.
    pub(super) fn vector_of(&self, message: u32) -> Option<&MeaningVector> {
        let run = &self.vector_runs[self.vector_runs.partition_point(|run| run.message <= message).checked_sub(1)?];
        let groups = &self.segments[run.segment as usize].part.segment_metadata().groups;
        groups[run.group as usize].meanings.get((message - run.message) as usize)
    }

    /// The vectors of groups that follow each other, each with its first message, in the order of messages.
    pub(super) fn vector_groups(&self) -> impl Iterator<Item = (u32, &[MeaningVector])> {
        self.vector_runs.iter().map(|run| {
            let groups = &self.segments[run.segment as usize].part.segment_metadata().groups;
            (run.message, &*groups[run.group as usize].meanings)
        })
    }

    /// The sketches of these vectors.
    pub(super) fn sketch_groups(&self) -> impl Iterator<Item = (u32, &[SignSketch])> {
        self.vector_runs.iter().map(|run| {
            let segment = self.segments[run.segment as usize].part.segment_metadata();
            (run.message, segment.group_sketches(run.group as usize))
        })
    }

    /// The passages of a message.
    pub(super) fn passage_range(&self, message: u32) -> Range<usize> {
        let start = message.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        start as usize..self.ends[message as usize] as usize
    }

    /// The notes on damaged messages in conversations that are searched.
    pub(super) fn damage_within(&self, scope: &CorpusScope) -> Vec<String> {
        let is_searched = |id: &ConversationId| {
            (0..).zip(&self.talks).any(|(talk, it)| it.id == *id && scope.contains_conversation(talk))
        };
        self.damaged.iter().filter(|(id, _)| is_searched(id)).map(|(_, told)| told.clone()).collect()
    }

    /// Whether it was laid out from these stored segments.
    pub(super) fn has_segments(&self, numbers: &[i64]) -> bool {
        let known: Vec<i64> = self.segments.iter().filter_map(|segment| segment.part.store_number()).collect();
        // The same number and every one known: a merge replaces segments without changing any message.
        known.len() == numbers.len() && known.iter().all(|number| numbers.contains(number))
    }

    /// Where a message stands: its conversation, and its place in it.
    pub(super) fn message_place(&self, message: u32) -> (ConversationId, u64) {
        let talk = &self.talks[self.messages[message as usize].talk as usize];
        (talk.id.clone(), u64::from(message - talk.messages.start) + 1)
    }
}

fn neighbour_flags(messages: &[CorpusMessage], of: &[u32], within: &Range<u32>, passage: u32) -> NeighbourFlags {
    let message = of[passage as usize];
    let session = messages[message as usize].session;
    let other = |step: i32| {
        let place = passage.checked_add_signed(step).filter(|place| within.contains(place))?;
        let other = of[place as usize];
        // The last message of one session does not answer the first one of the next, though they follow each other.
        (messages[other as usize].session == session).then_some(other)
    };
    let bit = |bit: NeighbourFlags, is_set: bool| if is_set { bit.0 } else { 0 };
    let previous = other(-1);
    let answers = previous.is_some_and(|previous| previous != message && messages[previous as usize].asks);
    NeighbourFlags(
        bit(NeighbourFlags::NEXT, other(1).is_some())
            | bit(NeighbourFlags::PREVIOUS, previous.is_some())
            | bit(NeighbourFlags::SECOND_NEXT, other(2).is_some())
            | bit(NeighbourFlags::SECOND_PREVIOUS, other(-2).is_some())
            | bit(NeighbourFlags::ANSWERS, answers),
    )
}
