//! Recognizes sentences in which a user settles how something is to be, without the formulas of a decision: a wish for
//! one way ("I want the list sorted by date"), a choice among options ("3 is better"), what is not needed ("no need for
//! a cache"), an order that names a way or a place ("put it in the worker", "call it update").
//!
//! Such a sentence is a decision that is kept, listed and found; it is not repeated to later sessions, because the same
//! words are said about a piece of work that is over soon.

use super::rule::split_clauses;
use regex::Regex;
use std::sync::LazyLock;

/// Whether a sentence of the user settles how something is to be.
pub(super) fn settles_choice(sentence: &str) -> bool {
    if is_question_form(sentence) || RECOLLECTION.is_match(sentence) {
        return false;
    }
    let is_opinion = NOT_NEEDED.is_match(sentence) || PREFERENCE.is_match(sentence);
    let is_report = DEFECT.is_match(sentence);
    // A tool may be named behind an "and", in another clause than its verb: "use the clear and brief skill".
    let names_aid = AID.is_match(sentence);
    let settles = |clause: &&str| {
        let is_wish = WISH.is_match(clause) && !WISH_FOR_WORK.is_match(clause);
        let is_use = USE.is_match(clause) && !names_aid;
        let is_way = (is_use || ORDERED_WAY.is_match(clause)) && !STEP.is_match(clause);
        let is_bound = BOUND.is_match(clause) && !is_report;
        !DEFECT.is_match(clause) && (is_wish || is_way || is_bound || PICK.is_match(clause))
    };
    (is_opinion && !is_report) || split_clauses(sentence).iter().any(settles)
}

/// Whether the user only weighs something: "maybe we should drop the cache". That is a proposal until it is settled.
pub(super) fn is_tentative(sentence: &str) -> bool {
    static DOUBT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?: maybe | perhaps | possibly | probably | might | could | wonder(?:ing)? | i\sguess | i\ssuppose | not\s(?:quite\s|really\s)?sure
                | (?:i\sam|i['’]?m|im|was)\sthinking | what\sif | vielleicht | peut-être | quizás )\b | 也许 | かもしれ",
        )
        .expect("the pattern is ours")
    });
    DOUBT.is_match(sentence) || sentence.trim_end_matches([')', '"', '\'']).ends_with(['?', '？'])
}

/// Whether a sentence has the form of a question, also without its mark, which many leave out.
pub(super) fn is_question_form(sentence: &str) -> bool {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\s*(?:(?:ok(?:ay)?|and|but|so|also|then|well|hm+|now|wait|actually|please|yes|no|or)\b[\s,.:—-]*)*
            (?: (?:can|could|would|should|shall|will|may|might|is|are|was|were|am|does|did|has|isn['’]?t|aren['’]?t|doesn['’]?t|didn['’]?t|wouldn['’]?t|shouldn['’]?t|couldn['’]?t|won['’]?t|can['’]?t)
                \s(?:we|you|i|it|they|he|she|this|that|these|those|there|the|our|my|your|an?|any|all|someone)\b
              | (?:do|have|had|don['’]?t|haven['’]?t)\s(?:we|you|i|they)\b
              | does\s | (?:what|why|how|where|when|which|who|whose|whether)(?:['’]?s|['’]?re)?\s
              | (?:tell|show|explain|let)\sme\b | (?:explain|investigate|research|check|analy[sz]e|find\sout|figure\sout|confirm|verify)\s )",
        )
        .expect("the pattern is ours")
    });
    static TAG: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)[\s,](?:right|correct|or not|or no)[.\s]*$").expect("the pattern is ours"));
    let has_mark = sentence.trim_end_matches([')', '"', '\'']).ends_with(['?', '？']);
    has_mark || FORM.is_match(sentence) || TAG.is_match(sentence)
}

/// What the user remembers, which may be wrong.
static RECOLLECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bi\s(?:thought|assumed|remember|recall|was\sunder)\b").expect("the pattern is ours")
});

/// What is broken, or what happened.
static DEFECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: bugs? | crash(?:es|ed|ing)? | broken | fail(?:s|ed|ing|ure)? | errors? | exception | not\swork(?:ing)? | doesn['’]?t\swork | does\snot\swork
            | still\s(?:not|see(?:ing)?|getting|the\ssame) | i\s(?:see|saw|got|noticed|tried|ran|just\sran) | it\sseems | looks\slike | seems\slike | need\syou\sto | you\sneed\sto )\b",
    )
    .expect("the pattern is ours")
});

/// What is left out because it is not needed.
static NOT_NEEDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \bno\s(?:need|reason)\s(?:for|to)\b
        | \b(?:we|you|they|it|that|this)\s(?:do\snot|don['’]?t|does\snot|doesn['’]?t|no\slonger)\s(?:\w+ly\s|even\s)?(?:need|want|require|have\sto)\b
        | \bi\s(?:do\snot|don['’]?t)\s(?:\w+ly\s)?(?:want|need|think\s(?:that\s)?(?:\S+\s){1,4}?(?:needs?|should|is\s(?:needed|necessary|required|worth)|makes?\ssense))\b
        | \b(?:is|are|it['’]?s|that['’]?s|isn['’]?t|aren['’]?t)\s(?:not\s)?(?:(?:really|that|so|even)\s)?(?:irrelevant|unnecessary|overkill|out\sof\sscope)\b
        | \b(?:is\snot|are\snot|it['’]?s\snot|isn['’]?t|aren['’]?t)\s(?:(?:really|that|so|even)\s)?(?:important|needed|necessary|required|worth|relevant|appropriate)\b
        | \bno\slonger\s(?:needed|relevant|necessary|required|wanted)\b
        | ^\s*no\s.{1,40}\sneeded\b | \bout\sof\sscope\b | \bleave\s.{1,40}\s(?:for\slater|out|alone|as\s(?:is|it\sis))\b",
    )
    .expect("the pattern is ours")
});

/// What the user holds to be better, or good enough.
static PREFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \bi(?:['’]?d|\swould)\s(?:prefer|rather|opt\sfor|lean\stowards?|only|not|go\s(?:for|with)|call|name|keep|put|use|drop|leave)\b
        | \bi\s(?:\w+ly\s)?(?:prefer|favou?r)\s | \bi\s(?:agree|disagree)\s(?:with|on|that)\s | \bin\sfavou?r\sof\b
        | \bi(?:['’]?m|\sam)\s(?:fine|ok(?:ay)?|good|happy)\swith\s\S
        | \bi\s(?:think|feel(?:\s(?:like|that))?|reckon|believe)\s.{1,160}?\b(?:should|needs?|must|can|could|would\sbe|is\sbetter|rather)\s
        | \bi(?:['’]?d|\swould)?\s(?:suggest|propose|vote)\s(?:we|to|that|for)\s | \bmakes?\s(?:more|the\smost)\ssense\b | \b(?:would|might)\sbe\s(?:\w+\s)?(?:better|best|preferable)\b | \bgood\senough\b | \bthe\sway\sto\sgo\b
        | \b(?:is|it['’]?s)\s(?:\w+\s)?(?:better|best|cleaner|simpler|preferable)\s(?:to|not\sto|if\swe|than)\b
        | ^\s*(?:option\s|\#|number\s)?(?:\d|[a-d])\s(?:is|looks|seems|sounds|does\sseem|feels)\s",
    )
    .expect("the pattern is ours")
});

/// A wish for how something is.
static WISH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:i|we)(?: \s(?:(?:\w+ly|just|still|also|only|do)\s)*want | (?:['’]?d|\swould)\s(?:(?:\w+ly|just|still|also|only)\s)*like )\s
            (?: (?:the|that|this|these|those|it|them|all|every|each|no|any|only|both|our|its)\s\S
              | \S+\s(?:first|only|instead)\b | \S+(?:\s\S+){0,3}\sto\s(?:be|live|stay|have|come|go|use|look|match)\b
              | to\s(?:use|keep|have|go\s(?:with|for)|move|switch|stick|avoid|support|store|host|drop|rename|call|replace|implement|add|stay|make|separate|split|put|leave|remove|limit|restrict|allow|hide|reuse|migrate|structure|start\swith)\s\S )",
    )
    .expect("the pattern is ours")
});

/// A wish that asks for a piece of work or for an answer.
static WISH_FOR_WORK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:want|like)\s(?:you|us|someone|a\s|an\s|to\s(?:know|understand|see|ask|check|discuss|hear|learn|talk|make\ssure|have\sa\s(?:look|chat)))")
        .expect("the pattern is ours")
});

/// What is to be used.
static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)^(?:use|pick|choose|prefer|reuse)\s\S+\s\S").expect("the pattern is ours"));

/// An order that names a way, a place, a name or a bound: how, not only what.
static ORDERED_WAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:keep|drop|skip|store|host|limit|restrict|base|treat|default\sto|fold|hardcode)\s(?:\S+\s)+\S | ^(?:drop|skip)\s\S{3,}$
        | ^(?:call|name)\s(?:it|them|this|that|ours|the\s\S+)\s\S | ^(?:put|place|leave)\s(?:it|them|this|that|the\s\S+)\s(?:\S+\s){0,3}?(?:in|into|under|inside|on|to|behind|beside)\s
        | ^(?:migrate|move\sover|stick|switch)\s(?:to|from|with)\s\S | \bstill\susing\b
        | ^(?:we|you|it|that|this|they|i)\s(?:can|could|should|will|would)\s(?:just|simply|only)\s\S | ^can\s(?:just|simply)\s\S
        | ^just\s(?:need|use|keep|go|leave|put|take|have|include|support|reuse|call|return)\s\S+\s\S
        | ^we\s(?:can|could)\s(?:use|drop|reuse|keep|go\swith|skip|leave|start\swith|put|move|remove|solve)\s\S
        | ^we\s(?:want|only\s(?:need|want)|just\s(?:need|want)|won['’]?t|will\snot|no\slonger)\s
        | ^(?:we|you)\s(?:need|have)\sto\s(?:use|keep|stick|stay|support|avoid)\s\S
        | \bfor\s(?:later|the\stime\sbeing)\b
        | ^(?:do|make|run|try|move|write|show|render|return|read|take|have|load|send|save|set)\s.*\binstead\b",
    )
    .expect("the pattern is ours")
});

/// What something is bound to be: "the files should live under results/", "the flag should not be public".
static BOUND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:[\w`'./-]+\s){1,8}?(?:should|must|needs?\sto|has\sto|have\sto)(?:n['’]?t|\snot)\s\S
        | ^(?:[\w`'./-]+\s){1,8}?(?:should|must|needs?\sto|has\sto|have\sto)\s(?: only | just | live | stay | remain | belong | appear | default | go\s(?:in|into|under|to)
            | be\s(?:in|on|under|inside|part|called|named|handled|hard|optional|required|the|top|kept|stored|moved|ignored|separate|based|configurable|limited|deprecated|removed|done|hidden|shown|visible|a|an) )\b
        | ^(?:the\s)?default\s(?:is|stays|should\sbe|to)\s\S",
    )
    .expect("the pattern is ours")
});

/// One of the options that were given.
static PICK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:do|take|pick|choose|implement|use|go\s(?:for|with)|i(?:['’]ll|\swill)\stake)\s(?:the\s)?(?:(?:option|number|variant|approach|plan|solution)\s|\#)\s?(?:\d|[a-d])\b
        | ^(?:do|take|pick|choose|go\s(?:for|with))\s(?:\d|[a-d])\b
        | ^(?:do|take|pick|choose|go\s(?:for|with))\s(?:the\s)?(?:first|second|third|last|former|latter)\b
        | ^go\s(?:for|with)\s(?:the|an?)\s\S+\s\S | ^go\sahead\swith\s(?:the|an?)\s\S+\s(?:fix|approach|option|version|solution|variant|design)\b",
    )
    .expect("the pattern is ours")
});

/// What an agent is to use for one step, which chooses nothing for the project.
static AID: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: skills? | (?:sub-?)?agents? | workers? | superpowers? | tools? | mcp | docs | documentation | screenshots? | best\sguess | these | those | this )\b
            | \s--?\w | \bto\s(?:double[-\s])?(?:check|verify|find|see|look|test|confirm)\b",
    )
    .expect("the pattern is ours")
});

/// How the work itself goes on.
static STEP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:keep|pick|call|put|just|leave)\s(?:going|working|trying|up|me|an?\seye|in\smind|that\sin\smind|it\sup|back|it\sback|them\sback)\b
            | ^(?:pick|drop|skip)\s(?:up|in|by|to)\b | ^(?:switch|move)\s(?:\w+\s)?to\s(?:main|master|(?:the\s)?\S+\sbranch)\b | \b(?:task|phase|step)\s\#?\d+\b",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_a_name_or_a_bound_settles_something() {
        let settled = [
            "I want JSON first, YAML second.",
            "I want the instructions to live in the guide, not in a skill.",
            "I don't want any padding.",
            "I'd like to add session hooks to both.",
            "six groups, drop the compare harness, keep the docs commit standalone",
            "Docker isn't relevant, we can solve that with the runners",
            "3 is better, implement it",
            "Do #2 for all of them.",
            "I actually prefer the look of direction A.",
            "I would call the type Language.",
            "go ahead with the type-based fix, skip the flag",
            "no need for backward compatibility",
            "i think we can remove workspace from the core",
            "i don't think we need the watch command",
            "the force mode should be hard deprecated",
            "The logs should not be in the output folder",
            "we no longer need the runs folder",
            "I agree with the name ingest.",
            "put it in the session handler",
            "it's better to start with sqlite",
            "the default is just to block",
        ];
        assert_eq!(settled.into_iter().filter(|it| !settles_choice(it)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn questions_defects_and_steps_settle_nothing() {
        let others = [
            "should we use a cache",
            "can we remove the old package",
            "I want you to look at the site",
            "I want to understand how it works",
            "use the review skill",
            "use a subagent for this",
            "pick up task 2",
            "keep going",
            "I think there is a bug in the renderer, it should not crash",
            "the header should not be empty but it fails",
            "why do we need it if we can derive everything",
            "fix the build",
            "I like the colours by the way, they are nice.",
            "commit and push",
        ];
        assert_eq!(others.into_iter().filter(|it| settles_choice(it)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn doubt_is_told_from_a_choice() {
        assert!(is_tentative("maybe we should drop the cache"));
        assert!(is_tentative("i think it should be the title?"));
        assert!(!is_tentative("we should drop the cache"));
    }
}
