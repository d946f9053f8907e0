//! Finds the links between documents, code and tests: a document names code, code or a test names the key of a requirement,
//! a test carries the key in its name.

use super::link_end::{DocumentItem, DocumentLink, LinkEnd, ReadDocument};
use super::name_match::{CodeNames, EXACT};
use crate::code::graph::{Graph, NodeId, innermost_symbol, is_test};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use syntax::{DocumentMention, DocumentMentionKind};

/// A comment above a definition ends so many lines before it, at most.
const COMMENT_GAP: u32 = 2;

/// Every link, ordered by where it starts.
pub(super) fn find_links(
    graph: &Graph,
    files: &[ReadDocument],
    items: &[DocumentItem],
    by_key: &HashMap<String, Vec<usize>>,
) -> Vec<DocumentLink> {
    if files.is_empty() {
        return Vec::new();
    }
    let mut items_of: HashMap<NodeId, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        items_of.entry(item.file).or_default().push(at);
    }
    let search = LinkSearch { graph, names: CodeNames::new(graph), items, items_of, by_key };
    let mut links: Vec<DocumentLink> = files.par_iter().flat_map_iter(|read| search.links_of(read)).collect();
    links.extend(search.links_of_test_names());
    links.sort_by(|a, b| (a.from, a.to, a.line).cmp(&(b.from, b.to, b.line)).then(b.weight.total_cmp(&a.weight)));
    // Of several lines that say the same the first one stays.
    links.dedup_by(|later, first| {
        let is_same = (later.from, later.to) == (first.from, first.to);
        if is_same {
            first.weight = first.weight.max(later.weight);
        }
        is_same
    });
    links
}

struct LinkSearch<'a> {
    graph: &'a Graph,
    names: CodeNames<'a>,
    items: &'a [DocumentItem],
    items_of: HashMap<NodeId, Vec<usize>>,
    by_key: &'a HashMap<String, Vec<usize>>,
}

impl LinkSearch<'_> {
    fn links_of(&self, read: &ReadDocument) -> Vec<DocumentLink> {
        let path = self.graph.path(read.file);
        let mut links = Vec::new();
        for mention in &read.facts.mentions {
            let from = if read.facts.is_document {
                self.place_in_document(read.file, mention.line)
            } else {
                LinkEnd::Node(self.place_in_code(read.file, mention.line))
            };
            if mention.kind == DocumentMentionKind::Key {
                links.extend(self.links_of_key(mention, from, read));
            } else if let Some((node, weight)) = self.names.find_mentioned(mention, path) {
                links.push(DocumentLink { from, to: LinkEnd::Node(node), line: mention.line, weight });
            }
        }
        links
    }

    /// To what a key names. Where several documents define it, the own one is meant, or else none.
    fn links_of_key(&self, mention: &DocumentMention, from: LinkEnd, read: &ReadDocument) -> Option<DocumentLink> {
        let defined = self.by_key.get(&mention.text)?;
        let own = || defined.iter().find(|at| self.items[**at].file == read.file);
        let to = match defined.as_slice() {
            [only] => *only,
            _ => *own()?,
        };
        let item = &self.items[to];
        let is_itself = item.file == read.file && item.lines.start <= mention.line && mention.line <= item.lines.end;
        let link = DocumentLink { from, to: LinkEnd::Item(to), line: mention.line, weight: EXACT };
        (!is_itself).then_some(link)
    }

    /// The item around a line of a document, else its section, else the document.
    fn place_in_document(&self, file: NodeId, line: u32) -> LinkEnd {
        let around = self.items_of.get(&file).into_iter().flatten().filter(|at| {
            let lines = self.items[**at].lines;
            lines.start <= line && line <= lines.end
        });
        let innermost = around.min_by_key(|at| self.items[**at].lines.end - self.items[**at].lines.start);
        match innermost {
            Some(at) => LinkEnd::Item(*at),
            None => LinkEnd::Node(innermost_symbol(self.graph, file, line).unwrap_or(file)),
        }
    }

    /// The symbol around a line of code, or the one right below it, to which a comment above belongs.
    fn place_in_code(&self, file: NodeId, line: u32) -> NodeId {
        let around = innermost_symbol(self.graph, file, line);
        if around.is_some_and(|node| self.graph.kind(node).is_some_and(model::SymbolKind::is_function)) {
            return around.unwrap_or(file);
        }
        let is_below = |node: &NodeId| {
            let start = self.graph.lines(*node).start;
            start > line && start <= line + COMMENT_GAP && self.graph.container(*node) == around
        };
        let below = self.graph.symbols_of(file).filter(is_below).min_by_key(|node| self.graph.lines(*node).start);
        below.or(around).unwrap_or(file)
    }

    /// Tests that carry a key in their names: `test_req_001_hashes`, `testREQ001`.
    fn links_of_test_names(&self) -> Vec<DocumentLink> {
        let mut compact: BTreeMap<String, usize> = BTreeMap::new();
        for (key, defined) in self.by_key {
            let letters: String = key.chars().filter(char::is_ascii_alphanumeric).collect();
            // A key of one letter, or one that several documents define, is in many names by accident.
            let is_telling = key.bytes().take_while(u8::is_ascii_uppercase).count() > 1 && !key.contains('.');
            if let ([only], true) = (defined.as_slice(), is_telling) {
                compact.insert(letters.to_lowercase(), *only);
            }
        }
        if compact.is_empty() {
            return Vec::new();
        }
        let lengths: HashSet<usize> = compact.keys().map(String::len).collect();
        let mut links = Vec::new();
        for node in
            self.graph.symbol_nodes().filter(|node| self.graph.kind(*node).is_some_and(model::SymbolKind::is_function))
        {
            if !self.graph.name(node).contains(|c: char| c.is_ascii_digit()) || !is_test(self.graph, node) {
                continue;
            }
            let name = self.graph.name(node);
            let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
            let bytes = letters.as_bytes();
            // Each run of digits may end a key.
            for end in (1..=bytes.len()).filter(|end| {
                bytes[end - 1].is_ascii_digit() && bytes.get(*end).is_none_or(|next| !next.is_ascii_digit())
            }) {
                let starts = lengths.iter().filter_map(|length| end.checked_sub(*length));
                let found = starts.filter_map(|start| compact.get(&letters[start..end])).max();
                links.extend(found.map(|at| DocumentLink {
                    from: LinkEnd::Node(node),
                    to: LinkEnd::Item(*at),
                    line: self.graph.name_line(node),
                    weight: EXACT,
                }));
            }
        }
        links
    }
}
