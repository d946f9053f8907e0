//! Where files lie: by path, by directory, by the end of their path.

use std::collections::HashMap;

/// All files of a project by where they lie.
#[derive(Default)]
pub(super) struct Paths {
    files: HashMap<String, u32>,
    directories: HashMap<String, u32>,
    /// The files directly in each directory, in order of path.
    inside: Vec<Vec<u32>>,
    /// The paths of directories and of files, by number.
    where_directories: Vec<String>,
    where_files: Vec<String>,
    /// Files by their name without directories.
    by_name: HashMap<String, Vec<u32>>,
}

impl Paths {
    pub(super) fn new<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut all = Self::default();
        for (path, file) in paths.zip(0..) {
            all.files.insert(path.to_owned(), file);
            all.where_files.push(path.to_owned());
            let directory = all.add_directory(parent(path));
            all.inside[directory as usize].push(file);
            all.by_name.entry(name(path).to_owned()).or_default().push(file);
        }
        all
    }

    /// The file at a path.
    pub(super) fn file(&self, path: &str) -> Option<u32> {
        self.files.get(path).copied()
    }

    pub(super) fn path(&self, file: u32) -> &str {
        &self.where_files[file as usize]
    }

    /// The directory at a path, where some file lies in it or below.
    pub(super) fn directory(&self, path: &str) -> Option<u32> {
        self.directories.get(path).copied()
    }

    pub(super) fn directory_path(&self, directory: u32) -> &str {
        &self.where_directories[directory as usize]
    }

    /// The files directly in a directory.
    pub(super) fn inside(&self, directory: u32) -> &[u32] {
        &self.inside[directory as usize]
    }

    /// Files called so, in any directory.
    pub(super) fn called(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    fn add_directory(&mut self, path: &str) -> u32 {
        if let Some(known) = self.directories.get(path) {
            return *known;
        }
        let number = self.where_directories.len() as u32;
        self.where_directories.push(path.to_owned());
        self.inside.push(Vec::new());
        self.directories.insert(path.to_owned(), number);
        if !path.is_empty() {
            self.add_directory(parent(path));
        }
        number
    }
}

/// The directory of a path; empty for the project itself.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file's name without its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// A path from a directory, with `.` and `..` taken away; nothing where it leaves the project.
pub(super) fn join(directory: &str, path: &str) -> Option<String> {
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
pub(super) fn shared(a: &str, b: &str) -> usize {
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
            assert_eq!(join(directory, path).as_deref(), expected, "{directory} {path}");
        }
    }

    #[test]
    fn files_are_found_by_path_directory_and_name() {
        let paths = Paths::new(["a/b/c.x", "a/d.x", "d.x"].into_iter());
        assert_eq!(paths.file("a/d.x"), Some(1));
        assert_eq!(paths.directory("a").map(|at| paths.inside(at)), Some(&[1][..]));
        assert_eq!(paths.directory("").map(|at| paths.inside(at)), Some(&[2][..]));
        assert_eq!(paths.called("d.x"), [1, 2]);
        assert_eq!(paths.directory("a/b/c.x"), None);
    }
}
