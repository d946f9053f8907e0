//! Questions as people put them, about what was said and about nothing that is here, against the real binary.

use super::day::json_of;
use super::host::{Host, Writes};
use super::house::House;
use serde_json::{Value, json};

/// Code that shares words with what is said.
const FILES: &[(&str, &str)] = &[
    (
        "src/cart.py",
        "class Cart:\n    \"\"\"Keeps carts in a database.\"\"\"\n\n    def add(self, item):\n        self.items.append(item)\n\n    \
         def prices(self):\n        return [item.price for item in self.items]\n",
    ),
    (
        "src/session.py",
        "def open_session(user, password):\n    \"\"\"Opens a session of a user.\"\"\"\n    return hash_password(password)\n\n\ndef \
         hash_password(password):\n    return password\n",
    ),
    (
        "src/limits.py",
        "def limit_rate(app, rate):\n    \"\"\"Limits the rate of requests that an app takes.\"\"\"\n    return rate\n",
    ),
];

/// What was said in one conversation, and how it is asked for.
const STATEMENTS_AND_QUESTIONS: &[(&str, &str)] = &[
    ("We decided to store uploads in S3 because local disks are wiped on deploy.", "what did we decide about uploads"),
    ("We agreed that prices are whole cents.", "how did we want to represent prices"),
    ("Let's go with Argon2 for password hashing instead of bcrypt.", "which password hashing did we choose"),
    ("The plan is to migrate to Python 3.12 in March.", "when do we migrate to Python 3.12"),
    (
        "We settled on gRPC between the billing and the order service.",
        "what did we settle on between billing and orders",
    ),
    ("Use tabs, never spaces, in Makefiles please.", "what did I say about tabs"),
    (
        "The flaky test was test_session_expiration; we fixed it by freezing the clock.",
        "how did we fix the flaky session test",
    ),
    ("Rate limiting will be done in nginx, not in the app.", "where did we say rate limiting happens"),
    ("We'll keep feature flags in a YAML file for now.", "where do we keep feature flags"),
    ("Backups are owned by Maria from the ops team.", "who owns the backups"),
    (
        "The error 'database is locked' came from two writers; WAL mode solved it.",
        "why was the database locked last time",
    ),
    ("We chose Redis over Memcached because of persistence.", "why did we choose Redis over Memcached"),
];

fn say(house: &House, text: &str) {
    let message = json!({ "role": "user", "content": text }).to_string();
    assert_eq!(house.run(&["ingest", "--conversation", "shop"], &message).status, 0);
}

fn context(house: &House, question: &str, budget: &str) -> Value {
    json_of(house, &["context", question, "--budget", budget])
}

/// The texts of an answer that were said.
fn said(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().expect("items").iter();
    items.filter(|item| item["from"] == "conversation").filter_map(|item| item["text"].as_str()).collect()
}

#[test]
fn everything_said_is_in_the_answer_to_whoever_asks_for_it() {
    let house = House::new(FILES);
    for (text, _) in STATEMENTS_AND_QUESTIONS {
        say(&house, text);
    }
    for (text, question) in STATEMENTS_AND_QUESTIONS {
        let answer = context(&house, question, "1500");
        assert!(said(&answer).iter().any(|said| said.contains(text)), "{question}: {answer}");
    }
}

#[test]
fn two_telling_words_are_enough_and_of_a_decision_one() {
    let house = House::new(FILES);
    say(&house, "We decided to use SQLite for carts, not PostgreSQL, because it needs no server.");
    say(&house, "The receipts of March went to the printer.");
    let about = |question: &str| context(&house, question, "800");
    // Two words of five.
    let answer = about("what did we tell the accountant about March, receipts, taxes and stamps");
    assert!(said(&answer).iter().any(|said| said.contains("went to the printer")), "{answer}");
    // One word of three is enough for a decision, and for nothing else.
    let answer = about("what did we decide about colours of carts");
    assert!(said(&answer).iter().any(|said| said.contains("use SQLite for carts")), "{answer}");
    let answer = about("what did we say about colours of the printer");
    assert!(!said(&answer).iter().any(|said| said.contains("receipts of March")), "{answer}");
}

#[test]
fn a_message_with_every_word_of_a_question_is_not_cut_by_the_share_of_conversations() {
    let house = House::new(FILES);
    let rule = "The rate limits of the app are kept in nginx: twenty requests a second for each address, with a burst of forty, \
                and whoever passes that is told to come back in a minute; the numbers are in the file of the load balancer, \
                and the ones of the staging machine are ten times as high, because the tests run there all night long.";
    say(&house, rule);
    let answer = context(&house, "find the rate limits of the app", "300");
    assert_eq!(said(&answer).len(), 1, "{answer}");
    assert!(answer["items"].as_array().expect("items").iter().any(|item| item["from"] == "code"), "{answer}");
}

#[test]
fn a_question_that_a_hook_stored_is_no_answer_to_itself() {
    let decision = "We decided to use SQLite for carts, not PostgreSQL, because it needs no server.";
    let question = "what did we decide about the database for carts";
    let house = House::new(FILES);
    let mut monday = Host::new(&house, "monday", Writes::Nothing);
    monday.start("startup");
    monday.prompt(decision);
    monday.say("Understood.");
    monday.end();
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    let mut tuesday = Host::new(&house, "tuesday", Writes::Nothing);
    tuesday.start("startup");
    let told = tuesday.prompt(question);
    assert!(told.contains(decision), "{told}");
    // The agent asks in the words of the user while its session runs.
    let recalled = json_of(&house, &["recall", question]);
    assert!(recalled["results"][0]["text"].as_str().expect("a text").contains(decision), "{recalled}");
    for result in recalled["results"].as_array().expect("results") {
        assert_ne!(result["text"], question, "{recalled}");
    }
    let answer = context(&house, question, "400");
    assert!(said(&answer)[0].contains(decision), "{answer}");
    assert!(!said(&answer).iter().any(|said| said.contains(question)), "{answer}");
    tuesday.end();
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    let mut wednesday = Host::new(&house, "wednesday", Writes::Nothing);
    let oriented = super::host::context(&wednesday.start("startup"));
    let told = wednesday.prompt(question);
    assert!(told.contains(decision), "{told}");
    assert!(!oriented.contains(question) && !told.contains(question), "{oriented}\n{told}");
}

#[test]
fn an_answer_that_lacks_the_words_is_found_by_the_question_before_it() {
    let house = House::new(FILES);
    let mut monday = Host::new(&house, "monday", Writes::Transcript);
    monday.start("startup");
    monday.prompt("Which broker do we take for the invoice queue?");
    monday.say("RabbitMQ, since the team has run it for years.");
    monday.end();
    assert_eq!(json_of(&house, &["drain"])["waiting"], 0);
    let question = "which broker do we take for the invoice queue";
    let recalled = json_of(&house, &["recall", question]);
    assert!(recalled["results"][0]["text"].as_str().expect("a text").contains("RabbitMQ"), "{recalled}");
    let answer = context(&house, question, "600");
    assert!(said(&answer).iter().any(|said| said.contains("RabbitMQ")), "{answer}");
}

#[test]
fn where_nothing_shares_a_word_it_is_said() {
    let house = House::new(FILES);
    let ended = house.run(&["context", "zygote ornithopter", "--budget", "400"], "");
    assert_eq!(ended.status, 3, "{}", ended.shown());
}

#[test]
fn a_selector_a_local_or_a_test_makes_no_general_question_one_about_the_project() {
    let house = House::new(&[
        ("src/cart.py", "def add(item):\n    closure = item\n    return closure\n"),
        ("web/style.css", ".closure {\n  color: red;\n}\n"),
        ("web/index.html", "<div id=\"closure\" class=\"closure\">x</div>\n"),
        ("tests/test_cart.py", "def closure():\n    pass\n"),
    ]);
    let gate = |question: &str| context(&house, question, "400")["gate"].clone();
    assert_eq!(
        gate("what is a closure"),
        json!({ "retrieve": false, "reason": "asks what a concept is", "confidence": 0.75 })
    );
    house.write("src/shop.py", b"def closure():\n    return 1\n");
    assert_eq!(gate("what is a closure")["reason"], "names something defined here");
    // Who spells a name is told that words lead there best.
    assert_eq!(gate("what does `closure` return")["suggested_strategy"], "keyword");
    assert_eq!(gate("how does this project close its carts")["suggested_strategy"], Value::Null);
}
