//! Finding through the command line: strategies, what hangs together, several questions, mistyped names, odd questions.

use crate::house::House;
use expect_test::{Expect, expect};
use serde_json::Value;

const FILES: &[(&str, &str)] = &[
    (
        "src/session.py",
        "from store import Vault\n\n\nclass Session(Vault):\n    \"\"\"One sitting of a user.\"\"\"\n\n    \
         def check_password(self, given: str) -> bool:\n        return self.lookup(given) == given\n",
    ),
    ("src/store.py", "class Vault:\n    \"\"\"Keeps rows.\"\"\"\n\n    def lookup(self, name):\n        return name\n"),
    ("src/server.py", "def open_socket(port):\n    \"\"\"Opens the socket.\"\"\"\n    return port\n"),
];

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads better where it is called")]
fn check(arguments: &[&str], expected: Expect) {
    expected.assert_eq(&House::new(FILES).run(arguments, "").shown());
}

fn json_of(arguments: &[&str]) -> Value {
    let ended = House::new(FILES).run(&[arguments, &["--json"]].concat(), "");
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}", ended.shown()))
}

#[test]
fn rankings_fused_by_rank_show_their_places() {
    check(
        &["search", "Vault", "--strategy", "rrf", "--explain"],
        expect![[r#"
            src/store.py:1-5  class Vault
                 1  class Vault
                    matches: vault · defines the type · name · similar meaning · related to what is named
                     +0.0164  keyword_rank 1.00
                     +0.0081  semantic_rank 2.00
                     +0.0082  graph_rank 1.00

            src/session.py:1-8  class Session
                 4  class Session(Vault)
                    matches: vault · similar meaning · related to what is named
                     +0.0161  keyword_rank 2.00
                     +0.0082  semantic_rank 1.00
                     +0.0081  graph_rank 2.00
        "#]],
    );
}

#[test]
fn parents_imports_and_types_are_shown_when_asked_for() {
    check(
        &["search", "check_password", "--limit", "1", "--expand", "parents,imports"],
        expect![[r#"
            src/session.py:1-8  class Session
                 4  class Session(Vault)
                 7  def check_password(self, given: str) -> bool:
                    matches: check, password · defines the function · name
                    supertype src/store.py#Vault (class 1-5 @290039079)
                    container src/session.py (file 1-8)
                    import src/store.py#Vault (class 1-5 @290039079)
        "#]],
    );
}

#[test]
fn what_is_related_is_found_by_id() {
    check(
        &["search", "--related", "src/store.py#Vault", "--limit", "1"],
        expect![[r#"
            src/session.py:1-8  class Session
                 1  from store import Vault
                 4  class Session(Vault)
                    matches: store, vault, lookup · related to what is named
        "#]],
    );
    check(
        &["search", "--related", "nothing_at_all"],
        expect![[r#"
        ! error: symbol `nothing_at_all` does not exist
        ! hint: epitome search finds symbols by words; epitome symbol NAME by a part of the name
        (exit 3)
    "#]],
    );
    check(
        &["search", "a question", "--related", "Vault"],
        expect![[r#"
        ! error: `related` cannot be combined with a query: pass one of them
        (exit 2)
    "#]],
    );
}

#[test]
fn a_mistyped_name_and_several_questions_are_told() {
    check(
        &["search", "chek_pasword", "--limit", "1"],
        expect![[r#"
            src/session.py:1-8  class Session
                 4  class Session(Vault)
                 7  def check_password(self, given: str) -> bool:
                    matches: check, password · defines the function · name

            nothing is called chek_pasword: read as check_password
        "#]],
    );
    check(
        &["search", "how are passwords checked for users and where is the socket opened", "--limit", "2"],
        expect![[r#"
            src/session.py:1-8  class Session
                 4  class Session(Vault)
                 7  def check_password(self, given: str) -> bool:
                    matches: passwords, checked, users · name · for: how are passwords checked for users

            src/server.py:1-3  function open_socket
                 1  def open_socket(port)
                    matches: socket, opened · name · similar meaning · for: where is the socket opened

            several questions: how are passwords checked for users | where is the socket opened
        "#]],
    );
    let context = json_of(&["context", "where is chek_pasword used"]);
    assert_eq!(context["corrected"][0]["meant"], "check_password");
    assert!(context["items"][0]["source"].as_str().expect("a source").starts_with("src/session.py"), "{context}");
}

#[test]
fn odd_questions_are_answered_or_refused_clearly() {
    check(
        &["search", ""],
        expect![[r#"
        ! error: `query` has no word to look for: write at least one letter or digit
        (exit 2)
    "#]],
    );
    check(
        &["search", "?!"],
        expect![[r#"
        ! error: `query` has no word to look for: write at least one letter or digit
        (exit 2)
    "#]],
    );
    check(
        &["search", "' OR 1=1; --", "--limit", "1"],
        expect![[r#"
        nothing found
        (exit 3)
    "#]],
    );
    check(
        &["context", "\"'`"],
        expect![[r#"
        ! error: `query` has no word to look for: write at least one letter or digit
        (exit 2)
    "#]],
    );
    check(
        &["search", "x", "--strategy", "best"],
        expect![[r#"
        ! error: invalid value 'best' for '--strategy <STRATEGY>'
        !   [possible values: linear, rrf, keyword, semantic, graph]
        ! 
        ! For more information, try '--help'.
        (exit 2)
    "#]],
    );
}

#[test]
fn a_question_about_conversations_can_say_whose_words_it_wants() {
    let house = House::new(&[]);
    let said = [("user", "the heron flies at dawn"), ("assistant", "the heron sleeps at noon")];
    let lines: String =
        said.iter().map(|(role, text)| format!("{{\"role\":\"{role}\",\"content\":\"{text}\"}}\n")).collect();
    house.run(&["ingest", "--conversation", "birds"], &lines);
    let found = house.run(&["recall", "heron role:assistant", "--json"], "");
    let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("one JSON object");
    let texts: Vec<&str> =
        found["results"].as_array().expect("results").iter().filter_map(|r| r["text"].as_str()).collect();
    assert_eq!(texts, ["the heron sleeps at noon"]);
}

#[test]
fn what_was_decided_is_the_first_item_whatever_words_the_question_asks_with() {
    let house = House::new(&[(
        "src/cart.py",
        "class Cart:\n    \"\"\"Keeps carts in a database.\"\"\"\n\n    def add(self, item):\n        pass\n",
    )]);
    let said = [
        "We decided to use SQLite for carts, not PostgreSQL, because it needs no server.",
        "We chose Redis over Memcached because of persistence.",
    ];
    for text in said {
        let message = serde_json::json!({ "role": "user", "content": text }).to_string();
        house.run(&["ingest", "--conversation", "shop"], &message);
    }
    let check = |question: &str, expected: &str| {
        let answered = house.run(&["context", question, "--budget", "400", "--json"], "").stdout;
        let answered: serde_json::Value = serde_json::from_str(&answered).expect("JSON");
        let first = &answered["items"][0];
        assert_eq!(first["from"], "conversation", "{question}: {answered}");
        assert!(first["text"].as_str().expect("a text").contains(expected), "{question}: {answered}");
    };
    check("what did we decide about the database for carts", said[0]);
    check("which database did we choose for carts", said[0]);
    check("why did we choose Redis over Memcached", said[1]);
}

#[test]
fn a_general_question_is_answered_with_nothing_unless_the_gate_is_off() {
    let house = House::new(&[("src/list.py", "def sort(items):\n    return sorted(items)\n")]);
    let question = "how do I sort a list in Python";
    let skipped = house.run(&["context", question], "");
    assert!(skipped.stdout.starts_with("nothing looked up"), "{}", skipped.shown());
    let looked = house.run(&["context", question, "--set", "context.gate=off"], "");
    assert!(looked.stdout.contains("src/list.py"), "{}", looked.shown());
}
