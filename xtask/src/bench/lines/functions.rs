//! Collects the functions of a work tree, from the definitions that the binary exports, with their words, for the BM25
//! baseline of the retrieval benchmark.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::{Value, json};

use super::LineRegion;
use super::tree::TreeLines;
use super::words::{WordBag, rank_bags};
use crate::bench::session::McpSession;

/// A function with its words.
#[derive(Clone)]
pub(super) struct FunctionWords {
    region: LineRegion,
    bag: WordBag,
}

/// The functions of files by path and content: most files are the same in the next commit.
#[derive(Default)]
pub(super) struct FunctionCache(HashMap<(String, u64), Vec<FunctionWords>>);

/// A larger file is data.
const MAX_SOURCE_BYTES: usize = 400_000;

impl FunctionCache {
    /// The outermost functions of a tree, from what the binary says is defined where.
    pub(super) fn tree_functions(
        &mut self,
        tree: &mut TreeLines,
        definitions: &[Value],
        session: &mut McpSession,
    ) -> Vec<FunctionWords> {
        let mut by_path: HashMap<&str, Vec<u64>> = HashMap::new();
        for line in definitions {
            let is_function = matches!(line["type"].as_str(), Some("function" | "method"));
            if let Some((path, number)) = line["path"].as_str().zip(line["line"].as_u64()).filter(|_| is_function) {
                by_path.entry(path).or_default().push(number);
            }
        }
        let mut paths: Vec<&str> = by_path.keys().copied().collect();
        paths.sort_unstable();
        let mut all = Vec::new();
        for path in paths {
            tree.open_files([path].into_iter());
            let mut hasher = DefaultHasher::new();
            tree.file_lines(path).hash(&mut hasher);
            // Most files are the same in the next commit, and asking for each function takes a call.
            let key = (path.to_owned(), hasher.finish());
            if !self.0.contains_key(&key) {
                let size: usize = tree.file_lines(path).iter().map(String::len).sum();
                let starts = if size <= MAX_SOURCE_BYTES { by_path[path].as_slice() } else { &[] };
                let functions = outermost_functions(tree, path, starts, session);
                self.0.insert(key.clone(), functions);
            }
            all.extend(self.0[&key].iter().cloned());
        }
        all
    }
}

/// The functions of a file that stand in no other function.
fn outermost_functions(tree: &TreeLines, path: &str, starts: &[u64], session: &mut McpSession) -> Vec<FunctionWords> {
    let mut found: Vec<(LineRegion, String)> = Vec::new();
    for start in starts {
        let asked = json!({ "symbol": format!("{path}:{start}"), "limit": 1 });
        // A definition that cannot be asked for by its line is left out of the baseline.
        let Ok((reply, _)) = session.call_operation("relations", &asked) else { continue };
        let symbol = &reply["symbol"];
        let Some(region) = LineRegion::from_json(&symbol["path"], &symbol["start_line"], &symbol["end_line"]) else {
            continue;
        };
        if matches!(symbol["kind"].as_str(), Some("function" | "method")) {
            let id = symbol["id"].as_str().unwrap_or_default();
            let qualified_name = id.split_once('#').map_or("", |(_, qualified_name)| qualified_name).to_owned();
            found.push((with_attributes(tree, region), qualified_name));
        }
    }
    // Nested functions would be counted twice, once by themselves and once in the outer one.
    let is_inside =
        |a: &LineRegion, b: &LineRegion| b.start <= a.start && a.end <= b.end && (a.start, a.end) != (b.start, b.end);
    let outer = found.iter().filter(|(region, _)| !found.iter().any(|(other, _)| is_inside(region, other)));
    let mut functions: Vec<FunctionWords> = outer
        .map(|(region, qualified_name)| {
            let name = qualified_name.rsplit('.').next().unwrap_or_default();
            let lines: Vec<&str> = region.line_numbers().filter_map(|number| tree.line_text(path, number)).collect();
            // The path and the name count twice, as a search by words would find them.
            let bag = WordBag::from_text(&format!("{} {path} {qualified_name} {name}", lines.join("\n")));
            FunctionWords { region: region.clone(), bag }
        })
        .collect();
    functions.sort_by_key(|function| (function.region.start, function.region.end));
    functions.dedup_by(|a, b| a.region == b.region);
    functions
}

/// A function with the decorators or attributes above it.
fn with_attributes(tree: &TreeLines, mut region: LineRegion) -> LineRegion {
    let is_attribute = |line: &str| line.trim_start().starts_with('@') || line.trim_start().starts_with("#[");
    while region.start > 1 && tree.line_text(&region.path, region.start - 1).is_some_and(is_attribute) {
        region.start -= 1;
    }
    region
}

/// Which functions are ranked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FunctionScope {
    All,
    /// Not those of tests, examples and documents.
    Product,
}

/// The functions that share a word with a question, by BM25.
pub(super) fn rank_functions(functions: &[FunctionWords], question: &str, scope: FunctionScope) -> Vec<LineRegion> {
    let bags: Vec<&WordBag> = functions.iter().map(|function| &function.bag).collect();
    let order = rank_bags(&bags, question).into_iter().map(|at| functions[at].region.clone());
    order.filter(|region| scope == FunctionScope::All || is_product(&region.path)).collect()
}

const AUXILIARY_DIRECTORIES: &str = " test tests testing spec __tests__ testdata example examples benches benchmark benchmarks fixture \
    fixtures doc docs vendor dist node_modules ";

/// Whether a file is no test, example, document or copy of another project's code.
fn is_product(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_aside = |part: &str| AUXILIARY_DIRECTORIES.contains(&format!(" {part} "));
    let marks = [".test.", "_test.", "-test.", ".spec.", "_spec.", "-spec.", ".bench.", "_bench.", "-bench.", ".min."];
    let is_test = name.starts_with("test_")
        || name.starts_with("conftest")
        || name.ends_with("test.java")
        || name.ends_with("tests.java")
        || marks.iter().any(|mark| name.contains(mark));
    !is_test && !folders.split('/').any(is_aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_are_not_the_product() {
        for path in ["tests/a.py", "src/test_a.py", "a/foo_test.go", "x/FooTest.java", "docs/conf.py", "lib/a.min.js"] {
            assert!(!is_product(path), "{path}");
        }
        for path in ["src/a.py", "src/contest.py", "latest/run.go", "testify.rs"] {
            assert!(is_product(path), "{path}");
        }
    }
}
