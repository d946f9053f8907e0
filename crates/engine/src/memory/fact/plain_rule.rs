//! Recognizes orders whose scope is plain although no word says it: they forbid or demand what is a property of the whole
//! project or of the whole session, and never of one piece of work. "Don't add new dependencies" binds all work; "don't
//! add a column" does not.

use super::rule::split_clauses;
use regex::Regex;
use std::sync::LazyLock;

/// Whether a rule is about all work by what it forbids or demands.
pub(super) fn is_plain_rule(rule: &str) -> bool {
    // An exception may point at something: "no new dependencies unless I approve them".
    if MOMENT.is_match(rule.split(" unless ").next().unwrap_or(rule)) {
        return false;
    }
    if CHOSEN_TOOL.is_match(rule) || OTHER_LANGUAGES.is_match(rule) {
        return true;
    }
    // The first clause decides: behind another order it is about that one.
    let first = split_clauses(rule).into_iter().find(|clause| !clause.trim().is_empty());
    first.is_some_and(|clause| FORBIDDEN.is_match(clause) || DEMANDED.is_match(clause) || has_limits(rule, clause))
}

/// A prohibition with its exception or its extent in words: "without asking me", "anywhere in the code".
fn has_limits(rule: &str, clause: &str) -> bool {
    PROHIBITION.is_match(clause) && LIMITS.is_match(rule)
}

/// A word for this moment or for the piece at hand.
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: it | them | here | yet | now | today | again | currently | these | those | this\stime | for\snow )\b
        | \bth(?:is|at)(?:[.!,]|$|\s(?:file|function|method|test|class|change|commit|branch|pr|part|step|one|time|case|line|task|issue|bug|thing|way|button|page|component|error|message|feature|section)\b)",
    )
    .expect("the pattern is ours")
});

static FORBIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        # New dependencies, breaking changes, traces of debugging, secrets.
        ^(?: (?:do\snot|don['’]?t)\s+(?:\w+\s+)?(?:add|introduce|install|pull\sin|bring\sin|use|make|leave|write|write\sout|commit|log|print|expose|hard-?code|have|create)
           | no | avoid(?:\s(?:adding|introducing|using|making))? | i(?:['’]d|\swould)\srather\snot\s(?:have|use|add) | i\s(?:do\snot|don['’]?t)\swant )\s+
           (?:(?:any|new|more|extra|additional|further|external|third[-\s]party|actual|real|runtime|npm|python|hard-?coded)\s+){0,3}
           (?: dependenc(?:y|ies) | packages | libraries | crates | breaking\schanges? | con\w{2,4}le[.\s]?logs? | print\sstatements | emojis? | emojies
             | magic\snumbers | mocks? | secrets? | credentials | passwords | api\skeys | assumptions | unsafe\scode | dead\scode )\b
        | ^no\sbreaking\sof\b
        # What is done to the repository as a whole.
        | ^(?:do\snot|don['’]?t)\s+(?: force[-\s]push | stash\b | (?:commit|push|merge)\s(?:\w+\s){0,2}?(?:in)?to\s(?:main|master|the\s(?:main|default)\sbranch)\b
             | (?:weaken|loosen|disable|skip)\s(?:\w+\s)?tests\b | break\s(?:the\s|any\s|our\s)?(?:existing|public|api|backwards?)\b
             | assume\sany | guess[.!]?$ | invent\b | fabricate\b )
        # One tool by its name, and nothing else.
        | ^(?:do\snot|don['’]?t)\suse\s`?[\w@][\w@./+-]*`?[.!]?$",
    )
    .expect("the pattern is ours")
});

static DEMANDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^(?:answer|reply|respond|speak|talk|write\s(?:comments|commit\smessages|code\scomments|docs))\s(?:\w+\s)?in\s
            (?:english|german|french|spanish|catalan|italian|portuguese|dutch|polish|russian|chinese|japanese|korean)\b
        | ^keep\s(?:all\s|every\s|each\s|your\s)?(?:commits?|commit\smessages|prs|functions|methods|classes|files|comments|answers|responses|replies)\b
            .*\b(?:small|short|atomic|brief|concise|terse|focused|under|below|within|at\smost|working)\b
        | ^(?:make\ssure|ensure)\s(?:that\s)?(?:we|you)\s(?:don['’]?t|do\snot|never)\s(?:have|add|create|leave|introduce|commit)\s(?:any\s)?(?:extra|unused|unnecessary|duplicate|dead|stale)\b
        | ^ask(?:\sme)?\s(?:first\s)?before\s\w+ing\b",
    )
    .expect("the pattern is ours")
});

/// "Use pnpm, not npm": two tools by their names.
static CHOSEN_TOOL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:please\s+)?use\s`?[\w@][\w@./+-]*`?,?\s(?:not|no|never|instead of|over)\s`?[\w@][\w@./+-]*`?[.!]?\s*$")
        .expect("the pattern is ours")
});

static PROHIBITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^(?:do not|don['’]?t|no|avoid|(?:make sure|ensure)\s(?:that\s)?(?:we|you)\s(?:do not|don['’]?t))\s",
    )
    .expect("the pattern is ours")
});

static LIMITS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\bwithout\s(?:asking|my\s(?:approval|permission|consent|ok(?:ay)?))\b
        | \bunless\si\s(?:ask|say|tell|approve|explicitly|want|told)
        | \b(?:anywhere|everywhere)\sin\s(?:the|this|our)\s(?:code|codebase|repo|repository|project)\b
        | \b(?:in|across|throughout)\s(?:this|the\swhole|the\sentire|our)\s(?:repo|repository|project|codebase|workspace)\b",
    )
    .expect("the pattern is ours")
});

static OTHER_LANGUAGES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^\s*\S{1,20}(?:\s?(?:cli|コマンド))?\s?は使わないで(?:ください)?[。!！]?\s*$
        | (?:main|master)\s?に(?:直接)?(?:コミット|プッシュ|push)しないで
        | ^\s*(?:请\s*)?用(?:中文|英文)(?:回[答复]|交流|回应) | ^\s*日本語で(?:答え|回答|返答|返信)",
    )
    .expect("the pattern is ours")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_piece_of_work_has_for_itself_is_plain() {
        let plain = [
            "Please don't add new dependencies.",
            "Please don't add new dependencies to billing.",
            "No new dependencies unless I approve them first.",
            "no breaking changes",
            "no console logs!",
            "also please NO emojies, use icons",
            "Do not stash anything, read the files you need.",
            "Don't commit to main.",
            "Do not weaken tests.",
            "do not make assumptions",
            "don't use mocks",
            "Don't use `gt`.",
            "gt コマンドは使わないで",
            "mainにコミットしないで",
            "Use pnpm, not npm.",
            "Answer in German.",
            "Keep functions under 40 lines.",
            "make sure we don't have extra config files",
            "Do not rename anything in search without asking me.",
            "please make sure that we dont use fetch without database anywhere in the code",
            "I'd rather not have any unsafe code in auth.",
            "Please don't write out any actual secrets, use placeholders.",
        ];
        assert_eq!(plain.into_iter().filter(|rule| !is_plain_rule(rule)).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn what_one_piece_of_work_may_have_is_not() {
        let others = [
            "Don't write any code.",
            "do not add seeds.",
            "Don't add a new column.",
            "Do not change anything.",
            "do not use the Server(), but the league_service methods",
            "dont use coloring for visual separation, just black lines",
            "Don't commit this yet.",
            "don't use mocks here",
            "should be dimmer, don't use mocks",
            "No rows returned",
            "no errors",
            "Keep the labels short.",
            "Write the readme in English.",
            "No dependencies were found yet.",
            "Do not make that button too big.",
        ];
        assert_eq!(others.into_iter().filter(|rule| is_plain_rule(rule)).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
