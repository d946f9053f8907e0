//! What hosts do when something goes wrong with them: they die while they write, cut their transcripts short, hand over
//! more than anybody expects, or two of them work on one project. Nothing is lost, nothing is told twice.

use super::day::{drain_all, times};
use super::defects::json_of;
use super::host::project;
use super::house::House;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;

const SESSION: &str = "torn";

/// A transcript of Claude Code that is written byte by byte, with hooks around it.
struct Torn<'h> {
    house: &'h House,
    path: PathBuf,
}

impl<'h> Torn<'h> {
    fn new(house: &'h House) -> Self {
        let path = house.home().join(format!(".claude/projects/-project/{SESSION}.jsonl"));
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        Self { house, path }
    }

    fn append(&self, text: &str) {
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(&self.path).expect("the transcript");
        file.write_all(text.as_bytes()).expect("some bytes");
    }

    fn hook(&self, event: &str, more: &Value) {
        let mut body = json!({
            "session_id": SESSION, "hook_event_name": event, "cwd": project(self.house), "transcript_path": self.path,
        });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let ended = self.house.run(&["hook", event], &body.to_string());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{event}");
    }

    fn prompt(&self, text: &str) {
        self.hook("UserPromptSubmit", &json!({ "prompt": text }));
    }

    /// Every one of them was said once, and the certificate holds.
    #[track_caller]
    fn holds(&self, said: &[&str]) {
        for word in said {
            assert_eq!(times(self.house, word), 1, "{word}");
        }
        let certificate = json_of(self.house, &["verify"]);
        assert_eq!((&certificate["ok"], &certificate["gaps"]), (&json!(true), &json!(0)), "{certificate}");
        let written = fs_err::read(&self.path).expect("the transcript");
        let exported = self.house.run(&["export", &format!("claude-code:{SESSION}")], "").stdout;
        assert!(exported.as_bytes() == written, "the archive has every byte of the file");
    }
}

fn line(number: u32, role: &str, text: &str) -> String {
    let message = match role {
        "assistant" => {
            json!({ "id": format!("m{number}"), "role": role, "model": "m", "content": [{ "type": "text", "text": text }] })
        }
        _ => json!({ "role": role, "content": text }),
    };
    let line = json!({
        "type": role, "uuid": format!("u{number}"), "parentUuid": number.checked_sub(1).map(|above| format!("u{above}")),
        "sessionId": SESSION, "timestamp": format!("2026-08-01T10:{:02}:00.000Z", number % 60), "cwd": "/p",
        "version": "2.1.325", "message": message,
    });
    format!("{line}\n")
}

/// The line up to the middle of its words.
fn half(line: &str, words: &str) -> usize {
    line.find(words).expect("the words") + words.len() / 2
}

#[test]
fn a_line_that_is_completed_later_is_read_once_and_never_by_half() {
    let house = House::new(&[]);
    let host = Torn::new(&house);
    host.prompt("the okapi counts leaves");
    host.append(&line(0, "user", "the okapi counts leaves"));
    let answer = line(1, "assistant", "the numbat disagrees entirely");
    let at = half(&answer, "the numbat disagrees entirely");
    host.append(&answer[..at]);
    host.hook("Stop", &json!({ "last_assistant_message": "the numbat disagrees entirely" }));
    json_of(&house, &["drain"]);
    assert_eq!(times(&house, "numbat"), 0, "half a message is none");
    host.append(&answer[at..]);
    host.append(&line(2, "user", "the quokka closes the matter"));
    host.hook("SessionEnd", &json!({ "reason": "other" }));
    drain_all(&house);
    host.holds(&["okapi", "numbat", "quokka"]);
}

#[test]
fn a_host_that_goes_on_behind_half_a_line_loses_neither_what_it_had_nor_what_comes() {
    for glue in ["", "\n", "garbage\u{0}\n"] {
        let house = House::new(&[]);
        let host = Torn::new(&house);
        host.append(&line(0, "user", "the okapi counts leaves"));
        // The host dies while it writes this prompt: a hook had it before.
        host.prompt("the numbat disagrees entirely");
        let torn = line(1, "user", "the numbat disagrees entirely");
        let end = torn.find("entirely").expect("the words") + "entirely".len();
        host.append(&torn[..end]);
        json_of(&house, &["drain"]);
        host.append(glue);
        host.append(&line(2, "user", "the quokka closes the matter"));
        host.append(&line(3, "assistant", "the wombat agrees"));
        host.hook("Stop", &json!({ "last_assistant_message": "the wombat agrees" }));
        host.hook("SessionEnd", &json!({ "reason": "other" }));
        drain_all(&house);
        host.holds(&["okapi", "numbat", "quokka", "wombat"]);
        let torn = &json_of(&house, &["verify"])["sources"][0];
        assert_eq!(torn["quarantined"], 1, "the torn line is named: {torn}");
    }
}

#[test]
fn a_transcript_that_shrinks_takes_nothing_with_it() {
    let house = House::new(&[]);
    let host = Torn::new(&house);
    let lines: Vec<String> = ["okapi", "numbat", "quokka", "wombat"]
        .iter()
        .zip(0..)
        .map(|(animal, number)| line(number, "user", &format!("the {animal} speaks")))
        .collect();
    host.append(&lines.concat());
    json_of(&house, &["import"]);
    host.holds(&["okapi", "numbat", "quokka", "wombat"]);

    // Cut short in the middle of a line.
    let cut = lines[0].len() + lines[1].len() / 2;
    fs_err::write(&host.path, &lines.concat()[..cut]).expect("the transcript");
    let told = house.run(&["import"], "").stdout;
    assert!(told.contains("(truncated)") && told.contains("no longer has all that was read of it before"), "{told}");
    host.holds(&["okapi", "numbat", "quokka", "wombat"]);
    let verified = house.run(&["verify"], "").stdout;
    assert!(verified.contains("written anew once, and what it had before is kept"), "{verified}");

    // It goes on from there with another history.
    host.append(&lines[1][lines[1].len() / 2..]);
    host.append(&line(7, "user", "the potoroo came instead"));
    host.hook("Stop", &json!({}));
    drain_all(&house);
    host.holds(&["okapi", "numbat", "quokka", "wombat", "potoroo"]);

    // Written anew, shorter, with other words under an id that was used.
    let anew = [lines[0].clone(), line(1, "user", "the bettong was first")].concat();
    fs_err::write(&host.path, &anew).expect("the transcript");
    let told = house.run(&["import"], "").stdout;
    assert!(told.contains("(rewritten)") || told.contains("(truncated)"), "{told}");
    host.holds(&["okapi", "numbat", "quokka", "wombat", "potoroo", "bettong"]);
    assert_eq!(json_of(&house, &["import"])["conversations"][0]["standing"], "same");
}

/// Fifty megabytes in one text, with a word in the middle: what is shown of it in brief are its ends.
fn long_text(word: &str) -> String {
    const ROW: &str = "one row of the long text has nothing to say\n";
    let half = ROW.repeat((25 << 20) / ROW.len());
    format!("{half}{word}\n{half}")
}

#[test]
fn a_record_of_fifty_megabytes_in_a_transcript_is_kept_and_found() {
    let house = House::new(&[]);
    let host = Torn::new(&house);
    host.append(&line(0, "user", "the okapi counts leaves"));
    host.append(&line(1, "user", &long_text("numbat")));
    host.append(&line(2, "user", "the quokka closes the matter"));
    // A bound that a few copies of the record keep, and a copy for every message would not.
    let mut import = std::process::Command::new("sh");
    let of = house.command(&["import"]);
    import.args(["-c", "ulimit -v 4000000; exec \"$@\"", "sh"]).arg(of.get_program()).args(of.get_args());
    import.current_dir(of.get_current_dir().expect("a directory")).env_clear();
    import.envs(of.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let import = import.output().expect("it runs");
    assert!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
    host.holds(&["okapi", "numbat", "quokka"]);
}

#[test]
fn an_event_of_fifty_megabytes_holds_nobody_up_and_is_kept() {
    let house = House::new(&[]);
    let host = Torn::new(&house);
    let output = long_text("numbat");
    host.hook(
        "PostToolUse",
        &json!({
            "tool_name": "Bash", "tool_use_id": "toolu_long", "tool_input": { "command": "cat" },
            "tool_response": { "stdout": output, "stderr": "" },
        }),
    );
    let failures = house.home().join("state/hooks.jsonl");
    assert!(!failures.exists(), "{}", fs_err::read_to_string(&failures).unwrap_or_default());
    // Whoever keeps it is left behind.
    let begun = std::time::Instant::now();
    while json_of(&house, &["drain"])["stored"] != 1 {
        assert!(begun.elapsed() < std::time::Duration::from_mins(4), "it never came");
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    assert_eq!(times(&house, "numbat"), 1);
    assert_eq!(json_of(&house, &["verify"])["ok"], true);
    assert!(!failures.exists(), "{}", fs_err::read_to_string(&failures).unwrap_or_default());
}

const TURNS: u32 = 60;

/// Claude Code and Codex, each with a transcript of its own and hooks in a process each, at the same time.
#[test]
fn two_hosts_on_one_project_lose_nothing_and_double_nothing() {
    let house = House::new(&[("src/lib.rs", "pub fn parse() {}\n")]);
    let place = project(&house);
    let codex_line = |kind: &str, payload: Value| {
        json!({ "timestamp": "2026-08-01T10:00:00.000Z", "type": kind, "payload": payload }).to_string() + "\n"
    };
    let play = |agent: &str| {
        let (session, path) = match agent {
            "codex" => {
                let id = "01a1ea64-d2c2-7581-ba82-f322011dfe08";
                (id, house.home().join(format!(".codex/sessions/2026/08/01/rollout-2026-08-01T10-00-00-{id}.jsonl")))
            }
            _ => (SESSION, house.home().join(format!(".claude/projects/-project/{SESSION}.jsonl"))),
        };
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let mut file = fs_err::OpenOptions::new().create(true).append(true).open(&path).expect("the transcript");
        let mut write = |text: String| file.write_all(text.as_bytes()).expect("a line");
        let hook = |event: &str, more: Value| {
            let mut body = json!({ "session_id": session, "cwd": place, "transcript_path": path });
            body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            let ended = house.run(&["hook", event, "--agent", agent], &body.to_string());
            assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{agent} {event}");
        };
        if agent == "codex" {
            write(codex_line("session_meta", json!({ "id": session, "cwd": place })));
        }
        for turn in 0..TURNS {
            let asked = format!("{agent} asks number {turn}x");
            let answered = format!("{agent} answers number {turn}y");
            hook("UserPromptSubmit", json!({ "prompt": asked }));
            // Every third turn is one that the host does not get to write down.
            let is_written = turn % 3 != 2;
            if is_written && agent == "codex" {
                let said = |role: &str, kind: &str, text: &str, id: String| {
                    let content = json!([{ "type": kind, "text": text }]);
                    codex_line(
                        "response_item",
                        json!({ "type": "message", "id": id, "role": role, "content": content }),
                    )
                };
                write(said("user", "input_text", &asked, format!("q{turn}")));
                write(said("assistant", "output_text", &answered, format!("a{turn}")));
            } else if is_written {
                write(line(turn * 2, "user", &asked));
                write(line(turn * 2 + 1, "assistant", &answered));
            }
            hook("Stop", json!({ "last_assistant_message": answered }));
        }
        hook("SessionEnd", json!({ "reason": "other" }));
    };
    std::thread::scope(|scope| {
        let hosts = ["claude-code", "codex"].map(|agent| scope.spawn(move || play(agent)));
        while !hosts.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            assert_eq!(house.run(&["drain"], "").status, 0);
        }
        for host in hosts {
            host.join().expect("a host");
        }
    });
    drain_all(&house);
    for (agent, session) in [("claude-code", SESSION), ("codex", "01a1ea64-d2c2-7581-ba82-f322011dfe08")] {
        let name = format!("{agent}:{session}");
        let history = json_of(&house, &["history", "--conversation", &name, "--limit", "1000"]);
        let messages = history["messages"].as_array().expect("messages").iter();
        let mut said: Vec<&str> = messages.filter_map(|said| said["content"].as_str()).collect();
        said.sort_unstable();
        let both = |turn| [format!("{agent} asks number {turn}x"), format!("{agent} answers number {turn}y")];
        let mut expected: Vec<String> = (0..TURNS).flat_map(both).collect();
        expected.sort_unstable();
        assert_eq!(said, expected, "{agent}");
    }
    assert_eq!(json_of(&house, &["verify"])["ok"], true);
    let failures = fs_err::read_to_string(house.home().join("state/hooks.jsonl")).unwrap_or_default();
    // On a busy machine an answer may come late; what the hook brought is kept all the same, as was just seen.
    let failures: Vec<&str> = failures.lines().filter(|line| !line.contains(r#""failure":"late""#)).collect();
    assert_eq!(failures, [""; 0], "no hook failed");
}

/// What a host writes when its last hook has ended is taken in by whoever looks next, without another event.
#[test]
fn lines_behind_the_last_hook_of_a_session_are_taken_in() {
    let house = House::new(&[]);
    let host = Torn::new(&house);
    host.append(&line(0, "user", "the okapi counts leaves"));
    host.hook("SessionEnd", &json!({ "reason": "other" }));
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    host.append(&line(1, "assistant", "the numbat says farewell"));
    let begun = std::time::Instant::now();
    while times(&house, "numbat") == 0 {
        assert!(begun.elapsed() < std::time::Duration::from_mins(1), "nobody looked again");
        std::thread::sleep(std::time::Duration::from_millis(200));
        json_of(&house, &["drain"]);
    }
    host.holds(&["okapi", "numbat"]);
    // Once is enough: nothing of it waits any more.
    assert!(!house.home().join("data/spool/waiting.spool").exists());
}

/// A session that goes on in a file of its own begins with a copy of what was said: both files are kept, and what was
/// said is told once.
#[test]
fn a_conversation_that_was_copied_into_another_file_is_told_once() {
    let house = House::new(&[]);
    let folder = ".claude/projects/-project";
    let cwd = project(&house).display().to_string();
    let of = |session: &str, lines: &[String]| {
        lines
            .concat()
            .replace(&format!("\"sessionId\":\"{SESSION}\""), &format!("\"sessionId\":\"{session}\""))
            .replace("\"cwd\":\"/p\"", &format!("\"cwd\":\"{cwd}\""))
    };
    let said = [
        line(0, "user", "Never rename the pangolin table without asking me."),
        line(1, "assistant", "The pangolin table stays as it is, I shall ask first."),
    ];
    house.write_home(&format!("{folder}/first.jsonl"), of("first", &said).as_bytes());
    let more = [&said[..], &[line(2, "user", "Now describe the columns of the numbat view.")]].concat();
    house.write_home(&format!("{folder}/fork.jsonl"), of("fork", &more).as_bytes());
    json_of(&house, &["import"]);
    assert_eq!(json_of(&house, &["verify"])["lines"], 5, "every line of both files is kept");
    let recalled = json_of(&house, &["recall", "what was said about the pangolin table"]).to_string();
    for words in ["Never rename the pangolin table", "table stays as it is"] {
        assert_eq!(recalled.matches(words).count(), 1, "{words}: {recalled}");
    }
    // Nothing is hidden where messages are listed: the copy says what it repeats.
    let found = json_of(&house, &["grep", "pangolin table"]);
    let repeated: Vec<&Value> =
        found["matches"].as_array().expect("matches").iter().map(|it| &it["repeated"]).collect();
    assert_eq!((repeated.len(), repeated.iter().filter(|it| it.is_string()).count()), (4, 2), "{found}");
    let first = json_of(&house, &["history", "--conversation", "claude-code:first"]);
    let fork = json_of(&house, &["history", "--conversation", "claude-code:fork"]);
    for (place, wanted) in [(0, &first["messages"][0]["message_id"]), (1, &first["messages"][1]["message_id"])] {
        assert_eq!(&fork["messages"][place]["repeated"], wanted, "{fork}");
        assert_eq!(first["messages"][place]["repeated"], Value::Null, "{first}");
    }
    assert_eq!(fork["messages"][2]["repeated"], Value::Null, "{fork}");
    let body = json!({ "session_id": "next", "cwd": cwd, "source": "startup", "hook_event_name": "SessionStart" });
    let told = house.run(&["hook", "SessionStart"], &body.to_string()).stdout;
    assert_eq!(told.matches("Never rename the pangolin table").count(), 1, "{told}");
}
