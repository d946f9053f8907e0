//! Secrets with the real binary: none of them reaches the disk, and what counts as one can be seen and changed.

use crate::house::House;
use expect_test::{Expect, expect};
use std::path::Path;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(house: &House, arguments: &[&str], input: &str, expected: Expect) {
    expected.assert_eq(&house.run(arguments, input).shown());
}

/// A prefix and the rest, apart, so that no other scanner takes this file for a leak.
const TOKENS: [(&str, &str); 14] = [
    ("gh", "p_1x3Vq9ZtK7mB2cD8eF4gH6jL0nP5rS1uW3yA"),
    ("AK", "IA2B3C4D5E6F7G2H3J"),
    ("gl", "pat-x7Kq2mZ9rT4vB6nW1cYd"),
    ("sk-", "ant-oat01-Zx8Kq2mZ9rT4vB6nW1cYdZx8Kq2mZ9rT4vB6nW1cYdZx8Kq2mZ9rT4vB6nW1cYd"),
    ("xox", "b-281734095562-917340286153-x7Kq2mZ9rT4vB6nW1cYd5fGh"),
    ("AI", "zaSyD3x9Qk2mZ8rT4vB6nW1cYd5fGh7jKl0pQ"),
    ("np", "m_x7Kq2mZ9rT4vB6nW1cYdx7Kq2mZ9rT4vB6nW"),
    ("sk_", "live_x7Kq2mZ9rT4vB6nW1cYd"),
    ("ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
    ("SG", ".x7Kq2mZ9rT4vB6nW1cYd5f.Gh7jKl0x7Kq2mZ9rT4vB6nW1cYd5fGh7jKl0x7Kq2mZ"),
    ("dop_", "v1_9f86d081884c7d659a2feaa0c55ad0159f86d081884c7d659a2feaa0c55ad015"),
    ("hf", "_xKqmZrTvBnWcYdfGhjKlxKqmZrTvBnWcYd"),
    ("glpt", "t-9f86d081884c7d659a2feaa0c55ad0159f86d081"),
    ("whs", "ec_x7Kq2mZ9rT4vB6nW1cYd5fGh7jKl0x7K"),
];

#[test]
fn no_byte_of_a_secret_reaches_the_disk() {
    let house = House::new(&[]);
    let mut secrets: Vec<String> = TOKENS.iter().map(|(prefix, rest)| format!("{prefix}{rest}")).collect();
    let mut lines = String::new();
    for (number, secret) in secrets.iter().enumerate() {
        let text = format!("line one\nuse {secret} here, \"quoted\"");
        let message = serde_json::json!({ "role": "user", "content": text, "id": format!("m{number}") });
        lines += &format!("{message}\n");
    }
    let body = "MIIEowIBAAKCAQEAy8Dbv8prpJ/0kKhlGeJYozo2t60EG8L0561g13R29LvMR5hy";
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n-----END RSA PRIVATE KEY-----\n");
    let password = "Tq8rW4xZ1mB6nY3c";
    let output = format!("{key}\nDATABASE_URL=postgres://ada:{password}@db/x\nexport CLIENT_SECRET={password}9\n");
    let tool =
        serde_json::json!({ "type": "tool", "name": "bash", "input": { "command": "cat key.pem" }, "output": output });
    lines += &format!("{}\n", serde_json::json!({ "role": "assistant", "parts": [tool], "id": "call" }));
    secrets.extend([body.to_owned(), password.to_owned()]);

    let arguments = ["ingest", "--conversation", "demo", "--set", "log.level=trace"];
    let first = house.run(&arguments, &lines);
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert_eq!(first.stdout.matches("\"secrets\":").count(), TOKENS.len() + 1);
    // The same messages again are known, not refused: the same secrets gave the same placeholders.
    let again = house.run(&arguments, &lines);
    assert_eq!(again.stdout.lines().next(), first.stdout.lines().next());
    let history = house.run(&["history", "--conversation", "demo", "--json"], "");
    assert_eq!(history.stdout.matches("[secret:").count(), TOKENS.len() + 3, "{}", history.stdout);

    let certificate = house.run(&["verify", "--json"], "");
    let certificate: serde_json::Value = serde_json::from_str(&certificate.stdout).expect("one JSON object");
    let counts = certificate["secrets"].as_object().expect("by rule");
    assert_eq!(counts.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), TOKENS.len() as u64 + 3);
    assert_eq!(counts["private-key"], 1, "{counts:?}");

    let mut files = Vec::new();
    collect(&house.home(), &mut files);
    assert!(files.iter().any(|(path, _)| path.ends_with("epitome.db")));
    files.push(("output".to_owned(), [first.stdout, first.stderr, history.stdout].concat().into_bytes()));
    for (path, bytes) in &files {
        let text = String::from_utf8_lossy(bytes);
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "a secret is in {path}");
        }
    }
}

fn collect(directory: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs_err::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.display().to_string(), fs_err::read(&path).expect("a file")));
        }
    }
}

#[test]
fn rules_are_added_tried_and_taken_away() {
    let house = House::new(&[]);
    check(
        &house,
        &["sensitive", "add", "badge", r"EMP-[0-9]{6}"],
        "",
        expect![[r#"
        added to HOME/config/config.toml
    "#]],
    );
    check(
        &house,
        &["sensitive", "add", "site", "site-[a-z]+", "--for-project"],
        "",
        expect![[r#"
        added to PROJECT/.epitome.toml
    "#]],
    );
    let listed = house.run(&["sensitive", "list"], "").stdout;
    expect![[r#"
        badge: EMP-[0-9]{6}  # user
        site: site-[a-z]+  # project"#]]
    .assert_eq(&listed.lines().take(2).collect::<Vec<_>>().join("\n"));
    check(
        &house,
        &["sensitive", "test", "badge EMP-123456 at site-berlin"],
        "",
        expect![[r#"
        badge [secret:badge:5878d496] at [secret:site:b7f2720f]
        ! badge at 1:7, 10 bytes
        ! site at 1:21, 11 bytes
        (exit 6)
    "#]],
    );
    check(
        &house,
        &["sensitive", "test", "--json"],
        "two\nlines, EMP-123456",
        expect![[r#"
        {"found":[{"rule":"badge","line":2,"column":8,"bytes":10}],"text":"two\nlines, [secret:badge:5878d496]"}
        ! badge at 2:8, 10 bytes
        (exit 6)
    "#]],
    );
    check(
        &house,
        &["sensitive", "test", "nothing here"],
        "",
        expect![[r#"
        nothing here
    "#]],
    );
    check(
        &house,
        &["sensitive", "remove", "badge"],
        "",
        expect![[r#"
        removed from HOME/config/config.toml
    "#]],
    );
    check(
        &house,
        &["sensitive", "test", "badge EMP-123456"],
        "",
        expect![[r#"
        badge EMP-123456
    "#]],
    );
    check(
        &house,
        &["sensitive", "remove", "badge"],
        "",
        expect![[r#"
        ! error: rule `badge` is not in HOME/config/config.toml
        ! hint: epitome sensitive list shows all rules
        (exit 3)
    "#]],
    );
}

#[test]
fn what_cannot_be_a_rule_is_refused_with_the_reason() {
    let house = House::new(&[]);
    house.run(&["sensitive", "add", "badge", "EMP"], "");
    for (name, pattern, expected) in [
        (
            "x",
            "(a",
            expect![[r#"
            ! error: cannot add the rule `x`: its pattern is not a regular expression: unclosed group
            (exit 2)
        "#]],
        ),
        (
            "x",
            r"\w{1000}{1000}",
            expect![[r#"
            ! error: cannot add the rule `x`: its pattern is too large: compiled it has more than 1048576 bytes
            (exit 2)
        "#]],
        ),
        (
            "x",
            "a*",
            expect![[r#"
            ! error: cannot add the rule `x`: its pattern fits the empty text, and so every place
            (exit 2)
        "#]],
        ),
        (
            "Big",
            "a",
            expect![[r#"
            ! error: cannot add the rule: `Big` is not a name for a rule: expected 1 to 40 small letters, digits and hyphens
            (exit 2)
        "#]],
        ),
        (
            "github-pat",
            "a",
            expect![[r#"
            ! error: cannot add the rule: `github-pat` is the name of a built-in rule
            (exit 2)
        "#]],
        ),
        (
            "badge",
            "a",
            expect![[r#"
            ! error: cannot add the rule `badge`: HOME/config/config.toml has one of that name
            ! hint: epitome sensitive remove badge takes it away
            (exit 2)
        "#]],
        ),
    ] {
        check(&house, &["sensitive", "add", name, pattern], "", expected);
    }
    house.write(".epitome.toml", b"sensitive.patterns = ['badge']\n");
    check(
        &house,
        &["sensitive", "list"],
        "",
        expect![[r#"
        ! error: cannot set sensitive.patterns to ["badge"] (project file PROJECT/.epitome.toml:1): expected a list of rules such as "badge: EMP-[0-9]{6}": a name of small letters, digits and hyphens that no built-in rule has, a colon, and a regular expression (epitome sensitive add says what is wrong with one)
        (exit 2)
    "#]],
    );
}

#[test]
fn a_scan_names_where_secrets_are_and_never_what_they_are() {
    let house = House::new(&[]);
    // In the middle: the beginning and the end of a large content stand in its message, too.
    let rows = "row of a long table\n".repeat(5_000);
    let large = format!("{rows}EMP-777777 EMP-888888\n{rows}");
    let lines = [
        serde_json::json!({ "role": "user", "content": "my badge is EMP-123456, or EMP-654321", "id": "m1" }),
        serde_json::json!({ "role": "user", "content": "nothing to hide", "id": "m2" }),
        serde_json::json!({ "role": "user", "content": large, "id": "m3" }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "demo"], &lines).status, 0);
    let before = house.run(&["sensitive", "scan"], "");
    assert_eq!(
        (before.status, before.stdout.lines().last()),
        (0, Some("0 secrets in 3 messages, 1 artifact, 2 fields, 1 name"))
    );

    // A rule that comes later does not change what is stored: the scan says what it would have replaced.
    assert_eq!(house.run(&["sensitive", "add", "badge", "EMP-[0-9]{6}"], "").status, 0);
    let after = house.run(&["sensitive", "scan", "--json"], "");
    assert_eq!(after.status, 6, "{}", after.stderr);
    let scan: serde_json::Value = serde_json::from_str(&after.stdout).expect("one JSON object");
    assert_eq!(scan["rules"], serde_json::json!({ "badge": 4 }));
    assert_eq!(scan["origins"]["message"], serde_json::json!({ "looked_at": 3, "secrets": 2 }));
    assert_eq!(scan["origins"]["artifact"], serde_json::json!({ "looked_at": 1, "secrets": 2 }));
    assert_eq!((&scan["found"][0]["conversation"], &scan["found"][0]["count"]), (&"demo".into(), &2.into()));
    let shown = house.run(&["sensitive", "scan"], "").shown();
    let history = house.run(&["history", "--conversation", "demo", "--json"], "");
    assert!(shown.contains("badge ×2  message msg_") && shown.contains("of demo"), "{shown}");
    assert!(!shown.contains("EMP-") && !after.stdout.contains("EMP-"), "a value is shown");
    assert!(history.stdout.contains("EMP-123456"), "a scan changes nothing");
}

#[test]
fn a_scan_looks_into_archived_transcripts() {
    let house = House::new(&[]);
    let line = |id: u32, text: &str| {
        serde_json::json!({ "type": "user", "uuid": format!("00000000-0000-4000-8000-00000000000{id}"), "sessionId": "s1",
            "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x", "message": { "role": "user", "content": text } })
        .to_string()
    };
    let file = house.home().join("s1.jsonl");
    fs_err::write(&file, format!("{}\n{}\n", line(1, "hello"), line(2, "badge EMP-123456"))).expect("a file");
    let path = file.to_str().expect("a path");
    assert_eq!(house.run(&["import", path], "").status, 0);
    assert_eq!(house.run(&["sensitive", "add", "badge", "EMP-[0-9]{6}"], "").status, 0);
    let scan = house.run(&["sensitive", "scan", "--json"], "");
    let scan: serde_json::Value = serde_json::from_str(&scan.stdout).expect("one JSON object");
    assert_eq!(scan["origins"]["transcript"], serde_json::json!({ "looked_at": 2, "secrets": 1 }), "{scan}");
    let places: Vec<&str> =
        scan["found"].as_array().expect("a list").iter().filter_map(|found| found["place"].as_str()).collect();
    assert!(places.iter().any(|place| place.ends_with("s1.jsonl:2")), "{places:?}");
}

#[test]
fn a_hook_that_speaks_utf_16_leaves_no_secret_on_the_disk() {
    use std::io::Write as _;
    let house = House::new(&[]);
    let body = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"DB_PASSWORD=Summer2024!"}"#;
    for mark in ["", "\u{feff}"] {
        let wide: Vec<u8> = format!("{mark}{body}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut hook = house.command(&["hook", "UserPromptSubmit"]);
        let mut child = hook.stdin(std::process::Stdio::piped()).spawn().expect("the binary starts");
        child.stdin.take().expect("standard input").write_all(&wide).expect("the hook reads");
        assert!(child.wait().expect("the hook ends").success());
    }
    house.run(&["drain"], "");
    let mut files = Vec::new();
    collect(&house.home(), &mut files);
    let password: Vec<u8> = "Summer2024!".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (path, bytes) in &files {
        let holds = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!holds(b"Summer2024!") && !holds(&password), "the password is in {path}");
    }
    assert!(files.iter().any(|(path, _)| path.contains("quarantine") || path.ends_with("epitome.db")), "it is kept");
}
