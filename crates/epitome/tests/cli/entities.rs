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
    check(&house, &["context", "how does rate limiting work"], 0, &["concept Rate limiting: Per account"]);
    check(&house, &["search", "--related", "docs/requirements.md#REQ-001"], 0, &["concept Rate limiting"]);
    check(&house, &["search", "--related", "Rate limiting"], 0, &["src/limits.py"]);
    check(&house, &["relations", "REQ-001"], 0, &["linked from, implements: concept Rate limiting (ent_"]);
    check(&house, &["relations", "Rate limiting"], 3, &["`epitome entity show` has what is linked to it"]);
    let export = ["\"kind\":\"entity\"", "\"name\":\"Rate limiting\"", "\"type\":\"implements\""];
    check(&house, &["relations", "--export"], 0, &export);
    house.write("src/limits.py", b"");
    house.write("docs/requirements.md", b"# Accounts\n");
    check(&house, &["entity", "show", "Rate limiting"], 0, &["gone docs/requirements.md#REQ-001"]);
    check(&house, &["entity", "remove", "Rate limiting"], 0, &["removed with 2 links: Rate limiting"]);
    check(&house, &["entity", "show", "Ada"], 0, &["nothing is linked to it"]);
    let secret = "AKIA2QWERTYUIOP3ASDF";
    let content = format!("the key is {secret}");
    let kept = house.run(&["entity", "add", "Deploys", "--type", "technology", "--content", &content], "");
    assert!(kept.status == 0 && !kept.stdout.contains(secret), "{}", kept.stdout);
    let verified = house.run(&["verify"], "");
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn code_documents_and_conversations_are_entities_that_nobody_has_to_name() {
    let house = House::new(&[
        (
            "docs/requirements.md",
            "---\nowner: Ada\n---\n# Accounts\n\n- REQ-001: Calls must be limited.\n\n## Open questions\n\n- Who pays?\n",
        ),
        ("web/base.ts", "export interface Shape { size: number }\nexport class Base {}\nfunction hidden() {}\n"),
        (
            "web/load.ts",
            "import type { Shape } from \"./base\";\nimport { Base } from \"./base\";\nimport fs from \"fs\";\n\nexport class \
             Loader extends Base {}\n\nexport async function load(from: Shape): Promise<Shape> {\n  await import(\"./base\");\n  \
             return from;\n}\n",
        ),
    ]);
    let said = "{\"role\":\"user\",\"content\":\"Let's use tokens because they expire.\"}\n\
                {\"role\":\"assistant\",\"content\":\"Done. Which limit do you want?\"}\n";
    assert_eq!(house.run(&["ingest", "--conversation", "talk"], said).status, 0);
    let json = |arguments: &[&str]| -> serde_json::Value {
        let ended = house.run(&[arguments, &["--json"]].concat(), "");
        assert_eq!(ended.status, 0, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
        serde_json::from_str(&ended.stdout).expect("JSON")
    };
    let load = json(&["entity", "show", "web/load.ts#load"]);
    let metadata = &load["entity"]["metadata"];
    assert_eq!((&metadata["async"], &metadata["exported"]), (&true.into(), &true.into()), "{load}");
    assert_eq!(metadata["return_type"], "Promise<Shape>", "{load}");
    assert_eq!(json(&["entity", "show", "web/load.ts#Loader"])["entity"]["metadata"]["bases"][0], "Base");
    assert_eq!(json(&["entity", "show", "hidden"])["entity"]["metadata"]["exported"], false);
    let file = json(&["entity", "show", "web/load.ts"]);
    let metadata = &file["entity"]["metadata"];
    assert_eq!(metadata["exports"], serde_json::json!(["Loader", "load"]), "{file}");
    let manner = |at: usize| {
        let import = &metadata["imports"][at];
        ["type_only", "dynamic", "external"].map(|key| import[key].as_bool().expect("a flag"))
    };
    let manners = [[true, false, false], [false, false, false], [false, false, true], [false, true, false]];
    assert_eq!([0, 1, 2, 3].map(manner), manners, "{file}");
    let document = json(&["entity", "show", "docs/requirements.md"]);
    assert_eq!(
        (&document["entity"]["type"], &document["entity"]["metadata"]["head"]["owner"]),
        (&"document".into(), &"Ada".into())
    );
    for (kind, named) in [
        ("requirement", "Calls must be limited."),
        ("class", "Loader"),
        ("interface", "Shape"),
        ("document", "requirements.md"),
        ("section", "Accounts"),
        ("session", "talk"),
        ("decision", "tokens"),
        ("question", "Who pays?"),
        ("question", "Which limit do you want?"),
    ] {
        check(&house, &["entity", "list", "--type", kind], 0, &[named]);
    }
    check(&house, &["entity", "list", "--type", "message"], 2, &["`history` lists those of a session"]);
    let first = json(&["entity", "list", "--type", "class", "--limit", "1"]);
    assert_eq!((&first["omitted"], &first["cursor"]), (&1.into(), &"1".into()));
    let decision =
        json(&["entity", "list", "--type", "decision"])["entities"][0]["id"].as_str().expect("an id").to_owned();
    check(
        &house,
        &["entity", "add", "Tokens", "--type", "concept", "--metadata", "{\"team\":\"web\"}"],
        0,
        &["\"team\":\"web\""],
    );
    check(&house, &["entity", "link", "Tokens", &decision, "--relationship", "depends_on"], 0, &["depends_on fact_"]);
    let walk = ["decision", "message Let's use tokens", "session talk"];
    check(&house, &["entity", "show", "Tokens", "--depth", "3"], 0, &walk);
    check(&house, &["entity", "show", "Tokens", "--depth", "3", "--types", "session"], 0, &["session talk"]);
    let only = house.run(&["entity", "show", "Tokens", "--depth", "3", "--types", "session"], "");
    assert!(!only.stdout.contains("message "), "{}", only.stdout);
    check(&house, &["entity", "show", "conv_0123456789abcdef"], 3, &["does not exist"]);
}

#[test]
fn many_links_and_circles_are_walked_a_page_at_a_time() {
    let house = House::new(FILES);
    check(&house, &["entity", "add", "hub", "--type", "concept"], 0, &["new: hub"]);
    for at in 0..7 {
        let name = format!("spoke {at}");
        check(&house, &["entity", "add", &name, "--type", "concept"], 0, &["new: "]);
        check(&house, &["entity", "link", "hub", &name], 0, &["relates_to"]);
        check(&house, &["entity", "link", &name, "hub", "--relationship", "depends_on"], 0, &["depends_on"]);
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = "0".to_owned();
    for page in 0..3 {
        let ended =
            house.run(&["entity", "show", "hub", "--depth", "10", "--limit", "3", "--cursor", &cursor, "--json"], "");
        let reply: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        let relations = reply["relations"].as_array().expect("relations");
        seen.extend(relations.iter().map(|it| it["entity"]["name"].as_str().expect("a name").to_owned()));
        assert_eq!(reply["cursor"].is_string(), page < 2, "{reply}");
        cursor = reply["cursor"].as_str().unwrap_or_default().to_owned();
    }
    assert_eq!(seen.len(), 7, "each end once, however the links go round: {seen:?}");
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
        (&["show", "limit", "--types", "likes"], "has `likes`, which is no relationship"),
        (&["list", "--type", "thing"], "is `thing`, which is no type of an entity"),
        (&["add", "x", "--type", "concept", "--metadata", "[1]"], "is no JSON object"),
        (&["remove", "nobody"], "entity `nobody` does not exist"),
    ] {
        let ended = house.run(&[&["entity"], arguments].concat(), "");
        assert!(ended.status != 0 && ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
}
