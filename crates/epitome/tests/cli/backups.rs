//! `backup create` and `backup load`: what is written while others write, and what is put back.

use super::house::House;
use serde_json::{Value, json};

fn json_of(house: &House, arguments: &[&str]) -> Value {
    let outcome = house.run(arguments, "");
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {}", outcome.shown()))
}

fn say(house: &House, id: &str, text: &str) {
    let line = json!({ "role": "user", "content": text, "id": id }).to_string();
    let told = house.run(&["ingest", "--conversation", "talk"], &line);
    assert_eq!(told.status, 0, "{}", told.shown());
}

/// A store with messages, an artifact, a secret and a memory.
fn house_with_data() -> House {
    let house = House::new(&[]);
    say(&house, "m1", "We use integer cents. DB_PASSWORD=Summer2024!");
    say(&house, "m2", &"row of a long table\n".repeat(5_000));
    assert_eq!(house.run(&["remember", "the gate opens at nine"], "").status, 0);
    house
}

#[test]
fn a_backup_is_put_back_whole_into_another_home() {
    let house = house_with_data();
    let kept = tempfile::tempdir().expect("a folder");
    let file = kept.path().join("monday.epitome");
    let file = file.to_str().expect("a path");
    let made = house.run(&["backup", "create", file], "");
    assert_eq!(made.status, 0, "{}", made.shown());
    let again = house.run(&["backup", "create", file], "");
    assert!(again.status != 0 && again.stderr.contains("a backup overwrites none"), "{}", again.shown());

    let other = House::new(&[]);
    let loaded = json_of(&other, &["backup", "load", file, "--json"]);
    assert_eq!(
        (&loaded["ok"], &loaded["messages"], &loaded["aside"]),
        (&json!(true), &json!(2), &Value::Null),
        "{loaded}"
    );
    let verified = other.run(&["verify"], "");
    assert!(verified.status == 0 && verified.stdout.contains("backup of "), "{}", verified.shown());
    let shown = |house: &House| house.run(&["history", "--conversation", "talk", "--within", "all"], "").stdout;
    assert_eq!(shown(&other), shown(&house));
    let found = other.run(&["recall", "integer cents", "--within", "all"], "");
    assert!(found.stdout.contains("We use integer cents"), "{}", found.shown());
    // The key came along: the same secret gets the same placeholder.
    let line = json!({ "role": "user", "content": "DB_PASSWORD=Summer2024!", "id": "m3" }).to_string();
    assert_eq!(other.run(&["ingest", "--conversation", "talk"], &line).status, 0);
    let history = shown(&other);
    let placeholders: Vec<&str> = history.match_indices("[secret:").map(|(at, _)| &history[at..at + 26]).collect();
    assert!(placeholders.len() == 2 && placeholders[0] == placeholders[1], "{history}");
    assert_eq!(other.run(&["verify"], "").status, 0);
}

#[test]
fn a_store_that_is_there_is_moved_aside_and_never_overwritten() {
    let house = house_with_data();
    let kept = tempfile::tempdir().expect("a folder");
    let file = kept.path().join("monday.epitome");
    let file = file.to_str().expect("a path");
    assert_eq!(house.run(&["backup", "create", file], "").status, 0);
    say(&house, "late", "said after the backup");
    let refused = house.run(&["backup", "load", file], "");
    assert!(refused.status != 0 && refused.stderr.contains("--replace"), "{}", refused.shown());
    let loaded = house.run(&["backup", "load", file, "--replace", "--json"], "");
    let reply: Value = serde_json::from_str(&loaded.stdout).unwrap_or_else(|_| panic!("{}", loaded.shown()));
    assert_eq!((&reply["ok"], &reply["messages"]), (&json!(true), &json!(2)), "{reply}");
    // What is given up is told, and can still be read where it was moved to.
    assert!(reply["given_up"].as_array().is_some_and(|given_up| !given_up.is_empty()), "{reply}");
    let aside = house
        .home()
        .join("data")
        .join(reply["aside"].as_str().and_then(|path| path.rsplit('/').next()).expect("a path"));
    let told = house.run_with(
        &[("EPITOME_DATABASE_FOLDER", aside.to_str().expect("a path"))],
        &["history", "--conversation", "talk", "--within", "all"],
        "",
    );
    assert!(told.stdout.contains("said after the backup"), "{}", told.shown());
    assert_eq!(house.run(&["verify"], "").status, 0);
}

#[test]
fn a_file_that_is_no_backup_changes_nothing() {
    let house = house_with_data();
    let kept = tempfile::tempdir().expect("a folder");
    let file = kept.path().join("monday.epitome");
    let path = file.to_str().expect("a path");
    assert_eq!(house.run(&["backup", "create", path], "").status, 0);
    let whole = fs_err::read(&file).expect("the backup");
    for (name, bytes) in [("text", b"not a database".to_vec()), ("cut", whole[..whole.len() / 2].to_vec())] {
        let broken = kept.path().join(name);
        fs_err::write(&broken, bytes).expect("a file");
        let refused = house.run(&["backup", "load", broken.to_str().expect("a path"), "--replace"], "");
        assert_ne!(refused.status, 0, "{name}: {}", refused.shown());
        assert!(house.run(&["history", "--conversation", "talk"], "").stdout.contains("integer cents"), "{name}");
    }
    let mut damaged = whole.clone();
    let place = damaged.windows(13).position(|window| window == b"integer cents").expect("the text of a message");
    damaged[place] ^= 1;
    let broken = kept.path().join("flipped");
    fs_err::write(&broken, damaged).expect("a file");
    let other = House::new(&[]);
    let loaded = other.run(&["backup", "load", broken.to_str().expect("a path")], "");
    assert_eq!(loaded.status, 5, "{}", loaded.shown());
}
