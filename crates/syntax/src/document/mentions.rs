//! Finds what a document mentions as code, by role, by directive, as the target of a link, and by the key of a requirement;
//! and the keys in a file of code. What a mention leads to is decided where all files are known.

use super::blocks::{Block, BlockKind};
use super::keys::{find_keys, normalize_key};
use super::{DocumentMention, DocumentMentionKind};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A longer name or path is none.
const LONGEST_MENTION: usize = 160;
/// A shorter name is that of anything.
const SHORTEST_NAME: usize = 3;

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*[!?]?$").expect("the pattern is ours")
});
static PATH: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[\w.@+-]+(?:/[\w.@+-]+)*$").expect("the pattern is ours"));
/// A role in front of marks: `:py:func:`.
static ROLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r":([a-z+]+):$").expect("the pattern is ours"));
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\s*)\.\.\s+(?:[a-z]+:)?([a-z]+)::\s+(?:(?:async|static|class|abstract)\s+)*([A-Za-z_][\w.]*)")
        .expect("the pattern is ours")
});
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\]\(<?([^)\s>]+)>?(?:\s[^)]*)?\)|\blink:([^\s\[]+)\[|\[\[file:([^\]\s]+?)(?:::[^\]]*)?\]")
        .expect("the pattern is ours")
});

/// The mentions of a document, each once a line.
pub(super) fn find_mentions(lines: &[&str], blocks: &[Block]) -> Vec<DocumentMention> {
    let literal: HashSet<u32> =
        blocks.iter().filter(|block| block.kind == BlockKind::Code).map(Block::first_line).collect();
    let mut found = MentionList::default();
    let mut described = DescribedNames::default();
    for (number, line) in (1_u32..).zip(lines) {
        if let Some(of_line) = described.read_line(line) {
            found.add(of_line.0, &of_line.1, number);
        }
        for (_, key) in find_keys(line) {
            found.add(DocumentMentionKind::Key, &normalize_key(key), number);
        }
        if literal.contains(&number) {
            continue;
        }
        for (role, code) in inline_codes(line) {
            if let Some((kind, text)) = read_code(role, code) {
                found.add(kind, &text, number);
            }
        }
        for target in LINK.captures_iter(line).filter_map(|link| link.iter().skip(1).flatten().next()) {
            if let Some(path) = link_path(target.as_str()) {
                found.add(DocumentMentionKind::Link, path, number);
            }
        }
    }
    found.mentions
}

/// The keys in a file of code.
pub(super) fn find_keys_of_code(lines: &[&str]) -> Vec<DocumentMention> {
    let mut found = MentionList::default();
    for (number, line) in (1_u32..).zip(lines) {
        // Most lines have no digit behind a dash or a point, and need no closer look.
        let mut pairs = line.as_bytes().windows(2);
        if pairs.any(|pair| matches!(pair[0], b'-' | b'_' | b'.') && pair[1].is_ascii_digit()) {
            for (_, key) in find_keys(line) {
                found.add(DocumentMentionKind::Key, &normalize_key(key), number);
            }
        }
    }
    found.mentions.truncate(super::MOST_FACTS);
    found.mentions
}

#[derive(Default)]
struct MentionList {
    mentions: Vec<DocumentMention>,
}

impl MentionList {
    fn add(&mut self, kind: DocumentMentionKind, text: &str, line: u32) {
        let is_known =
            self.mentions.iter().rev().take_while(|known| known.line == line).any(|known| known.text == text);
        if !is_known && text.len() <= LONGEST_MENTION {
            self.mentions.push(DocumentMention { kind, text: text.to_owned(), line });
        }
    }
}

/// The stretches of a line between equal runs of backticks, each with the role in front of it.
fn inline_codes(line: &str) -> Vec<(Option<&str>, &str)> {
    let bytes = line.as_bytes();
    let run = |at: usize| bytes[at..].iter().take_while(|byte| **byte == b'`').count();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find('`').map(|open| at + open) {
        let length = run(open);
        let start = open + length;
        let mut close = start;
        let end = loop {
            let Some(next) = line[close..].find('`').map(|next| close + next) else { break None };
            if run(next) == length {
                break Some(next);
            }
            close = next + run(next);
        };
        let Some(end) = end else {
            at = start;
            continue;
        };
        let role = ROLE.captures(&line[..open]).and_then(|role| role.get(1)).map(|role| role.as_str());
        // Behind the marks of a link to elsewhere stands an underscore.
        let is_elsewhere = line[end + length..].starts_with('_');
        if !is_elsewhere && start < end {
            found.push((role, &line[start..end]));
        }
        at = end + length;
    }
    found
}

/// What a stretch of code mentions, if it is a name or a path.
fn read_code(role: Option<&str>, code: &str) -> Option<(DocumentMentionKind, String)> {
    let kind = match role {
        Some("func" | "meth" | "function" | "method") => Some(DocumentMentionKind::FunctionRole),
        Some("class" | "attr" | "data" | "exc" | "mod" | "obj" | "const" | "type" | "struct" | "macro" | "member") => {
            Some(DocumentMentionKind::NameRole)
        }
        // Any other role says that it is something else: a chapter, an option, a term.
        Some("code" | "file" | "any") | None => None,
        Some(_) => return None,
    };
    let code = code.trim();
    // `title <target>`
    let target = match code.strip_suffix('>').and_then(|code| code.rsplit_once('<')) {
        Some((_, target)) if kind.is_some() => target,
        _ => code,
    };
    let bare = target.trim_start_matches(['!', '~', '.', '@']).trim();
    let called = bare.find('(').filter(|at| *at > 0 && bare.ends_with(')'));
    let name = called.map_or(bare, |at| &bare[..at]);
    if NAME.is_match(name) && name.len() >= SHORTEST_NAME {
        let dotted = name.replace("::", ".").replace("->", ".").replace('#', ".");
        let plain = if called.is_some() { DocumentMentionKind::Call } else { DocumentMentionKind::Code };
        return Some((kind.unwrap_or(plain), dotted));
    }
    let path = target.trim_start_matches("./");
    let path = path
        .split_once(':')
        .filter(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
        .map_or(path, |(path, _)| path);
    let is_path = path.contains(['/', '.']) && PATH.is_match(path.trim_end_matches('/'));
    is_path.then(|| (DocumentMentionKind::Link, path.trim_end_matches('/').to_owned()))
}

/// The path of a link, where it stays in the project.
fn link_path(target: &str) -> Option<&str> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_foreign = path.is_empty() || path.contains("://") || path.starts_with("mailto:");
    (!is_foreign && PATH.is_match(path.trim_start_matches(['.', '/']))).then_some(path)
}

/// The names that directives describe: `.. py:method:: run` below `.. class:: App` is `App.run`.
#[derive(Default)]
struct DescribedNames {
    module: Option<String>,
    /// Indentation and name of the classes around.
    classes: Vec<(usize, String)>,
}

impl DescribedNames {
    fn read_line(&mut self, line: &str) -> Option<(DocumentMentionKind, String)> {
        let found = DIRECTIVE.captures(line)?;
        let (indent, name) = (found[1].len(), found[3].to_owned());
        while self.classes.pop_if(|(outer, _)| *outer >= indent).is_some() {}
        let qualify = |name: &str| match (self.classes.last(), &self.module) {
            (Some((_, class)), _) if !name.contains('.') => format!("{class}.{name}"),
            (None, Some(module)) if !name.starts_with(module.as_str()) => format!("{module}.{name}"),
            _ => name.to_owned(),
        };
        match &found[2] {
            "module" | "currentmodule" => {
                self.module = Some(name.clone());
                Some((DocumentMentionKind::NameRole, name))
            }
            "automodule" => Some((DocumentMentionKind::NameRole, name)),
            "class" | "autoclass" | "exception" | "autoexception" | "interface" | "struct" => {
                let full = qualify(&name);
                self.classes.push((indent, name));
                Some((DocumentMentionKind::NameRole, full))
            }
            "function" | "autofunction" | "method" | "automethod" | "classmethod" | "staticmethod" | "decorator"
            | "autodecorator" => Some((DocumentMentionKind::FunctionRole, qualify(&name))),
            "attribute" | "autoattribute" | "data" | "autodata" | "property" | "autoproperty" => {
                Some((DocumentMentionKind::NameRole, qualify(&name)))
            }
            _ => None,
        }
    }
}
