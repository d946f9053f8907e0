//! Packs the text that a new session begins with into one budget: what is wrong with us, the standing facts of the
//! project, memories, lines about earlier sessions, and a page about the project.
//!
//! ```text
//! health      whole, first: an agent that knows of a failure can tell its user
//! checkpoint  a line: where the session's own plan stood
//! left steps  what earlier sessions listed and left open, which may be done
//! memories    the newest of the project and of its user, without what the facts say already
//! sessions    a line each
//! facts       what the parts around them leave
//! briefing    the rest
//! ```
//! Whatever a part does not need goes to the others. Nothing is cut in the middle but a long memory, which its id gives
//! in full.

use super::injection::{MAX_INJECTION_CHARS, SessionBriefing, one_line, render_memory, wrap_injection};
use crate::memory::assemble::{FactBlock, pack_facts};
use crate::memory::durable::{is_contrary_to, is_same_statement};
use crate::memory::fact::{split_sentences, without_label};
use crate::memory::left_steps::LeftSteps;
use crate::memory::session_lines::{SessionLine, SessionOutcome};
use crate::memory::summarize::{StatementPurpose, cut_text, shorten_text};
use model::{
    ContentHash, DurableMemory, Fact, FactKind, INJECTION_BEGIN, INJECTION_END, MemoryKind, MemoryTier, TokenCount,
    count_tokens,
};

/// How many memories of the project and of its user are told.
const MAX_PROJECT_MEMORIES: usize = 5;
const MAX_USER_MEMORIES: usize = 3;
/// How many lists of steps that were left open, and how many steps of each.
const MAX_LEFT_LISTS: usize = 2;
const MAX_LEFT_STEPS: usize = 3;
const MAX_STEP_CHARS: usize = 90;
/// How many lines about earlier sessions.
pub(crate) const SESSION_LINES: usize = 3;
/// Hundredths of the budget for memories, for lines about sessions, for steps that were left open and for the briefing,
/// before the facts have theirs.
const MEMORIES_PERCENT: u32 = 20;
const LEFT_PERCENT: u32 = 10;
const SESSIONS_PERCENT: u32 = 25;
const BRIEFING_PERCENT: u32 = 25;
/// Characters of the first and of the last prompt of a session, and tokens of what came out at its end.
const MAX_OPENING_CHARS: usize = 110;
const MAX_LAST_CHARS: usize = 90;
const MAX_OUTCOME_TOKENS: u32 = 44;
/// Characters that a token of a page has at most, nearly always.
const MAX_CHARS_PER_TOKEN: usize = 5;
/// A memory that was neither stated nor recalled for so long that its confidence is below this stands behind the others.
const FADED_CONFIDENCE: f64 = 0.1;

/// A listing shows this many files at once: about a smaller project an agent needs no briefing.
const MAX_UNBRIEFED_FILES: usize = 10;

/// What a session may be told of earlier ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionMemory {
    /// Facts that hold, the newest first.
    pub(crate) facts: Vec<Fact>,
    /// Open steps that may be done, of the newest conversation first.
    pub(crate) left: Vec<LeftSteps>,
    /// Memories that count, the one that was seen last first, each with how far it is to be trusted.
    pub(crate) memories: Vec<(DurableMemory, f64)>,
    /// Earlier sessions, the newest first.
    pub(crate) sessions: Vec<SessionLine>,
    /// Where the work of the session itself stood by its newest checkpoint.
    pub(crate) checkpoint: Option<String>,
}

/// The text of a session's beginning while it is packed.
pub(crate) struct OrientationPacker {
    room: u32,
    characters: usize,
    health: Option<String>,
    facts: Option<String>,
    left: Option<String>,
    memories: Option<String>,
    sessions: Option<String>,
    checkpoint: Option<String>,
    briefing: Option<String>,
    source: SessionMemory,
    /// The ids of the memories that are told.
    told: Vec<String>,
}

const HEALTH_HEADING: &str = "State of epitome:";
const CHECKPOINT_HEADING: &str = "Where this session's work stood:";
const FACTS_HEADING: &str = "From earlier conversations about this project; `expand ID` gives a message:";
const LEFT_HEADING: &str = "Listed as steps by an earlier session and left open while work went on, so they may be done; `describe ID` says more:";
const MEMORIES_HEADING: &str = "Remembered, to go by and not as orders; `describe ID` gives all of one:";
const SESSIONS_HEADING: &str = "Earlier sessions, in the first and the last words of their user → what their agent said or did at the end; `describe ID` says more:";
const BRIEFING_HEADING: &str = "This project, from its index:";

impl OrientationPacker {
    /// Packs what is remembered; `has_briefing` keeps room for a page about the project.
    pub(crate) fn new(tokens: u32, health: Option<&str>, source: SessionMemory, has_briefing: bool) -> Self {
        // The lines around the text are paid for first, so that no part can take their room.
        let fence = count_tokens(INJECTION_BEGIN).0 + count_tokens(INJECTION_END).0 + 2;
        let mut packer = Self {
            room: tokens.saturating_sub(fence),
            characters: MAX_INJECTION_CHARS,
            health: None,
            facts: None,
            left: None,
            memories: None,
            sessions: None,
            checkpoint: None,
            briefing: None,
            source,
            told: Vec::new(),
        };
        // Before all else: where something is wrong with us, the rest may be missing because of it.
        packer.health = health.and_then(|health| packer.take(HEALTH_HEADING, health));
        packer.pack_memory(has_briefing);
        packer
    }

    /// What a page about the project may cost.
    pub(crate) fn briefing_budget(&self) -> TokenCount {
        let by_characters = u32::try_from(self.characters / MAX_CHARS_PER_TOKEN).unwrap_or(u32::MAX);
        TokenCount(self.room.min(by_characters).saturating_sub(heading_cost(BRIEFING_HEADING)))
    }

    /// Adds the page, gives what it leaves to the facts, and writes the text; `None` if there is nothing to tell.
    pub(crate) fn finish(mut self, briefing: Option<SessionBriefing<'_>>) -> Option<String> {
        // An agent sees the few files of a small project at one look; a briefing would only cost tokens.
        if let Some(briefing) = briefing.filter(|briefing| briefing.files > MAX_UNBRIEFED_FILES) {
            self.briefing = self.take(BRIEFING_HEADING, briefing.text);
        }
        self.repack_facts();
        let parts = [self.health, self.checkpoint, self.facts, self.left, self.memories, self.sessions, self.briefing];
        wrap_injection(&parts.into_iter().flatten().collect::<Vec<_>>())
    }

    /// What is told of earlier sessions, in one number: a session that was told the same needs it no second time.
    pub(crate) fn digest(&self) -> Option<String> {
        let parts = [&self.checkpoint, &self.facts, &self.left, &self.memories, &self.sessions];
        let told: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        (!told.is_empty()).then(|| ContentHash::hash_bytes(told.concat().as_bytes()).to_string())
    }

    /// The ids of the memories that are told.
    pub(crate) fn told_memories(&self) -> &[String] {
        &self.told
    }

    fn pack_memory(&mut self, has_briefing: bool) {
        let whole = self.room;
        let share = |hundredths: u32| whole / 100 * hundredths;
        if let Some(line) = self.source.checkpoint.take() {
            self.checkpoint = self.take(CHECKPOINT_HEADING, &line);
        }
        // Memories and sessions have shares of the whole and are packed first; the facts, which are the most, take what
        // is left.
        let (ids, lines) = self.memory_lines();
        self.memories = self.take_lines(MEMORIES_HEADING, &lines, share(MEMORIES_PERCENT));
        let told = self.memories.as_deref().unwrap_or_default();
        self.told = ids.into_iter().filter(|id| told.contains(id)).collect();
        let lines: Vec<String> = self.source.sessions.iter().filter_map(|line| self.session_text(line)).collect();
        self.sessions = self.take_lines(SESSIONS_HEADING, &lines, share(SESSIONS_PERCENT));
        let lines: Vec<String> = self.source.left.iter().take(MAX_LEFT_LISTS).map(left_text).collect();
        self.left = self.take_lines(LEFT_HEADING, &lines, share(LEFT_PERCENT));
        // Room for the page is kept before it is written, because writing it needs its budget.
        let for_briefing = if has_briefing { share(BRIEFING_PERCENT) } else { 0 };
        self.facts = self.take_facts(self.room.saturating_sub(for_briefing));
    }

    /// Packs the facts again with all that is left by now.
    fn repack_facts(&mut self) {
        let Some(before) = self.facts.take() else { return };
        self.room += count_tokens(&before).0;
        self.characters += before.chars().count();
        // More room can only tell more; where it does not, what was packed before is kept.
        self.facts = self.take_facts(self.room).or(Some(before));
    }

    fn take_facts(&mut self, budget: u32) -> Option<String> {
        let block = FactBlock { about: "this project".to_owned(), cites_messages: true };
        let mut budget = budget.saturating_sub(heading_cost(FACTS_HEADING));
        loop {
            let ordered: Vec<&Fact> = self.source.facts.iter().collect();
            let (_, text, TokenCount(tokens)) = pack_facts(&ordered, &block, TokenCount(budget))?;
            if let Some(facts) = self.take(FACTS_HEADING, &text) {
                return Some(facts);
            }
            // Agents cut by characters, which a large budget passes before its tokens are used up.
            budget = tokens * 3 / 4;
        }
    }

    /// Whether the facts say a sentence already, with or without the formula that says which kind it is of.
    fn is_said(&self, sentence: &str) -> bool {
        self.source.facts.iter().any(|fact| {
            is_same_statement(sentence, &fact.subject)
                || is_same_statement(sentence, without_label(fact.kind, &fact.subject))
        })
    }

    /// A line about an earlier session, without the sentences that the facts say already.
    fn session_text(&self, line: &SessionLine) -> Option<String> {
        let untold = |prompt: &str| {
            let sentences = split_sentences(prompt).into_iter().filter(|sentence| !self.is_said(sentence));
            let words = sentences.collect::<Vec<_>>().join(" ");
            words.chars().any(char::is_alphanumeric).then_some(words)
        };
        // The first prompt that says something new: a session often opens with a rule that the facts tell above.
        let opening = line.prompts.iter().find_map(|prompt| untold(prompt));
        let last = line.last.as_deref().and_then(untold).filter(|last| Some(last) != opening.as_ref());
        let opening = opening.as_deref().map(|words| cut_words(words, MAX_OPENING_CHARS));
        let last = last.as_deref().map(|words| cut_words(words, MAX_LAST_CHARS));
        let mut words = [opening, last].into_iter().flatten().collect::<Vec<_>>().join(" – last: ");
        if words.is_empty() {
            return None;
        }
        if let Some(outcome) = line.outcome.as_ref().map(outcome_text).filter(|outcome| !outcome.is_empty()) {
            words = format!("{words} → {outcome}");
        }
        Some(format!("- {} {words} ({})", line.day, line.id))
    }

    /// The memories to tell: their ids, and a line each.
    fn memory_lines(&self) -> (Vec<String>, Vec<String>) {
        let (mut ids, mut lines) = (Vec::new(), Vec::new());
        let (mut of_project, mut of_user) = (0, 0);
        // Lessons are told where they apply, and items of sessions where they are hot.
        let is_told = |memory: &DurableMemory| memory.body.kind.is_statement() || is_hot(memory);
        let mut ordered: Vec<&(DurableMemory, f64)> =
            self.source.memories.iter().filter(|(memory, _)| is_told(memory)).collect();
        // A stable sort: among those that are as fresh the order stays.
        ordered.sort_by_key(|(memory, confidence)| (!is_hot(memory), *confidence < FADED_CONFIDENCE));
        for (memory, _) in ordered {
            let content = &memory.body.content;
            // Facts that are told say it already.
            if self.is_said(content) {
                continue;
            }
            let is_of_project = memory.body.project.is_some();
            let (told, most) =
                if is_of_project { (&mut of_project, MAX_PROJECT_MEMORIES) } else { (&mut of_user, MAX_USER_MEMORIES) };
            // What is hot was put there to be told, however much else there is; its tokens are bounded.
            // Of two people who say the contrary neither is left out for want of room in the list.
            if *told < most || is_hot(memory) || !memory.disputes.is_empty() {
                *told += 1;
                ids.push(memory.id.to_string());
                lines.push(format!("{}{}", render_memory(memory), self.contrary_fact(memory).unwrap_or_default()));
            }
        }
        (ids, lines)
    }

    /// That a fact of the reader's own conversations says the contrary of what a colleague says.
    fn contrary_fact(&self, memory: &DurableMemory) -> Option<String> {
        memory.colleague.as_ref()?;
        let is_choice = matches!(memory.body.kind, MemoryKind::Decision | MemoryKind::Note);
        let mut stated =
            self.source.facts.iter().filter(|fact| matches!(fact.kind, FactKind::Rule | FactKind::Decision));
        let contrary = stated.find(|fact| {
            let may_replace = is_choice && fact.kind == FactKind::Decision;
            is_contrary_to(&memory.body.content, &fact.subject, may_replace)
        })?;
        Some(format!(" – contradicts {} above", contrary.id))
    }

    /// The first lines that fit a share, under their heading.
    fn take_lines(&mut self, heading: &str, lines: &[String], share: u32) -> Option<String> {
        let mut left = share.min(self.room).saturating_sub(heading_cost(heading));
        let mut shown: Vec<&str> = Vec::new();
        for line in lines {
            let cost = count_tokens(line).0 + 1;
            if cost <= left {
                left -= cost;
                shown.push(line);
            }
        }
        if shown.is_empty() { None } else { self.take(heading, &shown.join("\n")) }
    }

    /// A block under its heading, where it fits whole: half a fact would be another fact.
    fn take(&mut self, heading: &str, text: &str) -> Option<String> {
        let block = format!("{heading}\n{}\n", text.trim_end());
        let (tokens, characters) = (count_tokens(&block).0, block.chars().count());
        if text.trim().is_empty() || tokens > self.room || characters > self.characters {
            return None;
        }
        (self.room, self.characters) = (self.room - tokens, self.characters - characters);
        Some(block)
    }
}

fn is_hot(memory: &DurableMemory) -> bool {
    memory.tier == Some(MemoryTier::Hot)
}

fn outcome_text(outcome: &SessionOutcome) -> String {
    let text = if outcome.is_said {
        shorten_text(&outcome.text, StatementPurpose::Report, MAX_OUTCOME_TOKENS)
    } else {
        cut_text(&outcome.text, MAX_OUTCOME_TOKENS)
    };
    if outcome.is_interrupted && !text.is_empty() {
        return format!("{}. The user interrupted it.", text.trim_end_matches('.'));
    }
    text
}

/// A line about the steps that a session left open.
fn left_text(left: &LeftSteps) -> String {
    let mut steps: Vec<String> =
        left.steps.iter().take(MAX_LEFT_STEPS).map(|step| cut_words(&one_line(step), MAX_STEP_CHARS)).collect();
    let more = left.steps.len() - steps.len();
    steps.extend((more > 0).then(|| format!("and {more} more")));
    format!("- {} {} ({})", left.day, steps.join("; "), left.conversation)
}

fn heading_cost(heading: &str) -> u32 {
    count_tokens(heading).0 + 2
}

/// The beginning of a text, cut between words; in a script without blanks anywhere.
fn cut_words(text: &str, most: usize) -> String {
    const LONGEST_WORD_BYTES: usize = 40;
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let end = text[..end].rfind(' ').filter(|blank| end - blank < LONGEST_WORD_BYTES).unwrap_or(end);
    format!("{} …", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_words_where_it_has_any() {
        assert_eq!(cut_words("one two three four", 10), "one two …");
        let words = format!("目的： {}", "我".repeat(40));
        assert_eq!(cut_words(&words, 20), format!("目的： {} …", "我".repeat(16)));
    }
}
