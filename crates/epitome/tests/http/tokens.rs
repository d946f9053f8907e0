//! Token files: made once, private, and refused when others may open them.

use crate::process::{Place, mode, set_mode};
use expect_test::expect;
use serde_json::json;

#[test]
fn the_first_start_makes_a_private_token_that_later_ones_keep() {
    let place = Place::new();
    let first = place.serve();
    assert_eq!(mode(&place.state("token")), 0o600);
    assert_eq!(first.token.len(), 64);
    assert!(first.token.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let second = place.serve();
    assert_eq!(first.token, second.token);
    assert_ne!(first.token, Place::new().serve().token);
    let printed = place.run(&["serve", "token"]);
    assert_eq!(String::from_utf8_lossy(&printed.stdout).trim(), first.token);
}

#[test]
fn a_token_file_that_others_may_open_is_refused() {
    let place = Place::new();
    drop(place.serve());
    for (file, name) in [("token", "token"), ("tokens.toml", "list")] {
        let path = place.state(file);
        if name == "list" {
            fs_err::write(&path, "").expect("our own file");
        }
        for wide in [0o644, 0o640, 0o660, 0o602] {
            set_mode(&path, wide);
            let expected = format!(
                "error: cannot trust HOME/state/{file}: others may open it (mode {wide:04o})\n\
                 hint: run: chmod 600 HOME/state/{file}\nexit status 4\n"
            );
            assert_eq!(place.failure(&["serve", "--address", "127.0.0.1:0"]), expected);
        }
        set_mode(&path, 0o600);
        drop(place.serve());
    }
}

#[test]
fn a_token_that_could_be_guessed_is_refused() {
    let place = Place::new();
    drop(place.serve());
    fs_err::write(place.state("token"), "secret\n").expect("our own file");
    expect![[r"
        error: cannot use the token in HOME/state/token: it has less than 32 characters
        hint: delete the file; the next `epitome serve` makes a new token
        exit status 4
    "]]
    .assert_eq(&place.failure(&["serve", "--address", "127.0.0.1:0"]));
}

#[test]
fn another_token_is_printed_once_and_kept_as_a_hash() {
    let place = Place::new();
    let made = place.run(&["--json", "serve", "token", "--tenant", "default"]);
    let made: serde_json::Value = serde_json::from_slice(&made.stdout).expect("one JSON object");
    assert_eq!(made["tenant"], "default");
    let token = made["token"].as_str().expect("a token");
    assert_eq!(mode(&place.state("tokens.toml")), 0o600);
    let kept = fs_err::read_to_string(place.state("tokens.toml")).expect("a list");
    assert!(!kept.contains(token));
    let other = place.run(&["serve", "token", "--tenant", "default"]);
    let other = String::from_utf8(other.stdout).expect("text");
    let server = place.serve();
    for token in [token, other.trim(), &server.token] {
        let reply = server.call("status", &json!({})).header("authorization", &format!("Bearer {token}")).send();
        assert_eq!(reply.status, 200);
    }
    fs_err::write(place.state("tokens.toml"), "").expect("our own file");
    let reply = place.serve().call("status", &json!({})).header("authorization", &format!("Bearer {token}")).send();
    assert_eq!(reply.status, 401);
}

#[test]
fn one_file_is_one_tenant() {
    let place = Place::new();
    let expected = expect![[r"
        error: cannot serve tenant `team-a`: the embedded database holds one tenant only, `default`
        hint: set database.url to a PostgreSQL server to serve several
        exit status 2
    "]];
    expected.assert_eq(&place.failure(&["serve", "token", "--tenant", "team-a"]));
    drop(place.serve());
    let entry = format!("[[token]]\ntenant = \"team-a\"\nblake3 = \"{}\"\n", "0".repeat(64));
    fs_err::write(place.state("tokens.toml"), entry).expect("our own file");
    set_mode(&place.state("tokens.toml"), 0o600);
    expected.assert_eq(&place.failure(&["serve", "--address", "127.0.0.1:0"]));
}

#[test]
fn a_broken_list_is_refused_with_its_place() {
    let place = Place::new();
    drop(place.serve());
    let list = |text: &str| {
        fs_err::write(place.state("tokens.toml"), text).expect("our own file");
        set_mode(&place.state("tokens.toml"), 0o600);
        place.failure(&["serve", "--address", "127.0.0.1:0"])
    };
    expect![[r#"
        error: cannot read HOME/state/tokens.toml:3: unknown field `blake`, expected one of `tenant`, `member`, `blake3`
        hint: correct the file, or delete it and make its tokens anew with `epitome serve token --tenant NAME`
        exit status 2
    "#]]
    .assert_eq(&list("[[token]]\ntenant = \"default\"\nblake = \"00\"\n"));
    expect![[r#"
        error: cannot read a token of tenant `default` in HOME/state/tokens.toml: expected 64 hex bytes, received 2
        hint: correct the file, or delete it and make its tokens anew with `epitome serve token --tenant NAME`
        exit status 2
    "#]]
    .assert_eq(&list("[[token]]\ntenant = \"default\"\nblake3 = \"00\"\n"));
}
