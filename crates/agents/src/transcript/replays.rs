//! Removes copied history from a transcript: a resumed session may copy earlier messages, under new ids. A run of
//! messages equal to an earlier run is a copy where times show it (the first times, or all in one moment), without
//! times only if longer. Lines are kept; a question asked again is emitted again. A run waits until it is long enough;
//! a pause emits it and changes nothing afterwards: a projection restored without that pause goes on alike.

use std::collections::HashMap;

use model::{MessagePart, MessageRole, ProjectedMessage};

use super::external_ids::{HashKey, short_hash};

#[derive(Default)]
pub(crate) struct ReplayFilter {
    /// The messages in order, without copies.
    told: Vec<MessageFingerprint>,
    /// Where in it the same was said.
    places: HashMap<u64, Vec<usize>>,
    run: CopyRun,
    expected: Option<ExpectedCopy>,
    /// Copies by their own names, and the messages that they are copies of.
    originals: HashMap<HashKey, usize>,
}

/// In the middle of a copy.
struct ExpectedCopy {
    /// The place whose words should come next.
    place: usize,
    /// When the copy before was written.
    at: Option<i64>,
}

/// One message.
struct MessageFingerprint {
    words: u64,
    at: Option<i64>,
    name: String,
}

/// Messages that may be a copy.
#[derive(Default)]
struct CopyRun {
    /// The places at which what they copy may begin.
    begins: Vec<usize>,
    waiting: Vec<WaitingMessage>,
}

struct WaitingMessage {
    /// The message, until it is given out.
    message: Option<ProjectedMessage>,
    /// Its content; `None` for messages of the program, which are not compared.
    told: Option<MessageFingerprint>,
    is_by_person: bool,
}

/// So many messages are a copy, where times say so.
const MIN_REPLAY_MESSAGES: usize = 4;
/// So many are one where there are no times.
const LEAST_UNTIMED: usize = 6;
/// A copy is written within so many milliseconds, and faster than what it copies was said.
const MAX_COPY_SPAN_MS: i64 = 2000;
/// So many places of the same words are remembered: what is said all the time shows no beginning of a copy.
const PLACES: usize = 32;
/// So many messages in a row may be missing in a copy.
const MAX_MISSING_MESSAGES: usize = 8;

impl ReplayFilter {
    /// Takes a message; what is known to be no copy goes to `out`. Gives the name of the message that this one copies.
    pub(crate) fn add_message(
        &mut self,
        mut message: ProjectedMessage,
        out: &mut Vec<ProjectedMessage>,
    ) -> Option<String> {
        self.lead_to_originals(&mut message);
        // Words of the program are in no copy or in all of them, so they neither begin nor break a run.
        let Some(told) = MessageFingerprint::from_message(&message) else {
            if self.run.waiting.is_empty() {
                out.push(message);
            } else {
                self.run.waiting.push(WaitingMessage { message: Some(message), told: None, is_by_person: false });
            }
            return None;
        };
        // A copy that was recognised goes on: each further message needs no new run.
        if let Some(place) = self.expected.take().and_then(|expected| self.find_continuation(&expected, &told)) {
            self.record_copy(&told.name, place);
            self.expected = Some(ExpectedCopy { place: place + 1, at: told.at });
            return Some(self.told[place].name.clone());
        }
        if !self.run.goes_on(&self.told, told.words) {
            self.tell_run(out);
            let begins = self.places.get(&told.words).cloned().unwrap_or_default();
            // Words that were never said before cannot begin a copy, so the message goes out at once.
            if begins.is_empty() {
                self.record_original(told);
                out.push(message);
                return None;
            }
            self.run.begins = begins;
        }
        let is_by_person = message.message.is_by_person();
        let name = told.name.clone();
        self.run.waiting.push(WaitingMessage { message: Some(message), told: Some(told), is_by_person });
        match self.run.decide_copy(&self.told) {
            RunDecision::Open => None,
            RunDecision::Told => {
                self.tell_run(out);
                None
            }
            RunDecision::Copied { from } => {
                self.drop_run(from, out);
                self.originals.get(&HashKey::from_text(&name)).map(|place| self.told[*place].name.clone())
            }
        }
    }

    /// Gives out what waits.
    pub(crate) fn pause(&mut self, out: &mut Vec<ProjectedMessage>) {
        out.extend(self.run.waiting.iter_mut().filter_map(|waiting| waiting.message.take()));
    }

    /// A message behind a copy gets the original as its parent.
    fn lead_to_originals(&self, message: &mut ProjectedMessage) {
        for above in [&mut message.parent, &mut message.continues].into_iter().flatten() {
            if let Some(place) = self.originals.get(&HashKey::from_text(above)) {
                above.clone_from(&self.told[*place].name);
            }
        }
    }

    /// The place at which a copy goes on with what was said now. Without times it goes on with the very next words or
    /// not at all: a short text may stand anywhere.
    fn find_continuation(&self, expected: &ExpectedCopy, said: &MessageFingerprint) -> Option<usize> {
        let is_at_once = expected.at.zip(said.at).is_some_and(|(before, at)| (at - before).abs() <= MAX_COPY_SPAN_MS);
        let ahead = self.told.iter().enumerate().skip(expected.place);
        let copied = |told: &MessageFingerprint| match (said.at, expected.at) {
            (None, None) => true,
            (at, _) => is_at_once || (at.is_some() && at == told.at),
        };
        // Without times a short text such as "yes" may stand anywhere, so only the very next place counts.
        let gap = if said.at.is_some() { MAX_MISSING_MESSAGES } else { 1 };
        let mut found = ahead.take(gap).filter(|(_, told)| told.words == said.words && copied(told));
        found.next().map(|(place, _)| place)
    }

    fn record_copy(&mut self, name: &str, place: usize) {
        self.originals.insert(HashKey::from_text(name), place);
    }

    fn record_original(&mut self, told: MessageFingerprint) {
        let places = self.places.entry(told.words).or_default();
        // A text that is said all the time shows no beginning; remembering more places would only cost time.
        if places.len() < PLACES {
            places.push(self.told.len());
        }
        self.told.push(told);
    }

    /// The run is no copy.
    fn tell_run(&mut self, out: &mut Vec<ProjectedMessage>) {
        for waiting in std::mem::take(&mut self.run).waiting {
            out.extend(waiting.message);
            if let Some(told) = waiting.told {
                self.record_original(told);
            }
        }
    }

    /// The run is a copy of what begins at a place.
    fn drop_run(&mut self, from: usize, out: &mut Vec<ProjectedMessage>) {
        // The messages of the run are dropped, but their lines stay in the archive.
        let (mut place, mut at) = (from, None);
        for waiting in std::mem::take(&mut self.run).waiting {
            if let Some(told) = waiting.told {
                self.record_copy(&told.name, place);
                (place, at) = (place + 1, told.at);
            } else if let Some(mut message) = waiting.message {
                // A text of the program inside of a copied run is given out, below the parent of which the run is a
                // copy.
                self.lead_to_originals(&mut message);
                out.push(message);
            }
        }
        self.expected = Some(ExpectedCopy { place, at });
    }
}

enum RunDecision {
    Open,
    Told,
    Copied { from: usize },
}

impl CopyRun {
    fn compared_messages(&self) -> impl Iterator<Item = &MessageFingerprint> {
        self.waiting.iter().filter_map(|waiting| waiting.told.as_ref())
    }

    /// Whether the words are the next of one of the earlier runs; the others are out.
    fn goes_on(&mut self, told: &[MessageFingerprint], words: u64) -> bool {
        let length = self.compared_messages().count();
        if length == 0 {
            return false;
        }
        let goes_on = |begin: &usize| told.get(begin + length).is_some_and(|next| next.words == words);
        if !self.begins.iter().any(goes_on) {
            return false;
        }
        // Runs that do not go on with these words are out; the others are compared further.
        self.begins.retain(goes_on);
        true
    }

    fn decide_copy(&self, told: &[MessageFingerprint]) -> RunDecision {
        let length = self.compared_messages().count();
        if length < MIN_REPLAY_MESSAGES {
            return RunDecision::Open;
        }
        let times: Option<Vec<i64>> = self.compared_messages().map(|told| told.at).collect();
        let has_person = self.waiting.iter().any(|waiting| waiting.is_by_person);
        let has_others = self.waiting.iter().any(|waiting| waiting.told.is_some() && !waiting.is_by_person);
        let evidence = |begin: &&usize| {
            let earlier = &told[**begin..**begin + length];
            let Some(times) = &times else { return length >= LEAST_UNTIMED };
            // A copy without times of an original with times, or the reverse, is no evidence.
            let Some(before) = earlier.iter().map(|told| told.at).collect::<Option<Vec<i64>>>() else { return false };
            // The times of the first writing, or a run written in a moment and much faster than it was said.
            *times == before
                || (time_span(times) <= MAX_COPY_SPAN_MS && time_span(times).saturating_mul(3) < time_span(&before))
        };
        match self.begins.iter().find(evidence) {
            // A copy has both sides: a person who asks the same thing several times is no copy.
            Some(from) if has_person && has_others => RunDecision::Copied { from: *from },
            None if times.is_none() && length < LEAST_UNTIMED => RunDecision::Open,
            _ => RunDecision::Told,
        }
    }
}

fn time_span(times: &[i64]) -> i64 {
    let (first, last) = (times.iter().min().copied(), times.iter().max().copied());
    first.zip(last).map_or(0, |(first, last)| last.saturating_sub(first))
}

impl MessageFingerprint {
    /// The content of a person, a model or a tool in a message; `None` if there is nothing to compare.
    fn from_message(message: &ProjectedMessage) -> Option<Self> {
        let body = &message.message;
        // Words of the program differ from copy to copy, as they hold times and paths.
        if body.speaker.is_some() && !body.is_by_person() || body.role == MessageRole::System {
            return None;
        }
        let said = body.parts.iter().flat_map(compared_texts).collect::<Vec<_>>();
        if said.is_empty() {
            return None;
        }
        // The NUL keeps two texts from being joined into one that says the same.
        let verbatim = format!("{}\0{}", body.role.as_str(), said.join("\0"));
        Some(Self {
            words: short_hash(&verbatim),
            at: body.at.as_ref().and_then(|at| at.instant).map(|instant| instant.0),
            name: body.external_id.clone()?,
        })
    }
}

/// The fields of a part that are equal in a copy. Hosts often leave thoughts out of a copy, and count tokens anew.
fn compared_texts(part: &MessagePart) -> Vec<&str> {
    match part {
        MessagePart::Text { text } => vec![text.trim()],
        MessagePart::Tool { call_id, name, input, output, error, .. } => {
            let fields = [call_id, name, input, output, error];
            fields.into_iter().map(|field| field.as_deref().unwrap_or_default()).collect()
        }
        MessagePart::File { url, name, .. } => [url, name].into_iter().flatten().map(String::as_str).collect(),
        MessagePart::Reasoning { .. }
        | MessagePart::Patch { .. }
        | MessagePart::Subtask { .. }
        | MessagePart::Compaction { .. }
        | MessagePart::StepStart
        | MessagePart::StepFinish { .. }
        | MessagePart::Snapshot { .. }
        | MessagePart::Agent { .. }
        | MessagePart::Retry { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::{LineKind, ProjectedMessage, Projection};

    use super::super::plain;

    /// A line of plain messages: who, what, under which id, at which second.
    fn line(role: &str, text: &str, id: &str, second: Option<f64>) -> String {
        let time = second.map(|second| {
            let (minute, rest) = ((second / 60.0) as u32, second % 60.0);
            format!(r#","timestamp":"2026-08-01T10:{minute:02}:{rest:06.3}Z""#)
        });
        format!(r#"{{"role":"{role}","content":"{text}","id":"{id}"{}}}"#, time.unwrap_or_default())
    }

    /// So many messages, a person's and a model's in turn, named with a letter, at the seconds that a function gives.
    fn talk(count: u32, letter: char, second: impl Fn(u32) -> Option<f64>) -> Vec<String> {
        let role = |place: u32| if place.is_multiple_of(2) { "user" } else { "assistant" };
        let one = |place| line(role(place), &format!("word {place}"), &format!("{letter}{place}"), second(place));
        (0..count).map(one).collect()
    }

    fn fed(lines: &[String]) -> (Vec<LineKind>, Vec<ProjectedMessage>, Box<dyn Projection>) {
        let mut projection = plain::build_projection(Path::new("talk.jsonl"));
        let (mut kinds, mut messages) = (Vec::new(), Vec::new());
        for line in lines {
            let projected = projection.feed_line(line.as_bytes());
            kinds.push(projected.kind);
            messages.extend(projected.messages);
        }
        messages.extend(projection.pause());
        (kinds, messages, projection)
    }

    fn names(messages: &[ProjectedMessage]) -> Vec<&str> {
        messages.iter().filter_map(|given| given.message.external_id.as_deref()).collect()
    }

    fn minutes() -> impl Fn(u32) -> Option<f64> {
        |place| Some(f64::from(place) * 60.0)
    }

    #[test]
    fn history_that_is_written_again_under_new_ids_is_told_once() {
        let written = |again: &dyn Fn(u32) -> Option<f64>, first: &dyn Fn(u32) -> Option<f64>| {
            let next = line("user", "and now?", "new", Some(3000.0));
            [talk(8, 'a', first), talk(8, 'b', again), vec![next]].concat()
        };
        let at_once = |place: u32| Some(2000.0 + f64::from(place) / 1000.0);
        for lines in [written(&at_once, &minutes()), written(&minutes(), &minutes()), written(&|_| None, &|_| None)] {
            let (kinds, messages, _) = fed(&lines);
            assert_eq!(names(&messages), ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "new"]);
            assert_eq!(kinds[15], LineKind::Repeat { of: "a7".to_owned() });
            assert_eq!(messages[8].parent.as_deref(), Some("a7"), "what follows the copy follows what it copies");
        }
    }

    #[test]
    fn a_copy_may_begin_anywhere_and_leave_something_out() {
        let at_once = |place: u32| Some(2000.0 + f64::from(place) / 1000.0);
        let mut copy = talk(10, 'b', at_once).split_off(2);
        copy.remove(5);
        let (_, messages, _) = fed(&[talk(10, 'a', minutes()), copy].concat());
        assert_eq!(messages.len(), 10);
    }

    #[test]
    fn what_is_said_again_is_told_again() {
        let later = |place: u32| Some(1200.0 + f64::from(place) * 30.0);
        assert_eq!(fed(&[talk(6, 'a', minutes()), talk(6, 'b', later)].concat()).1.len(), 12, "at its own pace");
        assert_eq!(fed(&[talk(5, 'a', |_| None), talk(5, 'b', |_| None)].concat()).1.len(), 10, "too short to tell");
        let at_once = |place: u32| Some(1200.0 + f64::from(place) / 10.0);
        assert_eq!(fed(&[talk(3, 'a', minutes()), talk(3, 'b', at_once)].concat()).1.len(), 6, "too short to tell");
        let as_fast = |place: u32| Some(1300.0 + f64::from(place) / 10.0);
        assert_eq!(fed(&[talk(6, 'a', at_once), talk(6, 'b', as_fast)].concat()).1.len(), 12, "as fast as before");
        let yes = |letter: char| line("user", "yes", &letter.to_string(), Some(f64::from(u32::from(letter))));
        assert_eq!(fed(&('a'..'k').map(yes).collect::<Vec<_>>()).1.len(), 10, "only one speaks");
    }

    #[test]
    fn a_short_text_after_a_copy_is_not_taken_for_more_of_it() {
        let at_once = |place: u32| Some(2000.0 + f64::from(place) / 1000.0);
        let lines = [talk(8, 'a', minutes()), talk(6, 'b', at_once), vec![line("user", "word 6", "new", Some(2600.0))]];
        assert_eq!(names(&fed(&lines.concat()).1).last(), Some(&"new"));
    }

    #[test]
    fn a_pause_gives_out_what_waits_and_nothing_twice() {
        let at_once = |place: u32| Some(2000.0 + f64::from(place) / 1000.0);
        let (_, messages, mut projection) = fed(&[talk(8, 'a', minutes()), talk(2, 'b', at_once)].concat());
        assert_eq!(names(&messages)[8..], ["b0", "b1"]);
        assert_eq!(projection.pause(), []);
        let rest: Vec<String> = talk(8, 'b', at_once).split_off(2);
        let more: Vec<_> = rest.iter().flat_map(|line| projection.feed_line(line.as_bytes()).messages).collect();
        assert_eq!(more, [], "the rest is known to be a copy");
    }
}
