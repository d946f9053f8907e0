//! The resolver's index of the project's files by path, by directory and by file name, and functions on paths (join,
//! parent, stem).

use super::SymbolAt;
use std::cmp::Ordering;
use std::collections::HashMap;

/// All files of a project by path. Lists are in order of path.
#[derive(Default)]
pub(super) struct PathIndex {
    files: HashMap<String, u32>,
    directories: HashMap<String, u32>,
    /// Each directory by its number.
    where_directories: Vec<DirectoryFiles>,
    /// The paths of files, by number.
    where_files: Vec<String>,
    /// Files by their name without directories.
    by_name: HashMap<String, Vec<u32>>,
}

struct DirectoryFiles {
    path: String,
    /// The files directly in it.
    inside: Vec<u32>,
    /// How many files lie in it or below.
    count: u32,
}

impl PathIndex {
    pub(super) fn add_file(&mut self, path: &str, file: u32) {
        self.files.insert(path.to_owned(), file);
        if self.where_files.len() <= file as usize {
            self.where_files.resize(file as usize + 1, String::new());
        }
        path.clone_into(&mut self.where_files[file as usize]);
        let directory = self.directory_for(parent_directory(path));
        self.adjust_counts(directory, |count| count + 1);
        insert_file(&self.where_files, &mut self.where_directories[directory as usize].inside, file);
        insert_file(&self.where_files, self.by_name.entry(file_name(path).to_owned()).or_default(), file);
    }

    pub(super) fn remove_file(&mut self, file: u32) {
        let path = std::mem::take(&mut self.where_files[file as usize]);
        self.files.remove(&path);
        let directory = self.directory_for(parent_directory(&path));
        self.adjust_counts(directory, |count| count - 1);
        self.where_directories[directory as usize].inside.retain(|other| *other != file);
        if let Some(called) = self.by_name.get_mut(file_name(&path)) {
            called.retain(|other| *other != file);
        }
    }

    /// The file at a path.
    pub(super) fn find_file(&self, path: &str) -> Option<u32> {
        self.files.get(path).copied()
    }

    pub(super) fn file_path(&self, file: u32) -> &str {
        &self.where_files[file as usize]
    }

    /// The order of two files.
    pub(super) fn compare_files(&self, a: u32, b: u32) -> Ordering {
        if a == b { Ordering::Equal } else { self.file_path(a).cmp(self.file_path(b)) }
    }

    /// The order of two symbols.
    pub(super) fn compare_symbols(&self, a: SymbolAt, b: SymbolAt) -> Ordering {
        self.compare_files(a.file, b.file).then(a.place.cmp(&b.place))
    }

    /// Puts a symbol where it belongs in a list.
    pub(super) fn insert_symbol(&self, list: &mut Vec<SymbolAt>, symbol: SymbolAt) {
        // Files arrive mostly in the order of paths, so the end of the list is tried before a search.
        let is_last = list.last().is_none_or(|last| self.compare_symbols(*last, symbol) == Ordering::Less);
        let at = if is_last {
            list.len()
        } else {
            list.partition_point(|other| self.compare_symbols(*other, symbol) == Ordering::Less)
        };
        list.insert(at, symbol);
    }

    /// The directory at a path, where some file lies in it or below.
    pub(super) fn find_directory(&self, path: &str) -> Option<u32> {
        let directory = *self.directories.get(path)?;
        // Import targets hold numbers of directories, so an empty directory keeps its number and only its count says
        // that it is gone.
        (self.where_directories[directory as usize].count > 0).then_some(directory)
    }

    pub(super) fn directory_path(&self, directory: u32) -> &str {
        &self.where_directories[directory as usize].path
    }

    /// The files directly in a directory.
    pub(super) fn directory_files(&self, directory: u32) -> &[u32] {
        &self.where_directories[directory as usize].inside
    }

    /// Files with this name, in any directory.
    pub(super) fn files_named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number of a directory, which it keeps when no file is left in it.
    fn directory_for(&mut self, path: &str) -> u32 {
        if let Some(known) = self.directories.get(path) {
            return *known;
        }
        let number = self.where_directories.len() as u32;
        self.where_directories.push(DirectoryFiles { path: path.to_owned(), inside: Vec::new(), count: 0 });
        self.directories.insert(path.to_owned(), number);
        number
    }

    fn adjust_counts(&mut self, directory: u32, step: impl Fn(u32) -> u32) {
        let mut next = Some(directory);
        while let Some(at) = next {
            let directory = &mut self.where_directories[at as usize];
            directory.count = step(directory.count);
            let path = directory.path.clone();
            // Up to the project itself: a directory exists as long as a file is anywhere below it.
            next = (!path.is_empty()).then(|| self.directory_for(parent_directory(&path)));
        }
    }
}

/// Puts a file where its path belongs in a list.
fn insert_file(paths: &[String], list: &mut Vec<u32>, file: u32) {
    let path = &paths[file as usize];
    let is_last = list.last().is_none_or(|last| paths[*last as usize] < *path);
    let at = if is_last { list.len() } else { list.partition_point(|other| paths[*other as usize] < *path) };
    list.insert(at, file);
}

/// The directory of a path; empty for the project itself.
pub(super) fn parent_directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// All directories around a path, the project itself last.
pub(super) fn ancestor_directories(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent_directory(path)), |at| (!at.is_empty()).then(|| parent_directory(at)))
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file's name without its extension.
pub(super) fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A path from a directory, with `.` and `..` taken away; nothing where it leaves the project.
pub(super) fn join_path(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// How many leading directories two paths share.
pub(super) fn shared_depth(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_joined_and_cannot_leave_the_project() {
        for (directory, path, expected) in [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c/", Some("a/c")),
            ("", "x.h", Some("x.h")),
            ("a", "../../x", None),
            ("a/b", "..", Some("a")),
        ] {
            assert_eq!(join_path(directory, path).as_deref(), expected, "{directory} {path}");
        }
    }

    #[test]
    fn files_are_found_by_path_directory_and_name_until_they_are_gone() {
        let mut paths = PathIndex::default();
        for (path, file) in [("d.x", 0), ("a/d.x", 1), ("a/b/c.x", 2)] {
            paths.add_file(path, file);
        }
        assert_eq!(paths.find_file("a/d.x"), Some(1));
        assert_eq!(paths.find_directory("a").map(|at| paths.directory_files(at)), Some(&[1][..]));
        assert_eq!(paths.find_directory("").map(|at| paths.directory_files(at)), Some(&[0][..]));
        assert_eq!(paths.files_named("d.x"), [1, 0]);
        assert_eq!(paths.find_directory("a/b/c.x"), None);
        paths.remove_file(1);
        assert_eq!((paths.find_file("a/d.x"), paths.files_named("d.x")), (None, &[0][..]));
        assert!(paths.find_directory("a").is_some());
        paths.remove_file(2);
        assert_eq!((paths.find_directory("a"), paths.find_directory("a/b")), (None, None));
    }
}
