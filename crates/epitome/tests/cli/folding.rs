//! A conversation folded, shown, described and expanded through the command line.

use super::host::{Host, Writes};
use super::house::House;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::Stdio;
use std::time::Duration;

fn json_of(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(arguments, "");
    assert_eq!(ended.status, 0, "{arguments:?}: {}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("one JSON object")
}

/// A house in which somebody worked for a while.
fn worked_in() -> House {
    let house = House::new(&[]);
    let mut lines = String::new();
    let mut say = |line: Value| lines += &format!("{line}\n");
    say(json!({ "role": "user", "content": "Please add a cache to the loader. It must never hold more than 64 MB." }));
    for number in 0..30 {
        let path = format!("src/part_{}.rs", number % 5);
        let call = format!("call_{number}");
        let input = json!({ "file_path": path });
        say(
            json!({ "role": "assistant", "parts": [{ "type": "tool", "call_id": call, "name": "Read", "input": input }] }),
        );
        let output = format!("fn part_{number}() {{ /* {} */ }}", "the body of a function ".repeat(20));
        say(json!({ "role": "tool", "parts": [{ "type": "tool", "call_id": call, "output": output }] }));
        say(json!({ "role": "assistant", "content": format!("Part {number} loads through {path} now.") }));
    }
    say(json!({ "role": "user", "content": "Thanks. What is left?" }));
    say(json!({ "role": "assistant", "content": "Only the documentation." }));
    let ended = house.run(&["ingest", "--conversation", "work"], &lines);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    house
}

#[test]
fn a_conversation_is_folded_and_comes_back_word_for_word() {
    let house = worked_in();
    let plan = json_of(&house, &["compact", "work", "--dry-run", "--json"]);
    assert_eq!(plan["dry_run"], true);
    let report = json_of(&house, &["compact", "work", "--json"]);
    let run = &report["runs"][0];
    let before = run["tokens_before"].as_u64().expect("tokens");
    let after = run["tokens_after"].as_u64().expect("tokens");
    assert!(after * 10 < before * 7, "{run}");
    assert_eq!(run["summaries"], run["folded"].as_array().expect("a list").len());
    assert_eq!(plan["runs"][0]["tokens_after"], run["tokens_after"]);

    let context = json_of(&house, &["assemble", "work", "--budget", "50000", "--json"]);
    let kinds: Vec<&str> =
        context["items"].as_array().expect("items").iter().filter_map(|item| item["type"].as_str()).collect();
    assert!(kinds.contains(&"summary") && kinds.ends_with(&["message"]), "{kinds:?}");
    assert!(context["tokens"].as_u64() < Some(before));

    let summary = run["folded"][0]["summary_id"].as_str().expect("an id");
    let described = json_of(&house, &["describe", summary, "--json"]);
    assert_eq!((&described["type"], &described["active"]), (&json!("summary"), &json!(true)));
    assert!(described["content"].as_str().is_some_and(|text| text.contains("64 MB")), "{described}");

    let mut id = summary.to_owned();
    let mut texts = Vec::new();
    loop {
        let page = json_of(&house, &["expand", &id, "--messages", "--budget", "700", "--json"]);
        assert!(page["tokens"].as_u64() <= Some(700), "{page}");
        texts.extend(page["items"].as_array().expect("items").iter().map(|item| item["text"].clone()));
        match page["continue_with"].as_str() {
            Some(next) => next.clone_into(&mut id),
            None => break,
        }
    }
    let history = json_of(&house, &["history", "--conversation", "work", "--limit", "1000", "--json"]);
    let range = run["folded"][0]["first_seq"].as_u64().expect("a place") as usize - 1
        ..run["folded"][0]["last_seq"].as_u64().expect("a place") as usize;
    let told: Vec<Value> = history["messages"].as_array().expect("messages")[range.clone()]
        .iter()
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(texts, told);

    let last = &history["messages"][range.end - 1]["message_id"];
    let described = json_of(&house, &["describe", last.as_str().expect("an id"), "--json"]);
    let folds: Vec<&Value> =
        described["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == "compaction").collect();
    assert_eq!(folds.len(), 1, "the fold is told on the last message it covers");
    assert_eq!((&folds[0]["summary_id"], &folds[0]["auto"]), (&json!(summary), &json!(false)));
    assert_eq!(house.run(&["verify"], "").status, 0);
}

#[test]
fn older_names_of_settings_have_their_effect() {
    let house = worked_in();
    let folded = |variables: &[(&str, &str)]| {
        let ended = house.run_with(variables, &["compact", "work", "--dry-run", "--json"], "");
        assert_eq!(ended.status, 0, "{variables:?}: {}", ended.stderr);
        serde_json::from_str::<Value>(&ended.stdout).expect("one JSON object")["runs"][0]["folded"].clone()
    };
    let base = folded(&[]);
    for variables in
        [[("LCM_FRESH_TAIL_COUNT", "40")], [("LCM_LEAF_TARGET_TOKENS", "90")], [("LCM_LEAF_CHUNK_TOKENS", "700")]]
    {
        assert_ne!(folded(&variables), base, "{variables:?}");
    }
    let small = [("LCM_LEAF_CHUNK_TOKENS", "700")];
    let narrow = [small[0], ("LCM_LEAF_MIN_FANOUT", "2")];
    assert_ne!(folded(&narrow), folded(&small));
    let short = [narrow[0], narrow[1], ("LCM_CONDENSED_TARGET_TOKENS", "70")];
    assert_ne!(folded(&short), folded(&narrow));
    let wide = [narrow[0], narrow[1], ("LCM_CONDENSED_MIN_FANOUT", "2")];
    assert_ne!(folded(&wide), folded(&narrow));
    // Whatever would be kept is refused.
    for command in [
        &["compact", "work", "--json"][..],
        &["ingest", "--conversation", "work", "--json"],
        &["import", ".", "--json"],
        &["import", "--rebuild", "--json"],
        &["remember", "the port is 4711", "--json"],
        &["promote", "--json"],
        &["session", "create", "new", "--json"],
        &["session", "archive", "work", "--json"],
        &["session", "summarize", "work", "--json"],
        &["session", "resume", "work", "--json"],
    ] {
        let ended = house.run_with(&[("LCM_ENABLED", "false")], command, "{\"role\":\"user\",\"content\":\"hi\"}\n");
        assert_eq!((ended.status, ended.stderr.contains("memory.enabled is false")), (1, true), "{}", ended.stderr);
        assert!(ended.stdout.contains("\"code\":\"disabled\""), "{command:?}: {}", ended.stdout);
    }

    house.run(&["compact", "work"], "");
    let summary = base[0]["summary_id"].as_str().expect("an id");
    let page = house.run_with(&[("LCM_MAX_EXPAND_TOKENS", "50")], &["expand", summary, "--json"], "");
    let page: Value = serde_json::from_str(&page.stdout).expect("one JSON object");
    assert!(page["tokens"].as_u64() <= Some(50) && page["truncated"] == true, "{page}");

    let large = format!("{}\n", json!({ "role": "user", "content": "word ".repeat(2_000) }));
    for (threshold, artifacts) in [("1000", 1), ("3000", 0)] {
        let house = House::new(&[]);
        house.run_with(&[("LCM_LARGE_FILE_TOKEN_THRESHOLD", threshold)], &["ingest", "--conversation", "c"], &large);
        assert_eq!(json_of(&house, &["status", "--json"])["artifacts"], artifacts, "{threshold}");
    }
    let ended = house.run_with(&[("LCM_DATABASE_URL", "postgres://ada@127.0.0.1:9/none")], &["status"], "");
    assert!(ended.status != 0 && ended.stderr.contains("127.0.0.1:9"), "{}", ended.stderr);
}

#[test]
fn a_shape_of_a_vendor_has_every_call_with_its_result() {
    let house = worked_in();
    house.run(&["compact", "work"], "");
    let context = json_of(&house, &["assemble", "work", "--shape", "anthropic", "--json"]);
    let messages = context["messages"].as_array().expect("messages");
    let mut open = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        assert_eq!(message["role"], if place % 2 == 0 { "user" } else { "assistant" }, "roles take turns: {message}");
        for block in message["content"].as_array().expect("blocks") {
            match block["type"].as_str() {
                Some("tool_use") => open.push(block["id"].clone()),
                Some("tool_result") => {
                    let at = open.iter().position(|id| *id == block["tool_use_id"]).expect("its call came before");
                    open.remove(at);
                }
                _ => {}
            }
        }
    }
    assert_eq!(open, Vec::<Value>::new());
    let context = json_of(&house, &["assemble", "work", "--shape", "openai", "--json"]);
    let roles: Vec<&str> = context["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["role"].as_str())
        .collect();
    assert!(roles.contains(&"tool") && roles.ends_with(&["user", "assistant"]), "{roles:?}");
}

#[test]
fn a_vendor_gets_a_result_right_behind_its_call_or_as_text() {
    let house = House::new(&[]);
    let call = |id: &str| json!({ "role": "assistant", "parts": [{ "type": "tool", "call_id": id, "name": "Bash", "input": { "command": id } }] });
    let result = |id: &str| json!({ "role": "tool", "parts": [{ "type": "tool", "call_id": id, "output": "it ran" }] });
    let lines = [
        json!({ "role": "user", "content": "Run both." }),
        call("late"),
        call("quick"),
        json!({ "role": "user", "content": "Hurry up." }),
        result("quick"),
        json!({ "role": "assistant", "content": "One of them ran." }),
        result("late"),
        json!({ "role": "assistant", "content": "The other one, too." }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "work"], &lines).status, 0);
    let context = json_of(&house, &["assemble", "work", "--shape", "anthropic", "--json"]);
    let blocks = |message: &Value| -> Vec<String> {
        let kind = |block: &Value| block["type"].as_str().unwrap_or_default().to_owned();
        message["content"].as_array().into_iter().flatten().map(kind).collect()
    };
    let messages: Vec<Vec<String>> = context["messages"].as_array().expect("messages").iter().map(blocks).collect();
    // The user spoke before the result came, and still it is first; what came after the answer is text.
    let expected: [&[&str]; 6] =
        [&["text"], &["text", "tool_use"], &["tool_result", "text"], &["text"], &["text"], &["text"]];
    assert_eq!(messages, expected, "{context}");
    let context = json_of(&house, &["assemble", "work", "--shape", "openai", "--json"]);
    let messages = context["messages"].as_array().expect("messages");
    let called = messages.iter().position(|message| !message["tool_calls"].is_null()).expect("a call");
    assert_eq!(messages[called + 1]["tool_call_id"], "quick", "{context}");
    assert_eq!(messages.iter().filter(|message| message["role"] == "tool").count(), 1, "{context}");
}

#[test]
fn what_has_to_be_shown_is_cut_to_the_budget_in_every_shape() {
    let house = House::new(&[]);
    let lines = [
        json!({ "role": "system", "content": "You work with care. ".repeat(600) }),
        json!({ "role": "user", "content": "Explain the loader. ".repeat(300) }),
        json!({ "role": "assistant", "content": "It loads one file after the other. ".repeat(400) }),
        json!({ "role": "user", "content": "Shorter, please." }),
        json!({ "role": "assistant", "content": "It loads files." }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "work"], &lines).status, 0);
    for budget in [100, 300, 1_500_u32] {
        let asked = budget.to_string();
        for shape in ["plain", "anthropic", "openai"] {
            let context = json_of(&house, &["assemble", "work", "--budget", &asked, "--shape", shape, "--json"]);
            assert!(context["tokens"].as_u64() <= Some(budget.into()), "{budget}: {}", context["tokens"]);
            let texts = context["items"].to_string() + &context["messages"].to_string();
            assert!(texts.contains("It loads files."), "{budget} {shape}: {texts}");
        }
        let text = house.run(&["assemble", "work", "--budget", &asked], "").stdout;
        assert!(model::count_tokens(&text).0 <= budget && text.contains("It loads files."), "{budget}: {text}");
        if budget < 300 {
            continue;
        }
        let context = json_of(&house, &["assemble", "work", "--budget", &asked, "--json"]);
        // The long one gave way, not the short ones, and says how to read on.
        let instructions = context["items"][0]["text"].as_str().expect("a text");
        let handle = instructions.rsplit_once("[… expand ").expect("a handle").1;
        let handle = handle.strip_suffix(" for the rest]").expect("a handle");
        let shown = instructions.split_once("\n[…").expect("a mark").0;
        let rest = json_of(&house, &["expand", handle, "--budget", "8000", "--json"]);
        let rest = rest["items"][0]["text"].as_str().unwrap_or_default();
        assert_eq!(format!("{shown}{rest}"), "You work with care. ".repeat(600), "{handle}");
    }
}

#[test]
fn a_delegate_brings_a_grant() {
    let house = worked_in();
    let report = json_of(&house, &["compact", "work", "--json"]);
    let summary = report["runs"][0]["folded"][0]["summary_id"].as_str().expect("an id").to_owned();
    let grant = json_of(&house, &["grant", "--summary", &summary, "--tokens", "300", "--json"]);
    let id = grant["grant"].as_str().expect("an id");
    let page = json_of(&house, &["expand", &summary, "--messages", "--grant", id, "--json"]);
    assert!(page["tokens"].as_u64() <= Some(300));
    let shown = json_of(&house, &["grant", "--show", id, "--json"]);
    assert_eq!(shown["tokens_used"], page["tokens"]);
    json_of(&house, &["grant", "--revoke", id, "--json"]);
    let ended = house.run(&["expand", &summary, "--grant", id], "");
    assert_eq!((ended.status, ended.stderr.contains("it was taken back")), (4, true), "{}", ended.stderr);
}

#[test]
fn history_without_a_conversation_lists_them_newest_first_by_what_happened() {
    let house = House::new(&[]);
    for (name, at, words) in
        [("late", "2026-02-01T00:00:00Z", "how do carts work?"), ("early", "2025-01-01T00:00:00Z", "hello")]
    {
        let line = json!({ "role": "user", "content": words, "at": at }).to_string();
        assert_eq!(house.run(&["ingest", "--conversation", name], &format!("{line}\n")).status, 0);
    }
    let ended = house.run(&["history"], "");
    assert_eq!(
        ended.stdout,
        "a2573e4d  how do carts work?\n          late, 1 message, 2026-02-01 00:00 UTC\n\
         1989d722  hello\n          early, 1 message, 2025-01-01 00:00 UTC\n"
    );
    let one = json_of(&house, &["history", "--limit", "1", "--json"]);
    assert_eq!(one["conversations"].as_array().map(Vec::len), Some(1));
    assert!(one.get("messages").is_none(), "{one}");
}

/// Waits until something of the conversation was folded.
#[track_caller]
fn wait_for_summaries(house: &House) {
    for _ in 0..600 {
        let context = json_of(house, &["assemble", "work", "--budget", "50000", "--json"]);
        if context["items"].as_array().expect("items").iter().any(|item| item["type"] == "summary") {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("nothing was folded within a minute");
}

#[test]
fn a_server_that_an_agent_starts_folds_what_is_over_the_threshold() {
    let house = worked_in();
    let mut server = house
        .command(&["mcp", "--set", "memory.context_tokens=2000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    // A client that said who it is keeps the server alive.
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let mut input = server.stdin.take().expect("standard input");
    writeln!(input, "{hello}").expect("the server reads");
    wait_for_summaries(&house);
    drop(input);
    server.wait().expect("the server ends with its input");
}

#[test]
fn the_daemon_folds_what_is_over_the_threshold() {
    let mut house = worked_in();
    house.daemon_seconds = 60;
    house.write_home("config/config.toml", b"[memory]\ncontext_tokens = 2000\n");
    Host::new(&house, "another", Writes::Nothing).prompt("Where does the loader begin?");
    wait_for_summaries(&house);
    house.run(&["daemon", "stop"], "");
}

#[test]
fn an_operation_that_reads_conversations_takes_in_what_hooks_left_first() {
    for operation in ["repair", "history", "status"] {
        let house = House::new(&[]);
        Host::new(&house, "one", Writes::Nothing).prompt("The port of the proxy is 8443.");
        json_of(&house, &[operation, "--json"]);
        assert_eq!(json_of(&house, &["drain", "--json"])["events"], 0, "{operation}");
    }
}
