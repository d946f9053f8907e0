//! Decides whether a rule spells its scope out: says in words that it is about all work ("always", "never", "from now
//! on", "after every change"), not only by its form.
//!
//! "Do not add seeds" and "keep the tests small" have the form of a rule, and in about half of real messages they are
//! about the piece of work at hand; nothing in the sentence tells the two apart, and how often it is said does not
//! either ("don't write code" is said before every plan). So they are kept as rules, and only those that spell their
//! scope out are told to a later session, and those that forbid what no piece of work has for itself: new dependencies,
//! secrets in the code, a push to the main branch (`plain_rule.rs`).

use super::plain_rule::is_plain_rule;
use super::rule::split_clauses;
use regex::Regex;
use std::sync::LazyLock;

/// Whether the scope of a rule stands in its words.
pub(crate) fn spells_scope_out(rule: &str) -> bool {
    if HEDGE.is_match(rule) || ANSWER.is_match(rule) || rule.trim_end().ends_with([':', '?']) {
        return false;
    }
    if OTHER_LANGUAGES.is_match(rule)
        || LABEL.is_match(rule)
        || ASK_WHEN_UNSURE.is_match(rule)
        || HOLDS_ALWAYS.is_match(rule)
        || is_plain_rule(rule)
    {
        return true;
    }
    // The announcement or the recurrence may stand in another clause than the order: "from now on, answer in German".
    // What an order is good for is not how far it goes: "open a ticket to ensure that it is tracked going forward".
    let purpose = PURPOSE.find(rule).map_or(rule.len(), |purpose| purpose.start());
    let is_for_all = ANNOUNCEMENT.is_match(&rule[..purpose]) || RECURRENCE.is_match(rule);
    for clause in split_clauses(rule) {
        let is_standing = STANDING_ORDER.is_match(clause) && !PRESENT_PIECE.is_match(clause);
        if is_standing || (is_for_all && ORDER.is_match(clause)) {
            return true;
        }
        // Behind a clause that tells or wishes something, "always" is a part of that: "the easiest would be to have a
        // start color, and always use the one before".
        let leads_to_order = ORDER.is_match(clause) || CONDITION.is_match(clause);
        if !leads_to_order && !is_for_all && clause.split_whitespace().count() > LONGEST_CALL {
            return false;
        }
    }
    false
}

/// The most words of a call for attention: "one more thing", "important".
const LONGEST_CALL: usize = 3;

/// Verbs of the work on a project. What a product does ("always show the total", "never hide the button") is a wish
/// about the piece at hand, and people put it with the same words.
macro_rules! work_verbs {
    () => {
        r"(?: access | add | allow | answer | ask | assume | avoid | begin | break | build | bump | bypass | change | check | clean | clone | commit
            | confirm | consult | copy | create | delete | deploy | disable | do | document | double[-\s]check | duplicate | edit | ensure | explain
            | expose | fabricate | fix | follow | force | force-push | format | generate | guess | hard-?code | ignore | implement | import | include
            | install | introduce | invent | keep | leave | lint | log | look | make | mention | merge | mock | modify | move | name | open\sa\spr
            | overwrite | plan | prefer | print | propose | publish | push | put | read | rebase | refactor | refer | remove | rename | reply | report
            | research | reset | respond | restart | revert | review | rewrite | run | save | search | send | skip | speak | squash | start
            | stash | stop | store | suggest | switch | tell | test | think | touch | try | update | use | validate | verify | wait | work | write )\b"
    };
}

/// Things of the work on a project, of which a rule about all of them is one about the work.
macro_rules! work_things {
    () => {
        r"(?: \w+\s+ | \w+\s+\w+\s+ )?(?: answers? | apis? | branch(?:es)? | code | code\s+changes? | changes? | classes | comments? | commits? | commit\s+messages? | components?
            | dependenc(?:y|ies) | docs | documentation | endpoints? | errors? | features? | files? | fix(?:es)? | functions? | imports? | logs? | messages?
            | methods? | migrations? | modules? | names? | plans? | prs? | prompts? | pull\s+requests? | quer(?:y|ies) | releases? | replies | responses? | routes?
            | scripts? | secrets? | services? | specs? | strings? | styles? | tables? | tasks? | tests? | timestamps? | types? | urls? | variables? )"
    };
}

/// An order with a word for all times.
static STANDING_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    let actor = r"(?: you | we | agents? | nobody | no\s+one | everyone | everybody | anyone | claude | codex | cursor(?:\s+ai)?
        | (?:the|an|any)\s+(?:agent|assistant|model|ai) )";
    let pattern = format!(
        r"(?ix)
        ^(?:never\s+ever|never|always)\s+(?:\w+ly\s+)?{work}
        | ^(?:do\s+not|don['’]?t)\s+ever\s+{work}
        | ^{actor}\s+(?: must | should | shall | have\s+to | need\s+to | are\s+to | is\s+to )\s+(?:never|always|not\s+ever)\s
        | ^{actor}\s+(?:may|can)\s+never\s
        | ^i\s+(?:always\s+)?(?:want|need|expect|would\s+like)\s+(?:you|us|everyone)\s+to\s+(?:never|always)\s
        | ^{things}\s+(?:must|should|shall|may|have\s+to|are\s+to)\s+(?:never|always)\s
        | ^(?:all|every|each|any)\s+{things}\s+must\s
        # Of any other thing, what must never or always hold: a bound of the product, not a wish.
        | ^(?:[a-z]\S*\s+){{1,5}}(?:must|may)\s+never\s
        | ^(?:\S+\s+){{1,6}}(?:should|must|may|can)(?:\s+not|n['’]?t)\s+(?:\S+\s+){{1,6}}?ever\b
        | ^we\s+(?:never|always|only|do\s+not|don['’]?t)\s.*\bin\s+this\s+(?:repo|repository|project|codebase|workspace)\b",
        work = work_verbs!(),
        things = work_things!(),
    );
    Regex::new(&pattern).expect("the pattern is ours")
});

/// A clause that says when an order holds.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:when|whenever|before|after|while|every ?time|each time)\s+(?:you|we|an?y?|each|every|\w+ing)\b|for (?:all|every|any)\b|in (?:all|every|any|this (?:repo|project))\b)")
        .expect("the pattern is ours")
});

/// "Whenever you are not sure how to read it ask me".
static ASK_WHEN_UNSURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:please\s+)?(?:whenever|every ?time|each time)\s+(?:you|we)\s.*\b(?:ask|tell)\s+me\b")
        .expect("the pattern is ours")
});

/// "All amounts stay integers in cents, always."
static HOLDS_ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:all|every|each|any)\s.*\b(?:is|are|stays?|remains?)\b.*\b(?:always|everywhere|without exception)[.!]?$")
        .expect("the pattern is ours")
});

/// Words that point at the piece at hand, at what was just done, or at this moment.
static PRESENT_PIECE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: it | them | here | yet | now | today | following | again | currently | these | those )\b
            | \bth(?:is|at)(?:[.!,]|$|\s(?:file|function|method|test|class|change|commit|branch|pr|part|step|one|time|case|line|task|issue|bug|thing|way|button|page|component|error|message|feature|section|again)\b)",
    )
    .expect("the pattern is ours")
});

/// "From now on", "going forward", wherever it stands.
static ANNOUNCEMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:from now on|going forward|from here on(?: out)?|from this point on|as a rule|in all future)\b",
    )
    .expect("the pattern is ours")
});

static PURPOSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:to (?:ensure|make sure|track|avoid|help)|so that|in order to)\b")
        .expect("the pattern is ours")
});

/// Work that comes again, with the word that says so: "before every commit", "whenever you add a setting".
static RECURRENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: (?:whenever|every\s?time|each\s+time|any\s?time)\s+(?:you|we)\s
            | (?:before|after|on|with|for|in|at\s+the\s+end\s+of)\s+(?:each|every|any)\s+(?:\w+\s+)?
              (?:commit|push|merge|release|deploy(?:ment)?|change|edit|pr|pull\s+request|task|step|session|save|migration|refactor(?:ing)?|fix|feature|phase|turn|response|reply|answer)\b )",
    )
    .expect("the pattern is ours")
});

/// A clause that orders: it begins with a verb of work, or says what the agent has to do.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(
        r"(?ix)
        ^(?: (?:before|after|on|with|for|in)\s+(?:each|every|any)\s+\S+\s+(?:\S+\s+)? | (?:from|going|as\sa)\s+\w+(?:\s+on)?\s+ )?
          (?: (?: you | we | all | every | each | any | i\s+(?:want|expect|need|would\s+like)\s+you )\s
              .*\b(?: must | should | shall | have\s+to | need\s+to | needs?\s+to | to | comes? | gets? )\s
            | (?:only\s+|never\s+|always\s+|do\s+not\s+|don['’]?t\s+)?{work} | no\s )",
        work = work_verbs!(),
    );
    Regex::new(&pattern).expect("the pattern is ours")
});

/// The word for a rule in front of one.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:[-*]\s*)?(?:(?:a|one|new|another|hard|house|project)\s)?(?:rules?|constraints?|conventions?|policy)\s*(?:#?\d+\s*)?:\s*\S+\s+\S",
    )
    .expect("the pattern is ours")
});

/// Doubt, a denial of the scope itself ("does not need to always ask"), or a condition of the moment.
static HEDGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: maybe | perhaps | possibly | probably | might | i\s+(?:think|guess|feel|wonder|suppose|would\s+propose) | ideally | almost\s+(?:always|never)
            | (?:not|n['’]t|dont|doesnt)\s+(?:\w+\s+){0,3}always | never\s?mind | like\s+(?:always|never) | for\s+now | right\s+now | for\s+example | e\.g\.\s*$
            | as\s+(?:always|never) )\b",
    )
    .expect("the pattern is ours")
});

/// An answer to one of the agent's questions, by its number: "4. yes, always show the guest".
static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:\(?\w{1,2}[.):]\s*|q\d+[.:]?\s*)?(?:(?:yes|yeah|yep|nope|correct|right)\b[,.:;]?|no[,.:;])\s",
    )
    .expect("the pattern is ours")
});

/// Orders with a word for never or always.
static OTHER_LANGUAGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?:bitte\s)?(?:niemals|nie|immer)\s
        | ^\s*bitte\b.*\b(?:niemals|nie|immer)\b
        | \b(?:darf|dürfen|soll|sollen|muss|müssen)\s(?:\S+\s){0,4}?(?:niemals|nie|immer)\b
        | ^\s*(?:toujours|jamais)\b | ^\s*(?:ne\s|n['’])\w+\sjamais\b | \bil\s(?:faut|ne\sfaut)\s(?:toujours|jamais)\b
        | ^\s*(?:nunca|siempre)\s | \bhay\sque\s\w+\ssiempre\b
        | ^\s*(?:请\s*)?(?:总是|始终|永远不要|一律)
        | 必ず.*(?:する|してください|こと)[。!！]?\s*$ | (?:絶対に|決して).*(?:ないで(?:ください)?|いけ(?:ない|ません))[。!！]?\s*$",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_in_words_is_told() {
        let told = [
            "All amounts stay integers in cents, always.",
            "Never push to main.",
            "please never update the fixtures",
            "don't ever force-push",
            "do not reset the database, never reset the database please.",
            "Remember: always keep the two files in the root!",
            "You must always run the linter.",
            "We should NEVER be in debug mode in production.",
            "Whenever you are not sure how to read a row ask me",
            "please use the line endings of the source files from now on",
            "Claude should never read the env file.",
            "I want you to always explain your plan first.",
            "Commit messages should always name the ticket.",
            "invalid settings must NEVER crash the editor",
            "The cache must never hold more than 64 MB.",
            "Every code change must be traceable to a ticket.",
            "From now on, answer in German.",
            "From now on every migration comes with a way back.",
            "Just run the server directly going forward.",
            "After every change run cargo fmt.",
            "Run the tests before every commit.",
            "Whenever you add a setting, document it in docs/config.md.",
            "When you edit a file, always run the formatter.",
            "Rule: ask before deleting files.",
            "We don't use mocks in this repo.",
            "no breaking changes",
            "The first schema should not be updated ever, it is a snapshot.",
            "Do not add new dependencies.",
            "Bitte niemals Tabs verwenden.",
            "Nunca uses any.",
            "永远不要修改配置文件。",
        ];
        assert_eq!(told.into_iter().filter(|rule| !spells_scope_out(rule)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn a_scope_that_only_the_form_implies_is_not_told() {
        let kept = [
            "don't write any code",
            "Keep the public API stable.",
            "By default the whole amount is selected.",
            "we should keep in mind that the user might use `git stash`",
            "In the future, I'd like to add authentication.",
            "From now on I am only giving you instructions.",
            "Before committing, switch to main and grab the latest.",
            "4. yes, always show the guest",
            "if none is given, always freeze the first one",
            "always show all options",
            "names should be short, and the total is never hidden",
            "You can always use my configuration as well.",
            "The easiest would be to have a start color, but we need to check, and always use the one before.",
            "all columns must be sortable",
            "Points should always use \"pts\"",
            "The navbar should always be present.",
            "It doesn't need to always ask.",
            "never mind, we look at it later",
            "Findings that can wait should first get a ticket to ensure that these are tracked going forward.",
            "keep reading the old key but always write the new one now",
            "The agent never replied.",
            "The plugin always returns an empty list.",
            "Never do that again.",
            "不要修改配置文件。",
        ];
        assert_eq!(kept.into_iter().filter(|rule| spells_scope_out(rule)).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
