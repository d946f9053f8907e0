//! Recognizes standing rules: sentences in which a person gives an order about all work to come, until taken back.
//!
//! A sentence is a rule when one of its clauses has the form of an order and a generic scope, spelled out ("always",
//! "before every commit") or implied by the form ("no new dependencies", "tests must not use the network"). An order
//! about the piece at hand ("don't commit this yet") is a task.

use super::rule_scope::spells_scope_out;
use regex::Regex;
use std::sync::LazyLock;

/// A rule is said shortly; a longer sentence explains or reports.
const LONGEST_RULE: usize = 240;

/// Whether a sentence is a rule.
pub(crate) fn is_rule(sentence: &str) -> bool {
    if sentence.len() > LONGEST_RULE || REPORT.is_match(sentence) || POSTPONED.is_match(sentence) {
        return false;
    }
    if OTHER_LANGUAGES.is_match(sentence) {
        return true;
    }
    let label = LABEL.find(sentence);
    let rest = label.map_or(sentence, |label| &sentence[label.end()..]);
    if label.is_some() && rest.split_whitespace().count() > 1 {
        return true;
    }
    // A table row or the heading of a list is no sentence.
    if sentence.ends_with(':') || sentence.starts_with(['|', '#']) {
        return false;
    }
    if STANDARD.is_match(rest) {
        return true;
    }
    if spells_scope_out(rest) {
        return true;
    }
    let clauses = split_clauses(rest);
    let has_scope = |clause: &&str| {
        (SCOPED_ORDER.is_match(clause) && !ENDS_IN_REPORT.is_match(clause))
            || (RECURRING.is_match(sentence) && ORDER_WORD.is_match(clause))
    };
    // Without a word of scope, the first clause decides: in "make it dimmer, don't modify the theme" the second one is
    // about the task of the first.
    let first = clauses.iter().find(|clause| !clause.trim().is_empty());
    let forbids = |clause: &&str| FORBIDS.is_match(clause) && !points_at_piece(clause) && !NO_ORDER.is_match(clause);
    clauses.iter().any(has_scope)
        || first.is_some_and(|clause| binds_all_work(clause, &clauses))
        || clauses.iter().any(forbids)
        || (EXTENT.is_match(rest) && clauses.iter().any(|clause| ORDER_WORD.is_match(clause)))
}

/// What must not be done, in any clause: "fix the header, do not touch the theme files" binds beside its task.
static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:do not|don['’]?t)\s(?:\w+ly\s|just\s)?[a-z]+\s\S").expect("the pattern is ours")
});

/// How far an order goes, in words.
static EXTENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: (?:where|wherever|when|whenever|as\smuch\sas|as\sfar\sas)\spossible | every\s?time | each\stime | at\sall\stimes | everywhere
            | (?:across|throughout|anywhere\sin)\s(?:the|our|all)\s(?:\w+\s)?(?:codebase|project|projects|repo|repository|code|app)
            | no\smatter\s(?:what|how|which) | under\sno\scircumstances? | at\s(?:any|no)\s(?:time|point) | without\sexception )\b",
    )
    .expect("the pattern is ours")
});

/// Whether a sentence begins like an order. Documents are full of sentences that look like rules by their middle ("no keys,
/// no proof"); one that begins like this is a rule in a pasted instruction, too.
pub(super) fn begins_as_order(sentence: &str) -> bool {
    const OPENINGS: [&str; 22] = [
        "never ",
        "always ",
        "from now on",
        "rule:",
        "do not ",
        "don't ",
        "don’t ",
        "avoid ",
        "prefer ",
        "only ",
        "keep ",
        "must ",
        "you must ",
        "you may not ",
        "use only ",
        "follow ",
        "stick to ",
        "ensure ",
        "make sure ",
        "leave ",
        "limit ",
        "ask ",
    ];
    let lower = sentence.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // "Never assume it is main" is about all times, whatever "it" is.
    let is_for_all = lower.starts_with("never ") || lower.starts_with("always ");
    OPENINGS.iter().any(|opening| lower.starts_with(opening)) && (is_for_all || !PRESENT_PIECE.is_match(&lower))
}

/// The clauses of a sentence, each without the words that only lead to it.
pub(super) fn split_clauses(sentence: &str) -> Vec<&str> {
    static BORDER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[,;:—]\s+|\s\(|\s[-–—]\s|\s(?:and|but|so|then)\s").expect("the pattern is ours")
    });
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\s*(?:\(?(?:\d+|[a-z])[.)]\s+)?(?:(?:ok(?:ay)?|and|but|so|also|then|maybe|perhaps|actually|alternatively|please|just|yes|yeah|great|oh|hey|hm+|omfg|omg|ugh|well|importantly
                |important|note|remember|again|fucking|one\smore\sthing)\b[\s,.!:—-]*)*",
        )
        .expect("the pattern is ours")
    });
    BORDER.split(sentence).map(|clause| &clause[LEAD.find(clause).map_or(0, |lead| lead.end())..]).collect()
}

/// Whether a clause has a word that points at the piece at hand. An exception or a reason may: "no new dependencies unless
/// I approve them", "do not wrap lines because it breaks the page".
fn points_at_piece(clause: &str) -> bool {
    let end =
        [" unless ", " because ", " since ", " as it ", " as that "].iter().filter_map(|word| clause.find(word)).min();
    PRESENT_PIECE.is_match(&clause[..end.unwrap_or(clause.len())])
}

/// Whether an order without a word of scope is about all work. `clauses` are those of its sentence.
fn binds_all_work(clause: &str, clauses: &[&str]) -> bool {
    if points_at_piece(clause) || NO_ORDER.is_match(clause) {
        return false;
    }
    // "Use deepwiki" is for this question; "use pnpm, not npm" and "use tabs" are for good.
    let is_choice = USE.is_match(clause)
        && (clauses[1..].iter().any(|next| EXCLUSION.is_match(next)) || GENERIC_USE.is_match(clause));
    let is_generic = GENERIC_SUBJECT.is_match(clause) && !NAMED_SUBJECT.is_match(clause);
    PROHIBITION.is_match(clause) || is_generic || HABIT.is_match(clause) || is_choice
}

/// Words that announce a rule.
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\s*(?:[-*]\s*)?(?:(?:a|one|new|another|hard|house|project)\s)?
            (?: (?:rules?|constraints?|conventions?|policy)\s*(?:\#?\d+\s*)?:
              | (?:and\s|so\s|ok,?\s|please\s)*(?:from\snow\son|going\sforward|from\shere\son|as\sa\srule
                  |for\sthe\sfuture)\b[,:]?
              | (?:(?:please|we\sshould|you\sshould|also|just|and|but|so)\s)*(?:always\s)?(?:keep|bear)\sin\smind\sthat\b
              | (?:please\s)?(?:always\s)?remember\s(?:to|that)\b )\s*",
    )
    .expect("the pattern is ours")
});

/// How things of a kind have to be, for good: "dates are UTC everywhere", "the API has to stay compatible".
static STANDARD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:all|every|each|any|[a-z]+s)\b.*\b(?:is|are|stays?|remains?)\b.*\b(?:always|everywhere|never)\b
        | ^at\s(?:most|least)\s\d
        | ^(?:error|commit|log)\smessages\b.*\bare\b.*\b(?:lower\s?case|upper\s?case|english|imperative|short)\b
        | ^i(?:['’]d|\swould)\srather\s(?:not\s)?\S
        | \b(?:must|has\sto|have\sto|should|needs?\sto)\s(?:stay|remain)\b
        | [,;]\s(?:so\s)?nothing\sthat\b
        | ^commit\b.*\b(?:small\ssteps|separately|often|one\sidea)\b
        | ^\w+,\snot\s\w+\b.*\b(?:everything|everywhere|all)\b
        | ^use\sthe\s(?:existing|same|shared|standard)\b.*\b(?:instead\sof|rather\sthan)\b
        | ^(?:please\s)?stop\s\w+ing\s\S
        | ^(?:please\s)?(?:be|stay)\s(?:more\s|very\s)?(?:careful|conservative|concise|consistent|brief|explicit|mindful|strict|terse)\b
        | ^(?:you|we)\s(?:should|must|need\sto|have\sto)\s(?:not|only|first)\s
        | \bwithout\s(?:asking|my\s(?:approval|permission|consent))\b | \bunless\si\s(?:ask|say|tell|explicitly)
        | ^(?:and\s|but\s|so\s)?let['’]?s\s(?: (?:always|never)\b | not\b.*[\s_](?:all|any|every|each)[\s_] )
        | \b(?:should|must|may|can)(?:n['’]?t|\snot)\s.*\bever\b
        | ^(?:please\s)?(?:make\ssure|ensure)\s.*\b(?:never|always)\b
        | ^(?:please\s)?follow\s\S.*\b(?:guidelines?|conventions?|exactly|strictly|to\sthe\sletter)\b
        | ^(?:please\s)?(?:follow|use|stick\sto)\s(?:the\s)?(?:\w+\s)?(?: (?:camel|snake|kebab|pascal|title)[\s_-]?case\b | (?:\S+\s){0,2}(?:conventions|guidelines|style\sguide)\b )",
    )
    .expect("the pattern is ours")
});

/// "Never push", "you must always run", "I want you to never edit", "we never commit to main".
static SCOPED_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:never|always)\s(?:ever\s)?[a-z]+
        | \b(?: must | should | shall | may | (?:want|like|need)\s(?:you|us|everyone|it|them)\sto | (?:are|is)\sto | has\sto | have\sto )
            \s(?:never|always)\s
        | \b(?:should|must|shall|are|is)\s(?:never|always)\s(?:to\s)?be\b
        | ^we\s(?:never|always)\s[a-z]+
        | \b(?:never|always)\sto\sbe\s[a-z]+
        | ^(?:you|agents?|nobody|everyone|everybody)\s(?:must|may|shall)\s(?:not|never|always)\s",
    )
    .expect("the pattern is ours")
});

/// "always returns 0", "never fires", "never expired": a report of what happens.
static ENDS_IN_REPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?ix)^(?:we\s)?(?:never|always)\s(?: \w+[b-rt-z]s | \w{2,}ed | (?:had|did|got|was|were|saw|came|went|worked|been|happen(?:s|ed)?) )\b")
        .expect("the pattern is ours")
});

/// Work that comes again: "before you commit", "after each change", "whenever you edit a file".
static RECURRING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: whenever | every\stime | each\stime | any\stime
            | (?:before|after)\s(?:each|every|any|all)\s[a-z] | (?:on|with|for|in)\severy\s(?:commit|push|release|change|pr|merge|save|session)
            | (?:before|after|when)\s(?:you\s)?(?:commit|push|merg|releas|deploy|refactor)(?:t?ing)?\b
            | (?:when|before|after)\syou\s(?:edit|change|add|modify|touch|write|create|rename|delete|update|finish)\s(?:an?y?|some)\b )",
    )
    .expect("the pattern is ours")
});

/// A clause with one of these words, or that begins with a verb, orders something.
static ORDER_WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: must | should | shall | need\sto | have\sto | has\sto | always | never | required )\b
        | ^(?:(?:before|after|on|with|for|in)\s(?:each|every|any|all)\s\w+\s)?(?: (?:also\s)?add | ask | avoid | build | bump | check | clean | commit | do\snot | don['’]?t | document | ensure | explain | fix
            | follow | format | include | keep | leave | lint | log | make\ssure | mention | only | prefer | push | put | read
            | review | run | show | stop | test | tell | update | use | verify | wait | write )\b",
    )
    .expect("the pattern is ours")
});

/// "Do not edit generated files", "no new dependencies", "X is forbidden".
static PROHIBITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:do\snot|don['’]?t)\s(?:ever\s)?[a-z]+\s\S
        | ^no\s(?:more\s|new\s)?[a-z][\w'’-]*(?:\s[a-z][\w'’/.-]*){0,7}(?:\s(?:unless|without|except)\s.*)?[.!]*$
        | ^(?:avoid|prefer|stick\sto|stick\swith)\s\S
        | ^i(?:['’]d)?\s(?:always\s|really\s|strongly\s)?(?:prefer|hate|dislike)\s\S
        | ^i\s(?:do\snot|don['’]?t)\s(?:want|like)\s(?:any\s|\w+s\b)
        | ^(?:you|agents?)\s(?:must|may|should|shall|can)(?:\snot|n['’]?t|not)\s
        | ^we\s(?:do\snot|don['’]?t)\s[a-z]+\s\S
        | \b(?:is|are)\s(?: (?:strictly\s|absolutely\s)?forbidden | not\sallowed | off\slimits | mandatory | not\spermitted )\b
        | \bmust\s(?:never|not)\b | \bmustn['’]?t\b",
    )
    .expect("the pattern is ours")
});

/// "All endpoints must …", "commit messages should …": everything of a kind, not one thing.
static GENERIC_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:all|every|each|any|no|nobody|everyone|everything|nothing)\b(?:\s\S+){0,5}?\s(?:must|should|shall|may|can\sonly|needs?|requires?|gets?|has\sto|have\sto|is\sto|are\sto)\b
        | ^(?:[a-z][\w-]*\s){0,2}(?:[a-z][\w-]*[a-rt-z]s|code|documentation|money)\s(?:must|should|shall|have\sto|need\sto|are\sto|go(?:es)?\s(?:in|into|under)|live\s(?:in|under)|belong)\b",
    )
    .expect("the pattern is ours")
});

/// "The buttons should …" is about those that were just spoken of.
static NAMED_SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:the|this|that|these|those|our|both|its|their)\s").expect("the pattern is ours")
});

/// A way of working: "use pnpm", "keep functions short", "write comments in English", "only edit files in src/".
static HABIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:keep|leave)\s\S+\s\S
        | ^(?:write|put|name|format|document|indent|limit)\s\S+\s\S
        | ^only\s.*\b(?:(?:is|are)\sallowed\sto|may)\s
        | ^only\s(?:use|edit|change|touch|modify|commit|run|write|add|install|call)\s\S
        | ^(?:answer|change|commit|edit|include|install|list|modify|report|return|run|touch|use|write)\sonly\s\S
        | ^(?:make|be)\ssure\s(?:you\s|to\s)(?:ask|follow|respect)\s\S
        | ^you\s(?:must|have\sto)\s\S
        | ^use\s(?:biome|bun|deno|docker|eslint|gh|jest|jj|just|mise|nix|npm|oxlint|pip|pnpm|podman|poetry|prettier|pytest|ruff|uv|vitest|yarn)\b
        | ^(?:make\ssure|ensure)\s(?:that\s)?(?:all|every|each|any|no|(?:we|you|there)\s(?:never|always|don['’]?t|do\snot|are\sno))\b
        | ^(?:to|that)\s(?:always|never)\s",
    )
    .expect("the pattern is ours")
});

static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:use|follow)\s(?:only\s)?[\w`@][\w`.@+-]*").expect("the pattern is ours"));

/// What is not to be used: "not npm", "no anyhow", "never yarn".
static EXCLUSION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:not|no|never)\s\S").expect("the pattern is ours"));

/// "Use tabs", "use integer cents for money", "use pnpm instead of npm".
static GENERIC_USE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:use|follow)\s(?: (?:[a-z-]+\s)?[a-z-]*[a-rt-z]s[.!]?$ | .*\s(?:for|in)\s(?:all|every|each|any|\w+s\b|money|logging|testing)
            | .*\b(?:instead\sof|rather\sthan|over|not)\s\S | only\s\S )",
    )
    .expect("the pattern is ours")
});

/// Words that point at the piece at hand, or at this moment.
static PRESENT_PIECE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: it | them | here | yet | now | today | following | again | anymore | currently | another | instead
            | these | those | my | your | something | everything\selse )\b
        | \bthis\s(?:\w+\s)?(?:file|function|method|test|class|change|commit|branch|pr|part|step|one|time|case|line|task|issue|bug|thing|way|button|page|component|module|error|message|feature|section|value|field)\b
        | \b(?:above|below)[.!]?$ | \bthis$ | \bthis[.!,] | \bthat\s(?:file|function|one|way|thing|part|step|line|case|time|change|bug)\b | \bthat[.!]?$
        | ^(?:use|follow|write|put|name|format|document|limit)\s(?:the|this|that|an?|both|either|one|two|just|our)\b
        | ^(?:write|put)\b.*\b(?:the|an?|our)\b
        | ^\w+\sonly\s(?:the|this|that|one|an?|if|when|once|after)\b
        | ^(?:keep|leave)\s(?:going|trying|working|me|us|him|up|in\smind|a|on)\b
        | ^(?:use|follow)\s\S*[/(]",
    )
    .expect("the pattern is ours")
});

/// Openings that look like an order and are none.
static NO_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:do\snot|don['’]?t|we\sdo\snot|we\sdon['’]?t|i\sdo\snot|i\sdon['’]?t)\s(?:ever\s)?
            (?: worry | know | wait | think | see | understand | have | care | bother | mind | remember | need | get | forget | be\s(?:afraid|shy)
              | really | even | seem | recall | hesitate | believe | agree | feel | do )\b
        | ^no\s(?: wait | need | problem | worries | idea | i\b | it\b | that\b | they\b | you\b | we\b | there\b | one\b | longer | changes?\b | errors? | output
              | result | results | reason | way | such | matter | luck | issues? | difference | tests?\s(?:ran|found|failed) | but | and | not )
        | ^no\s.*\b(?: is | are | was | were | exists? | has | have | had | can | will | does | did | found | match(?:es)? | yet | left | committed )\b
        | ^(?:keep|leave)\s(?:it|this|that|those|these)\b
        | ^we\s(?:should|could|can|will)\b",
    )
    .expect("the pattern is ours")
});

/// What something does, or what was done to it: how things are, not how they have to be.
static REPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?:but\s|and\s|so\s)?(?:you|it|he|she|they|i)\s(?:never|always)\s
        | ^\s*(?:root\scause|problem|issue|bug|note|error|symptom|expected|actual|observed|currently)\b\s*[:(]
        | \b(?:that|this|it|there)\s(?:should|must)\s(?:never|always)\s(?:happen|be|work|occur|have)\b
        | \b(?: i\s(?:think|guess|wonder|noticed|see|saw|tried) | maybe | perhaps | not\ssure | seems? | looks\slike | turns\sout )\b
        | \b(?: doesn['’]?t | does\snot | didn['’]?t | did\snot | isn['’]?t\s(?:\w+ing) | is\snot\s(?:\w+ing) )\b",
    )
    .expect("the pattern is ours")
});

/// An order for this time only.
static POSTPONED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:for now|right now|this time|at the moment|just yet|not yet|yet[.!]?$|for today|for the moment)\b",
    )
    .expect("the pattern is ours")
});

/// Orders in German, French, Spanish, Chinese, Japanese and Korean with a word for never, always, must or must not.
static OTHER_LANGUAGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?:bitte\s)?(?:niemals|nie|immer|keine[nr]?)\s
        | \bbitte\b.*\b(?:niemals|nie|immer|kein(?:e[nr]?)?)\b
        | \b(?:darf|dürfen|soll|sollen|muss|müssen)\b.*\b(?:nie|niemals|immer|nicht|kein(?:e[nr]?)?)\b
        | ^\s*(?:(?:ne\s|n['’])\w+\s(?:pas|jamais)|toujours|jamais)\b | \bil\s(?:faut|ne\sfaut)\s(?:toujours|jamais|pas)\b
        | ^\s*(?:nunca|siempre|no\s(?:uses|toques|cambies|hagas|modifiques|edites))\b | \bhay\sque\s\w+\ssiempre\b
        | ^\s*(?:请\s*)?(?:不要|不得|不准|必须|务必|禁止|只能|总是|始终|永远不要|一律|所有.*必须|所有.*不[得能要])
        | ^\s*(?:请\s*)?用(?:中文|英文|日文|韩文)
        | (?:ないで(?:ください)?|してはいけ(?:ない|ません)|必ず.*(?:する|してください|こと)|は(?:そのまま)?残して(?:おいて)?(?:ください)?)[。!！]?\s*$
        | ^\s*日本語で
        | (?:하지\s?(?:마세요|말아\s?주세요|말\s?것)|(?:반드시|항상|절대).*(?:세요|할\s?것|하기))[.!]?\s*$",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_about_all_work_are_rules() {
        let rules = [
            "Never push to main.",
            "Always run the linter before committing.",
            "never edit files in generated/",
            "From now on, answer in German.",
            "Rule: never change the signature of add_tax.",
            "Do not add new dependencies.",
            "Don't touch `src/legacy/`.",
            "don't add comments to code",
            "Please do not modify the tests.",
            "use thiserror, no anyhow",
            "No new dependencies.",
            "Use pnpm, not npm.",
            "Use integer cents for money.",
            "Prefer composition over inheritance.",
            "I prefer small commits.",
            "Avoid global state.",
            "All public functions must have a doc comment.",
            "Every endpoint should be covered by an integration test.",
            "Tests must not use the network.",
            "Commit messages should be in the imperative mood.",
            "Run the tests before you commit.",
            "After every change run cargo fmt.",
            "Whenever you add a setting, document it in docs/config.md.",
            "When you edit a file, always run the formatter.",
            "We never commit to main.",
            "We don't use mocks in this repo.",
            "The cache must never hold more than 64 MB.",
            "These are never to be changed.",
            "Write comments in English.",
            "Put tests under tests/.",
            "Keep the public API stable.",
            "Keep functions under 40 lines.",
            "Only edit files under src/.",
            "You must not change the database schema.",
            "Force pushing is not allowed.",
            "Bitte niemals Tabs verwenden.",
            "不要修改配置文件。",
            "Nunca uses any.",
            "Dates in billing are UTC everywhere.",
            "All amounts in billing are integers in cents, always.",
            "The public API of search has to stay compatible with version 2 clients.",
            "I'd rather not have any unsafe code in auth.",
            "No mocks in the tests of cache, use the real store.",
            "No new dependencies unless I approve them first.",
            "Tests may never reach the network.",
            "Only the billing module is allowed to round amounts.",
            "At most 64 MB of memory for export.",
            "Use the existing retry helper in ingest instead of writing another one.",
            "It must never hold more than 64 MB.",
            "テストを削除しないでください。",
            "設定ファイルは残して。",
            "반드시 테스트를 실행하세요.",
            "let's not leave all the tests to the very end",
            "Follow camelCase and add the two columns.",
            "Report only findings with a file and a line.",
            "use pnpm",
        ];
        assert_eq!(rules.into_iter().filter(|sentence| !is_rule(sentence)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn tasks_reports_and_remarks_are_no_rules() {
        let others = [
            "sessions in server/auth.py never expire",
            "The session never expires.",
            "It always returns 0.",
            "You always forget the tests.",
            "uninstall all traces of the old agent",
            "Don't commit this yet.",
            "don't worry about it",
            "I don't know why.",
            "No, that is wrong.",
            "No need to change it.",
            "Use the new parser in cart.py.",
            "Write a test for the cart.",
            "Run the tests.",
            "Put parentheses around the product in the discount function.",
            "Keep going.",
            "Keep that in mind.",
            "The tools should be appended as individual args instead.",
            "we don't have a user entity in here",
            "Make sure the button is visible.",
            "hasOverlap never matches, so no content is linked.",
            "Root cause: the logger is never called for the `clean` command.",
            "I think we should keep the old name.",
            "don't do anything for now",
            "Do not fix it yet, just explain.",
            "The user must not be empty?",
            "commit, and reply to all comments",
            "That should never happen.",
            "No benchmark results are committed, while the docs link into them",
            "use deepwiki",
            "Change only the header.",
            "Let's not do this today.",
            "All tests are failing.",
            "Only index.html was included, all the others were left unstaged.",
        ];
        let rules: Vec<&str> =
            others.into_iter().filter(|sentence| !sentence.ends_with('?') && is_rule(sentence)).collect();
        assert_eq!(rules, Vec::<&str>::new());
    }
}
