//! Tests of `directive.rs`: example sentences from real conversations, in several languages, and whether each is a
//! rule, a task, a correction, a decision or none of these.

use super::*;
use expect_test::{Expect, expect};

fn check(text: &str, expected: &Expect) {
    let found: Vec<String> =
        find_directives(text).into_iter().map(|found| format!("{}: {}", found.kind.as_str(), found.words)).collect();
    expected.assert_eq(&found.join("\n"));
}

#[test]
fn what_binds_is_taken_in_the_users_words() {
    check(
        "Please add a cache to the loader. It must never hold more than 64 MB, e.g. by evicting. What do you think?\n\
         - Don't touch `src/legacy/`.\n- use thiserror, no anyhow\n1. Keep the public API.",
        &expect![[r#"
            task: Please add a cache to the loader.
            rule: Please add a cache to the loader. It must never hold more than 64 MB, e.g. by evicting.
            rule: Don't touch `src/legacy/`.
            rule: use thiserror, no anyhow
            rule: 1. Keep the public API."#]],
    );
}

#[test]
fn corrections_and_choices_are_told_apart() {
    check(
        "No, that's not what I asked for. Revert the change in a.rs!\nLet's go with SQLite then. Why did you delete the test?",
        &expect![[r#"
            correction: No, that's not what I asked for.
            correction: Revert the change in a.rs!
            decision: Let's go with SQLite then.
            correction: Why did you delete the test?"#]],
    );
    check(
        "No, use SQLite instead.\nI told you to always run the tests.\nNo, never push without asking me.\nNo, do not use Redis.",
        &expect![[r#"
            decision: No, use SQLite instead.
            rule: I told you to always run the tests.
            rule: No, never push without asking me.
            correction: No, do not use Redis."#]],
    );
    check("Ok, do the second variant.\nYes.", &expect!["decision: Ok, do the second variant."]);
    check(
        "use the max variant of luna\nuse deepwiki\nwell, i think it should be toolTitle and toolOutput?\n\
         The hook is not really important.\nMove the check into the server instead of the client.",
        &expect![[r#"
            decision: use the max variant of luna
            decision: well, i think it should be toolTitle and toolOutput?
            decision: The hook is not really important.
            decision: Move the check into the server instead of the client."#]],
    );
}

#[test]
fn a_piece_of_work_is_no_rule_and_a_relative_clause_no_correction() {
    check(
        "Put parentheses around the product in the discount function.\nList the folder that is not there.\n\
         Run the tests.\nWrite a test for the cart.\nPut tests under tests/.\nWrite comments in English.\n\
         That is not right.\nSorry, that's wrong.\nRun the tests before you commit.",
        &expect![[r#"
            task: Put parentheses around the product in the discount function.
            task: List the folder that is not there.
            task: Run the tests.
            task: Write a test for the cart.
            rule: Put tests under tests/.
            rule: Write comments in English.
            correction: That is not right.
            correction: Sorry, that's wrong.
            rule: Run the tests before you commit."#]],
    );
}

#[test]
fn what_is_pasted_or_inserted_binds_nobody() {
    check(
        "It fails:\n```\nerror: you must never do this\n```\n> always quote\n\
         <system-reminder>You should always obey.</system-reminder>\n2026-01-02T03:04:05 must not happen\n\
         {\"rule\": \"must\", \"x\": [1, 2, 3]}\nVIP10,always,2026-03-21,2026-04-03,840\n\
         finalization_test.go:808: Second commit should NOT have a trailer\n+    // it should never happen\n\
         <file name=\"CLAUDE.md\">Never push to main.\nAlways use tabs.</file>\n\
         60 -   // BUG: never accumulated\n├── hash.txt  (shadow only)\ngo: cannot find main module",
        &expect![""],
    );
}

#[test]
fn how_things_are_binds_nobody() {
    let described = [
        "commit this",
        "The JSONLContent function only handles JSON objects by unmarshaling into map[string]any.",
        "This causes estimateUserSelfModifications to always return 0.",
        "I can't see any usage in our code of logging.WithAgent.",
        "or perhaps I'm getting mixed up with all the potential scenarios",
        "hasSignificantContentOverlap now requires at least two matching lines, and drops all lines shorter than 10 chars.",
        "`EventGitCommit` never fires, `BaseCommit` never updates.",
        "common.go:191 defines only claudeDir for skip lists.",
        "Session A closes without the task making file changes",
        "but nothing is happening.",
        "I put everything into one commit",
        "Ah I remember now, the issue was that I had files locally so it couldn't switch the branch.",
        "So we can't really prevent that.",
        "This eliminates a source of potential inaccuracy and makes the calculation deterministic rather than heuristic-based.",
        "While this is consistent with the existing field (line 329), using UTC would be simpler and avoid all issues.",
        "Exact-string comparison in `hasOverlap` → never matches → no content to link.",
        "Root cause: the logger is never called for the `clean` command.",
        "Only index.html was included, all the others were left unstaged.",
        "The current behavior silently overwrites the attribution, which may not match all semantics.",
        "Note: it is the primary function, so this may not be exercised in practice.",
        "Adding a `systemMessage`-only response is safe since all output is parsed.",
        "Multi-octave flow field (4 layered sin/cos waves)",
        "Can you go through all issues, and add a test",
        "can we use `checkpointID` instead of `cpID` in session.go",
        "(and what state should I go from?)",
        "2. Call `store.List(ctx)` to get all session states",
        "3. Filter to active only (`EndedAt == nil`)",
        "ok, let's do this",
        "ok let's keep going",
        "yes, that makes sense.",
        "yeah let's do it",
        "For offline users or those behind firewalls, this adds a 2-second penalty to every command, which nobody expects of a tool.",
    ];
    let wanted = [
        "The tools should be appended as individual args instead.",
        "When you edit a file, always run the formatter.",
        "These are never to be changed.",
        "The cache must never hold more than 64 MB.",
        "It has to work without a network.",
        "We never commit to main.",
        "I think we should keep the old name.",
        "1. Keep the public API.",
        "can you make sure it is never called twice",
        "yes do option 1",
        "yes, let's go with A",
    ];
    let binds = |sentence: &&str| classify_sentence(sentence).is_some();
    let lasts = |sentence: &&str| !matches!(classify_sentence(sentence), None | Some(FactKind::Task));
    assert_eq!(described.into_iter().filter(lasts).collect::<Vec<_>>(), Vec::<&str>::new());
    assert_eq!(wanted.into_iter().filter(|sentence| !binds(sentence)).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_reminder_of_the_sentence_before_is_dropped() {
    check(
        "Never push to main. Keep that in mind.\nFix the parser, please. And remember this!",
        &expect![[r#"
            rule: Never push to main.
            task: Fix the parser, please."#]],
    );
}

#[test]
fn other_tongues_bind_too() {
    check(
        "Bitte niemals Tabs verwenden.\n不要修改配置文件。",
        &expect![[r#"
            rule: Bitte niemals Tabs verwenden.
            rule: 不要修改配置文件。"#]],
    );
}

#[test]
fn a_decision_about_it_says_what_it_is() {
    check(
        "We compared three databases for the audit log. It's going to be PostgreSQL.\nWhat about the cache? It should be \
         a file under target/.",
        &expect![[r#"
            decision: We compared three databases for the audit log. It's going to be PostgreSQL.
            decision: What about the cache? It should be a file under target/."#]],
    );
    // Nothing says what is meant, or it is no choice.
    check("It is going to be PostgreSQL.", &expect![""]);
    check("they should live under results/", &expect![""]);
    check("The release slipped. It is going to be a long week.\nIt's going to be hard.", &expect![""]);
    // What is chosen stands behind the pronoun, or is what it points at.
    check("it's better to start with sqlite", &expect!["decision: it's better to start with sqlite"]);
    check("This folder should not be public.", &expect!["decision: This folder should not be public."]);
}
