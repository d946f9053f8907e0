//! Assertions of the end-to-end tests on the requests to the model: that the day went as scripted, the text that hooks
//! injected, and what is left after a compaction.

use super::{DayCounts, DayEvidence, HostCheck, build_check, check_where};
use crate::hosts::agents::HostAbility;
use crate::hosts::day::{COMPACTIONS, long_row};
use crate::hosts::hook_recorder::HookCall;
use crate::hosts::model::RequestPurpose;
use crate::hosts::texts::{told_in, words_of};

pub(super) fn check_requests(evidence: &DayEvidence, counts: &mut DayCounts) -> Vec<HostCheck> {
    let host = evidence.host;
    let silent = "its hooks only listen";
    vec![
        build_check("the day went as scripted", Ok(off_script(evidence))),
        build_check("no warning about us", Ok(find_warning(evidence))),
        build_check("every hook is heard", Ok(unheard_events(evidence))),
        build_check("hooks end with 0 and say nothing else", Ok(noisy_hook(evidence))),
        check_where(
            host.has_ability(HostAbility::ReadsStart),
            silent,
            "a new session is told what is in force",
            || Ok(missing_words(&evidence.told_texts("anew"), &evidence.planted_before(COMPACTIONS))),
        ),
        check_where(host.has_ability(HostAbility::ReadsPrompts), silent, "a question is answered from before", || {
            let told = evidence.told_texts("anew");
            let is_recalled =
                |told: &String| told.contains("Said before") && told.contains("discounts are rounded down");
            Ok((!told.iter().any(is_recalled)).then(|| format!("told: {told:?}")))
        }),
        build_check("our tools answer", Ok(unanswered_tools(evidence))),
        build_check(
            "a text is withheld where the model has it for certain, and only there",
            Ok(wrongly_sent(evidence)),
        ),
        check_where(
            host.has_ability(HostAbility::Restores),
            "no event between a compaction and the next request",
            "facts are there after each compaction",
            || Ok(unrestored_facts(evidence, counts)),
        ),
        build_check("nothing is told twice", Ok(told_twice(evidence))),
        build_check("nothing is told that says nothing", Ok(empty_words(evidence))),
        check_where(
            host.has_ability(HostAbility::ReadsPrompts) && host.has_ability(HostAbility::Restores),
            "the output is still before the model's eyes, or hooks only listen",
            "a question about an output is answered with its lines",
            || Ok(without_rows(evidence)),
        ),
    ]
}

fn off_script(evidence: &DayEvidence) -> Option<String> {
    let replies = evidence.played.exchanges.iter().map(|exchange| exchange.reply.as_str());
    // The scripted model says so when it is lost; the rest of the day then proves nothing.
    if let Some(lost) =
        replies.clone().find(|reply| reply.contains("No tool is offered") || reply.contains("too many steps"))
    {
        return Some(lost.to_owned());
    }
    let unsaid = evidence.played.turns.iter().find_map(|turn| {
        let last = turn.last_words()?;
        (!replies.clone().any(|reply| reply.contains(last)))
            .then(|| format!("turn `{}` did not come to its end", turn.name))
    });
    let summaries =
        evidence.played.exchanges.iter().filter(|exchange| exchange.purpose == RequestPurpose::Summary).count();
    let compacted = (summaries < COMPACTIONS).then(|| format!("the agent compacted {summaries} times"));
    unsaid.or(compacted)
}

fn find_warning(evidence: &DayEvidence) -> Option<String> {
    let is_warning = |line: &&str| {
        let line = line.to_lowercase();
        let is_about_us =
            ["epitome hook", "hooks.json", "mcp_servers.epitome", "epitome mcp"].iter().any(|word| line.contains(word));
        is_about_us && ["warn", "clamp", "invalid", "failed", "error"].iter().any(|word| line.contains(word))
    };
    evidence.played.said.lines().find(is_warning).map(str::to_owned)
}

fn unheard_events(evidence: &DayEvidence) -> Option<String> {
    let heard = |event: &str| evidence.played.hooks.iter().any(|call| call.event == event);
    let silent: Vec<&str> = evidence.host.events.iter().copied().filter(|event| !heard(event)).collect();
    (!silent.is_empty()).then(|| format!("never called: {}", silent.join(", ")))
}

fn noisy_hook(evidence: &DayEvidence) -> Option<String> {
    let wrong = evidence.played.hooks.iter().find(|call| call.code != 0 || !call.talk.is_empty())?;
    Some(format!("{} ended with {} and said {:?}", wrong.event, wrong.code, wrong.talk))
}

/// Which of the wanted words are in no text of our hooks.
fn missing_words(told: &[String], wanted: &[&str]) -> Option<String> {
    let missing: Vec<&str> =
        wanted.iter().copied().filter(|words| !told.iter().any(|told| told.contains(words))).collect();
    (!missing.is_empty()).then(|| format!("not told: {}; told: {told:?}", missing.join("; ")))
}

/// Texts that are not worth injecting: thanks, announcements, and the outline of a project with one file.
const UNINFORMATIVE_TEXTS: [&str; 5] = [
    "Thank you, that is enough",
    "That was the long table",
    ": Print the long table",
    "python 1 file",
    "price.py edited",
];

fn empty_words(evidence: &DayEvidence) -> Option<String> {
    let mut told = evidence.played.hooks.iter().flat_map(HookCall::told_texts);
    told.find(|told| UNINFORMATIVE_TEXTS.iter().any(|words| told.contains(words)))
}

/// Rows of the table of which was asked what it looked like, each as it was printed.
fn without_rows(evidence: &DayEvidence) -> Option<String> {
    let told = evidence.told_texts("resumed");
    let recalled = told.iter().filter(|told| told.contains("Said before"));
    let row = long_row(1).replacen("row 1", "", 1);
    let is_row = |line: &str| line.trim().starts_with("row ") && line.ends_with(&row);
    let has_rows = recalled.clone().any(|told| told.lines().any(is_row));
    (!has_rows).then(|| format!("told: {:?}", recalled.collect::<Vec<_>>()))
}

/// The expected results of each tool.
const ANSWERS: [(&str, &str); 6] = [
    ("context", "def add_tax"),
    ("read", "def total"),
    ("recall", "discounts are rounded down"),
    ("expand", "Read src/price.py. Rule"),
    ("grep", "The middle table has four hundred rows"),
    ("help", "relations"),
];

fn unanswered_tools(evidence: &DayEvidence) -> Option<String> {
    let before = evidence.turn_requests("tools").next().map(|exchange| exchange.spoken.as_str()).unwrap_or_default();
    let after = evidence.last_words("tools");
    // Words that were in the request before are no answer: only words that are there more often than before.
    let count = |text: &str, words: &str| text.matches(words).count();
    let silent: Vec<&str> = ANSWERS
        .iter()
        .filter(|(_, words)| count(after, words) <= count(before, words))
        .map(|(tool, _)| *tool)
        .collect();
    (!silent.is_empty()).then(|| format!("no answer of {}", silent.join(", ")))
}

/// The beginning of a reference to a text that is not sent again.
const REFERENCE: &str = "[seen in this session, unchanged: ";

/// What three readings of a file in a row, and one behind a compaction, give. An answer of the turn before had all of the
/// file: where that is known, a reference, the text, because the model asked again, and a reference to that.
fn wrongly_sent(evidence: &DayEvidence) -> Option<String> {
    let is_known = evidence.host.has_ability(HostAbility::ShowsContext);
    for (turn, expected) in [("again", &[is_known, false, is_known][..]), ("first", &[false][..])] {
        let requests: Vec<_> = evidence.turn_requests(turn).collect();
        let before = requests.first().map_or(0, |request| request.results.len());
        let results = requests.last().map(|request| &request.results[before..]).unwrap_or_default();
        // A result that only brought tools into the request is none of ours.
        let given: Vec<bool> = results
            .iter()
            .filter(|result| result.contains(REFERENCE) || result.contains("def add_tax"))
            .map(|result| result.contains(REFERENCE))
            .collect();
        if given != expected {
            return Some(format!("in turn `{turn}` references were given so: {given:?}, not {expected:?}"));
        }
    }
    None
}

/// After each compaction, what was in force must be in the next request of a turn, put there by agent or hook.
fn unrestored_facts(evidence: &DayEvidence, counts: &mut DayCounts) -> Option<String> {
    let mut wrong = Vec::new();
    for (compaction, request) in after_compactions(evidence).enumerate() {
        let words = words_of(&request.request);
        for planted in evidence.planted_before(compaction) {
            counts.planted += 1;
            if words.contains(planted) {
                counts.restored += 1;
            } else {
                wrong.push(format!("after compaction {}: {planted}", compaction + 1));
            }
        }
    }
    (!wrong.is_empty()).then(|| format!("not in the next request: {}", wrong.join("; ")))
}

/// The first request of a turn behind each compaction. An agent may ask for one summary in several requests.
fn after_compactions<'e>(evidence: &'e DayEvidence) -> impl Iterator<Item = &'e crate::hosts::model::ModelExchange> {
    let all = &evidence.played.exchanges;
    let is_turn = |at: &usize| matches!(all[*at].purpose, RequestPurpose::Turn(_));
    let next = move |at: usize| (at..all.len()).find(is_turn);
    let mut behind: Vec<usize> =
        (0..all.len()).filter(|at| all[*at].purpose == RequestPurpose::Summary).filter_map(next).collect();
    behind.dedup();
    behind.into_iter().map(|at| &all[at])
}

/// In no request may the texts of hooks have the same line twice, nor repeat an earlier text in other words around it.
fn told_twice(evidence: &DayEvidence) -> Option<String> {
    for exchange in &evidence.played.exchanges {
        let told = told_in(&words_of(&exchange.request));
        let mut lines: Vec<&str> =
            told.iter().flat_map(|told| told.lines()).filter(|line| line.starts_with("- ")).collect();
        // A fact that was injected, stored and injected again would have two headings.
        if let Some(wrapped) = lines.iter().find(|line| line.matches("rule of the user:").count() > 1) {
            return Some(format!("in one more wrapper: {wrapped}"));
        }
        lines.sort_unstable();
        if let Some((line, _)) = lines.iter().zip(lines.iter().skip(1)).find(|(one, next)| one == next) {
            return Some(format!("twice in one request: {line}"));
        }
    }
    None
}
