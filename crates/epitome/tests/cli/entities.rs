//! Entities that somebody names: kept, linked with each other and with code, shown, and put aside.

use crate::house::House;

const FILES: &[(&str, &str)] = &[
    ("docs/requirements.md", "# Accounts\n\n- REQ-001: Calls must be limited.\n"),
    (
        "src/limits.py",
        "def limit(call):\n    \"\"\"REQ-001\"\"\"\n    return call\n\n\ndef serve(call):\n    return limit(call)\n",
    ),
];

fn check(house: &House, arguments: &[&str], status: i32, told: &[&str]) {
    let ended = house.run(arguments, "");
    let all = format!("{}{}", ended.stdout, ended.stderr);
    for words in told {
        assert!(all.contains(words), "{arguments:?} does not say {words:?}:\n{all}");
    }
    assert_eq!(ended.status, status, "{arguments:?}:\n{all}");
}

#[test]
fn entities_are_kept_linked_shown_and_put_aside() {
    let house = House::new(FILES);
    check(&house, &["entity"], 3, &["no entities"]);
    let add = ["entity", "add", "Rate limiting", "--type", "concept", "--content", "Per account, not per address"];
    check(&house, &add, 0, &["new: Rate limiting (concept, ent_", "Per account, not per address"]);
    check(&house, &add, 0, &["known: Rate limiting"]);
    check(&house, &["entity", "add", "Ada", "--type", "person"], 0, &["new: Ada (person"]);
    let link = ["entity", "link", "Rate limiting", "REQ-001", "--relationship", "implements"];
    check(&house, &link, 0, &["new: ent_", " implements docs/requirements.md#REQ-001 (link_"]);
    check(&house, &["entity", "link", "ada", "rate limiting", "--weight", "0.5"], 0, &[" relates_to 0.50 ent_"]);
    let walk = ["concept Rate limiting", "requirement Calls must be limited.", "function limit", "function serve"];
    check(&house, &["entity", "show", "Ada", "--depth", "4"], 0, &walk);
    check(&house, &["entity", "list", "account"], 0, &["Rate limiting (concept"]);
    check(&house, &["search", "how does rate limiting work"], 0, &["concept Rate limiting: Per account"]);
    house.write("src/limits.py", b"");
    house.write("docs/requirements.md", b"# Accounts\n");
    check(&house, &["entity", "show", "Rate limiting"], 0, &["gone docs/requirements.md#REQ-001"]);
    check(&house, &["entity", "remove", "Rate limiting"], 0, &["removed: Rate limiting", "with 2 links"]);
    check(&house, &["entity", "show", "Ada"], 0, &["nothing is linked to it"]);
    let secret = "AKIA2QWERTYUIOP3ASDF";
    let content = format!("the key is {secret}");
    let kept = house.run(&["entity", "add", "Deploys", "--type", "technology", "--content", &content], "");
    assert!(kept.status == 0 && !kept.stdout.contains(secret), "{}", kept.stdout);
    let verified = house.run(&["verify"], "");
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn what_cannot_be_kept_is_refused_with_what_can() {
    let house = House::new(FILES);
    for (arguments, told) in [
        (&["add", "x", "--type", "thing"][..], "is `thing`, which is no type of an entity"),
        (&["add", " ", "--type", "concept"], "is empty or has several lines"),
        (&["add", "x"], "`type` is needed to add an entity"),
        (&["link", "limit", "nowhere_at_all"], "`nowhere_at_all` does not exist"),
        (&["link", "limit", "serve", "--relationship", "likes"], "is `likes`, which is no relationship"),
        (&["link", "limit", "serve", "--weight", "7"], "`weight` is 7: from 0 to 1"),
        (&["link", "limit", "limit"], "a link joins two things"),
        (&["show", "limit", "--depth", "11"], "`depth` is 11: from 1 to 10"),
        (&["remove", "nobody"], "entity `nobody` does not exist"),
    ] {
        let ended = house.run(&[&["entity"], arguments].concat(), "");
        assert!(ended.status != 0 && ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
}
