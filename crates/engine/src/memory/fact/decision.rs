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
    DECISION.is_match(sentence) && !FUTURE_TALK.is_match(sentence) && states_choice(sentence)
}

/// Whether a sentence of a model puts a choice forward: "I suggest Redis for the cache".
pub(crate) fn is_proposal(sentence: &str) -> bool {
    static PROPOSAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?ix)\b(?: i(?:['’]d|\swould)?\s(?:suggest|recommend|propose|go\swith) | my\s(?:recommendation|suggestion|proposal)\sis
                | the\s(?:best|cleanest|simplest|safest)\s(?:option|way|approach|choice|solution)\s(?:is|would\sbe) )\b",
        )
        .expect("the pattern is ours")
    });
    PROPOSAL.is_match(sentence)
}

/// Whether the wording leaves no doubt that something was decided. "We should add a test" may be a decision, and may be a
/// thought; only firm ones are repeated to a later session.
pub(crate) fn is_firm_decision(sentence: &str) -> bool {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\boption\s[0-9a-d]\b|\b(?:first|second|third|last)\b").expect("the pattern is ours")
    });
    // "Option 3" is a decision to those who read the options before it, and a riddle to everybody else.
    let is_riddle = OPTION.is_match(sentence) && !sentence.contains('→');
    FIRM.is_match(sentence) && !FUTURE_TALK.is_match(sentence) && !is_riddle
}

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
    let reason = REASON.captures(sentence);
    let choice = reason.as_ref().and_then(|found| found.get(0)).map_or(sentence, |found| &sentence[..found.start()]);
    let mut related: Vec<String> = Vec::new();
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
    let first: String = text.chars().take(200).collect();
    AGREEMENT.is_match(&first) && !RESERVATION.is_match(&first)
}

/// Whether a decision says what was decided: "ok, let's do this" is nothing without what came before it.
fn states_choice(sentence: &str) -> bool {
    let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).any(|word| !NODS.split(' ').any(|nod| nod == word))
}

/// Words of agreement, and those that point at what was said.
const NODS: &str = "\
    again agreed ahead all and approved but can commit continue cool decided do done fine go going good great i i'll \
    implement is it it's ja keep let's lets let’s makes now ok okay on perfect please proceed push sense should so sounds \
    start sure that that's the then these this those to try use we we'll we’ll will with works write yeah yep yes you";

static DECISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: we(?:['’]ll|\swill|\sshould|\sdecided|\sagreed|\schose|['’]ve\s(?:decided|agreed|chosen)|\shave\s(?:decided|agreed|chosen)|['’]re\sgoing|\sare\sgoing)\b
            | let['’]?s\s(?:go\swith|use|implement|do|try|keep|stick|make|not|drop|skip|switch|stay)\b
            | the\s(?:decision|plan|approach|strategy|choice)\sis\b
            | i(?:['’]ll|\swill)\s(?:use|implement|go\swith|choose)\b
            | i(?:['’]ve|\shave)?\s(?:decided|chose|chosen|picked)\b
            | decided\s(?:to|on|that|against|for)\b | agreed\s(?:on|to|that)\b | going\s(?:to|with)\b | go\swith\b | settled\son\b
            | (?:take|use|do|pick|choose)\s(?:the\s)?(?:option|variant|approach)\s(?:\w+)\b | option\s[0-9a-d]\b
            | (?:take|do|pick|choose)\s(?:the\s)(?:first|second|third|last)\b
            | wir\s(?:nehmen|machen|verwenden|haben\suns) | machen\swir )
        | ^\s*(?:decision|decided)\s*:",
    )
    .expect("the pattern is ours")
});

static FIRM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: decided | agreed\s(?:on|to|that) | we\s(?:chose|agreed|decided) | i\s(?:chose|picked) | settled\son | go\swith | going\swith
            | let['’]?s\s(?:use|keep|stick|not|drop|switch|stay) | we(?:['’]ll|\swill)\s(?:use|keep|stick|go|not|drop|switch|store|stay|support|ship)
            | i(?:['’]ll|\swill)\s(?:use|go\swith|choose) | the\s(?:decision|choice|plan|approach|strategy)\sis
            | option\s[0-9a-d]\b | (?:take|do|pick|choose)\s(?:the\s)(?:option|first|second|third|last)
            | wir\s(?:nehmen|verwenden) )
        | ^\s*(?:decision|decided)\s*: | →",
    )
    .expect("the pattern is ours")
});

/// Talk about what comes, or about what might be, that chooses nothing.
static FUTURE_TALK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?: we|i)(?:['’]ll|\swill|\sshould)\s(?: see | need | have | be | get | talk | discuss | come\sback | probably | never\sknow | find\sout | want
            | know | wait | continue | look | check | review | run | start | begin | read | try\sto\s(?:find|see) | then\s | also\s(?:check|look) | now\s )\b
        | \b(?: is | are | am | was | were | not )\sgoing\sto\s(?: be | fail | happen | work | need | have | take | get | cause | break )\b
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
