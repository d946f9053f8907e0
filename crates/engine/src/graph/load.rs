//! Loading the graph of a worktree.

use super::{Graph, GraphFile, GraphSymbol, Manifest, Resolver, SourceFile, encode_uses, is_manifest};
use crate::{Engine, Project, Result, index};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// The graph of a project as its files are now.
pub(crate) async fn load(engine: &Engine, project: &Project) -> Result<Arc<Graph>> {
    let worktree = index::refresh(engine, project).await?;
    let files = engine.store.worktree_files(&worktree).await?;
    let root = project.root.clone();
    index::blocking("loading the graph", move || {
        let read: Vec<(String, Option<String>, u32, Vec<u8>)> = files
            .into_par_iter()
            .filter_map(|file| {
                Some((file.path.clone(), file.language, file.lines, fs_err::read(root.join(&file.path)).ok()?))
            })
            .collect();
        let manifests: Vec<Manifest> = read
            .iter()
            .filter(|(path, ..)| is_manifest(path))
            .map(|(path, _, _, bytes)| Manifest { path: path.clone(), bytes: bytes.clone() })
            .collect();
        let facts: Vec<_> = read
            .par_iter()
            .map(|(path, _, _, bytes)| syntax::extract(path, bytes, &syntax::Limits::default()))
            .collect();
        let sources = read
            .iter()
            .zip(&facts)
            .map(|((path, language, ..), facts)| SourceFile {
                path: path.clone(),
                language: language.clone(),
                uses: encode_uses(facts),
            })
            .collect();
        let resolver = Resolver::new(sources, &manifests);
        let edges: Vec<_> = (0..read.len()).into_par_iter().map(|at| resolver.edges_of(at)).collect();
        let files = read.into_iter().zip(facts).zip(edges).map(|(((path, language, lines, _), facts), edges)| {
            let ordinals: HashMap<_, u32> =
                facts.symbols.iter().zip(0..).map(|(symbol, at)| (symbol.id.clone(), at)).collect();
            let symbols = facts.symbols.iter().map(|symbol| GraphSymbol {
                name: symbol.name.clone(),
                chain: symbol.id.chain().to_owned(),
                kind: symbol.kind,
                container: symbol.container.as_ref().and_then(|id| ordinals.get(id).copied()),
                lines: symbol.lines,
                name_line: symbol.name_line,
            });
            GraphFile { path, language, lines, symbols: symbols.collect(), edges }
        });
        Arc::new(Graph::new(files.collect()))
    })
    .await
}
