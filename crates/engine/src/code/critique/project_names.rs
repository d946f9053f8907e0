//! What a project knows of the names of a draft: its symbols, the files whose text has a name anywhere, and the text of
//! files. A name that stands anywhere in the project may be a variable, a key, or something from outside: only a name
//! that stands nowhere is unknown to it.

use super::mention::{PathMention, SymbolMention};
use crate::base::confined_file::open_entry;
use crate::base::{Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::{Graph, NodeId, preference_key};
use crate::code::relate::{find_candidates, read_indexed};
use memchr::memmem;
use model::terms::each_term;
use model::{EdgeKind, LineRange, SymbolKind};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use syntax::{ExtractLimits, FileExtract, extract};

/// More files are not read for one draft.
const MOST_FILES: usize = 4_000;

/// In which files names stand as whole words; a name that cannot be looked for is not among them.
pub(super) struct NamePlaces {
    files: HashMap<String, BTreeSet<String>>,
    /// Whether some files were not read, so that a name that was not found may be in one of them.
    is_partial: bool,
}

impl NamePlaces {
    /// Places of no name.
    pub(super) fn empty() -> Self {
        Self { files: HashMap::new(), is_partial: true }
    }

    pub(super) async fn find(code: &CodeContext, project: &Project, names: BTreeSet<String>) -> Result<Self> {
        let names: Vec<String> = names.into_iter().collect();
        let candidates = find_candidates(code, project, &names).await?;
        let is_partial = candidates.len() > MOST_FILES;
        let root = project.root.clone();
        run_blocking("looking for names", move || {
            let wanted: Vec<(String, Vec<usize>)> = candidates.into_iter().take(MOST_FILES).collect();
            let found: Vec<(usize, String)> = wanted
                .par_iter()
                .flat_map_iter(|(path, wanted)| {
                    let bytes = read_indexed(&root, path);
                    let has = |at: &&usize| has_word(&bytes, &names[**at]);
                    wanted.iter().filter(has).map(|at| (*at, path.clone())).collect::<Vec<_>>()
                })
                .collect();
            let mut files: HashMap<String, BTreeSet<String>> =
                names.iter().filter(|name| has_term(name)).map(|name| (name.clone(), BTreeSet::new())).collect();
            for (at, path) in found {
                files.entry(names[at].clone()).or_default().insert(path);
            }
            Self { files, is_partial }
        })
        .await
    }

    /// Whether the text of a file has a name.
    pub(super) fn is_in(&self, name: &str, path: &str) -> bool {
        self.files.get(name).is_some_and(|files| files.contains(path))
    }

    /// Whether no file of the project has a name.
    pub(super) fn is_nowhere(&self, name: &str) -> bool {
        !self.is_partial && self.files.get(name).is_some_and(BTreeSet::is_empty)
    }
}

/// Whether the index has any word of a name: without one, no file is a candidate for it.
fn has_term(name: &str) -> bool {
    let mut has_any = false;
    each_term(name, |_| has_any = true);
    has_any
}

/// Whether a text has a name as a whole word.
pub(super) fn has_word(bytes: &[u8], name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    memmem::find_iter(bytes, name).any(|at| {
        let before = at.checked_sub(1).is_some_and(|before| is_word(bytes[before]));
        !before && !bytes.get(at + name.len()).is_some_and(|byte| is_word(*byte))
    })
}

/// A file of the project, read and parsed once.
pub(super) struct ReadFile {
    pub(super) bytes: Vec<u8>,
    pub(super) extract: FileExtract,
}

/// The project, as claims are compared with it.
pub(super) struct ProjectNames {
    pub(super) graph: Arc<Graph>,
    pub(super) places: NamePlaces,
    pub(super) root: PathBuf,
    read: RefCell<HashMap<String, Rc<ReadFile>>>,
}

impl ProjectNames {
    pub(super) fn new(graph: Arc<Graph>, places: NamePlaces, root: PathBuf) -> Self {
        Self { graph, places, root, read: RefCell::default() }
    }

    /// A file as it is on disk.
    pub(super) fn read_file(&self, path: &str) -> Rc<ReadFile> {
        let read = || {
            let bytes = read_indexed(&self.root, path);
            let extract = extract(path, &bytes, &ExtractLimits::default());
            Rc::new(ReadFile { bytes, extract })
        };
        Rc::clone(self.read.borrow_mut().entry(path.to_owned()).or_insert_with(read))
    }

    /// The text of a symbol.
    pub(super) fn symbol_text(&self, node: NodeId) -> Vec<u8> {
        let file = self.read_file(self.graph.path(node));
        take_lines(&file.bytes, self.graph.lines(node)).to_vec()
    }

    /// The symbols that a mention names, likeliest first; headings of documents are none.
    pub(super) fn find_symbols(&self, mention: &SymbolMention) -> Vec<NodeId> {
        let graph = &self.graph;
        let wanted = mention.qualified();
        let fits = |node: &NodeId| {
            let name = graph.qualified_name(*node);
            name == wanted || name.strip_suffix(&*wanted).is_some_and(|before| before.ends_with('.'))
        };
        let of_name = || {
            let named = graph.symbols_named(mention.name());
            named.filter(|node| graph.kind(*node) != Some(SymbolKind::Section)).collect::<Vec<_>>()
        };
        let mut found: Vec<NodeId> = of_name().into_iter().filter(fits).collect();
        if found.is_empty() && mention.segments.len() > 1 {
            // `helpers.login`, `session::login`: names of a path may stand before it.
            let outer = &mention.segments[mention.segments.len() - 2];
            found = of_name();
            found.retain(|node| {
                let path = graph.path(*node);
                let is_module = path.split(['/', '.']).any(|part| part == outer);
                is_module && graph.container(*node).is_none()
            });
        }
        found.sort_by_cached_key(|node| (preference_key(graph, *node, &wanted), graph.id(*node)));
        found
    }

    /// The types of a name.
    pub(super) fn find_types(&self, name: &str) -> Vec<NodeId> {
        let is_type = |node: &NodeId| self.graph.kind(*node).is_some_and(SymbolKind::is_type);
        self.graph.symbols_named(name).filter(is_type).collect()
    }

    /// The member of a type or of what it is made from, where there is one.
    pub(super) fn find_member(&self, types: &[NodeId], name: &str) -> Option<NodeId> {
        types.iter().find_map(|of| self.graph.member_nodes(*of).find(|member| self.graph.name(*member) == name))
    }

    /// A type with all that it extends or implements, or all that extend or implement it.
    pub(super) fn hierarchy(&self, starts: &[NodeId], is_upward: bool) -> Vec<NodeId> {
        let mut all = starts.to_vec();
        let mut next = 0;
        while let Some(&node) = all.get(next) {
            next += 1;
            let links = if is_upward { self.graph.links_from(node) } else { self.graph.links_to(node) };
            for link in links {
                let is_base = matches!(link.kind, EdgeKind::Extends | EdgeKind::Implements);
                if is_base && !link.node.is_file() && !all.contains(&link.node) {
                    all.push(link.node);
                }
            }
        }
        all
    }

    /// The files of the project that a path means: itself, or those whose path ends with it.
    pub(super) fn find_files(&self, mention: &PathMention) -> Vec<NodeId> {
        let path = mention.path.trim_start_matches("./");
        if let Some(file) = self.graph.find_file(path) {
            return vec![file];
        }
        let ends = |file: &NodeId| self.graph.path(*file).strip_suffix(path).is_some_and(|head| head.ends_with('/'));
        let found: Vec<NodeId> = self.graph.file_nodes().filter(ends).collect();
        if !found.is_empty() {
            return found;
        }
        // An absolute path, or one from a folder above the project.
        let below = |file: &NodeId| path.strip_suffix(self.graph.path(*file)).is_some_and(|head| head.ends_with('/'));
        let longest = self.graph.file_nodes().filter(below).max_by_key(|file| self.graph.path(*file).len());
        longest.into_iter().collect()
    }

    /// Whether there is something at a path that no index holds: an ignored file, or a folder.
    pub(super) fn is_on_disk(&self, path: &str) -> bool {
        open_entry(&self.root, Path::new(path)).is_ok()
    }

    /// The symbol of the project whose name is nearest to one that does not exist.
    pub(super) fn suggest(&self, mention: &SymbolMention, among: &[NodeId]) -> Option<String> {
        let name = mention.name().to_lowercase();
        let allowed = (name.chars().count() / 3).max(1) + usize::from(!among.is_empty()) * 2;
        let members = among.iter().flat_map(|of| self.graph.member_nodes(*of));
        let distance = |node: NodeId| strsim::osa_distance(&self.graph.name(node).to_lowercase(), &name);
        let candidates: Vec<NodeId> = if among.is_empty() {
            self.graph.symbols_with_name(|known| strsim::osa_distance(&known.to_lowercase(), &name) <= allowed)
        } else {
            members.filter(|node| distance(*node) <= allowed.max(name.chars().count() / 2)).collect()
        };
        let is_code = |node: &NodeId| self.graph.kind(*node) != Some(SymbolKind::Section);
        let nearest = candidates.into_iter().filter(is_code).min_by_key(|node| {
            (distance(*node), preference_key(&self.graph, *node, self.graph.name(*node)), self.graph.id(*node))
        })?;
        Some(self.graph.id(nearest))
    }

    /// A symbol with its lines, as a source.
    pub(super) fn source_of(&self, node: NodeId) -> String {
        let lines = self.graph.lines(node);
        format!("{}:{}-{}", self.graph.path(node), lines.start, lines.end)
    }
}

/// The lines of a text.
pub(super) fn take_lines(bytes: &[u8], lines: LineRange) -> &[u8] {
    let start_of = |number: u32| {
        let before = number.saturating_sub(1) as usize;
        if before == 0 { Some(0) } else { memchr::memchr_iter(b'\n', bytes).nth(before - 1).map(|at| at + 1) }
    };
    let Some(start) = start_of(lines.start) else { return &[] };
    &bytes[start..start_of(lines.end + 1).unwrap_or(bytes.len())]
}
