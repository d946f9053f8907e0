//! Other projects over the network: nobody reaches one that the server was not started for.

use crate::process::Place;
use serde_json::{Value, json};

const AUTH: &str = "def check_password(password, stored):\n    return stored == password\n";

/// A place with a second project beside the first, which is indexed.
fn place_of_two() -> (Place, String) {
    let place = Place::new();
    let folder = place.home.path().join("accounts");
    fs_err::create_dir_all(folder.join("src")).expect("creates");
    fs_err::write(folder.join("src/auth.py"), AUTH).expect("writes");
    let path = fs_err::canonicalize(folder).expect("a path").display().to_string();
    let indexed = place.run(&["index", &path]);
    assert!(indexed.status.success(), "{}", String::from_utf8_lossy(&indexed.stderr));
    assert!(place.run(&["index"]).status.success());
    (place, path)
}

#[test]
fn a_server_reaches_only_the_projects_that_it_was_started_for() {
    let (place, path) = place_of_two();
    let question = json!({ "query": "check_password", "projects": ["accounts"] });
    let server = place.serve();
    let named = server.call("project", &json!({ "action": "set", "name": "shop" })).send().ok();
    assert_eq!(named["projects"][0]["name"], "shop", "{named}");
    let refused = server.call("search", &question).send();
    assert_eq!(refused.status, 404, "{}", refused.body);
    assert!(refused.body.contains("known are shop") && !refused.body.contains("known are shop, "), "{}", refused.body);
    let all = server.call("search", &json!({ "query": "check_password add", "projects": ["all"] })).send().ok();
    let of = |reply: &Value| {
        reply["results"].as_array().expect("a list").iter().map(|it| it["project"].clone()).collect::<Vec<_>>()
    };
    assert!(of(&all).iter().all(|project| project == "shop"), "{all}");
    let listed = server.call("project", &json!({})).send().ok();
    let states = listed["projects"].as_array().expect("a list").iter().map(|it| &it["state"]);
    assert!(states.clone().count() == 2 && states.clone().all(|state| state == "unknown"), "{listed}");
    let forgotten = server.call("project", &json!({ "action": "forget" })).send();
    assert_eq!(forgotten.status, 400, "{}", forgotten.body);
    drop(server);
    let server = place.serve_with(&["--projects", &path]);
    let found = server.call("search", &question).send().ok();
    assert_eq!(of(&found), [json!("accounts")], "{found}");
    let found = server.call("symbol", &json!({ "name": "check_password", "projects": ["all"] })).send().ok();
    assert_eq!(found["symbols"][0]["project"], "accounts", "{found}");
}
