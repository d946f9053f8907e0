//! Finds where the programs of a project start, for the briefing: what its manifests name, then functions and files with
//! the names of entry points.

use crate::code::graph::{Graph, NodeId};
use model::SymbolKind;

/// Where a program of the project starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// A path, or a symbol's id.
    pub id: String,
    /// Why it counts as an entry point.
    pub why: String,
}

/// The programs and the library that a manifest names.
pub(super) struct NamedProgram<'a> {
    pub(super) manifest: &'a str,
    /// Names of programs, with their places.
    pub(super) entries: Vec<(String, String)>,
    /// Where the file that others import may be.
    pub(super) library: Vec<String>,
}

const MOST_ENTRIES: usize = 10;

/// Names of functions and files that run first, in any language.
const ENTRY_POINT_NAMES: &[&str] = &["main", "__main__", "Main"];

/// A file `main.py` deeper than this is a module of that name.
const DEEPEST_MAIN_FILE: usize = 2;

/// Directories of programs that help to develop or release the product.
const HELPER_DIRECTORIES: &[&str] = &["scripts", "script", "tools", "hack", "ci", ".github", "release", "playground"];

/// Where the file that others import is, where a manifest names only what is built from it.
const LIBRARY_SOURCES: &[&str] = &["src/index.ts", "src/index.tsx", "src/index.js", "index.ts", "index.js"];

/// What manifests name, then functions and files with the names of entry points.
pub(super) fn find_entry_points(
    graph: &Graph,
    programs: &[NamedProgram<'_>],
    is_aside: impl Fn(&str) -> bool,
) -> Vec<EntryPoint> {
    let mut entries: Vec<EntryPoint> = Vec::new();
    for NamedProgram { manifest, entries: named, .. } in programs {
        entries.extend(named.iter().map(|(name, place)| {
            let source = if name.is_empty() { (*manifest).to_owned() } else { format!("{manifest}: {name}") };
            EntryPoint { id: resolve_place(graph, manifest, place), why: format!("named by {source}") }
        }));
    }
    let mut starts: Vec<NodeId> = ENTRY_POINT_NAMES
        .iter()
        .flat_map(|name| graph.symbols_named(name))
        .filter(|node| is_start(graph, *node) && !is_aside(graph.path(*node)))
        .collect();
    // An entry point near the top is more likely that of the product than one of a helper program.
    starts.sort_by_key(|node| (is_helper(graph.path(*node)), graph.path(*node).matches('/').count(), *node));
    let is_product = starts.iter().any(|node| !is_helper(graph.path(*node))) || !entries.is_empty();
    starts.retain(|node| !is_product || !is_helper(graph.path(*node)));
    for node in starts {
        // A manifest may name this function, or the file in which it is.
        if entries.iter().all(|entry| entry.id != graph.path(node) && entry.id != graph.id(node)) {
            entries.push(EntryPoint { id: graph.id(node), why: "where a program starts".to_owned() });
        }
    }
    for NamedProgram { manifest, entries: named, library } in programs {
        let places =
            library.iter().map(String::as_str).chain(LIBRARY_SOURCES.iter().copied().filter(|_| !library.is_empty()));
        let mut files = places.filter_map(|place| find_file(graph, manifest, place));
        if let Some(id) = files.next().filter(|_| named.is_empty()) {
            entries.push(EntryPoint { id, why: format!("what {manifest} exports") });
        }
    }
    let files = graph.file_nodes().filter(|file| {
        let stem = graph.name(*file).split('.').next().unwrap_or_default();
        let depth = graph.path(*file).matches('/').count();
        let is_named = stem == "__main__" || (ENTRY_POINT_NAMES.contains(&stem) && depth <= DEEPEST_MAIN_FILE);
        is_named && graph.language(*file).is_some_and(syntax::is_central)
    });
    for file in files.filter(|file| !is_aside(graph.path(*file)) && !is_helper(graph.path(*file))) {
        let path = graph.path(file);
        if entries.iter().all(|entry| !entry.id.starts_with(path)) {
            entries.push(EntryPoint { id: path.to_owned(), why: "called like a start".to_owned() });
        }
    }
    entries.truncate(MOST_ENTRIES);
    entries
}

/// Whether a symbol is a function that runs first: a build script has one, too, and is none.
fn is_start(graph: &Graph, node: NodeId) -> bool {
    let is_free = graph.kind(node) == Some(SymbolKind::Function) && graph.container(node).is_none();
    let file = graph.path(node).rsplit('/').next().unwrap_or_default();
    (is_free || graph.kind(node) == Some(SymbolKind::Method)) && file != "build.rs"
}

fn is_helper(path: &str) -> bool {
    path.split('/').any(|part| HELPER_DIRECTORIES.contains(&part))
}

/// The file or symbol that a manifest names as a path or as `package.module:function`; its own words where there is none.
fn resolve_place(graph: &Graph, manifest: &str, place: &str) -> String {
    if let Some(file) = find_file(graph, manifest, place) {
        return file;
    }
    let (module, function) = place.split_once(':').unwrap_or((place, ""));
    let path = module.trim().replace('.', "/");
    let candidates = [format!("{path}.py"), format!("{path}/__init__.py")];
    let found = candidates
        .iter()
        .flat_map(|file| [file.clone(), format!("src/{file}")])
        .find_map(|file| find_file(graph, manifest, &file));
    match found {
        Some(file) => {
            let node = graph
                .find_file(&file)
                .into_iter()
                .flat_map(|file| graph.symbols_of(file))
                .find(|node| graph.name(*node) == function.trim());
            node.map_or(file, |node| graph.id(node))
        }
        None => place.to_owned(),
    }
}

/// The path of a file that stands beside a manifest or below it.
fn find_file(graph: &Graph, manifest: &str, place: &str) -> Option<String> {
    let place = place.trim_start_matches("./");
    let path = match manifest.rsplit_once('/') {
        Some((directory, _)) => format!("{directory}/{place}"),
        None => place.to_owned(),
    };
    graph.find_file(&path).map(|_| path)
}
