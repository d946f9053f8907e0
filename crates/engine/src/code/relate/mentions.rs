//! Finds the places that mention a symbol's name and that no edge explains: what the graph does not know. In dynamic
//! code most uses cannot be linked without running it, so a reply that shows edges alone would look complete.
//!
//! A mention is a word in the text of a file. A line counts as linked where an edge of the graph leads from it to any
//! symbol of that name, or where such a symbol is defined. Mentions are never edges: no walk follows them, and an
//! export has none.

use super::mention_files::{find_candidates, read_indexed};
use crate::base::{Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::graph::{EdgeLines, Graph, NodeId, is_test};
use memchr::memmem;
use model::SymbolKind;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// What the text around a mention looks like, likeliest use first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MentionKind {
    /// The name is called.
    Call,
    /// It stands in code otherwise.
    Code,
    /// It stands in a comment, a string or a document.
    Text,
}

model::enum_words! {
    pub MentionKind {
        Call = "call",
        Code = "code",
        Text = "text",
    }
}

/// One line that mentions a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMention {
    /// The name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Where.
    pub line: u32,
    /// What it looks like.
    pub kind: MentionKind,
    /// The line without its indentation, cut where it is long.
    pub text: String,
}

/// The lines that mention names and are linked to nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlinkedMentions {
    /// The names that were looked for.
    pub names: Vec<String>,
    /// How many lines there are of each kind.
    pub counts: BTreeMap<MentionKind, usize>,
    /// In how many files.
    pub files: usize,
    /// The likeliest uses, likeliest first.
    pub shown: Vec<NameMention>,
    /// How many files with the words of a name were not read.
    pub unread_files: usize,
}

impl UnlinkedMentions {
    /// How many lines there are in all.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

/// All unlinked mentions of some names, in order of likelihood.
#[derive(Default)]
pub(super) struct MentionScan {
    pub(super) names: Vec<String>,
    pub(super) mentions: Vec<NameMention>,
    unread_files: usize,
}

/// More files are not read for one reply.
const MOST_FILES: usize = 3_000;

/// More names are not looked for in one reply.
const MOST_NAMES: usize = 40;

/// Longer lines are cut.
const LONGEST_LINE: usize = 160;

/// How many lines of one file are listed before other files have their turn.
const MOST_OF_FILE: usize = 3;

impl MentionScan {
    /// The counts, and the first `most` lines.
    pub(super) fn summarize(&self, most: usize) -> UnlinkedMentions {
        let mut counts = BTreeMap::new();
        for mention in &self.mentions {
            *counts.entry(mention.kind).or_default() += 1;
        }
        let files: HashSet<&str> = self.mentions.iter().map(|mention| mention.path.as_str()).collect();
        // A file with a hundred calls would push all others off a short list.
        let mut listed: HashMap<&str, usize> = HashMap::new();
        let (first, rest): (Vec<_>, Vec<_>) = self.mentions.iter().partition(|mention| {
            let of_file = listed.entry(mention.path.as_str()).or_default();
            *of_file += 1;
            *of_file <= MOST_OF_FILE
        });
        let all = first.into_iter().chain(rest);
        let shown = if most < self.mentions.len() { all.take(most).cloned().collect() } else { self.mentions.clone() };
        UnlinkedMentions {
            names: self.names.clone(),
            counts,
            files: files.len(),
            shown,
            unread_files: self.unread_files,
        }
    }
}

/// Scans the project for lines that mention the names of some symbols and are linked to nothing.
pub(super) async fn scan_mentions(
    code: &CodeContext,
    project: &Project,
    graph: &Arc<Graph>,
    symbols: &[NodeId],
) -> Result<MentionScan> {
    let mut names: Vec<String> = Vec::new();
    for &node in symbols {
        let name = graph.name(node);
        // A heading is prose, and its words are everywhere.
        let is_asked = !node.is_file() && graph.kind(node) != Some(SymbolKind::Section);
        if is_asked && name.contains(char::is_alphanumeric) && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names.truncate(MOST_NAMES);
    if names.is_empty() {
        return Ok(MentionScan::default());
    }
    let candidates = find_candidates(code, project, &names).await?;
    let unread_files = candidates.len().saturating_sub(MOST_FILES);
    let (graph, project, symbols) = (Arc::clone(graph), project.clone(), symbols.to_vec());
    run_blocking("looking for mentions", move || {
        let known: Vec<HashSet<(u32, u32)>> = names.iter().map(|name| linked_lines(&graph, name)).collect();
        let files: Vec<(String, Vec<usize>)> = candidates.into_iter().take(MOST_FILES).collect();
        let mut mentions: Vec<NameMention> = files
            .par_iter()
            .flat_map_iter(|(path, wanted)| {
                let Some(file) = graph.find_file(path) else { return Vec::new() };
                let bytes = read_indexed(&project.root, path);
                let is_code = graph.language(file).is_some_and(syntax::is_central);
                let mut found = Vec::new();
                for &at in wanted {
                    let is_linked = |line: u32| known[at].contains(&(file.file_number(), line));
                    scan_text(&bytes, &names[at], is_code, is_linked, |line, kind, text| {
                        found.push(NameMention { name: names[at].clone(), path: path.clone(), line, kind, text });
                    });
                }
                found
            })
            .collect();
        order_mentions(&graph, &symbols, &mut mentions);
        MentionScan { names, mentions, unread_files }
    })
    .await
}

/// The lines at which the graph has an edge to a symbol of this name, or defines one.
fn linked_lines(graph: &Graph, name: &str) -> HashSet<(u32, u32)> {
    let mut known = HashSet::new();
    let mut lines = EdgeLines::new(graph);
    for node in graph.symbols_named(name) {
        known.insert((node.file_number(), graph.name_line(node)));
        for link in graph.links_to(node) {
            let of_edge = lines.lines_between(link.node, link.kind, node);
            known.extend(of_edge.iter().map(|line| (link.node.file_number(), *line)));
        }
    }
    known
}

/// Likeliest uses first: calls, in the language of a symbol, in files that use its file, in the product.
fn order_mentions(graph: &Graph, symbols: &[NodeId], mentions: &mut [NameMention]) {
    let languages: HashSet<Option<&str>> = symbols.iter().map(|node| graph.language(*node)).collect();
    let homes: HashSet<u32> = symbols.iter().map(|node| node.file_number()).collect();
    let mut near: HashSet<u32> = homes.clone();
    for &home in &homes {
        let file = NodeId::File(home);
        for node in std::iter::once(file).chain(graph.symbols_of(file)) {
            near.extend(graph.links_to(node).iter().map(|link| link.node.file_number()));
        }
    }
    mentions.sort_by_cached_key(|mention| {
        let file = graph.find_file(&mention.path);
        let is_foreign = file.is_none_or(|file| !languages.contains(&graph.language(file)));
        let is_far = file.is_none_or(|file| !near.contains(&file.file_number()));
        let is_test = file.is_some_and(|file| is_test(graph, file));
        (mention.kind, is_foreign, is_far, is_test, mention.path.clone(), mention.line)
    });
}

/// Hands every line that has the name as a whole word and is not linked to `take`.
fn scan_text(
    bytes: &[u8],
    name: &str,
    is_code: bool,
    is_linked: impl Fn(u32) -> bool,
    mut take: impl FnMut(u32, MentionKind, String),
) {
    let mut line = 1;
    let mut counted = 0;
    let mut best: Option<(u32, MentionKind, usize)> = None;
    let mut tell = |found: Option<(u32, MentionKind, usize)>| {
        if let Some((line, kind, at)) = found {
            take(line, kind, line_text(bytes, at));
        }
    };
    for at in memmem::find_iter(bytes, name) {
        let end = at + name.len();
        let is_inside = at.checked_sub(1).is_some_and(|before| is_word(bytes[before]))
            || bytes.get(end).is_some_and(|byte| is_word(*byte));
        if is_inside {
            continue;
        }
        line += memchr::memchr_iter(b'\n', &bytes[counted..at]).count() as u32;
        counted = at;
        if is_linked(line) {
            continue;
        }
        let kind = if is_code { mention_kind(bytes, at, end) } else { MentionKind::Text };
        // A line counts once, as the likeliest of its mentions.
        match &mut best {
            Some((of_line, of_kind, _)) if *of_line == line => *of_kind = kind.min(*of_kind),
            _ => tell(best.replace((line, kind, at))),
        }
    }
    tell(best);
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// What a mention looks like, from its line alone: comments and strings of several lines count as code.
fn mention_kind(bytes: &[u8], at: usize, end: usize) -> MentionKind {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let before = &bytes[start..at];
    let lead = before.trim_ascii_start();
    let is_comment = [&b"#"[..], b"//", b"*", b"/*", b"--", b";;", b"%"].iter().any(|mark| lead.starts_with(mark))
        || memmem::find(before, b"// ").is_some()
        || memmem::find(before, b" # ").is_some();
    let is_quoted = [b'"', b'\'', b'`'].iter().any(|quote| memchr::memchr_iter(*quote, before).count() % 2 == 1);
    if is_comment || is_quoted {
        return MentionKind::Text;
    }
    let after = bytes[end..].trim_ascii_start();
    let is_called = after.starts_with(b"(") || after.starts_with(b"::<") || after.starts_with(b"!(");
    if is_called { MentionKind::Call } else { MentionKind::Code }
}

/// The line around a byte, without indentation.
fn line_text(bytes: &[u8], at: usize) -> String {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |newline| at + newline);
    let text = String::from_utf8_lossy(&bytes[start..end]);
    let text = text.trim();
    match text.char_indices().nth(LONGEST_LINE) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str, linked: &[u32]) -> Vec<(u32, MentionKind, String)> {
        let mut found = Vec::new();
        let is_linked = |line| linked.contains(&line);
        scan_text(text.as_bytes(), "save", true, is_linked, |line, kind, text| found.push((line, kind, text)));
        found
    }

    #[test]
    fn a_line_counts_once_as_its_likeliest_use_and_never_where_it_is_linked() {
        let text = "item.save(); save = item.save\n  on_save(save)\nsaved()\n# save\nlog(\"save\")\nmap(save, items)\n";
        let (call, code, text_kind) = (MentionKind::Call, MentionKind::Code, MentionKind::Text);
        let line = |number, kind, text: &str| (number, kind, text.to_owned());
        assert_eq!(
            scanned(text, &[]),
            [
                line(1, call, "item.save(); save = item.save"),
                line(2, code, "on_save(save)"),
                line(4, text_kind, "# save"),
                line(5, text_kind, "log(\"save\")"),
                line(6, code, "map(save, items)"),
            ]
        );
        assert_eq!(scanned(text, &[1, 2, 4, 6]), [line(5, text_kind, "log(\"save\")")]);
        assert_eq!(scanned("", &[]), []);
    }

    #[test]
    fn a_file_with_many_mentions_leaves_room_for_others_on_a_short_list() {
        let mention = |path: &str, line| NameMention {
            name: "save".to_owned(),
            path: path.to_owned(),
            line,
            kind: MentionKind::Call,
            text: String::new(),
        };
        let mentions = (1..=9).map(|line| mention("a.py", line)).chain([mention("b.py", 1)]).collect();
        let scan = MentionScan { names: vec!["save".to_owned()], mentions, unread_files: 0 };
        let told = |most| {
            let shown = scan.summarize(most).shown;
            shown.iter().map(|mention| format!("{}:{}", mention.path, mention.line)).collect::<Vec<_>>()
        };
        assert_eq!(told(4), ["a.py:1", "a.py:2", "a.py:3", "b.py:1"]);
        assert_eq!(told(10).last().map(String::as_str), Some("b.py:1"));
        assert_eq!(scan.summarize(0).total(), 10);
    }
}
