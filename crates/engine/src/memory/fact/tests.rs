//! Tests of fact extraction: small conversations and the facts expected from them (errors and fixes, files, steps,
//! commands, decisions, rules).

use super::*;
use crate::memory::tests::conversation_builder::ConversationBuilder;
use expect_test::{Expect, expect};
use model::EventTime;

fn show(facts: &[Fact]) -> String {
    let line = |fact: &Fact| {
        let code = fact.exit_code.map(|code| format!(" {code}")).unwrap_or_default();
        let ended = fact.ended_by.as_ref().map(|files| format!(" by {files}")).unwrap_or_default();
        let times = if fact.times > 1 { format!(" ×{}", fact.times) } else { String::new() };
        format!("{} `{}` {}{code}{ended}{times}", fact.kind.as_str(), fact.subject, fact.state.as_str())
    };
    facts.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check(talk: &ConversationBuilder, expected: &Expect) {
    expected.assert_eq(&show(&FactExtractor::extract_facts(&talk.id, &talk.messages)));
}

#[test]
fn an_error_is_told_with_the_change_that_ended_it() {
    let talk = ConversationBuilder::new()
        .user("Make the tests pass. Never edit tests/golden.txt.")
        .failed_bash("cargo test 2>&1 | tail -5", "Exit code 101\nerror[E0308]: mismatched types\n --> src/lib.rs:3:5")
        .tool_round("Read", r#"{"file_path":"src/lib.rs"}"#, "fn main() {}")
        .edit_file("src/lib.rs")
        .failed_bash("cargo test", "Exit code 101\ntest store::opens ... FAILED\ntest store::closes ... ok")
        .edit_file("src/store.rs")
        .bash("cargo test", "test result: ok. 2 passed; 0 failed");
    check(
        &talk,
        &expect![[r#"
            rule `Never edit tests/golden.txt.` stated
            task `Make the tests pass.` open
            command `cargo test` ran ×3
            failure `error[E0308]: mismatched types` ended by src/lib.rs ×2
            file `src/lib.rs` edited
            test `store::opens` passing by src/store.rs ×2
            file `src/store.rs` edited"#]],
    );
}

#[test]
fn files_keep_their_last_state() {
    let talk = ConversationBuilder::new()
        .tool_round("Write", r#"{"file_path":"new.rs","content":"x"}"#, "ok")
        .edit_file("new.rs")
        .tool_round("Read", r#"{"file_path":"new.rs"}"#, "x")
        .tool_round("Read", r#"{"file_path":"only_read.rs"}"#, "x")
        .bash("rm old.rs", "")
        .tool_round("apply_patch", "*** Begin Patch\n*** Update File: p.rs\n@@\n*** End Patch", "Success");
    check(
        &talk,
        &expect![[r#"
            file `new.rs` written ×2
            file `only_read.rs` read
            file `old.rs` deleted
            file `p.rs` edited"#]],
    );
}

#[test]
fn a_step_that_left_the_list_was_dropped() {
    let talk = ConversationBuilder::new()
        .tool_round(
            "TodoWrite",
            r#"{"todos":[{"content":"a","status":"in_progress"},{"content":"b","status":"pending"}]}"#,
            "ok",
        )
        .tool_round(
            "TodoWrite",
            r#"{"todos":[{"content":"a","status":"completed"},{"content":"c","status":"pending"}]}"#,
            "ok",
        );
    check(
        &talk,
        &expect![[r#"
            todo `b` dropped ×2
            todo `a` done ×2
            todo `c` open"#]],
    );
}

#[test]
fn tasks_are_steps_that_come_and_end_one_by_one() {
    let talk = ConversationBuilder::new()
        .tool_round("TaskCreate", r#"{"subject":"a","description":"more about a"}"#, "Task #1 created successfully: a")
        .tool_round("TaskCreate", r##"{"subject":"b","description":"#7"}"##, "Task #2 created successfully: b")
        .tool_round("TaskCreate", r#"{"subject":"c","description":""}"#, "Task #3 created successfully: c")
        .tool_round("TaskUpdate", r#"{"taskId":"1","status":"completed"}"#, "Updated task #1 status")
        .tool_round("TaskUpdate", r#"{"taskId":"2","description":"other words"}"#, "Updated task #2 description")
        .tool_round("TaskUpdate", r#"{"taskId":"3","status":"deleted"}"#, "Updated task #3 deleted");
    check(
        &talk,
        &expect![[r#"
            todo `a` done ×2
            todo `b` open
            todo `c` dropped ×2"#]],
    );
}

#[test]
fn an_answer_to_a_question_is_a_decision_and_an_approved_plan_is_none() {
    let ask =
        |questions: &str, answer: &str| ConversationBuilder::new().tool_round("AskUserQuestion", questions, answer);
    check(
        &ask(
            r#"{"questions":[{"question":"Which database?"}]}"#,
            "User has answered your questions: \"Which database?\"=\"SQLite\". You can now continue with these answers.",
        ),
        &expect!["decision `Which database? → SQLite` stated"],
    );
    check(
        &ask(
            r#"{"questions":[{"question":"Does this work? Any concerns?"},{"question":"One file?"}]}"#,
            "User has answered your questions: \"Does this work? Any concerns?\"=\"no, but \"fast\" matters. See a.rs\", \
             \"One file?\"=\"two\".",
        ),
        &expect![[r#"
            decision `One file? → two` stated
            decision `Does this work? Any concerns? → no, but "fast" matters. See a.rs` stated"#]],
    );
    check(
        &ask(r#"{"question":"Go on?"}"#, "yes, but slowly. Really."),
        &expect!["decision `Go on? → yes, but slowly.` stated"],
    );
    check(
        &ConversationBuilder::new().tool_round("ExitPlanMode", r##"{"plan":"# x"}"##, "User has approved your plan."),
        &expect![""],
    );
}

#[test]
fn an_edit_that_failed_changed_nothing() {
    let (talk, id) = ConversationBuilder::new().tool_call("Edit", r#"{"file_path":"a.rs"}"#);
    let talk = talk.tool_result(&id, "String to replace not found in file.", Some("error")).edit_file("a.rs");
    check(
        &talk,
        &expect![[r#"
            file `a.rs` edited"#]],
    );
}

#[test]
fn taking_stops_before_a_call_that_waits_and_goes_on_there() {
    let (talk, id) =
        ConversationBuilder::new().user("Always run it.").edit_file("a.rs").tool_call("Bash", r#"{"command":"make"}"#);
    let talk = talk.assistant("It takes a while.").tool_result(&id, "Exit code 2\nerror: no rule", Some("error"));
    let mut first = FactExtractor::resume(talk.id.clone(), Vec::new(), 0);
    talk.messages[..5].iter().for_each(|message| first.add_message(message));
    assert_eq!(first.final_to(), 3);

    let stop = first.final_to();
    let before = FactExtractor::extract_facts(&talk.id, &talk.messages[..stop as usize]);
    let mut second = FactExtractor::resume(talk.id.clone(), before, stop);
    talk.messages[stop as usize..].iter().for_each(|message| second.add_message(message));
    assert_eq!(second.final_to(), 6);
    assert_eq!(show(&second.into_facts()), show(&FactExtractor::extract_facts(&talk.id, &talk.messages)));
}

#[test]
fn the_next_prompt_settles_a_call_that_never_got_its_result() {
    let todos = |status: &str| format!(r#"{{"todos":[{{"content":"a","status":"{status}"}}]}}"#);
    let (talk, _) = ConversationBuilder::new()
        .user("Fix the parser.")
        .tool_round("TodoWrite", &todos("pending"), "ok")
        .tool_call("Bash", r#"{"command":"sleep 600"}"#);
    let talk = talk.user("Go on, please.").tool_round("TodoWrite", &todos("completed"), "ok");
    let mut facts = FactExtractor::resume(talk.id.clone(), Vec::new(), 0);
    talk.messages.iter().for_each(|message| facts.add_message(message));
    assert_eq!(facts.final_to(), talk.messages.len() as u64);
    assert!(facts.into_facts().iter().any(|fact| fact.kind == FactKind::Todo && fact.state == FactState::Done));
}

#[test]
fn a_failure_stands_only_while_its_family_failed_last() {
    let talk = ConversationBuilder::new()
        .failed_bash("npm run lint", "Exit code 1\nerror: unused variable x")
        .failed_bash("curl http://localhost:9", "Exit code 7\nerror: connection refused")
        .bash("npm run lint -- --fix", "Exit code 0\n")
        .user("Now write the docs.");
    assert_eq!(told(&talk), Vec::<String>::new());
}

/// What an agent is told of a conversation.
fn told(talk: &ConversationBuilder) -> Vec<String> {
    let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
    let telling = FactTelling::of_conversation(&facts);
    let mut told: Vec<String> =
        facts.iter().filter(|fact| telling.is_told(fact)).map(|fact| fact.subject.clone()).collect();
    told.sort();
    told
}

#[test]
fn a_failing_check_is_told_until_something_changes() {
    let failed = ConversationBuilder::new()
        .user("Fix the parser.")
        .failed_bash("cargo test", "Exit code 101\ntest parser::reads ... FAILED");
    assert_eq!(told(&failed), ["parser::reads"]);
    assert_eq!(told(&failed.clone().edit_file("src/parser.rs")), ["src/parser.rs"]);
    assert_eq!(told(&failed.user("Leave it. Write the docs, please.")), Vec::<String>::new());
}

#[test]
fn only_a_rule_that_spells_its_scope_out_and_that_the_user_wrote_is_told() {
    let plan = format!("Do this:\n{}\n- Never rename a step.", "- Add a step to the list.\n".repeat(8));
    let talk = ConversationBuilder::new().user("Do not add seeds. Never push to main.").user(&plan);
    assert_eq!(told(&talk), ["Never push to main."]);
    let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
    let rules = facts.iter().filter(|fact| fact.kind == FactKind::Rule);
    let mut rules: Vec<String> = rules.map(|fact| format!("{} {}", fact.subject, fact.state.as_str())).collect();
    rules.sort();
    assert_eq!(rules, ["Do not add seeds. stated", "Never push to main. stated", "Never rename a step. proposed"]);
    // Said by the user, too, it is theirs.
    assert_eq!(told(&talk.user("Never rename a step.").user(&plan)), ["Never push to main.", "Never rename a step."]);
}

#[test]
fn a_command_can_be_what_ended_a_failure() {
    let talk = ConversationBuilder::new()
        .failed_bash("pytest", "Exit code 1\nModuleNotFoundError: No module named 'flask'")
        .bash("pip install flask", "Successfully installed flask")
        .bash("pytest -q", "==== 3 passed in 0.1s ====");
    let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
    let fix = facts.iter().find(|fact| fact.kind == FactKind::Failure).and_then(|fact| fact.ended_by.as_deref());
    assert_eq!(fix, Some("`pip install flask`"));
}

#[test]
fn what_a_model_proposes_is_decided_when_the_user_agrees() {
    let decisions = |talk: &ConversationBuilder| -> Vec<String> {
        FactExtractor::extract_facts(&talk.id, &talk.messages)
            .iter()
            .filter(|fact| fact.kind == FactKind::Decision)
            .map(|fact| format!("{}: {}", fact.state.as_str(), fact.subject))
            .collect()
    };
    let talk = ConversationBuilder::new().user("Which store?").assistant("I suggest Redis for the sessions.");
    assert_eq!(decisions(&talk), ["proposed: I suggest Redis for the sessions."]);
    assert_eq!(decisions(&talk.clone().user("Agreed.")), ["stated: I suggest Redis for the sessions."]);
    let asked_more = talk.user("How fast is it?").assistant("Fast.").user("Agreed.");
    assert_eq!(decisions(&asked_more), ["proposed: I suggest Redis for the sessions."]);
}

#[test]
fn a_rule_that_is_taken_back_is_no_longer_told() {
    let talk = ConversationBuilder::new().user("Never push to main.").user("You can push to main again.");
    assert_eq!(told(&talk), Vec::<String>::new());
}

#[test]
fn a_summary_in_the_users_place_binds_nobody() {
    let mut talk =
        ConversationBuilder::new().user("Never edit tests/golden.txt.").user("All tests must always be run again.");
    talk.messages[1].body.speaker = Some(model::SPEAKER_SUMMARY.to_owned());
    check(&talk, &expect!["rule `Never edit tests/golden.txt.` stated"]);
}

#[test]
fn a_call_that_the_user_did_not_let_happen_did_not_fail() {
    let talk = ConversationBuilder::new()
        .failed_bash("rm -rf build", "The user doesn't want to proceed with this tool use. The tool use was rejected.")
        .failed_bash("cat missing.txt", "cat: missing.txt: No such file or directory")
        .failed_bash("make", "<tool_use_error>No rule to make it.</tool_use_error>");
    check(
        &talk,
        &expect![[r#"
            command `make` failed
            failure `No rule to make it.` standing"#]],
    );
}

#[test]
fn what_a_user_only_weighs_is_proposed_until_they_settle_it() {
    let states = |talk: &ConversationBuilder| -> Vec<String> {
        let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
        let decisions = facts.iter().filter(|fact| fact.kind == FactKind::Decision);
        decisions.map(|fact| format!("{}: {}", fact.state.as_str(), fact.subject)).collect()
    };
    let talk = ConversationBuilder::new().user("Maybe we can just drop the cache.");
    assert_eq!(states(&talk), ["proposed: Maybe we can just drop the cache."]);
    assert_eq!(
        states(&talk.assistant("It is rarely hit.").user("Yes, do that.")),
        ["stated: Maybe we can just drop the cache."]
    );
    let settled =
        ConversationBuilder::new().user("No, use SQLite instead.").user("I don't want any padding around it.");
    assert_eq!(states(&settled), ["stated: No, use SQLite instead.", "stated: I don't want any padding around it."]);
}

#[test]
fn no_do_not_takes_back_what_was_decided() {
    let talk = ConversationBuilder::new().user("Let's use Redis for the sessions.").assistant("Fine.");
    assert_eq!(told(&talk), ["Let's use Redis for the sessions."]);
    assert_eq!(told(&talk.clone().user("No, do not use Redis.")), Vec::<String>::new());
    assert_eq!(told(&talk.user("No, do not use tabs.")), ["Let's use Redis for the sessions."]);
}

#[test]
fn rules_of_other_languages_are_told_and_taken_for_no_order_of_a_piece() {
    let rules = [
        "Bitte niemals Tabs verwenden.",
        "Nunca uses any.",
        "Ne modifie jamais les tests.",
        "N'utilise jamais de tabulations.",
        "永远不要修改配置文件。",
        "gtは使わないで。",
    ];
    let talk = rules.iter().fold(ConversationBuilder::new(), |talk, rule| talk.user(rule));
    let mut expected: Vec<&str> = rules.to_vec();
    expected.sort_unstable();
    assert_eq!(told(&talk), expected);
    // What is asked for once, in the same languages, is no rule.
    let tasks = ["Bitte lösche die Datei.", "Borra el archivo.", "删除这个文件。", "コミットして。"];
    let talk = tasks.iter().fold(ConversationBuilder::new(), |talk, task| talk.user(task));
    assert_eq!(told(&talk), Vec::<String>::new());
}

#[test]
fn a_result_without_a_call_is_no_fact_and_harms_none() {
    let talk = ConversationBuilder::new()
        .user("Never push to main.")
        .tool_result("lost", "Exit code 101\ntest parser::reads ... FAILED", Some("error"))
        .tool_result("lost", "error: twice", None)
        .edit_file("a.rs");
    check(
        &talk,
        &expect![[r#"
            rule `Never push to main.` stated
            file `a.rs` edited"#]],
    );
}

#[test]
fn a_transcript_without_an_end_keeps_what_was_said_before() {
    let (talk, _) = ConversationBuilder::new()
        .user("Never push to main. Fix the parser.")
        .edit_file("a.rs")
        .tool_call("Bash", r#"{"command":"cargo test"}"#);
    assert_eq!(told(&talk), ["Never push to main.", "a.rs"]);
}

#[test]
fn clocks_that_jump_a_century_change_no_fact() {
    let mut talk = ConversationBuilder::new()
        .user("Never push to main.")
        .user("Let's use Redis for the sessions.")
        .edit_file("a.rs")
        .user("No, do not use Redis.");
    let before = show(&FactExtractor::extract_facts(&talk.id, &talk.messages));
    for (place, message) in talk.messages.iter_mut().enumerate() {
        let year = if place % 2 == 0 { 2126 } else { 1926 };
        message.body.at = Some(EventTime::from_text(format!("{year}-11-18T12:00:00Z")));
    }
    assert_eq!(show(&FactExtractor::extract_facts(&talk.id, &talk.messages)), before);
}

#[test]
fn what_a_model_puts_forward_about_it_says_what_it_is() {
    let talk = ConversationBuilder::new()
        .user("Look at the loader.")
        .assistant("The loader opens the file twice. It should keep one handle instead of two.")
        .user("yes")
        .assistant("It warns instead of failing.");
    check(
        &talk,
        &expect![[r#"
            task `Look at the loader.` open
            decision `The loader opens the file twice. It should keep one handle instead of two.` stated ×2"#]],
    );
}
