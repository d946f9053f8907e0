//! Walks a repository with what the last walk found: a directory whose time of change is the same has the same entries, so
//! that only its files are looked at, and a process that asks one question lists only the directories that changed.

use super::entry_stamp::has_trusted_times;
use super::settings::IndexSettings;
use super::walk::{WalkResult, walk_project};
use super::walk_record::WalkRecord;
use crate::base::Result;
use crate::base::image::{ImageFile, ImageFolder, ImageKey, ImageWriter};
use crate::code::watch::WalkScope;
use model::Timestamp;
use std::path::{Path, PathBuf};
use store::Worktree;

/// Counts the ways in which a walk decides and its record is written: whoever changes one of them counts up.
const FORMAT: u32 = 2;

/// Where more directories changed, a walk of everything is not slower.
const MOST_PLACES: usize = 64;

/// Where the record of a worktree's walk is kept.
pub(super) struct WalkKeeper {
    images: ImageFolder,
    path: PathBuf,
    key: ImageKey,
}

impl WalkKeeper {
    /// `None` where a walk has to look at everything: outside of git or with repositories inside of it, there are too many
    /// rules elsewhere, and not every file system tells what changed.
    pub(super) fn new(
        images: &ImageFolder,
        worktree: &Worktree,
        root: &Path,
        settings: &IndexSettings,
    ) -> Option<Self> {
        if settings.nested_repositories || !root.join(".git").is_dir() || !has_trusted_times(root) {
            return None;
        }
        let mut digest = model::DigestBuilder::new("kept walk")
            .add_field(env!("CARGO_PKG_VERSION").as_bytes())
            .add_field(&FORMAT.to_le_bytes())
            .add_field(&worktree.identity.to_le_bytes())
            .add_field(root.as_os_str().as_encoded_bytes());
        for patterns in [&settings.ignore, &settings.include] {
            digest = digest.add_field(&(patterns.len() as u64).to_le_bytes());
            digest = patterns.iter().fold(digest, |digest, pattern| digest.add_field(pattern.as_bytes()));
        }
        let path = images.path_of(&worktree.id, "walk");
        Some(Self { images: images.clone(), path, key: *digest.finish().as_bytes() })
    }

    /// What a walk of everything finds.
    pub(super) fn walk(&self, root: &Path, settings: &IndexSettings, now: Timestamp) -> Result<WalkResult> {
        let kept = self.read_record();
        let compared = kept.and_then(|kept| kept.compare(root).map(|comparison| (kept, comparison)));
        let (walked, before) = match compared {
            Some((kept, comparison)) if comparison.changed.is_empty() => {
                return Ok(kept.join_walked(comparison, &WalkScope::new([]), WalkResult::default()));
            }
            Some((kept, comparison)) if !comparison.changed.contains("") && comparison.changed.len() <= MOST_PLACES => {
                let scope = WalkScope::new(comparison.changed.iter().cloned());
                let walked = walk_project(root, settings, Some(&scope))?;
                (kept.join_walked(comparison, &scope, walked), Some((kept, scope)))
            }
            _ => (walk_project(root, settings, None)?, None),
        };
        // Where nothing is left, the report says why, and it may be another reason next time.
        if !walked.files.is_empty() {
            self.write_record(root, walked.clone(), before, now);
        }
        Ok(walked)
    }

    fn read_record(&self) -> Option<WalkRecord> {
        let image = ImageFile::open(&self.path, &self.key)?;
        WalkRecord::from_bytes(image.bytes(0)?).ok()
    }

    /// Writes the record behind the answer, to which it adds a look at each directory.
    fn write_record(&self, root: &Path, walked: WalkResult, before: Option<(WalkRecord, WalkScope)>, began: Timestamp) {
        let (root, path, key) = (root.to_owned(), self.path.clone(), self.key);
        self.images.write_behind(move || {
            let before = before.as_ref().map(|(record, scope)| (record, scope));
            let mut image = ImageWriter::default();
            image.add_bytes(WalkRecord::new(&root, &walked, before, began).to_bytes());
            image.write_file(&path, &key)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::git::git_command;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};
    use store::{IndexState, TreeVersion, WorktreeId};

    /// Two changes within one tick of the file system's clock have one time.
    const TICK: Duration = Duration::from_millis(20);

    fn milliseconds(time: SystemTime) -> Timestamp {
        Timestamp(time.duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64)
    }

    struct Tree {
        directory: tempfile::TempDir,
        images: ImageFolder,
        settings: IndexSettings,
    }

    impl Tree {
        fn new() -> Self {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let images = ImageFolder::new(directory.path().join("images"));
            let tree = Self { directory, images, settings: IndexSettings::default() };
            fs_err::create_dir_all(tree.root()).expect("a directory");
            tree.git(&["init", "-q"]);
            for path in ["a.rs", "src/b.rs", "src/deep/c.rs", "docs/d.md", "web/package.json", "web/src/e.js"] {
                tree.write(path, "1");
            }
            tree
        }

        fn root(&self) -> PathBuf {
            self.directory.path().join("tree")
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root().join(path);
            fs_err::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs_err::write(path, text).expect("a file");
        }

        fn git(&self, arguments: &[&str]) {
            let done = git_command(&self.root()).args(arguments).output().expect("git");
            assert!(done.status.success(), "{done:?}");
        }

        fn keeper(&self) -> Option<WalkKeeper> {
            let id =
                WorktreeId { project: model::ProjectId::parse("proj_0123456789abcdef").expect("an id"), number: 1 };
            let worktree = Worktree {
                id,
                identity: 1,
                state: IndexState::NotReady,
                version: TreeVersion(1),
                resolved: None,
                commit: None,
            };
            WalkKeeper::new(&self.images, &worktree, &self.root(), &self.settings)
        }

        /// Walks with what is kept, as if every change were long ago, and compares it with a walk of everything.
        async fn check(&self, keeper: &WalkKeeper, step: &str) {
            std::thread::sleep(TICK);
            #[expect(clippy::disallowed_methods, reason = "it is held against the times of files")]
            let now = milliseconds(SystemTime::now() + Duration::from_hours(1));
            let mut walked = keeper.walk(&self.root(), &self.settings, now).expect("a walk");
            self.images.finish_writes().await;
            let mut wanted = walk_project(&self.root(), &self.settings, None).expect("a walk");
            for walked in [&mut walked, &mut wanted] {
                walked.skipped.sort_by(|a, b| a.path.cmp(&b.path));
                walked.asked_git.sort();
            }
            assert_eq!(walked, wanted, "{step}");
        }
    }

    #[tokio::test]
    async fn what_is_kept_is_what_a_walk_of_everything_finds() {
        let tree = Tree::new();
        // On a file system whose times are not trusted nothing is kept.
        let Some(keeper) = tree.keeper() else { return };
        let root = tree.root();
        tree.check(&keeper, "the first walk").await;
        let written = || fs_err::metadata(&keeper.path).expect("a record").modified().expect("a time");
        let first = written();
        tree.check(&keeper, "nothing changed").await;
        assert_eq!(written(), first, "nothing was walked again");
        tree.write("src/b.rs", "other words");
        tree.check(&keeper, "a file was written").await;
        assert_eq!(written(), first, "nothing was walked again");
        let steps: &[(&str, &dyn Fn())] = &[
            ("a new file", &|| tree.write("src/deep/new.rs", "")),
            ("a file went", &|| fs_err::remove_file(root.join("docs/d.md")).expect("removed")),
            ("a new directory", &|| tree.write("src/more/deep/f.rs", "")),
            ("a directory was renamed", &|| {
                fs_err::rename(root.join("src/deep"), root.join("src/low")).expect("renamed");
            }),
            ("a rule in a directory", &|| tree.write("src/.gitignore", "*.rs\n")),
            ("the rule is another", &|| tree.write("src/.gitignore", "f.rs\n.gitignore\n")),
            ("a rule that its own file hides", &|| tree.write("src/.gitignore", ".gitignore\nb.rs\n")),
            ("a rule of ours", &|| tree.write("web/.epitomeignore", "e.js\n")),
            ("the rule of ours went", &|| fs_err::remove_file(root.join("web/.epitomeignore")).expect("removed")),
            ("a rule of this clone", &|| tree.write(".git/info/exclude", "a.rs\n")),
            ("built files", &|| tree.write("web/dist/g.js", "")),
            ("built files that git tracks", &|| tree.git(&["add", "-f", "web/dist/g.js"])),
            ("they are tracked no more", &|| tree.git(&["rm", "-q", "--cached", "web/dist/g.js"])),
            ("a lockfile", &|| tree.write("web/yarn.lock", "")),
            ("a repository inside", &|| tree.write("src/more/.git", "gitdir: x")),
            ("the repository inside is none", &|| fs_err::remove_file(root.join("src/more/.git")).expect("removed")),
            ("what git keeps for itself", &|| {
                for name in ["HEAD", "objects/o", "refs/r"] {
                    tree.write(&format!("docs/kept/{name}"), "ref: refs/heads/main\n");
                }
            }),
            ("it is an ordinary directory", &|| fs_err::remove_file(root.join("docs/kept/HEAD")).expect("removed")),
            ("a file became a directory", &|| {
                fs_err::remove_file(root.join("web/src/e.js")).expect("removed");
                tree.write("web/src/e.js/h.js", "");
            }),
            ("a file with an old time", &|| {
                tree.write("web/src/old.js", "");
                let folder = fs_err::File::open(root.join("web/src")).expect("a directory");
                folder.file().set_modified(UNIX_EPOCH + Duration::from_hours(9)).expect("set");
            }),
            ("everything moved", &|| fs_err::rename(root.join("src"), root.join("lib")).expect("renamed")),
            ("a link", &|| std::os::unix::fs::symlink("a.rs", root.join("link.rs")).expect("a link")),
        ];
        for (step, change) in steps {
            change();
            tree.check(&keeper, step).await;
            tree.check(&keeper, step).await;
        }
    }

    /// What changed while a walk went on may have been missed: its directory is walked again.
    #[tokio::test]
    async fn a_directory_that_changed_a_moment_ago_is_not_trusted() {
        let tree = Tree::new();
        let Some(keeper) = tree.keeper() else { return };
        std::thread::sleep(Duration::from_millis(400));
        tree.write("src/deep/new.rs", "");
        #[expect(clippy::disallowed_methods, reason = "it is held against the times of files")]
        let now = milliseconds(SystemTime::now());
        keeper.walk(&tree.root(), &tree.settings, now).expect("a walk");
        tree.images.finish_writes().await;
        let record = keeper.read_record().expect("a record");
        let changed = record.compare(&tree.root()).expect("the same rules").changed;
        assert_eq!(Vec::from_iter(changed), ["src/deep"]);
    }

    #[tokio::test]
    async fn a_damaged_record_is_none() {
        let tree = Tree::new();
        let Some(keeper) = tree.keeper() else { return };
        tree.check(&keeper, "the first walk").await;
        let mut bytes = fs_err::read(&keeper.path).expect("a record");
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs_err::write(&keeper.path, bytes).expect("written");
        assert!(keeper.read_record().is_none());
        tree.check(&keeper, "a damaged record").await;
    }
}
