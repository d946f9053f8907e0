//! How an earlier tool of this kind lost what it was given, defect by defect, and that ours does not.
//!
//! Each test is named after the defect that it would show.

use super::house::House;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Stdio;

pub(crate) fn json_of(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(&[arguments, &["--json"]].concat(), "");
    assert_eq!(ended.status, 0, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    serde_json::from_str(&ended.stdout.replace(r#""elapsed_ms":N"#, r#""elapsed_ms":0"#)).expect("one JSON object")
}

/// A line of Claude Code.
fn line(uuid: &str, role: &str, content: &Value) -> String {
    let minute = uuid.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().unwrap_or_default() % 60;
    let message = match role {
        "assistant" => json!({ "id": format!("m-{uuid}"), "role": role, "model": "m", "content": content }),
        _ => json!({ "role": role, "content": content }),
    };
    let line = json!({ "type": role, "uuid": uuid, "sessionId": "s", "timestamp": format!("2025-03-04T05:{minute:02}:06Z"),
        "cwd": "/nowhere", "message": message });
    format!("{line}\n")
}

/// A transcript of so many questions and answers.
fn transcript(turns: usize) -> String {
    (0..turns).fold(String::new(), |mut text, number| {
        let path = format!("src/part_{}.rs", number % 7);
        let work =
            format!("I read {path} and changed how part {number} is loaded, because {}", "it was slow. ".repeat(30));
        text += &line(&format!("u{number}"), "user", &json!(format!("Please look at part {number} now.")));
        text += &line(&format!("a{number}"), "assistant", &json!([{ "type": "text", "text": work }]));
        text
    })
}

fn import(house: &House, text: &str) -> Value {
    house.write("s.jsonl", text.as_bytes());
    json_of(house, &["import", "s.jsonl"])["conversations"][0].clone()
}

fn history(house: &House, name: &str) -> Vec<Value> {
    let reply = json_of(house, &["history", "--conversation", name, "--limit", "100000"]);
    reply["messages"].as_array().expect("messages").clone()
}

/// What was imported comes out again, and the certificate says that nothing is missing.
fn whole(house: &House, text: &str) {
    assert_eq!(house.run(&["export", "claude-code:s"], "").stdout, text);
    let certificate = json_of(house, &["verify"]);
    assert_eq!((&certificate["ok"], &certificate["gaps"]), (&json!(true), &json!(0)), "{certificate}");
}

const SMALL_LEAF_VARIABLES: [(&str, &str); 2] = [("LCM_LEAF_CHUNK_TOKENS", "1500"), ("LCM_LEAF_TARGET_TOKENS", "200")];

/// Folds with small chunks, so that a short conversation is enough.
fn compact(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run_with(&SMALL_LEAF_VARIABLES, &[&["compact"], arguments, &["--json"]].concat(), "");
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("one JSON object")
}

#[test]
fn defect_1_tool_calls_thinking_images_events_ids_times_and_side_chains_are_dropped() {
    let house = House::new(&[]);
    let mut text = String::new();
    text += &line("u1", "user", &json!("Why does it fail?"));
    text += &line(
        "a2",
        "assistant",
        &json!([{ "type": "thinking", "thinking": "Perhaps the port.", "signature": "c2ln" }]),
    );
    let input = json!({ "command": "cargo test --all", "timeout": 5 });
    text += &line("a3", "assistant", &json!([{ "type": "tool_use", "id": "t1", "name": "Bash", "input": input }]));
    let image =
        json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "1 failed" }, image] });
    text += &line("u4", "user", &json!([result]));
    text += "{\"type\":\"permission-mode\",\"permissionMode\":\"plan\",\"sessionId\":\"s\"}\n";
    let mut aside: Value = serde_json::from_str(&line("u5", "user", &json!("Look around."))).expect("JSON");
    aside["isSidechain"] = json!(true);
    let _ = writeln!(text, "{aside}");
    import(&house, &text);
    let messages = history(&house, "claude-code:s");
    let said: Vec<&str> = messages.iter().filter_map(|message| message["content"].as_str()).collect();
    assert!(said.iter().any(|words| words.contains("Perhaps the port.")), "{said:?}");
    assert!(said.iter().any(|words| words.contains("cargo test --all")), "{said:?}");
    assert!(said.iter().any(|words| words.contains("1 failed")), "{said:?}");
    assert!(said.contains(&"Look around."), "{said:?}");
    assert!(messages.iter().all(|message| message["at"].as_str().is_some_and(|at| at.starts_with("2025-03-04T05:"))));
    let with_image =
        messages.iter().find(|message| message["content"].as_str().is_some_and(|it| it.contains("artifact:")));
    let words = with_image.expect("the image is kept")["content"].as_str().expect("text");
    let id = words.split("artifact:").nth(1).expect("an id").split_whitespace().next().expect("an id");
    let image = json_of(&house, &["describe", id]);
    assert_eq!(
        (&image["bytes"]["base64"], &image["bytes"]["media_type"]),
        (&json!("iVBORw0KGgo="), &json!("image/png"))
    );
    whole(&house, &text);
}

#[test]
fn defect_2_a_fold_between_two_imports_makes_the_second_skip_messages() {
    let house = House::new(&[]);
    let text = transcript(40);
    import(&house, &text);
    assert!(compact(&house, &["claude-code:s"])["runs"][0]["summaries"].as_u64() > Some(3));
    let longer = transcript(60);
    assert!(longer.starts_with(&text));
    let imported = import(&house, &longer);
    assert_eq!((&imported["standing"], &imported["new_messages"]), (&json!("grown"), &json!(40)));
    let messages = history(&house, "claude-code:s");
    let asked = messages.iter().filter(|message| message["role"] == "user").map(|message| message["content"].clone());
    let wanted = (0..60).map(|number| json!(format!("Please look at part {number} now.")));
    assert_eq!(asked.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    whole(&house, &longer);
}

#[test]
fn defect_3_a_rewrite_a_rewind_or_a_fork_breaks_the_cursor_and_times_are_those_of_the_import() {
    let house = House::new(&[]);
    import(&house, &transcript(5));
    // Rewound: the end was cut off, and the conversation went on otherwise.
    let rewound = transcript(3) + &line("u77", "user", &json!("No, the other way."));
    assert_eq!(import(&house, &rewound)["new_messages"], 1);
    whole(&house, &rewound);
    // Rewritten in its middle, longer than before.
    let rewritten = rewound.replace("part 1 now", "part one, now") + &line("u78", "user", &json!("And on."));
    let imported = import(&house, &rewritten);
    assert_eq!((&imported["standing"], &imported["revised"]), (&json!("rewritten"), &json!(1)));
    whole(&house, &rewritten);
    let words: Vec<String> = history(&house, "claude-code:s").iter().map(|it| it["content"].to_string()).collect();
    for said in ["part 1 now", "part one, now", "part 4 now", "No, the other way.", "And on."] {
        assert_eq!(words.iter().filter(|words| words.contains(said)).count(), 1, "{said}");
    }
    // Forked: another file that begins the same is another conversation.
    house.write(
        "f.jsonl",
        (transcript(2) + &line("u79", "user", &json!("Branch."))).replace("\"s\"", "\"f\"").as_bytes(),
    );
    json_of(&house, &["import", "f.jsonl"]);
    assert_eq!(history(&house, "claude-code:f").len(), 5);
    let times = history(&house, "claude-code:s");
    assert!(times.iter().all(|message| message["at"].as_str().is_some_and(|at| at.starts_with("2025-03-04"))));
}

#[test]
fn defect_4_a_leaf_expands_to_nothing_and_no_tool_reads_a_stored_message() {
    let house = House::new(&[]);
    import(&house, &transcript(40));
    let run = compact(&house, &["claude-code:s"])["runs"][0].clone();
    let leaf = run["folded"].as_array().expect("folds").iter().find(|it| it["kind"] == "leaf").expect("a leaf");
    let id = leaf["summary_id"].as_str().expect("an id");
    let page = json_of(&house, &["expand", id, "--messages", "--budget", "100000"]);
    let told = history(&house, "claude-code:s");
    for item in page["items"].as_array().expect("items") {
        let seq = item["first_seq"].as_u64().expect("a place") as usize;
        assert_eq!(item["text"], told[seq - 1]["content"], "word for word");
    }
    let longest = told.iter().max_by_key(|message| message["tokens"].as_u64()).expect("messages");
    let message = json_of(&house, &["describe", longest["message_id"].as_str().expect("an id")]);
    assert_eq!(message["content"], longest["content"]);
}

#[test]
fn defect_5_a_search_ignores_the_conversation_it_is_given_and_knows_no_patterns() {
    let house = House::new(&[]);
    import(&house, &transcript(10));
    house.run(&["ingest", "--conversation", "other"], "{\"role\":\"user\",\"content\":\"part 3 of another talk\"}\n");
    let found = |arguments: &[&str]| json_of(&house, &[&["grep"], arguments].concat())["total"].clone();
    assert_eq!(found(&["part 3 ", "--conversation", "other"]), 1);
    assert_eq!(found(&[r"^Please look at part [3-5]\b", "--conversation", "claude-code:s"]), 3);
}

#[test]
fn defect_6_transcripts_of_a_directory_with_dots_or_blanks_are_never_found() {
    let house = House::new(&[]);
    for (number, folder) in ["-home-ada-my-app-v1-2", "-home-ada--config-x", "C--Users-ada"].into_iter().enumerate() {
        let text = transcript(2).replace("\"s\"", &format!("\"s{number}\""));
        house.write_home(&format!(".claude/projects/{folder}/s{number}.jsonl"), text.as_bytes());
    }
    let imported = json_of(&house, &["import"]);
    assert_eq!(imported["conversations"].as_array().map(Vec::len), Some(3), "{imported}");
}

#[test]
fn defect_7_what_is_older_than_a_few_days_is_not_recalled() {
    let house = House::new(&[]);
    let old = json!({ "role": "user", "content": "The staging database listens on port 6543.", "at": "2019-05-06T07:08:09Z" });
    let mut lines = format!("{old}\n");
    for number in 0..200 {
        let new =
            json!({ "role": "assistant", "content": format!("Today I changed the database tests, step {number}.") });
        let _ = writeln!(lines, "{new}");
    }
    assert_eq!(house.run(&["ingest", "--conversation", "c"], &lines).status, 0);
    let reply = json_of(&house, &["recall", "on which port does the staging database listen?", "--limit", "3"]);
    assert!(reply["results"].to_string().contains("6543"), "{reply}");
}

#[test]
fn defect_8_what_is_seen_again_and_again_fades_and_its_originals_are_deleted() {
    let house = House::new(&[]);
    let rule = "Never log customer names in the gateway.";
    let mut lines = String::new();
    for number in 0..60 {
        let again = if number % 10 == 0 { rule } else { "Go on." };
        let _ = writeln!(lines, "{}", json!({ "role": "user", "content": format!("Step {number}. {again}") }));
        let work =
            format!("Step {number} is done in src/gateway.rs. {}", "It took a while to find the place. ".repeat(15));
        let _ = writeln!(lines, "{}", json!({ "role": "assistant", "content": work }));
    }
    assert_eq!(house.run(&["ingest", "--conversation", "c"], &lines).status, 0);
    let before = history(&house, "c");
    for _ in 0..3 {
        compact(&house, &["c"]);
        compact(&house, &["c", "--until", "1"]);
    }
    assert_eq!(history(&house, "c"), before, "every original is there");
    let context = json_of(&house, &["assemble", "c", "--budget", "20000"]);
    assert!(context["items"].to_string().contains(rule), "{context}");
}

#[test]
fn defect_9_a_summarizer_that_fails_ends_the_sweep() {
    let house = House::new(&[]);
    house.write_home(
        "config/config.toml",
        b"[providers]\nchain = [\"ollama\"]\nollama_model = \"m\"\nollama_url = \"http://127.0.0.1:9\"\n",
    );
    import(&house, &transcript(40));
    let run = compact(&house, &["claude-code:s"])["runs"][0].clone();
    assert!(run["summaries"].as_u64() > Some(3), "{run}");
    assert!(run["folded"].as_array().expect("folds").iter().all(|folded| folded["method"] == "fallback"), "{run}");
    assert!(run["degraded"].to_string().contains("ollama"), "{run}");
    assert!(
        run["tokens_after"].as_u64().expect("tokens") * 2 < run["tokens_before"].as_u64().expect("tokens"),
        "{run}"
    );
}

#[test]
fn defect_10_an_import_that_is_ended_from_outside_loses_what_it_had_not_stored() {
    let house = House::new(&[]);
    let text = transcript(3_000);
    house.write("s.jsonl", text.as_bytes());
    for wait in [5, 40, 120, 400] {
        let mut child =
            house.command(&["import", "s.jsonl"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        drop(child.kill());
        child.wait().expect("it ends");
    }
    json_of(&house, &["import", "s.jsonl"]);
    assert_eq!(history(&house, "claude-code:s").len(), 6_000);
    whole(&house, &text);
}

#[test]
fn defect_11_writers_and_folders_at_once_get_in_each_others_way() {
    let house = House::new(&[]);
    import(&house, &transcript(30));
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let house = &house;
            scope.spawn(move || {
                for number in 0..8 {
                    let said = json!({ "role": "user", "content": format!("writer {writer} says {number}") });
                    let ended = house.run(&["ingest", "--conversation", "claude-code:s"], &format!("{said}\n"));
                    assert_eq!(ended.status, 0, "{}", ended.stderr);
                }
            });
        }
        for _ in 0..2 {
            let house = &house;
            scope.spawn(move || {
                for _ in 0..4 {
                    // Two who fold the same conversation: one of them is told to come again.
                    let ended = house.run_with(&SMALL_LEAF_VARIABLES, &["compact", "claude-code:s"], "");
                    assert!(
                        ended.status == 0 || ended.stderr.contains("worked on by another process"),
                        "{}",
                        ended.stderr
                    );
                }
            });
        }
    });
    assert_eq!(history(&house, "claude-code:s").len(), 60 + 24);
    assert_eq!(json_of(&house, &["verify"])["ok"], true);
}

#[test]
fn defect_12_nothing_checks_and_nothing_exports() {
    let house = House::new(&[]);
    let text = transcript(20);
    import(&house, &text);
    compact(&house, &["claude-code:s"]);
    whole(&house, &text);
    assert_eq!(json_of(&house, &["repair", "--dry-run"])["problems"], json!([]));
    // One changed byte in the database is found.
    let path = house.home().join("data/epitome.db");
    let mut bytes = fs_err::read(&path).expect("the database");
    let said = b"Please look at part 7 now.";
    let places: Vec<usize> =
        bytes.windows(said.len()).enumerate().filter(|(_, it)| it == said).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "the words are there");
    for at in places {
        bytes[at] = b'p';
    }
    fs_err::write(&path, bytes).expect("our own file");
    let ended = house.run(&["verify", "--json"], "");
    assert_eq!(ended.status, 5, "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn defect_13_one_chunk_that_cannot_be_shortened_blocks_all_behind_it_and_a_folded_conversation_is_never_finished() {
    let house = House::new(&[]);
    let mut lines = String::new();
    // Numbers without a pattern: nothing in them can be left out.
    for number in 0..40_u64 {
        let words = format!("{}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % 1_000);
        let _ = writeln!(lines, "{}", json!({ "role": "user", "content": words }));
    }
    let work = "I read the loader and changed how it waits, because the old way was slow. ".repeat(30);
    for number in 0..40 {
        let _ = writeln!(lines, "{}", json!({ "role": "assistant", "content": format!("Step {number}. {work}") }));
    }
    assert_eq!(house.run(&["ingest", "--conversation", "c"], &lines).status, 0);
    let fold = || {
        let small = [("LCM_LEAF_CHUNK_TOKENS", "300"), ("LCM_LEAF_TARGET_TOKENS", "250")];
        let ended = house.run_with(&small, &["compact", "--all", "--json"], "");
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        serde_json::from_str::<Value>(&ended.stdout).expect("one JSON object")
    };
    let run = fold()["runs"][0].clone();
    let last = run["folded"].as_array().expect("folds").iter().filter_map(|it| it["last_seq"].as_u64()).max();
    assert!(last > Some(60), "what is behind is folded: {run}");
    // It has summaries now, and is folded on when it has grown.
    let more: String = lines.lines().skip(40).fold(String::new(), |all, line| all + line + "\n");
    assert_eq!(house.run(&["ingest", "--conversation", "c"], &more).status, 0);
    let run = fold()["runs"][0].clone();
    let again = run["folded"].as_array().expect("folds").iter().filter_map(|it| it["last_seq"].as_u64()).max();
    assert!(again > last, "{run}");
}
