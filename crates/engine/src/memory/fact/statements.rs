//! The part of `FactExtractor` that reads message text: adds rules, tasks, corrections and decisions of the user and
//! decisions that a model proposes, confirms proposals that the user agrees to, and ends statements that a later one
//! retracts.

use super::decision::{is_agreement, is_decision, is_offer, is_plain_refusal, is_proposal};
use super::directive::{UserDirective, join_antecedent};
use super::prose_answer::ProseQuestions;
use super::retraction::{
    RuleWords, adopts_refused, is_refusal, is_retraction, rejected_words, rejects_choice, rejects_decision,
    retracts_rule,
};
use super::{FactExtractor, announces_step, directive, is_announcement, own_words, split_sentences};
use model::{Fact, FactKind, FactState, Message, MessageRole};

/// A model's message with more sentences that sound like decisions is a document about the plan.
const MOST_PROPOSALS: usize = 6;

impl FactExtractor {
    pub(super) fn add_statements(&mut self, message: &Message, text: &str) {
        // What the program, its instructions or a summary of it say in the user's place is no statement of the user.
        if message.body.is_by_person() {
            self.answer_proposals(message, text);
            self.withdraw_decisions(message, text);
            self.withdraw_rules(message, text);
            self.add_directives(message, text);
            self.add_answers(message, text);
        } else if message.body.role == MessageRole::Assistant && !text.trim().is_empty() {
            self.add_proposals(message, text);
            self.asked = ProseQuestions::read(text).map(|asked| (asked, message.seq));
        }
    }

    /// What the user answers to the questions of the model's last text is a decision.
    fn add_answers(&mut self, message: &Message, text: &str) {
        let Some((asked, _)) = self.asked.take() else { return };
        for answer in asked.find_answers(text) {
            self.upsert_fact(message, FactKind::Decision, &answer, FactState::Stated);
        }
    }

    fn add_directives(&mut self, message: &Message, text: &str) {
        let found = directive::find_directives(text);
        // The user who asks for something new has left the tasks before it behind.
        if found.iter().any(|found| found.kind == FactKind::Task) {
            let earlier = |fact: &Fact| fact.kind == FactKind::Task && fact.last_seq < message.seq;
            for (subject, _) in self.open_where(earlier) {
                self.upsert_fact(message, FactKind::Task, &subject, FactState::Passed);
            }
        }
        for UserDirective { kind, words: sentence, is_passed_on, is_tentative } in found {
            let id = Fact::id_of(&self.conversation, kind, &super::normalize_subject(&sentence));
            // What the user once said themselves stays said.
            let is_new = || self.known.get(&id).is_none_or(|fact| fact.state == FactState::Proposed);
            let state = if kind == FactKind::Task {
                FactState::Open
            } else if (is_passed_on || is_tentative) && is_new() {
                FactState::Proposed
            } else {
                FactState::Stated
            };
            self.upsert_fact(message, kind, &sentence, state);
            // Read once: a long conversation has thousands of statements to compare with.
            let is_stated = state == FactState::Stated;
            let ordered = (is_stated && kind == FactKind::Rule).then(|| RuleWords::read(&sentence));
            let rejected = (is_stated && kind == FactKind::Decision).then(|| rejected_words(&sentence));
            let ends = |earlier: &str| {
                ordered.as_ref().is_some_and(|rule| rule.opposes(&RuleWords::read(earlier)))
                    || rejected
                        .as_ref()
                        .is_some_and(|words| rejects_choice(words, earlier) || adopts_refused(&sentence, earlier))
            };
            let is_replaced = |fact: &Fact| {
                fact.kind == kind && fact.id != id && fact.state == FactState::Stated && ends(&fact.subject)
            };
            for fact in self.known.values_mut().filter(|fact| is_replaced(fact)) {
                fact.state = FactState::Superseded;
                fact.last_seq = message.seq;
                fact.ended_by = Some(id.to_string());
            }
        }
    }

    /// Ends the rules that a message takes back. The sentence itself is kept as a withdrawn rule, because the rule may have
    /// been given in another conversation of the project.
    fn withdraw_rules(&mut self, message: &Message, text: &str) {
        for sentence in split_sentences(&own_words(text)).iter().filter(|sentence| is_retraction(sentence)) {
            for fact in self.known.values_mut() {
                if fact.kind == FactKind::Rule
                    && fact.state == FactState::Stated
                    && retracts_rule(sentence, &fact.subject)
                {
                    fact.state = FactState::Withdrawn;
                    fact.last_seq = message.seq;
                    fact.add_source(&message.id);
                }
            }
            self.upsert_fact(message, FactKind::Rule, sentence, FactState::Withdrawn);
        }
    }

    /// Ends the decisions and proposals that a message refuses: "no, do not use Redis".
    fn withdraw_decisions(&mut self, message: &Message, text: &str) {
        for sentence in split_sentences(&own_words(text)).iter().filter(|sentence| is_refusal(sentence)) {
            let is_refused = |fact: &Fact| {
                fact.kind == FactKind::Decision
                    && matches!(fact.state, FactState::Stated | FactState::Proposed)
                    && rejects_decision(sentence, &fact.subject)
            };
            let refused: Vec<String> =
                self.known.values().filter(|fact| is_refused(fact)).map(|fact| fact.subject.clone()).collect();
            for subject in refused {
                self.upsert_fact(message, FactKind::Decision, &subject, FactState::Withdrawn);
            }
        }
    }

    /// What a model puts forward is a decision once the user agrees.
    fn add_proposals(&mut self, message: &Message, text: &str) {
        let sentences = split_sentences(&own_words(text));
        let proposes = |sentence: &str| {
            let states = || is_proposal(sentence) || is_decision(sentence) && !is_polite(sentence);
            let is_question = sentence.ends_with('?');
            is_offer(sentence) || !is_question && !announces_step(sentence) && states()
        };
        let befores = std::iter::once(None).chain(sentences.iter().map(|before| Some(before.as_str())));
        let proposals = sentences
            .iter()
            .zip(befores)
            .filter(|(sentence, _)| proposes(sentence))
            .filter_map(|(sentence, before)| join_antecedent(before, sentence));
        for sentence in proposals.take(MOST_PROPOSALS) {
            let id = Fact::id_of(&self.conversation, FactKind::Decision, &super::normalize_subject(&sentence));
            // A decision of the user that the model repeats stays the user's.
            if self.known.get(&id).is_none_or(|fact| fact.state == FactState::Proposed) {
                self.upsert_fact(message, FactKind::Decision, &sentence, FactState::Proposed).seen_with = None;
            }
        }
    }

    fn answer_proposals(&mut self, message: &Message, text: &str) {
        let is_waiting = |fact: &Fact| fact.kind == FactKind::Decision && fact.state == FactState::Proposed;
        let words = own_words(text);
        let agreed = is_agreement(&words);
        let refused = is_plain_refusal(&words);
        for (subject, _) in self.open_where(is_waiting) {
            if agreed {
                self.upsert_fact(message, FactKind::Decision, &subject, FactState::Stated);
            } else if refused {
                self.upsert_fact(message, FactKind::Decision, &subject, FactState::Withdrawn);
            } else {
                let id = Fact::id_of(&self.conversation, FactKind::Decision, &subject);
                if let Some(fact) = self.known.get_mut(&id) {
                    fact.seen_with = Some(message.id.to_string());
                }
                self.open.remove(&id);
            }
        }
    }
}

/// "Great, let's see" of a model chooses nothing.
fn is_polite(sentence: &str) -> bool {
    let rest = sentence.split_once([',', '!', ':']).map_or(sentence, |(_, rest)| rest);
    is_announcement(sentence) && !is_decision(rest)
}
