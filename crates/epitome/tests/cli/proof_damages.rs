//! A hundred damages of bits and pages of the database, each repeatable by its seed: every answer is right, or an error,
//! or says that something is damaged, and `verify` says "ok" only where every row is as it was. What can be read is
//! salvaged from each of them.

use super::house::{Ended, House};
use super::proof::{FilledHome, filled};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::Path;

/// Questions whose answers are compared. Those of the second kind leave out what is damaged, and say so.
const QUESTIONS: [(&[&str], bool); 8] = [
    (&["history", "--conversation", "alpha", "--limit", "1000", "--json"], false),
    (&["history", "--conversation", "beta", "--limit", "1000", "--json"], false),
    (&["history", "--conversation", "folded", "--limit", "1000", "--json"], false),
    (&["history", "--conversation", "large", "--limit", "1000", "--json"], false),
    (&["export", "claude-code:s"], false),
    (&["grep", "step 7", "--within", "all", "--limit", "1000", "--json"], true),
    (&["grep", "quantum", "--within", "all", "--limit", "1000", "--json"], true),
    (&["recall", "beta 12 quantum", "--within", "all", "--json"], true),
];

/// Numbers that look random and are the same for a seed, everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// Damages the file, and says how.
fn damage(path: &Path, seed: u64) -> String {
    let mut bytes = fs_err::read(path).expect("the database");
    let page = 8_192;
    let pages = bytes.len() / page;
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..4 {
        chance.below(2);
    }
    let what = match seed % 4 {
        0 | 1 => {
            // Half of a small database is empty space: bytes in use are damaged, and not those.
            let at = std::iter::repeat_with(|| chance.below(bytes.len())).find(|at| bytes[*at] != 0).expect("a byte");
            let bit = chance.below(8);
            bytes[at] ^= 1 << bit;
            format!("bit {bit} of byte {at} is flipped")
        }
        2 => {
            let number = 1 + chance.below(pages - 1);
            let start = number * page + chance.below(2) * page / 2;
            bytes[start..(number + 1) * page].fill(0);
            format!("page {} is zero from byte {start}", number + 1)
        }
        _ => {
            let (from, to) = (1 + chance.below(pages - 1), 1 + chance.below(pages - 1));
            bytes.copy_within(from * page..(from + 1) * page, to * page);
            format!("page {} lies where page {} was", from + 1, to + 1)
        }
    };
    fs_err::write(path, bytes).expect("our own file");
    what
}

/// Every row of every table, as SQLite gives them; none where it does not.
fn all_rows(path: &Path) -> Option<Vec<Vec<Value>>> {
    let db = Connection::open(path).ok()?;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let names: Vec<String> =
        db.prepare(sql).ok()?.query_map([], |row| row.get(0)).ok()?.collect::<rusqlite::Result<_>>().ok()?;
    let mut all = Vec::new();
    for name in names {
        let mut statement = db.prepare(&format!("SELECT * FROM {name} NOT INDEXED")).ok()?;
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|column| row.get(column)).collect());
        let mut rows: Vec<Vec<Value>> = rows.ok()?.collect::<rusqlite::Result<_>>().ok()?;
        rows.sort_by_key(|row| format!("{row:?}"));
        all.extend(rows);
    }
    Some(all)
}

fn ask(house: &House) -> Vec<Ended> {
    QUESTIONS.iter().map(|(question, _)| house.run(question, "")).collect()
}

fn is_right(right: &Ended, found: &Ended, may_leave_out: bool) -> bool {
    let is_refused = found.status != 0 && !found.stderr.is_empty() | found.stdout.contains("\"error\"");
    let is_same = (right.status, &right.stdout) == (found.status, &found.stdout);
    let says_so = may_leave_out && found.stdout.contains("damaged");
    is_same || is_refused || says_so
}

/// Checks every fourth seed from a first one on.
fn survive(first: u64) {
    let home: FilledHome = filled();
    let right = ask(&home.house);
    assert!(right.iter().all(|ended| ended.status == 0), "{:?}", right.iter().map(Ended::shown).collect::<Vec<_>>());
    home.put_back("data");
    home.put_back("state");
    let rows = all_rows(&home.database()).expect("a whole database");
    let (mut harmless, mut told, mut wrong) = (0, 0, Vec::new());
    for seed in (first..100).step_by(4) {
        home.put_back("data");
        home.put_back("state");
        let what = damage(&home.database(), seed);
        let is_whole = all_rows(&home.database()).is_some_and(|found| found == rows);
        let damaged = fs_err::read(home.database()).expect("reads");
        let verified = home.house.run(&["verify"], "");
        if !is_whole && verified.status == 0 {
            wrong.push(format!("seed {seed}, {what}: wrong and ok"));
        }
        (harmless, told) = if verified.status == 0 { (harmless + 1, told) } else { (harmless, told + 1) };
        fs_err::write(home.database(), damaged).expect("writes");
        for (((question, may_leave_out), right), found) in QUESTIONS.iter().zip(&right).zip(ask(&home.house)) {
            if !is_right(right, &found, *may_leave_out) {
                wrong.push(format!("seed {seed}, {what}: {question:?} is wrong\n{}{}", right.shown(), found.shown()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(told > 2, "{told} told, {harmless} harmless");
}

#[test]
fn damages_are_told_and_no_answer_is_wrong_1() {
    survive(0);
}

#[test]
fn damages_are_told_and_no_answer_is_wrong_2() {
    survive(1);
}

#[test]
fn damages_are_told_and_no_answer_is_wrong_3() {
    survive(2);
}

#[test]
fn damages_are_told_and_no_answer_is_wrong_4() {
    survive(3);
}

/// Lines of all files below a folder.
fn lines_below(folder: &Path) -> usize {
    let Ok(entries) = fs_err::read_dir(folder) else { return 0 };
    entries
        .map(|entry| fs_err::read_to_string(entry.expect("an entry").path()).map_or(0, |it| it.lines().count()))
        .sum()
}

#[test]
fn a_whole_store_is_salvaged_whole() {
    let home = filled();
    let out = home.house.home().join("out");
    let ended = home.house.run(&["salvage", "--out", &out.display().to_string()], "");
    assert_eq!(ended.status, 0, "{}", ended.shown());
    let db = Connection::open(home.database()).expect("opens");
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("asks") as usize;
    assert_eq!(lines_below(&out.join("conversations")), count("SELECT count(*) FROM messages"));
    let exported = home.house.run(&["export", "claude-code:s"], "").stdout;
    let mut transcripts = fs_err::read_dir(out.join("transcripts")).expect("transcripts");
    let transcript = transcripts.next().expect("one").expect("an entry").path();
    assert_eq!(fs_err::read_to_string(transcript).expect("reads"), exported);
    assert_eq!(
        fs_err::read_dir(out.join("artifacts")).expect("artifacts").count(),
        count("SELECT count(*) FROM artifacts")
    );
    let texts = count("SELECT (SELECT count(*) FROM summaries) + (SELECT count(*) FROM memories)");
    assert_eq!(fs_err::read_dir(out.join("texts")).expect("texts").count(), texts);
    // What was got out goes in again.
    let again = House::new(&[]);
    for name in fs_err::read_dir(out.join("conversations")).expect("conversations") {
        let lines = fs_err::read_to_string(name.expect("an entry").path()).expect("reads");
        let taken = again.run(&["ingest", "--conversation", "again"], &lines);
        assert_eq!(taken.status, 0, "{}", taken.shown());
    }
    let refused = home.house.run(&["salvage", "--out", &out.display().to_string()], "");
    assert_eq!(refused.status, 2, "{}", refused.shown());
}

#[test]
fn a_database_that_opens_no_more_is_salvaged_with_a_list() {
    let home = filled();
    let mut bytes = fs_err::read(home.database()).expect("reads");
    bytes[..8_192].fill(0xa5);
    fs_err::write(home.database(), &bytes).expect("writes");
    assert_eq!(home.verify_status(), 5);
    let out = home.house.home().join("out");
    let ended = home.house.run(&["salvage", "--out", &out.display().to_string()], "");
    assert!(matches!(ended.status, 0 | 5), "{}", ended.shown());
    assert_eq!(lines_below(&out.join("conversations")), 30 + 30 + 1 + 60 + 100, "{}", ended.shown());
}

#[test]
fn what_cannot_be_salvaged_is_listed() {
    let home = filled();
    let mut bytes = fs_err::read(home.database()).expect("reads");
    // Pages that were split still have the words in what is free of them.
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"beta 12 quantum")).collect();
    assert!(!places.is_empty());
    for page in places.into_iter().map(|place| place / 8_192) {
        bytes[page * 8_192..(page + 1) * 8_192].fill(0);
    }
    fs_err::write(home.database(), &bytes).expect("writes");
    let out = home.house.home().join("out");
    let ended = home.house.run(&["salvage", "--out", &out.display().to_string()], "");
    assert_eq!(ended.status, 5, "{}", ended.shown());
    let list = fs_err::read_to_string(out.join("UNREADABLE.txt")).expect("a list");
    assert!(list.contains("of 30 messages are missing: "), "{list}");
    assert!(ended.stdout.contains("could not be read"), "{}", ended.shown());
}
