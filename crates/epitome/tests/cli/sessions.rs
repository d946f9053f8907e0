//! Sessions, decisions and names of conversations on the command line, and what is looked through by default: the
//! conversations of the project.

use super::defects::json_of;
use super::house::House;
use expect_test::expect;
use serde_json::{Value, json};

fn ingest(house: &House, conversation: &str, messages: &[&str]) {
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let ended = house.run(&["ingest", "--conversation", conversation], &lines);
    assert_eq!(ended.status, 0, "{}", ended.shown());
}

const REQUEST: &str = r#"{"role":"user","content":"Fix the checkout. We decided to retry three times because the network is slow.","at":"2026-03-12T09:00:00Z"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"I suggest integer cents instead of floats in `cart.rs`.","at":"2026-03-12T09:05:00Z","metadata":{"model":"m-1","tokenCount":12,"responseTimeMs":900,"toolCalls":["Read"]}}"#;

#[test]
fn a_conversation_is_listed_summed_up_and_archived() {
    let house = House::new(&[]);
    ingest(&house, "shop", &[REQUEST, ANSWER]);
    expect![[r#"
        5ff8a831  Fix the checkout.
                  shop, 2 messages, 2026-03-12 09:00 to 09:05 UTC
    "#]]
    .assert_eq(&house.run(&["history"], "").shown());
    expect![[r#"
        5ff8a831  Fix the checkout.
                  shop, 2 messages, summarized, 2026-03-12 09:00 to 09:05 UTC
          Main topics:
          - Fix the checkout.
          Key decisions:
          - We decided to retry three times because the network is slow.
          Unresolved questions:
          - none
          Important context:
          - none
    "#]]
    .assert_eq(&house.run(&["session", "summarize", "latest"], "").shown());
    assert_eq!(json_of(&house, &["archive", "shop"])["sessions"][0]["state"], "archived");
    let listed = |state: &str| json_of(&house, &["history", "--state", state])["conversations"].clone();
    assert_eq!(listed("archived")[0]["name"], "shop");
    assert_eq!(house.run(&["history", "--state", "active"], "").status, 3);
    assert_eq!(json_of(&house, &["grep", "checkout"])["total"], 1, "what is archived is found");
    let message = &json_of(&house, &["history", "--conversation", "shop"])["messages"][1];
    assert_eq!(message["metadata"]["toolCalls"][0], "Read");
    assert_eq!(message["metadata"]["tokenCount"], 12);
    let text = house.run(&["session", "resume", "shop"], "").shown();
    assert!(text.contains("\n          shop, 2 messages, 2026"), "{text}");
}

#[test]
fn decisions_are_listed_with_reason_and_status() {
    let house = House::new(&[]);
    ingest(&house, "shop", &[REQUEST, ANSWER]);
    let shown = house.run(&["decisions"], "").shown();
    expect![[r#"
        fact_f2948d9e76efdbb5 Integer cents instead of floats in `cart.rs` (proposed, 2026-03-12T09:05:00Z)
          I suggest integer cents instead of floats in `cart.rs`.
          not: floats in `cart.rs`
          about: cart.rs
          said in: msg_43fee089eea2c9e5
        fact_1ce020382195aa92 Retry three times (in force, 2026-03-12T09:00:00Z)
          We decided to retry three times because the network is slow.
          because: the network is slow
          said in: msg_fba55084d58a841c
    "#]]
    .assert_eq(&shown);
    ingest(&house, "shop", &[r#"{"role":"user","content":"Agreed."}"#]);
    let agreed = json_of(&house, &["decisions", "--entity", "cart.rs", "--status", "in_force"]);
    assert_eq!(agreed["decisions"][0]["alternatives"][0], "floats in `cart.rs`");
    ingest(&house, "shop", &[r#"{"role":"user","content":"No, do not retry three times."}"#]);
    let withdrawn = json_of(&house, &["decisions", "--status", "withdrawn"]);
    assert_eq!(withdrawn["decisions"][0]["title"], "Retry three times");
    expect![[r#"
        no decision found
        (exit 3)
    "#]]
    .assert_eq(&house.run(&["decisions", "--about", "elephants"], "").shown());
    let unknown = house.run(&["decisions", "fact_ffff"], "");
    assert_eq!(unknown.status, 3, "{}", unknown.shown());
}

/// Two agents that worked in one folder, which is the project.
fn two_agents(house: &House) {
    let root = house.run(&["status", "--json"], "");
    assert_eq!(root.status, 0, "{}", root.shown());
    let claude = |text: &str, id: &str| {
        format!(
            r#"{{"type":"user","uuid":"{id}","sessionId":"a6a3f00d","message":{{"role":"user","content":"{text}"}},"timestamp":"2026-03-12T09:00:00Z"}}"#
        )
    };
    house.write_home(
        ".claude/projects/p/a6a3f00d.jsonl",
        format!("{}\n", claude("the pangolin of the first agent", "u1")).as_bytes(),
    );
    let codex = concat!(
        r#"{"timestamp":"2026-03-12T10:00:00Z","type":"session_meta","payload":{"id":"a6a3beef","timestamp":"2026-03-12T10:00:00Z","cwd":"/nowhere"}}"#,
        "\n",
        r#"{"timestamp":"2026-03-12T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the pangolin of the second agent"}]}}"#,
        "\n"
    );
    house.write_home(".codex/sessions/2026/03/12/rollout-a6a3beef.jsonl", codex.as_bytes());
}

#[test]
fn two_agents_in_one_folder_are_two_conversations_and_a_short_name_may_mean_both() {
    let house = House::new(&[]);
    two_agents(&house);
    let imported = json_of(&house, &["import"]);
    assert_eq!(imported["conversations"].as_array().map(Vec::len), Some(2), "{imported}");
    let all = json_of(&house, &["grep", "pangolin", "--within", "all"]);
    assert_eq!(all["total"], 2);
    assert_eq!(all["matches"][0]["snippet"], "the pangolin of the second agent", "newest first by when it happened");
    let shown = house.run(&["history", "--conversation", "a6a3"], "").shown();
    assert!(
        shown.contains("which may be") && shown.contains("claude-code:a6a3f00d") && shown.contains("a6a3beef"),
        "{shown}"
    );
    let one = json_of(&house, &["history", "--conversation", "a6a3f"]);
    assert_eq!(one["messages"][0]["content"], "the pangolin of the first agent");
    for unknown in [
        &["history", "--conversation", "zzzz"][..],
        &["archive", "zzzz"],
        &["session", "resume", "conv_0000000000000000"],
    ] {
        let ended = house.run(unknown, "");
        assert!(ended.status == 3 && ended.stderr.contains("does not exist"), "{}", ended.shown());
    }
}

#[test]
fn what_is_of_no_project_is_told_of_and_found_everywhere() {
    let house = House::new(&[]);
    two_agents(&house);
    json_of(&house, &["import"]);
    expect![[r#"
        no conversations of this project
        not looked through: 2 conversations of other projects or of none (--within all)
        (exit 3)
    "#]]
    .assert_eq(&house.run(&["history"], "").shown());
    expect![[r#"
        nothing found
        not looked through: 2 conversations of other projects or of none (--within all)
        (exit 3)
    "#]]
    .assert_eq(&house.run(&["grep", "pangolin"], "").shown());
    let recalled = house.run(&["recall", "what about the pangolin?", "--json"], "").stdout;
    let recalled: Value = serde_json::from_str(&recalled).expect("JSON");
    assert_eq!(recalled["results"], Value::Array(Vec::new()));
    assert!(recalled["degraded"][0].as_str().is_some_and(|note| note.contains("not looked through: 2")), "{recalled}");
    let recalled = json_of(&house, &["recall", "what about the pangolin?", "--within", "all"]);
    assert_eq!(recalled["results"].as_array().map(Vec::len), Some(2), "{recalled}");
}

#[test]
fn a_transcript_that_lies_in_the_project_or_is_named_in_it_is_of_it() {
    let house = House::new(&[("talks/a.jsonl", "{\"role\":\"user\",\"content\":\"the axolotl rests\"}\n")]);
    json_of(&house, &["import", "talks"]);
    assert_eq!(json_of(&house, &["grep", "axolotl"])["total"], 1);
}

#[test]
fn what_one_client_said_is_not_told_in_the_project_of_another() {
    let house = House::new(&[("client-a/a.py", "x = 1\n"), ("client-b/b.py", "y = 1\n")]);
    let secret = r#"{"role":"user","content":"The acquisition price of the zebra is four millions."}"#;
    let own = r#"{"role":"user","content":"The price list of client B is in b.py."}"#;
    for (project, conversation, line) in [("client-a", "of-a", secret), ("client-b", "of-b", own)] {
        assert_eq!(house.run(&["--project", project, "ingest", "--conversation", conversation], line).status, 0);
    }
    for question in [
        &["recall", "acquisition price zebra"][..],
        &["recall", "acquisition price zebra", "--near"],
        &["grep", "acquisition|price"],
        &["grep", "price zebra", "--mode", "full_text"],
        &["history"],
        &["history", "--conversation", "latest"],
        &["context", "what was said about the acquisition price of the zebra?"],
        &["decisions"],
        &["memories"],
        &["stats"],
        &["status"],
        &["value", "queries", "--entries", "20"],
        &["briefing"],
    ] {
        for form in [&[][..], &["--json"]] {
            let shown = house.run(&[&["--project", "client-b"], question, form].concat(), "").shown();
            assert!(!shown.contains("four millions") && !shown.contains("of-a"), "{question:?}: {shown}");
        }
    }
    let cwd = house.command(&[]).get_current_dir().expect("a folder").join("client-b");
    for (event, more) in [
        ("SessionStart", "\"source\":\"startup\""),
        ("UserPromptSubmit", "\"prompt\":\"what was the acquisition price of the zebra?\""),
    ] {
        let told =
            format!("{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\",\"cwd\":\"{}\",{more}}}", cwd.display());
        let shown = house.run(&["hook", event], &told).shown();
        assert!(!shown.contains("four millions"), "{event}: {shown}");
    }
    assert!(
        house.run(&["--project", "client-a", "recall", "acquisition price zebra"], "").stdout.contains("four millions")
    );
}

#[test]
fn a_transcript_that_is_named_says_that_it_is_of_another_project() {
    let house = House::new(&[]);
    two_agents(&house);
    let named = house.home().join(".codex/sessions").display().to_string();
    let shown = house.run(&["import", &named], "").shown();
    let note = "1 transcript (of /nowhere) belongs to another project or to none: --within all finds it\n";
    assert!(shown.contains(note), "{shown}");
    let again = json_of(&house, &["import", &named]);
    assert_eq!(
        (&again["conversations"][0]["elsewhere"], &again["conversations"][0]["directory"]),
        (&json!(true), &json!("/nowhere")),
        "{again}"
    );
    // The agents' own folders hold transcripts of every project, which is no news.
    let all = house.run(&["import"], "").shown();
    assert!(!all.contains("another project"), "{all}");
}

#[test]
fn the_latest_conversation_of_a_project_without_any_is_told_in_the_words_of_the_user() {
    let house = House::new(&[]);
    two_agents(&house);
    json_of(&house, &["import"]);
    for arguments in [&["describe", "latest"][..], &["assemble", "latest"], &["history", "--conversation", "latest"]] {
        expect![[r#"
            ! error: conversation `latest` does not exist
            ! hint: this project has no conversation yet; epitome history --within all lists those of others
            (exit 3)
        "#]]
        .assert_eq(&house.run(arguments, "").shown());
    }
    ingest(&house, "shop", &[r#"{"role":"user","content":"hello"}"#]);
    let archived = house.run(&["history", "--state", "archived"], "").shown();
    assert!(archived.starts_with("no conversation is archived\n"), "{archived}");
}
