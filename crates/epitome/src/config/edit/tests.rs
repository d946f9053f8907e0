//! Tests of `epitome config set`: the user's TOML file before and after one key is set.

use expect_test::{Expect, expect};

use super::*;
use crate::config::keys;

fn check(text: &str, key: &str, value: &str, expected: &Expect) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.toml");
    fs_err::write(&path, text).expect("written");
    let shown = match set_key(&path, key, value) {
        Ok(change) => {
            let before = change.before.as_deref().unwrap_or("nothing");
            format!("# {}: {before} -> {}\n", change.key, change.after)
        }
        Err(error) => format!("# {error}\n").replace(&folder.path().display().to_string(), "DIR"),
    };
    expected.assert_eq(&(shown + &fs_err::read_to_string(&path).expect("read back")));
}

#[test]
fn comments_order_and_spacing_stay() {
    let text = "# mine\n[memory]\n# why\nfresh_tail   =  3   # three\nenabled = true\n\n[log]\nlevel = 'info'\n";
    check(
        text,
        "memory.fresh_tail",
        "5",
        &expect![[r"
            # memory.fresh_tail: 3 -> 5
            # mine
            [memory]
            # why
            fresh_tail   =  5   # three
            enabled = true

            [log]
            level = 'info'
        "]],
    );
    check(
        text,
        "memory.autocompact",
        "off",
        &expect![[r"
            # memory.autocompact: nothing -> false
            # mine
            [memory]
            # why
            fresh_tail   =  3   # three
            enabled = true
            autocompact = false

            [log]
            level = 'info'
        "]],
    );
    check(
        text,
        "index.ignore",
        "a,b",
        &expect![[r#"
            # index.ignore: nothing -> ["a", "b"]
            # mine
            [memory]
            # why
            fresh_tail   =  3   # three
            enabled = true

            [log]
            level = 'info'

            [index]
            ignore = ["a", "b"]
        "#]],
    );
}

#[test]
fn every_way_to_write_a_section_is_edited_in_its_own_way() {
    check(
        "memory.fresh_tail = 3\n[log]\nlevel = 'info'\n",
        "memory.enabled",
        "no",
        &expect![[r"
            # memory.enabled: nothing -> false
            memory.fresh_tail = 3
            memory.enabled = false
            [log]
            level = 'info'
        "]],
    );
    check(
        "memory = { fresh_tail = 3 }\n",
        "memory.enabled",
        "no",
        &expect![[r"
            # memory.enabled: nothing -> false
            memory = { fresh_tail = 3 , enabled = false }
        "]],
    );
    check(
        "",
        "memory.enabled",
        "no",
        &expect![[r"
            # memory.enabled: nothing -> false
            [memory]
            enabled = false
        "]],
    );
}

#[test]
fn line_endings_stay() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.toml");
    fs_err::write(&path, "[memory]\r\n# why\r\nfresh_tail = 3\r\n").expect("written");
    set_key(&path, "memory.fresh_tail", "4").expect("set");
    set_key(&path, "log.level", "info").expect("set");
    let text = fs_err::read_to_string(&path).expect("read back");
    assert_eq!(text, "[memory]\r\n# why\r\nfresh_tail = 4\r\n\r\n[log]\r\nlevel = \"info\"\r\n");
}

#[test]
fn what_is_not_valid_leaves_the_file_as_it_was() {
    check(
        "[memory]\n",
        "memory.fresh_tail",
        "many",
        &expect![[r#"
            # cannot set memory.fresh_tail to "many" (argument): expected a whole number from 1 to 4294967295
            [memory]
        "#]],
    );
    check(
        "[memory]\n",
        "memory.fresh_tial",
        "3",
        &expect![[r"
            # unknown configuration key memory.fresh_tial
            hint: did you mean memory.fresh_tail?
            [memory]
        "]],
    );
    check(
        "[memory\n",
        "memory.fresh_tail",
        "3",
        &expect![[r"
            # cannot parse DIR/config.toml at line 1, column 8: unclosed table, expected `]`
                1 | [memory
            [memory
        "]],
    );
    check(
        "\nmemory = 3\n",
        "memory.fresh_tail",
        "3",
        &expect![[r"
            # cannot set memory to 3 (user file DIR/config.toml:2): expected a section, [memory], with keys below it

            memory = 3
        "]],
    );
}

#[test]
fn a_value_that_was_wrong_can_be_put_right() {
    check(
        "[log]\nlevel = 'loud'\nformat = 7\n",
        "log.level",
        "debug",
        &expect![[r#"
            # log.level: "loud" -> "debug"
            [log]
            level = "debug"
            format = 7
        "#]],
    );
    check(
        "[database]\nurl = 'mysql://a:s3cret@b'\n",
        "database.url",
        "postgres://a:s3cret@b",
        &expect![[r#"
            # database.url: "mysql://a:***@b" -> "postgres://a:***@b"
            [database]
            url = "postgres://a:s3cret@b"
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_new_file_is_private_and_a_linked_one_stays_linked() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mode = |path: &Path| fs_err::metadata(path).expect("exists").permissions().mode() & 0o777;

    let path = folder.path().join("new/epitome/config.toml");
    set_key(&path, "log.level", "info").expect("set");
    assert_eq!((mode(&path), mode(path.parent().expect("a parent"))), (0o600, 0o700));

    let link = folder.path().join("config.toml");
    let real = folder.path().join("dotfiles.toml");
    fs_err::write(&real, "").expect("written");
    fs_err::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("permitted");
    symlink(&real, &link).expect("linked");
    set_key(&link, "log.level", "info").expect("set");
    assert!(fs_err::symlink_metadata(&link).expect("exists").is_symlink());
    assert_eq!(
        (mode(&real), fs_err::read_to_string(&real).expect("read").as_str()),
        (0o640, "[log]\nlevel = \"info\"\n")
    );
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("config.toml");
    std::thread::scope(|scope| {
        for key in keys::all_keys() {
            let default = &key.default;
            let text = if let ConfigValue::Text(text) = default { text.clone() } else { default.to_string() };
            let path = &path;
            scope.spawn(move || set_key(path, &key.name, &text).expect("set"));
        }
    });
    let written = layers::from_file(FileLayer::User, &path, &mut Vec::new()).expect("valid");
    assert_eq!(written.len(), keys::all_keys().len());
    assert_eq!(fs_err::read_dir(folder.path()).expect("listed").count(), 1, "temporary files are left");
}
