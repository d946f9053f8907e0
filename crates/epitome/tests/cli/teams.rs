//! The commands that change, remove or copy what is stored, on PostgreSQL: the same as on the embedded store, with the
//! owner of the database where rows are changed.

use super::house::House;
use super::purging::{fill_with_badges, json_of};
use serde_json::{Value, json};
use testkit::postgres::PostgresCluster;

/// A house on a server of its own, and the address of its owner.
fn house_on(cluster: &PostgresCluster) -> House {
    let mut house = House::new(&[]);
    let made = json_of(&house, &["database", "init", cluster.url(), "--json"]);
    let url = made["url"].as_str().expect("a URL").to_owned();
    house.environment.push(("EPITOME_DATABASE_URL".to_owned(), url));
    house
}

fn with_owner(mut house: House, cluster: &PostgresCluster) -> House {
    house.environment.push(("EPITOME_DATABASE_OWNER_URL".to_owned(), cluster.url().to_owned()));
    house
}

#[test]
fn secrets_of_a_team_are_found_and_purged_by_the_owner() {
    let cluster = PostgresCluster::start();
    let house = fill_with_badges(house_on(&cluster));
    let before = json_of(&house, &["verify", "--json"]);
    assert_eq!(before["ok"], true, "{before}");
    let scan = house.run(&["sensitive", "scan"], "");
    assert_eq!(scan.status, 6, "{}", scan.shown());
    assert!(scan.stdout.contains("badge") && !scan.stdout.contains("EMP-"), "{}", scan.shown());
    let refused = house.run(&["sensitive", "purge", "--yes"], "");
    assert!(refused.status != 0 && refused.stderr.contains("EPITOME_DATABASE_OWNER_URL"), "{}", refused.shown());
    assert!(house.run(&["history", "--conversation", "demo"], "").stdout.contains("EMP-123456"));

    let house = with_owner(house, &cluster);
    let purge = json_of(&house, &["sensitive", "purge", "--yes", "--json"]);
    assert_eq!((&purge["leftover"], purge["secrets"].as_u64() >= Some(5)), (&Value::Null, true), "{purge}");
    assert_eq!(house.run(&["sensitive", "scan"], "").status, 0);
    let history = house.run(&["history", "--conversation", "demo", "--json"], "").stdout;
    assert!(!history.contains("EMP-") && history.contains("integer cents"), "{history}");
    let found = house.run(&["grep", "123456", "--mode", "full_text"], "");
    assert!(!found.stdout.contains("msg_"), "{}", found.shown());
    let after = json_of(&house, &["verify", "--json"]);
    assert_eq!((&after["ok"], &after["messages"]), (&json!(true), &before["messages"]), "{after}");
    assert!(after["rewrites"].as_array().is_some_and(|rewrites| rewrites.len() >= 4), "{after}");
    assert!(house.run(&["verify"], "").stdout.contains("purged on purpose at "));
    // What is imported again is what is stored now: no message is new.
    let again = house.run(&["import", house.home().join("s1.jsonl").to_str().expect("a path"), "--json"], "").stdout;
    assert!(again.contains(r#""standing":"same""#) && again.contains(r#""new_messages":0"#), "{again}");
    let second = house.run(&["sensitive", "purge", "--yes"], "");
    assert_eq!(second.stdout, "no secrets are stored; nothing was changed\n");
}

#[test]
fn a_project_of_a_team_is_forgotten_by_the_owner() {
    let cluster = PostgresCluster::start();
    let house = with_owner(fill_with_badges(house_on(&cluster)), &cluster);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = elsewhere.path().to_str().expect("a path");
    let line = json!({ "role": "user", "content": "of another project", "id": "o1" }).to_string();
    assert_eq!(house.run(&["--project", other, "ingest", "--conversation", "other"], &line).status, 0);
    let done = house.run(&["project", "forget", "--data", "--yes"], "");
    assert_eq!(done.status, 0, "{}", done.shown());
    let after = json_of(&house, &["verify", "--json"]);
    assert_eq!(
        (&after["ok"], &after["messages"], &after["artifacts"]),
        (&json!(true), &json!(1), &json!(0)),
        "{after}"
    );
    assert_eq!(after["rewrites"][0]["reason"], "forgotten");
    let other = house.run(&["--project", other, "history", "--conversation", "other"], "");
    assert!(other.stdout.contains("of another project"), "{}", other.shown());
}

#[test]
fn a_backup_of_a_tenant_is_loaded_into_another_and_verified() {
    let cluster = PostgresCluster::start();
    let house = fill_with_badges(house_on(&cluster));
    let file = house.home().join("team.epitome");
    let file = file.to_str().expect("a path");
    let before = json_of(&house, &["verify", "--json"]);
    let written = house.run(&["backup", "create", file], "");
    assert!(written.status == 0 && written.stdout.starts_with("wrote "), "{}", written.shown());
    let again = house.run(&["backup", "create", file], "");
    assert!(again.status != 0 && again.stderr.contains("there is such a file already"), "{}", again.shown());

    let house = with_owner(house, &cluster);
    let used = house.run(&["backup", "load", file], "");
    assert!(used.status != 0 && used.stderr.contains("has data already"), "{}", used.shown());
    let restored = ["--set", "database.tenant=restored"];
    let run = |arguments: &[&str]| house.run(&[&restored[..], arguments].concat(), "");
    let loaded = run(&["backup", "load", file]);
    assert_eq!(loaded.status, 0, "{}", loaded.shown());
    assert!(
        loaded.stdout.starts_with("restored backup of ") && loaded.stdout.contains(", verified"),
        "{}",
        loaded.shown()
    );
    let after: Value = serde_json::from_str(&run(&["verify", "--json"]).stdout).expect("a reply");
    for field in ["ok", "messages", "conversations", "artifacts", "lines"] {
        assert_eq!(after[field], before[field], "{field}: {after}");
    }
    assert!(run(&["verify"]).stdout.contains("backup of "), "the backup is named");
    let found = run(&["grep", "integer", "--mode", "full_text"]);
    assert!(found.stdout.contains("integer cents"), "{}", found.shown());
    let exported = |tenant: &[&str]| house.run(&[tenant, &["export", "claude-code:s1"]].concat(), "").stdout;
    assert_eq!(exported(&restored), exported(&[]));
}

#[test]
fn what_is_remembered_and_promoted_is_the_same_on_both_stores() {
    let cluster = PostgresCluster::start();
    let shared = memory_of(&house_on(&cluster));
    assert_eq!(shared, memory_of(&House::new(&[])));
    assert_eq!((&shared["promoted"], &shared["again"]), (&json!([1, 2]), &json!([1, 0])), "{shared}");
    assert_eq!(shared["before"].as_array().map(Vec::len), Some(4), "{shared}");
    assert_eq!(shared["after"].as_array().map(Vec::len), Some(3), "{shared}");
    // A memory of the user is told in every project, one of a project only there.
    assert_eq!(shared["everywhere"].as_array().map(Vec::len), Some(1), "{shared}");
    assert_eq!(shared["decisions"][1], json!(["Let's use Redis for the sessions.", "withdrawn"]), "{shared}");
}

/// A member of a team, on the database of a house.
struct Member<'h> {
    house: &'h House,
    tenant: &'h str,
    name: &'h str,
}

impl Member<'_> {
    /// What a command says, with its ids as they are.
    fn ask(&self, arguments: &[&str]) -> Value {
        let tenant = format!("database.tenant={}", self.tenant);
        let whole = [&["--set", &tenant][..], arguments, &["--json"]].concat();
        let output = self.house.command(&whole).env("EPITOME_MEMORY_AUTHOR", self.name).output();
        let output = output.expect("the binary runs");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!(String::from_utf8_lossy(&output.stderr)))
    }

    fn remember(&self, text: &str) -> String {
        self.ask(&["remember", text])["memory_id"].as_str().expect("it is kept").to_owned()
    }

    /// What is remembered, in words and with whose it is.
    fn memories(&self) -> Vec<Value> {
        let listed = self.ask(&["memories"]);
        let memories = listed["memories"].as_array().cloned().unwrap_or_default();
        memories.iter().map(|memory| json!([memory["content"], memory["author"]])).collect()
    }
}

#[test]
fn members_share_what_they_want_to_and_teams_share_nothing() {
    let cluster = PostgresCluster::start();
    let house = house_on(&cluster);
    let [ana, bob] = ["ana", "bob"].map(|name| Member { house: &house, tenant: "one", name });
    // The same name in another team is another person.
    let other = Member { house: &house, tenant: "two", name: "bob" };
    let rule = ana.remember("Deploys run from the release branch only");
    let choice = ana.remember("We use Redis for the cache");
    let contrary = bob.remember("We use Memcached for the cache");
    assert_eq!(bob.memories(), [json!(["We use Memcached for the cache", null])], "all is private at first");
    for (member, ids) in [(&ana, vec![&*rule, &*choice]), (&bob, vec![&*contrary])] {
        let shared = member.ask(&[&["team", "share"][..], &ids].concat());
        assert_eq!(shared["items"][0]["author"], member.name, "{shared}");
    }
    assert_eq!(bob.memories().len(), 1, "nobody asked to be told");
    for member in [&bob, &other] {
        let asked = member.ask(&["subscription", "add", "ana", "--pattern", "author"]);
        assert_eq!(asked["subscriptions"][0]["trigger_type"], "share", "{asked}");
    }
    let listed = bob.ask(&["team", "list"]);
    let standing: Vec<&Value> =
        listed["items"].as_array().expect("a list").iter().map(|item| &item["standing"]).collect();
    assert_eq!(standing, ["own", "told", "told"], "{listed}");
    let told = bob.memories();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told.contains(&json!(["We use Redis for the cache", "ana"])), "{told:?}");
    let found = bob.ask(&["recall", "which cache do we use", "--layer", "memories"]);
    let contradicts: Vec<bool> = found["memories"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|memory| memory["contradicts"][0]["newer"].as_bool())
        .collect();
    assert_eq!(contradicts.len(), 2, "both are told and marked: {found}");
    assert_ne!(contradicts[0], contradicts[1], "{found}");
    assert!(other.memories().is_empty(), "no other team is told");
    assert_eq!(other.ask(&["team", "list"])["items"], json!([]));
    let refused = other.ask(&["team", "share", &choice]);
    assert!(refused["items"].is_null(), "{refused}");
    ana.ask(&["team", "withdraw", &rule]);
    assert_eq!(bob.memories().len(), 2);
    let whole = bob.ask(&["verify"]);
    assert_eq!(whole["ok"], true, "{whole}");
}

/// Walks through memories, promotion, retraction and assembly; gives what a user sees of them.
fn memory_of(house: &House) -> Value {
    let said = [
        ("user", "Never push to main. Let's use Redis for the sessions."),
        ("assistant", "Both are noted."),
        ("user", "No, do not use Redis. Maybe we can just keep them in memory."),
        ("assistant", "The sessions stay in memory: implemented and tested."),
        ("user", "Bitte niemals Tabs verwenden."),
        ("assistant", "Verstanden."),
    ];
    let lines: Vec<String> =
        said.iter().map(|(role, content)| json!({ "role": role, "content": content }).to_string()).collect();
    assert_eq!(house.run(&["ingest", "--conversation", "talk"], &lines.join("\n")).status, 0);
    let remember = |arguments: &[&str]| {
        assert_eq!(json_of(house, &[&["remember", "--json"], arguments].concat())["stored"], true);
    };
    remember(&["Deploys run from the release branch only", "--tag", "deploy"]);
    // Said again in other spelling, it is one memory.
    remember(&["deploys run from the release branch only.", "--tag", "release"]);
    remember(&["I prefer short answers", "--for-me"]);
    let promoted = json_of(house, &["promote", "--all", "--json"]);
    let again = json_of(house, &["promote", "--all", "--json"]);
    let contents = |arguments: &[&str]| -> Vec<Value> {
        let listed = json_of(house, &[&["memories", "--json"], arguments].concat());
        let mut memories: Vec<Value> = listed["memories"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|memory| json!([memory["content"], memory["tags"], memory["kind"], memory["confidence"]]))
            .collect();
        memories.sort_by_key(Value::to_string);
        memories
    };
    let before = contents(&[]);
    // Ids of memories hold that of their project, so that `run` replaces them.
    let listed = house.command(&["memories", "--tag", "deploy", "--json"]).output().expect("the binary runs");
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("a list");
    let id = listed["memories"][0]["memory_id"].as_str().expect("a memory with this tag").to_owned();
    let forgotten = house.run(&["memories", "forget", &id], "");
    assert_eq!(forgotten.status, 0, "{}", forgotten.shown());
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = elsewhere.path().to_str().expect("a path");
    let everywhere = contents(&["--project", other]);
    let decisions = json_of(house, &["decisions", "--json"]);
    let decisions: Vec<Value> = decisions["decisions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|decision| json!([decision["decision"], decision["status"]]))
        .collect();
    let assembled = house.run(&["assemble", "talk", "--form", "xml", "--budget", "400"], "");
    assert_eq!(assembled.status, 0, "{}", assembled.shown());
    let counts = |report: &Value| json!([report["processed"], report["promoted"]]);
    json!({
        "promoted": counts(&promoted), "again": counts(&again), "before": before, "after": contents(&[]),
        "all": contents(&["--all"]), "everywhere": everywhere, "decisions": decisions, "assembled": assembled.stdout,
    })
}
