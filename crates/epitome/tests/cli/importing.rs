//! What an import says of files that are no transcripts.

use super::defects::json_of;
use super::house::House;
use expect_test::expect;

#[test]
fn what_lies_beside_transcripts_is_counted() {
    let house = House::new(&[("talks/notes.md", "no transcript")]);
    expect![[r#"
        1 file beside the transcripts left alone: PROJECT/talks/notes.md
        0 transcripts, 0 lines and 0 messages new
        took N s
        (exit 3)
    "#]]
    .assert_eq(&house.run(&["import", "talks"], "").shown());
}

/// Lines of a kind that says nothing, and of one that nobody knows.
const SILENT_LINES: &str = "{\"type\":\"file-history-snapshot\",\"messageId\":\"m1\",\"snapshot\":{}}
{\"type\":\"telepathy\",\"uuid\":\"u1\",\"sessionId\":\"s\"}
{\"type\":\"telepathy\",\"uuid\":\"u2\",\"sessionId\":\"s\"}
";

#[test]
fn lines_without_a_message_are_told_wherever_somebody_looks() {
    let house = House::new(&[("talks/s.jsonl", SILENT_LINES)]);
    let said = "no message in 3 lines: 2 `telepathy`, 1 `file-history-snapshot`";
    for arguments in [&["import", "talks", "--dry-run"][..], &["import", "talks"], &["import", "talks"]] {
        let imported = house.run(arguments, "").shown();
        assert!(imported.contains(&format!("  warning: {said}; the lines are kept\n")), "{imported}");
    }
    let status = house.run(&["status"], "").shown();
    assert!(status.contains(&format!("talks/s.jsonl: {said}\n")), "{status}");
    let doctor = house.run(&["doctor"], "").shown();
    assert!(doctor.contains(&format!("talks/s.jsonl: {said}\n")), "{doctor}");
    // What speaks is no longer told of.
    let line = r#"{"type":"user","uuid":"u3","sessionId":"s","message":{"role":"user","content":"hi"}}"#;
    house.write("talks/s.jsonl", format!("{SILENT_LINES}{line}\n").as_bytes());
    assert!(!house.run(&["import", "talks"], "").shown().contains("warning"));
    assert!(!house.run(&["status"], "").shown().contains("warning"));
}

#[test]
fn two_tasks_with_one_file_name_are_two_conversations() {
    let house = House::new(&[]);
    let file = |task: &str| format!("tasks/{task}/api_conversation_history.json");
    house.write_home(&file("1"), br#"[{"role":"user","content":"the first pangolin"}]"#);
    house.write_home(&file("2"), br#"[{"role":"user","content":"the second pangolin"}]"#);
    let tasks = house.home().join("tasks");
    let import = || json_of(&house, &["import", &tasks.display().to_string()]);
    import();
    let imported = import();
    let names: Vec<&str> = (0..2).filter_map(|task| imported["conversations"][task]["name"].as_str()).collect();
    assert_ne!(names[0], names[1]);
    for (name, task) in names.into_iter().zip(["1", "2"]) {
        let written = fs_err::read_to_string(house.home().join(file(task)));
        assert_eq!(house.run(&["export", name], "").stdout, written.expect("a file"), "{name}");
    }
    // Elsewhere it is still the same conversation.
    fs_err::rename(tasks.join("1"), tasks.join("moved")).expect("a folder");
    let moved = import();
    let of = |wanted: &str| {
        let all = moved["conversations"].as_array().expect("a list");
        all.iter().find(|shown| shown["standing"] == wanted).cloned().unwrap_or_default()
    };
    assert_eq!(
        (&of("moved")["name"], &of("moved")["new_messages"]),
        (&imported["conversations"][0]["name"], &0.into())
    );
}
