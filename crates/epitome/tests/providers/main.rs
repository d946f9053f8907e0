//! Models through the real binary, against vendors on this machine: what is asked, what is paid, what is said.

mod embedding;
#[path = "../cli/house.rs"]
mod house;
mod retrieval;
mod vendor;

use expect_test::{Expect, expect};
use house::House;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use vendor::{Asked, Vendor};

const KEY: &str = "sk-very-secret-1234";

/// Two functions worth describing.
const FILES: &[(&str, &str)] = &[(
    "src/sums.rs",
    "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    let sum = a + b;\n    sum\n}\n\n\
     pub fn double(a: u32) -> u32 {\n    let sum = add(a, a);\n    sum\n}\n",
)];

/// A house whose configuration asks the vendor as if it were Anthropic, with the key in a file.
fn house(vendor: &Vendor, more: &str) -> House {
    house_with(FILES, vendor, more)
}

/// The same with other files.
fn house_with(files: &[(&str, &str)], vendor: &Vendor, more: &str) -> House {
    let house = House::new(files);
    let key = house.home().join("config/key");
    let config = format!(
        "[providers]\nchain = ['anthropic']\nanthropic_model = 'claude-haiku-4-5'\nanthropic_url = '{}'\n\
         anthropic_key = 'file:{}'\n{more}",
        vendor.url,
        key.display()
    );
    house.write_home("config/config.toml", config.as_bytes());
    house.write_home("config/key", KEY.as_bytes());
    fs_err::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    house
}

/// As Anthropic answers.
fn anthropic(asked: &Asked) -> (u16, Value) {
    if asked.line.starts_with("GET") {
        return (200, json!({ "type": "model", "id": "claude-haiku-4-5" }));
    }
    let answer = json!({
        "type": "message", "role": "assistant", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": "Gives the sum of what it is given." }],
        "usage": { "input_tokens": 400, "output_tokens": 20, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 0 },
    });
    (200, answer)
}

fn json_of(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(arguments, "");
    serde_json::from_str(&ended.stdout.replace("\":N", "\":0"))
        .unwrap_or_else(|error| panic!("{error}: {}", ended.shown()))
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(house: &House, arguments: &[&str], expected: Expect) {
    let shown = house.run(arguments, "").shown();
    assert!(!shown.contains(KEY), "the key shows: {shown}");
    expected.assert_eq(&shown);
}

#[test]
fn a_question_about_conversations_is_answered_in_a_model_s_words() {
    let vendor = Vendor::start(|asked| {
        let (status, mut answer) = anthropic(asked);
        answer["content"][0]["text"] = json!("The proxy listens on port 8443 [1].");
        (status, answer)
    });
    let house = house(&vendor, "");
    let lines = "{\"role\":\"user\",\"content\":\"The proxy listens on port 8443 from now on.\"}\n";
    assert_eq!(house.run(&["ingest", "--conversation", "talk"], lines).status, 0);
    let asked = json_of(&house, &["recall", "which port does the proxy listen on", "--answer", "--json"]);
    let id = asked["results"][0]["message_id"].as_str().expect("an id");
    let answer = &asked["answer"];
    assert_eq!(answer["text"], format!("The proxy listens on port 8443 [{id}]."), "{asked}");
    assert_eq!((&answer["cited"], &answer["model"]), (&json!([id]), &json!("anthropic/claude-haiku-4-5")));
    let shown = house.run(&["recall", "which port does the proxy listen on", "--answer"], "").stdout;
    assert!(shown.contains(&format!("[{id}] talk#1\nwritten by anthropic/claude-haiku-4-5\n")), "{shown}");
    // Without the switch no model is asked.
    let before = vendor.asked().len();
    assert_eq!(json_of(&house, &["recall", "which port", "--json"])["answer"], Value::Null);
    assert_eq!(vendor.asked().len(), before);
}

#[test]
fn symbols_are_described_once_and_paid_once() {
    let vendor = Vendor::start(anthropic);
    let house = house(&vendor, "");
    let run = json_of(&house, &["index", "--summarize", "--json"]);
    assert_eq!(run["summaries"], json!({ "written": 2, "known": 0, "failed": 0, "left": 0, "degraded": [] }));
    let again = json_of(&house, &["index", "--summarize", "--json"]);
    assert_eq!(again["summaries"]["known"], 2);
    let asked = vendor.asked();
    assert_eq!(asked.len(), 2, "what is known is not asked again");
    for Asked { line, headers, body } in &asked {
        assert_eq!(line, "POST /v1/messages");
        assert!(headers.contains(&format!("x-api-key: {KEY}")), "{headers:?}");
        assert_eq!(body["model"], "claude-haiku-4-5");
    }
    check(
        &house,
        &["symbol", "add"],
        expect![[r#"
        src/sums.rs#add (function 2-5 @351692867)
            pub fn add(a: u32, b: u32) -> u32
            Adds.
            Gives the sum of what it is given.
    "#]],
    );
    let value = json_of(&house, &["value", "--by", "model", "--spend", "--entries", "5", "--json"]);
    // 400 at 1 dollar, 20 at 5 and 100 cached at a tenth, a million each, twice.
    assert_eq!(value["total"]["dollars"], 0.00102);
    assert_eq!(value["totals"][0]["key"], "anthropic/claude-haiku-4-5");
    assert_eq!(value["totals"][0]["cache_read"], 200);
    assert_eq!(value["model_calls"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["model_calls"][0]["basis"], "reported");
    assert_eq!(value["spend"]["spent"], json!({ "tokens": 1040, "dollars": 0.00102 }));
    assert_eq!(value["spend"]["reserved"], json!({ "tokens": 0, "dollars": 0.0 }));
    assert_eq!(value["spend"]["remaining"], json!({ "tokens": 2_998_960, "dollars": 4.99898 }));
    assert_eq!(value["spend"]["providers"][0]["spent"]["tokens"], 1040);
}

#[test]
fn spending_is_shown_stopped_and_resumed() {
    let vendor = Vendor::start(anthropic);
    let house = house(&vendor, "[spend]\nday_tokens = 5000\n");
    check(
        &house,
        &["value", "--stop"],
        expect![[r#"
        all model calls are stopped
    "#]],
    );
    let stopped = json_of(&house, &["index", "--summarize", "--json"]);
    assert_eq!((&stopped["summaries"]["left"], vendor.asked().len()), (&json!(2), 0));
    let shown = house.run(&["value", "--spend"], "").stdout;
    assert!(shown.starts_with("spending       stopped since "), "{shown}");
    check(
        &house,
        &["value", "--resume"],
        expect![[r#"
        model calls are allowed under their limits
    "#]],
    );
    let (first, rest) = {
        let shown = house.run(&["value", "--spend"], "").stdout;
        let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("day ")).collect();
        (lines[0].to_owned(), lines[1..].join("\n"))
    };
    assert!(first.starts_with("spending       allowed"), "{first}");
    expect![[r#"
        in background  never
        limit/call            60000 tokens  $0.500000
        limit/session       1000000 tokens  $2.000000
        limit/day              5000 tokens  $5.000000
        spent                     0 tokens  $0.000000
        reserved                  0 tokens  $0.000000
        remaining              5000 tokens  $5.000000
        calls at once  0 of 4
        provider       anthropic/claude-haiku-4-5: $1 in, $5 out a million tokens; spent 0 tokens, $0.000000"#]]
    .assert_eq(&rest);
}

#[test]
fn a_key_that_is_not_accepted_costs_nothing_and_shows_nowhere() {
    let vendor = Vendor::start(|_| (401, json!({ "error": { "type": "authentication_error", "message": KEY } })));
    let house = house(&vendor, "");
    check(
        &house,
        &["index", "--summarize", "--json"],
        expect![[r#"
            {"files":1,"symbols":2,"edges":1,"indexed":1,"unchanged":0,"removed":0,"skipped":[],"summaries":{"written":0,"known":0,"failed":0,"left":2,"degraded":[{"reason":"cannot use anthropic: it does not accept the key","fix":"check the key in HOME/config/key"}]},"elapsed_ms":N}
        "#]],
    );
    assert_eq!(json_of(&house, &["value", "--all", "--json"])["total"]["dollars"], 0.0);
}

/// Everything below a directory, in one heap.
fn bytes_below(directory: &std::path::Path) -> Vec<u8> {
    let entries = fs_err::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| if path.is_dir() { bytes_below(&path) } else { fs_err::read(path).expect("a file") })
        .collect()
}

#[test]
fn the_key_is_in_no_log_no_reply_and_no_database() {
    let vendor = Vendor::start(anthropic);
    let house = house(&vendor, "");
    let mut said = String::new();
    for arguments in
        [&["index", "--summarize"][..], &["doctor", "--online"], &["config", "list"], &["value", "--spend"]]
    {
        let ended = house.run(&[arguments, &["--set", "log.level=trace"]].concat(), "");
        said += &ended.shown();
    }
    assert!(said.contains("described 2 symbols") && said.contains("TRACE"), "{said}");
    assert!(!said.contains(KEY), "{said}");
    for place in ["data", "cache"] {
        let bytes = bytes_below(&house.home().join(place));
        assert!(bytes.len() > 1_000 && !bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "{place}");
    }
}

#[test]
fn a_provider_that_is_set_up_wrongly_keeps_nothing_from_working() {
    let vendor = Vendor::start(anthropic);
    let house = house(&vendor, "");
    fs_err::set_permissions(house.home().join("config/key"), std::fs::Permissions::from_mode(0o644))
        .expect("it is ours");
    assert_eq!(house.run(&["search", "add"], "").status, 0);
    check(
        &house,
        &["index", "--summarize", "--json"],
        expect![[r#"
        {"files":1,"symbols":2,"edges":1,"indexed":0,"unchanged":1,"removed":0,"skipped":[],"summaries":{"written":0,"known":0,"failed":0,"left":2,"degraded":[{"reason":"cannot use anthropic: cannot use the key file HOME/config/key: others can read it (mode 644)","fix":"chmod 600 HOME/config/key"}]},"elapsed_ms":N}
    "#]],
    );
    house.write_home(
        "config/config.toml",
        b"[providers]\nchain = ['openai-compatible', 'ollama']\ncompatible_model = 'm'\n",
    );
    check(
        &house,
        &["index", "--summarize", "--json"],
        expect![[r#"
        {"files":1,"symbols":2,"edges":1,"indexed":0,"unchanged":1,"removed":0,"skipped":[],"summaries":{"written":0,"known":0,"failed":0,"left":2,"degraded":[{"reason":"cannot use openai-compatible: no address is set","fix":"set providers.compatible_url"},{"reason":"cannot use ollama: no model is set","fix":"set providers.ollama_model"}]},"elapsed_ms":N}
    "#]],
    );
    assert_eq!(vendor.asked().len(), 0);
}

#[test]
fn a_key_in_the_configuration_is_refused_and_not_repeated() {
    let house = House::new(FILES);
    house.write_home("config/config.toml", format!("providers.anthropic_key = '{KEY}'\n").as_bytes());
    check(
        &house,
        &["status"],
        expect![[r#"
        ! error: cannot set providers.anthropic_key to *** (user file HOME/config/config.toml:1): expected empty text, env: and the name of a variable, or file: and a path; never a key
        (exit 2)
    "#]],
    );
    house.write_home("config/config.toml", b"");
    check(
        &house,
        &["status", "--set", &format!("providers.openai_key={KEY}")],
        expect![[r#"
        ! error: cannot set providers.openai_key to *** (flag): expected empty text, env: and the name of a variable, or file: and a path; never a key
        (exit 2)
    "#]],
    );
}

#[test]
fn a_project_cannot_name_a_provider_or_allow_spending() {
    let vendor = Vendor::start(anthropic);
    let house = House::new(FILES);
    let theirs = format!(
        "[providers]\nchain = ['ollama']\nollama_model = 'm'\nollama_url = '{}'\nanthropic_key = 'env:HOME'\n\
         [spend]\nday_dollars = 100.0\nbackground = true\n",
        vendor.url
    );
    house.write(".epitome.toml", theirs.as_bytes());
    check(
        &house,
        &["index", "--summarize"],
        expect![[r#"
        2 files, 10 symbols, 1 relation (2 parsed, 0 unchanged, 0 removed)
        described 0 symbols (0 known before, 0 failed, 2 left)
          degraded: no provider of models is configured (fix: name a provider in providers.chain, and its model)
        took N s
        ! warning: providers.chain (project file PROJECT/.epitome.toml:2) was ignored because a project file may only narrow: it cannot set providers.chain
        ! warning: providers.ollama_model (project file PROJECT/.epitome.toml:3) was ignored because a project file may only narrow: it cannot set providers.ollama_model
        ! warning: providers.ollama_url (project file PROJECT/.epitome.toml:4) was ignored because a project file may only narrow: it cannot set providers.ollama_url
        ! warning: providers.anthropic_key (project file PROJECT/.epitome.toml:5) was ignored because a project file may only narrow: it cannot set providers.anthropic_key
        ! warning: spend.day_dollars (project file PROJECT/.epitome.toml:7) was ignored because a project file may only narrow: it cannot set spend.day_dollars
        ! warning: spend.background (project file PROJECT/.epitome.toml:8) was ignored because a project file may only narrow: it cannot set spend.background
    "#]],
    );
    assert_eq!(vendor.asked().len(), 0);
}

#[test]
fn doctor_names_each_provider_and_asks_only_when_told_to() {
    let vendor = Vendor::start(anthropic);
    let house = house(&vendor, "");
    let lines = |arguments: &[&str]| {
        let shown = house.run(arguments, "").stdout;
        assert!(!shown.contains(KEY), "the key shows: {shown}");
        shown.lines().filter(|line| line.contains("provider ")).map(|line| format!("{line}\n")).collect::<String>()
    };
    expect![[r#"
        ok       provider          anthropic/claude-haiku-4-5 not asked (epitome doctor --online asks); may spend $5.00 or 3000000 tokens more today; has spent $0.00 and 0 tokens
    "#]].assert_eq(&lines(&["doctor"]));
    assert_eq!(vendor.asked().len(), 0);
    expect![[r#"
        ok       provider          anthropic/claude-haiku-4-5 answers; may spend $5.00 or 3000000 tokens more today; has spent $0.00 and 0 tokens
    "#]].assert_eq(&lines(&["doctor", "--online"]));
    assert_eq!(
        vendor.asked().iter().map(|asked| asked.line.as_str()).collect::<Vec<_>>(),
        ["GET /v1/models/claude-haiku-4-5"]
    );

    let config = "[providers]\nchain = ['ollama', 'openai']\nollama_model = 'm'\nollama_url = 'http://127.0.0.1:9'\nopenai_model = 'gpt-99'\n";
    house.write_home("config/config.toml", config.as_bytes());
    let shown = house.run(&["doctor", "--online", "--set", "providers.chain=ollama"], "");
    assert_eq!(shown.status, 6);
    let shown: String = shown
        .stdout
        .lines()
        .skip_while(|line| !line.contains("provider "))
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    expect![[r#"
        PROBLEM  provider          ollama/m: cannot use ollama: it cannot be reached: no connection
                                   fix: is it running? try: ollama serve
    "#]]
    .assert_eq(&shown);
    let shown = house.run(&["doctor", "--set", "providers.chain=openai"], "").stdout;
    let shown: String =
        shown.lines().skip_while(|line| !line.contains("provider ")).take(2).map(|line| format!("{line}\n")).collect();
    expect![[r#"
        PROBLEM  provider          openai/gpt-99 is never asked: its price is not known, and spending is limited in money
                                   fix: set spend.prices = ["openai/gpt-99=INPUT/OUTPUT"], in dollars per million tokens
    "#]].assert_eq(&shown);
}

#[test]
fn doctor_names_who_embeds() {
    let vendor = Vendor::start(|_| (200, json!({ "models": [{ "name": "nomic-embed-text:latest" }] })));
    let house = House::new(FILES);
    let told = |settings: &str| {
        house.write_home("config/config.toml", format!("[providers]\nembedder = 'ollama'\n{settings}").as_bytes());
        let shown = house.run(&["doctor", "--online"], "").stdout;
        shown.lines().skip_while(|line| !line.contains("provider ")).take(2).map(|line| format!("{line}\n")).collect()
    };
    let url = &vendor.url;
    let told: [String; 4] = [
        "",
        "embedding_model = 'nomic-embed-text'\n",
        &format!("ollama_url = '{url}'\nembedding_model = 'nomic-embed-text'\nembedding_dimensions = 768\n"),
        &format!("ollama_url = '{url}'\nembedding_model = 'other'\nembedding_dimensions = 768\n"),
    ]
    .map(told);
    expect![[r#"
        PROBLEM  provider          cannot use ollama: no model that embeds is set
                                   fix: set providers.embedding_model
        PROBLEM  provider          cannot use ollama: the dimensions of its model are not set
                                   fix: set providers.embedding_dimensions to how many numbers a vector of the model has
        ok       provider          ollama/nomic-embed-text answers; may spend $5.00 or 3000000 tokens more today; has spent $0.00 and 0 tokens
        ok       permissions       HOME/data is private
        PROBLEM  provider          ollama/other: cannot use ollama: it has no model `other`
                                   fix: ollama pull other
    "#]].assert_eq(&told.concat());
}

#[test]
fn reading_in_a_view_is_in_the_ledger() {
    let house = House::new(FILES);
    let agent = [("EPITOME_LEDGER_SESSION", "s1")];
    house.run_with(&agent, &["read", "src/sums.rs", "--mode", "map"], "");
    // What a person reads in a terminal saved no agent anything.
    house.run(&["read", "src/sums.rs", "--mode", "map"], "");
    let value = json_of(&house, &["value", "--by", "formula", "--json"]);
    assert_eq!((&value["totals"][0]["key"], &value["totals"][0]["calls"]), (&json!("view"), &json!(1)), "{value}");
    assert!(value["total"]["tokens_shown"].as_i64().is_some_and(|shown| shown > 0), "{value}");
    assert_eq!(value["own_calls"], 1, "{value}");
    check(
        &House::new(FILES),
        &["value"],
        expect![[r#"
        the ledger is empty
    "#]],
    );
}
