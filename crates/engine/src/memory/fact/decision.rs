//! Recognizes decisions in sentences of a user or a model with regular expressions, and parses what was chosen, why,
//! and the rejected alternatives. Also tells firm decisions from proposals, and agreement with a proposal from
//! reservation.

use regex::Regex;
use std::sync::LazyLock;

/// What a decision says, taken from its sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DecisionParts {
    /// The clause after `because`, `since` or `so that`.
    pub(crate) reason: Option<String>,
    /// What was not chosen.
    pub(crate) alternatives: Vec<String>,
    /// Paths and names of symbols in the sentence.
    pub(crate) related: Vec<String>,
}

/// Whether a sentence of a person or a model states a decision.
pub(crate) fn is_decision(sentence: &str) -> bool {
    let decides = || DECISION.is_match(sentence) && !FUTURE_TALK.is_match(sentence) && states_choice(sentence);
    NAMED_OUTCOME.is_match(sentence) || decides()
}

/// Whether a sentence of a model puts a choice forward: "I suggest Redis for the cache", "it warns instead of failing".
pub(crate) fn is_proposal(sentence: &str) -> bool {
    static PROPOSAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?: i(?:['’]d|\swould)?\s(?:suggest|recommend|propose|go\swith) | my\s(?:recommendation|suggestion|proposal)\sis
                | the\s(?:best|cleanest|simplest|safest)\s(?:option|way|approach|choice|solution)\s(?:is|would\sbe)
                | i(?:['’]ll|\swill)\s(?:keep|leave|skip|drop|put|treat|pin|reuse|make|finish|let|limit|split|move)
                | instead\sof | rather\sthan )\b",
        )
        .expect("the pattern is ours")
    });
    PROPOSAL.is_match(sentence)
}

/// Whether a question of a model offers a choice: "Shall we use Redis for the cache?"
pub(crate) fn is_offer(sentence: &str) -> bool {
    static OFFER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?: shall\s(?:we|i) | should\s(?:we|i) )\s(?: use | go\swith | keep | switch\sto | drop | adopt | choose | stick\swith | store )\s\w",
        )
        .expect("the pattern is ours")
    });
    sentence.ends_with('?') && OFFER.is_match(sentence)
}

/// Whether a message of a person is nothing but a refusal of what was proposed.
pub(crate) fn is_plain_refusal(text: &str) -> bool {
    static NO: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^\s*(?:no|nope|no,? thanks?(?: you)?|nein|non|i disagree|disagreed|不|いいえ)[\s.!]*$")
            .expect("the pattern is ours")
    });
    NO.is_match(text)
}

/// Whether the wording leaves no doubt that something was decided. "We should add a test" may be a decision, and may be a
/// thought; only firm ones are repeated to a later session.
pub(crate) fn is_firm_decision(sentence: &str) -> bool {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\boption\s[0-9a-d]\b|\b(?:first|second|third|last)\b").expect("the pattern is ours")
    });
    // An answer stands with its question.
    if let Some((question, answer)) = sentence.split_once(" → ")
        && question.contains(['?', '？'])
    {
        return !is_passing_answer(question, answer);
    }
    // What was asked is no choice of the user.
    let sentence = without_question(sentence);
    // "Option 3" is a decision to those who read the options before it, and a riddle to everybody else.
    let is_riddle = OPTION.is_match(sentence) || NAMELESS.is_match(sentence);
    FIRM.is_match(sentence) && !FUTURE_TALK.is_match(sentence) && !is_riddle && !PROCESS_TALK.is_match(sentence)
}

/// What stands between an answer in the user's words and the question of the model.
pub(super) const ANSWERED_MARK: &str = " (answers \"";

/// The words of an answer, without the question it stands with.
fn without_question(decision: &str) -> &str {
    decision.split_once(ANSWERED_MARK).map_or(decision, |(answer, _)| answer)
}

/// Whether an answer was for one moment: a permission for one step, the choice of the next one, or a nod to something
/// that only its reader saw.
fn is_passing_answer(question: &str, answer: &str) -> bool {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?: next | proceed | continue | go\sahead | confirm | ready | commit(?:ted)? | push(?:ed)? | force-push | merge[sd]? | rebase
                | pull\srequest | pr | stash | delete | start\s(?:with|now) | right\snow | first\sstep )\b
            | 确认 | 删除 | 提交 | 强推 | 推送 | 继续 | 下一步 | 开始 | 削除 | コミット | プッシュ | マージ | 続け | 次(?:に|の|は) | 커밋 | 푸시 | 병합 | 진행 | 다음",
        )
        .expect("the pattern is ours")
    });
    static NOD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\W*(?: (?:yes|no|ok(?:ay)?|sure|approved?|accept(?:ed)?|confirm(?:ed)?|looks\sgood|lgtm|correct)\b(?:\s(?:it|this|that|the\s)?(?:draft|plan|spec|design|as\sis)?)?
                (?:\s?\([^)]*\))? | 是(?:的)? | 好(?:的)? | 确认 | はい | 네 )\W*$",
        )
        .expect("the pattern is ours")
    });
    STEP.is_match(question) || (NOD.is_match(answer) && POINTS.is_match(question))
}

/// A question about something that only those see who are asked: "Is this the shape you want?"
static POINTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:this|that|these|those|above|below|it|draft|plan)\b|这|此|これ|この|이")
        .expect("the pattern is ours")
});

/// Reads what a decision says.
pub(crate) fn read_decision(sentence: &str) -> DecisionParts {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:because(?:\sof)?|since|so that|so we can|as it|due to)\s+(.+?)[.!]?$")
            .expect("the pattern is ours")
    });
    static ALTERNATIVE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)(?: \b(?:instead\sof|rather\sthan|over|in\splace\sof|and\snot|not) | ,\snot )\s+
                ((?:an?\s|the\s)?[\w`/+\#-](?:[\w`./+\#-]*[\w`+\#])?(?:\s[\w`/+\#-](?:[\w`./+\#-]*[\w`+\#])?){0,3}?)\s*(?: [,.;!)] | $ | \s(?:because|since|so|for|as|due)\b )",
        )
        .expect("the pattern is ours")
    });
    static RELATED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"`([^`\s]+)`|\b((?:[\w.-]+/)+[\w.-]+|\w[\w-]*\.(?:rs|py|ts|tsx|js|jsx|go|java|kt|rb|c|h|cpp|cs|swift|php|sql|md|toml|ya?ml|json)|[a-z]+(?:[A-Z]\w*)+|\w+_\w+(?:_\w+)*|[A-Z][a-z]+[A-Z]\w*)\b")
            .expect("the pattern is ours")
    });
    // The reason is cut off before alternatives are looked for: "because it is faster than B" names no second choice.
    let reason = REASON.captures(sentence);
    let choice = reason.as_ref().and_then(|found| found.get(0)).map_or(sentence, |found| &sentence[..found.start()]);
    let mut related: Vec<String> = Vec::new();
    // Of the whole sentence: a file that is named in the reason is concerned by the decision, too.
    for found in RELATED.captures_iter(sentence) {
        let name = found.get(1).or_else(|| found.get(2)).map_or("", |name| name.as_str()).to_owned();
        if !name.is_empty() && !related.contains(&name) {
            related.push(name);
        }
    }
    DecisionParts {
        reason: reason.map(|found| found[1].trim().to_owned()),
        // The words end at the clause, so a reason that comes first ("since X, use A over B") leaves them in the sentence.
        alternatives: ALTERNATIVE
            .captures_iter(if choice.trim().is_empty() { sentence } else { choice })
            .map(|found| found[1].trim().to_owned())
            .collect(),
        related,
    }
}

/// Whether a message of a person agrees with what was proposed, and asks for nothing else.
pub(crate) fn is_agreement(text: &str) -> bool {
    static AGREEMENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)^\s*(?: agreed | yes | yep | yeah | yup | ok(?:ay)? | sure | approved | lgtm | perfect | great | good | fine | exactly | correct
                | sounds\s(?:good|great|right|fine) | go\s(?:ahead|for\sit) | do\s(?:it|that|so) | let['’]?s\sdo\s(?:it|that|this) | makes\ssense
                | i\sagree | \+1 | 👍 | ja | einverstanden | oui | d['’]accord | sí | vale | 好的? | 同意 | はい )(?:$|[\s,.!:—-])",
        )
        .expect("the pattern is ours")
    });
    static RESERVATION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:but|however|instead|except|rather|wait|no)\b|\?").expect("the pattern is ours")
    });
    // A message that agrees says so at its beginning; what follows is the next task, in words of its own.
    let first: String = text.chars().take(200).collect();
    AGREEMENT.is_match(&first) && !RESERVATION.is_match(&first)
}

/// Whether a decision says what was decided: "ok, let's do this" is nothing without what came before it.
pub(super) fn states_choice(sentence: &str) -> bool {
    let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).any(|word| !AGREEMENT_WORDS.split(' ').any(|nod| nod == word))
}

/// Words of agreement, and those that point at what was said.
const AGREEMENT_WORDS: &str = "\
    again agreed ahead all and approved but can commit continue cool decided do done fine go going good great i i'll \
    implement is it it's ja keep let's lets let’s makes now ok okay on perfect please proceed push sense should so sounds \
    start sure that that's the then these this those to try use we we'll we’ll will with works write yeah yep yes you";

static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: we(?:['’]ll|\swill|\sshould|\sdecided|\sagreed|\schose|['’]ve\s(?:decided|agreed|chosen)|\shave\s(?:decided|agreed|chosen)|['’]re\sgoing|\sare\sgoing)\b
            | let(?:['’]?s|\sus)\s(?:go\swith|only|just|use|implement|do|try|keep|stick|make|not|drop|skip|switch|stay|add|call|change|hide|leave|move|put|remove|rename|replace|show|split|store|support)\b
            | we\s(?:do\snot|don['’]?t)\sneed\b | i\s(?:think|feel\slike)\s.{1,80}\b(?:should|needs?|need\sto)\b
            | (?:want|like|need)\sto\s.{1,80}\b(?:instead\sof|rather\sthan)\b
            | the\s(?:decision|plan|approach|strategy|choice)\sis\b
            | i(?:['’]ll|\swill)\s(?:use|implement|go\swith|choose)\b
            | i(?:['’]ve|\shave)?\s(?:decided|chose|chosen|picked)\b
            | decided\s(?:to|on|that|against|for)\b | agreed\s(?:on|to|that)\b | going\s(?:to|with)\b | go\swith\b | settled\son\b
            | (?:take|use|do|pick|choose)\s(?:the\s)?(?:option|variant|approach)\s(?:\w+)\b | option\s[0-9a-d]\b
            | (?:take|do|pick|choose)\s(?:the\s)(?:first|second|third|last)\b
            | wir\s(?:nehmen|machen|verwenden|haben\suns) | machen\swir )
        | (?:にしよう|でいこう|を?使いたい|に移行したい|(?:し|り)たい)(?:ね|です)?[。!！]?\s*$
        | ^\s*(?:decision|decided)\s*:",
    )
    .expect("the pattern is ours")
});

/// What is chosen by its name: "it's going to be PostgreSQL". Of anything else, this says what will happen.
static NAMED_OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\W*(?:(?:so|ok(?:ay)?|and|but|then|now|well|yes)\b[\s,]*)*(?:it|that|this)(?:['’]s|\sis)\sgoing\sto\sbe\s(?:a\s|an\s|the\s)?(?-i:`\w|[A-Z][\w+.-]{2,})",
    )
    .expect("the pattern is ours")
});

/// A clause that begins with the formula of a choice. In the middle of one it is told of something else: "the items which we
/// will drop", "black does not go with gray".
static FIRM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        (?: ^ | [,;:.!—(]\s* | \s-\s | ^(?:(?:ok(?:ay)?|yes|yeah|yep|great|good|perfect|sure|so|and|but|then|now|well|also|for\snow|nah|no)[\s,.!:]+)+ )
        (?: (?:so\s|and\s|but\s|then\s)?
            (?: (?:we|i)(?:['’]ve|\shave)?\s(?:decided|agreed|settled\son|chose|chosen|picked) | decided\s(?:to|on|that|against|for) | agreed\s(?:on|to|that) | settled\son
              | it\swas\s(?:decided|agreed) | (?:we['’]re|we\sare|i['’]m|i\sam)?\s?going\swith | go\swith
              | let(?:['’]?s|\sus)\s(?:use|keep|stick\s(?:to|with)|not|drop|switch\s(?:from|to)|stay\s(?:on|with)|go\swith)
              | we(?:['’]ll|\swill)\s(?:use|keep|stick\s(?:to|with)|go\swith|not|drop|switch\s(?:from|to)|store|stay\s(?:on|with)|support|ship)
              | i(?:['’]ll|\swill)\s(?:use|go\swith) | the\s(?:decision|choice|plan|approach|strategy)\sis | (?:decision|decided)\s*:
              | wir\s(?:nehmen|verwenden) ) )(?:\s|$)",
    )
    .expect("the pattern is ours")
});

/// A choice without the name of what was chosen: "let's go with your recommendation", "let's keep them separate".
static NAMELESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: (?:go|going|stick|stay)\swith | let(?:['’]?s|\sus)\s(?:use|keep|drop|switch\sto) | we(?:['’]ll|\swill)\s(?:use|keep|drop) )\s
            (?: it | them | this | that | these | those | all | what | whatever | [a-d] | \d | your | the\s(?:old|new|other|current|existing|same)\s(?:one|way|version|approach|behaviou?r) | the\s(?:recommend\w+|suggest\w+|proposal|plan|fix|first|second|latter|former|same) | (?:a\s)?(?:completely\s)?different )\b",
    )
    .expect("the pattern is ours")
});

/// How the work goes on, or what others do or would do, which chooses nothing for the project.
static PROCESS_TALK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \blet['’]?s\s(?:keep|stay|stick|switch)\s(?: \w+ing | on | at | gears | focus(?:ed)? | laser | the\smomentum )\b
        | \b(?: what | which | where | when | once | ensure | sure | if | how | why | whether | before | until )\s(?:\w+\s){0,3}?(?:we|i)(?:['’]ll|\swill|\sdecided|\schose|\spicked)
        | \b(?: users? | they | he | she | it | someone | nobody )\s(?:\w+\s)?decided
        | \bi(?:['’]d)?\s(?:would\s)?like\sto\sgo\swith | \?\s*$",
    )
    .expect("the pattern is ours")
});

/// Talk about what comes, or about what might be, that chooses nothing.
static FUTURE_TALK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: we|i)(?:['’]ll|\swill|\sshould)\s(?: see | need | have | be | get | talk | discuss | come\sback | probably | never\sknow | find\sout | want
            | know | wait | continue | look | check | review | run | start | begin | read | try\sto\s(?:find|see) | then\s | also\s(?:check|look) | now\s )\b
        | (?: \b(?: is | are | am | was | were | not ) | ['’](?:s|re|m) )\sgoing\sto\s(?: be | fail | happen | work | need | have | take | get | cause | break )\b
        | \bgoing\sto\s(?: bed | sleep | lunch | check | look | see | read | run | need )\b
        | ^\s*(?:can|could|would|should|tell|show|explain)\b | \bif\swe\b | \b(?:maybe|perhaps|not\ssure|i\swonder|i\sguess)\b
        | \bgoing\s(?:on|well|wrong|forward|through|back|down|up)\b",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_wordings_state_a_decision() {
        let decisions = [
            "We'll use PostgreSQL for the audit log.",
            "We will store amounts in cents.",
            "We should cache the parsed config.",
            "We decided to drop Python 3.8.",
            "We agreed on weekly releases.",
            "We chose Axum over Actix because it has fewer macros.",
            "Let's go with SQLite then.",
            "let's use tabs",
            "Let's implement retries in the client.",
            "The plan is to migrate the users table first.",
            "The approach is a write-ahead log.",
            "I'll use a B-tree for the index.",
            "I will go with option B.",
            "It was agreed that discounts round down.",
            "Going with Redis.",
            "We settled on UUIDv7.",
            "yes do option 1",
            "Ok, do the second variant.",
        ];
        let missed: Vec<&str> = decisions.into_iter().filter(|sentence| !is_decision(sentence)).collect();
        assert_eq!(missed, Vec::<&str>::new());
    }

    #[test]
    fn a_firm_decision_names_what_was_chosen() {
        let firm = [
            "We decided to drop Python 3.8.",
            "For the cache, let's use SQLite for now.",
            "Ok, let's go with the factory approach.",
            "Going with Redis.",
            "Which database? → SQLite",
            "We'll store amounts in cents.",
        ];
        assert_eq!(firm.into_iter().filter(|text| !is_firm_decision(text)).collect::<Vec<_>>(), Vec::<&str>::new());
        let vague = [
            "let's go with option 2",
            "let's go with your recommendation",
            "let's keep going",
            "ok let's keep working through the next steps",
            "lets switch topics",
            "the items which we will drop",
            "black does not go with the gray",
            "the user decided to split the commit",
            "make sure we will use the right version",
            "rename a → b",
        ];
        assert_eq!(vague.into_iter().filter(|text| is_firm_decision(text)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn talk_and_nods_state_none() {
        let others = [
            "We'll see.",
            "We should be able to reproduce it.",
            "I'm going to bed.",
            "ok, let's do this",
            "ok let's keep going",
            "yeah let's do it",
            "Something is going wrong.",
            "I will check the logs.",
            "This is going to fail on Windows.",
            "yes, that makes sense.",
        ];
        assert_eq!(others.into_iter().filter(|sentence| is_decision(sentence)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn reason_alternatives_and_names_are_read() {
        let parts = read_decision("We chose Axum over Actix in `server/main.rs` because it has fewer macros.");
        assert_eq!(parts.reason.as_deref(), Some("it has fewer macros"));
        assert_eq!(parts.alternatives, ["Actix in `server/main.rs`"]);
        assert_eq!(parts.related, ["server/main.rs"]);
        let parts = read_decision("Let's use PostgreSQL instead of SQLite, so that teams can share it.");
        assert_eq!(
            (parts.reason.as_deref(), parts.alternatives),
            (Some("teams can share it"), vec!["SQLite".to_owned()])
        );
        assert_eq!(read_decision("Use integer cents, not floats.").alternatives, ["floats"]);
        assert_eq!(read_decision("We decided to use parse_header.").related, ["parse_header"]);
    }

    #[test]
    fn agreement_is_told_from_a_reservation() {
        for text in ["Agreed.", "yes", "Sounds good, go ahead", "ok do it", "LGTM!"] {
            assert!(is_agreement(text), "{text}");
        }
        for text in ["yes but use tabs", "Okay, why?", "no", "Yesterday it worked", "ok, use Redis instead"] {
            assert!(!is_agreement(text), "{text}");
        }
    }
}
