//! Tests of what is read of documents in several formats.

use super::*;
use crate::{ExtractLimits, extract};
use expect_test::{Expect, expect};

fn check(path: &str, text: &str, expected: &Expect) {
    let extract = extract(path, text.as_bytes(), &ExtractLimits::default());
    let found = read_document(path, text.as_bytes(), extract.language, &extract.symbols);
    expected.assert_eq(&found.map_or_else(|| "nothing\n".to_owned(), |facts| render_facts(&facts)));
}

fn render_facts(facts: &DocumentFacts) -> String {
    let mut text = format!("{:?}, {} words\n", facts.title.as_deref().unwrap_or_default(), facts.words);
    for (name, value) in &facts.metadata {
        text += &format!("  {name}: {value}\n");
    }
    for it in &facts.requirements {
        let lines = format!("{}-{}", it.lines.start, it.lines.end);
        let (key, priority) = (it.key.as_deref().unwrap_or("-"), it.priority.as_deref().unwrap_or("-"));
        text += &format!("requirement {key} {lines} {priority} {}: {}\n", it.status.as_deref().unwrap_or("-"), it.text);
    }
    for it in &facts.stories {
        let lines = format!("{}-{}", it.lines.start, it.lines.end);
        let key = it.key.as_deref().unwrap_or("-");
        text += &format!("story {key} {lines} {} | {} | {:?} {:?}\n", it.role, it.goal, it.benefit, it.criteria);
    }
    for it in &facts.questions {
        text += &format!("question {}: {}\n", it.line, it.text);
    }
    for it in &facts.mentions {
        text += &format!("{:?} {}: {}\n", it.kind, it.line, it.text);
    }
    text
}

#[test]
fn a_document_says_what_is_required_wanted_and_open() {
    let text = "\
---
title: Accounts
owner: Ada
tags:
  - login
---
# Accounts

The key words \"MUST\" and \"SHOULD\" are those of RFC 2119.

## REQ-001: Passwords

Passwords MUST be hashed by `hash_password`, see [the code](../src/auth.py).

Priority: high

## Rules

- **REQ-002**: A session ends after a day.
  Status: done
- R1.2 The user should see why.
- UTF-8 is used, e.g. in names. The server MUST NOT log tokens. It must be quick.

| REQ-003 | Logs are kept |

```
REQ-009: not this one MUST be read
```

## Stories

As a reader, I want to *find* a page
so that I can go on.

Acceptance criteria:
- it takes a second
- Given a page, when I look, then it is there

## Open questions

- Who pays?
- The name of the tool
";
    check(
        "docs/a.md",
        text,
        &expect![[r#"
        "Accounts", 109 words
          title: Accounts
          owner: Ada
          tags: login
        requirement REQ-001 11-15 high -: Passwords: Passwords MUST be hashed by `hash_password`, see [the code](../src/auth.py).
        requirement REQ-002 19-20 - done: A session ends after a day.
        requirement R1.2 21-21 should -: The user should see why.
        requirement - 22-22 must -: The server MUST NOT log tokens.
        requirement REQ-003 24-24 - -: Logs are kept
        story - 32-37 reader | to find a page | Some("I can go on") ["it takes a second", "Given a page, when I look, then it is there"]
        question 41: Who pays?
        question 42: The name of the tool
        Key 11: REQ-001
        Code 13: hash_password
        Link 13: ../src/auth.py
        Key 19: REQ-002
        Key 21: R1.2
        Key 24: REQ-003
        Key 27: REQ-009
    "#]],
    );
}

#[test]
fn roles_directives_and_links_are_mentions() {
    let text = "\
API
===

.. module:: flask

.. autofunction:: send_file

.. class:: Flask(name)

   .. method:: run(host=None)

See :meth:`~flask.Flask.route`, :ref:`elsewhere`, ``app.config`` and `home <https://a.b>`_.
Text below is code::

    the `client` MUST not count

:issue:`12` REQ-7 is done in ``src/app.py:12`` by ``make_app()``.
";
    check(
        "docs/api.rst",
        text,
        &expect![[r#"
        "API", 33 words
        NameRole 4: flask
        FunctionRole 6: flask.send_file
        NameRole 8: flask.Flask
        FunctionRole 10: Flask.run
        FunctionRole 12: flask.Flask.route
        Code 12: app.config
        Key 17: REQ-7
        Link 17: src/app.py
        Call 17: make_app
    "#]],
    );
}

#[test]
fn of_code_only_keys_are_read_and_of_data_nothing() {
    check(
        "a.py",
        "# REQ-001, and UTF-8 in X-9\ndef test_req_002(): pass  # R2.1.3\n",
        &expect![[r#"
        "", 0 words
        Key 1: REQ-001
        Key 1: X-9
        Key 2: R2.1.3
    "#]],
    );
    check(
        "a.json",
        "{\"a\": \"REQ-001\"}",
        &expect![[r#"
        nothing
    "#]],
    );
    check(
        "a.py",
        "x = 1.5\n",
        &expect![[r#"
        nothing
    "#]],
    );
    check(
        "CHANGES.md",
        "# Changes\n- ABC-12: users must log in again\n",
        &expect![[r#"
        "Changes", 7 words
        Key 2: ABC-12
    "#]],
    );
}

#[test]
fn a_table_needs_no_mark_at_the_beginning_of_its_rows() {
    let text = "\
Requirement | Description | Verification
----------- | ----------- | ------------
CD-001 | The queue shall be bounded | Unit Test
CD-002 | The queue shall tell its depth | Inspection

CD-001 | is no row here
";
    check(
        "sdd.md",
        text,
        &expect![[r#"
            "", 24 words
            requirement CD-001 3-3 must -: The queue shall be bounded – Unit Test
            requirement CD-002 4-4 must -: The queue shall tell its depth – Inspection
            Key 3: CD-001
            Key 4: CD-002
            Key 6: CD-001
        "#]],
    );
}
