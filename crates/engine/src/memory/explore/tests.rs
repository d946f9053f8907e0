//! Tests of the content summaries of artifacts: the expected text for JSON, tables, logs, prose, code and binary data,
//! and that any bytes give a summary within the budget.

use super::*;
use expect_test::{Expect, expect};
use proptest::prelude::*;

#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(name: Option<&str>, content: &str, expected: Expect) {
    let explored = explore_content(content.as_bytes(), ContentHint { media_type: None, name }, TokenCount(400));
    expected.assert_eq(&format!("[{}]\n{}\n", explored.media_type, explored.summary));
}

#[test]
fn json_is_its_shape() {
    let users = (1..=30).map(|id| {
        let email = if id % 10 == 0 { String::new() } else { format!(r#","email":"user{id}@example.org""#) };
        let role = if id % 3 == 0 { "admin" } else { "guest" };
        format!(
            r#"{{"id":{id},"role":"{role}","since":"2026-01-{id:02}","tags":[{}]{email}}}"#,
            "1,".repeat(id % 4).trim_end_matches(',')
        )
    });
    let users: Vec<String> = users.collect();
    let text = format!(r#"{{"users":[{}],"next":null,"total":30.5,"ok":true}}"#, users.join(","));
    check(
        None,
        &text,
        expect![[r#"
        [application/json]
        JSON: object with 4 keys
        users: list of 30 entries
          each entry: object with 5 keys
            id: number 1 to 30
            role: text: `guest`, `admin`
            since: date 2026-01-01 to 2026-01-30
            tags: list of 0 to 3 entries
              each entry: number 1
            email: text such as `user1@example.org`, `user2@example.org`, `user3@example.org`, `user4@example.org`, `user5@example.org` (in 27 of 30)
        next: null
        total: number 30.5
        ok: true or false
    "#]],
    );
    check(
        None,
        &format!("{}\nnot json\n", users[..5].join("\n")),
        expect![[r#"
        [application/jsonl]
        5 lines of JSON, each: object with 5 keys
        1 line that cannot be read
        id: number 1 to 5
        role: text: `guest`, `admin`
        since: date 2026-01-01 to 2026-01-05
        tags: list of 0 to 3 entries
          each entry: number 1
        email: text such as `user1@example.org`, `user2@example.org`, `user3@example.org`, `user4@example.org`, `user5@example.org`
    "#]],
    );
}

#[test]
fn a_table_is_its_columns() {
    let rows: String = (1..=40)
        .map(|n| {
            format!(
                "{n},\"Name, {n}\",2026-02-{:02},{},{}\n",
                n % 28 + 1,
                ["DE", "FR"][n % 2],
                if n % 5 == 0 { String::new() } else { format!("{}.5", n * 3) }
            )
        })
        .collect();
    check(
        None,
        &format!("id,name,day,country,price\n{rows}1,2\n"),
        expect![[r#"
        [text/csv]
        table of 41 rows in 5 columns; 1 row with another number of cells
        id: number 1 to 40
        name: number 2, or text such as `Name, 1`, `Name, 2`, `Name, 3`, `Name, 4`, `Name, 5`
        day: date 2026-02-01 to 2026-02-28
        country: text: `FR`, `DE`
        price: number 3.5 to 117.5, 8 empty
    "#]],
    );
    check(
        None,
        "1\t2\n3\t4\n5\t6\n",
        expect![[r#"
        [text/tab-separated-values]
        table of 3 rows in 2 columns
        column 1: number 1 to 5
        column 2: number 2 to 6
    "#]],
    );
}

#[test]
fn a_log_is_its_levels_and_what_went_wrong() {
    let lines: String = (0..60)
        .map(|n| match n % 10 {
            3 => format!("2026-01-01T00:00:{n:02} ERROR cannot reach 10.0.0.{n} after {n} tries\n"),
            7 => format!("2026-01-01T00:00:{n:02} WARN slow: {n} ms\n"),
            _ => format!("2026-01-01T00:00:{n:02} INFO request {n} done\n"),
        })
        .collect();
    check(
        None,
        &format!("{lines}2026-01-01T00:01:00 FATAL out of memory\n"),
        expect![[r#"
        [text/plain]
        log of 61 lines: 7 error, 6 warning, 48 info
        line 4, 6 times: 2026-01-01T00:00:03 ERROR cannot reach 10.0.0.3 after 3 tries
        line 61: 2026-01-01T00:01:00 FATAL out of memory
        line 8, 6 times: 2026-01-01T00:00:07 WARN slow: 7 ms
    "#]],
    );
}

#[test]
fn text_is_its_headings_or_its_ends() {
    check(
        Some("guide.md"),
        "# Guide\n\nWords.\n\n## Install\n\n```sh\n# not one\n```\n\n## Use\n",
        expect![[r#"
        [text/markdown]
        text with 3 headings: 11 lines, 57 bytes
        Guide (line 1)
          Install (line 5)
          Use (line 11)
    "#]],
    );
    let lines: String =
        (1..=40).map(|n| if n == 20 { "error: it broke\n".to_owned() } else { format!("line number {n}\n") }).collect();
    check(
        None,
        &lines,
        expect![[r#"
        [text/plain]
        text: 40 lines, 592 bytes
        line 1: line number 1
        line 2: line number 2
        line 3: line number 3
        line 4: line number 4
        line 5: line number 5
        line 6: line number 6
        line 7: line number 7
        line 8: line number 8
        line 20: error: it broke
        line 38: line number 38
        line 39: line number 39
        line 40: line number 40
    "#]],
    );
    check(
        None,
        "",
        expect![[r#"
        [text/plain]
        text: 0 lines, 0 bytes
    "#]],
    );
}

#[test]
fn source_is_its_skeleton() {
    let source = "//! Sessions.\n\n/// Checks a password.\npub fn check(given: &str) -> bool {\n    let a = 1;\n    let b = 2;\n    a + b == given.len()\n}\n";
    check(
        Some("src/session.rs"),
        source,
        expect![[r#"
        [text/plain]
        rust source, 8 lines
        //! Sessions.

        /// Checks a password.
        pub fn check(given: &str) -> bool {
            let a = 1;
            let b = 2;
            a + b == given.len()
        }
    "#]],
    );
}

#[test]
fn what_is_no_text_is_its_type_and_size() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0".to_vec();
    png.resize(12_345, 0);
    assert_eq!(
        explore_content(&png, ContentHint::default(), TokenCount(50)).summary,
        "PNG image, 640 × 480, 12,345 bytes"
    );
    let bytes = explore_content(
        b"\0\x01\x02\x03",
        ContentHint { media_type: Some("application/x-thing"), name: None },
        TokenCount(50),
    );
    assert_eq!((&*bytes.media_type, bytes.summary.as_str()), ("application/x-thing", "binary content, 4 bytes"));
}

#[test]
fn what_does_not_fit_is_counted() {
    let text: String = (1..=50).map(|n| format!("## Section {n}\n")).collect();
    let explored = explore_content(text.as_bytes(), ContentHint::default(), TokenCount(60));
    expect![[r#"
        text with 50 headings: 50 lines, 691 bytes
          Section 1 (line 1)
          Section 2 (line 2)
          Section 3 (line 3)
          Section 4 (line 4)
        … and 46 lines more"#]]
    .assert_eq(&explored.summary);
}

/// Content of every kind, whole and broken.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{\"a\":[1,2,{\"b\":null}],\"c\":\"x\"}\n".to_owned()),
        Just("id,name,day\n1,\"a, b\",2026-01-01\n2,\"un\"\"closed,x\n".to_owned()),
        Just("2026-01-01 ERROR no 1\n2026-01-01 WARN no 2\nlevel=info x\n".to_owned()),
        Just("# One\n## Two\n```\n# three\n".to_owned()),
        Just("fn f() {}\nstruct S;\n".to_owned()),
        "[\\[\\]{}\",:;|\t\n#a-zé0-9 -]{0,30}",
    ];
    let text = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![text, prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #[test]
    fn anything_is_summarized_within_its_budget_and_always_alike(
        content in content(),
        name in prop::option::of(prop::sample::select(vec!["a.rs", "b.json", "c.md", "d.csv", "e", "f.py", ".g"])),
        budget in 0_u32..300,
    ) {
        let hint = ContentHint { media_type: None, name };
        let explored = explore_content(&content, hint, TokenCount(budget));
        prop_assert!(count_tokens(&explored.summary) <= TokenCount(budget));
        prop_assert_eq!(&explored, &explore_content(&content, hint, TokenCount(budget)));
    }
}
