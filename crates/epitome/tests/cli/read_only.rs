//! A home that cannot be written: what is in it can be read and proved whole, and what would be written is refused.

use super::house::{Ended, House};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

/// Nobody's user: the one who runs the tests may be root, who may write anywhere.
const NOBODY: u32 = 65_534;

/// Takes the right to write from everything below a folder, and gives the right to read.
fn make_read_only(folder: &Path) {
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            make_read_only(&path);
        } else {
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("our own file");
        }
    }
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o555)).expect("our own folder");
}

fn make_writable(folder: &Path) {
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).expect("our own folder");
    for entry in fs_err::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            make_writable(&path);
        }
    }
}

fn run_as_nobody(house: &House, arguments: &[&str], input: &str) -> Ended {
    use std::io::Write as _;
    let mut command = house.command(arguments);
    let is_root = fs_err::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    let pipe = std::process::Stdio::piped;
    let mut child = command.stdin(pipe()).stdout(pipe()).stderr(pipe()).spawn().expect("the binary starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ended { status: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[test]
fn a_home_that_cannot_be_written_is_read_and_proved() {
    let house = House::new(&[("src/a.rs", "pub fn quokka() {}\n")]);
    let project = house.command(&[]).get_current_dir().expect("a directory").to_owned();
    let message = r#"{"role":"user","content":"the quokka port is 5432"}"#;
    assert_eq!(house.run(&["ingest", "--conversation", "demo"], message).status, 0);
    for arguments in [&["recall", "quokka port"][..], &["search", "quokka"], &["status"]] {
        assert_eq!(house.run(arguments, "").status, 0, "{arguments:?}");
    }
    fs_err::set_permissions(&project, std::fs::Permissions::from_mode(0o755)).expect("our own folder");
    make_read_only(&house.home());
    let mut rows = Vec::new();
    for (arguments, found) in [
        (&["history", "--conversation", "demo"][..], "the quokka port is 5432"),
        (&["grep", "quokka"], "the quokka port is 5432"),
        (&["recall", "quokka port"], "the quokka port is 5432"),
        (&["verify"], "ok: 1 message"),
        (&["status"], "conversations  1 with 1 message"),
        (&["describe", "demo"], "messages        1"),
        (&["tree"], "a.rs"),
        (&["search", "quokka"], "src/a.rs"),
        (&["read", "src/a.rs"], "pub fn quokka"),
    ] {
        let ended = run_as_nobody(&house, arguments, "");
        rows.push((ended.status == 0 && ended.stdout.contains(found), format!("{arguments:?}: {}", ended.shown())));
    }
    let refused = run_as_nobody(&house, &["ingest", "--conversation", "demo"], message);
    make_writable(&house.home());
    let failed: Vec<&String> = rows.iter().filter(|(is_right, _)| !is_right).map(|(_, shown)| shown).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(refused.status == 1 && refused.stderr.contains("cannot write"), "{}", refused.shown());
}

/// Ingests messages until they are acknowledged, and kills the process: what it wrote is in the log of the database.
fn ingest_and_kill(house: &House, lines: &[&str]) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let pipe = std::process::Stdio::piped;
    let mut command = house.command(&["ingest", "--conversation", "demo"]);
    let mut child = command.stdin(pipe()).stdout(pipe()).stderr(pipe()).spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for line in lines {
        writeln!(input, "{line}").expect("it reads");
        let mut acknowledged = String::new();
        output.read_line(&mut acknowledged).expect("a line");
        assert!(acknowledged.contains("message_id"), "{acknowledged}");
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn a_log_that_a_killed_writer_left_is_read_where_nothing_can_be_written() {
    for has_shared_memory in [true, false] {
        let house = House::new(&[]);
        let line = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
        let [first, second] = ["the quokka port is 5432", "the wombat port is 5433"].map(line);
        ingest_and_kill(&house, &[&first, &second]);
        let data = house.home().join("data");
        assert!(fs_err::metadata(data.join("epitome.db-wal")).is_ok_and(|log| log.len() > 0), "the log is left");
        if !has_shared_memory {
            fs_err::remove_file(data.join("epitome.db-shm")).expect("it is there");
        }
        fs_err::set_permissions(house.home(), std::fs::Permissions::from_mode(0o755)).expect("our own folder");
        make_read_only(&house.home());
        let told: Vec<(Ended, &str)> = [
            (&["history", "--conversation", "demo"][..], "the wombat port is 5433"),
            (&["grep", "wombat"], "the wombat port is 5433"),
            (&["recall", "wombat port"], "the wombat port is 5433"),
            (&["verify"], "ok: 2 messages"),
        ]
        .map(|(arguments, found)| (run_as_nobody(&house, arguments, ""), found))
        .into();
        make_writable(&house.home());
        for (ended, found) in told {
            assert!(ended.status == 0 && ended.stdout.contains(found), "{has_shared_memory}: {}", ended.shown());
        }
    }
}

#[test]
fn code_that_changed_since_it_was_indexed_is_found_where_nothing_can_be_written() {
    let house = House::new(&[("src/a.rs", "pub fn quokka() {}\n")]);
    let project = house.command(&[]).get_current_dir().expect("a directory").to_owned();
    assert_eq!(house.run(&["search", "quokka"], "").status, 0);
    house.write("src/a.rs", b"pub fn quokka() {}\n\npub fn wombat() { quokka() }\n");
    house.write("src/b.rs", b"pub fn numbat() {}\n");
    fs_err::set_permissions(&project, std::fs::Permissions::from_mode(0o755)).expect("our own folder");
    make_read_only(&house.home());
    let told: Vec<(Ended, &str)> = [
        (&["search", "wombat"][..], "src/a.rs"),
        (&["search", "numbat"], "src/b.rs"),
        (&["relations", "src/a.rs#quokka"], "wombat"),
        (&["context", "where is wombat"], "pub fn wombat"),
        (&["tree"], "b.rs"),
    ]
    .map(|(arguments, found)| (run_as_nobody(&house, arguments, ""), found))
    .into();
    make_writable(&house.home());
    for (ended, found) in told {
        assert!(ended.status == 0 && ended.stdout.contains(found), "{}", ended.shown());
    }
}

#[test]
fn a_schema_number_that_was_lowered_is_named_without_our_statements() {
    let house = House::new(&[]);
    house.run(&["status"], "");
    let database = rusqlite::Connection::open(house.home().join("data/epitome.db")).expect("a database");
    database.pragma_update(None, "user_version", 1).expect("a lower version");
    drop(database);
    let ended = house.run(&["history"], "");
    assert_eq!(ended.status, 5, "{}", ended.shown());
    assert!(ended.stderr.contains("its tables are not those of schema 1, which it says it has"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("CREATE") && !ended.stderr.contains("-- "), "{}", ended.stderr);
}
