//! Builds an index segment (terms with postings, and metadata) from messages, and merges several segments into one.
//! Pure functions without access to the store.

use super::meaning::{MAX_EMBEDDED_PASSAGES, embed_text};
use super::passage::{ends_in_question, split_passages, starts_at_boundary, without_speaker};
use super::rule::is_rule;
use super::searchable_text::OwnCalls;
use super::segment_metadata::{ChainLink, MessageMetadata, PassageGroup, SegmentMetadata};
use super::told_dates::ToldDates;
use super::{dates, words};
use crate::memory::fact::{find_directives, is_firm_decision, split_sentences};
use model::{FactKind, Message, MessageRole, NewMessage, UtcDay};
use providers::LocalEmbedder;
use regex::Regex;
use search::{DocumentMoves, EncodedTerm, PartPostings, SegmentTerms, StemRules, TermCounter, merge_postings};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// A passage has one field: what is said.
pub(super) const FIELDS: usize = 1;

/// Messages of more passages are not read for when things happened.
const MAX_TOLD_PASSAGES: usize = 3;

/// Messages of more passages are reports, in which a decision is one line of many.
const MAX_DECIDING_PASSAGES: usize = 6;

/// A segment that is not stored yet.
#[derive(Clone, Debug, Default)]
pub(super) struct BuiltSegment {
    pub(super) heads: Arc<SegmentMetadata>,
    /// Ordered by term, each term once.
    pub(super) postings: Vec<EncodedTerm>,
}

/// Consecutive messages of one conversation, at least one, and the last day known before them.
pub(super) struct MessageStretch {
    pub(super) day: Option<UtcDay>,
    pub(super) messages: Vec<Message>,
}

/// The segment of some stretches.
pub(super) fn build_segment(stretches: &[MessageStretch], embedder: Option<&dyn LocalEmbedder>) -> BuiltSegment {
    let terms = SegmentTerms::new(StemRules::English);
    let mut counter = terms.start_text();
    let groups = stretches.iter().filter_map(|stretch| build_group(stretch, embedder, &mut counter)).collect();
    let passages = terms.finish_text(counter);
    BuiltSegment { heads: Arc::new(SegmentMetadata::new(groups)), postings: terms.into_postings(&[passages]) }
}

fn build_group(
    stretch: &MessageStretch,
    embedder: Option<&dyn LocalEmbedder>,
    terms: &mut TermCounter<FIELDS>,
) -> Option<PassageGroup> {
    let first = stretch.messages.first()?;
    let last = stretch.messages.last()?;
    let mut group = PassageGroup {
        conversation: first.conversation.clone(),
        first_seq: u32::try_from(first.seq).ok()?,
        end: ChainLink::from_hash(&last.hash),
        names: Vec::new(),
        messages: Vec::with_capacity(stretch.messages.len()),
        lengths: Vec::new(),
        meanings: Vec::new(),
    };
    let mut day = stretch.day;
    // One for the whole stretch: a result in a later message names only the id of its call.
    let mut own_calls = OwnCalls::default();
    for message in &stretch.messages {
        let body = &message.body;
        let content = body.content();
        let searched = own_calls.blank_unsearched(body, &content);
        let text = without_speaker(&searched, body.speaker.as_deref());
        let cut = split_passages(text);
        group.lengths.extend(cut.iter().map(|range| {
            terms.start_document();
            terms.count_text(0, &text[range.clone()])
        }));
        // A long message says early what it is about, and embedding takes time for each word.
        let early = cut[..cut.len().min(MAX_EMBEDDED_PASSAGES)].last().map_or(0, |range| range.end);
        group.meanings.extend(embedder.map(|embedder| embed_text(embedder, &text[..early])));
        // A message without a date happened after the one before it, so it keeps that day.
        day = day_of(message).or(day);
        // "user" and "assistant" speak in every conversation; a question that has the word means something else.
        let named = body.speaker.as_deref().filter(|name| !words::is_generic(name));
        let head = MessageMetadata {
            passages: cut.len() as u32,
            role: body.role,
            speaker: named.map(|name| group.intern_name(name)),
            session: body.session.as_deref().map(|name| group.intern_name(name)),
            day,
            when: body.at.as_ref().and_then(|at| at.instant).unwrap_or(message.stored),
            asks: cut.last().is_some_and(|range| ends_in_question(&text[range.clone()])),
            rule: body.role == MessageRole::User && is_rule(text),
            whole: matches!(searched, Cow::Borrowed(_))
                && text.len() == content.len()
                && cut.iter().skip(1).all(|range| starts_at_boundary(&text[range.start..])),
            // A long text mentions times by the way; which of them is meant is not told by its words.
            told: if cut.len() <= MAX_TOLD_PASSAGES { ToldDates::from_text(text, day) } else { ToldDates::default() },
            decides: cut.len() <= MAX_DECIDING_PASSAGES && states_decision(body, text),
        };
        group.messages.push(head);
    }
    Some(group)
}

/// A person who gives a reason, or asks to remember, says how something is to be: few decisions have the word.
static GIVES_REASON: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"because|root cause|instead of|rather than|(?:keep|bear) (?:that|this|it) in mind|remember (?:that|this)|for the record";
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).expect("the pattern is a constant")
});

/// Whether a message states a decision, a rule or a correction, as facts have them, or how something is to be and why.
fn states_decision(body: &NewMessage, text: &str) -> bool {
    let is_statement = |kind: &FactKind| matches!(kind, FactKind::Decision | FactKind::Rule | FactKind::Correction);
    match body.role {
        MessageRole::User => {
            body.is_by_person()
                && (GIVES_REASON.is_match(text)
                    || find_directives(text).iter().any(|directive| is_statement(&directive.kind)))
        }
        MessageRole::Assistant => split_sentences(text).iter().any(|sentence| is_firm_decision(sentence)),
        MessageRole::System | MessageRole::Tool => false,
    }
}

/// The day a message happened, as far as its source says.
pub(super) fn day_of(message: &Message) -> Option<UtcDay> {
    let at = message.body.at.as_ref()?;
    at.instant.map(UtcDay::from_timestamp).or_else(|| dates::day_of(&at.text))
}

/// One segment of several: groups in the order of conversations and places, those that follow each other as one. `postings`
/// are those of all parts.
pub(super) fn merge_segments(parts: &[Arc<SegmentMetadata>], postings: Vec<PartPostings<'_>>) -> BuiltSegment {
    let mut order: Vec<(usize, u32, &PassageGroup)> = Vec::new();
    for (part, heads) in parts.iter().enumerate() {
        let mut start = 0;
        for group in &heads.groups {
            order.push((part, start, group));
            start += group.lengths.len() as u32;
        }
    }
    // By conversation and place, so that any split into segments merges into the same bytes (a property test holds it
    // to that).
    order.sort_by_key(|(.., group)| (&group.conversation, group.first_seq));
    let mut moves = vec![DocumentMoves::default(); parts.len()];
    let mut groups = Vec::<PassageGroup>::new();
    let mut next = 0;
    for (part, start, group) in order {
        let passages = group.lengths.len() as u32;
        moves[part].add_stretch(start, passages, next);
        next += passages;
        match groups.last_mut() {
            Some(last) if last.conversation == group.conversation && last.last_seq() + 1 == group.first_seq => {
                append_group(last, group);
            }
            _ => groups.push(group.clone()),
        }
    }
    let postings = merge_postings::<FIELDS>(postings, &moves);
    BuiltSegment { heads: Arc::new(SegmentMetadata::new(groups)), postings }
}

/// Adds the messages of a group to the one before it.
fn append_group(group: &mut PassageGroup, next: &PassageGroup) {
    // Each group numbers its names by itself.
    let numbers: Vec<u32> = next.names.iter().map(|name| group.intern_name(name)).collect();
    let number = |name: Option<u32>| name.map(|name| numbers[name as usize]);
    group.messages.extend(next.messages.iter().map(|head| MessageMetadata {
        speaker: number(head.speaker),
        session: number(head.session),
        ..*head
    }));
    group.lengths.extend(&next.lengths);
    group.meanings.extend(&next.meanings);
    group.end = next.end;
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::meaning::tests::Thesaurus;
    use super::*;
    use model::{ChainHash, ContentHash, ConversationId, EventTime, MessagePart, NewMessage, Timestamp, TokenCount};
    use search::each_posting;
    use std::collections::BTreeMap;

    /// A message of a conversation, by name; `text` may start with `Speaker@session|`.
    pub(in super::super) fn message(conversation: &str, seq: u64, text: &str) -> Message {
        let (who, text) = text.split_once('|').map_or((None, text), |(who, text)| (Some(who), text));
        let (speaker, session) = who.and_then(|who| who.split_once('@')).unzip();
        let id = ConversationId::from_hash(ContentHash::hash_bytes(conversation.as_bytes()));
        let body = NewMessage {
            external_id: None,
            role: MessageRole::User,
            speaker: speaker.map(str::to_owned),
            session: session.map(str::to_owned),
            at: Some(EventTime { text: format!("{} May 2023", seq.min(28)), instant: None }),
            metadata: None,
            parts: vec![MessagePart::Text { text: text.to_owned() }],
            part_marks: model::PartMarks::default(),
        };
        Message {
            id: model::message_id(&id, seq, None),
            conversation: id,
            seq,
            hash: ChainHash(ContentHash::hash_bytes(text.as_bytes())),
            body,
            tokens: TokenCount(1),
            stored: Timestamp(seq as i64),
        }
    }

    fn stretch(conversation: &str, first: u64, texts: &[&str]) -> MessageStretch {
        let messages = (first..).zip(texts).map(|(seq, text)| message(conversation, seq, text)).collect();
        MessageStretch { day: None, messages }
    }

    #[test]
    fn a_segment_knows_its_messages_and_their_words() {
        let built = build_segment(
            &[stretch("c", 1, &["Ann@one|Where did the cats go?", "Bob@one|The cat is here. Cat!"])],
            None,
        );
        let told: Vec<String> = built
            .postings
            .iter()
            .map(|posting| {
                let mut told = posting.term.clone();
                each_posting(&posting.bytes, |passage, [count]| told += &format!(" {passage}:{count}"));
                told
            })
            .collect();
        assert_eq!(told, ["cat 0:1 1:2", "did 0:1", "go 0:1", "here 1:1", "is 1:1", "the 0:1 1:1", "where 0:1"]);
        let group = &built.heads.groups[0];
        assert_eq!(group.names, ["Ann", "one", "Bob"]);
        assert_eq!(group.lengths, [5, 5]);
        assert_eq!(group.messages.iter().map(|head| head.asks).collect::<Vec<_>>(), [true, false]);
        assert_eq!(group.messages[1].day.map(|day| day.to_string()).as_deref(), Some("2023-05-02"));
    }

    proptest::proptest! {
        /// However messages are split into segments, put together they are the segment of all.
        #[test]
        fn merging_is_building_at_once(cuts in proptest::collection::vec(0..3usize, 12)) {
            let texts: Vec<String> = (0..12).map(|n| format!("Ann@s{}|word{} and {}", n / 5, n % 4, "cat ".repeat(n * 20))).collect();
            let names = ["a", "b", "c"];
            let thesaurus = Thesaurus::new();
            let mut by_name: BTreeMap<ConversationId, Vec<Message>> = BTreeMap::new();
            let mut parts = Vec::new();
            for (text, cut) in texts.iter().zip(&cuts) {
                let id = message(names[*cut], 1, "").conversation;
                let seq = by_name.get(&id).map_or(0, Vec::len) as u64 + 1;
                let message = message(names[*cut], seq, text);
                parts.push(build_segment(&[MessageStretch { day: None, messages: vec![message.clone()] }], Some(&thesaurus)));
                by_name.entry(id).or_default().push(message);
            }
            let at_once: Vec<MessageStretch> = by_name.into_values().map(|messages| MessageStretch { day: None, messages }).collect();
            let heads: Vec<Arc<SegmentMetadata>> = parts.iter().map(|part| Arc::clone(&part.heads)).collect();
            let rows = parts.iter().enumerate().flat_map(|(part, built)| {
                built.postings.iter().map(move |EncodedTerm { term, bytes }| PartPostings { term, part, bytes })
            });
            let wanted = build_segment(&at_once, Some(&thesaurus));
            let found = merge_segments(&heads, rows.collect());
            proptest::prop_assert_eq!(&found.heads, &wanted.heads);
            proptest::prop_assert_eq!(found.postings, wanted.postings);
        }
    }
}
