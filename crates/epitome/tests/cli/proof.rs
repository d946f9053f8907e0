//! What `verify` proves: everything that was acknowledged is there as it was, or the reply says what is not. Somebody
//! who has the files changes them past everything that forbids it, and puts back what forbids it.

use super::house::{Ended, House};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A home with something in every table, and a copy of it.
pub(crate) struct FilledHome {
    pub(crate) house: House,
    copy: TempDir,
}

pub(crate) fn filled() -> FilledHome {
    let house = House::new(&[]);
    for name in ["alpha", "beta"] {
        let say = |number: u32| {
            let at = format!("2026-01-02T03:{number:02}:00Z");
            json!({ "role": "user", "content": format!("{name} {number} quantum"), "at": at, "id": format!("{name}{number}") })
        };
        let said: Vec<String> = (0..30).map(|number| say(number).to_string()).collect();
        assert_eq!(house.run(&["ingest", "--conversation", name], &said.join("\n")).status, 0);
    }
    let rows: String = (0..4_000).map(|number| format!("row {number} of the table\n")).collect();
    let large = json!({ "role": "user", "content": rows }).to_string();
    assert_eq!(house.run(&["ingest", "--conversation", "large"], &large).status, 0);
    let talk: Vec<String> = (0..60)
        .map(|number| {
            let role = if number % 2 == 0 { "user" } else { "assistant" };
            let content =
                format!("We decided to use approach {number} because it is simpler. {}", "More words. ".repeat(120));
            json!({ "role": role, "content": content }).to_string()
        })
        .collect();
    assert_eq!(house.run(&["ingest", "--conversation", "folded"], &talk.join("\n")).status, 0);
    let folded = house.run(&["compact", "folded"], "");
    assert_eq!(folded.status, 0, "{}", folded.shown());
    let line = |number: u32| {
        let message = json!({ "role": "user", "content": format!("step {number} {}", "and so on ".repeat(40)) });
        json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "message": message })
    };
    let text: String = (0..100).map(|number| line(number).to_string() + "\n").collect();
    house.write("s.jsonl", (text + "{ this is no JSON\nhalf a li").as_bytes());
    assert_eq!(house.run(&["import", "s.jsonl", "--agent", "claude-code"], "").status, 0);
    assert_eq!(house.run(&["remember", "The password prompt is tested by hand."], "").status, 0);
    assert_eq!(house.run(&["remember", "Deploys happen on Tuesdays."], "").status, 0);
    let state = ["checkpoint", "save", "--session", "alpha", "--state", "{\"query\":\"port it\"}"];
    assert_eq!(house.run(&state, "").status, 0);
    assert_eq!(house.run(&["checkpoint", "prune", "--session", "alpha", "--limit", "0"], "").status, 3);
    let gate = ["entity", "add", "Gate", "--type", "concept", "--content", "opens at eight"];
    assert_eq!(house.run(&gate, "").status, 0);
    assert_eq!(house.run(&["entity", "add", "Door", "--type", "concept"], "").status, 0);
    assert_eq!(house.run(&["entity", "link", "Gate", "Door"], "").status, 0);
    let whole = house.run(&["verify"], "");
    assert_eq!(whole.status, 0, "{}", whole.shown());
    let copy = TempDir::with_prefix("epitome-copy-").expect("a temporary directory");
    copy_tree(&house.home(), copy.path());
    FilledHome { house, copy }
}

pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).expect("a directory");
    for entry in fs_err::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).expect("copies");
        }
    }
}

impl FilledHome {
    /// Puts everything back as it was when the home was filled, or one directory of it.
    pub(crate) fn put_back(&self, directory: &str) {
        let (from, to) = (self.copy.path().join(directory), self.house.home().join(directory));
        if to.exists() {
            fs_err::remove_dir_all(&to).expect("removes");
        }
        copy_tree(&from, &to);
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.house.home().join("data/epitome.db")
    }

    fn anchor(&self) -> PathBuf {
        let mut files = fs_err::read_dir(self.house.home().join("state/anchors")).expect("anchors");
        files.next().expect("an anchor").expect("an entry").path()
    }

    /// Executes statements on the database without its triggers and foreign keys, and puts the triggers back.
    pub(crate) fn tamper(&self, sql: &str) {
        let db = Connection::open(self.database()).expect("opens");
        db.pragma_update(None, "foreign_keys", false).expect("sets");
        let triggers: Vec<(String, String)> = {
            let mut statement = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").expect("asks");
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
            rows.collect::<rusqlite::Result<_>>().expect("reads")
        };
        for (name, _) in &triggers {
            db.execute_batch(&format!("DROP TRIGGER {name}")).expect("drops");
        }
        let before = db.total_changes();
        db.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(db.total_changes() > before || sql.contains("DROP") || sql.contains("CREATE"), "{sql} changes nothing");
        for (_, sql) in &triggers {
            db.execute_batch(sql).expect("makes");
        }
    }

    /// How `verify` ends.
    pub(crate) fn verify_status(&self) -> i32 {
        self.verify().status
    }

    pub(crate) fn verify(&self) -> Ended {
        self.house.run(&["verify"], "")
    }

    /// Checks that `verify` fails and names something.
    pub(crate) fn is_told(&self, words: &[&str]) {
        let ended = self.verify();
        assert_eq!(ended.status, 5, "{}", ended.shown());
        assert!(ended.stdout.starts_with("NOT OK"), "{}", ended.shown());
        for words in words {
            assert!(ended.stdout.contains(words), "no `{words}` in {}", ended.shown());
        }
    }
}

fn say(house: &House, conversation: &str, content: &str) {
    let said = json!({ "role": "user", "content": content }).to_string();
    assert_eq!(house.run(&["ingest", "--conversation", conversation], &said).status, 0);
}

#[test]
fn an_older_copy_of_the_data_is_told() {
    let home = filled();
    say(&home.house, "beta", "acknowledged and then gone");
    home.put_back("data");
    home.is_told(&["31 messages were acknowledged, and it has 30", "was acknowledged"]);
    // Whoever goes on from there does not hide it.
    say(&home.house, "beta", "something else");
    say(&home.house, "alpha", "and something else");
    home.is_told(&["is not the message that was acknowledged here", "was reached twice"]);
}

#[test]
fn a_log_that_was_deleted_after_a_kill_is_told() {
    let home = filled();
    // A reader keeps the log from being moved into the database, as a process that is killed does.
    let reader = Connection::open(home.database()).expect("opens");
    let count: i64 = reader.query_row("SELECT count(*) FROM messages", [], |row| row.get(0)).expect("reads");
    assert!(count > 60);
    say(&home.house, "alpha", "only in the log");
    let without_log = fs_err::read(home.database()).expect("reads");
    drop(reader);
    for suffix in ["-wal", "-shm"] {
        let _ = fs_err::remove_file(home.house.home().join(format!("data/epitome.db{suffix}")));
    }
    fs_err::write(home.database(), without_log).expect("writes");
    home.is_told(&["31 messages were acknowledged, and it has 30"]);
}

#[test]
fn messages_cut_off_with_matching_counts_are_told() {
    let home = filled();
    home.tamper(
        "DELETE FROM messages WHERE seq > 20 AND conversation = (SELECT number FROM conversations WHERE name = 'alpha');
         UPDATE conversations SET message_count = 20,
           head_hash = (SELECT chain_hash FROM messages m WHERE m.conversation = conversations.number AND m.seq = 20),
           token_count = (SELECT sum(token_count) FROM messages m WHERE m.conversation = conversations.number)
         WHERE name = 'alpha'",
    );
    home.is_told(&["30 messages were acknowledged, and it has 20"]);
}

#[test]
fn a_conversation_that_was_deleted_is_told() {
    let home = filled();
    home.tamper(
        "DELETE FROM messages WHERE conversation = (SELECT number FROM conversations WHERE name = 'beta');
         DELETE FROM conversations WHERE name = 'beta'",
    );
    home.is_told(&["30 messages were acknowledged, and it is not there"]);
}

#[test]
fn an_archive_that_was_deleted_is_told() {
    let home = filled();
    home.tamper(
        "DELETE FROM message_origins; DELETE FROM generation_frames; DELETE FROM frames; DELETE FROM tails;
         DELETE FROM quarantine; DELETE FROM line_kinds; DELETE FROM generations",
    );
    home.is_told(&["s.jsonl (generation 1): 1 frames were acknowledged, and it is not there"]);
}

#[test]
fn a_database_that_was_removed_or_emptied_is_told() {
    let home = filled();
    fs_err::remove_file(home.database()).expect("removes");
    home.is_told(&["another database", "30 messages were acknowledged, and it is not there"]);
    home.put_back("data");
    home.put_back("state");
    fs_err::write(home.database(), b"").expect("empties");
    home.is_told(&["another database", "30 messages were acknowledged, and it is not there"]);
}

#[test]
fn an_artifact_whose_row_was_deleted_is_told() {
    let home = filled();
    home.tamper("DELETE FROM message_artifacts; DELETE FROM artifacts");
    home.is_told(&["was stored, and is not in artifacts", "artifacts has 0 rows, 1 were stored"]);
}

#[test]
fn times_tokens_and_names_that_were_changed_are_told() {
    let home = filled();
    for (sql, words) in [
        ("UPDATE messages SET at_instant = at_instant + 86400000 WHERE seq = 3", "a row of messages"),
        ("UPDATE messages SET stored_at = stored_at - 5 WHERE seq = 3", "a row of messages"),
        ("UPDATE messages SET token_count = token_count + 1 WHERE seq = 3", "a row of messages"),
        ("UPDATE conversations SET name = 'gamma' WHERE name = 'beta'", "is called `gamma`"),
        ("UPDATE conversations SET token_count = token_count + 1 WHERE name = 'beta'", "tokens, its messages have"),
    ] {
        home.put_back("data");
        home.tamper(sql);
        home.is_told(&[words]);
    }
}

#[test]
fn hashes_sizes_and_derived_rows_that_were_changed_are_told() {
    let home = filled();
    for (sql, words) in [
        ("UPDATE messages SET content_hash = zeroblob(32) WHERE seq = 3", "is not what was acknowledged"),
        ("UPDATE frames SET content_bytes = content_bytes + 1", "a row of frames"),
        ("UPDATE artifacts SET summary = 'nothing'", "a row of artifacts"),
        ("UPDATE artifacts SET media_type = 'image/png'", "a row of artifacts"),
        ("UPDATE artifacts SET name = 'other.txt'", "a row of artifacts"),
        ("INSERT INTO quarantine SELECT generation, 7, 0, 3, 'made up' FROM quarantine", "quarantine has 2 rows"),
        ("DELETE FROM conversation_facts", "conversation_facts has 0 rows"),
        (
            "DELETE FROM context_items; DELETE FROM summary_covers; DELETE FROM summaries",
            "was stored, and is not in summaries",
        ),
    ] {
        home.put_back("data");
        home.tamper(sql);
        home.is_told(&[words]);
    }
}

#[test]
fn triggers_and_indexes_that_were_dropped_or_added_are_told() {
    let home = filled();
    for (sql, words) in [
        ("DROP TRIGGER messages_are_never_deleted", "trigger messages_are_never_deleted is not there"),
        ("DROP INDEX messages_external", "index messages_external is not there"),
        ("CREATE TRIGGER quiet AFTER INSERT ON messages BEGIN SELECT 1; END", "trigger quiet is none of ours"),
        (
            "DROP TRIGGER messages_are_never_changed;
             CREATE TRIGGER messages_are_never_changed BEFORE UPDATE ON messages BEGIN SELECT 1; END",
            "trigger messages_are_never_changed was changed",
        ),
    ] {
        home.put_back("data");
        Connection::open(home.database()).expect("opens").execute_batch(sql).expect("changes");
        home.is_told(&[words]);
    }
}

#[test]
fn a_key_that_was_removed_changed_or_cut_is_told() {
    let home = filled();
    let key = home.house.home().join("data/scrub.key");
    for content in [None, Some(vec![7; 32]), Some(vec![7])] {
        home.put_back("data");
        match content {
            None => fs_err::remove_file(&key).expect("removes"),
            Some(bytes) => fs_err::write(&key, bytes).expect("writes"),
        }
        home.is_told(&["scrub.key"]);
    }
}

/// Whoever adds a table whose rows no sum counts hears of it here.
#[test]
fn a_row_that_nobody_stored_is_told_in_every_table() {
    let home = filled();
    let tables: Vec<(String, String)> = {
        let db = Connection::open(home.database()).expect("opens");
        // A value that fits each column, whatever the checks of the table say.
        let sql = "SELECT t.name, 'INSERT INTO ' || t.name || ' (' || group_concat(c.name) || ') VALUES ('
                     || group_concat(CASE c.type WHEN 'INTEGER' THEN '7171' WHEN 'BLOB' THEN 'zeroblob(32)'
                                     WHEN 'REAL' THEN '0.5' ELSE '''a word''' END) || ')'
                   FROM sqlite_schema t, pragma_table_info(t.name) c
                   WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> 'store_state'
                   GROUP BY t.name";
        let mut statement = db.prepare(sql).expect("asks");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("asks");
        rows.collect::<rusqlite::Result<_>>().expect("reads")
    };
    assert!(tables.len() >= 32, "{tables:?}");
    for (table, insert) in &tables {
        home.put_back("data");
        home.put_back("state");
        home.tamper(&format!("PRAGMA ignore_check_constraints = ON; {insert}"));
        // Some of these rows cannot even be read, which ends in the same status.
        let ended = home.verify();
        assert_eq!(ended.status, 5, "{table}: {}", ended.shown());
    }
}

#[test]
fn files_that_were_removed_or_changed_are_told() {
    let home = filled();
    let artifact = {
        let folder = fs_err::read_dir(home.house.home().join("data/artifacts")).expect("artifacts").next();
        let folder = folder.expect("a folder").expect("an entry").path();
        fs_err::read_dir(folder).expect("a folder").next().expect("a file").expect("an entry").path()
    };
    let anchor = home.anchor();
    let lines: Vec<String> = fs_err::read_to_string(&anchor).expect("reads").lines().map(str::to_owned).collect();
    let without = |line: usize| {
        let kept: Vec<&str> =
            lines.iter().enumerate().filter(|(number, _)| *number != line).map(|(_, line)| line.as_str()).collect();
        kept.join("\n") + "\n"
    };
    let changes: &[(&str, &dyn Fn())] = &[
        ("an artifact is gone", &|| fs_err::remove_file(&artifact).expect("removes")),
        ("an artifact is empty", &|| fs_err::write(&artifact, b"").expect("writes")),
        ("an artifact is another", &|| fs_err::write(&artifact, b"(\xb5/\xfd").expect("writes")),
        ("the anchor is gone", &|| fs_err::remove_file(&anchor).expect("removes")),
        ("the anchor is empty", &|| fs_err::write(&anchor, b"").expect("writes")),
        ("the first line of the anchor is gone", &|| fs_err::write(&anchor, without(0)).expect("writes")),
        ("a line of the anchor is gone", &|| fs_err::write(&anchor, without(lines.len() / 2)).expect("writes")),
        ("the anchor says another number", &|| {
            fs_err::write(&anchor, lines.join("\n").replace("\t30\t", "\t31\t") + "\n").expect("writes");
        }),
        ("the anchor is no anchor", &|| fs_err::write(&anchor, b"hello\n").expect("writes")),
        ("the database is no database", &|| fs_err::write(home.database(), [7; 4096]).expect("writes")),
        ("the end of the database is gone", &|| {
            let bytes = fs_err::read(home.database()).expect("reads");
            fs_err::write(home.database(), &bytes[..bytes.len() / 2]).expect("writes");
        }),
    ];
    for (what, change) in changes {
        home.put_back("data");
        home.put_back("state");
        change();
        let ended = home.verify();
        assert_eq!(ended.status, 5, "{what}: {}", ended.shown());
    }
}

#[test]
fn an_anchor_that_is_behind_is_caught_up() {
    let home = filled();
    let before = fs_err::read(home.anchor()).expect("reads");
    say(&home.house, "alpha", "committed, and the process died before the anchor had it");
    fs_err::write(home.anchor(), &before).expect("takes it back");
    let ended = home.verify();
    assert_eq!(ended.status, 0, "{}", ended.shown());
    assert!(ended.stdout.contains("the anchor lacked 1 point and has them now"), "{}", ended.shown());
    assert!(fs_err::read(home.anchor()).expect("reads").len() > before.len());
    let again = home.verify();
    assert!(again.status == 0 && !again.stdout.contains("lacked"), "{}", again.shown());
}

#[test]
fn half_a_line_of_the_anchor_is_no_loss() {
    let home = filled();
    let bytes = fs_err::read(home.anchor()).expect("reads");
    fs_err::write(home.anchor(), &bytes[..bytes.len() - 9]).expect("cuts");
    assert_eq!(home.verify().status, 0);
    say(&home.house, "alpha", "more");
    let ended = home.verify();
    assert_eq!(ended.status, 0, "{}", ended.shown());
}

#[test]
fn a_restored_backup_is_accepted_by_name() {
    let home = filled();
    say(&home.house, "beta", "given up");
    home.put_back("data");
    home.is_told(&["--accept-restored NAME"]);
    let accepted = home.house.run(&["verify", "--accept-restored", "backup of Monday"], "");
    assert_eq!(accepted.status, 0, "{}", accepted.shown());
    for words in ["given up", "31 messages were acknowledged, and it has 30", "accepted at", "backup of Monday"] {
        assert!(accepted.stdout.contains(words), "no `{words}` in {}", accepted.shown());
    }
    say(&home.house, "beta", "it goes on");
    let after = home.verify();
    assert!(after.status == 0 && after.stdout.contains("backup of Monday"), "{}", after.shown());
    // What is damaged is damaged under any name.
    home.tamper("UPDATE messages SET content = 'alpha 99 quantum' WHERE content = 'alpha 9 quantum'");
    assert_eq!(home.house.run(&["verify", "--accept-restored", "anything"], "").status, 5);
}

#[test]
fn a_backup_on_another_machine_is_accepted_by_name() {
    let home = filled();
    fs_err::remove_dir_all(home.house.home().join("state")).expect("removes");
    home.is_told(&["is not there: nothing says how much the database had"]);
    let accepted = home.house.run(&["verify", "--accept-restored", "moved"], "");
    assert_eq!(accepted.status, 0, "{}", accepted.shown());
    assert_eq!(home.verify().status, 0);
}

#[test]
fn what_was_kept_elsewhere_is_expected() {
    let home = filled();
    // As it is: a place that is replaced for snapshots would make it another statement.
    let printed = home.house.command(&["verify", "--anchor"]).output().expect("runs").stdout;
    let statement = String::from_utf8(printed).expect("text");
    assert!(statement.starts_with("epitome-anchor\t"), "{statement}");
    home.house.write("kept.txt", statement.as_bytes());
    let hash = statement.split('\t').nth(1).expect("a hash").to_owned();
    say(&home.house, "beta", "it goes on");
    for expected in ["kept.txt", &hash] {
        let ended = home.house.run(&["verify", "--expect", expected], "");
        assert_eq!(ended.status, 0, "{expected}: {}", ended.shown());
    }
    // Somebody who has everything makes it fit together: another history with an anchor of its own.
    fs_err::remove_dir_all(home.house.home().join("data")).expect("removes");
    fs_err::remove_dir_all(home.house.home().join("state")).expect("removes");
    say(&home.house, "beta", "a history that never was");
    assert_eq!(home.verify().status, 0, "nothing on this machine knows better");
    for expected in ["kept.txt", &hash] {
        let ended = home.house.run(&["verify", "--expect", expected], "");
        assert!(ended.status == 5 && ended.stdout.contains("never had the hash"), "{expected}: {}", ended.shown());
        let names_entities = ended.stdout.contains("was stored, and is not in entity_links");
        assert_eq!(names_entities, expected == "kept.txt", "{}", ended.shown());
    }
    let wrong = home.house.run(&["verify", "--expect", "s.jsonl"], "");
    assert_eq!(wrong.status, 2, "{}", wrong.shown());
}

#[test]
fn a_lowered_schema_version_is_told_without_statements() {
    let home = filled();
    Connection::open(home.database()).expect("opens").pragma_update(None, "user_version", 3).expect("sets");
    let ended = home.verify();
    assert_eq!(ended.status, 5, "{}", ended.shown());
    assert!(ended.stderr.contains("its tables are not those of schema 3"), "{}", ended.shown());
    assert!(!ended.stderr.contains("CREATE"), "{}", ended.shown());
}

#[test]
fn the_reply_of_a_program_has_the_anchor() {
    let home = filled();
    let reply: Value =
        serde_json::from_str(&home.house.run(&["verify", "--anchor", "--json"], "").stdout).expect("one object");
    assert_eq!(reply["anchor"].as_str().map(str::len), Some(64), "{reply}");
}
