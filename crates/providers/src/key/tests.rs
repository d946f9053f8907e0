//! Unit tests of `ApiKey`: keys from good and bad files and variables, and that no key is ever printed.

use std::os::unix::fs::PermissionsExt as _;

use expect_test::{Expect, expect};

use super::*;

fn file(content: &[u8], mode: u32) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs_err::write(file.path(), content).expect("it can be written");
    fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).expect("it is ours");
    file
}

fn check(outcome: Result<ApiKey, KeyError>, path: &Path, expected: &Expect) {
    let told = match outcome {
        Ok(key) => format!("{key:?} {:?}", key.secret().expose()),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&told.replace(&path.display().to_string(), "FILE"));
}

#[test]
fn a_key_file_is_for_its_owner_only() {
    let read = |content: &[u8], mode, expected: &Expect| {
        let file = file(content, mode);
        check(ApiKey::from_file(file.path()), file.path(), expected);
    };
    read(b"sk-1\n", 0o600, &expect![[r#"Key(from the file FILE) "sk-1""#]]);
    read(b"  sk-1  \n\n", 0o400, &expect![[r#"Key(from the file FILE) "sk-1""#]]);
    read(
        b"sk-1",
        0o640,
        &expect![[r#"
        cannot use the key file FILE: others can read it (mode 640)
        hint: chmod 600 FILE"#]],
    );
    read(
        b"sk-1",
        0o604,
        &expect![[r#"
        cannot use the key file FILE: others can read it (mode 604)
        hint: chmod 600 FILE"#]],
    );
    read(b"\n", 0o600, &expect!["cannot use the key from the file FILE: it is empty"]);
    read(b"sk 1", 0o600, &expect!["cannot use the key from the file FILE: it has characters no key has"]);
    read(b"sk-1\nsk-2", 0o600, &expect!["cannot use the key from the file FILE: it has characters no key has"]);
    read(&[b'k'; 9000], 0o600, &expect!["cannot use the key from the file FILE: it is too long for a key"]);
    read(b"\xff", 0o600, &expect!["cannot read the key file FILE: invalid data"]);
}

#[test]
fn what_is_no_file_is_no_key() {
    let directory = tempfile::tempdir().expect("a directory");
    check(
        ApiKey::from_file(directory.path()),
        directory.path(),
        &expect!["cannot use the key file FILE: it is not a file"],
    );
    let missing = directory.path().join("none");
    check(ApiKey::from_file(&missing), &missing, &expect!["cannot read the key file FILE: entity not found"]);
}

#[test]
fn a_key_says_where_it_is_from_and_never_what_it_is() {
    let key = ApiKey::from_variable("OPENAI_API_KEY", " canary ").expect("it is a key");
    assert_eq!(key.secret().expose(), "canary");
    for text in [format!("{key:?}"), format!("{:#?}", key.clone()), format!("{:?}", key.secret())] {
        assert!(!text.contains("canary"), "{text}");
    }
    check(
        ApiKey::from_variable("OPENAI_API_KEY", ""),
        Path::new("FILE"),
        &expect!["cannot use the key from the variable OPENAI_API_KEY: it is empty"],
    );
}
