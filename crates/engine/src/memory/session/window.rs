//! What is still in the window of a session (`SessionWindow`): texts that its model has seen for certain since the
//! context was last emptied, from what hooks and our own replies say in the order in which it happened. A text counts
//! once its call was announced by the session, answered, and its result received by the session; and for a later call
//! only where the transcript shows the earlier one on the way to it. Where any of that is not known, nothing is seen:
//! sending a text twice costs tokens, withholding one that is gone costs the answer.

use crate::base::{SeenRegion, SeenTexts};
use std::collections::{BTreeMap, BTreeSet};

/// Agents put short marks in the place of older results of their own tools without telling anybody; the newest they keep.
const MAX_LATER_RESULTS: u32 = 2;

/// One session, with those of its sub-agents. The session itself is the agent without a name.
#[derive(Clone, Debug, Default)]
pub struct SessionWindow {
    calls: BTreeMap<String, AnnouncedCall>,
    entries: Vec<WindowEntry>,
    /// Which prompt of the user is being answered, and where the transcript ended then, if one came since the window was
    /// emptied.
    turn: u32,
    prompted_at: Option<u64>,
}

/// A call that a session is about to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnouncedCall {
    /// The sub-agent that makes it.
    pub agent: String,
    /// Where the transcript ended then.
    pub transcript_bytes: u64,
    /// Earlier calls that the transcript shows on the way to it. Sub-agents have transcripts that nobody names.
    pub in_context: BTreeSet<String>,
}

/// A call whose result was not received yet, with the texts of our reply.
#[derive(Clone, Debug)]
struct PendingCall {
    announced: AnnouncedCall,
    shown: Vec<SeenRegion>,
}

/// A text in the window.
#[derive(Clone, Debug)]
struct WindowEntry {
    agent: String,
    call: String,
    turn: u32,
    transcript_bytes: u64,
    region: SeenRegion,
    /// For what the agent's own tools returned: how many results came behind it.
    later_results: Option<u32>,
}

impl SessionWindow {
    /// A call is about to be made.
    pub fn announce_call(&mut self, call: &str, announced: AnnouncedCall) {
        self.calls.insert(call.to_owned(), PendingCall { announced, shown: Vec::new() });
    }

    /// Our reply to a call has these texts.
    pub fn note_shown(&mut self, call: &str, regions: Vec<SeenRegion>) {
        if let Some(pending) = self.calls.get_mut(call) {
            pending.shown = regions;
        }
    }

    /// The session got the reply to a call. One that was announced before the window was emptied is none of it.
    pub fn note_received(&mut self, agent: &str, call: &str) {
        self.note_result(agent);
        if let Some(PendingCall { announced, shown }) = self.calls.remove(call) {
            self.add_entries(&announced.agent, call, announced.transcript_bytes, shown, None);
        }
    }

    /// The session got a text from its own tool.
    pub fn note_read(&mut self, agent: &str, call: &str, transcript_bytes: u64, region: SeenRegion) {
        self.note_result(agent);
        self.add_entries(agent, call, transcript_bytes, vec![region], Some(0));
    }

    /// The session got the result of any other call.
    pub fn note_result(&mut self, agent: &str) {
        let own = self.entries.iter_mut().filter(|entry| entry.agent == agent);
        own.filter_map(|entry| entry.later_results.as_mut()).for_each(|later| *later += 1);
    }

    /// A reference was sent in the place of a text. Who asks for it again wants the text.
    pub fn note_withheld(&mut self, agent: &str, region: &SeenRegion) {
        self.entries.retain(|entry| entry.agent != agent || !entry.region.overlaps(region));
    }

    /// The user said something. What was said before may have been taken back together with all that followed it.
    pub fn note_prompt(&mut self, transcript_bytes: u64) {
        (self.turn, self.prompted_at) = (self.turn + 1, Some(transcript_bytes));
    }

    /// Where the transcript ended when the user last said something; none where that was before the window was emptied, so
    /// that nothing in it can have been taken back.
    pub fn prompted_at(&self) -> Option<u64> {
        self.prompted_at
    }

    /// Where the transcript ended when the oldest text was asked for; none where nothing is in the window.
    pub fn oldest_bytes(&self) -> Option<u64> {
        self.entries.iter().map(|entry| entry.transcript_bytes).min()
    }

    /// The calls that brought the texts.
    pub fn entry_calls(&self) -> BTreeSet<&str> {
        self.entries.iter().map(|entry| entry.call.as_str()).collect()
    }

    /// What the agent that makes a call has seen for certain, oldest first; none where the call was not announced since
    /// the window was emptied.
    pub fn seen_for(&self, call: &str) -> Option<SeenTexts> {
        let AnnouncedCall { agent, in_context, .. } = &self.calls.get(call)?.announced;
        let is_certain = |entry: &&WindowEntry| {
            // A sub-agent works for one prompt, and nothing of its work can be taken back alone.
            let is_linked = if agent.is_empty() { in_context.contains(&entry.call) } else { entry.turn == self.turn };
            entry.agent == *agent && is_linked && entry.is_kept()
        };
        Some(SeenTexts { regions: self.entries.iter().filter(is_certain).map(|entry| entry.region.clone()).collect() })
    }

    /// What is in the window of the session itself, oldest first, before its transcript is looked at.
    pub fn own_texts(&self) -> SeenTexts {
        let own = self.entries.iter().filter(|entry| entry.agent.is_empty() && entry.is_kept());
        SeenTexts { regions: own.map(|entry| entry.region.clone()).collect() }
    }

    fn add_entries(
        &mut self,
        agent: &str,
        call: &str,
        transcript_bytes: u64,
        regions: Vec<SeenRegion>,
        later_results: Option<u32>,
    ) {
        let (agent, call, turn) = (agent.to_owned(), call.to_owned(), self.turn);
        self.entries.extend(regions.into_iter().map(|region| WindowEntry {
            agent: agent.clone(),
            call: call.clone(),
            turn,
            transcript_bytes,
            region,
            later_results,
        }));
    }
}

impl WindowEntry {
    /// Whether its agent certainly still has it, by what came behind it.
    fn is_kept(&self) -> bool {
        self.later_results.is_none_or(|later| later <= MAX_LATER_RESULTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(path: &str) -> SeenRegion {
        SeenRegion::of_exact_text(path, 1, "one\ntwo\n").expect("a text")
    }

    fn announce(window: &mut SessionWindow, agent: &str, call: &str, in_context: &[&str]) {
        let in_context = in_context.iter().map(|call| (*call).to_owned()).collect();
        window.announce_call(call, AnnouncedCall { agent: agent.to_owned(), transcript_bytes: 10, in_context });
    }

    fn answered(window: &mut SessionWindow, agent: &str, call: &str, path: &str) {
        announce(window, agent, call, &[]);
        window.note_shown(call, vec![region(path)]);
        window.note_received(agent, call);
    }

    /// What an agent has seen that makes another call behind these.
    fn seen(window: &SessionWindow, agent: &str, in_context: &[&str]) -> Vec<String> {
        let mut window = window.clone();
        announce(&mut window, agent, "next", in_context);
        window.seen_for("next").expect("it is announced").regions.into_iter().map(|region| region.path).collect()
    }

    #[test]
    fn only_what_was_announced_answered_and_received_is_seen() {
        let mut window = SessionWindow::default();
        window.note_shown("c0", vec![region("never_announced.rs")]);
        window.note_received("", "c0");
        assert_eq!(window.seen_for("c0"), None);
        announce(&mut window, "", "c1", &[]);
        window.note_shown("c1", vec![region("a.rs")]);
        assert!(seen(&window, "", &["c0", "c1"]).is_empty(), "it is on its way");
        window.note_received("", "c1");
        assert_eq!(seen(&window, "", &["c0", "c1"]), ["a.rs"]);
        announce(&mut window, "", "c2", &[]);
        window.note_received("", "c2");
        assert_eq!(seen(&window, "", &["c1", "c2"]), ["a.rs"]);
        assert_eq!((window.oldest_bytes(), window.entry_calls()), (Some(10), BTreeSet::from(["c1"])));
    }

    #[test]
    fn a_sub_agent_has_a_window_of_its_own_for_one_prompt() {
        let mut window = SessionWindow::default();
        answered(&mut window, "", "c1", "a.rs");
        answered(&mut window, "sub", "c2", "b.rs");
        assert_eq!(seen(&window, "", &["c1", "c2"]), ["a.rs"]);
        assert_eq!(seen(&window, "sub", &[]), ["b.rs"]);
        assert!(seen(&window, "another", &["c1", "c2"]).is_empty());
        assert_eq!(window.own_texts().regions, [region("a.rs")]);
        window.note_prompt(700);
        assert!(seen(&window, "sub", &[]).is_empty());
        assert_eq!(window.prompted_at(), Some(700));
    }

    #[test]
    fn who_got_a_reference_gets_the_text_the_next_time() {
        let mut window = SessionWindow::default();
        answered(&mut window, "", "c1", "a.rs");
        answered(&mut window, "sub", "c2", "a.rs");
        window.note_withheld("", &region("a.rs"));
        assert!(seen(&window, "", &["c1"]).is_empty());
        assert_eq!(seen(&window, "sub", &[]), ["a.rs"]);
        answered(&mut window, "", "c3", "a.rs");
        assert_eq!(seen(&window, "", &["c1", "c3"]), ["a.rs"]);
    }

    #[test]
    fn what_is_not_on_the_way_to_a_call_was_taken_back() {
        let mut window = SessionWindow::default();
        answered(&mut window, "", "c1", "kept.rs");
        answered(&mut window, "", "c2", "taken_back.rs");
        assert_eq!(seen(&window, "", &["c1"]), ["kept.rs"]);
        assert!(seen(&window, "", &[]).is_empty());
    }

    #[test]
    fn what_the_agents_own_tool_returned_is_seen_while_it_is_among_the_newest_results() {
        let mut window = SessionWindow::default();
        window.note_read("", "r1", 10, region("a.rs"));
        answered(&mut window, "", "c1", "b.rs");
        window.note_result("");
        window.note_result("sub");
        assert_eq!(seen(&window, "", &["r1", "c1"]), ["a.rs", "b.rs"]);
        window.note_result("");
        assert_eq!(seen(&window, "", &["r1", "c1"]), ["b.rs"], "three results came behind it");
    }
}
