//! A server watches what has an index, under version control or not, and then no question walks the tree.

#![cfg(target_os = "linux")]

use crate::process::{Era, Place, Session, quiet};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How many directories and files the system watches for a process.
fn watches(session: &Session<'_>) -> usize {
    let folder = format!("/proc/{}/fdinfo", session.process());
    let entries = fs_err::read_dir(folder).expect("the process runs").filter_map(Result::ok);
    // One that was closed meanwhile watches nothing.
    let told: Vec<String> = entries.filter_map(|entry| fs_err::read_to_string(entry.path()).ok()).collect();
    told.iter().flat_map(|told| told.lines()).filter(|line| line.starts_with("inotify ")).count()
}

/// Waits until the server watches this many.
fn wait_for_watches(session: &Session<'_>, least: usize) {
    let started = Instant::now();
    while watches(session) < least {
        assert!(started.elapsed() < Duration::from_mins(1), "only {} watches", watches(session));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn finds(session: &mut Session<'_>, word: &str) -> bool {
    let result = session.call("epitome", json!({ "operation": "search", "query": word, "strategy": "keyword" }));
    assert_eq!(result["isError"], Value::Bool(false), "{result}");
    result["content"][0]["text"].as_str().expect("text").contains(".py:")
}

#[test]
fn a_plain_directory_is_watched_once_a_question_made_its_index() {
    let place = Place::with_project(&[("src/a.py", "def alpha(): pass\n")]);
    let mut session = place.open("core", Era::Stateless);
    assert_eq!(session.call("epitome", json!({ "operation": "status" }))["isError"], Value::Bool(false));
    assert_eq!(watches(&session), 0, "nobody asked about its files");
    assert!(finds(&mut session, "alpha"));
    // The root, the folder below it, and the bell by which a question hears of every save before it.
    wait_for_watches(&session, 3);
    fs_err::write(place.project.path().join("src/a.py"), "def beta(): pass\n").expect("a save");
    assert!(finds(&mut session, "beta"));
    assert!(!finds(&mut session, "alpha"));
    assert_eq!(session.end(), quiet());
}

#[test]
fn a_plain_directory_that_has_an_index_is_watched_from_the_start() {
    let place = Place::with_project(&[("src/a.py", "def alpha(): pass\n")]);
    let mut session = place.open("core", Era::Stateless);
    assert!(finds(&mut session, "alpha"));
    assert_eq!(session.end(), quiet());
    let session = place.open("core", Era::Stateless);
    wait_for_watches(&session, 3);
    assert_eq!(session.end(), quiet());
}

#[test]
fn while_a_plain_directory_is_watched_no_question_looks_at_its_files() {
    let place = Place::with_project(&[("src/a.py", "def alpha(): pass\n")]);
    let mut session = place.open("core", Era::Stateless);
    assert!(finds(&mut session, "alpha"));
    wait_for_watches(&session, 3);
    assert!(finds(&mut session, "alpha"));
    // The system tells who watches a folder nothing of what is written by another name of the file: only a question
    // that looks at the files themselves could know of it.
    let other = place.home.path().join("other name.py");
    fs_err::hard_link(place.project.path().join("src/a.py"), &other).expect("a second name");
    fs_err::write(&other, "def beta(): return 1\n").expect("a save");
    assert!(finds(&mut session, "alpha") && !finds(&mut session, "beta"));
    // What is told is looked at.
    fs_err::write(place.project.path().join("src/a.py"), "def gamma(): return 1\n").expect("a save");
    assert!(finds(&mut session, "gamma"));
    assert_eq!(session.end(), quiet());
}
