//! Extracts facts from the messages of a conversation, without a model: files touched and their state, commands and how
//! they ended, errors and the change that ended them, failed tests, rules and decisions of the user, open steps.
//!
//! `FactExtractor` is a fold over the messages alone, so facts can be dropped and extracted again, and extraction
//! resumes where it stopped: the facts are the whole state, except for calls whose result has not come yet and questions
//! that wait for an answer.

mod action;
mod announcement;
mod cause;
mod command_family;
mod decision;
mod directive;
mod fact_update;
mod label;
mod later_statements;
mod outcome;
mod own_words;
mod plain_rule;
mod prose_answer;
mod retraction;
mod rule;
mod rule_list;
mod rule_scope;
mod shell;
mod stated_facts;
mod statements;
mod telling;
#[cfg(test)]
mod tests;
mod tool_question;
mod user_choice;

pub(crate) use action::{FileAccess, ToolAction, parse_action};
pub(crate) use announcement::{announces_step, is_announcement};
pub(crate) use command_family::is_check as is_check_command;
pub(crate) use decision::{is_firm_decision, read_decision};
pub(crate) use directive::{classify_sentence, find_directives, is_requirement};
pub use fact_update::SkippedConversations;
pub(crate) use fact_update::{count_unread, current_facts, reextract_facts, refresh_facts, renew_facts, update_facts};
pub(crate) use label::without_label;
pub(crate) use later_statements::LaterStatements;
pub(crate) use outcome::{ToolExit, parse_outcome, was_declined};
pub(crate) use own_words::{own_words, split_sentences};
pub(crate) use retraction::{contradicts, replaces_decision, retracts_rule};
pub(crate) use shell::{command_key, find_touches, is_read_only};
pub(crate) use stated_facts::{StatedFacts, load_statements};
pub(crate) use telling::{FactTelling, is_statement_told, outlasts_session};

use super::truncate_text;
use action::{FileTouch, TodoProgress};
use model::{ConversationId, Fact, FactId, FactKind, FactState, Message, MessagePart};
use outcome::{TestRunResult, ToolOutcome};
use prose_answer::ProseQuestions;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The version of the rules: facts that were extracted under another number are extracted again.
pub(crate) const RULES: u32 = 13;

/// A longer subject is cut with a mark; its source has it whole.
const LONGEST_SUBJECT: usize = 600;
/// A call that has no result after so many messages never gets one.
const MAX_PENDING_MESSAGES: u64 = 400;

/// The facts of a conversation, as far as it was read.
pub(crate) struct FactExtractor {
    conversation: ConversationId,
    known: BTreeMap<FactId, Fact>,
    /// Failures, tests, steps, tasks and proposals that may still end.
    open: BTreeSet<FactId>,
    /// Calls without a result, by their id.
    pending: HashMap<String, PendingAction>,
    /// What the model asked in its last text, and where.
    asked: Option<(ProseQuestions, u64)>,
    read_to: u64,
}

struct PendingAction {
    action: ToolAction,
    seq: u64,
}

impl FactExtractor {
    /// Goes on from facts taken before, up to and with the message at `read_to`.
    pub(crate) fn resume(conversation: ConversationId, known: Vec<Fact>, read_to: u64) -> Self {
        let open = known.iter().filter(|fact| may_end(fact)).map(|fact| fact.id.clone()).collect();
        let known = known.into_iter().map(|fact| (fact.id.clone(), fact)).collect();
        Self { conversation, known, open, pending: HashMap::new(), asked: None, read_to }
    }

    /// The facts of these messages alone.
    pub(crate) fn extract_facts<'a>(
        conversation: &ConversationId,
        messages: impl IntoIterator<Item = &'a Message>,
    ) -> Vec<Fact> {
        let mut facts = Self::resume(conversation.clone(), Vec::new(), 0);
        messages.into_iter().for_each(|message| facts.add_message(message));
        facts.into_facts()
    }

    /// Takes the next message.
    pub(crate) fn add_message(&mut self, message: &Message) {
        self.read_to = message.seq;
        // A call without a result would hold `final_to` back for ever, and every update would read from there again.
        self.pending.retain(|_, call| message.seq - call.seq < MAX_PENDING_MESSAGES);
        if is_prompt(message) {
            // An agent that was stopped or killed leaves calls without a result; facts must not wait for one.
            self.pending.clear();
            self.end_passing_failures(message);
        }
        for part in &message.body.parts {
            match part {
                MessagePart::Text { text } => self.add_statements(message, text),
                MessagePart::Tool { call_id, name, status, input, output, error, .. } => {
                    // The model went on without an answer.
                    self.asked = None;
                    let failed = status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("error"));
                    if let Some(name) = name
                        && let Some(input) = input
                    {
                        let action = action::parse_action(name, input);
                        let call = PendingAction { action, seq: message.seq };
                        self.begin_action(message, &call);
                        match call_id {
                            // Kept even where the result is in this same part: the branch below ends it by its id.
                            Some(id) => drop(self.pending.insert(id.clone(), call)),
                            None if output.is_some() || error.is_some() => {
                                self.end_action(message, &call, output.as_deref(), error.as_deref(), failed);
                            }
                            None => {}
                        }
                    }
                    if (output.is_some() || error.is_some())
                        && let Some(call) = call_id.as_ref().and_then(|id| self.pending.remove(id))
                    {
                        self.end_action(message, &call, output.as_deref(), error.as_deref(), failed);
                    }
                }
                MessagePart::Patch { files, .. } => {
                    for path in files {
                        self.add_touch(message, &FileTouch { path: path.clone(), how: FileAccess::Edit });
                    }
                }
                MessagePart::Reasoning { .. }
                | MessagePart::File { .. }
                | MessagePart::Subtask { .. }
                | MessagePart::Compaction { .. }
                | MessagePart::StepStart
                | MessagePart::StepFinish { .. }
                | MessagePart::Snapshot { .. }
                | MessagePart::Agent { .. }
                | MessagePart::Retry { .. } => {}
            }
        }
    }

    /// The last message before which no call waits for its result and no question for its answer: extraction may stop and
    /// resume there.
    pub(crate) fn final_to(&self) -> u64 {
        let calls = self.pending.values().map(|call| call.seq);
        let questions = self.asked.iter().map(|(_, seq)| *seq);
        calls.chain(questions).map(|seq| seq - 1).min().unwrap_or(self.read_to)
    }

    /// All facts, in the order in which they came up.
    pub(crate) fn into_facts(self) -> Vec<Fact> {
        let mut facts: Vec<Fact> = self.known.into_values().collect();
        facts.sort_by(|a, b| (a.first_seq, a.kind.as_str(), &a.id).cmp(&(b.first_seq, b.kind.as_str(), &b.id)));
        facts
    }

    /// What a call says before its result is known.
    fn begin_action(&mut self, message: &Message, call: &PendingAction) {
        if let ToolAction::Todos(steps) = &call.action {
            self.update_todos(message, steps);
        }
    }

    fn end_action(
        &mut self,
        message: &Message,
        call: &PendingAction,
        output: Option<&str>,
        error: Option<&str>,
        failed: bool,
    ) {
        // A call that the user refused neither ran nor failed: no file was touched, and no command has a result.
        if outcome::was_declined(output, error) {
            return;
        }
        let outcome = outcome::parse_outcome(output.unwrap_or_default(), error, failed);
        let well = !matches!(outcome.ended, ToolExit::Badly { .. });
        match &call.action {
            ToolAction::Shell { command } => self.add_command(message, command, &outcome),
            ToolAction::Files(touches) => {
                if well {
                    for touch in touches {
                        self.add_touch(message, touch);
                    }
                }
                // A file that was not there, a text that was not in it: how the agent's own tools were held. What
                // went wrong with the project is what commands say.
            }
            // An approved plan is no decision by itself: its questions are empty, and its steps appear as they are
            // begun.
            ToolAction::Ask { questions } if well => {
                for (question, answer) in tool_question::parse_answers(questions, output.unwrap_or_default()) {
                    self.upsert_fact(message, FactKind::Decision, &format!("{question} → {answer}"), FactState::Stated);
                }
            }
            ToolAction::Task { words } if well => {
                let fact = self.upsert_fact(message, FactKind::Todo, words, FactState::Open);
                // The number is only in the answer of the tool; later updates name the task by it and not by its words.
                fact.seen_with = output.and_then(task_number).map(str::to_owned);
            }
            ToolAction::TaskState { number, progress: Some(progress) } if well => {
                let is_it =
                    |fact: &Fact| fact.kind == FactKind::Todo && fact.seen_with.as_deref() == Some(number.as_str());
                for (words, _) in self.open_where(is_it) {
                    self.upsert_fact(message, FactKind::Todo, &words, state_of(*progress));
                }
            }
            ToolAction::Ask { .. }
            | ToolAction::Todos(_)
            | ToolAction::Task { .. }
            | ToolAction::TaskState { .. }
            | ToolAction::Other => {}
        }
    }

    fn add_command(&mut self, message: &Message, command: &str, outcome: &ToolOutcome) {
        let well = !matches!(outcome.ended, ToolExit::Badly { .. });
        if well {
            for touch in shell::find_touches(command) {
                self.add_touch(message, &touch);
            }
        }
        // Without `cd` and pipes, so that `cd app && cargo test | tail` ends what `cargo test` began.
        let key = shell::command_key(command);
        self.update_tests(message, &key, outcome);
        // A look for what is not there is no failure of the project.
        if shell::is_read_only(command) {
            return;
        }
        let is_known = self.known.contains_key(&Fact::id_of(&self.conversation, FactKind::Command, &key));
        let changes_environment = well && command_family::changes_environment(&key);
        // A log of all commands is in the messages; a fact is how the project's checks stand, and what changed the machine.
        if command_family::is_check(&key) && (is_known || !well) || changes_environment {
            let (state, exit_code) = match outcome.ended {
                ToolExit::Unsaid => (FactState::Ran, None),
                ToolExit::Well => (FactState::Succeeded, Some(0)),
                ToolExit::Badly { exit_code } => (FactState::Failed, exit_code),
            };
            let fact = self.upsert_fact(message, FactKind::Command, &key, state);
            fact.exit_code = exit_code;
        }
        if well {
            self.end_failed_commands(message, &key);
        }
        self.update_failures(message, &key, outcome);
    }

    /// A run that ended well ends the earlier failed runs of its family.
    fn end_failed_commands(&mut self, message: &Message, key: &str) {
        let failed: Vec<String> = self
            .known
            .values()
            .filter(|fact| fact.kind == FactKind::Command && fact.state == FactState::Failed)
            .filter(|fact| fact.subject != key && command_family::is_same_family(&fact.subject, key))
            .map(|fact| fact.subject.clone())
            .collect();
        for subject in failed {
            self.upsert_fact(message, FactKind::Command, &subject, FactState::Superseded);
        }
    }

    /// Failures of commands that check nothing (a download, a script run once) say nothing about the project once the
    /// user has gone on to something else.
    fn end_passing_failures(&mut self, message: &Message) {
        let passing = |fact: &Fact| {
            fact.kind == FactKind::Failure
                && fact.state == FactState::Standing
                && !fact.seen_with.as_deref().is_some_and(command_family::is_check)
        };
        for (line, _) in self.open_where(passing) {
            self.upsert_fact(message, FactKind::Failure, &line, FactState::Ended);
        }
    }

    fn update_tests(&mut self, message: &Message, key: &str, outcome: &ToolOutcome) {
        let passed: Vec<&str> = outcome
            .tests
            .iter()
            .filter(|(_, result)| *result == TestRunResult::Passed)
            .map(|(name, _)| &**name)
            .collect();
        for (name, _) in outcome.tests.iter().filter(|(_, result)| *result == TestRunResult::Failed) {
            let fact = self.upsert_fact(message, FactKind::Test, name, FactState::Failing);
            fact.seen_with = Some(key.to_owned());
            // A test that fails again has not been fixed, whatever was noted before.
            fact.ended_by = None;
        }
        // Many runners print nothing about tests that pass, so a good run of the same kind of command without a failed test
        // is a pass. A run that says that all its tests passed covers the failed one in nearly all sessions, whichever
        // command ran it: the wide run comes after the narrow one.
        let ran_well = !matches!(outcome.ended, ToolExit::Badly { .. })
            && outcome.errors.is_empty()
            && outcome.tests.iter().all(|(_, result)| *result == TestRunResult::Passed);
        let turned = |fact: &Fact| {
            let is_same_family =
                || fact.seen_with.as_deref().is_some_and(|with| command_family::is_same_family(with, key));
            fact.kind == FactKind::Test
                && fact.state == FactState::Failing
                && (passed.contains(&fact.subject.as_str())
                    || (fact.last_seq < message.seq && (outcome.all_passed || (ran_well && is_same_family()))))
        };
        for (name, since) in self.open_where(turned) {
            let ended_by = self.find_cause(FactKind::Test, &name, since);
            self.upsert_fact(message, FactKind::Test, &name, FactState::Passing).ended_by = ended_by;
        }
    }

    /// Notes what went wrong, or that what went wrong with the same thing before has ended.
    fn update_failures(&mut self, message: &Message, seen_with: &str, outcome: &ToolOutcome) {
        if matches!(outcome.ended, ToolExit::Badly { .. }) {
            for line in &outcome.errors {
                let fact = self.upsert_fact(message, FactKind::Failure, line, FactState::Standing);
                fact.seen_with = Some(seen_with.to_owned());
                fact.ended_by = None;
            }
        }
        // A later run that shows other errors ended those it does not show any more.
        let gone = |fact: &Fact| {
            fact.kind == FactKind::Failure
                && fact.state == FactState::Standing
                // Errors of this very run were added above, and did not end with it.
                && fact.last_seq < message.seq
                && fact.seen_with.as_deref().is_some_and(|with| command_family::is_same_family(with, seen_with))
                && !outcome.errors.contains(&fact.subject)
        };
        for (line, since) in self.open_where(gone) {
            let ended_by = self.find_cause(FactKind::Failure, &line, since);
            self.upsert_fact(message, FactKind::Failure, &line, FactState::Ended).ended_by = ended_by;
        }
    }

    fn add_touch(&mut self, message: &Message, touch: &FileTouch) {
        let state = match touch.how {
            FileAccess::Read => FactState::Read,
            FileAccess::Edit => FactState::Edited,
            FileAccess::Write => FactState::Written,
            FileAccess::Delete => FactState::Deleted,
        };
        let id = Fact::id_of(&self.conversation, FactKind::File, &touch.path);
        let before = self.known.get(&id).map(|fact| (fact.state, fact.last_seq, fact.times));
        let fact = self.upsert_fact(message, FactKind::File, &touch.path, state);
        match before {
            // Reading leaves a changed file as it was, where it was changed, and how often.
            Some((state, seq, times)) if touch.how == FileAccess::Read && state != FactState::Read => {
                (fact.state, fact.last_seq, fact.times) = (state, seq, times);
            }
            // A file is counted by its changes from the first one on.
            Some((FactState::Read, ..)) if touch.how != FileAccess::Read => fact.times = 1,
            // A new file that is worked on is still a new file.
            Some((FactState::Written, ..)) if touch.how == FileAccess::Edit => fact.state = FactState::Written,
            _ => {}
        }
    }

    /// Takes over a list of steps: what is not on it any more was dropped.
    fn update_todos(&mut self, message: &Message, steps: &[(String, TodoProgress)]) {
        let dropped = |fact: &Fact| {
            fact.kind == FactKind::Todo && steps.iter().all(|(words, _)| normalize_subject(words) != fact.subject)
        };
        for (words, _) in self.open_where(dropped) {
            self.upsert_fact(message, FactKind::Todo, &words, FactState::Dropped);
        }
        for (words, progress) in steps {
            self.upsert_fact(message, FactKind::Todo, words, state_of(*progress));
        }
    }

    /// The open facts that fit, each with the message it was last seen in.
    fn open_where(&self, fits: impl Fn(&Fact) -> bool) -> Vec<(String, u64)> {
        let open = self.open.iter().filter_map(|id| self.known.get(id)).filter(|fact| fits(fact));
        open.map(|fact| (fact.subject.clone(), fact.last_seq)).collect()
    }

    /// What ended a failure or made a test pass that was last seen at a place, where that can be told.
    fn find_cause(&self, kind: FactKind, subject: &str, since: u64) -> Option<String> {
        let is_change = |fact: &&Fact| match fact.kind {
            FactKind::File => fact.is_in_force(),
            FactKind::Command => fact.state != FactState::Failed && command_family::changes_environment(&fact.subject),
            FactKind::Rule
            | FactKind::Task
            | FactKind::Correction
            | FactKind::Decision
            | FactKind::Failure
            | FactKind::Test
            | FactKind::Todo => false,
        };
        let ended = self.known.get(&Fact::id_of(&self.conversation, kind, subject))?;
        let mut changes: Vec<&Fact> =
            self.known.values().filter(|fact| fact.last_seq > since).filter(is_change).collect();
        // The last change before the run is the likeliest fix.
        changes.sort_by(|a, b| b.last_seq.cmp(&a.last_seq).then_with(|| a.subject.cmp(&b.subject)));
        cause::name_cause(ended, &changes)
    }

    fn upsert_fact(&mut self, message: &Message, kind: FactKind, about: &str, state: FactState) -> &mut Fact {
        let subject = normalize_subject(about);
        let id = Fact::id_of(&self.conversation, kind, &subject);
        let fact = self.known.entry(id.clone()).or_insert_with(|| Fact {
            id,
            conversation: self.conversation.clone(),
            kind,
            subject,
            state,
            exit_code: None,
            seen_with: None,
            ended_by: None,
            times: 0,
            first_seq: message.seq,
            last_seq: message.seq,
            sources: Vec::new(),
        });
        fact.state = state;
        fact.last_seq = message.seq;
        fact.add_source(&message.id);
        // A set of open facts beside the map: each command asks which failures it ended, and a long session has
        // thousands of facts.
        if may_end(fact) {
            self.open.insert(fact.id.clone());
        } else {
            self.open.remove(&fact.id);
        }
        fact
    }
}

/// Whether a call runs our own program in a shell.
pub(crate) fn runs_own_program(tool: &str, input: &str) -> bool {
    input.contains(OWN_PROGRAM)
        && matches!(action::parse_action(tool, input), ToolAction::Shell { command } if command.split_whitespace().next() == Some(OWN_PROGRAM))
}

const OWN_PROGRAM: &str = "epitome";

fn state_of(progress: TodoProgress) -> FactState {
    match progress {
        TodoProgress::Open => FactState::Open,
        TodoProgress::Begun => FactState::Begun,
        TodoProgress::Done => FactState::Done,
        TodoProgress::Dropped => FactState::Dropped,
    }
}

/// `Task #3 created successfully: …` → `3`.
fn task_number(output: &str) -> Option<&str> {
    let (number, _) = output.split_once('#')?.1.split_once(|c: char| !c.is_ascii_digit())?;
    (!number.is_empty()).then_some(number)
}

fn may_end(fact: &Fact) -> bool {
    match fact.kind {
        FactKind::Failure | FactKind::Test | FactKind::Todo | FactKind::Task => fact.is_in_force(),
        // A proposal waits for the user's next message only.
        FactKind::Decision => fact.state == FactState::Proposed && fact.seen_with.is_none(),
        FactKind::Rule | FactKind::Correction | FactKind::File | FactKind::Command => false,
    }
}

/// Whether a message is a prompt of a person, not a result or what a program added.
fn is_prompt(message: &Message) -> bool {
    let has_words =
        |part: &MessagePart| matches!(part, MessagePart::Text { text } if !own_words(text).trim().is_empty());
    message.body.is_by_person() && message.body.parts.iter().any(has_words)
}

fn normalize_subject(about: &str) -> String {
    let line = about.trim().replace('\n', " ⏎ ");
    truncate_text(&line, LONGEST_SUBJECT)
}
