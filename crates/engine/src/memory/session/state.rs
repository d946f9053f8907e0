//! The state of one agent session between hook events: which messages were already injected, so that none is injected
//! twice, and which facts the agent's last compaction lost and are to be injected again.

use super::guard::SummaryComparison;
use super::injection::{render_contradicted, render_restored};

/// The state of a session between two of its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a session may be in any of these states at once")]
pub struct SessionState {
    /// Messages and memories that were injected since the context was last compacted.
    pub injected: Vec<String>,
    /// Whether it was compacted: texts from before are then no longer in the agent's context.
    pub compacted: bool,
    /// Facts that the agent's own summary has.
    pub kept: usize,
    /// Facts that the compaction lost and that were not injected again yet, the most important first.
    pub lost: Vec<String>,
    /// Facts that were injected again since the last compaction, until the session has gone on with them.
    pub restored: Vec<String>,
    /// How long the transcript was when they were injected.
    pub restored_at: u64,
    /// Whether what the summary of the compaction that is going on lost is known.
    pub is_compared: bool,
    /// Whether the last compaction was looked at and counted.
    pub is_counted: bool,
    /// What the session was told of earlier ones when it began, in one number.
    pub oriented: Option<String>,
    /// Whether it was told that it is told less than before.
    pub is_lowered: bool,
    /// What the project's code contradicts of the last answer, until the session is told.
    pub contradicted: Option<String>,
    /// Claims that the session was told are contradicted.
    pub told_claims: Vec<String>,
}

/// What is told after a compaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredFacts {
    /// Facts that the agent's summary kept.
    pub kept: usize,
    /// Facts that it lost.
    pub lost: usize,
    /// How many of those are told again.
    pub restored: usize,
    /// The words for the agent, where any are.
    pub text: Option<String>,
    /// Whether this compaction was not counted before.
    pub is_first: bool,
}

impl RestoredFacts {
    /// One line for the user.
    pub fn count_line(&self) -> String {
        let Self { kept, lost, restored, .. } = self;
        format!("epitome: compaction kept {kept} facts, lost {lost}; {restored} restored")
    }
}

/// How many claims are remembered as told.
const MOST_TOLD_CLAIMS: usize = 200;

impl SessionState {
    /// Takes over what the code contradicts of an answer: claims with what shows it. Gives those that the session was not
    /// told before, as lines.
    pub fn note_contradicted(&mut self, found: &[(String, String)]) -> Vec<String> {
        let is_new = |claim: &&(String, String)| !self.told_claims.contains(&claim.0);
        let new: Vec<&(String, String)> = found.iter().filter(is_new).collect();
        let lines: Vec<String> = new.iter().map(|(claim, evidence)| format!("{claim}: {evidence}")).collect();
        self.told_claims.extend(new.into_iter().map(|(claim, _)| claim.clone()));
        let excess = self.told_claims.len().saturating_sub(MOST_TOLD_CLAIMS);
        self.told_claims.drain(..excess);
        if !lines.is_empty() {
            self.contradicted = render_contradicted(&lines);
        }
        lines
    }

    /// Forgets what was worked out about the compaction before this one.
    pub fn forget_compaction(&mut self) {
        (self.kept, self.is_compared, self.is_counted) = (0, false, false);
        self.lost.clear();
        self.restored.clear();
    }

    /// The injected text did not reach the session: its facts count as lost again.
    pub fn lose_restored(&mut self) {
        self.lost.append(&mut self.restored);
    }

    /// The session begins anew with what a compaction left; whether its summary was compared at an earlier event.
    pub fn begin_compacted(&mut self) -> bool {
        (self.compacted, self.injected) = (true, Vec::new());
        std::mem::take(&mut self.is_compared)
    }

    /// Takes over the facts that a comparison with the agent's summary found lost, without those injected again
    /// already.
    pub(super) fn note_compared(&mut self, compared: SummaryComparison) {
        let SummaryComparison { kept, mut lost } = compared;
        // Facts that were injected again after this compaction are in the agent's context.
        lost.retain(|fact| !self.restored.contains(fact));
        (self.compacted, self.is_compared) = (true, true);
        self.injected.clear();
        if !self.is_counted || !lost.is_empty() {
            (self.kept, self.lost) = (kept, lost);
        }
    }

    /// Takes what the last compaction lost, to be told once within so many tokens. `transcript_bytes` is how long the
    /// transcript is by now.
    pub fn restore_facts(&mut self, tokens: u32, transcript_bytes: u64) -> Option<RestoredFacts> {
        let (kept, lost) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.lost));
        if (kept, lost.len()) == (0, 0) {
            return None;
        }
        let (text, restored) = render_restored(&lost, tokens).unzip();
        let restored = RestoredFacts {
            kept,
            lost: lost.len(),
            restored: restored.unwrap_or_default(),
            text,
            is_first: !self.is_counted,
        };
        (self.is_counted, self.restored, self.restored_at) = (true, lost, transcript_bytes);
        Some(restored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(kept: usize, lost: &[&str]) -> SummaryComparison {
        SummaryComparison { kept, lost: lost.iter().map(|fact| (*fact).to_owned()).collect() }
    }

    #[test]
    fn what_compaction_lost_is_told_once_and_again_only_where_it_did_not_arrive() {
        let mut session = SessionState { injected: vec!["msg_1".to_owned()], ..SessionState::default() };
        session.note_compared(compared(2, &["to do: mend it"]));
        assert!(session.injected.is_empty(), "what was told before is no longer before the agent's eyes");
        let told = session.restore_facts(400, 70).expect("something was lost");
        assert_eq!((told.kept, told.lost, told.restored, told.is_first), (2, 1, 1, true));
        assert_eq!(told.count_line(), "epitome: compaction kept 2 facts, lost 1; 1 restored");
        assert!(told.text.is_some_and(|text| text.contains("- to do: mend it")));
        assert_eq!((session.restored_at, session.restore_facts(400, 90)), (70, None));
        session.note_compared(compared(2, &["to do: mend it"]));
        assert_eq!(session.restore_facts(400, 90), None, "it was told already");
        session.lose_restored();
        assert_eq!(session.restore_facts(400, 90).map(|told| (told.lost, told.is_first)), Some((1, false)));
        session.forget_compaction();
        session.note_compared(compared(0, &["to do: mend it"]));
        assert!(session.restore_facts(400, 120).is_some_and(|told| told.is_first), "that is another compaction");
    }

    #[test]
    fn a_contradicted_claim_is_told_once() {
        let mut session = SessionState::default();
        let claim = |text: &str| (format!("`{text}`"), "no file has it".to_owned());
        assert_eq!(session.note_contradicted(&[claim("f()")]), ["`f()`: no file has it"]);
        assert!(session.contradicted.take().is_some_and(|text| text.contains("- `f()`: no file has it")));
        assert_eq!(session.note_contradicted(&[claim("f()")]), Vec::<String>::new());
        assert_eq!(session.contradicted, None);
        assert_eq!(session.note_contradicted(&[claim("f()"), claim("g()")]), ["`g()`: no file has it"]);
    }

    #[test]
    fn a_summary_is_compared_once_before_the_session_begins_anew() {
        let mut session = SessionState::default();
        assert!(!session.begin_compacted());
        session.note_compared(compared(1, &[]));
        assert!(session.begin_compacted() && !session.begin_compacted());
    }
}
