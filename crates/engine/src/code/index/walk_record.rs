//! `WalkRecord`: what a walk of a whole repository found, with the stamps by which a later process knows which of it is
//! still so.

use super::SkippedFile;
use super::defaults::tracked_paths;
use super::entry_stamp::{EntryStamp, regular_file_stamp, stat_below};
use super::walk::{ScannedFile, WalkResult};
use crate::base::IGNORE_FILES;
use crate::code::watch::WalkScope;
use model::Timestamp;
use rayon::prelude::*;
use rustix::fd::AsFd as _;
use search::{ByteReader, ByteWriter, DamagedBytes};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use store::FileStamp;

/// The ignore files of git and of tools like it, which the walk reads in every directory beside ours.
const GIT_RULE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// What a walk found.
pub(super) struct WalkRecord {
    /// Rule files outside of the tree.
    outside: Vec<(PathBuf, EntryStamp)>,
    /// The list of what git tracks.
    git_index: EntryStamp,
    /// What git was asked whether it tracks, and whether it does.
    asked_git: Vec<(String, bool)>,
    directories: Vec<DirectoryRecord>,
    /// Directories that were not entered for what is in them, such as a repository inside of this one.
    closed: Vec<(String, EntryStamp)>,
    files: Vec<String>,
    skipped: Vec<SkippedFile>,
}

struct DirectoryRecord {
    path: String,
    stamp: EntryStamp,
    /// Its rule files.
    rules: Vec<(String, EntryStamp)>,
}

/// A record held against the disk.
pub(super) struct WalkComparison {
    /// The directories that have to be walked again.
    pub(super) changed: BTreeSet<String>,
    /// The files of the others, as they are now.
    files: Vec<ScannedFile>,
}

impl WalkRecord {
    /// A record of what a walk that began at `began` found; `before` says what it did not walk again.
    pub(super) fn new(root: &Path, walked: &WalkResult, before: Option<(&Self, &WalkScope)>, began: Timestamp) -> Self {
        let own = EntryStamp::of_path(root);
        let kept = |path: &str| {
            let (record, scope) = before?;
            let at = record.directories.binary_search_by(|directory| directory.path.as_str().cmp(path)).ok()?;
            (!scope.contains(path)).then(|| &record.directories[at])
        };
        let look = |path: &String| {
            if let Some(same) = kept(path) {
                return DirectoryRecord { path: path.clone(), stamp: same.stamp, rules: same.rules.clone() };
            }
            let full = root.join(path);
            let stamp = EntryStamp::of_path(&full).settled(began);
            let names = GIT_RULE_FILES.iter().chain(&IGNORE_FILES);
            let rules = names.map(|name| ((*name).to_owned(), EntryStamp::of_path(&full.join(name))));
            let rules = rules.filter(|(_, stamp)| *stamp != EntryStamp::MISSING);
            let rules = rules.map(|(name, stamp)| (name, stamp.settled(began))).collect();
            // Another file system is mounted there, whose times may mean another thing.
            let stamp = if stamp.is_on_device_of(own) { stamp } else { EntryStamp::UNKNOWN };
            DirectoryRecord { path: path.clone(), stamp, rules }
        };
        let settle = |path: PathBuf| {
            let stamp = EntryStamp::of_path(&path);
            (path, if stamp == EntryStamp::MISSING { stamp } else { stamp.settled(began) })
        };
        let closed = walked.skipped.iter().map(|skipped| &skipped.path).filter(|path| root.join(path).is_dir());
        let closed = closed.map(|path| (path.clone(), EntryStamp::of_path(&root.join(path)).settled(began)));
        Self {
            closed: closed.collect(),
            outside: outside_rules(root).into_iter().map(settle).collect(),
            git_index: EntryStamp::of_path(&root.join(".git/index")).settled(began),
            asked_git: walked.asked_git.clone(),
            directories: walked.directories.iter().map(look).collect(),
            files: walked.files.iter().map(|file| file.path.clone()).collect(),
            skipped: walked.skipped.clone(),
        }
    }

    /// Holds the record against the disk; `None` where a rule outside of the tree, or what git tracks, is another one.
    pub(super) fn compare(&self, root: &Path) -> Option<WalkComparison> {
        let is_same = |(path, stamp): &(PathBuf, EntryStamp)| EntryStamp::of_path(path) == *stamp;
        if !outside_rules(root).iter().eq(self.outside.iter().map(|(path, _)| path))
            || !self.outside.iter().all(is_same)
        {
            return None;
        }
        if EntryStamp::of_path(&root.join(".git/index")) != self.git_index {
            let asked: Vec<String> = self.asked_git.iter().map(|(path, _)| path.clone()).collect();
            let tracked = tracked_paths(root, &asked);
            if self.asked_git.iter().any(|(path, is_tracked)| tracked.contains(path) != *is_tracked) {
                return None;
            }
        }
        let open = fs_err::File::open(root).ok()?;
        let open = open.as_fd();
        let stamp_of = |path: &str, follows| {
            stat_below(open, path, follows).map_or(EntryStamp::MISSING, |stat| EntryStamp::of(&stat))
        };
        let is_other = |directory: &&DirectoryRecord| {
            let path = &directory.path;
            stamp_of(path, false) != directory.stamp
                || directory.rules.iter().any(|(name, stamp)| stamp_of(&join(path, name), true) != *stamp)
        };
        let directories = self.directories.par_iter().with_min_len(256);
        let mut changed: BTreeSet<String> =
            directories.filter(is_other).map(|directory| directory.path.clone()).collect();
        let reopened = self.closed.iter().filter(|(path, stamp)| stamp_of(path, true) != *stamp);
        changed.extend(reopened.map(|(path, _)| path.clone()));
        let look = |path: &String| stat_below(open, path, false).and_then(|stat| regular_file_stamp(&stat));
        let stamps: Vec<Option<FileStamp>> = self.files.par_iter().with_min_len(256).map(look).collect();
        let mut files = Vec::with_capacity(stamps.len());
        for (path, stamp) in self.files.iter().zip(stamps) {
            if let Some(stamp) = stamp {
                files.push(ScannedFile { path: path.clone(), stamp });
            } else {
                // It went while the directories were looked at.
                changed.insert(path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
            }
        }
        Some(WalkComparison { changed, files })
    }

    /// What a walk of everything would find, where `walked` is what one found in the changed places.
    pub(super) fn join_walked(
        &self,
        comparison: WalkComparison,
        scope: &WalkScope,
        mut walked: WalkResult,
    ) -> WalkResult {
        // A walk passes the directories above the places.
        walked.directories.retain(|directory| scope.contains(directory));
        let kept = |path: &str| !scope.contains(path);
        walked.files.extend(comparison.files.into_iter().filter(|file| kept(&file.path)));
        let directories = self.directories.iter().map(|directory| &directory.path);
        walked.directories.extend(directories.filter(|path| kept(path)).cloned());
        walked.skipped.extend(self.skipped.iter().filter(|skipped| kept(&skipped.path)).cloned());
        walked.asked_git.extend(self.asked_git.iter().filter(|(path, _)| kept(path)).cloned());
        walked.files.sort_by(|a, b| a.path.cmp(&b.path));
        walked.directories.sort_unstable();
        walked
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        let write_stamped = |writer: &mut ByteWriter, name: &str, stamp: EntryStamp| {
            writer.write_text(name);
            stamp.write(writer);
        };
        writer.write_list(&self.outside, |writer, (path, stamp)| {
            write_stamped(writer, &path.to_string_lossy(), *stamp);
        });
        self.git_index.write(&mut writer);
        writer.write_list(&self.asked_git, |writer, (path, is_tracked)| {
            writer.write_text(path);
            writer.write_number(u32::from(*is_tracked));
        });
        writer.write_list(&self.directories, |writer, directory| {
            write_stamped(writer, &directory.path, directory.stamp);
            writer.write_list(&directory.rules, |writer, (name, stamp)| write_stamped(writer, name, *stamp));
        });
        writer.write_list(&self.closed, |writer, (path, stamp)| write_stamped(writer, path, *stamp));
        writer.write_list(&self.files, |writer, path| writer.write_text(path));
        writer.write_list(&self.skipped, |writer, skipped| {
            writer.write_text(&skipped.path);
            writer.write_text(&skipped.reason);
        });
        writer.into_bytes()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, DamagedBytes> {
        let mut reader = ByteReader::new(bytes);
        let stamped = |reader: &mut ByteReader<'_>| Ok((reader.read_text()?.to_owned(), EntryStamp::read(reader)?));
        let outside = reader.read_list(|reader| stamped(reader).map(|(path, stamp)| (PathBuf::from(path), stamp)))?;
        let git_index = EntryStamp::read(&mut reader)?;
        let asked_git = reader.read_list(|reader| Ok((reader.read_text()?.to_owned(), reader.read_number()? == 1)))?;
        let directories = reader.read_list(|reader| {
            let (path, stamp) = stamped(reader)?;
            Ok(DirectoryRecord { path, stamp, rules: reader.read_list(stamped)? })
        })?;
        let closed = reader.read_list(stamped)?;
        let files = reader.read_list(|reader| Ok(reader.read_text()?.to_owned()))?;
        let skipped = reader.read_list(|reader| {
            Ok(SkippedFile { path: reader.read_text()?.to_owned(), reason: reader.read_text()?.to_owned() })
        })?;
        reader.finish(Self { outside, git_index, asked_git, directories, closed, files, skipped })
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// The rule files outside of the tree that the walk reads, whether or not they are there: of the user, of the repository,
/// and of the directories above.
fn outside_rules(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ignore::gitignore::gitconfig_excludes_path().into_iter().collect();
    files.push(root.join(".git/info/exclude"));
    for above in root.ancestors().skip(1) {
        files.extend([".gitignore", ".ignore", ".git/info/exclude"].map(|name| above.join(name)));
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}
