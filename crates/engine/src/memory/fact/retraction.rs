//! Decides whether a statement ends an earlier one, by comparing their wording: a rule that is taken back, a rule that
//! orders the opposite, a decision that replaces another.

use super::decision::read_decision;
use regex::Regex;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

/// Whether a sentence has the form of one that takes a rule back.
pub(crate) fn is_retraction(sentence: &str) -> bool {
    let has_form = BY_NAME.is_match(sentence) || PERMISSION.is_match(sentence) || CESSATION.is_match(sentence);
    has_form && !sentence.ends_with('?')
}

/// Whether a sentence takes a rule back: "you can push to main again", "forget the rule about tabs".
pub(crate) fn retracts_rule(sentence: &str, rule: &str) -> bool {
    if !is_retraction(sentence) {
        return false;
    }
    // "We no longer use yarn" ends "use yarn" and confirms "never use yarn"; a permission ends only what forbids.
    let forbids = NEGATION.is_match(rule);
    let is_about_rule = BY_NAME.is_match(sentence)
        || (forbids && PERMISSION.is_match(sentence))
        || (!forbids && CESSATION.is_match(sentence));
    if !is_about_rule {
        return false;
    }
    let rule_words = content_words(rule);
    let shared = rule_words.intersection(&content_words(sentence)).count();
    // At least half of what the rule is about must be named, or another rule could be meant.
    shared > 0 && shared * 2 >= rule_words.len()
}

/// Whether two rules are about the same thing and order the opposite: "never use tabs", "always use tabs".
pub(crate) fn contradicts(new: &str, old: &str) -> bool {
    RuleWords::read(new).opposes(&RuleWords::read(old))
}

/// What a rule is about, and whether it forbids it.
pub(super) struct RuleWords {
    pub(super) words: BTreeSet<String>,
    pub(super) forbids: bool,
}

impl RuleWords {
    pub(super) fn read(rule: &str) -> Self {
        Self { words: content_words(rule), forbids: NEGATION.is_match(rule) }
    }

    /// Whether one of them forbids what the other orders.
    pub(super) fn opposes(&self, other: &Self) -> bool {
        self.words == other.words && !self.words.is_empty() && self.forbids != other.forbids
    }
}

/// Whether a decision replaces another: it names what the other chose as what is not chosen any more.
pub(crate) fn replaces_decision(new: &str, old: &str) -> bool {
    rejects_choice(&rejected_words(new), old)
}

/// Whether words that a decision rejects are among what an earlier one chose.
pub(super) fn rejects_choice(rejected: &BTreeSet<String>, old: &str) -> bool {
    !rejected.is_empty() && !rejected.is_disjoint(&chosen_words(old))
}

/// Whether a decision is for what an earlier one was against: "let's go with Svelte" after "which frameworks? → no Svelte".
pub(crate) fn adopts_refused(new: &str, old: &str) -> bool {
    let answer = old.rsplit_once('→').map_or(old, |(_, answer)| answer);
    if !REFUSED.is_match(answer) || REFUSED.is_match(new) {
        return false;
    }
    let adopted = proper_names(new);
    !adopted.is_empty() && adopted.is_subset(&proper_names(old))
}

/// A refusal, in the languages that rules are read in.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: never | not | no | don['’]?t | won['’]?t | avoid | without | skip | neither | none | nicht | keine?[nrs]? | ohne | sans | jamais | nunca | sin )\b
            | ない | なし | 不[要用] | 别 | 沒 | 没",
    )
    .expect("the pattern is ours")
});

/// The names of things in a sentence: words of Latin letters with a capital, beside the words of orders.
fn proper_names(sentence: &str) -> BTreeSet<String> {
    let words = sentence.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'' && c != '_');
    words
        .filter(|word| word.len() > 2 && word.contains(|c: char| c.is_ascii_uppercase()))
        .map(str::to_lowercase)
        .filter(|word| !ORDER_WORDS.split(' ').any(|order| order == word))
        .collect()
}

/// What a decision says is not chosen, or not any more.
pub(super) fn rejected_words(decision: &str) -> BTreeSet<String> {
    let mut rejected = alternative_words(decision);
    if let Some(found) = AWAY_FROM.captures(decision) {
        rejected.extend(content_words(&found[1]));
    }
    rejected
}

/// What a decision is about, without what it did not choose.
pub(super) fn chosen_words(decision: &str) -> BTreeSet<String> {
    let alternatives = alternative_words(decision);
    content_words(decision).into_iter().filter(|word| !alternatives.contains(word)).collect()
}

fn alternative_words(decision: &str) -> BTreeSet<String> {
    read_decision(decision).alternatives.iter().flat_map(|words| content_words(words)).collect()
}

/// Whether a sentence orders not to do something: "no, do not use Redis".
pub(crate) fn is_refusal(sentence: &str) -> bool {
    static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\s*(?: (?:no|nope|wait|stop|actually|nein)\b[\s,.!;:—-]* )*(?:please\s+)?
                (?: do\snot | don['’]?t | never | let['’]?s\snot | we\s(?:won['’]?t|will\snot|should\snot|shouldn['’]?t) )\s",
        )
        .expect("the pattern is ours")
    });
    REFUSAL.is_match(sentence) && !sentence.ends_with('?')
}

/// Whether a sentence refuses what was decided: it orders not to do it, and names nothing else.
pub(crate) fn rejects_decision(sentence: &str, decision: &str) -> bool {
    refused_words(sentence).is_some_and(|words| may_be_refused(decision) && words.is_subset(&chosen_words(decision)))
}

/// What an order not to do something is about; none where a sentence is no such order.
pub(super) fn refused_words(sentence: &str) -> Option<BTreeSet<String>> {
    is_refusal(sentence).then(|| content_words(sentence)).filter(|words| !words.is_empty())
}

/// Whether an order not to do something may be about a decision: one not to do it says the same.
pub(super) fn may_be_refused(decision: &str) -> bool {
    !NEGATION.is_match(decision)
}

/// A rule is named as such: "forget the rule about tabs".
static BY_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: forget | ignore | drop | scrap | scratch | lift | cancel | disregard )\b.{0,40}\b(?: rule | constraint | that\sabout | what\si\ssaid )\b
        | \b(?: doesn['’]?t\sapply | does\snot\sapply | no\slonger\s(?:applies|forbidden|holds) | changed\smy\smind )\b",
    )
    .expect("the pattern is ours")
});

/// Something is allowed again: "you can push to main again".
static PERMISSION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: you\s(?:can|may) | it(?:['’]s|\sis)\s(?:ok|okay|fine|allowed)\sto | feel\sfree\sto )\b.*\b(?: again | now | after\sall | from\snow\son )\b
        | \b(?: is | are )\s(?: ok | okay | fine | allowed )\s(?: again | now | after\sall )\b",
    )
    .expect("the pattern is ours")
});

/// Something is done no more: "we no longer run the linter".
static CESSATION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:no longer|not any\s?more|any\s?more)\b").expect("the pattern is ours"));

static AWAY_FROM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:away from|from|drop(?:ping)?|replac(?:e|ing)|without|no longer(?:\suse)?|stop using)\s([\w`./+#-]+)",
    )
    .expect("the pattern is ours")
});

static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:never|not|don['’]?t|no|avoid|without|mustn['’]?t|shouldn['’]?t|forbidden)\b")
        .expect("the pattern is ours")
});

/// Words of orders, which say nothing about what is ordered.
const ORDER_WORDS: &str = "\
    a about after again agreed all always an and any anymore are as at avoid be before by can chose decided do don't dont drop \
    for forget free from go going i i'll ignore in instead is it it's let's longer may mind more must never no not now of ok \
    okay on over please rather rule should so stick switch than that the then these this to use using we we'll were will with \
    you your";

/// The stems of the words that say what a statement is about.
fn content_words(text: &str) -> BTreeSet<String> {
    static ORDERS: LazyLock<HashSet<&str>> = LazyLock::new(|| ORDER_WORDS.split(' ').collect());
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_').filter(|word| !word.is_empty());
    words
        .filter(|word| !ORDERS.contains(word))
        .map(|word| {
            let mut stem = String::new();
            search::StemRules::English.stem_word(word, &mut stem);
            stem
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_taken_back_by_name() {
        assert!(retracts_rule("You can push to main again.", "Never push to main."));
        assert!(retracts_rule("Forget the rule about tabs.", "Use tabs."));
        assert!(retracts_rule("Mocks are fine now.", "Don't use mocks."));
        assert!(!retracts_rule("You can push to staging now.", "Never edit tests/golden.txt."));
        assert!(!retracts_rule("Never push to main.", "Never push to main."));
        assert!(retracts_rule("We no longer use yarn.", "Use yarn."));
        assert!(!retracts_rule("We no longer use yarn.", "Never use yarn."));
        assert!(!retracts_rule("You can use tabs now.", "Always use tabs."));
    }

    #[test]
    fn the_opposite_rule_ends_the_old_one() {
        assert!(contradicts("Always use tabs.", "Never use tabs."));
        assert!(!contradicts("Never use tabs.", "never use tabs!"));
        assert!(!contradicts("Always use spaces.", "Never use tabs."));
    }

    #[test]
    fn a_decision_is_refused_by_an_order_not_to_do_it() {
        assert!(rejects_decision("No, do not use Redis.", "Let's use Redis for the cache."));
        assert!(rejects_decision("Please don't use Redis!", "I suggest Redis for the cache."));
        assert!(!rejects_decision("No, do not use Redis for the queue.", "Let's use Redis for the cache."));
        assert!(!rejects_decision("Do not use Redis.", "We decided not to use Redis."));
        assert!(!rejects_decision("Do not use SQLite.", "We chose Redis over SQLite."));
        assert!(!rejects_decision("Why don't we use Redis?", "Let's use Redis for the cache."));
    }

    #[test]
    fn a_decision_for_what_was_refused_ends_the_refusal() {
        assert!(adopts_refused("Sveltiaにしよう。", "Sveltia CMS はどこまで？ → CMSは入れないで。"));
        assert!(adopts_refused("Let's go with Redis after all.", "Which cache? Redis? → No Redis, a file."));
        assert!(!adopts_refused("Let's not use Redis.", "Which cache? Redis? → No Redis, a file."));
        assert!(!adopts_refused("Let's use Redis for the queue.", "Which cache? → Redis (Recommended)"));
        assert!(!adopts_refused("Let's use SQLite.", "Which cache? Redis? → No Redis, a file."));
        assert!(!adopts_refused("Let's go on.", "Which cache? Redis? → No Redis, a file."));
    }

    #[test]
    fn a_decision_is_replaced_by_one_that_names_its_choice_as_rejected() {
        assert!(replaces_decision("Let's use PostgreSQL instead of SQLite.", "We'll use SQLite for the cache."));
        assert!(replaces_decision("We decided to switch from Redis to SQLite.", "Going with Redis."));
        assert!(!replaces_decision("Let's use PostgreSQL instead of SQLite.", "We chose Axum over Actix."));
        assert!(!replaces_decision("We chose Axum over Actix.", "Let's use Rocket instead of Actix."));
    }
}
