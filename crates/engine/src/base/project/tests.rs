//! Tests of project discovery: real git repositories, worktrees, moved and separate git directories get the right
//! project id, and forged `.git` files and links join no other project.

use super::*;
use std::os::unix::fs::symlink;
use std::process::Command;

/// What git makes of every repository.
fn git_directory(git: &Path) {
    fs_err::create_dir_all(git.join("objects")).expect("a directory");
    fs_err::create_dir_all(git.join("refs")).expect("a directory");
    fs_err::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
}

#[track_caller]
fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]);
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder);
    #[expect(clippy::disallowed_methods, reason = "git is found as the tests were")]
    command.env("PATH", std::env::var_os("PATH").expect("a path"));
    let output = command.output().expect("git starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn id(folder: &Path) -> ProjectId {
    Project::discover_from(folder).expect("a project").id
}

/// Every file below a directory.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.is_symlink() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn worktrees_of_a_repository_are_one_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let main = home.path().join("main");
    let side = home.path().join("side");
    git_directory(&main.join(".git"));
    fs_err::create_dir_all(main.join(".git/worktrees/side")).expect("git directories");
    fs_err::create_dir_all(side.join("src")).expect("a worktree");
    fs_err::write(main.join(".git/worktrees/side/commondir"), "../..\n").expect("commondir");
    let back = format!("{}\n", side.join(".git").display());
    fs_err::write(main.join(".git/worktrees/side/gitdir"), back).expect("a back link");
    let pointer = format!("gitdir: {}\n", main.join(".git/worktrees/side").display());
    fs_err::write(side.join(".git"), pointer).expect("a git file");
    let a = Project::discover_from(&main);
    let b = Project::discover_from(&side.join("src"));
    let a = a.expect("a project");
    let b = b.expect("a project");
    assert_eq!(a.id, b.id);
    assert_ne!(a.root, b.root);
}

#[test]
fn a_repository_that_was_moved_is_the_same_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let config = "[remote \"origin\"]\n\turl = git@example.org:team/app.git\n";
    for config in [None, Some(config)] {
        let before = home.path().join("before");
        let after = home.path().join("after");
        git_directory(&before.join(".git"));
        if let Some(config) = config {
            fs_err::write(before.join(".git/config"), config).expect("a file");
        }
        let first = Project::discover_from(&before).expect("a project");
        fs_err::rename(&before, &after).expect("it is ours");
        let moved = Project::discover_from(&after).expect("a project");
        assert_eq!((first.id == moved.id, first.root == moved.root), (true, false));
        // Another repository where the first one was is another project, unless it is a clone of the same remote.
        git_directory(&before.join(".git"));
        assert_ne!(Project::discover_from(&before).expect("a project").id, moved.id);
        if let Some(config) = config {
            fs_err::remove_file(before.join(".git/epitome-project")).expect("it was left");
            fs_err::write(before.join(".git/config"), config).expect("a file");
            assert_eq!(Project::discover_from(&before).expect("a project").id, moved.id);
        }
        fs_err::remove_dir_all(&before).expect("it is ours");
        fs_err::remove_dir_all(&after).expect("it is ours");
    }
}

#[test]
fn a_repository_that_gets_its_remote_later_stays_the_same_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    git_directory(&home.path().join(".git"));
    let before = Project::discover_from(home.path()).expect("a project");
    let config = "[remote \"origin\"]\n\turl = https://example.org/team/app\n";
    fs_err::write(home.path().join(".git/config"), config).expect("a file");
    assert_eq!(Project::discover_from(home.path()).expect("a project"), before);
}

#[test]
fn a_directory_of_a_repository_can_be_a_project_of_its_own() {
    let home = tempfile::tempdir().expect("a temporary directory");
    git_directory(&home.path().join(".git"));
    fs_err::create_dir_all(home.path().join("part")).expect("a part");
    let part = home.path().join("part");
    let around = Project::discover_from(&part);
    let at = Project::from_directory(&part);
    let around = around.expect("a project");
    let at = at.expect("a project");
    assert_eq!((around.root.join("part"), around.id == at.id), (at.root, false));
}

#[test]
fn a_worktree_that_is_gone_was_of_the_repository_above_it() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let app = home.path().join("app");
    let gone = home.path().join("app/.worktrees/1/src");
    git_directory(&app.join(".git"));
    assert_eq!(Project::once_around(&gone), Project::discover_from(&app).ok());
    assert_eq!(Project::once_around(&home.path().join("other/1")), None);
}

#[test]
fn a_plain_directory_is_its_own_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let project = Project::discover_from(home.path()).expect("a project");
    assert_eq!(project.root, fs_err::canonicalize(home.path()).expect("a path"));
}

#[test]
fn what_git_makes_has_the_identity_of_its_repository() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let [main, side, lib] = ["main", "side", "lib"].map(|name| home.path().join(name));
    for (repository, remote) in [(&main, "https://example.org/team/main"), (&lib, "https://example.org/team/lib")] {
        fs_err::create_dir_all(repository).expect("a directory");
        git(repository, &["init", "-q"]);
        git(repository, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(repository, &["remote", "add", "origin", remote]);
    }
    git(&main, &["worktree", "add", "-q", "../side"]);
    assert_eq!(id(&side), id(&main));
    // A worktree may lie in its repository, and a submodule may have worktrees of its own.
    git(&main, &["worktree", "add", "-q", "inside"]);
    assert_eq!(id(&main.join("inside")), id(&main));
    git(&main, &["submodule", "--quiet", "add", &lib.display().to_string(), "vendor/lib"]);
    let vendored = main.join("vendor/lib");
    git(&vendored, &["remote", "set-url", "origin", "https://example.org/team/lib"]);
    assert_eq!((id(&vendored), id(&vendored) == id(&main)), (id(&lib), false));
    git(&vendored, &["worktree", "add", "-q", "../../../vendored"]);
    assert_eq!(id(&home.path().join("vendored")), id(&lib));
}

#[test]
fn a_separate_git_directory_has_an_identity_of_its_own_and_nothing_is_left_in_it() {
    let home = tempfile::tempdir().expect("a temporary directory");
    git(home.path(), &["init", "-q", "--separate-git-dir", "apart.git", "work"]);
    let work = home.path().join("work");
    let before = files(&home.path().join("apart.git"));
    let first = id(&work);
    assert_eq!(id(&work), first);
    assert_eq!(files(&home.path().join("apart.git")), before);
    // Another directory whose `.git` file points there is another project.
    let other = home.path().join("other");
    fs_err::create_dir_all(&other).expect("a directory");
    fs_err::copy(work.join(".git"), other.join(".git")).expect("a pointer");
    assert_ne!(id(&other), first);
}

#[test]
fn a_separate_git_directory_that_tracks_the_files_here_is_that_of_the_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let work = home.path().join("work");
    let side = home.path().join("side");
    let other = home.path().join("other");
    git(home.path(), &["init", "-q", "--separate-git-dir", "apart.git", "work"]);
    for name in ["a.txt", "b.txt"] {
        fs_err::write(work.join(name), name).expect("a file");
    }
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "first"]);
    git(&work, &["worktree", "add", "-q", "../side"]);
    assert_eq!(id(&work), id(&side));
    // A file that was edited since is younger than what git noted of it.
    fs_err::remove_file(work.join("a.txt")).expect("it is ours");
    fs_err::write(work.join("a.txt"), "edited").expect("a file");
    assert_eq!(id(&work), id(&side));
    // The same files somewhere else have other inodes.
    fs_err::create_dir_all(&other).expect("a directory");
    for name in [".git", "a.txt", "b.txt"] {
        fs_err::copy(work.join(name), other.join(name)).expect("a copy");
    }
    assert_ne!(id(&other), id(&work));
}

#[test]
fn a_forged_git_file_joins_no_project_and_writes_nowhere() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let client = home.path().join("client");
    let forged = home.path().join("forged");
    let plain = home.path().join("plain");
    fs_err::create_dir_all(&client).expect("a directory");
    fs_err::create_dir_all(&plain).expect("a directory");
    fs_err::create_dir_all(forged.join("fake")).expect("a directory");
    git(&client, &["init", "-q"]);
    git(&client, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&client, &["worktree", "add", "-q", "../side"]);
    let known = id(&client);
    // A directory of the forger's that names the client and the forger, but that the client does not have.
    let client_git = client.join(".git").display().to_string();
    fs_err::write(forged.join("fake/commondir"), &client_git).expect("a file");
    fs_err::write(forged.join("fake/gitdir"), forged.join(".git").display().to_string()).expect("a file");
    fs_err::write(forged.join("fake/HEAD"), "ref: refs/heads/main\n").expect("a file");
    let before = files(home.path());
    let pointers = [
        format!("gitdir: {}", plain.display()),
        format!("gitdir: {client_git}"),
        format!("gitdir: {client_git}/worktrees/side"),
        "gitdir: ../client/.git".to_owned(),
        "gitdir: fake".to_owned(),
        "gitdir: /nowhere".to_owned(),
    ];
    for pointer in pointers {
        fs_err::write(forged.join(".git"), &pointer).expect("a pointer");
        assert_ne!(id(&forged), known, "{pointer}");
        fs_err::remove_file(forged.join(".git")).expect("it is ours");
        assert_eq!(files(home.path()), before, "{pointer}");
    }
    symlink(client.join(".git"), forged.join(".git")).expect("a link");
    assert_ne!(id(&forged), known);
}

#[test]
fn links_inside_of_a_git_directory_lead_to_no_other_project() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let client = home.path().join("client");
    let forged = home.path().join("forged");
    git_directory(&client.join(".git"));
    git_directory(&forged.join(".git"));
    let known = id(&client);
    symlink(client.join(".git/epitome-project"), forged.join(".git/epitome-project")).expect("a link");
    assert_ne!(id(&forged), known);
    fs_err::remove_file(forged.join(".git/epitome-project")).expect("it is ours");
    // Whatever name the file gets before it is in place, what a link of that name leads to stays as it is.
    let precious = home.path().join("precious");
    fs_err::write(&precious, "words").expect("a file");
    for number in 0..64 {
        let draft = format!(".git/epitome-project.{}.{number}", std::process::id());
        symlink(&precious, forged.join(draft)).expect("a link");
    }
    symlink(&precious, forged.join(format!(".git/epitome-project.{}", std::process::id()))).expect("a link");
    assert_ne!(id(&forged), known);
    assert_eq!(fs_err::read_to_string(&precious).expect("the file"), "words");
}

#[test]
fn a_git_directory_that_is_none_is_left_alone() {
    let home = tempfile::tempdir().expect("a temporary directory");
    fs_err::create_dir_all(home.path().join(".git")).expect("a directory");
    assert_eq!(id(home.path()), id(home.path()));
    assert_eq!(files(home.path()), Vec::<PathBuf>::new());
}
