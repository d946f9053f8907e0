//! The daemon that hooks leave behind: there is one, it answers as hooks do, and it never stays longer than it should.

use super::host::{Host, Writes};
use super::house::House;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A house in which hooks leave a daemon behind, for so many seconds without an event.
pub(crate) fn with_daemon(files: &[(&str, &str)], seconds: u32) -> House {
    let mut house = House::new(files);
    house.daemon_seconds = seconds;
    house
}

fn status(house: &House) -> Value {
    serde_json::from_str(&house.run(&["daemon", "status", "--json"], "").stdout).expect("JSON")
}

/// Its process, once one runs.
fn process(house: &House) -> u64 {
    let mut process = None;
    until("a daemon runs", || {
        process = status(house)["process"].as_u64();
        process.is_some()
    });
    process.expect("one runs")
}

fn is_there(process: u64) -> bool {
    // One that has ended and that nobody asked about is none.
    let stat = fs_err::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..1_200 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}: it did not come to that within a minute");
}

fn kill(process: u64) {
    assert!(Command::new("kill").args(["-9", &process.to_string()]).status().expect("kill").success());
}

const QUESTION: &str = "What about the quixotic header parser and its bytes?";

/// A session that says something worth telling to the next one.
fn say_something(house: &House) {
    let mut host = Host::new(house, "before", Writes::Nothing);
    host.prompt("The quixotic header parser counts bytes instead of characters.");
    host.end();
    house.run(&["drain"], "");
}

#[test]
fn it_answers_as_a_hook_does_by_itself_and_nothing_twice() {
    let told = |house: &House| {
        say_something(house);
        let mut host = Host::new(house, "after", Writes::Nothing);
        let first = host.prompt(QUESTION);
        // Ids and times are those of this house.
        let words = first.lines().map(|line| line.split_once("): ").map_or(line, |(_, said)| said));
        (words.collect::<Vec<_>>().join("\n"), host.prompt(QUESTION))
    };
    let alone = told(&House::new(&[]));
    assert!(alone.0.contains("counts bytes instead of characters") && alone.1.is_empty(), "{alone:?}");

    let house = with_daemon(&[], 600);
    let one = process_after_a_prompt(&house);
    let helped = told(&house);
    assert_eq!(helped, alone);
    assert_eq!(process(&house), one, "the same one did all of it");
    // Who asks is told by one; another one sees that, and ends.
    assert_eq!(house.run(&["daemon"], "").status, 0);
    assert_eq!(process(&house), one);
    let stopped = house.run(&["daemon", "stop"], "");
    assert_eq!((stopped.status, stopped.stdout.as_str()), (0, "leaves\n"));
    until("it left", || !is_there(one));
    assert_eq!(status(&house)["running"], false);
}

/// A prompt leaves a daemon behind.
fn process_after_a_prompt(house: &House) -> u64 {
    Host::new(house, "first", Writes::Nothing).prompt("Good morning.");
    process(house)
}

#[test]
fn it_takes_in_what_hooks_leave_without_being_asked() {
    let house = with_daemon(&[], 600);
    let mut host = Host::new(&house, "s", Writes::Nothing);
    host.prompt("The axolotl sleeps.");
    host.say("It does.");
    let spool = house.home().join("data/spool/events.spool");
    until("the spool is empty", || fs_err::metadata(&spool).is_ok_and(|spool| spool.len() == 0));
    let found = house.run(&["grep", "axolotl", "--json"], "");
    assert!(found.stdout.contains("The axolotl sleeps."), "{}", found.shown());
}

#[test]
fn it_leaves_when_nothing_happens_or_its_place_is_gone() {
    let house = with_daemon(&[], 1);
    let one = process_after_a_prompt(&house);
    until("it left, as nothing happened", || !is_there(one));

    let house = with_daemon(&[], 600);
    let one = process_after_a_prompt(&house);
    drop(house);
    until("it left, as its home is gone", || !is_there(one));
}

#[test]
fn a_newer_program_takes_its_place() {
    let house = with_daemon(&[], 600);
    let one = process_after_a_prompt(&house);
    let mut stream = UnixStream::connect(house.home().join("state/daemon.sock")).expect("it listens");
    stream.write_all(b"{\"version\":\"99.0.0\",\"ask\":\"what nobody knows yet\"}\n").expect("a line");
    let mut reply = String::new();
    BufReader::new(stream).read_line(&mut reply).expect("a reply");
    let reply: Value = serde_json::from_str(&reply).expect("JSON");
    assert_eq!(reply["outcome"], "declined");
    until("it left", || !is_there(one));
    assert_ne!(process_after_a_prompt(&house), one);
}

#[test]
fn it_leaves_when_its_program_was_replaced() {
    let house = with_daemon(&[], 600);
    let program = house.home().join("epitome");
    let built = Path::new(env!("CARGO_BIN_EXE_epitome"));
    if fs_err::hard_link(built, &program).is_err() {
        fs_err::copy(built, &program).expect("a copy");
    }
    let mut command = Command::new(&program);
    command.arg("daemon").current_dir(house.home()).env_clear().env("HOME", house.home());
    command.env("EPITOME_HOME", house.home()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    assert_eq!(process(&house), u64::from(child.id()));
    let newer = house.home().join("newer");
    fs_err::write(&newer, "another version").expect("a file");
    fs_err::rename(newer, &program).expect("it is installed");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn it_leaves_when_the_last_agent_is_disconnected() {
    let house = with_daemon(&[], 600);
    let agents = ["init", "--yes", "--agent", "claude-code", "--agent", "codex"];
    assert_eq!(house.run(&agents, "").status, 0);
    let one = process_after_a_prompt(&house);
    house.run(&["disconnect", "--yes", "--agent", "codex"], "");
    assert_eq!(process(&house), one, "Claude Code still calls it");
    let gone = house.run(&["disconnect", "--yes"], "");
    assert!(gone.stdout.ends_with("the daemon leaves\n"), "{}", gone.shown());
    until("it left", || !is_there(one));
}

#[test]
fn one_that_is_killed_is_missed_by_nobody() {
    let house = with_daemon(&[], 600);
    say_something(&house);
    let mut killed = Vec::new();
    for round in 0..3 {
        let mut host = Host::new(&house, &format!("round{round}"), Writes::Nothing);
        assert!(host.prompt(QUESTION).contains("counts bytes instead of characters"), "round {round}");
        let one = process(&house);
        assert!(!killed.contains(&one));
        kill(one);
        until("it is gone", || !is_there(one));
        killed.push(one);
    }
    house.run(&["drain"], "");
    let said = house.run(&["grep", "quixotic header parser and", "--mode", "full_text", "--json"], "");
    let said: Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!(said["total"], 3, "each round's question is stored once");
}
