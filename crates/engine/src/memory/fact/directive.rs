//! The sentences of a user that bind: what is to be kept to, what was wrong, what was chosen. Kept in their words.
//!
//! Found by their words, not understood. A sentence too many costs a line in a summary, one too few costs the user the
//! same correction again, so the list of words leans to too many; what is pasted (code, logs, quoted files) is left out
//! first, because that is where "must" means nothing.

use model::{FactKind, remove_injected};
use regex::Regex;
use std::sync::LazyLock;

/// A longer one is no sentence but something pasted.
const LONGEST: usize = 700;
/// A message that is longer is a plan or something pasted, which describes more than it orders.
const DOCUMENT: usize = 1_500;
/// A message with more of them is a document; its beginning and its end are what the user added.
const MOST: usize = 40;

/// The sentences of a message that bind, with what they are.
pub(crate) fn find_directives(text: &str) -> Vec<(FactKind, String)> {
    let said = own_words(text);
    let is_document = said.len() > DOCUMENT;
    let mut found: Vec<(FactKind, String)> = split_sentences(&said)
        .into_iter()
        .filter_map(|sentence| Some((classify_sentence(&sentence)?, sentence)))
        .collect();
    // A long message is mostly pasted or planned; a "should" in it describes, and only firm orders bind.
    found.retain(|(kind, sentence)| !is_document || *kind != FactKind::Constraint || is_firm(sentence));
    if found.len() <= MOST {
        return found;
    }
    // People write their own words before and after what they paste.
    let first = &found[..MOST / 2];
    let last = &found[found.len() - MOST / 2..];
    [first, last].concat()
}

fn classify_sentence(sentence: &str) -> Option<FactKind> {
    // A text without an end mark is one long "sentence": a pasted table, not an order.
    if !(3..=LONGEST).contains(&sentence.len()) {
        return None;
    }
    // A question asks, it does not bind; but "why did you not keep …?" corrects.
    let asks = sentence.trim_end_matches([')', '"', '\'']).ends_with('?');
    if CORRECTION.is_match(sentence) {
        Some(FactKind::Correction)
    } else if asks {
        None
    // Before rules: "let's use SQLite only" decides, though it has a word of a rule.
    } else if DECISION.is_match(sentence) {
        states_choice(sentence).then_some(FactKind::Decision)
    } else {
        // Two filters behind a wide net: the words of CONSTRAINT include "all" and "may", which match too much by
        // themselves.
        let is_rule = CONSTRAINT.is_match(sentence) || is_habit(sentence);
        let binds = is_rule && !is_description(sentence) && !is_errand(sentence);
        binds.then_some(FactKind::Constraint)
    }
}

/// Whether a decision says what was decided: "ok, let's do this" is nothing without what came before it.
fn states_choice(sentence: &str) -> bool {
    let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).any(|word| !NODS.split(' ').any(|nod| nod == word))
}

/// Words of agreement, and those that point at what was said.
const NODS: &str = "\
    again ahead all and but can commit continue cool do done fine go going good great implement is it it's \
    ja keep let's lets let’s makes now ok okay on perfect please proceed push sense so sounds start sure \
    that that's the then these this those to try we we'll will with works write yeah yep yes you";

/// Whether a sentence that begins with the verb of some work is about all such work ("put tests under tests/"), not about
/// one piece of it ("put the product in parentheses").
fn is_habit(sentence: &str) -> bool {
    static WORK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)^\s*[-*]?\s*(?:write|run|put|name)\b").expect("the pattern is ours"));
    static PIECE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:the|this|that|these|those|an?|it|them|my|our|your)\b").expect("the pattern is ours")
    });
    WORK.is_match(sentence) && !PIECE.is_match(sentence)
}

/// Whether a sentence asks for a piece of work, in the form of a question or as a step of a list, and is no rule.
fn is_errand(sentence: &str) -> bool {
    static ERRAND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\s*(?: (?:and\s|so\s|but\s|also\s|then\s|ok(?:ay)?,?\s)? (?:can|could|would|will)\s(?:you|we|i)\b
                | \(?\d+[.)]\s+\p{Alphabetic} )",
        )
        .expect("the pattern is ours")
    });
    ERRAND.is_match(sentence) && !RULE.is_match(sentence) && !ORDER.is_match(sentence)
}

/// Whether a sentence says how things are, not how they are to be: it has no word of an order, and is about a thing,
/// about what the speaker sees, or longer than a rule is put.
fn is_description(sentence: &str) -> bool {
    let reports = THING.is_match(sentence) || REPORT.is_match(sentence) || sentence.len() > LONGEST_HINT;
    !ORDER.is_match(sentence) && reports
}

/// What something does or what was done to it: an order has its verb without an ending.
static REPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: never | always | silently )\s\w+[b-rt-z]s\b
        | \b(?: is | are | was | were )\s(?: never | always | only )\s\w+(?: ed | en )\b
        | ^\S+\s(?:\S+\s)?(?: was | were )\s",
    )
    .expect("the pattern is ours")
});

/// A rule without a word of an order ("only in src/", "no anyhow") is short.
const LONGEST_HINT: usize = 120;

/// Words by which the speaker wants something, whatever the sentence is about.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: must(?:n['’]?t)? | should(?:n['’]?t)? | shall | needs?\sto | ha(?:ve|s)\sto | make\ssure | ensure | required
            | important | forbidden | not\sallowed | can\sonly | i\swant | we\swant | i['’]?d\s(?:like|prefer) | prefer
            | please | from\snow\son | remember\s(?:to|that) | stick\sto | (?:never|always)\s(?:to\s)?be
            | soll(?:en|te)? | muss | müssen | darf | dürfen | bitte | doit | il\sfaut | debe(?:s|n)? | hay\sque )\b
        | (?:^|[,;:(—-]\s?|\b(?:but|so|then|just)\s) (?:do\snot|don['’]?t|never|always|keep|use|avoid|leave|stop\s\w+ing)\b
        | \b(?: and\s(?:do\snot|don['’]?t|never|always) | let['’]?s\s(?:stop|never|leave|avoid) )\b
        | [\p{Han}\p{Hiragana}]",
    )
    .expect("the pattern is ours")
});

/// Beginnings of sentences about a thing, and what the speaker sees, knows, supposes or did. A name from the code at
/// the beginning is a thing as well.
static THING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?i: ^\s*(?:(?:and|but|or|so|also|though|while|note:|ah|oh)[\s,]+)?
            (?: the | this | that | these | those | it | there | which | currently | right\snow | looks | seems | perhaps | maybe
                | similarly | root\scause | note | adding | using | having | nothing\s(?:is|was|happens) | everything\s(?:is|was)
                | (?:session|user|agent|step|prompt|test)\s\w+\s\w+s )\b
        | \bi(?:['’]?m|\sam)\b
        | \bi\s(?:\w+\s)?(?:can['’]?t\s)?(?: see | find | understand | know | think | guess | wonder | remember | feel )\b
        | ^\s*(?:(?:and|but|so|ah|oh|hm+)[\s,]+)?i\s(?: put | did | had | was | tried | ran | got | saw | noticed | mean )\b
        | \b(?:we|you|i)\s(?: can['’]?t | cannot )\s(?: really | even )\b )
        | ^\s*(?:\d+[.)]\s+)?(?: [`*]*(?:\w+\.)?[a-z]+[A-Z]\w*(?:\(\))? | [`*]+[^\s`*]+[`*]+ | [\w/.-]+\.[a-z]{1,4}(?::\d+)? )[:,]?\s",
    )
    .expect("the pattern is ours")
});

/// Whether a sentence is firm: an order or a rule, not a remark that only sounds like one. What is not firm is kept all
/// the same, and stands behind what is.
pub(crate) fn is_firm(sentence: &str) -> bool {
    let mut firmness = 0;
    if RULE.is_match(sentence) {
        firmness += 2;
    } else if WISH.is_match(sentence) {
        firmness += 1;
    }
    if REMARK.is_match(sentence) {
        firmness -= 1;
    }
    if sentence.len() > LONGEST_RULE {
        firmness -= 1;
    }
    firmness > 0
}

/// A rule is said shortly; what is longer explains or reports.
const LONGEST_RULE: usize = 240;

/// Words of orders, and verbs that begin them.
static RULE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: must(?:n['’]?t)? | never | always | (?:should|must|shall)\s+not | shouldn['’]?t | make\ssure | forbidden
            | not\sallowed | from\snow\son | stick\sto | no\snew | at\s(?:most|least) | please\s(?:do\snot|don['’]?t|use|keep) )\b
        | (?:^|[,;:(—-]\s?|\b(?:and|but|so|then|please|just)\s) (?:do\snot|don['’]?t) \b
        | ^\s*(?:\d+\.\s)?(?:please\s)?(?:use|no|keep|leave|avoid|prefer|remember|ensure|put|(?:name|call)\s(?:it|the|them)|only|stop)\b
        | \b(?: niemals | nie | immer | muss | müssen | darf\snicht | dürfen | jamais | toujours | nunca | siempre | debe(?:s|n)? )\b
        | 不要 | 必须 | 不能 | 总是 | 禁止 | ないで | してはいけ | 必ず",
    )
    .expect("the pattern is ours")
});

static WISH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: should | needs?\sto | ha(?:ve|s)\sto | only | without | instead\sof | rather\sthan | unless | until | prefer | avoid
            | required? | important | by\sdefault | i\swant | we\swant | bitte | nicht | ohne | nur | sin\s\w+ | sans )\b
        | 请 | 只 | してください",
    )
    .expect("the pattern is ours")
});

/// Beginnings of sentences about how things are, and of what the speaker thinks or cannot do.
static REMARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?: the | this | that | these | those | it | there | if | while | when | which | consider | in | for | since | because
            | now | looking | like | how | what | why | can\syou | could | hm+ | so | but )\b
        | ^\s*(?: [`|\#+\[] | \*\* | \d+\s*[-+|] | \S+\.\w+:\d )
        | \b(?: i | we | they | he | she | you )\s(?: don['’]?t | do\snot | can['’]?t | cannot | didn['’]?t | won['’]?t )\b
        | \b(?: i\s(?:think|guess|wonder) | wondering | maybe | not\ssure )\b",
    )
    .expect("the pattern is ours")
});

static CONSTRAINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: must(?:n['’]?t)? | never | always | (?:do|does|should|must|may|can|shall)\s+not | don['’]?t | shouldn['’]?t
            | can(?:['’]t|not) | make\ssure | ensure | only | without | avoid | prefer | should | required? | forbidden
            | not\sallowed | remember | from\snow\son | keep | leave | stick\sto | at\s(?:most|least) | no\s(?:more|longer|new)
            | instead\sof | rather\sthan | unless | until | before\syou | stop\s\w+ing | need(?:s)?\sto | have\sto | important
            | limit(?:ed)?\sto | under\s\d | less\sthan | nothing | exactly | by\sdefault | rules? | convention | has\sto
            | all | any | each | every(?:thing|where|one)? | none | rather\snot | still\s(?:on|works?|needs?) | may )\b
        | ,\s(?:not|so\sno)\b
        | ^\s*[-*]?\s*(?:use|no)\b
        | \b(?: nicht | niemals | nie | immer | muss | müssen | soll(?:en|te)? | darf | dürfen | bitte | ohne | nur | kein(?:e|en)?
            | ne\s\w+\spas | jamais | toujours | doit | il\sfaut | sans
            | nunca | siempre | debe(?:s|n)? | hay\sque | sin\s\w+ | solo )\b
        | 不要 | 必须 | 不能 | 请 | 总是 | 只 | 禁止 | ないで | してはいけ | 必ず | してください",
    )
    .expect("the pattern is ours")
});

static CORRECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(?: (?:no|nope|nein|non)(?:[,.!:]|\s[—-])\s?\S | (?:stop\s(?:it|that|\w+ing)|wrong|actually)\b )
        | (?:^|[,.;:!(—-]\s*|\b(?:no|but|and|because|sorry|hm+)\s) that(?:['’]?s|\sis)\s(?:not|wrong)\b
        | \b(?: this\sis\swrong | not\swhat\si | i\s(?:said|told\syou|asked)
            | i\sdid\s?n['’o]t\s(?:ask|mean|say|want) | i\smeant | you\s(?:forgot|missed|broke|ignored|removed|deleted|changed\sthe)
            | revert | undo | roll\sback | put\sit\sback | wrong\s(?:file|place|way|one|branch|approach)
            | why\sdid\syou | again\syou | das\sist\sfalsch | falsch )\b
        | 不对 | 错了 | 違います",
    )
    .expect("the pattern is ours")
});

static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: let['’]?s\s(?:go\swith|use|do\sit|do\sthat|keep|stick|make\sit|not|drop|skip) | go\swith | we(?:['’]ll|\swill|\sare\sgoing\sto)\s\w+
            | i(?:['’]ve|\shave)?\s(?:decided|chose|choose|pick(?:ed)?) | decided\s(?:to|on|that|against) | option\s[0-9a-d]\b
            | agreed | approved | take\s(?:the\s)?(?:first|second|third|last)\b | the\s(?:first|second|third)\sone
            | wir\s(?:nehmen|machen) | machen\swir )\b
        | ^\s*(?:yes|ok(?:ay)?|sure|ja|oui|sí|go\sahead|do\sit)\b[\s,.!:—-].{14,}",
    )
    .expect("the pattern is ours")
});

/// What agents put into a user's message, not the user.
const INSERTED: &[&str] = &[
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-contents",
    "command-args",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "environment_context",
    "environment_details",
    "user_instructions",
    "INSTRUCTIONS",
    "memory-context",
    "task-notification",
    "hook_context",
    "session_context",
    "persisted-output",
];

/// The text without what was inserted, pasted or quoted.
pub(crate) fn own_words(text: &str) -> String {
    let mut said = remove_injected(text).into_owned();
    for tag in INSERTED {
        let open = format!("<{tag}");
        let close = format!("</{tag}>");
        while let Some(start) = said.find(&open) {
            let end = said[start..].find(&close).map_or(said.len(), |at| start + at + close.len());
            // A line end in its place, so that words before and after it do not become one sentence.
            said.replace_range(start..end, "\n");
        }
    }
    let mut fenced = false;
    let own = said.lines().filter(|line| {
        let line = line.trim_start();
        let fence = line.starts_with("```") || line.starts_with("~~~");
        fenced ^= fence;
        let inserted = line.starts_with("[Request interrupted by user");
        !fence && !fenced && !inserted && !line.starts_with('>') && !looks_pasted(line)
    });
    own.collect::<Vec<_>>().join("\n")
}

/// Log lines, diffs, stack traces and data: more marks than words.
fn looks_pasted(line: &str) -> bool {
    static LOG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\[\d|[+-]{3} |@@ |diff --git |at \S+ \(|\s*\^+|\{.*\}[,;]?$|(?:ERROR|WARN|INFO|DEBUG)\b|\S+\.\w+:\d+:|\+\s{2,}\S|-\s{4,}\S|\d+\s+[-+|]\s|[│├└─]|-\w, --\w|(?:go|npm|error|warning|fatal): \w)",
        )
        .expect("the pattern is ours")
    });
    let marks = line.bytes().filter(|byte| b"{}[]<>=|\\;$#&%^*".contains(byte)).count();
    // Rows of a table: values, and no sentence around them.
    let is_row = line.matches(',').count() > 2 && !line.contains(' ');
    LOG.is_match(line) || is_row || (line.len() > 20 && marks * 5 > line.len())
}

/// Sentences and list entries, on one line each, without their bullet.
pub(crate) fn split_sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•']).trim_start();
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            let stop = match c {
                '.' | '!' | '?' => {
                    line[end..].chars().next().is_none_or(char::is_whitespace)
                        && !is_abbreviation(&line[start..at], &line[end..])
                }
                '。' | '！' | '？' => true,
                _ => false,
            };
            if stop {
                push_sentence(&line[start..end], &mut out);
                start = end;
            }
        }
        push_sentence(&line[start..], &mut out);
    }
    out
}

/// `e.g.` and list numbers end no sentence, nor does a number in the middle of one.
fn is_abbreviation(before: &str, after: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let known = ["e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "z.B", "Mr", "Dr", "no", "approx"].contains(&word);
    let is_number = !word.is_empty() && word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    // "limit it to 5. then stop" goes on; "3. Use tabs" is an entry of a list.
    let goes_on = || after.trim_start().starts_with(char::is_lowercase);
    known || (is_number && (word.len() == before.trim().len() || goes_on()))
}

fn push_sentence(sentence: &str, out: &mut Vec<String>) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        out.push(sentence.to_owned());
    }
}

#[cfg(test)]
#[path = "directive_tests.rs"]
mod tests;
