//! Conversations that their agent keeps in a database: what hooks tell and what is imported is one, whichever comes first.

use super::day::{drain_all, json_of, times};
use super::health::set_age;
use super::host::project;
use super::house::House;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::time::Duration;

const CURSOR_FILE: &str = ".cursor/projects/app/agent-transcripts/c-1/c-1.jsonl";

fn database(house: &House, path: &str, rows: &str) -> Connection {
    let path = house.home().join(path);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let database = Connection::open(path).expect("a database");
    database.execute_batch(rows).expect("rows");
    database
}

/// A database of OpenCode without a conversation.
fn opencode(house: &House) -> Connection {
    database(
        house,
        ".local/share/opencode/opencode.db",
        "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
         CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
         CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);",
    )
}

/// What OpenCode writes of a turn: the prompt in two parts, and a call with its result.
const TURN_ROWS_SQL: &str = r#"
    INSERT INTO session VALUES ('ses_1', NULL, '/nowhere', 'Birds', 1);
    INSERT INTO message VALUES ('msg_1', 'ses_1', 10, '{"role":"user"}'), ('msg_2', 'ses_1', 20, '{"role":"assistant"}');
    INSERT INTO part VALUES
        ('prt_1', 'msg_1', 'ses_1', 11, '{"type":"text","text":"Where does the heron nest?"}'),
        ('prt_2', 'msg_1', 'ses_1', 12, '{"type":"text","text":"Look well."}'),
        ('prt_3', 'msg_2', 'ses_1', 21, '{"type":"tool","callID":"call_1","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"an okapi"}}');
"#;

fn hook(house: &House, agent: &str, event: &str, body: &Value) {
    let ended = house.run(&["hook", event, "--agent", agent], &body.to_string());
    assert_eq!((ended.status, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""), "{agent} {event}");
}

/// What its plugin tells of the same turn, up to its end.
fn opencode_tells(house: &House) {
    let said = |more: Value| {
        let mut body = json!({ "session_id": "ses_1", "cwd": project(house) });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body
    };
    let prompt = json!({ "prompt": "Where does the heron nest?\nLook well.", "prompt_id": "msg_1" });
    hook(house, "opencode", "UserPromptSubmit", &said(prompt));
    let result = json!({
        "tool_name": "bash", "tool_use_id": "call_1", "tool_input": { "command": "ls" }, "tool_response": "an okapi",
    });
    hook(house, "opencode", "PostToolUse", &said(result));
}

fn stop(house: &House) {
    hook(house, "opencode", "Stop", &json!({ "session_id": "ses_1", "cwd": project(house) }));
}

fn assert_once(house: &House, words: &[&str]) {
    for word in words {
        assert_eq!(times(house, word), 1, "{word}");
    }
}

#[test]
fn events_that_come_before_the_rows_wait_for_them() {
    let house = House::new(&[]);
    let database = opencode(&house);
    opencode_tells(&house);
    assert_eq!(json_of(&house, &["drain"]), json!({ "events": 0, "stored": 0, "waiting": 2, "quarantined": 0 }));
    database.execute_batch(TURN_ROWS_SQL).expect("rows");
    assert_eq!(json_of(&house, &["drain"])["waiting"], 2, "the turn has not ended");
    stop(&house);
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    assert_once(&house, &["heron", "okapi"]);
    house.run(&["import"], "");
    assert_once(&house, &["heron", "okapi"]);
    assert_eq!(json_of(&house, &["history", "--within", "all"])["conversations"].as_array().map(Vec::len), Some(1));
}

#[test]
fn events_of_what_was_imported_add_nothing() {
    let house = House::new(&[]);
    opencode(&house).execute_batch(TURN_ROWS_SQL).expect("rows");
    house.run(&["import"], "");
    assert_once(&house, &["heron", "okapi"]);
    opencode_tells(&house);
    stop(&house);
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    assert_once(&house, &["heron", "okapi"]);
}

#[test]
fn an_event_that_the_database_never_has_is_stored_when_the_session_is_over() {
    let house = House::new(&[]);
    let _database = opencode(&house);
    opencode_tells(&house);
    hook(&house, "opencode", "SessionEnd", &json!({ "session_id": "ses_1", "cwd": project(&house) }));
    drain_all(&house);
    assert_once(&house, &["heron", "okapi"]);
}

#[test]
fn what_cursor_has_in_its_database_and_in_a_file_is_read_once() {
    for order in ["events", "import"] {
        let house = House::new(&[]);
        let rows = r#"
            CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
            INSERT INTO cursorDiskKV VALUES
                ('composerData:c-1', '{"composerId":"c-1","fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2}]}'),
                ('bubbleId:c-1:b1', '{"type":1,"text":"Where does the heron nest?"}'),
                ('bubbleId:c-1:b2', '{"type":2,"text":"","toolFormerData":{"toolCallId":"call_1","name":"run","status":"completed","result":"an okapi"}}');
        "#;
        drop(database(&house, ".config/Cursor/User/globalStorage/state.vscdb", rows));
        house.write_home(
            CURSOR_FILE,
            br#"{"role":"user","message":{"content":[{"type":"text","text":"Where does the heron nest?"}]}}"#,
        );
        let import = || house.run(&["import"], "").stdout;
        if order == "import" {
            assert!(import().contains("c-1.jsonl: is read from the database, which has more of it"));
        }
        let common = |more: Value| {
            let file = house.home().join(CURSOR_FILE);
            let mut body =
                json!({ "conversation_id": "c-1", "workspace_roots": [project(&house)], "transcript_path": file });
            body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            body
        };
        hook(&house, "cursor", "beforeSubmitPrompt", &common(json!({ "prompt": "Where does the heron nest?" })));
        let result =
            json!({ "tool_name": "Shell", "tool_input": {}, "tool_output": "an okapi", "tool_use_id": "call_1" });
        hook(&house, "cursor", "postToolUse", &common(result));
        hook(&house, "cursor", "stop", &common(json!({ "status": "completed" })));
        assert_eq!(json_of(&house, &["drain"])["waiting"], 0, "{order} first");
        import();
        assert_once(&house, &["heron", "okapi"]);
    }
}

#[test]
fn a_hook_that_is_silent_is_named_by_what_the_database_shows() {
    let house = House::new(&[]);
    assert_eq!(house.run(&["init", "--yes", "--agent", "opencode"], "").status, 0);
    set_age(&house.home().join("data/connections.json"), Duration::from_hours(24 * 365 * 10));
    let database = opencode(&house);
    database
        .execute_batch("INSERT INTO session VALUES ('ses_1', NULL, '/nowhere', 'Birds', 1785578400000)")
        .expect("a row");
    for number in 0..3 {
        let rows = format!(
            r#"INSERT INTO message VALUES ('msg_{number}', 'ses_1', 178557840{number}000, '{{"role":"user"}}');
               INSERT INTO part VALUES ('prt_{number}', 'msg_{number}', 'ses_1', 178557840{number}000,
                                        '{{"type":"text","text":"Where is heron {number}?"}}');"#
        );
        database.execute_batch(&rows).expect("rows");
    }
    drop(database);
    hook(&house, "opencode", "SessionStart", &json!({ "session_id": "ses_1", "cwd": project(&house) }));
    let doctor = house.run(&["doctor"], "").stdout;
    let line = doctor.lines().find(|line| line.contains("  transcripts  ")).expect("a line about transcripts");
    assert!(line.contains("opencode does not call UserPromptSubmit: it never came"), "{doctor}");
    assert!(line.contains("show 3 prompts since"), "{doctor}");
}
