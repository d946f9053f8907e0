//! Decides which symbol or file a mention in a document means. A name counts only where nothing else of the project's own
//! code has it, and where it does not look like an everyday word: a wrong link is worse than none.

use crate::code::graph::{Graph, NodeId, is_test};
use model::SymbolKind;
use std::collections::{HashMap, HashSet};
use syntax::{ContentKind, DocumentMention, DocumentMentionKind, content_kind_of};

/// The whole of what is written names it.
pub(super) const EXACT: f32 = 1.0;
/// The name alone does, and nothing else has it.
pub(super) const UNIQUE: f32 = 0.7;

/// A shorter everyday word in front of parentheses (`help()`, `setup()`) is that of a language, more likely than ours.
const SHORTEST_CALL: usize = 6;

/// Below a folder at the top with so many documents for each file of code, code is an attachment of documents.
const DOCUMENTS_FOR_A_FILE: usize = 4;

/// Folders of code that shows or feeds the rest.
const SHOWING: [&str; 8] = ["example", "examples", "samples", "demo", "docs", "doc", "fixtures", "testdata"];
/// Files that stand for the folder they are in.
const FOLDER_FILES: [&str; 4] = ["__init__", "mod", "index", "lib"];

/// The names of a graph's code.
pub(super) struct CodeNames<'g> {
    graph: &'g Graph,
    symbols: HashMap<&'g str, Vec<NodeId>>,
    /// By the last part of their paths.
    files: HashMap<&'g str, Vec<NodeId>>,
    /// Folders at the top that hold documents, with some code beside them.
    document_folders: HashSet<&'g str>,
}

impl<'g> CodeNames<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        let document_folders = find_document_folders(graph);
        let mut index = Self { graph, symbols: HashMap::new(), files: HashMap::new(), document_folders };
        for file in graph.file_nodes().filter(|file| is_code(graph, *file)) {
            index.files.entry(graph.name(file)).or_default().push(file);
            for symbol in graph.symbols_of(file) {
                index.symbols.entry(graph.name(symbol)).or_default().push(symbol);
            }
        }
        index
    }

    /// What a mention in a document means, and how sure that is.
    pub(super) fn find_mentioned(&self, mention: &DocumentMention, document: &str) -> Option<(NodeId, f32)> {
        match mention.kind {
            DocumentMentionKind::Key => None,
            DocumentMentionKind::Link => self.find_path(&mention.text, document),
            DocumentMentionKind::Code => {
                self.find_exact_path(&mention.text, document).or_else(|| self.find_name(&mention.text, mention.kind))
            }
            DocumentMentionKind::Call | DocumentMentionKind::FunctionRole | DocumentMentionKind::NameRole => {
                self.find_name(&mention.text, mention.kind)
            }
        }
    }

    /// A file by its path from the root or from the document.
    fn find_exact_path(&self, path: &str, document: &str) -> Option<(NodeId, f32)> {
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        // Near the document first; a name alone is that of a file at the root only where no other file has it.
        let is_telling = path.contains('/') || self.files.get(path).is_none_or(|named| named.len() == 1);
        let places = [join_path(folder, path), join_path("", path).filter(|_| is_telling)];
        let found = places.iter().flatten().find_map(|place| self.graph.find_file(place));
        // `Makefile` alone is that of any project.
        let is_meant =
            |file: &NodeId| is_code(self.graph, *file) && (path.contains('/') || is_central(self.graph, *file));
        found.filter(is_meant).map(|file| (file, EXACT))
    }

    fn find_path(&self, path: &str, document: &str) -> Option<(NodeId, f32)> {
        self.find_exact_path(path, document).or_else(|| {
            // The end of a path, with a folder in it, where only one file has it.
            let name = path.rsplit_once('/').map(|(_, name)| name)?;
            let ends =
                |file: &&NodeId| self.graph.path(**file).strip_suffix(path).is_some_and(|above| above.ends_with('/'));
            let mut fitting = self.files.get(name)?.iter().filter(ends).filter(|file| self.is_product(**file));
            let first = fitting.next()?;
            fitting.next().is_none().then_some((*first, UNIQUE))
        })
    }

    fn find_name(&self, text: &str, kind: DocumentMentionKind) -> Option<(NodeId, f32)> {
        let (above, name) = text.rsplit_once('.').map_or((None, text), |(above, name)| (Some(above), name));
        let named = self.symbols.get(name)?;
        let is_fitting = |node: &NodeId| match above {
            Some(above) => self.stands_in(*node, above.rsplit('.').next().unwrap_or(above)),
            None => self.is_likely(*node, name, kind),
        };
        let fitting: Vec<NodeId> =
            named.iter().copied().filter(|node| !self.is_local(*node)).filter(is_fitting).collect();
        let own: Vec<NodeId> = fitting.iter().copied().filter(|node| self.is_product(*node)).collect();
        // A test is meant only where it is called so.
        let meant = if own.is_empty() && name.to_lowercase().starts_with("test") { fitting } else { own };
        let first = *meant.first()?;
        // One name written twice in the same place, as overloads are, is one thing.
        let home = |node: NodeId| (node.file_number(), self.graph.container(node));
        if meant.iter().any(|node| home(*node) != home(first)) {
            return None;
        }
        let is_whole = above.is_some_and(|above| above.split('.').all(|part| self.stands_in(first, part)));
        Some((first, if is_whole { EXACT } else { UNIQUE }))
    }

    /// Whether a name is that of a symbol around the node, of its file, or of a folder above it.
    fn stands_in(&self, node: NodeId, name: &str) -> bool {
        let mut around = self.graph.container(node);
        let is_member = around.is_some_and(|outer| self.graph.kind(outer).is_some_and(SymbolKind::is_type));
        let mut is_nearest = true;
        while let Some(outer) = around {
            if self.graph.name(outer) == name {
                return true;
            }
            around = self.graph.container(outer);
            is_nearest = false;
        }
        // `module.method` leaves out the class, which is no way to write it.
        if is_member && is_nearest {
            return false;
        }
        let path = self.graph.path(node);
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or(file);
        stem == name
            || folder.split('/').any(|part| part == name)
            || (FOLDER_FILES.contains(&stem) && folder.ends_with(name))
    }

    /// Whether a name without anything around it can mean a symbol.
    fn is_likely(&self, node: NodeId, name: &str, kind: DocumentMentionKind) -> bool {
        let Some(of) = self.graph.kind(node) else { return false };
        let is_top = self.graph.container(node).is_none();
        let inner = name.trim_matches('_');
        let has_capital = inner.chars().skip(1).any(char::is_uppercase) && inner.contains(char::is_lowercase);
        let is_distinct = inner.contains('_') || has_capital;
        let is_capitalized = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
        match kind {
            // A type within a type is called by both names, unless its own is a telling one.
            DocumentMentionKind::Code => is_distinct || (is_capitalized && of.is_type() && !self.is_member(node)),
            DocumentMentionKind::Call => {
                (of.is_function() || of.is_type())
                    && (is_distinct
                        || (is_capitalized && of.is_type())
                        // Targets of a build are called by everyday words.
                        || (is_top && name.len() >= SHORTEST_CALL && is_central(self.graph, node)))
            }
            DocumentMentionKind::FunctionRole => {
                of.is_function() && (is_distinct || (is_top && is_central(self.graph, node)))
            }
            DocumentMentionKind::NameRole => !of.is_function() && (is_distinct || (is_capitalized && of.is_type())),
            DocumentMentionKind::Link | DocumentMentionKind::Key => false,
        }
    }

    /// Whether a symbol stands in a type.
    fn is_member(&self, node: NodeId) -> bool {
        self.graph.container(node).is_some_and(|outer| self.graph.kind(outer).is_some_and(SymbolKind::is_type))
    }

    /// Whether a symbol can only be used inside of a function.
    fn is_local(&self, node: NodeId) -> bool {
        let mut around = std::iter::successors(self.graph.container(node), |outer| self.graph.container(*outer));
        around.any(|outer| self.graph.kind(outer).is_some_and(SymbolKind::is_function))
    }

    fn is_product(&self, node: NodeId) -> bool {
        let folders = self.graph.path(node).rsplit_once('/').map_or("", |(folder, _)| folder);
        let top = folders.split('/').next().unwrap_or_default();
        !is_test(self.graph, node)
            && !self.document_folders.contains(top)
            && !folders.split('/').any(|folder| SHOWING.contains(&folder))
    }
}

fn find_document_folders(graph: &Graph) -> HashSet<&str> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for file in graph.file_nodes() {
        let Some((top, _)) = graph.path(file).split_once('/') else { continue };
        let Some(kind) = graph.language(file).map(content_kind_of) else { continue };
        let (documents, code) = counts.entry(top).or_default();
        *documents += usize::from(kind == ContentKind::Prose);
        *code += usize::from(kind == ContentKind::Code);
    }
    let is_theirs = |(documents, code): &(usize, usize)| *documents >= code * DOCUMENTS_FOR_A_FILE;
    counts.into_iter().filter(|(_, counts)| is_theirs(counts)).map(|(top, _)| top).collect()
}

fn is_central(graph: &Graph, node: NodeId) -> bool {
    graph.language(node).is_some_and(syntax::is_central)
}

/// Whether a file holds code.
pub(crate) fn is_code(graph: &Graph, file: NodeId) -> bool {
    graph.language(file).is_some_and(|language| content_kind_of(language) == ContentKind::Code)
}

/// A path from a folder, without `.` and `..`; none where it leads out of the project.
fn join_path(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.retain(|part| !part.is_empty());
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    Some(parts.join("/"))
}
