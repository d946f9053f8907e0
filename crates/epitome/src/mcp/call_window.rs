//! Leaves out of a reply what the model behind the call has in its context already (`CallWindow`). The client names each call
//! in `_meta`; the transcript that its agent writes shows which earlier replies of ours are before the model when it makes
//! the call, word for word; and this process remembers which texts those replies had (`ReplyNotes`). A reply of another
//! process, one that reached the model otherwise than it was sent, or one that is not on the way to the call, does not
//! count. A model that got a reference and asks again gets the text.

use super::profile::{ProfileAction, ProfileTool, ToolProfile};
use super::render::shown_text;
use crate::compose::App;
use crate::transcripts::LocalTranscripts;
use agents::ContextResult;
use engine::{CallFacts, SeenFinder, SeenRegion, SeenTexts};
use model::ContentHash;
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Operations that leave out what was seen.
const WITHHOLDING: [&str; 2] = ["read", "context"];

/// So many replies are remembered, the newest.
const MAX_NOTES: usize = 256;

/// Agents write their transcripts behind what they do, about a tenth of a second: a call that would repeat a text waits so
/// often for its own line to appear.
const TRANSCRIPT_LOOKS: u32 = 15;
const PAUSE_BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// The replies of this process that showed or withheld texts.
#[derive(Default)]
pub(super) struct ReplyNotes(Mutex<VecDeque<ReplyNote>>);

struct ReplyNote {
    call: String,
    /// Of the whole reply in each form: clients show their model the text or, where there is one, the structured form.
    forms: Vec<ContentHash>,
    shown: Vec<SeenRegion>,
    withheld: Vec<SeenRegion>,
}

/// A call that its client named.
pub(super) struct CallWindow {
    call: String,
    notes: Arc<ReplyNotes>,
    transcripts: Arc<LocalTranscripts>,
}

impl CallWindow {
    /// The window of whoever makes a call, where the client names it and the tool may leave something out: tools under the
    /// names of other systems give what those give.
    pub(super) fn open(
        app: &App,
        (profile, offer): (&ToolProfile, &ProfileTool),
        context: &RequestContext<RoleServer>,
        notes: &Arc<ReplyNotes>,
    ) -> Option<Self> {
        let may_withhold =
            matches!(offer.action, ProfileAction::Run(operation) if WITHHOLDING.contains(&operation.name()));
        if !may_withhold || !profile.is_own() || !app.config.context.withhold_seen || !app.config.memory.enabled {
            return None;
        }
        // Callers from elsewhere write their transcripts elsewhere.
        let transcripts = app.local_transcripts()?;
        let call = agents::call_keys().find_map(|key| context.meta.get(key)?.as_str())?.to_owned();
        Some(Self { call, notes: Arc::clone(notes), transcripts })
    }

    /// Finds what the model has of texts that are about to be sent.
    pub(super) fn finder(&self) -> SeenFinder {
        let (call, notes, transcripts) = (self.call.clone(), Arc::clone(&self.notes), Arc::clone(&self.transcripts));
        SeenFinder::asking(move |about_to_send| {
            // Nothing is waited for where no reply had any of it.
            if !notes.have_shown(about_to_send) {
                return SeenTexts::default();
            }
            for _ in 0..TRANSCRIPT_LOOKS {
                if let Some(results) = transcripts.results_before(&call) {
                    return notes.texts_in(&results);
                }
                thread::sleep(PAUSE_BETWEEN_LOOKS);
            }
            SeenTexts::default()
        })
    }

    /// Notes what a reply leaves the model with, before it is sent.
    pub(super) fn note_reply(self, facts: &CallFacts, reply: &CallToolResult) {
        if facts.shown.is_empty() && facts.withheld.is_empty() {
            return;
        }
        let structured = reply.structured_content.as_ref().map(ToString::to_string);
        let forms = std::iter::once(shown_text(reply)).chain(structured);
        self.notes.add_note(ReplyNote {
            call: self.call,
            forms: forms.map(|form| ContentHash::hash_bytes(form.as_bytes())).collect(),
            shown: facts.shown.clone(),
            withheld: facts.withheld.iter().map(|withheld| withheld.region.clone()).collect(),
        });
    }
}

impl ReplyNotes {
    fn add_note(&self, note: ReplyNote) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push_back(note);
        // What is forgotten is sent again.
        if notes.len() > MAX_NOTES {
            notes.pop_front();
        }
    }

    /// Whether any reply so far, whoever got it, had all of one of these.
    fn have_shown(&self, regions: &[SeenRegion]) -> bool {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shown = notes.iter().flat_map(|note| &note.shown);
        shown.any(|shown| regions.iter().any(|region| shown.covers(region)))
    }

    /// What our replies among these results left the model with. That something was withheld counts from the moment it was,
    /// that something was shown once it stands there as it was sent.
    fn texts_in(&self, results: &[ContextResult]) -> SeenTexts {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = SeenTexts::default();
        for result in results {
            // The newest, should a client name two calls alike: then the text of one of them is not as it was sent.
            if let Some(note) = notes.iter().rfind(|note| note.call == result.call) {
                let is_there = |text: &String| note.forms.contains(&ContentHash::hash_bytes(text.as_bytes()));
                seen.add_reply(&note.shown, &note.withheld, result.text.as_ref().is_some_and(is_there));
            } else if let Some(text) = &result.text {
                seen.add_foreign_reply(text);
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::LineRange;
    use serde_json::Value;

    fn region(path: &str) -> SeenRegion {
        SeenRegion::of_text(path, "raw", LineRange { start: 1, end: 2 }, "one\ntwo\n").expect("as many lines")
    }

    fn note(call: &str, text: &str, shown: &[SeenRegion], withheld: &[SeenRegion]) -> ReplyNote {
        let forms = vec![ContentHash::hash_bytes(text.as_bytes())];
        ReplyNote { call: call.to_owned(), forms, shown: shown.to_vec(), withheld: withheld.to_vec() }
    }

    fn result(call: &str, text: Option<&str>) -> ContextResult {
        let (call, tool, text) = (call.to_owned(), "mcp__epitome__read".to_owned(), text.map(str::to_owned));
        ContextResult { call, tool, input: Value::Null, text }
    }

    #[test]
    fn a_reply_counts_where_it_stands_as_it_was_sent() {
        let notes = ReplyNotes::default();
        notes.add_note(note("c1", "the reply", &[region("a.rs")], &[]));
        assert!(notes.have_shown(&[region("b.rs"), region("a.rs")]) && !notes.have_shown(&[region("b.rs")]));
        let check = |results: &[ContextResult], expected: bool| {
            assert_eq!(notes.texts_in(results).covers(&region("a.rs")), expected, "{results:?}");
        };
        check(&[result("c1", Some("the reply"))], true);
        check(&[result("c1", Some("the rep [cut]"))], false);
        check(&[result("c1", None)], false);
        check(&[result("of another process", Some("the reply"))], false);
        check(&[], false);
    }

    #[test]
    fn a_reference_counts_from_the_moment_it_was_sent() {
        let notes = ReplyNotes::default();
        notes.add_note(note("c1", "the reply", &[region("a.rs")], &[]));
        notes.add_note(note("c2", "a reference", &[], &[region("a.rs")]));
        let results = [result("c1", Some("the reply")), result("c2", None), result("c3", None)];
        assert!(!notes.texts_in(&results).covers(&region("a.rs")));
        // On another way the reference was never sent.
        assert!(notes.texts_in(&[results[0].clone(), results[2].clone()]).covers(&region("a.rs")));
    }

    #[test]
    fn old_replies_are_forgotten() {
        let notes = ReplyNotes::default();
        notes.add_note(note("c", "the reply", &[region("a.rs")], &[]));
        for number in 0..MAX_NOTES {
            notes.add_note(note(&number.to_string(), "another", &[region("b.rs")], &[]));
        }
        assert!(!notes.have_shown(&[region("a.rs")]) && notes.have_shown(&[region("b.rs")]));
    }
}
