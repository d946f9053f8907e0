//! Several projects of one store: their names, where they are, links between them, and questions that reach from one to
//! another.

use crate::house::House;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const SHOP: &[(&str, &str)] = &[(
    "src/cart.py",
    "def total_cents(prices):\n    \"\"\"Adds the prices of a cart.\"\"\"\n    return sum(prices)\n\n\ndef checkout(prices):\n    return total_cents(prices)\n",
)];
const AUTH: &str = "def check_password(password, stored):\n    \"\"\"Compares a password with the stored hash.\"\"\"\n    return stored == password\n\n\ndef sign_in(name, password):\n    return check_password(password, name)\n\n\ndef total_cents(account):\n    return account.cents\n";

/// Says what a command says and how it ends.
fn check(house: &House, arguments: &[&str], status: i32, told: &[&str]) -> String {
    let ended = house.run(arguments, "");
    let all = format!("{}{}", ended.stdout, ended.stderr);
    for words in told {
        assert!(all.contains(words), "{arguments:?} does not say {words:?}:\n{all}");
    }
    assert_eq!(ended.status, status, "{arguments:?}:\n{all}");
    all
}

fn reply(house: &House, arguments: &[&str]) -> Value {
    let ended = house.run(&[arguments, &["--json"]].concat(), "");
    assert_eq!(ended.status, 0, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    serde_json::from_str(&ended.stdout).expect("one object")
}

fn git(folder: &PathBuf, arguments: &[&str]) {
    let own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"];
    let done = Command::new("git").args(own).args(arguments).current_dir(folder).output().expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn commit(folder: &PathBuf) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "more"]);
}

/// A repository in the home, indexed, and the path of it as an argument.
fn accounts(house: &House) -> (PathBuf, String) {
    house.write_home("accounts/src/auth.py", AUTH.as_bytes());
    let folder = house.home().join("accounts");
    git(&folder, &["init", "-q"]);
    commit(&folder);
    let path = folder.display().to_string();
    check(house, &["--project", &path, "index"], 0, &[]);
    (folder, path)
}

#[test]
fn a_project_has_a_name_and_is_found_again_after_it_moved() {
    let house = House::new(SHOP);
    let (folder, path) = accounts(&house);
    check(&house, &["index"], 0, &[]);
    let said = "The web shop\u{1b}[31m";
    let named = check(&house, &["project", "set", "--name", "shop", "--description", said], 0, &["shop (this one)"]);
    assert!(named.contains("The web shop") && !named.contains('\u{1b}'), "{named:?}");
    check(&house, &["project"], 0, &["shop (this one), proj_", "accounts, proj_", "path         HOME/accounts\n"]);
    check(&house, &["project", "set", "accounts", "--name", "Shop"], 2, &["is `Shop`, the name of the project proj_"]);
    check(&house, &["project", "set", "--name", "a,b"], 2, &["must be one line without"]);
    check(&house, &["project", "show", "nobody"], 3, &["project `nobody` does not exist", "known are shop, accounts"]);
    check(&house, &["status"], 0, &["project        shop: PROJECT", "last index     "]);

    let shown = reply(&house, &["project", "show", "accounts"]);
    let shown = &shown["projects"][0];
    assert_eq!(
        (&shown["state"], &shown["commits_behind"], &shown["current"]),
        (&"here".into(), &0.into(), &false.into())
    );
    assert!(shown["last_sync_commit"].as_str().is_some_and(|commit| commit.len() == 40), "{shown}");
    commit(&folder);
    commit(&folder);
    check(&house, &["project", "show", "accounts"], 0, &[", 2 commits behind"]);
    check(
        &house,
        &["--project", &path, "status"],
        0,
        &["project        accounts: HOME/accounts", ", 2 commits behind"],
    );
    check(&house, &["--project", &path, "search", "check_password"], 0, &["src/auth.py"]);
    let seen = reply(&house, &["project", "show", "accounts"]);
    assert_eq!(seen["projects"][0]["commits_behind"], 0, "a question looked at what is there");

    let moved = house.home().join("ledger");
    fs_err::rename(&folder, &moved).expect("moves");
    check(&house, &["project", "show", "accounts"], 0, &["HOME/accounts, which is missing"]);
    let gone = ["search", "password", "--projects", "accounts"];
    check(&house, &gone, 2, &["names `accounts`, which is missing: it was in HOME/accounts"]);
    check(&house, &["search", "total_cents", "--projects", "all"], 0, &["shop:src/cart.py"]);
    check(&house, &["project", "set", "accounts", "--name", "accounts"], 0, &[]);
    check(&house, &["--project", &moved.display().to_string(), "search", "check_password"], 0, &["src/auth.py"]);
    check(
        &house,
        &["project", "show", "accounts"],
        0,
        &["path         HOME/ledger\n", "also         HOME/accounts, which is gone"],
    );
    fs_err::remove_dir_all(&moved).expect("removes");
    check(&house, &["project", "forget", "accounts"], 2, &["needs --data"]);
    check(&house, &["project", "forget", "accounts", "--data"], 0, &["accounts: 0 conversations"]);
    check(&house, &["project", "forget", "accounts", "--data", "--yes"], 0, &["accounts: 0 conversations"]);
    let left = check(&house, &["project"], 0, &["shop"]);
    assert!(!left.contains("accounts"), "{left}");
    check(&house, &["verify"], 0, &["ok: "]);
}

#[test]
fn questions_reach_other_projects_and_say_which() {
    let house = House::new(SHOP);
    let (folder, _) = accounts(&house);
    check(&house, &["project", "set", "--name", "shop"], 0, &[]);
    let both = ["--projects", "shop,accounts"];
    let ask = |question: &[&str], told: &[&str]| check(&house, &[question, &both].concat(), 0, told);
    ask(&["search", "how is a password compared"], &["accounts:src/auth.py:1-"]);
    ask(&["symbol", "total_cents"], &["shop:src/cart.py#total_cents", "accounts:src/auth.py#total_cents"]);
    let only = ask(&["symbol", "check_password"], &["accounts:src/auth.py#check_password"]);
    assert!(!only.contains("shop:"), "{only}");
    ask(&["relations", "check_password"], &["accounts:src/auth.py#check_password", "caller: src/auth.py#sign_in"]);
    ask(&["impact", "total_cents"], &["changes shop:src/cart.py#total_cents", "  shop:src/cart.py\n", "#checkout"]);
    let limited = reply(&house, &["search", "cents", "--limit", "1", "--projects", "all"]);
    assert_eq!(limited["results"].as_array().map(Vec::len), Some(1), "one limit for all: {limited}");
    for budget in ["100", "150", "250", "1000"] {
        let question = "how are passwords compared and cents added";
        let answer = reply(&house, &["context", question, "--budget", budget, "--projects", "all"]);
        assert!(answer["tokens"].as_u64() <= budget.parse().ok(), "{answer}");
        if budget == "1000" {
            let items = answer["items"].as_array().expect("items");
            let of: Vec<&str> = items.iter().filter_map(|item| item["project"].as_str()).collect();
            assert!(of.contains(&"shop") && of.contains(&"accounts") && of.len() == items.len(), "{answer}");
        }
    }
    let text = ask(&["context", "how is a password compared"], &["# Project accounts\n"]);
    assert!(text.contains("## src/auth.py"), "{text}");
    check(
        &house,
        &["search", "cents", "--projects", "shop,nobody"],
        3,
        &["`nobody` does not exist", "known are shop, acc"],
    );
    // What its own settings leave out stays out, whoever asks.
    fs_err::write(folder.join(".epitome.toml"), "[index]\nignore = [\"src/**\"]\n").expect("writes");
    let shown = ["config       index.ignore = "];
    check(&house, &["project", "show", "accounts"], 0, &shown);
    check(&house, &["symbol", "check_password", "--projects", "accounts"], 3, &[]);
    let unnamed = check(&house, &["search", "total_cents"], 0, &["src/cart.py:"]);
    assert!(!unnamed.contains("shop:"), "without `--projects` nothing is different: {unnamed}");
}

#[test]
fn projects_are_linked_and_share_entities() {
    let house = House::new(SHOP);
    let (_, path) = accounts(&house);
    check(&house, &["project", "set", "--name", "shop"], 0, &[]);
    check(&house, &["project", "link", "shop", "accounts"], 0, &["linked: shop", "depends on   accounts"]);
    check(&house, &["project", "link", "shop", "accounts"], 0, &["known: shop"]);
    check(&house, &["project", "show", "accounts"], 0, &["used by      shop"]);
    let links = &reply(&house, &["project"])["cross_project_links"];
    assert_eq!(links.as_array().map(Vec::len), Some(1), "{links}");
    assert_eq!((&links[0]["source_project"], &links[0]["weight"]), (&"shop".into(), &1.0.into()));
    check(&house, &["project", "link", "shop", "shop"], 2, &["a link joins two"]);
    check(&house, &["project", "link", "shop", "nobody"], 3, &["target project `nobody` does not exist"]);
    check(&house, &["project", "link", "shop"], 2, &["is needed to link two projects"]);
    let entity = ["entity", "add", "Rate limiting", "--type", "concept"];
    check(&house, &entity, 0, &[]);
    check(&house, &["project", "show", "shop"], 0, &[]);
    check(&house, &[&["--project", &path][..], &entity].concat(), 0, &[]);
    check(&house, &["project", "show", "shop"], 0, &["shared       concept Rate limiting: accounts"]);
    // A project is no entity in itself.
    let listed = check(&house, &["entity"], 0, &["Rate limiting"]);
    assert!(!listed.contains("project") && !listed.contains("shop"), "{listed}");
    check(&house, &["entity", "add", "x", "--type", "project"], 2, &["no type of an entity"]);
    check(&house, &["project", "unlink", "shop", "accounts"], 0, &["unlinked: shop"]);
    assert_eq!(reply(&house, &["project"])["cross_project_links"], Value::Null);
    check(&house, &["verify"], 0, &["ok: "]);
}

#[test]
fn a_package_of_one_project_links_it_with_those_that_need_it() {
    let house = House::new(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\ndependencies = [\"acme-accounts>=1\"]\n"),
        (
            "shop/web.py",
            "from acme_accounts.auth import check_password\n\n\ndef sign_in(given):\n    return check_password(given)\n",
        ),
        ("shop/other.py", "def check_password(given):\n    return given\n"),
    ]);
    let files = [
        ("accounts/pyproject.toml", "[project]\nname = \"Acme_Accounts\"\n"),
        ("accounts/src/acme_accounts/__init__.py", ""),
        ("accounts/src/acme_accounts/auth.py", "def check_password(given):\n    return bool(given)\n"),
    ];
    for (path, text) in files {
        house.write_home(path, text.as_bytes());
    }
    let path = house.home().join("accounts").display().to_string();
    check(&house, &["--project", &path, "index"], 0, &[]);
    check(&house, &["index"], 0, &[]);
    check(&house, &["project", "set", "--name", "shop"], 0, &[]);
    let linked = ["depends on   accounts (pyproject.toml names Acme_Accounts)"];
    check(&house, &["project", "show", "shop"], 0, &linked);
    check(&house, &["project", "show", "accounts"], 0, &["used by      shop (pyproject.toml names Acme_Accounts)"]);
    let both = ["--projects", "accounts,shop"];
    let asked = "src/acme_accounts/auth.py#check_password";
    let told = check(
        &house,
        &[&["relations", asked], &both[..]].concat(),
        0,
        &["caller 0.90: shop:shop/web.py#sign_in", "importer 0.90: shop:shop/web.py", "line 5"],
    );
    assert!(!told.contains("other.py"), "{told}");
    let told =
        ["changes accounts:src/acme_accounts/auth.py#check_password", "  shop:shop/web.py\n", "calls 0.90 src/acme"];
    check(&house, &[&["impact", asked], &both[..]].concat(), 0, &told);
    let alone = house.run(&["--project", &path, "relations", "check_password"], "");
    assert!(!alone.stdout.contains("shop"), "{}", alone.stdout);
}
