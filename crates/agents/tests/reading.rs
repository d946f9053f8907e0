//! Transcripts are found where agents keep them, and opened whatever they are contained in.

use std::io::Read;
use std::path::Path;

use agents::{AgentEnvironment, Transcript, TranscriptSearch, find_transcripts, transcripts_at};
use expect_test::{Expect, expect};
use model::TranscriptContainer;
use rusqlite::Connection;
use tempfile::TempDir;

const CLAUDE: &str = r#"{"type":"user","uuid":"u1","sessionId":"s","cwd":"/home/user/app","message":{"role":"user","content":"hi"}}
"#;
const CODEX: &str = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"c-1","cwd":"/home/user/app"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
"#;
const GEMINI: &str = r#"{"sessionId":"g-1","projectHash":"h","directories":["/home/user/app"]}
{"id":"u1","type":"user","content":"hi"}
"#;
const DOCUMENT: &str = "{\n  \"sessionId\": \"g-0\",\n  \"projectHash\": \"h\",\n  \"messages\": [\n    {\"id\":\"u1\",\"type\":\"user\",\"content\":\"hi\"}\n  ]\n}\n";

fn write(home: &Path, name: &str, content: impl AsRef<[u8]>) {
    let path = home.join(name);
    fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs_err::write(path, content).expect("a file");
}

fn found(home: &Path, search: TranscriptSearch) -> String {
    let place = |path: &Path| path.strip_prefix(home).unwrap_or(path).display().to_string();
    let told = |found: Transcript| {
        let Transcript { format, container, path, inside, project, .. } = found;
        let inside = inside.unwrap_or_default();
        let project = project.unwrap_or_default();
        format!("{} {} {} [{inside}] {project}\n", format.name, container.as_str(), place(&path))
    };
    let transcripts: String = search.transcripts.into_iter().map(told).collect();
    let problems: String =
        search.problems.into_iter().map(|(path, why)| format!("! {} {why}\n", place(&path))).collect();
    let named = search.others.first.iter().map(|path| format!(" {}", place(path))).collect::<String>();
    let others = if named.is_empty() { named } else { format!("{} others:{named}\n", search.others.files) };
    (transcripts + &problems + &others).replace(&home.display().to_string(), "HOME")
}

fn at_home(home: &Path) -> TranscriptSearch {
    find_transcripts(&AgentEnvironment { home, variable: &|_| None }, None)
}

fn opened(transcript: &Transcript) -> Vec<u8> {
    let mut bytes = Vec::new();
    transcript.open().expect("a transcript").read_to_end(&mut bytes).expect("its bytes");
    bytes
}

/// What the lines give: who says what.
fn said(transcript: &Transcript) -> String {
    let bytes = opened(transcript);
    let mut projection = transcript.format.build_projection(&transcript.path);
    let lines: Vec<&[u8]> = match transcript.container {
        TranscriptContainer::Document => vec![&bytes],
        TranscriptContainer::Lines | TranscriptContainer::Zstd | TranscriptContainer::Rows => {
            bytes.split_inclusive(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect()
        }
    };
    let mut messages: Vec<_> = lines.into_iter().flat_map(|line| projection.feed_line(line).messages).collect();
    messages.extend(projection.pause());
    let told = messages.iter().map(|given| format!("{}: {}\n", given.message.role.as_str(), given.message.content()));
    format!("{}\n", projection.head().conversation) + &told.collect::<String>()
}

fn opencode(home: &Path) -> Connection {
    let folder = home.join(".local/share/opencode");
    fs_err::create_dir_all(&folder).expect("a folder");
    let database = Connection::open(folder.join("opencode.db")).expect("a database");
    let rows = r#"
        PRAGMA journal_mode = WAL;
        CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
        CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
        CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
        INSERT INTO session VALUES ('ses_1', NULL, '/home/user/app', 'It''s "here"', 1, 99), ('ses_2', 'ses_1', '/home/user/app', 'Sub', 2, 99);
        INSERT INTO message VALUES ('msg_2', 'ses_1', 20, '{"role":"assistant"}'), ('msg_1', 'ses_1', 10, '{"role":"user"}'), ('msg_3', 'ses_2', 30, '{"role":"user"}');
        INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', 21, '{"type":"text","text":"hello"}'), ('prt_1', 'msg_1', 'ses_1', 11, '{"type":"text","text":"hi"}'), ('prt_3', 'msg_3', 'ses_2', 31, '{"type":"text","text":"look"}');
    "#;
    database.execute_batch(rows).expect("rows");
    database
}

#[test]
fn transcripts_of_installed_agents_are_found_where_they_keep_them() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    write(home, ".claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001.jsonl", CLAUDE);
    write(
        home,
        ".claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001/subagents/agent-a1.jsonl",
        CLAUDE,
    );
    write(
        home,
        ".claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001/tool-results/x.json",
        r#"{"role":"user","content":"no transcript"}"#,
    );
    write(home, ".codex/sessions/2026/08/01/rollout-a.jsonl", CODEX);
    write(home, ".codex/archived_sessions/rollout-b.jsonl.zst", zstd::encode_all(CODEX.as_bytes(), 3).expect("packed"));
    write(home, ".gemini/tmp/app/chats/session-1.jsonl", GEMINI);
    write(home, ".gemini/tmp/app/chats/session-0.json", DOCUMENT);
    write(home, ".gemini/tmp/app/logs.json", "[]");
    write(home, ".gemini/tmp/app/.project_root", "/home/user/app\n");
    write(
        home,
        ".cursor/projects/app/agent-transcripts/c-1/c-1.jsonl",
        r#"{"role":"user","message":{"content":"hi"}}"#,
    );
    write(home, ".local/share/opencode/storage/session/p/ses_0.json", r#"{"id":"ses_0"}"#);
    write(home, ".local/share/opencode/storage/session/p/ses_1.json", r#"{"id":"ses_1"}"#);
    write(home, ".local/share/opencode/storage/message/ses_0/msg_0.json", r#"{"role":"user"}"#);
    write(home, ".local/share/opencode/storage/part/msg_0/prt_0.json", r#"{"type":"text"}"#);
    drop(opencode(home));
    check(
        home,
        at_home(home),
        &expect![[r#"
            claude-code lines .claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001/subagents/agent-a1.jsonl [] /home/user/app
            claude-code lines .claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001.jsonl [] /home/user/app
            codex lines .codex/sessions/2026/08/01/rollout-a.jsonl [] /home/user/app
            codex zstd .codex/archived_sessions/rollout-b.jsonl.zst [] /home/user/app
            cursor lines .cursor/projects/app/agent-transcripts/c-1/c-1.jsonl [] 
            gemini-cli document .gemini/tmp/app/chats/session-0.json [] /home/user/app
            gemini-cli lines .gemini/tmp/app/chats/session-1.jsonl [] /home/user/app
            opencode rows .local/share/opencode/opencode.db [ses_1] /home/user/app
            opencode rows .local/share/opencode/opencode.db [ses_2] /home/user/app
            opencode rows .local/share/opencode/storage [ses_0] 
            2 others: .claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001/tool-results/x.json .gemini/tmp/app/logs.json
        "#]],
    );
    let variable = |name: &str| (name == "CODEX_HOME").then(|| home.join(".codex").display().to_string());
    let elsewhere = find_transcripts(&AgentEnvironment { home: Path::new("nowhere"), variable: &variable }, None);
    check(
        home,
        elsewhere,
        &expect![[r#"
        codex lines .codex/sessions/2026/08/01/rollout-a.jsonl [] /home/user/app
        codex zstd .codex/archived_sessions/rollout-b.jsonl.zst [] /home/user/app
    "#]],
    );
}

fn check(home: &Path, search: TranscriptSearch, expected: &Expect) {
    expected.assert_eq(&found(home, search));
}

#[test]
fn whoever_names_a_place_hears_what_is_wrong_with_it() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    write(home, "chat.json", r#"{"messages":[{"role":"user","content":"hi"}]}"#);
    write(home, "list.json", r#"[ {"role":"user","content":"hi"} ]"#);
    write(home, "chat.jsonl", r#"{"role":"user","content":"hi"}"#);
    write(home, "long.jsonl", format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(100_000)));
    write(home, "notes.jsonl", "not json");
    write(home, "empty.jsonl", "");
    write(home, "opencode.db", "SQLite format 3\0 and then nothing of the kind");
    check(
        home,
        transcripts_at(home),
        &expect![[r#"
            plain document chat.json [] 
            plain lines chat.jsonl [] 
            plain document list.json [] 
            plain lines long.jsonl [] 
            ! opencode.db cannot read the database HOME/opencode.db: file is not a database
            2 others: empty.jsonl notes.jsonl
        "#]],
    );
    for name in ["notes.jsonl", "empty.jsonl", "absent.jsonl"] {
        let problems = transcripts_at(&home.join(name)).problems;
        assert_eq!(problems.len(), 1, "{name}");
    }
}

#[test]
fn lines_come_out_of_every_container() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    write(home, "rollout-b.jsonl.zst", zstd::encode_all(CODEX.as_bytes(), 3).expect("packed"));
    write(home, "session-0.json", DOCUMENT);
    drop(opencode(home));
    let search = transcripts_at(home);
    let told: String = search.transcripts.iter().map(said).collect();
    expect![[r#"
        ses_1
        user: hi
        assistant: hello
        ses_2
        user: look
        c-1
        user: hi
        g-0
        user: hi
    "#]]
    .assert_eq(&told);
    assert_eq!(
        opened(search.transcripts.iter().find(|found| found.container == TranscriptContainer::Zstd).expect("one")),
        CODEX.as_bytes()
    );
}

#[test]
fn a_row_is_a_line_that_keeps_its_json() {
    let home = TempDir::new().expect("a folder");
    drop(opencode(home.path()));
    let search = at_home(home.path());
    expect![[r#"
        {"table":"session","id":"ses_1","directory":"/home/user/app","title":"It's \"here\"","time_created":1}
        {"table":"message","id":"msg_1","session_id":"ses_1","time_created":10,"data":{"role":"user"}}
        {"table":"part","id":"prt_1","session_id":"ses_1","message_id":"msg_1","time_created":11,"data":{"type":"text","text":"hi"}}
        {"table":"message","id":"msg_2","session_id":"ses_1","time_created":20,"data":{"role":"assistant"}}
        {"table":"part","id":"prt_2","session_id":"ses_1","message_id":"msg_2","time_created":21,"data":{"type":"text","text":"hello"}}
    "#]].assert_eq(&String::from_utf8_lossy(&opened(&search.transcripts[0])));
}

#[test]
fn a_database_in_use_is_read_as_it_is_and_nobody_waits() {
    let home = TempDir::new().expect("a folder");
    let mut database = opencode(home.path());
    let begun = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).expect("a transaction");
    begun.execute("INSERT INTO message VALUES ('msg_9', 'ses_1', 90, '{}')", []).expect("a row");
    let search = at_home(home.path());
    assert_eq!(search.transcripts.len(), 2);
    let reading = search.transcripts[0].open().expect("a transcript");
    begun.commit().expect("the writer is not kept waiting");
    drop(reading);
    assert!(said(&search.transcripts[0]).contains("assistant: hello"));
}

#[test]
fn a_database_at_rest_gets_no_files_beside_it() {
    let home = TempDir::new().expect("a folder");
    drop(opencode(home.path()));
    let folder = home.path().join(".local/share/opencode");
    let names = || {
        fs_err::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect::<Vec<_>>()
    };
    let before = names();
    assert_eq!(said(&at_home(home.path()).transcripts[1]), "ses_2\nuser: look\n");
    assert_eq!(names(), before);
}

#[test]
fn conversations_of_cursor_are_read_without_its_keys() {
    let home = TempDir::new().expect("a folder");
    let folder = home.path().join(".config/Cursor/User/globalStorage");
    fs_err::create_dir_all(&folder).expect("a folder");
    let database = Connection::open(folder.join("state.vscdb")).expect("a database");
    let rows = r#"
        CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        INSERT INTO cursorDiskKV VALUES
            ('composerData:c-1', '{"composerId":"c-1","name":"Limits","createdAt":5,"blobEncryptionKey":"k","workspaceIdentifier":{"uri":{"fsPath":"/home/user/app"}},"fullConversationHeadersOnly":[{"bubbleId":"b2","type":1},{"bubbleId":"b1","type":2},{"bubbleId":"gone","type":2}]}'),
            ('bubbleId:c-1:b1', CAST('{"type":2,"text":"hello"}' AS BLOB)),
            ('bubbleId:c-1:b2', '{"type":1,"text":"hi"}'),
            ('composerData:c-0', '{"composerId":"c-0","conversation":[{"bubbleId":"x","type":1,"text":"old"}]}'),
            ('composerData:c-2', NULL);
    "#;
    database.execute_batch(rows).expect("rows");
    drop(database);
    let search = at_home(home.path());
    let told: String = search.transcripts.iter().map(said).collect();
    assert_eq!(told, "c-0\nuser: old\nc-1\nuser: hi\nassistant: hello\n");
    let lines = String::from_utf8_lossy(&opened(&search.transcripts[1])).into_owned();
    expect![[r#"
        {"table":"composer","id":"c-1","name":"Limits","workspace":"/home/user/app","createdAt":5}
        {"table":"bubble","id":"b2","data":{"type":1,"text":"hi"}}
        {"table":"bubble","id":"b1","data":{"type":2,"text":"hello"}}
        {"table":"bubble","id":"gone","data":null}
    "#]]
    .assert_eq(&lines);
}

#[test]
fn small_files_lead_to_each_other_by_the_ids_inside_of_them() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    write(home, "storage/session/p/copy of a session.json", r#"{"id":"ses_1","title":"Limits"}"#);
    write(home, "storage/session/p/bad.json", r#"{"id":"../../outside"}"#);
    write(home, "storage/message/ses_1/0001.json", r#"{"id":"msg_1","sessionID":"ses_1","role":"user"}"#);
    write(home, "storage/message/ses_1/0002.json", r#"{"id":"msg_2","sessionID":"ses_1","role":"assistant"}"#);
    write(
        home,
        "storage/part/msg_1/p.json",
        r#"{"id":"prt_1","messageID":"msg_1","type":"text","text":"add a limiter"}"#,
    );
    write(home, "storage/part/msg_2/p.json", r#"{"id":"prt_2","messageID":"msg_2","type":"text","text":"Added."}"#);
    let search = transcripts_at(home);
    let told: String = search.transcripts.iter().map(said).collect();
    assert_eq!(told, "bad\nses_1\nuser: add a limiter\nassistant: Added.\n");
}

const QWEN: &str = r#"{"uuid":"q1","parentUuid":null,"sessionId":"s-1","timestamp":"2026-11-16T10:00:00.000Z","type":"user","cwd":"/home/user/app","version":"0.24.4","message":{"role":"user","parts":[{"text":"hi"}]}}
{"uuid":"a1","parentUuid":"q1","sessionId":"s-1","timestamp":"2026-11-16T10:00:01.000Z","type":"assistant","cwd":"/home/user/app","version":"0.24.4","message":{"role":"model","parts":[{"text":"hello"}]}}
"#;

#[test]
fn what_claude_code_and_qwen_code_write_alike_is_told_apart() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    write(home, ".qwen/projects/-home-user-app/chats/s-1.jsonl", QWEN);
    write(home, ".qwen/projects/-home-user-app/chats/s-1.runtime.json", r#"{"pid":1}"#);
    write(home, ".claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001.jsonl", CLAUDE);
    let search = at_home(home);
    let told: String = search.transcripts.iter().map(said).collect();
    assert_eq!(told, "0b7c1a52-1111-4222-8333-000000000001\nuser: hi\ns-1\nuser: hi\nassistant: hello\n");
    check(
        home,
        search,
        &expect![[r#"
            claude-code lines .claude/projects/-home-user-app/0b7c1a52-1111-4222-8333-000000000001.jsonl [] /home/user/app
            qwen-code lines .qwen/projects/-home-user-app/chats/s-1.jsonl [] /home/user/app
            1 others: .qwen/projects/-home-user-app/chats/s-1.runtime.json
        "#]],
    );
}

#[test]
fn plain_files_of_one_name_are_two_conversations() {
    let home = TempDir::new().expect("a folder");
    let home = home.path();
    let name = "api_conversation_history.json";
    write(home, &format!("tasks/1/{name}"), r#"[{"role":"user","content":"first task"}]"#);
    write(home, &format!("tasks/2/{name}"), r#"[{"role":"user","content":"second task"}]"#);
    let conversation = |search: TranscriptSearch| {
        let told = search.transcripts.iter().map(|found| said(found).lines().next().unwrap_or_default().to_owned());
        told.collect::<Vec<String>>()
    };
    let both = conversation(transcripts_at(home));
    assert_eq!(both.len(), 2);
    assert_ne!(both[0], both[1]);
    // More of the same is the same conversation; another one in its place is another.
    write(
        home,
        &format!("tasks/1/{name}"),
        r#"[{"role":"user","content":"first task"}, {"role":"assistant","content":"Done."}]"#,
    );
    assert_eq!(conversation(transcripts_at(home)), both);
    write(home, &format!("tasks/1/{name}"), r#"[{"role":"user","content":"something else"}]"#);
    let changed = conversation(transcripts_at(home));
    assert_ne!(changed[0], both[0]);
    assert_eq!(changed[1], both[1]);
}
