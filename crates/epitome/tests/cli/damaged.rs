//! A store that something changed on the disk: what is damaged is refused and named, and never shown as if it were right.

use super::house::{Ended, House};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A house with two conversations; the messages of both are short enough to lie in the database as they are.
fn told() -> House {
    let house = House::new(&[]);
    for name in ["alpha", "beta"] {
        let say = |number: u32| json!({ "role": "user", "content": format!("{name} {number} quantum") }).to_string();
        let said: Vec<String> = (0..30).map(say).collect();
        assert_eq!(house.run(&["ingest", "--conversation", name], &said.join("\n")).status, 0);
    }
    house
}

fn database(house: &House) -> PathBuf {
    house.home().join("data/epitome.db")
}

/// Changes bytes wherever they lie in the database.
fn rewrite(house: &House, from: &str, to: &str) {
    assert_eq!(from.len(), to.len(), "pages do not move");
    let mut bytes = fs_err::read(database(house)).expect("the database");
    let places: Vec<usize> =
        (0..bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "the words are in the database");
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    fs_err::write(database(house), bytes).expect("our own file");
}

/// The id of the message of a conversation that says something.
fn id_of(house: &House, conversation: &str, text: &str) -> String {
    let reply = house.run(&["history", "--conversation", conversation, "--limit", "100", "--json"], "");
    let reply: Value = serde_json::from_str(&reply.stdout).expect("a reply");
    let messages = reply["messages"].as_array().expect("messages");
    let message = messages.iter().find(|message| message["content"] == text).expect("it was said");
    message["message_id"].as_str().expect("an id").to_owned()
}

fn is_refused(ended: &Ended, id: &str) {
    assert_eq!((ended.status, ended.stdout.as_str()), (5, ""), "{}", ended.shown());
    for words in [id, "is damaged: its content is not what was acknowledged", "epitome verify", "restore a backup"] {
        assert!(ended.stderr.contains(words), "no `{words}` in {}", ended.stderr);
    }
}

/// One bit flipped: `12` became `92`.
fn damaged(is_recalled_before: bool) -> (House, String) {
    let house = told();
    let id = id_of(&house, "beta", "beta 12 quantum");
    if is_recalled_before {
        assert!(house.run(&["recall", "beta quantum 12"], "").stdout.contains("beta 12 quantum"));
    }
    rewrite(&house, "beta 12 quantum", "beta 92 quantum");
    (house, id)
}

#[test]
fn a_message_that_was_changed_is_refused_and_other_conversations_are_read() {
    let (house, id) = damaged(true);
    is_refused(&house.run(&["history", "--conversation", "beta", "--limit", "100"], ""), &id);
    for command in ["expand", "describe"] {
        is_refused(&house.run(&[command, &id], ""), &id);
    }
    for command in ["assemble", "compact"] {
        is_refused(&house.run(&[command, "beta"], ""), &id);
    }
    let answer = house.run(&["history", "--conversation", "beta", "--limit", "100", "--json"], "");
    let error: Value = serde_json::from_str(&answer.stdout).expect("one object");
    assert_eq!((&error["error"]["code"], answer.status), (&json!("damaged"), 5), "{error}");
    assert_eq!(house.run(&["history", "--conversation", "alpha", "--limit", "100"], "").status, 0);
    // What is asked for is whole, though the conversation is not.
    assert_eq!(house.run(&["history", "--conversation", "beta", "--limit", "3"], "").status, 0);
    assert_eq!(house.run(&["verify"], "").status, 5);
}

#[test]
fn a_search_leaves_out_what_was_changed_and_says_so() {
    for is_recalled_before in [true, false] {
        let (house, id) = damaged(is_recalled_before);
        for (command, status) in [
            (&["grep", "quantum", "--limit", "100"][..], 0),
            // Nothing says so that can be read, but what cannot may.
            (&["grep", "beta [19]2 q"], 5),
            (&["grep", "beta 92", "--mode", "full_text"], 5),
            (&["recall", "beta quantum 12", "--limit", "100"], 0),
        ] {
            let answer = house.run(command, "");
            assert_eq!(answer.status, status, "{command:?}: {}", answer.shown());
            assert!(!answer.stdout.contains("92 quantum"), "{command:?}: {}", answer.shown());
            assert!(answer.stdout.contains(&id) && answer.stdout.contains("damaged"), "{}", answer.shown());
        }
        let others = house.run(&["recall", "alpha quantum", "--conversation", "alpha"], "");
        assert!(others.status == 0 && !others.stdout.contains("damaged"), "{}", others.shown());
    }
}

/// A transcript of an agent with so many lines that its archive has frames of its own.
fn imported() -> (House, String) {
    let house = House::new(&[]);
    let line = |number: u32| {
        let content = format!("step {number} {}", "and so on ".repeat(40));
        let message = json!({ "role": "user", "content": content });
        json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "message": message })
    };
    let text: String = (0..100).map(|number| line(number).to_string() + "\n").collect();
    house.write("s.jsonl", text.as_bytes());
    assert_eq!(house.run(&["import", "s.jsonl"], "").status, 0);
    assert_eq!(house.run(&["export", "claude-code:s"], "").stdout, text);
    (house, text)
}

/// Page by page, whole or the half in which the rows are: what was not damaged comes out, or an error does.
#[test]
fn an_archive_that_was_damaged_is_never_exported_in_part_without_an_error() {
    let (house, text) = imported();
    let whole = fs_err::read(database(&house)).expect("the database");
    let (page, roots) = {
        let db = Connection::open(database(&house)).expect("opens");
        let page: usize = db.pragma_query_value(None, "page_size", |row| row.get::<_, i64>(0)).expect("asks") as usize;
        let sql = "SELECT rootpage FROM sqlite_schema WHERE tbl_name IN
                     ('generations', 'generation_frames', 'frames', 'tails') AND rootpage > 0";
        let mut statement = db.prepare(sql).expect("asks");
        let roots = statement.query_map([], |row| row.get::<_, i64>(0)).expect("asks");
        (page, roots.map(|root| root.expect("a page") as usize).collect::<Vec<_>>())
    };
    let mut refused = 0;
    for (root, start) in roots.iter().flat_map(|root| [(*root, 0), (*root, page / 2)]) {
        let mut bytes = whole.clone();
        bytes[(root - 1) * page + start..root * page].fill(0);
        fs_err::write(database(&house), bytes).expect("our own file");
        let export = house.run(&["export", "claude-code:s"], "");
        if export.status == 0 {
            assert!(export.stdout == text, "page {root} from byte {start}: {} bytes", export.stdout.len());
        } else {
            assert!(!export.stderr.is_empty(), "page {root} from byte {start}: nothing is said");
            refused += u32::from(export.status == 5);
        }
    }
    assert!(refused > 4, "{refused} of {} damages were found", 2 * roots.len());
}

#[test]
fn a_frame_that_is_missing_is_told_before_the_first_byte() {
    let (house, _) = imported();
    let db = Connection::open(database(&house)).expect("opens");
    let vandalism = "DROP TRIGGER IF EXISTS generations_lose_no_frame; DELETE FROM generation_frames";
    db.execute_batch(vandalism).expect("deletes");
    drop(db);
    let export = house.run(&["export", "claude-code:s"], "");
    assert_eq!((export.status, export.stdout.as_str()), (5, ""), "{}", export.shown());
    assert!(
        export.stderr.contains("frames are missing") && export.stderr.contains("epitome verify"),
        "{}",
        export.stderr
    );
}

#[test]
fn a_database_that_is_none_ends_every_command_with_the_status_of_damage() {
    let house = told();
    let mut bytes = fs_err::read(database(&house)).expect("the database");
    for (at, length) in [(0, 16), (100, 400)] {
        let kept = bytes.clone();
        bytes[at..at + length].fill(0xa5);
        fs_err::write(database(&house), &bytes).expect("our own file");
        for command in [&["history", "--conversation", "alpha"][..], &["grep", "quantum"], &["recall", "quantum"]] {
            let ended = house.run(command, "");
            assert_eq!((ended.status, ended.stdout.as_str()), (5, ""), "{command:?}: {}", ended.shown());
            assert!(ended.stderr.contains("is damaged") && ended.stderr.contains("hint: "), "{}", ended.stderr);
        }
        bytes = kept;
    }
}
