//! Renders the directory tree of a repository as text of a few thousand bytes: directories are opened from the top as
//! far as the size limit allows.
//!
//! Directories nearer to the top are opened first, then those with more files. A directory that stays closed or is cut
//! shows how much is in it and is listed, so that a second question can continue there.

use model::show_name;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write;

/// How much of a tree to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeCaps {
    /// Levels of directories that are opened.
    pub depth: u32,
    /// Entries shown of one directory.
    pub entries: usize,
    /// Bytes of the reply.
    pub bytes: usize,
}

impl Default for TreeCaps {
    fn default() -> Self {
        Self { depth: 4, entries: 30, bytes: 4_096 }
    }
}

/// How a tree is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeMode {
    /// Files of a directory on one line, directories with a single directory in them joined.
    Compact,
    /// Every file on a line of its own with the number of its lines.
    Verbose,
    /// Like compact, with the definitions of each directory's central file.
    Map,
}

/// A drawn tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectTree {
    /// The drawing.
    pub text: String,
    /// Directories that are not shown whole, as far as there is room to name them.
    pub truncated: Vec<String>,
    /// Directories that are not shown whole.
    pub truncated_count: usize,
    /// Files below.
    pub files: usize,
    /// Directories below.
    pub directories: usize,
}

/// A file to draw.
pub(super) struct TreeLeaf<'a> {
    pub(super) path: &'a str,
    pub(super) lines: u32,
}

/// Draws the files below `root` (a directory, or empty for all); `summary` gives the lines to show of a directory's
/// central file.
pub(super) fn render_tree(
    leaves: &[TreeLeaf<'_>],
    root: &str,
    mode: TreeMode,
    caps: TreeCaps,
    summary: &dyn Fn(&str) -> Vec<String>,
) -> ProjectTree {
    let mut directories = vec![TreeDirectory::default()];
    root.clone_into(&mut directories[0].path);
    for leaf in leaves {
        let inside = if root.is_empty() {
            leaf.path
        } else {
            match leaf.path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) {
                Some(inside) => inside,
                None => continue,
            }
        };
        insert_file(&mut directories, inside, leaf.lines);
    }
    let mut drawing =
        TreeRenderer { directories: &directories, mode, caps, summary, opened: vec![None; directories.len()] };
    drawing.open_what_fits();
    drawing.into_tree()
}

#[derive(Default)]
struct TreeDirectory {
    /// From the root of the project.
    path: String,
    below: BTreeMap<String, usize>,
    files: Vec<(String, u32)>,
    /// Files in it and everywhere below.
    total: usize,
}

fn insert_file(directories: &mut Vec<TreeDirectory>, inside: &str, lines: u32) {
    let mut at = 0;
    let mut rest = inside;
    directories[0].total += 1;
    while let Some((name, inner)) = rest.split_once('/') {
        let below = directories[at].below.get(name).copied().unwrap_or_else(|| {
            let above = &directories[at].path;
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            directories.push(TreeDirectory { path, ..TreeDirectory::default() });
            let below = directories.len() - 1;
            directories[at].below.insert(name.to_owned(), below);
            below
        });
        at = below;
        directories[at].total += 1;
        rest = inner;
    }
    directories[at].files.push((show_name(rest).into_owned(), lines));
}

struct TreeRenderer<'a> {
    directories: &'a [TreeDirectory],
    mode: TreeMode,
    caps: TreeCaps,
    summary: &'a dyn Fn(&str) -> Vec<String>,
    /// For each opened directory its lines and the directories below that it shows, with their names.
    opened: Vec<Option<OpenDirectory>>,
}

#[derive(Clone)]
struct OpenDirectory {
    depth: u32,
    below: Vec<(String, usize)>,
    lines: Vec<String>,
    /// Entries for which there was no room.
    cut: usize,
}

/// Room for the list of directories that are not shown whole.
const FOR_TRUNCATED: usize = 512;

/// Long enough for a dozen names, short enough for a terminal.
const MAX_LINE_BYTES: usize = 100;

impl TreeRenderer<'_> {
    /// Opens directories from the top while there is room; those nearer to the top first, then the fuller ones.
    fn open_what_fits(&mut self) {
        let mut waiting = BinaryHeap::new();
        let rank = |drawing: &Self, depth: u32, at: usize| {
            let directory = &drawing.directories[at];
            // A hidden directory belongs to a tool and not to the project.
            let is_shown = !directory.path.starts_with('.');
            (std::cmp::Reverse(depth), is_shown, directory.total, std::cmp::Reverse(at))
        };
        let mut room = self.caps.bytes.saturating_sub(FOR_TRUNCATED);
        waiting.push(rank(self, 0, 0));
        while let Some((std::cmp::Reverse(depth), _, _, std::cmp::Reverse(at))) = waiting.pop() {
            let opened = self.open_directory(at, depth);
            let cost = opened.byte_cost();
            // A smaller directory behind this one may still fit.
            if cost > room {
                continue;
            }
            room -= cost;
            if depth + 1 < self.caps.depth {
                waiting.extend(opened.below.iter().map(|(_, below)| rank(self, depth + 1, *below)));
            }
            self.opened[at] = Some(opened);
        }
    }

    fn open_directory(&self, at: usize, depth: u32) -> OpenDirectory {
        let directory = &self.directories[at];
        let below: Vec<(String, usize)> = directory
            .below
            .iter()
            .take(self.caps.entries)
            .map(|(name, &below)| self.join_single_children(name, below))
            .collect();
        // Directories have priority over files: a reader can go on into them.
        let shown = directory.files.len().min(self.caps.entries.saturating_sub(below.len()));
        let cut = directory.below.len() - below.len() + directory.files.len() - shown;
        let files = &directory.files[..shown];
        let mut lines = match self.mode {
            TreeMode::Verbose => files.iter().map(|(name, lines)| format!("{name} {lines}")).collect(),
            TreeMode::Compact | TreeMode::Map => wrap_names(files.iter().map(|(name, _)| name.as_str())),
        };
        if cut > 0 {
            lines.push(format!("… {cut} more"));
        }
        if self.mode == TreeMode::Map {
            lines.extend((self.summary)(&directory.path).into_iter().map(|line| format!("| {}", show_name(&line))));
        }
        let indent = "  ".repeat(depth as usize);
        let lines = lines.into_iter().map(|line| format!("{indent}{line}")).collect();
        OpenDirectory { depth, below, lines, cut }
    }

    /// A directory with a single directory in it is drawn on one line with that.
    fn join_single_children(&self, name: &str, mut at: usize) -> (String, usize) {
        let mut name = name.to_owned();
        // `src/main/java/org/example` would otherwise take a line for each of its parts.
        while self.mode != TreeMode::Verbose
            && self.directories[at].files.is_empty()
            && self.directories[at].below.len() == 1
            && let Some((inner, &below)) = self.directories[at].below.iter().next()
        {
            name = format!("{name}/{inner}");
            at = below;
        }
        (name, at)
    }

    fn into_tree(self) -> ProjectTree {
        let mut text = String::new();
        let mut truncated = Vec::new();
        // A list in place of recursion, the next line last.
        let mut pending = vec![TreeLine::Opened(0)];
        while let Some(line) = pending.pop() {
            match line {
                TreeLine::Text(line) => text.push_str(&line),
                TreeLine::Opened(at) => {
                    let directory = &self.directories[at];
                    let Some(opened) = &self.opened[at] else {
                        truncated.push(directory.path.clone());
                        continue;
                    };
                    if opened.cut > 0 {
                        truncated.push(directory.path.clone());
                    }
                    let mut lines = Vec::new();
                    for (name, below) in &opened.below {
                        let indent = "  ".repeat(opened.depth as usize);
                        let total = self.directories[*below].total;
                        let closed = self.opened[*below].is_none();
                        let count = if closed {
                            format!(" ({total} file{})", if total == 1 { "" } else { "s" })
                        } else {
                            String::new()
                        };
                        lines.push(TreeLine::Text(format!("{indent}{}/{count}\n", show_name(name))));
                        lines.push(TreeLine::Opened(*below));
                    }
                    lines.extend(opened.lines.iter().map(|line| TreeLine::Text(format!("{line}\n"))));
                    pending.extend(lines.into_iter().rev());
                }
            }
        }
        let truncated_count = truncated.len();
        // The list may be cut as well; directories near the top are the more useful ones to name.
        truncated.sort_by_key(|path| path.matches('/').count());
        let mut room = FOR_TRUNCATED / 2;
        truncated.retain(|path| {
            let fits = path.len() + 3 <= room;
            // The first path without room ends the list, so that no deeper directory is named in place of it.
            room = if fits { room - path.len() - 3 } else { 0 };
            fits
        });
        truncated.sort();
        ProjectTree {
            text,
            truncated,
            truncated_count,
            files: self.directories[0].total,
            directories: self.directories.len() - 1,
        }
    }
}

enum TreeLine {
    Text(String),
    Opened(usize),
}

impl OpenDirectory {
    /// Bytes it adds to the drawing, in JSON.
    fn byte_cost(&self) -> usize {
        // A closed directory has its count of files behind its name, for which 16 bytes are reserved.
        let names: usize = self.below.iter().map(|(name, _)| name.len() + 2 * self.depth as usize + 16).sum();
        names + self.lines.iter().map(|line| line.len() + 2).sum::<usize>()
    }
}

/// Names on as few lines as they fit.
fn wrap_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() < MAX_LINE_BYTES => {
                write!(line, "  {name}").expect("a string takes all");
            }
            _ => lines.push(name.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    fn tree(paths: &[&str], root: &str, mode: TreeMode, caps: TreeCaps) -> ProjectTree {
        let leaves: Vec<TreeLeaf<'_>> = paths.iter().map(|path| TreeLeaf { path, lines: 7 }).collect();
        render_tree(&leaves, root, mode, caps, &|path| {
            if path == "src" { vec!["fn main()".to_owned()] } else { Vec::new() }
        })
    }

    fn check(paths: &[&str], root: &str, mode: TreeMode, caps: TreeCaps, expected: &Expect) {
        let tree = tree(paths, root, mode, caps);
        expected.assert_eq(&format!("{}{:?}\n", tree.text, tree.truncated));
    }

    const PATHS: &[&str] = &[
        "README.md",
        "src/main.rs",
        "src/lib.rs",
        "src/net/http/client/mod.rs",
        "src/net/http/client/pool.rs",
        "web/a.ts",
    ];

    #[test]
    fn directories_are_opened_and_single_ones_joined() {
        let expected = expect![[r#"
            src/
              net/http/client/
                mod.rs  pool.rs
              main.rs  lib.rs
            web/
              a.ts
            README.md
            []
        "#]];
        check(PATHS, "", TreeMode::Compact, TreeCaps::default(), &expected);
        let expected = expect![[r#"
            net/
              http/
                client/
                  mod.rs 7
                  pool.rs 7
            main.rs 7
            lib.rs 7
            []
        "#]];
        check(PATHS, "src", TreeMode::Verbose, TreeCaps::default(), &expected);
        let expected = expect![[r#"
            src/
              net/http/client/ (2 files)
              main.rs  lib.rs
              | fn main()
            web/
              a.ts
            README.md
            ["src/net/http/client"]
        "#]];
        check(PATHS, "", TreeMode::Map, TreeCaps { depth: 2, ..TreeCaps::default() }, &expected);
    }

    #[test]
    fn what_is_cut_is_counted_and_listed() {
        let expected = expect![[r#"
            src/
              net/http/client/
                mod.rs
                … 1 more
              … 2 more
            … 2 more
            ["", "src", "src/net/http/client"]
        "#]];
        check(PATHS, "", TreeMode::Compact, TreeCaps { entries: 1, ..TreeCaps::default() }, &expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn no_repository_is_larger_than_its_caps(
            paths in prop::collection::btree_set("([a-zß]{1,12}/){0,7}[a-z]{1,60}\\.rs", 1..400),
            verbose in any::<bool>(),
        ) {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let mode = if verbose { TreeMode::Verbose } else { TreeMode::Compact };
            let tree = tree(&paths, "", mode, TreeCaps::default());
            let listed: usize = tree.truncated.iter().map(|path| path.len() + 3).sum();
            prop_assert!(tree.text.len() + tree.text.matches('\n').count() + listed < 4_096 - 128);
            prop_assert_eq!(tree.files, paths.len());
        }
    }
}
