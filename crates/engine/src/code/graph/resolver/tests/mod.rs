//! Tests of the name resolver, by language: small projects, written inline, and the edges they must have.
//!
//! A line `== path` starts a file. Edges are written as `kind from -> to`, with the confidence where it is below 100;
//! the kind is left out for calls, and files stand for themselves.

mod elsewhere;
mod go;
mod members;
mod overloads;
mod python;
mod rust;
mod typescript;

use super::{ModuleManifest, Resolver, SourceFile, is_manifest};
use crate::code::graph::encode_uses;
use expect_test::Expect;
use model::EdgeKind;
use syntax::{ExtractLimits, extract};

/// Checks the calls of a project.
fn calls(project: &str, expected: &Expect) {
    expected.assert_eq(&told(project, |kind| kind == EdgeKind::Calls));
}

/// Checks all its edges but the calls.
fn others(project: &str, expected: &Expect) {
    expected.assert_eq(&told(project, |kind| kind != EdgeKind::Calls));
}

fn told(project: &str, is_wanted: impl Fn(EdgeKind) -> bool) -> String {
    let files: Vec<(&str, &str)> = project
        .split("== ")
        .skip(1)
        .map(|file| file.split_once('\n').expect("a path stands on a line of its own"))
        .collect();
    let extract: Vec<_> =
        files.iter().map(|(path, text)| extract(path, text.as_bytes(), &ExtractLimits::default())).collect();
    let sources = files.iter().zip(&extract).map(|((path, _), extract)| SourceFile {
        path: (*path).to_owned(),
        language: extract.language.map(str::to_owned),
        uses: encode_uses(extract),
    });
    let manifests: Vec<ModuleManifest> = files
        .iter()
        .filter(|(path, _)| is_manifest(path))
        .map(|(path, text)| ModuleManifest { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() })
        .collect();
    let mut resolver = Resolver::new(&manifests);
    resolver.apply_changes(&sources.collect::<Vec<_>>(), &[]);
    let mut told = String::new();
    for (at, ((path, _), extract)) in (0..).zip(files.iter().zip(&extract)) {
        let found = resolver.edges_of(at);
        for edge in found.edges.iter().filter(|edge| is_wanted(edge.kind)) {
            let from = edge.from.map_or("", |from| extract.symbols[from as usize].id.qualified_name());
            let to = edge.to.qualified_name.as_deref().unwrap_or("");
            let kind = format!("{:?} ", edge.kind).to_lowercase();
            let kind = if edge.kind == EdgeKind::Calls { "" } else { &kind };
            let sure = (edge.confidence.get() * 100.0).round();
            let sure = if sure < 100.0 { format!(" {sure}") } else { String::new() };
            told += &format!("{kind}{path} {from} -> {} {to}{sure}\n", edge.to.path);
        }
        for open in found.unresolved.iter().filter(|open| is_wanted(open.kind)) {
            let from = open.from.map_or("", |from| extract.symbols[from as usize].id.qualified_name());
            told += &format!("{path} {from} -> {}? {}\n", open.name, open.candidates.len());
        }
    }
    told
}

#[test]
fn damaged_bytes_are_a_file_without_uses() {
    let file = |path: &str, uses| SourceFile { path: path.to_owned(), language: Some("python".to_owned()), uses };
    let whole = encode_uses(&extract("a.py", b"def f(a): return f(a + 1)", &ExtractLimits::default()));
    let half = whole[..whole.len() / 2].to_vec();
    let mut resolver = Resolver::new(&[]);
    resolver.apply_changes(&[file("a.py", whole), file("b.py", half), file("c.py", vec![0xff; 9])], &[]);
    let found: Vec<usize> = (0..3).map(|at| resolver.edges_of(at).edges.len()).collect();
    assert_eq!(found, [1, 0, 0]);
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
