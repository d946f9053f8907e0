//! Requirements, stories and links of documents, from the outside: what a document says, what it leads to in code and
//! tests, what is covered, and that all of it follows the disk.

use super::house::{House, house};
use engine::{CoverageRequest, RelationDirection, RelationKind, RelationsRequest};
use expect_test::{Expect, expect};

const FILES: &[(&str, &str)] = &[
    (
        "docs/requirements.md",
        "---\ntitle: Accounts\nowner: Ada\n---\n# Accounts\n\n- REQ-001: Passwords must be hashed with `hash_password`.\n- REQ-002: \
         A session must end after a day, see [the code](../src/session.py).\n- REQ-003: The user shall see why.\n\nLogs MUST \
         NOT hold tokens.\n\nAs a reader, I want to log in so that I can read.\n\n## Open questions\n\n- Who pays?\n",
    ),
    ("docs/api.rst", "API\n===\n\nCall :func:`auth.hash_password`, or ``Session.end`` (see ``hash``, ``data``).\n"),
    (
        "src/auth.py",
        "# REQ-001\ndef hash_password(text):\n    return hash(text)\n\n\ndef check(text):\n    \"\"\"For REQ-003.\"\"\"\n    \
         return hash_password(text)\n",
    ),
    ("src/session.py", "class Session:\n    def end(self):\n        pass\n"),
    (
        "tests/test_auth.py",
        "from src.auth import check, hash_password\n\n\ndef test_hashes():\n    assert hash_password('a')\n\n\ndef \
         test_req_002_ends():\n    pass\n\n\ndef test_nothing():\n    pass\n",
    ),
];

fn request(symbol: &str) -> RelationsRequest {
    RelationsRequest {
        symbol: symbol.to_owned(),
        only: vec![RelationKind::Requirement, RelationKind::Document, RelationKind::Code, RelationKind::Test],
        direction: RelationDirection::Both,
        depth: 1,
        min_confidence: 0.5,
        limit: 50,
        matches: 5,
        mentions: 10,
        to: None,
    }
}

impl House {
    async fn linked(&self, symbol: &str) -> String {
        let found = self.engine.find_relations(&self.project, request(symbol)).await.expect("an answer");
        let mut text = format!(
            "{} {:?} {}-{}\n",
            found.symbol.id, found.symbol.item, found.symbol.lines.start, found.symbol.lines.end
        );
        for it in &found.neighbours {
            text += &format!("{} {} line {} {:.2}\n", it.relation.as_str(), it.named.id, it.line, it.confidence.get());
        }
        text
    }

    async fn coverage(&self, request: CoverageRequest) -> String {
        let found = self.engine.check_coverage(&self.project, request).await.expect("an answer");
        let mut text =
            format!("{} requirements, {} with code, {} with tests\n", found.total, found.with_code, found.with_tests);
        for it in &found.requirements {
            text += &format!("{}: {}\n", it.requirement.id, it.requirement.text);
            for (kind, places) in [("code", &it.code), ("test", &it.tests)] {
                let line =
                    |place: &engine::LinkedPlace| format!("  {kind} {} {:.2}\n", place.named.id, place.weight.get());
                text += &places.iter().map(line).collect::<String>();
            }
        }
        text += &format!("{} of {} tests unbound, {} omitted\n", found.unbound_tests, found.tests, found.omitted);
        text + &found.unbound.iter().map(|test| format!("  {}\n", test.id)).collect::<String>()
    }
}

async fn check_linked(house: &House, symbol: &str, expected: Expect) {
    expected.assert_eq(&house.linked(symbol).await);
}

#[tokio::test]
async fn a_requirement_leads_to_its_code_and_tests_and_back() {
    let house = house(FILES);
    check_linked(
        &house,
        "docs/requirements.md#REQ-001",
        expect![[r#"
        docs/requirements.md#REQ-001 Some("requirement") 7-7
        code src/auth.py#hash_password line 1 1.00
    "#]],
    )
    .await;
    check_linked(
        &house,
        "REQ-002",
        expect![[r#"
        docs/requirements.md#REQ-002 Some("requirement") 8-8
        code src/session.py line 8 1.00
        test tests/test_auth.py#test_req_002_ends line 8 1.00
    "#]],
    )
    .await;
    check_linked(
        &house,
        "hash_password",
        expect![[r#"
        src/auth.py#hash_password None 2-3
        requirement docs/requirements.md#REQ-001 line 1 1.00
        document docs/api.rst#API line 4 1.00
    "#]],
    )
    .await;
    check_linked(
        &house,
        "src/session.py",
        expect![[r#"
        src/session.py None 1-3
        requirement docs/requirements.md#REQ-002 line 8 1.00
    "#]],
    )
    .await;
    check_linked(
        &house,
        "Session.end",
        expect![[r#"
        src/session.py#Session.end None 2-3
        document docs/api.rst#API line 4 1.00
    "#]],
    )
    .await;
    let out = RelationsRequest { direction: RelationDirection::Out, ..request("hash_password") };
    let found = house.engine.find_relations(&house.project, out).await.expect("an answer");
    let kinds: Vec<&str> = found.neighbours.iter().map(|it| it.relation.as_str()).collect();
    assert_eq!(kinds, ["requirement"], "what names it comes in, what it names goes out");
}

#[tokio::test]
async fn coverage_says_what_lacks_code_and_tests_and_follows_the_disk() {
    let house = house(FILES);
    let all = CoverageRequest { limit: 50, ..CoverageRequest::default() };
    expect![[r#"
        3 requirements, 3 with code, 2 with tests
        docs/requirements.md#REQ-001: Passwords must be hashed with `hash_password`.
          code src/auth.py#hash_password 1.00
          test tests/test_auth.py#test_hashes 0.50
        docs/requirements.md#REQ-002: A session must end after a day, see [the code](../src/session.py).
          code src/session.py 1.00
          test tests/test_auth.py#test_req_002_ends 1.00
        docs/requirements.md#REQ-003: The user shall see why.
          code src/auth.py#check 1.00
        1 of 3 tests unbound, 0 omitted
          tests/test_auth.py#test_nothing
    "#]]
    .assert_eq(&house.coverage(all.clone()).await);
    expect![[r#"
        4 requirements, 3 with code, 2 with tests
        docs/requirements.md:11: Logs MUST NOT hold tokens.
        1 of 3 tests unbound, 0 omitted
          tests/test_auth.py#test_nothing
    "#]]
    .assert_eq(
        &house.coverage(CoverageRequest { sentences: true, missing: true, skip: 1, limit: 1, ..all.clone() }).await,
    );
    house.write("tests/test_more.py", "def test_shows():\n    \"\"\"REQ-003\"\"\"\n");
    house.write("docs/requirements.md", "- REQ-003: The user shall see why.\n");
    expect![[r#"
        1 requirements, 1 with code, 1 with tests
        docs/requirements.md#REQ-003: The user shall see why.
          code src/auth.py#check 1.00
          test tests/test_more.py#test_shows 1.00
        3 of 4 tests unbound, 0 omitted
          tests/test_auth.py#test_hashes
          tests/test_auth.py#test_req_002_ends
          tests/test_auth.py#test_nothing
    "#]]
    .assert_eq(&house.coverage(all).await);
    let other = CoverageRequest { path: Some("nowhere".to_owned()), limit: 50, ..CoverageRequest::default() };
    expect![[r#"
        0 requirements, 0 with code, 0 with tests
        3 of 4 tests unbound, 0 omitted
    "#]]
    .assert_eq(&house.coverage(other).await);
}

#[tokio::test]
async fn a_document_is_listed_and_shown_with_all_that_it_says() {
    let house = house(FILES);
    let list = house.engine.list_documents(&house.project, None, 0, 10).await.expect("an answer");
    let lines: Vec<String> = list.documents.iter().map(|it| format!("{} {:?}", it.path, it.title)).collect();
    assert_eq!(lines, ["docs/api.rst Some(\"API\")", "docs/requirements.md Some(\"Accounts\")"]);
    let next = house.engine.list_documents(&house.project, Some("docs/"), 1, 10).await.expect("an answer");
    assert_eq!((next.documents.len(), next.total), (1, 2));
    let found = house.engine.describe_document(&house.project, "docs/requirements.md").await.expect("an answer");
    let counts = &found.line;
    assert_eq!((counts.sections, counts.requirements, counts.stories, counts.questions, counts.links), (2, 4, 1, 1, 2));
    let metadata: Vec<String> = found.metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(metadata, ["title: Accounts", "owner: Ada"]);
    let sections: Vec<String> =
        found.sections.iter().map(|(name, depth, line)| format!("{name} {depth} {line}")).collect();
    assert_eq!(sections, ["Accounts 1 5", "Open questions 2 15"]);
    assert_eq!(found.stories[0].role, "reader");
    assert_eq!(found.questions[0].text, "Who pays?");
    let named: Vec<String> = found.links.iter().map(|(from, to)| format!("{from} -> {}", to.named.id)).collect();
    assert_eq!(
        named,
        ["docs/requirements.md#REQ-001 -> src/auth.py#hash_password", "docs/requirements.md#REQ-002 -> src/session.py"]
    );
    for (path, hint) in [("src/auth.py", "it is no document"), ("docs/gone.md", "epitome document list")] {
        let error = house.engine.describe_document(&house.project, path).await.expect_err("no document");
        assert!(error.hint().unwrap_or_default().contains(hint), "{path}: {error}");
    }
}
