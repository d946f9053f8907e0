//! The metadata of an index segment and its binary encoding: for each message day, speaker, session, passage lengths
//! and, where a model embeds, a vector. With the segment's postings this is enough to rank messages without reading
//! them.
//!
//! A segment is a list of **groups**, each of consecutive messages of one conversation. Nothing here depends on another
//! segment, so segments can be written by one message or a million, and merged in any order.

use super::meaning::MeaningVector;
use super::told_dates::{DaySpan, MAX_TOLD_SPANS, ToldDates};
use model::{ChainHash, ConversationId, MessageRole, Timestamp, UtcDay};
use search::{ByteReader, ByteWriter, DamagedBytes, SignSketch, sketch_signs};
use std::sync::OnceLock;

/// Incremented whenever passages, terms or the bytes below change: segments of another format are rebuilt.
const FORMAT: u32 = 7;

/// The heads of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SegmentMetadata {
    pub(super) groups: Vec<PassageGroup>,
    /// By group: the sketches of its vectors, made when they are first asked for. A segment never changes, so that they
    /// are made once however often the corpus is laid out.
    sketches: OnceLock<Vec<Vec<SignSketch>>>,
}

/// Consecutive messages of one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PassageGroup {
    pub(super) conversation: ConversationId,
    /// The place of its first message.
    pub(super) first_seq: u32,
    /// The link of its last message: shows later whether the store still has what this was made from.
    pub(super) end: ChainLink,
    /// Speakers and sessions that its messages mention by number.
    pub(super) names: Vec<String>,
    pub(super) messages: Vec<MessageMetadata>,
    /// How many terms each passage has, message after message.
    pub(super) lengths: Vec<u32>,
    /// The vector of each message; empty where no model embeds.
    pub(super) meanings: Vec<MeaningVector>,
}

/// The first bytes of a message's chain hash; enough to notice a different chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChainLink(u32, u32);

/// The metadata of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a bit of its own in the segment")]
pub(super) struct MessageMetadata {
    /// How many passages it has; at least one.
    pub(super) passages: u32,
    pub(super) role: MessageRole,
    pub(super) speaker: Option<u32>,
    pub(super) session: Option<u32>,
    /// The day it happened, or the last one known before it.
    pub(super) day: Option<UtcDay>,
    /// When it happened, where its source says so; else when it was stored.
    pub(super) when: Timestamp,
    /// It ends in a question.
    pub(super) asks: bool,
    /// It is a standing rule.
    pub(super) rule: bool,
    /// All its words are words of its passages: none is cut in two, and no speaker in front was left out.
    pub(super) whole: bool,
    /// What it says about time.
    pub(super) told: ToldDates,
    /// It states a decision, a rule or a correction.
    pub(super) decides: bool,
}

impl ChainLink {
    pub(super) fn from_hash(hash: &ChainHash) -> Self {
        let bytes = hash.0.as_bytes();
        let four = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self(four(0), four(4))
    }
}

impl PassageGroup {
    /// The place of its last message.
    pub(super) fn last_seq(&self) -> u32 {
        self.first_seq + self.messages.len() as u32 - 1
    }

    /// The number of a name, noted where it is new.
    pub(super) fn intern_name(&mut self, name: &str) -> u32 {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        at as u32
    }
}

impl SegmentMetadata {
    pub(super) fn new(groups: Vec<PassageGroup>) -> Self {
        Self { groups, sketches: OnceLock::new() }
    }

    /// The sketches of the vectors of a group.
    pub(super) fn group_sketches(&self, group: usize) -> &[SignSketch] {
        let sketch = |group: &PassageGroup| group.meanings.iter().map(sketch_signs).collect();
        &self.sketches.get_or_init(|| self.groups.iter().map(sketch).collect())[group]
    }

    /// How many passages there are.
    pub(super) fn passage_count(&self) -> u32 {
        self.groups.iter().map(|group| group.lengths.len() as u32).sum()
    }

    /// As bytes, with the name of the model that made the vectors.
    pub(super) fn encode(&self, model: &str) -> Vec<u8> {
        let mut out = ByteWriter::default();
        out.write_number(FORMAT);
        out.write_text(model);
        out.write_list(&self.groups, |out, group| {
            out.write_text(group.conversation.as_str());
            out.write_number(group.first_seq);
            out.write_number(group.end.0);
            out.write_number(group.end.1);
            out.write_list(&group.names, |out, name| out.write_text(name));
            // Differences to the message before: neighbours are seconds apart, and take a byte or two instead of eight.
            let mut day = 0;
            let mut when = 0;
            out.write_list(&group.messages, |out, head| {
                let flags = u32::from(head.asks) | u32::from(head.rule) << 1 | u32::from(head.day.is_some()) << 2;
                let says = u32::from(head.told.says_when) << 6 | u32::from(head.decides) << 7;
                out.write_number(flags | (head.role as u32) << 3 | u32::from(head.whole) << 5 | says);
                out.write_optional(head.speaker);
                out.write_optional(head.session);
                if let Some(known) = head.day {
                    write_wide(out, i64::from(known.0) - i64::from(day));
                    day = known.0;
                }
                write_wide(out, head.when.0.wrapping_sub(when));
                when = head.when.0;
                out.write_number(head.passages);
                let spans: Vec<DaySpan> = head.told.spans.iter().flatten().copied().collect();
                // From the day of the message, which most of them are near to.
                out.write_list(&spans, |out, span| {
                    write_wide(out, i64::from(span.first.0) - i64::from(day));
                    write_wide(out, i64::from(span.last.0) - i64::from(span.first.0));
                });
            });
            group.lengths.iter().for_each(|length| out.write_number(*length));
            group.meanings.iter().for_each(|meaning| out.write_bytes(&meaning.map(i8::cast_unsigned)));
        });
        out.into_bytes()
    }

    /// Decodes metadata; `None` where the bytes are damaged, of another format or of another model.
    pub(super) fn decode(bytes: &[u8], model: &str) -> Option<Self> {
        let mut input = ByteReader::new(bytes);
        if input.read_number() != Ok(FORMAT) || input.read_text() != Ok(model) {
            return None;
        }
        let groups = input.read_list(|input| read_group(input, !model.is_empty())).ok()?;
        Some(Self::new(groups))
    }
}

fn read_group(input: &mut ByteReader<'_>, has_meanings: bool) -> Result<PassageGroup, DamagedBytes> {
    let conversation = ConversationId::parse(input.read_text()?).map_err(|_| DamagedBytes)?;
    let first_seq = input.read_number()?;
    let end = ChainLink(input.read_number()?, input.read_number()?);
    let names = input.read_list(|input| Ok(input.read_text()?.to_owned()))?;
    let mut day = 0i32;
    let mut when = 0i64;
    let messages = input.read_list(|input| {
        let flags = input.read_number()?;
        // Flags that do not exist are damage: bytes that decode by chance must not become messages.
        let (role, _) = MessageRole::ALL.get((flags as usize >> 3) & 3).filter(|_| flags < 256).ok_or(DamagedBytes)?;
        let speaker = input.maybe_below(names.len())?;
        let session = input.maybe_below(names.len())?;
        let known = flags & 4 != 0;
        if known {
            day = i32::try_from(i64::from(day).wrapping_add(read_wide(input)?)).map_err(|_| DamagedBytes)?;
        }
        when = when.wrapping_add(read_wide(input)?);
        let passages = input.read_number()?;
        let told = ToldDates { says_when: flags & 64 != 0, spans: read_spans(input, day)? };
        let decides = flags & 128 != 0;
        let day = known.then_some(UtcDay(day));
        let when = Timestamp(when);
        let asks = flags & 1 != 0;
        let is_rule = flags & 2 != 0;
        let whole = flags & 32 != 0;
        Ok(MessageMetadata {
            passages,
            role: *role,
            speaker,
            session,
            day,
            when,
            asks,
            rule: is_rule,
            whole,
            told,
            decides,
        })
    })?;
    // In 64 bits: damaged counts may overflow 32, and the read below would end early instead of failing.
    let passages = messages.iter().map(|head| u64::from(head.passages)).sum::<u64>();
    let ends = first_seq.checked_add(messages.len() as u32);
    if messages.is_empty() || messages.iter().any(|head| head.passages == 0) || first_seq == 0 || ends.is_none() {
        return Err(DamagedBytes);
    }
    let lengths = (0..passages).map(|_| input.read_number()).collect::<Result<_, _>>()?;
    let meanings = if has_meanings { messages.len() } else { 0 };
    let meanings = (0..meanings).map(|_| read_meaning(input)).collect::<Result<_, _>>()?;
    Ok(PassageGroup { conversation, first_seq, end, names, messages, lengths, meanings })
}

fn read_spans(input: &mut ByteReader<'_>, day: i32) -> Result<[Option<DaySpan>; MAX_TOLD_SPANS], DamagedBytes> {
    let read_day = |input: &mut ByteReader<'_>, from: i32| {
        i32::try_from(i64::from(from).wrapping_add(read_wide(input)?)).map_err(|_| DamagedBytes)
    };
    let found = input.read_list(|input| {
        let first = read_day(input, day)?;
        Ok(DaySpan { first: UtcDay(first), last: UtcDay(read_day(input, first)?) })
    })?;
    let mut spans = [None; MAX_TOLD_SPANS];
    spans.iter_mut().zip(found).for_each(|(place, span)| *place = Some(span));
    Ok(spans)
}

fn read_meaning(input: &mut ByteReader<'_>) -> Result<MeaningVector, DamagedBytes> {
    let bytes: [u8; size_of::<MeaningVector>()] =
        input.read_bytes(size_of::<MeaningVector>())?.try_into().map_err(|_| DamagedBytes)?;
    Ok(bytes.map(u8::cast_signed))
}

/// A number of either sign that may need all 64 bits, small ones in few bytes.
fn write_wide(out: &mut ByteWriter, value: i64) {
    let folded = ((value << 1) ^ (value >> 63)) as u64;
    out.write_number(folded as u32);
    out.write_number((folded >> 32) as u32);
}

fn read_wide(input: &mut ByteReader<'_>) -> Result<i64, DamagedBytes> {
    let folded = u64::from(input.read_number()?) | u64::from(input.read_number()?) << 32;
    Ok((folded >> 1) as i64 ^ -((folded & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ContentHash;
    use proptest::prelude::*;

    fn head() -> impl Strategy<Value = MessageMetadata> {
        let names = (proptest::option::of(0..2u32), proptest::option::of(0..2u32));
        let time = (proptest::option::of(any::<i32>().prop_map(UtcDay)), any::<i64>().prop_map(Timestamp));
        let span = any::<(i32, i32)>().prop_map(|(a, b)| DaySpan { first: UtcDay(a), last: UtcDay(b) });
        // Those that there are stand first.
        let spans = proptest::collection::vec(span, 0..=MAX_TOLD_SPANS).prop_map(|found| {
            let mut spans = [None; MAX_TOLD_SPANS];
            spans.iter_mut().zip(found).for_each(|(place, span)| *place = Some(span));
            spans
        });
        let told = (any::<bool>(), spans).prop_map(|(says_when, spans)| ToldDates { says_when, spans });
        (1..5u32, 0..4usize, names, time, any::<(bool, bool, bool, bool)>(), told).prop_map(
            |(passages, role, (speaker, session), (day, when), (asks, rule, whole, decides), told)| MessageMetadata {
                passages,
                role: MessageRole::ALL[role].0,
                speaker,
                session,
                day,
                when,
                asks,
                rule,
                whole,
                told,
                decides,
            },
        )
    }

    fn heads() -> impl Strategy<Value = SegmentMetadata> {
        let group = (any::<u8>(), 1..u32::MAX - 9, any::<(u32, u32)>(), proptest::collection::vec(head(), 1..5));
        let group = group.prop_map(|(name, first_seq, end, messages)| PassageGroup {
            conversation: ConversationId::from_hash(ContentHash::hash_bytes(&[name])),
            first_seq,
            end: ChainLink(end.0, end.1),
            names: vec!["Ann".to_owned(), String::new()],
            lengths: messages.iter().flat_map(|head| 0..head.passages).collect(),
            meanings: messages.iter().map(|head| [head.passages as i8 - 3; size_of::<MeaningVector>()]).collect(),
            messages,
        });
        proptest::collection::vec(group, 0..4).prop_map(SegmentMetadata::new)
    }

    proptest! {
        #[test]
        fn heads_survive(heads in heads()) {
            let bytes = heads.encode("model 1");
            prop_assert_eq!(SegmentMetadata::decode(&bytes, "model 2"), None);
            prop_assert_eq!(SegmentMetadata::decode(&bytes, "model 1"), Some(heads));
        }

        /// Damaged bytes give nothing, and never a panic or a group without messages.
        #[test]
        fn damaged_heads_are_harmless(heads in heads(), at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = heads.encode("");
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Some(read) = SegmentMetadata::decode(&bytes, "") {
                prop_assert!(read.groups.iter().all(|group| !group.messages.is_empty()));
            }
        }
    }
}
