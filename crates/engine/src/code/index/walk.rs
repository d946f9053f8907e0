//! Walks the directory tree of a project to list the files to index: those git would show, without those that no user
//! searches. No path outside of the project is ever followed, and every file that is left out for another reason than
//! an ignore rule of the project is reported. A full scan and the scan after a save are the same walk; the second
//! enters only the changed places.

use super::ignore_files::{IgnoreDecision, IgnoreFiles};
use super::settings::IndexSettings;
use super::{SkippedFile, defaults};

use crate::base::{Error, Result, is_git_directory, is_rule_file};
use crate::code::watch::WalkScope;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::{WalkBuilder, WalkState};
use std::collections::HashSet;
use std::fs::Metadata;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::UNIX_EPOCH;
use store::FileStamp;

/// Directories of other people's code or of a tool's own state, whether or not git ignores them.
const EXCLUDED_DIRECTORIES: &[&str] =
    &[".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".pytest_cache"];

const NESTED_REPOSITORY: &str =
    "a repository of its own: index it by itself, or set index.nested_repositories to index it with the project";

/// A file found on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScannedFile {
    pub(super) path: String,
    pub(super) stamp: FileStamp,
}

/// Everything a walk found, ordered by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WalkResult {
    pub(super) files: Vec<ScannedFile>,
    /// The directories it went into, the project itself as the empty path.
    pub(super) directories: Vec<String>,
    pub(super) skipped: Vec<SkippedFile>,
    /// What git was asked whether it tracks, and whether it does.
    pub(super) asked_git: Vec<(String, bool)>,
}

/// Walks a project, or only the places that `within` names.
pub(super) fn walk_project(root: &Path, settings: &IndexSettings, within: Option<&WalkScope>) -> Result<WalkResult> {
    let told = Arc::new(Mutex::new(WalkResult::default()));
    let narrowing = Arc::new(IgnoreFiles::new(root));
    let mut builder = WalkBuilder::new(root);
    builder
        // Hidden files are part of a project: `.github`, `.eslintrc`.
        .hidden(false)
        // A `.gitignore` counts in a plain directory as well.
        .require_git(false)
        // A link may lead out of the project, or round in a circle.
        .follow_links(false)
        .overrides(build_overrides(root, settings)?)
        .filter_entry({
            let root = root.to_owned();
            let told = Arc::clone(&told);
            let within = within.cloned();
            let narrowing = Arc::clone(&narrowing);
            // Repositories side by side in a plain directory are its content; a repository inside of another is a
            // submodule.
            let skips_nested = !settings.nested_repositories && root.join(".git").exists();
            move |entry| {
                let Ok(path) = entry.path().strip_prefix(&root) else { return false };
                let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
                // The root itself is what the user named, whatever it is called.
                if path.as_os_str().is_empty() {
                    return true;
                }
                // Before our ignore files are read: such a directory may hold most of the files below the root.
                if EXCLUDED_DIRECTORIES.iter().any(|name| entry.file_name() == *name)
                    || within.as_ref().is_some_and(|within| !within.leads_to(path))
                {
                    return false;
                }
                let ruling = narrowing.decide_path(path, is_directory);
                if ruling == IgnoreDecision::Out {
                    return false;
                }
                let tell = |reason: String| {
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    told.skipped.push(SkippedFile { path: path.display().to_string(), reason });
                };
                // A build directory that an ignore file names, or that git tracks, is the project's own decision.
                if is_directory
                    && ruling == IgnoreDecision::None
                    && let Some(reason) = defaults::built_directory(&root, path)
                    && let Some(name) = path.to_str()
                {
                    let is_tracked = !defaults::tracked_paths(&root, &[name.to_owned()]).is_empty();
                    let mut asked = told.lock().unwrap_or_else(PoisonError::into_inner);
                    asked.asked_git.push((name.to_owned(), is_tracked));
                    drop(asked);
                    if !is_tracked {
                        tell(reason);
                        return false;
                    }
                }
                if is_directory && is_git_directory(entry.path()) {
                    tell("what git keeps for itself, under another name than .git".to_owned());
                    return false;
                }
                if is_directory && skips_nested && entry.path().join(".git").exists() {
                    tell(NESTED_REPOSITORY.to_owned());
                    return false;
                }
                true
            }
        });
    let mut walked = match within {
        // A few places: other threads would take longer to start than the walk takes.
        Some(_) => builder.build().fold(WalkResult::default(), |walked, entry| walked.with_entry(root, entry)),
        None => walk_in_parallel(root, &builder),
    };
    walked = walked.merge(std::mem::take(&mut told.lock().unwrap_or_else(PoisonError::into_inner)));
    walked.leave_out_made(root, &narrowing);
    if within.is_none() {
        walked.tell_all_ignored(root);
    }
    // Directories list their entries in any order; batches and reports must not depend on it.
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    walked.directories.sort_unstable();
    Ok(walked)
}

/// Walks on several threads: most of a walk is waiting for the file system, one lookup after the other.
fn walk_in_parallel(root: &Path, builder: &WalkBuilder) -> WalkResult {
    let (sender, receiver) = mpsc::channel();
    builder.build_parallel().run(|| {
        let mut part = WalkPart { sender: sender.clone(), walked: WalkResult::default() };
        Box::new(move |entry| {
            part.walked = std::mem::take(&mut part.walked).with_entry(root, entry);
            WalkState::Continue
        })
    });
    drop(sender);
    receiver.into_iter().fold(WalkResult::default(), WalkResult::merge)
}

/// What one thread of a walk found; handed over when the thread is done.
struct WalkPart {
    sender: mpsc::Sender<WalkResult>,
    walked: WalkResult,
}

impl Drop for WalkPart {
    fn drop(&mut self) {
        // The receiver waits for all threads.
        let _ = self.sender.send(std::mem::take(&mut self.walked));
    }
}

fn build_overrides(root: &Path, settings: &IndexSettings) -> Result<Override> {
    let mut overrides = OverrideBuilder::new(root);
    let mut add = |field: &'static str, pattern: &str, written: &str| {
        let reason = |error| format!("has a pattern that cannot be read: {error}");
        // The builder below gives `!` a meaning of its own, so a `!` of the user would turn an ignore into an include.
        if written.starts_with('!') {
            let reason = format!("has `{written}`: a pattern here cannot be turned around");
            return Err(Error::Parameter { field, reason });
        }
        overrides.add(pattern).map(|_| ()).map_err(|error| Error::Parameter { field, reason: reason(error) })
    };
    // An override that starts with `!` ignores; one without means "only these". The last that fits counts.
    for pattern in &settings.include {
        add("index.include", pattern, pattern)?;
    }
    for pattern in &settings.ignore {
        add("index.ignore", &format!("!{pattern}"), pattern)?;
    }
    overrides.build().map_err(|error| Error::Parameter {
        field: "index.ignore",
        reason: format!("has patterns that cannot be used: {error}"),
    })
}

impl WalkResult {
    fn with_entry(mut self, root: &Path, entry: Result<ignore::DirEntry, ignore::Error>) -> Self {
        match entry {
            Ok(entry) => self.add_entry(root, &entry),
            Err(error) => self.add_error(root, &error),
        }
        self
    }

    fn merge(mut self, mut other: Self) -> Self {
        self.files.append(&mut other.files);
        self.directories.append(&mut other.directories);
        self.skipped.append(&mut other.skipped);
        self.asked_git.append(&mut other.asked_git);
        self
    }

    /// Leaves out files that tools wrote and git does not track. Git is asked once for all of them.
    fn leave_out_made(&mut self, root: &Path, narrowing: &IgnoreFiles) {
        let is_made = |path: &str| {
            defaults::made_file(path).is_some() && narrowing.decide_path(Path::new(path), false) == IgnoreDecision::None
        };
        let made: Vec<String> =
            self.files.iter().map(|file| &file.path).filter(|path| is_made(path)).cloned().collect();
        let tracked = defaults::tracked_paths(root, &made);
        self.asked_git.extend(made.iter().map(|path| (path.clone(), tracked.contains(path))));
        let out: HashSet<String> = made.into_iter().filter(|path| !tracked.contains(path)).collect();
        self.files.retain(|file| !out.contains(&file.path));
        self.skipped.extend(out.into_iter().filter_map(|path| {
            let reason = defaults::made_file(&path)?;
            Some(SkippedFile { path, reason })
        }));
    }

    /// Says so where ignore rules leave nothing to index of a directory that has something.
    fn tell_all_ignored(&mut self, root: &Path) {
        let is_content = |name: &std::ffi::OsStr| {
            EXCLUDED_DIRECTORIES.iter().all(|excluded| name != *excluded) && !name.to_str().is_some_and(is_rule_file)
        };
        let is_rule = |file: &ScannedFile| file.path.rsplit('/').next().is_some_and(is_rule_file);
        if !self.files.iter().all(is_rule) || !self.skipped.is_empty() {
            return;
        }
        let has_content =
            fs_err::read_dir(root).is_ok_and(|entries| entries.flatten().any(|entry| is_content(&entry.file_name())));
        if has_content {
            let reason = "every file is left out by ignore rules (.gitignore, .ignore, .epitomeignore, the ignore rules \
                          of git, index.ignore or index.include)";
            self.skipped.push(SkippedFile { path: ".".to_owned(), reason: reason.to_owned() });
        }
    }

    fn add_entry(&mut self, root: &Path, entry: &ignore::DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        if kind.is_dir() {
            self.directories.extend(relative.to_str().map(str::to_owned));
            return;
        }
        // Paths are text in the store, so another path cannot be indexed.
        let Some(path) = relative.to_str().map(str::to_owned) else {
            let path = relative.to_string_lossy().into_owned();
            self.skipped.push(SkippedFile { path, reason: "its name is not UTF-8".to_owned() });
            return;
        };
        if kind.is_symlink() {
            let reason = match fs_err::canonicalize(entry.path()) {
                Ok(real) if real.starts_with(root) => "a link inside of the project: found where it leads",
                Ok(_) => "a link that leads out of the project: not followed",
                Err(_) => "a link that leads nowhere",
            };
            self.skipped.push(SkippedFile { path, reason: reason.to_owned() });
            return;
        }
        if !kind.is_file() {
            self.skipped.push(SkippedFile { path, reason: "not a regular file".to_owned() });
            return;
        }
        match entry.metadata() {
            Ok(metadata) => self.files.push(ScannedFile { path, stamp: file_stamp(&metadata) }),
            Err(error) => self.skipped.push(SkippedFile { path, reason: error.to_string() }),
        }
    }

    fn add_error(&mut self, root: &Path, error: &ignore::Error) {
        let path = if let ignore::Error::WithPath { path, .. } = error {
            path.strip_prefix(root).unwrap_or(path).display().to_string()
        } else {
            String::new()
        };
        self.skipped.push(SkippedFile { path, reason: error.to_string() });
    }
}

/// Size and time of change of a file.
pub(super) fn file_stamp(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    // A time of 0 is never trusted: the plan reads such a file again.
    FileStamp { bytes: metadata.len(), modified: modified.map_or(0, |age| age.as_nanos() as i64) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs_err::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs_err::write(path, text).expect("a file");
        }
        directory
    }

    fn check(directory: &Path, settings: &IndexSettings, within: Option<&WalkScope>, expected: &Expect) {
        let root = fs_err::canonicalize(directory).expect("a path");
        let walked = walk_project(&root, settings, within).expect("a walk");
        let mut told: String = walked.files.iter().map(|file| format!("{}\n", file.path)).collect();
        let mut skipped = walked.skipped;
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        told.extend(skipped.iter().map(|skip| format!("- {}: {}\n", skip.path, skip.reason)));
        expected.assert_eq(&told);
    }

    fn settings() -> IndexSettings {
        IndexSettings::default()
    }

    #[test]
    fn ignore_files_of_ours_and_of_those_before_only_leave_out() {
        let directory = project(&[
            (".gitignore", "*.env\nbuild/\n"),
            (".epitomeignore", "!secret.env\n!build/\nlogs/*\n!logs/keep.txt\n!traces/keep.txt\n"),
            (".lvmignore", "*.snap\n"),
            (".memtraceignore", "traces/*\n"),
            ("a.snap", ""),
            ("traces/a.txt", ""),
            ("traces/keep.txt", ""),
            ("secret.env", ""),
            ("build/out.txt", ""),
            ("logs/a.txt", ""),
            ("logs/keep.txt", ""),
            ("sub/.epitomeignore", "x.txt\n"),
            ("sub/x.txt", ""),
            ("x.txt", ""),
        ]);
        let expected = expect![[r#"
            .epitomeignore
            .gitignore
            .lvmignore
            .memtraceignore
            logs/keep.txt
            sub/.epitomeignore
            traces/keep.txt
            x.txt
        "#]];
        check(directory.path(), &settings(), None, &expected);
    }

    const BUILD_OUTPUT_FILES: &[(&str, &str)] = &[
        ("package.json", "{}"),
        ("dist/a.js", ""),
        ("web/build/b.txt", ""),
        ("build/c.js", ""),
        ("coverage/d.html", ""),
        (".next/e.js", ""),
        ("vendor/f.rb", ""),
        ("go/go.mod", ""),
        ("go/vendor/g.go", ""),
        ("src/app.min.js", ""),
        ("src/app.js.map", ""),
        ("src/app.min.css", ""),
        ("yarn.lock", ""),
        ("out/h.js", ""),
        ("rust/Cargo.toml", ""),
        ("rust/target/i.rs", ""),
        ("target/j.txt", ""),
        ("php/composer.json", "{}"),
        ("php/vendor/k.php", ""),
    ];

    #[test]
    fn what_was_built_is_left_out_and_told() {
        let directory = project(BUILD_OUTPUT_FILES);
        let expected = expect![[r#"
            go/go.mod
            package.json
            php/composer.json
            rust/Cargo.toml
            vendor/f.rb
            web/build/b.txt
            - .next: built files, left out by default: `!.next/` in .epitomeignore brings them back
            - build: built files, left out by default: `!build/` in .epitomeignore brings them back
            - coverage: built files, left out by default: `!coverage/` in .epitomeignore brings them back
            - dist: built files, left out by default: `!dist/` in .epitomeignore brings them back
            - go/vendor: built files, left out by default: `!vendor/` in .epitomeignore brings them back
            - out: built files, left out by default: `!out/` in .epitomeignore brings them back
            - php/vendor: built files, left out by default: `!vendor/` in .epitomeignore brings them back
            - rust/target: built files, left out by default: `!target/` in .epitomeignore brings them back
            - src/app.js.map: made by a tool, left out by default: `!app.js.map` in .epitomeignore brings it back
            - src/app.min.css: made by a tool, left out by default: `!app.min.css` in .epitomeignore brings it back
            - src/app.min.js: made by a tool, left out by default: `!app.min.js` in .epitomeignore brings it back
            - target: built files, left out by default: `!target/` in .epitomeignore brings them back
            - yarn.lock: a lockfile, left out by default: `!yarn.lock` in .epitomeignore brings it back
        "#]];
        check(directory.path(), &settings(), None, &expected);
    }

    #[test]
    fn an_ignore_file_brings_back_what_a_default_leaves_out_but_not_what_git_ignores() {
        let directory = project(&[
            (".gitignore", "coverage/\n"),
            (".epitomeignore", "!dist/\n!*.lock\n!coverage/\n"),
            ("dist/a.js", ""),
            ("dist/b.min.js", ""),
            ("coverage/c.js", ""),
            ("yarn.lock", ""),
        ]);
        let expected = expect![[r#"
            .epitomeignore
            .gitignore
            dist/a.js
            yarn.lock
            - dist/b.min.js: made by a tool, left out by default: `!b.min.js` in .epitomeignore brings it back
        "#]];
        check(directory.path(), &settings(), None, &expected);
    }

    #[test]
    fn what_git_tracks_is_never_left_out_by_a_default() {
        let directory = project(&[("dist/a.js", ""), ("coverage/d.html", ""), ("yarn.lock", ""), ("b.min.js", "")]);
        let git = |arguments: &[&str]| {
            assert!(
                crate::code::git::git_command(directory.path()).args(arguments).output().expect("git").status.success()
            );
        };
        git(&["init", "-q"]);
        git(&["add", "dist/a.js", "yarn.lock"]);
        let expected = expect![[r#"
            dist/a.js
            yarn.lock
            - b.min.js: made by a tool, left out by default: `!b.min.js` in .epitomeignore brings it back
            - coverage: built files, left out by default: `!coverage/` in .epitomeignore brings them back
        "#]];
        check(directory.path(), &settings(), None, &expected);
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_nested_repositories_are_told_and_not_followed() {
        let directory = project(&[(".git/HEAD", ""), ("a.txt", ""), ("sub/.git", "gitdir: ../x"), ("sub/b.txt", "")]);
        let outside = project(&[("secret.txt", "")]);
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, directory.path().join(name)).expect("a link");
        };
        link(Path::new("a.txt"), "inside");
        link(&outside.path().join("secret.txt"), "outside");
        link(outside.path(), "outside_directory");
        link(Path::new("."), "loop");
        link(Path::new("gone"), "broken");
        let pipe = directory.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        let expected = expect![[r#"
            a.txt
            - broken: a link that leads nowhere
            - inside: a link inside of the project: found where it leads
            - loop: a link inside of the project: found where it leads
            - outside: a link that leads out of the project: not followed
            - outside_directory: a link that leads out of the project: not followed
            - pipe: not a regular file
            - sub: a repository of its own: index it by itself, or set index.nested_repositories to index it with the project
        "#]];
        check(directory.path(), &settings(), None, &expected);
    }

    #[test]
    fn a_walk_to_some_places_goes_nowhere_else_and_by_the_same_rules() {
        let directory = project(&[
            (".gitignore", "*.log\n"),
            ("src/a.rs", ""),
            ("src/b.rs", ""),
            ("src/a.log", ""),
            ("src/deep/c.rs", ""),
            ("other/d.rs", ""),
        ]);
        let within = |places: &[&str]| WalkScope::new(places.iter().map(|&place| place.to_owned()));
        let one = within(&["src/a.rs", "src/a.log", "gone.rs"]);
        check(directory.path(), &settings(), Some(&one), &expect![["src/a.rs\n"]]);
        let below = within(&["src/deep", "other/d.rs"]);
        check(directory.path(), &settings(), Some(&below), &expect![["other/d.rs\nsrc/deep/c.rs\n"]]);
        assert!(below.contains("src/deep/gone.rs") && !below.contains("src/a.rs"));
    }

    #[test]
    fn a_repository_inside_of_another_is_walked_where_the_settings_say_so() {
        let directory = project(&[(".git/HEAD", ""), ("a.rs", ""), ("lib/.git", "gitdir: x"), ("lib/b.rs", "")]);
        let settings = IndexSettings { nested_repositories: true, ..settings() };
        check(directory.path(), &settings, None, &expect![["a.rs\nlib/b.rs\n"]]);
    }

    #[test]
    fn a_project_whose_rules_leave_nothing_says_so() {
        let directory = project(&[(".gitignore", "/*\n"), ("a.rs", "")]);
        let expected = expect![[r#"
            - .: every file is left out by ignore rules (.gitignore, .ignore, .epitomeignore, the ignore rules of git, index.ignore or index.include)
        "#]];
        check(directory.path(), &settings(), None, &expected);
        // A directory with nothing in it hides nothing.
        check(project(&[(".gitignore", "/*\n")]).path(), &settings(), None, &expect![[""]]);
    }

    #[test]
    fn only_what_is_included_is_walked() {
        let directory = project(&[("src/a.rs", ""), ("src/b.py", ""), ("docs/c.md", "")]);
        let settings =
            IndexSettings { include: vec!["src/**".to_owned()], ignore: vec!["*.py".to_owned()], ..settings() };
        check(directory.path(), &settings, None, &expect![["src/a.rs\n"]]);
    }
}
