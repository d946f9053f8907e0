//! Compactions as the agents themselves tell them: what their summaries lost is told once, and our own words never come
//! back as somebody's.

use super::day::json_of;
use super::host::{Host, Writes, context, project};
use super::house::House;
use serde_json::{Value, json};
use std::io::Write as _;

const RULE: &str = "Never push to the main branch without asking me first.";
const SUMMARY: &str = "1. The user works on a price project. 2. A file was read.";

fn rules_of(house: &House, conversation: &str) -> Vec<String> {
    let described = json_of(house, &["describe", conversation]);
    let facts = described["facts"].as_array().unwrap_or_else(|| panic!("{described}"));
    let rules = facts.iter().filter(|fact| fact["kind"] == "rule");
    rules.map(|fact| fact["subject"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn what_compaction_lost_is_told_when_the_session_begins_anew() {
    let house = House::new(&[]);
    let mut host = Host::new(&house, "order", Writes::Transcript);
    host.prompt(RULE);
    host.say("Understood.");
    let told = host.compact(SUMMARY);
    assert!(context(&told).contains(RULE), "{told}");
    assert_eq!(host.prompt("Go on."), "", "it was told already");
    let counted = &json_of(&house, &["value"])["compactions"];
    assert_eq!(*counted, json!({ "times": 1, "kept": 0, "lost": 1, "restored": 1 }));
}

/// Agents tell a compaction in different orders, and leave events out. A session may go on without another word from the
/// user, so what is in force is told when it goes on, and once.
#[test]
fn what_compaction_lost_is_told_once_in_any_order_of_events() {
    const ORDERS: [&[&str]; 7] = [
        &["PreCompact", "SubagentStop", "SessionStart", "PostCompact"],
        &["PreCompact", "SessionStart", "PostCompact"],
        &["PreCompact", "PostCompact", "SessionStart"],
        &["PreCompact", "SubagentStop", "PostCompact", "SessionStart"],
        &["PostCompact", "SessionStart"],
        &["SubagentStop", "SessionStart"],
        &["PreCompact", "PostCompact"],
    ];
    let house = House::new(&[]);
    for (number, order) in ORDERS.into_iter().enumerate() {
        let mut host = Host::new(&house, &format!("order{number}"), Writes::Transcript);
        host.prompt(RULE);
        host.say("Understood.");
        for round in 1..=2 {
            let told: Vec<String> = order.iter().map(|event| context(&host.tell_compaction(event, SUMMARY))).collect();
            let with_prompt = host.prompt("Go on.");
            let in_time =
                order.iter().zip(&told).filter(|(event, told)| **event == "SessionStart" && told.contains(RULE));
            let has_start = order.contains(&"SessionStart");
            assert_eq!(in_time.count(), usize::from(has_start), "{order:?}, {round}: {told:?}");
            let times = told.concat().matches(RULE).count() + with_prompt.matches(RULE).count();
            assert_eq!(times, 1, "{order:?}, {round}: {told:?} {with_prompt}");
            assert_eq!(host.prompt("Go on, please."), "", "{order:?}, {round}");
        }
    }
}

/// Qwen Code without a keyboard compresses in a process of its own, and does not write down what it was told then.
#[test]
fn what_was_told_to_a_process_that_ended_is_told_when_the_session_goes_on() {
    let house = House::new(&[]);
    let mut host = Host::new(&house, "left", Writes::Transcript);
    host.prompt(RULE);
    host.say("Understood.");
    for event in ["PreCompact", "PostCompact"] {
        assert_eq!(host.tell_compaction(event, SUMMARY), Value::Null);
    }
    assert!(context(&host.tell_compaction("SessionStart", SUMMARY)).contains(RULE));
    assert_eq!(host.start("resume"), Value::Null);
    assert!(host.prompt("Go on.").contains(RULE));
    assert_eq!(host.prompt("Go on, please."), "", "it is told once");
    let counted = &json_of(&house, &["value"])["compactions"];
    assert_eq!(*counted, json!({ "times": 1, "kept": 0, "lost": 1, "restored": 1 }));
    // Where it is written down, the session has it.
    assert!(context(&host.compact(SUMMARY)).contains(RULE));
    assert_eq!(host.start("resume"), Value::Null);
    assert_eq!(host.prompt("Go on."), "");
}

#[test]
fn a_summary_that_has_the_rule_lost_nothing() {
    let house = House::new(&[]);
    let mut host = Host::new(&house, "kept", Writes::Transcript);
    host.prompt(RULE);
    host.say("Understood.");
    host.compact(SUMMARY);
    assert_eq!(host.compact(&format!("The user said: {RULE}")), Value::Null);
    assert_eq!(host.prompt("Go on."), "");
}

#[test]
fn ten_compactions_in_a_row_change_nothing() {
    let house = House::new(&[]);
    let mut host = Host::new(&house, "ten", Writes::Transcript);
    host.prompt(RULE);
    host.say("Understood.");
    let first = context(&host.compact(SUMMARY));
    assert!(first.contains(RULE), "{first}");
    for number in 2..=10 {
        host.prompt("Go on.");
        host.say("Done.");
        assert_eq!(context(&host.compact(SUMMARY)), first, "compaction {number}");
    }
    host.end();
    house.run(&["drain"], "");
    assert_eq!(rules_of(&house, "claude-code:ten"), [RULE]);
    let recalled = json_of(&house, &["recall", "pushing to the main branch"]);
    let results = recalled["results"].as_array().expect("results");
    assert!(results.iter().all(|result| !result["text"].as_str().expect("a text").contains("epitome")), "{recalled}");
    let next = Host::new(&house, "next", Writes::Transcript).start("startup");
    assert_eq!(context(&next).matches(RULE).count(), 1, "{next}");
}

/// Codex writes what hooks tell it as a message of role developer, and compacts to the user's messages and a summary.
#[test]
fn ten_compactions_of_codex_change_nothing() {
    let house = House::new(&[]);
    let path = house
        .home()
        .join(".codex/sessions/2026/11/17/rollout-2026-11-17T10-00-00-019c0000-1111-7222-8333-000000000001.jsonl");
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let write = |kind: &str, payload: &Value| {
        let line = json!({ "timestamp": "2026-11-17T10:00:00.000Z", "type": kind, "payload": payload });
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(&path).expect("the rollout");
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
    };
    let say = |role: &str, text: &str| {
        let content = json!([{ "type": if role == "assistant" { "output_text" } else { "input_text" }, "text": text }]);
        write("response_item", &json!({ "type": "message", "role": role, "content": content }));
    };
    let session = "019c0000-1111-7222-8333-000000000001";
    let hook = |event: &str, more: Value| {
        let mut body =
            json!({ "session_id": session, "transcript_path": path, "cwd": project(&house), "hook_event_name": event });
        more.as_object().into_iter().flatten().for_each(|(name, value)| body[name] = value.clone());
        let ended = house.run(&["hook", event, "--agent", "codex"], &body.to_string());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{event}");
        let told = serde_json::from_str(&ended.stdout).map_or_else(|_| String::new(), |answer: Value| context(&answer));
        if !told.is_empty() {
            say("developer", &told);
        }
        told
    };
    write("session_meta", &json!({ "id": session, "cwd": project(&house), "timestamp": "2026-11-17T10:00:00.000Z" }));
    hook("UserPromptSubmit", json!({ "prompt": RULE }));
    say("user", RULE);
    say("assistant", "Understood.");
    let compact = || {
        hook("PreCompact", json!({ "trigger": "auto" }));
        hook("PostCompact", json!({ "trigger": "auto", "compact_summary": SUMMARY }));
        write("compacted", &json!({ "message": SUMMARY }));
        say("user", &format!("Another language model started to solve this problem. You must use this: {SUMMARY}"));
        hook("SessionStart", json!({ "source": "compact" }))
    };
    let first = compact();
    assert!(first.contains(RULE), "{first}");
    for number in 2..=10 {
        assert_eq!(compact(), first, "compaction {number}");
    }
    house.run(&["drain"], "");
    assert_eq!(rules_of(&house, &format!("codex:{session}")), [RULE]);
}

#[test]
fn sessions_in_which_nothing_was_said_change_nothing_for_the_next() {
    let house = House::new(&[]);
    let mut first = Host::new(&house, "long", Writes::Transcript);
    first.prompt(&format!("{RULE} We decided to use integer cents."));
    first.say("Understood.");
    first.end();
    house.run(&["drain"], "");
    let told = context(&Host::new(&house, "before", Writes::Nothing).start("startup"));
    assert!(told.contains(RULE) && told.contains("integer cents"), "{told}");
    for number in 0..20 {
        let mut host = Host::new(&house, &format!("hi-{number}"), Writes::Transcript);
        host.start("startup");
        host.prompt("hi");
        host.say("Hello!");
        host.end();
    }
    house.run(&["drain"], "");
    assert_eq!(context(&Host::new(&house, "after", Writes::Nothing).start("startup")), told);
}

#[test]
fn a_question_is_not_its_own_answer() {
    let house = House::new(&[]);
    let mut first = Host::new(&house, "decided", Writes::Transcript);
    first.prompt("We decided that wholesale discounts are rounded down to whole cents.");
    first.say("Noted.");
    first.end();
    house.run(&["drain"], "");
    let question = "How are wholesale discounts rounded?";
    for number in 0..3 {
        let mut host = Host::new(&house, &format!("asks-{number}"), Writes::Transcript);
        let told = host.prompt(question);
        assert!(told.contains("rounded down to whole cents") && !told.contains(question), "{told}");
        host.say("Let me look at how wholesale discounts are rounded.");
        let errand = host.prompt("Rebuild the zebra and okapi enclosures.");
        assert_eq!(errand, "", "the same request was made before, and that tells nothing");
        host.end();
        house.run(&["drain"], "");
    }
    for operation in ["recall", "context"] {
        let answered = house.run(&[operation, question], "").stdout;
        assert!(answered.contains("rounded down to whole cents"), "{operation}: {answered}");
        assert!(!answered.contains(question) && !answered.contains("Let me look"), "{operation}: {answered}");
    }
}
