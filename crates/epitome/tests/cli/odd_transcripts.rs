//! Transcripts as they should not be: without an end, results without their calls, two agents' files in one folder,
//! clocks that jump by a century. Every line is kept, every message is found once, and no fact is told that nobody
//! stated.

use super::defects::json_of;
use super::host::project;
use super::house::House;
use serde_json::{Value, json};

/// Lines of a session of Claude Code about the project, each after the one before.
struct Session<'h> {
    house: &'h House,
    name: &'static str,
    lines: Vec<String>,
}

impl<'h> Session<'h> {
    fn new(house: &'h House, name: &'static str) -> Self {
        Self { house, name, lines: Vec::new() }
    }

    fn add(&mut self, role: &str, content: &Value) -> &mut Self {
        let minute = self.lines.len();
        self.add_at(role, content, &format!("2026-08-01T10:{minute:02}:00.000Z"))
    }

    fn add_at(&mut self, role: &str, content: &Value, at: &str) -> &mut Self {
        let number = self.lines.len();
        let line = json!({
            "type": role, "uuid": format!("{}-{number}", self.name), "sessionId": self.name, "timestamp": at,
            "parentUuid": number.checked_sub(1).map(|above| format!("{}-{above}", self.name)),
            "cwd": project(self.house), "version": "2.1.325",
            "message": { "role": role, "id": format!("m{number}"), "content": content },
        });
        self.lines.push(format!("{line}\n"));
        self
    }

    fn call(&mut self, id: &str, command: &str) -> &mut Self {
        let input = json!({ "command": command });
        self.add("assistant", &json!([{ "type": "tool_use", "id": id, "name": "Bash", "input": input }]))
    }

    fn result(&mut self, id: &str, text: &str, is_error: bool) -> &mut Self {
        let result = json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error });
        self.add("user", &json!([result]))
    }

    /// Imports the text from a file of the agent; the archive has every byte of it.
    fn import_text(&self, text: &str) -> Value {
        self.house.write_home(&format!(".claude/projects/-p/{}.jsonl", self.name), text.as_bytes());
        let imported = json_of(self.house, &["import"]);
        let proof = json_of(self.house, &["verify"]);
        assert_eq!((&proof["ok"], &proof["gaps"]), (&json!(true), &json!(0)), "{proof}");
        assert_eq!(
            self.house.run(&["export", &self.full_name()], "").stdout,
            text.replace(&here(self.house), "PROJECT")
        );
        imported
    }

    fn import(&self) -> Value {
        self.import_text(&self.lines.concat())
    }

    fn full_name(&self) -> String {
        format!("claude-code:{}", self.name)
    }

    fn history(&self) -> Vec<Value> {
        let history = json_of(self.house, &["history", "--conversation", &self.full_name()]);
        history["messages"].as_array().expect("messages").clone()
    }

    /// What is told of the conversation: facts with their kinds.
    fn facts(&self) -> String {
        json_of(self.house, &["describe", &self.full_name()])["facts"].to_string()
    }
}

fn here(house: &House) -> String {
    project(house).display().to_string()
}

#[test]
fn a_transcript_without_an_end_is_kept_to_its_last_byte_and_what_was_begun_is_no_failure() {
    let house = House::new(&[]);
    let mut session = Session::new(&house, "torn");
    session.add("user", &json!("Always run the quokka checks before you commit."));
    session.call("toolu_1", "cargo test -p quokka");
    let killed = session.lines.concat();
    // The host died while the command ran.
    session.import_text(&killed);
    assert_eq!(session.history().len(), 2);
    let told = session.facts();
    assert!(told.contains("quokka checks") && !told.contains("failure"), "{told}");
    // It died once more, in the middle of a line.
    session.add("user", &json!("The wombat server is next, and numbats come last."));
    let cut = session.lines.concat();
    let cut = &cut[..cut.find("numbats").expect("the words")];
    let imported = session.import_text(cut);
    let unfinished = imported["conversations"][0]["unfinished"].as_u64().expect("a number");
    assert!(unfinished > 0 && imported["conversations"][0]["quarantined"] == 0, "{imported}");
    assert_eq!(session.history().len(), 2, "half a line says nothing yet");
    // It goes on: what was cut is whole, and the command without a result stays one without.
    session.add("assistant", &json!([{ "type": "text", "text": "The wombat server runs." }]));
    session.import();
    let said: Vec<String> = session.history().iter().map(|message| message["content"].to_string()).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said[2].contains("numbats come last"), "{said:?}");
    assert!(!session.facts().contains("failure"), "{}", session.facts());
}

#[test]
fn a_result_without_its_call_is_kept_and_found_and_no_command_is_invented() {
    let house = House::new(&[]);
    let mut session = Session::new(&house, "orphans");
    session.add("user", &json!("Look at the quokka logs."));
    session.result("toolu_gone", "error: the quokka port 4711 is taken", true);
    session.result("toolu_lost", "12 numbats found", false);
    session.add("assistant", &json!([{ "type": "text", "text": "I have seen the logs." }]));
    let imported = session.import();
    assert_eq!(imported["conversations"][0]["messages"], 4, "{imported}");
    for word in ["4711", "numbats"] {
        let found = json_of(&house, &["grep", word]);
        assert_eq!(found["total"], 1, "{found}");
    }
    let told = session.facts();
    assert!(!told.contains("4711") && !told.contains("numbats"), "{told}");
    // The same result again behind its call, which came late: it belongs to that call.
    session.call("toolu_late", "cargo run quokka");
    session.result("toolu_late", "error[E0425]: cannot find value `wombat`", true);
    session.import();
    assert_eq!(json_of(&house, &["grep", "E0425"])["total"], 1);
    let codex = [
        json!({"timestamp":"2026-08-01T10:00:00Z","type":"session_meta","payload":{"id":"0199-orphan","timestamp":"2026-08-01T10:00:00Z","cwd":here(&house),"cli_version":"0.50.0","originator":"codex_cli_rs"}}),
        json!({"timestamp":"2026-08-01T10:00:01Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_gone","output":"the aardvark is awake"}}),
        json!({"timestamp":"2026-08-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}),
    ];
    let codex: String = codex.iter().map(|line| format!("{line}\n")).collect();
    let path = ".codex/sessions/2026/08/01/rollout-2026-08-01T10-00-00-0199-orphan.jsonl";
    house.write_home(path, codex.as_bytes());
    json_of(&house, &["import"]);
    assert_eq!(json_of(&house, &["grep", "aardvark"])["total"], 1);
    assert_eq!(json_of(&house, &["verify"])["ok"], true);
}

#[test]
fn files_of_two_agents_in_one_folder_are_read_each_as_its_own() {
    let house = House::new(&[]);
    let mut session = Session::new(&house, "claude");
    session.add("user", &json!("the quokka is mine"));
    let codex = [
        json!({"timestamp":"2026-08-01T10:00:00Z","type":"session_meta","payload":{"id":"0199-codex","timestamp":"2026-08-01T10:00:00Z","cwd":here(&house),"cli_version":"0.50.0","originator":"codex_cli_rs"}}),
        json!({"timestamp":"2026-08-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"the numbat is mine"}]}}),
    ];
    let codex: String = codex.iter().map(|line| format!("{line}\n")).collect();
    house.write_home("both/claude.jsonl", session.lines.concat().as_bytes());
    house.write_home("both/rollout-codex.jsonl", codex.as_bytes());
    house.write_home("both/notes.txt", b"no transcript");
    let folder = house.home().join("both").display().to_string();
    let imported = json_of(&house, &["import", &folder]);
    let mut agents: Vec<(&str, u64)> = imported["conversations"]
        .as_array()
        .expect("conversations")
        .iter()
        .map(|one| (one["agent"].as_str().expect("an agent"), one["messages"].as_u64().expect("a number")))
        .collect();
    agents.sort_unstable();
    assert_eq!(agents, [("claude-code", 1), ("codex", 1)], "{imported}");
    for animal in ["quokka", "numbat"] {
        assert_eq!(json_of(&house, &["grep", animal])["total"], 1, "{animal}");
    }
}

#[test]
fn a_clock_that_jumps_by_a_century_moves_nothing_and_loses_nothing() {
    let house = House::new(&[]);
    let mut sane = Session::new(&house, "sane");
    sane.add_at("user", &json!("the wombat has the newest word"), "2026-08-02T10:00:00Z");
    sane.import();
    let mut session = Session::new(&house, "jumps");
    for (text, at) in [
        ("first quokka", "2026-08-01T10:00:00Z"),
        ("second quokka", "1926-08-01T10:00:00Z"),
        ("third quokka", "2126-08-01T10:00:00Z"),
        ("fourth quokka", "2026-08-01T10:03:00Z"),
        ("fifth quokka", "no time at all"),
    ] {
        session.add_at("user", &json!(text), at);
    }
    session.import();
    let history = session.history();
    let said: Vec<&str> = history.iter().filter_map(|message| message["content"].as_str()).collect();
    assert_eq!(said, ["first quokka", "second quokka", "third quokka", "fourth quokka", "fifth quokka"]);
    let times: Vec<&str> = history.iter().filter_map(|message| message["at"].as_str()).collect();
    assert!(times[1].starts_with("1926") && times[2].starts_with("2126"), "the words of the source stay: {times:?}");
    // The conversation that was really spoken in last is the latest, and no time of a century ahead pushes before it.
    let listed = json_of(&house, &["history"]);
    let names: Vec<&Value> = listed["conversations"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names.len(), 2, "{listed}");
    for line in listed["conversations"].as_array().expect("a list") {
        for field in ["first_at", "at"] {
            assert!(line[field].as_str().is_some_and(|at| at.starts_with("202")), "{field}: {line}");
        }
    }
    assert_eq!(json_of(&house, &["grep", "quokka"])["total"], 5);
    assert_eq!(json_of(&house, &["recall", "third quokka"])["results"][0]["text"], "third quokka");
    assert_eq!(house.run(&["compact", "--all"], "").status, 0);
    assert_eq!(json_of(&house, &["verify"])["ok"], true);
}
