//! Git hooks in real repositories: git runs them, others' go on working, and going away leaves nothing.

use super::house::House;
use expect_test::expect;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const FILES: &[(&str, &str)] = &[("src/lib.rs", "pub fn first() -> u32 {\n    1\n}\n")];

struct Repository {
    house: House,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { house: House::new(FILES) };
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.git(&["add", "."]);
        repository.git(&["commit", "--quiet", "--message", "first"]);
        repository
    }

    /// What git says, both ways; it must succeed.
    fn git(&self, arguments: &[&str]) -> String {
        let (is_good, said) = self.try_git(arguments);
        assert!(is_good, "git {arguments:?}: {said}");
        said
    }

    fn try_git(&self, arguments: &[&str]) -> (bool, String) {
        let directory = self.house.command(&[]).get_current_dir().expect("a directory").to_owned();
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]).args(arguments);
        command.current_dir(directory).env("HOME", self.house.home()).env("EPITOME_HOME", self.house.home());
        command.env("EPITOME_HOOKS_DAEMON_SECONDS", "0").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git");
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    fn write_hook(&self, path: &str, text: &str) {
        self.house.write(path, text.as_bytes());
        let directory = self.house.command(&[]).get_current_dir().expect("a directory").to_owned();
        fs_err::set_permissions(directory.join(path), std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }

    /// Name, mode and bytes of every hook.
    fn hooks(&self, folder: &str) -> BTreeMap<String, (u32, Vec<u8>)> {
        let folder = self.house.command(&[]).get_current_dir().expect("a directory").join(folder);
        let read = |path: &Path| {
            let mode = fs_err::metadata(path).expect("a file").permissions().mode();
            (mode, fs_err::read(path).expect("a file"))
        };
        let entries = fs_err::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), read(&path))).collect()
    }

    fn symbols(&self) -> u64 {
        let status = self.house.run(&["status", "--json"], "");
        let status: serde_json::Value = serde_json::from_str(&status.stdout).expect("JSON");
        status["symbols"].as_u64().expect("a number")
    }
}

#[test]
fn a_commit_brings_the_index_up_to_date_and_a_push_is_told_what_it_touches() {
    let repository = Repository::new();
    let house = &repository.house;
    let bare = repository.house.home().join("bare.git");
    assert_eq!(house.run(&["index"], "").status, 0);
    assert_eq!(repository.symbols(), 1);
    expect![[r#"
        PROJECT/.git/hooks
          post-commit    ours
          post-merge     ours
          post-checkout  ours
          post-rewrite   ours
          pre-push       ours
    "#]]
    .assert_eq(&house.run(&["git-hooks", "install"], "").shown());
    house.write("src/lib.rs", b"pub fn first() -> u32 {\n    second()\n}\n\npub fn second() -> u32 {\n    2\n}\n");
    repository.git(&["commit", "--quiet", "--all", "--message", "second"]);
    let mut is_indexed = false;
    for _ in 0..600 {
        is_indexed = is_indexed || repository.symbols() == 2;
        if is_indexed {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(is_indexed, "nobody indexed it");

    repository.git(&["init", "--quiet", "--bare", bare.to_str().expect("a path")]);
    repository.git(&["remote", "add", "origin", bare.to_str().expect("a path")]);
    assert!(!repository.git(&["push", "origin", "main"]).contains("epitome:"), "nobody knows what is new there");
    house.write("src/lib.rs", b"pub fn first() -> u32 {\n    second()\n}\n\npub fn second() -> u32 {\n    3\n}\n");
    repository.git(&["commit", "--quiet", "--all", "--message", "third"]);
    let said = repository.git(&["push", "origin", "main"]);
    assert!(said.contains("epitome: ") && said.contains("#first (function"), "{said}");

    // A new branch begins where it left the default branch, though nobody noted which one that is.
    repository.git(&["checkout", "--quiet", "-b", "topic"]);
    house.write("src/lib.rs", b"pub fn first() -> u32 {\n    second()\n}\n\npub fn second() -> u32 {\n    4\n}\n");
    repository.git(&["commit", "--quiet", "--all", "--message", "fourth"]);
    assert!(!repository.try_git(&["rev-parse", "--verify", "refs/remotes/origin/HEAD"]).0);
    let said = repository.git(&["push", "origin", "topic"]);
    assert!(said.contains("epitome: ") && said.contains("#first (function"), "{said}");

    // So does one that goes to a fork, from which nothing was fetched.
    let fork = house.home().join("fork.git");
    repository.git(&["init", "--quiet", "--bare", fork.to_str().expect("a path")]);
    repository.git(&["remote", "add", "fork", fork.to_str().expect("a path")]);
    let said = repository.git(&["push", "fork", "topic"]);
    assert!(said.contains("epitome: ") && said.contains("#first (function"), "{said}");
}

#[test]
fn hooks_of_others_go_on_working_and_come_back() {
    let repository = Repository::new();
    repository.write_hook(".git/hooks/post-commit", "#!/bin/sh\necho from-others >> \"$HOME/log\"\n");
    repository.write_hook(".git/hooks/pre-push", "#!/bin/sh\ncat >> \"$HOME/log\"\n[ \"$1\" != forbidden ]\n");
    let before = repository.hooks(".git/hooks");
    let installed = repository.house.run(&["git-hooks", "install"], "");
    assert!(installed.stdout.contains("post-commit    ours, after the one that was there"), "{}", installed.shown());
    let once = repository.hooks(".git/hooks");
    repository.house.run(&["git-hooks", "install"], "");
    assert_eq!(repository.hooks(".git/hooks"), once, "twice is once");

    let bare = repository.house.home().join("bare.git");
    repository.git(&["init", "--quiet", "--bare", bare.to_str().expect("a path")]);
    repository.git(&["remote", "add", "allowed", bare.to_str().expect("a path")]);
    repository.git(&["remote", "add", "forbidden", bare.to_str().expect("a path")]);
    repository.git(&["commit", "--quiet", "--allow-empty", "--message", "second"]);
    repository.git(&["push", "allowed", "main"]);
    assert!(!repository.try_git(&["push", "forbidden", "main:other"]).0, "what was there before may refuse");
    let log = fs_err::read_to_string(repository.house.home().join("log")).expect("it ran");
    assert!(log.starts_with("from-others\n") && log.contains("refs/heads/main"), "{log}");

    repository.house.run(&["git-hooks", "uninstall"], "");
    assert_eq!(repository.hooks(".git/hooks"), before);
}

#[test]
fn the_folder_that_git_is_told_of_counts_and_what_replaced_ours_stays() {
    let repository = Repository::new();
    repository.git(&["config", "core.hooksPath", "tools/hooks"]);
    let installed = repository.house.run(&["git-hooks", "install"], "");
    assert!(installed.stdout.starts_with("PROJECT/tools/hooks\n"), "{}", installed.shown());
    repository.write_hook("tools/hooks/post-merge", "#!/bin/sh\necho newer\n");
    let gone = repository.house.run(&["git-hooks", "uninstall"], "");
    assert!(gone.stdout.contains("post-merge     not ours"), "{}", gone.shown());
    let left = repository.hooks("tools/hooks");
    assert_eq!(left.keys().collect::<Vec<_>>(), ["post-merge"]);

    let nowhere = House::new(&[]).run(&["git-hooks", "install"], "");
    assert_eq!(nowhere.status, 2, "{}", nowhere.shown());
    assert!(nowhere.stderr.ends_with("hint: run it inside of a git repository\n"), "{}", nowhere.shown());
}
