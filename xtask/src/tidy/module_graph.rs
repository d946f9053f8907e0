//! Builds the graph of which modules of a crate refer to which others, from the paths in its source, for the layer rule
//! and the figures. Paths are followed through re-exports to the module that has the file of what they name: a module
//! that is hidden behind the names of the one above it is used all the same.

use std::collections::{BTreeMap, BTreeSet};

use super::rust_text::RustText;
use super::tree::{SourceTree, TidyFile};
use super::words;

/// The steps from the root of a crate to a module.
pub(super) type ModulePath = Vec<String>;

/// More re-exports of re-exports than this are a circle.
const MOST_STEPS: usize = 16;

/// A place that names something of another module.
pub(super) struct ModuleReference<'a> {
    pub(super) source: &'a TidyFile,
    pub(super) line: usize,
    pub(super) from: ModulePath,
    /// The module that has what is named; nothing for what is in the root of the crate.
    pub(super) to: ModulePath,
}

/// The modules of one crate without its tests.
#[derive(Default)]
pub(super) struct CrateModules<'a> {
    files: Vec<(ModulePath, &'a TidyFile, &'a RustText)>,
    modules: BTreeSet<ModulePath>,
    /// What names mean in a module that imports or re-exports them.
    imports: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

impl<'a> CrateModules<'a> {
    /// The crates of a tree, by their folder.
    pub(super) fn from_tree(tree: &'a SourceTree) -> BTreeMap<&'a str, Self> {
        let mut crates: BTreeMap<&str, Self> = BTreeMap::new();
        for (source, text) in tree.rust_files().filter(|(source, _)| !source.is_test()) {
            let Some((folder, path)) = source.path.split_once("/src/") else { continue };
            let module = module_path(path);
            let modules = crates.entry(folder).or_default();
            // A folder is a module, also where its own file is not among these.
            modules.modules.extend((1..=module.len()).map(|depth| module[..depth].to_vec()));
            modules.files.push((module, source, text));
        }
        for modules in crates.values_mut() {
            modules.read_imports();
        }
        crates
    }

    fn read_imports(&mut self) {
        for (module, _, text) in &self.files {
            for path in written_paths(text).into_iter().filter(|path| path.is_import) {
                let (Some(name), Some(target)) = (path.name(), self.absolute(module, &path.steps)) else { continue };
                self.imports.entry(module.clone()).or_default().insert(name, target);
            }
        }
    }

    /// Everything that a module names of others in its crate, outside of tests.
    pub(super) fn references(&self) -> Vec<ModuleReference<'a>> {
        let mut references = Vec::new();
        for (module, source, text) in &self.files {
            for path in written_paths(text) {
                let Some(target) = self.absolute(module, &path.steps) else { continue };
                let (line, from) = (text.line_at(path.offset), module.clone());
                references.push(ModuleReference { source, line, from, to: self.find_home(target) });
            }
        }
        references
    }

    /// A path from the root of the crate; nothing for what is in another crate.
    fn absolute(&self, module: &ModulePath, steps: &[String]) -> Option<Vec<String>> {
        let first = steps.first()?;
        let above = steps.iter().take_while(|step| *step == "super").count();
        let (start, rest) = match first.as_str() {
            "crate" => (Vec::new(), &steps[1..]),
            "self" => (module.clone(), &steps[1..]),
            "super" => (module[..module.len().saturating_sub(above)].to_vec(), &steps[above..]),
            _ if self.modules.contains(&[&module[..], std::slice::from_ref(first)].concat()) => (module.clone(), steps),
            _ => (self.imports.get(module)?.get(first)?.clone(), &steps[1..]),
        };
        Some([&start[..], rest].concat())
    }

    /// The module that has the file of what a path names.
    fn find_home(&self, mut path: Vec<String>) -> ModulePath {
        for _ in 0..MOST_STEPS {
            let depth = (0..path.len()).take_while(|at| self.modules.contains(&path[..=*at])).count();
            let (module, rest) = path.split_at(depth);
            let imported = rest.first().and_then(|name| self.imports.get(module)?.get(name));
            match imported {
                Some(target) => path = [&target[..], &rest[1..]].concat(),
                None => return module.to_vec(),
            }
        }
        path
    }
}

/// Two modules that use each other.
pub(super) struct MutualPair<'r, 'a> {
    pub(super) first: String,
    pub(super) second: String,
    /// A place where the first names the second.
    pub(super) reference: &'r ModuleReference<'a>,
}

/// Pairs of modules directly below `above` that use each other.
pub(super) fn mutual_pairs<'r, 'a>(references: &'r [ModuleReference<'a>], above: &[&str]) -> Vec<MutualPair<'r, 'a>> {
    let child = |module: &ModulePath| {
        let is_below = module.len() > above.len() && above.iter().zip(module).all(|(a, b)| a == b);
        is_below.then(|| module[above.len()].clone())
    };
    let mut edges: BTreeMap<(String, String), &ModuleReference<'_>> = BTreeMap::new();
    for reference in references {
        if let (Some(from), Some(to)) = (child(&reference.from), child(&reference.to)) {
            edges.entry((from, to)).or_insert(reference);
        }
    }
    let is_mutual = |from: &String, to: &String| from < to && edges.contains_key(&(to.clone(), from.clone()));
    let mutual = edges.iter().filter(|((from, to), _)| is_mutual(from, to));
    mutual
        .map(|((first, second), reference)| MutualPair { first: first.clone(), second: second.clone(), reference })
        .collect()
}

fn module_path(path: &str) -> ModulePath {
    let mut steps: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if steps.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        steps.pop();
    }
    steps
}

/// A path as it is written, with what groups add to it.
struct WrittenPath {
    offset: usize,
    steps: Vec<String>,
    /// What it is called here, where an import gives it another name.
    alias: Option<String>,
    is_import: bool,
}

impl WrittenPath {
    fn name(&self) -> Option<String> {
        self.alias.clone().or_else(|| self.steps.last().cloned())
    }
}

/// The paths of several steps that stand in a file outside of tests, and all that it imports.
fn written_paths(text: &RustText) -> Vec<WrittenPath> {
    let code = text.code();
    let (mut paths, mut end, mut last) = (Vec::new(), 0, "");
    for (at, word) in words::find_identifiers(code) {
        let before = std::mem::replace(&mut last, word);
        if at < end || text.is_test(at) || word.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let is_import = before == "use";
        let mut found = Vec::new();
        end = at + read_path(&code[at..], &[], &mut found);
        found.retain(|(steps, _)| is_import || steps.len() > 1);
        paths.extend(found.into_iter().map(|(steps, alias)| WrittenPath { offset: at, steps, alias, is_import }));
    }
    paths
}

/// Reads the path at the beginning of a text behind `before`, and each path of the group that it may end in; returns how long it is.
fn read_path(text: &str, before: &[String], found: &mut Vec<(Vec<String>, Option<String>)>) -> usize {
    let (mut steps, mut at) = (before.to_vec(), 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            at += 1;
            loop {
                at += text[at..].find(|c: char| c == '}' || c == '*' || words::is_word(c)).unwrap_or(text.len() - at);
                match text[at..].chars().next() {
                    Some('*') => at += 1,
                    Some('}') => return at + 1,
                    Some(_) => at += read_path(&text[at..], &steps, found),
                    None => return at,
                }
            }
        }
        let length = rest.find(|c| !words::is_word(c)).unwrap_or(rest.len());
        // In a group, `self` is what stands in front of it.
        if length > 0 && (before.is_empty() || &rest[..length] != "self") {
            steps.push(rest[..length].to_owned());
        }
        at += length;
        match text[at..].strip_prefix("::") {
            Some(more) if more.starts_with(|c| c == '{' || words::is_word(c)) => at += 2,
            _ => break,
        }
    }
    let alias = text[at..].strip_prefix(" as ").map(|rest| rest.split(|c| !words::is_word(c)).next().unwrap_or(rest));
    at += alias.map_or(0, |alias| " as ".len() + alias.len());
    found.push((steps, alias.map(str::to_owned)));
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(files: &[(&str, &str)], above: &[&str]) -> Vec<String> {
        let tree = SourceTree::of(files);
        let crates = CrateModules::from_tree(&tree);
        let references = crates["crates/engine"].references();
        let found = mutual_pairs(&references, above);
        found.into_iter().map(|pair| format!("{} and {}", pair.first, pair.second)).collect()
    }

    #[test]
    fn a_folder_around_modules_hides_no_pair_of_them() {
        let files = [
            ("crates/engine/src/code/index/mod.rs", "use super::graph::Graph;"),
            ("crates/engine/src/code/graph.rs", "fn load() { crate::code::index::refresh() }"),
            ("crates/engine/src/code/mod.rs", "mod graph;\nmod index;"),
        ];
        assert!(pairs(&files, &[]).is_empty());
        assert_eq!(pairs(&files, &["code"]), ["graph and index"]);
    }

    #[test]
    fn a_name_of_the_module_above_leads_to_the_module_that_has_it() {
        let files = [
            (
                "crates/engine/src/lib.rs",
                "pub use read::ReadReply;\npub(crate) use notes::{self as written, Note as N};",
            ),
            ("crates/engine/src/read.rs", "use crate::N;"),
            ("crates/engine/src/notes.rs", "use crate::{Engine, ReadReply};"),
            ("crates/engine/src/feedback.rs", "use crate::written;\nfn f() { written::note() }"),
        ];
        assert_eq!(pairs(&files, &[]), ["notes and read"]);
    }

    #[test]
    fn tests_and_other_crates_are_no_uses() {
        let files = [
            ("crates/engine/src/read.rs", "use store::notes;\n#[cfg(test)]\nmod tests { use crate::notes; }"),
            ("crates/engine/src/notes.rs", "use crate::read::{self, ReadReply};"),
            ("crates/engine/src/read/tests.rs", "use crate::notes;"),
        ];
        assert!(pairs(&files, &[]).is_empty());
    }

    #[test]
    fn a_group_of_imports_is_read_to_its_leaves() {
        let text = RustText::new("use crate::{Engine, graph::{self, index as i}, read::*};\nfn f() { a::b::<u8>(c); }");
        let paths: Vec<String> = written_paths(&text).iter().map(|path| path.steps.join("::")).collect();
        assert_eq!(paths, ["crate::Engine", "crate::graph", "crate::graph::index", "crate::read", "a::b"]);
    }
}
