//! Classifies the binding sentences of a user, in the user's own words: rules, one-time tasks, corrections, decisions.
//!
//! Sentences are found by their wording (regular expressions). A rule is repeated to every later session, so a false
//! positive does more harm than a miss: a rule must have the form of an order and be about all work, not about the
//! piece at hand. A description of a defect has neither and is no fact.

use super::decision::is_decision;
use super::own_words::{own_words, split_sentences};
use super::rule::{begins_as_order, is_rule};
use super::rule_list::find_listed_rules;
use super::rule_scope::spells_scope_out;
use super::user_choice::{is_question_form, is_tentative, settles_choice};
use model::FactKind;
use regex::Regex;
use std::sync::LazyLock;

/// A longer one is no sentence but something pasted.
const LONGEST_SENTENCE: usize = 700;
/// A longer message is a plan or something pasted. Its sentences describe the plan; only its first one asks for work.
const LONGEST_REQUEST: usize = 1_500;
/// A message with more binding sentences is a document; its beginning and its end are what the person added.
const MOST_DIRECTIVES: usize = 40;
/// Together with the sentence before it, a sentence may be this long.
const LONGEST_PAIR: usize = 400;

/// A sentence of a user that binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserDirective {
    pub(crate) kind: FactKind,
    pub(crate) words: String,
    /// It stands in a document (a plan, a prompt for another agent, a skill): the user passed it on, and perhaps wrote
    /// none of it.
    pub(crate) is_passed_on: bool,
    /// The user only weighs it.
    pub(crate) is_tentative: bool,
}

/// The sentences of a message that bind.
pub(crate) fn find_directives(text: &str) -> Vec<UserDirective> {
    let words = own_words(text);
    let is_document = words.len() > LONGEST_REQUEST || is_structured(&words);
    // A program marks what it sends with a comment, which no person types.
    let is_generated = text.trim_start().starts_with("<!--");
    let listed = find_listed_rules(&words);
    let sentences = split_sentences(&words);
    let mut found = Vec::new();
    for (place, sentence) in sentences.iter().enumerate() {
        let is_listed = listed.iter().any(|entry| entry.starts_with(sentence.as_str()));
        let kind = if is_listed { Some(FactKind::Rule) } else { classify_sentence(sentence) };
        let Some(kind) = kind.filter(|_| !is_bare_reminder(sentence)) else { continue };
        // A pasted plan or report is full of steps, findings and options in the form of orders, which the user did not
        // give.
        let is_passed_on = is_generated || (is_document && place > 0);
        let is_order = kind == FactKind::Rule && (begins_as_order(sentence) || spells_scope_out(sentence));
        if is_passed_on && !is_listed && !is_order {
            continue;
        }
        let before = place.checked_sub(1).map(|before| sentences[before].as_str());
        // "It must never be empty." says nothing to a reader who does not know what it is. A correction refers to what the
        // agent did, not to the sentence before.
        let words = match kind {
            FactKind::Rule => join_reference(before.filter(|before| !before.ends_with('?')), sentence),
            FactKind::Task => join_reference(before, sentence),
            FactKind::Decision => join_antecedent(before, sentence),
            FactKind::Correction
            | FactKind::File
            | FactKind::Command
            | FactKind::Failure
            | FactKind::Test
            | FactKind::Todo => Some(sentence.clone()),
        };
        let is_tentative = kind == FactKind::Decision && is_tentative(sentence);
        found.extend(words.map(|words| UserDirective { kind, words, is_passed_on, is_tentative }));
    }
    if found.len() <= MOST_DIRECTIVES {
        return found;
    }
    let first = &found[..MOST_DIRECTIVES / 2];
    let last = &found[found.len() - MOST_DIRECTIVES / 2..];
    [first, last].concat()
}

/// Whether a sentence only asks to remember the one before it, which stands for itself.
fn is_bare_reminder(sentence: &str) -> bool {
    static REMINDER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:please\s|and\s|so\s)*(?:keep|bear|remember|note|mind)\s(?:that|this|it|these)(?:\sin\smind)?[.!]*$",
        )
        .expect("the pattern is ours")
    });
    REMINDER.is_match(sentence)
}

/// Whether a message has the form of a document: headings, tables or a long list.
fn is_structured(text: &str) -> bool {
    const LONG_LIST: usize = 8;
    static ITEM: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*(?:[-*•]|\d+[.)])\s").expect("the pattern is ours"));
    let is_markup = |line: &str| {
        line.starts_with("## ") || line.starts_with("# ") || line.starts_with("### ") || line.starts_with('|')
    };
    text.lines().any(is_markup) || text.lines().filter(|line| ITEM.is_match(line)).count() >= LONG_LIST
}

/// What kind of directive a sentence is; `None` for one that binds no agent.
pub(crate) fn classify_sentence(sentence: &str) -> Option<FactKind> {
    if !(3..=LONGEST_SENTENCE).contains(&sentence.len()) {
        return None;
    }
    // "**Never** push" is written for emphasis.
    let plain = sentence.replace("**", "").replace("__", "");
    let sentence = plain.as_str();
    // A question binds no agent; but "why did you not keep …?" corrects, and "can you fix …?" asks for work.
    let is_question = sentence.trim_end_matches([')', '"', '\'']).ends_with('?');
    if CORRECTION.is_match(sentence) {
        let rest = REFUSAL.find(sentence).map(|no| &sentence[no.end()..]);
        let reminded = REMINDER.find(sentence).map(|said| &sentence[said.end()..]);
        // "I told you to always run the tests" gives the rule again, and "no, use SQLite instead" says what is chosen.
        let is_reminder = reminded.is_some_and(is_rule)
            || rest.is_some_and(|rest| spells_scope_out(rest) && SCOPE_WORD.is_match(rest));
        Some(match rest {
            _ if !is_question && is_reminder => FactKind::Rule,
            Some(rest) if !is_question && chooses_way(rest) => FactKind::Decision,
            _ => FactKind::Correction,
        })
    } else if is_question {
        let opinion = OPINION.is_match(sentence).then_some(FactKind::Decision);
        opinion.or_else(|| REQUEST.is_match(sentence).then_some(FactKind::Task))
    } else if is_rule(sentence) {
        Some(FactKind::Rule)
    } else if chooses_way(sentence) {
        Some(FactKind::Decision)
    } else {
        is_task(sentence).then_some(FactKind::Task)
    }
}

/// The sentence with the one before it where it begins with a word for something named there; `None` where nothing
/// names it.
fn join_reference(before: Option<&str>, sentence: &str) -> Option<String> {
    static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:and\s|but\s|so\s|also\s)?(?:it|they|them|these|those|this|that|both|same|otherwise)\b")
            .expect("the pattern is ours")
    });
    if !REFERENCE.is_match(sentence) {
        return Some(sentence.to_owned());
    }
    join_sentences(before, sentence)
}

/// A decision with the sentence before it where its subject is a pronoun: "It is going to be PostgreSQL." does not say
/// what; `None` where no sentence before it does.
pub(super) fn join_antecedent(before: Option<&str>, decision: &str) -> Option<String> {
    let leans = PRONOUN_SUBJECT.is_match(decision) && !NAMED_BEHIND.is_match(decision);
    if leans { join_sentences(before, decision) } else { Some(decision.to_owned()) }
}

fn join_sentences(before: Option<&str>, sentence: &str) -> Option<String> {
    let before = before.filter(|before| before.len() + sentence.len() < LONGEST_PAIR)?;
    Some(format!("{before} {sentence}"))
}

static PRONOUN_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:(?:and|but|so|also|then|well|hm+|now|no|yes|yeah|ok(?:ay)?)\b[\s,:—-]*)*
        (?: (?:it|they)\b
          | (?:these|those|this|that|both)
            (?: ['’](?:s|ll|re|d) | \s(?:(?:just|simply|only|also|really|probably)\s)?(?: should | must | can | could | would | will | shall | may | might | is | are | was | were
                | goes | go | needs? | has | have | stays? | remains? | lives? | belongs? | becomes? | does | do ) )\b )",
    )
    .expect("the pattern is ours")
});

/// What a pronoun stands for where it is named behind it: "it's better to start with SQLite".
static NAMED_BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?:it|that|this)
            (?: (?:['’]s|['’]d\sbe|\sis|\swas|\swould\sbe|\shas\sbeen)\s(?:\w+\s){0,2}?(?: decided | agreed | settled | better | best | cleaner | simpler | easier | safer | wiser
                | nicer | preferable | fine | ok(?:ay)? | good | enough | important | necessary | needed | worth | time | sensible | possible )
              | \s(?:\w+\s)?makes?\s(?:(?:more|the\smost)\s)?sense )
            \s(?: to | not\sto | if | that | when )\s\S",
    )
    .expect("the pattern is ours")
});

/// Whether a task says how something has to be, in contrast to what is to be done.
pub(crate) fn is_requirement(sentence: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:make sure|ensure|must|should|needs? to|ha(?:s|ve) to|shall)\b")
            .expect("the pattern is ours")
    });
    WORDS.is_match(sentence)
}

/// Whether a sentence asks for a piece of work: an order about one thing, or how one thing has to be.
fn is_task(sentence: &str) -> bool {
    let words = sentence.split_whitespace().count();
    words > 2 && (WORK.is_match(sentence) || REQUEST.is_match(sentence) || REQUIREMENT.is_match(sentence))
}

/// Whether a sentence that is no question decides something or settles how it is to be.
fn chooses_way(sentence: &str) -> bool {
    // "Move the check into the server instead of the client" names what is not chosen.
    let is_contrast = INSTEAD.is_match(sentence) && (WORK.is_match(sentence) || REQUEST.is_match(sentence));
    !is_question_form(sentence) && (is_decision(sentence) || is_contrast) || settles_choice(sentence)
}

static INSTEAD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:instead of|rather than|as a separate)\b").expect("the pattern is ours"));

/// "I think the themes need tokens of their own", also as a question: "it should be the title, or?"
static OPINION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\s*(?:(?:well|ok(?:ay)?|so|but|and|also|hm+|for\s[^:]{1,30}:)[\s,.]*)*i\s(?:think|feel\slike|reckon|believe)\s.{1,160}\b(?:should|needs?|must)\s",
    )
    .expect("the pattern is ours")
});

/// An order that begins with the verb of some work.
static WORK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\s*(?:\(?\d+[.)]\s+)?
        (?:(?:ok(?:ay)?|and|but|so|also|then|please|just|now|yes|yeah|great|perfect|next|first|finally|instead|good|nice)[\s,.!:—-]+)*
        (?: add | address | adjust | align | allow | analy[sz]e | append | apply | bump | build | call | change | check | clean | clone | close
            | combine | commit | compare | complete | configure | connect | continue | convert | copy | create | debug | define | delegate
            | delete | deploy | describe | design | disable | display | document | drop | edit | enable | ensure | examine
            | expand | explain | explore | export | extend | extract | figure\sout | find | finish | fix | format | generate
            | get | give | go\sthrough | handle | hide | identify | implement | import | improve | include | increase | insert | inspect
            | install | integrate | investigate | keep | launch | leave | let | limit | list | load | look | make | mark | merge | migrate
            | mock | modify | move | normalize | open | optimi[sz]e | pass | patch | plan | port | prepare | print | proceed
            | provide | publish | push | put | rebase | read | rebuild | reduce | refactor | release | reload | remove | rename
            | render | reorganize | replace | report | reproduce | rerun | research | reset | resolve | restart | restore | retry | return | review | rewrite | run
            | save | search | send | separate | set | show | simplify | skip | solve | sort | spawn | split | start | stop | store
            | style | summarize | support | switch | sync | take | tell | test | track | translate | try | turn | uninstall
            | update | upgrade | upload | use | validate | verify | wire | work\son | wrap | write
            | do\snot | don['’]?t )\b",
    )
    .expect("the pattern is ours")
});

/// An order in the form of a question or a wish.
static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: (?:can|could|would|will)\syou(?:\splease)?\s(?:also\s|now\s)?[a-z]+
            | i(?:['’]?d)?\s(?:want|need|like|would\slike)\s(?:you\s)?to\s(?:(?:be\sable\sto)\s)?[a-z]+
            | we\sneed\sto\s[a-z]+ | you\sneed\sto\s[a-z]+ | make\ssure | please\s[a-z]+ )",
    )
    .expect("the pattern is ours")
});

/// How one thing has to be.
static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)(?:^|,\s)(?:and\s|but\s|so\s|also\s)*(?:the|this|these|those|it|they|there|each|every|all)\b.{0,80}?
            \b(?: should(?:n['’]?t)? | must(?:n['’]?t)? | needs?\sto | ha(?:s|ve)\sto | shall )\b",
    )
    .expect("the pattern is ours")
});

/// What was said before, and is said again.
static REMINDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bi\s(?:already\s)?(?:said|told\syou|asked\syou)(?:\s(?:to|that|before))?[\s,:]+")
        .expect("the pattern is ours")
});

/// A word for all times.
static SCOPE_WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:never|always|from now on|every time)\b").expect("the pattern is ours"));

/// The word that refuses, in front of what is wanted.
static REFUSAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^\s*(?:no|nope|nah)\b[\s,.!:—-]+").expect("the pattern is ours"));

static CORRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?: (?:no|nope|nein|non)(?:[,.!:]|\s[—-])\s?\S | (?:stop\s(?:it|that)|wrong)\b )
        | (?:^|[,.;:!(—-]\s*|\b(?:no|but|and|because|sorry|hm+)\s) that(?:['’]?s|\sis)\s(?:not|wrong)\b
        | \b(?: this\sis\swrong | not\swhat\si\s | i\s(?:said|told\syou|asked\s(?:you|for))
            | i\sdid\s?n['’o]t\s(?:ask|mean|say|want) | i\smeant | you\s(?:forgot|missed|broke|ignored|removed|deleted|changed\sthe)
            | put\sit\sback | wrong\s(?:file|place|way|one|branch|approach)
            | why\sdid\syou | again\syou | das\sist\sfalsch )\b
        | ^\s*(?:please\s)?(?:revert|undo|roll\sback)\s(?:that|this|it|the|your|all|these|those|last)\b
        | 不对 | 错了 | 違います",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
#[path = "directive_tests.rs"]
mod tests;
