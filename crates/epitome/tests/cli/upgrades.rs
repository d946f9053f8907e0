//! Databases of every schema that was released, as they were kept: opened by this version they lose nothing, are proved
//! whole, and go on. A kept database is SQL text, with its files beside it in comments. `UPDATE_EXPECT=1` makes that of a
//! schema that has none yet; one that is there is never written again.

use super::house::House;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The steps of the schema, for those who make a kept database.
const STEPS: [&str; 15] = [
    include_str!("../../../store/migrations/sqlite/canonical/0001_initial.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0002_ledger.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0003_archive.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0004_folds.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0005_feedback.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0006_no_terms.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0007_memories.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0008_sessions.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0009_proof.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0010_rewrites.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0011_tool_calls.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0012_entities.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0013_session_records.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0014_projects.sql"),
    include_str!("../../../store/migrations/sqlite/canonical/0015_authors.sql"),
];

/// The first schema whose rows are summed and anchored: only the store itself can add rows from there on.
const FIRST_SUMMED: usize = 9;
/// What changes with every commit, and what was dropped because it could be made again.
const NOT_COMPARED: [&str; 2] = ["store_state", "message_terms"];
/// The beginning of a line that holds a file beside the database.
const FILE_LINE: &str = "-- file ";

fn kept_path(version: usize) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/kept/schema-{version:02}.sql"))
}

/// Puts a kept database into a home.
fn restore(house: &House, kept: &str) -> PathBuf {
    for line in kept.lines().filter_map(|line| line.strip_prefix(FILE_LINE)) {
        let (path, hex) = line.split_once(' ').expect("a path and its bytes");
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
        house.write_home(path, &(0..hex.len()).step_by(2).map(digit).collect::<Vec<u8>>());
    }
    house.write_home("data/epitome.db", b"");
    let path = house.home().join("data/epitome.db");
    Connection::open(&path).expect("opens").execute_batch(kept).expect("what was kept is SQL");
    path
}

/// Every table with its columns.
fn tables(database: &Connection) -> BTreeMap<String, Vec<String>> {
    let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
               WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                 AND m.name NOT LIKE 'message\\_terms\\_%' ESCAPE '\\' ORDER BY m.name, c.cid";
    let mut statement = database.prepare(sql).expect("a statement");
    let mut rows = statement.query([]).expect("rows");
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next().expect("a row") {
        tables.entry(row.get(0).expect("a name")).or_default().push(row.get(1).expect("a name"));
    }
    tables
}

/// The rows of a table as SQL values.
fn rows(database: &Connection, table: &str, columns: &[String]) -> Vec<String> {
    let quoted: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY 1", quoted.join(" || ', ' || "));
    let mut statement = database.prepare(&sql).expect("a statement");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn every_released_schema_is_brought_up_to_date_and_loses_nothing() {
    if is_update() {
        write_kept_databases();
    }
    for version in 1..=STEPS.len() {
        let house = House::new(&[]);
        let kept = fs_err::read_to_string(kept_path(version)).expect("every schema has a kept database");
        let path = restore(&house, &kept);
        let before = Connection::open(&path).expect("opens");
        let found: u32 = before.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
        assert_eq!(found as usize, version);
        let held: Vec<(String, Vec<String>, Vec<String>)> = tables(&before)
            .into_iter()
            .filter(|(table, _)| !NOT_COMPARED.contains(&table.as_str()))
            .map(|(table, columns)| (table.clone(), columns.clone(), rows(&before, &table, &columns)))
            .collect();
        assert!(held.iter().any(|(table, _, rows)| table == "messages" && rows.len() > 3), "schema {version} is empty");
        drop(before);
        let proof = house.run(&["verify"], "");
        assert!(proof.status == 0 && proof.stdout.starts_with("ok"), "schema {version}: {}", proof.shown());
        let after = Connection::open(&path).expect("opens");
        let now: u32 = after.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version");
        assert_eq!(now as usize, STEPS.len(), "a new schema needs a kept database");
        for (table, columns, held) in held {
            assert_eq!(rows(&after, &table, &columns), held, "{table} of schema {version}");
        }
        drop(after);
        // The conversation goes on, by the same chain, and everything is proved again.
        let line = r#"{"role":"user","content":"and the quokka goes on"}"#;
        assert_eq!(house.run(&["ingest", "--conversation", "talk"], line).status, 0);
        let told = house.run(&["history", "--conversation", "talk", "--limit", "100"], "").stdout;
        assert!(told.contains("the quokka port is 5432") && told.contains("and the quokka goes on"), "{told}");
        let proof = house.run(&["verify"], "");
        assert!(proof.status == 0 && proof.stdout.starts_with("ok"), "schema {version}: {}", proof.shown());
    }
}

/// Rows of tables that a day leaves empty, for schemas whose rows are not summed.
const MORE_ROWS: [(usize, &str); 7] = [
    (
        2,
        "INSERT INTO reservations VALUES (1, 'context', NULL, 's', 'm', 20000, 1, 2, 0, 0, 0, 5, 1767225600000, 1767225900000)",
    ),
    (2, "INSERT INTO ledger_totals VALUES (20000, 'search', 'p', 's', '', 'f', 3, 1, 2, 0, 0, 9, 0)"),
    (2, "INSERT INTO spending_stopped VALUES (1, 1767225600000)"),
    (4, "INSERT INTO jobs (work, how, conversation, requested_at, not_before) VALUES ('fold', '', 1, 1, 1)"),
    (4, "INSERT INTO grants VALUES ('grant_1', 'agent', 'conv_a', 'sum_a', 1, 100, 7, 1, 2, NULL)"),
    (5, "INSERT INTO answers VALUES (x'01', 'p', 's', 1767225600000, 'search', 'where is the quokka')"),
    (5, "INSERT INTO answer_places VALUES (x'01', 0, 'src/a.rs:1-2', NULL)"),
];

/// A day that fills the tables: talk, a transcript with a line that cannot be read and one that does not end, a large
/// output, folds, facts, memories, a session that was closed, something purged.
fn play_day(house: &House) {
    let say = |number: usize| {
        let text = format!(
            "message {number}: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use \
             integer cents. {}",
            "It was tried again and again. ".repeat(3)
        );
        serde_json::json!({ "id": format!("m{number}"), "role": if number.is_multiple_of(2) { "assistant" } else { "user" }, "content": text })
            .to_string()
    };
    let talk: Vec<String> = (1..=24).map(say).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "talk"], &talk.join("\n")).status, 0);
    let line = |number: usize| {
        let message = serde_json::json!({ "role": "user", "content": format!("line {number} about the wombat") });
        serde_json::json!({ "type": "user", "uuid": format!("u{number}"), "sessionId": "s", "cwd": "/p", "message": message })
            .to_string()
    };
    let transcript = format!("{}\n{{ no JSON\n{}\n{{\"type\":\"us", line(1), line(2));
    house.write_home("s.jsonl", transcript.as_bytes());
    let path = house.home().join("s.jsonl").display().to_string();
    assert_ne!(house.run(&["import", &path, "--agent", "claude-code"], "").status, 2);
    let large: String = (0..20_000).map(|row| format!("row {} of the table\n", row % 10)).collect();
    let large = serde_json::json!({ "role": "tool", "content": large }).to_string();
    assert_eq!(house.run(&["ingest", "--conversation", "large"], &large).status, 0);
    let small = [("EPITOME_MEMORY_LEAF_CHUNK_TOKENS", "300"), ("EPITOME_MEMORY_LEAF_TARGET_TOKENS", "120")];
    assert_eq!(house.run_with(&small, &["compact", "talk"], "").status, 0);
    assert_eq!(house.run(&["remember", "The quokka is fed at noon."], "").status, 0);
}

#[expect(clippy::disallowed_methods, reason = "a developer asks for it as for every other expectation")]
fn is_update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

/// Writes the kept databases of schemas that have none yet.
fn write_kept_databases() {
    if (1..=STEPS.len()).all(|version| kept_path(version).exists()) {
        return;
    }
    let house = House::new(&[]);
    play_day(&house);
    for (at, _) in STEPS.iter().enumerate() {
        let version = at + 1;
        if kept_path(version).exists() {
            continue;
        }
        let database = Connection::open_in_memory().expect("opens");
        for step in &STEPS[..version] {
            database.execute_batch(step).expect("a step");
        }
        let day = house.home().join("data/epitome.db").display().to_string();
        database.execute("ATTACH ?1 AS day", [day]).expect("attaches");
        database.execute_batch("PRAGMA foreign_keys = off").expect("a setting");
        if version >= FIRST_SUMMED {
            // The step made a row, in whose place that of the day comes.
            database.execute_batch("DELETE FROM main.store_state").expect("a row");
        }
        let later = |table: &str| -> Vec<String> {
            let mut statement = database.prepare("SELECT name FROM pragma_table_info(?1, 'day')").expect("a statement");
            let names = statement.query_map([table], |row| row.get(0)).expect("rows");
            names.map(|name| name.expect("a name")).collect()
        };
        for (table, columns) in tables(&database) {
            let columns: Vec<String> = columns.into_iter().filter(|column| later(&table).contains(column)).collect();
            if columns.is_empty() {
                continue;
            }
            let columns = columns.join(", ");
            let sql = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM day.{table}");
            database.execute_batch(&sql).expect("rows of the day");
        }
        if version < 6 {
            let sql = "INSERT INTO message_terms (rowid, terms) SELECT number, message_id FROM messages";
            database.execute_batch(sql).expect("terms");
        }
        if version < FIRST_SUMMED {
            for (_, sql) in MORE_ROWS.iter().filter(|(since, _)| *since <= version) {
                database.execute_batch(sql).expect(sql);
            }
        }
        let text = dump(&database, version, &house.home());
        fs_err::create_dir_all(kept_path(version).parent().expect("a folder")).expect("a folder");
        fs_err::write(kept_path(version), text).expect("the tree is ours");
    }
}

/// A database as SQL, with the files that belong to it.
fn dump(database: &Connection, version: usize, home: &Path) -> String {
    let mut text = format!("-- A database of schema {version}, kept as it was. Never written again.\n");
    for file in files_below(home, home) {
        let is_kept = (version >= 3 && file.starts_with("data/artifacts"))
            || file.ends_with("scrub.key")
            || (version >= FIRST_SUMMED && file.starts_with("state/anchors"));
        if is_kept {
            let bytes = fs_err::read(home.join(&file)).expect("a file");
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "{FILE_LINE}{} {hex}", file.display());
        }
    }
    // Rows stand in the order of their tables' names, which is not that of what they refer to.
    text.push_str("PRAGMA foreign_keys = off;\nBEGIN;\n");
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                 AND name NOT LIKE 'message\\_terms\\_%' ESCAPE '\\' AND type = ?1 ORDER BY rowid";
    let objects = |kind: &str| -> Vec<String> {
        let mut statement = database.prepare(sql).expect("a statement");
        let found = statement.query_map([kind], |row| row.get(0)).expect("rows");
        found.map(|sql| sql.expect("a statement")).collect()
    };
    for sql in objects("table") {
        let _ = writeln!(text, "{sql};");
    }
    for (table, columns) in tables(database) {
        let names = columns.join(", ");
        if table == "message_terms" {
            // Its words cannot be read back; that some are there is enough.
            text.push_str("INSERT INTO message_terms (rowid, terms) VALUES (1, 'the quokka port');\n");
            continue;
        }
        for row in rows(database, &table, &columns) {
            let _ = writeln!(text, "INSERT INTO {table} ({names}) VALUES ({row});");
        }
    }
    for kind in ["index", "trigger"] {
        for sql in objects(kind) {
            let _ = writeln!(text, "{sql};");
        }
    }
    let _ = writeln!(text, "PRAGMA user_version = {version};\nCOMMIT;");
    text
}

/// The files below a folder, by their paths.
fn files_below(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(root, &path));
        } else {
            found.push(path.strip_prefix(root).expect("it is below").to_owned());
        }
    }
    found.sort();
    found
}
