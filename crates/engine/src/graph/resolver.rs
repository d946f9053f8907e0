//! All files of a project together, and what the uses of each lead to.

use super::edges::{Endpoint, FileEdge, FileEdges};
use super::uses::{Node, Uses};
use model::{Confidence, EdgeKind};
use std::collections::{BTreeMap, HashMap};
use syntax::ReferenceKind;

/// One file of the project.
pub(crate) struct SourceFile {
    /// Project-relative path, with `/` between its parts.
    pub(crate) path: String,
    /// The language's name, where it has one.
    pub(crate) language: Option<String>,
    /// What [`encode_uses`](super::encode_uses) gave for it.
    pub(crate) uses: Vec<u8>,
}

/// A file that says how names of modules map to files, wherever in the project it lies.
pub(crate) struct Manifest {
    /// Project-relative path.
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
}

/// Files whose content resolution asks for.
const MANIFESTS: &[&str] =
    &["Cargo.toml", "composer.json", "go.mod", "jsconfig.json", "package.json", "pyproject.toml", "setup.cfg"];

/// Whether resolution wants to see a file.
pub(crate) fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_tsconfig = name.starts_with("tsconfig") && name.strip_suffix(".json").is_some();
    is_tsconfig || MANIFESTS.contains(&name)
}

/// Answers what the uses of each file lead to.
pub(crate) struct Resolver {
    files: Vec<SourceFile>,
}

impl Resolver {
    /// Takes in all files of a project. A file whose bytes are damaged has no uses.
    pub(crate) fn new(files: Vec<SourceFile>, _manifests: &[Manifest]) -> Self {
        Self { files }
    }

    /// What one file's uses lead to.
    pub(crate) fn edges_of(&self, file: usize) -> FileEdges {
        let Some(source) = self.files.get(file) else { return FileEdges::default() };
        let Ok(uses) = Uses::decode(&source.uses) else { return FileEdges::default() };
        let mut tops: HashMap<u32, u32> = HashMap::new();
        for (definition, at) in uses.definitions.iter().zip(0..) {
            if definition.container.is_none() && definition.parent.is_none() {
                tops.entry(definition.name).or_insert(at);
            }
        }
        let mut edges: BTreeMap<(Option<u32>, u32), u32> = BTreeMap::new();
        for reference in uses.references.iter().filter(|reference| reference.kind == ReferenceKind::Call) {
            if let Node::Name(name) = uses.nodes[reference.target as usize]
                && let Some(to) = tops.get(&name)
            {
                edges.entry((reference.within, *to)).or_insert(reference.line);
            }
        }
        let edges = edges.into_iter().map(|((from, to), line)| FileEdge {
            from,
            kind: EdgeKind::Calls,
            to: Endpoint { path: source.path.clone(), chain: Some(chain(&uses, to)) },
            line,
            confidence: Confidence::CERTAIN,
        });
        FileEdges { edges: edges.collect(), unresolved: Vec::new() }
    }
}

fn chain(uses: &Uses, at: u32) -> String {
    let definition = &uses.definitions[at as usize];
    uses.names[definition.chain.unwrap_or(definition.name) as usize].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::encode_uses;
    use syntax::{Limits, extract};

    #[test]
    fn damaged_bytes_are_a_file_without_uses() {
        let file = |path: &str, uses| SourceFile { path: path.to_owned(), language: Some("python".to_owned()), uses };
        let whole = encode_uses(&extract("a.py", b"def f(a): return f(a + 1)", &Limits::default()));
        let half = whole[..whole.len() / 2].to_vec();
        let resolver = Resolver::new(vec![file("a.py", whole), file("b.py", half), file("c.py", vec![0xff; 9])], &[]);
        let found: Vec<usize> = (0..4).map(|at| resolver.edges_of(at).edges.len()).collect();
        assert_eq!(found, [1, 0, 0, 0]);
    }

    #[test]
    fn a_manifest_is_known_by_its_name() {
        for path in ["Cargo.toml", "a/tsconfig.json", "tsconfig.build.json", "x/y/go.mod"] {
            assert!(is_manifest(path), "{path}");
        }
        for path in ["Cargo.lock", "tsconfig.ts", "a/go.mod/b"] {
            assert!(!is_manifest(path), "{path}");
        }
    }
}
