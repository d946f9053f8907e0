//! What people see of documents, requirements and what covers them.

use crate::house::House;

const FILES: &[(&str, &str)] = &[
    (
        "docs/requirements.md",
        "# Accounts\n\n- REQ-001: Passwords must be hashed with `hash_password`.\n- REQ-002: A session must end.\n\nAs a reader, I \
         want to log in so that I can read.\n\nAcceptance criteria:\n\n- it takes a second\n",
    ),
    ("src/auth.py", "def hash_password(text):\n    return text\n"),
    ("tests/test_auth.py", "def test_req_001():\n    pass\n\n\ndef test_nothing():\n    pass\n"),
];

fn check(arguments: &[&str], status: i32, told: &[&str]) {
    let ended = House::new(FILES).run(arguments, "");
    let all = format!("{}{}", ended.stdout, ended.stderr);
    for words in told {
        assert!(all.contains(words), "{arguments:?} does not say {words:?}:\n{all}");
    }
    assert_eq!(ended.status, status, "{arguments:?}:\n{all}");
}

#[test]
fn documents_and_coverage_are_shown_for_people() {
    check(&["document"], 0, &["docs/requirements.md “Accounts”", "1 section, 2 requirements, 1 story, 1 link"]);
    let shown = [
        "docs/requirements.md#REQ-001 [must]: Passwords must be hashed with `hash_password`.",
        "story as a reader, I want to log in so that I can read",
        "done when it takes a second",
        "docs/requirements.md#REQ-001 names src/auth.py#hash_password (function 1-2",
    ];
    check(&["document", "show", "docs/requirements.md"], 0, &shown);
    check(&["coverage"], 0, &["2 requirements, 1 with code, 1 with tests", "1 of 2 tests without a requirement"]);
    check(&["coverage", "src/"], 3, &["no requirements found"]);
    let related = ["docs/requirements.md#REQ-001 (requirement 3-3)", "code 0.70: src/auth.py#hash_password"];
    check(&["relations", "REQ-001"], 0, &related);
    let named = ["requirement 0.70: docs/requirements.md#REQ-001"];
    check(&["relations", "hash_password", "--only", "documents"], 0, &named);
}

#[test]
fn what_is_no_document_is_refused_with_what_to_do() {
    let house = House::new(FILES);
    for (arguments, told) in [
        (&["document", "index", "docs/gone.md"][..], "document `docs/gone.md` does not exist"),
        (&["document", "show"], "`path` is needed to show a document"),
        (&["document", "list", "--cursor", "x"], "`cursor` is `x`"),
    ] {
        let ended = house.run(arguments, "");
        assert!(ended.status != 0 && ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
}
